//! Fields that the type of an object does not know. The API server drops them from what Helm creates, unseen; in server-side
//! apply it refuses the object. So do we, with two exceptions: the user asks for Helm's way, or the field was there in the
//! release that runs, which must not get stuck for it. Then the field is left out of what is sent, and that is told.
//!
//! Which fields these are the server's refusal says, by path: `.spec.template.spec.containers[name="main"].prots`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tokio::sync::OnceCell;

use super::Controller;
use super::identity::{InstanceKey, ObjectId};
use super::ledger::manifests_of;
use super::objects::{self, Object};
use super::trial::Around;
use super::yaml;
use crate::annotations::UNKNOWN_FIELDS;
use crate::cluster::error::explain;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::release;

/// How the server ends what it says of a field it does not know.
const UNDECLARED: &str = ": field not declared in schema";

/// The objects of the deployed record of a release, read when a refusal first asks for them.
#[derive(Default)]
pub(super) struct Deployed(OnceCell<Vec<(ObjectId, Value)>>);

/// An object on its way to the server.
pub(super) struct Sending<'a> {
    instance: &'a Instance,
    deployed: &'a Deployed,
    /// What is sent of it.
    pub(super) object: Cow<'a, Object>,
    /// The paths of the fields that are left out.
    pub(super) left_out: BTreeSet<String>,
}

impl<'a> Sending<'a> {
    /// Begins with the whole object.
    pub(super) fn new(instance: &'a Instance, object: &'a Object, deployed: &'a Deployed) -> Self {
        Self { instance, deployed, object: Cow::Borrowed(object), left_out: BTreeSet::new() }
    }

    /// Leaves out fields from the start.
    pub(super) fn without(self, left_out: BTreeSet<String>) -> Self {
        let object =
            if left_out.is_empty() { self.object } else { Cow::Owned(without(&self.object, &left_out)) };
        Self { object, left_out, ..self }
    }
}

impl Controller {
    /// Takes the server's answer to an object; `None` if it refuses the object for fields that it does not know and that
    /// may be left out: then it is to be sent once more, now without them.
    pub(super) async fn settle_answer<T>(
        &self,
        sending: &mut Sending<'_>,
        answer: Result<T, kube::Error>,
    ) -> Option<Result<T, kube::Error>> {
        let error = match answer {
            Ok(answer) => return Some(Ok(answer)),
            Err(error) => error,
        };
        let more = match self.may_leave_out(sending, unknown_fields(&error)).await {
            Ok(more) => more,
            Err(error) => return Some(Err(error)),
        };
        let mut is_less = false;
        for path in more {
            // Each time there is less to send: this comes to an end.
            if remove(&mut sending.object.to_mut().body, &path) {
                sending.left_out.insert(path);
                is_less = true;
            }
        }
        if is_less { None } else { Some(Err(error)) }
    }

    /// Those of the fields that may be left out.
    async fn may_leave_out(
        &self,
        sending: &Sending<'_>,
        fields: Vec<String>,
    ) -> Result<Vec<String>, kube::Error> {
        let Sending { instance, deployed, object, .. } = sending;
        if fields.is_empty() || self.watch.policy.drops_unknown_fields(instance) {
            return Ok(fields);
        }
        let deployed = deployed.0.get_or_try_init(|| self.deployed_objects(instance)).await?;
        let Some((_, before)) = deployed.iter().find(|(id, _)| *id == object.id) else {
            return Ok(Vec::new());
        };
        Ok(fields.into_iter().filter(|path| find(before, path).is_some()).collect())
    }

    /// Whether fields of an object are left out that the release that runs does not have.
    pub(super) async fn leaves_out_more(
        &self,
        instance: &Instance,
        around: &Around<'_>,
        id: &ObjectId,
        left_out: &BTreeSet<String>,
    ) -> Result<bool, kube::Error> {
        if left_out.is_empty() {
            return Ok(false);
        }
        let deployed = around.deployed.0.get_or_try_init(|| self.deployed_objects(instance)).await?;
        let before = deployed.iter().find(|(other, _)| other == id).map(|(_, body)| body);
        Ok(left_out.iter().any(|path| before.is_none_or(|before| find(before, path).is_none())))
    }

