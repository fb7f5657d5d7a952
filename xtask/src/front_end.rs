//! The one place where the parser fuzzer calls Spinor's front end.

use spinor_syntax::source::NoIncludes;

/// Reads a program as far as the front end goes, diagnostics printed, and forgets the result.
pub(crate) fn front_end(text: &str) {
    let (model, diagnostics) = spinor_model::compile("fuzz.pml", text, &[], &NoIncludes);
    for diagnostic in &diagnostics {
        std::hint::black_box(spinor_report::diagnostics::render(&model.sources, diagnostic, false));
    }
    std::hint::black_box(spinor_model::print::text(&model));
}
