//! A choice between the variants of a type of the model names each of them.
//!
//! What forgets a construct of the language calls a violated model right. `_ =>`, `if let` and `matches!` forget every
//! construct that is still to come, without a word of the compiler. So in what analyses, executes, reduces or translates
//! models they are not used on the types below; a question that many ask is a function of the type, with each variant in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Where the types of the model are declared.
const TYPES: &[&str] = &["crates/model/src", "crates/syntax/src/ast.rs"];

/// Where the rule holds.
const ENFORCED: &[&str] = &[
    "crates/model/src",
    "crates/exec/src",
    "crates/jit/src",
    "crates/explore/src/reduce",
    "crates/explore/src/symmetry",
    "crates/explore/src/live",
    "crates/explore/src/kinds.rs",
];

/// Types of the same folders whose variants are no constructs of the language.
const OTHER_TYPES: &[&str] = &["Values", "Node", "Visibility"];

/// Functions that may leave variants out: file, function, and why nothing can be forgotten there.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/model/src/lower/declaration.rs", "declare", "only a channel declaration makes a channel type"),
    ("crates/model/src/lower/declaration.rs", "initials", "what is no list and no channel is one value, or none"),
    ("crates/model/src/lower/declaration.rs", "initial_of", "what is no list is refused or taken one level below"),
    (
        "crates/model/src/lower/declaration.rs",
        "bound_of_variable",
        "what is no variable must be constant, or is refused",
    ),
    ("crates/model/src/lower/declaration.rs", "resolve_type", "only an unsigned has a width"),
    ("crates/model/src/lower/declaration.rs", "resolve_field", "only an unsigned is refused as a field"),
    ("crates/model/src/lower/expression.rs", "struct_argument", "what is no variable is an expression"),
    (
        "crates/model/src/lower/expression.rs",
        "constant_value",
        "what is not known to be constant is refused by who asks",
    ),
    ("crates/model/src/lower/mod.rs", "new", "declarations that have no body are counted elsewhere"),
    ("crates/model/src/lower/statement.rs", "step", "all other statements are prepared, by a choice that names each"),
    ("crates/model/src/lower/statement.rs", "late_value", "text for people"),
    ("crates/model/src/lower/statement.rs", "prepare", "numbers that are written down are told from all else"),
    ("crates/model/src/lower/statement.rs", "prepare_labelled", "only a select is expanded into two statements"),
    ("crates/model/src/lower/statement.rs", "input", "what is no variable is refused"),
    ("crates/model/src/lower/statement.rs", "mtype_constant", "a name of a constant, or an expression"),
    ("crates/model/src/lower/statement.rs", "print_mtype", "a name of a constant, or an expression"),
    ("crates/model/src/lower/trace.rs", "refuses", "a trace takes what is listed and refuses all else"),
    ("crates/model/src/lower/trace.rs", "sent", "only `_` is any value"),
    ("crates/model/src/lower/unit.rs", "initial_constant", "what is no variable has no first value"),
];

/// Complains of each choice that leaves variants out.
pub(super) fn check(files: &[(PathBuf, String)], complaints: &mut Vec<String>) {
    let parsed: Vec<(&Path, syn::File)> = files.iter().filter_map(|(path, text)| parse(path, text)).collect();
    let types = types(&parsed);
    let mut used = BTreeSet::new();
    for (path, file) in &parsed {
        if !ENFORCED.iter().any(|folder| path.starts_with(folder)) || path.ends_with("tests.rs") {
            continue;
        }
        let mut reader = Reader { types: &types, places: Vec::new(), function: String::new(), own: None };
        reader.visit_file(file);
        for (line, function, what) in reader.places {
            match EXCEPTIONS.iter().position(|(file, name, _)| path == &Path::new(file) && *name == function) {
                Some(exception) => _ = used.insert(exception),
                None => complaints.push(format!("{}:{line}: {what} (in `{function}`)", path.display())),
            }
        }
    }
    let idle = EXCEPTIONS.iter().enumerate().filter(|(index, _)| !used.contains(index));
    complaints.extend(idle.map(|(_, (file, name, _))| format!("{file}: `{name}` needs no exception")));
}

fn parse<'f>(path: &'f Path, text: &str) -> Option<(&'f Path, syn::File)> {
    let is_source = path.extension().is_some_and(|end| end == "rs") && path.starts_with("crates");
    is_source.then(|| syn::parse_file(text).ok().map(|file| (path, file))).flatten()
}

