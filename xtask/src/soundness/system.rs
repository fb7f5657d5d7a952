//! Small random systems of processes as graphs of locations, written as PROMELA.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// A system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct System {
    /// The capacity of each channel; 0 is a rendezvous.
    channels: Vec<u32>,
    processes: Vec<Process>,
    /// The process that `run` starts, if any does.
    child: Option<Process>,
}

/// A process: options for each location. The first location without options is where it ends or stays.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Process {
    locations: Vec<Vec<Choice>>,
    /// It ends; otherwise it stays for ever.
    ends: bool,
    provided: Option<String>,
}

/// One option at a location.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Choice {
    form: Form,
    operations: Vec<String>,
    target: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Form {
    Plain,
    Atomic,
    DStep,
    /// The escape of an `unless` around the other options.
    Escape,
}

/// The system with this number; the same for the same seed.
pub(crate) fn generate(seed: u64, index: u64) -> System {
    Writer::new(seed, index).system()
}

/// Changes at most at so many places.
const MOST_CHANGES: usize = 4;

/// A system that differs from another in a few places.
pub(crate) fn mutate(mut system: System, seed: u64, index: u64) -> System {
    let mut writer = Writer::new(seed, index);
    writer.channels.clone_from(&system.channels);
    writer.count = system.processes.len();
    for _ in 0..1 + writer.below(MOST_CHANGES) {
        writer.change(&mut system);
    }
    system
}

struct Writer {
    rng: SmallRng,
    channels: Vec<u32>,
    /// The process that is being written, and how many there are.
    pid: usize,
    count: usize,
    runs: bool,
}

