//! `chartwright run`: from flags and environment to a running operator.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use kube::config::KubeconfigError;

use super::CliError;
use super::flags::{Bind, bind_address, go_bool};
use super::kinds::{KindArgs, USUAL};
use super::logging::LogArgs;
use super::runtime;
use super::webhook::WebhookArgs;
use crate::cluster::tenure::Tenure;
use crate::limits::RenderLimits;
use crate::names::check_resource_name;
use crate::observe::metrics::{Metrics, Requests};
use crate::reconcile::rollout::Share;
use crate::settings::{LeaderElection, MetricsAccess, Settings, Watch};
use crate::watches;

/// Flags of `chartwright run`. Names and defaults are those of operator-sdk's helm-operator where it has them.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    kinds: KindArgs,
    /// Namespaces to serve, separated by commas; all when empty
    #[arg(long, env = "WATCH_NAMESPACE", value_name = "NAMES", value_delimiter = ',')]
    watch_namespace: Vec<String>,
    /// How often a settled resource is checked again, as 30s or 1m
    #[arg(long, env = "RECONCILE_PERIOD", value_name = "DURATION", default_value = "1m", value_parser = duration)]
    reconcile_period: Duration,
    /// How many resources of a kind are worked on at a time [default: the number of CPUs]
    #[arg(long, env = "MAX_CONCURRENT_RECONCILES", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_concurrent_reconciles: Option<u16>,
    /// Where metrics are served; 0 turns them off
    #[arg(long, value_name = "ADDRESS", default_value = ":8080", value_parser = bind_address)]
    metrics_bind_address: Bind,
    /// Serve metrics over TLS
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false,
          default_missing_value = "true", value_parser = go_bool, action = clap::ArgAction::Set)]
    metrics_secure: bool,
    /// Serve metrics only to who may read them; needs --metrics-secure
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false,
          default_missing_value = "true", value_parser = go_bool, action = clap::ArgAction::Set)]
    metrics_require_rbac: bool,
    /// Taken for compatibility; probes and metrics speak HTTP/1.1 only, which --enable-http2=false asks for
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
          value_parser = go_bool, hide = true)]
    enable_http2: Option<bool>,
    /// Deprecated name of --metrics-bind-address
    #[arg(long, value_name = "ADDRESS", value_parser = bind_address, hide = true, conflicts_with = "metrics_bind_address")]
    metrics_addr: Option<Bind>,
    /// Where /healthz and /readyz are served; 0 turns them off
    #[arg(long, value_name = "ADDRESS", default_value = ":8081", value_parser = bind_address)]
    health_probe_bind_address: Bind,
    /// Let only one of several replicas work: the one that holds a Lease
    #[arg(long, alias = "enable-leader-election", value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", value_parser = go_bool, action = clap::ArgAction::Set)]
    leader_elect: bool,
    /// Name of the Lease [default: made from the first kind's name]
    #[arg(long, env = "OPERATOR_NAME", value_name = "NAME")]
    leader_election_id: Option<String>,
    /// Namespace of the Lease [default: the operator's own]
    #[arg(long, value_name = "NAMESPACE")]
    leader_election_namespace: Option<String>,
    /// How many resources of a kind may be on their way to a new chart at a time, as 3 or 25%, unless the watches file says
    /// otherwise [default: all]
    #[arg(long, env = "ROLLOUT_MAX_UNAVAILABLE", value_name = "SHARE", value_parser = Share::parse)]
    rollout_max_unavailable: Option<Share>,
    /// How many may fail to move to a new chart before no further one does, unless the watches file says otherwise
    /// [default: any number]
    #[arg(long, env = "ROLLOUT_MAX_FAILURES", value_name = "N")]
    rollout_max_failures: Option<usize>,
    /// Mask override values in events
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false,
          default_missing_value = "true", value_parser = go_bool, action = clap::ArgAction::Set)]
    suppress_override_values: bool,
    /// Put the rendered manifest, Secrets included, into status.deployedRelease, as operator-sdk's operators do
    #[arg(long, env = "STATUS_MANIFEST", value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", value_parser = go_bool,
          action = clap::ArgAction::Set)]
    status_manifest: bool,
    #[command(flatten)]
    webhook: WebhookArgs,
    /// Kubeconfig to use [default: KUBECONFIG, else the pod's service account, else ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig to use [default: its current one]
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    #[command(flatten)]
    logging: LogArgs,
    #[command(flatten)]
    limits: RenderLimits,
}

