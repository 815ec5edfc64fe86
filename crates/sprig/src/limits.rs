//! Bounds on what one call may cost. Go would run until its memory is gone; a chart that needs more than this is
//! broken or hostile, and gets an error that says so. What a call makes also counts towards the session's steps.

use gotemplate::{Call, FuncError};

/// The longest text one call may produce, in bytes. Kubernetes takes objects of about 1.5 MB.
pub const LONGEST_TEXT: usize = 64 << 20;

/// The longest list one call may produce, in elements.
pub const LONGEST_LIST: usize = 1_000_000;

/// The most random characters or bytes one call may draw.
pub(crate) const MOST_RANDOM: i64 = 1_000_000;

/// Bytes that are made in about the time of one step of the engine.
const BYTES_PER_STEP: usize = 64;

/// Checks the length of a text before it is built, and counts it; a length that overflowed is too long.
pub(crate) fn text(call: &mut Call<'_, '_>, length: Option<usize>) -> Result<usize, FuncError> {
    let length = text_so_far(call, length)?;
    call.note_text(length);
    call.charge((length / BYTES_PER_STEP) as u64)?;
    Ok(length)
}

/// Checks the length of a text that is being built, without counting it.
pub(crate) fn text_so_far(call: &Call<'_, '_>, length: Option<usize>) -> Result<usize, FuncError> {
    length.filter(|length| *length <= LONGEST_TEXT).ok_or_else(|| {
        FuncError::new(format!(
            "{}: the result would be longer than {LONGEST_TEXT} bytes, the most one call may produce",
            call.function()
        ))
    })
}

/// Checks the number of elements of a list before it is built, and counts them.
pub(crate) fn list(call: &mut Call<'_, '_>, length: u128) -> Result<usize, FuncError> {
    match usize::try_from(length) {
        Ok(length) if length <= LONGEST_LIST => {
            call.note_list(length);
            call.charge(length as u64)?;
            Ok(length)
        }
        _ => Err(FuncError::new(format!(
            "{}: the result would have {length} elements; one call may produce at most {LONGEST_LIST}",
            call.function()
        ))),
    }
}

/// Checks a number of random characters, and counts them.
pub(crate) fn random(call: &mut Call<'_, '_>, count: i64) -> Result<usize, FuncError> {
    match usize::try_from(count) {
        Ok(wanted) if count <= MOST_RANDOM => {
            call.note_text(wanted);
            call.charge(wanted as u64)?;
            Ok(wanted)
        }
        _ => Err(FuncError::new(format!(
            "{}: {count} random characters wanted; one call may draw at most {MOST_RANDOM}",
            call.function()
        ))),
    }
}

/// Counts comparisons of values with each other.
pub(crate) fn comparisons(call: &mut Call<'_, '_>, some: usize, others: usize) -> Result<(), FuncError> {
    call.charge(some.saturating_mul(others) as u64)
}
