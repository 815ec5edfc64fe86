//! Deployments, StatefulSets, DaemonSets and ReplicaSets, to apps/v1.

use serde_json::{Value, json};

use super::{Object, child};

/// The versions whose server filled in the selector and the object's own labels from the pod template.
const DEFAULTED: &[&str] = &["extensions/v1beta1", "apps/v1beta1"];

pub(super) fn workload(object: &mut Object, from: &str) -> Result<(), String> {
    if !DEFAULTED.contains(&from) {
        return Ok(());
    }
    let labels = object.get("spec").and_then(|spec| spec.pointer("/template/metadata/labels")).cloned();
    let Some(labels @ Value::Object(_)) = labels else {
        return Ok(());
    };
    if let Some(spec) = child(object, "spec") {
        // An empty selector counted as none.
        let absent =
            spec.get("selector").is_none_or(|s| s.is_null() || s.as_object().is_some_and(Object::is_empty));
        if absent {
            spec.insert("selector".into(), json!({"matchLabels": labels}));
        }
    }
    let metadata = object.entry("metadata").or_insert_with(|| json!({}));
    let unlabelled =
        metadata.get("labels").is_none_or(|l| l.is_null() || l.as_object().is_some_and(Object::is_empty));
    if unlabelled && let Some(metadata) = metadata.as_object_mut() {
        metadata.insert("labels".into(), labels);
    }
    Ok(())
}

pub(super) fn deployment(object: &mut Object, from: &str) -> Result<(), String> {
    if let Some(spec) = child(object, "spec") {
        spec.remove("rollbackTo");
    }
    workload(object, from)
}

pub(super) fn daemon_set(object: &mut Object, from: &str) -> Result<(), String> {
    if let Some(spec) = child(object, "spec") {
        spec.remove("templateGeneration");
    }
    workload(object, from)
}
