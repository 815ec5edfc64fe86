#![no_main]
//! See `fuzzing::yaml::round_trip`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::yaml::round_trip(input));
