//! Deletion: what Kubernetes' garbage collection cannot reach, and delete hooks, before the resource may go.

use std::collections::BTreeSet;

use helm::{Hook, HookEvent};

use super::error::Error;
use super::hooks::Attempt;
use super::identity::ObjectId;
use super::status::MOST_NAMED;
use super::tracked::Settled;
use super::{Controller, DELETION_PERIOD, FINALIZER, Next, OLD_FINALIZER};
use crate::annotations::{UNINSTALL_DISABLE_HOOKS, UNINSTALL_WAIT, is_true};
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::cluster::seeds;
use crate::policy::Deletion;
use crate::release::{self, Entry, HookRecord, Info, Record, RecordBytes, State, secret_name};

/// The newest record of a release.
pub(super) struct LastRecord {
    entry: Entry,
    pub(super) record: Record,
    bytes: RecordBytes,
}

impl Controller {
    /// Cleans up after a resource that is being deleted, and lets it go when that is done.
    pub(super) async fn uninstall(&self, instance: &Instance) -> Result<Next, Error> {
        if !instance.finalizers.iter().any(|finalizer| is_ours(finalizer)) {
            // Somebody else's finalizer holds it, or nothing does: its objects go after it. Or before it, if it was so
            // asked for.
            if instance.finalizers.iter().any(|finalizer| &**finalizer == "foregroundDeletion") {
                self.remove_owned(&instance.key, &instance.uid).await?;
            }
            return Ok(Next::Gone);
        }
        let policy = self.watch.policy.deletion(instance);
        if policy == Deletion::Orphan {
            return self.orphan_release(instance).await;
        }
        let last = self.last_record(instance).await?;
        let record = last.as_ref().map(|last| &last.record);
        let mut hooks: Vec<Hook> = record.iter().flat_map(|record| &record.hooks).filter_map(hook).collect();
        let mut ids = self.inventory(instance, record);
        ids.extend(self.ids_of_deployed(instance, last.as_ref().map(|last| &last.entry)).await?);
        ids.extend(self.hooks_out_of_reach(instance, &hooks));
        ids.extend(self.ids_of_hooks(instance, &hooks));
        if is_true(instance, UNINSTALL_DISABLE_HOOKS) {
            hooks.clear();
        }
        let mut waited = self.prepare(instance, &hooks, last.as_ref(), policy).await?;
        let left = match self.remove_all(instance, ids).await {
            Err(error) if policy == Deletion::Force => {
                self.tell_not_waited(instance, &error.to_string());
                waited = false;
                Vec::new()
            }
            left => left?,
        };
        if !left.is_empty() && policy != Deletion::Force {
            let note = format!("Waiting until all resources are deleted: {}", named(&left));
            self.report_deleting(instance, &note).await;
            return Ok(Next::Soon(DELETION_PERIOD));
        }
        waited &= self.last_hooks(instance, &hooks, HookEvent::PostDelete, policy).await?;
        self.forget_release(instance).await?;
        let note = match (left.is_empty(), waited) {
            (true, true) => "everything of the release is gone".to_owned(),
            (true, false) => "the release is gone; what was not waited for goes with the resource".to_owned(),
            (false, _) => {
                let named = named(&left);
                tracing::warn!(resource = %instance.key, left = named, "A deletion does not wait for what is left");
                self.events.tell(
                    instance,
                    Severity::Warning,
                    "Uninstall",
                    "LeftBehind",
                    &format!("still there: {named}"),
                );
                format!("the release is gone but for {named}")
            }
        };
        self.release(instance, "Uninstalled", &note).await
    }

