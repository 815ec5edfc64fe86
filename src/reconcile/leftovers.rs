//! What a resource leaves behind that goes without our finalizer: Kubernetes' garbage collection would remove it, but it
//! takes its time, up to half a minute where the kind is new. While we run, everything goes at once.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::error::Error;
use super::identity::{Digest, InstanceKey, ObjectId, group_of};
use super::objects::{PRIMARY_RESOURCE, PRIMARY_TYPE, RESOURCE_POLICY};
use super::status::Remembered;
use super::tracked::Tracked;
use super::uninstall::is_ours;
use super::{Controller, FINALIZER, objects, order};
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::kind::FIRST_LISTS;
use crate::lock::lock;
use crate::policy::{Deletion, is_precious};
use crate::release;
use crate::settings::Extent;

/// How long objects may be there before their resource.
const GRACE: Duration = Duration::from_secs(20);

/// What there is of a resource that is not seen any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Nothing that needs a further look.
    Nothing,
    /// The resource itself: it was let go, and once it is deleted something of it is to be done that Kubernetes does not.
    Resource,
}

impl Controller {
    /// Removes what belonged to a resource that is not seen any more. One that is still there and merely lost its label
    /// keeps everything.
    pub(super) async fn clear_leftovers(&self, key: &InstanceKey) -> Result<Left, Error> {
        let known = self.tracked().get(key).map(|one| (one.uid.clone(), one.uninstalled, one.let_go));
        let (uid, let_go) = match known {
            // After an uninstall nothing is left.
            Some((_, true, _)) => return Ok(Left::Nothing),
            Some((uid, false, let_go)) => (uid, let_go),
            None => return self.clear_abandoned(key).await.map(|()| Left::Nothing),
        };
        if let_go && let Some(instance) = self.read_unselected(key, &uid).await? {
            return self.let_go(&instance, true).await;
        }
        let gone = self.instances.is_gone(key, &uid, &self.watch.crd_name()).await;
        if !gone.map_err(Error::api("learn whether the resource is gone"))? {
            return match self.read_unselected(key, &uid).await? {
                Some(instance) => self.let_go(&instance, false).await,
                None => Ok(Left::Nothing),
            };
        }
        self.remove_owned(key, &uid).await?;
        if let_go {
            self.remove_marked(key, false).await?;
        }
        tracing::info!(
            kind = %self.watch.names.kind, namespace = %key.namespace, name = %key.name,
            "Removed what a deleted resource owned"
        );
        Ok(Left::Nothing)
    }

    /// Has those resources looked at that this operator served until they lost the selector's label, perhaps while it was
    /// away. Those of others, by other selectors, are theirs.
    pub(crate) async fn look_for_unselected(&self, extent: &Extent) -> Result<(), Error> {
        let selector = self.selector();
        if selector == Digest::default() {
            return Ok(());
        }
        let is_ours = |instance: &Instance| {
            Remembered::read(&instance.status()).seal.is_some_and(|seal| seal.selector == selector)
        };
        let unseen = self.instances.unseen(extent, is_ours).await;
        let lost = unseen.map_err(Error::api("list resources that are not selected"))?;
        let served = self.discovery.current();
        for instance in &lost {
            let remembered = Remembered::read(&instance.status());
            let kinds = remembered.kinds.iter().filter_map(|text| served.kinds.parse(text));
            kinds.for_each(|kind| self.dependents.ensure_everywhere(kind));
        }
        if !lost.is_empty() {
            // What it has is to be known before it goes.
            self.dependents.synced(FIRST_LISTS).await;
        }
        for instance in lost {
            let let_go = !is_held(&instance);
            let unknown = Tracked { uid: instance.uid.clone(), let_go, ..Tracked::default() };
            self.tracked().entry(instance.key.clone()).or_insert(unknown);
            self.queue.add(instance.key.clone());
        }
        Ok(())
    }

