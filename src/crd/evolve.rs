//! What a new CustomResourceDefinition changes, before it takes the place of an old one.

use crdschema::{Change, compare};
use serde_json::Value;

/// Compares two CustomResourceDefinitions of one resource, the old one first.
///
/// A version that both serve is compared with itself; a version that is new, with the one that resources are stored in,
/// since these become resources of the new version.
pub(crate) fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    names(old, new, &mut changes);
    let stored = versions(old).find(|version| version.get("storage") == Some(&Value::Bool(true)));
    for version in versions(new) {
        let name = name(version);
        match versions(old).find(|known| self::name(known) == name).or(stored) {
            Some(known) if self::name(known) == name => versions_differ(known, version, "", &mut changes),
            Some(known) => {
                let what = format!("version {name} is new; resources stored as {} become", self::name(known));
                changes.push(safe("versions", what));
                versions_differ(known, version, &format!("{name}: "), &mut changes);
            }
            None => changes.push(safe("versions", format!("version {name} is new"))),
        }
    }
    for version in versions(old) {
        let name = name(version);
        if is_served(version) && !versions(new).any(|known| self::name(known) == name && is_served(known)) {
            changes.push(breaking("versions", format!("version {name} is no longer served")));
        }
    }
    changes
}

fn safe(path: &str, what: impl Into<String>) -> Change {
    Change { path: path.to_owned(), what: what.into(), breaking: false }
}

fn breaking(path: &str, what: impl Into<String>) -> Change {
    Change { breaking: true, ..safe(path, what) }
}

/// The versions of a definition.
pub(super) fn versions(crd: &Value) -> impl Iterator<Item = &Value> {
    crd.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten()
}

/// The name of a version.
pub(super) fn name(version: &Value) -> &str {
    version.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// Whether a version is served.
pub(super) fn is_served(version: &Value) -> bool {
    version.get("served") == Some(&Value::Bool(true))
}

/// The names a resource cannot change without becoming another, or without others missing it.
fn names(old: &Value, new: &Value, changes: &mut Vec<Change>) {
    const NAMES: &[&str] =
        &["/spec/group", "/spec/scope", "/spec/names/kind", "/spec/names/plural", "/spec/names/singular"];
    for pointer in NAMES {
        if let (Some(was), Some(is)) = (old.pointer(pointer), new.pointer(pointer))
            && was != is
        {
            changes.push(breaking(
                pointer.rsplit('/').next().unwrap_or_default(),
                format!("{was} becomes {is}"),
            ));
        }
    }
    let list = |crd: &Value, pointer: &str| -> Vec<String> {
        let names = crd.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    for (pointer, path) in
        [("/spec/names/shortNames", "shortNames"), ("/spec/names/categories", "categories")]
    {
        let (was, is) = (list(old, pointer), list(new, pointer));
        let gone = was.iter().filter(|name| !is.contains(name));
        changes.extend(gone.map(|name| breaking(path, format!("{name} is gone"))));
        let added = is.iter().filter(|name| !was.contains(name));
        changes.extend(added.map(|name| safe(path, format!("{name} is new"))));
    }
}

fn versions_differ(old: &Value, new: &Value, prefix: &str, changes: &mut Vec<Change>) {
    let schema = |version: &Value| version.pointer("/schema/openAPIV3Schema").cloned().unwrap_or_default();
    changes.extend(
        compare(&schema(old), &schema(new))
            .into_iter()
            .map(|change| Change { path: format!("{prefix}{}", change.path), ..change }),
    );
    for subresource in ["status", "scale"] {
        let part = |version: &Value| version.pointer(&format!("/subresources/{subresource}")).cloned();
        let path = format!("{prefix}subresources.{subresource}");
        match (part(old), part(new)) {
            (Some(was), Some(is)) if was != is => {
                changes.push(breaking(&path, format!("{was} becomes {is}")))
            }
            (Some(_), None) => changes.push(breaking(&path, "is gone")),
            (None, Some(_)) => changes.push(safe(&path, "is new")),
            _ => {}
        }
    }
    let columns = |version: &Value| -> Vec<String> {
        let columns = version.get("additionalPrinterColumns").and_then(Value::as_array).into_iter().flatten();
        columns.filter_map(|column| column.get("name")?.as_str()).map(str::to_owned).collect()
    };
    let (was, is) = (columns(old), columns(new));
    let path = format!("{prefix}columns");
    changes.extend(
        was.iter().filter(|name| !is.contains(name)).map(|name| safe(&path, format!("{name} is gone"))),
    );
    changes.extend(
        is.iter().filter(|name| !was.contains(name)).map(|name| safe(&path, format!("{name} is new"))),
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn crd(versions: Value) -> Value {
        json!({"spec": {"group": "a.io", "scope": "Namespaced", "names": {"kind": "X", "plural": "xs"}, "versions": versions}})
    }

    fn version(name: &str, storage: bool, kind: &str) -> Value {
        json!({"name": name, "served": true, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": kind}}}}})
    }

    fn told(old: &Value, new: &Value) -> Vec<String> {
        changes(old, new).iter().map(Change::to_string).collect()
    }

    #[test]
    fn the_same_changes_nothing() {
        let crd = crd(json!([version("v1", true, "object")]));
        assert_eq!(changes(&crd, &crd), []);
    }

    #[test]
    fn a_new_version_is_compared_with_what_is_stored() {
        let old = crd(json!([version("v1", true, "string")]));
        let new = crd(json!([version("v2", true, "integer")]));
        assert_eq!(
            told(&old, &new),
            [
                "safe      versions: version v2 is new; resources stored as v1 become",
                "breaking  v2: spec: type string becomes integer",
                "breaking  versions: version v1 is no longer served",
            ]
        );
    }

    #[test]
    fn names_and_scale_are_compared() {
        let mut old = crd(json!([version("v1", true, "object")]));
        old["spec"]["versions"][0]["subresources"] = json!({"scale": {"specReplicasPath": ".spec.a"}});
        let mut new = crd(json!([version("v1", true, "object")]));
        new["spec"]["scope"] = json!("Cluster");
        new["spec"]["names"]["shortNames"] = json!(["x"]);
        assert_eq!(
            told(&old, &new),
            [
                "breaking  scope: \"Namespaced\" becomes \"Cluster\"",
                "safe      shortNames: x is new",
                "breaking  subresources.scale: is gone",
            ]
        );
    }
}
