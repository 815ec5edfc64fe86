//! The running operator: kinds registered → custom resources and their objects watched → a queue per kind → workers.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kube::Client;
use kube::core::Selector;
use thiserror::Error;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::broken::Broken;
use crate::charts::{ChartError, Charts};
use crate::cluster::access::Access;
use crate::cluster::dependents::{Dependents, Wake};
use crate::cluster::discovery::Discovery;
use crate::cluster::error::{explain, is_transient};
use crate::cluster::events::Events;
use crate::cluster::histories::Histories;
use crate::cluster::instances::Instances;
use crate::cluster::lookups::Lookups;
use crate::cluster::objects::Writer;
use crate::cluster::records::Records;
use crate::cluster::references::References;
use crate::cluster::seeds::Seeds;
use crate::cluster::seen::OwnerKind;
use crate::cluster::tenure::Tenure;
use crate::crd::{RegisterError, is_served_anyway, register};
use crate::definitions;
use crate::election::Candidate;
use crate::observe::http;
use crate::observe::metrics::Metrics;
use crate::observe::probes::Probes;
use crate::observe::scrape::{self, Scrape};
use crate::observe::served::View;
use crate::queue::{Backoff, Outcome, Queue};
use crate::reconcile::Controller;
use crate::reconcile::identity::InstanceKey;
use crate::reconcile::objects::label_value;
use crate::reconcile::render::Renderer;
use crate::reconcile::status::Remembered;
use crate::settings::{Extent, MetricsAccess, Scope, Settings, Watch};
use crate::webhook::Webhook;

/// How long work under way may take after the operator was told to stop.
const GRACE: Duration = Duration::from_secs(20);
/// How long the first lists of applied objects are waited for; work goes on without them, and looks more closely.
const FIRST_LISTS: Duration = Duration::from_secs(30);
/// Objects change their health in bursts; one look at the end of it is enough.
const SETTLE: Duration = Duration::from_millis(100);