    /// The selector by which resources are served, as statuses have it.
    pub(super) fn selector(&self) -> Digest {
        let selector = self.watch.selector.as_ref();
        selector.map(|selector| Digest::of([selector.to_string()])).unwrap_or_default()
    }

    async fn read_unselected(&self, key: &InstanceKey, uid: &str) -> Result<Option<Arc<Instance>>, Error> {
        if self.watch.selector.is_none() {
            return Ok(None);
        }
        let there = self.instances.read(key).await.map_err(Error::api("read the resource"))?;
        Ok(there.filter(|instance| *instance.uid == *uid))
    }

    /// Lets a resource go that is not selected any more: nobody would take the finalizer off when it is deleted. Another
    /// operator that selects it puts it back. One that is to leave everything behind is held all the same, as long as no
    /// other operator has it. `again` says that it was let go before.
    async fn let_go(&self, instance: &Instance, again: bool) -> Result<Left, Error> {
        let seal = Remembered::read(&instance.status()).seal;
        if again && seal.is_some_and(|seal| seal.selector != self.selector()) {
            return Ok(Left::Nothing);
        }
        let orphans = self.watch.policy.deletion(instance) == Deletion::Orphan;
        if orphans && is_held(instance) && instance.deleting {
            self.orphan_release(instance).await?;
            return Ok(Left::Nothing);
        }
        // A resource that is being deleted gets no finalizer any more.
        if is_held(instance) != orphans && !(orphans && instance.deleting) {
            let mut finalizers = instance.finalizers.clone();
            finalizers.retain(|finalizer| !is_ours(finalizer));
            if orphans {
                finalizers.push(FINALIZER.into());
            }
            let set = self.instances.set_finalizers(instance, &finalizers).await;
            set.map_err(Error::api("set the finalizer"))?;
        }
        if !again {
            self.tell_not_selected(instance, orphans);
        }
        if let Some(tracked) = self.tracked().get_mut(&instance.key) {
            tracked.let_go = true;
        }
        Ok(Left::Resource)
    }

    fn tell_not_selected(&self, instance: &Instance, orphans: bool) {
        tracing::info!(
            kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name,
            "A resource is not selected any more"
        );
        let then =
            if orphans { "leaves everything of it" } else { "removes what it has, without running hooks" };
        let note = format!(
            "its labels do not match the selector any more: this operator does nothing about it until it is deleted, and \
             then {then}"
        );
        self.events.tell(instance, Severity::Normal, "Reconcile", "NotSelected", &note);
    }

    /// Removes what belongs to a resource that nobody has ever seen: it went while no operator ran. Whoever restores a
    /// cluster from a copy may make a resource after its objects, so they are given time.
    async fn clear_abandoned(&self, key: &InstanceKey) -> Result<(), Error> {
        // What lives in no namespace is seen by every operator of the kind, whichever namespaces it serves.
        let is_served = self.extents.iter().any(|extent| extent.covers(&key.namespace));
        if !is_served || self.dependents.of(key).is_empty() {
            return Ok(());
        }
        let since = *self.abandoned().entry(key.clone()).or_insert_with(Instant::now);
        if since.elapsed() < GRACE {
            self.queue.add_after(key.clone(), GRACE.saturating_sub(since.elapsed()));
            return Ok(());
        }
        self.abandoned().remove(key);
        let gone = self.instances.is_gone(key, "", &self.watch.crd_name()).await;
        if !gone.map_err(Error::api("learn whether the resource is gone"))? {
            return Ok(());
        }
        self.remove_marked(key, true).await
    }

