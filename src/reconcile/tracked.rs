//! What the operator remembers of a custom resource between reconciles: a few words, never its objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::health::Health;
use super::identity::{ApiKind, Digest, ObjectId};
use super::render::{Lookup, Seed};
use super::replicas::Replicas;
use super::status::{Failing, Seal};
use crate::release::{Entry, State};

/// What is remembered of one custom resource.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    /// Its uid: another resource of the same name starts afresh.
    pub(crate) uid: Box<str>,
    /// The release that runs.
    pub(crate) settled: Option<Arc<Settled>>,
    /// Whether an attempt has changed objects and did not come to its end: what is there is neither the old nor the new.
    pub(crate) disturbed: bool,
    /// The attempt that failed last, until one succeeds.
    pub(crate) failure: Option<Failure>,
    /// The release's seed, once something asked for it.
    pub(crate) seed: Option<Seed>,
    /// Whether installs of the release were tried and none has ever succeeded.
    pub(crate) never_deployed: bool,
    /// Since when Helm is known to be working on the release at somebody's word.
    pub(crate) at_helms_since: Option<Instant>,
    /// The revision whose record was deleted and cannot be written again.
    pub(crate) record_given_up: Option<i64>,
    /// Whether it was told that no record says what runs, while another release is due.
    pub(crate) told_unrecorded: bool,
    /// How often the release changed of late because of what it looks up.
    pub(crate) restless: Restless,
    /// When the release should have got ready, in Unix seconds, if it is not.
    pub(crate) overdue_at: Option<i64>,
    /// The fields of objects that are left out of what is sent, for their types do not know them, as the server writes paths.
    pub(crate) left_out: BTreeMap<ObjectId, BTreeSet<String>>,
    /// When all objects were last applied, where nobody watches them.
    pub(crate) last_pass: Option<Instant>,
    /// Whether the hooks before the deletion have run.
    pub(crate) ready_to_delete: bool,
    /// What the status last said of the release, as we told it; see [`status::release_part`](super::status::release_part).
    pub(crate) told: Option<Digest>,
    /// What a status that said all there is was made of: of the same there is nothing to say.
    pub(crate) said: Option<Said>,
    /// Whether everything was cleaned up after: the resource is about to go.
    pub(crate) uninstalled: bool,
    /// What its annotations say in vain, as it was told.
    pub(crate) slips: Vec<String>,
    /// The rules that lack to watch its objects, as they were told.
    pub(crate) unwatched: BTreeSet<String>,
    /// Whether the resource was let go because it is not selected any more.
    pub(crate) let_go: bool,
}

/// What the status of a settled resource depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    /// Of the custom resource, status included.
    pub(crate) resource_version: Box<str>,
    pub(crate) rendered: Digest,
    pub(crate) revision: i64,
    /// Of its objects as they are.
    pub(crate) objects: (usize, u64),
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
    /// Nothing is tried again before.
    pub(crate) until: Instant,
    /// The same, where the cluster has come to serve other kinds.
    pub(crate) until_kinds_change: Instant,
    /// What the status says of it.
    pub(crate) condition: Failing,
    pub(crate) reason: &'static str,
    pub(crate) message: Arc<str>,
}

/// How often a release changed of late for one reason: a release that changes what it looks up would go on for ever.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Restless {
    times: u32,
    last: Option<Instant>,
}

impl Restless {
    /// Changes this close together belong to one row.
    const ROW: Duration = Duration::from_secs(600);
    /// As many may follow each other at once.
    const AT_ONCE: u32 = 3;
    const LONGEST: Duration = Duration::from_secs(300);

    /// Asks for another change: how long to wait for it, or nothing if it may be made now, which is counted.
    pub(crate) fn wait(&mut self, now: Instant) -> Option<Duration> {
        let since = self.last.map(|last| now.saturating_duration_since(last));
        if since.is_none_or(|since| since > Self::ROW) {
            self.times = 0;
        }
        let doublings = self.times.saturating_sub(Self::AT_ONCE).min(16);
        let pause = if self.times < Self::AT_ONCE {
            Duration::ZERO
        } else {
            Duration::from_secs(1 << (doublings + 1)).min(Self::LONGEST)
        };
        let left = pause.saturating_sub(since.unwrap_or(pause));
        if !left.is_zero() {
            return Some(left);
        }
        self.times = self.times.saturating_add(1);
        self.last = Some(now);
        None
    }

    /// Whether it is being held back.
    pub(crate) fn is_held_back(&self) -> bool {
        self.times >= Self::AT_ONCE
    }
}