/// The names of the types of the model.
fn types(parsed: &[(&Path, syn::File)]) -> BTreeSet<String> {
    let declaring = parsed.iter().filter(|(path, _)| TYPES.iter().any(|folder| path.starts_with(folder)));
    let items = declaring.flat_map(|(_, file)| &file.items);
    let names = items.filter_map(|item| match item {
        syn::Item::Enum(it) if matches!(it.vis, syn::Visibility::Public(_)) => Some(it.ident.to_string()),
        _ => None,
    });
    names.filter(|name| !OTHER_TYPES.contains(&name.as_str())).collect()
}

/// What is found in a file.
struct Reader<'t> {
    types: &'t BTreeSet<String>,
    /// Line, function, and what is wrong.
    places: Vec<(usize, String, String)>,
    /// The function that is being read.
    function: String,
    /// The type whose `impl` is being read.
    own: Option<String>,
}

impl Reader<'_> {
    fn complain(&mut self, span: Span, what: &str, name: &str) {
        let what = format!("{what} leaves variants of `{name}` out");
        self.places.push((span.start().line, self.function.clone(), what));
    }

    /// The type of the model of which this path is a variant.
    fn variant(&self, path: &syn::Path) -> Option<String> {
        let mut names = path.segments.iter().rev().map(|it| it.ident.to_string());
        let (_, owner) = (names.next()?, names.next()?);
        let owner = if owner == "Self" { self.own.clone()? } else { owner };
        self.types.contains(&owner).then_some(owner)
    }

    /// The type of the model of which a part of the pattern is a variant.
    fn named(&self, pattern: &syn::Pat) -> Option<String> {
        if let Some(name) = path(pattern).and_then(|it| self.variant(it)) {
            return Some(name);
        }
        parts(pattern).into_iter().find_map(|part| self.named(part))
    }

    /// The type of which patterns for the same value name some variants only.
    fn open(&self, patterns: &[&syn::Pat]) -> Option<String> {
        let patterns: Vec<&syn::Pat> = patterns.iter().flat_map(|it| alternatives(it)).collect();
        if patterns.iter().any(|it| takes_all(it)) {
            return patterns.iter().find_map(|it| self.named(it));
        }
        let kinds: BTreeSet<String> = patterns.iter().map(|it| kind(it)).collect();
        kinds.iter().find_map(|which| {
            let alike: Vec<Vec<&syn::Pat>> =
                patterns.iter().filter(|it| kind(it) == *which).map(|it| parts(it)).collect();
            let width = alike.iter().map(Vec::len).max().unwrap_or(0);
            (0..width).find_map(|at| {
                let column: Vec<&syn::Pat> = alike.iter().filter_map(|row| row.get(at).copied()).collect();
                self.open(&column)
            })
        })
    }

    fn within(&mut self, function: String, read: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.function, function);
        read(self);
        self.function = outer;
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let own = match &*item.self_ty {
            syn::Type::Path(it) => it.path.segments.last().map(|it| it.ident.to_string()),
            _ => None,
        };
        let outer = std::mem::replace(&mut self.own, own);
        visit::visit_item_impl(self, item);
        self.own = outer;
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within(item.sig.ident.to_string(), |reader| visit::visit_item_fn(reader, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within(item.sig.ident.to_string(), |reader| visit::visit_impl_item_fn(reader, item));
    }

    fn visit_expr_match(&mut self, item: &'ast syn::ExprMatch) {
        // A name with a condition does not take what is left.
        let decides = |arm: &&syn::Arm| arm.guard.is_none() || !takes_all(&arm.pat);
        let patterns: Vec<&syn::Pat> = item.arms.iter().filter(decides).map(|arm| &arm.pat).collect();
        if let Some(name) = self.open(&patterns) {
            self.complain(item.match_token.span, "`match`", &name);
        }
        visit::visit_expr_match(self, item);
    }

    fn visit_expr_let(&mut self, item: &'ast syn::ExprLet) {
        if let Some(name) = self.named(&item.pat) {
            self.complain(item.let_token.span, "`if let`", &name);
        }
        visit::visit_expr_let(self, item);
    }

    fn visit_local(&mut self, item: &'ast syn::Local) {
        if item.init.as_ref().is_some_and(|it| it.diverge.is_some())
            && let Some(name) = self.named(&item.pat)
        {
            self.complain(item.let_token.span, "`let else`", &name);
        }
        visit::visit_local(self, item);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        if item.path.is_ident("matches")
            && let Ok(choice) = item.parse_body::<Matches>()
            && let Some(name) = self.named(&choice.pattern)
        {
            self.complain(item.span(), "`matches!`", &name);
        }
        if let Ok(values) = item.parse_body_with(Expressions::parse_terminated) {
            values.iter().for_each(|value| self.visit_expr(value));
        }
    }
}

