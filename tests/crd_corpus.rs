//! The custom resource types of all charts of the corpus, on a real API server. Ignored by default: it takes minutes.
//!
//! `cargo test --test crd_corpus -- --ignored --nocapture`
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stdout)] // Also in what the test's parts share.

#[path = "../crates/crdschema/tests/common/mod.rs"]
mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crdschema::to_json;
use devcluster::{Cluster, Options};
use gostd::value::Frozen;
use serde_json::{Value, json};

/// A chart with the type it becomes.
struct Served {
    chart: String,
    group: String,
    crd: Value,
}

/// A resource made of a values file.
struct Resource {
    path: PathBuf,
    values: PathBuf,
    /// Whether Helm takes the values.
    good: bool,
}

#[test]
#[ignore = "starts a real API server and gives it hundreds of types"]
fn the_api_server_takes_the_type_of_every_chart_and_all_of_its_values_files() {
    let Some(shared) = common::shared() else { return };
    let root = common::unpacked(&shared);
    let cases = common::cases(&shared);
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crds-{}", std::process::id()));
    let (crds, resources) = (work.join("crds"), work.join("resources"));
    fs::create_dir_all(&crds).unwrap();
    fs::create_dir_all(&resources).unwrap();

    let started = Instant::now();
    let served: Vec<_> =
        cases.keys().enumerate().filter_map(|(index, chart)| serve(&root, chart, index, &crds)).collect();
    println!("{} types made in {:?}", served.len(), started.elapsed());

    let cluster = Cluster::start(Options { controllers: false, nodes: 0, ..Options::from_env() }).unwrap();
    let started = Instant::now();
    cluster.run_kubectl(&["apply", "--server-side", "-f", crds.to_str().unwrap()]).unwrap();
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
    let (mut taken, mut refused, mut left) = (0, 0, 0);
    let mut wrong = Vec::new();
    for one in &made {
        match (create(&cluster, &one.path), one.good) {
            (Ok(()), true) => taken += 1,
            (Ok(()), false) => left += 1,
            (Err(_), false) => refused += 1,
            (Err(error), true) => wrong.push(format!("{}: {error}", one.values.display())),
        }
    }
    let good = made.iter().filter(|one| one.good).count();
    println!(
        "{taken} of {good} values files taken; of those Helm refuses, {refused} refused and {left} left to Helm"
    );

    let explained =
        served.iter().step_by(10).map(|served| explain(&cluster, served)).filter(|found| *found).count();
    println!("kubectl explains a nested field of {explained} types");
    assert_eq!(wrong, [""; 0]);
    assert_eq!(taken, good);
    fs::remove_dir_all(work).unwrap();
}

/// Writes the type of a chart; `None` if the chart does not load.
fn serve(root: &Path, chart: &str, index: usize, folder: &Path) -> Option<Served> {
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
    let crd = goyaml::load(&output.stdout).unwrap();
    Some(Served { chart: chart.to_owned(), group, crd: to_json(&Frozen::from(&crd)) })
}

/// Waits until all types are served, and sees that the server finds nothing wrong with their schemas.
fn established(cluster: &Cluster, wanted: usize) {
    let path = r#"jsonpath={range .items[*]}{range .status.conditions[*]}{.type}={.status} {end}{"\n"}{end}"#;
    let deadline = Instant::now() + Duration::from_secs(300);
    loop {
        let conditions = cluster.run_kubectl(&["get", "crds", "-o", path]).unwrap();
        assert!(!conditions.contains("NonStructuralSchema"), "{conditions}");
        if conditions.lines().filter(|line| line.contains("Established=True")).count() >= wanted {
            return;
        }
        assert!(Instant::now() < deadline, "not all types were established: {conditions}");
        thread::sleep(Duration::from_millis(500));
    }
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
    let path = folder.join(format!("{index}.json"));
    let name = format!("r{index}");
    let resource = json!({"apiVersion": format!("{}/v1", served.group), "kind": "Thing", "metadata": {"name": name}, "spec": spec});
    fs::write(&path, resource.to_string()).unwrap();
    Some(Resource { path, values: values.to_owned(), good })
}

/// Asks the server whether it would take a resource, with what it would say of unknown fields.
fn create(cluster: &Cluster, path: &Path) -> Result<(), String> {
    let arguments =
        ["create", "--dry-run=server", "--validate=strict", "-o", "json", "-f", path.to_str().unwrap()];
    let kept = cluster.run_kubectl(&arguments).map_err(|error| error.to_string())?;
    let kept: Value = serde_json::from_str(&kept).unwrap();
    let given: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    // What is dropped without a word is lost as well as what is refused.
    if lost(&given["spec"], &kept["spec"]) { Err("the server dropped something".into()) } else { Ok(()) }
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
