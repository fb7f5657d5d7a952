//! How permutations act on packed vectors.
//!
//! What belongs to a label lies in fields of its own, in the same places for all labels of a kind ([`Own`]); what holds
//! names, or belongs to two labels, is a *link*. Links in queues and in dead variables are looked at only where there is
//! something.

use super::cells::Group;
use super::frame::Frame;
use super::links::{Kind, Links, Related, mix};
use super::own::{Base, Own};
use spinor_model::ProctypeId;
use spinor_model::symmetry::Scalarsets;

/// No label.
pub(super) const NONE: u8 = u8::MAX;

/// The place of what no permutation leads to.
const NOWHERE: (u32, u32) = (u32::MAX, 0);

/// The label and the type of each process that has a label.
type Slots = Vec<Option<(u8, u8)>>;

/// The action of permutations on the states of a shape.
#[derive(Debug)]
pub(super) struct Action {
    pub(super) labels: usize,
    own: Own,
    links: Vec<Links>,
    /// The words and shifts of the places of links.
    places: Vec<(u32, u32)>,
    /// The bits of each word that no permutation touches.
    kept: Vec<u64>,
    /// The bits of each word that links depend on.
    linked: Vec<u64>,
    is_plain: bool,
    /// The label and the type of each process, and back.
    pids: Slots,
    pid_of: Vec<Vec<u8>>,
}

impl Action {
    /// The action on fields of some groups of permutations of those indexes that have a label.
    pub(super) fn new(frame: &Frame<'_, '_>, groups: &[Group], label: &[u8], words: usize) -> Action {
        let labels = label.iter().filter(|&&it| it != NONE).count();
        let mut kept = vec![u64::MAX; words];
        for cell in groups.iter().flat_map(|group| &group.cells) {
            kept[cell.bits.word as usize] &= !cell.bits.mask();
        }
        let (pids, pid_of) = slots(frame, label, labels);
        let is_plain = groups.iter().all(|group| group.names == 0 || group.is_own());
        let types = frame.names.members.iter().flatten().map(|member| member.0);
        let are_mortal = types.into_iter().any(|it| Scalarsets::is_mortal(frame.shapes.model(), it));
        let own = Own::new(groups, labels, words, are_mortal);
        let (links, places, linked) = (Vec::new(), Vec::new(), vec![0; words]);
        let mut action = Action { labels, own, links, places, kept, linked, is_plain, pids, pid_of };
        for (number, group) in groups.iter().enumerate().filter(|(_, group)| !group.is_own()) {
            let kind = action.place(number, group);
            group.cells.iter().for_each(|cell| Links::add(&mut action.links, group, cell, kind));
        }
        for links in &mut action.links {
            links.order();
            links.bits(&mut action.linked);
        }
        action
    }

    /// The places of the cells of a group.
    fn place(&mut self, number: usize, group: &Group) -> Kind {
        let places = self.places.len();
        self.places.resize(places + self.labels.pow(group.names as u32), NOWHERE);
        for cell in &group.cells {
            let at = match cell.at {
                [NONE, _] => 0,
                [one, NONE] => usize::from(one),
                [one, other] => usize::from(one) * self.labels + usize::from(other),
            };
            self.places[places + at] = (cell.bits.word, u32::from(cell.bits.shift));
        }
        Kind { places: places as u32, salt: mix(number as u64, 1 << 63) }
    }

    /// Whether all that is known of an index is in cells of its own, and in names of it that no index holds: then labels
    /// with equal keys are the same.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// How many fields there are.
    pub(super) fn fields(&self) -> usize {
        self.own.fields() + self.links.iter().map(Links::len).sum::<usize>()
    }

    /// Takes up what belongs to labels alone.
    #[inline]
    pub(super) fn take(&self, words: &[u64], pieces: &mut Vec<u64>) {
        self.own.take(words, pieces);
    }

    /// Makes a state one that others follow.
    pub(super) fn base(&self, words: &[u64], base: &mut Base) -> Related {
        base.words.clear();
        base.words.extend_from_slice(words);
        self.own.take(words, &mut base.pieces);
        self.own.keys(&base.pieces, &mut base.own);
        base.more.clear();
        base.more.resize(self.labels, 0);
        self.tell_apart(words, &mut base.more)
    }

