//! Searching, replacing and repeating.

use crate::runes::{decode_rune, rune_count};

/// The longest text any function of this crate builds: 256 MiB. Go would go on until the machine's memory ends.
/// Tests reach the limit sooner.
pub(crate) const LONGEST_TEXT: usize = if cfg!(test) { 4 << 20 } else { 256 << 20 };

/// Returns where `part` first occurs, as `strings.Index`.
pub fn index(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}

/// Returns where `part` last occurs, as `strings.LastIndex`.
pub fn last_index(text: &[u8], part: &[u8]) -> Option<usize> {
    let last = text.len().checked_sub(part.len())?;
    (0..=last).rev().find(|at| text.get(*at..).is_some_and(|tail| tail.starts_with(part)))
}

/// Counts occurrences that do not overlap, as `strings.Count`; an empty part occurs before and after each character.
pub fn count(text: &[u8], part: &[u8]) -> usize {
    if part.is_empty() {
        return rune_count(text) + 1;
    }
    let mut found = 0;
    let mut rest = text;
    while let Some(at) = index(rest, part) {
        found += 1;
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    found
}

/// Replaces the first `limit` occurrences (all if negative), as `strings.Replace`. An empty `old` matches before each
/// character and at the end.
pub fn replace(text: &[u8], old: &[u8], new: &[u8], limit: isize) -> Vec<u8> {
    let mut left = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut at_start = true;
    while left > 0 && old != new {
        let next = if !old.is_empty() {
            index(rest, old)
        } else if at_start {
            Some(0)
        } else {
            Some(decode_rune(rest).1).filter(|width| *width > 0)
        };
        let Some(at) = next else { break };
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(new);
        rest = rest.get(at + old.len()..).unwrap_or_default();
        at_start = false;
        left -= 1;
    }
    out.extend_from_slice(rest);
    out
}

/// Why a text cannot be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RepeatError {
    /// Go panics with this text.
    #[error("strings: negative Repeat count")]
    Negative,
    /// Go panics with this text on overflow only; here a result above 256 MiB counts as one.
    #[error("strings: Repeat output length overflow")]
    TooLong,
}

/// Repeats a text, as `strings.Repeat`.
pub fn repeat(text: &[u8], times: i64) -> Result<Vec<u8>, RepeatError> {
    let times = u64::try_from(times).map_err(|_| RepeatError::Negative)?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let fits = |times: &usize| text.len().checked_mul(*times).is_some_and(|len| len <= LONGEST_TEXT);
    let times = usize::try_from(times).ok().filter(fits).ok_or(RepeatError::TooLong)?;
    Ok(text.repeat(times))
}
