//! Go's standard behaviours for dynamic values.
//!
//! Templates, YAML and JSON as Go programs handle them depend on what Go's standard library does to a value
//! whose type is known only at run time. This crate is that part of Go: [`value`] models `interface{}` with Go's
//! reference semantics, and the other modules are the library functions that act on it.

pub mod fmt;
pub mod json;
pub mod path;
pub mod regexp;
mod runes;
pub mod strconv;
pub mod strings;
pub mod time;
pub mod url;
pub mod value;

pub use value::{GoStr, List, Map, Value};

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
