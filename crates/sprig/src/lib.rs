//! The sprig function library for gotemplate.
//!
//! [`functions`] gives every function that sprig 3.3.0 offers to text templates, under its name and with the parameter
//! types sprig declares, but for `env` and `expandenv`, which read the environment and which Helm takes away. Results,
//! errors and side effects (`set` and `merge` change maps in place) are sprig's; where Go would run out of memory or
//! time, a call fails with an error that names the limit.

mod args;
mod case;
mod cast;
mod crypto;
mod dates;
mod decimal;
mod defaults;
mod dicts;
mod encoding;
mod flow;
mod json;
mod limits;
mod lists;
mod merge;
mod numbers;
mod paths;
mod print;
mod random;
mod reflection;
mod regex;
pub mod semver;
mod strings;
pub mod times;
mod urls;
pub mod versions;
mod words;

pub use crypto::{Serving, serving};
use gotemplate::Function;
pub use limits::{LONGEST_LIST, LONGEST_TEXT};
pub use regex::largest_expression;

/// All functions, by family.
pub static FUNCTIONS: &[&[Function]] = &[
    strings::FUNCTIONS,
    words::FUNCTIONS,
    case::FUNCTIONS,
    regex::FUNCTIONS,
    numbers::FUNCTIONS,
    lists::FUNCTIONS,
    dicts::FUNCTIONS,
    defaults::FUNCTIONS,
    reflection::FUNCTIONS,
    json::FUNCTIONS,
    encoding::FUNCTIONS,
    paths::FUNCTIONS,
    urls::FUNCTIONS,
    dates::FUNCTIONS,
    versions::FUNCTIONS,
    random::FUNCTIONS,
    flow::FUNCTIONS,
    crypto::DIGESTS,
    crypto::PASSWORDS,
    crypto::CIPHERS,
    crypto::CERTIFICATES,
];

/// Returns all functions.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().copied().flatten()
}

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
