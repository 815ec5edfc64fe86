#![no_main]
//! Any bytes as YAML: a value or an error, never a crash; strict reading refuses no less.
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let loose = goyaml::load(text);
    let strict = goyaml::load_strict(text);
    if strict.is_ok() {
        assert!(loose.is_ok(), "strict reading takes what loose reading refuses");
    }
    let _ = goyaml::load_map(text);
    let _ = goyaml::load_array(text);
});
