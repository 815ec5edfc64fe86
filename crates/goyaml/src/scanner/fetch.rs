//! Which token starts here, and what it does to keys and indentation.

use super::{Result, Scanner, SimpleKey};
use crate::chars::{BLANK, INDICATOR, is, is_blank, is_blankz, is_break};
use crate::error::Mark;
use crate::token::{Payload, Token, TokenType};

impl Scanner<'_> {
    pub(super) fn fetch_next_token(&mut self) -> Result<()> {
        self.need(1)?;
        if !self.started {
            return self.fetch_stream_start();
        }
        self.skip_to_next_token()?;
        self.unroll_indent(i64::from(self.mark.column));
        // The longest indicators are `--- ` and `... `.
        self.need(4)?;
        let blank_next = is_blankz(self.text(), self.pos() + 1);
        let in_flow = self.flow_level > 0;
        let byte = self.byte();
        if self.mark.column == 0 {
            if byte == b'%' {
                return self.fetch_directive();
            }
            if self.at_document_indicator() {
                let ty = if byte == b'-' { TokenType::DocumentStart } else { TokenType::DocumentEnd };
                return self.fetch_document_indicator(ty);
            }
        }
        match byte {
            0 => self.fetch_stream_end(),
            b'[' => self.fetch_flow_start(TokenType::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenType::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenType::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenType::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if blank_next => self.fetch_block_entry(),
            b'?' if in_flow || blank_next => self.fetch_key(),
            b':' if in_flow || blank_next => self.fetch_value(),
            b'*' => self.fetch_anchor(TokenType::Alias),
            b'&' => self.fetch_anchor(TokenType::Anchor),
            b'!' => self.fetch_tag(),
            b'|' if !in_flow => self.fetch_block_scalar(true),
            b'>' if !in_flow => self.fetch_block_scalar(false),
            b'\'' => self.fetch_flow_scalar(true),
            b'"' => self.fetch_flow_scalar(false),
            _ if self.may_start_plain() => self.fetch_plain_scalar(),
            _ => Err(self.error("found character that cannot start any token")),
        }
    }

    /// A document indicator (`---` or `...`) stands here; only meaningful in column 0.
    pub(super) fn at_document_indicator(&self) -> bool {
        let byte = self.byte();
        matches!(byte, b'-' | b'.')
            && self.byte_at(1) == byte
            && self.byte_at(2) == byte
            && is_blankz(self.text(), self.pos() + 3)
    }

    fn may_start_plain(&self) -> bool {
        let (text, pos) = (self.text(), self.pos());
        match self.byte() {
            b'-' => !is_blank(text, pos + 1),
            b'?' | b':' => self.flow_level == 0 && !is_blankz(text, pos + 1),
            byte => !is(byte, INDICATOR | BLANK) && !is_break(text, pos),
        }
    }

    /// Passes white space, comments and line breaks.
    fn skip_to_next_token(&mut self) -> Result<()> {
        loop {
            self.need(1)?;
            // go-yaml looks for a byte order mark at the start of its buffer, wherever it is reading.
            if self.mark.column == 0 && self.slice(self.reader.base, self.reader.base + 3) == b"\xef\xbb\xbf"
            {
                self.skip();
            }
            self.need(1)?;
            // In block context a tab may not stand where indentation decides.
            let tabs = self.flow_level > 0 || !self.simple_key_allowed;
            self.skip_spaces(tabs)?;
            self.skip_comment()?;
            if !is_break(self.text(), self.pos()) {
                return Ok(());
            }
            self.need(2)?;
            self.skip_line();
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    fn fetch_stream_start(&mut self) -> Result<()> {
        self.indent = -1;
        let mark = self.mark;
        self.simple_keys.push(SimpleKey { possible: false, required: false, indexed: false, token: 0, mark });
        self.simple_key_allowed = true;
        self.started = true;
        self.push_token(TokenType::StreamStart, mark, Payload::None);
        Ok(())
    }

    fn fetch_stream_end(&mut self) -> Result<()> {
        if self.mark.column != 0 {
            self.mark.column = 0;
            self.mark.line += 1;
        }
        self.leave_block()?;
        self.push_token(TokenType::StreamEnd, self.mark, Payload::None);
        Ok(())
    }

    /// Closes everything open, before a document indicator, a directive or the end.
    fn leave_block(&mut self) -> Result<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<()> {
        self.leave_block()?;
        self.scan_directive()
    }

    fn fetch_document_indicator(&mut self, ty: TokenType) -> Result<()> {
        self.leave_block()?;
        self.push_indicator(ty, 3);
        Ok(())
    }

    /// Passes an indicator and appends its token.
    fn push_indicator(&mut self, ty: TokenType, length: usize) {
        let start = self.mark;
        self.skip_ascii(length);
        self.push_token(ty, start, Payload::None);
    }

    fn fetch_flow_start(&mut self, ty: TokenType) -> Result<()> {
        self.save_simple_key()?;
        self.increase_flow_level()?;
        self.simple_key_allowed = true;
        self.push_indicator(ty, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, ty: TokenType) -> Result<()> {
        self.remove_simple_key()?;
        self.decrease_flow_level();
        self.simple_key_allowed = false;
        self.push_indicator(ty, 1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenType::FlowEntry, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<()> {
        // In flow context the parser reports it, who knows the surroundings.
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.error("block sequence entries are not allowed in this context"));
            }
            self.roll_indent(self.mark.column, None, TokenType::BlockSequenceStart, self.mark)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenType::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.error("mapping keys are not allowed in this context"));
            }
            self.roll_indent(self.mark.column, None, TokenType::BlockMappingStart, self.mark)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push_indicator(TokenType::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<()> {
        let top = self.simple_keys.len().saturating_sub(1);
        if self.is_key_valid(top)? {
            let (number, mark) = self.close_simple_key(top);
            self.insert_token(
                Some(number),
                Token { ty: TokenType::Key, start: mark, end: mark, payload: Payload::None },
            );
            self.roll_indent(mark.column, Some(number), TokenType::BlockMappingStart, mark)?;
            // A key cannot follow another one directly.
            self.simple_key_allowed = false;
        } else {
            // The ':' follows a key with '?', or an empty one.
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return Err(self.error("mapping values are not allowed in this context"));
                }
                self.roll_indent(self.mark.column, None, TokenType::BlockMappingStart, self.mark)?;
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.push_indicator(TokenType::Value, 1);
        Ok(())
    }

    /// The place has become a key: returns its token and where it starts.
    fn close_simple_key(&mut self, index: usize) -> (usize, Mark) {
        match self.simple_keys.get_mut(index) {
            Some(key) => {
                key.possible = false;
                key.indexed = false;
                (key.token, key.mark)
            }
            None => (self.next_token_number(), self.mark),
        }
    }

    fn fetch_anchor(&mut self, ty: TokenType) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        self.scan_anchor(ty)
    }

    fn fetch_tag(&mut self) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        self.scan_tag()
    }

    fn fetch_block_scalar(&mut self, literal: bool) -> Result<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.scan_block_scalar(literal)
    }

    fn fetch_flow_scalar(&mut self, single: bool) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        self.scan_flow_scalar(single)
    }

    fn fetch_plain_scalar(&mut self) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        self.scan_plain_scalar()
    }
}