type Expressions = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;

/// What stands in `matches!`.
struct Matches {
    pattern: syn::Pat,
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse::<syn::Expr>()?;
        input.parse::<syn::Token![,]>()?;
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(Self { pattern })
    }
}

/// The path that stands at the head of a pattern.
fn path(pattern: &syn::Pat) -> Option<&syn::Path> {
    match pattern {
        syn::Pat::Path(it) => Some(&it.path),
        syn::Pat::TupleStruct(it) => Some(&it.path),
        syn::Pat::Struct(it) => Some(&it.path),
        _ => None,
    }
}

/// What a pattern is at its head: patterns of one kind have the same parts.
fn kind(pattern: &syn::Pat) -> String {
    let names = path(pattern).map(|it| it.segments.iter().map(|part| part.ident.to_string()).collect::<Vec<_>>());
    names.map_or_else(String::new, |names| names.join("::"))
}

/// The patterns that a pattern consists of. Fields with names are not compared with each other.
fn parts(pattern: &syn::Pat) -> Vec<&syn::Pat> {
    match pattern {
        syn::Pat::Tuple(it) => it.elems.iter().collect(),
        syn::Pat::TupleStruct(it) => it.elems.iter().collect(),
        syn::Pat::Slice(it) => it.elems.iter().collect(),
        syn::Pat::Or(it) => it.cases.iter().collect(),
        syn::Pat::Struct(it) => it.fields.iter().map(|field| &*field.pat).collect(),
        syn::Pat::Reference(it) => vec![&*it.pat],
        syn::Pat::Paren(it) => vec![&*it.pat],
        syn::Pat::Ident(it) => it.subpat.iter().map(|(_, inner)| &**inner).collect(),
        _ => Vec::new(),
    }
}

/// A pattern without what does not decide: references, names and alternatives.
fn alternatives(pattern: &syn::Pat) -> Vec<&syn::Pat> {
    match pattern {
        syn::Pat::Or(it) => it.cases.iter().flat_map(alternatives).collect(),
        syn::Pat::Reference(it) => alternatives(&it.pat),
        syn::Pat::Paren(it) => alternatives(&it.pat),
        syn::Pat::Ident(it) => it.subpat.as_ref().map_or(vec![pattern], |(_, inner)| alternatives(inner)),
        _ => vec![pattern],
    }
}

/// Whether a pattern takes any value: `_`, or a name.
fn takes_all(pattern: &syn::Pat) -> bool {
    match pattern {
        syn::Pat::Wild(_) => true,
        syn::Pat::Ident(it) => it.subpat.is_none() && !it.ident.to_string().starts_with(char::is_uppercase),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use std::path::PathBuf;

    /// What is complained of in a function of this text.
    fn complaints(body: &str) -> Vec<String> {
        let text = format!("pub enum E {{ A, B(u8), C }}\nfn f(e: E, o: Option<E>) {{ {body} }}");
        let mut complaints = Vec::new();
        check(&[(PathBuf::from("crates/model/src/ranges/e.rs"), text)], &mut complaints);
        complaints.into_iter().filter(|it| it.contains("leaves variants")).collect()
    }

    #[test]
    fn choices_that_leave_variants_out_are_found() {
        for body in [
            "match e { E::A => 1, _ => 2 };",
            "match e { E::A => 1, other => 2 };",
            "match &o { Some(E::A) => 1, _ => 2 };",
            "match o { Some(E::A) => 1, Some(_) => 2, None => 3 };",
            "match (e, 1) { (E::A | E::C, _) => 1, (_, 1) => 2, _ => 3 };",
            "if let E::B(_) = e {}",
            "while let Some(E::A) = o {}",
            "let E::B(n) = e else { return };",
            "matches!(e, E::A | E::C);",
            "assert!(matches!(o, Some(E::A)));",
        ] {
            assert_eq!(complaints(body).len(), 1, "{body}");
        }
    }

    #[test]
    fn choices_that_name_all_variants_pass() {
        for body in [
            "match e { E::A | E::B(_) => 1, E::C => 2 };",
            "match o { Some(E::A) => 1, Some(E::B(_) | E::C) => 2, None => 3 };",
            "match 1 { 1 => 1, _ => 2 };",
            "match e { other if f() => 0, E::A | E::B(_) | E::C => 1 };",
            "if let Some(e) = o {}",
            "matches!(o, Some(_));",
        ] {
            assert_eq!(complaints(body), Vec::<String>::new(), "{body}");
        }
    }
}
