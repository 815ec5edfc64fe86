//! Objects → the cluster: applied in waves, once all that can be tried has been tried.

use std::borrow::Cow;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream;
use serde_json::Value;
use tokio::time::Instant;

use super::error::Error;
use super::identity::{ApiKind, InstanceKey, ObjectId};
use super::objects::{Object, Objects};
use super::refusals::{NO_MORE, is_immutable, is_unserved, may_pass, stands_in_the_way};
use super::tracked::Expected;
use super::trial::AT_A_TIME;
use super::unknown::{Deployed, Sending, explain_refusal};
use super::{Controller, order, ousted};
use crate::cluster::error::explain;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::policy::keep_live;
use crate::slots::aside;

/// How long an object that is made anew may take to go.
const GONE: Duration = Duration::from_secs(120);

/// How long a CRD may take to be established.
const ESTABLISH: Duration = Duration::from_secs(60);

impl Controller {
    /// Applies objects in order, those of one kind at a time, or of several that need nothing of each other; returns what
    /// was left of each.
    pub(super) async fn apply_all(
        &self,
        instance: &Instance,
        objects: &[&Object],
    ) -> Result<Vec<Expected>, Error> {
        let mut applied = Vec::with_capacity(objects.len());
        let mut rest = objects;
        while let Some(first) = rest.first() {
            self.still_wanted(instance)?;
            let goes_along = |object: &&&Object| order::together(&first.id.kind, &object.id.kind);
            let count = rest.iter().take_while(goes_along).count();
            let (wave, later) = rest.split_at(count);
            rest = later;
            let wave: Vec<&Object> = wave.to_vec();
            applied.extend(self.apply_wave(instance, &wave).await?);
            if first.id.is_definition() {
                for object in wave {
                    self.established(&object.kind, &object.id, ESTABLISH).await?;
                }
                self.discovery.refresh().await.map_err(Error::api("learn which kinds the cluster serves"))?;
            }
        }
        Ok(applied)
    }

    async fn apply_wave(&self, instance: &Instance, wave: &[&Object]) -> Result<Vec<Expected>, Error> {
        let mut applies = Vec::with_capacity(wave.len());
        for object in wave {
            applies.push(async { (*object, self.apply_one(instance, object).await) });
        }
        let results: Vec<_> = stream::iter(applies).buffered(AT_A_TIME).collect().await;
        let mut applied = Vec::with_capacity(results.len());
        let mut failed = Vec::new();
        for (object, result) in results {
            match result {
                Ok(expected) => applied.push(expected),
                Err(error) if may_pass(&error) => {
                    return Err(Error::Api { doing: format!("apply {}", object.id), error: Box::new(error) });
                }
                Err(error) => {
                    let is_unserved = is_unserved(&error);
                    let why = if is_unserved { NO_MORE.to_owned() } else { explain_refusal(&error) };
                    failed.push(format!("{} ({}): {why}", object.id, object.source));
                }
            }
        }
        if failed.is_empty() { Ok(applied) } else { Err(Error::Apply(failed)) }
    }

    /// Applies one object and sees to it that its kind is watched.
    pub(super) async fn apply_one(
        &self,
        instance: &Instance,
        object: &Object,
    ) -> Result<Expected, kube::Error> {
        let key = &instance.key;
        let prepared = self.prepared(key, object).await?;
        let deployed = Deployed::default();
        let mut sending =
            Sending::new(instance, &prepared, &deployed).without(self.left_out(key, &object.id));
        let applied = loop {
            let answer = match self.writer.apply(key, &sending.object).await {
                Err(error)
                    if is_immutable(&error)
                        && self.recreates(instance, object, self.never_deployed(instance)) =>
                {
                    self.make_way(key, &sending.object, error).await?;
                    self.writer.apply(key, &sending.object).await
                }
                Err(error) if let Some(way) = ousted::way(&error, object) => {
                    self.writer.amend(&object.kind, &object.id, &way, false).await?;
                    // What was patched is to go with what is applied.
                    self.writer.take_fields(&object.kind, &object.id).await?;
                    self.writer.apply(key, &sending.object).await
                }
                answer => answer,
            };
            if let Some(answer) = self.settle_answer(&mut sending, answer).await {
                break answer?;
            }
        };
        self.note_left_out(instance, &object.id, sending.left_out);
        if self.watch.watch_dependent_resources {
            self.dependents.ensure(&object.kind, &object.id.namespace);
        }
        Ok(Expected {
            id: object.id.clone(),
            kind: object.kind.clone(),
            body: Some(object.digest),
            uid: applied.uid,
            fields: applied.fields,
            fleeting: object.is_fleeting(),
        })
    }

    /// Makes the fields of former managers ours in objects that have some.
    pub(super) async fn take_fields(&self, objects: &[&Object], former: &[ObjectId]) -> Result<(), Error> {
        for object in objects.iter().filter(|object| former.contains(&object.id)) {
            let taken = self.writer.take_fields(&object.kind, &object.id).await;
            taken.map_err(Error::api(format!("take over the fields of {}", object.id)))?;
        }
        Ok(())
    }

