//! Small cases from public bug reports: a folder each, with a case.yaml.

use std::fs;
use std::path::{Path, PathBuf};

use gostd::value::Frozen;
use gostd::{GoStr, Map, Value};
use helm::output::TemplateOutput;
use helm::values::ValueOptions;
use helm::{Capabilities, Chart, CompiledChart, KubeVersion, Release, RenderInput, RenderOptions};

use crate::args::Args;
use crate::case::{Case, Difference};
use crate::compare::{self, Shown};
use crate::error::Error;
use crate::host::Offline;

/// Reads the rendering cases of a folder.
pub(crate) fn load(folder: &Path, args: &Args) -> Result<Vec<Case>, Error> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::read(folder))? {
        folders.push(entry.map_err(Error::read(folder))?.path());
    }
    folders.sort();
    let mut cases = Vec::new();
    for folder in folders.into_iter().filter(|folder| folder.join("case.yaml").is_file()) {
        let file = folder.join("case.yaml");
        let text = fs::read(&file).map_err(Error::read(&file))?;
        let case = goyaml::load_map(&text).map_err(|error| Error::data(&file, error.to_string()))?;
        let name = text_of(&case, "id").unwrap_or_default();
        if text_of(&case, "type").as_deref() != Some("render") || !args.wants(&name) {
            continue;
        }
        let case = Frozen::from(&Value::Map(case));
        cases.push(Case {
            suite: "cases".to_owned(),
            name,
            check: Box::new(move || check(&folder, &case.thaw_map())),
        });
    }
    Ok(cases)
}

fn check(folder: &Path, case: &Map) -> Option<Difference> {
    let render = table_of(case, "render");
    let expect = table_of(case, "expect");
    let mut shown = Shown::default();
    match run(folder, &render, &mut shown.warnings) {
        Ok(stdout) => shown.stdout = stdout,
        Err(error) => shown.error = Some(error.to_string()),
    }
    let contains = |what: &str, key: &str, text: &str| {
        let missing = texts_of(&expect, key).into_iter().find(|part| !text.contains(part.as_str()))?;
        Some(Difference::new(format!("{what} lacks a text"), missing, text.to_owned()))
    };
    let succeeds = matches!(expect.get("exit"), Some(Value::Float64(0.0)));
    let expected = fs::read(folder.join(text_of(&expect, "file").unwrap_or_default())).unwrap_or_default();
    match (succeeds, &shown.error) {
        (true, Some(error)) => Some(Difference::new("unexpected error", "(success)", error.clone())),
        (true, None) => compare::exact("output", &expected, &shown.stdout)
            .or_else(|| contains("warnings", "warning_contains", &shown.warnings.join("\n"))),
        (false, None) => Some(Difference::new(
            "no error",
            gostd::value::lossy(&expected),
            gostd::value::lossy(&shown.stdout),
        )),
        (false, Some(error)) => contains("error", "contains", error),
    }
}

fn run(folder: &Path, render: &Map, warnings: &mut Vec<String>) -> Result<Vec<u8>, helm::Error> {
    let release = text_of(render, "release").unwrap_or_default();
    helm::check_release_name(&release)?;
    let values = values(folder, render)?;
    let chart = Chart::load_path(folder.join(text_of(render, "chart").unwrap_or_default()))?;
    let compiled = CompiledChart::new(chart)?;
    warnings.extend(compiled.warnings());
    let rendered = compiled.render_logged(
        &RenderInput {
            values: &values,
            release: Release {
                name: release,
                namespace: text_of(render, "namespace").unwrap_or_else(|| "default".to_owned()),
                revision: 1,
                is_upgrade: render.get("is_upgrade").is_some_and(|value| value.is_true()),
            },
            capabilities: &capabilities(render)?,
            host: &Offline::new(),
            options: RenderOptions { stack: 32 << 20, ..RenderOptions::default() },
        },
        warnings,
    )?;
    rendered.template_output(&TemplateOutput {
        include_crds: render.get("include_crds").is_some_and(|value| value.is_true()),
        show_only: texts_of(render, "show_only"),
        ..TemplateOutput::default()
    })
}

fn values(folder: &Path, render: &Map) -> Result<Frozen, helm::Error> {
    let read = |name: &str| fs::read(folder.join(name)).map_err(|error| format!("open {name}: {error}"));
    if let Some(name) = text_of(render, "cr") {
        let text = read(&name).map_err(helm::Error::Values)?;
        let resource = goyaml::load_typed(&text).map_err(|error| helm::Error::Values(error.to_string()))?;
        let spec = resource.as_map().and_then(|resource| resource.get("spec")).unwrap_or_default();
        return Ok(as_served(&Frozen::from(&spec)));
    }
    let options = ValueOptions {
        files: texts_of(render, "values"),
        set: texts_of(render, "set"),
        set_string: texts_of(render, "set_string"),
        ..ValueOptions::default()
    };
    options.merge(&read)
}

/// Values as an API server returns them: numbers that JSON writes without a point or exponent are int64.
fn as_served(value: &Frozen) -> Frozen {
    match value {
        Frozen::Float64(number) if number.fract() == 0.0 && number.abs() < 9.0e18 => {
            Frozen::Int64(*number as i64)
        }
        Frozen::List(items) => Frozen::List(items.iter().map(as_served).collect()),
        Frozen::Map(entries) => {
            let entry = |(key, value): &(GoStr, Frozen)| (key.clone(), as_served(value));
            Frozen::Map(entries.iter().map(entry).collect())
        }
        other => other.clone(),
    }
}

fn capabilities(render: &Map) -> Result<Capabilities, helm::Error> {
    let mut capabilities = Capabilities::default().with_api_versions(texts_of(render, "api_versions"));
    if let Some(text) = text_of(render, "kube_version") {
        let version = KubeVersion::parse(&text)
            .map_err(|reason| helm::Error::Values(format!("invalid kube version '{text}': {reason}")))?;
        capabilities = capabilities.with_kube_version(version);
    }
    let server = table_of(render, "server_version");
    if let Some(version) = text_of(&server, "gitVersion") {
        capabilities = capabilities.with_kube_version(KubeVersion {
            version,
            major: text_of(&server, "major").unwrap_or_default(),
            minor: text_of(&server, "minor").unwrap_or_default(),
        });
    }
    Ok(capabilities)
}

fn text_of(map: &Map, key: &str) -> Option<String> {
    map.get(key)?.as_str().map(ToString::to_string)
}

fn table_of(map: &Map, key: &str) -> Map {
    map.get(key).and_then(|value| value.as_map().cloned()).unwrap_or_default()
}

/// Returns the strings of a list, or the one string that stands there.
fn texts_of(map: &Map, key: &str) -> Vec<String> {
    match map.get(key) {
        Some(Value::List(list)) => {
            list.to_vec().iter().filter_map(|item| Some(item.as_str()?.to_string())).collect()
        }
        Some(Value::String(text)) => vec![text.to_string()],
        _ => Vec::new(),
    }
}
