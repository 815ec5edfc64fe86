//! Finds the tokens of TOML, with the library's errors and the lines it reports.

use std::collections::VecDeque;

use gostd::strconv::{quote, quote_rune};
use gostd::strings::decode_rune;

use super::is_bare;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Error,
    Eof,
    /// A bare key, or a comment.
    Text,
    String,
    /// A string with escapes.
    StringEscaped,
    RawString,
    MultilineString,
    RawMultilineString,
    Bool,
    Integer,
    Float,
    Datetime,
    Array,
    ArrayEnd,
    TableStart,
    TableEnd,
    ArrayTableStart,
    ArrayTableEnd,
    KeyStart,
    KeyEnd,
    CommentStart,
    InlineTableStart,
    InlineTableEnd,
}

/// A token: its text, or the error's, and the line it is reported for.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) kind: Kind,
    pub(super) text: Vec<u8>,
    pub(super) line: i64,
}

/// What the lexer expects next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Top,
    TopEnd,
    TableStart,
    TableEnd,
    ArrayTableEnd,
    TableNameStart,
    TableNameEnd,
    BareName,
    QuotedName,
    KeyStart,
    KeyNameStart,
    KeyEnd,
    Value,
    ArrayValue,
    ArrayValueEnd,
    InlineValue,
    InlineValueEnd,
    String,
    MultilineString,
    RawString,
    RawMultilineString,
    StringEscape,
    NumberOrDateStart,
    NumberOrDate,
    Datetime,
    /// Digits of a base with a prefix.
    BaseInteger(u32),
    DecimalNumber,
    DecimalNumberStart,
    BaseNumberOrDate,
    Float,
    Comment,
}

/// The end of the text, told apart from a NUL, which is an error.
const EOF: char = '\0';
/// The lexer never steps back further than this.
const MOST_STEPS_BACK: usize = 16;

pub(super) struct Lexer<'t> {
    text: &'t [u8],
    start: usize,
    at: usize,
    line: i64,
    /// The next state; nothing after an error or the end.
    state: Option<State>,
    /// The states to return to.
    stack: Vec<State>,
    items: VecDeque<Item>,
    has_escape: bool,
    at_eof: bool,
    /// The widths of the last characters, to step back over.
    widths: Vec<usize>,
}

