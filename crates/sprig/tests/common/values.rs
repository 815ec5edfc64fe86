//! Random values, their form for the oracle, and `dump`, which prints values with their types.

use std::collections::HashMap;

use gostd::strconv::{format_float, quote_to_ascii};
use gostd::time::{Duration, Time, Zone};
use gostd::value::{ANY_LIST, ANY_MAP, Elem, Entries, INT_LIST, MapType, STRING_MAP, Signature, Type};
use gostd::{GoStr, List, Map, Value};
use gotemplate::Function;
use sprig::times::{GoDuration, GoTime};

/// A small generator of pseudo-random numbers (xorshift64*).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound
    }

    pub(crate) fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// A named map type, as the oracle has one.
pub(crate) static VALUES: MapType = MapType { name: "main.Values", elem: Elem::Any, methods: &[] };

/// A value that both sides can make.
#[derive(Clone, Debug)]
pub(crate) enum Plain {
    Nil,
    Bool(bool),
    Int(i64),
    Int64(i64),
    Uint64(u64),
    Uint8(u8),
    Float(f64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    List(Vec<Plain>),
    Map(Vec<(String, Plain)>),
    Values(Vec<(String, Plain)>),
    NilList,
    NilMap,
    Texts(Vec<Vec<u8>>),
    Ints(Vec<i64>),
    TextMap(Vec<(String, Vec<u8>)>),
    Time(i64, &'static str),
    Span(i64),
    Version(&'static str),
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let byte = |at: usize| group.get(at).copied().map_or(0, u32::from);
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let full = digit <= group.len();
            out.push(if full { DIGITS[(bits >> (18 - 6 * digit) & 63) as usize] as char } else { '=' });
        }
    }
    out
}

pub(crate) fn unbase64(text: &str) -> Vec<u8> {
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u32> =
        text.bytes().filter(|digit| *digit != b'=').map(|digit| value(digit).into()).collect();
    let mut out = Vec::new();
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - group.len()));
        out.extend(bits.to_be_bytes().iter().skip(1).take(group.len() - 1));
    }
    out
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn object<T>(entries: &[(String, T)], write: impl Fn(&T) -> String) -> String {
    let entries: Vec<String> =
        entries.iter().map(|(key, value)| format!("{}:{}", quoted(key), write(value))).collect();
    format!("{{{}}}", entries.join(","))
}

fn array<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(","))
}