    /// Deletes an object of ours that has to be made anew, once its successor is known to be taken, and waits until it is
    /// gone. `error` says why.
    async fn make_way(
        &self,
        key: &InstanceKey,
        object: &Object,
        error: kube::Error,
    ) -> Result<(), kube::Error> {
        let (kind, id) = (&object.kind, &object.id);
        let instance = self.instances.get(key);
        let marks = self.writer.marks(kind, id).await?;
        let (Some(instance), Some(marks)) = (instance, marks) else { return Err(error) };
        if !self.is_ours(&instance, &marks) {
            return Err(error);
        }
        match self.writer.try_successor(object).await {
            Err(refusal) if !stands_in_the_way(&refusal) => return Err(refusal),
            _ => {}
        }
        // Its successor takes the pods over.
        let orphan = &*id.kind == "StatefulSet";
        self.writer.clear_way(kind, id, orphan).await?;
        let until = Instant::now() + GONE;
        let mut pause = Duration::from_millis(50);
        while self.writer.marks(kind, id).await?.is_some() {
            if Instant::now() > until {
                return Err(error);
            }
            aside(tokio::time::sleep(pause)).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
        let left = if orphan { " (its pods stay)" } else { "" };
        let note = format!("{id} is made anew{left}, for it could not be changed: {}", explain(&error));
        let note = self.secrets(&instance).hide(&note).into_owned();
        tracing::info!(resource = %key, object = %id, "Made an object anew that could not be changed");
        self.events.tell(&instance, Severity::Normal, "Replace", "Replaced", &note);
        Ok(())
    }

    /// What is sent of an object: without what is left to others.
    pub(super) async fn prepared<'a>(
        &self,
        key: &InstanceKey,
        object: &'a Object,
    ) -> Result<Cow<'a, Object>, kube::Error> {
        let yielding = self.yielding(key, object).await;
        let ignored = self.ignored(object);
        if ignored.is_empty() {
            return Ok(yielding);
        }
        let Some(live) = self.writer.get(&object.kind, &object.id).await? else { return Ok(yielding) };
        let mut prepared = yielding.into_owned();
        for pointer in ignored {
            keep_live(&mut prepared.body, &live, pointer);
        }
        Ok(Cow::Owned(prepared))
    }

    /// The JSON pointers of an object's fields that are left as they are.
    pub(super) fn ignored<'a>(&'a self, object: &'a Object) -> Vec<&'a str> {
        let id = &object.id;
        self.watch.policy.ignored(&id.group, &id.kind, &id.name, &object.body)
    }

    /// Leaves the number of replicas to an autoscaler that has set it, as long as there is one.
    async fn yielding<'a>(&self, key: &InstanceKey, object: &'a Object) -> Cow<'a, Object> {
        let Some(scaler) = self.dependents.scaler(key, &object.id) else { return Cow::Borrowed(object) };
        if object.body.pointer("/spec/replicas").is_none() || !self.is_scaled_by(&scaler, &object.id).await {
            return Cow::Borrowed(object);
        }
        let mut yielding = object.clone();
        if let Some(spec) = yielding.body.get_mut("spec").and_then(Value::as_object_mut) {
            spec.remove("replicas");
        }
        Cow::Owned(yielding)
    }

    /// Whether what has scaled an object may do so again. Where we may not look, it may.
    async fn is_scaled_by(&self, scaler: &str, id: &ObjectId) -> bool {
        let served = self.discovery.current();
        let kind = served.kinds.preferred("autoscaling", "HorizontalPodAutoscaler");
        match kind {
            Some(kind) if scaler == "kube-controller-manager" => {
                self.writer.has_autoscaler(kind, id).await.unwrap_or(true)
            }
            _ => true,
        }
    }

    /// After an autoscaler has gone: what it scaled gets the number of replicas it was rendered with.
    pub(super) async fn rescale(
        &self,
        instance: &Instance,
        objects: &Objects,
        applied: &mut [Expected],
    ) -> Result<(), Error> {
        for object in objects.list.iter().filter(|o| self.dependents.scaler(&instance.key, &o.id).is_some()) {
            let now = self.apply_one(instance, object).await;
            let now = now.map_err(Error::api(format!("apply {}", object.id)))?;
            if let Some(place) = applied.iter_mut().find(|one| one.id == object.id) {
                *place = now;
            }
        }
        Ok(())
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
                let says =
                    |one: &Value, key: &str, text: &str| one.get(key).is_some_and(|value| value == text);
                let condition = |kind: &str, status: &str| {
                    let mut all = conditions.into_iter().flatten();
                    all.find(|one| says(one, "type", kind) && says(one, "status", status))
                };
                if condition("Established", "True").is_some() {
                    return Ok(());
                }
                if let Some(refused) = condition("NamesAccepted", "False") {
                    let why = refused.get("message").and_then(Value::as_str).unwrap_or_default();
                    return Err(Error::Apply(vec![format!("{id} is there, but is not accepted: {why}")]));
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(1));
            }
        };
        aside(tokio::time::timeout(at_most, waiting))
            .await
            .unwrap_or_else(|_| Err(Error::NotEstablished(id.name.to_string(), at_most)))
    }
}
