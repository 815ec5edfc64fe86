//! Random values to write.

use gostd::value::{ANY_LIST, ANY_MAP};
use gostd::{GoStr, List, Map, Value};

use super::rng::Rng;
use super::tables::{FRAGMENTS, PHRASES, STRINGS};

/// Makes a value.
pub(crate) fn value(rng: &mut Rng) -> Value {
    match rng.below(12) {
        0 => scalar(rng),
        1 => list(rng, 0),
        2 => Value::map([(GoStr::from("k"), Value::String(string(rng)))].into()),
        3 => flat_map(rng),
        _ => map(rng, 0),
    }
}

/// Many keys of one kind, for their order.
fn flat_map(rng: &mut Rng) -> Value {
    let count = 2 + rng.below(30);
    let alphabet: &[&str] = match rng.below(4) {
        0 => &["a", "b", "1", "2", "0"],
        1 => &["a", "B", "-", "_", ".", "0", "1", "9"],
        2 => &["é", "世", "٣", "a", "0", "1", "\u{300}"],
        _ => &["item", "1", "10", "0", "-"],
    };
    let entries = (0..count).map(|_| {
        let length = 1 + rng.below(5);
        let key: String = (0..length).map(|_| rng.pick(alphabet)).collect();
        (GoStr::from(key), Value::Nil)
    });
    Value::map(entries.collect())
}

fn node(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(8) {
        0 if depth < 6 => list(rng, depth + 1),
        1 | 2 if depth < 6 => map(rng, depth + 1),
        _ => scalar(rng),
    }
}

fn list(rng: &mut Rng, depth: usize) -> Value {
    if rng.one_in(20) {
        return Value::List(List::nil(&ANY_LIST));
    }
    let count = rng.below(5);
    Value::list((0..count).map(|_| node(rng, depth)).collect())
}

fn map(rng: &mut Rng, depth: usize) -> Value {
    if rng.one_in(30) {
        return Value::Map(Map::nil(&ANY_MAP));
    }
    let count = rng.below(6);
    let entries = (0..count).map(|_| (key(rng), node(rng, depth)));
    Value::map(entries.collect())
}

fn key(rng: &mut Rng) -> GoStr {
    match rng.below(30) {
        0 => "k".repeat(120 + rng.below(20)).into(),
        1 => rng.pick(&["k", "<", "é", "\""]).repeat(1000 + rng.below(40)).into(),
        2 => "<".repeat(165 + rng.below(10)).into(),
        // Not UTF-8, so that several become equal in JSON.
        3 => vec![0x80 | rng.next() as u8].into(),
        _ => string(rng),
    }
}

fn scalar(rng: &mut Rng) -> Value {
    match rng.below(14) {
        0 => Value::Nil,
        1 => Value::Bool(rng.one_in(2)),
        2 => Value::Int64(number(rng)),
        3 => Value::Uint64(rng.next() >> rng.below(64)),
        4 | 5 => Value::Float64(float(rng)),
        6 => {
            let length = rng.below(120);
            Value::Bytes((0..length).map(|_| rng.next() as u8).collect::<Vec<u8>>().into())
        }
        _ => Value::String(string(rng)),
    }
}

fn number(rng: &mut Rng) -> i64 {
    let value = (rng.next() >> rng.below(64)) as i64;
    if rng.one_in(2) { value } else { value.wrapping_neg() }
}

fn float(rng: &mut Rng) -> f64 {
    match rng.below(8) {
        0 => f64::from_bits(rng.next()),
        1 => number(rng) as f64,
        2 => number(rng) as f64 / 10f64.powi(rng.below(20) as i32),
        3 => 10f64.powi(rng.below(50) as i32 - 25),
        4 => rng.below(1000) as f64 / 100.0,
        5 => -0.0,
        6 => (rng.below(4000) as f64 - 2000.0) * 1e18,
        _ => rng.below(100_000) as f64,
    }
}

fn string(rng: &mut Rng) -> GoStr {
    match rng.below(10) {
        0..=2 => rng.pick(STRINGS).into(),
        3 | 4 => pieces(rng, FRAGMENTS, 8).into(),
        5 => {
            let mut text = pieces(rng, FRAGMENTS, 5);
            text.insert_str(0, rng.pick(STRINGS));
            text.into()
        }
        6 | 7 => {
            // Long enough to fold, with spaces around column 80.
            let mut text = pieces(rng, PHRASES, 8);
            while text.chars().count() < 70 {
                text.push_str(rng.pick(PHRASES));
            }
            let more = pieces(rng, PHRASES, 20);
            text.push_str(&more);
            if rng.one_in(4) {
                text.push_str(rng.pick(FRAGMENTS));
            }
            text.into()
        }
        8 => lines(rng).into(),
        _ => {
            let mut bytes = pieces(rng, FRAGMENTS, 6).into_bytes();
            for _ in 0..rng.below(3) {
                let place = rng.below(bytes.len() + 1);
                bytes.insert(place, rng.next() as u8);
            }
            if rng.one_in(6) {
                bytes = bytes.repeat(1 + rng.below(12));
            }
            bytes.into()
        }
    }
}

fn pieces(rng: &mut Rng, from: &[&'static str], most: usize) -> String {
    let count = rng.below(most + 1);
    (0..count).map(|_| rng.pick(from)).collect()
}

fn lines(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..1 + rng.below(5) {
        text.push_str(rng.pick(&[
            "",
            " ",
            "line",
            "  indented",
            "- item",
            "a: b",
            "# c",
            "\ttab",
            "trailing ",
            "é",
            "x y",
            "\u{2028}",
            "😀",
        ]));
        text.push_str(rng.pick(&["\n", "\n", "\n\n", "", "\r\n", "\u{2029}"]));
    }
    text
}
