//! Regular expressions as Go's package `regexp` reads and runs them.
//!
//! The syntax is RE2's as Go 1.26 has it, errors included; the search itself runs in `regex-automata`, in time linear in
//! the text. Matches are leftmost, and among those the first in the order of the pattern. Texts are bytes: every byte
//! that is no valid UTF-8 counts as one character U+FFFD.
//!
//! Unicode tables are those of version 15, as in Go, except that a few characters fold differently in case.

mod cache;
mod class;
mod expand;
mod names;
mod parser;
mod syntax;
mod text;
mod tree;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use regex_automata::Input;
use regex_automata::meta;

use crate::strings::LONGEST_TEXT;
pub use cache::Cache;
pub use syntax::{Error, ErrorCode};
use text::Text;

/// The most memory a compiled expression may take, in bytes. Go allows about as much.
pub const COMPILED_LIMIT: usize = 64 << 20;

/// Expressions of no more levels than this are compiled on the caller's stack; each level takes a few kilobytes.
const SHALLOW: u32 = 50;

/// The stack for all others, in bytes.
const DEEP_STACK: usize = 32 << 20;

/// A compiled regular expression (Go `*regexp.Regexp`). Clones share the program and may run on many threads.
///
/// ```
/// use gostd::regexp::Regexp;
/// let re = Regexp::compile(br"(?P<key>\w+)=(\d+)")?;
/// assert_eq!(re.find(b"a b=1 c=22"), Some(&b"b=1"[..]));
/// assert_eq!(re.replace_all(b"a b=1 c=22", b"$2=${key}")?, b"a 1=b 22=c");
/// let error = Regexp::compile(b"a(b").unwrap_err();
/// assert_eq!(error.to_string(), "error parsing regexp: missing closing ): `a(b`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Regexp(Arc<Program>);

struct Program {
    pattern: Vec<u8>,
    engine: meta::Regex,
    /// The name of each group; the whole match is the first and has none.
    names: Vec<Option<String>>,
}

/// A result that would be longer than any text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the result would be longer than {LONGEST_TEXT} bytes")]
pub struct TooLong;

impl Regexp {
    /// Compiles a pattern (Go `regexp.Compile`).
    pub fn compile(pattern: impl AsRef<[u8]>) -> Result<Self, Error> {
        let pattern = pattern.as_ref();
        let parsed = parser::parse(pattern)?;
        let engine = build(&parsed).ok_or_else(|| Error::new(ErrorCode::Large, pattern))?;
        Ok(Self(Arc::new(Program { pattern: pattern.to_vec(), engine, names: parsed.names })))
    }

    /// Returns the pattern.
    pub fn pattern(&self) -> &[u8] {
        &self.0.pattern
    }

    /// Returns the bytes of memory that the expression takes.
    pub fn size(&self) -> usize {
        self.0.engine.memory_usage()
    }

    /// Returns the names of the groups; the whole match comes first and has none.
    pub fn group_names(&self) -> &[Option<String>] {
        &self.0.names
    }

    /// Reports whether the text contains a match (Go `MatchString`).
    pub fn is_match(&self, text: &[u8]) -> bool {
        let text = Text::new(text);
        self.0.engine.is_match(text.searched())
    }

