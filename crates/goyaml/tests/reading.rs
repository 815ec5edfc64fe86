//! Reading, construct by construct. Random texts are compared with Go by the example `difftest`.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use gostd::json;
use goyaml::{EventKind, Source, load, load_array, load_map, load_strict, load_typed};

/// The value as JSON, or the error.
fn read(text: &str) -> String {
    match load(text.as_bytes()) {
        Ok(value) => String::from_utf8(json::marshal(&value, false).unwrap()).unwrap(),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn reads(cases: &[(&str, &str)]) {
    for (text, want) in cases {
        assert_eq!(read(text), *want, "{text:?}");
    }
}

#[test]
fn collections_nest_in_both_styles() {
    reads(&[
        ("a:\n  b:\n  - 1\n  - c: 2\n    d: 3\n", r#"{"a":{"b":[1,{"c":2,"d":3}]}}"#),
        ("- - 1\n  - 2\n-\n  - 3\n-\n", "[[1,2],[3],null]"),
        ("a: {b: 1, c, 'd': [x, {e: f}], }", r#"{"a":{"b":1,"c":null,"d":["x",{"e":"f"}]}}"#),
        ("[a: b, c]", r#"[{"a":"b"},"c"]"#),
        ("{x:1}", r#"{"x:1":null}"#),
        ("{\"x\":1}", r#"{"x":1}"#),
        ("? a\n: b\n? c\n", r#"{"a":"b","c":null}"#),
        ("a: 1\n...\nb: 2", r#"{"a":1}"#),
        ("{a: 1} x", r#"{"a":1}"#),
        ("  a: 1\nb: 2", r#"{"a":1}"#),
        ("# nothing\n", "null"),
        ("a:\tb", r#"{"a":"b"}"#),
    ]);
}

#[test]
fn scalars_fold_and_unescape() {
    reads(&[
        ("a: one\n  two\n\n  three", r#"{"a":"one two\nthree"}"#),
        ("'it''s\n\n  x '", r#""it's\nx ""#),
        (
            r#""\x41\u00e9\U0001F600\t\"\/""#,
            "error converting YAML to JSON: yaml: found unknown escape character",
        ),
        (r#""\x41\u00e9\U0001F600\t\"\'\_""#, "\"Aé😀\\t\\\"'\u{a0}\""),
        ("\"a \\\n   b\\\n\n  c\"", r#""a b\nc""#),
        ("|\n a\n  b\n\n", r#""a\n b\n""#),
        ("|+\n a\n\n", r#""a\n\n""#),
        (">-\n a\n b\n\n c\n  d\n e\n", r#""a b\nc\n d\ne""#),
        ("- |2\n    x\n", r#"["  x\n"]"#),
        ("a\u{85}b", r#""a b""#),
        ("'a\u{2028}b'", "\"a\\u2028b\""),
        ("a: b\r\nc: d\r", r#"{"a":"b","c":"d"}"#),
    ]);
}

#[test]
fn keys_become_strings() {
    reads(&[
        ("1: a\n1.10: b\ny: c\n.inf: d\n-0: e", r#"{".inf":"d","0":"e","1":"a","1.1":"b","true":"c"}"#),
        ("123456789.125: x", r#"{"1.2345679e+08":"x"}"#),
        ("2001-01-01: x", r#"{"2001-01-01":"x"}"#),
        ("a: 1\na: 2", r#"{"a":2}"#),
        (
            "~: {b: [1, ~]}",
            "error converting YAML to JSON: unsupported map key of type: %!s(<nil>), key: <nil>, value: \
             map[interface {}]interface {}{\"b\":[]interface {}{1, interface {}(nil)}}",
        ),
        (
            "18446744073709551615: x",
            "error converting YAML to JSON: unsupported map key of type: uint64, key: 0xffffffffffffffff, value: \"x\"",
        ),
        (
            "a: {{ b }}",
            "error converting YAML to JSON: yaml: invalid map key: map[interface {}]interface {}{\"b\":interface {}(nil)}",
        ),
        ("? [1, x]\n: 2", "error converting YAML to JSON: yaml: invalid map key: []interface {}{1, \"x\"}"),
    ]);
}

#[test]
fn aliases_and_merge_keys_apply_in_place() {
    reads(&[
        ("a: &x {b: 1}\nc: *x", r#"{"a":{"b":1},"c":{"b":1}}"#),
        ("&k a: 1\n*k : 2", r#"{"a":2}"#),
        ("{a: 2, <<: {a: 1, b: 1}}", r#"{"a":1,"b":1}"#),
        ("{<<: {a: 1, b: 1}, a: 2}", r#"{"a":2,"b":1}"#),
        (
            "k: &k {a: 1}\nl: &l {a: 2, b: 2}\nm: {<<: [*k, *l]}",
            r#"{"k":{"a":1},"l":{"a":2,"b":2},"m":{"a":1,"b":2}}"#,
        ),
        ("k: &k {a: 1}\nm: {<<: {<<: *k, b: 2}, c: 3}", r#"{"k":{"a":1},"m":{"a":1,"b":2,"c":3}}"#),
        ("{'<<': 1}", r#"{"<<":1}"#),
        (
            "{<<: 1}",
            "error converting YAML to JSON: yaml: map merge requires map or sequence of maps as the value",
        ),
        ("a: *x", "error converting YAML to JSON: yaml: unknown anchor 'x' referenced"),
        ("a: &x [*x]", "error converting YAML to JSON: yaml: anchor 'x' value contains itself"),
    ]);
}

#[test]
fn aliases_may_not_multiply() {
    let bomb = (1..9).fold("a0: &a0 [x]\n".to_owned(), |text, level| {
        let before = vec![format!("*a{}", level - 1); 9].join(", ");
        format!("{text}a{level}: &a{level} [{before}]\n")
    });
    assert_eq!(read(&bomb), "error converting YAML to JSON: yaml: document contains excessive aliasing");
}

#[test]
fn top_level_types_are_checked() {
    assert_eq!(load_map(b"").unwrap().len(), 0);
    assert_eq!(load_map(b"~").unwrap().len(), 0);
    assert_eq!(load_array(b"# x").unwrap().len(), 0);
    for (text, found) in [("[1]", "array"), ("x", "string"), ("1", "number"), ("yes", "bool")] {
        assert_eq!(
            load_map(text.as_bytes()).unwrap_err().to_string(),
            format!(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go value of type \
                 map[string]interface {{}}"
            )
        );
    }
    assert!(
        load_array(b"a: 1")
            .unwrap_err()
            .to_string()
            .ends_with("cannot unmarshal object into Go value of type []interface {}")
    );
}

#[test]
fn strict_reading_names_each_duplicate() {
    let error = load_strict(b"a: 1\na: 2\nb: {1: x,\n 1: y}\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "error converting YAML to JSON: yaml: unmarshal errors:\n  line 2: key \"a\" already set in map\n  \
         line 4: key 1 already set in map"
    );
    assert!(load_strict(b"1: a\n'1': b\n1.0: c").is_ok());
}

#[test]
fn typed_reading_keeps_integers() {
    let value = load_typed(b"[1, 1.0, 9223372036854775808, 1e3]").unwrap();
    assert_eq!(format!("{value:?}"), "[int(1), 1.0, uint64(9223372036854775808), 1000.0]");
}

#[test]
fn events_cover_all_documents() {
    let source = Source::new(b"%TAG !e! tag:x,1:\n--- &r !e!t\na: *r\n...\n---\n- 'x'\n");
    let kinds: Vec<String> = source
        .events()
        .map(|event| match event.unwrap().kind {
            EventKind::StreamStart => "stream".to_owned(),
            EventKind::StreamEnd => "/stream".to_owned(),
            EventKind::DocumentStart { explicit } => format!("document {explicit}"),
            EventKind::DocumentEnd { explicit } => format!("/document {explicit}"),
            EventKind::Alias(name) => format!("*{}", String::from_utf8_lossy(&name)),
            EventKind::Scalar { value, style, .. } => {
                format!("{} {style:?}", String::from_utf8_lossy(&value))
            }
            EventKind::SequenceStart { .. } => "[".to_owned(),
            EventKind::SequenceEnd => "]".to_owned(),
            EventKind::MappingStart { properties, .. } => {
                let properties = properties.unwrap_or_default();
                let text = |part: Option<goyaml::Text<'_>>| {
                    part.map(|part| String::from_utf8_lossy(&part).into_owned()).unwrap_or_default()
                };
                format!("{{ &{} !<{}>", text(properties.anchor), text(properties.tag))
            }
            EventKind::MappingEnd => "}".to_owned(),
        })
        .collect();
    let want = [
        "stream",
        "document true",
        "{ &r !<tag:x,1:t>",
        "a Plain",
        "*r",
        "}",
        "/document true",
        "document true",
        "[",
        "x SingleQuoted",
        "]",
        "/document false",
        "/stream",
    ];
    assert_eq!(kinds, want);
}
