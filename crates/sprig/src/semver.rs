//! Versions and version constraints by the rules of Masterminds/semver 3.5.0, which Helm and sprig use.
//!
//! Versions are read loosely (`v1.2` is `1.2.0`) unless [`Version::parse_strict`] is asked for. Constraints are groups of
//! terms: all terms of one group must hold, of one of the groups.
//!
//! ```
//! use sprig::semver::{Constraints, Version};
//! let constraints = Constraints::parse(">=1.19-0 <2 || ~3.1")?;
//! assert!(constraints.check(&Version::parse("v1.27.3-gke.1")?));
//! assert!(!constraints.check(&Version::parse("3.2")?));
//! # Ok::<(), sprig::semver::Error>(())
//! ```

mod constraint;
mod scan;
mod version;

use gostd::strconv::quote;

pub use constraint::{Constraints, MAX_CONSTRAINT_LEN, MAX_GROUPS};
pub use version::{MAX_VERSION_LEN, Version};

/// Why a version or constraint was refused. The texts are Masterminds/semver's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is no version.
    #[error("invalid semantic version")]
    Invalid,
    /// Strict reading: nothing there.
    #[error("version string empty")]
    Empty,
    /// Strict reading: a number holds something else than digits.
    #[error("invalid characters in version")]
    Characters,
    /// A number has a leading zero where none may be.
    #[error("version segment starts with 0")]
    LeadingZero,
    /// A part of the build metadata is empty or has other characters than letters, digits and hyphens.
    #[error("invalid metadata string")]
    Metadata,
    /// A part of the prerelease is empty or has other characters than letters, digits and hyphens.
    #[error("invalid prerelease string")]
    Prerelease,
    /// The version is longer than [`MAX_VERSION_LEN`].
    #[error("version string is too long (max {MAX_VERSION_LEN} bytes)")]
    VersionTooLong,
    /// A number does not fit 64 bits, or is missing (strict reading only).
    #[error("{}strconv.ParseUint: parsing {}: {}",
        if *.strict { "" } else { "error parsing version segment: " },
        quote(.digits.as_bytes()),
        if .digits.is_empty() { "invalid syntax" } else { "value out of range" })]
    Number {
        /// The number as written.
        digits: String,
        /// Whether the version was read strictly, which leaves out the introduction of the text.
        strict: bool,
    },
    /// Counting up would exceed 64 bits.
    #[error("{0} version increment would overflow uint64")]
    Overflow(&'static str),
    /// The constraint is longer than [`MAX_CONSTRAINT_LEN`].
    #[error("constraint string is too long (max {MAX_CONSTRAINT_LEN} bytes)")]
    ConstraintTooLong,
    /// The constraint has more than [`MAX_GROUPS`] groups.
    #[error("too many constraint groups (max {MAX_GROUPS})")]
    TooManyGroups,
    /// A group of the constraint does not follow the syntax.
    #[error("improper constraint: {}", quote(.0))]
    Improper(Vec<u8>),
    /// A term of the constraint follows the syntax but holds no version (`1.2x`, `1.2-01`).
    #[error("constraint parser error")]
    Term,
}

#[cfg(test)]
mod tests;
