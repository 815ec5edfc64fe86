//! Block scalars.

use super::{Result, Scanner};
use crate::chars::{is_blank, is_break};
use crate::error::Mark;
use crate::token::{Payload, ScalarStyle, Token, TokenType};

/// What happens to the line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl<'s> Scanner<'s> {
    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<()> {
        let start = self.mark;
        self.skip_ascii(1);
        let (chomping, increment) = self.scan_block_header(start)?;
        self.skip_rest_of_line(start)?;
        let mut end = self.mark;
        // 0 means: by the first line that is not empty.
        let mut indent = if increment > 0 { self.indent.max(0) + increment } else { 0 };
        let mut text = Vec::new();
        let mut breaks = BlockBreaks::default();
        self.scan_block_breaks(&mut indent, &mut breaks.trailing, start, &mut end)?;
        self.need(1)?;
        let mut last_line_blank = false;
        while i64::from(self.mark.column) == indent && self.byte() != 0 {
            let line_blank = is_blank(self.text(), self.pos());
            let folds = !literal && !last_line_blank && !line_blank;
            breaks.append_to(&mut text, folds);
            last_line_blank = line_blank;
            let line = self.pos();
            self.skip_line_content()?;
            text.extend_from_slice(self.slice(line, self.pos()));
            self.need(2)?;
            breaks.leading = if is_break(self.text(), self.pos()) { self.read_line() } else { b"" };
            self.scan_block_breaks(&mut indent, &mut breaks.trailing, start, &mut end)?;
        }
        if chomping != Chomping::Strip {
            text.extend_from_slice(breaks.leading);
        }
        if chomping == Chomping::Keep {
            text.extend_from_slice(&breaks.trailing);
        }
        let style = if literal { ScalarStyle::Literal } else { ScalarStyle::Folded };
        let payload = Payload::Scalar(text.into(), style);
        self.tokens.push_back(Token { ty: TokenType::Scalar, start, end, payload });
        Ok(())
    }

    /// Passes the chomping indicator and the indentation digit, in either order.
    fn scan_block_header(&mut self, start: Mark) -> Result<(Chomping, i64)> {
        self.need(1)?;
        let (mut chomping, mut increment) = (self.scan_chomping()?, 0);
        if let digit @ b'0'..=b'9' = self.byte() {
            if digit == b'0' {
                return Err(self.error_in(start, "found an indentation indicator equal to 0"));
            }
            increment = i64::from(digit - b'0');
            self.skip_ascii(1);
            if chomping.is_none() {
                self.need(1)?;
                chomping = self.scan_chomping()?;
            }
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    fn scan_chomping(&mut self) -> Result<Option<Chomping>> {
        let chomping = match self.byte() {
            b'+' => Chomping::Keep,
            b'-' => Chomping::Strip,
            _ => return Ok(None),
        };
        self.skip_ascii(1);
        self.need(1)?;
        Ok(Some(chomping))
    }

    /// Passes indentation and empty lines; finds the indentation if it is not known yet.
    fn scan_block_breaks(
        &mut self,
        indent: &mut i64,
        breaks: &mut Vec<u8>,
        start: Mark,
        end: &mut Mark,
    ) -> Result<()> {
        *end = self.mark;
        let mut deepest = 0;
        loop {
            self.need(1)?;
            while (*indent == 0 || i64::from(self.mark.column) < *indent) && self.byte() == b' ' {
                self.skip_ascii(1);
                self.need(1)?;
            }
            let column = i64::from(self.mark.column);
            deepest = deepest.max(column);
            if (*indent == 0 || column < *indent) && self.byte() == b'\t' {
                let problem = "found a tab character where an indentation space is expected";
                return Err(self.error_in(start, problem));
            }
            if !is_break(self.text(), self.pos()) {
                break;
            }
            self.need(2)?;
            breaks.extend_from_slice(self.read_line());
            *end = self.mark;
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(())
    }
}

/// The line breaks since the last line with content.
#[derive(Default)]
struct BlockBreaks<'s> {
    leading: &'s [u8],
    trailing: Vec<u8>,
}

impl BlockBreaks<'_> {
    fn append_to(&mut self, text: &mut Vec<u8>, folds: bool) {
        if folds && self.leading == b"\n" {
            if self.trailing.is_empty() {
                text.push(b' ');
            }
        } else {
            text.extend_from_slice(self.leading);
        }
        self.leading = &[];
        text.append(&mut self.trailing);
    }
}
