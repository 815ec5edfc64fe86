//! Install and upgrade: from a resource whose inputs changed to a release that is applied and recorded.
//!
//! ```text
//! history → revision → render → objects → dry run of all → finalizer → record (pending) → hooks → waves → prune → hooks
//!         → record (deployed) → status
//! ```
//! Nothing is written before the dry run has passed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helm::{Crd, Hook, HookEvent, Rendered};

use super::crds::{Definitions, capabilities};
use super::error::Error;
use super::hooks::Attempt;
use super::identity::{Digest, ObjectId};
use super::objects::{self, Object, Objects};
use super::outside::{ClusterOutside, Draw, SeedState};
use super::plan::{self, Revision};
use super::render::{Job, Output};
use super::rollback::Broken;
use super::status::Remembered;
use super::tracked::{Expected, Settled, seal_of_observed};
use super::values::Values;
use super::{Controller, Next, uninstall};
use crate::annotations::{
    INSTALL_DESCRIPTION, INSTALL_DISABLE_HOOKS, PLAN, RECONCILE_NOW, UPGRADE_DESCRIPTION,
    UPGRADE_DISABLE_HOOKS, is_true,
};
use crate::cluster::discovery::Served;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::release::{self, State};

/// Helm's limit on release names.
const LONGEST_NAME: usize = 53;

/// While a render takes long, whether it is still wanted is looked after so often.
const LOOK_AFTER: Duration = Duration::from_secs(1);

/// The release that a deploy replaces, as far as it is known.
#[derive(Default)]
pub(super) struct Before {
    /// Objects that were applied, in memory.
    pub(super) settled: Option<Arc<Settled>>,
    /// What its stored manifest names.
    pub(super) recorded: Vec<ObjectId>,
    pub(super) first_deployed: Option<String>,
    /// The revision and hooks of an attempt that did not come to a good end.
    attempted: Option<(i64, Vec<Hook>)>,
}

impl Controller {
    /// Brings a resource that is to live to what its spec says.
    pub(super) async fn pursue(&self, instance: &Instance) -> Result<Next, Error> {
        check_name(&instance.key.name)?;
        self.check_pin(instance)?;
        let values = self.values(instance)?;
        let inputs = self.inputs(instance, &values);
        let settled = if is_asked_anew(instance) { None } else { self.recall(instance, Some(inputs)) };
        match &settled {
            Some(settled) if settled.inputs == inputs => self.keep(instance, &values, settled).await,
            _ if is_true(instance, PLAN) => {
                self.end_overtaken(instance, &values).await;
                let held = self.planned(instance).await?;
                self.stay(instance, settled, &held).await
            }
            _ => match self.held(instance).await? {
                Some(held) => {
                    self.end_overtaken(instance, &values).await;
                    self.stay(instance, settled, &held).await
                }
                None => self.advance(instance, &values, inputs, settled).await,
            },
        }
    }

    /// Of all that a user gives a release: its chart and its values.
    pub(super) fn inputs(&self, instance: &Instance, values: &Values) -> Digest {
        Digest::of([self.chart_of(instance).digest.0.to_le_bytes(), values.digest.0.to_le_bytes()])
    }

    /// What is known of the running release: from memory, or from the status and the watched objects after a restart.
    /// With `inputs` only if it was made of them.
    pub(super) fn recall(&self, instance: &Instance, inputs: Option<Digest>) -> Option<Arc<Settled>> {
        let known = self.tracked().get(&instance.key).map(|one| (one.settled.clone(), one.disturbed));
        match known {
            Some((Some(settled), _)) => return Some(settled),
            // What was changed within a second of what was there cannot be told from it.
            Some((None, true)) => return None,
            _ => {}
        }
        let remembered = Remembered::read(&instance.status());
        let (seal, revision) = (remembered.seal?, remembered.revision?);
        let observed = self.dependents.of(&instance.key);
        let same = inputs.is_none_or(|inputs| {
            remembered.observed_generation == instance.generation && seal.inputs == inputs
        });
        if !remembered.applied || !same || seal.objects != seal_of_observed(&observed) {
            return None;
        }
        let served = self.discovery.current();
        let kinds: Vec<_> = remembered.kinds.iter().filter_map(|text| served.kinds.parse(text)).collect();
        let mut objects = Vec::with_capacity(observed.len());
        for (id, one) in &observed {
            let kind = kinds.iter().find(|kind| kind.is_kind_of(id))?;
            objects.push(Expected {
                id: id.clone(),
                kind: (*kind).clone(),
                body: None,
                uid: one.uid.clone(),
                fields: one.fields,
                fleeting: one.fleeting,
            });
        }
        objects.sort_by(|a, b| super::order::rank(&a.id.kind).cmp(&super::order::rank(&b.id.kind)));
        let settled = Arc::new(Settled {
            inputs: seal.inputs,
            chart: seal.chart,
            rendered: seal.rendered,
            capabilities: seal.capabilities,
            first_capabilities: seal.capabilities,
            revision,
            is_install: remembered.is_install,
            lookups: (!seal.looks_up).then(Vec::new),
            scaled: objects
                .iter()
                .map(|one| &one.id)
                .find(|id| remembered.scaled == Some(id.to_string()))
                .cloned(),
            renew_at: seal.renew_at,
            finalizer: seal.finalizer,
            first_deployed: None,
            as_recorded: seal.as_recorded,
            objects,
        });
        self.remember(instance, settled.clone());
        Some(settled)
    }

