//! The CustomResourceDefinition of a served kind.

use std::path::{Path, PathBuf};

use crdschema::{Api, Form, Options};
use gostd::value::Frozen;
use helm::Chart;
use serde_json::{Value, json};
use thiserror::Error;

use crate::settings::{Column, Watch};

/// The category that every served kind is in: `kubectl get chartwright` lists all releases.
const CATEGORY: &str = "chartwright";

/// The value that is to be scaled is none of the chart's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "the chart {chart} has no value {path} to scale: name the one that holds the number of replicas, as web.replicas"
)]
pub(crate) struct NoReplicas {
    /// The chart's name.
    chart: String,
    /// What was named.
    path: String,
}

/// Infers the typed API of a watch's chart.
///
/// # Errors
/// When the chart has no value where the watch names the number of replicas.
pub(crate) fn api(watch: &Watch, chart: &Chart) -> Result<Api, NoReplicas> {
    api_with(watch, chart, &[])
}

/// The same; the chart is known to take some values.
pub(super) fn api_with(watch: &Watch, chart: &Chart, known: &[Frozen]) -> Result<Api, NoReplicas> {
    let options = Options {
        mode: watch.shape.schema,
        replicas: watch.shape.replicas.clone(),
        // What the operator adds to the values need not be in the resource.
        elsewhere: watch.gives_values(),
        more_examples: examples(&watch.chart).into_iter().chain(known.iter().cloned()).collect(),
        ..Options::default()
    };
    let api = Api::of(chart, &options);
    match &watch.shape.replicas {
        Some(path) if api.replicas.is_none() => {
            Err(NoReplicas { chart: chart.name().to_owned(), path: path.clone() })
        }
        _ => Ok(api),
    }
}

/// As many values files are read, of at most this many bytes each.
const MOST_EXAMPLES: usize = 200;
const LARGEST_EXAMPLE: u64 = 256 * 1024;

/// Values files for tests that a chart's folder holds and its `.helmignore` keeps out of the chart: they show what the
/// chart takes all the same.
fn examples(chart: &Path) -> Vec<Frozen> {
    let Ok(entries) = std::fs::read_dir(chart.join("ci")) else { return Vec::new() };
    let is_small = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|meta| meta.len() <= LARGEST_EXAMPLE);
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    let mut paths: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_yaml(path)).collect();
    paths.sort();
    let files = paths.iter().filter(|path| is_small(path)).take(MOST_EXAMPLES);
    files
        .filter_map(|path| goyaml::load_map(&std::fs::read(path).ok()?).ok())
        .map(|values| Frozen::from(&gostd::Value::Map(values)))
        .collect()
}

/// Makes the CustomResourceDefinition of a served kind.
pub(crate) fn definition(watch: &Watch, api: &Api) -> Value {
    let names = &watch.names;
    let shape = &watch.shape;
    let mut categories = vec![CATEGORY.to_owned()];
    categories.extend(shape.categories.iter().filter(|name| *name != CATEGORY).cloned());
    let mut named = json!({
        "kind": names.kind, "listKind": names.list_kind, "plural": names.plural, "singular": names.singular,
        "categories": categories,
    });
    if let (false, Some(named)) = (shape.short_names.is_empty(), named.as_object_mut()) {
        named.insert("shortNames".to_owned(), json!(shape.short_names));
    }
    let text = format!("{} is a release of a Helm chart; its spec holds the chart's values.", names.kind);
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": watch.crd_name()},
        "spec": {
            "group": watch.api_version.group,
            "scope": watch.scope.name(),
            "names": named,
            "versions": [{
                "name": watch.api_version.version,
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": crdschema::resource(api.schema(), status(api), &text)},
                "subresources": subresources(api),
                "additionalPrinterColumns": columns(watch, api),
            }],
        },
    })
}

/// What the status tells of replicas, where there is a number of them: name, type, meaning.
const REPLICAS: &[(&str, &str, &str)] = &[
    ("replicas", "integer", "Number of replicas there are."),
    ("readyReplicas", "integer", "Number of those that are ready."),
    ("ready", "string", "Ready replicas of those wanted, as 2/3."),
    ("selector", "string", "The labels of the replicas' pods."),
];

/// What the operator writes. Others may add to it.
fn status(api: &Api) -> Value {
    const OPEN: &str = "x-kubernetes-preserve-unknown-fields";
    let mut properties = json!({
        "conditions": {"type": "array", "description": "What is true of the release; Ready sums it up.",
            "items": {"type": "object", OPEN: true}},
        "deployedRelease": {"type": "object", "description": "The release that runs.", OPEN: true},
        "observedGeneration": {"type": "integer", "format": "int64",
            "description": "The generation of the resource that this status is about."},
        "phase": {"type": "string", "description": "The state of the release in one word."},
        "resources": {"type": "object", "description": "How the release's objects are.", OPEN: true},
    });
    if let (true, Some(properties)) = (api.replicas.is_some(), properties.as_object_mut()) {
        properties.extend(
            REPLICAS
                .iter()
                .map(|(name, kind, text)| ((*name).to_owned(), json!({"type": kind, "description": text}))),
        );
    }
    json!({"type": "object", "description": "What the operator last saw and did.", OPEN: true, "properties": properties})
}

