//! The custom resource types of the corpus's charts, on a real API server.
//!
//! `cargo test --test crd_corpus -- --ignored --nocapture` looks at a sample in half a minute; `make crd-corpus` at all
//! charts, and writes the figures into docs/TYPED-API.md.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)] // Also in what the test's parts share.

#[path = "../crates/crdschema/tests/common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crdschema::{Report, to_json};
use devcluster::{Cluster, Options};
use gostd::value::Frozen;
use serde_json::{Value, json};

/// A chart with the type it becomes.
struct Served {
    chart: String,
    group: String,
    crd: Value,
    example: Value,
}

/// A resource made of a values file.
struct Resource {
    path: PathBuf,
    values: PathBuf,
    /// Whether Helm takes the values.
    good: bool,
}

/// What came of all charts.
#[derive(Default)]
struct Table {
    charts: usize,
    report: Report,
    sizes: Vec<(usize, String)>,
    times: Vec<(Duration, String)>,
    /// Values files that Helm takes.
    good: usize,
    taken: usize,
    /// Values files that Helm refuses, and those of them that the API server refuses as well.
    bad: usize,
    refused: usize,
    explained: usize,
}

#[test]
#[ignore = "starts a real API server and gives it the types of many charts"]
fn the_api_server_takes_the_type_of_every_chart_and_all_of_its_values_files() {
    let Some(shared) = common::shared() else { return };
    let root = common::unpacked(&shared);
    let cases = common::cases(&shared);
    let all = std::env::var_os("CRD_CORPUS_ALL").is_some();
    let chosen: Vec<_> = cases.keys().step_by(if all { 1 } else { SAMPLE }).collect();
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crds-{}", std::process::id()));
    let (crds, resources) = (work.join("crds"), work.join("resources"));
    fs::create_dir_all(&crds).unwrap();
    fs::create_dir_all(&resources).unwrap();

    let mut table = Table::default();
    let made = chosen.iter().enumerate();
    let served: Vec<_> =
        made.filter_map(|(index, chart)| serve(&root, chart, index, &crds, &mut table)).collect();
    let cluster = Cluster::start(Options { controllers: false, nodes: 0, ..Options::from_env() }).unwrap();
    let started = Instant::now();
    patiently(|| {
        cluster.run_kubectl(&["apply", "--server-side", "-f", crds.to_str().unwrap()])?;
        cluster.run_kubectl(&["wait", "--for=condition=Established", "crds", "--all", "--timeout=300s"])
    });
    established(&cluster, served.len());
    println!("{} types established in {:?}", served.len(), started.elapsed());

    let mut made = Vec::new();
    for served in &served {
        for (file, refused) in &cases[&served.chart].files {
            made.extend(resource(&root, served, file, refused.is_none(), &resources, made.len()));
        }
        let own = Path::new(&served.chart).join("values.yaml");
        made.extend(resource(&root, served, &own, true, &resources, made.len()));
    }
    let examples = served.iter().enumerate();
    let examples: Vec<_> = examples
        .map(|(index, one)| write_resource(one, &one.example, &resources, made.len() + index))
        .collect();
    let mut wrong = Vec::new();
    for batch in made.chunks(BATCH) {
        let paths: Vec<_> = batch.iter().map(|one| one.path.clone()).collect();
        for (one, answer) in batch.iter().zip(create(&cluster, &paths)) {
            match (answer, one.good) {
                (Ok(()), true) => table.taken += 1,
                (Ok(()), false) => {}
                (Err(_), false) => table.refused += 1,
                (Err(error), true) => wrong.push(format!("{}: {error}", one.values.display())),
            }
        }
    }
    for batch in examples.chunks(BATCH) {
        let refused = create(&cluster, batch).into_iter().filter_map(Result::err);
        wrong.extend(refused.map(|error| format!("an example: {error}")));
    }
    table.good = made.iter().filter(|one| one.good).count();
    table.bad = made.len() - table.good;
    let asked = served.iter().step_by(if all { EXPLAINED } else { 5 });
    table.explained = asked.filter(|served| explain(&cluster, served)).count();
    println!("{}", table.text());
    assert_eq!(wrong, [""; 0]);
    assert_eq!(table.taken, table.good);
    if all && std::env::var_os("CRD_CORPUS_WRITE").is_some() {
        write(&table);
    }
    fs::remove_dir_all(work).unwrap();
}

