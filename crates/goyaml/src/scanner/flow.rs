//! Quoted scalars.

use std::borrow::Cow;

use super::plain::Breaks;
use super::{Result, Scanner};
use crate::chars::{BLANK, DOUBLE_QUOTE, END, NEWLINE, SINGLE_QUOTE, WIDE, is, is_blank, is_break};
use crate::error::Mark;
use crate::token::{Payload, ScalarStyle, TokenType};

/// The text of a scalar under way: copied only once it differs from the source.
struct Content<'s> {
    copied: Option<Vec<u8>>,
    /// Where the part not copied yet begins.
    piece: usize,
    source: &'s [u8],
}

impl<'s> Content<'s> {
    /// Copies the piece up to `end`; the next one starts wherever `piece` is set to.
    fn copy_until(&mut self, end: usize) -> &mut Vec<u8> {
        let out = self.copied.get_or_insert_default();
        out.extend_from_slice(self.source.get(self.piece..end).unwrap_or_default());
        out
    }

    fn finish(mut self, end: usize) -> Cow<'s, [u8]> {
        match self.copied {
            None => Cow::Borrowed(self.source.get(self.piece..end).unwrap_or_default()),
            Some(_) => Cow::Owned(std::mem::take(self.copy_until(end))),
        }
    }
}

impl<'s> Scanner<'s> {
    pub(super) fn scan_flow_scalar(&mut self, single: bool) -> Result<()> {
        let start = self.mark;
        self.skip_ascii(1);
        let mut content = Content { copied: None, piece: self.pos(), source: self.text() };
        let quote = if single { b'\'' } else { b'"' };
        let mut breaks = Breaks::default();
        loop {
            self.need(4)?;
            if self.mark.column == 0 && self.at_document_indicator() {
                return Err(self.error_in(start, "found unexpected document indicator"));
            }
            if self.byte() == 0 {
                return Err(self.error_in(start, "found unexpected end of stream"));
            }
            let escaped_break = if single {
                self.skip_single_run(&mut content)?
            } else {
                self.skip_double_run(&mut content, start)?
            };
            self.need(1)?;
            if self.byte() == quote {
                break;
            }
            let blanks = self.pos();
            let folds = self.skip_flow_blanks(escaped_break, &mut breaks)?;
            if escaped_break {
                breaks.fold_into(content.copied.get_or_insert_default());
                content.piece = self.pos();
            } else if folds {
                breaks.fold_into(content.copy_until(blanks));
                content.piece = self.pos();
            }
        }
        let text = content.finish(self.pos());
        self.skip_ascii(1);
        let style = if single { ScalarStyle::SingleQuoted } else { ScalarStyle::DoubleQuoted };
        self.push_token(TokenType::Scalar, start, Payload::Scalar(text, style));
        Ok(())
    }

    /// Passes characters up to a blank or the closing quote. Never ends at an escaped line break.
    fn skip_single_run(&mut self, content: &mut Content<'s>) -> Result<bool> {
        let stop = BLANK | NEWLINE | END | WIDE | SINGLE_QUOTE;
        loop {
            self.skip_run(stop, 2);
            match self.byte() {
                b'\'' if self.byte_at(1) == b'\'' => {
                    content.copy_until(self.pos() + 1);
                    self.skip_ascii(2);
                    content.piece = self.pos();
                }
                0x80.. if !is_break(self.text(), self.pos()) => self.skip(),
                byte if is(byte, stop) => return Ok(false),
                _ => self.skip(),
            }
            self.need(2)?;
        }
    }

    /// Passes characters up to a blank, the closing quote, or behind an escaped line break (then returns true).
    fn skip_double_run(&mut self, content: &mut Content<'s>, start: Mark) -> Result<bool> {
        let stop = BLANK | NEWLINE | END | WIDE | DOUBLE_QUOTE;
        loop {
            self.skip_run(stop, 2);
            match self.byte() {
                b'\\' => {
                    content.copy_until(self.pos());
                    if is_break(self.text(), self.pos() + 1) {
                        self.need(3)?;
                        self.skip_ascii(1);
                        self.skip_line();
                        content.piece = self.pos();
                        return Ok(true);
                    }
                    self.scan_escape(content.copied.get_or_insert_default(), start)?;
                    content.piece = self.pos();
                }
                0x80.. if !is_break(self.text(), self.pos()) => self.skip(),
                byte if is(byte, stop) => return Ok(false),
                _ => self.skip(),
            }
            self.need(2)?;
        }
    }

    /// Passes blanks and line breaks; returns whether there were breaks.
    fn skip_flow_blanks(&mut self, escaped_break: bool, breaks: &mut Breaks<'s>) -> Result<bool> {
        loop {
            if is_blank(self.text(), self.pos()) {
                self.skip_ascii(1);
            } else if is_break(self.text(), self.pos()) {
                self.need(2)?;
                let line_break = self.read_line();
                if escaped_break {
                    breaks.add_trailing(line_break);
                } else {
                    breaks.add(line_break);
                }
            } else {
                return Ok(breaks.any());
            }
            self.need(1)?;
        }
    }

    fn scan_escape(&mut self, out: &mut Vec<u8>, start: Mark) -> Result<()> {
        let mut digits = 0;
        let meaning: &[u8] = match self.byte_at(1) {
            b'0' => b"\0",
            b'a' => b"\x07",
            b'b' => b"\x08",
            b't' | b'\t' => b"\t",
            b'n' => b"\n",
            b'v' => b"\x0b",
            b'f' => b"\x0c",
            b'r' => b"\r",
            b'e' => b"\x1b",
            b' ' => b" ",
            b'"' => b"\"",
            b'\'' => b"'",
            b'\\' => b"\\",
            b'N' => "\u{85}".as_bytes(),
            b'_' => "\u{a0}".as_bytes(),
            b'L' => "\u{2028}".as_bytes(),
            b'P' => "\u{2029}".as_bytes(),
            code @ (b'x' | b'u' | b'U') => {
                digits = match code {
                    b'x' => 2,
                    b'u' => 4,
                    _ => 8,
                };
                b""
            }
            _ => return Err(self.error_in(start, "found unknown escape character")),
        };
        out.extend_from_slice(meaning);
        self.skip_ascii(2);
        if digits == 0 {
            return Ok(());
        }
        self.need(digits)?;
        let mut value: u32 = 0;
        for offset in 0..digits {
            let Some(digit) = char::from(self.byte_at(offset)).to_digit(16) else {
                return Err(self.error_in(start, "did not find expected hexdecimal number"));
            };
            // Eight digits fill all 32 bits; go-yaml's wider integer refuses the same values.
            value = (value << 4) | digit;
        }
        let Some(character) = char::from_u32(value) else {
            return Err(self.error_in(start, "found invalid Unicode character escape code"));
        };
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        self.skip_ascii(digits);
        Ok(())
    }
}