    /// Runs the hooks before the deletion, once: what they need may be gone a moment later. That they have run is written
    /// into the release's last record, in Helm's word, for whoever takes the deletion up after a restart. Returns whether
    /// they came to their end.
    async fn prepare(
        &self,
        instance: &Instance,
        hooks: &[Hook],
        last: Option<&LastRecord>,
        policy: Deletion,
    ) -> Result<bool, Error> {
        let mut waited = true;
        let is_noted = last.is_some_and(|last| has_begun(&last.entry, &instance.uid));
        let is_done = self.tracked().get(&instance.key).is_some_and(|tracked| tracked.ready_to_delete);
        if !is_done && !is_noted {
            waited = self.last_hooks(instance, hooks, HookEvent::PreDelete, policy).await?;
        }
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.ready_to_delete = true;
        }
        let has_run = hooks.iter().any(|hook| hook.events.contains(&HookEvent::PreDelete));
        if let Some(last) = last.filter(|_| has_run && !is_noted)
            && let Err(error) = self.note_uninstalling(instance, last).await
        {
            // It matters to a restart alone; the next look tries again.
            tracing::warn!(resource = %instance.key, %error, "Cannot record that the deletion has begun");
        }
        Ok(waited)
    }

    /// Makes the last record say what Helm's say while their release is removed.
    async fn note_uninstalling(&self, instance: &Instance, last: &LastRecord) -> Result<(), Error> {
        let info = Info {
            status: State::Uninstalling,
            deleted: release::timestamp(jiff::Timestamp::now()),
            description: "Deletion in progress (or silently failed)".to_owned(),
            ..last.record.info.clone()
        };
        // It was readable a moment ago.
        let Ok(bytes) = release::with_info(&last.bytes, &info) else { return Ok(()) };
        let place = self.place(instance);
        let written = self.records.replace(&place, last.entry.revision, State::Uninstalling, &bytes).await;
        written.map_err(Error::api("write the release's record"))
    }

    /// What hooks have made before the deletion: no manifest names it. Definitions stay, as Helm leaves them. What runs for
    /// the deletion can be looked at until garbage collection takes it.
    fn ids_of_hooks(&self, instance: &Instance, hooks: &[Hook]) -> Vec<ObjectId> {
        let for_deletion = |event: &HookEvent| matches!(event, HookEvent::PreDelete | HookEvent::PostDelete);
        let earlier = hooks.iter().filter(|hook| !hook.events.iter().any(for_deletion));
        let made = earlier.flat_map(|hook| self.ids_of(instance, &hook.manifest));
        made.filter(|id| !id.is_definition()).collect()
    }

    /// Runs the hooks around a deletion. Where nothing may hold it up, or its namespace goes and takes no new objects,
    /// their failure is told and no more. Returns whether they came to their end.
    async fn last_hooks(
        &self,
        instance: &Instance,
        hooks: &[Hook],
        event: HookEvent,
        policy: Deletion,
    ) -> Result<bool, Error> {
        // A resource is deleted once: what is there of its last hooks is of this deletion.
        let attempt = Attempt { revision: 0, resumes: true };
        match self.run_hooks(instance, hooks, event, attempt).await {
            Err(Error::Overtaken) => Err(Error::Overtaken),
            Err(error) => {
                let text = error.to_string();
                if policy != Deletion::Force && !text.contains("because it is being terminated") {
                    return Err(error);
                }
                self.tell_not_waited(instance, &text);
                Ok(false)
            }
            Ok(()) => Ok(true),
        }
    }

    /// Says what a deletion goes on without, as it was told to.
    fn tell_not_waited(&self, instance: &Instance, what: &str) {
        let what = &*self.secrets(instance).hide(what);
        tracing::warn!(resource = %instance.key, what, "A deletion goes on without waiting");
        let note = format!("the deletion goes on all the same: {what}");
        self.events.tell(instance, Severity::Warning, "Uninstall", "NotWaitedFor", &note);
    }

    /// Lets a resource go that leaves everything behind.
    pub(super) async fn orphan_release(&self, instance: &Instance) -> Result<Next, Error> {
        self.end_for_good(instance).await?;
        let last = self.last_record(instance).await?;
        self.orphan(instance, last.as_ref().map(|last| &last.record)).await?;
        let note = "everything of the release stays, as a release of Helm's";
        self.release(instance, "Orphaned", note).await
    }

    /// Takes our marks off everything of a release: what is left is a release of Helm's.
    async fn orphan(&self, instance: &Instance, record: Option<&Record>) -> Result<(), Error> {
        let (namespace, release) = (self.release_namespace(&instance.key), self.release_name(&instance.key));
        let mut ids = self.inventory(instance, record);
        let secret = |name: String| ObjectId {
            group: "".into(),
            kind: "Secret".into(),
            namespace: namespace.into(),
            name: name.into(),
        };
        let history = self.own_history(instance).await?;
        ids.extend(history.iter().map(|entry| secret(secret_name(release, entry.revision))));
        ids.insert(secret(seeds::secret_name(release)));
        // What hooks have made stays when Helm uninstalls a release, and what stays may live on it.
        let hooks = record.iter().flat_map(|record| &record.hooks);
        ids.extend(hooks.flat_map(|hook| self.ids_of(instance, &hook.manifest)));
        let served = self.discovery.current();
        for id in &ids {
            let Some(kind) = served.kinds.preferred(&id.group, &id.kind) else { continue };
            let marks = self.writer.marks(kind, id).await.map_err(Error::api(format!("read {id}")))?;
            if marks.is_some_and(|marks| self.is_ours(instance, &marks)) {
                let gone = self.writer.let_go(&instance.key, kind, id).await;
                gone.map_err(Error::api(format!("let {id} go")))?;
            }
        }
        Ok(())
    }

    /// Takes our finalizers off: the resource may go. `reason` is a word for what became of the release.
    async fn release(&self, instance: &Instance, reason: &str, note: &str) -> Result<Next, Error> {
        let rest: Vec<_> =
            instance.finalizers.iter().filter(|finalizer| !is_ours(finalizer)).cloned().collect();
        self.instances.set_finalizers(instance, &rest).await.map_err(Error::api("remove the finalizer"))?;
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.uninstalled = true;
        }
        tracing::info!(
            kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
            "{reason} release"
        );
        self.events.tell(instance, Severity::Normal, "Uninstall", reason, note);
        Ok(Next::Gone)
    }

    /// Whether the user wants to be waited for, or something done, when the resource is deleted.
    pub(super) fn wants_finalizer(&self, instance: &Instance) -> bool {
        let orphans = self.watch.policy.deletion(instance) == Deletion::Orphan;
        is_true(instance, UNINSTALL_WAIT) || orphans
    }

    /// Puts the finalizer back if a release that runs needs it and somebody took it off.
    pub(super) async fn hold_fast(&self, instance: &Instance, settled: &Settled) -> Result<(), Error> {
        if settled.finalizer {
            self.set_finalizer(instance, true).await?;
        }
        Ok(())
    }

    /// Adds or removes the finalizer.
    pub(super) async fn set_finalizer(&self, instance: &Instance, needed: bool) -> Result<(), Error> {
        // The version in hand may be older than our own last write of the status.
        let current = self.instances.get(&instance.key).filter(|current| current.uid == instance.uid);
        let Some(current) = current else { return Err(Error::Overtaken) };
        let has = current.finalizers.iter().any(|finalizer| &**finalizer == FINALIZER);
        if has == needed {
            return Ok(());
        }
        if needed && current.deleting {
            return Err(Error::Overtaken);
        }
        let mut finalizers: Vec<Box<str>> =
            current.finalizers.iter().filter(|one| &***one != FINALIZER).cloned().collect();
        if needed {
            finalizers.push(FINALIZER.into());
        }
        self.instances.set_finalizers(&current, &finalizers).await.map_err(Error::api("set the finalizer"))
    }

    /// The newest record of the release, if there is one that can be read.
    pub(super) async fn last_record(&self, instance: &Instance) -> Result<Option<LastRecord>, Error> {
        let history = self.own_history(instance).await?;
        for entry in history.into_iter().rev() {
            if let Some((record, _, bytes)) = self.stored(instance, entry.revision).await? {
                return Ok(Some(LastRecord { entry, record, bytes }));
            }
        }
        Ok(None)
    }

    /// Everything that may be there of a release: what its record names, and what carries our marks.
    fn inventory(&self, instance: &Instance, record: Option<&Record>) -> BTreeSet<ObjectId> {
        let mut ids: BTreeSet<ObjectId> = self.dependents.of(&instance.key).into_keys().collect();
        if let Some(record) = record {
            ids.extend(self.ids_of(instance, &record.manifest));
        }
        ids
    }

    /// Deletes objects in uninstall order; returns those that are still there.
    async fn remove_all(&self, instance: &Instance, ids: BTreeSet<ObjectId>) -> Result<Vec<ObjectId>, Error> {
        let left = self.remove_in_order(instance, ids.into_iter().collect()).await?;
        // Most objects go at once; asking again tells which do not.
        let mut still = Vec::new();
        for id in left {
            if self.is_there(&id).await? {
                still.push(id);
            } else {
                self.dependents.forget(&instance.key, &id);
            }
        }
        Ok(still)
    }

    async fn is_there(&self, id: &ObjectId) -> Result<bool, Error> {
        let served = self.discovery.current();
        let Some(kind) = served.kinds.preferred(&id.group, &id.kind) else { return Ok(false) };
        let marks = self.writer.marks(kind, id).await.map_err(Error::api(format!("read {id}")))?;
        Ok(marks.is_some())
    }

    async fn forget_release(&self, instance: &Instance) -> Result<(), Error> {
        let place = self.place(instance);
        let (ours, others) = self.records_of(instance).await?;
        for entry in ours {
            let gone = self.records.delete(place.namespace, place.release, &entry).await;
            gone.map_err(Error::api("delete a release record"))?;
        }
        if others.is_some() {
            // The seed is that of the other's release.
            return Ok(());
        }
        let gone = self.seeds.delete(place.namespace, place.release).await;
        gone.map_err(Error::api("delete the release's seed"))
    }
}

