//! The input: its encoding, its byte order mark, and when go-yaml would look at which part of it.

use std::borrow::Cow;

use crate::parser::Events;

/// Text to read YAML from: UTF-8, or UTF-16 with a byte order mark.
///
/// A source owns the text when it had to be converted; everything read from it borrows from it. Marks are 32 bits wide,
/// so reading a text of 4 GiB or more fails.
#[derive(Debug)]
pub struct Source<'a> {
    text: Cow<'a, [u8]>,
    /// Where the first character stands: behind a byte order mark.
    start: usize,
    pieces: Pieces,
}

/// How the text arrives. go-yaml reads 512 bytes at a time and reports a bad character when its piece arrives, which
/// may be before an earlier syntax error is found, or never if the first document ends in an earlier piece.
#[derive(Debug)]
enum Pieces {
    /// UTF-8, cut and checked as it is read.
    Utf8,
    /// Converted text, checked already: the end of each piece, and the fault that follows it.
    Converted(Vec<(usize, Option<Fault>)>),
}

/// What is wrong with a character.
pub(crate) type Fault = &'static str;

const CONTROL: Fault = "control characters are not allowed";

/// How much go-yaml reads at once.
const PIECE: usize = 512;

impl<'a> Source<'a> {
    /// Looks for a byte order mark and converts UTF-16.
    pub fn new(bytes: &'a [u8]) -> Self {
        // go-yaml reads an empty input as an empty line.
        let bytes = if bytes.is_empty() { b"\n" } else { bytes };
        if u32::try_from(bytes.len()).is_err() {
            let fault = "texts of 4 GiB or more are not supported";
            return Self {
                text: Cow::Borrowed(b""),
                start: 0,
                pieces: Pieces::Converted(vec![(0, Some(fault))]),
            };
        }
        match bytes {
            [0xff, 0xfe, ..] => Self::from_utf16(bytes, u16::from_le_bytes),
            [0xfe, 0xff, ..] => Self::from_utf16(bytes, u16::from_be_bytes),
            [0xef, 0xbb, 0xbf, ..] => Self { text: Cow::Borrowed(bytes), start: 3, pieces: Pieces::Utf8 },
            _ => Self { text: Cow::Borrowed(bytes), start: 0, pieces: Pieces::Utf8 },
        }
    }

    fn from_utf16(bytes: &'a [u8], unit: fn([u8; 2]) -> u16) -> Self {
        let mut text = String::with_capacity(bytes.len());
        let mut ends = Vec::new();
        let (mut pos, mut available) = (2, bytes.len().min(PIECE));
        loop {
            let at_end = available == bytes.len();
            let fault = loop {
                match next_utf16(bytes.get(pos..available).unwrap_or_default(), unit) {
                    Utf16::Char(value) => {
                        pos += value.len_utf16() * 2;
                        text.push(value);
                    }
                    Utf16::Partial(fault) if at_end => break Some(fault),
                    Utf16::Done | Utf16::Partial(_) => break None,
                    Utf16::Bad(fault) => break Some(fault),
                }
            };
            let partial = matches!(fault, Some(fault) if fault.starts_with("incomplete"));
            if partial {
                // Found only by reading on and meeting the end.
                ends.push((text.len(), None));
            }
            ends.push((text.len(), fault));
            if fault.is_some() || at_end {
                break;
            }
            available = bytes.len().min(pos + PIECE);
        }
        Self { text: Cow::Owned(text.into_bytes()), start: 0, pieces: Pieces::Converted(ends) }
    }

    /// Returns the text as UTF-8, a byte order mark included.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Reads the events of all documents.
    pub fn events(&self) -> Events<'_> {
        Events::new(self)
    }

    /// Starts reading.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader {
            text: &self.text,
            pos: self.start,
            base: self.start,
            decoded: self.start,
            piece_end: 0,
            pieces: &self.pieces,
            next_piece: 0,
            ended: false,
            ends_read: 0,
        }
    }
}

enum Utf16 {
    Char(char),
    Done,
    Partial(Fault),
    Bad(Fault),
}

