//! What belongs to one label alone, and holds no names.
//!
//! Labels that can change places have the same kinds of fields. What one holds is taken up into *pieces* of up to 64 bits,
//! in which every kind has a place of its own; pieces are compared, and laid down where those of another label were. So
//! each field is read once for a representative, and fields that lie side by side as one.

use super::cells::Group;
use super::links::{Change, ODD, mix};
use spinor_exec::Bits;

/// Where what belongs to each label lies.
#[derive(Debug)]
pub(super) struct Own {
    /// Piece by piece, and label by label.
    slots: Vec<Slot>,
    /// Where the slots of each piece begin, and the end.
    ends: Vec<u32>,
    labels: usize,
    /// How many pieces a label has.
    pieces: usize,
    /// Whether the only piece of each label is its key: then labels that change little stay near their place.
    is_natural: bool,
    /// If processes can end, where locations end in the first piece. They count most then, and the last come first: a
    /// process at its end is among the oldest, where it makes no difference whether it is gone. Otherwise they count
    /// least, so that a step leaves its process where it was.
    locations: Option<u32>,
    /// The bits of each word that belong to no label.
    kept: Vec<u64>,
    /// Whose a bit is, for each bit of the vector.
    owners: Vec<u8>,
    /// The bits of each label in each word.
    masks: Vec<u64>,
}

/// A state that others follow: most of what is known of them is known of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Base {
    pub(super) words: Vec<u64>,
    pub(super) pieces: Vec<u64>,
    /// Keys of what belongs to labels alone.
    pub(super) own: Vec<u64>,
    /// What links add to them.
    pub(super) more: Vec<u64>,
}

/// Fields side by side, in a word and in a piece.
#[derive(Clone, Copy, Debug)]
struct Slot {
    word: u32,
    shift: u8,
    width: u8,
    offset: u8,
    ones: u64,
}

impl Slot {
    /// Takes in a field that goes on where this one ends.
    fn join(&mut self, bits: Bits, offset: u8) -> bool {
        let goes_on =
            self.word == bits.word && self.shift + self.width == bits.shift && self.offset + self.width == offset;
        if goes_on {
            self.width += bits.width;
            self.ones = Bits { word: 0, shift: 0, width: self.width }.ones();
        }
        goes_on
    }
}

/// A piece of so few bits is far less than the difference of any two hashes that are added to it.
const NARROW: u8 = 32;

impl Own {
    /// What belongs to labels in vectors of so many words. Keys are what is held as it is if nothing is added to them.
    pub(super) fn new(groups: &[Group], labels: usize, words: usize, are_mortal: bool) -> Own {
        let mut own: Vec<&Group> = groups.iter().filter(|group| group.is_own() && !group.cells.is_empty()).collect();
        // In the order of the vector, so that fields lie side by side in pieces, too.
        own.sort_by_key(|group| (group.cells[0].bits.word, group.cells[0].bits.shift));
        let each: Vec<Vec<Vec<Slot>>> = (0..labels as u8).map(|label| pieces(&own, label)).collect();
        let pieces = each.iter().map(Vec::len).max().unwrap_or(0);
        let is_alone = groups.iter().all(Group::is_own);
        let is_narrow = |slot: &Slot| slot.offset + slot.width <= NARROW;
        let is_natural = pieces == 1 && (is_alone || each.iter().flatten().flatten().all(is_narrow));
        let mut all = Own {
            slots: Vec::new(),
            ends: vec![0],
            labels,
            pieces,
            is_natural,
            locations: are_mortal.then(|| locations(&own)),
            kept: vec![u64::MAX; words],
            owners: vec![0; words * 64],
            masks: vec![0; words * labels],
        };
        for pieces in &each {
            for n in 0..all.pieces {
                all.slots.extend(pieces.get(n).into_iter().flatten());
                all.ends.push(all.slots.len() as u32);
            }
        }
        for cell in own.iter().flat_map(|group| &group.cells) {
            let Bits { word, shift, width } = cell.bits;
            let first = word as usize * 64 + usize::from(shift);
            all.owners[first..first + usize::from(width)].fill(cell.at[0]);
            all.masks[usize::from(cell.at[0]) * words + word as usize] |= cell.bits.mask();
            all.kept[word as usize] &= !cell.bits.mask();
        }
        all
    }

    /// How many fields there are.
    pub(super) fn fields(&self) -> usize {
        self.slots.len()
    }

    /// Takes up what belongs to all labels.
    #[inline]
    pub(super) fn take(&self, words: &[u64], pieces: &mut Vec<u64>) {
        pieces.clear();
        pieces.extend((0..self.ends.len() - 1).map(|at| self.piece(at, words)));
    }

