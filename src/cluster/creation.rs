//! When a creation that is tried tells all that an apply would: it costs the API server a quarter less.
//!
//! An apply refuses some things that a creation takes: entries of a list with the same key, and what its reader of YAML
//! does not read. An object that can have neither may be tried either way, as long as it is known that its kind may be
//! applied there at all.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};

use crate::lock::lock;

/// What a rendered object may say of itself; of anything else an apply has an opinion of its own.
const METADATA: &[&str] = &["name", "namespace", "labels", "annotations", "ownerReferences"];
/// Entries of Kubernetes' own lists with keys have one of these.
const LIST_KEYS: &[&str] = &["name", "port", "containerPort", "mountPath", "devicePath", "topologyKey", "ip"];
/// Longer keys are none in YAML (1,024 characters are its limit).
const LONGEST_KEY: usize = 255;
/// Places that are remembered; beyond, all are learnt anew.
const MOST: usize = 4096;

/// Where applies, or trials of them, have succeeded: by URL of the kind in its namespace.
#[derive(Clone, Debug, Default)]
pub(super) struct Proven(Arc<Mutex<HashSet<Box<str>>>>);

impl Proven {
    pub(super) fn contains(&self, url: &str) -> bool {
        lock(&self.0).contains(url)
    }

    pub(super) fn enter(&self, url: &str) {
        let mut places = lock(&self.0);
        if places.len() >= MOST {
            places.clear();
        }
        if !places.contains(url) {
            places.insert(url.into());
        }
    }
}

/// Whether a creation is refused whenever an apply would be.
pub(super) fn tells_all(object: &Value) -> bool {
    let metadata = object.get("metadata").and_then(Value::as_object);
    metadata.is_some_and(|fields| fields.keys().all(|key| METADATA.contains(&&**key))) && is_plain(object)
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::String(_) => true,
        // A reader of YAML has other ideas of fractions and of very large numbers.
        Value::Number(number) => number.is_i64(),
        Value::Array(entries) => match &entries[..] {
            [] => true,
            // Where the list has keys, an apply wants one of them.
            [Value::Object(fields)] if !LIST_KEYS.iter().any(|key| fields.contains_key(*key)) => false,
            [one] => is_plain(one),
            _ => false,
        },
        Value::Object(fields) => has_plain_keys(fields) && fields.values().all(is_plain),
    }
}

fn has_plain_keys(fields: &Map<String, Value>) -> bool {
    fields.keys().all(|key| key.len() <= LONGEST_KEY && key != "<<")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_an_apply_cannot_see_otherwise_is_tried_as_a_creation() {
        let with =
            |spec: Value| json!({"kind": "K", "metadata": {"name": "a", "labels": {"b": "c"}}, "spec": spec});
        let alike = [
            json!({}),
            json!({"list": [{"name": "one", "more": [1]}]}),
            json!("text"),
            json!(true),
            json!([]),
        ];
        for spec in alike {
            assert!(tells_all(&with(spec.clone())), "{spec}");
        }
        let long = "k".repeat(256);
        let others = [
            json!({"ports": [{"port": 80}, {"port": 80}]}),
            json!({"deep": [[{"name": ["a", "a"]}]]}),
            json!({"secrets": [{}]}),
            json!({"secrets": [{"namespace": "b"}]}),
            json!(1.5),
            json!(u64::MAX),
            json!({"replicas": null}),
            json!({"<<": {}}),
            json!({long: 1}),
        ];
        for spec in others {
            assert!(!tells_all(&with(spec.clone())), "{spec}");
        }
        for metadata in [
            json!({"name": "a", "managedFields": []}),
            json!({"name": "a", "resourceVersion": "1"}),
            json!(1),
        ] {
            assert!(!tells_all(&json!({"metadata": metadata})), "{metadata}");
        }
    }

    #[test]
    fn places_are_forgotten_when_there_are_too_many() {
        let proven = Proven::default();
        for number in 0..=MOST {
            proven.enter(&format!("/{number}"));
        }
        assert!(!proven.contains("/0") && proven.contains(&format!("/{MOST}")));
        assert_eq!(lock(&proven.0).len(), 1);
    }
}
