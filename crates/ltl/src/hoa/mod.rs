//! Reads automata in the Hanoi Omega-Automata format, version 1: Büchi and generalised Büchi
//! acceptance, of states or edges, with labels written out.

mod body;
mod lexer;
#[cfg(test)]
mod tests;

use crate::automaton::{Automaton, Edge, MAX_MARKS};
use crate::bdd::{Bdd, Function};
use crate::formula::MAX_ATOMS;
use crate::parse::ParseError;
use lexer::{Kind, Token, tokens};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// States beyond this are not read.
const MAX_STATES: usize = 100_000;

/// Parentheses in labels: the reader is recursive.
const MAX_NESTING: u32 = 200;

/// An automaton that was read, and the names of its atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hoa {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// The automaton.
    pub automaton: Automaton,
    /// The name of each atom.
    pub atoms: Vec<String>,
}

/// Reads one automaton.
///
/// # Errors
/// The first thing that is wrong, or that this reader does not know.
pub fn read_hoa(text: &str) -> Result<Hoa, ParseError> {
    let mut reader = Reader {
        tokens: tokens(text)?,
        at: 0,
        bdd: Bdd::new(),
        aliases: FxHashMap::default(),
        nesting: 0,
        name: None,
        states: None,
        start: None,
        atoms: Vec::new(),
        sets: Vec::new(),
        has_acceptance: false,
    };
    reader.header()?;
    reader.body()
}

type Read<T> = Result<T, ParseError>;

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    bdd: Bdd,
    aliases: FxHashMap<String, Function>,
    nesting: u32,
    name: Option<String>,
    states: Option<usize>,
    start: Option<usize>,
    atoms: Vec<String>,
    /// The mark of each acceptance set; sets that acceptance does not ask for have none.
    sets: Vec<Option<usize>>,
    has_acceptance: bool,
}

impl Reader {
    fn kind(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    fn bump(&mut self) -> Kind {
        let kind = self.kind().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        kind
    }

    fn fail<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(ParseError { span: self.span(), message: message.into(), hint: None })
    }

    fn accept(&mut self, sign: char) -> bool {
        let found = *self.kind() == Kind::Sign(sign);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, sign: char) -> Read<()> {
        if self.accept(sign) { Ok(()) } else { self.fail(format!("'{sign}' is missing here")) }
    }

    fn number(&mut self) -> Read<usize> {
        match *self.kind() {
            Kind::Number(number) => {
                self.bump();
                Ok(number)
            }
            _ => self.fail("a number is missing here"),
        }
    }

    fn text(&mut self) -> Option<String> {
        let Kind::Text(text) = self.kind().clone() else { return None };
        self.bump();
        Some(text)
    }

    fn header(&mut self) -> Read<()> {
        if *self.kind() != Kind::Header("HOA".to_string()) {
            return self.fail("an automaton starts with 'HOA: v1'");
        }
        self.bump();
        if *self.kind() != Kind::Word("v1".to_string()) {
            return self.fail("only version 1 of the format is known: 'HOA: v1'");
        }
        self.bump();
        loop {
            match self.kind().clone() {
                Kind::Header(item) => {
                    self.bump();
                    self.item(&item)?;
                }
                Kind::Word(word) if word == "--BODY--" => break,
                _ => return self.fail("a header item or '--BODY--' is missing here"),
            }
        }
        if !self.has_acceptance {
            return self.fail("there is no 'Acceptance:' before this");
        }
        self.bump();
        Ok(())
    }

    fn item(&mut self, item: &str) -> Read<()> {
        match item {
            "States" => self.states = Some(self.number()?),
            "Start" => self.start_state()?,
            "AP" => self.propositions()?,
            "Alias" => self.alias()?,
            "Acceptance" => self.acceptance()?,
            "name" => self.name = self.text(),
            // A capital letter means that a reader must know it.
            _ if item.starts_with(|c: char| c.is_ascii_uppercase()) => {
                return self.fail(format!("the header item '{item}:' before this is not known"));
            }
            _ => self.skip_item(),
        }
        Ok(())
    }

    fn skip_item(&mut self) {
        let ends = |kind: &Kind| match kind {
            Kind::Header(_) | Kind::End => true,
            Kind::Word(word) => word.starts_with("--"),
            _ => false,
        };
        while !ends(self.kind()) {
            self.bump();
        }
    }

    fn start_state(&mut self) -> Read<()> {
        if self.start.is_some() {
            return self.fail("an automaton with several initial states is not supported");
        }
        self.start = Some(self.number()?);
        if *self.kind() == Kind::Sign('&') { self.fail("alternating automata are not supported") } else { Ok(()) }
    }

    fn propositions(&mut self) -> Read<()> {
        let count = self.number()?;
        if count > MAX_ATOMS {
            return self.fail(format!("more than {MAX_ATOMS} atomic propositions are not supported"));
        }
        for _ in 0..count {
            let Some(name) = self.text() else { return self.fail("the name of an atomic proposition is missing here") };
            self.atoms.push(name);
        }
        Ok(())
    }

    fn alias(&mut self) -> Read<()> {
        let Kind::Alias(name) = self.bump() else { return self.fail("'Alias:' needs a name with '@' before this") };
        let function = self.label()?;
        self.aliases.insert(name, function);
        Ok(())
    }

    /// `2 Inf(0) & Inf(1)`, or `0 t`.
    fn acceptance(&mut self) -> Read<()> {
        let count = self.number()?;
        if count > MAX_MARKS {
            return self.fail(format!("more than {MAX_MARKS} acceptance sets are not supported"));
        }
        self.sets = vec![None; count];
        self.has_acceptance = true;
        if *self.kind() == Kind::Word("t".to_string()) {
            self.bump();
            return Ok(());
        }
        loop {
            let parentheses = std::iter::from_fn(|| self.accept('(').then_some(())).count();
            self.infinitely_often()?;
            for _ in 0..parentheses {
                self.expect(')')?;
            }
            if !self.accept('&') {
                break;
            }
        }
        let ends = matches!(self.kind(), Kind::Header(_) | Kind::Word(_));
        if ends { Ok(()) } else { self.unknown_acceptance() }
    }

    fn infinitely_often(&mut self) -> Read<()> {
        if *self.kind() != Kind::Word("Inf".to_string()) {
            return self.unknown_acceptance();
        }
        self.bump();
        self.expect('(')?;
        if *self.kind() == Kind::Sign('!') {
            return self.unknown_acceptance();
        }
        let set = self.number()?;
        if set >= self.sets.len() {
            return self.fail(format!("there is no acceptance set {set}"));
        }
        let next = self.sets.iter().flatten().count();
        self.sets[set].get_or_insert(next);
        self.expect(')')
    }

    fn unknown_acceptance<T>(&self) -> Read<T> {
        self.fail("only Büchi and generalised Büchi acceptance are supported: Inf(0) & Inf(1) & ...")
    }
}
