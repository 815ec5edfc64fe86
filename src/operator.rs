//! The running operator: charts loaded → kinds registered → each served, until it is told to stop.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{join, join_all};
use kube::Client;
use thiserror::Error;
use tokio::task::JoinSet;

use crate::charts::{ChartError, Charts};
use crate::cluster::access::Access;
use crate::cluster::discovery::Discovery;
use crate::cluster::error::{explain, is_transient};
use crate::cluster::histories::Histories;
use crate::cluster::tenure::Tenure;
use crate::crd::{RegisterError, Until, bring_up_to_date};
use crate::definitions;
use crate::election::Candidate;
use crate::kind::{self, Kind, Kinds};
use crate::lock::lock;
use crate::observe::http;
use crate::observe::metrics::Metrics;
use crate::observe::probes::Probes;
use crate::observe::scrape::{self, Scrape};
use crate::reconcile::renderer::Renderer;
use crate::reload::{self, Fingerprint};
use crate::settings::{MetricsAccess, Settings, Watch};
use crate::webhook::Webhook;

/// How long work under way may take after the operator was told to stop.
const GRACE: Duration = Duration::from_secs(20);

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
            Error::Cluster { error, .. } => is_transient(error),
            _ => false,
        }
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
    probes.set_ready(true);
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
    let Started { found, discovery } = started;
    let crew = Crew { settings, shared, discovery, kinds: Arc::default(), tasks: Mutex::default() };
    let (mut places, mut begun) = (Vec::new(), Vec::new());
    for Found { watch, seen, kind, missing } in found {
        places.push((watch.chart.clone(), seen));
        begun.push((watch, crew.begin(kind, missing)));
    }
    let started = crew.kinds.all();
    let kinds = crew.kinds.clone();
    probes.ask(Box::new(move || {
        let kinds = kinds.all();
        let unusable = kinds.iter().filter_map(|kind| {
            let controller = kind.controller();
            let why = controller.charts.why_unusable()?;
            Some(format!(
                "{} is not served, for its chart cannot be used: {why}",
                controller.watch.names.kind
            ))
        });
        let refused = kinds.iter().flat_map(|kind| kind.refused());
        let refused = refused.map(|right| format!("not served there, for the operator may not {right}"));
        unusable.chain(refused).collect()
    }));
    if crew.kinds.controllers().is_empty() {
        probes.set_ready(false);
    }
    crew.spawn(crew.shared.histories.clone().follow());
    crew.spawn(definitions::follow(crew.discovery.clone(), crew.kinds.clone()));
    let webhook = match &settings.webhook {
        Some(options) => {
            let listener = listen("the webhook", "--webhook-bind-address", options.bind).await?;
            let (namespaces, kinds) = (&settings.watch_namespaces, crew.kinds.clone());
            let webhook = Webhook::start(listener, client, options, namespaces, kinds);
            Some(webhook.map_err(|why| Error::Certificate { what: "the webhook", why })?)
        }
        None => None,
    };
    let watched = async {
        for kind in &started {
            kind.synced().await;
        }
        let ready = async {
            // Without a chart that can be used there is nothing to be ready for. The sender lives as long as we do.
            let mut all = crew.kinds.follow();
            while crew.kinds.controllers().is_empty() && all.changed().await.is_ok() {}
            probes.set_ready(true);
            tell_serving(settings, crew.kinds.controllers().len());
        };
        let kept = async {
            match &webhook {
                Some(webhook) => webhook.keep().await,
                None => std::future::pending().await,
            }
        };
        join(ready, kept).await;
    };
    let news = reload::look_after(places).map_err(Error::Threads)?;
    let following = begun.into_iter().zip(news);
    let following = join_all(following.map(|((watch, kind), news)| crew.follow(watch, kind, news)));
    tokio::select! {
        ((), _) = join(watched, following) => {}
        () = &mut shutdown => {}
    }
    if let Some(webhook) = &webhook {
        webhook.remove().await;
    }
    tracing::info!("Stopping: finishing work under way");
    let kinds = crew.kinds.all();
    kinds.iter().for_each(|kind| kind.controller().queue.close());
    let done = async {
        for kind in &kinds {
            kind.done().await;
        }
    };
    if tokio::time::timeout(GRACE, done).await.is_err() {
        tracing::warn!("Stopped in the middle of work: it is taken up at the next start");
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

/// What all kinds share.
pub(crate) struct Shared {
    pub(crate) client: Client,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) histories: Arc<Histories>,
}