    /// Pieces and keys of a state that follows another, and related labels if they are not those of the other.
    #[inline]
    pub(super) fn follow(
        &self,
        base: &Base,
        words: &[u64],
        (pieces, keys): (&mut Vec<u64>, &mut Vec<u64>),
    ) -> Option<Related> {
        self.own.follow(base, words, pieces, keys);
        let mut pairs = words.iter().zip(&base.words).zip(&self.linked);
        if pairs.any(|((now, before), linked)| (now ^ before) & linked != 0) {
            return Some(self.tell_apart(words, keys));
        }
        keys.iter_mut().zip(&base.more).for_each(|(key, more)| *key = key.wrapping_add(*more));
        None
    }

    /// The vector after a permutation; what belongs to labels has been taken up.
    pub(super) fn apply(&self, (from, pieces): (&[u64], &[u64]), image: &[u8], to: &mut Vec<u64>) {
        to.clear();
        to.extend(from.iter().zip(&self.kept).map(|(word, kept)| word & kept));
        self.own.lay(pieces, image, to);
        for link in self.links.iter().flat_map(|links| links.live(from)) {
            let (place, number) = link.permuted(from, image);
            let (word, shift) = self.places[place];
            to[word as usize] |= number << shift;
        }
    }

    /// The same where the vector lies, if no link does; back from where each label comes, too.
    pub(super) fn apply_plain(&self, words: &mut [u64], pieces: &[u64], (image, back): (&[u8], &[u8])) {
        debug_assert!(self.is_plain, "links stay where they are");
        self.links.iter().for_each(|links| links.rename(words, image));
        self.own.replace(pieces, back, words);
    }

    /// The process that takes the place of another.
    pub(super) fn pid(&self, pid: u8, image: &[u8]) -> u8 {
        match self.pids.get(usize::from(pid)) {
            Some(Some((label, kind))) => self.pid_of[usize::from(*kind)][usize::from(image[usize::from(*label)])],
            _ => pid,
        }
    }

    /// The *keys* of all labels, which go with them under permutations: what belongs to each, and where it is named or
    /// found beside another. A name in a place that belongs to no label tells its label from all others; so labels with
    /// equal keys differ only by links that relate them to others, and these labels are returned.
    #[inline]
    pub(super) fn keys(&self, (words, pieces): (&[u64], &[u64]), keys: &mut Vec<u64>) -> Related {
        self.own.keys(pieces, keys);
        self.tell_apart(words, keys)
    }

    #[inline]
    fn tell_apart(&self, words: &[u64], keys: &mut [u64]) -> Related {
        let mut related = Related::default();
        for link in self.links.iter().flat_map(|links| links.live(words)) {
            link.tell_apart(words, keys, &mut related);
        }
        related
    }

    /// Keys to which the keys of those are added that are named or found beside each: a round of colour refinement.
    pub(super) fn refine(&self, words: &[u64], keys: &[u64], next: &mut Vec<u64>) {
        next.clear();
        next.extend_from_slice(keys);
        for link in self.links.iter().flat_map(|links| links.live(words)) {
            link.refine(words, keys, next);
        }
    }
}

fn slots(frame: &Frame<'_, '_>, label: &[u8], labels: usize) -> (Slots, Vec<Vec<u8>>) {
    let mut kinds: Vec<ProctypeId> = frame.names.members.iter().flatten().map(|it| it.0).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut pid_of = vec![vec![0; labels]; kinds.len()];
    let mut pids = vec![None; frame.shape.processes.len()];
    for (index, members) in frame.names.members.iter().enumerate().filter(|(index, _)| label[*index] != NONE) {
        for &(proctype, pid) in members {
            let kind = kinds.binary_search(&proctype).expect("all are known");
            pids[pid] = Some((label[index], kind as u8));
            pid_of[kind][usize::from(label[index])] = pid as u8;
        }
    }
    (pids, pid_of)
}
