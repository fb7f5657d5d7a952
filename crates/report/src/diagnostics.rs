//! Diagnostics with the lines they are about.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use spinor_syntax::{Diagnostic, Severity, SourceMap, Span};

/// One diagnostic with its source lines.
#[must_use]
pub fn render(sources: &SourceMap, diagnostic: &Diagnostic, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut report = level.primary_title(diagnostic.message.as_str()).element(snippet(
        sources,
        diagnostic.place.at,
        AnnotationKind::Primary,
        None,
    ));
    if diagnostic.place.in_macro() {
        let label = Some("in this macro");
        report = report.element(snippet(sources, diagnostic.place.spelling, AnnotationKind::Context, label));
    }
    for label in &diagnostic.labels {
        report = report.element(snippet(sources, label.span, AnnotationKind::Context, Some(label.text.as_str())));
    }
    let mut groups: Vec<Group<'_>> = vec![report];
    if let Some(hint) = &diagnostic.hint {
        groups.push(Group::with_title(Level::HELP.secondary_title(hint.as_str())));
    }
    renderer.render(&groups)
}

fn snippet<'a>(
    sources: &'a SourceMap,
    span: Span,
    kind: AnnotationKind,
    label: Option<&'a str>,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let file = sources.file(span.file);
    let range = clamp(&file.text, span);
    let mut annotation = kind.span(range);
    if let Some(label) = label {
        annotation = annotation.label(label);
    }
    Snippet::source(file.text.as_str()).path(file.name.as_str()).annotation(annotation)
}

/// A span cut to the first line, on character boundaries.
fn clamp(text: &str, span: Span) -> std::ops::Range<usize> {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(span.start as usize);
    let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    start..floor((span.end as usize).min(line_end).max(start))
}
