//! Go's `encoding/json` for dynamic values.
//!
//! ```
//! use gostd::json;
//!
//! let value = json::unmarshal(br#"{"b": [1e3, null], "a": "<"}"#)?;
//! assert_eq!(json::marshal(&value, true)?, br#"{"a":"\u003c","b":[1000,null]}"#);
//! assert_eq!(json::marshal_indent(&value, b"", b"  ", false)?, b"{\n  \"a\": \"<\",\n  \"b\": [\n    1000,\n    null\n  ]\n}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decode;
mod encode;
mod indent;
mod scan;

pub use decode::{DecodeError, unmarshal, unmarshal_array, unmarshal_object, unmarshal_prefix};
pub use encode::{EncodeError, append_string, marshal};
pub use indent::marshal_indent;
pub use scan::SyntaxError;

#[cfg(test)]
mod tests;
