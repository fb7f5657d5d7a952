//! Where systems come from, and how they are made smaller.

use super::pool;
use super::system::{self, System};
use crate::fuzz;

/// Of so many systems the first is a program of the larger language, and the second a mutant from the pool.
const TURN: u64 = 4;

/// A random system or program.
#[derive(Clone)]
pub(super) enum Subject {
    System(System),
    Program(Box<fuzz::Program>),
}

impl Subject {
    pub(super) fn new(seed: u64, index: u64) -> Subject {
        let pool = pool::pool();
        match index % TURN {
            0 => Subject::Program(Box::new(fuzz::generate_reducible(seed, index))),
            1 => {
                let kept = pool[(index / TURN) as usize % pool.len()].clone();
                Subject::System(system::mutate(kept, seed, index))
            }
            _ => Subject::System(system::generate(seed, index)),
        }
    }

    pub(super) fn text(&self) -> String {
        match self {
            Subject::System(system) => system.text(),
            Subject::Program(program) => fuzz::print(program),
        }
    }

    /// The smallest of its like that is found to be faulty.
    pub(super) fn shrunk(self, is_faulty: &mut dyn FnMut(&str) -> bool) -> Subject {
        match self {
            Subject::Program(program) => {
                Subject::Program(Box::new(fuzz::shrink(*program, |it| is_faulty(&fuzz::print(it)))))
            }
            Subject::System(mut system) => {
                while let Some(next) = system.smaller().into_iter().find(|it| is_faulty(&it.text())) {
                    system = next;
                }
                Subject::System(system)
            }
        }
    }
}
