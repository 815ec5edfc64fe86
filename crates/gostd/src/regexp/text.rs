//! The text to search, made valid UTF-8.

use std::borrow::Cow;
use std::ops::Range;

/// A text in the form the engine searches. Bytes that are no valid UTF-8 are replaced by U+FFFD one by one, which is how
/// Go sees them.
pub(super) struct Text<'t> {
    original: &'t [u8],
    searched: Cow<'t, str>,
    /// If bytes were replaced: for each, its offset in the searched text; ascending.
    replaced: Vec<usize>,
}

/// A replacement is this much longer than the byte it stands for.
const GROWTH: usize = char::REPLACEMENT_CHARACTER.len_utf8() - 1;

impl<'t> Text<'t> {
    pub(super) fn new(original: &'t [u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(original) {
            return Self { original, searched: Cow::Borrowed(text), replaced: Vec::new() };
        }
        let mut searched = String::with_capacity(original.len());
        let mut replaced = Vec::new();
        for chunk in original.utf8_chunks() {
            searched.push_str(chunk.valid());
            for _ in chunk.invalid() {
                replaced.push(searched.len());
                searched.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Self { original, searched: Cow::Owned(searched), replaced }
    }

    pub(super) fn searched(&self) -> &str {
        &self.searched
    }

    /// Returns the width of the character at an offset of the searched text; 0 at its end.
    pub(super) fn width_at(&self, offset: usize) -> usize {
        self.searched.get(offset..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    }

    /// Returns the part of the original at a range of the searched text.
    pub(super) fn original(&self, range: Range<usize>) -> &'t [u8] {
        let offset = |searched: usize| searched - GROWTH * self.replaced.partition_point(|at| *at < searched);
        self.original.get(offset(range.start)..offset(range.end)).unwrap_or_default()
    }
}
