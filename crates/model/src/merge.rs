//! Statement merging: locations that a process passes without a state in between.
//!
//! Where all that a process can do touches nothing but its own variables, cannot be observed, and
//! something surely can be done, its moves alone are an ample set: what others do meanwhile commutes
//! with it and is seen afterwards. That is known from the text, and so is a location on each cycle where
//! others get their turn (Kurshan, Levin, Minea, Peled, Yenigün, "Static partial order reduction",
//! TACAS 1998). SPIN joins runs of such statements (Holzmann, "The engineering of a model checker: the
//! Gnu i-protocol case study revisited", 1999); here they also follow a statement that is not local, and
//! go through choices.
//!
//! One thing that others do does not commute with coming to a receive of a rendezvous: a send that the
//! receive makes possible, where it matters that it was not. There `else` and what an `unless` escapes
//! from can be executed, and an atomic sequence is interrupted.
//!
//! It is never wrong not to pass such a location: all moves of a state are an ample set, too.

use crate::access::{Accesses, Object};
use crate::expr::{Access, Base, BinaryOp, Expr, UnaryOp};
use crate::model::{Action, Edge, Initial, Location, LocationId, Model, Proctype, ProctypeId, StatementId};
use crate::observed::{Observed, of_action};
use crate::ranges::Ranges;
use crate::types::Variable;
use std::collections::BTreeSet;

/// More ways than this through a place are not walked in one step: they often meet again, which only
/// states show.
const MOST_PATHS: u32 = 16;
/// Longer ways than this are cut.
const MOST_MOVES: u32 = 64;

/// The locations that are passed, for each proctype.
#[derive(Clone, Debug)]
pub struct Merge {
    passed: Vec<Vec<bool>>,
}

impl Merge {
    /// Analyses a model without errors.
    #[must_use]
    pub fn new(model: &Model, ranges: &Ranges) -> Merge {
        let observed = Observed::new(model);
        let offers = Offers::new(model, ranges);
        let owners = owners(model, ranges, &observed);
        let ids = (0..model.proctypes.len()).map(|id| ProctypeId(id as u16));
        let subject = |id| Subject { model, observed: &observed, offers: &offers, owners: &owners, id };
        Merge { passed: ids.map(|id| passed(&subject(id))).collect() }
    }

    /// Whether a process that comes to a location goes on at once.
    #[must_use]
    pub fn passes(&self, proctype: ProctypeId, location: LocationId) -> bool {
        self.passed[usize::from(proctype.0)][usize::from(location.0)]
    }
}

/// For each global variable the only process that knows of it, if there is one: it is a variable of that process.
fn owners(model: &Model, ranges: &Ranges, observed: &Observed) -> Vec<Option<ProctypeId>> {
    let mut users = vec![BTreeSet::new(); model.globals.len()];
    for (id, proctype) in model.proctypes.iter().enumerate() {
        let mut add = |accesses: &Accesses| {
            for object in accesses.reads.union(&accesses.writes) {
                if let Object::Global(variable) = object {
                    users[*variable as usize].insert(id);
                }
            }
        };
        proctype.statements.iter().for_each(|statement| add(&statement.accesses));
        proctype.provided.iter().for_each(|condition| add(&Accesses::of(condition)));
        for initial in &proctype.locals_init {
            if let Initial::Value(_, value) = initial {
                add(&Accesses::of(value));
            }
        }
    }
    let owner = |(users, variable): (&BTreeSet<usize>, &Variable)| match *users.iter().collect::<Vec<_>>() {
        [only] => Some(ProctypeId(*only as u16)).filter(|id| ranges.is_single(*id) && !observed.name(&variable.name)),
        _ => None,
    };
    users.iter().zip(&model.globals).map(owner).collect()
}

fn passed(subject: &Subject<'_>) -> Vec<bool> {
    let proctype = subject.proctype();
    let locations = (0..proctype.locations.len()).map(|id| LocationId(id as u16));
    let may_pass: Vec<bool> = locations.map(|id| subject.is_candidate(id)).collect();
    Cut::new(proctype, may_pass).run()
}

/// A proctype that is analysed.
struct Subject<'a> {
    model: &'a Model,
    observed: &'a Observed,
    offers: &'a Offers<'a>,
    /// The owners of global variables.
    owners: &'a [Option<ProctypeId>],
    id: ProctypeId,
}

