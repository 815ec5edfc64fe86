//! The syntax of patterns: Go's `regexp/syntax` parser with the flags of `regexp.Compile`.

use regex_syntax::hir::{Hir, Look};

use super::class::{self, Names, check_utf8, read};
use super::syntax::{Error, ErrorCode};
use super::tree::{Part, Repeat};
use crate::runes::decode_rune;

/// The largest count a repetition may have.
const MAX_REPEAT: i64 = 1000;

/// The most ends of ranges in all classes together (Go `maxRunes`).
const MAX_RANGE_ENDS: usize = 128 << 18;

/// Something read and what is left of the pattern.
pub(super) type Scan<'p, T> = Result<(T, &'p [u8]), Error>;

/// A parsed pattern.
pub(super) struct Parsed {
    pub(super) hir: Hir,
    /// How many levels it has.
    pub(super) height: u32,
    /// The names of the groups; the whole match comes first.
    pub(super) names: Vec<Option<String>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    /// `i`: letters match in either case.
    fold: bool,
    /// `m`: `^` and `$` match at lines.
    multi_line: bool,
    /// `s`: `.` matches a newline.
    dot_newline: bool,
    /// `U`: repetitions are lazy, and greedy with a `?`.
    swap_greed: bool,
}

/// An open group, or the whole pattern.
#[derive(Default)]
struct Level {
    /// The flags to return to at the end of the group.
    outer: Flags,
    capture: Option<u32>,
    choices: Vec<Part>,
    sequence: Vec<Part>,
}

struct Parser<'p> {
    whole: &'p [u8],
    rest: &'p [u8],
    flags: Flags,
    level: Level,
    outer: Vec<Level>,
    names: Vec<Option<String>>,
    classes: Names,
    range_ends: usize,
}

/// Parses a pattern.
pub(super) fn parse(pattern: &[u8]) -> Result<Parsed, Error> {
    let mut parser = Parser {
        whole: pattern,
        rest: pattern,
        flags: Flags::default(),
        level: Level::default(),
        outer: Vec::new(),
        names: vec![None],
        classes: Names::default(),
        range_ends: 0,
    };
    // Where the repetition began that was just read, if it was one.
    let mut repetition = None;
    while let Some(first) = parser.rest.first() {
        let before = parser.rest;
        let repeated = parser.item(*first, repetition)?;
        repetition = repeated.then_some(before);
    }
    // An unclosed group is only reported when all of it was read, so that other faults come first.
    let part = parser.end_level()?;
    if !parser.outer.is_empty() {
        return Err(Error::new(ErrorCode::MissingParen, pattern));
    }
    Ok(Parsed { height: part.height(), hir: part.into_hir(), names: parser.names })
}

impl<'p> Parser<'p> {
    /// Reads the next item; tells whether it was a repetition. `last` is where a repetition just before it began.
    fn item(&mut self, first: u8, last: Option<&'p [u8]>) -> Result<bool, Error> {
        match first {
            b'(' if self.rest.starts_with(b"(?") => self.perl_group()?,
            b'(' => {
                self.skip(1);
                self.open_capture(None);
            }
            b'|' => {
                self.skip(1);
                self.end_choice()?;
            }
            b')' => self.close_group()?,
            b'^' => self.look(1, if self.flags.multi_line { Look::StartLF } else { Look::Start }),
            b'$' => self.look(1, if self.flags.multi_line { Look::EndLF } else { Look::End }),
            b'.' => {
                self.skip(1);
                let class = class::dot(self.flags.dot_newline);
                self.push(Part::class(class));
            }
            b'[' => {
                let (class, rest) = class::bracketed(self.rest, self.flags.fold, &mut self.classes)?;
                self.push_class(class, rest)?;
            }
            b'*' => return self.repeat(Repeat::Star, 1, last),
            b'+' => return self.repeat(Repeat::Plus, 1, last),
            b'?' => return self.repeat(Repeat::Quest, 1, last),
            b'{' => return self.counted(last),
            b'\\' => self.backslash()?,
            _ => self.literal(next_rune)?,
        }
        Ok(false)
    }

