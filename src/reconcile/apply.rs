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
use tokio::time::Instant;

use super::error::Error;
use super::identity::{ApiKind, InstanceKey, ObjectId};
use super::objects::{Object, Objects};
use super::tracked::Expected;
use super::unknown::{Deployed, Sending, explain_refusal};
use super::{Controller, order, ousted};
use crate::annotations::RECREATE;
use crate::cluster::error::{explain, is_transient};
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::cluster::objects::Tried;
use crate::policy::{is_precious, keep_live};

/// Requests under way at a time for one resource.
pub(super) const AT_A_TIME: usize = 4;

/// How long an object that is made anew may take to go.
const GONE: Duration = Duration::from_secs(120);

/// How long a CRD may take to be established.
const ESTABLISH: Duration = Duration::from_secs(60);

/// What there is to say of an object whose kind was there when last asked for.
const NO_MORE: &str = "the cluster serves its kind no more";

/// What a trial showed of objects that may be applied.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// Objects that are there and are not known to be ours.
    pub(super) strangers: Vec<ObjectId>,
    /// Objects with fields of a manager whose place we take.
    pub(super) former: Vec<ObjectId>,
    /// What the server warned of.
    pub(super) warnings: Vec<String>,
}

/// What is tried along with an object.
struct Around<'a> {
    /// Namespaces of the release.
    namespaces: Vec<&'a str>,
    /// Objects that are not known to be there.
    coming: Vec<&'a ObjectId>,
    known: &'a BTreeMap<ObjectId, ()>,
    deployed: Deployed,
}

