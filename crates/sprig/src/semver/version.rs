//! A version: reading, printing, ordering, counting up.

use std::cmp::Ordering;
use std::fmt;

use super::Error;
use super::scan::{self, is_identifier};

/// The longest version that is read, in bytes.
pub const MAX_VERSION_LEN: usize = 256;

/// A semantic version, with the text it was read from.
///
/// Equality compares all of that; use [`Version::compare`] for precedence.
///
/// ```
/// use sprig::semver::Version;
/// let version = Version::parse("v1.2-beta.1+build")?;
/// assert_eq!(version.to_string(), "1.2.0-beta.1+build");
/// assert_eq!(version.original(), "v1.2-beta.1+build");
/// assert_eq!(version.inc_minor()?.original(), "v1.3.0");
/// # Ok::<(), sprig::semver::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    pre: String,
    metadata: String,
    original: String,
}

impl Version {
    /// Reads a version loosely, as Go's `NewVersion`: an optional `v`, one to three numbers (leading zeros allowed), an
    /// optional prerelease and metadata.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, Error> {
        let text = text.as_ref();
        if text.len() > MAX_VERSION_LEN {
            return Err(Error::VersionTooLong);
        }
        let parts = scan::version(text, |byte| byte.is_ascii_digit())
            .filter(|parts| parts.len == text.len())
            .ok_or(Error::Invalid)?;
        let [major, minor, patch] = parts.numbers;
        let optional = |digits: &str| if digits.is_empty() { Ok(0) } else { number(digits, false) };
        let version = Self {
            major: number(major, false)?,
            minor: optional(minor)?,
            patch: optional(patch)?,
            pre: parts.pre.to_owned(),
            metadata: parts.metadata.to_owned(),
            original: String::from_utf8_lossy(text).into_owned(),
        };
        if !version.pre.is_empty() {
            validate_prerelease(&version.pre)?;
        }
        Ok(version)
    }

    /// Reads a version that follows SemVer 2 to the letter, as Go's `StrictNewVersion`.
    pub fn parse_strict(text: &str) -> Result<Self, Error> {
        if text.is_empty() {
            return Err(Error::Empty);
        }
        if text.len() > MAX_VERSION_LEN {
            return Err(Error::VersionTooLong);
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(Error::Invalid);
        };
        let (rest, metadata) = split_off(rest, '+', validate_metadata)?;
        let (patch, pre) = split_off(rest, '-', validate_prerelease)?;
        for digits in [major, minor, patch] {
            if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(Error::Characters);
            }
            if digits.len() > 1 && digits.starts_with('0') {
                return Err(Error::LeadingZero);
            }
        }
        Ok(Self {
            major: number(major, true)?,
            minor: number(minor, true)?,
            patch: number(patch, true)?,
            pre: pre.to_owned(),
            metadata: metadata.to_owned(),
            original: text.to_owned(),
        })
    }

    /// The first number.
    pub fn major(&self) -> u64 {
        self.major
    }

    /// The second number.
    pub fn minor(&self) -> u64 {
        self.minor
    }

    /// The third number.
    pub fn patch(&self) -> u64 {
        self.patch
    }

    /// The prerelease without its hyphen; empty for a release.
    pub fn prerelease(&self) -> &str {
        &self.pre
    }

    /// The build metadata without its plus sign.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// The text the version was read from; for a derived version its printed form, with the `v` it had.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Orders by SemVer 2 precedence: numbers, then prerelease; metadata does not count.
    pub fn compare(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| match (self.pre.is_empty(), other.pre.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => compare_prerelease(&self.pre, &other.pre),
        })
    }

    /// The next major version. Fails when the number would exceed 64 bits.
    pub fn inc_major(&self) -> Result<Self, Error> {
        let major = self.major.checked_add(1).ok_or(Error::Overflow("major"))?;
        Ok(self.derived(major, 0, 0))
    }

    /// The next minor version. Fails when the number would exceed 64 bits.
    pub fn inc_minor(&self) -> Result<Self, Error> {
        let minor = self.minor.checked_add(1).ok_or(Error::Overflow("minor"))?;
        Ok(self.derived(self.major, minor, 0))
    }

    /// The next patch version, which for a prerelease is its release. Fails when the number would exceed 64 bits.
    pub fn inc_patch(&self) -> Result<Self, Error> {
        if !self.pre.is_empty() {
            return Ok(self.derived(self.major, self.minor, self.patch));
        }
        let patch = self.patch.checked_add(1).ok_or(Error::Overflow("patch"))?;
        Ok(self.derived(self.major, self.minor, patch))
    }

    /// The same version with another prerelease (given without hyphen), or none.
    pub fn set_prerelease(&self, pre: &str) -> Result<Self, Error> {
        if !pre.is_empty() {
            validate_prerelease(pre)?;
        }
        Ok(Self { pre: pre.to_owned(), ..self.clone() }.renamed(self))
    }

    /// The same version with other build metadata (given without plus sign), or none.
    pub fn set_metadata(&self, metadata: &str) -> Result<Self, Error> {
        if !metadata.is_empty() {
            validate_metadata(metadata)?;
        }
        Ok(Self { metadata: metadata.to_owned(), ..self.clone() }.renamed(self))
    }

    fn derived(&self, major: u64, minor: u64, patch: u64) -> Self {
        let (pre, metadata, original) = (String::new(), String::new(), String::new());
        Self { major, minor, patch, pre, metadata, original }.renamed(self)
    }

    fn renamed(mut self, from: &Self) -> Self {
        let prefix = if from.original.starts_with('v') { "v" } else { "" };
        self.original = format!("{prefix}{self}");
        self
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

fn number(digits: &str, strict: bool) -> Result<u64, Error> {
    digits.parse().map_err(|_| Error::Number { digits: digits.to_owned(), strict })
}

/// Cuts at `mark` and checks what follows it.
fn split_off(text: &str, mark: char, check: fn(&str) -> Result<(), Error>) -> Result<(&str, &str), Error> {
    match text.split_once(mark) {
        Some((text, extra)) => check(extra).map(|()| (text, extra)),
        None => Ok((text, "")),
    }
}

fn validate_prerelease(pre: &str) -> Result<(), Error> {
    for part in pre.split('.') {
        if part.is_empty() || !part.bytes().all(is_identifier) {
            return Err(Error::Prerelease);
        }
        let numeric = part.bytes().all(|byte| byte.is_ascii_digit());
        if numeric && part.len() > 1 && part.starts_with('0') {
            return Err(Error::LeadingZero);
        }
    }
    Ok(())
}

fn validate_metadata(metadata: &str) -> Result<(), Error> {
    let valid = metadata.split('.').all(|part| !part.is_empty() && part.bytes().all(is_identifier));
    if valid { Ok(()) } else { Err(Error::Metadata) }
}

/// Orders prereleases part by part; a missing part comes first.
pub(super) fn compare_prerelease(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.split('.'), b.split('.'));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (a, b) => {
                let order = compare_part(a.unwrap_or_default(), b.unwrap_or_default());
                if order.is_ne() {
                    return order;
                }
            }
        }
    }
}