/// Why the operator does not run.
#[derive(Debug, Error)]
pub(crate) enum Error {
    /// A chart cannot be used.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// A kind cannot be served.
    #[error("{0}")]
    Register(#[from] RegisterError),
    /// The cluster does not answer.
    #[error("cannot {doing}: {}", explain(error))]
    Cluster {
        /// What was tried.
        doing: &'static str,
        /// The answer.
        error: Box<kube::Error>,
    },
    /// The selector of a watch is none.
    #[error("the selector of kind {kind} is not a label selector: {why}")]
    Selector {
        /// The kind.
        kind: String,
        /// What is wrong.
        why: String,
    },
    /// An address cannot be listened at.
    #[error("cannot serve {what} at {address}: {error}; choose another address with {flag}, or 0 for none")]
    Listen {
        /// What is served there.
        what: &'static str,
        /// How to choose another address.
        flag: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// Another replica may be working now.
    #[error("stopped, for the Lease of the working replica is lost: {0}")]
    LeaseLost(String),
    /// A server of ours cannot prove who it is.
    #[error("cannot make a certificate for {what}: {why}")]
    Certificate {
        /// Which.
        what: &'static str,
        /// What is wrong.
        why: String,
    },
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(std::io::Error),
}

impl Error {
    /// Whether the cluster may merely be out of reach for now.
    fn may_pass(&self) -> bool {
        match self {
            Error::Register(error) => Self::is_passing(error),
            Error::Cluster { error, .. } => is_transient(error),
            _ => false,
        }
    }

    /// The same for a definition.
    fn is_passing(error: &RegisterError) -> bool {
        matches!(error, RegisterError::Api { error, .. } if is_transient(error))
    }
}

/// Runs the operator until `shutdown` resolves. `tenure` is what the client may write in, where replicas agree on a leader.
///
/// # Errors
/// When it cannot start. Once it runs, trouble is logged and waited out.
pub(crate) async fn run(
    settings: Settings,
    client: Client,
    metrics: Arc<Metrics>,
    tenure: Tenure,
    shutdown: impl Future<Output = ()>,
) -> Result<(), Error> {
    let probes = Arc::new(Probes::default());
    let mut tasks = JoinSet::new();
    if let Some(address) = settings.health_bind {
        let listener = listen("probes", "--health-probe-bind-address", address).await?;
        tasks.spawn(http::serve(listener, None, probes.clone()));
    }
    if let Some(address) = settings.metrics_bind {
        let listener = listen("metrics", "--metrics-bind-address", address).await?;
        let secured = settings.metrics_access != MetricsAccess::Open;
        let tls = secured
            .then(scrape::tls)
            .transpose()
            .map_err(|why| Error::Certificate { what: "the metrics", why })?;
        let guarded = settings.metrics_access == MetricsAccess::Rbac;
        let access = guarded.then(|| Access::new(client.clone()));
        tasks.spawn(http::serve(listener, tls, Arc::new(Scrape { metrics: metrics.clone(), access })));
    }
    tokio::pin!(shutdown);
    let Some(election) = &settings.leader_election else {
        return serve(&settings, &client, &metrics, &probes, shutdown).await;
    };
    let candidate = Candidate::new(client.clone(), election, tenure);
    // One that stands by is as it should be: a roll-out must not wait for it to lead.
    probes.set_ready();
    metrics.set_leading(&election.id, false);
    tokio::select! {
        () = candidate.acquire() => {}
        () = &mut shutdown => return Ok(()),
    }
    metrics.set_leading(&election.id, true);
    let result = tokio::select! {
        result = serve(&settings, &client, &metrics, &probes, shutdown) => result,
        why = candidate.keep() => return Err(Error::LeaseLost(why)),
    };
    metrics.set_leading(&election.id, false);
    candidate.release().await;
    result
}

async fn listen(
    what: &'static str,
    flag: &'static str,
    address: SocketAddr,
) -> Result<tokio::net::TcpListener, Error> {
    http::listen(address).await.map_err(|error| Error::Listen { what, flag, address, error })
}

/// Serves all kinds until `shutdown` resolves.
async fn serve(
    settings: &Settings,
    client: &Client,
    metrics: &Arc<Metrics>,
    probes: &Probes,
    mut shutdown: Pin<&mut impl Future<Output = ()>>,
) -> Result<(), Error> {
    let histories = Histories::new(client.clone(), &settings.release_namespaces());
    let shared = Shared { client: client.clone(), metrics: metrics.clone(), histories };
    let started = tokio::select! {
        started = start_patiently(settings, &shared) => started?,
        () = &mut shutdown => return Ok(()),
    };
    let mut tasks = JoinSet::new();
    let Started { kinds: started, broken, unregistered } = started;
    for broken in broken {
        tasks.spawn(broken.tell(client.clone()));
    }
    for kind in &started {
        metrics.show(kind.view());
        let references = kind.controller.references.clone();
        tasks.spawn(async move { references.watch().await });
        for watch in kind.watchers() {
            tasks.spawn(watch);
        }
    }
    tasks.spawn(shared.histories.clone().follow());
    let controllers: Vec<_> = started.iter().map(|kind| kind.controller.clone()).collect();
    tasks.spawn(definitions::follow(controllers, settings.watch_namespaces.clone(), unregistered));
    let webhook = match &settings.webhook {
        Some(options) => {
            let controllers = started.iter().map(|kind| kind.controller.clone()).collect();
            let listener = listen("the webhook", "--webhook-bind-address", options.bind).await?;
            let webhook = Webhook::start(listener, client, options, &settings.watch_namespaces, controllers);
            Some(webhook.map_err(|why| Error::Certificate { what: "the webhook", why })?)
        }
        None => None,
    };
    let working: Vec<_> = started.iter().map(|kind| tokio::spawn(work(kind.clone()))).collect();
    let ready = async {
        for kind in &started {
            kind.synced().await;
        }
        probes.set_ready();
        tell_serving(settings, started.len());
        match &webhook {
            Some(webhook) => webhook.keep().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = ready => {}
        () = &mut shutdown => {}
    }
    if let Some(webhook) = &webhook {
        webhook.remove().await;
    }
    tracing::info!("Stopping: finishing work under way");
    for kind in &started {
        kind.controller.queue.close();
    }
    for one in working {
        if tokio::time::timeout(GRACE, one).await.is_err() {
            tracing::warn!("Stopped in the middle of work: it is taken up at the next start");
            break;
        }
    }
    Ok(())
}

/// Says what is served and where.
fn tell_serving(settings: &Settings, kinds: usize) {
    let at =
        |address: Option<SocketAddr>| address.map_or("nowhere".to_owned(), |address| address.to_string());
    let namespaces = match settings.watch_namespaces.as_slice() {
        [] => "all".to_owned(),
        names => names.join(", "),
    };
    tracing::info!(
        kinds,
        namespaces,
        probes = at(settings.health_bind),
        metrics = at(settings.metrics_bind),
        webhook = at(settings.webhook.as_ref().map(|webhook| webhook.bind)),
        "Serving"
    );
}

/// One served kind.
pub(crate) struct Kind {
    pub(crate) controller: Arc<Controller>,
    extents: Vec<Extent>,
    selector: Option<Selector>,
    /// One per extent.
    synced: Vec<(watch::Sender<bool>, watch::Receiver<bool>)>,
    workers: usize,
}

/// What all kinds share.
pub(crate) struct Shared {
    pub(crate) client: Client,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) histories: Arc<Histories>,
}

/// Starts as soon as the cluster can be reached: an operator that gives up is started again later and later.
async fn start_patiently(settings: &Settings, shared: &Shared) -> Result<Started, Error> {
    let mut pause = Duration::from_millis(500);
    loop {
        let error = match start(settings, shared).await {
            Err(error) if error.may_pass() => error,
            result => return result,
        };
        tracing::warn!(%error, "Cannot start yet, trying again");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(10));
    }
}

/// What there is to serve.
struct Started {
    kinds: Vec<Arc<Kind>>,
    broken: Vec<Broken>,
    /// The names of definitions that could not be made (yet).
    unregistered: Vec<String>,
}

/// A kind that cannot be served is no reason not to serve the others: what is wrong is told, and only where nothing is
/// left to serve it is an error.
async fn start(settings: &Settings, shared: &Shared) -> Result<Started, Error> {
    let client = &shared.client;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    let renderer = Renderer::start(threads, settings.render_limits);
    let renderer = renderer.map_err(Error::Threads)?;
    let (mut loaded, mut broken, mut first_error) = (Vec::new(), Vec::new(), None);
    for watch in &settings.watches {
        match Charts::load(&watch.chart) {
            Ok(charts) => loaded.push((watch, charts)),
            Err(error) => {
                let why = error.to_string();
                broken.push(Broken::new(watch, extents(settings, watch), selector(watch)?, why));
                first_error.get_or_insert(error);
            }
        }
    }
    if let Some(error) = first_error.filter(|_| loaded.is_empty()) {
        return Err(error.into());
    }
    for broken in &broken {
        tracing::error!(kind = %broken.resource.kind, error = %broken.why, "The kind is not served");
    }
    let mut unregistered = Vec::new();
    for (watch, charts) in &loaded {
        match register(client, watch, &settings.watch_namespaces, charts.newest().chart()).await {
            Ok(()) => tracing::info!(
                crd = %watch.crd_name(), kind = %watch.names.kind, chart = charts.newest().title(),
                versions = charts.versions(), "Registered"
            ),
            Err(error) if is_served_anyway(client, watch, &error).await => {
                tracing::warn!(crd = %watch.crd_name(), %error, "The type is taken as somebody else made it");
            }
            Err(error) if settings.watches.len() == 1 || Error::is_passing(&error) => {
                return Err(error.into());
            }
            Err(error) => {
                tracing::error!(crd = %watch.crd_name(), %error, "The kind is not served yet");
                unregistered.push(watch.crd_name());
            }
        }
    }
    let discovery = Arc::new(Discovery::new(client.clone()));
    let found = discovery.refresh().await;
    found.map_err(|error| Error::Cluster {
        doing: "learn which kinds the cluster serves",
        error: Box::new(error),
    })?;
    let kinds = loaded.into_iter();
    let kinds = kinds
        .map(|(watch, charts)| kind(settings, watch, charts, shared, &discovery, &renderer).map(Arc::new));
    Ok(Started { kinds: kinds.collect::<Result<_, _>>()?, broken, unregistered })
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
    let on_change = {
        let queue = queue.clone();
        Box::new(move |key: &InstanceKey| queue.add(key.clone()))
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
    let owner =
        OwnerKind { kind: watch.names.kind.as_str().into(), namespaced: watch.scope == Scope::Namespaced };
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
        replicas_path: crate::crd::api(watch, charts.newest().chart()).map_err(RegisterError::from)?.replicas,
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
        tracked: Mutex::default(),
        abandoned: Mutex::default(),
        rollout: Mutex::default(),
        extents: extents.clone(),
        watch: watch.clone(),
    };
    Ok(Kind {
        controller: Arc::new(controller),
        synced: extents.iter().map(|_| watch::channel(false)).collect(),
        extents,
        selector,
        workers,
    })
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
fn controller_name(watch: &Watch) -> String {
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
    /// How metrics look at it.
    fn view(&self) -> View {
        let watch = &self.controller.watch;
        let (queue, instances) = (self.controller.queue.clone(), self.controller.instances.clone());
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
        let each = self.extents.iter().zip(&self.synced);
        each.map(|(extent, (synced, _))| {
            let (instances, extent) = (self.controller.instances.clone(), extent.clone());
            let (selector, synced) = (self.selector.clone(), synced.clone());
            async move { instances.watch(&extent, selector.as_ref(), synced).await }
        })
        .collect()
    }

    /// Waits until the first lists of custom resources, and of what values are taken from, are in.
    pub(crate) async fn synced(&self) {
        self.controller.references.synced().await;
        for (_, synced) in &self.synced {
            // The sender lives as long as we do.
            let _ = synced.clone().wait_for(|synced| *synced).await;
        }
    }

    /// Watches the kinds of objects that statuses name, so that settled resources are recognised without a request.
    async fn watch_known_kinds(&self) {
        let controller = &self.controller;
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
async fn work(kind: Arc<Kind>) {
    kind.synced().await;
    kind.watch_known_kinds().await;
    let slots = Arc::new(Semaphore::new(kind.workers));
    let mut working = JoinSet::new();
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else { break };
        let Some(key) = kind.controller.queue.next().await else { break };
        let controller = kind.controller.clone();
        // A task of its own: a panic in it is the end of one reconcile, not of the operator.
        working.spawn(async move {
            let _slot = slot;
            let (inner, name) = (controller.clone(), key.clone());
            let began = Instant::now();
            controller.metrics.begin();
            let outcome = tokio::spawn(async move { inner.reconcile(&name).await }).await;
            let outcome = outcome.unwrap_or_else(|error| {
                tracing::error!(resource = %key, %error, "A reconcile broke off");
                controller.metrics.panicked();
                Outcome::Failed
            });
            controller.metrics.end(outcome, began.elapsed());
            controller.queue.done(key, outcome);
        });
        while working.try_join_next().is_some() {}
    }
    while working.join_next().await.is_some() {}
}
