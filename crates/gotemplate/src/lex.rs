//! Splits a template's text into tokens, as text/template/parse lex.go does.
//!
//! Trimming happens here: the parser never sees trim markers or comments.

mod number;

use gostd::strings::{decode_rune, is_digit, is_letter, is_print};

const LEFT: &[u8] = b"{{";
const RIGHT: &[u8] = b"}}";
const COMMENT_START: &[u8] = b"/*";
const COMMENT_END: &[u8] = b"*/";
/// A trim marker: the minus and the space beside it.
const MARKER: usize = 2;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The text is not a template; the lexer's message says why.
    Error,
    /// `true` or `false`.
    Bool,
    /// A printable ASCII character without a meaning of its own, such as a comma.
    Char,
    /// `'x'`, quotes included.
    CharConstant,
    /// `1+2i`.
    Complex,
    /// `=`.
    Assign,
    /// `:=`.
    Declare,
    Eof,
    /// `.name`.
    Field,
    Identifier,
    LeftDelim,
    LeftParen,
    /// A number without an addition: imaginary ones included.
    Number,
    Pipe,
    /// A backquoted string, quotes included.
    RawString,
    RightDelim,
    RightParen,
    /// A run of space inside an action.
    Space,
    /// A quoted string, quotes included.
    String,
    /// Text outside actions.
    Text,
    /// `$` or `$name`.
    Variable,
    /// A lone dot.
    Dot,
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl Kind {
    /// Reports whether error texts show the token as `<word>`.
    pub(crate) fn is_keyword(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Dot | Block | Break | Continue | Define | Else | End | If | Nil | Range | Template | With
        )
    }

    fn of_keyword(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"block" => Kind::Block,
            b"break" => Kind::Break,
            b"continue" => Kind::Continue,
            b"define" => Kind::Define,
            b"else" => Kind::Else,
            b"end" => Kind::End,
            b"if" => Kind::If,
            b"nil" => Kind::Nil,
            b"range" => Kind::Range,
            b"template" => Kind::Template,
            b"with" => Kind::With,
            _ => return None,
        })
    }
}

/// A piece of a template's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Where it starts in the text.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// The line it starts in, from 1.
    pub(crate) line: usize,
}

/// What a scanning step leads to: a token, or the next step.
enum Step {
    Emit(Token),
    Text,
    LeftDelim,
    Comment,
}

/// Where the lexer stands in the text.
pub(crate) struct Lexer<'t> {
    text: &'t [u8],
    /// The byte that is read next.
    position: usize,
    /// The first byte of the token under way.
    start: usize,
    /// Lines seen so far, plus one.
    line: usize,
    /// The line of `start`.
    start_line: usize,
    /// Open parentheses of the action.
    parens: usize,
    inside_action: bool,
    /// Whether `break` and `continue` are keywords (they are not where functions have these names).
    loop_words: LoopWords,
    error: String,
}

/// Which loop keywords a template has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopWords {
    pub(crate) has_break: bool,
    pub(crate) has_continue: bool,
}

impl<'t> Lexer<'t> {
    /// Starts at the beginning of a template.
    pub(crate) fn new(text: &'t [u8], loop_words: LoopWords) -> Self {
        Self {
            text,
            position: 0,
            start: 0,
            line: 1,
            start_line: 1,
            parens: 0,
            inside_action: false,
            loop_words,
            error: String::new(),
        }
    }

    /// Starts inside an action: `text` is a part of one that is known to scan.
    pub(crate) fn within_action(text: &'t [u8]) -> Self {
        let loop_words = LoopWords { has_break: true, has_continue: true };
        Self { inside_action: true, ..Self::new(text, loop_words) }
    }

    /// Returns the message of an error token.
    pub(crate) fn error(&self) -> &str {
        &self.error
    }

    /// Returns the next token. After an error there is nothing more to be had but errors and the end.
    pub(crate) fn next_token(&mut self) -> Token {
        let mut step = if self.inside_action { self.inside_action() } else { Step::Text };
        loop {
            step = match step {
                Step::Emit(token) => return token,
                Step::Text => self.text(),
                Step::LeftDelim => self.left_delim(),
                Step::Comment => self.comment(),
            }
        }
    }

