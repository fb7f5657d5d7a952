//! Atomic sequences: code for what follows is put behind what comes first.
//!
//! What a process does next is known when code is made, so a short sequence needs no state to be
//! written in between. Where code would be long, the state is written with a mark that its process
//! goes on, and the engine calls the code for it.

use super::{Generator, Result};
use crate::context::{DEEP_SHIFT, MOST_MOVES};
use cranelift_codegen::ir::{InstBuilder, types};
use spinor_model::LocationId;
use spinor_model::model::{Edge, Location};

/// So many edges inside of atomic sequences are put behind the edges of one location.
const MOST_INSIDE: usize = 32;

/// So many, if the location is inside itself: mostly its code is a part of other code already.
const MOST_FURTHER: usize = 4;

impl Generator<'_, '_> {
    /// How many edges inside of atomic sequences may be put behind those of a location.
    pub(super) fn room_behind(&self, location: LocationId) -> usize {
        let edges = self.definition().locations.iter().flat_map(|it| &it.edges);
        let mut here = edges.filter(|edge| edge.target == Some(location)).peekable();
        let is_inside = here.peek().is_some() && here.all(|edge| edge.atomic);
        if is_inside { MOST_FURTHER } else { MOST_INSIDE }
    }

    /// The state that an edge leads to is made, after so many moves.
    pub(super) fn arrive(&mut self, edge: &Edge, moves: u32) -> Result {
        let distance = self.length + moves;
        match edge.target {
            Some(target) if self.goes_on(edge) && self.fits(self.definition().location(target), distance) => {
                self.go_on(target, distance)
            }
            _ => {
                self.emit(distance, self.goes_on(edge).then_some(self.pid));
                Ok(())
            }
        }
    }

    /// Whether code for a location may be put here.
    fn fits(&self, location: &Location, distance: u32) -> bool {
        let is_simple = |edge: &Edge| {
            let statement = self.definition().statement(edge.statement);
            !statement.runs && !statement.action.is_end()
        };
        // A rendezvous is two moves.
        distance + 2 <= MOST_MOVES
            && self.inside + location.edges.len() <= self.room
            && location.edges.iter().all(is_simple)
    }

    /// The process goes on alone; where it cannot, the sequence is interrupted.
    fn go_on(&mut self, location: LocationId, distance: u32) -> Result {
        let edges = &self.definition().location(location).edges;
        self.inside += edges.len();
        self.add_status(1 << (DEEP_SHIFT + distance));
        let words = self.words.clone().into_iter().map(|word| self.builder.use_var(word)).collect();
        let before = (self.parent.replace(words), self.length, self.no_timeout, self.moved, self.escape);
        let (moved, escape) = (self.builder.declare_var(types::I32), self.builder.declare_var(types::I32));
        // Somebody could move: it is no timeout.
        (self.length, self.no_timeout, self.moved, self.escape) = (distance, true, moved, escape);
        let end = self.builder.create_block();
        self.edges(edges, end)?;
        self.builder.ins().jump(end, &[]);
        self.continue_in(end);
        let done = self.builder.create_block();
        let moved = self.builder.use_var(self.moved);
        self.branch_away(moved, done);
        self.take_words();
        self.emit(distance, None);
        self.builder.ins().jump(done, &[]);
        self.continue_in(done);
        (self.parent, self.length, self.no_timeout, self.moved, self.escape) = before;
        Ok(())
    }
}
