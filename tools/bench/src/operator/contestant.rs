//! The operators that are measured, and one of them running.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::http;
use super::usage::{self, Memory};
use super::world::{GROUP, KIND, VERSION};
use crate::error::BenchError;

/// How long a start or an end may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whose command line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contestant {
    Chartwright,
    /// operator-sdk's helm-operator, or what has its command line.
    HelmOperator,
}

impl Contestant {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Contestant::Chartwright => "chartwright",
            Contestant::HelmOperator => "helm-operator",
        }
    }

    /// The user as which it talks to the API server.
    pub(crate) const fn user(self) -> &'static str {
        match self {
            Contestant::Chartwright => "bench-chartwright",
            Contestant::HelmOperator => "bench-helm-operator",
        }
    }
}

/// What an operator is started with.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) contestant: Contestant,
    pub(crate) binary: PathBuf,
    pub(crate) chart: PathBuf,
    pub(crate) kubeconfig: PathBuf,
    /// Where its log and its watches file go.
    pub(crate) directory: PathBuf,
    pub(crate) concurrency: u16,
}

impl Setup {
    fn command(&self, health: u16, metrics: u16, period: Option<Duration>) -> Result<Command, BenchError> {
        let mut command = Command::new(&self.binary);
        command.arg("run").arg("--kubeconfig").arg(&self.kubeconfig);
        command.arg(format!("--health-probe-bind-address=127.0.0.1:{health}"));
        command.arg(format!("--metrics-bind-address=127.0.0.1:{metrics}"));
        command.arg(format!("--max-concurrent-reconciles={}", self.concurrency));
        if let Some(period) = period {
            command.arg(format!("--reconcile-period={}ms", period.as_millis()));
        }
        match self.contestant {
            Contestant::Chartwright => {
                command.arg("--chart").arg(&self.chart);
                command.args([format!("--api-version={GROUP}/{VERSION}"), format!("--kind={KIND}")]);
            }
            Contestant::HelmOperator => {
                let file = self.directory.join("watches.yaml");
                let entry = serde_json::json!([{
                    "group": GROUP, "version": VERSION, "kind": KIND, "chart": self.chart,
                }]);
                std::fs::write(&file, entry.to_string()).map_err(BenchError::input(&file))?;
                command.arg("--watches-file").arg(file);
            }
        }
        // Neither is to find settings of the user's.
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", &self.directory);
        Ok(command)
    }

    /// Starts the operator and waits until it says that it is ready.
    pub(crate) fn start(&self, period: Option<Duration>) -> Result<Running, BenchError> {
        let ports = http::free_port().and_then(|health| Ok((health, http::free_port()?)));
        let (health, metrics) = ports.map_err(BenchError::input("a free port"))?;
        let log = self.directory.join(format!("{}.log", self.contestant.name()));
        let file = File::options().create(true).append(true).open(&log).map_err(BenchError::input(&log))?;
        let mut command = self.command(health, metrics, period)?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
        let began = Instant::now();
        let since = jiff::Timestamp::now();
        let child = command.spawn().map_err(BenchError::input(&self.binary))?;
        let mut running = Running { child, log, metrics, since, ready: Duration::ZERO };
        while http::get(health, "/readyz").is_none() {
            if let Ok(Some(status)) = running.child.try_wait() {
                return Err(running.failed(self, &format!("it ended with {status}")));
            }
            if began.elapsed() > PATIENCE {
                return Err(running.failed(self, "it did not get ready"));
            }
            sleep(Duration::from_millis(5));
        }
        running.ready = began.elapsed();
        Ok(running)
    }
}

/// An operator that runs. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    log: PathBuf,
    metrics: u16,
    /// When it was started.
    pub(crate) since: jiff::Timestamp,
    /// How long it took until it said that it was ready.
    pub(crate) ready: Duration,
}

impl Running {
    /// The CPU time it has used so far.
    pub(crate) fn cpu(&self) -> Result<Duration, BenchError> {
        usage::cpu(self.child.id())
    }

    pub(crate) fn memory(&self) -> Result<Memory, BenchError> {
        usage::memory(self.child.id())
    }

    /// How many passes it has made and what they took together, in seconds, if it has metrics that tell.
    pub(crate) fn passes(&self) -> Option<(f64, f64)> {
        let metrics = http::get(self.metrics, "/metrics")?;
        let of =
            |part: &str| http::sum(&metrics, &format!("controller_runtime_reconcile_time_seconds_{part}"));
        Some((of("count")?, of("sum")?))
    }

    /// Ends it as the kubelet would.
    pub(crate) fn stop(mut self) -> Result<(), BenchError> {
        let pid = i32::try_from(self.child.id()).unwrap_or_default();
        // It may have ended by itself; waiting tells.
        let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        let began = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if began.elapsed() > PATIENCE {
                let seen = "it still runs".to_owned();
                return Err(BenchError::Late { what: "the end of an operator", at_most: PATIENCE, seen });
            }
            sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn failed(&self, setup: &Setup, why: &str) -> BenchError {
        let reason = format!("{why}; its last words: {}", last_words(&self.log));
        BenchError::Command { command: setup.binary.display().to_string(), reason }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only if it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn last_words(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().next_back().unwrap_or("none").to_owned()
}
