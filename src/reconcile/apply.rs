//! Objects → the cluster: everything tried first, then applied in waves.
//!
//! Nothing is written unless the server would take every object that can be tried. What cannot be tried yet (a kind whose
//! CRD is in the same release, a namespace not made yet) is tried when its time has come.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream;
use serde_json::Value;

use super::Controller;
use super::error::Error;
use super::identity::{ApiKind, InstanceKey, ObjectId};
use super::objects::{Object, PRIMARY_RESOURCE, RELEASE_NAME, RELEASE_NAMESPACE};
use super::tracked::Expected;
use crate::cluster::error::{explain, is_transient};
use crate::cluster::instances::Instance;
use crate::cluster::objects::Marks;

/// Requests under way at a time for one resource.
const AT_A_TIME: usize = 4;

/// How long a CRD may take to be established.
const ESTABLISH: Duration = Duration::from_secs(60);

/// What a trial showed of objects that may be applied.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// Objects that are there and are not known to be ours.
    pub(super) strangers: Vec<ObjectId>,
    /// What the server warned of.
    pub(super) warnings: Vec<String>,
}

enum Verdict {
    Fine {
        exists: bool,
        warnings: Vec<String>,
    },
    NotYet,
    /// Its kind, known from before, is gone.
    NoKind,
    Refused(String),
    Trouble(Box<kube::Error>),
}

impl Controller {
    /// Tries every object that can be tried.
    ///
    /// # Errors
    /// With every refusal; with the first failure of another sort.
    pub(super) async fn try_all(
        &self,
        key: &InstanceKey,
        objects: &[&Object],
        known: &BTreeMap<ObjectId, ()>,
    ) -> Result<Trial, Error> {
        let namespaces: Vec<&str> = objects
            .iter()
            .filter(|object| object.id.group.is_empty() && &*object.id.kind == "Namespace")
            .map(|object| &*object.id.name)
            .collect();
        let mut trials = Vec::with_capacity(objects.len());
        for object in objects {
            if !object.kind_pending {
                trials.push(async { (*object, self.try_one(key, object, &namespaces).await) });
            }
        }
        let verdicts: Vec<_> = stream::iter(trials).buffered(AT_A_TIME).collect().await;
        let mut trial = Trial::default();
        let mut refused = Vec::new();
        for (object, verdict) in verdicts {
            match verdict {
                Verdict::Fine { exists, warnings } => {
                    if exists && !known.contains_key(&object.id) {
                        trial.strangers.push(object.id.clone());
                    }
                    trial
                        .warnings
                        .extend(warnings.into_iter().map(|warning| format!("{}: {warning}", object.id)));
                }
                Verdict::NotYet => {}
                Verdict::NoKind => {
                    let asked = self.discovery.refresh_after_miss().await;
                    if asked.map_err(Error::api("learn which kinds the cluster serves"))? {
                        return Err(Error::Overtaken);
                    }
                    refused.push(format!(
                        "{} ({}): the cluster serves its kind no more",
                        object.id, object.source
                    ));
                }
                Verdict::Refused(why) => refused.push(format!("{} ({}): {why}", object.id, object.source)),
                Verdict::Trouble(error) => {
                    return Err(Error::Api { doing: format!("try to apply {}", object.id), error });
                }
            }
        }
        if refused.is_empty() { Ok(trial) } else { Err(Error::Refused(refused)) }
    }

    async fn try_one(&self, key: &InstanceKey, object: &Object, namespaces: &[&str]) -> Verdict {
        match self.writer.try_apply(&self.yielding(key, object)).await {
            Ok(tried) => Verdict::Fine { exists: tried.exists, warnings: tried.warnings },
            Err(kube::Error::Api(status))
                if status.is_not_found() && namespaces.contains(&&*object.id.namespace) =>
            {
                Verdict::NotYet
            }
            // The answer of no part of the API in particular.
            Err(kube::Error::Api(status)) if status.code == 404 && status.details.is_none() => {
                Verdict::NoKind
            }
            // The server's quota of patience, not its judgement.
            Err(error) if is_transient(&error) && !is_judgement(&error) => Verdict::Trouble(Box::new(error)),
            Err(error) => Verdict::Refused(explain(&error)),
        }
    }

