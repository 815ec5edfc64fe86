//! A shared cluster, operators to start and kill, charts made of a few lines, and patience.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use devcluster::{Cluster, Options};
use serde_json::Value;

pub(crate) const GROUP: &str = "e2e.example.com";

/// The cluster all tests share. It ends with the process.
pub(crate) fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| Cluster::start(Options::from_env()).unwrap_or_else(|error| panic!("{error}")))
}

/// A namespace of a test's own.
pub(crate) struct Namespace {
    pub(crate) name: String,
}

impl Namespace {
    pub(crate) fn new(prefix: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{prefix}-{}-{count}", std::process::id());
        kubectl(&["create", "namespace", &name]);
        Self { name }
    }

    /// Runs kubectl in the namespace; panics when it fails.
    pub(crate) fn kubectl(&self, args: &[&str]) -> String {
        let mut all = vec!["--namespace", &self.name];
        all.extend(args);
        kubectl(&all)
    }

    /// Reads an object; null if it is not there.
    pub(crate) fn get(&self, what: &str, name: &str) -> Value {
        let text = self.kubectl(&["get", what, name, "--ignore-not-found", "-o", "json"]);
        if text.trim().is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&text).expect("JSON from kubectl")
        }
    }

    /// Reads by a JSONPath template.
    pub(crate) fn path(&self, what: &str, name: &str, path: &str) -> String {
        self.kubectl(&["get", what, name, "--ignore-not-found", "-o", &format!("jsonpath={path}")])
    }

    /// Lists the names of objects.
    pub(crate) fn names(&self, what: &str) -> Vec<String> {
        let text = self.kubectl(&["get", what, "-o", "jsonpath={.items[*].metadata.name}"]);
        text.split_whitespace().map(str::to_owned).collect()
    }

    pub(crate) fn apply(&self, manifest: &str) {
        self.try_apply(manifest).unwrap_or_else(|error| panic!("{error}\n{manifest}"));
    }

    /// Sends an object to a path of the API.
    pub(crate) fn apply_raw(&self, path: &str, object: &str) {
        let output = feed(cluster().kubectl().args(["create", "--raw", path, "-f", "-"]), object);
        assert!(output.status.success(), "{}\n{object}", String::from_utf8_lossy(&output.stderr));
    }

    /// Applies what the server may refuse.
    pub(crate) fn try_apply(&self, manifest: &str) -> Result<(), String> {
        let mut command = cluster().kubectl();
        let output = feed(command.args(["--namespace", &self.name, "apply", "-f", "-"]), manifest);
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// Makes a custom resource with a spec given as JSON.
    pub(crate) fn resource(&self, kind: &Kind, name: &str, spec: &str) {
        let (api_version, kind) = (kind.api_version(), &kind.name);
        self.apply(&format!(
            r#"{{"apiVersion": "{api_version}", "kind": "{kind}", "metadata": {{"name": "{name}"}}, "spec": {spec}}}"#
        ));
    }

    /// Merges a change into a custom resource's spec.
    pub(crate) fn change(&self, kind: &Kind, name: &str, spec: &str) {
        self.merge(&kind.full(), name, &format!(r#"{{"spec": {spec}}}"#));
    }

    /// Merges a change into an object.
    pub(crate) fn merge(&self, what: &str, name: &str, patch: &str) {
        self.kubectl(&["patch", what, name, "--type=merge", "-p", patch]);
    }

    /// Merges a change into an object's status.
    pub(crate) fn merge_status(&self, what: &str, name: &str, status: &str) {
        let patch = format!(r#"{{"status": {status}}}"#);
        self.kubectl(&["patch", what, name, "--subresource=status", "--type=merge", "-p", &patch]);
    }

    /// A condition as `status reason: message`; empty if it is not there.
    pub(crate) fn condition(&self, kind: &Kind, name: &str, condition: &str) -> String {
        let told = self.path(&kind.full(), name, "{.status.conditions}");
        let conditions: Vec<Value> = serde_json::from_str(&told).unwrap_or_default();
        let found = conditions.iter().find(|one| one["type"] == condition);
        let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
        found
            .map(|one| format!("{} {}: {}", text(one, "status"), text(one, "reason"), text(one, "message")))
            .unwrap_or_default()
    }

    /// Waits until the release of a resource is there and ready.
    pub(crate) fn ready(&self, kind: &Kind, name: &str) {
        eventually(60, &format!("{name} is ready"), || {
            let ready = self.condition(kind, name, "Ready");
            if ready.starts_with("True") { Ok(()) } else { Err(ready) }
        });
    }

    /// Resource version and generation of everything of some kinds.
    pub(crate) fn versions(&self, what: &str) -> String {
        let each = r#"{range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion} {.metadata.generation}{"\n"}{end}"#;
        self.kubectl(&["get", what, "-o", &format!("jsonpath={each}")])
    }
}

/// Runs kubectl for the administrator; panics when it fails.
pub(crate) fn kubectl(args: &[&str]) -> String {
    cluster().run_kubectl(args).unwrap_or_else(|error| panic!("kubectl {args:?}: {error}"))
}

fn feed(command: &mut Command, input: &str) -> Output {
    use std::io::Write as _;
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

/// A kind of a test's own.
#[derive(Clone)]
pub(crate) struct Kind {
    pub(crate) name: String,
}

impl Kind {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    pub(crate) fn api_version(&self) -> String {
        format!("{GROUP}/v1")
    }

    /// Unmistakable for kubectl.
    pub(crate) fn full(&self) -> String {
        format!("{}.{GROUP}", self.name.to_lowercase())
    }
}

/// A chart made of files, in a folder that goes with it.
pub(crate) struct Chart {
    pub(crate) path: PathBuf,
}

impl Chart {
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("chartwright-e2e-{}-{count}", std::process::id())).join(name);
        let chart = Self { path };
        chart.write(
            "Chart.yaml",
            &format!("apiVersion: v2\nname: {name}\nversion: 1.0.0\nappVersion: \"9\"\n"),
        );
        for (file, text) in files {
            chart.write(file, text);
        }
        chart
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.path.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// Writes a watches file beside the chart that has it served for some kinds, each with further fields of its entry as
    /// they stand in braces (`maxHistory: 3, crd: none`).
    pub(crate) fn watches(&self, kinds: &[(&Kind, &str)]) -> PathBuf {
        let path = self.path.with_file_name("watches.yaml");
        let chart = &self.path;
        let entry = |(kind, fields): &(&Kind, &str)| {
            format!("- {{group: {GROUP}, version: v1, kind: {}, chart: {chart:?}, {fields}}}\n", kind.name)
        };
        fs::write(&path, kinds.iter().map(entry).collect::<String>()).expect("written");
        path
    }
}

impl Drop for Chart {
    fn drop(&mut self) {
        if let Some(parent) = self.path.parent() {
            let _ = fs::remove_dir_all(parent);
        }
    }
}

/// A running operator; it ends when dropped.
pub(crate) struct Operator {
    child: Child,
    log: PathBuf,
    probes: String,
    metrics: String,
}

impl Operator {
    /// Starts an operator for a kind and waits until it serves.
    pub(crate) fn start(chart: &Path, kind: &Kind, namespace: &Namespace) -> Self {
        Self::start_with(chart, &kind.api_version(), &kind.name, |command| {
            command.env("WATCH_NAMESPACE", &namespace.name);
        })
    }

    /// Starts an operator for what a watches file says, and waits until it serves.
    pub(crate) fn watching(watches: &Path, namespace: &Namespace) -> Self {
        Self::start_with(Path::new(""), "", "", |command| {
            command.env("HELM_CHART_WATCHES", watches).env("WATCH_NAMESPACE", &namespace.name);
            command.env("LOG_LEVEL", "debug");
        })
    }

    /// The same with a say in its environment.
    pub(crate) fn start_with(
        chart: &Path,
        api_version: &str,
        kind: &str,
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let mut operator = Self::spawn(chart, api_version, kind, change);
        operator.wait_ready();
        operator
    }

    /// Starts an operator without waiting.
    pub(crate) fn spawn(
        chart: &Path,
        api_version: &str,
        kind: &str,
        change: impl FnOnce(&mut Command),
    ) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // An address of its own on the loopback network: no port can be taken by somebody else meanwhile.
        let [.., high, low] = std::process::id().to_be_bytes();
        let address = format!("127.{}.{low}.{}", 1 + high % 250, 1 + count % 250);
        let (probes, metrics) = (format!("{address}:18081"), format!("{address}:18080"));
        let log = std::env::temp_dir().join(format!("chartwright-e2e-{}-{count}.log", std::process::id()));
        let mut command = Command::new(env!("CARGO_BIN_EXE_chartwright"));
        command
            .args(["run", "--health-probe-bind-address", &probes, "--metrics-bind-address", &metrics])
            .env("KUBECONFIG", cluster().kubeconfig())
            .env("HELM_CHART", chart)
            .env("API_VERSION", api_version)
            .env("KIND", kind)
            .env("LOG_FORMAT", "text")
            .stdout(Stdio::null())
            .stderr(fs::File::create(&log).expect("a log"));
        change(&mut command);
        Self { child: command.spawn().expect("the operator runs"), log, probes, metrics }
    }

    pub(crate) fn wait_ready(&mut self) {
        let start = Instant::now();
        while !self.is_ready() {
            if let Some(status) = self.child.try_wait().expect("a process") {
                panic!("the operator ended with {status}:\n{}", self.log());
            }
            assert!(start.elapsed() < Duration::from_secs(60), "not ready:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn is_ready(&self) -> bool {
        self.readiness().starts_with("HTTP/1.1 200")
    }

    /// The answer, headers included, to the question whether it is ready.
    pub(crate) fn readiness(&self) -> String {
        fetch(&self.probes, "/readyz")
    }

    /// Where its metrics are served.
    pub(crate) fn metrics_address(&self) -> &str {
        &self.metrics
    }

    /// The answer, headers included, to a request for its metrics.
    pub(crate) fn metrics(&self, path: &str) -> String {
        fetch(&self.metrics, path)
    }

    /// Kills it without warning.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// Asks it to stop and waits until it has.
    pub(crate) fn stop(&mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill runs").success());
        let status = self.child.wait().expect("ended");
        assert!(status.success(), "{status}:\n{}", self.log());
    }

    /// Waits until it ends by itself, and returns whether it succeeded.
    pub(crate) fn wait(&mut self, seconds: u64) -> bool {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a process") {
                return status.success();
            }
            assert!(start.elapsed() < Duration::from_secs(seconds), "it runs on:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Resident memory in KiB.
    pub(crate) fn resident(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").trim().parse().unwrap_or_default()
    }
}

fn fetch(address: &str, path: &str) -> String {
    use std::io::{Read as _, Write as _};
    let Ok(mut stream) = std::net::TcpStream::connect(address) else { return String::new() };
    let _ =
        stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes());
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- operator's log\n{}", self.log());
        }
        let _ = fs::remove_file(&self.log);
    }
}

/// Repeats a check until it passes; panics with its last complaint when the time is up. Returns how long it took.
pub(crate) fn eventually(
    seconds: u64,
    what: &str,
    mut check: impl FnMut() -> Result<(), String>,
) -> Duration {
    let start = Instant::now();
    loop {
        match check() {
            Ok(()) => return start.elapsed(),
            Err(last) if start.elapsed() > Duration::from_secs(seconds) => {
                panic!("not within {seconds} s: {what}; last seen: {last}")
            }
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// Repeats a check of equality.
pub(crate) fn becomes<T: PartialEq + std::fmt::Debug>(
    seconds: u64,
    wanted: T,
    mut read: impl FnMut() -> T,
) -> Duration {
    eventually(seconds, &format!("{wanted:?}"), || {
        let seen = read();
        if seen == wanted { Ok(()) } else { Err(format!("{seen:?}")) }
    })
}

/// Repeats a check that a text contains something.
pub(crate) fn says(seconds: u64, part: &str, mut read: impl FnMut() -> String) -> String {
    let mut seen = String::new();
    eventually(seconds, &format!("contains {part:?}"), || {
        seen = read();
        if seen.contains(part) { Ok(()) } else { Err(seen.clone()) }
    });
    seen
}

/// Checks that something stays as it is.
pub(crate) fn stays<T: PartialEq + std::fmt::Debug>(seconds: u64, mut read: impl FnMut() -> T) {
    let (start, before) = (Instant::now(), read());
    while start.elapsed() < Duration::from_secs(seconds) {
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(read(), before, "after {:?}", start.elapsed());
    }
}

/// The data shared beside the repository; `None`, with a note, where it is missing.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("CHARTWRIGHT_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let found = root.join(path);
    if found.exists() {
        return Some(found);
    }
    eprintln!("skipped: {} is not there", found.display());
    None
}
