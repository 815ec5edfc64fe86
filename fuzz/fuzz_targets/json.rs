#![no_main]
//! What JSON is read is written, and reads back as the same value.
use gostd::value::deep_equal;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Ok(value) = gostd::json::unmarshal(text) else { return };
    let written = gostd::json::marshal(&value, true).expect("what was read can be written");
    let again = gostd::json::unmarshal(&written).expect("what was written can be read");
    assert!(deep_equal(&value, &again), "{value:?} became {again:?}");
});
