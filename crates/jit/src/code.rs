//! The native code of one shape.

use crate::context::Function;
use crate::generate::{Generator, Site};
use cranelift_codegen::Context;
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

impl Code {
    /// How many instructions there are to compile for a shape.
    pub(crate) fn instructions(shapes: &Shapes<'_>, shape: &Arc<Shape>, numbering: &Numbering) -> u32 {
        let site = Site { shapes, shape, numbering };
        module(Effort::Haste).map_or(0, |module| generate(&module, &site).0.func.dfg.num_insts() as u32)
    }

    /// Compiles a shape. `None` if this machine has no code generator, or there is too much code.
    pub(crate) fn compile(shapes: &Shapes<'_>, shape: &Arc<Shape>, numbering: &Numbering) -> Option<Code> {
        let site = Site { shapes, shape, numbering };
        let mut module = module(Effort::Speed)?;
        let (mut codegen, mut size) = generate(&module, &site);
        if codegen.func.dfg.num_insts() > LARGE {
            module = self::module(Effort::Haste)?;
            (codegen, size) = generate(&module, &site);
        }
        let id = module.declare_anonymous_function(&codegen.func.signature).ok()?;
        module.define_function(id, &mut codegen).ok()?;
        module.finalize_definitions().ok()?;
        let address = module.get_finalized_function(id);
        // SAFETY: the function was defined with this signature and is finalised.
        let function = unsafe { std::mem::transmute::<*const u8, Function>(address) };
        Some(Code { function, size, module: Some(module) })
    }
}

fn generate(module: &JITModule, site: &Site<'_>) -> (Context, Size) {
    let mut codegen = module.make_context();
    codegen.func.signature = Generator::signature(module);
    let mut builder = FunctionBuilderContext::new();
    let size = Generator::generate(&mut codegen.func, &mut builder, module.target_config(), site);
    (codegen, size)
}

/// With more instructions than these a function is compiled in haste: registers are allocated in more
/// than linear time, and a function of that size would take longer to compile than many a search.
const LARGE: usize = 6_000;

/// How much is done for good code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Speed,
    Haste,
}

fn module(effort: Effort) -> Option<JITModule> {
    let mut flags = settings::builder();
    let is_hasty = effort == Effort::Haste;
    for (name, value) in [
        ("opt_level", if is_hasty { "none" } else { "speed" }),
        ("regalloc_algorithm", if is_hasty { "single_pass" } else { "backtracking" }),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).ok()?;
    }
    let isa = cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()?;
    Some(JITModule::new(JITBuilder::with_isa(isa, default_libcall_names())))
}
