//! One reconcile: custom resource → values → render → objects → (try, record, apply, prune) → health → status.
//!
//! The stages are files. `values`, `render`, `objects`, `convert`, `plan`, `health` and `status` are pure: they know no
//! cluster. A [`Controller`] serves one kind with one chart and drives them.

mod apply;
mod chance;
mod convert;
mod crds;
mod deploy;
mod difference;
mod duplicates;
pub(crate) mod error;
mod gaps;
mod giveup;
pub(crate) mod health;
mod hold;
mod hooks;
pub(crate) mod identity;
pub(crate) mod judge;
mod keep;
mod ledger;
mod leftovers;
mod mend;
pub(crate) mod objects;
mod order;
mod ousted;
mod outline;
mod outside;
mod pin;
mod plan;
pub(crate) mod preview;
mod prune;
mod refusals;
pub(crate) mod render;
pub(crate) mod renderer;
pub(crate) mod replicas;
mod report;
mod rollback;
pub(crate) mod rollout;
mod scale;
mod seeding;
mod site;
mod sources;
pub(crate) mod status;
mod strangers;
mod takeup;
mod testing;
pub(crate) mod tracked;
mod trial;
mod uninstall;
mod unknown;
pub(crate) mod values;
mod yaml;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use kube::Client;
use serde_json::{Value, json};
use tokio::time::Instant;

use error::Error;
use identity::{Digest, InstanceKey};
use leftovers::Left;
use renderer::Renderer;
use rollout::Rollout;
use tracked::Tracked;

use crate::annotations::{PAUSED, RECONCILE_PERIOD, is_true};
use crate::charts::Charts;
use crate::cluster::dependents::Dependents;
use crate::cluster::discovery::Discovery;
use crate::cluster::events::{Events, Severity};
use crate::cluster::instances::{Instance, Instances};
use crate::cluster::lookups::Lookups;
use crate::cluster::objects::Writer;
use crate::cluster::records::{Place, Records};
use crate::cluster::references::References;
use crate::cluster::seeds::Seeds;
use crate::lock::lock;
use crate::observe::metrics::ControllerMetrics;
use crate::queue::{Outcome, Queue};
use crate::settings::{Extent, Watch};

/// The finalizer that makes deletion wait for the clean-up, and an older name of it.
pub(crate) const FINALIZER: &str = "helm.sdk.operatorframework.io/uninstall-release";
pub(crate) const OLD_FINALIZER: &str = "uninstall-helm-release";

/// A resource that cannot be deleted at once is looked at again this often, besides whenever something of it goes.
const DELETION_PERIOD: Duration = Duration::from_secs(2);
/// An aggregated API that is out of order is asked again this often: nobody tells when it is back.
const OUTAGE: Duration = Duration::from_secs(10);
/// How often a resource that is changed at the same time is held again.
const HOLD_AGAIN: &[Duration] =
    &[Duration::from_millis(100), Duration::from_millis(500), Duration::from_secs(2)];

/// Serves one kind of custom resource with one chart, in one version or several. Others of the kind, with other charts, share
/// all that is known of its resources.
#[derive(Clone)]
pub(crate) struct Controller {
    pub(crate) watch: Watch,
    /// How often a settled resource is looked at again.
    pub(crate) period: Duration,
    /// Whether override values are masked in events.
    pub(crate) suppress_override_values: bool,
    /// Whether statuses hold the manifest.
    pub(crate) status_manifest: bool,
    pub(crate) charts: Charts,
    /// Where the values hold the number of replicas, if the kind can be scaled.
    pub(crate) replicas_path: Option<Vec<String>>,
    /// Value of the owner label.
    pub(crate) label: String,
    pub(crate) client: Client,
    pub(crate) queue: Arc<Queue<InstanceKey>>,
    pub(crate) instances: Arc<Instances>,
    pub(crate) dependents: Arc<Dependents>,
    pub(crate) lookups: Lookups,
    /// What values are taken from besides the spec.
    pub(crate) references: Arc<References>,
    pub(crate) writer: Writer,
    pub(crate) records: Records,
    pub(crate) seeds: Seeds,
    pub(crate) events: Events,
    pub(crate) discovery: Arc<Discovery>,
    pub(crate) renderer: Renderer,
    pub(crate) metrics: ControllerMetrics,
    pub(crate) tracked: Arc<Mutex<HashMap<InstanceKey, Tracked>>>,
    /// Resources that are not there although objects of theirs are, and since when.
    pub(crate) abandoned: Arc<Mutex<HashMap<InstanceKey, Instant>>>,
    /// Of the resources' way to this chart.
    pub(crate) rollout: Arc<Mutex<Rollout>>,
    /// The chart whose definitions have been applied, where these are kept up to date.
    pub(crate) defined: Arc<Mutex<Option<Digest>>>,
    /// Where resources are served.
    pub(crate) extents: Vec<Extent>,
}

/// What to do with a resource after a reconcile that went well.
enum Next {
    /// Look again after its period.
    Settled,
    /// Look again soon.
    Soon(Duration),
    /// It is gone, or about to go.
    Gone,
}

