//! Runs the shared function vectors that need nothing but sprig: no chart objects, no functions of Helm's own.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests may panic and print")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use gostd::value::{ANY_MAP, Elem};
use gostd::value::{Entries, MapType, Method};
use gostd::{Map, Value, json};
use gotemplate::FunctionSet;
use serde_json::Value as Json;

static VALUES: MapType = MapType { name: "chartutil.Values", elem: Elem::Any, methods: NO_METHODS };
const NO_METHODS: &[Method] = &[];

/// Functions that Helm adds or replaces, and objects of a chart.
const HELMS_OWN: &[&str] = &[
    "include",
    "tpl",
    "required",
    "fail",
    "lookup",
    "getHostByName",
    "toYaml",
    "toYamlPretty",
    "fromYaml",
    "fromYamlArray",
    "fromJson",
    "fromJsonArray",
    "toToml",
    "fromToml",
];
const OBJECTS: &[&str] = &[".Files", ".Chart", ".Release", ".Capabilities", ".Template", ".Subcharts"];

/// Groups that are about several functions at once.
const TOPICS: &[&str] = &["lists", "maps", "numbers", "time", "random", "certs"];

fn vectors() -> Option<String> {
    let shared = std::env::var_os("CHARTWRIGHT_SHARED").map(PathBuf::from);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared");
    let file = shared.unwrap_or_else(|| root.into()).join("vectors/functions.jsonl");
    let text = std::fs::read_to_string(&file);
    if text.is_err() {
        println!("skipped: no vectors at {}", file.display());
    }
    text.ok()
}

fn words(template: &str) -> BTreeSet<&str> {
    template.split(|character: char| !character.is_alphanumeric() && character != '_').collect()
}

fn is_ours(group: &str, template: &str) -> bool {
    let known = TOPICS.contains(&group) || sprig::functions().any(|function| function.name == group);
    let words = words(template);
    known
        && !HELMS_OWN.iter().any(|name| words.contains(name))
        && !OBJECTS.iter().any(|object| template.contains(object))
}

fn root(vector: &Json) -> Value {
    let values = json::unmarshal(vector["values"].to_string().as_bytes()).unwrap_or_default();
    let values = values.as_map().cloned().unwrap_or_else(|| Map::of(&ANY_MAP, Entries::new()));
    let root: Map = [("Values".into(), Value::Map(values.retyped(&VALUES)))].into_iter().collect();
    Value::Map(root.retyped(&VALUES))
}

/// Of a parse error Helm shows the location and what follows the last colon.
fn as_helm_tells_it(error: String) -> String {
    let parts = error.strip_prefix("template: ").filter(|rest| !rest.contains(": executing "));
    match parts.and_then(|rest| Some((rest.split_once(": ")?.0, rest.rsplit_once(": ")?.1))) {
        Some((location, cause)) => format!("parse error at ({location}): {cause}"),
        None => error,
    }
}

#[test]
fn shared_vectors() {
    let Some(vectors) = vectors() else { return };
    let functions = FunctionSet::new(sprig::functions());
    let mut failures: BTreeMap<String, usize> = BTreeMap::new();
    let mut ran = 0;
    for line in vectors.lines() {
        let vector: Json = serde_json::from_str(line).unwrap();
        let (id, template) = (vector["id"].as_str().unwrap(), vector["template"].as_str().unwrap());
        let group = id.rsplit_once('.').unwrap().0;
        if !is_ours(group, template) {
            continue;
        }
        ran += 1;
        let got = common::render(&functions, "c/templates/t.yaml", template.as_bytes(), root(&vector));
        let got = got.map(|output| String::from_utf8_lossy(&output).replace("<no value>", ""));
        let got = got.map_err(as_helm_tells_it);
        let want = match &vector["error"] {
            Json::Null => Ok(vector["want"].as_str().unwrap().to_owned()),
            error => Err(error.as_str().unwrap().to_owned()),
        };
        if got != want {
            *failures.entry(group.to_owned()).or_default() += 1;
            println!("{id}: {template}\n  want {want:?}\n  got  {got:?}");
        }
    }
    println!("{ran} vectors");
    assert!(failures.is_empty(), "{failures:?}");
    assert!(ran > 2000, "only {ran} vectors were found");
}
