//! Directives, anchors, aliases and tags.

use std::borrow::Cow;

use super::{Result, Scanner};
use crate::chars::{URI, WORD, is, is_blank, is_blankz, width};
use crate::error::{Mark, SyntaxError};
use crate::token::{Payload, Text, TokenType};

impl<'s> Scanner<'s> {
    pub(super) fn scan_directive(&mut self) -> Result<()> {
        let start = self.mark;
        self.skip_ascii(1);
        let (ty, payload) = match self.scan_directive_name(start)? {
            b"YAML" => {
                self.skip_spaces(true)?;
                let major = self.scan_version_number(start)?;
                if self.byte() != b'.' {
                    return Err(self.error_in(start, "did not find expected digit or '.' character"));
                }
                self.skip_ascii(1);
                let minor = self.scan_version_number(start)?;
                (TokenType::VersionDirective, Payload::Version { major, minor })
            }
            b"TAG" => {
                (TokenType::TagDirective, Payload::Pair(Box::new(self.scan_tag_directive_value(start)?)))
            }
            _ => return Err(self.error_in(start, "found unknown directive name")),
        };
        self.push_token(ty, start, payload);
        self.skip_rest_of_line(start)
    }

    /// Passes letters, digits, `_` and `-`.
    fn skip_word(&mut self) -> Result<&'s [u8]> {
        self.need(1)?;
        let start = self.pos();
        while is(self.byte(), WORD) {
            self.skip_ascii(1);
            self.need(1)?;
        }
        Ok(self.slice(start, self.pos()))
    }

    fn scan_directive_name(&mut self, start: Mark) -> Result<&'s [u8]> {
        let name = self.skip_word()?;
        if name.is_empty() {
            return Err(self.error_in(start, "could not find expected directive name"));
        }
        if !is_blankz(self.text(), self.pos()) {
            return Err(self.error_in(start, "found unexpected non-alphabetical character"));
        }
        Ok(name)
    }

    fn scan_version_number(&mut self, start: Mark) -> Result<u8> {
        self.need(1)?;
        let (mut value, mut length) = (0, 0);
        while let digit @ b'0'..=b'9' = self.byte() {
            length += 1;
            if length > 2 {
                return Err(self.error_in(start, "found extremely long version number"));
            }
            value = value * 10 + (digit - b'0');
            self.skip_ascii(1);
            self.need(1)?;
        }
        if length == 0 {
            return Err(self.error_in(start, "did not find expected version number"));
        }
        Ok(value)
    }

    fn scan_tag_directive_value(&mut self, start: Mark) -> Result<(Text<'s>, Text<'s>)> {
        self.skip_spaces(true)?;
        let handle = self.scan_tag_handle(start)?;
        if handle != b"!" && !(handle.len() > 1 && handle.ends_with(b"!")) {
            return Err(self.error_in(start, "did not find expected '!'"));
        }
        self.need(1)?;
        if !is_blank(self.text(), self.pos()) {
            return Err(self.error_in(start, "did not find expected whitespace"));
        }
        self.skip_spaces(true)?;
        let prefix = self.scan_tag_uri(b"", start)?;
        self.need(1)?;
        if !is_blankz(self.text(), self.pos()) {
            return Err(self.error_in(start, "did not find expected whitespace or line break"));
        }
        Ok((Cow::Borrowed(handle), prefix))
    }

    pub(super) fn scan_anchor(&mut self, ty: TokenType) -> Result<()> {
        let start = self.mark;
        self.skip_ascii(1);
        let name = self.skip_word()?;
        let ends = is_blankz(self.text(), self.pos())
            || matches!(self.byte(), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ends {
            return Err(self.error_in(start, "did not find expected alphabetic or numeric character"));
        }
        self.push_token(ty, start, Payload::Name(Cow::Borrowed(name)));
        Ok(())
    }

    pub(super) fn scan_tag(&mut self) -> Result<()> {
        let start = self.mark;
        self.need(2)?;
        let (handle, suffix): (&[u8], Text<'s>) = if self.byte_at(1) == b'<' {
            self.skip_ascii(2);
            let suffix = self.scan_tag_uri(b"", start)?;
            if self.byte() != b'>' {
                return Err(self.error_in(start, "did not find the expected '>'"));
            }
            self.skip_ascii(1);
            (b"", suffix)
        } else {
            let handle = self.scan_tag_handle(start)?;
            if handle.len() > 1 && handle.ends_with(b"!") {
                (handle, self.scan_tag_uri(b"", start)?)
            } else {
                let suffix = self.scan_tag_uri(handle, start)?;
                // The tag `!` alone has no handle.
                if suffix.is_empty() { (b"", Cow::Borrowed(&b"!"[..])) } else { (b"!", suffix) }
            }
        };
        self.need(1)?;
        if !is_blankz(self.text(), self.pos()) {
            return Err(self.error_in(start, "did not find expected whitespace or line break"));
        }
        let pair = Payload::Pair(Box::new((Cow::Borrowed(handle), suffix)));
        self.push_token(TokenType::Tag, start, pair);
        Ok(())
    }

    /// Passes `!`, `!!`, `!name!` or the `!name` that begins a tag without handle.
    fn scan_tag_handle(&mut self, start: Mark) -> Result<&'s [u8]> {
        self.need(1)?;
        if self.byte() != b'!' {
            return Err(self.error_in(start, "did not find expected '!'"));
        }
        let from = self.pos();
        self.skip_ascii(1);
        self.skip_word()?;
        if self.byte() == b'!' {
            self.skip_ascii(1);
        }
        Ok(self.slice(from, self.pos()))
    }

    /// Passes the rest of a tag, decoding `%XX`. `head` was taken for a handle; all but its `!` belongs to the tag.
    fn scan_tag_uri(&mut self, head: &[u8], start: Mark) -> Result<Text<'s>> {
        let mut any = !head.is_empty();
        let mut out = head.get(1..).unwrap_or_default().to_vec();
        self.need(1)?;
        while is(self.byte(), URI) {
            if self.byte() == b'%' {
                self.scan_uri_escape(start, &mut out)?;
            } else {
                out.push(self.byte());
                self.skip_ascii(1);
            }
            self.need(1)?;
            any = true;
        }
        if !any {
            return Err(self.error_in(start, "did not find expected tag URI"));
        }
        Ok(Cow::Owned(out))
    }

    /// Passes the escaped bytes of one character.
    fn scan_uri_escape(&mut self, start: Mark, out: &mut Vec<u8>) -> Result<()> {
        let mut left = None;
        loop {
            self.need(3)?;
            let octet = self.uri_octet(start)?;
            let rest = match left {
                None => match width(octet) {
                    0 => return Err(self.error_in(start, "found an incorrect leading UTF-8 octet")),
                    width => width,
                },
                Some(_) if octet & 0xc0 != 0x80 => {
                    return Err(self.error_in(start, "found an incorrect trailing UTF-8 octet"));
                }
                Some(left) => left,
            } - 1;
            out.push(octet);
            self.skip_ascii(3);
            if rest == 0 {
                return Ok(());
            }
            left = Some(rest);
        }
    }

    fn uri_octet(&self, start: Mark) -> std::result::Result<u8, SyntaxError> {
        let digit = |offset| char::from(self.byte_at(offset)).to_digit(16);
        match (self.byte(), digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => Ok((high << 4 | low) as u8),
            _ => Err(self.error_in(start, "did not find URI escaped octet")),
        }
    }
}
