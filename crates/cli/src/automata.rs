//! `spinor automata`.

use crate::Exit;
use crate::args::{AutomataArgs, AutomataFormat};
use crate::load::load;
use crate::output::printed;
use spinor_exec::{Packed, Packing, Semantics, Successors};
use spinor_explore::reduce::{Preserve, Tables, text};
use spinor_model::Model;

pub(crate) fn run(args: &AutomataArgs) -> Exit {
    let Some(model) = load(&args.model) else { return Exit::Usage };
    let text = if args.ranges {
        let ranges = spinor_model::ranges::Ranges::new(&model);
        spinor_model::ranges::text(&model, &ranges)
    } else if args.dependence {
        dependence(&model)
    } else {
        match args.format {
            AutomataFormat::Text => spinor_model::print::text(&model),
            AutomataFormat::Dot => spinor_model::print::dot(&model),
        }
    };
    printed(&text, Exit::Holds)
}

/// The dependence table of the first state's shape.
fn dependence(model: &Model) -> String {
    let mut engine = Packed::new(model, Packing::Bits);
    let mut first = Successors::default();
    if let Err(fault) = engine.initial(&mut first) {
        return format!("there is no first state: {fault}\n");
    }
    let tables = Tables::new(engine.shapes().clone(), Preserve::default());
    text(engine.shapes(), &tables.of(first.vector(&first.list[0])))
}