    pub(super) fn remember(&self, instance: &Instance, settled: Arc<Settled>) {
        let served = self.discovery.current();
        let asked = settled.lookups.iter().flatten();
        let asked = asked.filter_map(|one| Some((one, served.kinds.get(&one.api_version, &one.kind)?)));
        self.lookups.follow(&instance.key, asked);
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.settled = Some(settled);
            tracked.disturbed = false;
        }
    }

    pub(super) async fn deploy(
        &self,
        instance: &Instance,
        values: &Values,
        inputs: Digest,
        settled: Option<Arc<Settled>>,
    ) -> Result<Next, Error> {
        let history = self.history(instance).await?;
        let mut before = Before { settled, ..Before::default() };
        let began = before.settled.as_deref().and_then(|settled| settled.began(history.last()));
        before.first_deployed = began.map(str::to_owned);
        if let Some(last) = history.last().filter(|_| before.first_deployed.is_none()) {
            let stored = self.stored(instance, last.revision).await?;
            if let Some((record, chart, bytes)) = stored {
                self.check_chart(instance, &chart)?;
                before.first_deployed = Some(record.info.first_deployed.clone());
                before.recorded = self.ids_of(instance, &record.manifest);
                if last.is_open_attempt_of(&instance.uid) {
                    let hooks = record.hooks.iter().filter_map(uninstall::hook).collect();
                    before.attempted = Some((last.revision, hooks));
                }
                if before.settled.is_none()
                    && last.state == State::Deployed
                    && chart.version == self.chart_of(instance).chart().metadata.version
                    && let Some(next) = self.take_up(instance, values, inputs, last, &record, &bytes).await?
                {
                    self.settle_history(instance, &history, last.revision).await?;
                    return Ok(next);
                }
            }
        }
        if before.settled.is_none() {
            before.recorded.extend(self.ids_of_deployed(instance, history.last()).await?);
            self.check_gaps(instance, inputs).await?;
        }
        let repeats = self.failure(&instance.key).is_some_and(|failure| failure.inputs == inputs);
        let revision = plan::next_revision(&history, repeats);
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.never_deployed = revision.is_install && !history.is_empty();
        }
        let draw = if self.wants_fresh_values(instance) { Draw::Anew } else { Draw::AsBefore };
        let (output, outside) =
            self.render_drawing(instance, values, revision.number, revision.is_install, draw).await?;
        let crds = self.crds_of(instance, &output.rendered, revision.is_install);
        let (objects, served) = self.build(instance, &output.rendered, crds).await?;
        let definitions = self.try_definitions(instance, crds, &objects, revision.is_install).await?;
        self.tell_conversions(instance, &objects);
        self.tell_overrides(instance);

        let observed = self.dependents.of(&instance.key);
        let sent = before.settled.as_ref().map_or(&[][..], |settled| &settled.objects);
        let gone = plan::dropped(&objects, before.recorded.iter().cloned());
        self.check_reach(&served, &gone).await?;
        let to_write = plan::to_write(&objects, sent, &observed);
        let mut known: BTreeMap<ObjectId, ()> = observed.keys().map(|id| (id.clone(), ())).collect();
        known.extend(sent.iter().map(|one| (one.id.clone(), ())));
        let trial = self.try_all(instance, &to_write, &known, &definitions).await?;
        self.check_strangers(instance, &trial.strangers, &to_write).await?;
        for warning in &trial.warnings {
            tracing::warn!(resource = %instance.key, warning, "The API server warns");
        }

        self.still_wanted(instance)?;
        let finalizer = self.settle_finalizer(instance, &objects, &output.rendered.hooks).await?;
        let kept = match &before.settled {
            Some(settled) => settled.as_recorded,
            None => Remembered::read(&instance.status()).seal.is_some_and(|seal| seal.as_recorded),
        };
        self.tell_drawn(instance, release::deployed(&history), kept, &outside);
        self.store_seed(instance, &outside).await?;
        self.stop_former_hooks(instance, &before, &output.rendered.hooks).await?;
        let seed = self.seed_of(instance, &outside);
        let mut record = self.record(instance, values, &output.rendered, revision, &before);
        let pending = self.write_record(instance, &record, revision.recorded, seed).await?;
        self.take_fields(&to_write, &trial.former).await?;

        let mut touched = false;
        let done = self
            .carry_out(
                instance,
                &output.rendered,
                &definitions,
                &objects,
                &to_write,
                &before,
                revision,
                &mut touched,
            )
            .await;
        let applied = match done {
            Ok(applied) => applied,
            Err(error) => {
                let (objects, before) = (&objects, &before);
                let broken = Broken { record, revision, objects, before, touched, repeats, seed };
                let error = self.fall_back(instance, broken, error).await;
                if let Err(error) = self.make_room(instance, revision, &history).await {
                    tracing::warn!(resource = %instance.key, %error, "Cannot clear away old records");
                }
                return Err(error);
            }
        };
        record.info.status = State::Deployed;
        record.info.description = description(instance, revision.is_install);
        self.conclude_record(instance, &record, &pending, seed).await?;
        self.keep_seed(instance, &outside).await;
        let scaled = self.find_scaled(instance, values, &objects, revision.number, revision.is_install).await;
        let settled = Arc::new(Settled {
            inputs,
            chart: self.chart_of(instance).digest,
            rendered: output.digest,
            capabilities: served.digest,
            first_capabilities: served.digest,
            revision: revision.number,
            is_install: revision.is_install,
            lookups: Some(output.lookups),
            scaled,
            renew_at: output.renew_at,
            finalizer,
            first_deployed: Some(record.info.first_deployed.into()),
            as_recorded: false,
            objects: applied,
        });
        self.remember(instance, settled.clone());
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.never_deployed = false;
        }
        let reported = self.report_applied(instance, &settled, Some(&output.rendered));
        let (_, trimmed) = futures::join!(reported, self.make_room(instance, revision, &history));
        self.tell_deployed(instance, revision);
        trimmed?;
        self.settle_history(instance, &history, revision.number).await?;
        Ok(Next::Settled)
    }

    /// Sets the finalizer if objects, hooks or the user need it, and takes it off if not; returns whether the former do.
    pub(super) async fn settle_finalizer(
        &self,
        instance: &Instance,
        objects: &Objects,
        hooks: &[Hook],
    ) -> Result<bool, Error> {
        let needed = self.needs_finalizer(instance, objects, hooks);
        let now = self.instances.get(&instance.key);
        let wanted = self.wants_finalizer(now.as_deref().unwrap_or(instance));
        self.set_finalizer(instance, needed || wanted).await?;
        Ok(needed)
    }

    /// Whether a release cannot be left to Kubernetes when its resource is deleted.
    pub(super) fn needs_finalizer(&self, instance: &Instance, objects: &Objects, hooks: &[Hook]) -> bool {
        let out_of_reach = !self.hooks_out_of_reach(instance, hooks).is_empty();
        plan::needs_finalizer(objects, hooks, out_of_reach)
    }

    /// Applies hooks, objects and prunes; returns all objects of the release as they were left. `touched` tells whether
    /// it got as far as changing some.
    #[allow(clippy::too_many_arguments)]
    async fn carry_out(
        &self,
        instance: &Instance,
        rendered: &Rendered,
        definitions: &Definitions,
        objects: &Objects,
        to_write: &[&Object],
        before: &Before,
        revision: Revision,
        touched: &mut bool,
    ) -> Result<Vec<Expected>, Error> {
        let (pre, post) = if revision.is_install {
            (HookEvent::PreInstall, HookEvent::PostInstall)
        } else {
            (HookEvent::PreUpgrade, HookEvent::PostUpgrade)
        };
        if revision.is_install && self.creates_crds(instance) {
            self.install_crds(instance, &rendered.crds).await?;
        }
        self.apply_definitions(instance, definitions, to_write).await?;
        let no_hooks = if revision.is_install { INSTALL_DISABLE_HOOKS } else { UPGRADE_DISABLE_HOOKS };
        let hooks = if is_true(instance, no_hooks) { &[] } else { &*rendered.hooks };
        let attempt = Attempt { revision: revision.number, resumes: revision.resumes };
        self.run_hooks(instance, hooks, pre, attempt).await?;
        *touched = true;
        let written = self.apply_all(instance, to_write).await?;
        // While hooks worked some of it may have been put back.
        let settled = before.settled.as_ref().and_then(|_| self.settled(&instance.key));
        let sent = settled.as_ref().map_or(&[][..], |settled| &settled.objects);
        let mut applied = merge(objects, written, sent);
        let observed = self.dependents.of(&instance.key);
        let earlier = sent.iter().map(|one| one.id.clone()).chain(observed.keys().cloned());
        let dropped = plan::dropped(objects, earlier.chain(before.recorded.iter().cloned()));
        let dropped = self.keep_definitions(instance, dropped, &rendered.crds).await?;
        self.prune(instance, &dropped).await?;
        if dropped.iter().any(|id| &*id.kind == "HorizontalPodAutoscaler") {
            self.rescale(instance, objects, &mut applied).await?;
        }
        self.run_hooks(instance, hooks, post, attempt).await?;
        Ok(applied)
    }

    /// Ends hooks of an attempt before that are not hooks of this one.
    async fn stop_former_hooks(
        &self,
        instance: &Instance,
        before: &Before,
        hooks: &[Hook],
    ) -> Result<(), Error> {
        let Some((revision, former)) = &before.attempted else { return Ok(()) };
        let is_now = |former: &&Hook| hooks.iter().any(|hook| hook.manifest == former.manifest);
        let former: Vec<_> = former.iter().filter(|former| !is_now(former)).cloned().collect();
        self.stop_hooks(instance, &former, *revision).await
    }

    /// Renders a release.
    pub(super) async fn render(
        &self,
        instance: &Instance,
        values: &Values,
        revision: i64,
        is_install: bool,
    ) -> Result<(Output, Arc<ClusterOutside>), Error> {
        self.render_drawing(instance, values, revision, is_install, Draw::AsBefore).await
    }

    /// The same, with these random values.
    pub(super) async fn render_drawing(
        &self,
        instance: &Instance,
        values: &Values,
        revision: i64,
        is_install: bool,
        draw: Draw,
    ) -> Result<(Output, Arc<ClusterOutside>), Error> {
        let served = self.discovery.current();
        let seed = self.tracked().get(&instance.key).and_then(|tracked| tracked.seed);
        let outside = Arc::new(ClusterOutside {
            client: self.client.clone(),
            runtime: tokio::runtime::Handle::current(),
            served: served.clone(),
            seeds: self.seeds.clone(),
            records: self.records.clone(),
            namespace: self.release_namespace(&instance.key).to_owned(),
            release: self.release_name(&instance.key).to_owned(),
            draw,
            seed: Mutex::new(
                seed.filter(|_| draw == Draw::AsBefore).map(SeedState::Stored).unwrap_or_default(),
            ),
        });
        let chart = self.chart_of(instance);
        let job = Job {
            chart: chart.compiled.clone(),
            values: values.frozen.clone(),
            release: helm::Release {
                name: self.release_name(&instance.key).to_owned(),
                namespace: self.release_namespace(&instance.key).to_owned(),
                revision,
                is_upgrade: !is_install,
            },
            capabilities: capabilities(chart, &served, self.brings_crds(instance, is_install)),
            outside: outside.clone(),
            now: jiff::Timestamp::now().as_second(),
            skip_schema_validation: self.watch.skip_schema_validation,
        };
        let output = tokio::select! {
            output = self.renderer.render(job) => output?,
            () = self.outdated(instance) => return Err(Error::Overtaken),
        };
        for warning in &output.rendered.warnings {
            tracing::debug!(resource = %instance.key, warning, "The chart warns");
        }
        if let SeedState::Stored(seed) = outside.seed_state()
            && let Some(tracked) = self.tracked().get_mut(&instance.key)
        {
            tracked.seed = Some(seed);
        }
        Ok((output, outside))
    }

    /// Waits until work on a resource is in vain, for it has changed or is to go.
    async fn outdated(&self, instance: &Instance) {
        let now = || self.instances.get(&instance.key).filter(|now| now.uid == instance.uid);
        let was_there = now().is_some();
        loop {
            tokio::time::sleep(LOOK_AFTER).await;
            let is_outdated = match now() {
                Some(now) => now.generation > instance.generation || now.deleting != instance.deleting,
                None => was_there,
            };
            if is_outdated {
                return;
            }
        }
    }

    /// Makes objects of what was rendered; a kind that is missed may have come since the cluster was last asked. `crds`
    /// are those that will be made first.
    pub(super) async fn build(
        &self,
        instance: &Instance,
        rendered: &Rendered,
        crds: &[Crd],
    ) -> Result<(Objects, Arc<Served>), Error> {
        let api_version = self.watch.api_version.to_string();
        let owner = self.owner(instance, &api_version);
        let served = self.discovery.current();
        let problems = match objects::build(&rendered.manifests, crds, &owner, &served.kinds) {
            Ok(objects) => return Ok((objects, served)),
            Err(problems) => problems,
        };
        if !problems.iter().any(|problem| problem.what.may_pass()) {
            return Err(Error::Objects(problems));
        }
        let asked = self.discovery.refresh_after_miss().await;
        asked.map_err(Error::api("learn which kinds the cluster serves"))?;
        let served = self.discovery.current();
        let objects =
            objects::build(&rendered.manifests, crds, &owner, &served.kinds).map_err(Error::Objects)?;
        Ok((objects, served))
    }

    /// The identities of the objects in a stored manifest; what cannot be read is left out.
    pub(super) fn ids_of(&self, instance: &Instance, manifest: &str) -> Vec<ObjectId> {
        let served = self.discovery.current();
        let namespace = self.release_namespace(&instance.key);
        objects::ids(manifest, namespace, &served.kinds)
    }

    fn tell_conversions(&self, instance: &Instance, objects: &Objects) {
        for conversion in &objects.conversions {
            tracing::warn!(resource = %instance.key, conversion, "An object was brought to a served API version");
            self.events.tell(instance, Severity::Warning, "Convert", "ApiVersionConverted", conversion);
        }
        for duplicate in &objects.duplicates {
            tracing::warn!(resource = %instance.key, duplicate, "An object has entries more than once");
            self.events.tell(instance, Severity::Warning, "Convert", "DuplicateEntries", duplicate);
        }
    }

    fn tell_deployed(&self, instance: &Instance, revision: Revision) {
        let chart = self.chart_of(instance).title();
        let (action, reason) =
            if revision.is_install { ("Install", "Installed") } else { ("Upgrade", "Upgraded") };
        let note = format!("{reason} {chart}, revision {}", revision.number);
        tracing::info!(
            kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
            release = %instance.key.name, revision = revision.number, "{reason} release"
        );
        self.events.tell(instance, Severity::Normal, action, reason, &note);
    }
}

