//! Reads the tokens of a JSON text, with Go's wording for what is wrong with them.

use crate::GoStr;
use crate::runes::push_rune;
use crate::strconv::quote;
use crate::value::Recent;

/// What is wrong with a text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxError {
    /// The text ends too early.
    #[error("unexpected end of JSON input")]
    UnexpectedEnd,
    /// A byte cannot stand where it does.
    #[error("invalid character {} {context}", quote_byte(*byte))]
    Unexpected {
        /// The byte.
        byte: u8,
        /// Where it stands, in Go's words.
        context: &'static str,
    },
}

/// Go's `quoteChar`: the byte as a Latin-1 character, in single quotes.
fn quote_byte(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => r#"'"'"#.to_owned(),
        _ => {
            let quoted = quote(char::from(byte).encode_utf8(&mut [0; 4]).as_bytes());
            format!("'{}'", quoted.get(1..quoted.len() - 1).unwrap_or_default())
        }
    }
}

/// A position in a JSON text.
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    recent: Recent,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, recent: Recent::default() }
    }

    /// Returns the next byte that is not white space, without taking it.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = self.next()?;
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Some(byte);
            }
            self.advance();
        }
    }

    /// Returns how many bytes were taken.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Takes one byte.
    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Returns the error for a byte that [`Scanner::peek`] found, or for the end of the text.
    pub(super) fn unexpected(&mut self, context: &'static str) -> SyntaxError {
        match self.peek() {
            Some(byte) => SyntaxError::Unexpected { byte, context },
            None => SyntaxError::UnexpectedEnd,
        }
    }

    fn next(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Returns the error for the next byte inside a token. At its end Go feeds the text a space to see whether the token
    /// was complete, and reports that space.
    fn broken_token(&self, context: &'static str) -> SyntaxError {
        SyntaxError::Unexpected { byte: self.next().unwrap_or(b' '), context }
    }

    /// Takes a literal such as `true` if every byte is there; `contexts` has the error for each but the first.
    pub(super) fn literal(&mut self, word: &[u8], contexts: &[&'static str]) -> Result<(), SyntaxError> {
        self.advance();
        for (byte, context) in word.iter().skip(1).zip(contexts) {
            if self.next() != Some(*byte) {
                return Err(self.broken_token(context));
            }
            self.advance();
        }
        Ok(())
    }

    /// Takes a number and returns its text.
    pub(super) fn number(&mut self) -> Result<&'a [u8], SyntaxError> {
        let start = self.at;
        if self.next() == Some(b'-') {
            self.advance();
        }
        match self.next() {
            Some(b'0') => self.advance(),
            _ => self.digits("in numeric literal")?,
        }
        if self.next() == Some(b'.') {
            self.advance();
            self.digits("after decimal point in numeric literal")?;
        }
        if let Some(b'e' | b'E') = self.next() {
            self.advance();
            if let Some(b'+' | b'-') = self.next() {
                self.advance();
            }
            self.digits("in exponent of numeric literal")?;
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// Takes at least one digit.
    fn digits(&mut self, context: &'static str) -> Result<(), SyntaxError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len()) {
            0 => Err(self.broken_token(context)),
            count => {
                self.at += count;
                Ok(())
            }
        }
    }

    /// Takes a string, the scanner standing on its opening quote, and returns what it stands for. Invalid UTF-8 and
    /// unpaired surrogates become U+FFFD.
    pub(super) fn string(&mut self) -> Result<GoStr, SyntaxError> {
        self.advance();
        let run = self.plain_run();
        if self.next() == Some(b'"') {
            self.advance();
            return Ok(if std::str::from_utf8(run).is_ok() {
                self.recent.share(run)
            } else {
                GoStr::from(crate::value::lossy(run))
            });
        }
        let mut out = Vec::with_capacity(run.len() * 2);
        let mut run = run;
        loop {
            match std::str::from_utf8(run) {
                Ok(text) => out.extend_from_slice(text.as_bytes()),
                Err(_) => out.extend_from_slice(crate::value::lossy(run).as_bytes()),
            }
            match self.next() {
                None => return Err(SyntaxError::UnexpectedEnd),
                Some(b'"') => {
                    self.advance();
                    return Ok(GoStr::from(out));
                }
                Some(b'\\') => self.escape(&mut out)?,
                Some(_) => return Err(self.broken_token("in string literal")),
            }
            run = self.plain_run();
        }
    }

    /// Takes bytes up to a quote, backslash or control character.
    fn plain_run(&mut self) -> &'a [u8] {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), SyntaxError> {
        self.advance();
        let plain = match self.next() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => return self.unicode_escape(out),
            _ => return Err(self.broken_token("in string escape code")),
        };
        self.advance();
        out.push(plain);
        Ok(())
    }

    fn unicode_escape(&mut self, out: &mut Vec<u8>) -> Result<(), SyntaxError> {
        self.advance();
        let unit = self.hex_unit()?;
        let rune = match unit {
            0xd800..0xdc00 => {
                let low = self.low_surrogate();
                low.and_then(|low| char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00)))
            }
            _ => char::from_u32(unit),
        };
        push_rune(out, rune.unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(())
    }

    /// Takes an escaped second half of a surrogate pair if one follows; anything else is left where it is.
    fn low_surrogate(&mut self) -> Option<u32> {
        let start = self.at;
        let low = match self.text.get(start..start + 2) {
            Some(b"\\u") => {
                self.at += 2;
                self.hex_unit().ok().filter(|unit| (0xdc00..0xe000).contains(unit))
            }
            _ => None,
        };
        if low.is_none() {
            self.at = start;
        }
        low
    }

    fn hex_unit(&mut self) -> Result<u32, SyntaxError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.next().and_then(|byte| char::from(byte).to_digit(16));
            unit =
                unit << 4 | digit.ok_or_else(|| self.broken_token("in \\u hexadecimal character escape"))?;
            self.advance();
        }
        Ok(unit)
    }
}
