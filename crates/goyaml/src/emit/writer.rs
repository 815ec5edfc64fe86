//! Text under way: columns, indentation, and scalars in each style.

use std::io::Write as _;

use super::analysis::Style;
use crate::chars::{at, is_break, is_printable, width};
use crate::resolve::Version;

/// Columns are folded beyond this by v2; v3 does not fold.
const WIDTH: usize = 80;

/// Spaces per level.
const STEP: usize = 2;

pub(super) struct Writer {
    pub(super) out: Vec<u8>,
    pub(super) version: Version,
    /// Characters in the current line.
    column: usize,
    /// Of the current collection; none at the root.
    indent: Option<usize>,
    /// The last character separates words.
    whitespace: bool,
    /// The line holds indentation and indicators only, so far.
    indention: bool,
}

impl Writer {
    pub(super) fn new(version: Version) -> Self {
        Self { out: Vec::new(), version, column: 0, indent: None, whitespace: true, indention: true }
    }

    /// Enters a collection; returns the indentation to come back to. A sequence in a mapping stays where it is in v2,
    /// unless it follows a `:` that begins its line.
    pub(super) fn enter(&mut self, sequence_in_mapping: bool) -> Option<usize> {
        let outer = self.indent;
        let stays = self.version == Version::V2 && sequence_in_mapping && !self.indention;
        self.indent = Some(match outer {
            None => 0,
            Some(indent) if stays => indent,
            Some(indent) => indent + STEP,
        });
        outer
    }

    pub(super) fn leave(&mut self, outer: Option<usize>) {
        self.indent = outer;
    }

    #[inline(always)]
    fn put(&mut self, byte: u8) {
        self.out.push(byte);
        self.column += 1;
    }

    /// Adds ASCII without line breaks.
    #[inline(always)]
    fn put_ascii(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        self.column += text.len();
    }

    /// Adds one character; returns where the next one is.
    #[inline(always)]
    fn put_char(&mut self, text: &[u8], pos: usize) -> usize {
        let next = pos + width(at(text, pos)).max(1);
        self.out.extend_from_slice(text.get(pos..next).unwrap_or_default());
        self.column += 1;
        next
    }

    fn put_break(&mut self) {
        self.out.push(b'\n');
        self.column = 0;
        if self.version == Version::V3 {
            self.indention = true;
        }
    }

    /// Adds a line break as it is; returns where the next character is.
    fn put_break_of(&mut self, text: &[u8], pos: usize) -> usize {
        if at(text, pos) == b'\n' {
            self.put_break();
            return pos + 1;
        }
        let next = self.put_char(text, pos);
        self.column = 0;
        self.indention = true;
        next
    }

