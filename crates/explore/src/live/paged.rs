//! Tables that grow without moving what is in them.

/// The logarithm of the number of entries of a page.
const PAGE: u32 = 14;

/// A number for each index, 0 at first.
#[derive(Debug, Default)]
pub(super) struct Paged<N> {
    pages: Vec<Option<Box<[N]>>>,
    used: usize,
}

impl<N: Copy + Default> Paged<N> {
    pub(super) fn get(&self, index: u64) -> N {
        let page = self.pages.get((index >> PAGE) as usize).and_then(Option::as_ref);
        page.map_or(N::default(), |page| page[index as usize & ((1 << PAGE) - 1)])
    }

    pub(super) fn set(&mut self, index: u64, number: N) {
        let page = (index >> PAGE) as usize;
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let used = &mut self.used;
        let page = self.pages[page].get_or_insert_with(|| {
            *used += 1;
            vec![N::default(); 1 << PAGE].into_boxed_slice()
        });
        page[index as usize & ((1 << PAGE) - 1)] = number;
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        (self.used << PAGE) * size_of::<N>() + self.pages.capacity() * size_of::<Option<Box<[N]>>>()
    }
}

/// Two bits for each index, 0 at first.
#[derive(Debug, Default)]
pub(super) struct Pairs(Paged<u8>);

impl Pairs {
    pub(super) fn get(&self, index: u64) -> u8 {
        self.0.get(index / 4) >> (index % 4 * 2) & 3
    }

    pub(super) fn set(&mut self, index: u64, bits: u8) {
        let shift = index % 4 * 2;
        let rest = self.0.get(index / 4) & !(3 << shift);
        self.0.set(index / 4, rest | bits << shift);
    }

    pub(super) fn memory(&self) -> usize {
        self.0.memory()
    }
}
