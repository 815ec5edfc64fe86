//! What the server would say to objects: asked before anything is written, for the webhook and for what a change would do.
//!
//! What cannot be tried yet (a kind whose CRD is in the same release, a namespace not made yet) is tried when its time has
//! come.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use futures::stream;
use serde_json::Value;

use super::crds::Definitions;
use super::error::Error;
use super::identity::{Kinds, ObjectId};
use super::objects::{self, Object};
use super::refusals::{NO_MORE, awaits, is_immutable, is_unserved, may_pass, stands_in_the_way};
use super::unknown::{Deployed, Sending, explain_refusal};
use super::{Controller, ousted};
use crate::annotations::RECREATE;
use crate::cluster::error::explain;
use crate::cluster::instances::Instance;
use crate::cluster::objects::Tried;
use crate::cluster::ownership;
use crate::policy::is_precious;

/// Requests under way at a time for one resource.
pub(super) const AT_A_TIME: usize = 4;

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

/// What an object is tried with.
pub(super) struct Around<'a> {
    /// Namespaces of the release.
    namespaces: Vec<&'a str>,
    /// Objects that are not known to be there.
    coming: Vec<&'a ObjectId>,
    /// Objects that are known to be ours.
    pub(super) known: &'a BTreeMap<ObjectId, ()>,
    /// Kinds whose definitions are to be applied before.
    changing: Kinds,
    /// Whether no install of the release has ever succeeded, though one was tried.
    never_deployed: bool,
    /// Whether it is asked what would be there then.
    whole: bool,
    pub(super) deployed: Deployed,
}