/// Whether the user asks for everything to be looked at and applied again.
pub(super) fn is_asked_anew(instance: &Instance) -> bool {
    let asked = instance.annotations.get(RECONCILE_NOW);
    asked.is_some_and(|asked| Remembered::read(&instance.status()).handled.as_deref() != Some(&**asked))
}

/// What the record says of a success.
pub(super) fn description(instance: &Instance, is_install: bool) -> String {
    let (annotation, usual) = if is_install {
        (INSTALL_DESCRIPTION, "Install complete")
    } else {
        (UPGRADE_DESCRIPTION, "Upgrade complete")
    };
    instance.annotations.get(annotation).map_or(usual, |text| &**text).to_owned()
}

pub(super) fn check_name(name: &str) -> Result<(), Error> {
    if name.len() > LONGEST_NAME {
        return Err(Error::Name(format!(
            "the name {name:?} has {} characters, and as the name of a Helm release it may have {LONGEST_NAME}: make \
             the resource anew under a shorter name",
            name.len()
        )));
    }
    Ok(())
}

/// What was written just now, and for the rest what was written before.
fn merge(objects: &Objects, written: Vec<Expected>, before: &[Expected]) -> Vec<Expected> {
    let mut known: BTreeMap<ObjectId, Expected> =
        before.iter().cloned().chain(written).map(|one| (one.id.clone(), one)).collect();
    objects.list.iter().filter_map(|object| known.remove(&object.id)).collect()
}
