//! YAML: a value or an error, and what is written reads back.

use gostd::value::deep_equal;

/// Any bytes as YAML: strict reading refuses no less than loose reading.
pub fn load(text: &[u8]) {
    let loose = goyaml::load(text);
    let strict = goyaml::load_strict(text);
    if strict.is_ok() {
        assert!(loose.is_ok(), "strict reading takes what loose reading refuses");
    }
    let _ = goyaml::load_map(text);
    let _ = goyaml::load_array(text);
}

/// What is read and written reads back as the same value.
pub fn round_trip(text: &[u8]) {
    let Ok(value) = goyaml::load(text) else { return };
    let Ok(written) = goyaml::to_yaml(&value) else { return };
    let _ = goyaml::to_yaml_pretty(&value);
    // go-yaml writes a key `<<` as if it were none of its own, and takes it for a merge when it reads.
    if written.windows(3).any(|bytes| bytes == b"<<:") {
        return;
    }
    // A raw U+0085, U+2028 or U+2029 is a line break to YAML, so go-yaml's own output does not read back the same.
    const BREAKS: &[&str] = &["\u{85}", "\u{2028}", "\u{2029}"];
    if std::str::from_utf8(&written).is_ok_and(|text| BREAKS.iter().any(|mark| text.contains(mark))) {
        return;
    }
    // U+0085 is no more than a space in what go-yaml writes.
    if gostd::json::marshal(&value, false).is_ok_and(|json| json.windows(2).any(|bytes| bytes == b"\xc2\x85"))
    {
        return;
    }
    let again = goyaml::load(&written).expect("what was written can be read");
    assert!(deep_equal(&value, &again), "{value:?} became {again:?}");
}
