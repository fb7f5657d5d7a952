//! `spinor automata`.

use crate::Exit;
use crate::args::{AutomataArgs, AutomataFormat};
use crate::load::load;
use crate::output::print;

pub(crate) fn run(args: &AutomataArgs) -> Exit {
    let Some(model) = load(&args.model) else { return Exit::Usage };
    if args.ranges {
        let ranges = spinor_model::ranges::Ranges::new(&model);
        print(&spinor_model::ranges::text(&model, &ranges));
        return Exit::Holds;
    }
    print(&match args.format {
        AutomataFormat::Text => spinor_model::print::text(&model),
        AutomataFormat::Dot => spinor_model::print::dot(&model),
    });
    Exit::Holds
}
