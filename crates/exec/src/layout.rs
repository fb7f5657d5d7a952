//! How a state lies in a flat vector of bytes.
//!
//! `hidden | globals | records`: the hidden variables are in front because they do not count in
//! comparisons. Records of processes and channels follow in the order of their creation, each with
//! a tag in front. A process ends only when it is the youngest, and takes the channels that came
//! after it with it, so the records are a stack.
//!
//! A process: `tag, location, [priority], locals`. A channel: `tag, [length, messages]`.

use spinor_model::model::{ChannelType, Model};
use spinor_model::{ProctypeId, Scalar};

/// Sizes and offsets of the vectors of one model.
#[derive(Debug)]
pub struct Layout {
    /// Bytes of hidden variables.
    pub hidden: usize,
    /// Where records begin.
    pub records: usize,
    pub(crate) tag: usize,
    pub(crate) location: usize,
    /// Where the local variables of a process begin in its record.
    pub(crate) locals: usize,
    pub(crate) has_priority: bool,
    /// The size of the record of each proctype.
    pub(crate) processes: Vec<usize>,
    pub(crate) channels: Vec<ChannelLayout>,
}

/// How a channel lies in its record.
#[derive(Debug)]
pub(crate) struct ChannelLayout {
    pub(crate) capacity: usize,
    /// Bytes of the number of messages.
    pub(crate) length: usize,
    /// Where messages begin in the record.
    pub(crate) messages: usize,
    pub(crate) message: usize,
    pub(crate) fields: Vec<(usize, Scalar)>,
    pub(crate) record: usize,
}

impl Layout {
    /// The layout of a model.
    #[must_use]
    pub fn new(model: &Model) -> Layout {
        let tag = if model.proctypes.len() + model.channel_types.len() <= 256 { 1 } else { 2 };
        let wide = model.proctypes.iter().any(|proctype| proctype.locations.len() > 256);
        let location = if wide { 2 } else { 1 };
        let locals = tag + location + usize::from(model.uses.priority);
        Layout {
            hidden: model.hidden_size as usize,
            records: (model.hidden_size + model.globals_size) as usize,
            tag,
            location,
            locals,
            has_priority: model.uses.priority,
            processes: model.proctypes.iter().map(|proctype| locals + proctype.locals_size as usize).collect(),
            channels: model.channel_types.iter().map(|kind| ChannelLayout::new(kind, tag)).collect(),
        }
    }

    /// What a tag stands for.
    pub(crate) fn record(&self, tag: usize) -> Record {
        if tag < self.processes.len() {
            Record::Process(ProctypeId(tag as u16))
        } else {
            Record::Channel(tag - self.processes.len())
        }
    }
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Record {
    Process(ProctypeId),
    Channel(usize),
}

impl ChannelLayout {
    fn new(kind: &ChannelType, tag: usize) -> ChannelLayout {
        let mut fields = Vec::new();
        let mut offset = 0;
        for field in &kind.fields {
            fields.push((offset, field.clone()));
            offset += field.size() as usize;
        }
        let length = kind.length_size() as usize;
        let capacity = kind.capacity as usize;
        let messages = tag + length;
        ChannelLayout { capacity, length, messages, message: offset, fields, record: messages + capacity * offset }
    }
}
