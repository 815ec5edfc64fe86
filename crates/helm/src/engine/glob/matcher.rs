//! What the parts of a compiled pattern fit.

use std::sync::Arc;

use gostd::strings::{decode_rune, runes};

use super::Fault;

/// What stars and question marks stop at.
pub(super) const SEPARATOR: u8 = b'/';

type Text = Arc<str>;

#[derive(Clone, Debug)]
pub(super) enum Matcher {
    /// No separator.
    Any,
    AnyOf(Vec<Matcher>),
    Tree(Box<Tree>),
    Contains {
        text: Text,
        not: bool,
    },
    EveryOf(Vec<Matcher>),
    List {
        letters: Vec<char>,
        not: bool,
    },
    Max(usize),
    Min(usize),
    Nothing,
    Prefix(Text),
    /// A text, then no separator.
    PrefixAny(Text),
    PrefixSuffix(Text, Text),
    Range {
        low: char,
        high: char,
        not: bool,
    },
    /// Parts of fixed lengths.
    Row {
        matchers: Vec<Matcher>,
        length: usize,
    },
    /// One letter that is no separator.
    Single,
    Suffix(Text),
    /// No separator, then a text.
    SuffixAny(Text),
    Super,
    Text(Text),
}

/// A part with what stands before and behind it.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) value: Matcher,
    pub(super) left: Option<Matcher>,
    pub(super) right: Option<Matcher>,
    /// Lengths in letters where they are fixed, though they are taken for bytes.
    left_length: Option<usize>,
    right_length: Option<usize>,
    length: Option<usize>,
}

impl Tree {
    pub(super) fn new(value: Matcher, left: Option<Matcher>, right: Option<Matcher>) -> Self {
        let of = |side: &Option<Matcher>| side.as_ref().map_or(Some(0), Matcher::len);
        let (left_length, right_length) = (of(&left), of(&right));
        let length =
            value.len().zip(left_length).zip(right_length).map(|((value, left), right)| value + left + right);
        Self { value, left, right, left_length, right_length, length }
    }

    /// Tries each place where the value is found.
    fn matches(&self, text: &[u8], steps: &mut usize) -> Result<bool, Fault> {
        if self.length.is_some_and(|length| length > text.len()) {
            return Ok(false);
        }
        let mut start = self.left_length.unwrap_or_default();
        let end = text.len().saturating_sub(self.right_length.unwrap_or_default());
        while start < end {
            let Some((index, lengths)) = self.value.find(text.get(start..end).unwrap_or_default(), steps)?
            else {
                return Ok(false);
            };
            let place = start + index;
            if side(&self.left, text.get(..place).unwrap_or_default(), steps)? {
                for length in lengths.iter().rev() {
                    if side(&self.right, text.get(place + length..).unwrap_or_default(), steps)? {
                        return Ok(true);
                    }
                }
            }
            start = place + decode_rune(text.get(place..).unwrap_or_default()).1;
        }
        Ok(false)
    }
}

fn side(matcher: &Option<Matcher>, text: &[u8], steps: &mut usize) -> Result<bool, Fault> {
    matcher.as_ref().map_or(Ok(text.is_empty()), |matcher| matcher.matches(text, steps))
}

/// Takes as many steps as there are bytes to look at.
fn step(steps: &mut usize, text: &[u8]) -> Result<(), Fault> {
    *steps = steps.checked_sub(1 + text.len()).ok_or(Fault::Complex)?;
    Ok(())
}

/// Where a part is found: the place, and the lengths it can have there, the shortest first.
type Found = Option<(usize, Vec<usize>)>;

