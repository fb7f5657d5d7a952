//! Random programs whose processes are alike, and some in which something is not.

use rand::Rng as _;
use rand::rngs::SmallRng;
use std::fmt::Write as _;

/// How processes are known to the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// `active [n]`, from pid 0 on.
    Pid,
    /// Run by `init`, from pid 1 on: arrays have one element more.
    Later,
    /// The same, with `_pid - 1`.
    Less,
    /// Given as an argument.
    Given,
    /// Given to pairs of processes.
    Pairs,
    /// Given as an argument, with a second name and one of both.
    Twice,
    /// Not at all: processes are joined by channels that they are given.
    Joined,
}

struct Writer<'r> {
    rng: &'r mut SmallRng,
    naming: Naming,
    count: usize,
    /// How often something that is not symmetric is written, in a hundred.
    breaks: u32,
}

/// A program.
pub(crate) fn random(rng: &mut SmallRng) -> String {
    let namings = [
        Naming::Pid,
        Naming::Pid,
        Naming::Later,
        Naming::Less,
        Naming::Given,
        Naming::Given,
        Naming::Pairs,
        Naming::Twice,
        Naming::Joined,
    ];
    let naming = namings[rng.random_range(0..namings.len())];
    let count = match naming {
        Naming::Pairs => 2,
        Naming::Joined => rng.random_range(2..=4),
        _ => rng.random_range(2..=3),
    };
    let breaks = if rng.random_bool(0.3) { 25 } else { 0 };
    Writer { rng, naming, count, breaks }.program()
}

