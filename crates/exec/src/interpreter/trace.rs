//! A `trace` or `notrace`: sends and receives move it along. It is no process, but it has a location.

use super::{Context, Interpreter, NOBODY};
use crate::fault::Fault;
use crate::render::scalar_text;
use crate::semantics::FindingKind;
use crate::state::State;
use spinor_model::model::{Edge, Event, Location, Trace};
use spinor_model::{LocationId, Role, Scalar};

/// How the location is kept.
const LOCATION: Scalar = Scalar::Unsigned(16);

/// What happened: whether a send, on which channel, and the message.
type Happened<'v> = (bool, usize, &'v [i32]);

impl<'m> Interpreter<'m> {
    /// Where the trace stands, if there is one.
    #[must_use]
    pub fn traced(&self, state: &State) -> Option<&'m Location> {
        let trace = self.model.trace.as_ref()?;
        let location = state.get(self.trace_at(trace), &LOCATION);
        Some(self.model.proctype(trace.proctype).location(LocationId(location as u16)))
    }

    fn trace_at(&self, trace: &Trace) -> usize {
        self.layout.hidden + trace.offset as usize
    }

    fn move_trace(&self, trace: &Trace, state: &mut State, to: LocationId) {
        state.set(self.trace_at(trace), &LOCATION, i32::from(to.0));
    }

    pub(super) fn start_trace(&self, state: &mut State) {
        if let Some(trace) = &self.model.trace {
            self.move_trace(trace, state, self.model.proctype(trace.proctype).start);
        }
    }

    /// Where processes stand, and the trace.
    pub(crate) fn locations(&self, state: &State) -> impl Iterator<Item = &'m Location> {
        (0..state.process_count()).map(|pid| self.location(state, pid)).chain(self.traced(state))
    }

    /// Whether the trace may be left where it is when nothing moves any more: at an `end` label, at its end, or when
    /// no process is left. That a `notrace` was not matched is what it asks for.
    pub(super) fn may_stop(&self, state: &State) -> bool {
        let is_notrace = |trace: &Trace| self.model.proctype(trace.proctype).role == Role::NoTrace;
        state.process_count() == 0
            || self.model.trace.as_ref().is_some_and(is_notrace)
            || self.traced(state).is_none_or(|location| location.is_end)
    }

    /// Moves the trace along with an event on a channel that it names for such events. If it cannot go along, a trace
    /// stays where it is, as in SPIN, and a `notrace` is at its end: only the first try counts.
    pub(super) fn watch(&self, happened: Happened<'_>, state: &mut State, found: &mut Vec<FindingKind>) {
        let Some(trace) = &self.model.trace else { return };
        let Some(named) = trace.events.values().find(|event| self.is_meant(event, happened, state)) else { return };
        // It may have come here in the same step.
        self.note_passed(state);
        let automaton = self.model.proctype(trace.proctype);
        let is_followed = |edge: &&Edge| {
            let event = trace.events.get(&edge.statement);
            event.is_some_and(|event| self.is_meant(event, happened, state) && event.matches(happened.2))
        };
        let edges = self.traced(state).map_or(&[][..], |location| &location.edges);
        let mut steps = edges.iter().filter(is_followed);
        let (to, is_choice) = (steps.next().and_then(|edge| edge.target), steps.next().is_some());
        let is_notrace = automaton.role == Role::NoTrace;
        let text = || self.happened(named, happened, state);
        if is_choice {
            found.push(FindingKind::Fault(Fault::TraceChoice));
        }
        match to {
            Some(to) if is_notrace && automaton.closing() == Some(to) => {
                found.push(FindingKind::Trace(format!("{} completes the notrace", text()).into()));
            }
            None if !is_notrace => {
                found.push(FindingKind::Trace(format!("the trace does not go on with {}", text()).into()));
            }
            _ => {}
        }
        if let Some(to) = to.or_else(|| automaton.closing().filter(|_| is_notrace)) {
            self.move_trace(trace, state, to);
        }
    }

    /// Whether an event of the trace is on the same channel, in the same direction.
    fn is_meant(&self, event: &Event, (is_send, channel, _): Happened<'_>, state: &State) -> bool {
        event.is_send == is_send && self.channel(&event.channel, state, Context::of(NOBODY)) == Ok(channel)
    }

    /// `q[1]!ack,0`.
    fn happened(&self, named: &Event, (is_send, channel, values): Happened<'_>, state: &State) -> String {
        let fields = &self.layout.channels[state.channel_kind(&self.layout, channel)].fields;
        let values: Vec<String> = fields.iter().zip(values).map(|((_, ty), it)| scalar_text(self, ty, *it)).collect();
        let constants = named.channel.indexes.iter().filter_map(|index| index.value.constant());
        let index = constants.map(|value| format!("[{value}]"));
        let direction = if is_send { '!' } else { '?' };
        format!("{}{}{direction}{}", named.channel.name, index.collect::<String>(), values.join(","))
    }
}