impl Matcher {
    /// Returns the length in letters, where it is fixed.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Self::AnyOf(matchers) => {
                // A length that is not fixed is forgotten when it comes first.
                let mut length = None;
                for matcher in matchers {
                    let own = matcher.len();
                    match length {
                        None => length = own,
                        Some(_) if own != length => return None,
                        Some(_) => {}
                    }
                }
                length
            }
            Self::Tree(tree) => tree.length,
            Self::EveryOf(matchers) => matchers.is_empty().then_some(0),
            Self::List { .. } | Self::Range { .. } | Self::Single => Some(1),
            Self::Nothing => Some(0),
            Self::Row { length, .. } => Some(*length),
            Self::Text(text) => Some(text.chars().count()),
            _ => None,
        }
    }

    /// Reports whether all of a text fits.
    pub(super) fn matches(&self, text: &[u8], steps: &mut usize) -> Result<bool, Fault> {
        step(steps, text)?;
        Ok(match self {
            Self::Any => !text.contains(&SEPARATOR),
            Self::AnyOf(matchers) => {
                for matcher in matchers {
                    if matcher.matches(text, steps)? {
                        return Ok(true);
                    }
                }
                false
            }
            Self::Tree(tree) => return tree.matches(text, steps),
            Self::Contains { text: part, not } => index_of(text, part).is_some() != *not,
            Self::EveryOf(matchers) => {
                for matcher in matchers {
                    if !matcher.matches(text, steps)? {
                        return Ok(false);
                    }
                }
                true
            }
            Self::List { .. } | Self::Range { .. } | Self::Single => {
                let (letter, width) = decode_rune(text);
                text.len() <= width && self.takes(letter)
            }
            Self::Max(limit) => runes(text).count() <= *limit,
            Self::Min(limit) => runes(text).count() >= *limit,
            Self::Nothing => text.is_empty(),
            Self::Prefix(prefix) => text.starts_with(prefix.as_bytes()),
            Self::PrefixAny(prefix) => {
                text.strip_prefix(prefix.as_bytes()).is_some_and(|rest| !rest.contains(&SEPARATOR))
            }
            Self::PrefixSuffix(prefix, suffix) => {
                text.starts_with(prefix.as_bytes()) && text.ends_with(suffix.as_bytes())
            }
            Self::Row { matchers, length } => runes(text).count() == *length && row(matchers, text, steps)?,
            Self::Suffix(suffix) => text.ends_with(suffix.as_bytes()),
            Self::SuffixAny(suffix) => {
                text.strip_suffix(suffix.as_bytes()).is_some_and(|rest| !rest.contains(&SEPARATOR))
            }
            Self::Super => true,
            Self::Text(own) => own.as_bytes() == text,
        })
    }

    /// Reports whether a letter belongs to a set of letters.
    fn takes(&self, letter: char) -> bool {
        match self {
            Self::List { letters, not } => letters.contains(&letter) != *not,
            Self::Range { low, high, not } => (*low <= letter && letter <= *high) != *not,
            _ => letter != char::from(SEPARATOR),
        }
    }

    /// Finds the part in a text.
    fn find(&self, text: &[u8], steps: &mut usize) -> Result<Found, Fault> {
        step(steps, text)?;
        Ok(match self {
            Self::Any => {
                let end = text.iter().position(|byte| *byte == SEPARATOR).unwrap_or(text.len());
                Some((0, starts(text.get(..end).unwrap_or_default(), 0)))
            }
            Self::AnyOf(matchers) => return first_of(matchers, text, steps),
            // The library finds no tree in a text.
            Self::Tree(_) => None,
            Self::Contains { text: part, not } => contained(text, part, *not),
            Self::EveryOf(matchers) => return every_of(matchers, text, steps),
            Self::List { .. } | Self::Range { .. } | Self::Single => runes(text)
                .find(|(_, letter, _)| self.takes(*letter))
                .map(|(place, letter, _)| (place, vec![letter.len_utf8()])),
            Self::Max(limit) => Some((0, std::iter::once(0).chain(ends(text).take(*limit)).collect())),
            Self::Min(limit) => {
                let lengths: Vec<usize> = ends(text).skip(limit.saturating_sub(1)).collect();
                (text.len() >= *limit && !lengths.is_empty()).then_some((0, lengths))
            }
            Self::Nothing => Some((0, vec![0])),
            Self::Prefix(prefix) => {
                index_of(text, prefix).map(|place| (place, behind(text, place, prefix, false)))
            }
            Self::PrefixAny(prefix) => {
                index_of(text, prefix).map(|place| (place, behind(text, place, prefix, true)))
            }
            Self::PrefixSuffix(prefix, suffix) => between(text, prefix, suffix),
            Self::Row { matchers, length } => {
                for (place, _, _) in runes(text) {
                    let rest = text.get(place..).unwrap_or_default();
                    if rest.len() < *length {
                        break;
                    }
                    if row(matchers, rest, steps)? {
                        return Ok(Some((place, vec![*length])));
                    }
                }
                None
            }
            Self::Suffix(suffix) => index_of(text, suffix).map(|place| (0, vec![place + suffix.len()])),
            Self::SuffixAny(suffix) => index_of(text, suffix).map(|place| {
                let before = text.get(..place).unwrap_or_default();
                let start = before.iter().rposition(|byte| *byte == SEPARATOR).map_or(0, |slash| slash + 1);
                (start, vec![place + suffix.len() - start])
            }),
            Self::Super => Some((0, starts(text, 0))),
            Self::Text(own) => index_of(text, own).map(|place| (place, vec![own.len()])),
        })
    }
}