/// Numbers that fit 64 bits come before all else and by value; the rest by bytes.
fn compare_part(a: &str, b: &str) -> Ordering {
    if a.is_empty() || b.is_empty() {
        return a.len().min(1).cmp(&b.len().min(1));
    }
    match (part_number(a), part_number(b)) {
        // Equal numbers are equal texts, since validated numbers have no leading zeros.
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

fn part_number(part: &str) -> Option<u64> {
    // `parse` alone would also take a leading plus sign; identifiers cannot hold one.
    part.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Version {
        Version::parse(text).expect(text)
    }

    #[test]
    fn reads_loosely() {
        let cases = [
            ("1", "1.0.0"),
            ("v2", "2.0.0"),
            ("1.2", "1.2.0"),
            ("01.002.0003", "1.2.3"),
            ("1-beta", "1.0.0-beta"),
            ("1.2+b.01", "1.2.0+b.01"),
            ("1.2.3-rc.1+meta-5", "1.2.3-rc.1+meta-5"),
            ("1.2.3--", "1.2.3--"),
            ("1.2.3-0a", "1.2.3-0a"),
            ("18446744073709551615", "18446744073709551615.0.0"),
        ];
        for (text, printed) in cases {
            assert_eq!(parsed(text).to_string(), printed);
            assert_eq!(parsed(text).original(), text);
        }
    }

    #[test]
    fn refuses_loosely_with_the_librarys_words() {
        let cases = [
            ("", "invalid semantic version"),
            ("V1", "invalid semantic version"),
            ("1.2.3.4", "invalid semantic version"),
            ("1.", "invalid semantic version"),
            ("1.2.3-", "invalid semantic version"),
            ("1.2.3-a..b", "invalid semantic version"),
            ("1.2.3+", "invalid semantic version"),
            ("1.2.3 ", "invalid semantic version"),
            ("1.2.3\n", "invalid semantic version"),
            ("1.2.3-ä", "invalid semantic version"),
            ("1.2.3-01", "version segment starts with 0"),
            ("1.2.3-a.00", "version segment starts with 0"),
            (
                "1.18446744073709551616",
                "error parsing version segment: strconv.ParseUint: parsing \"18446744073709551616\": \
                 value out of range",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(Version::parse(text).expect_err(text).to_string(), message, "{text}");
        }
        let long = format!("1.2.3-{}", "a".repeat(251));
        assert_eq!(Version::parse(&long), Err(Error::VersionTooLong));
        assert!(Version::parse(b"\xff").is_err());
    }

    #[test]
    fn reads_strictly() {
        assert_eq!(Version::parse_strict("1.2.3-a.b+c").map(|v| v.to_string()).as_deref(), Ok("1.2.3-a.b+c"));
        let cases = [
            ("", "version string empty"),
            ("1.2", "invalid semantic version"),
            ("v1.2.3", "invalid characters in version"),
            ("1.02.3", "version segment starts with 0"),
            ("1.2.3-01", "version segment starts with 0"),
            ("1.2.3-a_b", "invalid prerelease string"),
            ("1.2.3+", "invalid metadata string"),
            ("1..3", "strconv.ParseUint: parsing \"\": invalid syntax"),
            (
                "1.2.99999999999999999999",
                "strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
            ),
        ];
        for (text, message) in cases {
            assert_eq!(Version::parse_strict(text).expect_err(text).to_string(), message, "{text}");
        }
    }

    #[test]
    fn precedence_follows_semver_2() {
        let ordered = [
            "1.0.0-1",
            "1.0.0-9",
            "1.0.0-10",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.10",
            "2",
        ];
        for (i, a) in ordered.iter().enumerate() {
            for (j, b) in ordered.iter().enumerate() {
                assert_eq!(parsed(a).compare(&parsed(b)), i.cmp(&j), "{a} {b}");
            }
        }
        assert_eq!(parsed("1.0.0+a").compare(&parsed("1.0.0+b")), Ordering::Equal);
        // A number beyond 64 bits counts as text.
        assert_eq!(parsed("1.0.0-99999999999999999999").compare(&parsed("1.0.0-5")), Ordering::Greater);
    }

    #[test]
    fn counts_up() {
        let version = parsed("v1.2.3-beta.1+meta");
        assert_eq!(version.inc_patch().map(|v| v.original().to_owned()).as_deref(), Ok("v1.2.3"));
        assert_eq!(parsed("1.2.3+meta").inc_patch().map(|v| v.to_string()).as_deref(), Ok("1.2.4"));
        assert_eq!(version.inc_major().map(|v| v.to_string()).as_deref(), Ok("2.0.0"));
        let last = parsed("1.18446744073709551615");
        assert_eq!(
            last.inc_minor().map_err(|e| e.to_string()),
            Err("minor version increment would overflow uint64".into())
        );
        assert_eq!(version.set_prerelease("").map(|v| v.original().to_owned()).as_deref(), Ok("v1.2.3+meta"));
        assert_eq!(version.set_metadata("x.1").map(|v| v.to_string()).as_deref(), Ok("1.2.3-beta.1+x.1"));
        assert_eq!(version.set_prerelease("01"), Err(Error::LeadingZero));
        assert_eq!(version.set_metadata("a b"), Err(Error::Metadata));
    }
}
