//! States, edges and labels.

use super::lexer::Kind;
use super::{Edge, Hoa, MAX_NESTING, MAX_STATES, Read, Reader};
use crate::automaton::{Automaton, StateId};
use crate::bdd::{self, Bdd, Function, Made};

impl Reader {
    pub(super) fn body(mut self) -> Read<Hoa> {
        let mut states: Vec<Vec<Edge>> = vec![Vec::new(); self.states.unwrap_or(0).min(MAX_STATES)];
        while *self.kind() == Kind::Header("State".to_string()) {
            self.bump();
            self.state(&mut states)?;
        }
        if *self.kind() != Kind::Word("--END--".to_string()) {
            return self.fail("a state or '--END--' is missing here");
        }
        self.bump();
        if *self.kind() != Kind::End {
            return self.fail("there is more behind the automaton: give each automaton a file of its own");
        }
        let marks = self.sets.iter().flatten().count();
        let atoms = std::mem::take(&mut self.atoms);
        // Without an initial state nothing is accepted.
        let Some(start) = self.start else {
            let automaton = Automaton::empty(atoms.len());
            return Ok(Hoa { name: self.name, automaton, atoms });
        };
        if start >= states.len() {
            return self.fail(format!("there is no state {start}, where the automaton starts"));
        }
        let automaton = Automaton { atoms: atoms.len(), marks, initial: start as StateId, states };
        Ok(Hoa { name: self.name, automaton, atoms })
    }

    /// `State: [label] 3 "name" {0}` and its edges.
    fn state(&mut self, states: &mut Vec<Vec<Edge>>) -> Read<()> {
        let of_state = self.bracketed()?;
        let state = self.state_number(states)?;
        self.text();
        let marks = self.marks()?;
        while !matches!(self.kind(), Kind::Header(_) | Kind::Word(_) | Kind::End) {
            let Some(label) = self.bracketed()?.or(of_state) else {
                return self.fail("edges without labels are not supported: write [0&!1] before this");
            };
            let target = self.state_number(states)? as StateId;
            if *self.kind() == Kind::Sign('&') {
                return self.fail("alternating automata are not supported");
            }
            let marks = marks | self.marks()?;
            let label = self.made(|bdd| bdd.label(label))?;
            states[state].push(Edge { label, marks, target });
        }
        Ok(())
    }

    /// A state; makes room for it where the number of states was not said.
    fn state_number(&mut self, states: &mut Vec<Vec<Edge>>) -> Read<usize> {
        let span = self.at;
        let number = self.number()?;
        if number >= self.states.unwrap_or(MAX_STATES).min(MAX_STATES) {
            self.at = span;
            return self.fail(format!("there is no state {number}"));
        }
        if number >= states.len() {
            states.resize(number + 1, Vec::new());
        }
        Ok(number)
    }

    fn marks(&mut self) -> Read<u64> {
        let mut marks = 0;
        if self.accept('{') {
            while !self.accept('}') {
                let set = self.number()?;
                let Some(mark) = self.sets.get(set) else {
                    return self.fail(format!("there is no acceptance set {set}"));
                };
                marks |= mark.map_or(0, |mark| 1 << mark);
            }
        }
        Ok(marks)
    }

    fn bracketed(&mut self) -> Read<Option<Function>> {
        if !self.accept('[') {
            return Ok(None);
        }
        let label = self.label()?;
        self.expect(']')?;
        Ok(Some(label))
    }

    /// What is made of labels, unless it is too large.
    fn made<T>(&mut self, make: impl FnOnce(&mut Bdd) -> Made<T>) -> Read<T> {
        make(&mut self.bdd).or_else(|_| self.fail("the label before this is too complex"))
    }

    /// `|` binds less than `&`.
    pub(super) fn label(&mut self) -> Read<Function> {
        let mut sum = self.conjunction()?;
        while self.accept('|') {
            let part = self.conjunction()?;
            sum = self.made(|bdd| bdd.or(sum, part))?;
        }
        Ok(sum)
    }

    fn conjunction(&mut self) -> Read<Function> {
        let mut product = self.literal()?;
        while self.accept('&') {
            let part = self.literal()?;
            product = self.made(|bdd| bdd.and(product, part))?;
        }
        Ok(product)
    }

    fn literal(&mut self) -> Read<Function> {
        match self.kind().clone() {
            Kind::Sign('!') => {
                let function = self.nested(Reader::literal)?;
                self.made(|bdd| bdd.not(function))
            }
            Kind::Sign('(') => {
                let function = self.nested(Reader::label)?;
                self.expect(')')?;
                Ok(function)
            }
            Kind::Number(atom) if atom >= self.atoms.len() => {
                self.fail(format!("there is no atomic proposition {atom}"))
            }
            Kind::Number(atom) => {
                self.bump();
                self.made(|bdd| bdd.literal(atom as u32, true))
            }
            Kind::Word(word) if word == "t" || word == "f" => {
                self.bump();
                Ok(if word == "t" { bdd::TRUE } else { bdd::FALSE })
            }
            Kind::Alias(name) => match self.aliases.get(&name).copied() {
                Some(function) => {
                    self.bump();
                    Ok(function)
                }
                None => self.fail(format!("there is no alias '@{name}'")),
            },
            _ => self.fail("a label is missing here"),
        }
    }

    /// What follows a sign, one level deeper.
    fn nested(&mut self, part: fn(&mut Reader) -> Read<Function>) -> Read<Function> {
        if self.nesting >= MAX_NESTING {
            return self.fail(format!("this label nests deeper than {MAX_NESTING}"));
        }
        self.bump();
        self.nesting += 1;
        let function = part(self);
        self.nesting -= 1;
        function
    }
}