/// Returns where letters end; what is not UTF-8 counts as U+FFFD, byte by byte.
fn ends(text: &[u8]) -> impl Iterator<Item = usize> {
    runes(text).map(|(place, letter, _)| place + letter.len_utf8())
}

/// Returns where letters start, and the end.
fn starts(text: &[u8], offset: usize) -> Vec<usize> {
    runes(text).map(|(place, _, _)| offset + place).chain([offset + text.len()]).collect()
}

fn index_of(text: &[u8], part: &str) -> Option<usize> {
    gostd::strings::index(text, part.as_bytes())
}

/// What a text that is (not) contained can reach to.
fn contained(text: &[u8], part: &str, not: bool) -> Found {
    let place = index_of(text, part);
    if not {
        return Some((0, starts(text.get(..place.unwrap_or(text.len())).unwrap_or_default(), 0)));
    }
    let end = place? + part.len();
    Some((0, starts(text.get(end..).unwrap_or_default(), end)))
}

/// The lengths of a prefix and what stands behind it, up to a separator or the end.
fn behind(text: &[u8], place: usize, prefix: &str, stops: bool) -> Vec<usize> {
    let rest = text.get(place + prefix.len()..).unwrap_or_default();
    let end = rest.iter().position(|byte| stops && *byte == SEPARATOR).unwrap_or(rest.len());
    let rest = rest.get(..end).unwrap_or_default();
    std::iter::once(0).chain(ends(rest)).map(|end| prefix.len() + end).collect()
}

/// From the first prefix to each suffix.
fn between(text: &[u8], prefix: &str, suffix: &str) -> Found {
    let place = index_of(text, prefix)?;
    let mut rest = text.get(place..)?;
    if suffix.is_empty() {
        return Some((place, vec![rest.len()]));
    }
    let mut lengths = Vec::new();
    while let Some(found) = gostd::strings::last_index(rest, suffix.as_bytes()) {
        lengths.push(found + suffix.len());
        rest = rest.get(..found)?;
    }
    lengths.reverse();
    (!lengths.is_empty()).then_some((place, lengths))
}

/// The first place where any is found, with the lengths of all that are found there.
fn first_of(matchers: &[Matcher], text: &[u8], steps: &mut usize) -> Result<Found, Fault> {
    let mut first: Found = None;
    for matcher in matchers {
        let Some((place, lengths)) = matcher.find(text, steps)? else { continue };
        match &mut first {
            Some((known, _)) if place > *known => {}
            Some((known, all)) if place == *known => {
                all.extend(lengths);
                all.sort_unstable();
                all.dedup();
            }
            _ => first = Some((place, lengths)),
        }
    }
    Ok(first)
}

/// The lengths that all have in common.
fn every_of(matchers: &[Matcher], text: &[u8], steps: &mut usize) -> Result<Found, Fault> {
    let (mut index, mut offset) = (0, 0);
    let mut common: Vec<usize> = Vec::new();
    let mut rest = text;
    for (number, matcher) in matchers.iter().enumerate() {
        let Some((place, lengths)) = matcher.find(rest, steps)? else { return Ok(None) };
        if number == 0 {
            common = lengths;
        } else {
            // A length counts from where the one before was found.
            let found = place + offset;
            common = common
                .iter()
                .filter_map(|length| (length + index).checked_sub(found))
                .filter(|length| lengths.contains(length))
                .collect();
            if common.is_empty() {
                return Ok(None);
            }
        }
        index = place + offset;
        rest = text.get(index..).unwrap_or_default();
        offset += place;
    }
    Ok(Some((index, common)))
}

/// Reports whether each part of a row fits. A part ends with the first byte of its last letter, and one of no length reads on to
/// the end.
fn row(matchers: &[Matcher], text: &[u8], steps: &mut usize) -> Result<bool, Fault> {
    let mut start = 0;
    for matcher in matchers {
        let length = matcher.len().unwrap_or_default();
        let rest = text.get(start..).unwrap_or_default();
        let wanted = if length == 0 { usize::MAX } else { length };
        let (mut count, mut last) = (0, 0);
        for (place, _, _) in runes(rest).take(wanted) {
            (count, last) = (count + 1, place);
        }
        if count < length {
            return Ok(false);
        }
        let end = start + last + 1;
        let part = text.get(start..end).ok_or(Fault::Bounds { end, length: text.len() })?;
        if !matcher.matches(part, steps)? {
            return Ok(false);
        }
        start = end;
    }
    Ok(true)
}