/// A release that was applied and recorded.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    /// Of chart, values and overrides.
    pub(crate) inputs: Digest,
    /// Of the chart; [`Digest::default`] if that is not known.
    pub(crate) chart: Digest,
    /// Of the rendered text.
    pub(crate) rendered: Digest,
    /// Of the capabilities of the cluster: those it is known to render the same with.
    pub(crate) capabilities: Digest,
    /// Of the capabilities it was first rendered with.
    pub(crate) first_capabilities: Digest,
    pub(crate) revision: i64,
    /// Whether the revision was an install: templates see it.
    pub(crate) is_install: bool,
    /// What its render looked up; `None` if it did and that was before a restart.
    pub(crate) lookups: Option<Vec<Lookup>>,
    /// The workload that the resource's scale subresource speaks of.
    pub(crate) scaled: Option<ObjectId>,
    /// When certificates in it are to be renewed, in Unix seconds.
    pub(crate) renew_at: Option<i64>,
    /// Whether its resource must not go before it was cleaned up after.
    pub(crate) finalizer: bool,
    /// When the release was first deployed, as records say it; `None` if its record was not written by this process.
    pub(crate) first_deployed: Option<Box<str>>,
    /// Whether its objects are those that Helm recorded, of which chance made others than it makes here.
    pub(crate) as_recorded: bool,
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
    /// Whether it removes itself when it is done.
    pub(crate) fleeting: bool,
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
    /// The autoscaler's manager, if one has set its replicas.
    pub(crate) scaled: Option<Box<str>>,
    /// Whether it removes itself when it is done.
    pub(crate) fleeting: bool,
    /// Set once it has done so: it is not there any more and need not be.
    pub(crate) done: bool,
    /// How many there are, if it is a workload.
    pub(crate) replicas: Option<Replicas>,
}

impl Settled {
    /// When the release was first deployed, if the last record is the one that this process wrote of it: reading it would
    /// tell nothing new.
    pub(crate) fn began(&self, last: Option<&Entry>) -> Option<&str> {
        let last = last.filter(|last| last.revision == self.revision && last.state == State::Deployed);
        last.and(self.first_deployed.as_deref())
    }

    /// What lets a restarted operator see that nothing changed; without the selector, which a release does not know.
    pub(crate) fn seal(&self) -> Seal {
        // What removes itself may or may not be there after a restart.
        let lasting = self.objects.iter().filter(|object| !object.fleeting);
        let objects = lasting.map(|object| (&object.id, &*object.uid, object.fields));
        Seal {
            inputs: self.inputs,
            chart: self.chart,
            capabilities: self.first_capabilities,
            rendered: self.rendered,
            objects: seal_of(objects),
            renew_at: self.renew_at,
            finalizer: self.finalizer,
            as_recorded: self.as_recorded,
            looks_up: self.lookups.as_ref().is_none_or(|lookups| !lookups.is_empty()),
            beside: false,
            selector: Digest::default(),
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
    let lasting = observed.iter().filter(|(_, one)| !one.fleeting);
    seal_of(lasting.map(|(id, one)| (id, &*one.uid, one.fields)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_a_row_are_spaced_out() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut restless = Restless::default();
        assert!((0..3).all(|second| restless.wait(at(second)).is_none()));
        assert!(restless.is_held_back());
        assert_eq!(restless.wait(at(3)), Some(Duration::from_secs(1)));
        assert_eq!(restless.wait(at(4)), None);
        assert_eq!(restless.wait(at(5)), Some(Duration::from_secs(3)));
        assert_eq!(restless.wait(at(8)), None);
        assert_eq!(restless.wait(at(8 + 601)), None);
        assert!(!restless.is_held_back());
    }

    #[test]
    fn only_the_record_that_was_written_need_not_be_read() {
        let mut settled = Settled {
            inputs: Digest::default(),
            chart: Digest::default(),
            rendered: Digest::default(),
            capabilities: Digest::default(),
            first_capabilities: Digest::default(),
            revision: 2,
            is_install: false,
            lookups: None,
            scaled: None,
            renew_at: None,
            finalizer: false,
            first_deployed: Some("then".into()),
            as_recorded: false,
            objects: Vec::new(),
        };
        let entry = |revision, state| Entry { revision, state, owner: None, uid: String::new() };
        assert_eq!(settled.began(Some(&entry(2, State::Deployed))), Some("then"));
        // Somebody wrote another one, or an attempt of ours broke off.
        assert_eq!(settled.began(Some(&entry(3, State::Deployed))), None);
        assert_eq!(settled.began(Some(&entry(2, State::Failed))), None);
        assert_eq!(settled.began(None), None);
        settled.first_deployed = None;
        assert_eq!(settled.began(Some(&entry(2, State::Deployed))), None);
    }

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
