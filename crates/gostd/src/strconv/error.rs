//! Go's `strconv.NumError`.

use std::fmt;

use crate::GoStr;

/// A text that is no number of the wanted kind. It prints as Go's error: `strconv.ParseInt: parsing "x": invalid
/// syntax`.
#[derive(Clone, Debug, PartialEq)]
pub struct NumError<T> {
    /// The Go function that failed, such as `ParseInt`.
    pub function: &'static str,
    /// The text.
    pub input: GoStr,
    /// What is wrong with it.
    pub cause: Cause,
    /// What Go returns beside the error, for callers that ignore it: the nearest number that fits after
    /// [`Cause::Range`], else zero.
    pub value: T,
}

/// What is wrong with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Not a number.
    Syntax,
    /// A number beyond the limits of the type.
    Range,
    /// The caller asked for a base that does not exist.
    Base(u32),
    /// The caller asked for a size that does not exist.
    BitSize(u32),
}

impl<T: Default> NumError<T> {
    pub(super) fn new(function: &'static str, input: &[u8], cause: Cause) -> Self {
        Self { function, input: input.into(), cause, value: T::default() }
    }

    pub(super) fn syntax(function: &'static str, input: &[u8]) -> Self {
        Self::new(function, input, Cause::Syntax)
    }

    pub(super) fn range(function: &'static str, input: &[u8], nearest: T) -> Self {
        Self { value: nearest, ..Self::new(function, input, Cause::Range) }
    }
}

impl<T> fmt::Display for NumError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "strconv.{}: parsing {}: {}", self.function, super::quote(&self.input), self.cause)
    }
}

impl<T: fmt::Debug> std::error::Error for NumError<T> {}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Syntax => f.write_str("invalid syntax"),
            Cause::Range => f.write_str("value out of range"),
            Cause::Base(base) => write!(f, "invalid base {base}"),
            Cause::BitSize(bits) => write!(f, "invalid bit size {bits}"),
        }
    }
}
