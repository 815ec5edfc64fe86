#![no_main]
//! See `fuzzing::texts::printf`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::texts::printf(input));
