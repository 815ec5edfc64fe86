//! Writes the status, when there is something new to say.

use super::Controller;
use super::error::Error;
use super::health::{Health, needs_status};
use super::ledger::manifest_text;
use super::status::{
    Failing, MOST_NAMED, ReleaseFacts, Report, Resources, Situation, next, patch, release_part, tells, time,
    unwatched,
};
use super::tracked::{Dependent, Expected, Failure, Said, Settled};
use super::values::Values;
use crate::annotations::RECONCILE_NOW;
use crate::cluster::error::explain;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::cluster::refused::Lack;
use crate::release;
use serde_json::Value;
use std::collections::BTreeSet;

/// The parts of the status that hold words of others.
const WORDS: &[&str] = &["conditions", "plan"];

impl Controller {
    /// Tells that work is under way which takes long enough to tell.
    pub(super) async fn report_working(&self, instance: &Instance, message: &str) {
        self.report(instance, Situation::Working(message), None, None).await;
    }

    /// Tells that everything is applied, and how it is. `new` is given when the release is. Returns whether the status said
    /// so already.
    pub(super) async fn report_applied(
        &self,
        instance: &Instance,
        settled: &Settled,
        new: Option<&helm::Rendered>,
    ) -> bool {
        let mut resources = self.resources(instance, settled);
        self.tell_unwatched(instance, &resources.unwatched);
        self.watch_the_clock(instance, &mut resources);
        let release = new.map(|rendered| ReleaseFacts {
            name: self.release_name(&instance.key),
            revision: settled.revision,
            is_install: settled.is_install,
            chart: &self.chart_of(instance).chart().metadata,
            notes: &rendered.notes,
            manifest: self.status_manifest.then(|| manifest_text(rendered)),
        });
        let is_ready = resources.ready == resources.total && !resources.failed;
        let is_late = resources.overdue.is_some();
        let has_no_news = self.report(instance, Situation::Applied, release, Some(resources)).await;
        if is_ready {
            self.moved(instance);
        } else if is_late {
            self.is_late(instance);
        }
        has_no_news
    }

    /// Tells how a settled release is. What the status says of the release itself is made good where somebody changed it.
    pub(super) async fn report_kept(
        &self,
        instance: &Instance,
        values: &Values,
        settled: &Settled,
    ) -> Result<(), Error> {
        let Some(current) = self.instances.get(&instance.key) else { return Ok(()) };
        let said = Said {
            resource_version: current.resource_version.clone(),
            rendered: settled.rendered,
            revision: settled.revision,
            objects: self.dependents.fingerprint(&instance.key),
        };
        let (told, is_said) = match self.tracked().get(&instance.key) {
            // While a deadline runs, time is news.
            Some(tracked) => {
                (tracked.told, tracked.said.as_ref() == Some(&said) && tracked.overdue_at.is_none())
            }
            None => (None, false),
        };
        if is_said {
            return Ok(());
        }
        let status = current.status();
        let name = self.release_name(&instance.key);
        let is_right = match told {
            Some(told) => told == release_part(&status),
            None => tells(&status, name, settled.revision, settled.is_install),
        };
        if is_right {
            let has_no_news = self.report_applied(instance, settled, None).await;
            if let Some(tracked) = self.tracked().get_mut(&instance.key) {
                tracked.said = has_no_news.then_some(said);
            }
            if told.is_none() {
                self.note_told(instance);
            }
            return Ok(());
        }
        let (output, _) = self.render(instance, values, settled.revision, settled.is_install).await?;
        // A way back runs an older revision under a number of its own.
        let history = self.own_history(instance).await?;
        let deployed = release::deployed(&history);
        let revision = deployed.map_or(settled.revision, |entry| entry.revision);
        let is_install = settled.is_install && revision == settled.revision;
        let settled = Settled { revision, is_install, ..settled.clone() };
        self.report_applied(instance, &settled, Some(&output.rendered)).await;
        Ok(())
    }

