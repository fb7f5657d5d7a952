//! Random programs: the heads of everything, then the bodies.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::features::{Feature, Features};
use super::program::{Expr, Inline, Process, Program, Sequence, Start, Step, Stmt, Wrapper};
use super::scope::{Body, Elder, Head, Mode, Type, Variable};
use super::statements::append;

/// Writes one program; knows what has been declared so far.
pub(crate) struct Generator {
    rng: SmallRng,
    /// What this program may use.
    pub(crate) features: Features,
    /// The program as far as it is written.
    pub(crate) program: Program,
    /// The members of each set of names.
    pub(crate) mtypes: Vec<Vec<String>>,
    /// The fields of each structure.
    pub(crate) structs: Vec<Vec<Variable>>,
    /// The fields of the messages of each class of channels.
    pub(crate) classes: Vec<Vec<Type>>,
    /// The global variables and channels.
    pub(crate) globals: Vec<Variable>,
    /// The processes.
    pub(crate) heads: Vec<Head>,
    /// The inlines, and whether each may be used inside a `d_step`.
    pub(crate) inlines: Vec<(String, bool)>,
    /// The number of the next fresh name.
    next: usize,
}

/// The program with this number; the same for the same seed.
pub(crate) fn generate(seed: u64, index: u64, features: Option<Features>) -> Program {
    // The multiplier spreads the numbers, so that seeds do not share programs.
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index);
    let mut rng = SmallRng::seed_from_u64(mixed);
    let features = features.unwrap_or_else(|| Features::draw(&mut rng));
    write(rng, features)
}

/// The same, without what makes every step depend on every other.
pub(crate) fn generate_reducible(seed: u64, index: u64) -> Program {
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index);
    let mut rng = SmallRng::seed_from_u64(mixed);
    let features = Features::draw(&mut rng).reducible();
    write(rng, features)
}

fn write(rng: SmallRng, features: Features) -> Program {
    let mut generator = Generator {
        rng,
        features,
        program: Program::default(),
        mtypes: Vec::new(),
        structs: Vec::new(),
        classes: Vec::new(),
        globals: Vec::new(),
        heads: Vec::new(),
        inlines: Vec::new(),
        next: 0,
    };
    generator.declare_all();
    generator.write_inlines();
    generator.write_processes();
    generator.program
}