impl Subject<'_> {
    fn proctype(&self) -> &Proctype {
        self.model.proctype(self.id)
    }

    /// Whether the moves from a location are an ample set wherever others are.
    ///
    /// A label for valid end states is no obstacle: a process that can move is in no dead end.
    fn is_candidate(&self, id: LocationId) -> bool {
        let proctype = self.proctype();
        let Location { edges, .. } = proctype.location(id);
        let is_plain = proctype.is_process() && !proctype.deterministic && proctype.provided.is_none();
        // Coming to a location can be seen as well as leaving it.
        let is_unseen = |location: LocationId| !self.observed.location(self.model, self.id, location);
        // An edge that begins an atomic sequence brings all of it along.
        is_plain
            && is_unseen(id)
            && edges
                .iter()
                .all(|edge| !edge.atomic && edge.target.is_some_and(is_unseen) && self.is_local(edge.statement))
            && !edges.iter().filter_map(|edge| edge.target).any(|target| self.offers.accepts(self.id, target))
            && (edges.iter().any(|edge| self.is_sure(edge.statement)) || self.has_contraries(edges))
    }

    /// Whether two guards are such that one of them holds.
    fn has_contraries(&self, edges: &[Edge]) -> bool {
        let guards: Vec<&Expr> = edges.iter().filter_map(|edge| self.guard(edge.statement)).collect();
        guards.iter().any(|one| guards.iter().any(|other| are_contraries(one, other)))
    }

    /// The condition with which a statement begins.
    fn guard(&self, id: StatementId) -> Option<&Expr> {
        match &self.proctype().statement(id).action {
            Action::Condition(guard) => Some(guard),
            Action::DStep(d_step) => match d_step.nodes[0].edges[..] {
                [(first, _)] => self.guard(first),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a statement reads and writes nothing but variables of the process. It writes none that
    /// others look at.
    fn is_local(&self, id: StatementId) -> bool {
        let statement = self.proctype().statement(id);
        let mut is_own = true;
        of_action(&statement.action, &mut |expr| is_own &= self.is_own_value(expr));
        is_own
            && match &statement.action {
                Action::Assign(target, _) => self.is_unseen(target),
                Action::DStep(d_step) => {
                    d_step.nodes.iter().flat_map(|node| &node.edges).all(|(inner, _)| self.is_local(*inner))
                }
                Action::Condition(_) | Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) => true,
                Action::Else | Action::Goto => true,
                Action::Send(_) | Action::Receive(_) | Action::Input(_) | Action::SetPriority(..) => false,
                Action::End => false,
            }
    }

    fn is_unseen(&self, target: &Access) -> bool {
        match target.base {
            Base::Local => !self.observed.variable(self.model, self.id, target.variable),
            _ => self.is_own(target),
        }
    }

    fn is_own(&self, access: &Access) -> bool {
        match access.base {
            Base::Local => true,
            Base::Global => self.owners[access.variable as usize] == Some(self.id),
            Base::Hidden => false,
        }
    }

    /// Whether an expression, apart from those within it, depends on the process alone.
    fn is_own_value(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Load(access) => self.is_own(access),
            Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Pid => true,
            _ => false,
        }
    }

    /// Whether a statement is executable in every state, if no statement before it is.
    fn is_sure(&self, id: StatementId) -> bool {
        match &self.proctype().statement(id).action {
            Action::Condition(Expr::Constant(value)) => *value != 0,
            Action::DStep(d_step) => d_step.nodes[0].edges.iter().any(|(first, _)| self.is_sure(*first)),
            Action::Else | Action::Goto | Action::Assign(..) | Action::Assert(_) => true,
            Action::Print(..) | Action::PrintMtype(..) => true,
            _ => false,
        }
    }
}

/// Whether one of two conditions is the negation of the other.
fn are_contraries(one: &Expr, other: &Expr) -> bool {
    if matches!(one, Expr::Unary(UnaryOp::Not, inner) if **inner == *other) {
        return true;
    }
    let (Expr::Binary(op, left, right), Expr::Binary(contrary, left_too, right_too)) = (one, other) else {
        return false;
    };
    let is_contrary = matches!(
        (op, contrary),
        (BinaryOp::Equal, BinaryOp::NotEqual)
            | (BinaryOp::Less, BinaryOp::GreaterEqual)
            | (BinaryOp::Greater, BinaryOp::LessEqual)
    );
    is_contrary && left == left_too && right == right_too
}

/// Rendezvous where it matters whether somebody is ready to receive.
struct Offers<'a> {
    model: &'a Model,
    ranges: &'a Ranges,
    /// The sites of their channels.
    sites: Vec<bool>,
}

