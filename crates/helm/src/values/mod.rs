//! The user's values: `--set` and its kin, files, and how they combine.

use gostd::Map;

use crate::Error;

/// Parses one `--set` argument into `values`.
pub fn parse_set(text: &str, values: &Map) -> Result<(), Error> {
    let _ = values;
    Err(Error::Values(format!("--set is not there yet: {text}")))
}