/// Without the wish for all of them, every so many charts are looked at.
const SAMPLE: usize = 40;
/// Resources given to the server at a time.
const BATCH: usize = 50;
/// `kubectl explain` is asked about every so many types.
const EXPLAINED: usize = 10;

impl Table {
    fn text(&self) -> String {
        let report = &self.report;
        let percent =
            |part: usize, whole: usize| format!("{:.2} %", 100.0 * part as f64 / whole.max(1) as f64);
        let (size, largest) = self.sizes.iter().max().cloned().unwrap_or_default();
        let (time, slowest) = self.times.iter().max().cloned().unwrap_or_default();
        let mean = self.sizes.iter().map(|(size, _)| size).sum::<usize>() / self.sizes.len().max(1);
        let described = report.described + report.described_by_name;
        let rows = [
            ("Charts", self.charts.to_string()),
            ("CustomResourceDefinitions accepted and established", self.charts.to_string()),
            ("Example resources accepted", self.charts.to_string()),
            ("Values with a default", report.leaves.to_string()),
            ("of these typed", percent(report.typed, report.leaves)),
            ("of these described", percent(described, report.leaves)),
            ("of these described by the chart itself", percent(report.described, report.leaves)),
            ("Values known from templates alone", report.extra.to_string()),
            ("Values files that Helm takes", self.good.to_string()),
            ("of these accepted by the API server", percent(self.taken, self.good)),
            (
                "Values files that Helm refuses, and the API server as well",
                format!("{} of {}", self.refused, self.bad),
            ),
            ("Types of which `kubectl explain` was asked for a nested field", self.explained.to_string()),
            ("Mean size of a definition", format!("{} KiB", mean / 1024)),
            ("Largest definition", format!("{} KiB ({largest})", size / 1024)),
            ("Definitions with folded parts", report.folded.len().to_string()),
            ("Longest inference", format!("{} ms ({slowest})", time.as_millis())),
        ];
        let rows = rows.iter().map(|(what, figure)| format!("| {what} | {figure} |\n"));
        format!("| what | figure |\n| --- | --- |\n{}", rows.collect::<String>())
    }
}

/// Puts the table into the documentation.
fn write(table: &Table) {
    const MARKS: [&str; 2] = ["<!-- figures -->\n", "<!-- end of figures -->"];
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/TYPED-API.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(MARKS[0]).unwrap();
    let (_, after) = rest.split_once(MARKS[1]).unwrap();
    fs::write(path, format!("{before}{}{}{}{after}", MARKS[0], table.text(), MARKS[1])).unwrap();
}

/// Writes the type of a chart; `None` if the chart does not load.
fn serve(root: &Path, chart: &str, index: usize, folder: &Path, table: &mut Table) -> Option<Served> {
    let group = format!("t{index}.example.com");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chartwright"));
    command.arg("crd").arg("--chart").arg(root.join(chart)).args(["--kind", "Thing", "--api-version"]);
    let output = command.arg(format!("{group}/v1")).output().unwrap();
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(helm::Chart::load_path(root.join(chart)).is_err(), "{chart}: {error}");
        return None;
    }
    fs::write(folder.join(format!("{index}.yaml")), &output.stdout).unwrap();
    let loaded = helm::Chart::load_path(root.join(chart)).unwrap();
    let started = Instant::now();
    let api = crdschema::Api::of(&loaded, &crdschema::Options::default());
    table.times.push((started.elapsed(), chart.to_owned()));
    table.report.add(&api.report);
    let example = api.sample();
    table.charts += 1;
    let crd = to_json(&Frozen::from(&goyaml::load(&output.stdout).unwrap()));
    // The server keeps it as JSON.
    table.sizes.push((crd.to_string().len(), chart.to_owned()));
    Some(Served { chart: chart.to_owned(), group, crd, example })
}

/// Repeats what may take a busy server too long.
fn patiently<E: std::fmt::Display>(mut attempt: impl FnMut() -> Result<String, E>) -> String {
    for _ in 0..10 {
        match attempt() {
            Err(error) if error.to_string().contains("Client.Timeout") => {}
            result => return result.unwrap_or_else(|error| panic!("{error}")),
        }
    }
    panic!("the API server is too busy")
}

/// Sees that all types are served, and that the server finds nothing wrong with their schemas.
fn established(cluster: &Cluster, wanted: usize) {
    let path = r#"jsonpath={range .items[*]}{range .status.conditions[*]}{.type}={.status} {end}{"\n"}{end}"#;
    let conditions = patiently(|| cluster.run_kubectl(&["get", "crds", "-o", path]));
    assert!(!conditions.contains("NonStructuralSchema"), "{conditions}");
    assert_eq!(conditions.lines().filter(|line| line.contains("Established=True")).count(), wanted);
}

