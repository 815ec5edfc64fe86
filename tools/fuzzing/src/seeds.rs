//! Inputs to start from, made of cases with known results: functions, YAML and charts, one JSON object a line.

use gostd::{Map, Value};

use crate::SEPARATOR;

/// An input and the target it is for.
pub type Seed = (&'static str, Vec<u8>);

/// Functions whose text arguments are worth a target of their own.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("printf", &["printf"]),
    ("semver", &["semver"]),
    ("regexp", &["regex"]),
    ("date", &["date", "Date", "duration", "ago"]),
];

/// Makes inputs of a case, whatever kind it is of.
pub fn of_case(line: &[u8]) -> Vec<Seed> {
    let Ok(case) = gostd::json::unmarshal_object(line) else { return Vec::new() };
    if let Some(template) = text(&case, "template") {
        return of_template(&template, &case.get("values").unwrap_or_default());
    }
    if case.contains_key("kind") {
        let document = match case.get("in") {
            Some(Value::String(text)) => text.to_vec(),
            Some(value) => goyaml::to_yaml(&value).unwrap_or_default(),
            None => Vec::new(),
        };
        let json = goyaml::load(&document).ok().and_then(|value| gostd::json::marshal(&value, false).ok());
        let mut seeds = vec![("yaml_load", document.clone()), ("yaml_roundtrip", document)];
        seeds.extend(json.map(|json| ("json", json)));
        return seeds;
    }
    of_chart(&case)
}

fn text(case: &Map, key: &str) -> Option<Vec<u8>> {
    case.get(key)?.as_str().map(|text| text.to_vec())
}

fn of_template(template: &[u8], values: &Value) -> Vec<Seed> {
    let written = goyaml::to_yaml(values).unwrap_or_default();
    let mut seeds = vec![
        ("template_parse", template.to_vec()),
        ("template_execute", [template, &[SEPARATOR], &written].concat()),
    ];
    let shown = gostd::value::lossy(template);
    for (target, functions) in LANGUAGES {
        if functions.iter().any(|function| shown.contains(function)) {
            let mut texts: Vec<&str> = shown.split('"').skip(1).step_by(2).collect();
            let of_values = goyaml::load_map(&written).map(|map| map.snapshot()).unwrap_or_default();
            let of_values: Vec<String> = of_values
                .iter()
                .filter_map(|(_, value)| value.as_str().map(|text| gostd::value::lossy(text)))
                .collect();
            texts.extend(of_values.iter().map(String::as_str));
            seeds.push((*target, texts.join("\u{1f}").into_bytes()));
        }
    }
    seeds
}

fn of_chart(case: &Map) -> Vec<Seed> {
    let mut seeds = Vec::new();
    let file = text(case, "values").unwrap_or_default();
    for key in ["set", "setString", "setJSON", "setLiteral"] {
        let Some(Value::List(list)) = case.get(key) else { continue };
        for set in list.to_vec() {
            if let Some(set) = set.as_str() {
                seeds.push(("values_set", [set.as_bytes(), &[SEPARATOR], &file].concat()));
            }
        }
    }
    let Some(Value::Map(files)) = case.get("files") else { return seeds };
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in files.snapshot() {
        let Some(text) = text.as_str() else { continue };
        if name.ends_with(b".yaml") || name.ends_with(b".tpl") {
            seeds.push(("template_parse", text.to_vec()));
        }
        if &*name == b"values.yaml".as_slice() {
            seeds.push(("yaml_load", text.to_vec()));
        }
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        let path = format!("c/{}", name.to_lossy());
        // A name that no header takes makes no seed.
        let _ = archive.append_data(&mut header, path, text.as_bytes());
    }
    seeds.extend(archive.into_inner().ok().map(|archive| ("chart_archive", archive)));
    seeds
}
