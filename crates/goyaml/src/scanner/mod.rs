//! The scanner: characters to tokens, as in libyaml.
//!
//! A key is recognised only at the `:` behind it, so tokens wait in a queue while an earlier one may still turn out to
//! be a key; the scanner then inserts a key token (and perhaps the start of a block mapping) before it.

mod block;
mod fetch;
mod flow;
mod plain;
mod tags;

use std::collections::VecDeque;

use crate::chars::{END, NEWLINE, WIDE, at, is, is_break, is_breakz, width};
use crate::error::{Mark, Stage, SyntaxError};
use crate::source::Reader;
use crate::token::{Payload, Peeked, Token, TokenType};

type Result<T> = std::result::Result<T, SyntaxError>;

/// How deep block collections, and flow collections, may nest.
const MAX_DEPTH: usize = 10_000;

/// How far behind the start of a key its `:` may stand, in characters.
const MAX_KEY: u32 = 1024;

/// A place where a key without `?` may have started.
#[derive(Clone, Copy, Debug)]
struct SimpleKey {
    possible: bool,
    /// In block context at the indentation of the mapping: anything but a key is an error.
    required: bool,
    /// The queue waits for this key when its token is at the head.
    indexed: bool,
    token: usize,
    mark: Mark,
}

/// A comment, `#` included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment<'a> {
    /// Where the `#` stands.
    pub mark: Mark,
    /// The text up to the end of the line.
    pub text: &'a [u8],
}

#[derive(Debug)]
pub(crate) struct Scanner<'s> {
    reader: Reader<'s>,
    mark: Mark,
    started: bool,
    stream_end_taken: bool,
    head_ready: bool,
    tokens: VecDeque<Token<'s>>,
    /// Tokens taken so far; the head of the queue has this number.
    taken: usize,
    /// Column of the current block collection, -1 outside any.
    indent: i64,
    indents: Vec<i64>,
    simple_key_allowed: bool,
    /// One place per flow level, the block context being level 0. Token numbers never decrease towards the top.
    simple_keys: Vec<SimpleKey>,
    flow_level: usize,
    /// Where comments are collected, if wanted.
    comments: Option<Vec<Comment<'s>>>,
}

impl<'s> Scanner<'s> {
    pub(crate) fn new(reader: Reader<'s>) -> Self {
        Self {
            reader,
            mark: Mark::default(),
            started: false,
            stream_end_taken: false,
            head_ready: false,
            tokens: VecDeque::new(),
            taken: 0,
            indent: -1,
            indents: Vec::new(),
            simple_key_allowed: true,
            simple_keys: Vec::new(),
            flow_level: 0,
            comments: None,
        }
    }

    /// Collects comments from here on.
    pub(crate) fn keep_comments(&mut self) {
        self.comments.get_or_insert_default();
    }

    /// Hands out the comments collected so far.
    pub(crate) fn take_comments(&mut self) -> Vec<Comment<'s>> {
        self.comments.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Returns the next token's type and place without taking it.
    pub(crate) fn peek(&mut self) -> Result<Peeked> {
        if !self.head_ready {
            self.fetch_more_tokens()?;
        }
        match self.tokens.front() {
            Some(token) => Ok(Peeked { ty: token.ty, start: token.start, end: token.end }),
            // Nothing follows the end of the stream.
            None => Ok(Peeked { ty: TokenType::StreamEnd, start: self.mark, end: self.mark }),
        }
    }

