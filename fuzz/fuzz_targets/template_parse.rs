#![no_main]
//! Any bytes as a template: it parses or says where it does not.
use gotemplate::{FunctionSet, Set};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let mut set = Set::new("fuzz", FunctionSet::new(sprig::FUNCTIONS.iter().copied().flatten()));
    if let Err(error) = set.parse("t", text) {
        assert!(!error.to_string().is_empty());
    }
});
