//! Decoding of Go strings, which may hold invalid UTF-8.

/// What stands for a byte that is not part of valid UTF-8.
const BAD: char = char::REPLACEMENT_CHARACTER;

/// Decodes the first character and its width as Go's `utf8.DecodeRune`: an invalid byte is U+FFFD of width 1, and an
/// empty text is U+FFFD of width 0.
#[inline]
pub fn decode_rune(text: &[u8]) -> (char, usize) {
    match text.first() {
        None => (BAD, 0),
        Some(byte) if byte.is_ascii() => (char::from(*byte), 1),
        Some(_) => decode_multibyte(text),
    }
}

fn decode_multibyte(text: &[u8]) -> (char, usize) {
    let head = text.get(..4).unwrap_or(text);
    match head.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()) {
        Some(rune) => (rune, rune.len_utf8()),
        None => (BAD, 1),
    }
}

/// Decodes the last character and its width as Go's `utf8.DecodeLastRune`.
pub fn decode_last_rune(text: &[u8]) -> (char, usize) {
    match text.last() {
        None => (BAD, 0),
        Some(byte) if byte.is_ascii() => (char::from(*byte), 1),
        Some(_) => {
            let whole = (2..=4).filter_map(|width| text.get(text.len().checked_sub(width)?..));
            let mut candidates = whole.map(|tail| (decode_rune(tail), tail.len()));
            candidates.find(|((_, width), len)| width == len).map_or((BAD, 1), |(rune, _)| rune)
        }
    }
}

/// Iterates over a text as Go's `range` over a string: offset, character (U+FFFD for an invalid byte), width.
pub fn runes(text: &[u8]) -> impl Iterator<Item = (usize, char, usize)> + '_ {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let (rune, width) = decode_rune(text.get(offset..)?);
        let start = offset;
        offset += width;
        (width > 0).then_some((start, rune, width))
    })
}

/// Counts characters as Go's `utf8.RuneCount`: each invalid byte counts as one.
pub fn rune_count(text: &[u8]) -> usize {
    match std::str::from_utf8(text) {
        Ok(text) => text.chars().count(),
        Err(_) => runes(text).count(),
    }
}

/// Appends a character as UTF-8.
pub fn push_rune(out: &mut Vec<u8>, rune: char) {
    out.extend_from_slice(rune.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_count_one_by_one() {
        let bad = char::REPLACEMENT_CHARACTER;
        assert_eq!(decode_rune(b""), (bad, 0));
        assert_eq!(decode_rune(b"ab"), ('a', 1));
        assert_eq!(decode_rune("é".as_bytes()), ('é', 2));
        assert_eq!(decode_rune("😀x".as_bytes()), ('😀', 4));
        assert_eq!(decode_rune(b"\xff"), (bad, 1));
        assert_eq!(decode_rune(b"\xe2\x82"), (bad, 1));
        assert_eq!(decode_rune(b"\xed\xa0\x80"), (bad, 1));
        assert_eq!(decode_rune("\u{fffd}".as_bytes()), (bad, 3));
    }

    #[test]
    fn last_characters() {
        let bad = char::REPLACEMENT_CHARACTER;
        assert_eq!(decode_last_rune(b""), (bad, 0));
        assert_eq!(decode_last_rune("aé".as_bytes()), ('é', 2));
        assert_eq!(decode_last_rune("a😀".as_bytes()), ('😀', 4));
        assert_eq!(decode_last_rune(b"a\x80"), (bad, 1));
        assert_eq!(decode_last_rune(b"\xe2\x82"), (bad, 1));
        assert_eq!(decode_last_rune("€\u{80}".as_bytes()), ('\u{80}', 2));
    }

    #[test]
    fn iteration_covers_every_byte() {
        let all: Vec<_> = runes(b"a\xe2\x82\xc3\xa9").collect();
        let bad = char::REPLACEMENT_CHARACTER;
        assert_eq!(all, [(0, 'a', 1), (1, bad, 1), (2, bad, 1), (3, 'é', 2)]);
        assert_eq!(rune_count(b"a\xe2\x82\xc3\xa9"), 4);
    }
}
