//! Errors and warnings: plain values, never control flow.

use crate::source::{Place, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The model can be checked; the user may have meant something else.
    Warning,
    /// The model means nothing: it cannot be checked.
    Error,
}

/// A second place that helps to understand a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// One thing the user should know, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A plain sentence, lower case, no full stop.
    pub message: String,
    /// Where it is.
    pub place: Place,
    /// Other places.
    pub labels: Vec<Label>,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, place, message)
    }

    /// A warning.
    pub fn warning(place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, place, message)
    }

    fn new(severity: Severity, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity, message: message.into(), place, labels: Vec::new(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }
}

/// Whether any of them is an error.
#[must_use]
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}