    /// Deletes what is marked as a resource's that is not there. With `spare` not what takes data or other objects along:
    /// the resource may merely not be there yet.
    async fn remove_marked(&self, key: &InstanceKey, spare: bool) -> Result<(), Error> {
        let of_type = self.primary_type();
        let served = self.discovery.current();
        for id in self.dependents.of(key).keys() {
            let Some(kind_of) = served.kinds.preferred(&id.group, &id.kind) else { continue };
            let marks = self.writer.marks(kind_of, id).await.map_err(Error::api(format!("read {id}")))?;
            let Some(marks) = marks else { continue };
            let says = |key: &str, text: &str| marks.annotations.get(key).is_some_and(|value| value == text);
            let controller = marks.owners.iter().find(|owner| owner.controller);
            let ours = controller.is_some_and(|owner| {
                self.is_called(key, group_of(&owner.api_version), &owner.kind, &owner.name)
            }) || (controller.is_none()
                && says(PRIMARY_RESOURCE, &key.to_string())
                && says(PRIMARY_TYPE, &of_type));
            if !ours || marks.annotations.contains_key(RESOURCE_POLICY) {
                continue;
            }
            if spare && is_precious(&id.kind) {
                tracing::warn!(
                    resource = %key, object = %id, "Left an object whose resource is not there: more would go with it"
                );
                continue;
            }
            let deleted = self.writer.delete(key, kind_of, id, Some(&marks.uid)).await;
            deleted.map_err(Error::api(format!("delete {id}")))?;
            tracing::info!(resource = %key, object = %id, "Removed an object of a resource that is long gone");
        }
        Ok(())
    }

    fn abandoned(&self) -> MutexGuard<'_, HashMap<InstanceKey, Instant>> {
        lock(&self.abandoned)
    }

    /// Deletes everything that a resource owns, without waiting until it is gone. What was orphaned has lost its owner
    /// reference, and what is to be kept never had one: both stay.
    pub(super) async fn remove_owned(&self, key: &InstanceKey, uid: &str) -> Result<(), Error> {
        let (namespace, release) = (self.release_namespace(key), self.release_name(key));
        let mut ids: Vec<_> = self.dependents.of(key).into_keys().collect();
        ids.sort_by(|a, b| order::rank(&b.kind).cmp(&order::rank(&a.kind)));
        ids.push(ObjectId {
            group: "".into(),
            kind: "Secret".into(),
            namespace: namespace.into(),
            name: crate::cluster::seeds::secret_name(release).into(),
        });
        let history = self.records.history(namespace, release).await;
        let history = history.map_err(Error::api("list the release's records"))?;
        let ours: Vec<_> = history
            .iter()
            .filter(|entry| entry.owner.as_ref().is_some_and(|owner| owner.uid == uid))
            .collect();
        let served = self.discovery.current();
        if let Some(last) = ours.last() {
            // What hooks have made is known to the record alone.
            let bytes = self.records.read(namespace, release, last.revision).await;
            let bytes = bytes.map_err(Error::api("read the release's record"))?;
            let record = bytes.and_then(|bytes| release::decode(&bytes).ok()).map(|(record, _)| record);
            let hooks = record.iter().flat_map(|record| &record.hooks);
            ids.extend(hooks.flat_map(|hook| objects::ids(&hook.manifest, namespace, &served.kinds)));
        }
        for id in &ids {
            let Some(kind) = served.kinds.preferred(&id.group, &id.kind) else { continue };
            let marks = self.writer.marks(kind, id).await.map_err(Error::api(format!("read {id}")))?;
            let Some(marks) = marks else { continue };
            if marks.owners.iter().any(|owner| owner.controller && owner.uid == uid) {
                let deleted = self.writer.delete(key, kind, id, Some(&marks.uid)).await;
                deleted.map_err(Error::api(format!("delete {id}")))?;
            }
        }
        for entry in ours {
            let deleted = self.records.delete(namespace, release, entry).await;
            deleted.map_err(Error::api("delete a release record"))?;
        }
        Ok(())
    }
}

/// Whether a finalizer of ours keeps a resource.
fn is_held(instance: &Instance) -> bool {
    instance.finalizers.iter().any(|finalizer| is_ours(finalizer))
}
