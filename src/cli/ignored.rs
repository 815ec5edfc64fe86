//! Flags of `helm template` that change nothing about a chart on disk: taken, so that scripts keep working.

use clap::Args;

use super::CliError;

/// Flags without effect here, and those that need what is not built.
#[derive(Args, Debug)]
pub(crate) struct IgnoredArgs {
    #[arg(long, hide = true)]
    skip_crds: bool,
    #[arg(long, hide = true)]
    create_namespace: bool,
    #[arg(long, hide = true)]
    wait: bool,
    #[arg(long, hide = true)]
    wait_for_jobs: bool,
    #[arg(long, hide = true)]
    atomic: bool,
    #[arg(long, hide = true)]
    devel: bool,
    #[arg(long, hide = true)]
    replace: bool,
    #[arg(long, hide = true)]
    disable_openapi_validation: bool,
    #[arg(long, hide = true)]
    force: bool,
    #[arg(long, hide = true)]
    hide_notes: bool,
    #[arg(long, hide = true)]
    take_ownership: bool,
    #[arg(long, hide = true)]
    insecure_skip_tls_verify: bool,
    #[arg(long, hide = true)]
    plain_http: bool,
    #[arg(long, hide = true)]
    pass_credentials: bool,
    #[arg(long, hide = true)]
    kube_insecure_skip_tls_verify: bool,
    #[arg(long, hide = true, value_name = "VALUE")]
    timeout: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    description: Vec<String>,
    /// Chooses among what a repository has; a chart on disk is the one it is.
    #[arg(long, hide = true, value_name = "VALUE")]
    version: Vec<String>,
    #[arg(long, short = 'l', hide = true, value_name = "VALUE")]
    labels: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    username: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    password: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    cert_file: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    key_file: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    ca_file: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    keyring: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    burst_limit: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    qps: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    kubeconfig: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    kube_context: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    kube_token: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    kube_apiserver: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    kube_as_user: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    kube_as_group: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    kube_ca_file: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    kube_tls_server_name: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    registry_config: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    repository_cache: Vec<String>,
    #[arg(long, hide = true, value_name = "VALUE")]
    repository_config: Vec<String>,
    /// Rendering is always a dry run; `server` would ask a cluster.
    #[arg(long, hide = true, num_args = 0..=1, require_equals = true, default_missing_value = "client")]
    dry_run: Option<String>,
    /// Missing subcharts are fetched by `helm dependency update`.
    #[arg(long, hide = true)]
    dependency_update: bool,
    /// Charts are fetched by `helm pull --repo`.
    #[arg(long, hide = true, value_name = "URL")]
    repo: Option<String>,
    /// Charts are checked against signatures by `helm pull --verify`.
    #[arg(long, hide = true)]
    verify: bool,
}

impl IgnoredArgs {
    /// Fails for what would have an effect in Helm.
    pub(super) fn refuse_what_is_not_built(&self) -> Result<(), CliError> {
        let usage = |text: &str| Err(CliError::Usage(text.to_owned()));
        if self.verify {
            return usage("--verify is not supported: fetch the chart with `helm pull --verify` first");
        }
        if self.dependency_update {
            return usage("--dependency-update is not supported: run `helm dependency update CHART` first");
        }
        if self.repo.as_deref().is_some_and(|repo| !repo.is_empty()) {
            return usage(
                "--repo is not supported: fetch the chart with `helm pull --repo URL CHART --untar` first",
            );
        }
        match self.dry_run.as_deref() {
            None | Some("" | "false" | "true" | "none" | "client") => Ok(()),
            Some("server") => usage(
                "--dry-run=server is not supported: `chartwright template` asks nothing of a cluster; pipe the output to \
                 `kubectl apply --dry-run=server -f -`",
            ),
            Some(_) => usage(
                "Invalid dry-run flag. Flag must one of the following: false, true, none, client, server",
            ),
        }
    }
}
