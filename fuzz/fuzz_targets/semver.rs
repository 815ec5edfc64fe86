#![no_main]
//! See `fuzzing::texts::semver`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::texts::semver(input));
