#![no_main]
//! See `fuzzing::texts::json`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::texts::json(input));
