//! What stands in a record for a manifest that does not fit into it: the names of its objects, which is what deleting them
//! takes, and a digest, by which it is known again. Pure.

use serde_json::{Map, Value, json};

use super::identity::Digest;
use super::objects::{self, RESOURCE_POLICY};
use super::yaml;

/// The first line of a manifest that only names its objects.
pub(super) const MARK: &str = "# Too large to be recorded: what follows only names the objects.\n";

/// What its second line says before the digest of all that was left out.
const OF: &str = "# Digest: ";

/// Digests a manifest and the values it was made of.
pub(super) fn content(manifest: &str, config: &Value) -> Digest {
    let is_empty = config.as_object().is_some_and(Map::is_empty);
    let config = if is_empty { Value::Null.to_string() } else { config.to_string() };
    Digest::of([manifest, &config])
}

/// The digest of what a manifest that only names its objects stands for; `None` if it is none, or does not tell.
pub(super) fn outlined(manifest: &str) -> Option<Digest> {
    Digest::parse(manifest.strip_prefix(MARK)?.strip_prefix(OF)?.lines().next()?)
}

/// A manifest that names the objects of another one and no more: what deleting them takes. It tells what it stands for, and
/// the values with it, which may have to be left out too.
pub(super) fn outline(manifest: &str, config: &Value) -> String {
    let mut text = format!("{MARK}{OF}{}\n", content(manifest, config));
    let mut found = Vec::new();
    for document in objects::documents(manifest) {
        if let Ok(document) = yaml::to_json(&document) {
            objects::flatten(document, &"".into(), &mut found, &mut Vec::new());
        }
    }
    for document in &found {
        let metadata = document.fields.get("metadata");
        let part = |key: &str| metadata.and_then(|metadata| metadata.get(key));
        let policy = part("annotations").and_then(|annotations| annotations.get(RESOURCE_POLICY));
        let line = json!({
            "apiVersion": document.text("apiVersion"), "kind": document.text("kind"),
            "metadata": {
                "name": part("name"), "namespace": part("namespace"), "annotations": policy.map(|p| json!({RESOURCE_POLICY: p})),
            },
        });
        text.push_str(&format!("---\n{line}\n"));
    }
    text
}