    fn rest(&self) -> &'t [u8] {
        self.text.get(self.position..).unwrap_or_default()
    }

    fn pending(&self) -> &'t [u8] {
        self.text.get(self.start..self.position).unwrap_or_default()
    }

    fn at(&self, prefix: &[u8]) -> bool {
        self.rest().starts_with(prefix)
    }

    /// Looks at the next character; `None` at the end.
    fn peek(&self) -> Option<char> {
        match self.rest() {
            [] => None,
            [byte, ..] if byte.is_ascii() => Some(char::from(*byte)),
            rest => Some(decode_rune(rest).0),
        }
    }

    /// Takes the next character.
    fn next(&mut self) -> Option<char> {
        let (rune, width) = match self.rest() {
            [] => return None,
            [byte, ..] if byte.is_ascii() => (char::from(*byte), 1),
            rest => decode_rune(rest),
        };
        self.position += width;
        if rune == '\n' {
            self.line += 1;
        }
        Some(rune)
    }

    /// Takes the next character if it is one of `set`.
    fn accept(&mut self, set: &str) -> bool {
        let found = self.peek().is_some_and(|rune| set.contains(rune));
        if found {
            self.next();
        }
        found
    }

    fn accept_run(&mut self, set: &str) {
        while self.accept(set) {}
    }

    /// Makes a token of the pending text.
    fn token(&mut self, kind: Kind) -> Token {
        let token = Token { kind, start: self.start, end: self.position, line: self.start_line };
        self.start = self.position;
        self.start_line = self.line;
        token
    }

    fn emit(&mut self, kind: Kind) -> Step {
        Step::Emit(self.token(kind))
    }

    /// Drops the pending text, whose lines were not counted by [`Lexer::next`].
    fn skip(&mut self) {
        self.count_lines();
        self.start = self.position;
        self.start_line = self.line;
    }

    fn count_lines(&mut self) {
        self.line += self.pending().iter().filter(|byte| **byte == b'\n').count();
    }

    fn fail(&mut self, message: impl Into<String>) -> Step {
        let token = Token { kind: Kind::Error, start: self.start, end: self.start, line: self.start_line };
        self.error = message.into();
        self.text = &[];
        self.start = 0;
        self.position = 0;
        Step::Emit(token)
    }

    /// Scans up to the next `{{`.
    fn text(&mut self) -> Step {
        let Some(length) = find(self.rest(), LEFT) else {
            self.position = self.text.len();
            self.count_lines();
            let kind = if self.position > self.start { Kind::Text } else { Kind::Eof };
            return self.emit(kind);
        };
        if length == 0 {
            return Step::LeftDelim;
        }
        self.position += length;
        let action = self.rest().get(LEFT.len()..).unwrap_or_default();
        let trimmed = if starts_with_marker(action) { trailing_space(self.pending()) } else { 0 };
        self.position -= trimmed;
        self.count_lines();
        let token = self.token(Kind::Text);
        self.position += trimmed;
        self.skip();
        if token.start < token.end { Step::Emit(token) } else { Step::LeftDelim }
    }

    /// Takes a `{{`, with its trim marker.
    fn left_delim(&mut self) -> Step {
        self.position += LEFT.len();
        let marker = if starts_with_marker(self.rest()) { MARKER } else { 0 };
        if self.rest().get(marker..).unwrap_or_default().starts_with(COMMENT_START) {
            self.position += marker;
            self.skip();
            return Step::Comment;
        }
        let token = self.token(Kind::LeftDelim);
        self.inside_action = true;
        self.position += marker;
        self.skip();
        self.parens = 0;
        Step::Emit(token)
    }

    /// Skips a comment and the delimiter behind it.
    fn comment(&mut self) -> Step {
        self.position += COMMENT_START.len();
        let Some(length) = find(self.rest(), COMMENT_END) else {
            return self.fail("unclosed comment");
        };
        self.position += length + COMMENT_END.len();
        let Some(trim) = self.right_delim_ahead() else {
            return self.fail("comment ends before closing delimiter");
        };
        self.count_lines();
        self.token(Kind::Text);
        if trim {
            self.position += MARKER;
        }
        self.position += RIGHT.len();
        if trim {
            self.position += leading_space(self.rest());
        }
        self.skip();
        Step::Text
    }

    /// Reports whether a right delimiter comes next, and if so, whether it trims.
    fn right_delim_ahead(&self) -> Option<bool> {
        let rest = self.rest();
        if ends_with_marker(rest) && rest.get(MARKER..).unwrap_or_default().starts_with(RIGHT) {
            return Some(true);
        }
        rest.starts_with(RIGHT).then_some(false)
    }

    /// Takes the right delimiter that is known to come next.
    fn right_delim(&mut self, trim: bool) -> Step {
        if trim {
            self.position += MARKER;
            self.skip();
        }
        self.position += RIGHT.len();
        let token = self.token(Kind::RightDelim);
        if trim {
            self.position += leading_space(self.rest());
            self.skip();
        }
        self.inside_action = false;
        Step::Emit(token)
    }

    /// Scans one token of an action.
    fn inside_action(&mut self) -> Step {
        if let Some(trim) = self.right_delim_ahead() {
            return if self.parens == 0 { self.right_delim(trim) } else { self.fail("unclosed left paren") };
        }
        let Some(rune) = self.peek() else {
            return self.fail("unclosed action");
        };
        match rune {
            ' ' | '\t' | '\r' | '\n' => return self.space(),
            '.' if self.rest().get(1).is_some_and(|byte| !byte.is_ascii_digit()) => {
                self.next();
                return self.field_or_variable(Kind::Field);
            }
            '.' | '+' | '-' | '0'..='9' => return self.number(),
            rune if is_alphanumeric(rune) => return self.identifier(),
            _ => {}
        }
        self.next();
        match rune {
            '=' => self.emit(Kind::Assign),
            ':' if self.next() == Some('=') => self.emit(Kind::Declare),
            ':' => self.fail("expected :="),
            '|' => self.emit(Kind::Pipe),
            '"' => self.quoted('"', Kind::String, "unterminated quoted string"),
            '\'' => self.quoted('\'', Kind::CharConstant, "unterminated character constant"),
            '`' => self.raw_string(),
            '$' => self.field_or_variable(Kind::Variable),
            '(' => {
                self.parens += 1;
                self.emit(Kind::LeftParen)
            }
            ')' if self.parens == 0 => self.fail("unexpected right paren"),
            ')' => {
                self.parens -= 1;
                self.emit(Kind::RightParen)
            }
            '!'..='~' => self.emit(Kind::Char),
            rune => self.fail(format!("unrecognized character in action: {}", code_point(rune))),
        }
    }

    /// Scans a run of space, which may hold the first byte of a trimming right delimiter at its end.
    fn space(&mut self) -> Step {
        let mut last = (self.position, self.line);
        let mut count = 0;
        while self.peek().is_some_and(is_space) {
            last = (self.position, self.line);
            self.next();
            count += 1;
        }
        let from_last = self.text.get(last.0..).unwrap_or_default();
        if ends_with_marker(from_last) && from_last.get(MARKER..).unwrap_or_default().starts_with(RIGHT) {
            (self.position, self.line) = last;
            if count == 1 {
                return self.right_delim(true);
            }
        }
        self.emit(Kind::Space)
    }

    fn identifier(&mut self) -> Step {
        while self.peek().is_some_and(is_alphanumeric) {
            self.next();
        }
        let word = self.pending();
        if !self.at_terminator() {
            return self.bad_character();
        }
        let kind = match Kind::of_keyword(word) {
            Some(Kind::Break) if !self.loop_words.has_break => Kind::Identifier,
            Some(Kind::Continue) if !self.loop_words.has_continue => Kind::Identifier,
            Some(keyword) => keyword,
            None if matches!(word, b"true" | b"false") => Kind::Bool,
            None => Kind::Identifier,
        };
        self.emit(kind)
    }

    /// Scans the name after a dot or dollar sign.
    fn field_or_variable(&mut self, kind: Kind) -> Step {
        if self.at_terminator() {
            return self.emit(if kind == Kind::Variable { kind } else { Kind::Dot });
        }
        while self.peek().is_some_and(is_alphanumeric) {
            self.next();
        }
        if self.at_terminator() { self.emit(kind) } else { self.bad_character() }
    }

    fn bad_character(&mut self) -> Step {
        let rune = self.peek().unwrap_or(char::REPLACEMENT_CHARACTER);
        self.fail(format!("bad character {}", code_point(rune)))
    }

    /// Reports whether what comes next may stand right after an operand.
    fn at_terminator(&self) -> bool {
        match self.peek() {
            None | Some('.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(rune) => is_space(rune) || self.at(RIGHT),
        }
    }

    /// Scans a string or character constant whose first quote is taken.
    fn quoted(&mut self, quote: char, kind: Kind, unterminated: &'static str) -> Step {
        let mut is_escaped = false;
        loop {
            match self.next() {
                None | Some('\n') => return self.fail(unterminated),
                Some(_) if is_escaped => is_escaped = false,
                Some('\\') => is_escaped = true,
                Some(rune) if rune == quote => return self.emit(kind),
                Some(_) => {}
            }
        }
    }

    fn raw_string(&mut self) -> Step {
        loop {
            match self.next() {
                None => return self.fail("unterminated raw quoted string"),
                Some('`') => return self.emit(Kind::RawString),
                Some(_) => {}
            }
        }
    }
}

fn is_space(rune: char) -> bool {
    matches!(rune, ' ' | '\t' | '\r' | '\n')
}

fn is_space_byte(byte: u8) -> bool {
    is_space(char::from(byte))
}

fn is_alphanumeric(rune: char) -> bool {
    if rune.is_ascii() {
        return rune == '_' || rune.is_ascii_alphanumeric();
    }
    is_letter(rune) || is_digit(rune)
}

fn starts_with_marker(text: &[u8]) -> bool {
    matches!(text, [b'-', space, ..] if is_space_byte(*space))
}

fn ends_with_marker(text: &[u8]) -> bool {
    matches!(text, [space, b'-', ..] if is_space_byte(*space))
}

fn trailing_space(text: &[u8]) -> usize {
    text.iter().rev().take_while(|byte| is_space_byte(**byte)).count()
}

fn leading_space(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_space_byte(**byte)).count()
}

/// Returns where the two-byte `part` first occurs.
fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// Formats a character as Go's `%#U` does.
fn code_point(rune: char) -> String {
    let number = u32::from(rune);
    if is_print(rune) { format!("U+{number:04X} '{rune}'") } else { format!("U+{number:04X}") }
}

#[cfg(test)]
mod tests;
