//! One served kind: what is watched for it, its queue and the work on it, and the charts it is served with.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::future::{join_all, select_all};
use kube::core::Selector;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;

use crate::charts::Charts;
use crate::cluster::dependents::{Dependents, Wake};
use crate::cluster::discovery::Discovery;
use crate::cluster::events::Events;
use crate::cluster::instances::{Instances, Listing};
use crate::cluster::lookups::Lookups;
use crate::cluster::objects::Writer;
use crate::cluster::records::Records;
use crate::cluster::references::References;
use crate::cluster::seeds::Seeds;
use crate::cluster::seen::OwnerKind;
use crate::crd::RegisterError;
use crate::lock::lock;
use crate::observe::served::View;
use crate::operator::{Error, Shared};
use crate::queue::{Backoff, Outcome, Queue};
use crate::reconcile::Controller;
use crate::reconcile::identity::InstanceKey;
use crate::reconcile::objects::label_value;
use crate::reconcile::renderer::Renderer;
use crate::reconcile::status::Remembered;
use crate::settings::{Extent, Scope, Settings, Watch};
use crate::slots::Slots;

/// How long the first lists of applied objects are waited for; work goes on without them, and looks more closely.
pub(crate) const FIRST_LISTS: Duration = Duration::from_secs(30);
/// The longest pause between attempts at what is done once.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// Objects change their health in bursts; one look at the end of it is enough.
const SETTLE: Duration = Duration::from_millis(100);

/// The kinds that are served. Of those whose charts cannot be used only deletions are, until they are mended.
#[derive(Default)]
pub(crate) struct Kinds(watch::Sender<Vec<Arc<Kind>>>);

impl Kinds {
    pub(crate) fn add(&self, kind: Arc<Kind>) {
        self.0.send_modify(|all| all.push(kind));
    }

    pub(crate) fn all(&self) -> Vec<Arc<Kind>> {
        self.0.borrow().clone()
    }

    /// Who works on their resources from now on, with charts that can be used.
    pub(crate) fn controllers(&self) -> Vec<Arc<Controller>> {
        let all = self.0.borrow();
        let controllers = all.iter().map(|kind| kind.controller());
        controllers.filter(|controller| controller.charts.why_unusable().is_none()).collect()
    }

    /// Says that a chart can be used that could not be.
    pub(crate) fn tell_mended(&self) {
        self.0.send_modify(|_| {});
    }

    /// Tells of those that join, or are mended, from now on.
    pub(crate) fn follow(&self) -> watch::Receiver<Vec<Arc<Kind>>> {
        self.0.subscribe()
    }
}

/// One served kind.
pub(crate) struct Kind {
    /// The one with the charts that are in use; work that is under way may have those from before.
    controller: Mutex<Arc<Controller>>,
    /// Told when its definition was deleted.
    pub(crate) undefined: Notify,
    /// Names its resources that come, change or go, until somebody listens.
    changed: Mutex<Option<UnboundedReceiver<InstanceKey>>>,
    extents: Vec<Extent>,
    selector: Option<Selector>,
    /// One per extent.
    listings: Vec<watch::Sender<Listing>>,
    workers: usize,
    /// Whether its queue was closed and everything that was begun has ended.
    done: watch::Sender<bool>,
}

