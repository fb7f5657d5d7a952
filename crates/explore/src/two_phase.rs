//! Two-phase search (paper 003): a new state is followed by deterministic steps to where they end, and only
//! there all successors are explored. What was met on the way counts as visited.

use crate::control::Control;
use crate::expand::Expand;
use crate::path::FORCED;
use crate::phases::Chain;
use crate::reduce::Processes;
use crate::reduce::sound::Phases;
use crate::report::StopReason;
use crate::stack::{Pending, Stack};
use crate::vectors::Vector;
use crate::walker::{Arrival, Walker, halt_if_cut};
use spinor_exec::{Ended, Expanded};
use spinor_store::{Batch, Handle, Item, Store};

/// Where the first phase ended.
enum End {
    /// At a state that was not visited before.
    New(Option<Handle>),
    /// At one that was, or there is no room.
    Known,
}

impl<S: Expand> Walker<S> {
    /// Both phases, from a state that was just stored.
    pub(crate) fn go_ahead<T: Store>(
        &mut self,
        control: &Control<'_>,
        store: &T,
        session: &mut T::Session,
        mut arrival: Arrival,
    ) {
        let Some(mut chain) = self.chain.take() else { return };
        let mut is_again = false;
        loop {
            let Vector { words, bytes, key } = self.stack.vector(&arrival.it);
            chain.begin(words, (bytes, key), self.out.limit);
            self.engine.go_ahead(words, &mut chain);
            halt_if_cut(control, chain.cut);
            self.counts.deepen(arrival.depth + chain.deepest);
            self.judge_chain(control, &mut chain, arrival);
            let stays = is_again && chain.end == 0;
            let End::New(handle) = self.store_chain(control, store, session, (&chain, arrival, stays)) else {
                self.stack.words.truncate(arrival.words);
                self.stack.routes.truncate(arrival.route);
                break;
            };
            arrival = self.arrive(&chain, Arrival { handle, ..arrival });
            if control.plan.max_depth.is_some_and(|limit| arrival.depth > limit) {
                control.cut(StopReason::Depth);
                self.drop_arrival(store, arrival);
                break;
            }
            if self.second_phase(control, store, session, arrival) {
                break;
            }
            is_again = true;
        }
        self.chain = Some(chain);
    }

    /// Where the first phase ended the search goes on.
    fn arrive(&mut self, chain: &Chain, arrival: Arrival) -> Arrival {
        let end = &chain.links[chain.end];
        let at = self.stack.words.len();
        self.stack.words.extend_from_slice(chain.vector(chain.end));
        let route = chain.route(chain.end).into_iter().map(|pid| FORCED | u32::from(pid));
        self.stack.routes.extend(route);
        let it = Pending { at, bytes: end.next.bytes, key: end.next.key, distance: 0, index: 0, is_claimed: false };
        Arrival { it, depth: arrival.depth + end.depth, ..arrival }
    }

    /// The search does not go on there.
    fn drop_arrival<T: Store>(&mut self, store: &T, arrival: Arrival) {
        self.stack.words.truncate(arrival.words);
        self.stack.routes.truncate(arrival.route);
        if let Some(handle) = arrival.handle {
            store.leave(handle, 0);
        }
    }

    /// All successors wait; `false` if none is new and the first phase is to be tried again, as the second
    /// algorithm of the paper does.
    fn second_phase<T: Store>(
        &mut self,
        control: &Control<'_>,
        store: &T,
        session: &mut T::Session,
        arrival: Arrival,
    ) -> bool {
        let expanded = self.expand(control, arrival);
        self.counts.deepen(arrival.depth + expanded.deepest as usize);
        if self.out.has_news(expanded) {
            let state = self.stack.vector(&arrival.it).to_state();
            self.judge(control, (&state, arrival.depth), expanded, |stack| choices(stack, arrival));
        }
        self.look_up(store, session, arrival);
        let set = self.undetermined(arrival);
        let is_new = |index: usize| !self.known[index] && set.is_none_or(|set| self.choice.is_in(&set, index));
        if set.is_some() && !(0..self.out.list.len()).any(is_new) {
            self.counts.matched += (0..self.out.list.len()).filter(|&it| self.is_in(set, it)).count() as u64;
            return false;
        }
        self.push(arrival, set);
        true
    }

    fn is_in(&self, set: Option<Processes>, index: usize) -> bool {
        set.is_none_or(|set| self.choice.is_in(&set, index))
    }

    /// The second algorithm of the paper expands only processes that are not deterministic.
    fn undetermined(&mut self, arrival: Arrival) -> Option<Processes> {
        let is_second = self.engine.parts().phases == Some(Phases::Undetermined);
        let state = self.stack.vector(&arrival.it).words;
        (is_second && !self.choice.pids.is_empty()).then(|| self.engine.undetermined(state, &self.choice))
    }

    /// What went wrong in the first phase.
    fn judge_chain(&mut self, control: &Control<'_>, chain: &mut Chain, arrival: Arrival) {
        for (link, finding) in std::mem::take(&mut chain.findings) {
            let route = chain.route(link).into_iter().map(|pid| FORCED | u32::from(pid));
            let next = chain.links[link].next;
            let state = Vector { words: chain.vector(link), bytes: next.bytes, key: next.key }.to_state();
            self.out.findings.clear();
            self.out.findings.push(finding);
            let expanded = Expanded { ended: Ended::Moved, ..Expanded::default() };
            self.judge(control, (&state, arrival.depth + chain.links[link].depth), expanded, |stack| {
                choices(stack, arrival).into_iter().chain(route.clone()).collect()
            });
        }
    }

    /// Stores what the first phase met. Only the state where it ended may stay on the path; not if it `stays`
    /// where it ended before.
    fn store_chain<T: Store>(
        &mut self,
        control: &Control<'_>,
        store: &T,
        session: &mut T::Session,
        (chain, arrival, stays): (&Chain, Arrival, bool),
    ) -> End {
        let mut end = if chain.end == 0 && !stays { End::New(arrival.handle) } else { End::Known };
        for (index, link) in chain.links.iter().enumerate().skip(1) {
            let words = chain.vector(index);
            let items = [Item { at: 0, bytes: link.next.bytes, key: link.next.key, note: 0 }];
            let batch = Batch { words, items: &items, source_words: &[], sources: &[] };
            self.fresh.clear();
            store.insert(session, &batch, &mut self.fresh);
            match self.fresh.first().map(|fresh| fresh.handle) {
                None => self.counts.matched += 1,
                Some(None) => {
                    // The state where the search is would be taken for visited if its turn came again.
                    if T::FORGETS {
                        control.set_full(true)
                    } else {
                        control.halt(StopReason::Memory)
                    }
                    return End::Known;
                }
                Some(handle) => {
                    self.count(link.next.bytes, arrival.depth + link.depth);
                    if index == chain.end {
                        end = End::New(handle);
                    } else {
                        handle.into_iter().for_each(|handle| store.leave(handle, 0));
                    }
                }
            }
        }
        if chain.end != 0 || matches!(end, End::Known) {
            arrival.handle.into_iter().for_each(|handle| store.leave(handle, 0));
        }
        end
    }
}

/// The choices that lead to where a visit has come to, its first phases included. They are as many as the path is
/// long, so they are put together only for who wants to see them.
fn choices(stack: &Stack, arrival: Arrival) -> Vec<u32> {
    let mut choices = stack.choices_before(stack.frames.len(), arrival.route);
    choices.extend(&stack.routes[arrival.route..]);
    choices
}