impl Writer {
    fn new(seed: u64, index: u64) -> Writer {
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index);
        Writer { rng: SmallRng::seed_from_u64(mixed), channels: Vec::new(), pid: 0, count: 0, runs: false }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.rng.random_range(0..limit)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_ratio(percent, 100)
    }

    fn system(&mut self) -> System {
        self.channels = (0..self.below(3)).map(|_| [0, 1, 1, 2][self.below(4)]).collect();
        self.count = 2 + self.below(3);
        self.runs = self.chance(25);
        let count = self.count;
        let processes = (0..count).map(|pid| self.process(pid, 4)).collect();
        let child = self.runs.then(|| {
            self.runs = false;
            self.process(count, 2)
        });
        System { channels: self.channels.clone(), processes, child }
    }

    /// Changes one thing.
    fn change(&mut self, system: &mut System) {
        match self.below(10) {
            0 if !system.channels.is_empty() => {
                let channel = self.below(system.channels.len());
                system.channels[channel] = [0, 1, 2][self.below(3)];
                self.channels.clone_from(&system.channels);
            }
            1 if system.processes.len() < 4 => {
                let process = self.process(system.processes.len(), 3);
                system.processes.push(process);
                self.count = system.processes.len();
            }
            2 => {
                let smaller = system.smaller();
                if !smaller.is_empty() {
                    *system = smaller[self.below(smaller.len())].clone();
                    self.count = system.processes.len();
                }
            }
            _ => {
                let all = system.processes.len() + usize::from(system.child.is_some());
                if all > 0 {
                    let index = self.below(all);
                    self.pid = index;
                    self.change_process(system.process_mut(index));
                }
            }
        }
    }

    fn change_process(&mut self, process: &mut Process) {
        let count = process.locations.len();
        let at = self.below(count);
        let choices = &mut process.locations[at];
        if choices.is_empty() || self.chance(20) {
            // The last location stays the end, so that every process can stop.
            if at + 1 < count {
                choices.push(self.choice(at, count));
            } else {
                process.ends = !process.ends;
            }
            return;
        }
        let index = self.below(choices.len());
        let choice = &mut choices[index];
        let operation = self.below(choice.operations.len());
        match self.below(6) {
            0 if choice.operations[operation] != "run C()" => choice.target = self.below(count),
            1 if choice.form != Form::Escape => {
                choice.form = if choice.form == Form::Atomic { Form::Plain } else { Form::Atomic };
            }
            _ if choice.form == Form::DStep => choice.operations[operation] = self.assignment(),
            _ if choice.operations[operation] != "else" => choice.operations[operation] = self.operation(),
            _ => {}
        }
    }

    fn process(&mut self, pid: usize, most: usize) -> Process {
        self.pid = pid;
        let count = 2 + self.below(most);
        let mut locations: Vec<Vec<Choice>> = (0..count - 1).map(|at| self.location(at, count)).collect();
        locations.push(Vec::new());
        let provided = self.chance(8).then(|| ["g0 != 2", "g1 == 0", "s.x != 1"][self.below(3)].to_owned());
        Process { locations, ends: self.chance(60), provided }
    }

    fn location(&mut self, at: usize, count: usize) -> Vec<Choice> {
        let mut choices: Vec<Choice> = (0..1 + self.below(3)).map(|_| self.choice(at, count)).collect();
        // A way that nobody sees, to where something may be waited for.
        if self.chance(10) {
            let operations = vec![["l = 0", "l = 1", "skip"][self.below(3)].to_owned()];
            choices = vec![Choice { form: Form::Plain, operations, target: (at + 1).min(count - 1) }];
        }
        if self.chance(10) {
            let target = self.below(count);
            choices.push(Choice { form: Form::Plain, operations: vec!["else".to_owned()], target });
        }
        if self.chance(8) {
            let exchanges = !self.channels.is_empty() && self.chance(50);
            let operations = vec![if exchanges { self.exchange() } else { self.guard() }];
            choices.push(Choice { form: Form::Escape, operations, target: self.below(count) });
        }
        choices
    }

    fn choice(&mut self, at: usize, count: usize) -> Choice {
        let form = [Form::Plain, Form::Plain, Form::Plain, Form::Plain, Form::Atomic, Form::DStep][self.below(6)];
        let mut target = if self.chance(70) { (at + 1).min(count - 1) } else { self.below(count) };
        let mut operations = match form {
            Form::Plain if self.chance(80) => vec![self.operation()],
            Form::Plain | Form::Escape => vec![self.operation(), self.operation()],
            Form::Atomic => (0..2 + self.below(2)).map(|_| self.operation()).collect(),
            Form::DStep => vec![if self.chance(40) { self.guard() } else { self.assignment() }, self.assignment()],
        };
        if self.runs && form != Form::DStep && self.chance(12) {
            operations.push("run C()".to_owned());
            // Only forwards: otherwise there are processes without end.
            target = count - 1;
        }
        Choice { form, operations, target }
    }

    fn global(&mut self) -> String {
        ["g0", "g1", "a[0]", "a[1]", "a[l]", "s.x"][self.below(6)].to_owned()
    }

    fn number(&mut self) -> usize {
        self.below(3)
    }

    fn assignment(&mut self) -> String {
        let (global, number) = (self.global(), self.number());
        match self.below(7) {
            0 => "skip".to_owned(),
            1 => format!("l = {}", number % 2),
            2 => "l = 1 - l".to_owned(),
            3 => format!("{global} = l"),
            4 => format!("l = {global}"),
            5 => format!("{global} = ({global} + {}) % 3", 1 + number % 2),
            6 if self.chance(30) => format!("{global} = {global} {} 1", ["|", "&", "^"][number]),
            _ => format!("{global} = {number}"),
        }
    }

    fn guard(&mut self) -> String {
        let (global, number) = (self.global(), self.number());
        match self.below(10) {
            0..=2 => format!("({global} == {number})"),
            3 => format!("({global} == {number} && l == 0)"),
            4 | 5 => format!("(l == {})", number % 2),
            6 => format!("(_nr_pr == {})", self.count + self.below(2)),
            7 if self.pid != 0 => format!("(P0[0]:l == {})", number % 2),
            8 if self.pid != 0 => "(P0[0]@L1)".to_owned(),
            _ => self.question(),
        }
    }

    /// A question about a buffered channel.
    fn question(&mut self) -> String {
        let buffered: Vec<usize> = (0..self.channels.len()).filter(|&it| self.channels[it] > 0).collect();
        if buffered.is_empty() {
            return format!("({} != 1)", self.global());
        }
        let channel = buffered[self.below(buffered.len())];
        let test = ["full(q)", "nfull(q)", "empty(q)", "nempty(q)", "(len(q) == 1)", "(q?[1])", "(q??[0])"];
        test[self.below(test.len())].replace('q', &format!("q{channel}"))
    }

    fn operation(&mut self) -> String {
        match self.below(10) {
            0..=3 if !self.channels.is_empty() => self.exchange(),
            0..=5 => self.assignment(),
            6 => format!("assert(!({} == {} && l == {}))", self.global(), self.number(), self.number() % 2),
            7 => format!("assert(_pid != {})", self.count + self.below(2)),
            _ => self.guard(),
        }
    }

    /// A send or a receive, mostly so that each end of a channel belongs to one process.
    fn exchange(&mut self) -> String {
        let channel = self.below(self.channels.len());
        let sends = match self.chance(75) {
            true => self.pid % 2 == channel % 2,
            false => self.chance(50),
        };
        let name = if self.chance(12) { "x".to_owned() } else { format!("q{channel}") };
        let is_rendezvous = self.channels[channel] == 0 || name == "x";
        let value = ["0", "1", "l"][self.below(3)];
        let global = self.global();
        if self.chance(4) {
            return format!("x = q{channel}");
        }
        match (sends, self.below(10)) {
            (true, 0) => format!("{name}!!{value}"),
            (true, _) => format!("{name}!{value}"),
            (false, 0) if !is_rendezvous => format!("{name}?<{value}>"),
            (false, 1) => format!("{name}??{value}"),
            (false, 2) => format!("{name}?{global}"),
            (false, 3) => format!("{name}?eval({global})"),
            (false, _) => format!("{name}?{value}"),
        }
    }
}

