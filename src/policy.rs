//! What the operator may do beyond keeping objects current: set for a kind in watches.yaml, and for one resource (or one
//! object of a chart) by annotations.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::annotations::{
    DELETION_DEADLINE, DELETION_POLICY, IGNORE, READY_DEADLINE, RECREATE, UNKNOWN_FIELDS,
};
use crate::cluster::instances::Instance;
use crate::watches::go_duration;

/// See the module's description.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Kinds whose objects may be deleted and made anew when a field that cannot be changed has changed; `*` means all
    /// but those in [`PRECIOUS`].
    pub(crate) recreate: Vec<String>,
    /// Fields that are left as they are.
    pub(crate) ignore: Vec<Ignore>,
    /// What becomes of fields that an object's type does not know.
    unknown_fields: UnknownFields,
    /// How long a release may take to get ready before it counts as stalled.
    pub(crate) ready_deadline: Option<Duration>,
    /// How long a deletion may take before the resource goes whatever is left.
    pub(crate) deletion_deadline: Option<Duration>,
}

/// What becomes of fields that an object's type does not know, where they are new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum UnknownFields {
    /// The object is refused.
    #[default]
    Refuse,
    /// They are left out.
    Drop,
}

/// Kinds that take data or other objects with them: made anew only if they are named.
const PRECIOUS: &[&str] =
    &["PersistentVolumeClaim", "PersistentVolume", "Namespace", "CustomResourceDefinition"];

/// Fields of some objects that are left as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ignore {
    /// The API group; any if not given.
    #[serde(default)]
    group: Option<String>,
    /// The kind; any if not given.
    #[serde(default)]
    kind: Option<String>,
    /// The object's name; any if not given.
    #[serde(default)]
    name: Option<String>,
    /// JSON pointers, as `/spec/replicas`.
    paths: Vec<String>,
}

/// The policy as watches.yaml has it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntryPolicy {
    #[serde(default)]
    recreate: Vec<String>,
    #[serde(default)]
    ignore: Vec<Ignore>,
    #[serde(default)]
    unknown_fields: UnknownFields,
    #[serde(default)]
    ready_deadline: Option<String>,
    #[serde(default)]
    deletion_deadline: Option<String>,
}

impl EntryPolicy {
    /// Checks and makes a policy.
    ///
    /// # Errors
    /// With what is wrong.
    pub(crate) fn into_policy(self) -> Result<Policy, String> {
        let duration = |name: &str, text: Option<String>| {
            let text = text.filter(|text| !text.is_empty());
            text.map(|text| go_duration(&text).map_err(|why| format!("{name} {why}"))).transpose()
        };
        if let Some(path) = self.ignore.iter().flat_map(|one| &one.paths).find(|path| !path.starts_with('/'))
        {
            return Err(format!(
                "ignore: {path:?} is not a JSON pointer: it starts with a slash, as /spec/replicas"
            ));
        }
        Ok(Policy {
            recreate: self.recreate,
            ignore: self.ignore,
            unknown_fields: self.unknown_fields,
            ready_deadline: duration("readyDeadline", self.ready_deadline)?,
            deletion_deadline: duration("deletionDeadline", self.deletion_deadline)?,
        })
    }
}

/// Whether data goes with an object of a kind, so that it is made anew only where the user names the kind.
pub(crate) fn is_precious(kind: &str) -> bool {
    PRECIOUS.contains(&kind)
}

impl Policy {
    /// Whether objects of a kind may be made anew for a resource.
    pub(crate) fn recreates(&self, instance: &Instance, kind: &str) -> bool {
        let asked = instance.annotations.get(RECREATE).map(|text| text.split(',')).into_iter().flatten();
        let mut words = self.recreate.iter().map(String::as_str).chain(asked.map(str::trim));
        words.any(|word| word == kind || (matches!(word, "*" | "true") && !is_precious(kind)))
    }

    /// Whether fields that an object's type does not know are left out, where they are new.
    pub(crate) fn drops_unknown_fields(&self, instance: &Instance) -> bool {
        let asked = instance.annotations.get(UNKNOWN_FIELDS).map(|text| text.trim().to_ascii_lowercase());
        match asked.as_deref() {
            Some("drop") => true,
            Some("refuse") => false,
            _ => self.unknown_fields == UnknownFields::Drop,
        }
    }