    #[inline]
    fn piece(&self, at: usize, words: &[u64]) -> u64 {
        self.slots_of(at)
            .iter()
            .fold(0, |piece, slot| piece | (words[slot.word as usize] >> slot.shift & slot.ones) << slot.offset)
    }

    #[inline]
    fn slots_of(&self, at: usize) -> &[Slot] {
        &self.slots[self.ends[at] as usize..self.ends[at + 1] as usize]
    }

    /// A number for what belongs to each label; different for different contents if they fit into one piece.
    #[inline]
    pub(super) fn keys(&self, pieces: &[u64], keys: &mut Vec<u64>) {
        keys.clear();
        match self.pieces {
            0 => keys.resize(self.labels, 0),
            _ => keys.extend(pieces.chunks_exact(self.pieces).map(|it| self.key(it))),
        }
    }

    #[inline]
    fn key(&self, pieces: &[u64]) -> u64 {
        match pieces {
            [piece] if self.is_natural => self.locations.map_or(*piece, |at| !piece.rotate_right(at)),
            [piece] => piece.wrapping_mul(ODD),
            _ => pieces.iter().fold(0, |key, &it| mix(key, it)),
        }
    }

    /// Pieces and keys of a state that follows another.
    #[inline]
    pub(super) fn follow(&self, base: &Base, words: &[u64], pieces: &mut Vec<u64>, keys: &mut Vec<u64>) {
        copy(&base.pieces, pieces);
        copy(&base.own, keys);
        for (at, (now, before)) in words.iter().zip(&base.words).enumerate() {
            let mut changed = (now ^ before) & !self.kept[at];
            while changed != 0 {
                let label = usize::from(self.owners[at * 64 + changed.trailing_zeros() as usize]);
                changed &= !self.masks[label * words.len() + at];
                let first = label * self.pieces;
                for n in first..first + self.pieces {
                    pieces[n] = self.piece(n, words);
                }
                keys[label] = self.key(&pieces[first..first + self.pieces]);
            }
        }
    }

    /// Lays pieces down where permuted labels have theirs, which were 0.
    #[inline]
    pub(super) fn lay(&self, pieces: &[u64], image: &[u8], words: &mut [u64]) {
        for (label, &to) in image.iter().enumerate() {
            for n in 0..self.pieces {
                let piece = pieces[label * self.pieces + n];
                for slot in self.slots_of(usize::from(to) * self.pieces + n) {
                    words[slot.word as usize] |= (piece >> slot.offset & slot.ones) << slot.shift;
                }
            }
        }
    }

    /// Replaces what belongs to labels that others come to.
    #[inline]
    pub(super) fn replace(&self, pieces: &[u64], back: &[u8], words: &mut [u64]) {
        let mut change = Change::default();
        for (to, &from) in back.iter().enumerate().filter(|(to, from)| *to != usize::from(**from)) {
            for n in 0..self.pieces {
                let other = pieces[usize::from(from) * self.pieces + n] ^ pieces[to * self.pieces + n];
                for slot in self.slots_of(to * self.pieces + n) {
                    change.add(words, slot.word, (other >> slot.offset & slot.ones) << slot.shift);
                }
            }
        }
        change.make(words);
    }
}

/// Copies a few numbers, without a call.
#[inline]
pub(super) fn copy<T: Copy + Default>(from: &[T], to: &mut Vec<T>) {
    to.resize(from.len(), T::default());
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

/// Where the location ends in the first piece of the first label.
fn locations(groups: &[&Group]) -> u32 {
    let widths = groups.iter().filter_map(|group| {
        let cell = group.cells.iter().find(|cell| cell.at[0] == 0)?;
        Some((group.is_location, u32::from(cell.bits.width)))
    });
    let widths: Vec<(bool, u32)> = widths.collect();
    let before = widths.iter().position(|it| it.0).map_or(0, |at| at + 1);
    widths[..before].iter().map(|it| it.1).sum::<u32>() % 64
}

/// The slots of a label, by piece.
fn pieces(groups: &[&Group], label: u8) -> Vec<Vec<Slot>> {
    let mut pieces: Vec<Vec<Slot>> = Vec::new();
    let mut used = 64;
    for cell in groups.iter().flat_map(|group| group.cells.iter().filter(|cell| cell.at[0] == label)) {
        let Bits { word, shift, width } = cell.bits;
        if used + width > 64 {
            pieces.push(Vec::new());
            used = 0;
        }
        let Some(piece) = pieces.last_mut() else { continue };
        if !piece.last_mut().is_some_and(|slot| slot.join(cell.bits, used)) {
            piece.push(Slot { word, shift, width, offset: used, ones: cell.bits.ones() });
        }
        used += width;
    }
    pieces
}