    /// The objects of the release that runs, as its record has them, whoever wrote it.
    async fn deployed_objects(&self, instance: &Instance) -> Result<Vec<(ObjectId, Value)>, kube::Error> {
        let (namespace, release) = (self.release_namespace(&instance.key), self.release_name(&instance.key));
        let bytes = self.records.deployed(namespace, release).await?;
        let Some((record, _)) = bytes.and_then(|bytes| release::decode(&bytes).ok()) else {
            return Ok(Vec::new());
        };
        let served = self.discovery.current();
        let documents = manifests_of(&record.manifest);
        let documents = documents.iter().filter_map(|manifest| yaml::to_json(&manifest.content).ok());
        let objects =
            documents.filter_map(|document| objects::plain(document, namespace, &served.kinds).ok());
        Ok(objects.flatten().map(|(_, id, body)| (id, body)).collect())
    }

    /// The fields of an object that were left out when it was last sent.
    pub(super) fn left_out(&self, key: &InstanceKey, id: &ObjectId) -> BTreeSet<String> {
        let tracked = self.tracked();
        tracked.get(key).and_then(|tracked| tracked.left_out.get(id)).cloned().unwrap_or_default()
    }

    /// Remembers which fields of an object are left out, and tells it where that is new.
    pub(super) fn note_left_out(&self, instance: &Instance, id: &ObjectId, left_out: BTreeSet<String>) {
        let before = self.left_out(&instance.key, id);
        if left_out == before {
            return;
        }
        for field in left_out.difference(&before) {
            tracing::warn!(
                kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
                object = %id, field, "Left out a field that the object's type does not know"
            );
            let note = format!("{id}: its type knows no field {field}; it is left out");
            self.events.tell(instance, Severity::Warning, "Convert", "UnknownField", &note);
        }
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            match left_out.is_empty() {
                true => tracked.left_out.remove(id),
                false => tracked.left_out.insert(id.clone(), left_out),
            };
        }
    }
}

/// Puts a refusal into words; one for unknown fields says how to have them left out.
pub(super) fn explain_refusal(error: &kube::Error) -> String {
    let why = explain(error);
    if unknown_fields(error).is_empty() {
        return why;
    }
    format!(
        "{}; mend the chart or the values, or let fields that the type does not know be left out, as Helm does, by the \
         annotation {UNKNOWN_FIELDS}: drop, or unknownFields: drop in watches.yaml",
        why.trim_end()
    )
}

/// Whether an object was refused for fields that its type does not know.
pub(super) fn names_unknown(error: &kube::Error) -> bool {
    !unknown_fields(error).is_empty()
}

/// Takes the fields out of an object for which it was refused because its type does not know them; reports whether there
/// is less of it now.
pub(super) fn strip(object: &mut Object, error: &kube::Error) -> bool {
    let mut is_less = false;
    for path in unknown_fields(error) {
        is_less |= remove(&mut object.body, &path);
    }
    is_less
}

/// An object without some of its fields.
pub(super) fn without(object: &Object, fields: &BTreeSet<String>) -> Object {
    let mut less = object.clone();
    for path in fields {
        remove(&mut less.body, path);
    }
    less
}

