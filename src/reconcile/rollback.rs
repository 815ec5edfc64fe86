//! When an attempt at a release does not work: back to the last good one, which runs on and is kept as it is, until the
//! next attempt is due.

use std::sync::Arc;
use std::time::Duration;

use helm::{Hook, HookEvent};
use tokio::time::Instant;

use super::deploy::Before;
use super::error::Error;
use super::hooks::Attempt;
use super::identity::{Digest, InstanceKey};
use super::ledger::manifests_of;
use super::objects::Objects;
use super::plan::{self, Revision};
use super::render::Seed;
use super::status::Remembered;
use super::tracked::{Failure, Settled};
use super::values::Values;
use super::{Controller, Next, outline, uninstall};
use crate::annotations::{self, ROLLBACK};
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::queue::Backoff;
use crate::release::{self, Info, Record, RecordBytes, State};

/// So many steps of the growing delay are left out after a rollback: each attempt restarts what runs.
const STEPS_AFTER_ROLLBACK: u32 = 3;

/// The same after a render that ran out of time or steps: each attempt takes as much again.
const STEPS_AFTER_EXHAUSTION: u32 = 6;

/// When the cluster serves other kinds than at the last attempt, the next one is brought forward, but not to before this:
/// on some clusters kinds come and go all the time.
const OTHER_KINDS: Duration = Duration::from_secs(10);

/// An attempt that failed after its record was written.
pub(super) struct Broken<'a> {
    pub(super) record: Record,
    pub(super) revision: Revision,
    /// What it was to apply.
    pub(super) objects: &'a Objects,
    pub(super) before: &'a Before,
    /// Whether it changed objects.
    pub(super) touched: bool,
    /// Whether the same was tried before and failed.
    pub(super) repeats: bool,
    /// Of its random values.
    pub(super) seed: Option<Seed>,
}

impl Controller {
    /// Works towards a release that is not there yet, unless the same was tried a moment ago and failed.
    pub(super) async fn advance(
        &self,
        instance: &Instance,
        values: &Values,
        inputs: Digest,
        settled: Option<Arc<Settled>>,
    ) -> Result<Next, Error> {
        let (attempt, capabilities) = (attempt(instance, inputs), self.discovery.current().digest);
        let failure = self.failure(&instance.key).filter(|failure| failure.attempt == attempt);
        let due = failure.as_ref().map(|one| match one.capabilities == capabilities {
            true => one.until,
            false => one.until_kinds_change,
        });
        let wait = due.map_or(Duration::ZERO, |due| due.duration_since(Instant::now()));
        if let (Some(failure), false) = (&failure, wait.is_zero()) {
            if let Some(settled) = self.guard(instance).await {
                self.report_guarded(instance, &settled, failure).await;
            }
            return Ok(Next::Soon(wait));
        }
        let result = self.deploy(instance, values, inputs, settled).await;
        match &result {
            Ok(_) => self.forget_failure(instance),
            Err(error) if error.is_passing() => {}
            Err(error) => {
                let count = failure.map_or(0, |failure| failure.count).saturating_add(1);
                self.note_failure(instance, error, inputs, attempt, capabilities, count);
                self.end_overtaken(instance, values).await;
                self.move_failed(instance);
            }
        }
        result
    }

    /// The attempt that failed last.
    pub(super) fn failure(&self, key: &InstanceKey) -> Option<Failure> {
        self.tracked().get(key).and_then(|tracked| tracked.failure.clone())
    }

