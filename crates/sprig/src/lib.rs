//! The sprig function library for gotemplate.

pub mod semver;