/// The paths of the fields for which an object was refused because its type does not know them.
fn unknown_fields(error: &kube::Error) -> Vec<String> {
    let kube::Error::Api(status) = error else { return Vec::new() };
    // One stands behind the object's title, several on lines of their own.
    let told = status.message.split_once("): ").map_or("", |(_, told)| told);
    let paths = told.lines().filter_map(|line| line.trim().strip_suffix(UNDECLARED));
    paths.filter(|path| path.starts_with('.')).map(str::to_owned).collect()
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// Finds what a path of the server's leads to; the steps come last first.
fn find(value: &Value, path: &str) -> Option<Vec<Step>> {
    if path.is_empty() {
        return Some(Vec::new());
    }
    if let Some(rest) = path.strip_prefix('.') {
        // Keys may have dots in them, and nothing tells these dots apart.
        return value.as_object()?.iter().find_map(|(key, inner)| {
            let rest = rest.strip_prefix(key.as_str())?;
            let ends = rest.is_empty() || rest.starts_with(['.', '[']);
            let mut steps = ends.then(|| find(inner, rest)).flatten()?;
            steps.push(Step::Key(key.clone()));
            Some(steps)
        });
    }
    let (keys, rest) = selector(path.strip_prefix('[')?)?;
    value.as_array()?.iter().enumerate().find_map(|(index, item)| {
        let is_meant = match &keys {
            Selector::Index(wanted) => *wanted == index,
            // What an item leaves out has its default there.
            Selector::Keys(keys) => {
                item.is_object()
                    && keys.iter().all(|(key, value)| item.get(key).is_none_or(|own| own == value))
            }
        };
        let mut steps = is_meant.then(|| find(item, rest)).flatten()?;
        steps.push(Step::Index(index));
        Some(steps)
    })
}

/// Which item of a list a path goes by.
enum Selector {
    Index(usize),
    Keys(Map<String, Value>),
}

/// Reads `0]` or `name="main",protocol="TCP"]`, and returns what follows.
fn selector(text: &str) -> Option<(Selector, &str)> {
    if let Some((index, rest)) = text.split_once(']')
        && let Ok(index) = index.parse()
    {
        return Some((Selector::Index(index), rest));
    }
    let (mut keys, mut text) = (Map::new(), text);
    loop {
        let (key, rest) = text.split_once('=')?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let value = values.next()?.ok()?;
        keys.insert(key.to_owned(), value);
        let rest = rest.get(values.byte_offset()..)?;
        match rest.strip_prefix(']') {
            Some(rest) => return Some((Selector::Keys(keys), rest)),
            None => text = rest.strip_prefix(',')?,
        }
    }
}

/// Takes the field out that a path leads to; reports whether it was there.
fn remove(body: &mut Value, path: &str) -> bool {
    let Some(steps) = find(body, path) else { return false };
    let Some((Step::Key(last), way)) = steps.split_first() else { return false };
    let mut place = body;
    for step in way.iter().rev() {
        let next = match step {
            Step::Key(key) => place.get_mut(key),
            Step::Index(index) => place.get_mut(index),
        };
        let Some(next) = next else { return false };
        place = next;
    }
    place.as_object_mut().is_some_and(|map| map.remove(last).is_some())
}

#[cfg(test)]
mod tests {
    use kube::core::Status;
    use serde_json::json;

    use super::*;

    fn refusal(message: &str) -> kube::Error {
        kube::Error::Api(Status::failure(message, "").with_code(500).boxed())
    }

    #[test]
    fn the_servers_words_name_the_fields() {
        let one = "failed to create typed patch object (ns/web; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema";
        assert_eq!(unknown_fields(&refusal(one)), [".spec.foo"]);
        assert!(explain_refusal(&refusal(one)).contains("chartwright.io/unknown-fields: drop"));
        let two = "failed to create typed patch object (ns/web; apps/v1, Kind=Deployment): errors:\n  \
                   .spec.foo: field not declared in schema\n  .spec.replicas: expected numeric (int or float), got string\n  \
                   .spec.template.spec.containers[name=\"main\"].prots: field not declared in schema\n";
        assert_eq!(
            unknown_fields(&refusal(two)),
            [".spec.foo", ".spec.template.spec.containers[name=\"main\"].prots"]
        );
        let other = "Service \"web\" is invalid: spec.ports[0].port: Invalid value: 99999";
        assert_eq!(unknown_fields(&refusal(other)), Vec::<String>::new());
        assert_eq!(explain_refusal(&refusal(other)), other);
    }

    #[test]
    fn a_path_leads_to_one_field_and_only_that_goes() {
        let body = json!({"metadata": {"a.b/c": {"x": 1}}, "spec": {"foo": null, "rules": [{}, {"odd": {"deep": 1}}],
            "containers": [{"name": "side"}, {"name": "main, [x]", "prots": [], "ports": [
                {"containerPort": 80, "protocol": "UDP"}, {"containerPort": 80, "hots": 1, "name": "w"}]}]}});
        let paths = [
            ".metadata.a.b/c.x",
            ".spec.foo",
            ".spec.rules[1].odd",
            ".spec.containers[name=\"main, [x]\"].prots",
            ".spec.containers[name=\"main, [x]\"].ports[containerPort=80,protocol=\"TCP\"].hots",
        ];
        let mut less = body.clone();
        for path in paths {
            assert!(find(&body, path).is_some(), "{path}");
            assert!(remove(&mut less, path), "{path}");
            assert!(!remove(&mut less, path), "{path} is gone");
        }
        assert_eq!(
            less,
            json!({"metadata": {"a.b/c": {}}, "spec": {"rules": [{}, {}], "containers": [{"name": "side"},
                {"name": "main, [x]", "ports": [{"containerPort": 80, "protocol": "UDP"}, {"containerPort": 80, "name": "w"}]}]}})
        );
        for path in [
            "",
            ".",
            ".spec.fo",
            ".spec.rules[1]",
            ".spec.rules[7].odd",
            ".spec.rules[name].odd",
            ".spec[",
            "x",
        ] {
            assert!(!remove(&mut less, path), "{path}");
        }
    }
}
