//! Decoding of Go strings, which may hold invalid UTF-8.

/// Decodes the first character and its width as Go's `utf8.DecodeRune`: an invalid byte is U+FFFD of width 1, and an
/// empty text is U+FFFD of width 0.
pub(crate) fn decode_rune(text: &[u8]) -> (char, usize) {
    let head = text.get(..4).unwrap_or(text);
    match head.utf8_chunks().next().map(|chunk| chunk.valid().chars().next()) {
        None => (char::REPLACEMENT_CHARACTER, 0),
        Some(Some(rune)) => (rune, rune.len_utf8()),
        Some(None) => (char::REPLACEMENT_CHARACTER, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::decode_rune;

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
}
