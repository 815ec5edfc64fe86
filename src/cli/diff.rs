//! `chartwright diff`: what a custom resource would change on the cluster, before anything is changed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::CliError;
use super::kinds::KindArgs;
use super::resource::{ResourceFile, unusable};
use super::run::connect;
use super::runtime;
use crate::cluster::instances::Instance;
use crate::cluster::tenure::Tenure;
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
    kinds: KindArgs,
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
    let file = ResourceFile::read(&args.filename)?;
    let api_version = file.needed(&args.filename, "apiVersion")?;
    let kind = file.needed(&args.filename, "kind")?;
    let watches = args.kinds.of(&api_version, &kind).hinted()?;
    let is_of = |watch: &Watch| watch.api_version.to_string() == api_version && watch.names.kind == kind;
    let Some(watch) = watches.into_iter().find(is_of) else {
        return Err(CliError::Usage(format!(
            "{} is a {kind} of {api_version}, and no chart is given for that kind",
            args.filename.display(),
        )));
    };
    let namespace = match watch.scope {
        Scope::Cluster => "",
        Scope::Namespaced => file.namespace.as_deref().unwrap_or(&args.namespace),
    };
    let instance =
        instance(file.json, namespace).ok_or_else(|| unusable(&args.filename, "it is no custom resource"))?;
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
    let changes = runtime::start()?.block_on(async {
        let metrics = Arc::new(Metrics::default());
        let client = connect(args.kubeconfig, args.context, metrics.requests(), Tenure::default()).await?;
        Ok::<_, CliError>(preview(&settings, client, metrics, instance).await?)
    })?;
    super::print(text(&changes))?;
    Ok(verdict(&changes))
}

fn verdict(changes: &[Change]) -> Found {
    if changes.iter().any(|change| matches!(change.what, What::Refused(_) | What::Foreign(_))) {
        Found::Refusals
    } else if changes.is_empty() {
        Found::Nothing
    } else {
        Found::Changes
    }
}

/// Returns the resource as it would be stored, in a namespace.
fn instance(mut json: serde_json::Value, namespace: &str) -> Option<Instance> {
    json.get_mut("metadata")?.as_object_mut()?.insert("namespace".into(), namespace.into());
    Instance::parse(&json.to_string())
}
