#![no_main]
//! Versions and constraints from any text; what parses prints and parses again as the same.
use libfuzzer_sys::fuzz_target;
use sprig::semver::{Constraints, Version};

fuzz_target!(|text: &str| {
    let (constraint, version) = text.split_once('\n').unwrap_or((text, text));
    let version = Version::parse(version);
    if let Ok(version) = &version {
        let again = Version::parse(version.to_string()).expect("a printed version parses");
        assert_eq!(version.compare(&again), std::cmp::Ordering::Equal);
    }
    if let (Ok(constraints), Ok(version)) = (Constraints::parse(constraint), version) {
        let _ = constraints.check(&version);
    }
});
