//! What the operator is told by flags, environment and watches file, validated into one structure.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use kube::api::ApiResource;
use serde::Deserialize;

use crate::limits::RenderLimits;
use crate::names::{ApiVersion, Names};
use crate::policy::Policy;
use crate::reconcile::rollout::Pace;

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
    /// Who may read metrics, and how.
    pub(crate) metrics_access: MetricsAccess,
    /// Set when several replicas may run and only one may work.
    pub(crate) leader_election: Option<LeaderElection>,
    /// Bounds on each render.
    pub(crate) render_limits: RenderLimits,
    /// Whether override values are masked in events.
    pub(crate) suppress_override_values: bool,
    /// Set when resources are judged before they are stored.
    pub(crate) webhook: Option<crate::webhook::Options>,
    /// Whether statuses hold the manifest, as helm-operator's do.
    pub(crate) status_manifest: bool,
}

impl Settings {
    /// The namespaces that may hold releases; none means all.
    pub(crate) fn release_namespaces(&self) -> Vec<String> {
        if self.watch_namespaces.is_empty() {
            return Vec::new();
        }
        let shared = self.watches.iter().filter_map(Watch::cluster_namespace).map(str::to_owned);
        let all: BTreeSet<String> = self.watch_namespaces.iter().cloned().chain(shared).collect();
        all.into_iter().collect()
    }
}

/// What a watch covers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Extent {
    /// All namespaces, and what lives in none.
    Everywhere,
    /// One namespace.
    Namespace(String),
}

impl Watch {
    /// The namespace of all releases, if the resources live in none.
    pub(crate) fn cluster_namespace(&self) -> Option<&str> {
        match self.scope {
            Scope::Namespaced => None,
            Scope::Cluster => Some(self.release_namespace.as_deref().unwrap_or("default")),
        }
    }
}

impl Extent {
    /// The watches that a list of namespaces asks for: an empty list means all.
    pub(crate) fn of(namespaces: &[String]) -> Vec<Self> {
        match namespaces {
            [] => vec![Self::Everywhere],
            names => names.iter().cloned().map(Self::Namespace).collect(),
        }
    }

    /// The namespace, if it is one.
    pub(crate) fn namespace(&self) -> Option<&str> {
        match self {
            Self::Everywhere => None,
            Self::Namespace(name) => Some(name),
        }
    }

    /// Whether a namespace belongs to it.
    pub(crate) fn covers(&self, namespace: &str) -> bool {
        self.namespace().is_none_or(|name| name == namespace)
    }
}

/// How metrics are guarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MetricsAccess {
    /// Not at all.
    #[default]
    Open,
    /// Over TLS.
    Tls,
    /// Over TLS, for who has a token and the right to get `/metrics`.
    Rbac,
}

/// The Lease that the working replica holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LeaderElection {
    /// The Lease's name.
    pub(crate) id: String,
    /// Its namespace.
    pub(crate) namespace: String,
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
    /// How the custom resource's type looks.
    pub(crate) shape: Shape,
    /// `--set-string` assignments laid over every resource's values, already expanded.
    pub(crate) override_values: BTreeMap<String, String>,
    /// Values laid over every resource's, with their types.
    pub(crate) values: serde_json::Value,
    /// Values laid over every resource's, from Secrets and ConfigMaps; below `values`, the last first.
    pub(crate) values_from: Vec<ValuesFrom>,
    /// A label selector (the Kubernetes `LabelSelector` object) that limits which resources are served.
    pub(crate) selector: Option<serde_json::Value>,
    /// Whether changes of the applied objects start work.
    pub(crate) watch_dependent_resources: bool,
    /// Overrides [`Settings::reconcile_period`].
    pub(crate) reconcile_period: Option<Duration>,
    /// How many revisions of a release are kept; at least 1.
    pub(crate) max_history: usize,
    /// What the operator may do beyond keeping objects current.
    pub(crate) policy: Policy,
    /// Whether a failed upgrade goes back to the last good release.
    pub(crate) rollback_on_failure: bool,
    /// The namespace of the releases of cluster-scoped resources.
    pub(crate) release_namespace: Option<String>,
    /// How fast resources move to a new chart.
    pub(crate) rollout: Pace,
    /// Whether random functions give other values with every revision, as they do with Helm.
    pub(crate) fresh_random_values: bool,
    /// Whether values are not held against the chart's `values.schema.json`.
    pub(crate) skip_schema_validation: bool,
    /// What becomes of the definitions in the chart's `crds/`.
    pub(crate) crds: ChartCrds,
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
            shape: Shape::default(),
            override_values: BTreeMap::new(),
            values: serde_json::Value::Null,
            values_from: Vec::new(),
            selector: None,
            watch_dependent_resources: true,
            reconcile_period: None,
            max_history: DEFAULT_MAX_HISTORY,
            policy: Policy::default(),
            rollback_on_failure: true,
            release_namespace: None,
            rollout: Pace::default(),
            fresh_random_values: false,
            skip_schema_validation: false,
            crds: ChartCrds::default(),
        }
    }

    /// Whether the operator's configuration gives values that a resource need not, or cannot.
    pub(crate) fn gives_values(&self) -> bool {
        !self.override_values.is_empty() || !self.values.is_null() || !self.values_from.is_empty()
    }

    /// The kind's resources, as the client names them.
    pub(crate) fn resource(&self) -> ApiResource {
        ApiResource {
            group: self.api_version.group.clone(),
            version: self.api_version.version.clone(),
            api_version: self.api_version.to_string(),
            kind: self.names.kind.clone(),
            plural: self.names.plural.clone(),
        }
    }

    /// Returns the CRD's name, `PLURAL.GROUP`.
    pub(crate) fn crd_name(&self) -> String {
        format!("{}.{}", self.names.plural, self.api_version.group)
    }
}

