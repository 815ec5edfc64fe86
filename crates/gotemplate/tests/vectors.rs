//! The shared vectors that need nothing but text/template itself.
//!
//! Their `want` is what Helm's engine prints, which takes `<no value>` out of the output.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may panic and print"
)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::Nowhere;
use gostd::value::{Elem, Entries, Map, MapType};
use gostd::{GoStr, Value};
use gotemplate::{ErrorKind, FunctionSet, MissingKey, Options, Session, Set};

/// What the vectors' chart has and these tests do not: built-in objects, and sprig's function in place of Go's.
const OUT_OF_REACH: &[&str] = &[
    ".Release",
    ".Chart",
    ".Files",
    ".Capabilities",
    ".Template",
    ".Subcharts",
    "slice",
    "{{ . }}",
    "{{ $ }}",
    "range .}}",
    "range $k, $v := . }}",
    "range $k, $v := $ }}",
    "len $",
];

static VALUES: MapType = MapType { name: "chartutil.Values", elem: Elem::Any, methods: &[] };

const FILE: &str = "c/templates/t.yaml";

fn shared() -> PathBuf {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    std::env::var_os("CHARTWRIGHT_SHARED").map_or_else(|| beside.into(), PathBuf::from)
}

/// Renders a vector as Helm would; `None` if it is out of reach.
fn render(template: &str, values: &serde_json::Value) -> Option<Result<String, String>> {
    if OUT_OF_REACH.iter().any(|text| template.contains(text)) {
        return None;
    }
    let mut set = Set::new("gotpl", FunctionSet::default());
    if let Err(error) = set.parse(FILE, template) {
        if error.message().ends_with("not defined") {
            return None;
        }
        let location = error.location().unwrap();
        let last = error.message().rsplit(": ").next().unwrap_or_default();
        return Some(Err(format!("parse error at ({location}): {last}")));
    }
    let values = match common::value(values) {
        Value::Map(values) => Value::Map(values.retyped(&VALUES)),
        other => other,
    };
    let root = Map::of(&VALUES, Entries::from([(GoStr::from("Values"), values)]));
    let options = Options { missing_key: MissingKey::Zero, ..Options::default() };
    let result = Session::new(&Nowhere, options).execute(&set, FILE.as_bytes(), Value::Map(root));
    Some(match result {
        Ok(output) => Ok(gostd::value::lossy(&output).replace("<no value>", "")),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Exec);
            Err(error.to_string())
        }
    })
}

#[test]
fn vectors_of_the_language_itself_agree() {
    let path = shared().join("vectors/functions.jsonl");
    let Ok(text) = fs::read_to_string(&path) else {
        println!("skipped: no vectors at {}", path.display());
        return;
    };
    let mut failures = Vec::new();
    let mut count = 0;
    for line in text.lines() {
        let vector: serde_json::Value = serde_json::from_str(line).unwrap();
        let Some(got) = render(vector["template"].as_str().unwrap(), &vector["values"]) else { continue };
        count += 1;
        let want = match vector["want"].as_str() {
            Some(output) => Ok(output.to_owned()),
            None => Err(vector["error"].as_str().unwrap().to_owned()),
        };
        if got != want {
            failures
                .push(format!("{} {}\n  want {want:?}\n  got  {got:?}", vector["id"], vector["template"]));
        }
    }
    println!("{count} vectors");
    assert!(count > 800, "only {count} vectors are within reach");
    assert!(failures.is_empty(), "{} of {count} differ:\n{}", failures.len(), failures.join("\n"));
}
