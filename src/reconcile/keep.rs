//! A settled resource: is everything still as we left it? What is not is put back, object by object; the rest is only
//! looked at, in memory.

use std::sync::Arc;
use std::time::Duration;

use helm::Manifest;
use tokio::time::Instant;

use super::error::Error;
use super::identity::{ApiKind, Digest, ObjectId};
use super::ledger::manifests_of;
use super::objects::{self, Object, Objects, Problem};
use super::plan;
use super::render::{Lookup, answer_digest};
use super::tracked::{Dependent, Expected, Settled};
use super::unknown::explain_refusal;
use super::values::Values;
use super::{Controller, Next, unknown};
use crate::cluster::discovery::Served;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::cluster::lookup::lookup;
use crate::cluster::ownership::lost;

/// The most fields of an object that are named as changed.
const MOST_FIELDS: usize = 10;

/// While Helm works on a release at somebody's word, nothing is put back: it is looked at again so often, so long at most.
const HELM_AT_WORK: Duration = Duration::from_secs(1);
const HELM_AT_MOST: Duration = Duration::from_secs(300);

/// Whether somebody handles a release with Helm.
enum Hands {
    /// Nobody does.
    Off,
    /// It is being uninstalled, upgraded or rolled back.
    AtWork,
    /// Helm has uninstalled it, or gone on from our last revision.
    Done,
}

/// An object that is not as it was left, and what it is now, if it is there.
pub(super) type Drifted = (ObjectId, Option<Dependent>);

impl Controller {
    /// Looks at a settled resource.
    pub(super) async fn keep(
        &self,
        instance: &Instance,
        values: &Values,
        settled: &Arc<Settled>,
    ) -> Result<Next, Error> {
        self.still_wanted(instance)?;
        match self.at_helms_hands(instance, settled) {
            Hands::Off => {}
            Hands::AtWork => return Ok(Next::Soon(HELM_AT_WORK)),
            // What Helm made of the release since is read from its record, if it left one.
            Hands::Done => {
                if let Some(tracked) = self.tracked().get_mut(&instance.key) {
                    tracked.settled = None;
                }
                return self.advance(instance, values, settled.inputs, None).await;
            }
        }
        let Some(settled) = self.renders_as_before(instance, values, settled).await? else {
            return self.advance(instance, values, settled.inputs, Some(settled.clone())).await;
        };
        self.end_later(instance, &settled).await?;
        let drift = self.drift(instance, &settled);
        let settled =
            if drift.is_empty() { settled } else { self.repair(instance, values, &settled, &drift).await? };
        let settled = if self.is_pass_due(instance, &settled) {
            let (objects, missing) = self.render_again(instance, values, &settled).await?;
            let settled = self.apply_again(instance, &settled, &objects).await?;
            if missing.is_empty() { settled } else { return Err(Error::Objects(missing)) }
        } else {
            settled
        };
        self.mend(instance, values, &settled).await?;
        self.forget_failure(instance);
        self.hold_fast(instance, &settled).await?;
        self.report_kept(instance, values, &settled).await?;
        Ok(Next::Settled)
    }

    /// What somebody does, or has done, to a settled release with Helm.
    fn at_helms_hands(&self, instance: &Instance, settled: &Settled) -> Hands {
        let place = self.place(instance);
        let (namespace, release, revision) = (place.namespace, place.release, settled.revision);
        if self.records.is_overtaken(namespace, release, revision)
            || (self.records.is_lost(namespace, release, revision) && self.is_all_gone(instance, settled))
        {
            return Hands::Done;
        }
        let at_work = self.records.is_at_helms_hands(namespace, release, revision);
        let mut tracked = self.tracked();
        let Some(tracked) = tracked.get_mut(&instance.key) else { return Hands::Off };
        if !at_work {
            tracked.at_helms_since = None;
            return Hands::Off;
        }
        // A Helm that broke off is not waited for for ever.
        let since = *tracked.at_helms_since.get_or_insert_with(Instant::now);
        if since.elapsed() < HELM_AT_MOST { Hands::AtWork } else { Hands::Off }
    }

