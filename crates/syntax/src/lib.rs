//! From text to tree: preprocessor, lexer, parser.
//!
//! Nothing here reads a file or fails: every function returns what it could make of the text
//! together with the diagnostics.

pub mod ast;
pub mod diagnostic;
mod lexer;
mod operator;
mod parser;
mod preprocess;
pub mod print;
pub mod source;
pub mod token;

pub use diagnostic::{Diagnostic, Severity};
pub use parser::{parse, parse_formula};
pub use preprocess::{Define, preprocess};
pub use source::{FileId, Loader, Place, SourceMap, Span};

/// A number with its noun.
#[must_use]
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
