//! Go's string: an immutable run of bytes that is usually, but not always, UTF-8.

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

/// An immutable byte string, cheap to clone and shareable between threads.
///
/// Go strings may hold any bytes (`trunc` can cut inside a character), so this is not `str`. Ordering and equality
/// are by bytes, as in Go.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct GoStr(Arc<[u8]>);

impl GoStr {
    /// Returns the bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the text if it is valid UTF-8.
    #[inline]
    pub fn to_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Returns the text with each invalid byte replaced by U+FFFD, one per byte as Go's `range` over a string does.
    pub fn to_lossy(&self) -> Cow<'_, str> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(lossy(&self.0)),
        }
    }
}

/// Decodes bytes as Go decodes a string to runes: every byte that starts no valid sequence becomes U+FFFD.
pub fn lossy(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                out.push_str(text);
                return out;
            }
            Err(error) => {
                let (valid, after) = rest.split_at(error.valid_up_to());
                out.push_str(std::str::from_utf8(valid).unwrap_or_default());
                out.push(char::REPLACEMENT_CHARACTER);
                rest = after.get(1..).unwrap_or_default();
            }
        }
    }
}

impl Deref for GoStr {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Ord for GoStr {
    /// Keys of a map differ in their first byte mostly, and a look at it costs less than a call of `memcmp`.
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.0.first(), other.0.first()) {
            (Some(a), Some(b)) if a != b => a.cmp(b),
            _ => self.0.cmp(&other.0),
        }
    }
}

impl PartialOrd for GoStr {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Borrow<[u8]> for GoStr {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for GoStr {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Default for GoStr {
    fn default() -> Self {
        static EMPTY: LazyLock<GoStr> = LazyLock::new(|| GoStr(Arc::from(&b""[..])));
        EMPTY.clone()
    }
}

impl fmt::Debug for GoStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_lossy())
    }
}

impl fmt::Display for GoStr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_lossy())
    }
}

macro_rules! from_bytes {
    ($($source:ty => $as_bytes:ident),* $(,)?) => { $(
        impl From<$source> for GoStr {
            fn from(text: $source) -> Self {
                Self(Arc::from(text.$as_bytes()))
            }
        }
    )* };
}
from_bytes!(&str => as_bytes, String => into_bytes, &String => as_bytes);

impl From<&[u8]> for GoStr {
    fn from(bytes: &[u8]) -> Self {
        Self(Arc::from(bytes))
    }
}

impl From<Vec<u8>> for GoStr {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::from(bytes))
    }
}

impl PartialEq<str> for GoStr {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for GoStr {
    fn eq(&self, other: &&str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}
