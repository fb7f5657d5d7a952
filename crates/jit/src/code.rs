//! The native code of one shape.

use crate::context::Function;
use crate::generate::{Generator, Site};
use cranelift_codegen::Context;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use spinor_exec::{Shape, Shapes};
use spinor_model::StatementId;
use std::sync::Arc;

/// The code of a shape.
pub(crate) struct Code {
    pub(crate) function: Function,
    pub(crate) size: Size,
    pub(crate) effort: Effort,
    /// How much there was to compile.
    pub(crate) instructions: usize,
    /// The memory of the code.
    module: Option<JITModule>,
}

/// How much a function can write.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    /// Successors of one state, atomic sequences apart.
    pub(crate) successors: usize,
    /// Words of the longest one.
    pub(crate) words: usize,
}

// SAFETY: after `compile` nothing changes any more: the module only owns the memory of the code.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the function is called through `function` only, which is gone with this value.
            unsafe { module.free_memory() };
        }
    }
}

/// A number for each statement of a model, over all proctypes.
pub(crate) struct Numbering {
    first: Vec<u32>,
    /// How many there are.
    pub(crate) count: usize,
}

impl Numbering {
    pub(crate) fn new(model: &spinor_model::Model) -> Numbering {
        let mut count = 0;
        let mut first = Vec::new();
        for proctype in &model.proctypes {
            first.push(count as u32);
            count += proctype.statements.len();
        }
        Numbering { first, count }
    }

    pub(crate) fn of(&self, proctype: spinor_model::ProctypeId, statement: StatementId) -> u32 {
        self.first[usize::from(proctype.0)] + statement.0
    }
}

/// How much is done for good code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    /// Registers are allocated in one pass: ready in half the time, takes twice as long to run.
    Haste,
    Speed,
}

/// Code of a shape that is still to be compiled.
pub(crate) struct Draft {
    codegen: Box<Context>,
    size: Size,
}

impl Draft {
    /// Drafts the code of a shape. `None` if this machine has no code generator.
    pub(crate) fn new(shapes: &Shapes<'_>, shape: &Arc<Shape>, numbering: &Numbering) -> Option<Draft> {
        let site = Site { shapes, shape, numbering };
        let target = target(Effort::Haste)?.frontend_config();
        let mut codegen = Box::new(Context::new());
        codegen.func.signature = Generator::signature(target);
        let mut builder = FunctionBuilderContext::new();
        let size = Generator::generate(&mut codegen.func, &mut builder, target, &site);
        Some(Draft { codegen, size })
    }

    /// How much there is to compile.
    pub(crate) fn instructions(&self) -> usize {
        self.codegen.func.dfg.num_insts()
    }

    /// Compiles it. `None` if there is too much code.
    pub(crate) fn compile(mut self, effort: Effort) -> Option<Code> {
        let instructions = self.instructions();
        let mut module = JITModule::new(JITBuilder::with_isa(target(effort)?, default_libcall_names()));
        let id = module.declare_anonymous_function(&self.codegen.func.signature).ok()?;
        module.define_function(id, &mut self.codegen).ok()?;
        module.finalize_definitions().ok()?;
        let address = module.get_finalized_function(id);
        // SAFETY: the function was defined with this signature and is finalised.
        let function = unsafe { std::mem::transmute::<*const u8, Function>(address) };
        Some(Code { function, size: self.size, effort, instructions, module: Some(module) })
    }
}

impl Clone for Draft {
    fn clone(&self) -> Draft {
        Draft { codegen: Box::new(Context::for_function(self.codegen.func.clone())), size: self.size }
    }
}

/// The machine that we are on. To optimise took a fifth of the time and gained nothing that could be measured: the
/// generator leaves little to do.
fn target(effort: Effort) -> Option<OwnedTargetIsa> {
    let mut flags = settings::builder();
    let is_hasty = effort == Effort::Haste;
    for (name, value) in [
        ("opt_level", "none"),
        ("regalloc_algorithm", if is_hasty { "single_pass" } else { "backtracking" }),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).ok()?;
    }
    cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
}