impl System {
    /// The system as PROMELA.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from("typedef S { byte x }\nbyte g0, g1, a[2];\nS s;\n");
        for (index, capacity) in self.channels.iter().enumerate() {
            text.push_str(&format!("chan q{index} = [{capacity}] of {{ byte }};\n"));
        }
        for (index, process) in self.processes.iter().enumerate() {
            text.push_str(&self.process_text(&format!("active proctype P{index}()"), process));
        }
        if let Some(child) = &self.child {
            text.push_str(&self.process_text("proctype C()", child));
        }
        text
    }

    fn process_text(&self, head: &str, process: &Process) -> String {
        let provided = process.provided.as_ref().map_or_else(String::new, |it| format!(" provided ({it})"));
        let channel = if self.channels.is_empty() { "" } else { " chan x = q0;" };
        let mut text = format!("{head}{provided} {{ bit l;{channel}\n");
        for (at, choices) in process.locations.iter().enumerate() {
            text.push_str(&format!("L{at}: {};\n", location_text(choices, process.ends)));
        }
        text.push_str("E: skip }\n");
        text
    }

    /// All systems that are smaller by one thing.
    pub(crate) fn smaller(&self) -> Vec<System> {
        let mut all = Vec::new();
        for index in 0..self.processes.len() {
            let mut system = self.clone();
            system.processes.remove(index);
            all.push(system);
        }
        if self.child.is_some() {
            all.push(System { child: None, ..self.clone() });
        }
        for index in 0..self.processes.len() + usize::from(self.child.is_some()) {
            for process in self.process(index).smaller() {
                let mut system = self.clone();
                *system.process_mut(index) = process;
                all.push(system);
            }
        }
        all
    }

    fn process(&self, index: usize) -> &Process {
        self.processes.get(index).or(self.child.as_ref()).expect("there are so many")
    }

    fn process_mut(&mut self, index: usize) -> &mut Process {
        self.processes.get_mut(index).or(self.child.as_mut()).expect("there are so many")
    }
}

impl Process {
    fn smaller(&self) -> Vec<Process> {
        let mut all = Vec::new();
        if self.provided.is_some() {
            all.push(Process { provided: None, ..self.clone() });
        }
        for (at, choices) in self.locations.iter().enumerate() {
            for (index, choice) in choices.iter().enumerate() {
                let mut edit = |change: &dyn Fn(&mut Vec<Choice>)| {
                    let mut process = self.clone();
                    change(&mut process.locations[at]);
                    all.push(process);
                };
                edit(&|choices| _ = choices.remove(index));
                if choice.form != Form::Plain {
                    edit(&|choices| choices[index].form = Form::Plain);
                }
                for operation in 0..choice.operations.len() {
                    if choice.operations.len() > 1 {
                        edit(&|choices| _ = choices[index].operations.remove(operation));
                    }
                    if choice.operations[operation] != "skip" {
                        edit(&|choices| choices[index].operations[operation] = "skip".to_owned());
                    }
                }
            }
        }
        all
    }
}

fn location_text(choices: &[Choice], ends: bool) -> String {
    let options: Vec<String> = choices
        .iter()
        .filter(|choice| choice.form != Form::Escape)
        .map(|choice| format!(":: {}", choice.text()))
        .collect();
    let main = match (options.is_empty(), ends) {
        (false, _) => format!("if {} fi", options.join(" ")),
        (true, true) => "goto E".to_owned(),
        (true, false) => "false".to_owned(),
    };
    match choices.iter().find(|choice| choice.form == Form::Escape) {
        Some(escape) => format!("{{ {main} }} unless {{ {} }}", escape.text()),
        None => main,
    }
}

impl Choice {
    fn text(&self) -> String {
        let operations = self.operations.join("; ");
        let target = self.target;
        match self.form {
            Form::Plain | Form::Escape => format!("{operations}; goto L{target}"),
            Form::Atomic => format!("atomic {{ {operations} }}; goto L{target}"),
            Form::DStep => format!("d_step {{ {operations} }}; goto L{target}"),
        }
    }
}
