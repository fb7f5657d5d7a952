//! Independence of steps that can both be executed in a state, for sleep sets.

use super::table::{Conflicts, EdgeUses};
use super::uses::{COUNT, CREATE, DESTROY};
use super::uses::{byte, contains, insert_byte, intersect, join, meeting};
use super::view::View;

/// Decides about pairs of processes or edges. The memory is used again.
#[derive(Clone, Debug, Default)]
pub struct Independence {
    sides: [Side; 2],
}

/// What steps touch, and what conflicts with them.
#[derive(Clone, Debug, Default)]
struct Side {
    uses: Vec<u64>,
    conflicts: Vec<u64>,
}

impl Independence {
    /// Whether all steps of one process, executable now or not, are independent of all steps of another: they
    /// commute, and none makes a step of the other process possible or impossible.
    pub fn of_processes(&mut self, view: &View<'_>, one: usize, other: usize) -> bool {
        self.of(view, (one, None), (other, None))
    }

    /// The same for the steps that begin with one edge of each, named by its place at the location.
    pub fn of_edges(&mut self, view: &View<'_>, one: (usize, usize), other: (usize, usize)) -> bool {
        self.of(view, (one.0, Some(one.1)), (other.0, Some(other.1)))
    }

    fn of(&mut self, view: &View<'_>, one: (usize, Option<usize>), other: (usize, Option<usize>)) -> bool {
        let [a, b] = &mut self.sides;
        a.fill(view, one);
        b.fill(view, other);
        one.0 != other.0 && !intersect(&a.conflicts, &b.uses) && !intersect(&b.conflicts, &a.uses)
    }
}

impl Side {
    fn fill(&mut self, view: &View<'_>, (pid, edge): (usize, Option<usize>)) {
        for words in [&mut self.uses, &mut self.conflicts] {
            words.clear();
            words.resize(view.table.words, 0);
        }
        let point = view.point(pid);
        match edge {
            Some(edge) => self.add(view, &point.edges[edge].uses, &point.edges[edge].conflicts),
            None => self.add(view, &point.next, &point.conflicts),
        }
        let edges = edge.map_or(&point.edges[..], |edge| &point.edges[edge..=edge]);
        edges.iter().for_each(|edge| self.add_arrivals(view, edge));
        self.add_partners(view, pid);
        // Ends of others matter to whoever counts processes.
        if [CREATE, COUNT, DESTROY].iter().any(|bit| contains(&self.uses, *bit)) {
            self.conflicts[0] |= 1 << DESTROY;
        }
    }

    fn add(&mut self, view: &View<'_>, uses: &[u64], conflicts: &Conflicts) {
        join(&mut self.uses, uses);
        view.add_conflicts(conflicts, &mut self.conflicts);
    }

    /// A process that is created arrives where a rendezvous may be waited for.
    fn add_arrivals(&mut self, view: &View<'_>, edge: &EdgeUses) {
        for at in view.table.meetings.iter().copied() {
            insert_byte(&mut self.uses, at, byte(&edge.reach, at) & meeting::ARRIVE);
        }
    }

    /// A rendezvous is a step of both; and who arrives where one is waited for makes a new step possible. What can be
    /// executed only if no rendezvous takes place, as `else` and what stands behind an escape, depends on all that
    /// decides whether somebody is ready: what he compares the message with, and what he is `provided` with. Nobody is
    /// more or less ready because of a third.
    fn add_partners(&mut self, view: &View<'_>, pid: usize) {
        let own: Vec<(u32, u8)> = view.table.meetings.iter().map(|&at| (at, byte(&self.uses, at))).collect();
        for (at, own) in own.into_iter().filter(|(_, own)| own & !meeting::ARRIVE != 0) {
            if own & (meeting::OFFER | meeting::ACCEPT) != 0 {
                insert_byte(&mut self.conflicts, at, meeting::ARRIVE | meeting::OFFER | meeting::ACCEPT);
            }
            for other in (0..view.processes()).filter(|&other| other != pid) {
                let point = view.point(other);
                if byte(&point.next, at) & (meeting::OFFER | meeting::ACCEPT) != 0 {
                    self.add(view, &point.next, &point.conflicts);
                }
            }
        }
    }
}
