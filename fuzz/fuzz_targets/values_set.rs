#![no_main]
//! Any text as a values file and as --set and its kin.
use gostd::Map;
use helm::values::{ValueOptions, parse_set, parse_set_json, parse_set_literal, parse_set_string};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (file, set) = input;
    let options = ValueOptions { files: vec!["f".into()], set: vec![set.into()], ..Default::default() };
    let _ = options.merge(&|_| Ok(file.as_bytes().to_vec()));
    for parse in [parse_set, parse_set_string, parse_set_json, parse_set_literal] {
        let _ = parse(set, &Map::new());
    }
});
