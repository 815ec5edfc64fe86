#![no_main]
//! See `fuzzing::charts::values_set`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::charts::values_set(input));
