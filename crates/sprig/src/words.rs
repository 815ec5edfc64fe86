//! Words and widths: the functions sprig takes from goutils 1.1.1, with its habit of reading bytes as characters.

use gostd::strings::{self, is_lower, is_space, is_title, is_upper, lower, title_rune, upper};
use gostd::value::Type;
use gostd::{GoStr, Value};
use gotemplate::{Call, FuncError, Function};

use crate::args::{Args, fixed};
use crate::limits;

const TEXT: Type = Type::String;
const INT: Type = Type::Int;

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("abbrev", &[INT, TEXT], |_, args| Ok(Value::String(abbrev(0, args.int(0)?, args.text(1)?)))),
    fixed("abbrevboth", &[INT, INT, TEXT], |_, args| {
        let (left, width, text) = (args.int(0)?, args.int(1)?, args.text(2)?);
        let unchanged = left > 0 && width < 7;
        Ok(Value::String(if unchanged { text.clone() } else { abbrev(left, width, text) }))
    }),
    fixed("initials", &[TEXT], |_, args| Ok(initials(args.text(0)?).into())),
    fixed("nospace", &[TEXT], |_, args| Ok(Value::String(without_space(args.text(0)?)))),
    fixed("untitle", &[TEXT], |_, args| Ok(Value::string(untitle(args.text(0)?)))),
    fixed("swapcase", &[TEXT], |_, args| Ok(Value::string(swap_case(args.text(0)?)))),
    fixed("wrap", &[INT, TEXT], |call, args| {
        wrap(call, args.text(1)?, args.int(0)?, b"", LongWords::Kept).map(Value::string)
    }),
    fixed("wrapWith", &[INT, TEXT, TEXT], |call, args| {
        wrap(call, args.text(2)?, args.int(0)?, args.text(1)?, LongWords::Cut).map(Value::string)
    }),
];

const ELLIPSIS: &[u8] = b"...";

/// Shortens a text to `width` bytes, `left` being a position that should stay visible (goutils `AbbreviateFull`).
/// Less than 4 bytes leave no room: the text stays as it is.
fn abbrev(left: i64, width: i64, text: &GoStr) -> GoStr {
    let Some(width) = usize::try_from(width).ok().filter(|width| (4..text.len()).contains(width)) else {
        return text.clone();
    };
    let length = text.len() as i64;
    let room = width - ELLIPSIS.len();
    let last = text.len() - room;
    // As in Go the subtraction may wrap.
    let near_end = length.wrapping_sub(left.min(length)) < room as i64;
    let left = if near_end { last } else { usize::try_from(left).unwrap_or(0) };
    if left <= 4 {
        return [text.get(..room).unwrap_or_default(), ELLIPSIS].concat().into();
    }
    if width < 7 {
        // goutils' error, which sprig turns into an empty result.
        return GoStr::default();
    }
    if left + room < text.len() {
        let rest: GoStr = text.get(left..).unwrap_or_default().into();
        return [ELLIPSIS, abbrev(0, room as i64, &rest).as_bytes()].concat().into();
    }
    [ELLIPSIS, text.get(last..).unwrap_or_default()].concat().into()
}

/// Reads a byte as the Latin-1 character it would be.
fn latin1(byte: u8) -> char {
    char::from(byte)
}

fn initials(text: &[u8]) -> String {
    let mut in_word = false;
    let mut initials = String::new();
    for character in text.iter().copied().map(latin1) {
        let space = is_space(character);
        if !space && !in_word {
            initials.push(character);
        }
        in_word = !space;
    }
    initials
}

/// Removes space byte by byte; if there was any, the rest comes out as Latin-1 read it.
fn without_space(text: &GoStr) -> GoStr {
    let kept: String = text.iter().copied().map(latin1).filter(|character| !is_space(*character)).collect();
    if kept.chars().count() == text.len() { text.clone() } else { kept.into() }
}

fn untitle(text: &[u8]) -> Vec<u8> {
    let mut at_start = true;
    strings::map(text, |rune| {
        let space = is_space(rune);
        let first = std::mem::replace(&mut at_start, space) && !space;
        if first { lower(rune) } else { rune }
    })
}

fn swap_case(text: &[u8]) -> Vec<u8> {
    let mut after_space = true;
    strings::map(text, |rune| {
        if is_upper(rune) || is_title(rune) {
            after_space = false;
            lower(rune)
        } else if is_lower(rune) {
            if std::mem::take(&mut after_space) { title_rune(rune) } else { upper(rune) }
        } else {
            after_space = is_space(rune);
            rune
        }
    })
}

/// What `wrap` does with a word longer than the line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LongWords {
    Kept,
    Cut,
}

/// Breaks a text at spaces so that lines are at most `width` bytes (goutils `WrapCustom`).
fn wrap(
    call: &mut Call<'_, '_>,
    text: &[u8],
    width: i64,
    newline: &[u8],
    long_words: LongWords,
) -> Result<Vec<u8>, FuncError> {
    let newline = if newline.is_empty() { b"\n" } else { newline };
    let width = usize::try_from(width).unwrap_or(0).max(1);
    let mut rest = text;
    let mut wrapped = Vec::new();
    while rest.len() > width {
        if let Some(after) = rest.strip_prefix(b" ") {
            rest = after;
            continue;
        }
        let (line, after) = split_line(rest, width, long_words);
        wrapped.extend_from_slice(line);
        match after {
            None => return Ok(wrapped),
            Some(after) => rest = after,
        }
        wrapped.extend_from_slice(newline);
        limits::text_so_far(call, wrapped.len().checked_add(rest.len()))?;
    }
    wrapped.extend_from_slice(rest);
    limits::text(call, Some(wrapped.len()))?;
    Ok(wrapped)
}

/// Takes one line off a text longer than `width`; no rest means that the text ends with this line.
fn split_line(text: &[u8], width: usize, long_words: LongWords) -> (&[u8], Option<&[u8]>) {
    let at_space = |space: usize| (text.get(..space).unwrap_or_default(), text.get(space + 1..));
    let is_space = |byte: &u8| *byte == b' ';
    // A space just past the width still ends a line that is full.
    if let Some(space) = text.iter().take(width.saturating_add(1)).rposition(is_space) {
        return at_space(space);
    }
    if long_words == LongWords::Cut {
        let (line, rest) = text.split_at_checked(width).unwrap_or((text, &[]));
        return (line, Some(rest));
    }
    match text.iter().position(is_space) {
        Some(space) => at_space(space),
        None => (text, None),
    }
}
