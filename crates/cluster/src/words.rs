//! Words of a message as bytes, each of which is copied once.

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};
use std::fmt;

pub(crate) fn serialize<S: Serializer>(words: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytemuck::cast_slice(words))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
    deserializer.deserialize_bytes(Words)
}

struct Words;

impl Visitor<'_> for Words {
    type Value = Vec<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("whole words")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u64>, E> {
        let mut words = vec![0; bytes.len() / 8];
        bytemuck::cast_slice_mut(&mut words).copy_from_slice(&bytes[..bytes.len() / 8 * 8]);
        Ok(words)
    }
}