impl<'a> Around<'a> {
    /// Of all objects that are tried together. `changing` are kinds of definitions beside them.
    pub(super) fn new(
        objects: &[&'a Object],
        known: &'a BTreeMap<ObjectId, ()>,
        mut changing: Kinds,
        never_deployed: bool,
    ) -> Self {
        let is_namespace = |object: &&&Object| object.id.group.is_empty() && &*object.id.kind == "Namespace";
        let coming = objects.iter().filter(|object| !known.contains_key(&object.id));
        for definition in objects.iter().filter(|object| object.id.is_definition()) {
            if let Some(body) = definition.body.as_object() {
                objects::kinds_of_crd(body, &mut changing);
            }
        }
        Self {
            namespaces: objects.iter().filter(is_namespace).map(|object| &*object.id.name).collect(),
            coming: coming.map(|object| &object.id).collect(),
            known,
            changing,
            never_deployed,
            whole: false,
            deployed: Deployed::default(),
        }
    }

    /// Asks what would be there then, too.
    pub(super) fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    fn is_changing(&self, object: &Object) -> bool {
        let resource = &object.kind.resource;
        self.changing.get(&resource.api_version, &resource.kind).is_some()
    }
}

/// What is thought of an object.
pub(super) enum Verdict {
    /// The server takes it.
    Fine(Taken),
    /// What it needs comes with the same release.
    NotYet,
    /// Its kind, known from before, is gone.
    NoKind,
    /// The server refuses it: its answer, and in words.
    Refused(Box<kube::Error>, String),
    /// It is not known.
    Trouble(Box<kube::Error>),
}

/// An object that the server takes.
pub(super) struct Taken {
    pub(super) tried: Tried,
    /// The paths of fields that are left out.
    pub(super) left_out: BTreeSet<String>,
    /// What would be there then; null where that was not asked.
    pub(super) after: Value,
    /// Whether it would be deleted and made anew.
    pub(super) anew: bool,
}

impl Controller {
    /// Tries every object that can be tried. `definitions` are to be applied before.
    ///
    /// # Errors
    /// With every refusal; with the first failure of another sort.
    pub(super) async fn try_all(
        &self,
        instance: &Instance,
        objects: &[&Object],
        known: &BTreeMap<ObjectId, ()>,
        definitions: &Definitions,
    ) -> Result<Trial, Error> {
        let never_deployed = self.never_deployed(instance);
        let around = Around::new(objects, known, definitions.kinds.clone(), never_deployed);
        let mut refused = definitions.refused.clone();
        let mut trial = Trial::default();
        for (object, verdict) in self.verdicts(instance, objects, &around).await {
            match verdict {
                Verdict::Fine(Taken { tried, left_out, .. }) => {
                    self.note_left_out(instance, &object.id, left_out);
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
                Verdict::Refused(_, why) => {
                    refused.push(format!("{} ({}): {why}", object.id, object.source));
                }
                Verdict::Trouble(error) => {
                    return Err(Error::Api { doing: format!("try to apply {}", object.id), error });
                }
            }
        }
        if refused.is_empty() { Ok(trial) } else { Err(Error::Refused(refused)) }
    }

    /// Tries the objects whose kinds are served.
    pub(super) async fn verdicts<'a>(
        &self,
        instance: &Instance,
        objects: &[&'a Object],
        around: &Around<'_>,
    ) -> Vec<(&'a Object, Verdict)> {
        let mut trials = Vec::with_capacity(objects.len());
        for object in objects.iter().filter(|object| !object.kind_pending) {
            trials.push(async { (*object, self.try_one(instance, object, around).await) });
        }
        stream::iter(trials).buffered(AT_A_TIME).collect().await
    }

    /// Tries an object. Nothing is written, and nothing told.
    pub(super) async fn try_one(&self, instance: &Instance, object: &Object, around: &Around<'_>) -> Verdict {
        let prepared = match self.prepared(&instance.key, object).await {
            Ok(prepared) => prepared,
            Err(error) => return Verdict::Trouble(Box::new(error)),
        };
        // With all fields: one that was left out before may be known by now.
        let mut sending = Sending::new(instance, &prepared, &around.deployed);
        let answer = loop {
            let answer = self.ask(&sending.object, around).await;
            if let Some(answer) = self.settle_answer(&mut sending, answer).await {
                break answer;
            }
        };
        let error = match answer {
            Ok((tried, after)) => {
                return Verdict::Fine(Taken { tried, left_out: sending.left_out, after, anew: false });
            }
            Err(error) => error,
        };
        if let Some(verdict) = early(&error, object, around) {
            return verdict;
        }
        let (sent, left_out) = (&*sending.object, sending.left_out);
        let tried = Tried { exists: true, former: false, warnings: Vec::new() };
        if let Some(way) = ousted::way(&error, object) {
            return match self.try_with_way(sent, &way, around).await {
                Ok(after) => Verdict::Fine(Taken { tried, left_out, after, anew: false }),
                Err(error) => judged(error),
            };
        }
        if !is_immutable(&error) {
            return match self.try_without_former(&error, sent).await {
                Some(after) => {
                    let tried = Tried { former: true, ..tried };
                    Verdict::Fine(Taken { tried, left_out, after, anew: false })
                }
                None => judged(error),
            };
        }
        if !self.recreates(instance, object, around.never_deployed) {
            let why = format!(
                "{}; it would have to be deleted and made anew, which the resource may ask for by the annotation \
                 {RECREATE}: {}",
                explain(&error),
                object.id.kind
            );
            return Verdict::Refused(Box::new(error), why);
        }
        match self.writer.try_successor(sent).await {
            Err(error) if let Some(verdict) = early(&error, object, around) => verdict,
            Err(error) if !stands_in_the_way(&error) => judged(error),
            successor => {
                let after = successor.unwrap_or_else(|_| sent.body.clone());
                Verdict::Fine(Taken { tried, left_out, after, anew: true })
            }
        }
    }

    async fn ask(&self, object: &Object, around: &Around<'_>) -> Result<(Tried, Value), kube::Error> {
        if around.whole {
            let after = self.writer.preview(object).await?;
            return Ok((Tried { exists: true, former: false, warnings: Vec::new() }, after));
        }
        let tried = match around.known.contains_key(&object.id) {
            true => self.writer.try_apply(object).await,
            false => self.writer.try_new(object).await,
        };
        Ok((tried?, Value::Null))
    }

    /// Asks whether the server takes an object once defaults of its own have made way; returns what would be there then.
    async fn try_with_way(
        &self,
        object: &Object,
        way: &Value,
        around: &Around<'_>,
    ) -> Result<Value, kube::Error> {
        self.writer.amend(&object.kind, &object.id, way, true).await?;
        if !around.whole {
            return Ok(Value::Null);
        }
        let mut held_back = object.clone();
        ousted::hold_back(way, &mut held_back.body);
        let mut after = self.writer.preview(&held_back).await?;
        ousted::make(way, &mut after);
        Ok(after)
    }

    /// What would be there of an object that is refused together with the entries of its lists that a manager whose place we
    /// take has made: the apply itself drops them, once their fields are ours. `None` if they are not to blame.
    async fn try_without_former(&self, error: &kube::Error, object: &Object) -> Option<Value> {
        if !matches!(error, kube::Error::Api(status) if status.code == 422) {
            return None;
        }
        let now = self.writer.get(&object.kind, &object.id).await.ok().flatten()?;
        if !ownership::has_former(&now) {
            return None;
        }
        self.writer.try_merge(object).await.ok()
    }

    /// Whether an object that cannot be changed is made anew: where the user says so, and where no install of the release
    /// has ever succeeded, unless it may hold data.
    pub(super) fn recreates(&self, instance: &Instance, object: &Object, never_deployed: bool) -> bool {
        (never_deployed && !is_precious(&object.id.kind))
            || self.watch.policy.recreates(instance, &object.id.kind)
    }

    /// Whether installs of a resource's release were tried and none has ever succeeded.
    pub(super) fn never_deployed(&self, instance: &Instance) -> bool {
        self.tracked().get(&instance.key).is_some_and(|tracked| tracked.never_deployed)
    }
}

/// What is no judgement of the object itself.
fn early(error: &kube::Error, object: &Object, around: &Around<'_>) -> Option<Verdict> {
    if let kube::Error::Api(status) = error {
        let comes_along = status.is_not_found() && around.namespaces.contains(&&*object.id.namespace);
        if comes_along || awaits(&status.message, &object.id, &around.coming) {
            return Some(Verdict::NotYet);
        }
    }
    if !may_pass(error) && around.is_changing(object) {
        return Some(Verdict::NotYet);
    }
    is_unserved(error).then_some(Verdict::NoKind)
}

/// Tells the server's judgement from its quota of patience.
fn judged(error: kube::Error) -> Verdict {
    if may_pass(&error) {
        return Verdict::Trouble(Box::new(error));
    }
    let why = explain_refusal(&error);
    Verdict::Refused(Box::new(error), why)
}