/// Runs the operator until it is told to stop.
pub(crate) fn run(args: RunArgs) -> Result<(), CliError> {
    args.logging.start()?;
    let usual = Path::new(USUAL);
    if let Some(unused) = args.kinds.unused(usual) {
        tracing::info!("{unused}");
    }
    let settings = settings(&args, usual)?;
    let metrics = Arc::new(Metrics::default());
    runtime::start()?.block_on(async {
        let tenure = Tenure::default();
        let client = connect(args.kubeconfig, args.context, metrics.requests(), tenure.clone()).await?;
        Ok(crate::operator::run(settings, client, metrics, tenure, stop_signal()).await?)
    })
}

fn settings(args: &RunArgs, default_watches: &Path) -> Result<Settings, CliError> {
    let mut watches = args.kinds.watches(default_watches, &|unused| tracing::warn!("{unused}"))?;
    for Watch { rollout, .. } in &mut watches {
        rollout.max_unavailable = rollout.max_unavailable.or(args.rollout_max_unavailable);
        rollout.max_failures = rollout.max_failures.or(args.rollout_max_failures);
    }
    let leader_election = args.leader_elect.then(|| leader_election(args, &watches)).transpose()?;
    let first = watches.first().map_or("chartwright", |watch| &watch.names.singular);
    let webhook = args.webhook.to_options(first)?;
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Settings {
        watches,
        watch_namespaces: namespaces(&args.watch_namespace)?,
        reconcile_period: args.reconcile_period,
        max_concurrent_reconciles: args.max_concurrent_reconciles.map_or(cpus, usize::from),
        health_bind: args.health_probe_bind_address.0,
        metrics_bind: args.metrics_addr.unwrap_or(args.metrics_bind_address).0,
        metrics_access: metrics_access(args)?,
        leader_election,
        render_limits: args.limits,
        suppress_override_values: args.suppress_override_values,
        webhook,
        status_manifest: args.status_manifest,
    })
}

fn metrics_access(args: &RunArgs) -> Result<MetricsAccess, CliError> {
    match (args.metrics_secure, args.metrics_require_rbac) {
        (false, false) => Ok(MetricsAccess::Open),
        (true, false) => Ok(MetricsAccess::Tls),
        (true, true) => Ok(MetricsAccess::Rbac),
        (false, true) => Err(CliError::Usage("--metrics-require-rbac needs --metrics-secure".into())),
    }
}

/// Where a pod finds the name of its namespace.
pub(super) const OWN_NAMESPACE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

fn leader_election(args: &RunArgs, watches: &[Watch]) -> Result<LeaderElection, CliError> {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let derived = || format!("{}-operator", watches.first().map_or("chartwright", |w| &w.names.singular));
    let own = || std::fs::read_to_string(OWN_NAMESPACE).ok().map(|text| text.trim().to_owned());
    let namespace = given(&args.leader_election_namespace).or_else(own).ok_or_else(|| {
        CliError::Usage(
            "--leader-elect needs --leader-election-namespace outside a pod: the namespace of the Lease"
                .into(),
        )
    })?;
    let id = given(&args.leader_election_id).unwrap_or_else(derived);
    Ok(LeaderElection { id, namespace })
}

/// Lists of namespaces may have blanks, and nothing between commas.
fn namespaces(names: &[String]) -> Result<Vec<String>, CliError> {
    let mut all: Vec<String> = Vec::with_capacity(names.len());
    for name in names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
        check_resource_name("namespace", name)?;
        if !all.iter().any(|known| known == name) {
            all.push(name.to_owned());
        }
    }
    Ok(all)
}

pub(super) async fn connect(
    kubeconfig: Option<PathBuf>,
    context: Option<String>,
    requests: Requests,
    tenure: Tenure,
) -> Result<kube::Client, CliError> {
    let named = kubeconfig.is_some() || context.is_some() || std::env::var_os("KUBECONFIG").is_some();
    let config = if named {
        from_kubeconfig(kubeconfig, context).await
    } else if let Ok(config) = kube::Config::incluster() {
        Ok(config)
    } else {
        from_kubeconfig(None, None).await
    };
    let config = config.map_err(|why| CliError::Cluster { why, named })?;
    crate::cluster::client::client(config, requests, tenure).map_err(|error| {
        let why = match error {
            kube::Error::Service(why) => why.to_string(),
            other => other.to_string(),
        };
        CliError::Cluster { why, named: true }
    })
}

async fn from_kubeconfig(file: Option<PathBuf>, context: Option<String>) -> Result<kube::Config, String> {
    let kubeconfig = match &file {
        Some(path) => kube::config::Kubeconfig::read_from(path),
        None => kube::config::Kubeconfig::read(),
    };
    let kubeconfig = kubeconfig.map_err(|error| match error {
        KubeconfigError::ReadConfig(error, path) => {
            format!("cannot read the kubeconfig {}: {error}", path.display())
        }
        other => other.to_string(),
    })?;
    let options = kube::config::KubeConfigOptions { context, ..Default::default() };
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await;
    let mut config = config.map_err(|error| error.to_string())?;
    leave_proxy_out(&mut config, |name| std::env::var(name).ok());
    Ok(config)
}