    /// Remembers what the status says of the release: another word is not ours.
    fn note_told(&self, instance: &Instance) {
        let current = self.instances.get(&instance.key);
        let told = current.map(|current| release_part(&current.status()));
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.told = told;
        }
    }

    /// Tells that an older release is kept for now, why, and how it is.
    pub(super) async fn report_held(
        &self,
        instance: &Instance,
        settled: Option<&Settled>,
        reason: &str,
        message: &str,
        plan: Option<&[String]>,
    ) {
        let resources = settled.map(|settled| self.resources(instance, settled));
        let message = &*self.or_unrecorded(instance, message);
        self.report(instance, Situation::Held { reason, message, plan }, None, resources).await;
    }

    /// Notes since when a release is not ready, and whether that has lasted too long.
    fn watch_the_clock(&self, instance: &Instance, resources: &mut Resources) {
        let now = jiff::Timestamp::now();
        let mut overdue_at = None;
        if resources.ready < resources.total && !resources.failed {
            let current = self.instances.get(&instance.key);
            let status = current.map(|current| current.status()).unwrap_or_default();
            let same = status.get("observedGeneration").and_then(Value::as_i64) == Some(instance.generation);
            let since = status.pointer("/resources/waitingSince").and_then(Value::as_str).filter(|_| same);
            let since = since.and_then(|text| text.parse::<jiff::Timestamp>().ok()).unwrap_or(now);
            resources.waiting_since = Some(time(since));
            if let Some(limit) = self.watch.policy.ready_deadline(instance) {
                let passed = now.duration_since(since).unsigned_abs();
                if passed >= limit {
                    resources.overdue = Some(limit);
                } else {
                    let left = i64::try_from((limit - passed).as_secs()).unwrap_or(i64::MAX);
                    overdue_at = Some(now.as_second().saturating_add(left).saturating_add(1));
                }
            }
        }
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.overdue_at = overdue_at;
        }
    }

    /// Tells that it did not work. Returns whether the status said so already.
    pub(super) async fn report_failure(&self, instance: &Instance, error: &Error) -> bool {
        let status = instance.status();
        let installed = status.get("deployedRelease").is_some();
        let condition = if instance.deleting { Failing::Uninstall } else { error.condition(installed) };
        let message = error.to_string();
        let message = self.or_unrecorded(instance, &message);
        let situation = Situation::Failed { condition, reason: error.reason(), message: &message };
        let revision = match error {
            Error::RolledBack { revision, .. } => *revision,
            _ => None,
        };
        let report = Report {
            generation: instance.generation,
            situation,
            release: None,
            revision,
            resources: None,
            handled: None,
            failed_chart: None,
        };
        self.write(instance, report).await
    }

    /// Tells how the release that runs is while its upgrade keeps failing.
    pub(super) async fn report_guarded(&self, instance: &Instance, settled: &Settled, failure: &Failure) {
        let resources = self.resources(instance, settled);
        let (condition, reason) = (failure.condition, failure.reason);
        let message = &*self.or_unrecorded(instance, &failure.message);
        let situation = Situation::Failed { condition, reason, message };
        self.report(instance, situation, None, Some(resources)).await;
    }

    /// Tells that nothing is done.
    pub(super) async fn report_paused(&self, instance: &Instance) {
        self.report(instance, Situation::Paused, None, None).await;
    }

    /// Tells what a deletion waits for.
    pub(super) async fn report_deleting(&self, instance: &Instance, message: &str) {
        self.report(instance, Situation::Deleting { message }, None, None).await;
    }

    async fn report(
        &self,
        instance: &Instance,
        situation: Situation<'_>,
        release: Option<ReleaseFacts<'_>>,
        resources: Option<Resources>,
    ) -> bool {
        let report = Report {
            generation: instance.generation,
            situation,
            release,
            revision: None,
            resources,
            handled: None,
            failed_chart: None,
        };
        self.write(instance, report).await
    }

    /// Writes what is new; returns whether nothing was.
    async fn write(&self, instance: &Instance, report: Report<'_>) -> bool {
        // The latest word on it, not the one the work began with: our own earlier writes count.
        let current = match self.instances.get(&instance.key) {
            Some(current) if current.uid == instance.uid => current,
            _ => return false,
        };
        let before = current.status();
        let is_done = matches!(report.situation, Situation::Applied | Situation::Failed { .. });
        let handled = instance.annotations.get(RECONCILE_NOW).filter(|_| is_done).map(|asked| &**asked);
        let is_failure = matches!(report.situation, Situation::Failed { .. });
        let failed_chart = self.failed_to_move(instance).filter(|_| is_failure);
        let mut report = Report { handled, failed_chart, ..report };
        if let Some(Resources { seal: Some(seal), ready, total, .. }) = &mut report.resources {
            seal.selector = self.selector();
            seal.beside = ready < total && self.is_beside(instance);
        }
        let mut after = next(&before, &report, &time(jiff::Timestamp::now()));
        let secrets = self.secrets(instance);
        for part in WORDS {
            if let Some(words) = after.get_mut(*part) {
                secrets.hide_in(words);
            }
        }
        let patch = patch(&before, &after);
        let written = match &patch {
            Some(patch) => self.instances.patch_status(&current, patch).await,
            None => Ok(()),
        };
        if written.is_ok() && (report.release.is_some() || report.revision.is_some()) {
            self.note_told(instance);
        }
        if let Err(error) = written {
            tracing::warn!(
                kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
                error = %explain(&error), "Cannot write the status"
            );
            // Said again at the next occasion; here is one.
            self.queue.add_after(instance.key.clone(), std::time::Duration::from_secs(5));
        }
        patch.is_none()
    }

    /// How the objects of a release are.
    fn resources(&self, instance: &Instance, settled: &Settled) -> Resources {
        let observed = self.dependents.of(&instance.key);
        let mut resources =
            Resources { total: settled.objects.len(), seal: Some(settled.seal()), ..Resources::default() };
        if let Some(id) = &settled.scaled
            && let Some(replicas) = observed.get(id).and_then(|one| one.replicas.clone())
        {
            resources.scaled = Some((id.to_string(), replicas));
        }
        for object in &settled.objects {
            let text = object.kind.text();
            if let Err(place) = resources.kinds.binary_search(&text) {
                resources.kinds.insert(place, text);
            }
            let lack = self.lacks(object);
            let trouble = match &lack {
                // What has no state of its own is as it was applied.
                Some(_) if !needs_status(&object.id.group, &object.id.kind) => None,
                Some(lack) => Some(format!("how it is cannot be told without the right to {}", lack.right)),
                None => self.trouble(object, observed.get(&object.id), &mut resources.failed),
            };
            resources.unwatched.extend(lack.map(|lack| lack.rule));
            match trouble {
                None => resources.ready += 1,
                Some(why) if resources.not_ready.len() < MOST_NAMED => {
                    resources.not_ready.push(format!("{}: {why}", object.id));
                }
                Some(_) => {}
            }
        }
        resources
    }

    /// What the operator's role lacks to watch an object.
    pub(super) fn lacks(&self, object: &Expected) -> Option<Lack> {
        if !self.watch.watch_dependent_resources {
            return None;
        }
        self.dependents.lacks(&object.kind, &object.id.namespace)
    }

    /// Why an object is not ready, if it is not; notes one that has `failed`.
    fn trouble(&self, object: &Expected, now: Option<&Dependent>, failed: &mut bool) -> Option<String> {
        if !self.watch.watch_dependent_resources || !object.kind.watchable {
            return None;
        }
        let Some(now) = now else { return Some("it is missing".to_owned()) };
        if now.deleting {
            return Some("it is being deleted".to_owned());
        }
        match &now.health {
            Some(Health::Ready) => None,
            Some(Health::Waiting(why)) => Some(why.to_string()),
            Some(Health::Failed(why)) => {
                *failed = true;
                Some(why.to_string())
            }
            None => Some("its controller has not seen it yet".to_owned()),
        }
    }

    /// Warns of rules that lack, once for each set of them.
    fn tell_unwatched(&self, instance: &Instance, rules: &BTreeSet<String>) {
        let is_new = match self.tracked().get_mut(&instance.key) {
            Some(tracked) if tracked.unwatched != *rules => {
                tracked.unwatched.clone_from(rules);
                true
            }
            _ => false,
        };
        if is_new && !rules.is_empty() {
            let note = unwatched(rules);
            self.events.tell(instance, Severity::Warning, "Watch", "NotWatched", &note);
        }
    }
}
