//! `chartwright diff`: what a custom resource would change on the cluster, before anything is changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::CliError;
use super::run::{connect, find_watches};
use super::served::ServedArgs;
use crate::cluster::instances::Instance;
use crate::convert::yaml_to_json;
use crate::limits::RenderLimits;
use crate::observe::metrics::Metrics;
use crate::preview::preview;
use crate::reconcile::preview::{Change, What, text};
use crate::settings::{MetricsAccess, Scope, Settings, Watch};

/// Flags of `chartwright diff`.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// The custom resource, in YAML or JSON
    #[arg(long, short, value_name = "FILE")]
    filename: PathBuf,
    #[command(flatten)]
    served: ServedArgs,
    /// A file that lists kinds and charts, in place of --chart, --api-version and --kind [default: watches.yaml in the
    /// working directory, when none of those is given]
    #[arg(long, env = "HELM_CHART_WATCHES", value_name = "FILE")]
    watches_file: Option<PathBuf>,
    /// The namespace, if the resource names none
    #[arg(long, short, value_name = "NAME", default_value = "default")]
    namespace: String,
    /// Kubeconfig to use [default: KUBECONFIG, else the pod's service account, else ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig to use [default: its current one]
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
}

/// What a comparison came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    Changes,
    Refusals,
}

/// Compares and prints.
pub(crate) fn run(args: DiffArgs) -> Result<Found, CliError> {
    let draft = Draft::read(&args.filename)?;
    let watches = find_watches(args.watches_file.as_deref(), &args.served, Path::new("watches.yaml"))?;
    let Some(watch) = watches.into_iter().find(|watch| draft.is_of(watch)) else {
        return Err(CliError::Usage(format!(
            "{} is a {} of {}, and no chart is given for that kind",
            args.filename.display(),
            draft.kind,
            draft.api_version
        )));
    };
    let namespace = match watch.scope {
        Scope::Cluster => "",
        Scope::Namespaced => draft.namespace.as_deref().unwrap_or(&args.namespace),
    };
    let Some(instance) = draft.instance(namespace) else {
        return Err(CliError::Usage(format!(
            "cannot use {}: it is no custom resource",
            args.filename.display()
        )));
    };
    let settings = Settings {
        watches: vec![watch],
        watch_namespaces: Some(namespace)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .into_iter()
            .collect(),
        reconcile_period: Duration::MAX,
        max_concurrent_reconciles: 1,
        health_bind: None,
        metrics_bind: None,
        metrics_access: MetricsAccess::Open,
        leader_election: None,
        render_limits: RenderLimits::default(),
        suppress_override_values: true,
        webhook: None,
        status_manifest: false,
    };
    // Threads of its own for requests: templates that look something up wait for them.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(CliError::Runtime)?;
    let changes = runtime.block_on(async {
        let metrics = Arc::new(Metrics::default());
        let client = connect(args.kubeconfig, args.context, metrics.requests()).await?;
        Ok::<_, CliError>(preview(&settings, client, metrics, instance).await?)
    })?;
    super::print(text(&changes))?;
    Ok(verdict(&changes))
}

fn verdict(changes: &[Change]) -> Found {
    if changes.iter().any(|change| matches!(change.what, What::Refused(_))) {
        Found::Refusals
    } else if changes.is_empty() {
        Found::Nothing
    } else {
        Found::Changes
    }
}

/// A custom resource as written in a file.
struct Draft {
    api_version: String,
    kind: String,
    namespace: Option<String>,
    json: serde_json::Value,
}

impl Draft {
    fn read(path: &Path) -> Result<Self, CliError> {
        let text = std::fs::read(path).map_err(|error| CliError::Read { path: path.to_owned(), error })?;
        let unusable = |reason: String| CliError::Usage(format!("cannot use {}: {reason}", path.display()));
        let json = yaml_to_json(&text).map_err(unusable)?;
        let field =
            |pointer: &str| json.pointer(pointer).and_then(serde_json::Value::as_str).map(str::to_owned);
        let needed = |pointer: &str| {
            field(pointer).ok_or_else(|| unusable(format!("it has no {}", pointer.replace('/', "."))))
        };
        needed("/metadata/name")?;
        Ok(Self {
            api_version: needed("/apiVersion")?,
            kind: needed("/kind")?,
            namespace: field("/metadata/namespace"),
            json,
        })
    }

    fn is_of(&self, watch: &Watch) -> bool {
        self.api_version == watch.api_version.to_string() && self.kind == watch.names.kind
    }

    /// The resource as it would be stored, in a namespace.
    fn instance(&self, namespace: &str) -> Option<Instance> {
        let mut json = self.json.clone();
        json.get_mut("metadata")?.as_object_mut()?.insert("namespace".into(), namespace.into());
        Instance::parse(&json.to_string())
    }
}
