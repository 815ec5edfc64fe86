//! Small languages: layouts of times, formats, patterns, versions, JSON.

use gostd::regexp::Regexp;
use gostd::time::{Duration, Time, Zone};
use gostd::value::deep_equal;
use gostd::{List, Value};
use sprig::semver::{Constraints, Version};

use crate::parts;

/// Reads a number of the first bytes that are there.
fn number(bytes: &[u8]) -> i64 {
    bytes.iter().take(8).fold(0, |number, byte| number << 8 | i64::from(*byte))
}

/// A layout, a text and numbers: any layout reads any text and formats any time.
pub fn date(input: &[u8]) {
    let [layout, text, seconds, nanos] = parts(input);
    let (seconds, nanos) = (number(seconds), number(nanos));
    let utc = Zone::fixed("UTC", 0);
    let _ = Time::parse(layout, text, &utc);
    let time = Time::unix(seconds, nanos, &utc);
    let _ = time.format(layout);
    let _ = time.add_date(seconds, nanos, seconds);
    if let Ok(duration) = Duration::parse(text) {
        let _ = time.add(duration).round(duration);
        let _ = duration.to_string();
    }
}

/// What JSON is read is written, and reads back as the same value.
pub fn json(text: &[u8]) {
    let Ok(value) = gostd::json::unmarshal(text) else { return };
    let written = gostd::json::marshal(&value, true).expect("what was read can be written");
    let again = gostd::json::unmarshal(&written).expect("what was written can be read");
    assert!(deep_equal(&value, &again), "{value:?} became {again:?}");
}

/// A format, a number and a text: any format prints arguments of many kinds.
pub fn printf(input: &[u8]) {
    let [format, seed, text] = parts(input);
    let int = number(seed);
    let list = List::any(vec![Value::Int(int), Value::string(text), Value::Nil]);
    let arguments = [
        Value::Int(int),
        Value::Float64(f64::from_bits(int as u64)),
        Value::string(text),
        Value::List(list),
        Value::Bytes(text.into()),
        Value::Nil,
        Value::Bool(int > 0),
    ];
    let _ = gostd::fmt::sprintf(format, &arguments);
    let _ = gostd::fmt::sprint(&arguments);
}

/// A pattern, a text and a replacement: an error or an answer.
pub fn regexp(input: &[u8]) {
    let [pattern, text, replacement] = parts(input);
    let Ok(regexp) = Regexp::compile(pattern) else { return };
    let found = regexp.find_all(text, -1);
    assert_eq!(regexp.is_match(text), !found.is_empty());
    let _ = regexp.replace_all(text, replacement);
    let _ = regexp.split(text, -1);
}

/// A constraint and a version; what parses prints and parses again as the same.
pub fn semver(input: &[u8]) {
    let [constraint, version] = parts(input);
    let (constraint, version) = (gostd::value::lossy(constraint), gostd::value::lossy(version));
    let version = Version::parse(&*version);
    if let Ok(version) = &version {
        let again = Version::parse(version.to_string()).expect("a printed version parses");
        assert_eq!(version.compare(&again), std::cmp::Ordering::Equal);
    }
    if let (Ok(constraints), Ok(version)) = (Constraints::parse(&*constraint), version) {
        let _ = constraints.check(&version);
    }
}