/// What it takes to serve kinds.
pub(crate) struct Crew<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) shared: Shared,
    pub(crate) discovery: Arc<Discovery>,
    pub(crate) kinds: Arc<Kinds>,
    /// They end with it.
    tasks: Mutex<JoinSet<()>>,
}

impl Crew<'_> {
    /// Begins to serve a kind; its definition is made later if it is `missing`.
    fn begin(&self, kind: Kind, missing: bool) -> Arc<Kind> {
        let kind = Arc::new(kind);
        self.shared.metrics.show(kind.view());
        let references = kind.controller().references.clone();
        self.spawn(async move { references.watch().await });
        kind.watchers().into_iter().for_each(|watch| self.spawn(watch));
        let held = kind.clone();
        self.spawn(async move { held.keep_held().await });
        let unselected = kind.clone();
        self.spawn(async move { unselected.look_for_unselected().await });
        let namespaces = self.settings.watch_namespaces.clone();
        self.spawn(definitions::keep_registered(kind.clone(), namespaces, missing));
        // It outlives the others, and ends what it has begun.
        tokio::spawn(kind::work(kind.clone()));
        self.kinds.add(kind.clone());
        kind
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        lock(&self.tasks).spawn(task);
    }
}

/// Starts as soon as the cluster can be reached: an operator that gives up is started again later and later.
async fn start_patiently<'a>(settings: &'a Settings, shared: &Shared) -> Result<Started<'a>, Error> {
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

/// What there is to serve, and what it takes.
struct Started<'a> {
    found: Vec<Found<'a>>,
    discovery: Arc<Discovery>,
}

/// One kind that is to be served.
struct Found<'a> {
    watch: &'a Watch,
    /// Its chart's files as they were just before they were read.
    seen: Fingerprint,
    /// What serves it.
    kind: Kind,
    /// Whether its definition could not be made (yet).
    missing: bool,
}

/// A kind that cannot be served is no reason not to serve the others: what is wrong is told, deletions of its resources are
/// carried out, and only where there can be no resource it is an error.
async fn start<'a>(settings: &'a Settings, shared: &Shared) -> Result<Started<'a>, Error> {
    let client = &shared.client;
    let width = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    let renderer = Renderer::new(width, settings.render_limits);
    let (mut loaded, mut first_error) = (Vec::new(), None);
    for watch in &settings.watches {
        let seen = Fingerprint::of(&watch.chart);
        let charts = Charts::load(&watch.chart).map_err(|error| {
            let why = error.to_string();
            first_error.get_or_insert(error);
            why
        });
        loaded.push((watch, seen, charts));
    }
    let mut missing = Vec::new();
    for (watch, _, charts) in &loaded {
        let charts = match charts {
            Ok(charts) => charts,
            Err(error) => {
                tracing::error!(kind = %watch.names.kind, %error, "The kind is not served");
                continue;
            }
        };
        let (namespaces, charts) = (&settings.watch_namespaces, || charts.clone());
        match bring_up_to_date(client, watch, namespaces, charts, Until::Answered).await {
            Ok(()) => {}
            Err(error) if settings.watches.len() == 1 => return Err(error.into()),
            Err(error) => {
                tracing::error!(crd = %watch.crd_name(), %error, "The kind is not served yet");
                missing.push(watch.crd_name());
            }
        }
    }
    let discovery = Arc::new(Discovery::new(client.clone()));
    let asked = discovery.refresh().await;
    asked.map_err(|error| Error::Cluster {
        doing: "learn which kinds the cluster serves",
        error: Box::new(error),
    })?;
    let served = discovery.current();
    let has_work = |(watch, _, charts): &(&Watch, _, Result<_, _>)| {
        charts.is_ok() || served.kinds.get(&watch.api_version.to_string(), &watch.names.kind).is_some()
    };
    if let Some(error) = first_error.filter(|_| !loaded.iter().any(has_work)) {
        return Err(error.into());
    }
    let mut found = Vec::new();
    for (watch, seen, charts) in loaded {
        let charts = charts.or_else(|why| Charts::unusable(&why))?;
        let kind = kind::kind(settings, watch, charts, shared, &discovery, &renderer)?;
        found.push(Found { watch, seen, kind, missing: missing.contains(&watch.crd_name()) });
    }
    Ok(Started { found, discovery })
}
