//! Writing, rule by rule. Random values are compared with Go by the example `difftest`.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use gostd::value::{Kind, Object};
use gostd::{GoStr, List, Map, Value, json};
use goyaml::{EmitError, to_yaml, to_yaml_pretty};

fn yaml(value: &Value) -> String {
    String::from_utf8(to_yaml(value).unwrap()).unwrap()
}

fn pretty(value: &Value) -> String {
    String::from_utf8(to_yaml_pretty(value).unwrap()).unwrap()
}

fn of_json(text: &str) -> Value {
    json::unmarshal(text.as_bytes()).unwrap()
}

fn dict(key: &str, value: Value) -> Value {
    Value::map([(GoStr::from(key), value)].into())
}

#[test]
fn lists_stand_under_their_key_or_beside_it() {
    let value = of_json(r#"{"a":[1,{"b":[2,{"c":3}],"d":{}}],"e":[[4,[]],[5]]}"#);
    assert_eq!(yaml(&value), "a:\n- 1\n- b:\n  - 2\n  - c: 3\n  d: {}\ne:\n- - 4\n  - []\n- - 5\n");
    assert_eq!(
        pretty(&value),
        "a:\n  - 1\n  - b:\n      - 2\n      - c: 3\n    d: {}\ne:\n  - - 4\n    - []\n  - - 5\n"
    );
}

#[test]
fn blocks_show_their_ends() {
    for (text, want) in [
        ("a\nb", "|-\n  a\n  b\n"),
        ("a\nb\n", "|\n  a\n  b\n"),
        ("a\n\n", "|+\n  a\n\n"),
        ("\n", "|2+\n\n"),
        (" a\nb", "|2-\n   a\n  b\n"),
        ("a \nb", "\"a \\nb\"\n"),
        ("a\n😀", "\"a\\n\\U0001F600\"\n"),
        ("a\u{2028}b\nc", "|-\n  a\u{2028}  b\n  c\n"),
    ] {
        assert_eq!(yaml(&dict("k", Value::from(text))), format!("k: {want}"), "{text:?}");
    }
    assert_eq!(yaml(&Value::list(vec![Value::from("a\nb")])), "- |-\n  a\n  b\n");
    assert_eq!(yaml(&Value::from("a\nb")), "|-\n  a\n  b\n");
    // Tabs are special to v2 only.
    assert_eq!(yaml(&dict("k", Value::from("a\n\tb"))), "k: \"a\\n\\tb\"\n");
    assert_eq!(pretty(&dict("k", Value::from("a\n\tb"))), "k: |-\n  a\n  \tb\n");
}

#[test]
fn long_lines_fold_in_v2_only() {
    let words = "word ".repeat(40);
    let text = words.trim_end();
    let folded = yaml(&dict("k", Value::from(text)));
    // At the first space beyond column 80.
    assert_eq!(folded.lines().next().map(str::len), Some(82));
    assert!(folded.lines().skip(1).all(|line| line.starts_with("  word")));
    assert_eq!(pretty(&dict("k", Value::from(text))), format!("k: {text}\n"));
    assert_eq!(yaml(&dict("k", Value::from("x".repeat(200)))), format!("k: {}\n", "x".repeat(200)));
    // Keys are not folded.
    assert_eq!(yaml(&dict(&text[..119], Value::Nil)), format!("{}: null\n", &text[..119]));
    let double = yaml(&dict("k", Value::from(format!("\t{}  end", "x".repeat(90)))));
    assert_eq!(double, format!("k: \"\\t{}\n  \\ end\"\n", "x".repeat(90)));
}

#[test]
fn odd_keys_need_a_question_mark() {
    assert_eq!(yaml(&of_json(r#"{"a\nb":{"x":1}}"#)), "? |-\n  a\n  b\n: x: 1\n");
    assert_eq!(yaml(&of_json(r#"{"a\nb":[1,2]}"#)), "? |-\n  a\n  b\n: - 1\n  - 2\n");
    let (fits, long) = ("k".repeat(128), "k".repeat(129));
    assert_eq!(yaml(&dict(&fits, Value::Nil)), format!("{fits}: null\n"));
    assert_eq!(yaml(&dict(&long, Value::Nil)), format!("? {long}\n: null\n"));
    assert_eq!(yaml(&of_json(r#"{"n":1,"":2,"1":3,"<<":4}"#)), "\"\": 2\n<<: 4\n\"1\": 3\n\"n\": 1\n");
}

#[test]
fn types_show_in_v3_only() {
    let value = Value::list(vec![
        Value::Float64(1e6),
        Value::Float64(-0.0),
        Value::Int(7),
        Value::Uint64(u64::MAX),
        Value::Bytes(GoStr::from(&b"\xff\0"[..])),
        Value::String(GoStr::from(&b"\xff"[..])),
        Value::List(List::nil(&gostd::value::ANY_LIST)),
        Value::Map(Map::nil(&gostd::value::ANY_MAP)),
    ]);
    assert_eq!(
        yaml(&value),
        "- 1000000\n- 0\n- 7\n- 18446744073709551615\n- /wA=\n- \u{fffd}\n- null\n- null\n"
    );
    assert_eq!(
        pretty(&value),
        "- 1e+06\n- -0\n- 7\n- 18446744073709551615\n- - 255\n  - 0\n- !!binary /w==\n- []\n- {}\n"
    );
    assert_eq!(pretty(&Value::Float64(f64::INFINITY)), ".inf\n");
}

#[test]
fn what_json_cannot_hold_is_refused() {
    let refused = |value: Value| to_yaml(&dict("k", value)).unwrap_err();
    assert_eq!(refused(Value::Float64(f64::NAN)), EmitError::UnsupportedNumber("NaN"));
    assert_eq!(refused(Value::Complex(1.0, 0.0)), EmitError::UnsupportedType("complex128"));
    assert_eq!(refused(Value::from("\u{7f}")).to_string(), "yaml: control characters are not allowed");
    assert!(to_yaml(&dict("a\u{85}b", Value::Nil)).is_err());
    assert!(to_yaml(&dict(&"k".repeat(1023), Value::Nil)).is_err());
    assert_eq!(yaml(&dict("k", Value::from("a \u{85}\u{85} b"))), "k: |-\n  a\n  b\n");
    assert_eq!(pretty(&dict("k", Value::from("\u{7f}\u{85}"))), "k: \"\\x7F\\N\"\n");
}

#[test]
fn keys_that_json_makes_equal_leave_the_last() {
    let map = |first: Value| {
        let key = |bytes: &[u8]| GoStr::from(bytes);
        Value::map([(key(b"\x91"), first), (key(b"\xdb"), Value::from("b"))].into())
    };
    assert_eq!(yaml(&map(Value::from("a"))), "\u{fffd}: b\n");
    // What is lost must be fit for JSON all the same.
    assert!(to_yaml(&map(Value::from("\u{7f}"))).is_err());
    assert!(to_yaml(&map(Value::list(vec![map(Value::Float64(f64::NAN))]))).is_err());
    assert!(to_yaml_pretty(&map(Value::from("\u{7f}"))).is_ok());
}

#[derive(Debug)]
struct Server;

impl Object for Server {
    fn type_name(&self) -> &'static str {
        "demo.Server"
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![("Name", Value::from("a")), ("APIPort", Value::Int(80)), ("secret", Value::Nil)]
    }

    fn to_json(&self) -> Result<Value, String> {
        Ok(of_json(r#"{"name":"a","apiPort":80}"#))
    }
}

#[derive(Debug)]
struct Moment(&'static str);

impl Object for Moment {
    fn type_name(&self) -> &'static str {
        self.0
    }

    fn kind(&self) -> Kind {
        if self.0 == "time.Duration" { Kind::Int64 } else { Kind::Struct }
    }

    fn stringer(&self) -> Option<GoStr> {
        Some("24h0m0s".into())
    }

    fn to_json(&self) -> Result<Value, String> {
        match self.0 {
            "time.Time" => Ok(Value::from("2020-01-02T00:00:00Z")),
            "time.Duration" => Ok(Value::Int64(86_400_000_000_000)),
            _ => Err("json: error calling MarshalJSON".to_owned()),
        }
    }
}

#[test]
fn objects_have_two_faces() {
    let server = dict("s", Value::object(Server));
    assert_eq!(yaml(&server), "s:\n  apiPort: 80\n  name: a\n");
    assert_eq!(pretty(&server), "s:\n  name: a\n  apiport: 80\n");
    let time = Value::object(Moment("time.Time"));
    assert_eq!(
        (yaml(&time), pretty(&time)),
        ("\"2020-01-02T00:00:00Z\"\n".into(), "2020-01-02T00:00:00Z\n".into())
    );
    let duration = Value::object(Moment("time.Duration"));
    assert_eq!((yaml(&duration), pretty(&duration)), ("86400000000000\n".into(), "24h0m0s\n".into()));
    assert!(to_yaml(&Value::object(Moment("broken"))).is_err());
}
