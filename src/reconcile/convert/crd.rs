//! CustomResourceDefinitions, to apiextensions.k8s.io/v1.

use serde_json::{Value, json};

use super::{Object, child, children, rename};

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// Moves what v1beta1 had once for all versions into each version.
pub(super) fn definition(object: &mut Object, _: &str) -> Result<(), String> {
    let Some(spec) = child(object, "spec") else {
        return Ok(());
    };
    let version = spec.remove("version");
    let no_versions = spec.get("versions").and_then(Value::as_array).is_none_or(Vec::is_empty);
    if no_versions && let Some(name) = version {
        spec.insert("versions".into(), json!([{"name": name, "served": true, "storage": true}]));
    }
    // Fields outside the schema were kept unless this said otherwise.
    let preserve = spec.remove("preserveUnknownFields") != Some(Value::Bool(false));
    let common =
        ["validation", "subresources", "additionalPrinterColumns"].map(|key| (key, spec.remove(key)));
    for version in children(spec, "versions") {
        for (key, value) in &common {
            let name = if *key == "validation" { "schema" } else { key };
            if let Some(value) = value
                && !version.contains_key(name)
            {
                version.insert(name.to_owned(), value.clone());
            }
        }
        for column in children(version, "additionalPrinterColumns") {
            rename(column, "JSONPath", "jsonPath");
        }
        let schema = version.entry("schema").or_insert_with(|| json!({}));
        if schema.get("openAPIV3Schema").is_none_or(Value::is_null) {
            *schema = json!({"openAPIV3Schema": {"type": "object", PRESERVE: true}});
        } else if let Some(root) = schema.get_mut("openAPIV3Schema") {
            structural(root, preserve, true);
        }
    }
    conversion(spec);
    Ok(())
}

/// Gives every node of a schema the type v1 demands, and lets objects keep unknown fields where they did.
fn structural(node: &mut Value, preserve: bool, root: bool) {
    let Some(node) = node.as_object_mut() else {
        return;
    };
    let has = |node: &Object, key: &str| node.get(key).is_some_and(|value| !value.is_null());
    if !has(node, "type") && !has(node, "x-kubernetes-int-or-string") && !has(node, PRESERVE) {
        if root || has(node, "properties") || has(node, "additionalProperties") {
            node.insert("type".into(), "object".into());
        } else if has(node, "items") {
            node.insert("type".into(), "array".into());
        } else {
            node.insert(PRESERVE.into(), true.into());
        }
    }
    let object = node.get("type").and_then(Value::as_str) == Some("object");
    if preserve && object && !has(node, "additionalProperties") {
        node.insert(PRESERVE.into(), true.into());
    }
    if let Some(properties) = child(node, "properties") {
        for (name, property) in properties.iter_mut() {
            // The server keeps the schema of metadata to itself.
            if !(root && name == "metadata") {
                structural(property, preserve, false);
            }
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = node.get_mut(key) {
            structural(inner, preserve, false);
        }
    }
}

/// `{strategy, webhookClientConfig, conversionReviewVersions}` → `{strategy, webhook: {…}}`.
fn conversion(spec: &mut Object) {
    let Some(conversion) = child(spec, "conversion") else {
        return;
    };
    let client = conversion.remove("webhookClientConfig");
    let versions = conversion.remove("conversionReviewVersions");
    if let Some(client) = client {
        let versions = versions.unwrap_or_else(|| json!(["v1beta1"]));
        conversion
            .insert("webhook".into(), json!({"clientConfig": client, "conversionReviewVersions": versions}));
    }
}