    /// The JSON pointers of fields that are left as they are in an object.
    pub(crate) fn ignored<'a>(
        &'a self,
        group: &str,
        kind: &str,
        name: &str,
        body: &'a Value,
    ) -> Vec<&'a str> {
        let is = |wanted: &Option<String>, has: &str| wanted.as_deref().is_none_or(|wanted| wanted == has);
        let rules = self.ignore.iter();
        let rules = rules.filter(|one| is(&one.group, group) && is(&one.kind, kind) && is(&one.name, name));
        let own = body.get("metadata").and_then(|m| m.get("annotations")?.get(IGNORE)?.as_str());
        let own = own.into_iter().flat_map(|text| text.split(',')).map(str::trim);
        let own = own.filter(|path| path.starts_with('/'));
        rules.flat_map(|one| one.paths.iter().map(String::as_str)).chain(own).collect()
    }

    /// How long a resource may take to get ready.
    pub(crate) fn ready_deadline(&self, instance: &Instance) -> Option<Duration> {
        duration(instance, READY_DEADLINE).or(self.ready_deadline)
    }
}

/// What becomes of the release of a resource that is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deletion {
    /// Everything goes, and the resource after it.
    Whole,
    /// Everything stays.
    Orphan,
    /// Everything goes; what does not go in time is left behind.
    Force,
}

impl Policy {
    /// What becomes of a resource's release. One whose deadline has passed is not waited for any more.
    pub(crate) fn deletion(&self, instance: &Instance) -> Deletion {
        let asked = instance.annotations.get(DELETION_POLICY).map(|text| text.trim().to_ascii_lowercase());
        match asked.as_deref() {
            Some("orphan") => Deletion::Orphan,
            Some("force") => Deletion::Force,
            // What `kubectl delete --cascade=orphan` asks for.
            _ if instance.finalizers.iter().any(|one| &**one == "orphan") => Deletion::Orphan,
            _ if self.deletion_left(instance).is_some_and(|left| left.is_zero()) => Deletion::Force,
            _ => Deletion::Whole,
        }
    }

    /// The time left of the deadline of a resource that is being deleted.
    pub(crate) fn deletion_left(&self, instance: &Instance) -> Option<Duration> {
        let deadline = duration(instance, DELETION_DEADLINE).or(self.deletion_deadline)?;
        let since = instance.deleted_at?;
        let passed = jiff::Timestamp::now().duration_since(since).unsigned_abs();
        Some(deadline.saturating_sub(passed))
    }
}

/// A duration that an annotation of a resource gives; one that is none counts as not given.
pub(crate) fn duration(instance: &Instance, annotation: &str) -> Option<Duration> {
    instance.annotations.get(annotation).and_then(|text| go_duration(text.trim()).ok())
}

