//! What a resource leaves behind that goes without our finalizer: Kubernetes' garbage collection would remove it, but it
//! takes its time, up to half a minute where the kind is new. While we run, everything goes at once.

use super::error::Error;
use super::identity::{InstanceKey, ObjectId};
use super::{Controller, order};

impl Controller {
    /// Removes what belonged to a resource that is not seen any more. One that is still there and merely lost its label
    /// keeps everything.
    pub(super) async fn clear_leftovers(&self, key: &InstanceKey) -> Result<(), Error> {
        let known = self.tracked().get(key).map(|tracked| (tracked.uid.clone(), tracked.ready_to_delete));
        // After an uninstall nothing is left; of a resource never worked on nothing is known.
        let Some((uid, false)) = known else { return Ok(()) };
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
        let served = self.discovery.current();
        for id in &ids {
            let Some(kind) = served.kinds.preferred(&id.group, &id.kind) else { continue };
            let marks = self.writer.marks(kind, id).await.map_err(Error::api(format!("read {id}")))?;
            let Some(marks) = marks else { continue };
            if marks.owners.iter().any(|owner| owner.controller && owner.uid == uid) {
                let deleted = self.writer.delete(key, kind, id, Some(&marks.uid)).await;
                deleted.map_err(Error::api(format!("delete {id}")))?;
            }
        }
        let history = self.records.history(namespace, release).await;
        let history = history.map_err(Error::api("list the release's records"))?;
        for entry in history.iter().filter(|entry| entry.owner.as_deref() == Some(uid)) {
            let deleted = self.records.delete(namespace, release, entry).await;
            deleted.map_err(Error::api("delete a release record"))?;
        }
        Ok(())
    }
}