impl<'a> Offers<'a> {
    fn new(model: &'a Model, ranges: &'a Ranges) -> Offers<'a> {
        let mut offers = Offers { model, ranges, sites: vec![false; ranges.sites.len()] };
        for (index, proctype) in model.proctypes.iter().enumerate() {
            for (location, it) in proctype.locations.iter().enumerate() {
                if is_delicate(proctype, LocationId(location as u16)) {
                    it.edges.iter().for_each(|edge| offers.add(ProctypeId(index as u16), edge.statement));
                }
            }
        }
        offers
    }

    fn add(&mut self, proctype: ProctypeId, statement: StatementId) {
        let Action::Send(send) = &self.model.proctype(proctype).statement(statement).action else { return };
        let channels = self.ranges.channels(proctype, &send.channel);
        for (site, it) in self.ranges.sites.iter().enumerate() {
            let is_rendezvous = self.model.channel_types[usize::from(it.kind.0)].capacity == 0;
            self.sites[site] |= is_rendezvous && channels.contains(site);
        }
    }

    /// Whether a process at a location may be the receiver.
    fn accepts(&self, proctype: ProctypeId, location: LocationId) -> bool {
        let definition = self.model.proctype(proctype);
        let action = |id: StatementId| &definition.statement(id).action;
        definition.location(location).edges.iter().any(|edge| match action(edge.statement) {
            Action::DStep(d_step) => {
                d_step.nodes[0].edges.iter().any(|(first, _)| self.accepts_by(proctype, action(*first)))
            }
            other => self.accepts_by(proctype, other),
        })
    }

    fn accepts_by(&self, proctype: ProctypeId, action: &Action) -> bool {
        let Action::Receive(receive) = action else { return false };
        let channels = self.ranges.channels(proctype, &receive.channel);
        self.sites.iter().enumerate().any(|(site, &matters)| matters && channels.contains(site))
    }
}

/// Whether something else follows at a location if a send there cannot be executed.
fn is_delicate(proctype: &Proctype, location: LocationId) -> bool {
    let is_else = |edge: &Edge| proctype.statement(edge.statement).action.is_else();
    let edges = &proctype.location(location).edges;
    let mut all = proctype.locations.iter().flat_map(|it| &it.edges);
    proctype.deterministic
        || edges.iter().any(|edge| edge.escape.is_some() || is_else(edge))
        || all.any(|edge| edge.atomic && edge.target == Some(location))
}

/// Cuts cycles and long ways, by one walk over the locations in depth-first order.
struct Cut<'a> {
    proctype: &'a Proctype,
    may_pass: Vec<bool>,
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    New,
    /// Its successors are being walked.
    Open,
    /// A way leads back to it: here others get their turn.
    Head,
    /// A process stops here.
    Stopped,
    /// It is passed: how many ways there are, and how long the longest is.
    Passed {
        paths: u32,
        moves: u32,
    },
}

impl<'a> Cut<'a> {
    fn new(proctype: &'a Proctype, may_pass: Vec<bool>) -> Cut<'a> {
        let marks = vec![Mark::New; may_pass.len()];
        Cut { proctype, may_pass, marks }
    }

    fn run(mut self) -> Vec<bool> {
        for location in 0..self.may_pass.len() {
            if self.may_pass[location] && self.marks[location] == Mark::New {
                self.walk(location);
            }
        }
        self.marks.iter().map(|mark| matches!(mark, Mark::Passed { .. })).collect()
    }

    fn walk(&mut self, root: usize) {
        self.marks[root] = Mark::Open;
        let mut stack = vec![(root, 0)];
        while let Some((location, tried)) = stack.last_mut() {
            let edges = &self.proctype.locations[*location].edges;
            let Some(edge) = edges.get(*tried) else {
                self.marks[*location] = self.close(*location);
                stack.pop();
                continue;
            };
            *tried += 1;
            let Some(target) = self.target(edge) else { continue };
            match self.marks[target] {
                Mark::New => {
                    self.marks[target] = Mark::Open;
                    stack.push((target, 0));
                }
                Mark::Open => self.marks[target] = Mark::Head,
                Mark::Head | Mark::Stopped | Mark::Passed { .. } => {}
            }
        }
    }

    /// Where an edge leads, if that may be passed.
    fn target(&self, edge: &Edge) -> Option<usize> {
        edge.target.map(|target| usize::from(target.0)).filter(|&target| self.may_pass[target])
    }

    /// All that follows is known, but for locations that are heads of cycles.
    fn close(&self, location: usize) -> Mark {
        if self.marks[location] == Mark::Head {
            return Mark::Stopped;
        }
        let (mut paths, mut moves) = (0_u32, 1_u32);
        for edge in &self.proctype.locations[location].edges {
            match self.target(edge).map(|target| self.marks[target]) {
                Some(Mark::Passed { paths: more, moves: further }) => {
                    paths += more;
                    moves = moves.max(further + 1);
                }
                _ => paths += 1,
            }
        }
        if paths <= MOST_PATHS && moves <= MOST_MOVES { Mark::Passed { paths, moves } } else { Mark::Stopped }
    }
}