/// Makes what serves a kind; nothing is started.
pub(crate) fn kind(
    settings: &Settings,
    watch: &Watch,
    charts: Charts,
    shared: &Shared,
    discovery: &Arc<Discovery>,
    renderer: &Renderer,
) -> Result<Kind, Error> {
    let Shared { client, metrics, histories } = shared;
    let label = label_value(&watch.crd_name());
    let name = controller_name(watch);
    let workers = settings.max_concurrent_reconciles.max(1);
    let queue = Arc::new(Queue::new(Backoff::default()).with_metrics(metrics.queue(&name)));
    let resource = watch.resource();
    let (tell_changed, changed) = mpsc::unbounded_channel();
    let on_change = {
        let queue = queue.clone();
        Box::new(move |key: &InstanceKey| {
            queue.add(key.clone());
            // Nobody may listen: a plan is made without anything being written.
            let _ = tell_changed.send(key.clone());
        })
    };
    let instances = Arc::new(Instances::new(client.clone(), resource, on_change));
    let references = {
        let (queue, instances) = (queue.clone(), instances.clone());
        let cluster_wide = watch.scope == Scope::Cluster;
        let on_change = move |namespace: Option<&str>| {
            let all = instances.all();
            let namespace = namespace.filter(|_| !cluster_wide);
            let touched = all.iter().filter(|one| namespace.is_none_or(|name| *one.key.namespace == *name));
            touched.for_each(|one| queue.add(one.key.clone()));
        };
        // Where a reference names no namespace, that of the release is meant.
        let served = match watch.cluster_namespace() {
            Some(shared) => vec![shared.to_owned()],
            None => settings.watch_namespaces.clone(),
        };
        Arc::new(References::new(client.clone(), &watch.values_from, &served, Box::new(on_change)))
    };
    let wake = {
        let queue = queue.clone();
        Arc::new(move |key: &InstanceKey, wake: Wake| match wake {
            Wake::Changed => queue.add(key.clone()),
            Wake::Health => queue.add_after(key.clone(), SETTLE),
        })
    };
    let lookups = {
        let queue = queue.clone();
        let wake = move |key: &InstanceKey| queue.add_after(key.clone(), SETTLE);
        Lookups::new(client.clone(), Arc::new(wake))
    };
    {
        let (queue, instances) = (queue.clone(), instances.clone());
        let shared_namespace = watch.cluster_namespace().map(str::to_owned);
        histories.tell_losses(Arc::new(move |namespace: &str, release: &str| {
            let key = match &shared_namespace {
                Some(shared) if shared != namespace => return,
                Some(_) => InstanceKey::new("", release),
                None => InstanceKey::new(namespace, release),
            };
            if instances.get(&key).is_some() {
                queue.add(key);
            }
        }));
    }
    let owner = OwnerKind {
        group: watch.api_version.group.as_str().into(),
        kind: watch.names.kind.as_str().into(),
        namespaced: watch.scope == Scope::Namespaced,
    };
    let extents = extents(settings, watch);
    let dependents =
        Arc::new(Dependents::new(client.clone(), &label, owner, namespaces(settings, watch).to_vec(), wake));
    let selector = selector(watch)?;
    let waiting = queue.clone();
    let is_busy = move || waiting.stats().waiting > 0;
    let controller = Controller {
        period: watch.reconcile_period.unwrap_or(settings.reconcile_period),
        suppress_override_values: settings.suppress_override_values,
        status_manifest: settings.status_manifest,
        replicas_path: replicas_path(watch, &charts)?,
        charts,
        label,
        client: client.clone(),
        queue,
        instances,
        lookups,
        writer: Writer::new(client.clone(), dependents.clone()),
        dependents,
        records: Records::new(client.clone(), histories.clone()),
        references,
        seeds: Seeds::new(client.clone(), histories.clone()),
        events: Events::start(client.clone(), &watch.api_version.to_string(), &watch.names.kind, is_busy),
        discovery: discovery.clone(),
        renderer: renderer.clone(),
        metrics: metrics.controller(&name, workers),
        tracked: Arc::default(),
        abandoned: Arc::default(),
        rollout: Arc::default(),
        defined: Arc::default(),
        extents: extents.clone(),
        watch: watch.clone(),
    };
    Ok(Kind {
        controller: Mutex::new(Arc::new(controller)),
        undefined: Notify::new(),
        changed: Mutex::new(Some(changed)),
        listings: extents.iter().map(|_| watch::Sender::new(Listing::Asked)).collect(),
        extents,
        selector,
        workers,
        done: watch::Sender::new(false),
    })
}

fn replicas_path(watch: &Watch, charts: &Charts) -> Result<Option<Vec<String>>, RegisterError> {
    match charts.why_unusable() {
        Some(_) => Ok(None),
        None => Ok(crate::crd::api(watch, charts.newest().chart())?.replicas),
    }
}

/// Cluster-scoped resources live in no namespace, whichever are served, and their objects may be anywhere.
fn namespaces<'a>(settings: &'a Settings, watch: &Watch) -> &'a [String] {
    match watch.scope {
        Scope::Namespaced => &settings.watch_namespaces,
        Scope::Cluster => &[],
    }
}

/// Where a kind's resources are.
fn extents(settings: &Settings, watch: &Watch) -> Vec<Extent> {
    Extent::of(namespaces(settings, watch))
}

fn selector(watch: &Watch) -> Result<Option<Selector>, Error> {
    watch.selector.clone().map(|selector| parse_selector(selector, &watch.names.kind)).transpose()
}

/// helm-operator's name of a kind's controller.
pub(crate) fn controller_name(watch: &Watch) -> String {
    format!("{}-controller", watch.names.kind.to_lowercase())
}

fn parse_selector(selector: serde_json::Value, kind: &str) -> Result<Selector, Error> {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
    let fail = |why: String| Error::Selector { kind: kind.to_owned(), why };
    let selector: LabelSelector =
        serde_json::from_value(selector).map_err(|error| fail(error.to_string()))?;
    Selector::try_from(selector).map_err(|error| fail(error.to_string()))
}

impl Kind {
    /// Who works on its resources from now on.
    pub(crate) fn controller(&self) -> Arc<Controller> {
        lock(&self.controller).clone()
    }

    /// Has other charts used. What is under way ends with those it began with, and everything is looked at again.
    pub(crate) fn turn_to(&self, charts: Charts, replicas_path: Option<Vec<String>>) {
        let next = Arc::new(self.controller().with(charts, replicas_path));
        *lock(&self.controller) = next.clone();
        next.look_at_all();
    }

    /// Waits until everything is done that was begun before its queue was closed.
    pub(crate) async fn done(&self) {
        // The sender lives as long as we do.
        let _ = self.done.subscribe().wait_for(|done| *done).await;
    }