/// Writes a resource with the values of a file; `None` if it has none.
fn resource(
    root: &Path,
    served: &Served,
    values: &Path,
    good: bool,
    folder: &Path,
    index: usize,
) -> Option<Resource> {
    let spec = goyaml::load_map(&fs::read(root.join(values)).ok()?).ok()?;
    let spec = to_json(&Frozen::from(&gostd::Value::Map(spec)));
    Some(Resource { path: write_resource(served, &spec, folder, index), values: values.to_owned(), good })
}

/// Writes a resource, and returns where it is.
fn write_resource(served: &Served, spec: &Value, folder: &Path, index: usize) -> PathBuf {
    let path = folder.join(format!("{index}.json"));
    let name = format!("r{index}");
    let resource = json!({"apiVersion": format!("{}/v1", served.group), "kind": "Thing", "metadata": {"name": name}, "spec": spec});
    fs::write(&path, resource.to_string()).unwrap();
    path
}

/// Asks the server whether it would take resources, with what it would say of unknown fields.
fn create(cluster: &Cluster, batch: &[PathBuf]) -> Vec<Result<(), String>> {
    let mut command = cluster.kubectl();
    command.args(["create", "--dry-run=server", "--validate=strict", "-o", "json"]);
    let mut command = batch.iter().fold(command, |mut command, one| {
        command.arg("-f").arg(one);
        command
    });
    let mut run = || {
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if told.contains("Client.Timeout") { Err(told) } else { Ok((output.stdout, told)) }
    };
    let (stdout, told) = (0..10).find_map(|_| run().ok()).unwrap();
    // Those that are taken are printed one after the other.
    let kept = serde_json::Deserializer::from_slice(&stdout).into_iter::<Value>();
    let kept: Vec<_> = kept.map(Result::unwrap).collect();
    let answer = |one: &PathBuf| {
        let given: Value = serde_json::from_slice(&fs::read(one).unwrap()).unwrap();
        let kept = kept.iter().find(|kept| kept["metadata"]["name"] == given["metadata"]["name"]);
        match kept {
            // What is dropped without a word is lost as well as what is refused.
            Some(kept) if lost(&given["spec"], &kept["spec"]) => {
                Err("the server dropped something".to_owned())
            }
            Some(_) => Ok(()),
            None => Err(told.clone()),
        }
    };
    batch.iter().map(answer).collect()
}

/// Reports whether something that was given is not there. Numbers may be written otherwise.
fn lost(given: &Value, kept: &Value) -> bool {
    match (given, kept) {
        (Value::Object(given), Value::Object(kept)) => {
            given.iter().any(|(key, value)| kept.get(key).is_none_or(|kept| lost(value, kept)))
        }
        (Value::Array(given), Value::Array(kept)) => {
            given.len() != kept.len() || given.iter().zip(kept).any(|(given, kept)| lost(given, kept))
        }
        (Value::Number(given), Value::Number(kept)) => given.as_f64() != kept.as_f64(),
        (given, kept) => given != kept,
    }
}

/// Asks `kubectl explain` for the deepest field that is described.
fn explain(cluster: &Cluster, served: &Served) -> bool {
    let schema = &served.crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    let mut best: Option<(usize, String, String)> = None;
    described(schema, "things.spec", 0, &mut best);
    let Some((_, path, text)) = best else { return false };
    let version = format!("{}/v1", served.group);
    let explained = cluster.run_kubectl(&["explain", "--api-version", &version, &path]).unwrap();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words(&explained).contains(&words(text.lines().next().unwrap_or_default())),
        "{path}: {explained}"
    );
    true
}

fn described(schema: &Value, path: &str, depth: usize, best: &mut Option<(usize, String, String)>) {
    for (key, field) in schema["properties"].as_object().into_iter().flatten() {
        // A path of kubectl's has no way to write a key with a dot.
        if !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
            continue;
        }
        let path = format!("{path}.{key}");
        if let Some(text) = field["description"].as_str()
            && best.as_ref().is_none_or(|(deepest, ..)| depth > *deepest)
        {
            *best = Some((depth, path.clone(), text.to_owned()));
        }
        described(field, &path, depth + 1, best);
    }
}