/// What follows a state: another one, or the end.
type Next = Option<State>;

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            start: 0,
            at: 0,
            line: 1,
            state: Some(State::Top),
            stack: Vec::new(),
            items: VecDeque::new(),
            has_escape: false,
            at_eof: false,
            widths: Vec::new(),
        }
    }

    /// Returns the next token; after an error or the end, the end.
    pub(super) fn next_item(&mut self) -> Item {
        loop {
            if let Some(item) = self.items.pop_front() {
                return item;
            }
            match self.state {
                Some(state) => self.state = self.step(state),
                None => return Item { kind: Kind::Eof, text: Vec::new(), line: self.line },
            }
        }
    }

    fn next(&mut self) -> char {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(first) = rest.first() else {
            self.at_eof = true;
            return EOF;
        };
        if *first == b'\n' {
            self.line += 1;
        }
        let (letter, width) = decode_rune(rest);
        if letter == char::REPLACEMENT_CHARACTER && width == 1 {
            return self.refuse(format!("invalid UTF-8 byte: 0x{first:02x}"));
        }
        let is_lone_return = letter == '\r' && rest.get(1) != Some(&b'\n');
        let is_control = letter.is_ascii_control() && !matches!(letter, '\t' | '\r' | '\n');
        if is_control || is_lone_return {
            let code = u32::from(letter);
            return self.refuse(format!("TOML files cannot contain control characters: '0x{code:02x}'"));
        }
        if self.widths.len() > 2 * MOST_STEPS_BACK {
            self.widths.drain(..MOST_STEPS_BACK);
        }
        self.widths.push(width);
        self.at += width;
        letter
    }

    /// Reports a character that may stand nowhere.
    fn refuse(&mut self, message: String) -> char {
        self.push_error(self.line, message);
        self.widths.push(0);
        char::REPLACEMENT_CHARACTER
    }

    fn back(&mut self) {
        if self.at_eof {
            self.at_eof = false;
            return;
        }
        self.at -= self.widths.pop().unwrap_or_default();
        if self.text.get(self.at) == Some(&b'\n') {
            self.line -= 1;
        }
    }

    fn peek(&mut self) -> char {
        let letter = self.next();
        self.back();
        letter
    }

    fn accept(&mut self, wanted: char) -> bool {
        let found = self.next() == wanted;
        if !found {
            self.back();
        }
        found
    }

    fn ignore(&mut self) {
        self.start = self.at;
        self.widths.clear();
    }

    fn skip_spaces(&mut self) {
        while is_space(self.next()) {}
        self.back();
        self.ignore();
    }

    fn current(&self) -> &'t [u8] {
        self.text.get(self.start..self.at).unwrap_or_default()
    }

    fn emit(&mut self, kind: Kind) {
        let text = self.current().to_vec();
        self.items.push_back(Item { kind, text, line: self.line });
        self.ignore();
    }

    /// Emits a token and returns to the state that waits for it.
    fn emit_and_return(&mut self, kind: Kind) -> Next {
        self.emit(kind);
        self.stack.pop()
    }

    fn push_error(&mut self, line: i64, message: String) {
        self.items.push_back(Item { kind: Kind::Error, text: message.into_bytes(), line });
    }

    fn fail(&mut self, message: impl Into<String>) -> Next {
        let after_newline = self.at.checked_sub(1).and_then(|before| self.text.get(before)) == Some(&b'\n');
        let line = if self.at_eof && after_newline { self.line - 1 } else { self.line };
        self.push_error(line, message.into());
        None
    }

    fn fail_on_line_before(&mut self, message: impl Into<String>) -> Next {
        self.push_error(self.line - 1, message.into());
        None
    }

    fn call(&mut self, return_to: State, state: State) -> Next {
        self.stack.push(return_to);
        Some(state)
    }

    fn comment(&mut self, return_to: State) -> Next {
        self.ignore();
        self.emit(Kind::CommentStart);
        self.call(return_to, State::Comment)
    }

    fn skip_to(&mut self, state: State) -> Next {
        self.ignore();
        Some(state)
    }

    fn step(&mut self, state: State) -> Next {
        match state {
            State::Top => self.top(),
            State::TopEnd => self.top_end(),
            State::TableStart => self.table_start(),
            State::TableEnd => {
                self.emit(Kind::TableEnd);
                Some(State::TopEnd)
            }
            State::ArrayTableEnd => match self.next() {
                ']' => {
                    self.emit(Kind::ArrayTableEnd);
                    Some(State::TopEnd)
                }
                other => {
                    let other = quote_rune(other);
                    self.fail(format!(
                        "expected end of table array name delimiter ']', but got {other} instead"
                    ))
                }
            },
            State::TableNameStart => self.table_name_start(),
            State::TableNameEnd => self.table_name_end(),
            State::BareName => {
                while is_bare(self.next()) {}
                self.back();
                self.emit_and_return(Kind::Text)
            }
            State::QuotedName => self.quoted_name(),
            State::KeyStart => self.key_start(),
            State::KeyNameStart => self.key_name_start(),
            State::KeyEnd => self.key_end(),
            State::Value => self.value(),
            State::ArrayValue => self.array_value(),
            State::ArrayValueEnd => self.array_value_end(),
            State::InlineValue => self.inline_value(),
            State::InlineValueEnd => self.inline_value_end(),
            State::String => self.string(),
            State::MultilineString => self.multiline('"'),
            State::RawString => self.raw_string(),
            State::RawMultilineString => self.multiline('\''),
            State::StringEscape => self.string_escape(),
            State::NumberOrDateStart => {
                Some(if self.next() == '0' { State::BaseNumberOrDate } else { State::NumberOrDate })
            }
            State::NumberOrDate => self.number_or_date(),
            State::Datetime => self.datetime(),
            State::BaseInteger(base) => {
                while matches!(self.next(), letter if letter == '_' || letter.is_digit(base)) {}
                self.back();
                self.emit_and_return(Kind::Integer)
            }
            State::DecimalNumber => self.decimal_number(),
            State::DecimalNumberStart => self.decimal_number_start(),
            State::BaseNumberOrDate => self.base_number_or_date(),
            State::Float => {
                while matches!(self.next(), '0'..='9' | '_' | '.' | '-' | '+' | 'e' | 'E') {}
                self.back();
                self.emit_and_return(Kind::Float)
            }
            State::Comment => {
                while !matches!(self.next(), '\n' | '\r' | EOF | char::REPLACEMENT_CHARACTER) {}
                self.back();
                self.emit_and_return(Kind::Text)
            }
        }
    }

    fn top(&mut self) -> Next {
        match self.next() {
            letter if is_space(letter) || is_newline(letter) => self.skip_to(State::Top),
            '#' => self.comment(State::Top),
            '[' => Some(State::TableStart),
            EOF => {
                self.emit(Kind::Eof);
                None
            }
            _ => {
                self.back();
                self.call(State::TopEnd, State::KeyStart)
            }
        }
    }

    fn top_end(&mut self) -> Next {
        match self.next() {
            '#' => self.comment(State::Top),
            letter if is_space(letter) => Some(State::TopEnd),
            letter if is_newline(letter) => self.skip_to(State::Top),
            EOF => {
                self.emit(Kind::Eof);
                None
            }
            other => {
                let other = quote_rune(other);
                self.fail(format!(
                    "expected a top-level item to end with a newline, comment, or EOF, but got {other} instead"
                ))
            }
        }
    }

    fn table_start(&mut self) -> Next {
        if self.peek() == '[' {
            self.next();
            self.emit(Kind::ArrayTableStart);
            return self.call(State::ArrayTableEnd, State::TableNameStart);
        }
        self.emit(Kind::TableStart);
        self.call(State::TableEnd, State::TableNameStart)
    }

    fn table_name_start(&mut self) -> Next {
        self.skip_spaces();
        match self.peek() {
            ']' | EOF => self.fail("unexpected end of table name (table names cannot be empty)"),
            '.' => self.fail("unexpected table separator (table names cannot be empty)"),
            '"' | '\'' => {
                self.ignore();
                self.call(State::TableNameEnd, State::QuotedName)
            }
            _ => self.call(State::TableNameEnd, State::BareName),
        }
    }

    fn table_name_end(&mut self) -> Next {
        self.skip_spaces();
        match self.next() {
            '.' => self.skip_to(State::TableNameStart),
            ']' => self.stack.pop(),
            other => {
                let other = quote_rune(other);
                self.fail(format!("expected '.' or ']' to end table name, but got {other} instead"))
            }
        }
    }

    fn quoted_name(&mut self) -> Next {
        match self.next() {
            '"' => self.skip_to(State::String),
            _ => self.skip_to(State::RawString),
        }
    }

    fn key_start(&mut self) -> Next {
        self.skip_spaces();
        match self.peek() {
            '=' | EOF => self.fail("unexpected '=': key name appears blank"),
            '.' => self.fail("unexpected '.': keys cannot start with a '.'"),
            _ => {
                self.emit(Kind::KeyStart);
                Some(State::KeyNameStart)
            }
        }
    }

    fn key_name_start(&mut self) -> Next {
        self.skip_spaces();
        match self.peek() {
            '=' | EOF => self.fail("unexpected '='"),
            '.' => self.fail("unexpected '.'"),
            '"' | '\'' => {
                self.ignore();
                self.call(State::KeyEnd, State::QuotedName)
            }
            _ => self.call(State::KeyEnd, State::BareName),
        }
    }

    fn key_end(&mut self) -> Next {
        self.skip_spaces();
        match self.next() {
            EOF => self.fail("unexpected EOF; expected key separator '='"),
            '.' => self.skip_to(State::KeyNameStart),
            '=' => {
                self.emit(Kind::KeyEnd);
                self.skip_to(State::Value)
            }
            '\n' => self.fail_on_line_before("expected '.' or '=', but got '\\n' instead"),
            other => {
                let other = quote_rune(other);
                self.fail(format!("expected '.' or '=', but got {other} instead"))
            }
        }
    }

    fn value(&mut self) -> Next {
        match self.next() {
            letter if is_space(letter) => self.skip_to(State::Value),
            '0'..='9' => {
                self.back();
                Some(State::NumberOrDateStart)
            }
            '[' => {
                self.ignore();
                self.emit(Kind::Array);
                Some(State::ArrayValue)
            }
            '{' => {
                self.ignore();
                self.emit(Kind::InlineTableStart);
                Some(State::InlineValue)
            }
            '"' => self.quoted_value('"', State::String, State::MultilineString),
            '\'' => self.quoted_value('\'', State::RawString, State::RawMultilineString),
            '.' => self.fail("floats must start with a digit, not '.'"),
            '-' | '+' => Some(State::DecimalNumberStart),
            letter => self.word(letter),
        }
    }

    fn quoted_value(&mut self, quote: char, short: State, long: State) -> Next {
        if self.accept(quote) {
            if self.accept(quote) {
                return self.skip_to(long);
            }
            self.back();
        }
        self.skip_to(short)
    }

    /// Reads `inf`, `nan`, `true` or `false`.
    fn word(&mut self, letter: char) -> Next {
        let is_number = matches!(letter, 'i' | 'n')
            && ((self.accept('n') && self.accept('f')) || (self.accept('a') && self.accept('n')));
        if is_number {
            return self.emit_and_return(Kind::Float);
        }
        if gostd::strings::is_letter(letter) {
            self.back();
            return self.boolean();
        }
        match letter {
            EOF => self.fail("unexpected EOF; expected value"),
            '\n' => self.fail_on_line_before("expected value but found '\\n' instead"),
            other => {
                let other = quote_rune(other);
                self.fail(format!("expected value but found {other} instead"))
            }
        }
    }

    fn boolean(&mut self) -> Next {
        let start = self.at;
        while gostd::strings::is_letter(self.next()) {}
        self.back();
        match self.text.get(start..self.at).unwrap_or_default() {
            b"true" | b"false" => self.emit_and_return(Kind::Bool),
            other => self.fail(format!("expected value but found {} instead", quote(other))),
        }
    }

    fn array_value(&mut self) -> Next {
        match self.next() {
            letter if is_space(letter) || is_newline(letter) => self.skip_to(State::ArrayValue),
            '#' => self.comment(State::ArrayValue),
            ',' => self.fail("unexpected comma"),
            ']' => self.end_of(Kind::ArrayEnd),
            _ => {
                self.back();
                self.call(State::ArrayValueEnd, State::Value)
            }
        }
    }

    fn end_of(&mut self, kind: Kind) -> Next {
        self.ignore();
        self.emit_and_return(kind)
    }

    fn array_value_end(&mut self) -> Next {
        match self.next() {
            letter if is_space(letter) || is_newline(letter) => self.skip_to(State::ArrayValueEnd),
            '#' => self.comment(State::ArrayValueEnd),
            ',' => self.skip_to(State::ArrayValue),
            ']' => self.end_of(Kind::ArrayEnd),
            other => {
                let found = found(other);
                self.fail(format!("expected a comma (',') or array terminator (']'), but got {found}"))
            }
        }
    }

    fn inline_value(&mut self) -> Next {
        match self.next() {
            letter if is_space(letter) || is_newline(letter) => self.skip_to(State::InlineValue),
            '#' => self.comment(State::InlineValue),
            ',' => self.fail("unexpected comma"),
            '}' => self.end_of(Kind::InlineTableEnd),
            _ => {
                self.back();
                self.call(State::InlineValueEnd, State::KeyStart)
            }
        }
    }

    fn inline_value_end(&mut self) -> Next {
        match self.next() {
            letter if is_space(letter) || is_newline(letter) => self.skip_to(State::InlineValueEnd),
            '#' => self.comment(State::InlineValueEnd),
            ',' => {
                self.ignore();
                self.skip_spaces();
                Some(if self.peek() == '}' { State::InlineValueEnd } else { State::InlineValue })
            }
            '}' => self.end_of(Kind::InlineTableEnd),
            other => {
                let found = found(other);
                self.fail(format!(
                    "expected a comma or an inline table terminator '}}', but got {found} instead"
                ))
            }
        }
    }

    fn string(&mut self) -> Next {
        loop {
            match self.next() {
                EOF => return self.fail("unexpected EOF; expected '\"'"),
                '\n' | '\r' => return self.fail_on_line_before("strings cannot contain newlines"),
                char::REPLACEMENT_CHARACTER if !self.items.is_empty() => return None,
                '\\' => return self.call(State::String, State::StringEscape),
                '"' => {
                    let kind = if self.has_escape { Kind::StringEscaped } else { Kind::String };
                    self.has_escape = false;
                    return self.end_string(1, kind);
                }
                _ => {}
            }
        }
    }

    fn raw_string(&mut self) -> Next {
        loop {
            match self.next() {
                EOF => return self.fail("unexpected EOF; expected \"'\""),
                '\n' | '\r' => return self.fail_on_line_before("strings cannot contain newlines"),
                char::REPLACEMENT_CHARACTER if !self.items.is_empty() => return None,
                '\'' => return self.end_string(1, Kind::RawString),
                _ => {}
            }
        }
    }

    /// Emits a string without its closing quotes, which have been read.
    fn end_string(&mut self, quotes: usize, kind: Kind) -> Next {
        let end = self.at;
        self.at -= quotes;
        self.emit(kind);
        self.at = end;
        self.ignore();
        self.stack.pop()
    }

    /// Reads a string in three quotes. Up to two more quotes may stand right before the closing ones.
    fn multiline(&mut self, quote: char) -> Next {
        let is_raw = quote == '\'';
        let state = if is_raw { State::RawMultilineString } else { State::MultilineString };
        match self.next() {
            EOF if is_raw => self.fail("unexpected EOF; expected \"'''\""),
            EOF => self.fail("unexpected EOF; expected '\"\"\"'"),
            '\\' if !is_raw => {
                if is_newline(self.next()) {
                    return Some(state);
                }
                self.back();
                self.call(state, State::StringEscape)
            }
            letter if letter == quote => self.multiline_quote(quote, state),
            _ => Some(state),
        }
    }

    fn multiline_quote(&mut self, quote: char, state: State) -> Next {
        if !self.accept(quote) {
            return Some(state);
        }
        if !self.accept(quote) {
            self.back();
            return Some(state);
        }
        if self.peek() == quote {
            let current = self.current();
            if quote == '"' && current.ends_with(br#"""""""#) && !current.ends_with(br#"\""""""#) {
                return self.fail(r#"unexpected '""""""'"#);
            }
            if quote == '\'' && current.ends_with(b"'''''") {
                return self.fail(r#"unexpected "''''''""#);
            }
            self.back();
            self.back();
            return Some(state);
        }
        self.has_escape = false;
        let kind = if quote == '"' { Kind::MultilineString } else { Kind::RawMultilineString };
        self.end_string(3, kind)
    }

    fn string_escape(&mut self) -> Next {
        self.has_escape = true;
        match self.next() {
            'e' | 'b' | 't' | 'n' | 'f' | 'r' | '"' | ' ' | '\t' | '\\' => self.stack.pop(),
            'x' => self.hex_escape(2, "two", 'x'),
            'u' => self.hex_escape(4, "four", 'u'),
            'U' => self.hex_escape(8, "eight", 'U'),
            other => {
                let message = format!("invalid escape in string '\\{other}'");
                if self.at_eof { self.fail_on_line_before(message) } else { self.fail(message) }
            }
        }
    }

    fn hex_escape(&mut self, digits: usize, count: &str, letter: char) -> Next {
        for _ in 0..digits {
            if !self.next().is_ascii_hexdigit() {
                let current = quote(self.current());
                return self.fail(format!(
                    "expected {count} hexadecimal digits after '\\{letter}', but got {current} instead"
                ));
            }
        }
        self.stack.pop()
    }

    fn number_or_date(&mut self) -> Next {
        match self.next() {
            '0'..='9' => Some(State::NumberOrDate),
            '-' | ':' => Some(State::Datetime),
            '_' => Some(State::DecimalNumber),
            '.' | 'e' | 'E' => Some(State::Float),
            _ => {
                self.back();
                self.emit_and_return(Kind::Integer)
            }
        }
    }

    fn datetime(&mut self) -> Next {
        while matches!(self.next(), '0'..='9' | '-' | ':' | 'T' | 't' | ' ' | '.' | 'Z' | 'z' | '+') {}
        self.back();
        let text = gostd::strings::trim_space(self.current()).to_vec();
        self.items.push_back(Item { kind: Kind::Datetime, text, line: self.line });
        self.ignore();
        self.stack.pop()
    }

    fn decimal_number(&mut self) -> Next {
        match self.next() {
            '0'..='9' | '_' => Some(State::DecimalNumber),
            '.' | 'e' | 'E' => Some(State::Float),
            _ => {
                self.back();
                self.emit_and_return(Kind::Integer)
            }
        }
    }

    fn decimal_number_start(&mut self) -> Next {
        let letter = self.next();
        let special = match letter {
            'i' => Some(self.accept('n') && self.accept('f')),
            'n' => Some(self.accept('a') && self.accept('n')),
            _ => None,
        };
        match special {
            Some(true) => return self.emit_and_return(Kind::Float),
            Some(false) => {
                let current = gostd::value::lossy(self.current());
                return self.fail(format!("invalid float: '{current}'"));
            }
            None => {}
        }
        if letter == '0' {
            let base = self.peek();
            if matches!(base, 'b' | 'o' | 'x') {
                let current = gostd::value::lossy(self.current());
                return self.fail(format!("cannot use sign with non-decimal numbers: '{current}{base}'"));
            }
        }
        match letter {
            '.' => self.fail("floats must start with a digit, not '.'"),
            '0'..='9' => Some(State::DecimalNumber),
            other => self.fail(format!("expected a digit but got {}", quote_rune(other))),
        }
    }

    fn base_number_or_date(&mut self) -> Next {
        let (base, name) = match self.next() {
            '0'..='9' => return Some(State::NumberOrDate),
            '_' => return Some(State::DecimalNumber),
            '.' | 'e' | 'E' => return Some(State::Float),
            'b' => (2, "a binary"),
            'o' => (8, "an octal"),
            'x' => (16, "a hexadecimal"),
            _ => {
                self.back();
                return self.emit_and_return(Kind::Integer);
            }
        };
        let digit = self.peek();
        if !digit.is_digit(base) {
            let current = gostd::value::lossy(self.current());
            return self.fail(format!("not {name} number: '{current}{digit}'"));
        }
        Some(State::BaseInteger(base))
    }
}

fn is_space(letter: char) -> bool {
    letter == '\t' || letter == ' '
}

fn is_newline(letter: char) -> bool {
    letter == '\n' || letter == '\r'
}

fn found(letter: char) -> String {
    if letter == EOF { "end of file".to_owned() } else { format!("'{letter}'") }
}
