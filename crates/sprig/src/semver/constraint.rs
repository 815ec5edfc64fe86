//! Constraints: reading and checking.

use std::cmp::Ordering;
use std::fmt;

use super::scan::{self, Parts};
use super::version::compare_prerelease;
use super::{Error, Version};

/// The longest constraint that is read, in bytes.
pub const MAX_CONSTRAINT_LEN: usize = 512;

/// The most groups (separated by `||`) a constraint may have.
pub const MAX_GROUPS: usize = 32;

/// A parsed constraint.
///
/// ```
/// use sprig::semver::{Constraints, Version};
/// let version = Version::parse("1.4.2")?;
/// for constraint in ["^1.2", "1.x", ">=1.0, <2.0", "1.0 - 1.5", "~1.4.0 || 9"] {
///     assert!(Constraints::parse(constraint)?.check(&version), "{constraint}");
/// }
/// # Ok::<(), sprig::semver::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints {
    groups: Vec<Group>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    terms: Vec<Term>,
    /// Prereleases only fit a group of which a term has a prerelease itself.
    prereleases: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    written: &'static str,
    op: Op,
    text: String,
    version: Version,
    wild: Wild,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterEqual,
    LessEqual,
    Tilde,
    Caret,
}

/// From which number on a term's version is left open (missing, `x`, `X` or `*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wild {
    Nothing,
    Patch,
    Minor,
    Everything,
}

/// Longer operators stand before their beginnings.
const OPERATORS: [(&str, Op); 12] = [
    ("!=", Op::NotEqual),
    (">=", Op::GreaterEqual),
    ("=>", Op::GreaterEqual),
    ("<=", Op::LessEqual),
    ("=<", Op::LessEqual),
    ("~>", Op::Tilde),
    ("=", Op::Equal),
    (">", Op::Greater),
    ("<", Op::Less),
    ("~", Op::Tilde),
    ("^", Op::Caret),
    ("", Op::Equal),
];

impl Constraints {
    /// Reads a constraint, as Go's `NewConstraint`.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, Error> {
        let text = text.as_ref();
        if text.len() > MAX_CONSTRAINT_LEN {
            return Err(Error::ConstraintTooLong);
        }
        let text = rewrite_ranges(text);
        let groups = split_groups(&text);
        if groups.len() > MAX_GROUPS {
            return Err(Error::TooManyGroups);
        }
        let groups = groups.into_iter().map(Group::parse).collect::<Result<_, _>>()?;
        Ok(Self { groups })
    }

    /// Reports whether the version fits.
    pub fn check(&self, version: &Version) -> bool {
        self.groups.iter().any(|group| group.check(version))
    }
}

impl fmt::Display for Constraints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, group) in self.groups.iter().enumerate() {
            f.write_str(if index > 0 { " || " } else { "" })?;
            for (index, term) in group.terms.iter().enumerate() {
                f.write_str(if index > 0 { " " } else { "" })?;
                write!(f, "{}{}", term.written, term.text)?;
            }
        }
        Ok(())
    }
}

impl Group {
    fn parse(text: &[u8]) -> Result<Self, Error> {
        let written = split_terms(text).ok_or_else(|| Error::Improper(text.to_vec()))?;
        let terms = written.into_iter().map(Written::into_term).collect::<Result<Vec<_>, _>>()?;
        let prereleases = terms.iter().any(|term| !term.version.prerelease().is_empty());
        Ok(Self { terms, prereleases })
    }

    fn check(&self, version: &Version) -> bool {
        let admitted = self.prereleases || version.prerelease().is_empty();
        admitted && self.terms.iter().all(|term| term.check(version))
    }
}

/// A term as it stands in the text.
struct Written<'t> {
    op: (&'static str, Op),
    text: &'t [u8],
    parts: Parts<'t>,
}

impl<'t> Written<'t> {
    /// Reads operator, space and version at the start of the text; returns what follows.
    fn read(text: &'t [u8]) -> Option<(Self, &'t [u8])> {
        let op = *OPERATORS.iter().find(|(name, _)| text.starts_with(name.as_bytes()))?;
        let text = skip_space(text.get(op.0.len()..)?);
        let parts = scan::version(text, is_number_or_wild)?;
        let (text, rest) = text.split_at_checked(parts.len)?;
        Some((Self { op, text, parts }, rest))
    }

    fn into_term(self) -> Result<Term, Error> {
        let open = |number: &str| matches!(number, "" | "x" | "X" | "*");
        let [major, minor, patch] = self.parts.numbers;
        let hyphen = if self.parts.pre.is_empty() { "" } else { "-" };
        let pre = self.parts.pre;
        let (wild, version) = if open(major) {
            (Wild::Everything, format!("0.0.0{hyphen}{pre}"))
        } else if open(minor) {
            (Wild::Minor, format!("{major}.0.0{hyphen}{pre}"))
        } else if open(patch) {
            (Wild::Patch, format!("{major}.{minor}.0{hyphen}{pre}"))
        } else {
            (Wild::Nothing, String::from_utf8_lossy(self.text).into_owned())
        };
        let version = Version::parse(version).map_err(|_| Error::Term)?;
        let (written, op) = self.op;
        Ok(Term { written, op, text: String::from_utf8_lossy(self.text).into_owned(), version, wild })
    }
}