/// Whether a finalizer is one of ours to remove.
pub(super) fn is_ours(finalizer: &str) -> bool {
    matches!(finalizer, FINALIZER | OLD_FINALIZER)
}

/// Whether a record says that the deletion of its resource has come past the hooks before it. Helm says so earlier, but what
/// Helm writes has no owner.
fn has_begun(entry: &Entry, uid: &str) -> bool {
    entry.state == State::Uninstalling && entry.owner.as_ref().is_some_and(|owner| owner.uid == uid)
}

fn named(left: &[ObjectId]) -> String {
    let named: Vec<_> = left.iter().take(MOST_NAMED).map(ToString::to_string).collect();
    let more = left.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// A hook of a record as the engine describes hooks; one without a known event never runs.
pub(super) fn hook(record: &HookRecord) -> Option<Hook> {
    use helm::HookDeletePolicy as Policy;
    let event = |name: &String| EVENTS.iter().copied().find(|event| super::hooks::event_name(*event) == name);
    let events: Vec<_> = record.events.iter().filter_map(event).collect();
    let policy = |name: &String| match name.as_str() {
        "before-hook-creation" => Policy::BeforeHookCreation,
        "hook-succeeded" => Policy::HookSucceeded,
        "hook-failed" => Policy::HookFailed,
        other => Policy::Other(other.to_owned()),
    };
    (!events.is_empty()).then(|| Hook {
        name: record.name.clone(),
        kind: record.kind.clone(),
        path: record.path.clone(),
        manifest: record.manifest.clone(),
        events,
        weight: record.weight,
        delete_policies: record.delete_policies.iter().map(policy).collect(),
        output_log_policies: record.output_log_policies.clone(),
    })
}

const EVENTS: &[HookEvent] = &[
    HookEvent::PreInstall,
    HookEvent::PostInstall,
    HookEvent::PreDelete,
    HookEvent::PostDelete,
    HookEvent::PreUpgrade,
    HookEvent::PostUpgrade,
    HookEvent::PreRollback,
    HookEvent::PostRollback,
    HookEvent::Test,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::Owner;

    #[test]
    fn only_our_own_word_says_that_the_hooks_have_run() {
        let entry = |state, uid: Option<&str>| {
            let owner = uid.map(|uid| Owner {
                group: "a.b".into(),
                kind: "Web".into(),
                name: "web".into(),
                uid: uid.into(),
            });
            Entry { revision: 1, state, owner, uid: String::new() }
        };
        assert!(has_begun(&entry(State::Uninstalling, Some("u")), "u"));
        assert!(!has_begun(&entry(State::Uninstalling, None), "u"), "a `helm uninstall` that broke off");
        assert!(!has_begun(&entry(State::Uninstalling, Some("earlier")), "u"));
        assert!(!has_begun(&entry(State::Deployed, Some("u")), "u"));
    }
}
