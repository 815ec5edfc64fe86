//! TOML as github.com/BurntSushi/toml 1.6 writes and reads it.

mod encode;

pub(crate) use encode::{EncodeError, encode};

/// placeholder
pub(crate) fn decode(_text: &[u8]) -> Result<gostd::Map, String> {
    Err("toml".to_owned())
}

/// Tells characters of keys that need no quotes.
fn is_bare(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}
