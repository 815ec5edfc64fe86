#![no_main]
//! See `fuzzing::charts::template_parse`.
libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::charts::template_parse(input));