impl Writer<'_> {
    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.rng.random_range(0..of.len())]
    }

    fn me(&self) -> &'static str {
        match self.naming {
            Naming::Pid | Naming::Later => "_pid",
            Naming::Less => "_pid - 1",
            Naming::Given | Naming::Pairs | Naming::Twice | Naming::Joined => "id",
        }
    }

    fn size(&self) -> usize {
        self.count + usize::from(self.naming == Naming::Later)
    }

    fn program(mut self) -> String {
        if self.naming == Naming::Joined {
            return self.joined();
        }
        let (count, size) = (self.count, self.size());
        let mut text = format!(
            "byte g; byte a[{size}]; byte who = 255; byte next[{size}] = 255;\n\
             chan q = [2] of {{ byte, byte }}; chan c[{size}] = [1] of {{ byte }}; chan r = [0] of {{ byte }};\n"
        );
        let head = match self.naming {
            Naming::Pid => format!("active [{count}] proctype P()"),
            Naming::Later | Naming::Less => "proctype P()".into(),
            Naming::Given | Naming::Pairs | Naming::Joined => "proctype P(byte id)".into(),
            Naming::Twice => "proctype P(byte id, you, first)".into(),
        };
        let condition =
            if self.rng.random_bool(0.1) { self.own(&["(g == 0)", "(who != ME)", "(a[ME] == 0)"]) } else { "".into() };
        let head = if condition.is_empty() { head } else { format!("{head} provided {condition}") };
        let body = self.body();
        let _ = write!(text, "{head} {{ byte x; byte peer = 255; byte l[{size}];\n{body}}}\n");
        if self.naming == Naming::Pairs {
            let body = self.body();
            let _ = write!(text, "proctype Q(byte id) {{ byte x; byte peer = 255; byte l[{size}];\n{body}}}\n");
        }
        for n in 0..self.rng.random_range(0..=2) {
            let stranger = self.stranger();
            let many = if self.rng.random_bool(0.2) { " [2]" } else { "" };
            let _ = writeln!(text, "active{many} proctype S{n}() {{ byte x; byte peer; {stranger} }}");
        }
        text + &self.init() + &self.formula()
    }

    /// Somebody who is not like the others: a server, or one who looks at them, whose own pid may be taken for one of theirs.
    fn stranger(&mut self) -> String {
        let first = if self.naming == Naming::Pid { 0 } else { self.rng.random_range(1..4) };
        let text = self.one(&[
            "do :: q?x,peer -> c[peer]!x od",
            "do :: atomic { who != 255 -> a[who] = 1 - a[who]; who = 255 } od",
            "end: do :: r?peer -> who = peer :: g == 1 -> g = 0 od",
            "do :: timeout -> g = 1 - g; x = 1 od",
            "timeout -> assert(g == 0)",
            "end: who == _pid -> assert(false)",
            "end: who == _pid - 1 -> assert(false)",
            "end: a[_pid - BACK] == 1 -> assert(false)",
            "end: a[(_pid + 1) % COUNT] == 1 -> assert(g == 0)",
            "end: do :: a[_pid - BACK] == 1 -> a[_pid - BACK] = 0; g = 1 - g od",
            "end: P[who]@there -> assert(g == 0)",
            "end: !P[FIRST]@there -> assert(g == 0)",
            "end: P[FIRST]:x == 1 -> assert(g == 0)",
            "end: P[who]:x == 1 -> assert(who == 255)",
            "end: do :: P[FIRST]:x == 1 -> x = 1 - x od",
            "end: _nr_pr < 3 -> assert(g == 0)",
            "do :: _nr_pr == 2 -> assert(g == 0); break :: g == 1 -> g = 0 od",
            "do :: who == 255 -> select (x : 0 .. LAST); who = x; x = 0 od",
            "do :: atomic { who == 255 -> select (x : 0 .. LAST); who = x; x = 0 } od",
            "do :: atomic { nfull(q) -> select (x : 0 .. LAST); q!1,x; x = 0 } od",
            "do :: atomic { who == 255 -> select (x : 0 .. COUNT - 1); who = x; x = 0 } od",
            "do :: atomic { who == 255 -> select (x : 0 .. COUNT - 1); who = x }; x = 9 od",
            "do :: who == 255 -> select (x : 0 .. COUNT - 1); who = x; x = 0 od",
            "do :: atomic { who == 255 -> select (x : 0 .. 1); who = x; x = 0 } od",
            "end: do :: atomic { q?x,peer -> peer = peer + 1; q!x,peer } od",
            "end: do :: r?peer -> if :: peer == _pid -> assert(false) :: else fi od",
            "end: do :: d_step { who != 255 -> who = who + 1 } od",
            "x = 1; g = 1 - g",
        ]);
        let last = self.count - 1 + usize::from(self.naming == Naming::Later);
        let back = self.rng.random_range(0..=self.count);
        let numbers = [("BACK", back), ("FIRST", first), ("LAST", last), ("COUNT", self.count)];
        numbers.into_iter().fold(text.to_string(), |text, (name, number)| text.replace(name, &number.to_string()))
    }

    fn formula(&mut self) -> String {
        let atoms = [
            "g == 0",
            "g == 1",
            "who == 255",
            "len(q) == 0",
            "nempty(q)",
            "who == 1",
            "a[0] == 1",
            "P[who]@there",
            "P[1]@there",
        ];
        let is_joined = self.naming == Naming::Joined;
        let atoms = if is_joined { &atoms[..7] } else { &atoms[..] };
        let (one, other) = (self.one(atoms), self.one(atoms));
        let formula = self.one(&[
            "[] <> (A)",
            "<> [] (A)",
            "[] ((A) -> <> (B))",
            "(A) U (B)",
            "[] ((A) -> X (B))",
            "<> ((A) && X (A))",
        ]);
        format!("ltl {{ {} }}\n", formula.replace('A', one).replace('B', other))
    }

    fn init(&mut self) -> String {
        let run = match self.naming {
            Naming::Pid => return String::new(),
            Naming::Later | Naming::Less => "run P()",
            Naming::Given | Naming::Joined => "run P(i)",
            Naming::Pairs => "run P(i); run Q(i)",
            Naming::Twice => "run P(i, i + COUNT, i)",
        };
        let run = &run.replace("COUNT", &self.count.to_string());
        let count = self.count;
        let after = self.one(&["", "", "", "g = 1;", "a[1] = 1;", "who = 1;", "(_nr_pr == 1);", "g == 1; g = 0;"]);
        // What is `_pid - 1` needs `init` to be the first.
        match self.one(&["loop", "loop", "plain", "open"]) {
            "loop" => format!(
                "init {{ byte i; atomic {{ do :: i < {count} -> {run}; i++ :: else -> break od }}; {after} }}\n"
            ),
            "open" => format!(
                "init {{ byte i; do :: i < {count} -> atomic {{ {run}; i++ }} :: else -> break od; {after} }}\n"
            ),
            _ => {
                let one = |id: usize| {
                    let first = if self.rng.random_bool(0.5) { id } else { id + count };
                    let twice = format!("({id}, {}, {first})", id + count);
                    run.replace("(i)", &format!("({id})")).replace(&format!("(i, i + {count}, i)"), &twice)
                };
                let runs: Vec<String> = (0..count).map(one).collect();
                format!("init {{ atomic {{ {} }}; {after} }}\n", runs.join("; "))
            }
        }
    }

    /// A program whose processes know each other by channels: a ring, a line, a star, pairs, or any graph.
    fn joined(&mut self) -> String {
        let count = self.count;
        let capacity = self.one(&["0", "1", "1", "2"]);
        let ends: Vec<[usize; 2]> = match self.rng.random_range(0..6) {
            0 => (0..count).map(|n| [n, (n + 1) % count]).collect(),
            1 => (0..count).map(|n| [n, (n + 1).min(count - 1)]).collect(),
            2 => (0..count).map(|n| [0, n]).collect(),
            3 => (0..count).map(|n| [n / 2, n / 2]).collect(),
            4 => (0..count).map(|n| [n, n ^ 1]).map(|it| it.map(|end| end.min(count - 1))).collect(),
            _ => (0..count).map(|_| [0; 2].map(|_| self.rng.random_range(0..count))).collect(),
        };
        let body: Vec<String> = (0..3).map(|_| format!("\t:: {}\n", self.joined_sequence())).collect();
        let runs: Vec<String> = ends.iter().map(|[one, other]| format!("run P(c[{one}], c[{other}])")).collect();
        let first = self.one(&["", "g = 1", "c[0]!1", "c[1]!1"]);
        let first = if capacity == "0" { "g = 1" } else { first };
        let is_array = self.rng.random_bool(0.6);
        let each = (0..count).map(|n| format!("chan c{n} = [{capacity}] of {{ byte }};\n"));
        let channels =
            if is_array { format!("chan c[{count}] = [{capacity}] of {{ byte }};\n") } else { each.collect() };
        let text = format!(
            "byte g; {channels}chan f = [1] of {{ chan }};\n\
             proctype P(chan in, out) {{ byte x; chan other; do\n{} od }}\n\
             init {{ atomic {{ {}; {first} }} }}\n",
            body.concat(),
            runs.join("; "),
        );
        let plain = |text: String| (0..count).fold(text, |text, n| text.replace(&format!("c[{n}]"), &format!("c{n}")));
        let text = if is_array { text } else { plain(text) };
        text + &self.formula().replace("who", "g").replace("a[0]", "g").replace("(q)", "(f)")
    }

    fn joined_sequence(&mut self) -> String {
        let statements = [
            "in?x",
            "out!x",
            "out!1",
            "in?1",
            "in?eval(x)",
            "out?x",
            "g = 1 - g",
            "x = 1 - x",
            "x == 0",
            "g == 1",
            "nempty(in)",
            "nfull(out)",
            "assert(g == 0 || x < 2)",
            "f!out",
            "f?other",
            "f!in",
            "other != 0 -> other!x",
        ];
        let broken = ["c[0]!x", "c[1]?x", "in < out", "_pid > 1"];
        let mut one = || if self.broken() { self.one(&broken) } else { self.one(&statements) };
        let (first, second) = (one(), one());
        match self.rng.random_range(0..3) {
            0 => format!("atomic {{ {first}; {second} }}"),
            _ => format!("{first}; {second}"),
        }
    }

    fn body(&mut self) -> String {
        let loops = self.rng.random_bool(0.6);
        let options: usize = self.rng.random_range(1..=3);
        let mut out = String::from(self.one(&["there:", "there: x = 0; end:", "there: x = 0; progress:"]));
        if loops {
            out.push_str("\tdo\n");
            for _ in 0..options {
                let _ = writeln!(out, "\t:: {}", self.sequence());
            }
            if self.rng.random_bool(0.3) {
                let guard = self.guard();
                let _ = writeln!(out, "\t:: {guard} -> break");
            }
            out.push_str("\tod\n");
        }
        if !loops || self.rng.random_bool(0.2) {
            for _ in 0..options + 1 {
                let _ = writeln!(out, "\t{};", self.sequence());
            }
        }
        out
    }

    fn sequence(&mut self) -> String {
        match self.rng.random_range(0..8) {
            0 => format!("atomic {{ {}; {} }}", self.statement(), self.statement()),
            1 => format!("d_step {{ {}; {} }}", self.guard(), self.assignment()),
            2 => format!("if :: {} -> {} :: else -> {} fi", self.guard(), self.statement(), self.assignment()),
            3 => format!("if :: {} :: {} fi", self.statement(), self.statement()),
            _ => format!("{}; {}", self.statement(), self.statement()),
        }
    }

    fn statement(&mut self) -> String {
        match self.rng.random_range(0..10) {
            0..3 => self.guard(),
            3..6 => self.assignment(),
            6 => self.own(&[
                "assert(g == 0 || x == 0)",
                "assert(who != ME || a[ME] == 0)",
                "assert(peer == 255 || peer != ME)",
            ]),
            _ => self.message(),
        }
    }

    /// One of some texts, with the process's own name.
    fn own(&mut self, of: &[&str]) -> String {
        let text = self.one(of);
        text.replace("ME", self.me()).replace("COUNT", &self.count.to_string())
    }

    fn broken(&mut self) -> bool {
        self.rng.random_range(0..100) < self.breaks
    }

    fn guard(&mut self) -> String {
        if self.naming == Naming::Twice && self.rng.random_bool(0.3) {
            return self.one(&["(first == id)", "(first == you)", "(who == you)", "(peer == first)"]).into();
        }
        if self.broken() {
            return self.own(&[
                "(ME == 1)",
                "(ME < 1)",
                "(who > 1)",
                "(_nr_pr > 2)",
                "(who == _pid + 1)",
                "timeout",
                "(a[(_pid + 1) % COUNT] == 0)",
                "(a[1] == 0)",
                "(who == 1)",
                "(g == 0 || peer == 0)",
            ]);
        }
        self.own(&[
            "(g == 0)",
            "(g == 1)",
            "(x == 1)",
            "(a[ME] == x)",
            "(who == ME)",
            "(who != ME)",
            "(who == 255)",
            "(peer == who)",
            "(l[ME] == 0)",
            "(next[ME] == peer)",
            "(q?[1, eval(ME)])",
            "nempty(c[ME])",
            "(ME == peer)",
            "true",
        ])
    }

    fn assignment(&mut self) -> String {
        if self.naming == Naming::Twice && self.rng.random_bool(0.2) {
            return self.one(&["who = you", "peer = first", "who = first", "peer = you"]).into();
        }
        if self.broken() {
            return self.own(&[
                "a[1] = x",
                "who = 1",
                "who = _pid + 1",
                "peer = who + 1",
                "who = _pid",
                "peer = (ME + 1) % COUNT",
                "g = who % 2",
                "x = (ME) & 1",
                "next[1] = peer",
            ]);
        }
        self.own(&[
            "g = 1 - g",
            "x = 1 - x",
            "a[ME] = 1 - a[ME]",
            "who = ME",
            "who = 255",
            "peer = who",
            "who = peer",
            "peer = ME",
            "next[ME] = who",
            "who = next[ME]",
            "peer = next[ME]",
            "l[ME] = 1",
            "next[ME] = ME",
        ])
    }

    fn message(&mut self) -> String {
        if self.broken() {
            return self.own(&["q!!x,ME", "c[1]!x", "q!x,1", "q?x,1"]);
        }
        self.own(&[
            "q!x,ME",
            "q?x,peer",
            "q?x,eval(ME)",
            "q??1,peer",
            "c[ME]!x",
            "c[ME]?x",
            "r!ME",
            "r?peer",
            "q!1,who",
            "(peer != 255) -> c[peer]!x",
            "(peer != 255) -> a[peer] = x",
            "(who != 255) -> l[who] = 1",
            "atomic { who != 255 -> next[who] = ME }",
            "q?<x,peer>",
        ])
    }
}
