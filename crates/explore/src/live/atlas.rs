//! Tables that several threads fill: they grow without moving what is in them.

use std::sync::OnceLock;

/// The logarithm of the number of entries of a page, and of the number of pages of a chapter.
const PAGE: u32 = 14;
const CHAPTER: u32 = 11;
/// The number of chapters: together there is room for 2^36 entries.
const CHAPTERS: usize = 1 << 11;

type Page<A> = OnceLock<Box<[A]>>;
type Chapter<A> = OnceLock<Box<[Page<A>]>>;

/// An atomic number for each index, 0 at first.
#[derive(Debug)]
pub(super) struct Atlas<A> {
    chapters: Box<[Chapter<A>]>,
}

impl<A> Default for Atlas<A> {
    fn default() -> Atlas<A> {
        Atlas { chapters: (0..CHAPTERS).map(|_| OnceLock::new()).collect() }
    }
}

impl<A: Default> Atlas<A> {
    /// The entry of an index, if something near it was ever touched.
    pub(super) fn find(&self, index: u64) -> Option<&A> {
        let (chapter, page, at) = place(index);
        self.chapters[chapter].get()?[page].get().map(|page| &page[at])
    }

    /// The entry of an index.
    pub(super) fn touch(&self, index: u64) -> &A {
        let (chapter, page, at) = place(index);
        let chapter = self.chapters[chapter].get_or_init(|| (0..1 << CHAPTER).map(|_| OnceLock::new()).collect());
        &chapter[page].get_or_init(|| (0..1 << PAGE).map(|_| A::default()).collect())[at]
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        let chapters = self.chapters.iter().filter_map(OnceLock::get);
        let pages: usize = chapters.map(|it| it.iter().filter(|page| page.get().is_some()).count()).sum();
        (pages << PAGE) * size_of::<A>()
    }
}

fn place(index: u64) -> (usize, usize, usize) {
    let page = (index >> PAGE) as usize;
    (page >> CHAPTER, page & ((1 << CHAPTER) - 1), index as usize & ((1 << PAGE) - 1))
}