impl Plain {
    /// Writes the value for the oracle.
    pub(crate) fn encode(&self) -> String {
        match self {
            Plain::Nil => r#"["n"]"#.to_owned(),
            Plain::Bool(value) => format!(r#"["b",{value}]"#),
            Plain::Int(value) => format!(r#"["i","{value}"]"#),
            Plain::Int64(value) => format!(r#"["j","{value}"]"#),
            Plain::Uint64(value) => format!(r#"["u","{value}"]"#),
            Plain::Uint8(value) => format!(r#"["g","{value}"]"#),
            Plain::Float(value) => format!(r#"["f","{}"]"#, value.to_bits()),
            Plain::Text(text) => format!(r#"["s","{}"]"#, base64(text)),
            Plain::Bytes(text) => format!(r#"["y","{}"]"#, base64(text)),
            Plain::List(items) => format!(r#"["l",{}]"#, array(items, Plain::encode)),
            Plain::Map(entries) => format!(r#"["m",{}]"#, object(entries, Plain::encode)),
            Plain::Values(entries) => format!(r#"["v",{}]"#, object(entries, Plain::encode)),
            Plain::NilList => r#"["L"]"#.to_owned(),
            Plain::NilMap => r#"["M"]"#.to_owned(),
            Plain::Texts(items) => format!(r#"["S",{}]"#, array(items, |text| quoted(&base64(text)))),
            Plain::Ints(items) => format!(r#"["I",{}]"#, array(items, |number| quoted(&number.to_string()))),
            Plain::TextMap(entries) => format!(r#"["T",{}]"#, object(entries, |text| quoted(&base64(text)))),
            Plain::Time(seconds, zone) => format!(r#"["t","{seconds}","{zone}"]"#),
            Plain::Span(nanoseconds) => format!(r#"["d","{nanoseconds}"]"#),
            Plain::Version(text) => format!(r#"["e","{text}"]"#),
        }
    }

    /// Makes the value.
    pub(crate) fn value(&self) -> Value {
        let entries = |entries: &[(String, Plain)]| -> Entries {
            entries.iter().map(|(key, value)| (GoStr::from(key), value.value())).collect()
        };
        match self {
            Plain::Nil => Value::Nil,
            Plain::Bool(value) => Value::Bool(*value),
            Plain::Int(value) => Value::Int(*value),
            Plain::Int64(value) => Value::Int64(*value),
            Plain::Uint64(value) => Value::Uint64(*value),
            Plain::Uint8(value) => Value::Uint8(*value),
            Plain::Float(value) => Value::Float64(*value),
            Plain::Text(text) => Value::string(text.clone()),
            Plain::Bytes(text) => Value::Bytes(text.clone().into()),
            Plain::List(items) => Value::list(items.iter().map(Plain::value).collect()),
            Plain::Map(map) => Value::map(entries(map)),
            Plain::Values(map) => Value::Map(Map::of(&VALUES, entries(map))),
            Plain::NilList => Value::List(List::nil(&ANY_LIST)),
            Plain::NilMap => Value::Map(Map::nil(&ANY_MAP)),
            Plain::Texts(items) => Value::List(List::strings(items.iter().cloned())),
            Plain::Ints(items) => {
                Value::List(List::of(&INT_LIST, items.iter().map(|number| Value::Int(*number)).collect()))
            }
            Plain::TextMap(entries) => {
                let entries =
                    entries.iter().map(|(key, text)| (GoStr::from(key), Value::string(text.clone())));
                Value::Map(Map::of(&STRING_MAP, entries.collect()))
            }
            Plain::Time(seconds, zone) => {
                let zone = Zone::load(zone, &Zone::utc()).unwrap();
                Value::object(GoTime::new(Time::unix(*seconds, 0, &zone), Zone::utc()))
            }
            Plain::Span(nanoseconds) => Value::object(GoDuration(Duration(*nanoseconds))),
            Plain::Version(text) => {
                Value::object(sprig::versions::GoVersion::new(sprig::semver::Version::parse(text).unwrap()))
            }
        }
    }
}

/// Prints values with their types; maps are numbered, so that sharing shows.
pub(crate) static DUMP: Function = Function {
    name: "dump",
    signature: Signature::variadic(&[], Type::Any),
    body: |_, args| {
        let mut dumper = Dumper::default();
        for (at, arg) in args.iter().enumerate() {
            if at > 0 {
                dumper.out.push_str(" | ");
            }
            dumper.value(arg);
        }
        Ok(dumper.out.into())
    },
};

#[derive(Default)]
struct Dumper {
    out: String,
    seen: HashMap<usize, usize>,
}

impl Dumper {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Nil => self.out.push_str("nil"),
            Value::String(text) => self.out.push_str(&quote_to_ascii(text)),
            Value::Bytes(text) => self.out.push_str(&format!("bytes:{}", quote_to_ascii(text))),
            Value::Float64(number) => {
                self.out.push_str(&format!("float64:{}", format_float(*number, b'g', -1, 64)));
            }
            Value::List(list) => self.list(list),
            Value::Map(map) => self.map(map),
            other => {
                let text = gostd::fmt::format_v(other);
                self.out.push_str(&format!("{}:{}", other.type_name(), String::from_utf8_lossy(&text)));
            }
        }
    }

    fn list(&mut self, list: &List) {
        self.out.push_str(list.ty().name);
        if list.is_nil() {
            self.out.push_str(":nil");
            return;
        }
        self.out.push('[');
        for (at, item) in list.to_vec().iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.value(item);
        }
        self.out.push(']');
    }

    fn map(&mut self, map: &Map) {
        self.out.push_str(map.ty().name);
        if map.is_nil() {
            self.out.push_str(":nil");
            return;
        }
        if let Some(number) = self.seen.get(&map.address()) {
            self.out.push_str(&format!("#{number}"));
            return;
        }
        let number = self.seen.len();
        self.seen.insert(map.address(), number);
        self.out.push_str(&format!("#{number}{{"));
        for (at, (key, value)) in map.snapshot().iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(&format!("{}: ", quote_to_ascii(key)));
            self.value(value);
        }
        self.out.push('}');
    }
}