    /// Refuses objects that are there and belong to another release or to nobody.
    pub(super) async fn check_strangers(
        &self,
        instance: &Instance,
        release: &str,
        strangers: &[ObjectId],
        objects: &[&Object],
    ) -> Result<(), Error> {
        let mut foreign = Vec::new();
        for object in objects.iter().filter(|object| strangers.contains(&object.id)) {
            let marks = self.writer.marks(&object.kind, &object.id).await;
            let marks = marks.map_err(Error::api(format!("read {}", object.id)))?;
            if let Some(marks) = marks
                && let Some(why) = stranger(&marks, instance, release, self.release_namespace(&instance.key))
            {
                foreign.push(format!("{} {why}", object.id));
            }
        }
        if foreign.is_empty() { Ok(()) } else { Err(Error::Foreign(foreign)) }
    }

    /// Applies objects in order, those of one kind at a time; returns what was left of each.
    pub(super) async fn apply_all(
        &self,
        instance: &Instance,
        objects: &[&Object],
    ) -> Result<Vec<Expected>, Error> {
        let mut applied = Vec::with_capacity(objects.len());
        let mut rest = objects;
        while let Some(first) = rest.first() {
            self.still_wanted(instance)?;
            let count = rest.iter().take_while(|object| object.id.kind == first.id.kind).count();
            let (wave, later) = rest.split_at(count);
            rest = later;
            let wave: Vec<&Object> = wave.to_vec();
            applied.extend(self.apply_wave(&instance.key, &wave).await?);
            if &*first.id.kind == "CustomResourceDefinition" {
                for object in wave {
                    self.established(&object.kind, &object.id, ESTABLISH).await?;
                }
                self.discovery.refresh().await.map_err(Error::api("learn which kinds the cluster serves"))?;
            }
        }
        Ok(applied)
    }

    async fn apply_wave(&self, key: &InstanceKey, wave: &[&Object]) -> Result<Vec<Expected>, Error> {
        let mut applies = Vec::with_capacity(wave.len());
        for object in wave {
            applies.push(async { (*object, self.apply_one(key, object).await) });
        }
        let results: Vec<_> = stream::iter(applies).buffered(AT_A_TIME).collect().await;
        let mut applied = Vec::with_capacity(results.len());
        let mut failed = Vec::new();
        for (object, result) in results {
            match result {
                Ok(expected) => applied.push(expected),
                Err(error) if is_transient(&error) && !is_judgement(&error) => {
                    return Err(Error::Api { doing: format!("apply {}", object.id), error: Box::new(error) });
                }
                Err(error) => failed.push(format!("{} ({}): {}", object.id, object.source, explain(&error))),
            }
        }
        if failed.is_empty() { Ok(applied) } else { Err(Error::Apply(failed)) }
    }

    /// Applies one object and sees to it that its kind is watched.
    pub(super) async fn apply_one(
        &self,
        key: &InstanceKey,
        object: &Object,
    ) -> Result<Expected, kube::Error> {
        let applied = self.writer.apply(key, &self.yielding(key, object)).await?;
        if self.watch.watch_dependent_resources {
            self.dependents.ensure(&object.kind, &object.id.namespace);
        }
        Ok(Expected {
            id: object.id.clone(),
            kind: object.kind.clone(),
            body: Some(object.digest),
            uid: applied.uid,
            fields: applied.fields,
        })
    }

    /// Leaves the number of replicas to an autoscaler that has set it.
    fn yielding<'a>(&self, key: &InstanceKey, object: &'a Object) -> Cow<'a, Object> {
        if !self.dependents.is_scaled(key, &object.id) || object.body.pointer("/spec/replicas").is_none() {
            return Cow::Borrowed(object);
        }
        let mut yielding = object.clone();
        if let Some(spec) = yielding.body.get_mut("spec").and_then(Value::as_object_mut) {
            spec.remove("replicas");
        }
        Cow::Owned(yielding)
    }

    /// Waits until a CRD serves its kind.
    pub(super) async fn established(
        &self,
        kind: &ApiKind,
        id: &ObjectId,
        at_most: Duration,
    ) -> Result<(), Error> {
        let waiting = async {
            let mut pause = Duration::from_millis(20);
            loop {
                let found = self.writer.get(kind, id).await.map_err(Error::api(format!("read {id}")))?;
                let conditions = found.as_ref().and_then(|crd| crd.pointer("/status/conditions")?.as_array());
                let is_true = |kind: &str| {
                    let says =
                        |one: &Value, key: &str, text: &str| one.get(key).is_some_and(|value| value == text);
                    conditions
                        .into_iter()
                        .flatten()
                        .any(|one| says(one, "type", kind) && says(one, "status", "True"))
                };
                if is_true("Established") {
                    return Ok(());
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(1));
            }
        };
        tokio::time::timeout(at_most, waiting)
            .await
            .unwrap_or_else(|_| Err(Error::NotEstablished(id.name.to_string(), at_most)))
    }
}