    /// Goes to the indentation, on a new line unless this one is still free up to there.
    pub(super) fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        if self.column < indent {
            self.out.resize(self.out.len() + indent - self.column, b' ');
            self.column = indent;
        }
        self.whitespace = true;
        if self.version == Version::V2 {
            self.indention = true;
        }
    }

    /// Writes `-`, `?` or `:` at the start of a node.
    pub(super) fn write_lead(&mut self, indicator: u8) {
        // It counts as indentation for what follows in the line.
        self.write_indicator(&[indicator], true);
    }

    /// Writes the `:` behind a simple key.
    pub(super) fn write_colon(&mut self) {
        self.put(b':');
        (self.whitespace, self.indention) = (false, false);
    }

    fn write_indicator(&mut self, indicator: &[u8], is_indention: bool) {
        self.separate();
        self.put_ascii(indicator);
        self.whitespace = false;
        self.indention &= is_indention;
    }

    fn separate(&mut self) {
        if !self.whitespace {
            self.put(b' ');
        }
    }

    /// Writes text that needs no quotes and cannot be folded: numbers, words, `[]`, `{}`.
    pub(super) fn write_word(&mut self, word: &[u8]) {
        self.separate();
        self.put_ascii(word);
        (self.whitespace, self.indention) = (false, false);
    }

    /// Writes a string.
    pub(super) fn write_string(&mut self, text: &[u8], style: Style, simple_key: bool) {
        let outer = self.indent;
        self.indent = Some(outer.map_or(STEP, |indent| indent + STEP));
        match style {
            Style::Plain => self.write_plain(text, !simple_key),
            Style::Single => self.write_single(text, !simple_key),
            Style::Double => self.write_double(text, !simple_key),
            Style::Literal => self.write_literal(text),
        }
        self.indent = outer;
    }

    /// Whether a space here may become a line break.
    fn may_fold(&self, allowed: bool, after_space: bool) -> bool {
        allowed && !after_space && self.version == Version::V2 && self.column > WIDTH
    }

    /// Whether the text surely stays in one line.
    fn fits(&self, text: &[u8], allow_breaks: bool) -> bool {
        !allow_breaks || self.version == Version::V3 || self.column + text.len() <= WIDTH
    }

    fn write_plain(&mut self, text: &[u8], allow_breaks: bool) {
        self.separate();
        if self.fits(text, allow_breaks) && text.is_ascii() {
            self.put_ascii(text);
        } else {
            let mut after_space = false;
            let mut pos = 0;
            while pos < text.len() {
                let space = at(text, pos) == b' ';
                if space && self.may_fold(allow_breaks, after_space) && at(text, pos + 1) != b' ' {
                    self.write_indent();
                    pos += 1;
                } else {
                    pos = self.put_char(text, pos);
                }
                if !space {
                    self.indention = false;
                }
                after_space = space;
            }
        }
        (self.whitespace, self.indention) = (false, false);
    }

    fn write_single(&mut self, text: &[u8], allow_breaks: bool) {
        self.write_indicator(b"'", false);
        let (mut after_space, mut after_break) = (false, false);
        let mut pos = 0;
        while pos < text.len() {
            let byte = at(text, pos);
            if byte == b' ' {
                let inside = pos > 0 && pos + 1 < text.len();
                if inside && self.may_fold(allow_breaks, after_space) && at(text, pos + 1) != b' ' {
                    self.write_indent();
                    pos += 1;
                } else {
                    pos = self.put_char(text, pos);
                }
                after_space = true;
            } else if is_break(text, pos) {
                if !after_break && byte == b'\n' {
                    self.put_break();
                }
                pos = self.put_break_of(text, pos);
                self.indention = true;
                after_break = true;
            } else {
                if after_break {
                    self.write_indent();
                }
                if byte == b'\'' {
                    self.put(b'\'');
                }
                pos = self.put_char(text, pos);
                self.indention = false;
                (after_space, after_break) = (false, false);
            }
        }
        self.put(b'\'');
        (self.whitespace, self.indention) = (false, false);
    }

    fn write_double(&mut self, text: &[u8], allow_breaks: bool) {
        self.write_indicator(b"\"", false);
        // go-yaml looks for a byte order mark at the start of the string, wherever it is in it.
        let escape_all = text.starts_with("\u{feff}".as_bytes());
        let mut after_space = false;
        let mut pos = 0;
        while pos < text.len() {
            let byte = at(text, pos);
            let special =
                escape_all || matches!(byte, b'"' | b'\\') || !is_printable(text, pos) || is_break(text, pos);
            if special {
                pos = self.write_escape(text, pos);
                after_space = false;
            } else if byte == b' ' {
                let inside = pos > 0 && pos + 1 < text.len();
                if inside && self.may_fold(allow_breaks, after_space) {
                    self.write_indent();
                    if at(text, pos + 1) == b' ' {
                        self.put(b'\\');
                    }
                    pos += 1;
                } else {
                    pos = self.put_char(text, pos);
                }
                after_space = true;
            } else {
                pos = self.put_char(text, pos);
                after_space = false;
            }
        }
        self.put(b'"');
        (self.whitespace, self.indention) = (false, false);
    }

    /// Writes one character escaped; returns where the next one is.
    fn write_escape(&mut self, text: &[u8], pos: usize) -> usize {
        let next = pos + width(at(text, pos)).max(1);
        let character = text.get(pos..next).unwrap_or_default();
        let value = std::str::from_utf8(character).ok().and_then(|text| text.chars().next());
        let code = value.map_or(0xfffd, u32::from);
        let short = match code {
            0x00 => b'0',
            0x07 => b'a',
            0x08 => b'b',
            0x09 => b't',
            0x0a => b'n',
            0x0b => b'v',
            0x0c => b'f',
            0x0d => b'r',
            0x1b => b'e',
            0x22 => b'"',
            0x5c => b'\\',
            0x85 => b'N',
            0xa0 => b'_',
            0x2028 => b'L',
            0x2029 => b'P',
            _ => 0,
        };
        if short != 0 {
            self.put_ascii(&[b'\\', short]);
            return next;
        }
        let start = self.out.len();
        // Writing to a Vec cannot fail.
        let _ = if code <= 0xff {
            write!(self.out, "\\x{code:02X}")
        } else if code <= 0xffff {
            write!(self.out, "\\u{code:04X}")
        } else {
            write!(self.out, "\\U{code:08X}")
        };
        self.column += self.out.len() - start;
        next
    }

    fn write_literal(&mut self, text: &[u8]) {
        self.write_indicator(b"|", false);
        if at(text, 0) == b' ' || is_break(text, 0) {
            self.put(b'0' + STEP as u8);
        }
        match trailing_breaks(text) {
            0 => self.put(b'-'),
            1 => {}
            _ => self.put(b'+'),
        }
        self.put_break();
        (self.indention, self.whitespace) = (true, true);
        let mut after_break = true;
        let mut pos = 0;
        while pos < text.len() {
            if is_break(text, pos) {
                pos = self.put_break_of(text, pos);
                self.indention = true;
                after_break = true;
                continue;
            }
            if after_break {
                self.write_indent();
            }
            // The column does not matter inside a line of a block.
            let rest = text.get(pos..).unwrap_or_default();
            let line = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r' | 0xc2 | 0xe2));
            let line = line.unwrap_or(rest.len()).max(width(at(text, pos)).max(1)).min(rest.len());
            self.put_ascii(rest.get(..line).unwrap_or_default());
            pos += line;
            self.indention = false;
            after_break = false;
        }
    }
}

/// How many line breaks the text ends in: 0, 1, or 2 for more; a text that is one break counts as more.
fn trailing_breaks(text: &[u8]) -> usize {
    let last_char = |end: usize| {
        let mut start = end.saturating_sub(1);
        while start > 0 && at(text, start) & 0xc0 == 0x80 {
            start -= 1;
        }
        start
    };
    let last = last_char(text.len());
    if !is_break(text, last) {
        0
    } else if last == 0 || is_break(text, last_char(last)) {
        2
    } else {
        1
    }
}
