//! What the operator is told by flags, environment and watches file, validated into one structure.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::names::{ApiVersion, Names};

/// Everything a running operator needs to know from outside.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The kinds to serve, each with its chart; never empty, no kind twice.
    pub(crate) watches: Vec<Watch>,
    /// The namespaces whose resources are served; empty means all.
    pub(crate) watch_namespaces: Vec<String>,
    /// How often a settled resource is looked at again, unless the kind or the resource says otherwise.
    pub(crate) reconcile_period: Duration,
    /// How many resources of one kind are worked on at a time; at least 1.
    pub(crate) max_concurrent_reconciles: usize,
    /// Where `/healthz` and `/readyz` are served; `None` turns them off.
    pub(crate) health_bind: Option<SocketAddr>,
    /// Where metrics are served; `None` turns them off.
    pub(crate) metrics_bind: Option<SocketAddr>,
    /// Set when several replicas may run and only one may work.
    pub(crate) leader_election: Option<LeaderElection>,
    /// Whether override values are masked in events.
    pub(crate) suppress_override_values: bool,
}

/// The Lease that the working replica holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeaderElection {
    /// The Lease's name.
    pub(crate) id: String,
    /// Its namespace; `None` means the operator's own.
    pub(crate) namespace: Option<String>,
}

/// One served kind and the chart behind it.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    /// Group and version of the custom resource.
    pub(crate) api_version: ApiVersion,
    /// Kind, plural and so on.
    pub(crate) names: Names,
    /// Whether the custom resource lives in namespaces.
    pub(crate) scope: Scope,
    /// The chart: a directory or an archive.
    pub(crate) chart: PathBuf,
    /// Who makes the CRD.
    pub(crate) crd: CrdPolicy,
    /// `--set-string` assignments laid over every resource's values, already expanded.
    pub(crate) override_values: BTreeMap<String, String>,
    /// A label selector (the Kubernetes `LabelSelector` object) that limits which resources are served.
    pub(crate) selector: Option<serde_json::Value>,
    /// Whether changes of the applied objects start work.
    pub(crate) watch_dependent_resources: bool,
    /// Overrides [`Settings::reconcile_period`].
    pub(crate) reconcile_period: Option<Duration>,
    /// How many revisions of a release are kept; at least 1.
    pub(crate) max_history: usize,
    /// The namespace of the releases of cluster-scoped resources.
    pub(crate) release_namespace: Option<String>,
}

impl Watch {
    /// Describes a kind with defaults for everything but its names and chart.
    pub(crate) fn new(api_version: ApiVersion, names: Names, chart: PathBuf) -> Self {
        Self {
            api_version,
            names,
            scope: Scope::Namespaced,
            chart,
            crd: CrdPolicy::Managed,
            override_values: BTreeMap::new(),
            selector: None,
            watch_dependent_resources: true,
            reconcile_period: None,
            max_history: DEFAULT_MAX_HISTORY,
            release_namespace: None,
        }
    }

    /// Returns the CRD's name, `PLURAL.GROUP`.
    pub(crate) fn crd_name(&self) -> String {
        format!("{}.{}", self.names.plural, self.api_version.group)
    }
}

/// Helm's default for `--history-max`.
pub(crate) const DEFAULT_MAX_HISTORY: usize = 10;

/// Where a custom resource lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// In a namespace.
    #[default]
    Namespaced,
    /// In the cluster as a whole.
    Cluster,
}

impl Scope {
    /// Returns the name a CRD uses.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Scope::Namespaced => "Namespaced",
            Scope::Cluster => "Cluster",
        }
    }
}

/// What the operator does about its CRD at start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CrdPolicy {
    /// Applies it and keeps it current.
    #[default]
    Managed,
    /// Refuses to start unless somebody made one that serves the version.
    Check,
    /// Takes for granted that it is there.
    None,
}