/// Forgets a proxy that the environment names and that it says is not for this server. One of the kubeconfig's stays.
fn leave_proxy_out(config: &mut kube::Config, variable: impl Fn(&str) -> Option<String>) {
    let either = |one, other| [one, other].into_iter().filter_map(&variable).find(|text| !text.is_empty());
    let named = either("HTTPS_PROXY", "https_proxy").and_then(|proxy| proxy.parse().ok());
    let is_of_environment = config.proxy_url.is_some() && config.proxy_url == named;
    let no_proxy = either("NO_PROXY", "no_proxy").unwrap_or_default();
    if is_of_environment && crate::cluster::proxy::is_direct(&config.cluster_url, &no_proxy) {
        config.proxy_url = None;
    }
}

/// Resolves at SIGTERM (what the kubelet sends) or SIGINT (^C).
async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
        (Ok(mut terminate), Ok(mut interrupt)) => {
            tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        }
        // Without handlers the signals end the process at once, which is all that can be had then.
        _ => std::future::pending().await,
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    watches::go_period(text)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: RunArgs,
    }

    fn parse(args: &[&str]) -> RunArgs {
        Program::try_parse_from(std::iter::once(&"run").chain(args))
            .unwrap_or_else(|error| panic!("{error}"))
            .args
    }

    const KIND: &[&str] = &["--chart", "c", "--api-version", "a.io/v1", "--kind", "Thing"];

    #[test]
    fn defaults_are_helm_operators() {
        let settings = settings(&parse(KIND), Path::new("/nonexistent")).unwrap();
        assert_eq!(settings.reconcile_period, Duration::from_secs(60));
        assert_eq!(settings.metrics_bind.unwrap().port(), 8080);
        assert_eq!(settings.health_bind.unwrap().port(), 8081);
        assert_eq!(settings.leader_election, None);
        assert!(settings.watch_namespaces.is_empty());
        assert_eq!(settings.watches.len(), 1);
    }

    #[test]
    fn flags_take_gos_forms() {
        let mut args = KIND.to_vec();
        args.extend([
            "--leader-elect",
            "--leader-election-namespace=ops",
            "--metrics-addr=0",
            "--watch-namespace=a,b",
            "--reconcile-period=1m30s",
        ]);
        let settings = settings(&parse(&args), Path::new("/nonexistent")).unwrap();
        let lease = LeaderElection { id: "thing-operator".into(), namespace: "ops".into() };
        assert_eq!(settings.leader_election, Some(lease));
        assert_eq!(settings.metrics_bind, None);
        assert_eq!(settings.watch_namespaces, ["a", "b"]);
        assert_eq!(settings.reconcile_period, Duration::from_secs(90));
        assert!(!parse(&["--leader-elect=false"]).leader_elect);
    }

    #[test]
    fn lists_of_namespaces_may_have_blanks() {
        let mut args = KIND.to_vec();
        args.push("--watch-namespace= a, b ,,a");
        assert_eq!(settings(&parse(&args), Path::new("/nonexistent")).unwrap().watch_namespaces, ["a", "b"]);
        args.push("--watch-namespace=Foo_Bar");
        let error = settings(&parse(&args), Path::new("/nonexistent")).unwrap_err().to_string();
        assert!(error.contains("namespace \"Foo_Bar\" is not a resource name"), "{error}");
    }

    #[test]
    fn a_proxy_is_left_out_where_the_environment_says_so() {
        let proxy = |of_config: &str, variables: &[(&str, &str)]| {
            let mut config = kube::Config::new("https://api.example.com".parse().unwrap());
            config.proxy_url = Some(of_config.parse().unwrap());
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            leave_proxy_out(&mut config, variable);
            config.proxy_url.is_some()
        };
        let (ours, no) = ("http://proxy:3128", ("NO_PROXY", ".example.com"));
        assert!(!proxy(ours, &[("HTTPS_PROXY", ours), no]));
        assert!(!proxy(ours, &[("HTTPS_PROXY", ""), ("https_proxy", ours), ("no_proxy", "example.com")]));
        assert!(proxy(ours, &[("HTTPS_PROXY", ours), ("NO_PROXY", "example.org")]));
        assert!(proxy(ours, &[("HTTPS_PROXY", ours)]));
        assert!(proxy("http://other:1", &[("HTTPS_PROXY", ours), no]), "the kubeconfig's own");
    }

    #[test]
    fn a_kind_without_a_group_is_refused() {
        let args = parse(&["--chart", "c", "--api-version", "v1", "--kind", "Thing"]);
        let error = settings(&args, Path::new("/nonexistent")).unwrap_err().to_string();
        assert!(error.contains("has no group"), "{error}");
    }
}