    /// Returns the leftmost match (Go `FindString`, for which no match is the empty string).
    pub fn find<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        let text = Text::new(text);
        self.find_at(&text, 0).map(|found| text.original(found))
    }

    /// Returns the leftmost match and its groups; a group that took no part is None (Go `FindStringSubmatch`).
    pub fn find_submatch<'t>(&self, text: &'t [u8]) -> Option<Vec<Option<&'t [u8]>>> {
        let text = Text::new(text);
        let groups = self.groups_at(&text, 0)?;
        Some(groups.into_iter().map(|group| group.map(|range| text.original(range))).collect())
    }

    /// Returns at most `n` matches from left to right, all if `n` is negative (Go `FindAllString`, which gives nil for
    /// none). Matches do not overlap, and an empty match right after another match does not count.
    pub fn find_all<'t>(&self, text: &'t [u8], n: i64) -> Vec<&'t [u8]> {
        let text = Text::new(text);
        self.all_ranges(&text, n).into_iter().map(|range| text.original(range)).collect()
    }

    /// Splits the text at the matches into at most `n` parts, without limit if `n` is negative; for `n` zero there is
    /// no list at all (Go `Split`).
    pub fn split<'t>(&self, text: &'t [u8], n: i64) -> Option<Vec<&'t [u8]>> {
        if n == 0 {
            return None;
        }
        if text.is_empty() && !self.0.pattern.is_empty() {
            return Some(vec![text]);
        }
        let most = usize::try_from(n).unwrap_or(usize::MAX);
        let text = Text::new(text);
        let len = text.searched().len();
        let mut parts = Vec::new();
        let (mut begin, mut end) = (0, 0);
        for found in self.all_ranges(&text, n) {
            if parts.len() >= most - 1 {
                break;
            }
            end = found.start;
            // An empty match at the very beginning splits nothing.
            if found.end != 0 {
                parts.push(text.original(begin..end));
            }
            begin = found.end;
        }
        if end != len {
            parts.push(text.original(begin..len));
        }
        Some(parts)
    }

    /// Replaces all matches by a template, in which `$1`, `${1}`, `$name` and `${name}` stand for groups (those that do
    /// not exist are empty) and `$$` for a dollar sign (Go `ReplaceAllString`). A name is as long as it can be: `$1x`
    /// is the group `1x`.
    pub fn replace_all(&self, text: &[u8], template: &[u8]) -> Result<Vec<u8>, TooLong> {
        if !template.contains(&b'$') {
            return self.replace_all_literal(text, template);
        }
        let text = Text::new(text);
        let whole = |groups: &Groups| groups.first().cloned().flatten().unwrap_or_default();
        let write = |out: &mut Vec<u8>, groups: &Groups| {
            let group = |index: usize| groups.get(index).cloned().flatten().map(|range| text.original(range));
            expand::expand(out, template, &self.0.names, group);
        };
        replace(&text, LONGEST_TEXT, |at| self.groups_at(&text, at), whole, write)
    }

    /// Replaces all matches by a text as it is (Go `ReplaceAllLiteralString`).
    pub fn replace_all_literal(&self, text: &[u8], replacement: &[u8]) -> Result<Vec<u8>, TooLong> {
        let text = Text::new(text);
        let write = |out: &mut Vec<u8>, _: &Range<usize>| out.extend_from_slice(replacement);
        replace(&text, LONGEST_TEXT, |at| self.find_at(&text, at), Range::clone, write)
    }

    /// Searches from an offset on. This and all offsets below are those of the searched text.
    fn find_at(&self, text: &Text<'_>, at: usize) -> Option<Range<usize>> {
        let input = Input::new(text.searched()).range(at..);
        self.0.engine.search(&input).map(|found| found.range())
    }

    fn groups_at(&self, text: &Text<'_>, at: usize) -> Option<Groups> {
        let mut captures = self.0.engine.create_captures();
        self.0.engine.search_captures(&Input::new(text.searched()).range(at..), &mut captures);
        captures.is_match().then(|| {
            let group = |index| captures.get_group(index).map(|span| span.range());
            (0..self.0.names.len()).map(group).collect()
        })
    }

    /// Go `allMatches`.
    fn all_ranges(&self, text: &Text<'_>, n: i64) -> Vec<Range<usize>> {
        let most = usize::try_from(n).unwrap_or(usize::MAX);
        let mut all = Vec::new();
        let mut previous_end = None;
        let mut at = 0;
        while all.len() < most && at <= text.searched().len() {
            let Some(found) = self.find_at(text, at) else { break };
            let empty_here = found.end == at;
            let again = empty_here && previous_end == Some(found.start);
            at = if empty_here { at + text.width_at(at).max(1) } else { found.end };
            previous_end = Some(found.end);
            if !again {
                all.push(found);
            }
        }
        all
    }
}

/// Compiles the program, unless that would take too much memory.
fn build(parsed: &parser::Parsed) -> Option<meta::Regex> {
    let config = meta::Config::new().nfa_size_limit(Some(COMPILED_LIMIT));
    let build = || meta::Builder::new().configure(config).build_from_hir(&parsed.hir).ok();
    if parsed.height <= SHALLOW {
        return build();
    }
    // The compiler recurses; the thread of the caller may not have stack enough.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, build);
        thread.ok()?.join().ok()?
    })
}

/// Where the groups of a match are; the whole match comes first.
type Groups = Vec<Option<Range<usize>>>;

/// Go `replaceAll`: copies the text with the matches that `find` returns replaced.
fn replace<M>(
    text: &Text<'_>,
    longest: usize,
    find: impl Fn(usize) -> Option<M>,
    whole: impl Fn(&M) -> Range<usize>,
    write: impl Fn(&mut Vec<u8>, &M),
) -> Result<Vec<u8>, TooLong> {
    let len = text.searched().len();
    let mut out = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while at <= len {
        let Some(found) = find(at) else { break };
        let range = whole(&found);
        out.extend_from_slice(text.original(copied..range.start));
        // Not for an empty match right after another match.
        if range.end > copied || range.start == 0 {
            write(&mut out, &found);
        }
        if out.len() > longest {
            return Err(TooLong);
        }
        copied = range.end;
        at = range.end.max(at + text.width_at(at).max(1));
    }
    out.extend_from_slice(text.original(copied..len));
    if out.len() > longest { Err(TooLong) } else { Ok(out) }
}

/// Escapes all characters that mean something in a pattern (Go `QuoteMeta`).
///
/// ```
/// assert_eq!(gostd::regexp::quote_meta(b"a.b-c"), br"a\.b-c");
/// ```
pub fn quote_meta(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        if br"\.+*?()|[]{}^$".contains(&byte) {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out
}

impl fmt::Debug for Regexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Regexp({:?})", String::from_utf8_lossy(&self.0.pattern))
    }
}

#[cfg(test)]
mod tests;
