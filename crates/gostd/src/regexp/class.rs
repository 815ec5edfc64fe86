//! Character classes: `[...]`, `\d`, `[:alpha:]`, `\p{Greek}`.

use std::collections::BTreeMap;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::names;
use super::parser::{Scan, escape, next_rune};
use super::syntax::{Error, ErrorCode};

/// A class as a list of inclusive ranges, ASCII only.
type Ranges = &'static [(char, char)];

const DIGIT: Ranges = &[('0', '9')];
const SPACE: Ranges = &[('\t', '\n'), ('\x0c', '\r'), (' ', ' ')];
const WORD: Ranges = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// The names between `[:` and `:]`; a `^` before them negates.
const POSIX: [(&[u8], Ranges); 14] = [
    (b"alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    (b"alpha", &[('A', 'Z'), ('a', 'z')]),
    (b"ascii", &[('\0', '\x7f')]),
    (b"blank", &[('\t', '\t'), (' ', ' ')]),
    (b"cntrl", &[('\0', '\x1f'), ('\x7f', '\x7f')]),
    (b"digit", DIGIT),
    (b"graph", &[('!', '~')]),
    (b"lower", &[('a', 'z')]),
    (b"print", &[(' ', '~')]),
    (b"punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    (b"space", &[('\t', '\r'), (' ', ' ')]),
    (b"upper", &[('A', 'Z')]),
    (b"word", WORD),
    (b"xdigit", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];

/// Looks classes up by name, each only once.
#[derive(Default)]
pub(super) struct Names {
    known: BTreeMap<(Vec<u8>, bool), Option<ClassUnicode>>,
}

impl Names {
    fn get(&mut self, name: &[u8], fold: bool) -> Option<ClassUnicode> {
        let look_up = || {
            let class = names::class(std::str::from_utf8(name).ok()?)?;
            Some(if fold { folded(class) } else { class })
        };
        self.known.entry((name.to_vec(), fold)).or_insert_with(look_up).clone()
    }
}

/// Returns what `.` matches.
pub(super) fn dot(newline: bool) -> ClassUnicode {
    let mut class = ClassUnicode::empty();
    if !newline {
        class.push(ClassUnicodeRange::new('\n', '\n'));
    }
    class.negate();
    class
}

/// Reads a class whose opening bracket is next.
pub(super) fn bracketed<'p>(whole: &'p [u8], fold: bool, names: &mut Names) -> Scan<'p, ClassUnicode> {
    let text = whole.get(1..).unwrap_or_default();
    let (mut rest, negated) = match text.strip_prefix(b"^") {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let mut singles = Vec::new();
    let mut class = ClassUnicode::empty();
    // A closing bracket or a hyphen may come first.
    let mut first = true;
    loop {
        if let Some(after) = rest.strip_prefix(b"]").filter(|_| !first) {
            rest = after;
            break;
        }
        first = false;
        if let Some((named, after)) = named(rest, fold, names)? {
            class.union(&named);
            rest = after;
            continue;
        }
        let range = rest;
        let (low, after) = class_rune(rest, whole)?;
        let mut high = low;
        rest = after;
        if matches!(rest, [b'-', next, ..] if *next != b']') {
            (high, rest) = class_rune(rest.get(1..).unwrap_or_default(), whole)?;
        }
        if high < low {
            return Err(Error::new(ErrorCode::CharRange, read(range, rest)));
        }
        singles.extend(characters(low, high));
    }
    let singles = ClassUnicode::new(singles);
    class.union(&if fold { folded(singles) } else { singles });
    if negated {
        class.negate();
    }
    Ok((class, rest))
}

/// Reads a named class in brackets, if one is next.
fn named<'p>(
    text: &'p [u8],
    fold: bool,
    names: &mut Names,
) -> Result<Option<(ClassUnicode, &'p [u8])>, Error> {
    if let Some((class, rest)) = posix(text, fold)? {
        return Ok(Some((class, rest)));
    }
    escaped(text, fold, names)
}

/// Reads `[:name:]`, if that is next.
fn posix(text: &[u8], fold: bool) -> Result<Option<(ClassUnicode, &[u8])>, Error> {
    let Some(inner) = text.strip_prefix(b"[:") else { return Ok(None) };
    let Some(end) = inner.windows(2).position(|pair| pair == b":]") else { return Ok(None) };
    let (name, rest) = (inner.get(..end).unwrap_or_default(), inner.get(end + 2..).unwrap_or_default());
    let (name, negated) = match name.strip_prefix(b"^") {
        Some(name) => (name, true),
        None => (name, false),
    };
    match POSIX.iter().find(|(known, _)| *known == name) {
        Some((_, ranges)) => Ok(Some((group(ranges, negated, fold), rest))),
        None => Err(Error::new(ErrorCode::CharRange, read(text, rest))),
    }
}

/// Reads `\p{..}`, `\d` and the like, if that is next.
pub(super) fn escaped<'p>(
    text: &'p [u8],
    fold: bool,
    names: &mut Names,
) -> Result<Option<(ClassUnicode, &'p [u8])>, Error> {
    let [b'\\', kind, rest @ ..] = text else { return Ok(None) };
    let ranges = match kind.to_ascii_lowercase() {
        b'd' => DIGIT,
        b's' => SPACE,
        b'w' => WORD,
        b'p' => return unicode(text, fold, names).map(Some),
        _ => return Ok(None),
    };
    Ok(Some((group(ranges, kind.is_ascii_uppercase(), fold), rest)))
}

