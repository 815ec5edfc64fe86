//! What a resource leaves behind that goes without our finalizer: Kubernetes' garbage collection would remove it, but it
//! takes its time, up to half a minute where the kind is new. While we run, everything goes at once.

use std::collections::HashMap;
use std::sync::MutexGuard;
use std::time::Duration;

use tokio::time::Instant;

use super::error::Error;
use super::identity::{InstanceKey, ObjectId};
use super::objects::{PRIMARY_RESOURCE, PRIMARY_TYPE, RESOURCE_POLICY};
use super::{Controller, objects, order};
use crate::lock::lock;
use crate::release;

/// How long objects may be there before their resource.
const GRACE: Duration = Duration::from_secs(20);

impl Controller {
    /// Removes what belonged to a resource that is not seen any more. One that is still there and merely lost its label
    /// keeps everything.
    pub(super) async fn clear_leftovers(&self, key: &InstanceKey) -> Result<(), Error> {
        let known = self.tracked().get(key).map(|tracked| (tracked.uid.clone(), tracked.ready_to_delete));
        let uid = match known {
            // After an uninstall nothing is left.
            Some((_, true)) => return Ok(()),
            Some((uid, false)) => uid,
            None => return self.clear_abandoned(key).await,
        };
        let gone = self.instances.is_gone(key, &uid, &self.watch.crd_name()).await;
        if gone.map_err(Error::api("learn whether the resource is gone"))? {
            self.remove_owned(key, &uid).await?;
            tracing::info!(
                kind = %self.watch.names.kind, namespace = %key.namespace, name = %key.name,
                "Removed what a deleted resource owned"
            );
        }
        Ok(())
    }

    /// Removes what belongs to a resource that nobody has ever seen: it went while no operator ran. Whoever restores a
    /// cluster from a copy may make a resource after its objects, so they are given time.
    async fn clear_abandoned(&self, key: &InstanceKey) -> Result<(), Error> {
        if self.dependents.of(key).is_empty() {
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
        let kind = &self.watch.names.kind;
        let of_type = format!("{kind}.{}", self.watch.api_version.group);
        let served = self.discovery.current();
        for id in self.dependents.of(key).keys() {
            let Some(kind_of) = served.kinds.preferred(&id.group, &id.kind) else { continue };
            let marks = self.writer.marks(kind_of, id).await.map_err(Error::api(format!("read {id}")))?;
            let Some(marks) = marks else { continue };
            let says = |key: &str, text: &str| marks.annotations.get(key).is_some_and(|value| value == text);
            let controller = marks.owners.iter().find(|owner| owner.controller);
            let ours = controller.is_some_and(|owner| owner.kind == *kind && owner.name == *key.name)
                || (controller.is_none()
                    && says(PRIMARY_RESOURCE, &key.to_string())
                    && says(PRIMARY_TYPE, &of_type));
            if !ours || marks.annotations.contains_key(RESOURCE_POLICY) {
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
