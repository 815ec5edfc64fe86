//! What the operator remembers of a custom resource between reconciles: a few words, never its objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;

use super::health::Health;
use super::identity::{ApiKind, Digest, ObjectId};
use super::render::{Lookup, Seed};
use super::replicas::Replicas;
use super::status::{Failing, Seal};

/// What is remembered of one custom resource.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    /// Its uid: another resource of the same name starts afresh.
    pub(crate) uid: Box<str>,
    /// The release that runs.
    pub(crate) settled: Option<Arc<Settled>>,
    /// The attempt that failed last, until one succeeds.
    pub(crate) failure: Option<Failure>,
    /// The release's seed, once something asked for it.
    pub(crate) seed: Option<Seed>,
    /// Whether the hooks before the deletion have run.
    pub(crate) ready_to_delete: bool,
}

/// An attempt at a release that did not work.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Of chart, values and overrides.
    pub(crate) inputs: Digest,
    /// Of the inputs and of what else the user says.
    pub(crate) attempt: Digest,
    /// Of what the cluster served.
    pub(crate) capabilities: Digest,
    /// How often the same was tried.
    pub(crate) count: u32,
    pub(crate) since: Instant,
    /// Nothing is tried again before.
    pub(crate) until: Instant,
    /// What the status says of it.
    pub(crate) condition: Failing,
    pub(crate) reason: &'static str,
    pub(crate) message: Arc<str>,
}

/// A release that was applied and recorded.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    /// Of chart, values and overrides.
    pub(crate) inputs: Digest,
    /// Of the rendered text.
    pub(crate) rendered: Digest,
    /// Of the capabilities of the cluster: those it is known to render the same with.
    pub(crate) capabilities: Digest,
    /// Of the capabilities it was first rendered with.
    pub(crate) first_capabilities: Digest,
    pub(crate) revision: i64,
    /// Whether the revision was an install: templates see it.
    pub(crate) is_install: bool,
    pub(crate) lookups: Vec<Lookup>,
    /// The workload that the resource's scale subresource speaks of.
    pub(crate) scaled: Option<ObjectId>,
    /// When certificates in it are to be renewed, in Unix seconds.
    pub(crate) renew_at: Option<i64>,
    /// In the order they were applied.
    pub(crate) objects: Vec<Expected>,
}

/// An object as we applied it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) id: ObjectId,
    pub(crate) kind: Arc<ApiKind>,
    /// Of what was sent; `None` if that was before a restart.
    pub(crate) body: Option<Digest>,
    pub(crate) uid: Box<str>,
    /// Of the fields we own.
    pub(crate) fields: Digest,
}

/// An applied object as the cluster has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependent {
    pub(crate) uid: Box<str>,
    /// Its resource version, as a number.
    pub(crate) version: u64,
    /// Of the fields we own.
    pub(crate) fields: Digest,
    pub(crate) deleting: bool,
    /// `None` while only an apply's answer is known.
    pub(crate) health: Option<Health>,
    /// Who else wrote to it last.
    pub(crate) editor: Option<Box<str>>,
    /// Whether an autoscaler has set its replicas.
    pub(crate) scaled: bool,
    /// How many there are, if it is a workload.
    pub(crate) replicas: Option<Replicas>,
}

impl Settled {
    /// What lets a restarted operator see that nothing changed.
    pub(crate) fn seal(&self) -> Seal {
        let objects = self.objects.iter().map(|object| (&object.id, &*object.uid, object.fields));
        Seal {
            inputs: self.inputs,
            capabilities: self.first_capabilities,
            rendered: self.rendered,
            objects: seal_of(objects),
            renew_at: self.renew_at,
        }
    }
}

/// Digests objects, in whatever order they come.
pub(crate) fn seal_of<'a>(objects: impl Iterator<Item = (&'a ObjectId, &'a str, Digest)>) -> Digest {
    let mut lines: Vec<_> =
        objects.map(|(id, uid, fields)| format!("{}/{id}/{uid}/{fields}", id.group)).collect();
    lines.sort_unstable();
    Digest::of(lines)
}

/// Digests the objects a watch shows.
pub(crate) fn seal_of_observed(observed: &BTreeMap<ObjectId, Dependent>) -> Digest {
    seal_of(observed.iter().map(|(id, one)| (id, &*one.uid, one.fields)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_matter_and_everything_else_does() {
        let id = |name: &str| ObjectId {
            group: "".into(),
            kind: "ConfigMap".into(),
            namespace: "n".into(),
            name: name.into(),
        };
        let (a, b) = (id("a"), id("b"));
        let seal = seal_of([(&a, "1", Digest(7)), (&b, "2", Digest(8))].into_iter());
        assert_eq!(seal, seal_of([(&b, "2", Digest(8)), (&a, "1", Digest(7))].into_iter()));
        assert_ne!(seal, seal_of([(&a, "1", Digest(7))].into_iter()));
        assert_ne!(seal, seal_of([(&a, "1", Digest(7)), (&b, "2", Digest(9))].into_iter()));
        assert_ne!(seal, seal_of([(&a, "1", Digest(7)), (&b, "3", Digest(8))].into_iter()));
    }
}