    pub(super) fn forget_failure(&self, instance: &Instance) {
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.failure = None;
        }
    }

    fn note_failure(
        &self,
        instance: &Instance,
        error: &Error,
        inputs: Digest,
        attempt: Digest,
        capabilities: Digest,
        count: u32,
    ) {
        let delay = pause(error, count, self.queue.backoff(), self.period_of(instance), &instance.key);
        let installed = instance.status().get("deployedRelease").is_some();
        let failure = Failure {
            inputs,
            attempt,
            capabilities,
            count,
            until: Instant::now() + delay,
            until_kinds_change: Instant::now()
                + if is_costly(error) { delay } else { delay.min(OTHER_KINDS) },
            condition: error.condition(installed),
            reason: error.reason(),
            message: error.to_string().into(),
        };
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.failure = Some(failure);
        }
    }

    /// Records that an attempt failed, and goes back to the last good release if objects were changed. Returns what to
    /// tell the user.
    pub(super) async fn fall_back(&self, instance: &Instance, broken: Broken<'_>, error: Error) -> Error {
        if broken.touched
            && let Some(tracked) = self.tracked().get_mut(&instance.key)
        {
            tracked.settled = None;
            tracked.disturbed = true;
        }
        // The record stays pending: the next attempt goes on under its number.
        if error.is_passing() {
            return error;
        }
        let back = broken.touched && self.goes_back(instance);
        let target = broken.revision.follows.filter(|_| back);
        // The same failure again is not worth another line of history, where the way back leads to a deployed revision.
        let again = target.is_some() && broken.repeats && !broken.revision.recorded;
        if !again {
            self.record_failure(instance, &broken, &error).await;
        }
        let Some(to) = target else { return error };
        let cause = Box::new(error);
        match self.go_back(instance, &broken, to, again).await {
            Ok(revision) => {
                let note = format!("went back to revision {to}");
                tracing::info!(resource = %instance.key, to, "Rolled back release");
                self.events.tell(instance, Severity::Normal, "Rollback", "RolledBack", &note);
                Error::RolledBack { cause, to, revision }
            }
            Err(Error::Overtaken) => Error::Overtaken,
            Err(why) => {
                if again {
                    self.record_failure(instance, &broken, &cause).await;
                }
                Error::Between { cause, to, why: Box::new(why) }
            }
        }
    }

    async fn record_failure(&self, instance: &Instance, broken: &Broken<'_>, error: &Error) {
        let mut record = broken.record.clone();
        record.info.status = State::Failed;
        record.info.description = format!("Release {:?} failed: {error}", record.name);
        // The cause matters more than a record of it.
        if let Err(second) = self.write_record(instance, &record, true, broken.seed).await {
            tracing::warn!(resource = %instance.key, error = %second, "Cannot record the failure");
        }
    }

    /// Whether failed upgrades of a resource are rolled back.
    pub(super) fn goes_back(&self, instance: &Instance) -> bool {
        annotations::switch(instance, ROLLBACK).unwrap_or(self.watch.rollback_on_failure)
    }

    /// Applies a recorded revision again, with its rollback hooks, and records that; returns the new revision. With
    /// `again` the attempt leaves no trace in the history.
    async fn go_back(
        &self,
        instance: &Instance,
        broken: &Broken<'_>,
        to: i64,
        again: bool,
    ) -> Result<Option<i64>, Error> {
        let Some((record, _, bytes)) = self.stored(instance, to).await? else {
            return Err(Error::Outlined(to));
        };
        let objects = self.recorded(instance, &record)?;
        let hooks: Vec<Hook> = record.hooks.iter().filter_map(uninstall::hook).collect();
        // The attempt may have taken the finalizer off that the old objects need.
        let current = self.instances.get(&instance.key).ok_or(Error::Overtaken)?;
        self.settle_finalizer(&current, &objects, &hooks).await?;
        self.run_hooks(instance, &hooks, HookEvent::PreRollback, Attempt::FROM_THE_START).await?;
        let settled = self.restore(instance, &record, &objects, broken.before.settled.as_deref()).await?;
        let tried = broken.objects.list.iter().map(|object| object.id.clone());
        self.prune(instance, &plan::dropped(&objects, tried)).await?;
        self.run_hooks(instance, &hooks, HookEvent::PostRollback, Attempt::FROM_THE_START).await?;
        self.remember(instance, Arc::new(settled));
        let history = self.history(instance).await?;
        if again {
            let place = self.place(instance);
            for entry in history.iter().filter(|entry| entry.revision == broken.revision.number) {
                let gone = self.records.delete(place.namespace, place.release, entry).await;
                gone.map_err(Error::api("delete the record of a repeated attempt"))?;
            }
            return Ok(None);
        }
        self.trim_history(instance, &history).await?;
        let number = broken.revision.number.saturating_add(1);
        self.write_way_back(instance, &record, &bytes, to, number).await?;
        self.supersede(instance, &history, number).await?;
        Ok(Some(number))
    }

    async fn write_way_back(
        &self,
        instance: &Instance,
        record: &Record,
        bytes: &RecordBytes,
        to: i64,
        number: i64,
    ) -> Result<(), Error> {
        let info = Info {
            status: State::Deployed,
            description: format!("Rollback to {to}"),
            last_deployed: release::timestamp(jiff::Timestamp::now()),
            ..record.info.clone()
        };
        // It was readable a moment ago.
        let Ok(bytes) = release::as_revision(bytes, &info, number) else { return Err(Error::Outlined(to)) };
        let written = self.records.create(&self.place(instance), number, State::Deployed, &bytes).await;
        written.map_err(Error::api("write the record of the way back"))
    }

    /// The objects of a recorded release, as far as the cluster serves their kinds now.
    pub(super) fn recorded(&self, instance: &Instance, record: &Record) -> Result<Objects, Error> {
        if record.manifest.starts_with(outline::MARK) {
            return Err(Error::Outlined(record.version));
        }
        let (objects, missing) = self.reachable(instance, &manifests_of(&record.manifest))?;
        for problem in missing {
            tracing::warn!(resource = %instance.key, %problem, "Cannot keep an object");
        }
        Ok(objects)
    }

    /// Applies a recorded release as it was. `known` is what is remembered of it.
    async fn restore(
        &self,
        instance: &Instance,
        record: &Record,
        objects: &Objects,
        known: Option<&Settled>,
    ) -> Result<Settled, Error> {
        let all: Vec<_> = objects.list.iter().collect();
        // What was written in another way than by applying would stay.
        let ids: Vec<_> = all.iter().map(|object| object.id.clone()).collect();
        self.take_fields(&all, &ids).await?;
        let applied = self.apply_all(instance, &all).await?;
        if let Some(known) = known {
            return Ok(Settled { objects: applied, ..known.clone() });
        }
        let Remembered { scaled, seal, .. } = Remembered::read(&instance.status());
        let hooks: Vec<Hook> = record.hooks.iter().filter_map(uninstall::hook).collect();
        Ok(Settled {
            // Of no inputs we know: whatever the resource says is worth an attempt.
            inputs: Digest::default(),
            chart: seal.map(|seal| seal.chart).unwrap_or_default(),
            rendered: Digest::default(),
            capabilities: Digest::default(),
            first_capabilities: Digest::default(),
            revision: record.version,
            is_install: false,
            lookups: Some(Vec::new()),
            renew_at: None,
            finalizer: self.needs_finalizer(instance, objects, &hooks),
            first_deployed: None,
            as_recorded: false,
            scaled: applied.iter().map(|one| &one.id).find(|id| scaled == Some(id.to_string())).cloned(),
            objects: applied,
        })
    }

    /// While an upgrade fails, sees to it that the release that runs stays as it is. Trouble with that is logged: the
    /// user is told of the failure itself.
    pub(super) async fn guard(&self, instance: &Instance) -> Option<Arc<Settled>> {
        self.tell_unrecorded(instance);
        let guarded = match self.settled(&instance.key) {
            Some(settled) => self.guard_known(instance, settled).await.map(Some),
            None => self.guard_recorded(instance).await,
        };
        let guarded = match guarded {
            Ok(Some(settled)) => self.hold_fast(instance, &settled).await.map(|()| Some(settled)),
            guarded => guarded,
        };
        guarded.unwrap_or_else(|error| {
            tracing::warn!(resource = %instance.key, %error, "Cannot keep what runs as it is");
            None
        })
    }

    /// The same as far as it asks for nothing where nothing has changed.
    pub(super) async fn guard_in_memory(&self, instance: &Instance) {
        if self.settled(&instance.key).is_some() {
            self.guard(instance).await;
        }
    }

    /// What is in memory of the release that runs.
    pub(super) fn settled(&self, key: &InstanceKey) -> Option<Arc<Settled>> {
        self.tracked().get(key).and_then(|tracked| tracked.settled.clone())
    }

    async fn guard_known(&self, instance: &Instance, settled: Arc<Settled>) -> Result<Arc<Settled>, Error> {
        let drift = self.drift(instance, &settled);
        let is_pass_due = self.is_pass_due(instance, &settled);
        if drift.is_empty() && !is_pass_due {
            return Ok(settled);
        }
        let history = self.history(instance).await?;
        let deployed = release::deployed(&history);
        let Some(deployed) = deployed else { return Ok(settled) };
        let Some((record, ..)) = self.stored(instance, deployed.revision).await? else { return Ok(settled) };
        let objects = self.recorded(instance, &record)?;
        let settled = self.put_back(instance, &settled, &objects, &drift).await?;
        if is_pass_due { self.apply_again(instance, &settled, &objects).await } else { Ok(settled) }
    }

    /// After a restart only the record knows what runs.
    async fn guard_recorded(&self, instance: &Instance) -> Result<Option<Arc<Settled>>, Error> {
        let history = self.history(instance).await?;
        let deployed = release::deployed(&history);
        let is_last = deployed.is_some() && deployed == history.last();
        let Some(deployed) = deployed.filter(|_| is_last || self.goes_back(instance)) else {
            return Ok(None);
        };
        // What others deployed is taken over by an attempt that works, and not before.
        let is_own = deployed.owner.as_ref().is_some_and(|owner| owner.uid == *instance.uid);
        if !is_own && Remembered::read(&instance.status()).seal.is_none() {
            return Ok(None);
        }
        let Some((record, ..)) = self.stored(instance, deployed.revision).await? else { return Ok(None) };
        let objects = self.recorded(instance, &record)?;
        let settled = Arc::new(self.restore(instance, &record, &objects, None).await?);
        self.remember(instance, settled.clone());
        self.supersede(instance, &history, record.version).await?;
        Ok(Some(settled))
    }
}

