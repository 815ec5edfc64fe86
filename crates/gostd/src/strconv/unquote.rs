//! Reading Go string and character literals.

use crate::runes::{decode_rune, push_rune};

/// The text is no Go literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid syntax")]
pub struct InvalidSyntax;

/// Returns what a double-quoted, single-quoted or backquoted Go literal stands for, as `strconv.Unquote`.
pub fn unquote(literal: &[u8]) -> Result<Vec<u8>, InvalidSyntax> {
    let (quote, rest) = literal.split_first().ok_or(InvalidSyntax)?;
    match *quote {
        b'`' => {
            let (end, body) = rest.split_last().ok_or(InvalidSyntax)?;
            if *end != b'`' || body.contains(&b'`') {
                return Err(InvalidSyntax);
            }
            Ok(body.iter().copied().filter(|byte| *byte != b'\r').collect())
        }
        b'"' | b'\'' => unquote_escaped(rest, *quote),
        _ => Err(InvalidSyntax),
    }
}

fn unquote_escaped(mut rest: &[u8], quote: u8) -> Result<Vec<u8>, InvalidSyntax> {
    let mut out = Vec::with_capacity(rest.len());
    while rest.first().is_some_and(|next| *next != quote) {
        if rest.first() == Some(&b'\n') {
            return Err(InvalidSyntax);
        }
        let (unit, tail) = unquote_char(rest, quote)?;
        match unit {
            Unit::Byte(byte) => out.push(byte),
            Unit::Rune(rune) => push_rune(&mut out, rune),
        }
        rest = tail;
        if quote == b'\'' {
            break;
        }
    }
    if rest == [quote] { Ok(out) } else { Err(InvalidSyntax) }
}

/// One element of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// An ASCII character, or a byte given as `\x` or octal escape.
    Byte(u8),
    /// A character that was written out or given by code point.
    Rune(char),
}

impl Unit {
    /// Returns the number a character constant has: of bytes above ASCII, the byte.
    pub fn code(self) -> u32 {
        match self {
            Unit::Byte(byte) => byte.into(),
            Unit::Rune(rune) => rune.into(),
        }
    }
}

/// Reads one character or escape and returns the rest, as `strconv.UnquoteChar`. `quote` is the quote that may be
/// escaped and may not stand bare; 0 if neither applies to any.
pub fn unquote_char(text: &[u8], quote: u8) -> Result<(Unit, &[u8]), InvalidSyntax> {
    let (first, rest) = text.split_first().ok_or(InvalidSyntax)?;
    match *first {
        b'\\' => unquote_escape(rest, quote),
        byte if byte == quote && matches!(quote, b'\'' | b'"') => Err(InvalidSyntax),
        byte if byte.is_ascii() => Ok((Unit::Byte(byte), rest)),
        _ => {
            let (rune, width) = decode_rune(text);
            Ok((Unit::Rune(rune), text.get(width..).unwrap_or_default()))
        }
    }
}

fn unquote_escape(text: &[u8], quote: u8) -> Result<(Unit, &[u8]), InvalidSyntax> {
    let (letter, rest) = text.split_first().ok_or(InvalidSyntax)?;
    let byte = match *letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' => b'\\',
        b'\'' | b'"' if *letter == quote => quote,
        b'x' => {
            let (code, rest) = number(rest, 2, 16)?;
            return byte_unit(code, rest);
        }
        b'0'..=b'7' => {
            let (code, rest) = number(text, 3, 8)?;
            return byte_unit(code, rest);
        }
        b'u' | b'U' => {
            let (code, rest) = number(rest, if *letter == b'u' { 4 } else { 8 }, 16)?;
            return Ok((Unit::Rune(char::from_u32(code).ok_or(InvalidSyntax)?), rest));
        }
        _ => return Err(InvalidSyntax),
    };
    Ok((Unit::Byte(byte), rest))
}

fn byte_unit(code: u32, rest: &[u8]) -> Result<(Unit, &[u8]), InvalidSyntax> {
    Ok((Unit::Byte(u8::try_from(code).map_err(|_| InvalidSyntax)?), rest))
}

fn number(text: &[u8], digits: usize, base: u32) -> Result<(u32, &[u8]), InvalidSyntax> {
    let (number, rest) = text.split_at_checked(digits).ok_or(InvalidSyntax)?;
    let code = number.iter().try_fold(0u32, |code, digit| {
        let digit = char::from(*digit).to_digit(base).ok_or(InvalidSyntax)?;
        code.checked_mul(base).and_then(|code| code.checked_add(digit)).ok_or(InvalidSyntax)
    })?;
    Ok((code, rest))
}
