//! What keeps a resource at the release it has although another one is due: the user's word, or its turn in the roll-out of
//! a new chart. What runs is kept as it is meanwhile.

use std::sync::{Arc, MutexGuard};

use serde_json::Value;

use super::identity::{Digest, InstanceKey};
use super::rollout::{Claim, Interrupted, Rollout, Turn};
use super::status::{LATE, Remembered, condition, is_failed, text};
use super::tracked::Settled;
use super::{Controller, Error, Next, pin, preview};
use crate::annotations::{self, HOLD, PLAN};
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::lock::lock;
use crate::release::deployed;

/// The most lines of a plan that a status holds.
const LONGEST_PLAN: usize = 100;

/// The most resources named in a message.
const MOST_NAMED: usize = 5;

/// Why a resource stays at its release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) reason: &'static str,
    pub(super) message: String,
    /// What would change, a line a field.
    pub(super) plan: Option<Vec<String>>,
}

impl Held {
    fn new(reason: &'static str, message: String) -> Self {
        Self { reason, message, plan: None }
    }
}

impl Controller {
    fn rollout(&self) -> MutexGuard<'_, Rollout> {
        lock(&self.rollout)
    }

    /// Why a resource whose release is made of another chart stays at it; `None` if it may move on.
    ///
    /// # Errors
    /// When a request fails.
    pub(super) async fn held(&self, instance: &Instance) -> Result<Option<Held>, Error> {
        if !annotations::is_true(instance, HOLD) {
            return Ok(self.waits_for_its_turn(instance));
        }
        if !self.is_made_of_another(instance).await? {
            return Ok(None);
        }
        self.leave_rollout(&instance.key);
        let chart = self.chart_of(instance).title();
        let message = format!("the annotation {HOLD} keeps the release from moving to {chart}");
        Ok(Some(Held::new("OnHold", message)))
    }

    /// Whether a resource's release was made of another chart than it is to be. Where its status does not tell (it was lost,
    /// or an older operator's), its record does.
    async fn is_made_of_another(&self, instance: &Instance) -> Result<bool, Error> {
        let seal = Remembered::read(&instance.status()).seal;
        if let Some(chart) = seal.map(|seal| seal.chart).filter(|chart| *chart != Digest::default()) {
            return Ok(self.is_another(instance, chart));
        }
        let history = self.own_history(instance).await?;
        let Some(deployed) = deployed(&history) else { return Ok(false) };
        let stored = self.stored(instance, deployed.revision).await?;
        let wanted = self.chart_of(instance).chart();
        Ok(stored.is_some_and(|(_, chart, _)| {
            chart.name == wanted.name() && chart.version != wanted.metadata.version
        }))
    }

    fn waits_for_its_turn(&self, instance: &Instance) -> Option<Held> {
        let status = instance.status();
        let remembered = Remembered::read(&status);
        if !remembered.seal.is_some_and(|seal| self.is_another(instance, seal.chart)) {
            // Where it is on its way, it gives its place up when it is ready.
            if pin::pinned(instance).is_some() {
                self.leave_rollout(&instance.key);
            }
            return None;
        }
        let chart = self.chart_of(instance).title();
        // Its user has chosen the version and the moment.
        if pin::pinned(instance).is_some() {
            self.leave_rollout(&instance.key);
            return None;
        }
        let claim = if remembered.observed_generation != instance.generation {
            Claim::Changed
        } else if ready(&status).is_some_and(|ready| text(ready, "status") == "True") {
            Claim::Chart
        } else if is_failed(&status) {
            Claim::Failed
        } else {
            Claim::Unready
        };
        let all = self.instances.all();
        let turn = {
            let mut rollout = self.rollout();
            rollout.begin(|| self.interrupted(&all));
            rollout.ask(&instance.key, claim, all.len(), self.watch.rollout)
        };
        match turn {
            Turn::Go => None,
            Turn::Wait(moving) => {
                let moving = names(&moving);
                Some(Held::new("InLine", format!("moves to {chart} when these are ready with it: {moving}")))
            }
            Turn::Halted(failed) => {
                let failed = names(&failed);
                let message = format!(
                    "no resource moves to {chart} until those work that failed to: {failed}; a change of its spec goes ahead"
                );
                Some(Held::new("RolloutHalted", message))
            }
        }
    }

    /// Works out what would change, for a resource that is to be looked at before it is carried out.
    pub(super) async fn planned(&self, instance: &Instance) -> Result<Held, Error> {
        let changes = self.preview(instance).await?;
        let lines: Vec<String> = preview::text(&changes).lines().map(str::to_owned).collect();
        let message = match changes.len() {
            0 => format!("nothing would change; the annotation {PLAN} keeps it from being tried"),
            1 => format!("1 object would change; the annotation {PLAN} keeps it as it is"),
            count => format!("{count} objects would change; the annotation {PLAN} keeps them as they are"),
        };
        let more = lines.len().saturating_sub(LONGEST_PLAN);
        let mut plan: Vec<_> = lines.into_iter().take(LONGEST_PLAN).collect();
        if more > 0 {
            plan.push(format!("and {more} more lines: see `chartwright diff`"));
        }
        Ok(Held { reason: "PlanOnly", message, plan: Some(plan) })
    }

    /// Whether a resource's release was made of another chart than it is to be; not if that is not known.
    fn is_another(&self, instance: &Instance, chart: Digest) -> bool {
        chart != Digest::default() && chart != self.chart_of(instance).digest
    }

    /// The resources that are on their way to this chart, and those whose move to it failed.
    fn interrupted(&self, all: &[Arc<Instance>]) -> Interrupted {
        let mut found = Interrupted::default();
        for instance in all.iter().filter(|instance| pin::pinned(instance).is_none()) {
            let status = instance.status();
            let Remembered { seal, failed_chart, .. } = Remembered::read(&status);
            let Some(seal) = seal else { continue };
            let ready = ready(&status);
            let is =
                |one: Option<&Value>, key: &str, word: &str| one.is_some_and(|one| text(one, key) == word);
            let set = if seal.chart == self.charts.newest().digest {
                match () {
                    () if is(ready, "status", "True") => continue,
                    () if seal.beside => &mut found.beside,
                    () if is(ready, "reason", LATE) && self.watch.rollout.max_failures.is_some() => {
                        &mut found.failed
                    }
                    () => &mut found.moving,
                }
            } else if !self.is_another(instance, seal.chart) {
                continue;
            } else if is_failed(&status) {
                // Others failed before, or with another chart.
                if failed_chart != Some(self.charts.newest().digest) {
                    continue;
                }
                &mut found.failed
            } else if is(ready, "reason", "Progressing") {
                &mut found.moving
            } else {
                continue;
            };
            set.insert(instance.key.clone());
        }
        found
    }

    /// Whether a resource moves to this chart without taking a place in the roll-out.
    pub(super) fn is_beside(&self, instance: &Instance) -> bool {
        let mut rollout = self.rollout();
        rollout.begin(|| self.interrupted(&self.instances.all()));
        rollout.is_beside(&instance.key)
    }

    /// The chart that a resource failed to move to, where that counts.
    pub(super) fn failed_to_move(&self, instance: &Instance) -> Option<Digest> {
        self.rollout().has_failed(&instance.key).then(|| self.chart_of(instance).digest)
    }

    /// A resource has not got ready in time.
    pub(super) fn is_late(&self, instance: &Instance) {
        let (halts, next) = self.rollout().is_late(&instance.key, self.instances.count(), self.watch.rollout);
        self.tell_failed_move(instance, halts, next);
    }

    /// Keeps a resource at the release it has, and says why.
    pub(super) async fn stay(
        &self,
        instance: &Instance,
        settled: Option<Arc<Settled>>,
        held: &Held,
    ) -> Result<Next, Error> {
        // After a restart: what is as it was left needs no look at the record.
        if settled.is_none() {
            self.recall(instance, None);
        }
        let settled = self.guard(instance).await;
        let status = instance.status();
        let told = condition(&status, "Held").is_some_and(|one| text(one, "reason") == held.reason);
        if !told {
            tracing::info!(
                kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
                reason = held.reason, "The release stays as it is"
            );
            self.events.tell(instance, Severity::Normal, "Hold", held.reason, &held.message);
        }
        let (reason, message, plan) = (held.reason, &held.message, held.plan.as_deref());
        self.report_held(instance, settled.as_deref(), reason, message, plan).await;
        Ok(Next::Settled)
    }

    /// A resource is ready with this chart: the next may move.
    pub(super) fn moved(&self, instance: &Instance) {
        let was_over = self.rollout().is_over();
        self.leave_rollout(&instance.key);
        if !was_over && self.rollout().is_over() {
            let note = format!("all resources have moved to {}", self.charts.newest().title());
            tracing::info!(kind = %self.watch.names.kind, "{note}");
            self.events.tell(instance, Severity::Normal, "Rollout", "RolloutComplete", &note);
        }
    }

    /// A resource takes no part in the roll-out, or not any more.
    pub(super) fn leave_rollout(&self, key: &InstanceKey) {
        let next = {
            let mut rollout = self.rollout();
            rollout.leave(key, self.instances.count(), self.watch.rollout)
        };
        next.into_iter().for_each(|key| self.queue.add(key));
    }

    /// The move of a resource to this chart failed.
    pub(super) fn move_failed(&self, instance: &Instance) {
        let seal = Remembered::read(&instance.status()).seal;
        if !seal.is_some_and(|seal| self.is_another(instance, seal.chart)) || pin::pinned(instance).is_some()
        {
            return;
        }
        let all = self.instances.count();
        let (halts, next) = self.rollout().fail(&instance.key, all, self.watch.rollout);
        self.tell_failed_move(instance, halts, next);
    }

    fn tell_failed_move(&self, instance: &Instance, halts: bool, next: Vec<InstanceKey>) {
        if halts {
            let note =
                format!("no further resource moves to {} until this works", self.charts.newest().title());
            tracing::warn!(kind = %self.watch.names.kind, name = %instance.key.name, "{note}");
            self.events.tell(instance, Severity::Warning, "Rollout", "RolloutHalted", &note);
        }
        next.into_iter().for_each(|key| self.queue.add(key));
    }
}

fn ready(status: &Value) -> Option<&Value> {
    condition(status, "Ready")
}

fn names(keys: &[InstanceKey]) -> String {
    let named: Vec<_> = keys.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    let more = keys.len().saturating_sub(MOST_NAMED);
    if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) }
}
