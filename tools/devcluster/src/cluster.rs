//! A cluster: started from its parts, or given by a kubeconfig.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Error, Result,
    advice::Advice,
    assets::Assets,
    builder,
    client::{self, Kubectl},
    flags::Layout,
    guard::{self, Guarded, Launch},
    kubeconfig::{self, Endpoint},
    logs, nodes,
    options::{Options, TokenUser, token_file},
    part::Part,
    ports,
    state::{Facts, State, random_hex},
};

/// How long a part may take to end in order. Its data is thrown away, so there is little to wait for.
const GRACE: Duration = Duration::from_millis(500);

/// How often to try again when a picked port was taken by somebody else meanwhile.
const PORT_ATTEMPTS: usize = 3;

/// A Kubernetes API server to work with, and everything behind it.
///
/// Dropping it ends every part that was started and removes the state directory. Should the owner end without
/// dropping it, the parts end all the same. A test that panics leaves the logs.
#[derive(Debug)]
pub struct Cluster {
    // Dropped in this order: the parts end before the janitor is let go.
    parts: Mutex<BTreeMap<Part, Guarded>>,
    layout: Option<Layout>,
    endpoint: Endpoint,
    kubectl: Kubectl,
    assets: Assets,
    timeout: Duration,
    state: State,
}