impl Term {
    /// Checks a version whose prerelease, if any, the group admits.
    fn check(&self, version: &Version) -> bool {
        let order = version.compare(&self.version);
        match self.op {
            Op::Equal if self.wild == Wild::Nothing => order.is_eq(),
            Op::Equal | Op::Tilde => order.is_ge() && self.tilde(version),
            Op::NotEqual => self.differs(version, order),
            Op::Greater => self.greater(version, order),
            Op::Less => order.is_lt(),
            Op::GreaterEqual => order.is_ge(),
            Op::LessEqual => self.less_equal(version, order),
            Op::Caret => order.is_ge() && self.caret(version),
        }
    }

    fn same_major(&self, version: &Version) -> bool {
        version.major() == self.version.major()
    }

    fn same_minor(&self, version: &Version) -> bool {
        version.minor() == self.version.minor()
    }

    fn differs(&self, version: &Version, order: Ordering) -> bool {
        match self.wild {
            Wild::Minor => !self.same_major(version),
            Wild::Patch if self.same_major(version) && self.same_minor(version) => {
                compare_prerelease(version.prerelease(), self.version.prerelease()).is_ne()
            }
            Wild::Patch => true,
            Wild::Everything | Wild::Nothing => order.is_ne(),
        }
    }

    fn greater(&self, version: &Version, order: Ordering) -> bool {
        match self.wild {
            Wild::Nothing => order.is_gt(),
            _ if !self.same_major(version) => version.major() > self.version.major(),
            Wild::Minor => false,
            Wild::Patch => version.minor() > self.version.minor(),
            Wild::Everything => order.is_gt(),
        }
    }

    fn less_equal(&self, version: &Version, order: Ordering) -> bool {
        match self.wild {
            Wild::Nothing => order.is_le(),
            _ if !self.same_major(version) => version.major() < self.version.major(),
            Wild::Minor => true,
            Wild::Patch | Wild::Everything => version.minor() <= self.version.minor(),
        }
    }

    /// The upper bound of `~`; `~0.0.0` and `~*` have none.
    fn tilde(&self, version: &Version) -> bool {
        let zero = (self.version.major(), self.version.minor(), self.version.patch()) == (0, 0, 0);
        if zero && !matches!(self.wild, Wild::Minor | Wild::Patch) {
            return true;
        }
        self.same_major(version) && (self.wild == Wild::Minor || self.same_minor(version))
    }

    /// The upper bound of `^`: the leftmost number that is not zero stays.
    fn caret(&self, version: &Version) -> bool {
        if !self.same_major(version) {
            return false;
        }
        if self.version.major() > 0 || self.wild == Wild::Minor {
            return true;
        }
        if self.version.minor() > 0 || self.wild == Wild::Patch {
            return self.same_minor(version);
        }
        version.minor() == 0 && version.patch() == self.version.patch()
    }
}

fn is_number_or_wild(byte: u8) -> bool {
    // The bar is there because the library's character class `[0-9|x|X|\*]` holds it.
    byte.is_ascii_digit() || matches!(byte, b'x' | b'X' | b'*' | b'|')
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')
}

fn skip_space(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| is_space(**byte)).count();
    text.get(spaces..).unwrap_or_default()
}

fn split_groups(mut text: &[u8]) -> Vec<&[u8]> {
    let mut groups = Vec::new();
    while let Some(at) = text.windows(2).position(|pair| pair == b"||") {
        groups.push(text.get(..at).unwrap_or_default());
        text = text.get(at + 2..).unwrap_or_default();
    }
    groups.push(text);
    groups
}

/// Splits a group into terms, which white space or one comma separates.
fn split_terms(text: &[u8]) -> Option<Vec<Written<'_>>> {
    let (first, mut rest) = Written::read(skip_space(text))?;
    let mut terms = vec![first];
    loop {
        let next = skip_space(rest);
        if next.is_empty() {
            return Some(terms);
        }
        let spaced = next.len() < rest.len();
        let next = match next.strip_prefix(b",") {
            Some(next) => skip_space(next),
            None if spaced => next,
            None => return None,
        };
        let (term, after) = Written::read(next)?;
        terms.push(term);
        rest = after;
    }
}

/// Rewrites every `a - b` to `>= a, <= b `, as the library does before all else.
fn rewrite_ranges(text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    let mut at = 0;
    while at < text.len() {
        let Some((low, high, end)) = text.get(at..).and_then(read_range) else {
            at += 1;
            continue;
        };
        let range = text.get(at..at + end).unwrap_or_default();
        let rewritten = [b">= ", low, b", <= ", high, b" "].concat();
        // The first place that reads like the range is replaced, which need not be where it was found.
        if let Some(place) = out.windows(range.len()).position(|window| window == range) {
            out.splice(place..place + range.len(), rewritten);
        }
        at += end;
    }
    out
}

/// Reads a range at the start of the text: its two ends and its length with the space around it.
fn read_range(text: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let low = skip_space(text);
    let (low, rest) = low.split_at(scan::version(low, is_number_or_wild)?.len);
    let hyphen = skip_space(rest);
    let after = hyphen.strip_prefix(b"-")?;
    let high = skip_space(after);
    if hyphen.len() == rest.len() || high.len() == after.len() {
        return None;
    }
    let (high, rest) = high.split_at(scan::version(high, is_number_or_wild)?.len);
    Some((low, high, text.len() - skip_space(rest).len()))
}