    /// Takes the peeked token.
    pub(crate) fn take(&mut self) -> Payload<'s> {
        self.head_ready = false;
        self.taken += 1;
        match self.tokens.pop_front() {
            Some(token) => {
                self.stream_end_taken = token.ty == TokenType::StreamEnd;
                token.payload
            }
            None => Payload::None,
        }
    }

    /// Reports whether the last token was the end of the stream.
    pub(crate) fn is_done(&self) -> bool {
        self.stream_end_taken
    }

    /// Makes sure that the head of the queue is final: no key token can come before it.
    fn fetch_more_tokens(&mut self) -> Result<()> {
        while self.tokens.is_empty() || self.head_may_be_key()? {
            if self.stream_end_taken {
                break;
            }
            self.fetch_next_token()?;
        }
        self.head_ready = true;
        Ok(())
    }

    fn head_may_be_key(&mut self) -> Result<bool> {
        let first = self.simple_keys.partition_point(|key| key.token < self.taken);
        match self.simple_keys.get(first) {
            Some(key) if key.token == self.taken && key.indexed => self.is_key_valid(first),
            _ => Ok(false),
        }
    }

    /// Reports whether a key can still end here; it must stay on one line and within [`MAX_KEY`].
    fn is_key_valid(&mut self, index: usize) -> Result<bool> {
        let here = self.mark;
        let Some(key) = self.simple_keys.get_mut(index) else { return Ok(false) };
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line < here.line || key.mark.index + MAX_KEY < here.index {
            if key.required {
                let context = key.mark;
                return Err(self.error_in(context, "could not find expected ':'"));
            }
            key.possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    fn next_token_number(&self) -> usize {
        self.taken + self.tokens.len()
    }

    /// Notes that a key may start here.
    fn save_simple_key(&mut self) -> Result<()> {
        if !self.simple_key_allowed {
            return Ok(());
        }
        let key = SimpleKey {
            possible: true,
            required: self.flow_level == 0 && self.indent == i64::from(self.mark.column),
            indexed: true,
            token: self.next_token_number(),
            mark: self.mark,
        };
        self.remove_simple_key()?;
        if let Some(top) = self.simple_keys.last_mut() {
            *top = key;
        }
        Ok(())
    }

    /// Gives up on a key at the current flow level.
    fn remove_simple_key(&mut self) -> Result<()> {
        let Some(key) = self.simple_keys.last_mut() else { return Ok(()) };
        if key.possible {
            if key.required {
                let context = key.mark;
                return Err(self.error_in(context, "could not find expected ':'"));
            }
            key.possible = false;
            key.indexed = false;
        }
        Ok(())
    }

    fn increase_flow_level(&mut self) -> Result<()> {
        let (token, mark) = (self.next_token_number(), self.mark);
        self.simple_keys.push(SimpleKey { possible: false, required: false, indexed: false, token, mark });
        self.flow_level += 1;
        if self.flow_level > MAX_DEPTH {
            return Err(self.error_in(mark, "exceeded max depth of 10000"));
        }
        Ok(())
    }

    fn decrease_flow_level(&mut self) {
        if self.flow_level == 0 {
            return;
        }
        self.flow_level -= 1;
        let popped = self.simple_keys.pop();
        // As in go-yaml, where both share one index entry: a collection in which no key could start takes the index
        // entry of its own start along, so the queue no longer waits to see whether `{}` or `[]` is a key.
        if let (Some(popped), Some(top)) = (popped, self.simple_keys.last_mut())
            && popped.token == top.token
        {
            top.indexed = false;
        }
    }

    /// Opens a block collection if the column is deeper than the current one. Its start token goes before the token of
    /// that number, or to the end of the queue.
    fn roll_indent(&mut self, column: u32, before: Option<usize>, ty: TokenType, mark: Mark) -> Result<()> {
        if self.flow_level > 0 || self.indent >= i64::from(column) {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = i64::from(column);
        if self.indents.len() > MAX_DEPTH {
            let context = self.simple_keys.last().map_or(self.mark, |key| key.mark);
            return Err(self.error_in(context, "exceeded max depth of 10000"));
        }
        self.insert_token(before, Token { ty, start: mark, end: mark, payload: Payload::None });
        Ok(())
    }

    /// Closes the block collections deeper than the column.
    fn unroll_indent(&mut self, column: i64) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push_token(TokenType::BlockEnd, self.mark, Payload::None);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// Appends a token that ends here.
    fn push_token(&mut self, ty: TokenType, start: Mark, payload: Payload<'s>) {
        self.tokens.push_back(Token { ty, start, end: self.mark, payload });
    }

    /// Inserts a token before the one of that number; at the end if that one is gone already.
    fn insert_token(&mut self, before: Option<usize>, token: Token<'s>) {
        match before.and_then(|number| number.checked_sub(self.taken)) {
            Some(place) if place <= self.tokens.len() => self.tokens.insert(place, token),
            _ => self.tokens.push_back(token),
        }
    }

    fn error_in(&self, context: Mark, problem: &'static str) -> SyntaxError {
        SyntaxError { stage: Stage::Scanner, problem, mark: self.mark, context }
    }

    fn error(&self, problem: &'static str) -> SyntaxError {
        self.error_in(self.mark, problem)
    }

    /// Makes sure that `count` characters lie ahead or the end does.
    #[inline(always)]
    fn need(&mut self, count: usize) -> Result<()> {
        self.reader.need(count).map_err(|problem| self.reader_error(problem))
    }

    #[cold]
    fn reader_error(&self, problem: &'static str) -> SyntaxError {
        let mut ahead = self.mark;
        let mut pos = self.pos();
        while pos < self.reader.decoded {
            ahead.index += 1;
            ahead.column += 1;
            if is_break(self.text(), pos)
                && !(self.byte_from(pos) == b'\r' && self.byte_from(pos + 1) == b'\n')
            {
                ahead.line += 1;
                ahead.column = 0;
            }
            pos += width(self.byte_from(pos)).max(1);
        }
        SyntaxError { stage: Stage::Reader, problem, mark: ahead, context: self.mark }
    }

    /// The byte at the position, NUL at the end.
    #[inline(always)]
    fn byte(&self) -> u8 {
        at(self.reader.text, self.reader.pos)
    }

    #[inline(always)]
    fn byte_from(&self, pos: usize) -> u8 {
        at(self.reader.text, pos)
    }

    #[inline(always)]
    fn byte_at(&self, offset: usize) -> u8 {
        at(self.reader.text, self.reader.pos + offset)
    }

    #[inline(always)]
    fn pos(&self) -> usize {
        self.reader.pos
    }

    #[inline(always)]
    fn text(&self) -> &'s [u8] {
        self.reader.text
    }

    /// The text between two positions.
    #[inline(always)]
    fn slice(&self, from: usize, to: usize) -> &'s [u8] {
        self.reader.text.get(from..to).unwrap_or_default()
    }

    /// Passes one character.
    #[inline(always)]
    fn skip(&mut self) {
        self.reader.pos += width(self.byte());
        self.mark.index += 1;
        self.mark.column += 1;
    }

    /// Passes `count` ASCII characters.
    #[inline(always)]
    fn skip_ascii(&mut self, count: usize) {
        self.reader.pos += count;
        self.mark.index += count as u32;
        self.mark.column += count as u32;
    }

    /// Passes a line break, if there is one.
    #[inline(always)]
    fn skip_line(&mut self) {
        let (bytes, chars) = match self.byte() {
            b'\n' => (1, 1),
            b'\r' if self.byte_at(1) == b'\n' => (2, 2),
            b'\r' => (1, 1),
            byte if is_break(self.text(), self.pos()) => (width(byte), 1),
            _ => return,
        };
        self.reader.pos += bytes;
        self.mark.index += chars;
        self.mark.column = 0;
        self.mark.line += 1;
    }

    /// Passes a line break and returns what it means: LF for CR, LF and U+0085, others as they are.
    #[inline(always)]
    fn read_line(&mut self) -> &'s [u8] {
        let line_break = if self.byte() == 0xe2 { self.slice(self.pos(), self.pos() + 3) } else { b"\n" };
        self.skip_line();
        line_break
    }

    /// Passes the ASCII characters ahead that are in none of the classes, as far as at least `keep` characters stay
    /// buffered behind them.
    #[inline(always)]
    fn skip_run(&mut self, stop: u16, keep: usize) {
        let safe = self.reader.decoded.saturating_sub(4 * keep);
        let ahead = self.slice(self.pos(), safe);
        let run = ahead.iter().position(|byte| is(*byte, stop)).unwrap_or(ahead.len());
        self.skip_ascii(run);
    }

    /// Passes spaces, and tabs if asked to.
    #[inline(always)]
    fn skip_spaces(&mut self, tabs: bool) -> Result<()> {
        self.need(1)?;
        loop {
            let ahead = self.slice(self.pos(), self.reader.decoded);
            let run = ahead.iter().position(|byte| *byte != b' ' && !(tabs && *byte == b'\t'));
            self.skip_ascii(run.unwrap_or(ahead.len()));
            if run.is_some() || ahead.is_empty() {
                return Ok(());
            }
            self.need(1)?;
        }
    }

    /// Passes everything up to the next line break or the end.
    #[inline(always)]
    fn skip_line_content(&mut self) -> Result<()> {
        loop {
            self.skip_run(NEWLINE | END | WIDE, 0);
            self.need(1)?;
            if is_breakz(self.text(), self.pos()) {
                return Ok(());
            }
            self.skip();
            self.need(1)?;
        }
    }

    /// Passes a comment, if there is one, up to the line break.
    fn skip_comment(&mut self) -> Result<()> {
        if self.byte() != b'#' {
            return Ok(());
        }
        let (mark, start) = (self.mark, self.pos());
        self.skip_line_content()?;
        let text = self.slice(start, self.pos());
        if let Some(comments) = &mut self.comments {
            comments.push(Comment { mark, text });
        }
        Ok(())
    }

    /// Passes the rest of a line that must hold nothing but a comment.
    fn skip_rest_of_line(&mut self, context: Mark) -> Result<()> {
        self.skip_spaces(true)?;
        self.skip_comment()?;
        if !is_breakz(self.text(), self.pos()) {
            return Err(self.error_in(context, "did not find expected comment or line break"));
        }
        if is_break(self.text(), self.pos()) {
            self.need(2)?;
            self.skip_line();
        }
        Ok(())
    }
}
