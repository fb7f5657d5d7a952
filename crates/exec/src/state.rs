//! A state: the flat vector, with an index of where its records are.

use crate::layout::{Layout, Record};
use spinor_model::{LocationId, ProctypeId, Scalar};

/// A state being worked on.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The vector.
    bytes: Vec<u8>,
    /// Where the record of each process is.
    processes: Vec<u32>,
    /// Where the record of each channel is.
    channels: Vec<u32>,
}

impl State {
    /// The state with no process and no channel, and all variables 0.
    pub(crate) fn empty(layout: &Layout) -> State {
        State { bytes: vec![0; layout.records], ..State::default() }
    }

    /// Reads a vector.
    pub fn load(&mut self, layout: &Layout, vector: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(vector);
        self.processes.clear();
        self.channels.clear();
        let mut at = layout.records;
        while at < self.bytes.len() {
            match layout.record(self.number(at, layout.tag)) {
                Record::Process(proctype) => {
                    self.processes.push(at as u32);
                    at += layout.processes[usize::from(proctype.0)];
                }
                Record::Channel(kind) => {
                    self.channels.push(at as u32);
                    at += layout.channels[kind].record;
                }
            }
        }
    }

    /// The vector.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn copy_from(&mut self, other: &State) {
        self.bytes.clone_from(&other.bytes);
        self.processes.clone_from(&other.processes);
        self.channels.clone_from(&other.channels);
    }

    /// How many processes there are.
    #[must_use]
    pub fn process_count(&self) -> usize {
        self.processes.len()
    }

    /// How many channels there are.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// Where the record of a process begins; the end of all for the one that comes next.
    pub(crate) fn process_record(&self, pid: usize) -> usize {
        self.processes.get(pid).map_or(usize::MAX, |&at| at as usize)
    }

    /// Where the record of a channel begins.
    pub(crate) fn channel_record(&self, channel: usize) -> usize {
        self.channels[channel] as usize
    }

    /// What a process is an instance of.
    #[must_use]
    pub fn proctype(&self, layout: &Layout, pid: usize) -> ProctypeId {
        ProctypeId(self.number(self.processes[pid] as usize, layout.tag) as u16)
    }

    /// Where a process stands.
    #[must_use]
    pub fn location(&self, layout: &Layout, pid: usize) -> LocationId {
        LocationId(self.number(self.processes[pid] as usize + layout.tag, layout.location) as u16)
    }

    pub(crate) fn set_location(&mut self, layout: &Layout, pid: usize, location: LocationId) {
        let at = self.processes[pid] as usize + layout.tag;
        self.set_number(at, layout.location, usize::from(location.0));
    }

    /// The priority of a process.
    #[must_use]
    pub fn priority(&self, layout: &Layout, pid: usize) -> u8 {
        match self.processes.get(pid) {
            Some(&at) if layout.has_priority => self.bytes[at as usize + layout.locals - 1],
            _ => 1,
        }
    }

    pub(crate) fn set_priority(&mut self, layout: &Layout, pid: usize, priority: u8) {
        if layout.has_priority {
            let at = self.processes[pid] as usize + layout.locals - 1;
            self.bytes[at] = priority;
        }
    }

    /// Where the local variables of a process begin.
    #[must_use]
    pub fn locals(&self, layout: &Layout, pid: usize) -> usize {
        self.processes[pid] as usize + layout.locals
    }

    pub(crate) fn push_process(&mut self, layout: &Layout, proctype: ProctypeId, start: LocationId) -> usize {
        let at = self.bytes.len();
        self.bytes.resize(at + layout.processes[usize::from(proctype.0)], 0);
        self.set_number(at, layout.tag, usize::from(proctype.0));
        self.processes.push(at as u32);
        let pid = self.processes.len() - 1;
        self.set_location(layout, pid, start);
        pid
    }

    /// Ends the youngest process, and the channels that came after it.
    pub(crate) fn pop_process(&mut self) {
        let at = self.processes.pop().expect("a process ends");
        self.bytes.truncate(at as usize);
        while self.channels.last().is_some_and(|&channel| channel > at) {
            self.channels.pop();
        }
    }

    pub(crate) fn push_channel(&mut self, layout: &Layout, kind: usize) -> usize {
        let at = self.bytes.len();
        self.bytes.resize(at + layout.channels[kind].record, 0);
        self.set_number(at, layout.tag, layout.processes.len() + kind);
        self.channels.push(at as u32);
        self.channels.len()
    }

    /// Which kind of channel it is, counted from 0.
    #[must_use]
    pub fn channel_kind(&self, layout: &Layout, channel: usize) -> usize {
        self.number(self.channels[channel] as usize, layout.tag) - layout.processes.len()
    }

    /// How many messages a channel holds.
    #[must_use]
    pub fn channel_length(&self, layout: &Layout, channel: usize) -> usize {
        let kind = &layout.channels[self.channel_kind(layout, channel)];
        self.number(self.channels[channel] as usize + layout.tag, kind.length)
    }

    /// A field of a message.
    #[must_use]
    pub fn message_field(&self, layout: &Layout, channel: usize, slot: usize, field: usize) -> i32 {
        let kind = &layout.channels[self.channel_kind(layout, channel)];
        let (offset, ty) = &kind.fields[field];
        self.get(self.channels[channel] as usize + kind.messages + slot * kind.message + offset, ty)
    }

    /// Opens a gap at `slot` and fills it with a message.
    pub(crate) fn insert_message(&mut self, layout: &Layout, channel: usize, slot: usize, values: &[i32]) {
        let kind = &layout.channels[self.channel_kind(layout, channel)];
        let (base, length) = (self.channels[channel] as usize, self.channel_length(layout, channel));
        let at = base + kind.messages + slot * kind.message;
        let end = base + kind.messages + length * kind.message;
        self.bytes.copy_within(at..end, at + kind.message);
        for ((offset, ty), &value) in kind.fields.iter().zip(values) {
            self.set(at + offset, ty, value);
        }
        self.set_number(base + layout.tag, kind.length, length + 1);
    }

    /// Takes a message out; the place that becomes free at the end is zero again.
    pub(crate) fn remove_message(&mut self, layout: &Layout, channel: usize, slot: usize) {
        let kind = &layout.channels[self.channel_kind(layout, channel)];
        let (base, length) = (self.channels[channel] as usize, self.channel_length(layout, channel));
        let at = base + kind.messages + slot * kind.message;
        let end = base + kind.messages + length * kind.message;
        self.bytes.copy_within(at + kind.message..end, at);
        self.bytes[end - kind.message..end].fill(0);
        self.set_number(base + layout.tag, kind.length, length - 1);
    }

    /// A number of the vector as its type has it.
    #[must_use]
    pub fn get(&self, at: usize, ty: &Scalar) -> i32 {
        match ty {
            Scalar::Short => i32::from(i16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])),
            Scalar::Int => i32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes")),
            Scalar::Range { low, .. } => (self.number(at, ty.size() as usize) as i32).wrapping_add(*low),
            Scalar::Unsigned(_) => self.number(at, ty.size() as usize) as i32,
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => {
                i32::from(self.bytes[at])
            }
        }
    }

    /// Stores a value that was converted to the type.
    pub(crate) fn set(&mut self, at: usize, ty: &Scalar, value: i32) {
        match ty {
            Scalar::Short => self.bytes[at..at + 2].copy_from_slice(&(value as i16).to_le_bytes()),
            Scalar::Int => self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()),
            Scalar::Range { low, .. } => {
                self.set_number(at, ty.size() as usize, value.wrapping_sub(*low) as u32 as usize);
            }
            Scalar::Unsigned(_) => self.set_number(at, ty.size() as usize, value as u32 as usize),
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => {
                self.bytes[at] = value as u8;
            }
        }
    }

    fn number(&self, at: usize, size: usize) -> usize {
        match size {
            0 => 0,
            1 => usize::from(self.bytes[at]),
            2 => usize::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])),
            _ => u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes")) as usize,
        }
    }

    fn set_number(&mut self, at: usize, size: usize, value: usize) {
        match size {
            0 => {}
            1 => self.bytes[at] = value as u8,
            2 => self.bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
            _ => self.bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
        }
    }
}