    fn skip(&mut self, len: usize) {
        self.rest = self.rest.get(len..).unwrap_or_default();
    }

    fn push(&mut self, part: Part) {
        self.level.sequence.push(part);
    }

    fn push_class(&mut self, class: regex_syntax::hir::ClassUnicode, rest: &'p [u8]) -> Result<(), Error> {
        self.range_ends += 2 * class.ranges().len();
        if self.range_ends > MAX_RANGE_ENDS {
            return Err(self.fault(ErrorCode::Large));
        }
        self.push(Part::class(class));
        self.rest = rest;
        Ok(())
    }

    fn look(&mut self, len: usize, look: Look) {
        self.skip(len);
        self.push(Part::look(look));
    }

    fn literal(&mut self, scan: fn(&'p [u8]) -> Scan<'p, u32>) -> Result<(), Error> {
        let (rune, rest) = scan(self.rest)?;
        self.push(Part::literal(rune, self.flags.fold));
        self.rest = rest;
        Ok(())
    }

    /// A fault that concerns the whole pattern.
    fn fault(&self, code: ErrorCode) -> Error {
        Error::new(code, self.whole)
    }

    fn open_capture(&mut self, name: Option<String>) {
        let index = u32::try_from(self.names.len()).ok();
        self.names.push(name);
        self.open_group(index);
    }

    fn open_group(&mut self, capture: Option<u32>) {
        let level = Level { outer: self.flags, capture, ..Level::default() };
        self.outer.push(std::mem::replace(&mut self.level, level));
    }

    /// Makes the sequence read so far a choice.
    fn end_choice(&mut self) -> Result<(), Error> {
        let sequence = std::mem::take(&mut self.level.sequence);
        let part = Part::sequence(sequence).map_err(|code| self.fault(code))?;
        self.level.choices.push(part);
        Ok(())
    }

    fn end_level(&mut self) -> Result<Part, Error> {
        self.end_choice()?;
        Part::choice(std::mem::take(&mut self.level.choices)).map_err(|code| self.fault(code))
    }

    fn close_group(&mut self) -> Result<(), Error> {
        let part = self.end_level()?;
        let outer = self.outer.pop().ok_or_else(|| self.fault(ErrorCode::UnexpectedParen))?;
        let level = std::mem::replace(&mut self.level, outer);
        let part = match level.capture {
            Some(index) => part.captured(index).map_err(|code| self.fault(code))?,
            None => part,
        };
        self.flags = level.outer;
        self.push(part);
        self.skip(1);
        Ok(())
    }

    /// Applies a repetition operator of the given length to what was read last.
    fn repeat(&mut self, repeat: Repeat, len: usize, last: Option<&'p [u8]>) -> Result<bool, Error> {
        let before = self.rest;
        self.skip(len);
        let mut greedy = !self.flags.swap_greed;
        if self.rest.first() == Some(&b'?') {
            self.skip(1);
            greedy = !greedy;
        }
        if let Some(last) = last {
            return Err(Error::new(ErrorCode::RepeatOp, read(last, self.rest)));
        }
        let operator = read(before, self.rest);
        let part = self.level.sequence.pop();
        let part = part.ok_or_else(|| Error::new(ErrorCode::MissingRepeatArgument, operator))?;
        let part = part.repeated(repeat, greedy).map_err(|code| match code {
            ErrorCode::RepeatSize => Error::new(code, operator),
            _ => self.fault(code),
        })?;
        self.push(part);
        Ok(true)
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`. A brace that begins none of these stands for itself.
    fn counted(&mut self, last: Option<&'p [u8]>) -> Result<bool, Error> {
        let Some((min, max, len)) = counts(self.rest) else {
            self.literal(next_rune)?;
            return Ok(false);
        };
        let in_range = |count: i64| u32::try_from(count).ok().filter(|_| count <= MAX_REPEAT);
        let ordered = max.is_none_or(|max| min <= max);
        match (in_range(min), max.map(in_range)) {
            (Some(min), None) => self.repeat(Repeat::Counted(min, None), len, last),
            (Some(min), Some(Some(max))) if ordered => {
                self.repeat(Repeat::Counted(min, Some(max)), len, last)
            }
            _ => Err(Error::new(ErrorCode::RepeatSize, self.rest.get(..len).unwrap_or_default())),
        }
    }

    fn backslash(&mut self) -> Result<(), Error> {
        match self.rest.get(1) {
            Some(b'A') => self.look(2, Look::Start),
            Some(b'z') => self.look(2, Look::End),
            Some(b'b') => self.look(2, Look::WordAscii),
            Some(b'B') => self.look(2, Look::WordAsciiNegate),
            // A single byte, which Go does not support.
            Some(b'C') => return Err(Error::new(ErrorCode::Escape, br"\C")),
            Some(b'Q') => return self.quoted(),
            _ => match class::escaped(self.rest, self.flags.fold, &mut self.classes)? {
                Some((class, rest)) => self.push_class(class, rest)?,
                None => self.literal(escape)?,
            },
        }
        Ok(())
    }

    /// Reads literal text up to `\E` or the end.
    fn quoted(&mut self) -> Result<(), Error> {
        self.skip(2);
        let text = self.rest;
        let end = text.windows(2).position(|pair| pair == br"\E");
        let (literal, after) = text.split_at(end.unwrap_or(text.len()));
        self.rest = literal;
        while !self.rest.is_empty() {
            self.literal(next_rune)?;
        }
        self.rest = after.get(2..).unwrap_or_default();
        Ok(())
    }

    /// Reads what follows `(?`: the name of a group, flags, or flags of a group.
    fn perl_group(&mut self) -> Result<(), Error> {
        let text = self.rest;
        let name_at = match text {
            [_, _, b'P', b'<', _, ..] => Some(4),
            [_, _, b'<', _, ..] => Some(3),
            _ => None,
        };
        match name_at {
            Some(start) => self.named_group(start),
            None => self.flags_or_group(),
        }
    }

    fn named_group(&mut self, start: usize) -> Result<(), Error> {
        let text = self.rest;
        let Some(end) = text.iter().position(|byte| *byte == b'>') else {
            check_utf8(text)?;
            return Err(Error::new(ErrorCode::NamedCapture, text));
        };
        let name = text.get(start..end).unwrap_or_default();
        check_utf8(name)?;
        let valid = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if !valid {
            return Err(Error::new(ErrorCode::NamedCapture, text.get(..=end).unwrap_or_default()));
        }
        self.skip(end + 1);
        self.open_capture(Some(String::from_utf8_lossy(name).into_owned()));
        Ok(())
    }

    fn flags_or_group(&mut self) -> Result<(), Error> {
        let text = self.rest;
        let mut rest = text.get(2..).unwrap_or_default();
        let mut flags = self.flags;
        let (mut negative, mut any) = (false, false);
        while !rest.is_empty() {
            let (letter, after) = next_rune(rest)?;
            rest = after;
            let flag = match char::from_u32(letter) {
                Some('i') => &mut flags.fold,
                Some('m') => &mut flags.multi_line,
                Some('s') => &mut flags.dot_newline,
                Some('U') => &mut flags.swap_greed,
                Some('-') if !negative => {
                    (negative, any) = (true, false);
                    continue;
                }
                Some(end @ (':' | ')')) if any || !negative => {
                    if end == ':' {
                        self.open_group(None);
                    }
                    (self.flags, self.rest) = (flags, rest);
                    return Ok(());
                }
                _ => break,
            };
            *flag = !negative;
            any = true;
        }
        Err(Error::new(ErrorCode::PerlOp, read(text, rest)))
    }
}

/// Reads `{n}` as (n, n), `{n,}` as (n, none), `{n,m}` as (n, m), with its length. A number too large to compute is -1.
fn counts(text: &[u8]) -> Option<(i64, Option<i64>, usize)> {
    let (min, rest) = count(text.strip_prefix(b"{")?)?;
    let (max, rest) = match rest.strip_prefix(b",") {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with(b"}") => (None, rest),
        Some(rest) => count(rest).map(|(max, rest)| (Some(max), rest))?,
    };
    let rest = rest.strip_prefix(b"}")?;
    Some((min, max, text.len() - rest.len()))
}

/// Reads a decimal number without leading zeros.
fn count(text: &[u8]) -> Option<(i64, &[u8])> {
    let len = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(len);
    if digits.is_empty() || len > 1 && digits.starts_with(b"0") {
        return None;
    }
    let value = std::str::from_utf8(digits).ok()?.parse().unwrap_or(-1);
    Some((value, rest))
}

/// Reads one character.
pub(super) fn next_rune(text: &[u8]) -> Scan<'_, u32> {
    let (rune, width) = decode_rune(text);
    if rune == char::REPLACEMENT_CHARACTER && width == 1 {
        return Err(Error::new(ErrorCode::Utf8, text));
    }
    Ok((u32::from(rune), text.get(width..).unwrap_or_default()))
}

/// Reads an escape that stands for one character (Go `parseEscape`).
pub(super) fn escape(text: &[u8]) -> Scan<'_, u32> {
    let after = text.get(1..).unwrap_or_default();
    if after.is_empty() {
        return Err(Error::new(ErrorCode::TrailingBackslash, b""));
    }
    let (rune, rest) = next_rune(after)?;
    let value = match char::from_u32(rune) {
        // A single digit would be a back-reference.
        Some('1'..='7') if !rest.first().is_some_and(is_octal) => None,
        Some('0'..='7') => {
            let len = after.iter().take(3).take_while(|byte| is_octal(byte)).count();
            let (digits, rest) = after.split_at(len);
            return Ok((digits.iter().fold(0, |value, digit| value * 8 + u32::from(digit - b'0')), rest));
        }
        Some('x') => return hexadecimal(text, rest),
        Some('a') => Some(0x07),
        Some('f') => Some(0x0c),
        Some('n') => Some(0x0a),
        Some('r') => Some(0x0d),
        Some('t') => Some(0x09),
        Some('v') => Some(0x0b),
        Some(other) => (other.is_ascii() && !other.is_ascii_alphanumeric()).then_some(rune),
        None => None,
    };
    match value {
        Some(value) => Ok((value, rest)),
        None => Err(Error::new(ErrorCode::Escape, read(text, rest))),
    }
}

/// Reads the digits of `\xFF` or `\x{10FFFF}`; `text` begins at the backslash, `rest` after the `x`.
fn hexadecimal<'p>(text: &'p [u8], rest: &'p [u8]) -> Scan<'p, u32> {
    let invalid = |rest: &[u8]| Err(Error::new(ErrorCode::Escape, read(text, rest)));
    let digit = |rune: u32| char::from_u32(rune).and_then(|rune| rune.to_digit(16));
    if rest.is_empty() {
        return invalid(rest);
    }
    let (first, mut rest) = next_rune(rest)?;
    if first != u32::from('{') {
        let (second, rest) = next_rune(rest)?;
        return match (digit(first), digit(second)) {
            (Some(high), Some(low)) => Ok((high * 16 + low, rest)),
            _ => invalid(rest),
        };
    }
    let mut value = None;
    loop {
        if rest.is_empty() {
            return invalid(rest);
        }
        let (next, after) = next_rune(rest)?;
        rest = after;
        if next == u32::from('}') {
            return value.map_or_else(|| invalid(rest), |value| Ok((value, rest)));
        }
        match digit(next).map(|digit| value.unwrap_or(0) * 16 + digit) {
            Some(next) if next <= u32::from(char::MAX) => value = Some(next),
            _ => return invalid(rest),
        }
    }
}

fn is_octal(byte: &u8) -> bool {
    (b'0'..=b'7').contains(byte)
}
