//! One look at the cluster for one custom resource: what it would change, without an operator that runs.

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::task::JoinSet;

use crate::charts::Charts;
use crate::cluster::discovery::Discovery;
use crate::cluster::error::explain;
use crate::cluster::histories::Histories;
use crate::cluster::instances::Instance;
use crate::kind;
use crate::observe::metrics::Metrics;
use crate::operator::{self, Shared};
use crate::reconcile::error::Error;
use crate::reconcile::preview::{Change, NOBODY};
use crate::reconcile::renderer::Renderer;
use crate::settings::Settings;

/// How long the first lists may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why there is nothing to show.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PreviewError {
    /// The chart or the settings cannot be used.
    #[error(transparent)]
    Operator(#[from] operator::Error),
    /// The resource cannot be carried out.
    #[error(transparent)]
    Resource(Box<Error>),
    /// The cluster does not answer.
    #[error("cannot learn which kinds the cluster serves: {}", explain(.0))]
    Cluster(Box<kube::Error>),
    /// The kind is not there.
    #[error("the cluster serves no {0}: start the operator once, or apply what `chartwright crd` prints")]
    NotServed(String),
    /// The lists take too long.
    #[error("the resources of kind {0} could not be listed within {PATIENCE:?}")]
    Slow(String),
}

/// Lists what a resource would change. `settings` name its kind alone, and its namespace.
pub(crate) async fn preview(
    settings: &Settings,
    client: Client,
    metrics: Arc<Metrics>,
    draft: Instance,
) -> Result<Vec<Change>, PreviewError> {
    let Some(watch) = settings.watches.first() else { return Ok(Vec::new()) };
    let charts = Charts::load(&watch.chart).map_err(operator::Error::from)?;
    let discovery = Arc::new(Discovery::new(client.clone()));
    let served = discovery.refresh().await.map_err(|error| PreviewError::Cluster(Box::new(error)))?;
    let (api_version, name) = (watch.api_version.to_string(), &watch.names.kind);
    if served.kinds.get(&api_version, name).is_none() {
        return Err(PreviewError::NotServed(format!("{name} of {api_version}")));
    }
    let renderer = Renderer::new(1, settings.render_limits);
    let histories = Histories::new(client.clone(), &settings.release_namespaces());
    let shared = Shared { client, metrics, histories };
    let kind = kind::kind(settings, watch, charts, &shared, &discovery, &renderer)?;
    let mut lists = JoinSet::new();
    for list in kind.watchers() {
        lists.spawn(list);
    }
    let listed = tokio::time::timeout(PATIENCE, kind.synced()).await;
    listed.map_err(|_| PreviewError::Slow(name.clone()))?;
    let instance = match kind.controller().instances.get(&draft.key) {
        Some(live) => Instance { spec: draft.spec, annotations: draft.annotations, ..Instance::clone(&live) },
        None => Instance { uid: NOBODY.into(), ..draft },
    };
    kind.controller().preview(&instance).await.map_err(|error| PreviewError::Resource(Box::new(error)))
}