impl Generator {
    /// Whether the program may use a feature.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_ratio(percent, 100)
    }

    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.rng.random_range(0..limit)
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A number within bounds.
    pub(crate) fn number(&mut self, low: i64, high: i64) -> Expr {
        Expr::Number(self.rng.random_range(low..=high))
    }

    /// A name that was never used.
    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// A label that was never used.
    pub(crate) fn fresh_label(&mut self, prefix: &str) -> String {
        self.fresh(&format!("{prefix}_"))
    }

    /// The processes that `run` may start.
    pub(crate) fn runnable(&self) -> Vec<usize> {
        let is_runnable = |&head: &usize| self.heads[head].start == Start::Run;
        (0..self.heads.len()).filter(is_runnable).collect()
    }

    fn write_inlines(&mut self) {
        if !self.has(Feature::Inline) {
            return;
        }
        for number in 0..1 + self.below(2) {
            let is_strict = self.chance(60);
            let parameters = [format!("a{number}"), format!("b{number}")];
            // The types are those of the arguments: unknown, so taken as signed.
            let mut body = Body::new(
                vec![
                    Variable::scalar(parameters[0].as_str(), Type::Short),
                    Variable::scalar(parameters[1].as_str(), Type::Short).fixed(),
                ],
                3,
            );
            body.mode = if is_strict { Mode::DStep } else { Mode::Atomic };
            body.has_labels = false;
            body.prefix = "u";
            body.depth = 1;
            let steps = self.sequence(&mut body, 3);
            let name = format!("step{number}");
            self.program.inlines.push(Inline { name: name.clone(), parameters: parameters.into(), body: steps });
            self.inlines.push((name, is_strict));
        }
    }

    fn write_processes(&mut self) {
        let mut elders = Vec::new();
        let mut pid = 0;
        let starters = self.first_starter();
        for number in 0..self.heads.len() {
            let head = self.heads[number].clone();
            let mut reliable = elders.clone();
            if head.start == Start::Run {
                reliable.retain(|elder: &Elder| elder.pid == 0 || elder.pid < starters);
            }
            let (process, elder) = self.write_process(&head, &reliable);
            self.program.processes.push(process);
            for _ in 0..copies(&head) {
                // `init` has no name by which it can be referred to.
                if head.start != Start::Init {
                    elders.push(Elder { pid, ..elder.clone() });
                }
                pid += 1;
            }
        }
    }

    /// The lowest number of a process that may start others. What has a lower
    /// number is alive whenever a process is started; the others may be gone, and
    /// their numbers in use again.
    fn first_starter(&self) -> u8 {
        if self.has(Feature::Run) {
            return 0;
        }
        let before_init = self.heads.iter().take_while(|head| head.start != Start::Init);
        before_init.map(copies).sum()
    }

    fn write_process(&mut self, head: &Head, elders: &[Elder]) -> (Process, Elder) {
        let parameters = head.parameters.iter().map(|p| self.plain_declaration(p)).collect();
        let budget = 4 + self.below(5);
        let mut body = Body::new(head.parameters.clone(), budget);
        body.elders = elders.to_vec();
        let mut steps = self.local_declarations(&mut body);
        let variables = (body.scope.iter())
            .filter(|local| local.ty.is_number() && local.length.is_none())
            .map(|local| local.name.clone())
            .collect();
        if head.start == Start::Init {
            steps.extend(self.start_others(&body));
        }
        let count = 3 + self.below(3);
        let rest = self.statements(&mut body, count, true);
        append(&mut steps, rest);
        for label in std::mem::take(&mut body.pending) {
            body.labels.push(label.clone());
            steps.push(Step { label: Some(label), stmt: Stmt::skip() });
        }
        let process = Process {
            name: head.name.clone(),
            start: head.start,
            parameters,
            priority: self.priority(head.start),
            provided: self.provided(head.start),
            body: steps,
        };
        let name = head.name.clone();
        let is_only = head.start == Start::Active(1);
        (process, Elder { name, pid: 0, is_only, labels: body.labels, variables })
    }

    fn priority(&mut self, start: Start) -> Option<u8> {
        let wanted = self.has(Feature::Priority) && start != Start::Init && self.chance(60);
        wanted.then(|| 1 + self.below(3) as u8)
    }

    /// A condition over global variables.
    fn provided(&mut self, start: Start) -> Option<Expr> {
        if !self.has(Feature::Provided) || start == Start::Init || self.chance(40) {
            return None;
        }
        let body = Body::new(Vec::new(), 0);
        Some(self.condition(&body, 1))
    }

    /// The statements by which `init` starts the other processes.
    fn start_others(&mut self, body: &Body) -> Sequence {
        let mut steps = Sequence::new();
        for head in self.runnable() {
            for _ in 0..1 + self.below(2) {
                steps.push(self.run_step(body, head));
            }
        }
        if !steps.is_empty() && self.chance(50) {
            return vec![Stmt::Wrap(Wrapper::Atomic, steps).into()];
        }
        steps
    }
}

/// How many processes of a type there are at the beginning.
fn copies(head: &Head) -> u8 {
    match head.start {
        Start::Active(count) => count,
        Start::Init => 1,
        Start::Run => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::generate;
    use crate::fuzz::print::print;

    /// A piece of text for each construct.
    const CONSTRUCTS: &[&str] = &[
        " : 2",
        "!!",
        "#define",
        "%d",
        "--",
        "->",
        "<<",
        "= {",
        "?<",
        "?[",
        "??",
        "??<",
        "??[",
        "@L_",
        "K0",
        "M1(",
        "M2(",
        "[0] of",
        "[1] of",
        "_last",
        "_nr_pr",
        "_pid",
        "active [2]",
        "assert(",
        "atomic",
        "bit ",
        "bool ",
        "break",
        "byte ",
        "chan ",
        "d_step",
        "do\n",
        "else",
        "empty(",
        "enabled(",
        "end_",
        "eval(",
        "for (",
        "full(",
        "get_priority(",
        "goto L_",
        "if\n",
        "init {",
        "inline",
        "int ",
        "len(",
        "m00(",
        "mtype ",
        "mtype:kind1",
        "nempty(",
        "nfull(",
        "pid ",
        "printf(",
        "printm(",
        "priority",
        "progress_",
        "provided",
        "run P",
        "select ",
        "set_priority(",
        "short ",
        "skip",
        "step0(",
        "timeout",
        "typedef",
        "unless",
        "unsigned",
        "{ byte",
        "]:w",
        " in v",
    ];

    #[test]
    fn every_construct_is_generated() {
        let texts: Vec<String> = (0..1500).map(|index| print(&generate(1, index, None))).collect();
        for construct in CONSTRUCTS {
            let count = texts.iter().filter(|text| text.contains(construct)).count();
            assert!(count >= 5, "{construct:?} is in {count} programs only");
        }
    }

    #[test]
    fn a_program_can_be_repeated() {
        for index in 0..50 {
            assert_eq!(print(&generate(9, index, None)), print(&generate(9, index, None)));
        }
    }
}
