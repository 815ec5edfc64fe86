#![no_main]
//! What is read and written reads back as the same value.
use gostd::value::deep_equal;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Ok(value) = goyaml::load(text) else { return };
    let Ok(written) = goyaml::to_yaml(&value) else { return };
    let _ = goyaml::to_yaml_pretty(&value);
    // A raw U+0085, U+2028 or U+2029 is a line break to YAML, so go-yaml's own output does not read back the same.
    let breaks = ["\u{85}", "\u{2028}", "\u{2029}"];
    if std::str::from_utf8(&written).is_ok_and(|text| breaks.iter().any(|mark| text.contains(mark))) {
        return;
    }
    let again = goyaml::load(&written).expect("what was written can be read");
    assert!(deep_equal(&value, &again), "{value:?} became {again:?}");
});
