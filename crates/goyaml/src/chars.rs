//! Character classes of YAML 1.1 as go-yaml sees them: on bytes of valid UTF-8.

/// Space or tab.
pub(crate) const BLANK: u16 = 1;
/// CR or LF.
pub(crate) const NEWLINE: u16 = 1 << 1;
/// NUL, which stands for the end of the input.
pub(crate) const END: u16 = 1 << 2;
/// Any byte of a character outside ASCII.
pub(crate) const WIDE: u16 = 1 << 3;
/// `,` `?` `[` `]` `{` `}`: ends a plain scalar in flow context.
pub(crate) const FLOW: u16 = 1 << 4;
/// `:`.
pub(crate) const COLON: u16 = 1 << 5;
/// ASCII letter, digit, `_` or `-`.
pub(crate) const WORD: u16 = 1 << 6;
/// May stand in a tag.
pub(crate) const URI: u16 = 1 << 7;
/// ASCII that may stand in a document at all.
pub(crate) const ALLOWED: u16 = 1 << 8;
/// `'`.
pub(crate) const SINGLE_QUOTE: u16 = 1 << 9;
/// `"` or `\`.
pub(crate) const DOUBLE_QUOTE: u16 = 1 << 10;
/// Cannot start a plain scalar (`-`, `?` and `:` can, depending on what follows).
pub(crate) const INDICATOR: u16 = 1 << 11;

const TABLE: [u16; 256] = build();

const fn has(set: &[u8], byte: u8) -> bool {
    let mut rest = set;
    while let [first, tail @ ..] = rest {
        if *first == byte {
            return true;
        }
        rest = tail;
    }
    false
}

#[allow(clippy::indexing_slicing, reason = "evaluated at compile time, where an overrun is a compile error")]
const fn build() -> [u16; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let byte = index as u8;
        let mut class = 0;
        let word = byte.is_ascii_alphanumeric() || has(b"_-", byte);
        let rules: [(u16, bool); 12] = [
            (BLANK, has(b" \t", byte)),
            (NEWLINE, has(b"\r\n", byte)),
            (END, byte == 0),
            (WIDE, byte >= 0x80),
            (FLOW, has(b",?[]{}", byte)),
            (COLON, byte == b':'),
            (WORD, word),
            (URI, word || has(b";/?:@&=+$,.!~*'()[]%", byte)),
            (ALLOWED, has(b"\t\n\r", byte) || (byte >= 0x20 && byte <= 0x7e)),
            (SINGLE_QUOTE, byte == b'\''),
            (DOUBLE_QUOTE, has(b"\"\\", byte)),
            (INDICATOR, has(b"-?:,[]{}#&*!|>'\"%@`", byte)),
        ];
        let mut rule = 0;
        while rule < rules.len() {
            if rules[rule].1 {
                class |= rules[rule].0;
            }
            rule += 1;
        }
        table[index] = class;
        index += 1;
    }
    table
}

/// Returns the class bits of a byte.
#[inline(always)]
pub(crate) fn class(byte: u8) -> u16 {
    TABLE.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Reports whether the byte has one of the class bits.
#[inline(always)]
pub(crate) fn is(byte: u8, classes: u16) -> bool {
    class(byte) & classes != 0
}

/// Returns the byte at `pos`, or NUL past the end.
#[inline(always)]
pub(crate) fn at(text: &[u8], pos: usize) -> u8 {
    text.get(pos).copied().unwrap_or(0)
}

/// Returns the number of bytes of the character that starts with `byte`.
#[inline(always)]
pub(crate) fn width(byte: u8) -> usize {
    match byte {
        0..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 0,
    }
}

/// Reports whether a line break starts at `pos`: CR, LF, U+0085, U+2028 or U+2029.
#[inline(always)]
pub(crate) fn is_break(text: &[u8], pos: usize) -> bool {
    match at(text, pos) {
        b'\r' | b'\n' => true,
        0xc2 => at(text, pos + 1) == 0x85,
        0xe2 => at(text, pos + 1) == 0x80 && matches!(at(text, pos + 2), 0xa8 | 0xa9),
        _ => false,
    }
}

/// Reports whether `pos` is at a line break or at the end.
#[inline(always)]
pub(crate) fn is_breakz(text: &[u8], pos: usize) -> bool {
    at(text, pos) == 0 || is_break(text, pos)
}

/// Reports whether `pos` is at a space, a tab, a line break or the end.
#[inline(always)]
pub(crate) fn is_blankz(text: &[u8], pos: usize) -> bool {
    let byte = at(text, pos);
    is(byte, BLANK | NEWLINE | END) || (is(byte, WIDE) && is_break(text, pos))
}

/// Reports whether `pos` is at a space or tab.
#[inline(always)]
pub(crate) fn is_blank(text: &[u8], pos: usize) -> bool {
    is(at(text, pos), BLANK)
}

/// Reports whether a character may be written unescaped (go-yaml's notion: no tab, no CR, no BOM, nothing above
/// U+FFFF).
#[inline]
pub(crate) fn is_printable(text: &[u8], pos: usize) -> bool {
    let next = |offset: usize| at(text, pos + offset);
    match at(text, pos) {
        0x0a | 0x20..=0x7e => true,
        0xc2 => next(1) >= 0xa0,
        0xed => next(1) < 0xa0,
        0xef => !matches!((next(1), next(2)), (0xbb, 0xbf) | (0xbf, 0xbe | 0xbf)),
        byte => (0xc3..0xef).contains(&byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_are_the_five_of_yaml_1_1() {
        for text in ["\r", "\n", "\u{85}", "\u{2028}", "\u{2029}"] {
            assert!(is_break(text.as_bytes(), 0), "{text:?}");
            assert!(is_blankz(text.as_bytes(), 0), "{text:?}");
        }
        for text in ["a", " ", "\u{84}", "\u{2027}", "\u{202a}", "\u{c5}"] {
            assert!(!is_break(text.as_bytes(), 0), "{text:?}");
        }
        assert!(is_breakz(b"", 0));
    }

    #[test]
    fn printable_excludes_controls_bom_and_astral() {
        for text in ["\n", " ", "~", "\u{a0}", "\u{d7ff}", "\u{e000}", "\u{fffd}", "\u{2028}"] {
            assert!(is_printable(text.as_bytes(), 0), "{text:?}");
        }
        for text in
            ["\t", "\r", "\0", "\u{7f}", "\u{80}", "\u{85}", "\u{9f}", "\u{feff}", "\u{fffe}", "\u{1f600}"]
        {
            assert!(!is_printable(text.as_bytes(), 0), "{text:?}");
        }
    }

    #[test]
    fn widths_follow_the_leading_byte() {
        for (text, want) in [("a", 1), ("é", 2), ("世", 3), ("😀", 4)] {
            assert_eq!(width(at(text.as_bytes(), 0)), want);
        }
        assert_eq!(width(0x80), 0);
    }
}
