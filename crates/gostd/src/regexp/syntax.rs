//! What can be wrong with a pattern.

use std::fmt;

use crate::strconv::{can_backquote, quote};

/// A pattern that cannot be compiled (Go `syntax.Error`). Prints as Go does, with each invalid byte as U+FFFD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of fault.
    pub code: ErrorCode,
    /// The part of the pattern where it lies.
    pub expression: Vec<u8>,
}

/// The kinds of faults in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorCode {
    /// Not a class of POSIX or Unicode, or a range that runs backwards.
    #[error("invalid character class range")]
    CharRange,
    /// An escape that means nothing.
    #[error("invalid escape sequence")]
    Escape,
    /// A group name that is not of letters, digits and underscores.
    #[error("invalid named capture")]
    NamedCapture,
    /// A group that begins with `(?` and something unknown, such as look-around.
    #[error("invalid or unsupported Perl syntax")]
    PerlOp,
    /// A repetition of a repetition.
    #[error("invalid nested repetition operator")]
    RepeatOp,
    /// A repeat count of more than 1000, also of nested repetitions together.
    #[error("invalid repeat count")]
    RepeatSize,
    /// The pattern is no valid UTF-8.
    #[error("invalid UTF-8")]
    Utf8,
    /// A class without an end.
    #[error("missing closing ]")]
    MissingBracket,
    /// A group without an end.
    #[error("missing closing )")]
    MissingParen,
    /// A repetition of nothing.
    #[error("missing argument to repetition operator")]
    MissingRepeatArgument,
    /// The pattern ends in a backslash.
    #[error("trailing backslash at end of expression")]
    TrailingBackslash,
    /// An end of a group that was not begun.
    #[error("unexpected )")]
    UnexpectedParen,
    /// Too many groups within each other.
    #[error("expression nests too deeply")]
    NestingDepth,
    /// The compiled form would take too much memory.
    #[error("expression too large")]
    Large,
}

impl Error {
    pub(super) fn new(code: ErrorCode, expression: &[u8]) -> Self {
        Self { code, expression: expression.to_vec() }
    }

    /// Returns the words of the panic that Go's `regexp.MustCompile` ends in.
    pub fn must_compile_text(&self, pattern: &[u8]) -> String {
        let quoted = match std::str::from_utf8(pattern) {
            Ok(text) if can_backquote(pattern) => format!("`{text}`"),
            _ => quote(pattern),
        };
        format!("regexp: Compile({quoted}): {self}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error parsing regexp: {}: `{}`", self.code, crate::value::lossy(&self.expression))
    }
}

impl std::error::Error for Error {}
