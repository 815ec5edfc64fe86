//! A chart as release records hold it: encoded once per chart, whole and in two reduced forms.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use helm::Chart;
use helm::chart::{Dependency, File, Metadata};
use serde_json::{Map, Value, json};

use super::encode::member;
use crate::convert::to_json;

/// The compressed JSON of a chart, from the whole down to what must be there.
#[derive(Clone, Debug)]
pub(crate) struct ChartJson {
    whole: Vec<u8>,
    without_files: Vec<u8>,
    least: Vec<u8>,
}

impl ChartJson {
    /// Encodes a chart.
    pub(crate) fn new(chart: &Chart) -> Self {
        let metadata = metadata(&chart.metadata);
        let values = to_json(&chart.values);
        let schema = chart.schema.as_ref().map(|schema| BASE64.encode(schema.as_bytes()));
        let whole = |templates: Value, files: Value, schema: Option<&String>| {
            member(
                &json!({
                    "metadata": metadata, "lock": null, "templates": templates, "values": values,
                    "schema": schema, "files": files,
                })
                .to_string(),
            )
        };
        Self {
            whole: whole(files(&chart.templates), files(&chart.files), schema.as_ref()),
            without_files: whole(files(&chart.templates), Value::Null, schema.as_ref()),
            least: whole(Value::Null, Value::Null, None),
        }
    }

    /// The forms, largest first.
    pub(super) fn members(&self) -> [&[u8]; 3] {
        [&self.whole, &self.without_files, &self.least]
    }
}

fn files(files: &[File]) -> Value {
    if files.is_empty() {
        return Value::Null;
    }
    files.iter().map(|file| json!({"name": file.name, "data": BASE64.encode(file.data.as_bytes())})).collect()
}

/// Chart.yaml's fields under their YAML names, without the empty ones.
fn metadata(of: &Metadata) -> Value {
    let mut map = Map::new();
    let mut text = |key: &str, value: &str| {
        if !value.is_empty() {
            map.insert(key.to_owned(), value.into());
        }
    };
    text("name", &of.name);
    text("home", &of.home);
    text("version", &of.version);
    text("description", &of.description);
    text("icon", &of.icon);
    text("apiVersion", &of.api_version);
    text("condition", &of.condition);
    text("tags", &of.tags);
    text("appVersion", &of.app_version);
    text("kubeVersion", &of.kube_version);
    text("type", &of.chart_type);
    if !of.sources.is_empty() {
        map.insert("sources".into(), of.sources.clone().into());
    }
    if !of.keywords.is_empty() {
        map.insert("keywords".into(), of.keywords.clone().into());
    }
    if !of.maintainers.is_empty() {
        let maintainers = of
            .maintainers
            .iter()
            .map(|one| pairs([("name", &one.name), ("email", &one.email), ("url", &one.url)]));
        map.insert("maintainers".into(), maintainers.collect());
    }
    if of.deprecated {
        map.insert("deprecated".into(), true.into());
    }
    if !of.annotations.is_empty() {
        let annotations =
            of.annotations.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str())));
        map.insert("annotations".into(), annotations.collect::<Map<_, _>>().into());
    }
    if let Some(dependencies) = &of.dependencies {
        map.insert("dependencies".into(), dependencies.iter().map(dependency).collect());
    }
    map.into()
}

fn dependency(of: &Dependency) -> Value {
    let mut value = pairs([
        ("name", &of.name),
        ("version", &of.version),
        ("repository", &of.repository),
        ("condition", &of.condition),
        ("alias", &of.alias),
    ]);
    if let Some(map) = value.as_object_mut() {
        // Go always writes the repository.
        map.entry("repository").or_insert_with(|| "".into());
        if !of.tags.is_empty() {
            map.insert("tags".into(), of.tags.clone().into());
        }
        if of.enabled {
            map.insert("enabled".into(), true.into());
        }
        if !of.import_values.is_empty() {
            map.insert("import-values".into(), of.import_values.iter().map(to_json).collect());
        }
    }
    value
}

fn pairs<const N: usize>(pairs: [(&str, &String); N]) -> Value {
    let full = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    full.map(|(key, value)| (key.to_owned(), Value::from(value.as_str()))).collect::<Map<_, _>>().into()
}