impl Cluster {
    /// Starts a cluster, building what is missing, or attaches to the one the options name, and returns when it is
    /// ready: the API server answers, the default namespace exists and every node is ready.
    pub fn start(options: Options) -> Result<Cluster> {
        if let Some(kubeconfig) = options.kubeconfig.clone() {
            return Cluster::attach(&options, &kubeconfig);
        }
        let mut attempt = 1;
        loop {
            match Cluster::start_parts(&options) {
                Err(Error::PortInUse { port, .. })
                    if options.api_port != Some(port) && attempt < PORT_ATTEMPTS =>
                {
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    /// Whether the cluster was given by a kubeconfig rather than started.
    pub fn is_existing(&self) -> bool {
        self.layout.is_none()
    }

    /// The administrator's kubeconfig, or the one that was given.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubectl.kubeconfig
    }

    /// The API server's address.
    pub fn server_url(&self) -> &str {
        &self.endpoint.server
    }

    /// The directory with the state and, under `logs`, what each part printed.
    pub fn state_directory(&self) -> &Path {
        self.state.path()
    }

    /// The API server's audit log, if [`Options::audit_policy`] asked for one: a JSON object a line, written as
    /// each request ends.
    pub fn audit_log(&self) -> Option<PathBuf> {
        self.layout.as_ref().filter(|layout| layout.audited).map(Layout::audit_log)
    }

    /// Writes a kubeconfig for a user known by a bearer token. `name` is only for people to read.
    pub fn kubeconfig_for_token(&self, name: &str, token: &str) -> Result<PathBuf> {
        let path = self.state.path().join("kubeconfigs").join(kubeconfig::file_name(name));
        self.state.write_private(&path, &self.endpoint.with_token(name, token))?;
        Ok(path)
    }

    /// Writes a kubeconfig for an existing service account, with a token the API server issues for a day.
    pub fn kubeconfig_for_service_account(&self, namespace: &str, name: &str) -> Result<PathBuf> {
        let token =
            self.kubectl.run(&["create", "token", name, "--namespace", namespace, "--duration=24h"])?;
        self.kubeconfig_for_token(&format!("system:serviceaccount:{namespace}:{name}"), token.trim())
    }

    /// A `kubectl` command for the administrator, to add arguments to.
    pub fn kubectl(&self) -> Command {
        self.kubectl.command()
    }

    /// Runs `kubectl` and returns what it prints.
    pub fn run_kubectl(&self, arguments: &[&str]) -> Result<String> {
        self.kubectl.run(arguments)
    }

    /// Applies manifests in YAML or JSON.
    pub fn apply(&self, manifests: &str) -> Result<String> {
        self.kubectl.run_with_input(&["apply", "-f", "-"], manifests)
    }

    /// A Helm 3 command for the administrator; its configuration and caches are the cluster's own.
    pub fn helm3(&self) -> Result<Command> {
        self.helm(Part::Helm3)
    }

    /// The same with Helm 4.
    pub fn helm4(&self) -> Result<Command> {
        self.helm(Part::Helm4)
    }

    /// Fails with [`Error::PartDied`] if a part has ended that was not stopped.
    pub fn check(&self) -> Result<()> {
        for (part, guarded) in self.parts().iter_mut() {
            if let Some(status) = guarded.status().map_err(Error::io("look after", self.state.log(*part)))? {
                return Err(self.died(*part, &guard::describe(status)));
            }
        }
        Ok(())
    }

    /// Ends the API server, as in an outage. Its data stays.
    pub fn stop_apiserver(&self) -> Result<()> {
        self.stop_part(Part::KubeApiserver)
    }

    /// Starts the API server again, at the same address and with the same data, and waits until it is ready.
    pub fn start_apiserver(&self) -> Result<()> {
        self.start_part(Part::KubeApiserver)
    }

    /// Ends a part in order.
    pub fn stop_part(&self, part: Part) -> Result<()> {
        self.layout_for("stop a part")?;
        let mut guarded = self.parts().remove(&part).ok_or(Error::NotRunning { part })?;
        guarded.end();
        Ok(())
    }

    /// Starts a part that was stopped or killed, or that the cluster was started without. A running one is left alone.
    pub fn start_part(&self, part: Part) -> Result<()> {
        self.layout_for("start a part")?;
        let runs = self.parts().get_mut(&part).is_some_and(|guarded| matches!(guarded.status(), Ok(None)));
        if runs {
            return Ok(());
        }
        self.launch(part)?;
        match part {
            Part::Etcd => self.wait_for_etcd(),
            Part::KubeApiserver => self.wait_for_apiserver(),
            _ => Ok(()),
        }
    }

    /// Kills a part without warning, as a crash would. [`Cluster::check`] will tell.
    pub fn kill_part(&self, part: Part) -> Result<()> {
        self.layout_for("kill a part")?;
        self.parts().get_mut(&part).ok_or(Error::NotRunning { part })?.kill();
        Ok(())
    }

    /// Whether somebody asked for the cluster to stop, through [`crate::stop`].
    pub fn stop_requested(&self) -> bool {
        self.state.stop_requested()
    }

    /// Has the logs left behind when the cluster ends.
    pub fn keep_logs(&self) {
        self.state.keep_logs();
    }

    /// Writes down in the state directory how to use the cluster, for [`crate::find`].
    pub fn announce(&self) -> Result<()> {
        let programs = self.assets.directories();
        let kubeconfig = self.kubeconfig().to_owned();
        self.state.announce(&Facts { kubeconfig, server: self.server_url().to_owned(), programs })
    }

    fn attach(options: &Options, kubeconfig: &Path) -> Result<Cluster> {
        let kubeconfig = fs::canonicalize(kubeconfig).map_err(Error::io("use the kubeconfig", kubeconfig))?;
        let mut assets = match (Assets::locate(&[Part::Kubectl]), Assets::from_path(Part::Kubectl)?) {
            (Err(Error::NotBuilt { .. }), Some(on_path)) => on_path,
            (Err(Error::NotBuilt { .. }), None) => Assets::locate_or_build(&[Part::Kubectl])?,
            (located, _) => located?,
        };
        assets.add_if_built(&[Part::Helm3, Part::Helm4]);
        let state = options.state.as_deref().map_or_else(State::temporary, State::at)?;
        let program = assets.path(Part::Kubectl)?.to_owned();
        let kubectl = Kubectl { program, kubeconfig, cache: state.path().join("kubectl-cache") };
        let view = kubectl.run(&["config", "view", "--raw", "--flatten", "--minify", "--output=json"])?;
        let endpoint = Endpoint::of_current_context(&kubectl.kubeconfig, &view)?;
        kubectl.run(&["get", "--raw=/version"])?;
        let parts = Mutex::default();
        Ok(Cluster { parts, layout: None, endpoint, kubectl, assets, timeout: options.timeout, state })
    }

    fn start_parts(options: &Options) -> Result<Cluster> {
        let mut assets = Assets::locate_or_build(&options.parts())?;
        assets.add_if_built(&[Part::Helm3, Part::Helm4]);
        let [picked, etcd_port, peer_port] =
            ports::pick().map_err(Error::io("pick ports on", "127.0.0.1"))?;
        let api_port = options.api_port.unwrap_or(picked);
        if !ports::is_free(api_port) {
            return Err(Error::PortInUse { part: Part::KubeApiserver, port: api_port });
        }
        let state = options.state.as_deref().map_or_else(State::temporary, State::at)?;
        let directory = state.path().to_owned();
        let (stages, audited) = (assets.stages(), options.audit_policy.is_some());
        let layout = Layout { directory, stages, api_port, etcd_port, peer_port, audited };
        let kubectl = Kubectl {
            program: assets.path(Part::Kubectl)?.to_owned(),
            kubeconfig: layout.kubeconfig(),
            cache: state.path().join("kubectl-cache"),
        };
        let mut cluster = Cluster {
            parts: Mutex::default(),
            endpoint: Endpoint::local(api_port, b""),
            layout: Some(layout.clone()),
            kubectl,
            assets,
            timeout: options.timeout,
            state,
        };
        let started = cluster.bring_up(options, &layout);
        if let Err(error) = started {
            // Another attempt follows one that only lost a port; its logs tell nothing.
            if !matches!(error, Error::PortInUse { .. }) {
                cluster.keep_logs();
            }
            return Err(error);
        }
        Ok(cluster)
    }

    fn bring_up(&mut self, options: &Options, layout: &Layout) -> Result<()> {
        let administrator = TokenUser {
            name: "admin".into(),
            token: random_hex::<16>()?,
            groups: vec!["system:masters".into()],
        };
        let users = [std::slice::from_ref(&administrator), &options.users].concat();
        let tokens = token_file(&users).map_err(Error::Options)?;
        self.state.write_private(&layout.tokens(), &tokens)?;
        if let Some(policy) = &options.audit_policy {
            self.state.write_private(&layout.audit_policy(), policy)?;
        }

        self.launch(Part::Etcd)?;
        self.wait_for_etcd()?;
        self.launch(Part::KubeApiserver)?;
        // The certificate is there before the server listens, and the other parts wait for the server by themselves.
        self.wait("kube-apiserver did not listen", Part::KubeApiserver, || {
            let listening = ports::answers(layout.api_port) && layout.certificate().exists();
            if listening { Ok(()) } else { Err(format!("no answer on port {}", layout.api_port)) }
        })?;
        let certificate = layout.certificate();
        let pem = fs::read(&certificate).map_err(Error::io("read the certificate", &certificate))?;
        self.endpoint = Endpoint::local(layout.api_port, &pem);
        let kubeconfig = self.endpoint.with_token(&administrator.name, &administrator.token);
        self.state.write_private(&layout.kubeconfig(), &kubeconfig)?;

        for part in options.parts().into_iter().filter(|part| is_client(*part)) {
            self.launch(part)?;
        }
        self.wait_for_apiserver()?;
        if options.nodes > 0 {
            self.add_nodes(options.nodes)?;
        }
        Ok(())
    }

    fn add_nodes(&self, count: usize) -> Result<()> {
        self.kubectl.run_with_input(&["create", "-f", "-"], &nodes::list(count).to_string())?;
        let (_, file) = builder::STORAGE_CLASS;
        self.kubectl.run(&["create", "-f", &self.assets.stages().join(file).to_string_lossy()])?;
        let ready = r#"jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}"#;
        self.wait("not all nodes became ready", Part::Kwok, || {
            let statuses =
                self.kubectl.run(&["get", "nodes", "--output", ready]).map_err(|error| error.to_string())?;
            let found = statuses.split_whitespace().filter(|status| *status == "True").count();
            if found == count { Ok(()) } else { Err(format!("{found} of {count} nodes are ready")) }
        })
    }

    fn wait_for_etcd(&self) -> Result<()> {
        let port = self.layout_for("wait for etcd")?.etcd_port;
        self.wait("etcd did not listen", Part::Etcd, || {
            if ports::answers(port) { Ok(()) } else { Err(format!("no answer on port {port}")) }
        })
    }

    fn wait_for_apiserver(&self) -> Result<()> {
        self.wait("kube-apiserver did not become ready", Part::KubeApiserver, || {
            let answer = self.kubectl.run(&["get", "--raw=/readyz"]);
            let answer =
                answer.and_then(|_| self.kubectl.run(&["get", "namespace", "default", "--output=name"]));
            answer.map(drop).map_err(|error| match error {
                Error::Kubectl { stderr, .. } => stderr,
                other => other.to_string(),
            })
        })
    }

    /// Tries until it succeeds, a part dies or the time is up. An attempt's error is what it saw instead.
    fn wait(&self, what: &'static str, part: Part, attempt: impl Fn() -> Result<(), String>) -> Result<()> {
        let deadline = Instant::now() + self.timeout;
        loop {
            self.check()?;
            let Err(answer) = attempt() else { return self.check() };
            if Instant::now() > deadline {
                let log = self.state.log(part);
                let tail = logs::tail(&log);
                return Err(Error::TooSlow { what, seconds: self.timeout.as_secs(), answer, log, tail });
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn launch(&self, part: Part) -> Result<()> {
        let layout = self.layout_for("start a part")?;
        let guarded = Guarded::launch(Launch {
            program: self.assets.path(part)?,
            arguments: layout.arguments(part),
            directory: &layout.directory,
            // etcd and others take settings from the environment, which is not meant for them.
            environment: Some(vec![
                ("PATH", "/usr/local/bin:/usr/bin:/bin".to_owned()),
                ("HOME", layout.directory.to_string_lossy().into_owned()),
            ]),
            additional: Vec::new(),
            grace: GRACE,
            output: self.state.open_log(part)?.into(),
            lifeline: self.state.lifeline()?,
        })?;
        self.parts().insert(part, guarded);
        Ok(())
    }

    fn died(&self, part: Part, status: &str) -> Error {
        let log = self.state.log(part);
        let text = logs::end(&log);
        let port = self.layout.as_ref().and_then(|layout| layout.port(part));
        if let (Some(port), true) = (port, text.contains("address already in use")) {
            return Error::PortInUse { part, port };
        }
        let advice = Advice::for_part(&text, status);
        self.state.keep_logs();
        Error::PartDied { part, status: status.to_owned(), tail: logs::quotable(&text), log, advice }
    }

    fn helm(&self, part: Part) -> Result<Command> {
        let mut command = Command::new(self.assets.path(part)?);
        client::isolate(&mut command, self.kubeconfig(), &self.kubectl.cache);
        for (variable, _) in
            std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"HELM_"))
        {
            command.env_remove(variable);
        }
        for (variable, directory) in
            [("HELM_CACHE_HOME", "cache"), ("HELM_CONFIG_HOME", "config"), ("HELM_DATA_HOME", "data")]
        {
            command.env(variable, self.state.path().join(part.name()).join(directory));
        }
        Ok(command)
    }

    fn layout_for(&self, action: &'static str) -> Result<&Layout> {
        self.layout.as_ref().ok_or(Error::NotOurs { action })
    }

    fn parts(&self) -> MutexGuard<'_, BTreeMap<Part, Guarded>> {
        // Nothing is left half done if a thread panics while it holds the parts.
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if thread::panicking() {
            self.state.keep_logs();
        }
        let mut parts = self.parts();
        parts.values_mut().for_each(Guarded::release);
        parts.clear();
    }
}

/// Whether a part is a client of the API server that runs beside it.
fn is_client(part: Part) -> bool {
    matches!(part, Part::KubeControllerManager | Part::KubeScheduler | Part::Kwok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_can_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Cluster>();
    }
}