/// How long to wait after an attempt that failed, the `count`th in a row. What others have becomes free without a word to
/// us, so that is looked at again each period.
fn pause(error: &Error, count: u32, backoff: Backoff, period: Duration, key: &InstanceKey) -> Duration {
    let left_out = match error {
        Error::RolledBack { .. } | Error::Between { .. } => STEPS_AFTER_ROLLBACK,
        error if is_costly(error) => STEPS_AFTER_EXHAUSTION,
        _ => 0,
    };
    let delay = backoff.delay(count.saturating_add(left_out), key);
    if error.waits_for_others() { delay.min(period) } else { delay }
}

/// Whether the next attempt is likely to take as much of the machine as the last one, to the same end.
fn is_costly(error: &Error) -> bool {
    matches!(error, Error::Render(error) if error.is_exhaustion())
}

/// Of everything a user can say that may make an attempt end otherwise than the last one.
fn attempt(instance: &Instance, inputs: Digest) -> Digest {
    let mut parts = vec![inputs.to_string()];
    parts.extend(instance.annotations.iter().flat_map(|(key, text)| [key.to_string(), text.to_string()]));
    Digest::of(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_have_is_tried_again_each_period() {
        let key = InstanceKey::new("ns", "web");
        let minute = Duration::from_secs(60);
        let pause = |error: &Error, count| super::pause(error, count, Backoff::default(), minute, &key);
        let foreign = Error::Foreign(vec!["ConfigMap shared belongs to Web first".to_owned()]);
        let refused = Error::Refused(vec!["ConfigMap shared: no".to_owned()]);
        assert_eq!(pause(&foreign, 20), minute);
        assert!(pause(&foreign, 1) < Duration::from_secs(2), "it may be free at once");
        assert!(pause(&refused, 20) > Duration::from_secs(200));
        let back = Error::RolledBack { cause: Box::new(refused), to: 1, revision: None };
        assert!(pause(&back, 1) > Duration::from_secs(6));
    }
}