fn subresources(api: &Api) -> Value {
    match api.replicas_path() {
        None => json!({"status": {}}),
        Some(path) => json!({"status": {}, "scale": {
            "specReplicasPath": path,
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        }}),
    }
}

fn columns(watch: &Watch, api: &Api) -> Value {
    let column = |name: &str, kind: &str, path: &str| json!({"name": name, "type": kind, "jsonPath": path});
    let mut columns = vec![
        column("Ready", "string", r#".status.conditions[?(@.type=="Ready")].status"#),
        column("Status", "string", ".status.phase"),
    ];
    if api.replicas.is_some() {
        columns.push(column("Replicas", "string", ".status.ready"));
    }
    columns.extend(watch.shape.columns.iter().map(|chosen| {
        let kind = chosen.kind.as_deref().unwrap_or_else(|| column_type(chosen, api));
        column(&chosen.name, kind, &chosen.path)
    }));
    columns.extend([
        column("Chart", "string", ".status.deployedRelease.chart.version"),
        column("App version", "string", ".status.deployedRelease.chart.appVersion"),
        column("Age", "date", ".metadata.creationTimestamp"),
    ]);
    columns.into()
}

/// The type of the value a column shows: text, unless the schema is sure of another.
fn column_type(column: &Column, api: &Api) -> &'static str {
    let path = column.path.strip_prefix(".spec.").map(|path| path.split('.').collect::<Vec<_>>());
    match path.and_then(|path| api.spec.at(&path)).map(crdschema::Field::form) {
        Some(Form::Integer) => "integer",
        Some(Form::Number) => "number",
        Some(Form::Boolean) => "boolean",
        _ => "string",
    }
}

#[cfg(test)]
mod tests {
    use helm::chart::Memory;

    use super::*;
    use crate::names::{ApiVersion, Names};

    const VALUES: &str =
        "replicaCount: 1\nimage:\n  tag: latest\nport: 80 # @schema type:integer;minimum:80\n";

    fn chart() -> Chart {
        Chart::load(&Memory::new([
            ("Chart.yaml", "apiVersion: v2\nname: memcached\nversion: 1.0.0\n"),
            ("values.yaml", VALUES),
        ]))
        .unwrap()
    }

    fn watch() -> Watch {
        let names = Names::of("memcached", None).unwrap();
        Watch::new(ApiVersion::parse("anywhere.io/v1alpha1").unwrap(), names, "memcached".into())
    }

    fn made(watch: &Watch) -> Value {
        definition(watch, &api(watch, &chart()).unwrap())
    }

    #[test]
    fn a_kind_in_lower_case_gets_the_names_of_the_walk_through() {
        let crd = made(&watch());
        assert_eq!(crd["metadata"]["name"], "memcacheds.anywhere.io");
        assert_eq!(
            crd["spec"]["names"],
            json!({"kind": "memcached", "listKind": "memcachedList", "plural": "memcacheds",
                "singular": "memcached", "categories": ["chartwright"]})
        );
        assert_eq!(crd["spec"]["scope"], "Namespaced");
        assert_eq!(crd["spec"]["versions"][0]["name"], "v1alpha1");
    }

    #[test]
    fn authors_choose_names_and_columns() {
        let mut watch = watch();
        watch.shape.short_names = vec!["mc".into()];
        watch.shape.categories = vec!["caches".into()];
        watch.shape.columns = vec![
            Column { name: "Port".into(), path: ".spec.port".into(), kind: None },
            Column { name: "Tag".into(), path: ".spec.image.tag".into(), kind: None },
        ];
        let crd = made(&watch);
        assert_eq!(crd["spec"]["names"]["shortNames"], json!(["mc"]));
        assert_eq!(crd["spec"]["names"]["categories"], json!(["chartwright", "caches"]));
        let columns = crd["spec"]["versions"][0]["additionalPrinterColumns"].as_array().unwrap();
        let shown: Vec<_> = columns
            .iter()
            .map(|column| (column["name"].as_str().unwrap(), column["type"].as_str().unwrap()))
            .collect();
        assert_eq!(
            shown,
            [
                ("Ready", "string"),
                ("Status", "string"),
                ("Replicas", "string"),
                ("Port", "integer"),
                ("Tag", "string"),
                ("Chart", "string"),
                ("App version", "string"),
                ("Age", "date")
            ]
        );
    }

    #[test]
    fn one_replica_count_is_scaled() {
        let scale = |watch: &Watch| made(watch)["spec"]["versions"][0]["subresources"]["scale"].clone();
        assert_eq!(scale(&watch())["specReplicasPath"], ".spec.replicaCount");
        let mut watch = watch();
        watch.shape.schema = crdschema::Mode::Open;
        assert_eq!(scale(&watch)["labelSelectorPath"], ".status.selector");
        watch.shape.replicas = Some("web.replicas".into());
        assert!(api(&watch, &chart()).unwrap_err().to_string().contains("no value web.replicas"));
    }
}
