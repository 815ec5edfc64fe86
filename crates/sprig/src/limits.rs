//! Bounds on what one call may cost. Go would run until its memory is gone; a chart that needs more than this is
//! broken or hostile, and gets an error that says so.

use gotemplate::FuncError;

/// The longest text one call may produce, in bytes. Kubernetes takes objects of about 1.5 MB.
pub(crate) const LONGEST_TEXT: usize = 64 << 20;

/// The longest list one call may produce, in elements.
pub(crate) const LONGEST_LIST: usize = 1_000_000;

/// The most random characters one call may draw.
pub(crate) const MOST_RANDOM: i64 = 1_000_000;

/// Checks the length of a text before it is built; a length that overflowed counts as too long.
pub(crate) fn text(function: &str, length: Option<usize>) -> Result<usize, FuncError> {
    match length {
        Some(length) if length <= LONGEST_TEXT => Ok(length),
        _ => Err(FuncError::new(format!(
            "{function}: the result would be longer than {LONGEST_TEXT} bytes, the most one call may produce"
        ))),
    }
}

/// Checks the number of elements of a list before it is built.
pub(crate) fn list(function: &str, length: u128) -> Result<usize, FuncError> {
    match usize::try_from(length) {
        Ok(length) if length <= LONGEST_LIST => Ok(length),
        _ => Err(FuncError::new(format!(
            "{function}: the result would have {length} elements; one call may produce at most {LONGEST_LIST}"
        ))),
    }
}

/// Checks a count of random characters or bytes.
pub(crate) fn random(function: &str, count: i64) -> Result<usize, FuncError> {
    match usize::try_from(count) {
        Ok(wanted) if count <= MOST_RANDOM => Ok(wanted),
        _ => Err(FuncError::new(format!(
            "{function}: {count} random characters wanted; one call may draw at most {MOST_RANDOM}"
        ))),
    }
}