/// Makes a field of a body what it is in the live object.
pub(crate) fn keep_live(body: &mut Value, live: &Value, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    let key = last.replace("~1", "/").replace("~0", "~");
    match live.pointer(pointer) {
        Some(value) => {
            let mut place = body;
            for part in parent.split('/').skip(1) {
                let part = part.replace("~1", "/").replace("~0", "~");
                let next = match place {
                    Value::Object(map) => map.entry(part).or_insert_with(|| Value::Object(Map::new())),
                    Value::Array(items) => {
                        match part.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
                            Some(item) => item,
                            None => return,
                        }
                    }
                    _ => return,
                };
                place = next;
            }
            match place {
                Value::Object(map) => {
                    map.insert(key, value.clone());
                }
                Value::Array(items) => {
                    if let Some(item) = key.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
                        *item = value.clone();
                    }
                }
                _ => {}
            }
        }
        None => {
            if let Some(map) = body.pointer_mut(parent).and_then(Value::as_object_mut) {
                map.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy(value: Value) -> Result<Policy, String> {
        serde_json::from_value::<EntryPolicy>(value).unwrap().into_policy()
    }

    #[test]
    fn kinds_are_made_anew_only_where_that_was_said() {
        let mut instance = Instance::example("ns", "web", "u");
        let policy = policy(json!({"recreate": ["Job"]})).unwrap();
        assert!(policy.recreates(&instance, "Job") && !policy.recreates(&instance, "StatefulSet"));
        instance.annotations.insert(RECREATE.into(), "StatefulSet, Deployment".into());
        assert!(policy.recreates(&instance, "Deployment") && !policy.recreates(&instance, "Service"));
        instance.annotations.insert(RECREATE.into(), "*".into());
        assert!(policy.recreates(&instance, "Service"));
        assert!(!policy.recreates(&instance, "PersistentVolumeClaim"), "data is lost only when it is named");
    }

    #[test]
    fn unknown_fields_are_refused_unless_that_was_said() {
        let mut instance = Instance::example("ns", "web", "u");
        let (usual, drop) = (Policy::default(), policy(json!({"unknownFields": "drop"})).unwrap());
        assert!(!usual.drops_unknown_fields(&instance) && drop.drops_unknown_fields(&instance));
        instance.annotations.insert(UNKNOWN_FIELDS.into(), "Drop ".into());
        assert!(usual.drops_unknown_fields(&instance));
        instance.annotations.insert(UNKNOWN_FIELDS.into(), "refuse".into());
        assert!(!drop.drops_unknown_fields(&instance));
        instance.annotations.insert(UNKNOWN_FIELDS.into(), "odd".into());
        assert!(!usual.drops_unknown_fields(&instance) && drop.drops_unknown_fields(&instance));
    }

    #[test]
    fn a_deletion_is_what_annotation_finalizer_and_deadline_say() {
        let mut instance = Instance::example("ns", "web", "u");
        let policy = policy(json!({"deletionDeadline": "1m"})).unwrap();
        assert_eq!(policy.deletion(&instance), Deletion::Whole);
        let ago = |seconds| jiff::Timestamp::now().checked_sub(jiff::SignedDuration::from_secs(seconds)).ok();
        instance.deleted_at = ago(30);
        assert_eq!(policy.deletion(&instance), Deletion::Whole);
        instance.deleted_at = ago(90);
        assert_eq!(policy.deletion(&instance), Deletion::Force);
        instance.annotations.insert(DELETION_DEADLINE.into(), "1h".into());
        assert_eq!(policy.deletion(&instance), Deletion::Whole);
        instance.finalizers.push("orphan".into());
        assert_eq!(policy.deletion(&instance), Deletion::Orphan);
        instance.annotations.insert(DELETION_POLICY.into(), "force".into());
        assert_eq!(policy.deletion(&instance), Deletion::Force);
    }

    #[test]
    fn ignored_fields_are_found_by_kind_name_and_annotation() {
        let policy = policy(json!({"ignore": [{"kind": "Deployment", "paths": ["/spec/replicas"]},
            {"group": "", "name": "x", "paths": ["/data/a"]}]}))
        .unwrap();
        let body = json!({"metadata": {"annotations": {IGNORE: "/spec/paused, odd,/metadata/labels/a~1b"}}});
        assert_eq!(
            policy.ignored("apps", "Deployment", "x", &body),
            ["/spec/replicas", "/spec/paused", "/metadata/labels/a~1b"]
        );
        assert_eq!(policy.ignored("", "ConfigMap", "x", &json!({})), ["/data/a"]);
        assert!(policy.ignored("", "ConfigMap", "y", &json!({})).is_empty());
    }

    #[test]
    fn ignored_fields_are_what_the_live_object_has() {
        let live =
            json!({"spec": {"replicas": 5, "list": [{"a": 1}]}, "metadata": {"labels": {"a/b": "live"}}});
        let mut body = json!({"spec": {"replicas": 1, "paused": true, "list": [{"a": 0}]}});
        for pointer in
            ["/spec/replicas", "/spec/paused", "/spec/list/0/a", "/spec/list/9/a", "/metadata/labels/a~1b"]
        {
            keep_live(&mut body, &live, pointer);
        }
        assert_eq!(
            body,
            json!({"spec": {"replicas": 5, "list": [{"a": 1}]}, "metadata": {"labels": {"a/b": "live"}}})
        );
    }

    #[test]
    fn faults_are_told() {
        assert!(
            policy(json!({"ignore": [{"paths": ["spec.replicas"]}]})).unwrap_err().contains("JSON pointer")
        );
        assert!(policy(json!({"readyDeadline": "soon"})).unwrap_err().starts_with("readyDeadline"));
        assert_eq!(
            policy(json!({"readyDeadline": "5m"})).unwrap().ready_deadline,
            Some(Duration::from_secs(300))
        );
    }
}
