//! The objects of a release, rendered as an operator would, and as requests that apply them.

use std::path::Path;

use gostd::value::Frozen;
use helm::{Capabilities, Chart, CompiledChart, Release, RenderInput, RenderOptions, Still};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, Request, Resource as _};
use serde_json::{Number, Value, json};

use crate::error::BenchError;

/// A chart, ready to be rendered.
#[derive(Debug)]
pub(crate) struct Starter {
    chart: CompiledChart,
    capabilities: Capabilities,
}

impl Starter {
    pub(crate) fn load(path: &Path) -> Result<Self, BenchError> {
        Ok(Self {
            chart: CompiledChart::new(Chart::load_path(path)?)?,
            capabilities: Capabilities::default(),
        })
    }

    /// Renders a release with the chart's own values; the objects in Helm's order of installation.
    pub(crate) fn objects(&self, release: &str, namespace: &str) -> Result<Vec<Value>, BenchError> {
        let rendered = self.chart.render(&RenderInput {
            values: &Frozen::Map(Vec::new()),
            release: Release {
                name: release.into(),
                namespace: namespace.into(),
                revision: 1,
                is_upgrade: false,
            },
            capabilities: &self.capabilities,
            host: &Still,
            options: RenderOptions::default(),
        })?;
        rendered
            .manifests
            .iter()
            .map(|manifest| {
                let value = goyaml::load(manifest.content.as_bytes()).map_err(|error| BenchError::Input {
                    path: manifest.path.clone().into(),
                    reason: error.to_string(),
                })?;
                Ok(to_json(&Frozen::from(&value)))
            })
            .collect()
    }
}

/// Gives an object the marks that chartwright gives those of a release, so that the very same is sent to the server:
/// labels, Helm's annotations, and an owner, whose place the namespace takes here.
pub(crate) fn mark(object: &mut Value, release: &str, namespace: &str, uid: &str) {
    let Some(fields) = object.as_object_mut() else { return };
    let marks = json!({
        "namespace": namespace,
        "labels": {
            "app.kubernetes.io/managed-by": "Helm",
            "helm.sdk.operatorframework.io/chart": "starter",
            "chartwright.io/owner": "starters.bench.example.com",
        },
        "annotations": {
            "meta.helm.sh/release-name": release,
            "meta.helm.sh/release-namespace": namespace,
        },
        "ownerReferences": [{
            "apiVersion": "v1", "kind": "Namespace", "name": namespace, "uid": uid,
            "controller": true, "blockOwnerDeletion": true,
        }],
    });
    merge(fields.entry("metadata").or_insert_with(|| json!({})), marks);
}

/// Adds entries to maps, all the way down.
fn merge(into: &mut Value, more: Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (key, value) in more {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more,
    }
}

/// The kind of an object.
pub(crate) fn kind_of(object: &Value) -> ApiResource {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, text("kind")))
}

/// Makes the request that applies an object and asks only for its metadata in return, as chartwright does.
pub(crate) fn apply(object: &Value, namespace: &str) -> Result<http::Request<Vec<u8>>, BenchError> {
    let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let parameters = PatchParams::apply("floor").force();
    Request::new(DynamicObject::url_path(&kind_of(object), Some(namespace)))
        .patch_metadata(name, &parameters, &Patch::Apply(object))
        .map_err(|error| BenchError::api("make a request")(kube::Error::BuildRequest(error)))
}

fn to_json(value: &Frozen) -> Value {
    match value {
        Frozen::Nil => Value::Null,
        Frozen::Bool(value) => (*value).into(),
        Frozen::Int64(value) => (*value).into(),
        // The YAML reader makes floats of all numbers; an API wants whole ones whole.
        Frozen::Float64(value) if value.fract() == 0.0 && value.abs() < 1e15 => (*value as i64).into(),
        Frozen::Float64(value) => Number::from_f64(*value).map_or(Value::Null, Value::Number),
        Frozen::String(text) => text.to_lossy().into(),
        Frozen::List(items) => items.iter().map(to_json).collect(),
        Frozen::Map(entries) => Value::Object(
            entries.iter().map(|(key, value)| (key.to_lossy().into_owned(), to_json(value))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_starter_chart_has_three_objects() {
        let chart = Path::new(env!("CARGO_MANIFEST_DIR")).join("charts/starter");
        let objects = Starter::load(&chart).unwrap().objects("starter-1", "n").unwrap();
        let kinds: Vec<_> = objects.iter().map(|object| kind_of(object).plural).collect();
        assert_eq!(kinds, ["serviceaccounts", "services", "deployments"]);
        let deployment = &objects[2];
        assert_eq!(deployment["metadata"]["name"], "starter-1");
        assert_eq!(deployment["spec"]["replicas"], 1);
        let mut deployment = deployment.clone();
        mark(&mut deployment, "starter-1", "n", "u");
        assert_eq!(
            deployment["metadata"]["labels"]["app.kubernetes.io/instance"], "starter-1",
            "all else stays"
        );
        assert_eq!(deployment["metadata"]["ownerReferences"][0]["uid"], "u");
        let request = apply(&deployment, "n").unwrap();
        assert_eq!(request.method(), "PATCH");
        assert!(request.uri().path().ends_with("/apis/apps/v1/namespaces/n/deployments/starter-1"));
    }
}