/// Reads `\pN`, `\p{Name}`, `\p{^Name}` and their opposites with `\P`.
fn unicode<'p>(text: &'p [u8], fold: bool, names: &mut Names) -> Scan<'p, ClassUnicode> {
    let mut negated = text.get(1) == Some(&b'P');
    let inner = text.get(2..).unwrap_or_default();
    let (first, after) = next_rune(inner)?;
    let (name, rest) = if first == u32::from('{') {
        let Some(end) = after.iter().position(|byte| *byte == b'}') else {
            check_utf8(text)?;
            return Err(Error::new(ErrorCode::CharRange, text));
        };
        let name = after.get(..end).unwrap_or_default();
        check_utf8(name)?;
        (name, after.get(end + 1..).unwrap_or_default())
    } else {
        (read(inner, after), after)
    };
    let name = match name.strip_prefix(b"^") {
        Some(name) => {
            negated = !negated;
            name
        }
        None => name,
    };
    let Some(mut class) = names.get(name, fold) else {
        return Err(Error::new(ErrorCode::CharRange, read(text, rest)));
    };
    if negated {
        class.negate();
    }
    Ok((class, rest))
}

/// Reads one character of a class.
fn class_rune<'p>(text: &'p [u8], whole: &[u8]) -> Scan<'p, u32> {
    match text.first() {
        None => Err(Error::new(ErrorCode::MissingBracket, whole)),
        Some(b'\\') => escape(text),
        Some(_) => next_rune(text),
    }
}

fn group(ranges: Ranges, negated: bool, fold: bool) -> ClassUnicode {
    let class = ClassUnicode::new(ranges.iter().map(|(low, high)| ClassUnicodeRange::new(*low, *high)));
    let mut class = if fold { folded(class) } else { class };
    if negated {
        class.negate();
    }
    class
}

/// Adds the case variants of all characters.
fn folded(mut class: ClassUnicode) -> ClassUnicode {
    // A range over all characters that have variants gains none, and would take long to walk through.
    let full = |range: &ClassUnicodeRange| range.start() <= 'A' && range.end() >= '\u{1e943}';
    if !class.iter().any(full) {
        class.case_fold_simple();
    }
    class
}

/// The characters of a range of code points: surrogates are none.
fn characters(low: u32, high: u32) -> impl Iterator<Item = ClassUnicodeRange> {
    let parts = [(low, high.min(0xd7ff)), (low.max(0xe000), high)];
    let parts = parts.into_iter().filter(|(low, high)| low <= high);
    parts.filter_map(|(low, high)| Some(ClassUnicodeRange::new(char::from_u32(low)?, char::from_u32(high)?)))
}

/// Returns what of `text` was read when `rest` is left.
pub(super) fn read<'p>(text: &'p [u8], rest: &[u8]) -> &'p [u8] {
    text.get(..text.len().saturating_sub(rest.len())).unwrap_or_default()
}

/// Fails at the first invalid byte, naming all from there on.
pub(super) fn check_utf8(text: &[u8]) -> Result<(), Error> {
    match std::str::from_utf8(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::new(ErrorCode::Utf8, text.get(error.valid_up_to()..).unwrap_or_default())),
    }
}
