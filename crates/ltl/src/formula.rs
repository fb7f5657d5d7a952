//! Formulas as the user wrote them.

use std::fmt::Write as _;
use std::sync::Arc;

/// An atomic proposition: a number to which the caller gives a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom(pub u8);

/// Automata read the truth of all atoms as the bits of one word.
pub const MAX_ATOMS: usize = 64;

/// Formulas that nest deeper are refused: what works on them is recursive.
pub const MAX_DEPTH: u32 = 400;

/// Formulas with more operators and atoms are refused: rewriting compares all parts with each other.
pub const MAX_SIZE: usize = 1000;

/// A formula of linear temporal logic. Copies are cheap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formula(Arc<Tree>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct Tree {
    node: Node,
    depth: u32,
    size: usize,
}

/// What a formula is at its top.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `true`
    True,
    /// `false`
    False,
    /// An atomic proposition
    Atom(Atom),
    /// `!f`
    Not(Formula),
    /// `f && g && ...`
    And(Vec<Formula>),
    /// `f || g || ...`
    Or(Vec<Formula>),
    /// `f -> g`
    Implies(Formula, Formula),
    /// `f <-> g`
    Equivalent(Formula, Formula),
    /// `X f`
    Next(Formula),
    /// `f U g`
    Until(Formula, Formula),
    /// `f W g`
    WeakUntil(Formula, Formula),
    /// `f V g`, also written `f R g`
    Release(Formula, Formula),
    /// `[] f`
    Always(Formula),
    /// `<> f`
    Eventually(Formula),
}

impl From<Node> for Formula {
    fn from(node: Node) -> Formula {
        let depth = node.operands().map(Formula::depth).max().unwrap_or(0) + 1;
        let size = node.operands().fold(1_usize, |size, operand| size.saturating_add(operand.size()));
        Formula(Arc::new(Tree { node, depth, size }))
    }
}

impl Node {
    /// The formulas right below.
    pub fn operands(&self) -> impl Iterator<Item = &Formula> {
        let (many, one, two): (&[Formula], _, _) = match self {
            Node::True | Node::False | Node::Atom(_) => (&[], None, None),
            Node::And(all) | Node::Or(all) => (all, None, None),
            Node::Not(f) | Node::Next(f) | Node::Always(f) | Node::Eventually(f) => (&[], Some(f), None),
            Node::Implies(f, g)
            | Node::Equivalent(f, g)
            | Node::Until(f, g)
            | Node::WeakUntil(f, g)
            | Node::Release(f, g) => (&[], Some(f), Some(g)),
        };
        many.iter().chain(one).chain(two)
    }
}

impl Formula {
    /// An atomic proposition.
    #[must_use]
    pub fn atom(number: u8) -> Formula {
        Node::Atom(Atom(number)).into()
    }

    /// The negation of this formula.
    #[must_use]
    pub fn not(&self) -> Formula {
        Node::Not(self.clone()).into()
    }

    /// What it is at its top.
    #[must_use]
    pub fn node(&self) -> &Node {
        &self.0.node
    }

    /// How deep it nests.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// How many operators and atoms it has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// A number for this very object, equal for its copies.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// How many atoms there are, counted up to the largest number in use.
    #[must_use]
    pub fn atoms(&self) -> usize {
        match self.node() {
            Node::Atom(atom) => atom.0 as usize + 1,
            node => node.operands().map(Formula::atoms).max().unwrap_or(0),
        }
    }

    /// Whether `X` occurs. Without it a formula cannot tell how long the same letter lasts
    /// (Lamport 1983): it is stutter invariant.
    #[must_use]
    pub fn has_next(&self) -> bool {
        matches!(self.node(), Node::Next(_)) || self.node().operands().any(Formula::has_next)
    }

    /// The formula in SPIN's notation, with all parentheses.
    #[must_use]
    pub fn text(&self, name: &dyn Fn(Atom) -> String) -> String {
        let mut out = String::new();
        self.write(name, &mut out);
        out
    }

    fn write(&self, name: &dyn Fn(Atom) -> String, out: &mut String) {
        match self.node() {
            Node::True => out.push_str("true"),
            Node::False => out.push_str("false"),
            Node::Atom(atom) => out.push_str(&name(*atom)),
            Node::Not(f) => f.write_prefix("!", name, out),
            Node::Next(f) => f.write_prefix("X ", name, out),
            Node::Always(f) => f.write_prefix("[] ", name, out),
            Node::Eventually(f) => f.write_prefix("<> ", name, out),
            Node::And(all) if all.is_empty() => out.push_str("true"),
            Node::Or(all) if all.is_empty() => out.push_str("false"),
            node => write_infix(node, name, out),
        }
    }

    fn write_prefix(&self, operator: &str, name: &dyn Fn(Atom) -> String, out: &mut String) {
        out.push_str(operator);
        self.write(name, out);
    }
}

fn write_infix(node: &Node, name: &dyn Fn(Atom) -> String, out: &mut String) {
    let operator = match node {
        Node::And(_) => "&&",
        Node::Or(_) => "||",
        Node::Implies(..) => "->",
        Node::Equivalent(..) => "<->",
        Node::Until(..) => "U",
        Node::WeakUntil(..) => "W",
        _ => "V",
    };
    for (index, operand) in node.operands().enumerate() {
        if index == 0 {
            out.push('(');
        } else {
            let _ = write!(out, " {operator} ");
        }
        operand.write(name, out);
    }
    out.push(')');
}
