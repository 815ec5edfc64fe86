//! Plain scalars.

use std::borrow::Cow;

use super::{Result, Scanner};
use crate::chars::{BLANK, COLON, END, FLOW, NEWLINE, WIDE, is, is_blank, is_blankz, is_break};
use crate::token::{Payload, ScalarStyle, Token, TokenType};

impl<'s> Scanner<'s> {
    pub(super) fn scan_plain_scalar(&mut self) -> Result<()> {
        let start = self.mark;
        let indent = self.indent + 1;
        let first = self.pos();
        // Up to where the content goes so far; blanks behind it count only if content follows.
        let (mut last, mut end) = (first, start);
        let mut joined: Option<Vec<u8>> = None;
        let mut breaks = Breaks::default();
        loop {
            self.need(4)?;
            if (self.mark.column == 0 && self.at_document_indicator()) || self.byte() == b'#' {
                break;
            }
            let run = self.pos();
            self.skip_plain_run()?;
            if self.pos() > run {
                if breaks.any() {
                    let out = joined.get_or_insert_with(|| self.slice(first, last).to_vec());
                    breaks.fold_into(out);
                    out.extend_from_slice(self.slice(run, self.pos()));
                } else if let Some(out) = &mut joined {
                    out.extend_from_slice(self.slice(last, self.pos()));
                }
                (last, end) = (self.pos(), self.mark);
            }
            if !is_blank(self.text(), self.pos()) && !is_break(self.text(), self.pos()) {
                break;
            }
            self.skip_plain_blanks(indent, &mut breaks, start)?;
            if self.flow_level == 0 && i64::from(self.mark.column) < indent {
                break;
            }
        }
        if breaks.any() {
            self.simple_key_allowed = true;
        }
        let text = joined.map_or_else(|| Cow::Borrowed(self.slice(first, last)), Cow::Owned);
        let payload = Payload::Scalar(text, ScalarStyle::Plain);
        self.tokens.push_back(Token { ty: TokenType::Scalar, start, end, payload });
        Ok(())
    }

    /// Passes characters up to a blank or an indicator that ends the scalar.
    #[inline(always)]
    fn skip_plain_run(&mut self) -> Result<()> {
        let stop = BLANK | NEWLINE | END | COLON | WIDE | if self.flow_level > 0 { FLOW } else { 0 };
        loop {
            self.skip_run(stop, 2);
            let byte = self.byte();
            if is(byte, stop) {
                let ends = match byte {
                    b':' => is_blankz(self.text(), self.pos() + 1),
                    0x80.. => is_break(self.text(), self.pos()),
                    _ => true,
                };
                if ends {
                    return Ok(());
                }
            }
            self.skip();
            self.need(2)?;
        }
    }

    fn skip_plain_blanks(
        &mut self,
        indent: i64,
        breaks: &mut Breaks<'s>,
        start: crate::error::Mark,
    ) -> Result<()> {
        self.need(1)?;
        loop {
            if is_blank(self.text(), self.pos()) {
                if breaks.any() && i64::from(self.mark.column) < indent && self.byte() == b'\t' {
                    return Err(self.error_in(start, "found a tab character that violates indentation"));
                }
                self.skip_ascii(1);
            } else if is_break(self.text(), self.pos()) {
                self.need(2)?;
                let line_break = self.read_line();
                breaks.add(line_break);
            } else {
                return Ok(());
            }
            self.need(1)?;
        }
    }
}

/// The line breaks between two pieces of a scalar.
#[derive(Default)]
pub(super) struct Breaks<'s> {
    leading: &'s [u8],
    trailing: Vec<u8>,
}

impl<'s> Breaks<'s> {
    pub(super) fn any(&self) -> bool {
        !self.leading.is_empty()
    }

    pub(super) fn add(&mut self, line_break: &'s [u8]) {
        if self.leading.is_empty() {
            self.leading = line_break;
        } else {
            self.trailing.extend_from_slice(line_break);
        }
    }

    /// Adds breaks that follow an escaped one, which stands for nothing itself.
    pub(super) fn add_trailing(&mut self, line_break: &[u8]) {
        self.trailing.extend_from_slice(line_break);
    }

    /// Appends what the breaks stand for: one LF is a space, the first of several vanishes, U+2028 and U+2029 stay.
    pub(super) fn fold_into(&mut self, out: &mut Vec<u8>) {
        if self.leading == b"\n" {
            if self.trailing.is_empty() {
                out.push(b' ');
            }
        } else {
            out.extend_from_slice(self.leading);
        }
        out.extend_from_slice(&self.trailing);
        self.leading = &[];
        self.trailing.clear();
    }
}
