//! JSON that nests deeper than serde_json reads by itself (127 levels): as deep as the API server and YAML go.
//!
//! Reading and writing it recurses: all threads have stacks of [`crate::limits::STACK`] for that.

use std::io::Read;

use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Deserializer, Error};

/// The most levels, as in Go's `encoding/json`.
pub(crate) const DEEPEST: usize = 10_000;

/// Reads a value.
pub(crate) fn from_slice<T: DeserializeOwned>(text: &[u8]) -> Result<T, Error> {
    match serde_json::from_slice(text) {
        Err(error) if error.is_syntax() => deep(error, depth(text), Deserializer::from_slice(text)),
        result => result,
    }
}

/// Reads a value from a stream that can be opened again, without taking memory for its text.
pub(crate) fn from_reader<T: DeserializeOwned, R: Read>(open: impl Fn() -> R) -> Result<T, Error> {
    match serde_json::from_reader(open()) {
        Err(error) if error.is_syntax() => deep(error, depth(open()), Deserializer::from_reader(open())),
        result => result,
    }
}

/// Reads what serde_json does not take, if it is only too deep for it.
fn deep<'de, T: DeserializeOwned, R: serde_json::de::Read<'de>>(
    error: Error,
    depth: std::io::Result<usize>,
    mut reader: Deserializer<R>,
) -> Result<T, Error> {
    match depth.map_err(Error::io)? {
        0..128 => Err(error),
        depth if depth > DEEPEST => {
            Err(Error::custom(format!("it nests {depth} levels deep, and {DEEPEST} are the most")))
        }
        _ => {
            reader.disable_recursion_limit();
            let value = T::deserialize(&mut reader)?;
            reader.end()?;
            Ok(value)
        }
    }
}

/// How many brackets are open at a time, at most.
fn depth(mut text: impl Read) -> std::io::Result<usize> {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    let mut buffer = [0; 8192];
    loop {
        let read = text.read(&mut buffer)?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { return Ok(deepest) };
        for byte in part {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'[' | b'{' => {
                    depth += 1;
                    deepest = deepest.max(depth);
                }
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn nested(levels: usize) -> String {
        format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
    }

    fn on_a_large_stack(test: impl FnOnce() + Send + 'static) {
        std::thread::Builder::new().stack_size(crate::limits::STACK).spawn(test).unwrap().join().unwrap();
    }

    #[test]
    fn values_may_nest_as_deep_as_the_api_server_lets_them() {
        on_a_large_stack(|| {
            for levels in [1, 127, 128, DEEPEST] {
                let text = nested(levels);
                let value: Value = from_slice(text.as_bytes()).unwrap();
                assert_eq!(value.to_string(), text);
                assert_eq!(from_reader::<Value, _>(|| text.as_bytes()).unwrap(), value);
            }
        });
        for levels in [DEEPEST + 1, 1_000_000] {
            let error = from_slice::<Value>(nested(levels).as_bytes()).unwrap_err().to_string();
            assert_eq!(error, format!("it nests {levels} levels deep, and 10000 are the most"));
        }
    }

    #[test]
    fn what_is_wrong_is_told_as_ever() {
        assert!(from_slice::<Value>(b"[1,").unwrap_err().is_eof());
        assert!(from_slice::<Value>(b"[1}").unwrap_err().is_syntax());
        on_a_large_stack(|| {
            let text = nested(200) + "]";
            assert!(from_slice::<Value>(text.as_bytes()).unwrap_err().is_syntax());
        });
        assert_eq!(depth(br#"{"a\"[[": "\\", "b": [{}]}"#.as_slice()).unwrap(), 3);
    }
}
