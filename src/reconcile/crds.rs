//! The definitions in a chart's `crds/`: made at an install, as Helm makes them, or, where the kind asks for it, brought up
//! to date with each new chart as well. They are never deleted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use helm::{Crd, Rendered};
use serde_json::Value;
use tokio::time::Instant;

use super::difference::fields;
use super::error::Error;
use super::identity::{Digest, Kinds, ObjectId};
use super::objects::{self, Object, Objects, PRIMARY_RESOURCE, RELEASE_NAME};
use super::refusals::may_pass;
use super::strangers::Stranger;
use super::trial::{Around, Verdict};
use super::unknown::{self, explain_refusal};
use super::{Controller, duplicates, yaml};
use crate::charts::Loaded;
use crate::cluster::discovery::Served;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::cluster::objects::Marks;
use crate::cluster::ownership;
use crate::lock::lock;
use crate::settings::ChartCrds;
use crate::slots::aside;

/// How long a definition may take to be established.
const ESTABLISH: Duration = Duration::from_secs(60);
/// How long API servers are given to take a changed definition up.
const TAKE_UP: Duration = Duration::from_secs(15);

/// What is to be done about a chart's definitions before its objects are applied.
#[derive(Default)]
pub(super) struct Definitions {
    /// What is to be applied.
    pub(super) changes: Vec<Definition>,
    /// The kinds of these.
    pub(super) kinds: Kinds,
    /// What the server refuses, in words.
    pub(super) refused: Vec<String>,
    /// What is there, is somebody else's and stays as it is.
    left: Vec<(ObjectId, Stranger)>,
    /// What is there, is somebody else's and is taken over.
    adopted: Vec<(ObjectId, Stranger)>,
}

/// A definition that comes or changes.
pub(super) struct Definition {
    pub(super) object: Object,
    /// What is there; null if nothing is.
    pub(super) now: Value,
    /// What would be there.
    pub(super) after: Value,
    /// Whether fields of it belong to a manager whose place we take.
    former: bool,
}

impl Controller {
    /// What becomes of the definitions for a resource. Those of an older chart that a resource asks for do not take the place
    /// of newer ones, which are there for all.
    fn handling(&self, instance: &Instance, is_install: bool) -> ChartCrds {
        let is_newest = self.chart_of(instance).digest == self.charts.newest().digest;
        match self.watch.crds {
            ChartCrds::CreateReplace if is_newest => ChartCrds::CreateReplace,
            ChartCrds::Create | ChartCrds::CreateReplace if is_install => ChartCrds::Create,
            _ => ChartCrds::Skip,
        }
    }

    /// Whether an install makes those definitions that are not there, as Helm does.
    pub(super) fn creates_crds(&self, instance: &Instance) -> bool {
        self.handling(instance, true) == ChartCrds::Create
    }

    /// Whether the chart's definitions come before its objects.
    pub(super) fn brings_crds(&self, instance: &Instance, is_install: bool) -> bool {
        self.handling(instance, is_install) != ChartCrds::Skip
    }