enum Verdict {
    Fine(Tried),
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
        instance: &Instance,
        objects: &[&Object],
        known: &BTreeMap<ObjectId, ()>,
    ) -> Result<Trial, Error> {
        let namespaces: Vec<&str> = objects
            .iter()
            .filter(|object| object.id.group.is_empty() && &*object.id.kind == "Namespace")
            .map(|object| &*object.id.name)
            .collect();
        let coming = objects.iter().filter(|object| !known.contains_key(&object.id));
        let coming: Vec<&ObjectId> = coming.map(|object| &object.id).collect();
        let around = Around { namespaces, coming, known, deployed: Deployed::default() };
        let mut trials = Vec::with_capacity(objects.len());
        for object in objects {
            if !object.kind_pending {
                trials.push(async { (*object, self.try_one(instance, object, &around).await) });
            }
        }
        let verdicts: Vec<_> = stream::iter(trials).buffered(AT_A_TIME).collect().await;
        let mut trial = Trial::default();
        let mut refused = Vec::new();
        for (object, verdict) in verdicts {
            match verdict {
                Verdict::Fine(tried) => {
                    if tried.exists && !known.contains_key(&object.id) {
                        trial.strangers.push(object.id.clone());
                    }
                    if tried.former {
                        trial.former.push(object.id.clone());
                    }
                    let warnings = tried.warnings.into_iter();
                    trial.warnings.extend(warnings.map(|warning| format!("{}: {warning}", object.id)));
                }
                Verdict::NotYet => {}
                Verdict::NoKind => {
                    let asked = self.discovery.refresh_after_miss().await;
                    if asked.map_err(Error::api("learn which kinds the cluster serves"))? {
                        return Err(Error::Overtaken);
                    }
                    refused.push(format!("{} ({}): {NO_MORE}", object.id, object.source));
                }
                Verdict::Refused(why) => refused.push(format!("{} ({}): {why}", object.id, object.source)),
                Verdict::Trouble(error) => {
                    return Err(Error::Api { doing: format!("try to apply {}", object.id), error });
                }
            }
        }
        if refused.is_empty() { Ok(trial) } else { Err(Error::Refused(refused)) }
    }

    async fn try_one(&self, instance: &Instance, object: &Object, around: &Around<'_>) -> Verdict {
        let Around { namespaces, coming, known, deployed } = around;
        let key = &instance.key;
        let prepared = match self.prepared(key, object).await {
            Ok(prepared) => prepared,
            Err(error) => return Verdict::Trouble(Box::new(error)),
        };
        // With all fields: one that was left out before may be known by now.
        let mut sending = Sending::new(instance, &prepared, deployed);
        let answer = loop {
            let answer = if known.contains_key(&object.id) {
                self.writer.try_apply(&sending.object).await
            } else {
                self.writer.try_new(&sending.object).await
            };
            if let Some(answer) = self.settle_answer(&mut sending, answer).await {
                break answer;
            }
        };
        match answer {
            Ok(tried) => {
                self.note_left_out(instance, &object.id, sending.left_out);
                Verdict::Fine(tried)
            }
            Err(kube::Error::Api(status))
                if status.is_not_found() && namespaces.contains(&&*object.id.namespace) =>
            {
                Verdict::NotYet
            }
            Err(kube::Error::Api(status)) if awaits(&status.message, &object.id, coming) => Verdict::NotYet,
            Err(error) if is_unserved(&error) => Verdict::NoKind,
            // The server's quota of patience, not its judgement.
            Err(error) if is_transient(&error) && !is_judgement(&error) => Verdict::Trouble(Box::new(error)),
            Err(error) if let Some(way) = ousted::way(&error, object) => {
                let tried = self.writer.amend(&object.kind, &object.id, &way, true).await;
                match tried {
                    Ok(()) => Verdict::Fine(Tried { exists: true, former: false, warnings: Vec::new() }),
                    Err(error) => Verdict::Refused(explain_refusal(&error)),
                }
            }
            Err(error) if is_immutable(&error) => {
                if self.recreates(key, object) {
                    return Verdict::Fine(Tried { exists: true, former: false, warnings: Vec::new() });
                }
                Verdict::Refused(format!(
                    "{}; it would have to be deleted and made anew, which the resource may ask for by the annotation \
                     {RECREATE}: {}",
                    explain(&error),
                    object.id.kind
                ))
            }
            Err(error) => Verdict::Refused(explain_refusal(&error)),
        }
    }

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
                Err(error) if is_transient(&error) && !is_judgement(&error) => {
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
                Err(error) if is_immutable(&error) && self.recreates(key, object) => {
                    self.make_way(key, object, error).await?;
                    self.writer.apply(key, &sending.object).await
                }
                Err(error) if let Some(way) = ousted::way(&error, object) => {
                    self.writer.amend(&object.kind, &object.id, &way, false).await?;
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

    /// Whether an object that cannot be changed is made anew: where the user says so, and where no install of the release
    /// has ever succeeded, unless it may hold data.
    fn recreates(&self, key: &InstanceKey, object: &Object) -> bool {
        let of_failed_install = self.tracked().get(key).is_some_and(|tracked| tracked.never_deployed);
        let instance = self.instances.get(key);
        (of_failed_install && !is_precious(&object.id.kind))
            || instance.is_some_and(|instance| self.watch.policy.recreates(&instance, &object.id.kind))
    }

    /// Deletes an object of ours that has to be made anew, and waits until it is gone. `error` says why.
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
        // Its successor takes the pods over.
        let orphan = &*id.kind == "StatefulSet";
        self.writer.clear_way(kind, id, orphan).await?;
        let until = Instant::now() + GONE;
        let mut pause = Duration::from_millis(50);
        while self.writer.marks(kind, id).await?.is_some() {
            if Instant::now() > until {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
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
    async fn prepared<'a>(
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
        tokio::time::timeout(at_most, waiting)
            .await
            .unwrap_or_else(|_| Err(Error::NotEstablished(id.name.to_string(), at_most)))
    }
}

/// Whether an object was refused only because another of the same release is not there yet, as a binding without its
/// Role or a Pod without its PriorityClass: the order of kinds sees to it that the other one comes first.
fn awaits(message: &str, id: &ObjectId, coming: &[&ObjectId]) -> bool {
    const MISSING: &[&str] = &["not found", "was found"];
    // What is refused is named first.
    let why = message.split_once(" is forbidden: ").map_or(message, |(_, why)| why);
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(byte));
    let is_named = |name: &str| {
        why.match_indices(name).any(|(at, _)| {
            let before = at.checked_sub(1).and_then(|at| why.as_bytes().get(at));
            !is_part(before) && !is_part(why.as_bytes().get(at + name.len()))
        })
    };
    MISSING.iter().any(|words| why.contains(words))
        && coming.iter().any(|other| *other != id && is_named(&other.name))
}

/// Some judgements come as 500: fields outside the schema, quantities that are none, and what a failing webhook says. They
/// are for the user.
pub(super) fn is_judgement(error: &kube::Error) -> bool {
    const JUDGEMENTS: &[&str] =
        &["failed to create typed patch object", "failed to convert new object", "webhook"];
    let judges = |message: &str| JUDGEMENTS.iter().any(|judgement| message.contains(judgement));
    matches!(error, kube::Error::Api(status) if status.code == 500 && judges(&status.message))
}

/// Whether the answer is that of no part of the API in particular.
fn is_unserved(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404 && status.details.is_none())
}

/// Reports whether an object was refused for a change that it does not take.
fn is_immutable(error: &kube::Error) -> bool {
    const WORDS: &[&str] = &[
        "immutable",
        "updates to statefulset spec for fields other than",
        "may not be changed",
        "cannot change roleRef",
        "may not change fields other than",
        "cannot be changed",
        "may not change once set",
    ];
    matches!(error, kube::Error::Api(status)
        if status.code == 422 && WORDS.iter().any(|words| status.message.contains(words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_with_the_release_is_awaited() {
        let id = |kind: &str, name: &str| ObjectId {
            group: "".into(),
            kind: kind.into(),
            namespace: "n".into(),
            name: name.into(),
        };
        let (role, binding, class, pod) =
            (id("Role", "web"), id("RoleBinding", "web"), id("PriorityClass", "high"), id("Pod", "web"));
        let coming = [&role, &binding, &class, &pod];
        let awaits = |message: &str, id: &ObjectId| super::awaits(message, id, &coming);
        assert!(awaits("roles.rbac.authorization.k8s.io \"web\" not found", &binding));
        assert!(awaits("pods \"web\" is forbidden: no PriorityClass with name high was found", &pod));
        assert!(!awaits("pods \"web\" is forbidden: no PriorityClass with name higher was found", &pod));
        assert!(!awaits("pods \"web\" is forbidden: no PriorityClass with name the-high was found", &pod));
        assert!(!awaits("pods \"web\" is forbidden: exceeded quota: high", &pod));
    }
}
