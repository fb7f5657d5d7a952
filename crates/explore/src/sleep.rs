//! Sleep sets (Godefroid 1996, chapter 5): an action that was explored from a state need not be explored
//! after another that is independent of it, since both orders lead to the same states.
//!
//! A state can be reached again with fewer actions asleep than before. Then those that slept are
//! explored after all, so each state is kept with the actions that were never explored from it. Papers 000
//! and 002 do not keep them: what is asleep at a state when it is first reached was to be explored on
//! another path, and that path may have been cut because it met its own stack. So their versions lose states
//! (`tests/counterexamples`), and are here for comparison.

use crate::reduce::Action;
use crate::reduce::sound::Sleep;
use crate::stack::Turn;
use std::collections::HashMap;

/// The sleep sets of a depth-first search.
#[derive(Debug)]
pub(crate) struct Sleeping {
    pub(crate) rule: Sleep,
    /// For each state on the path what sleeps there now.
    path: Vec<Vec<Action>>,
    /// What was never explored from a state that was left, if there is anything.
    kept: HashMap<Box<[u64]>, Box<[Action]>>,
    /// Bytes of what is kept.
    kept_bytes: usize,
    /// What sleeps at the state that the search arrives at.
    pub(crate) arriving: Vec<Action>,
    /// Of a state that was visited before: what is to be explored after all.
    again: Option<Vec<Action>>,
    free: Vec<Vec<Action>>,
}

impl Sleeping {
    pub(crate) fn new(rule: Sleep) -> Sleeping {
        Sleeping {
            rule,
            path: Vec::new(),
            kept: HashMap::new(),
            kept_bytes: 0,
            arriving: Vec::new(),
            again: None,
            free: Vec::new(),
        }
    }

    /// The turn of a successor has come, of those of the state on top. What was explored before it goes to
    /// sleep.
    pub(crate) fn take_turn(&mut self, turns: &[Turn], next: usize) {
        let Some(before) = next.checked_sub(1).map(|it| turns[it].action) else { return };
        let led_back = || turns[..next].iter().any(|turn| turn.action == before && turn.is_back);
        if turns[next..].iter().any(|turn| turn.action == before) || self.rule == Sleep::OffStack && led_back() {
            return;
        }
        if let Some(set) = self.path.last_mut()
            && !set.contains(&before)
        {
            set.push(before);
        }
    }

    /// What sleeps at the state on top of the path.
    pub(crate) fn on_top(&self) -> &[Action] {
        self.path.last().map_or(&[], Vec::as_slice)
    }

    /// The search arrives at a state that was visited before, with `arriving` asleep; whether something is to
    /// be explored from it after all.
    pub(crate) fn wakes(&mut self, words: &[u64]) -> bool {
        let Some(kept) = self.kept.get_mut(words) else { return false };
        let (rest, again): (Vec<Action>, Vec<Action>) = kept.iter().partition(|it| self.arriving.contains(it));
        if again.is_empty() {
            return false;
        }
        self.kept_bytes -= again.len() * size_of::<Action>();
        if rest.is_empty() {
            self.kept_bytes -= entry_bytes(words);
            self.kept.remove(words);
        } else {
            *kept = rest.as_slice().into();
        }
        self.arriving = rest;
        self.again = Some(again);
        true
    }

    /// Whether anything is kept of a state.
    pub(crate) fn is_kept(&self, words: &[u64]) -> bool {
        self.kept.contains_key(words)
    }

    /// Whether an action is to be explored from the state that the search arrived at.
    pub(crate) fn is_awake(&self, action: Action) -> bool {
        match &self.again {
            Some(again) => again.contains(&action),
            None => !self.arriving.contains(&action),
        }
    }

    /// Keeps what sleeps at a new state; whether there is anything.
    pub(crate) fn keep(&mut self, words: &[u64]) -> bool {
        if self.rule != Sleep::Stored || self.arriving.is_empty() {
            return false;
        }
        self.kept_bytes += entry_bytes(words) + self.arriving.len() * size_of::<Action>();
        self.kept.insert(words.into(), self.arriving.as_slice().into());
        true
    }

    /// A state is not stored any more.
    pub(crate) fn forget(&mut self, words: &[u64]) {
        if let Some(kept) = self.kept.remove(words) {
            self.kept_bytes -= entry_bytes(words) + kept.len() * size_of::<Action>();
        }
    }

    /// The state that the search arrived at goes on the path.
    pub(crate) fn push(&mut self) {
        let mut set = self.free.pop().unwrap_or_default();
        std::mem::swap(&mut set, &mut self.arriving);
        self.path.push(set);
        self.again = None;
    }

    /// The state on top leaves the path.
    pub(crate) fn pop(&mut self) {
        if let Some(mut set) = self.path.pop() {
            set.clear();
            self.free.push(set);
        }
    }

    pub(crate) fn memory(&self) -> usize {
        let sets = self.free.iter().chain(&self.path);
        let sets: usize = sets.map(|set| size_of::<Vec<Action>>() + set.capacity() * size_of::<Action>()).sum();
        self.kept_bytes + sets
    }
}

/// What a state takes in the table of those that are kept, its actions aside.
fn entry_bytes(words: &[u64]) -> usize {
    size_of_val(words) + 2 * size_of::<(Box<[u64]>, Box<[Action]>)>()
}
