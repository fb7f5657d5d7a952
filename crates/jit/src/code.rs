//! The native code of one shape.

use crate::context::{Context, DEFER, Function};
use crate::generate::{Generator, Site};
use cranelift_codegen::Context as Codegen;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use spinor_exec::{Bits, Shape, Shapes};
use spinor_model::{LocationId, StatementId};
use std::sync::Arc;

/// Where a process stands, and where the code for each place is.
pub(crate) struct Stand {
    location: Bits,
    /// Its functions begin here.
    first: u32,
}

/// The code of a shape.
pub(crate) struct Code {
    /// For each process, the youngest first.
    pub(crate) stands: Vec<Stand>,
    /// For each process and location; none where nothing can ever be executed.
    functions: Vec<Option<Function>>,
    /// How many successors one expansion can have at most, atomic sequences apart.
    pub(crate) most: usize,
    /// How many words the longest successor has.
    pub(crate) words: usize,
    /// The memory of the code.
    module: Option<JITModule>,
}

// SAFETY: after `compile` nothing changes any more: the module only owns the memory of the code.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the functions are called through `functions` only, which is gone with this value.
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
    /// Compiles all locations of all processes of a shape. `None` if this machine has no code
    /// generator.
    pub(crate) fn compile(shapes: &Shapes<'_>, shape: &Arc<Shape>, numbering: &Numbering) -> Option<Code> {
        let mut module = module()?;
        let mut codegen = module.make_context();
        let mut builder = FunctionBuilderContext::new();
        let mut stands = Vec::new();
        let mut made: Vec<Made> = Vec::new();
        let (mut most, mut words) = (0, shape.words());
        for (pid, process) in shape.processes.iter().enumerate() {
            stands.push(Stand { location: process.location, first: made.len() as u32 });
            let locations = shapes.model().proctype(process.proctype).locations.len();
            let mut most_here = 0;
            for location in 0..locations {
                let site = Site { shapes, shape, numbering, pid, location: LocationId(location as u16) };
                let one = function(&mut module, &mut codegen, &mut builder, &site)?;
                if let Made::Native(_, size) = &one {
                    most_here = most_here.max(size.successors);
                    words = words.max(size.words);
                }
                made.push(one);
            }
            most += most_here;
        }
        module.finalize_definitions().ok()?;
        stands.reverse();
        let functions = made.iter().map(|one| one.function(&module)).collect();
        Some(Code { stands, functions, most, words, module: Some(module) })
    }

    /// The code for a process where it stands.
    #[inline]
    pub(crate) fn function(&self, stand: &Stand, state: &[u64]) -> Option<Function> {
        self.functions[stand.first as usize + stand.location.get(state) as usize]
    }
}

/// How much a function can write.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    /// Successors.
    pub(crate) successors: usize,
    /// Words of the longest one.
    pub(crate) words: usize,
    /// Whether anything can be executed, offered or at fault.
    pub(crate) does_something: bool,
}

enum Made {
    Blocked,
    Defer,
    Native(FuncId, Size),
}

impl Made {
    fn function(&self, module: &JITModule) -> Option<Function> {
        match self {
            Made::Blocked => None,
            Made::Defer => Some(defer),
            Made::Native(id, _) => {
                let address = module.get_finalized_function(*id);
                // SAFETY: the function was defined with this signature and is finalised.
                Some(unsafe { std::mem::transmute::<*const u8, Function>(address) })
            }
        }
    }
}

/// The code of a location that is left to the interpreter.
extern "C" fn defer(_: *mut Context, _: *const u64) -> u32 {
    DEFER
}

fn function(
    module: &mut JITModule,
    codegen: &mut Codegen,
    builder: &mut FunctionBuilderContext,
    site: &Site<'_>,
) -> Option<Made> {
    module.clear_context(codegen);
    codegen.func.signature = Generator::signature(module);
    let config = module.target_config();
    let Ok(size) = Generator::generate(&mut codegen.func, builder, config, site) else {
        // What was begun is thrown away.
        *builder = FunctionBuilderContext::new();
        return Some(Made::Defer);
    };
    if !size.does_something {
        return Some(Made::Blocked);
    }
    let id = module.declare_anonymous_function(&codegen.func.signature).ok()?;
    module.define_function(id, codegen).ok()?;
    Some(Made::Native(id, size))
}

fn module() -> Option<JITModule> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
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