fn next_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Utf16 {
    let (first, second) = match bytes {
        [] => return Utf16::Done,
        [_] => return Utf16::Partial("incomplete UTF-16 character"),
        [a, b, c, d, ..] => (unit([*a, *b]), Some(unit([*c, *d]))),
        [a, b, ..] => (unit([*a, *b]), None),
    };
    let value = match first {
        0xdc00..=0xdfff => return Utf16::Bad("unexpected low surrogate area"),
        0xd800..=0xdbff => match second {
            None => return Utf16::Partial("incomplete UTF-16 surrogate pair"),
            Some(low @ 0xdc00..=0xdfff) => {
                0x10000 + ((u32::from(first) & 0x3ff) << 10) + (u32::from(low) & 0x3ff)
            }
            Some(_) => return Utf16::Bad("expected low surrogate area"),
        },
        other => u32::from(other),
    };
    match char::from_u32(value) {
        Some(value) if is_allowed(value) => Utf16::Char(value),
        _ => Utf16::Bad(CONTROL),
    }
}

fn is_allowed(value: char) -> bool {
    matches!(value,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// A position in a source and how much of the text go-yaml would have decoded by now.
#[derive(Debug)]
pub(crate) struct Reader<'s> {
    pub(crate) text: &'s [u8],
    pub(crate) pos: usize,
    /// Where go-yaml's buffer starts: its check for a byte order mark looks here, not at the position.
    pub(crate) base: usize,
    /// Everything before this is decoded and valid.
    pub(crate) decoded: usize,
    /// How far the pieces taken so far reach; an incomplete character may stand behind `decoded`.
    piece_end: usize,
    pieces: &'s Pieces,
    next_piece: usize,
    /// The last piece is in.
    ended: bool,
    /// End marks (NUL) in the buffer: they count as characters.
    ends_read: usize,
}

impl Reader<'_> {
    /// Reports whether at least `count` characters lie ahead in the buffer.
    #[inline(always)]
    pub(crate) fn has(&self, count: usize) -> bool {
        // No character is longer than four bytes.
        self.pos + 4 * count <= self.decoded || self.has_counted(count)
    }

    fn has_counted(&self, count: usize) -> bool {
        let mut pos = self.pos;
        for seen in 0..count {
            if pos >= self.decoded {
                return count - seen <= self.ends_read;
            }
            pos += crate::chars::width(crate::chars::at(self.text, pos)).max(1);
        }
        true
    }

    /// Makes sure that `count` characters or the end lie ahead in the buffer.
    #[inline(always)]
    pub(crate) fn need(&mut self, count: usize) -> Result<(), Fault> {
        if self.has(count) { Ok(()) } else { self.fill(count) }
    }

    #[cold]
    fn fill(&mut self, count: usize) -> Result<(), Fault> {
        self.base = self.pos;
        while !self.has_counted(count) {
            if !self.ended {
                self.take_piece()?;
            }
            if self.ended {
                self.ends_read += 1;
                break;
            }
        }
        Ok(())
    }

    fn take_piece(&mut self) -> Result<(), Fault> {
        match self.pieces {
            Pieces::Converted(ends) => {
                match ends.get(self.next_piece) {
                    Some((end, fault)) => {
                        self.decoded = *end;
                        if let Some(fault) = fault {
                            return Err(fault);
                        }
                    }
                    None => self.ended = true,
                }
                self.next_piece += 1;
                Ok(())
            }
            Pieces::Utf8 => self.take_utf8_piece(),
        }
    }

    fn take_utf8_piece(&mut self) -> Result<(), Fault> {
        let length = self.text.len();
        if self.piece_end == length {
            self.ended = true;
            return if self.decoded < length { Err("incomplete UTF-8 octet sequence") } else { Ok(()) };
        }
        // An incomplete character at the end of a piece keeps its place in go-yaml's buffer of 512 bytes. A byte order
        // mark is part of the first piece.
        let carried = if self.piece_end == 0 { 0 } else { self.piece_end - self.decoded };
        self.piece_end = length.min(self.piece_end + PIECE - carried);
        // go-yaml looks for a byte order mark first, and meets the end while doing so if there is no room for one.
        self.ended = length < 3;
        let piece = self.text.get(self.decoded..self.piece_end).unwrap_or_default();
        let (valid, fault) = check_utf8(piece);
        self.decoded += valid;
        match fault {
            Some(fault) => Err(fault),
            None if self.ended && self.decoded < length => Err("incomplete UTF-8 octet sequence"),
            None => Ok(()),
        }
    }
}