    /// Whether not one of a release's objects is there any more.
    fn is_all_gone(&self, instance: &Instance, settled: &Settled) -> bool {
        let observed = self.dependents.of(&instance.key);
        let is_watched = |one: &&Expected| !one.fleeting && self.is_watched(one);
        let mut watched = settled.objects.iter().filter(is_watched).peekable();
        watched.peek().is_some() && watched.all(|one| observed.get(&one.id).is_none_or(|now| now.deleting))
    }

    /// The objects that are not as they were left, and what they are now.
    pub(super) fn drift(&self, instance: &Instance, settled: &Settled) -> Vec<Drifted> {
        let observed = self.dependents.of(&instance.key);
        let has_drifted = |expected: &&Expected| match observed.get(&expected.id) {
            Some(now) => !now.deleting && !plan::is_as_left(expected, now),
            None => true,
        };
        let watched = settled.objects.iter().filter(|expected| self.is_watched(expected));
        let drifted = watched.filter(has_drifted);
        drifted.map(|one| (one.id.clone(), observed.get(&one.id).cloned())).collect()
    }

    /// Checks what else decides the render: the cluster's capabilities, what `lookup` was told, and the time, if it has come
    /// for certificates. `None` if the release would render differently now.
    async fn renders_as_before(
        &self,
        instance: &Instance,
        values: &Values,
        settled: &Arc<Settled>,
    ) -> Result<Option<Arc<Settled>>, Error> {
        let served = self.discovery.current();
        let due = settled.renew_at.is_some_and(|at| at <= jiff::Timestamp::now().as_second());
        let lookups = self.ask_again(settled.lookups.as_deref(), &served).await;
        if settled.capabilities == served.digest
            && !due
            && let Some(lookups) = &lookups
        {
            if settled.lookups.as_ref() == Some(lookups) {
                return Ok(Some(settled.clone()));
            }
            let settled = Arc::new(Settled { lookups: Some(lookups.clone()), ..Settled::clone(settled) });
            self.remember(instance, settled.clone());
            return Ok(Some(settled));
        }
        let (output, _) = self.render(instance, values, settled.revision, settled.is_install).await?;
        if output.digest != settled.rendered {
            if due {
                self.tell_renewal(instance);
            } else if lookups.is_none() && self.is_held_back(instance) {
                return Ok(Some(settled.clone()));
            } else if lookups.is_some() && served.kinds.has_gaps() {
                // Its kinds are not known to have gone: the release stays as it is until they are.
                let asked = self.discovery.refresh_after_miss().await;
                asked.map_err(Error::api("learn which kinds the cluster serves"))?;
                return Ok(Some(settled.clone()));
            }
            return Ok(None);
        }
        let settled = Arc::new(Settled {
            capabilities: served.digest,
            renew_at: output.renew_at,
            lookups: Some(output.lookups),
            ..Settled::clone(settled)
        });
        self.remember(instance, settled.clone());
        Ok(Some(settled))
    }

    /// Looks up again what may have changed; `None` if an answer is another one, or if the questions are not known.
    async fn ask_again(&self, lookups: Option<&[Lookup]>, served: &Served) -> Option<Vec<Lookup>> {
        let mut asked = lookups?.to_vec();
        for one in &mut asked {
            let kind = served.kinds.get(&one.api_version, &one.kind);
            // Before the question: what changes while it is answered is another version.
            let version = kind.and_then(|kind| self.lookups.version(one, kind));
            if version.is_some() && version == one.version {
                continue;
            }
            let answer =
                lookup(&self.client, &served.kinds, &one.api_version, &one.kind, &one.namespace, &one.name);
            match answer.await {
                Ok(answer) if answer_digest(&answer) == one.answer => one.version = version,
                Ok(_) => return None,
                // No reason to change anything; asked again next time.
                Err(error) => {
                    tracing::debug!(kind = %one.kind, name = %one.name, error, "Cannot look up again");
                }
            }
        }
        Some(asked)
    }

    /// Whether a release that changes by what it looks up has to wait, for it did so again and again.
    fn is_held_back(&self, instance: &Instance) -> bool {
        let (wait, begins) = {
            let mut tracked = self.tracked();
            let Some(tracked) = tracked.get_mut(&instance.key) else { return false };
            let was_held_back = tracked.restless.is_held_back();
            let wait = tracked.restless.wait(Instant::now());
            (wait, !was_held_back && tracked.restless.is_held_back())
        };
        if begins {
            let note = "Templates render something else whenever what they look up changes, and that changes again and \
                        again: upgrades are made less often from now on. Look up only what the release itself does not change";
            tracing::warn!(
                kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
                "The release changes what it looks up"
            );
            self.events.tell(instance, Severity::Warning, "Upgrade", "UnstableLookup", note);
        }
        if let Some(wait) = wait {
            self.queue.add_after(instance.key.clone(), wait);
        }
        wait.is_some()
    }

