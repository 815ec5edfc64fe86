#![no_main]
//! See `fuzzing::charts::archive`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::charts::archive(input));