/// Returns how many bytes are good, and what is wrong behind them. An incomplete last character is no fault.
fn check_utf8(bytes: &[u8]) -> (usize, Option<Fault>) {
    let mut pos = 0;
    loop {
        let rest = bytes.get(pos..).unwrap_or_default();
        let plain = rest.iter().position(|byte| !crate::chars::is(*byte, crate::chars::ALLOWED));
        let Some(plain) = plain else { return (bytes.len(), None) };
        pos += plain;
        match check_char(bytes.get(pos..).unwrap_or_default()) {
            Ok(0) => return (pos, None),
            Ok(width) => pos += width,
            Err(fault) => return (pos, Some(fault)),
        }
    }
}

/// Returns the width of the first character, 0 if it is incomplete.
fn check_char(bytes: &[u8]) -> Result<usize, Fault> {
    let lead = crate::chars::at(bytes, 0);
    let width = crate::chars::width(lead);
    if width == 0 {
        return Err("invalid leading UTF-8 octet");
    }
    let Some(trail) = bytes.get(1..width) else { return Ok(0) };
    let mut value = match width {
        1 => u32::from(lead),
        2 => u32::from(lead & 0x1f),
        3 => u32::from(lead & 0x0f),
        _ => u32::from(lead & 0x07),
    };
    for octet in trail {
        if octet & 0xc0 != 0x80 {
            return Err("invalid trailing UTF-8 octet");
        }
        value = (value << 6) + u32::from(octet & 0x3f);
    }
    let shortest = match width {
        1 => 0,
        2 => 0x80,
        3 => 0x800,
        _ => 0x10000,
    };
    if value < shortest {
        return Err("invalid length of a UTF-8 sequence");
    }
    match char::from_u32(value) {
        None => Err("invalid Unicode character"),
        Some(value) if is_allowed(value) => Ok(width),
        Some(_) => Err(CONTROL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        let source = Source::new(bytes);
        let mut reader = source.reader();
        let start = reader.pos;
        loop {
            reader.need(1)?;
            if reader.pos >= reader.decoded {
                return Ok(source.text()[start..].to_vec());
            }
            reader.pos = reader.decoded;
        }
    }

    #[test]
    fn faults_are_named_as_in_go() {
        for (bytes, want) in [
            (&b"a\x01"[..], CONTROL),
            (b"a\x7f", CONTROL),
            (b"a\xc2\x80", CONTROL),
            (b"a\xef\xbf\xbf", CONTROL),
            (b"a\x80", "invalid leading UTF-8 octet"),
            (b"a\xf8", "invalid leading UTF-8 octet"),
            (b"a\xc3", "incomplete UTF-8 octet sequence"),
            (b"abc\xe2\x82", "incomplete UTF-8 octet sequence"),
            (b"a\xc3a", "invalid trailing UTF-8 octet"),
            (b"a\xc0\x80", "invalid length of a UTF-8 sequence"),
            (b"a\xed\xa0\x80", "invalid Unicode character"),
            (b"a\xf7\xbf\xbf\xbf", "invalid Unicode character"),
            (b"\xff\xfea", "incomplete UTF-16 character"),
            (b"\xff\xfe\x00\xd8", "incomplete UTF-16 surrogate pair"),
            (b"\xff\xfe\x00\xdc", "unexpected low surrogate area"),
            (b"\xff\xfe\x00\xd8a\x00", "expected low surrogate area"),
            (b"\xff\xfe\x01\x00", CONTROL),
        ] {
            assert_eq!(read_all(bytes), Err(want), "{bytes:?}");
        }
    }

    #[test]
    fn encodings_give_the_same_text() {
        let text = "a: é世😀\u{85}\n".repeat(200);
        assert_eq!(read_all(text.as_bytes()).unwrap(), text.as_bytes());
        assert_eq!(read_all(format!("\u{feff}{text}").as_bytes()).unwrap(), text.as_bytes());
        let units: Vec<u16> = format!("\u{feff}{text}").encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(read_all(&little).unwrap(), text.as_bytes());
        assert_eq!(read_all(&big).unwrap(), text.as_bytes());
        assert_eq!(read_all(b"").unwrap(), b"\n");
    }

    #[test]
    fn a_fault_shows_only_when_its_piece_arrives() {
        let mut bytes = vec![b'a'; 512];
        bytes.push(1);
        let source = Source::new(&bytes);
        let mut reader = source.reader();
        assert!(reader.need(1).is_ok());
        assert_eq!(reader.decoded, 512);
        reader.pos = 511;
        assert!(reader.need(1).is_ok());
        assert_eq!(reader.need(2), Err(CONTROL));
    }
}
