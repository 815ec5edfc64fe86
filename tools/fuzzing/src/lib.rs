//! What the fuzz targets check. The fuzzer in `fuzz/` feeds them for hours; an ordinary test feeds them the kept inputs and
//! a few seconds of altered ones.
//!
//! A target takes any bytes. One that needs several texts splits them at the unit separator (U+001F), the last takes the
//! rest. A target fails by panicking.

#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "that is how a fuzz target says that it found something"
)]

pub mod charts;
pub mod mutate;
pub mod seeds;
pub mod texts;
pub mod yaml;

/// A target: its name, which is also the name of the fuzzer's program and of the folder of its inputs, and its check.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("chart_archive", charts::archive),
    ("date", texts::date),
    ("json", texts::json),
    ("printf", texts::printf),
    ("regexp", texts::regexp),
    ("semver", texts::semver),
    ("template_execute", charts::template_execute),
    ("template_parse", charts::template_parse),
    ("values_set", charts::values_set),
    ("yaml_load", yaml::load),
    ("yaml_roundtrip", yaml::round_trip),
];

/// The byte between the texts of an input.
pub const SEPARATOR: u8 = 0x1f;

/// Splits an input into `N` texts; those that are missing are empty.
pub(crate) fn parts<const N: usize>(input: &[u8]) -> [&[u8]; N] {
    let mut parts = input.splitn(N, |byte| *byte == SEPARATOR);
    [(); N].map(|()| parts.next().unwrap_or_default())
}
