//! Functions, YAML and small charts with real Helm's results, one JSON object a line.

use std::path::Path;
use std::sync::Arc;

use gostd::value::Frozen;
use gostd::{Map, Value};
use helm::chart::Memory;
use helm::output::TemplateOutput;
use helm::values::ValueOptions;
use helm::{Capabilities, Chart, CompiledChart, KubeVersion, Release, RenderInput, RenderOptions};

use crate::args::Args;
use crate::case::{Case, Difference};
use crate::compare;
use crate::error::Error;
use crate::folders;
use crate::host::Offline;

const FUNCTIONS_CHART: &str = "\
apiVersion: v2
name: c
version: 1.2.3
appVersion: 4.5.6
description: A test chart
kubeVersion: '>=1.20.0-0'
type: application
keywords: [k1, k2]
annotations: {a/b: c}
maintainers: [{name: M, email: m@example.com}]
";
const TEMPLATE: &str = "templates/t.yaml";

/// The templates that show what a YAML vector's kind shows.
const YAML_KINDS: &[(&str, &str)] = &[
    ("decode", "{{ fromYaml .Values.in | toJson }}"),
    ("decodeArray", "{{ fromYamlArray .Values.in | toJson }}"),
    ("encode", "{{ toYaml .Values.in }}"),
    ("pretty", "{{ toYamlPretty .Values.in }}"),
    ("roundtrip", "{{ fromYaml .Values.in | toYaml }}"),
];

/// Reads a file of vectors; what a line is shows in its entries.
pub(crate) fn load(file: &Path, args: &Args) -> Result<Vec<Case>, Error> {
    let text = std::fs::read(file).map_err(Error::read(file))?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut cases = Vec::new();
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let bad = |reason: String| Error::data(file, format!("line {}: {reason}", number + 1));
        let vector = gostd::json::unmarshal_object(line).map_err(|error| bad(error.to_string()))?;
        let name = text_of(&vector, "id").ok_or_else(|| bad("no id".to_owned()))?;
        if !args.wants(&name) {
            continue;
        }
        let vector = Arc::new(Frozen::from(&Value::Map(vector.clone())));
        cases.push(Case {
            suite: format!("vectors/{stem}"),
            name,
            check: Box::new(move || check(&vector.thaw_map())),
        });
    }
    Ok(cases)
}

fn text_of(vector: &Map, key: &str) -> Option<String> {
    vector.get(key)?.as_str().map(ToString::to_string)
}

/// Runs a case and compares with the answer it comes with.
pub(crate) fn check(vector: &Map) -> Option<Difference> {
    let mut warnings = Vec::new();
    let got = if vector.contains_key("template") {
        function(vector)
    } else if vector.contains_key("kind") {
        yaml(vector)
    } else {
        chart(vector, &mut warnings)
    };
    let difference = match (text_of(vector, "error"), text_of(vector, "want"), got) {
        (Some(want), _, got) => {
            let got = got.map_or_else(|error| Some(error.to_string()), |_| None);
            compare::errors(&want, got.as_deref())
        }
        (None, Some(want), Ok(got)) => compare::exact("result", want.as_bytes(), &got),
        (None, _, Err(error)) => Some(Difference::new("unexpected error", "(success)", error.to_string())),
        (None, None, Ok(_)) => Some(Difference::new("vector", "a result or an error", "neither")),
    };
    let compare_warnings = || compare::warnings(&texts_of(vector, "warnings"), &warnings);
    difference.or_else(|| vector.contains_key("warnings").then(compare_warnings).flatten())
}

/// Reports whether a vector's chart renders.
pub(crate) fn renders(vector: &Map) -> bool {
    chart(vector, &mut Vec::new()).is_ok()
}

fn function(vector: &Map) -> Result<Vec<u8>, helm::Error> {
    let template = text_of(vector, "template").unwrap_or_default();
    let values = Frozen::from(&vector.get("values").unwrap_or_default());
    run_template(&template, &values, files_of(vector))
}

fn yaml(vector: &Map) -> Result<Vec<u8>, helm::Error> {
    let kind = text_of(vector, "kind").unwrap_or_default();
    let Some((_, template)) = YAML_KINDS.iter().find(|(known, _)| *known == kind) else {
        return Err(helm::Error::Values(format!("unknown kind of vector: {kind}")));
    };
    let input = Frozen::from(&vector.get("in").unwrap_or_default());
    run_template(template, &Frozen::Map(vec![("in".into(), input)]), Vec::new())
}

/// Returns the entry `files`: paths and texts.
fn files_of(vector: &Map) -> Vec<(String, Vec<u8>)> {
    let Some(Value::Map(files)) = vector.get("files") else { return Vec::new() };
    let files = files.snapshot().into_iter();
    files.filter_map(|(name, text)| Some((name.to_string(), text.as_str()?.to_vec()))).collect()
}

