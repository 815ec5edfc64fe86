#![no_main]
//! See `fuzzing::texts::regexp`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::texts::regexp(input));
