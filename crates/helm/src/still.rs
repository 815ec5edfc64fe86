//! A world in which nothing happens.

use gostd::{Map, Value};
use gotemplate::{Host, Site};

/// A [`Host`] without clock, randomness or cluster: it is always the same second, random bytes are all alike, and `lookup`
/// finds nothing. What is rendered with it can be compared, but is nothing to install.
#[derive(Clone, Copy, Debug, Default)]
pub struct Still;

impl Host for Still {
    fn now(&self) -> (i64, u32) {
        (1_700_000_000, 0)
    }

    fn random(&self, _: &Site<'_>, buffer: &mut [u8]) {
        buffer.fill(7);
    }

    fn query(&self, function: &str, _: &[Value]) -> Result<Value, String> {
        match function {
            "lookup" => Ok(Value::Map(Map::new())),
            other => Err(format!("{other} has nobody to ask")),
        }
    }
}