/// Renders the one template of the vectors' chart.
fn run_template(
    template: &str,
    values: &Frozen,
    mut files: Vec<(String, Vec<u8>)>,
) -> Result<Vec<u8>, helm::Error> {
    files.push(("Chart.yaml".to_owned(), FUNCTIONS_CHART.into()));
    files.push((TEMPLATE.to_owned(), template.into()));
    let mut chart = Chart::load(&Memory::new(files))?;
    // The vectors' template was handed to the engine as it is; loading takes off a byte order mark.
    for file in &mut chart.templates {
        file.data = template.into();
    }
    let compiled = CompiledChart::new(chart)?;
    let rendered = compiled.render_files(&RenderInput {
        values,
        release: release("rel", "ns", false),
        capabilities: &capabilities("v1.31.2", &[])?,
        host: &Offline::new(),
        options: options(),
    })?;
    let path = format!("c/{TEMPLATE}");
    let text = rendered.into_iter().find(|(name, _)| *name == path);
    Ok(text.map(|(_, text)| text.to_vec()).unwrap_or_default())
}

fn chart(vector: &Map, warnings: &mut Vec<String>) -> Result<Vec<u8>, helm::Error> {
    let kube_version = text_of(vector, "kubeVersion").unwrap_or_else(|| "v1.31.2".to_owned());
    let capabilities = capabilities(&kube_version, &texts_of(vector, "apiVersions"))?;
    let texts: Vec<String> =
        text_of(vector, "values").into_iter().chain(texts_of(vector, "moreValues")).collect();
    let given = ValueOptions {
        files: (0..texts.len()).map(|index| format!("VALUES{}", "+".repeat(index))).collect(),
        json: texts_of(vector, "setJSON"),
        set: texts_of(vector, "set"),
        set_string: texts_of(vector, "setString"),
        set_literal: texts_of(vector, "setLiteral"),
        ..ValueOptions::default()
    };
    let read = |name: &str| {
        let index = name.len().saturating_sub("VALUES".len());
        Ok(texts.get(index).cloned().unwrap_or_default().into_bytes())
    };
    let values = given.merge(&read)?;
    let compiled = match text_of(vector, "chart") {
        Some(folder) => folders::compiled(&folder, warnings)?,
        None => CompiledChart::new(Chart::load_logged(&Memory::new(files_of(vector)), warnings)?)?,
    };
    let namespace = text_of(vector, "namespace").unwrap_or_else(|| "default".to_owned());
    let is_on = |key: &str| vector.get(key).is_some_and(|value| value.is_true());
    let input = RenderInput {
        values: &values,
        release: release("release-name", &namespace, is_on("isUpgrade")),
        capabilities: &capabilities,
        host: &Offline::new(),
        options: options(),
    };
    let rendered = compiled.render_logged(&input, warnings)?;
    rendered.template_output(&TemplateOutput {
        include_crds: is_on("includeCRDs"),
        no_hooks: is_on("noHooks"),
        skip_tests: is_on("skipTests"),
        show_only: texts_of(vector, "showOnly"),
    })
}

/// Returns the strings of a list.
fn texts_of(vector: &Map, key: &str) -> Vec<String> {
    match vector.get(key) {
        Some(Value::List(list)) => {
            list.to_vec().iter().filter_map(|item| Some(item.as_str()?.to_string())).collect()
        }
        _ => Vec::new(),
    }
}

fn options() -> RenderOptions {
    RenderOptions { stack: 32 << 20, ..RenderOptions::default() }
}

fn release(name: &str, namespace: &str, is_upgrade: bool) -> Release {
    Release { name: name.to_owned(), namespace: namespace.to_owned(), revision: 1, is_upgrade }
}

fn capabilities(kube_version: &str, api_versions: &[String]) -> Result<Capabilities, helm::Error> {
    let version = KubeVersion::parse(kube_version).map_err(helm::Error::Values)?;
    Ok(Capabilities::default().with_kube_version(version).with_api_versions(api_versions.iter().cloned()))
}

#[cfg(test)]
mod tests {
    use super::{check, text_of};

    /// The vectors that stand in the repository, each made by real Helm when a fault of its kind was found.
    #[test]
    fn kept_vectors_hold() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
        let mut count = 0;
        let mut faults = Vec::new();
        for entry in std::fs::read_dir(&folder).expect("the folder of vectors") {
            let text = std::fs::read(entry.expect("an entry").path()).expect("a file of vectors");
            for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let vector = gostd::json::unmarshal_object(line).expect("one vector a line");
                let name = text_of(&vector, "id").expect("a name");
                count += 1;
                faults.extend(check(&vector).map(|difference| (name, difference)));
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
        assert!(count > 900, "only {count} vectors were found");
    }
}