/// Values in a Secret or ConfigMap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValuesFrom {
    pub(crate) holder: Holder,
    pub(crate) name: String,
    /// Where it is; `None` is the namespace of the resource's release.
    pub(crate) namespace: Option<String>,
    /// The key of its text.
    pub(crate) key: String,
    /// The value that the text is, as `db.password`; `None` if it is YAML with values.
    pub(crate) target: Option<String>,
    /// Whether there are simply no values where it is missing.
    pub(crate) optional: bool,
}

/// What holds values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
pub(crate) enum Holder {
    Secret,
    ConfigMap,
}

impl Holder {
    /// Its kind.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Holder::Secret => "Secret",
            Holder::ConfigMap => "ConfigMap",
        }
    }

    /// Its kind's plural.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Holder::Secret => "secrets",
            Holder::ConfigMap => "configmaps",
        }
    }
}

/// How a custom resource's type looks, beyond its names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Short names for kubectl.
    pub(crate) short_names: Vec<String>,
    /// Categories besides the one that all kinds are in.
    pub(crate) categories: Vec<String>,
    /// Columns of `kubectl get` that the author chose.
    pub(crate) columns: Vec<Column>,
    /// How much the schema says about values.
    pub(crate) schema: crdschema::Mode,
    /// The value that `kubectl scale` sets, as `web.replicas`; found by its name if not given.
    pub(crate) replicas: Option<String>,
    /// Whether the type may change in a way that makes existing resources invalid.
    pub(crate) accept_breaking: bool,
}

/// A column of `kubectl get`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// What stands above it.
    pub(crate) name: String,
    /// Where the value is, as `.spec.image.tag`.
    pub(crate) path: String,
    /// The value's type: integer, number, string, boolean or date; that of the schema if not given.
    pub(crate) kind: Option<String>,
}

impl Column {
    /// Checks and makes a column.
    ///
    /// # Errors
    /// With what is wrong, when the API server would refuse it.
    pub(crate) fn new(name: &str, path: &str, kind: Option<String>) -> Result<Self, String> {
        const TYPES: &[&str] = &["integer", "number", "string", "boolean", "date"];
        if name.is_empty() {
            return Err("a column needs a name".to_owned());
        }
        if !path.starts_with('.') {
            return Err(format!(
                "{path:?} is not the path of a column: it starts with a dot, as .spec.image.tag"
            ));
        }
        match kind {
            Some(kind) if !TYPES.contains(&kind.as_str()) => {
                Err(format!("{kind:?} is not the type of a column: write one of {}", TYPES.join(", ")))
            }
            kind => Ok(Self { name: name.to_owned(), path: path.to_owned(), kind }),
        }
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

/// What becomes of the definitions in a chart's `crds/`. They are never deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "camelCase")]
#[value(rename_all = "camelCase")]
pub(crate) enum ChartCrds {
    /// Those that are not there are made at an install, as Helm has it.
    #[default]
    Create,
    /// They are brought up to date as well, at installs and with each new chart.
    CreateReplace,
    /// Nothing: somebody else sees to them.
    Skip,
}

impl ChartCrds {
    /// As it is written.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            ChartCrds::Create => "create",
            ChartCrds::CreateReplace => "createReplace",
            ChartCrds::Skip => "skip",
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
