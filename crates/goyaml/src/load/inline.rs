//! What stands on one line, as far as it can be read at a glance. `None` means: not so, the scanner shall look.

use crate::resolve::{Scalar, resolve_plain};
use crate::token::Text;

/// Longer keys are left to the scanner, which knows how long they may be.
const LONGEST_KEY: usize = 512;

/// What ends a plain scalar, or its part on a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PlainEnd {
    Line,
    Comment,
    Colon,
}

/// A value that stands behind a key or a dash.
pub(super) enum Inline<'t> {
    Scalar(Scalar<'t>),
    /// A scalar without quotes, which may go on in the next lines.
    Plain(&'t [u8]),
    /// A scalar in these quotes, which are not closed on the line.
    Quoted(Text<'t>, u8),
    /// `{}`, `{a: "b"}`.
    Map(Vec<(Scalar<'t>, Scalar<'t>)>),
    /// `[a, "b"]`.
    List(Vec<Scalar<'t>>),
    /// `|` or `>`: the text is in the next lines.
    Block(BlockHeader),
}

/// The first line of a block scalar.
#[derive(Clone, Copy)]
pub(super) struct BlockHeader {
    pub(super) literal: bool,
    /// Whether the last line break counts.
    pub(super) clips: bool,
    /// Whether all line breaks at the end count.
    pub(super) keeps: bool,
    /// How much deeper than the collection around it its lines stand, if it says so.
    pub(super) indent: Option<usize>,
}

/// Reports whether the rest of a line says nothing. A comment needs a space before it.
pub(super) fn is_blank(rest: &[u8]) -> bool {
    let spaces = count_spaces(rest);
    match rest.get(spaces) {
        None => true,
        Some(b'#') => spaces > 0,
        Some(_) => false,
    }
}

pub(super) fn count_spaces(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b' ').count()
}

pub(super) fn trim_start(text: &[u8]) -> &[u8] {
    text.get(count_spaces(text)..).unwrap_or_default()
}

pub(super) fn trim_end(text: &[u8]) -> &[u8] {
    let spaces = text.iter().rev().take_while(|byte| **byte == b' ').count();
    text.get(..text.len() - spaces).unwrap_or_default()
}

/// Splits a line into a key and what follows its colon, if it begins with a key.
pub(super) fn key(line: &[u8]) -> Option<(Scalar<'_>, &[u8])> {
    let (key, rest) = match line.first()? {
        quote @ (b'"' | b'\'') => {
            let (text, rest) = quoted(line, *quote)?;
            (Scalar::String(text), rest)
        }
        _ => {
            let (text, PlainEnd::Colon) = plain(line)? else { return None };
            // A merge key stands for other keys.
            if text == b"<<" {
                return None;
            }
            (resolve_plain(Text::Borrowed(text)), trim_start(line.get(text.len()..)?))
        }
    };
    let [b':', rest @ ..] = rest else { return None };
    let is_short = line.len() - rest.len() <= LONGEST_KEY;
    (is_short && matches!(rest.first(), None | Some(b' '))).then_some((key, rest))
}

/// Reads a value that is not empty.
pub(super) fn value(line: &[u8]) -> Option<Inline<'_>> {
    let (value, rest) = match line.first()? {
        quote @ (b'"' | b'\'') => {
            let (text, rest) = quoted_part(line.get(1..)?, *quote)?;
            let Some(rest) = rest else { return Some(Inline::Quoted(text, *quote)) };
            (Inline::Scalar(Scalar::String(text)), rest)
        }
        b'{' => {
            let (entries, rest) = map(line.get(1..)?)?;
            (Inline::Map(entries), rest)
        }
        b'[' => {
            let (items, rest) = list(line.get(1..)?)?;
            (Inline::List(items), rest)
        }
        b'|' | b'>' => {
            let (header, rest) = block_header(line)?;
            (Inline::Block(header), rest)
        }
        _ => {
            return match plain(line)? {
                (text, PlainEnd::Line) => Some(Inline::Plain(text)),
                (text, PlainEnd::Comment) => Some(Inline::Scalar(resolve_plain(Text::Borrowed(text)))),
                (_, PlainEnd::Colon) => None,
            };
        }
    };
    is_blank(rest).then_some(value)
}

/// Reads a plain scalar up to the end of the line at most.
fn plain(line: &[u8]) -> Option<(&[u8], PlainEnd)> {
    let starts = match line.first()? {
        b'-' => matches!(line.get(1), Some(next) if *next != b' '),
        first => !crate::chars::is(*first, crate::chars::INDICATOR),
    };
    if starts { plain_part(line) } else { None }
}

/// Reads a line's part of a plain scalar.
pub(super) fn plain_part(line: &[u8]) -> Option<(&[u8], PlainEnd)> {
    let mut pos = 0;
    let end = loop {
        let Some(next) = line.get(pos..)?.iter().position(|byte| matches!(byte, b':' | b'#')) else {
            pos = line.len();
            break PlainEnd::Line;
        };
        pos += next;
        if line.get(pos) == Some(&b':') {
            if matches!(line.get(pos + 1), None | Some(b' ')) {
                break PlainEnd::Colon;
            }
        } else if pos > 0 && line.get(pos - 1) == Some(&b' ') {
            break PlainEnd::Comment;
        }
        pos += 1;
    };
    Some((trim_end(line.get(..pos)?), end))
}

/// Splits a quoted scalar that ends on its line from what follows it.
fn quoted(line: &[u8], quote: u8) -> Option<(Text<'_>, &[u8])> {
    let (text, rest) = quoted_part(line.get(1..)?, quote)?;
    Some((text, rest?))
}

/// Reads a line's part of a quoted scalar, and returns what follows the closing quote if it is there. Of the escapes
/// those that stand for one character are known.
pub(super) fn quoted_part(line: &[u8], quote: u8) -> Option<(Text<'_>, Option<&[u8]>)> {
    let is_special = |byte: &u8| *byte == quote || (*byte == b'\\' && quote == b'"');
    let special_in = |text: &[u8]| text.iter().position(is_special).unwrap_or(text.len());
    let mut end = special_in(line);
    let mut text = Text::Borrowed(line.get(..end)?);
    loop {
        let (meant, rest) = match line.get(end..)? {
            [] => return Some((text, None)),
            [b'\'', b'\'', rest @ ..] => (b'\'', rest),
            [b'\\', escaped @ (b'"' | b'\\'), rest @ ..] => (*escaped, rest),
            [b'\\', b'n', rest @ ..] => (b'\n', rest),
            [b'\\', b't', rest @ ..] => (b'\t', rest),
            [b'\\', ..] => return None,
            [_, rest @ ..] => return Some((text, Some(rest))),
        };
        let next = special_in(rest);
        let owned = text.to_mut();
        owned.push(meant);
        owned.extend_from_slice(rest.get(..next)?);
        end = line.len() - rest.len() + next;
    }
}

/// Reads the words of a list up to its bracket, and returns what follows.
fn list(mut line: &[u8]) -> Option<(Vec<Scalar<'_>>, &[u8])> {
    let mut items = Vec::new();
    loop {
        line = trim_start(line);
        if let [b']', rest @ ..] = line {
            return Some((items, rest));
        }
        let (item, rest) = word(line)?;
        items.push(item);
        line = behind_word(rest, b']')?;
    }
}

/// Reads the words of a map up to its brace, and returns what follows.
fn map(mut line: &[u8]) -> Option<(Vec<(Scalar<'_>, Scalar<'_>)>, &[u8])> {
    let mut entries = Vec::new();
    loop {
        line = trim_start(line);
        if let [b'}', rest @ ..] = line {
            return Some((entries, rest));
        }
        let (key, rest) = word(line)?;
        let [b':', b' ', rest @ ..] = rest else { return None };
        let (value, rest) = word(trim_start(rest))?;
        entries.push((key, value));
        line = behind_word(rest, b'}')?;
    }
}

/// Reads a word in brackets.
fn word(line: &[u8]) -> Option<(Scalar<'_>, &[u8])> {
    match line.first()? {
        quote @ (b'"' | b'\'') => {
            let (text, rest) = quoted(line, *quote)?;
            Some((Scalar::String(text), rest))
        }
        first if first.is_ascii_alphanumeric() => {
            let is_plain =
                |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
            let end = line.iter().position(|byte| !is_plain(byte))?;
            Some((resolve_plain(Text::Borrowed(line.get(..end)?)), line.get(end..)?))
        }
        _ => None,
    }
}

/// Passes the comma behind a word, if the collection does not end there.
fn behind_word(rest: &[u8], end: u8) -> Option<&[u8]> {
    let rest = trim_start(rest);
    match rest.first()? {
        b',' => rest.get(1..),
        last => (*last == end).then_some(rest),
    }
}

fn block_header(line: &[u8]) -> Option<(BlockHeader, &[u8])> {
    let (literal, mut rest) = match line {
        [b'|', rest @ ..] => (true, rest),
        [b'>', rest @ ..] => (false, rest),
        _ => return None,
    };
    let mut header = BlockHeader { literal, clips: true, keeps: false, indent: None };
    let mut chomps = false;
    while let [indicator, behind @ ..] = rest {
        match indicator {
            b'-' | b'+' if !chomps => {
                (chomps, header.clips, header.keeps) = (true, *indicator == b'+', *indicator == b'+');
            }
            b'1'..=b'9' if header.indent.is_none() => header.indent = Some(usize::from(indicator - b'0')),
            _ => break,
        }
        rest = behind;
    }
    Some((header, rest))
}
