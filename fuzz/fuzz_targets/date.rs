#![no_main]
//! See `fuzzing::texts::date`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::texts::date(input));
