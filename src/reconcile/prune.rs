//! Objects that a release no longer has → gone, unless the chart wants them kept.

use std::sync::Arc;

use futures::{StreamExt as _, stream};

use super::Controller;
use super::error::Error;
use super::identity::{ApiKind, ObjectId};
use super::objects::{PRIMARY_RESOURCE, PRIMARY_TYPE, RELEASE_NAME, RELEASE_NAMESPACE, RESOURCE_POLICY};
use super::order;
use super::trial::AT_A_TIME;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::cluster::objects::Marks;
use crate::policy::is_precious;

/// What became of an object that was to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removal {
    /// Its deletion was asked for; it may take time.
    Asked,
    /// It is not there.
    Gone,
    /// It stays: the chart or somebody else wants it.
    Kept,
}

impl Controller {
    /// Deletes objects, in uninstall order, without waiting until they are gone. What a failed install left and may hold
    /// data stays.
    pub(super) async fn prune(&self, instance: &Instance, ids: &[ObjectId]) -> Result<(), Error> {
        let is_new = self.tracked().get(&instance.key).is_some_and(|tracked| tracked.never_deployed);
        let (precious, others): (Vec<_>, Vec<_>) =
            ids.iter().cloned().partition(|id| is_new && is_precious(&id.kind));
        for id in &precious {
            self.leave(instance, id).await?;
        }
        for id in self.remove_in_order(instance, others).await? {
            tracing::info!(resource = %instance.key, object = %id, "Deleted an object that is no longer rendered");
        }
        Ok(())
    }

    /// Lets go of an object of ours, and says so.
    async fn leave(&self, instance: &Instance, id: &ObjectId) -> Result<(), Error> {
        if self.free(instance, id).await? {
            let note = format!(
                "{id} of an install that failed is not rendered any more; it may hold data and stays"
            );
            tracing::info!(resource = %instance.key, object = %id, "Left an object of a failed install");
            self.events.tell(instance, Severity::Normal, "Install", "Left", &note);
        }
        Ok(())
    }

    /// Takes our marks off an object if it is ours; returns whether it was.
    pub(super) async fn free(&self, instance: &Instance, id: &ObjectId) -> Result<bool, Error> {
        let served = self.discovery.current();
        let Some(kind) = served.kinds.preferred(&id.group, &id.kind) else { return Ok(false) };
        let marks = self.writer.marks(kind, id).await.map_err(Error::api(format!("read {id}")))?;
        let is_ours = marks.is_some_and(|marks| self.is_ours(instance, &marks));
        if is_ours {
            let left = self.writer.let_go(&instance.key, kind, id).await;
            left.map_err(Error::api(format!("let {id} go")))?;
        }
        Ok(is_ours)
    }

    /// Deletes objects that are ours to delete, in uninstall order, those of one rank at the same time. Returns those whose
    /// deletion was asked for.
    pub(super) async fn remove_in_order(
        &self,
        instance: &Instance,
        mut ids: Vec<ObjectId>,
    ) -> Result<Vec<ObjectId>, Error> {
        ids.sort_by(|a, b| order::rank(&b.kind).cmp(&order::rank(&a.kind)));
        let mut asked = Vec::new();
        for rank in ids.chunk_by(|a, b| order::rank(&a.kind) == order::rank(&b.kind)) {
            let mut removals = Vec::with_capacity(rank.len());
            for id in rank {
                removals.push(async move { self.remove(instance, id).await.map(|removal| (id, removal)) });
            }
            let removals: Vec<_> = stream::iter(removals).buffered(AT_A_TIME).collect().await;
            for removal in removals {
                let (id, removal) = removal?;
                if removal == Removal::Asked {
                    asked.push(id.clone());
                }
            }
        }
        Ok(asked)
    }

    /// Deletes one object if it is ours to delete.
    pub(super) async fn remove(&self, instance: &Instance, id: &ObjectId) -> Result<Removal, Error> {
        let served = self.discovery.current();
        let Some(kind) = served.kinds.preferred(&id.group, &id.kind) else {
            if !served.kinds.is_out_of_order(&id.group) {
                return Ok(Removal::Gone); // Its kind is gone, and it with it.
            }
            return Err(self.out_of_order(Error::OutOfOrder(id.clone())).await);
        };
        self.remove_of(instance, kind, id).await
    }

    async fn remove_of(
        &self,
        instance: &Instance,
        kind: &Arc<ApiKind>,
        id: &ObjectId,
    ) -> Result<Removal, Error> {
        let marks = self.writer.marks(kind, id).await.map_err(Error::api(format!("read {id}")))?;
        let Some(marks) = marks else { return Ok(Removal::Gone) };
        if !self.is_ours(instance, &marks) {
            return Ok(Removal::Kept);
        }
        if marks
            .annotations
            .get(RESOURCE_POLICY)
            .is_some_and(|policy| policy.trim().eq_ignore_ascii_case("keep"))
        {
            self.writer.let_go(&instance.key, kind, id).await.map_err(Error::api(format!("let {id} go")))?;
            return Ok(Removal::Kept);
        }
        let deleted = self.writer.delete(&instance.key, kind, id, Some(&marks.uid)).await;
        let was_there = deleted.map_err(Error::api(format!("delete {id}")))?;
        if id.is_definition() {
            self.discovery.expire().await;
        }
        Ok(if was_there { Removal::Asked } else { Removal::Gone })
    }

    /// Whether an object's marks say that it belongs to this resource's release.
    pub(super) fn is_ours(&self, instance: &Instance, marks: &Marks) -> bool {
        let says = |key: &str, text: &str| marks.annotations.get(key).is_some_and(|value| value == text);
        if let Some(owner) = marks.owners.iter().find(|owner| owner.controller) {
            return owner.uid == *instance.uid;
        }
        if let Some(resource) = marks.annotations.get(PRIMARY_RESOURCE) {
            let of_type = marks.annotations.get(PRIMARY_TYPE).is_none_or(|kind| *kind == self.primary_type());
            return *resource == instance.key.to_string() && of_type;
        }
        says(RELEASE_NAME, self.release_name(&instance.key))
            && says(RELEASE_NAMESPACE, self.release_namespace(&instance.key))
    }
}