impl Controller {
    fn tracked(&self) -> MutexGuard<'_, HashMap<InstanceKey, Tracked>> {
        lock(&self.tracked)
    }

    /// Serves the same kind with other charts.
    pub(crate) fn with(&self, charts: Charts, replicas_path: Option<Vec<String>>) -> Self {
        Self { charts, replicas_path, rollout: Arc::default(), ..self.clone() }
    }

    /// Has every resource looked at again.
    pub(crate) fn look_at_all(&self) {
        self.instances.all().iter().for_each(|instance| self.queue.add(instance.key.clone()));
    }

    /// Brings one resource to what it should be.
    pub(crate) async fn reconcile(&self, key: &InstanceKey) -> Outcome {
        let Some(instance) = self.instances.get(key) else {
            let left = match self.clear_leftovers(key).await {
                Ok(left) => left,
                Err(error) => {
                    tracing::warn!(resource = %key, %error, "Cannot remove what a deleted resource left behind");
                    return Outcome::Failed;
                }
            };
            self.lookups.forget(key);
            self.leave_rollout(key);
            if left == Left::Resource {
                return Outcome::Settled(Some(self.period));
            }
            self.dependents.forget_done(key);
            self.tracked().remove(key);
            return Outcome::Gone;
        };
        {
            let mut tracked = self.tracked();
            let entry = tracked.entry(key.clone()).or_default();
            if entry.uid != instance.uid {
                *entry = Tracked { uid: instance.uid.clone(), ..Tracked::default() };
            }
            entry.let_go = false;
        }
        self.tell_slips(&instance);
        let (instance, held) = self.hold_if_asked(instance).await;
        if held.is_ok() && !instance.deleting && is_true(&instance, PAUSED) {
            self.report_paused(&instance).await;
            return Outcome::Settled(None);
        }
        if let Some(why) = self.charts.why_unusable().filter(|_| !instance.deleting) {
            self.tell_unusable(&instance, why).await;
            return if held.is_ok() { Outcome::Settled(None) } else { Outcome::Failed };
        }
        let result = match held {
            Err(error) => Err(error),
            Ok(()) if instance.deleting => self.uninstall(&instance).await,
            Ok(()) => self.pursue(&instance).await,
        };
        let result = match result {
            Ok(Next::Settled) => self.test_if_asked(&instance).await.map(|()| Next::Settled),
            result => result,
        };
        match result {
            Ok(Next::Settled) => Outcome::Settled(Some(self.next_look(&instance))),
            Ok(Next::Soon(delay)) => Outcome::Settled(Some(self.or_pass(&instance, delay))),
            Ok(Next::Gone) => Outcome::Gone,
            Err(Error::Overtaken) => Outcome::Settled(Some(Duration::ZERO)),
            Err(error) => {
                self.tell_failure(&instance, &error).await;
                if let Some(left) = self.watch.policy.deletion_left(&instance).filter(|left| !left.is_zero())
                {
                    self.queue.add_after(key.clone(), left + Duration::from_millis(100));
                }
                if !instance.deleting && !error.is_passing() {
                    self.guard(&instance).await;
                }
                if error.is_outage() {
                    return Outcome::Settled(Some(OUTAGE));
                }
                let failure = self.failure(key).filter(|_| !instance.deleting);
                match failure.map(|failure| failure.until.duration_since(Instant::now())) {
                    Some(wait) if !wait.is_zero() => Outcome::Settled(Some(self.or_pass(&instance, wait))),
                    _ => Outcome::Failed,
                }
            }
        }
    }

    /// Tells, once, what a resource's annotations say in vain.
    fn tell_slips(&self, instance: &Instance) {
        let slips = crate::annotations::slips(instance);
        let told = match self.tracked().get_mut(&instance.key) {
            Some(tracked) => std::mem::replace(&mut tracked.slips, slips.clone()),
            None => return,
        };
        for slip in slips.iter().filter(|slip| !told.contains(slip)) {
            tracing::warn!(resource = %instance.key, "{slip}");
            self.events.tell(instance, Severity::Warning, "Reconcile", "InvalidAnnotation", slip);
        }
    }

    /// Sets the finalizer of a resource whose annotations ask for one, however its release fares and though nothing else be
    /// done: when it is deleted it would be too late. Returns the resource as it is then.
    async fn hold_if_asked(&self, instance: Arc<Instance>) -> (Arc<Instance>, Result<(), Error>) {
        if instance.deleting || !self.wants_finalizer(&instance) {
            return (instance, Ok(()));
        }
        let held = self.set_finalizer(&instance, true).await;
        (self.instances.get(&instance.key).unwrap_or(instance), held)
    }

    /// The same, whatever is being done for the resource; a failure is for its next reconcile to tell.
    pub(crate) async fn hold_at_once(&self, key: &InstanceKey) {
        for pause in HOLD_AGAIN {
            let Some(instance) = self.instances.get(key) else { return };
            match self.hold_if_asked(instance).await.1 {
                // Somebody else has changed it at the same time.
                Err(Error::Overtaken | Error::Api { .. }) => tokio::time::sleep(*pause).await,
                _ => return,
            }
        }
    }

    /// The period of the resource's annotation, or the kind's.
    fn period_of(&self, instance: &Instance) -> Duration {
        let asked = instance.annotations.get(RECONCILE_PERIOD);
        match asked.map(|text| crate::watches::go_period(text)) {
            Some(Ok(period)) => period,
            Some(Err(why)) => {
                let note = format!("annotation {RECONCILE_PERIOD}: {why}");
                self.events.tell(instance, Severity::Warning, "Reconcile", "InvalidAnnotation", &note);
                self.period
            }
            None => self.period,
        }
    }

    /// When a settled resource is looked at again: after its period, or earlier if certificates are to be renewed, or the
    /// time to get ready is over.
    fn next_look(&self, instance: &Instance) -> Duration {
        let period = self.period_of(instance);
        let renew_at =
            self.tracked().get(&instance.key).and_then(|tracked| tracked.settled.as_ref()?.renew_at);
        let overdue_at = self.tracked().get(&instance.key).and_then(|tracked| tracked.overdue_at);
        let Some(at) = renew_at.into_iter().chain(overdue_at).min() else { return period };
        let left = at.saturating_sub(jiff::Timestamp::now().as_second());
        period.min(Duration::from_secs(u64::try_from(left).unwrap_or_default()) + Duration::from_millis(100))
    }

    /// Logs a failure, and tells the user by event and status.
    async fn tell_failure(&self, instance: &Instance, error: &Error) {
        let reason = error.reason();
        let told = self.secrets(instance).hide(&error.to_string()).into_owned();
        self.metrics.failed(reason);
        tracing::warn!(
            kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name, reason,
            error = told, "Reconcile failed"
        );
        self.events.tell(instance, Severity::Warning, "Reconcile", reason, &told);
        self.report_failure(instance, error).await;
    }

    /// Tells, once, that there is no chart for a resource. What runs is left alone; a deletion needs none.
    async fn tell_unusable(&self, instance: &Instance, why: &Arc<str>) {
        let error = Error::Unusable(why.clone());
        if !self.report_failure(instance, &error).await {
            tracing::warn!(resource = %instance.key, kind = %self.watch.names.kind, %error, "The resource is not served");
            self.events.tell(instance, Severity::Warning, "Reconcile", error.reason(), why);
        }
    }

    /// The name of a resource's release: its own.
    fn release_name<'a>(&self, key: &'a InstanceKey) -> &'a str {
        &key.name
    }

    /// Where a resource's release lives: in its namespace, or in the one set for cluster-scoped kinds.
    pub(super) fn release_namespace<'a>(&'a self, key: &'a InstanceKey) -> &'a str {
        self.watch.cluster_namespace().unwrap_or(&key.namespace)
    }

    /// The served kind as objects of no namespace name it: `Kind.group`.
    pub(super) fn primary_type(&self) -> String {
        format!("{}.{}", self.watch.names.kind, self.watch.api_version.group)
    }

    /// Whether an owner's group, kind and name are those of a resource of the served kind.
    pub(super) fn is_called(&self, key: &InstanceKey, group: &str, kind: &str, name: &str) -> bool {
        *group == *self.watch.api_version.group && *kind == *self.watch.names.kind && *name == *key.name
    }

    /// The owner reference that ties things to a custom resource.
    fn owner_reference(&self, instance: &Instance) -> Value {
        json!({
            "apiVersion": self.watch.api_version.to_string(), "kind": self.watch.names.kind,
            "name": &*instance.key.name, "uid": &*instance.uid, "controller": true, "blockOwnerDeletion": true,
        })
    }

    /// Where a resource's records are.
    fn place<'a>(&'a self, instance: &'a Instance) -> Place<'a> {
        Place {
            namespace: self.release_namespace(&instance.key),
            release: self.release_name(&instance.key),
            owner: self.owner_reference(instance),
            seed: self.tracked().get(&instance.key).and_then(|tracked| tracked.seed),
        }
    }

    /// What [`objects::build`] wants to know of a resource.
    fn owner<'a>(&'a self, instance: &'a Instance, api_version: &'a str) -> objects::Owner<'a> {
        objects::Owner {
            key: &instance.key,
            uid: &instance.uid,
            api_version,
            group: &self.watch.api_version.group,
            kind: &self.watch.names.kind,
            label: &self.label,
            release: self.release_name(&instance.key),
            release_namespace: self.release_namespace(&instance.key),
            chart: self.charts.newest().chart().name(),
        }
    }

    /// Stops work on a resource that was deleted or changed since the work began.
    pub(super) fn still_wanted(&self, instance: &Instance) -> Result<(), Error> {
        match self.instances.get(&instance.key) {
            Some(now) if now.uid == instance.uid && now.deleting == instance.deleting => Ok(()),
            _ => Err(Error::Overtaken),
        }
    }
}