    /// Renders a release again to put back what was changed or deleted by somebody else.
    async fn repair(
        &self,
        instance: &Instance,
        values: &Values,
        settled: &Arc<Settled>,
        drift: &[Drifted],
    ) -> Result<Arc<Settled>, Error> {
        let (objects, missing) = self.render_again(instance, values, settled).await?;
        let settled = self.put_back(instance, settled, &objects, drift).await?;
        if missing.is_empty() { Ok(settled) } else { Err(Error::Objects(missing)) }
    }

    /// Whether an object is watched.
    fn is_watched(&self, object: &Expected) -> bool {
        self.watch.watch_dependent_resources && object.kind.watchable && self.lacks(object).is_none()
    }

    /// Whether an object is applied again each period, for it is not watched: the kind's policy is not to, or the operator's
    /// role does not allow it.
    fn is_passed_over(&self, id: &ObjectId, kind: &ApiKind) -> bool {
        !self.watch.watch_dependent_resources || self.dependents.lacks(kind, &id.namespace).is_some()
    }

    /// Whether there is anything that nobody watches.
    fn has_passed_over(&self, settled: &Settled) -> bool {
        settled.objects.iter().any(|one| self.is_passed_over(&one.id, &one.kind))
    }

    /// No longer than until what nobody watches is to be applied again.
    pub(super) fn or_pass(&self, instance: &Instance, delay: Duration) -> Duration {
        let settled = self.settled(&instance.key);
        let is_needed = settled.is_some_and(|settled| self.has_passed_over(&settled));
        if is_needed { delay.min(self.period_of(instance)) } else { delay }
    }

    /// Whether a period has passed since what nobody watches was applied.
    pub(super) fn is_pass_due(&self, instance: &Instance, settled: &Settled) -> bool {
        if !self.has_passed_over(settled) {
            return false;
        }
        let period = self.period_of(instance);
        let mut tracked = self.tracked();
        let Some(tracked) = tracked.get_mut(&instance.key) else { return false };
        let last = *tracked.last_pass.get_or_insert_with(Instant::now);
        let is_due = last.elapsed() >= period;
        if is_due {
            tracked.last_pass = Some(Instant::now());
        }
        is_due
    }

    /// Applies those objects of a release that nobody watches: what was changed or deleted is put back.
    pub(super) async fn apply_again(
        &self,
        instance: &Instance,
        settled: &Arc<Settled>,
        objects: &Objects,
    ) -> Result<Arc<Settled>, Error> {
        // A Job that removes itself when it is done stays gone.
        let lasting = objects.list.iter().filter(|object| !object.is_fleeting());
        let lasting = lasting.filter(|object| self.is_passed_over(&object.id, &object.kind));
        let lasting = lasting.map(|object| (object, None)).collect();
        self.apply_some(instance, settled, lasting).await
    }

    /// Applies those of a release's objects that were changed or deleted by somebody else, and says by whom.
    pub(super) async fn put_back(
        &self,
        instance: &Instance,
        settled: &Arc<Settled>,
        objects: &Objects,
        drift: &[Drifted],
    ) -> Result<Arc<Settled>, Error> {
        let drifted = objects.list.iter().filter_map(|object| {
            let (_, before) = drift.iter().find(|(id, _)| *id == object.id)?;
            Some((object, before.as_ref()))
        });
        self.apply_some(instance, settled, drifted.collect()).await
    }