    /// How metrics look at it.
    pub(crate) fn view(&self) -> View {
        let controller = self.controller();
        let watch = &controller.watch;
        let (queue, instances) = (controller.queue.clone(), controller.instances.clone());
        View {
            controller: controller_name(watch),
            group: watch.api_version.group.clone(),
            version: watch.api_version.version.clone(),
            kind: watch.names.kind.clone(),
            queue: Box::new(move || queue.stats()),
            instances: Box::new(move || instances.all()),
        }
    }

    /// The watches of its custom resources, one per extent.
    pub(crate) fn watchers(&self) -> Vec<impl Future<Output = ()> + Send + 'static> {
        let each = self.extents.iter().zip(&self.listings);
        each.map(|(extent, listing)| {
            let (instances, extent) = (self.controller().instances.clone(), extent.clone());
            let (selector, listing) = (self.selector.clone(), listing.clone());
            async move { instances.watch(&extent, selector.as_ref(), listing).await }
        })
        .collect()
    }

    /// Waits until the first lists of custom resources, and of what values are taken from, are in. Where the operator may not
    /// look does not count, unless that is everywhere.
    pub(crate) async fn synced(&self) {
        self.controller().references.synced().await;
        let wait = |is_enough: fn(&Listing) -> bool| {
            self.listings.iter().map(move |listing| {
                let mut listing = listing.subscribe();
                // The sender lives as long as we do.
                Box::pin(async move { _ = listing.wait_for(is_enough).await })
            })
        };
        join_all(wait(|listing| *listing != Listing::Asked)).await;
        // Without namespaces there is one extent, so there is one to wait for.
        select_all(wait(|listing| *listing == Listing::Known)).await;
    }

    /// What the operator may not do to serve the kind, in words.
    pub(crate) fn refused(&self) -> Vec<Arc<str>> {
        let each = self.listings.iter().map(|listing| match &*listing.borrow() {
            Listing::Refused(right) => Some(right.clone()),
            Listing::Asked | Listing::Known => None,
        });
        each.flatten().collect()
    }

    /// Sets the finalizers that annotations ask for as soon as they do: work on their resources may be waiting for a hook, and
    /// all workers may be busy.
    pub(crate) async fn keep_held(&self) {
        let Some(mut changed) = lock(&self.changed).take() else { return };
        while let Some(key) = changed.recv().await {
            self.controller().hold_at_once(&key).await;
        }
    }

    /// Finds what was to be let go while no operator ran.
    pub(crate) async fn look_for_unselected(&self) {
        self.synced().await;
        join_all(self.extents.iter().map(|extent| self.look_for_unselected_in(extent))).await;
    }

    async fn look_for_unselected_in(&self, extent: &Extent) {
        let mut pause = Duration::from_secs(2);
        while let Err(error) = self.controller().look_for_unselected(extent).await {
            tracing::warn!(kind = %self.controller().watch.names.kind, %error, "Cannot look for resources to let go yet");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Watches the kinds of objects that statuses name, so that settled resources are recognised without a request.
    async fn watch_known_kinds(&self) {
        let controller = self.controller();
        if !controller.watch.watch_dependent_resources {
            return;
        }
        let served = controller.discovery.current();
        for instance in controller.instances.all() {
            for text in Remembered::read(&instance.status()).kinds {
                if let Some(kind) = served.kinds.parse(&text) {
                    controller.dependents.ensure_everywhere(kind);
                }
            }
        }
        if !controller.dependents.synced(FIRST_LISTS).await {
            tracing::warn!(kind = %controller.watch.names.kind, "Not all applied objects could be listed yet");
        }
    }
}

/// Works on a kind's queue until it is closed, and then finishes what is under way.
pub(crate) async fn work(kind: Arc<Kind>) {
    kind.synced().await;
    kind.watch_known_kinds().await;
    let slots = Slots::new(kind.workers);
    let mut working = JoinSet::new();
    let queue = kind.controller().queue.clone();
    loop {
        let Some(key) = queue.next().await else { break };
        // Not before there is work for it: who stepped aside may want it back.
        let slot = slots.take().await;
        let controller = kind.controller();
        // A task of its own: a panic in it is the end of one reconcile, not of the operator.
        working.spawn(async move {
            let (inner, name, its) = (controller.clone(), key.clone(), slot.clone());
            let began = Instant::now();
            controller.metrics.begin();
            let outcome = tokio::spawn(async move { its.work(inner.reconcile(&name)).await }).await;
            let outcome = outcome.unwrap_or_else(|error| {
                tracing::error!(resource = %key, %error, "A reconcile broke off");
                controller.metrics.panicked();
                Outcome::Failed
            });
            controller.metrics.end(outcome, began.elapsed());
            controller.queue.done(key, outcome);
            drop(slot);
        });
        while working.try_join_next().is_some() {}
    }
    while working.join_next().await.is_some() {}
    kind.done.send_replace(true);
}
