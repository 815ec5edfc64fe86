#![no_main]
//! See `fuzzing::yaml::load`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::yaml::load(input));