    /// Applies objects of a release again, each with what it was before, if that is known; an error names those that could
    /// not be.
    async fn apply_some(
        &self,
        instance: &Instance,
        settled: &Settled,
        objects: Vec<(&Object, Option<&Dependent>)>,
    ) -> Result<Arc<Settled>, Error> {
        let mut objects_left = settled.objects.clone();
        let mut failed = Vec::new();
        for (object, before) in objects {
            self.still_wanted(instance)?;
            let Some(place) = objects_left.iter_mut().find(|one| one.id == object.id) else { continue };
            // It is only for telling, so trouble with it does not matter.
            let managers = match before {
                Some(_) => self.writer.managers(&object.kind, &object.id).await.unwrap_or_default(),
                None => None,
            };
            match self.apply_one(instance, object).await {
                Ok(now) => {
                    if before.is_some() || place.uid != now.uid {
                        let sent = unknown::without(object, &self.left_out(&instance.key, &object.id));
                        let fields =
                            managers.map(|managers| lost(&managers.entries, &sent.body, MOST_FIELDS));
                        self.tell_repair(instance, object, before, &fields.unwrap_or_default(), &now);
                    }
                    *place = now;
                }
                Err(error) => failed.push(format!("{}: {}", object.id, explain_refusal(&error))),
            }
        }
        let settled = Arc::new(Settled { objects: objects_left, ..settled.clone() });
        self.remember(instance, settled.clone());
        if failed.is_empty() { Ok(settled) } else { Err(Error::Apply(failed)) }
    }

    /// The objects of a settled release, as they were applied; second what cannot be reached, for the cluster does not serve
    /// its kind any more: that must not keep the others from being put back.
    async fn render_again(
        &self,
        instance: &Instance,
        values: &Values,
        settled: &Settled,
    ) -> Result<(Objects, Vec<Problem>), Error> {
        if settled.as_recorded
            && let Some((record, ..)) = self.stored(instance, settled.revision).await?
        {
            return self.reachable(instance, &manifests_of(&record.manifest));
        }
        let (output, outside) = self.render(instance, values, settled.revision, settled.is_install).await?;
        self.store_seed(instance, &outside).await?;
        match self.build(instance, &output.rendered, &[]).await {
            Ok((objects, _)) => Ok((objects, Vec::new())),
            Err(Error::Objects(_)) => self.reachable(instance, &output.rendered.manifests),
            Err(error) => Err(error),
        }
    }

    /// The objects of a release that runs already, and what of it cannot be reached now.
    pub(super) fn reachable(
        &self,
        instance: &Instance,
        manifests: &[Manifest],
    ) -> Result<(Objects, Vec<Problem>), Error> {
        let api_version = self.watch.api_version.to_string();
        let owner = self.owner(instance, &api_version);
        let served = self.discovery.current();
        objects::build_reachable(manifests, &owner, &served.kinds).map_err(Error::Objects)
    }

    fn tell_renewal(&self, instance: &Instance) {
        let note =
            "Two thirds of the validity of certificates that the chart makes have passed: they are made anew";
        tracing::info!(
            kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
            "Certificates are renewed"
        );
        self.events.tell(instance, Severity::Normal, "Renew", "CertificatesDue", note);
    }

    fn tell_repair(
        &self,
        instance: &Instance,
        object: &Object,
        before: Option<&Dependent>,
        fields: &[String],
        now: &Expected,
    ) {
        // An autoscaler's replicas were left to it: nothing was put back.
        let version = self.dependents.version(&instance.key, &object.id);
        if before.is_some_and(|before| before.uid == now.uid && Some(before.version) == version) {
            return;
        }
        let ignored: Vec<_> = self.ignored(object).iter().map(|path| path.replace('/', ".")).collect();
        let is_ignored = |field: &String| ignored.iter().any(|path| format!(".{field}").starts_with(path));
        let fields: Vec<_> = fields.iter().filter(|field| !is_ignored(field)).map(String::as_str).collect();
        if before.is_some() && fields.is_empty() && !ignored.is_empty() {
            return;
        }
        let (reason, note) = match before {
            None => ("Recreated", format!("{} was deleted by somebody; made again", object.id)),
            Some(before) => {
                // All fields are still ours: only another process of ours can have written to them.
                let who = match before.editor.as_deref() {
                    _ if fields.is_empty() && before.fields != Digest::default() => {
                        "another operator of this name"
                    }
                    Some(editor) => editor,
                    None => "somebody",
                };
                let what =
                    if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
                ("Repaired", format!("{} was changed by {who}{what}; put back", object.id))
            }
        };
        tracing::info!(
            kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
            object = %object.id, reason, "{note}"
        );
        self.events.tell(instance, Severity::Normal, "Repair", reason, &note);
    }
}
