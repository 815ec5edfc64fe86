//! Results of Helm's own YAML functions, from the shared vectors.

#![allow(clippy::unwrap_used, clippy::panic, reason = "this is a test")]

use std::path::PathBuf;

use gostd::{Map, Value, json};
use goyaml::{load_array, load_map, to_yaml, to_yaml_pretty};

fn vectors() -> Option<String> {
    let shared = std::env::var_os("CHARTWRIGHT_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    std::fs::read_to_string(shared.join("vectors/yaml.jsonl")).ok()
}

fn text_of(map: &Map, key: &str) -> String {
    match map.get(key) {
        Some(Value::String(text)) => text.to_string(),
        other => panic!("{key} is {other:?}"),
    }
}

/// `fromYaml`: errors become an entry.
fn from_yaml(text: &str) -> Value {
    Value::Map(
        load_map(text.as_bytes())
            .unwrap_or_else(|error| [("Error".into(), Value::from(error.to_string()))].into_iter().collect()),
    )
}

/// `fromYamlArray`: errors become the only item.
fn from_yaml_array(text: &str) -> Value {
    match load_array(text.as_bytes()) {
        Ok(list) => Value::List(list),
        Err(error) => Value::list(vec![Value::from(error.to_string())]),
    }
}

/// `toYaml` and `toYamlPretty`: no text if it cannot be written, else without the last line break.
fn trimmed<E>(text: Result<Vec<u8>, E>) -> String {
    let mut text = String::from_utf8(text.unwrap_or_default()).unwrap();
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

fn to_json(value: &Value) -> String {
    String::from_utf8(json::marshal(value, true).unwrap()).unwrap()
}

#[test]
fn all_vectors_hold() {
    let Some(lines) = vectors() else {
        println!("skipped: no shared vectors here");
        return;
    };
    let (mut cases, mut failures) = (0, Vec::new());
    for line in lines.lines() {
        let case = json::unmarshal_object(line.as_bytes()).unwrap();
        let (kind, want) = (text_of(&case, "kind"), text_of(&case, "want"));
        let input = case.get("in").unwrap_or_default();
        let got = match kind.as_str() {
            "decode" => to_json(&from_yaml(&text_of(&case, "in"))),
            "decodeArray" => to_json(&from_yaml_array(&text_of(&case, "in"))),
            "encode" => trimmed(to_yaml(&input)),
            "pretty" => trimmed(to_yaml_pretty(&input)),
            "roundtrip" => trimmed(to_yaml(&from_yaml(&text_of(&case, "in")))),
            other => panic!("unknown kind {other}"),
        };
        cases += 1;
        if got != want {
            failures.push(format!("{}: {input:?}\n  want {want:?}\n  got  {got:?}", text_of(&case, "id")));
        }
    }
    assert!(failures.is_empty(), "{} of {cases} fail:\n{}", failures.len(), failures.join("\n"));
    assert!(cases > 1000, "only {cases} cases");
}