    /// The files of definitions that come before the objects of a render.
    pub(super) fn crds_of<'a>(
        &self,
        instance: &Instance,
        rendered: &'a Rendered,
        is_install: bool,
    ) -> &'a [Crd] {
        if self.brings_crds(instance, is_install) { &rendered.crds } else { &[] }
    }

    /// Asks the server what it would make of definitions that may take the place of others. Nothing is written.
    pub(super) async fn try_definitions(
        &self,
        instance: &Instance,
        crds: &[Crd],
        rendered: &Objects,
        is_install: bool,
    ) -> Result<Definitions, Error> {
        let mut all = Definitions::default();
        if self.handling(instance, is_install) != ChartCrds::CreateReplace || self.are_defined(instance) {
            return Ok(all);
        }
        let mut found = Vec::new();
        for crd in crds {
            match self.read_crds(instance, crd) {
                Ok(objects) => found.extend(objects),
                Err(why) => all.refused.push(format!("{}: {why}", crd.path)),
            }
        }
        // The kind's own definition is made of the chart's values, and what templates render is theirs.
        let own = self.watch.crd_name();
        found.retain(|one| *one.id.name != *own && rendered.list.iter().all(|object| object.id != one.id));
        duplicates::mend(&mut found);
        for object in found {
            self.try_definition(instance, object, &mut all).await?;
        }
        Ok(all)
    }

    fn read_crds(&self, instance: &Instance, crd: &Crd) -> Result<Vec<Object>, String> {
        let served = self.discovery.current();
        let mut read = Vec::new();
        for text in objects::documents(&crd.content.to_lossy()) {
            let found =
                objects::plain(yaml::to_json(&text)?, self.release_namespace(&instance.key), &served.kinds)?;
            for (kind, id, mut body) in found {
                if let Some(fields) = body.as_object_mut() {
                    fields.remove("status");
                }
                let digest = Digest::of([body.to_string()]);
                let source = crd.path.as_str().into();
                read.push(Object {
                    id,
                    kind,
                    body,
                    digest,
                    keep: true,
                    owned: false,
                    kind_pending: false,
                    source,
                });
            }
        }
        Ok(read)
    }

    async fn try_definition(
        &self,
        instance: &Instance,
        mut object: Object,
        all: &mut Definitions,
    ) -> Result<(), Error> {
        let (kind, id) = (object.kind.clone(), object.id.clone());
        let now = self.writer.get(&kind, &id).await.map_err(Error::api(format!("read {id}")))?;
        if let Some(now) = &now {
            // What else a chart has there is only made.
            if !id.is_definition() {
                return Ok(());
            }
            match self.definer(instance, now).await {
                Some(stranger) if stranger.is_adopted(instance) => all.adopted.push((id.clone(), stranger)),
                Some(stranger) => {
                    all.left.push((id, stranger));
                    return Ok(());
                }
                None => {}
            }
        }
        let answer = loop {
            match self.writer.preview(&object).await {
                // As Helm has it.
                Err(error) if unknown::strip(&mut object, &error) => {}
                answer => break answer,
            }
        };
        let after = match answer {
            Ok(after) => after,
            Err(error) if may_pass(&error) => {
                return Err(Error::api(format!("try to apply {id}"))(error));
            }
            Err(error) => {
                all.refused.push(format!("{id} ({}): {}", object.source, explain_refusal(&error)));
                return Ok(());
            }
        };
        let now = now.unwrap_or_default();
        let former = ownership::has_former(&now);
        if now.is_null() || former || !fields(&now, &after).is_empty() {
            if let Some(body) = object.body.as_object().filter(|_| id.is_definition()) {
                objects::kinds_of_crd(body, &mut all.kinds);
            }
            all.changes.push(Definition { object, now, after, former });
        }
        Ok(())
    }

    /// Whose a definition is that is there, if it is not ours. Those of `crds/` bear no marks: who wrote their fields tells.
    async fn definer(&self, instance: &Instance, now: &Value) -> Option<Stranger> {
        let marks = Marks::of(now);
        let is_marked = marks.owners.iter().any(|owner| owner.controller)
            || [PRIMARY_RESOURCE, RELEASE_NAME].iter().any(|key| marks.annotations.contains_key(*key));
        if is_marked {
            return self.stranger(instance, &marks).await;
        }
        let others = ownership::others(now)?;
        let why = format!("was made by {others} and stays as it is: bring it up to date there");
        Some(Stranger { why, adoptable: true })
    }

    /// Applies what was tried, and waits until the kinds are served as it says. `objects` are to be applied next.
    pub(super) async fn apply_definitions(
        &self,
        instance: &Instance,
        definitions: &Definitions,
        objects: &[&Object],
    ) -> Result<(), Error> {
        let chart = self.chart_of(instance);
        for (id, stranger) in &definitions.left {
            let note = format!("{id} of crds/ {}", stranger.told());
            tracing::warn!(resource = %instance.key, object = %id, "Left a definition that is somebody else's");
            self.events.tell(instance, Severity::Warning, "Define", "DefinitionOfOthers", &note);
        }
        for (id, stranger) in &definitions.adopted {
            self.tell_adopted(instance, id, stranger);
        }
        for Definition { object, former, .. } in &definitions.changes {
            self.still_wanted(instance)?;
            let (kind, id) = (&object.kind, &object.id);
            if *former {
                let taken = self.writer.take_fields(kind, id).await;
                taken.map_err(Error::api(format!("take over the fields of {id}")))?;
            }
            match self.writer.define(object).await {
                Ok(()) => {}
                Err(error) if may_pass(&error) => {
                    return Err(Error::api(format!("apply {id}"))(error));
                }
                Err(error) => {
                    let why = explain_refusal(&error);
                    return Err(Error::Apply(vec![format!("{id} ({}): {why}", object.source)]));
                }
            }
            tracing::info!(resource = %instance.key, object = %id, chart = chart.title(), "Applied a definition of the chart");
            let note = format!("{id} is as chart {} has it", chart.title());
            self.events.tell(instance, Severity::Normal, "Define", "Defined", &note);
        }
        for Definition { object, .. } in &definitions.changes {
            if object.id.is_definition() {
                self.established(&object.kind, &object.id, ESTABLISH).await?;
            }
        }
        if !definitions.changes.is_empty() {
            self.discovery.refresh().await.map_err(Error::api("learn which kinds the cluster serves"))?;
            self.taken_up(instance, &definitions.kinds, objects).await;
        }
        if self.handling(instance, false) == ChartCrds::CreateReplace && definitions.left.is_empty() {
            *lock(&self.defined) = Some(chart.digest);
        }
        Ok(())
    }

    /// Waits until API servers know the fields that changed definitions have: they learn of them in a moment. What then is
    /// refused still is told when it is applied.
    async fn taken_up(&self, instance: &Instance, kinds: &Kinds, objects: &[&Object]) {
        let is_of = |object: &&&Object| {
            let resource = &object.kind.resource;
            kinds.get(&resource.api_version, &resource.kind).is_some()
        };
        let waiting: Vec<&Object> = objects.iter().filter(is_of).copied().collect();
        let known: BTreeMap<ObjectId, ()> = waiting.iter().map(|object| (object.id.clone(), ())).collect();
        let around = Around::new(&waiting, &known, Kinds::default(), false);
        let (until, mut pause) = (Instant::now() + TAKE_UP, Duration::from_millis(50));
        for object in waiting {
            loop {
                let is_behind = match self.try_one(instance, object, &around).await {
                    Verdict::NoKind => true,
                    Verdict::Refused(error, _) => unknown::names_unknown(&error),
                    _ => false,
                };
                if !is_behind || Instant::now() > until {
                    break;
                }
                aside(tokio::time::sleep(pause)).await;
                pause = (pause * 2).min(Duration::from_secs(1));
            }
        }
    }

    /// Whether the newest chart's definitions were applied, and are there.
    fn are_defined(&self, instance: &Instance) -> bool {
        let chart = self.chart_of(instance);
        let served = self.discovery.current();
        let versions = &served.capabilities.api_versions;
        *lock(&self.defined) == Some(chart.digest)
            && chart.crd_versions().iter().all(|version| versions.contains(version))
    }

    /// Lets go of definitions that were rendered before and are in the chart's `crds/` now, whoever sees to those, and
    /// returns what else was dropped.
    pub(super) async fn keep_definitions(
        &self,
        instance: &Instance,
        dropped: Vec<ObjectId>,
        crds: &[Crd],
    ) -> Result<Vec<ObjectId>, Error> {
        let (kept, dropped): (Vec<_>, Vec<_>) =
            dropped.into_iter().partition(|id| id.is_definition() && crds.iter().any(|crd| defines(crd, id)));
        for id in &kept {
            self.free(instance, id).await?;
        }
        Ok(dropped)
    }
}

