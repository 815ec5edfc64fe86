//! Go's `encoding/json` for dynamic values.

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
