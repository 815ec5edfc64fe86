//! A text as it was before others quoted it. Programs write what they repeat in many ways: JSON with and without HTML's
//! characters, Go's and others' literals, each perhaps within another.

use std::ops::Range;

/// A text, and where each of its bytes stands in the one that it was read from.
pub(crate) struct Unescaped {
    bytes: Vec<u8>,
    /// One more than bytes: the last is the end.
    places: Vec<usize>,
}

impl Unescaped {
    /// Takes a text as it is.
    pub(crate) fn plain(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec(), places: (0..=text.len()).collect() }
    }

    /// Reads every escape in it; `None` if there is none.
    pub(crate) fn read(&self) -> Option<Self> {
        let mut out = Self { bytes: Vec::with_capacity(self.bytes.len()), places: Vec::new() };
        let (mut at, mut found) = (0, false);
        while let (Some(byte), Some(place)) = (self.bytes.get(at), self.places.get(at)) {
            let rest = self.bytes.get(at + 1..).unwrap_or_default();
            let (mut buffer, mut one) = ([0; 4], [*byte]);
            let (written, length) = match escape(rest).filter(|_| *byte == b'\\') {
                Some((Read::Byte(byte), length)) => {
                    one = [byte];
                    (&one[..], length)
                }
                Some((Read::Char(one), length)) => (one.encode_utf8(&mut buffer).as_bytes(), length),
                None => (&one[..], 0),
            };
            found |= length > 0;
            out.bytes.extend(written);
            out.places.extend(written.iter().map(|_| *place));
            at += length + 1;
        }
        out.places.extend(self.places.last());
        found.then_some(out)
    }

    /// Where the original text says something, as far as it is no part of a longer word.
    pub(crate) fn find(&self, wanted: &str) -> Vec<Range<usize>> {
        let is_word = |one: Option<char>| one.is_some_and(char::is_alphanumeric);
        let (begins, ends) = (is_word(wanted.chars().next()), is_word(wanted.chars().next_back()));
        let mut found = Vec::new();
        for (at, window) in self.bytes.windows(wanted.len().max(1)).enumerate() {
            if window != wanted.as_bytes() {
                continue;
            }
            let end = at + wanted.len();
            if (begins && is_word(self.char_before(at))) || (ends && is_word(self.char_at(end))) {
                continue;
            }
            if let (Some(from), Some(to)) = (self.places.get(at), self.places.get(end)) {
                found.push(*from..*to);
            }
        }
        found
    }

    fn char_before(&self, at: usize) -> Option<char> {
        let before = self.bytes.get(at.saturating_sub(4)..at)?;
        String::from_utf8_lossy(before).chars().next_back()
    }

    fn char_at(&self, at: usize) -> Option<char> {
        let after = self.bytes.get(at..self.bytes.len().min(at + 4))?;
        String::from_utf8_lossy(after).chars().next()
    }
}

/// What an escape stands for.
enum Read {
    /// Perhaps a part of a character only.
    Byte(u8),
    Char(char),
}

/// Reads what follows a backslash; returns how long it is too.
fn escape(rest: &[u8]) -> Option<(Read, usize)> {
    let first = *rest.first()?;
    let control = match first {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'v' => 0x0b,
        b'e' => 0x1b,
        b'"' | b'\'' | b'\\' | b'/' | b'`' => first,
        b'x' => return Some((Read::Byte(u8::try_from(number(rest, 1, 2, 16)?).ok()?), 3)),
        b'u' if rest.get(1) == Some(&b'{') => {
            let digits = rest.get(2..)?.iter().take(7).position(|byte| *byte == b'}')?;
            return Some((Read::Char(char::from_u32(number(rest, 2, digits, 16)?)?), digits + 3));
        }
        b'u' => return unicode(rest),
        b'U' => return Some((Read::Char(char::from_u32(number(rest, 1, 8, 16)?)?), 9)),
        b'0'..=b'7' => return Some((Read::Byte(u8::try_from(number(rest, 0, 3, 8)?).ok()?), 3)),
        _ => return None,
    };
    Some((Read::Byte(control), 1))
}

/// Reads `uXXXX`, or two of them for a character that takes two.
fn unicode(rest: &[u8]) -> Option<(Read, usize)> {
    let first = number(rest, 1, 4, 16)?;
    if let Some(one) = char::from_u32(first) {
        return Some((Read::Char(one), 5));
    }
    let second = number(rest, 7, 4, 16).filter(|_| rest.get(5..7) == Some(br"\u"))?;
    let (high, low) = (first.checked_sub(0xd800)?, second.checked_sub(0xdc00)?);
    Some((Read::Char(char::from_u32(0x1_0000 + (high << 10) + low)?), 11))
}

fn number(rest: &[u8], from: usize, digits: usize, base: u32) -> Option<u32> {
    let text = std::str::from_utf8(rest.get(from..from.checked_add(digits)?)?).ok()?;
    u32::from_str_radix(text, base).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read() {
        for (text, want) in [
            (r#"a\"b\\c\/d\'e"#, "a\"b\\c/d'e"),
            (r"\n\r\t\a\b\f\v\e", "\n\r\t\x07\x08\x0c\x0b\x1b"),
            (r"\u003c\u003E\u0026 \u00e9", "<>& é"),
            (r"\xc3\xa9 \303\251", "é é"),
            (r"\ud83d\ude00 \U0001f600 \u{1f600}", "😀 😀 😀"),
            (r"\w \x4 \u12 \ud83d \u{} é", r"\w \x4 \u12 \ud83d \u{} é"),
            ("\\", "\\"),
        ] {
            let read = Unescaped::plain(text).read();
            let read = read.map_or(text.to_owned(), |read| String::from_utf8(read.bytes).unwrap());
            assert_eq!(read, want, "{text}");
        }
    }

    #[test]
    fn what_is_found_stands_where_it_was_written() {
        let text = r#"not "\u00e9a\tb": aéa"#;
        let read = Unescaped::plain(text).read().unwrap();
        let found: Vec<_> = read.find("éa").into_iter().map(|place| text.get(place).unwrap()).collect();
        assert_eq!(found, [r"\u00e9a"], "the other one is part of a word");
    }
}