/// Whether a file has a definition. What cannot be read is taken to have those that it mentions: with a definition all
/// resources of its kind would go.
fn defines(crd: &Crd, id: &ObjectId) -> bool {
    objects::documents(&crd.content.to_lossy()).iter().any(|text| match yaml::to_json(text) {
        Ok(document) => is_or_holds(&document, id),
        Err(_) => text.contains(&*id.name),
    })
}

/// Whether a document is an object, or a list with it.
fn is_or_holds(document: &Value, id: &ObjectId) -> bool {
    let is = |document: &Value| {
        document.get("kind").is_some_and(|kind| *kind == *id.kind)
            && document.pointer("/metadata/name").is_some_and(|name| *name == *id.name)
    };
    let items = document.get("items").and_then(Value::as_array);
    is(document) || items.is_some_and(|items| items.iter().any(is))
}

/// The capabilities that templates see: those of the chart's own `crds/` too where these come first, as they do at an install,
/// for Helm makes them before it renders.
pub(super) fn capabilities(chart: &Loaded, served: &Served, brings_crds: bool) -> Arc<helm::Capabilities> {
    let own = if brings_crds { chart.crd_versions() } else { &[] };
    let known = &served.capabilities.api_versions;
    let missing: Vec<_> = own.iter().filter(|version| !known.contains(version)).cloned().collect();
    if missing.is_empty() {
        return served.capabilities.clone();
    }
    let mut all = helm::Capabilities::clone(&served.capabilities);
    all.api_versions.extend(missing);
    Arc::new(all)
}
