//! Go string and character literals.

use crate::runes::{decode_rune, push_rune, runes};
use crate::strings::is_print;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Writes a double-quoted Go string literal, as `strconv.Quote`.
pub fn quote(text: &[u8]) -> String {
    literal(|out| append_quote(out, text))
}

/// Writes a double-quoted Go string literal without characters above ASCII, as `strconv.QuoteToASCII`.
pub fn quote_to_ascii(text: &[u8]) -> String {
    literal(|out| append_quote_to_ascii(out, text))
}

/// Writes a single-quoted Go character literal, as `strconv.QuoteRune`.
pub fn quote_rune(rune: char) -> String {
    literal(|out| append_quote_rune(out, rune))
}

/// Writes a single-quoted Go character literal within ASCII, as `strconv.QuoteRuneToASCII`.
pub fn quote_rune_to_ascii(rune: char) -> String {
    literal(|out| append_quoted(out, rune.encode_utf8(&mut [0; 4]).as_bytes(), b'\'', true))
}

/// Appends what [`quote`] returns.
pub fn append_quote(out: &mut Vec<u8>, text: &[u8]) {
    append_quoted(out, text, b'"', false);
}

/// Appends what [`quote_to_ascii`] returns.
pub fn append_quote_to_ascii(out: &mut Vec<u8>, text: &[u8]) {
    append_quoted(out, text, b'"', true);
}

/// Appends what [`quote_rune`] returns.
pub fn append_quote_rune(out: &mut Vec<u8>, rune: char) {
    append_quoted(out, rune.encode_utf8(&mut [0; 4]).as_bytes(), b'\'', false);
}

/// Literals are always valid UTF-8: bytes that are not stand in them as escapes.
fn literal(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

fn append_quoted(out: &mut Vec<u8>, text: &[u8], quote: u8, ascii_only: bool) {
    out.reserve(text.len() + 2);
    out.push(quote);
    let mut rest = text;
    while !rest.is_empty() {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != quote && *byte != b'\\';
        let plain = rest.iter().position(|byte| !is_plain(byte)).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(plain);
        out.extend_from_slice(run);
        let (rune, width) = decode_rune(tail);
        match (width, tail.first()) {
            (1, Some(byte)) if !byte.is_ascii() => append_hex(out, b'x', u32::from(*byte), 2),
            (0, _) | (_, None) => {}
            _ => append_escaped(out, rune, quote, ascii_only),
        }
        rest = tail.get(width..).unwrap_or_default();
    }
    out.push(quote);
}

/// Go's `appendEscapedRune`.
fn append_escaped(out: &mut Vec<u8>, rune: char, quote: u8, ascii_only: bool) {
    if rune == char::from(quote) || rune == '\\' {
        out.push(b'\\');
        return push_rune(out, rune);
    }
    if is_print(rune) && (rune.is_ascii() || !ascii_only) {
        return push_rune(out, rune);
    }
    match rune {
        '\x07' => out.extend(br"\a"),
        '\x08' => out.extend(br"\b"),
        '\x0c' => out.extend(br"\f"),
        '\n' => out.extend(br"\n"),
        '\r' => out.extend(br"\r"),
        '\t' => out.extend(br"\t"),
        '\x0b' => out.extend(br"\v"),
        _ if rune.is_ascii() => append_hex(out, b'x', rune.into(), 2),
        '\0'..='\u{ffff}' => append_hex(out, b'u', rune.into(), 4),
        _ => append_hex(out, b'U', rune.into(), 8),
    }
}

fn append_hex(out: &mut Vec<u8>, letter: u8, code: u32, digits: u32) {
    out.extend([b'\\', letter]);
    out.extend((0..digits).rev().filter_map(|at| HEX.get((code >> (4 * at)) as usize & 15)));
}

/// Reports whether a text can stand unchanged in a raw (backquoted) literal of one line, as `strconv.CanBackquote`.
pub fn can_backquote(text: &[u8]) -> bool {
    runes(text).all(|(_, rune, width)| match rune {
        '\u{feff}' => false,
        _ if width > 1 => true,
        // An invalid byte decodes to U+FFFD of width 1.
        '\u{fffd}' | '`' | '\u{7f}' => false,
        _ => rune >= ' ' || rune == '\t',
    })
}