/// Some judgements come as 500: fields outside the schema, and what a failing webhook says. They are for the user.
pub(super) fn is_judgement(error: &kube::Error) -> bool {
    const JUDGEMENTS: &[&str] = &["failed to create typed patch object", "webhook"];
    let judges = |message: &str| JUDGEMENTS.iter().any(|judgement| message.contains(judgement));
    matches!(error, kube::Error::Api(status) if status.code == 500 && judges(&status.message))
}

/// Says why an object that is there is not ours to change; `None` if it is.
fn stranger(marks: &Marks, instance: &Instance, release: &str, namespace: &str) -> Option<String> {
    let annotation = |key: &str| marks.annotations.get(key).map(String::as_str).unwrap_or_default();
    if let Some(owner) = marks.owners.iter().find(|owner| owner.controller && owner.uid != *instance.uid) {
        return Some(format!("belongs to {} {}", owner.kind, owner.name));
    }
    let resource = annotation(PRIMARY_RESOURCE);
    if !resource.is_empty() && resource != instance.key.to_string() {
        return Some(format!("belongs to the resource {resource}"));
    }
    let (owner, owner_namespace) = (annotation(RELEASE_NAME), annotation(RELEASE_NAMESPACE));
    let managed = marks.labels.get("app.kubernetes.io/managed-by").is_some_and(|by| by == "Helm");
    if managed && owner == release && owner_namespace == namespace {
        return None;
    }
    if !owner.is_empty() {
        return Some(format!("belongs to the Helm release {owner} in namespace {owner_namespace}"));
    }
    Some(format!(
        "exists and belongs to nobody: delete it, or mark it for this release with the label \
         app.kubernetes.io/managed-by=Helm and the annotations {RELEASE_NAME}={release} and \
         {RELEASE_NAMESPACE}={namespace}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::objects::OwnerMark;

    fn marks(managed: bool, release: &str, resource: &str) -> Marks {
        let mut marks = Marks::default();
        if managed {
            marks.labels.insert("app.kubernetes.io/managed-by".into(), "Helm".into());
        }
        if !release.is_empty() {
            marks.annotations.insert(RELEASE_NAME.into(), release.into());
            marks.annotations.insert(RELEASE_NAMESPACE.into(), "ns".into());
        }
        if !resource.is_empty() {
            marks.annotations.insert(PRIMARY_RESOURCE.into(), resource.into());
        }
        marks
    }

    #[test]
    fn only_marked_objects_are_taken_over() {
        let instance = Instance::example("ns", "web", "u-1");
        let judge = |marks| stranger(&marks, &instance, "web", "ns");
        assert_eq!(judge(marks(true, "web", "")), None);
        assert_eq!(judge(marks(true, "web", "ns/web")), None);
        assert_eq!(judge(marks(true, "web", "ns/first")).unwrap(), "belongs to the resource ns/first");
        assert_eq!(judge(marks(true, "old", "")).unwrap(), "belongs to the Helm release old in namespace ns");
        assert!(judge(marks(false, "", "")).unwrap().starts_with("exists and belongs to nobody"));
        let owner = |uid: &str| OwnerMark {
            kind: "Web".into(),
            name: "first".into(),
            uid: uid.into(),
            controller: true,
        };
        let owned = |uid: &str| Marks { owners: vec![owner(uid)], ..marks(true, "web", "") };
        assert_eq!(judge(owned("u-1")), None);
        assert_eq!(judge(owned("u-2")).unwrap(), "belongs to Web first");
    }
}
