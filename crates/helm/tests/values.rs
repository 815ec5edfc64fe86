//! The user's values: `--set` and its kin, and how null travels.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{CHART, text};
use gostd::{Map, Value, json};
use helm::values::{
    ValueOptions, merge_maps, parse_set, parse_set_json, parse_set_literal, parse_set_string,
};

type Parse = fn(&str, &Map) -> Result<(), helm::Error>;

fn parsed(parse: Parse, argument: &str) -> String {
    let values = Map::new();
    match parse(argument, &values) {
        Ok(()) => String::from_utf8(json::marshal(&Value::Map(values), false).unwrap()).unwrap(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn set_has_its_grammar() {
    let cases = [
        (
            "a=1,b=true,c=null,d=0,e=01,f=1.5,g=",
            r#"{"a":1,"b":true,"c":null,"d":0,"e":"01","f":"1.5","g":""}"#,
        ),
        ("a.b.c=x,a.b.d=y", r#"{"a":{"b":{"c":"x","d":"y"}}}"#),
        ("a={x,1,}", r#"{"a":["x",1,""]}"#),
        ("a[2]=x,a[0].k=1", r#"{"a":[{"k":1},null,"x"]}"#),
        ("a[0][1]=x", r#"{"a":[[null,"x"]]}"#),
        (r"a\.b=1,c=x\,y", r#"{"a.b":1,"c":"x,y"}"#),
        ("a=-5,b=+5,c=9223372036854775808", r#"{"a":-5,"b":5,"c":"9223372036854775808"}"#),
        ("", "{}"),
        ("a.=", "{}"),
        ("a", "failed parsing --set data: key \"a\" has no value"),
        ("a=1,b,c=2", "failed parsing --set data: key \"b\" has no value (cannot end with ,)"),
        ("a={x", "failed parsing --set data: list must terminate with '}'"),
        ("a[-1]=x", "failed parsing --set data: negative -1 index not allowed"),
        (
            "a[x]=1",
            "failed parsing --set data: error parsing index: strconv.Atoi: parsing \"x\": invalid syntax",
        ),
        (
            "a[70000]=1",
            "failed parsing --set data: index of 70000 is greater than maximum supported index of 65536",
        ),
        ("a[0]x=1", "failed parsing --set data: unexpected data at end of array index: ['x']"),
        (
            "a=1,a.b=2",
            "failed parsing --set data: unable to parse key: interface conversion: interface {} is int64, not \
             map[string]interface {}",
        ),
        (
            "a.b=1,a[0]=2",
            "failed parsing --set data: unable to parse key: interface conversion: interface {} is \
             map[string]interface {}, not []interface {}",
        ),
    ];
    for (argument, want) in cases {
        assert_eq!(parsed(parse_set, argument), want, "{argument}");
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = format!("{}=1", ["a"; 33].join("."));
    let message = "value name nested level is greater than maximum supported nested level of 30";
    assert_eq!(parsed(parse_set, &deep), format!("failed parsing --set data: {message}"));
    assert!(parsed(parse_set, &format!("a{}=1", "[0]".repeat(200))).contains("more than 128 list indices"));
}

#[test]
fn other_options_take_values_their_way() {
    assert_eq!(parsed(parse_set_string, "a=1,b={true,2}"), r#"{"a":"1","b":["true","2"]}"#);
    assert_eq!(parsed(parse_set_literal, r"a.b=x,y={\,"), r#"{"a":{"b":"x,y={\\,"}}"#);
    assert_eq!(
        parsed(parse_set_json, r#"a={"b":[1,null]},c="x",d="#),
        r#"{"a":{"b":[1,null]},"c":"x","d":null}"#
    );
    assert_eq!(parsed(parse_set_json, "a={x"), "failed parsing --set-json data a={x");
}

#[test]
fn sources_combine_in_order() {
    let options = ValueOptions {
        files: vec!["one".to_owned(), "two".to_owned()],
        json: vec![r#"a.json={"x":1}"#.to_owned()],
        set: vec!["a.set=1".to_owned()],
        set_string: vec!["a.set=2".to_owned()],
        set_file: vec!["a.file=one".to_owned()],
        set_literal: vec!["a.literal={}".to_owned()],
    };
    let read = |name: &str| match name {
        "one" => Ok(b"a: {x: 1, z: 1, set: 0}\nl: [1, 2]\n".to_vec()),
        "two" => Ok(b"a: {z: null}\nl: [3]\n".to_vec()),
        other => Err(format!("open {other}: no such file or directory")),
    };
    let merged = options.merge(&read).unwrap().thaw();
    let want = r#"{"a":{"file":"a: {x: 1, z: 1, set: 0}\nl: [1, 2]\n","json":{"x":1},"literal":"{}","set":"2","x":1,"z":null},"l":[3]}"#;
    assert_eq!(String::from_utf8(json::marshal(&merged, false).unwrap()).unwrap(), want);
    let missing = ValueOptions { files: vec!["three".to_owned()], ..ValueOptions::default() };
    assert_eq!(missing.merge(&read).unwrap_err().to_string(), "open three: no such file or directory");
}

#[test]
fn values_may_not_nest_without_end() {
    let deep = format!("a: {}{}", "[".repeat(5_000), "]".repeat(5_000));
    let options = ValueOptions { files: vec!["deep".to_owned()], ..ValueOptions::default() };
    let error = options.merge(&|_| Ok(deep.clone().into_bytes())).unwrap_err();
    assert_eq!(error.to_string(), "values nest deeper than 500 levels");
}

#[test]
fn merging_leaves_its_inputs_alone() {
    let base: Map = [("a".into(), Value::Map(Map::new()))].into_iter().collect();
    let over: Map = [("a".into(), Value::Map([("b".into(), Value::Bool(true))].into_iter().collect()))]
        .into_iter()
        .collect();
    let merged = merge_maps(&base, &over);
    assert!(merged.get("a").unwrap().as_map().unwrap().contains_key("b"));
    assert!(base.get("a").unwrap().as_map().unwrap().is_empty());
}

/// Shows a chart's values as it sees them.
const SHOW: &str = "v: {{ .Values | toJson }}\n";

fn shown(defaults: &str, user: &str) -> String {
    let files = [CHART, ("values.yaml", defaults), ("templates/a.yaml", SHOW)];
    text(&files, user).trim_start_matches("---\n# Source: c/templates/a.yaml\nv: ").trim_end().to_owned()
}

#[test]
fn null_deletes_only_what_is_there() {
    assert_eq!(shown("a: null\n", ""), r#"{"a":null}"#);
    assert_eq!(shown("a: {x: null, z: 1}\n", ""), r#"{"a":{"x":null,"z":1}}"#);
    assert_eq!(shown("a: 1\n", "a: null\n"), "{}");
    assert_eq!(shown("b: 1\n", "a: null\n"), r#"{"a":null,"b":1}"#);
    assert_eq!(shown("a: {x: 1}\n", "a: {x: null}\n"), r#"{"a":{}}"#);
    assert_eq!(shown("a: {x: null}\n", "a: {x: null}\n"), r#"{"a":{"x":null}}"#);
    assert_eq!(shown("a: {}\n", "a: {x: null}\n"), r#"{"a":{"x":null}}"#);
    assert_eq!(shown("a: [1, 2]\nb: {c: 1}\n", "a: [3]\nb: {}\n"), r#"{"a":[3],"b":{"c":1}}"#);
}

/// A parent `c` with a subchart `s`, declared or not; shows the subchart's values without globals.
fn in_subchart(declared: bool, parent: &str, subchart: &str, user: &str) -> String {
    let declaration = if declared { "dependencies: [{name: s, version: '*', repository: ''}]\n" } else { "" };
    let chart = format!("{}{declaration}", CHART.1);
    let files = [
        ("Chart.yaml", chart.as_str()),
        ("values.yaml", parent),
        ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 0.1.0\n"),
        ("charts/s/values.yaml", subchart),
        ("charts/s/templates/a.yaml", "v: {{ omit .Values \"global\" | toJson }}\n"),
    ];
    text(&files, user)
        .trim_start_matches("---\n# Source: c/charts/s/templates/a.yaml\nv: ")
        .trim_end()
        .to_owned()
}

#[test]
fn null_in_subcharts_depends_on_their_declaration() {
    assert_eq!(in_subchart(false, "", "a: null\n", ""), r#"{"a":null}"#);
    assert_eq!(in_subchart(true, "", "a: null\n", ""), "{}");
    assert_eq!(in_subchart(true, "", "c: {d: null}\n", ""), r#"{"c":{"d":null}}"#);
    for declared in [false, true] {
        assert_eq!(in_subchart(declared, "s: {a: null}\n", "a: 1\n", ""), "{}");
        assert_eq!(in_subchart(declared, "s: {c: {d: null}}\n", "c: {d: 1}\n", ""), r#"{"c":{}}"#);
        assert_eq!(
            in_subchart(declared, "", "a: 1\nc: {d: 1}\n", "s: {a: null, c: {d: null}}\n"),
            r#"{"c":{}}"#
        );
        assert_eq!(in_subchart(declared, "s:\n", "a: 1\n", ""), "type mismatch on s: %!t(<nil>)");
        assert_eq!(in_subchart(declared, "s: {b: 2}\n", "a: 1\n", "s: null\n"), r#"{"a":1}"#);
        assert_eq!(in_subchart(declared, "", "a: 1\n", "s: 5\n"), "type mismatch on s: %!t(float64=5)");
    }
}

#[test]
fn globals_reach_all_levels() {
    let files = [
        CHART,
        ("values.yaml", "global: {g: 1, t: {p: 1}}\n"),
        ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 0.1.0\n"),
        ("charts/s/values.yaml", "global: {g: 2, own: 3, t: {s: 2}}\n"),
        ("charts/s/templates/a.yaml", "s: {{ .Values.global | toJson }}\n"),
        ("templates/a.yaml", "p: {{ .Values.global | toJson }}\n"),
    ];
    let shown = text(&files, "global: {u: 4}\n");
    assert!(shown.contains(r#"s: {"g":1,"own":3,"t":{"p":1,"s":2},"u":4}"#), "{shown}");
    assert!(shown.contains(r#"p: {"g":1,"t":{"p":1},"u":4}"#), "{shown}");
}
