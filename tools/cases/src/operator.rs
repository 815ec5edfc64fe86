//! The operator of a case: an ordinary process.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Map, Value, json};

use crate::case::{OperatorSpec, Plan, text_of};
use crate::expand::Variables;
use crate::step::Changes;

/// How long an operator may take to end once told to; a kubelet allows as much.
const GRACE: Duration = Duration::from_secs(30);

/// Kills the operator when standard input ends: whatever becomes of us, it does not outlive us.
const LEASH: &str = r#"read -r _; kill -KILL "$1" 2>/dev/null"#;

/// Where an operator's files are.
#[derive(Debug)]
pub(crate) struct Place {
    /// The program.
    pub(crate) program: PathBuf,
    /// The case's folder.
    pub(crate) folder: PathBuf,
    /// Where to write a watches.yaml.
    pub(crate) watches: PathBuf,
    /// Where it logs to.
    pub(crate) log: PathBuf,
}

/// An operator, running or not.
#[derive(Debug)]
pub(crate) struct Operator<'p> {
    plan: &'p Plan,
    place: Place,
    spec: OperatorSpec,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    process: Child,
    leash: Child,
    _held: Option<ChildStdin>,
}

impl<'p> Operator<'p> {
    pub(crate) fn new(plan: &'p Plan, place: Place) -> Self {
        Self { plan, place, spec: plan.operator.clone(), running: None }
    }

    /// Starts it, with what has changed about it; one that runs is left alone.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start(
        &mut self,
        changes: &Changes,
        variables: &Variables,
        environment: &dyn Fn(&mut Command),
    ) -> Result<(), String> {
        if self.status().is_none() && self.running.is_some() {
            return Ok(());
        }
        self.running = None;
        change(&mut self.spec, changes);
        let fail = |what: &str| {
            let what = what.to_owned();
            move |error: io::Error| format!("{what}: {error}")
        };
        let log = self.open_log().map_err(fail("the operator's log cannot be written"))?;
        let mut command =
            self.command(variables, environment).map_err(fail("watches.yaml cannot be written"))?;
        let errors = log.try_clone().map_err(fail("the operator's log cannot be written"))?;
        command.stdin(Stdio::null()).stdout(log).stderr(errors).process_group(0);
        let process = command.spawn().map_err(fail("the operator does not start"))?;
        let leash = Command::new("/bin/sh")
            .args(["-c", LEASH, "leash", &process.id().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        let mut leash = leash.map_err(fail("the operator cannot be looked after"))?;
        let held = leash.stdin.take();
        self.running = Some(Running { process, leash, _held: held });
        Ok(())
    }

    /// How it ended, if it did so by itself.
    pub(crate) fn status(&mut self) -> Option<ExitStatus> {
        self.running.as_mut().and_then(|running| running.process.try_wait().ok().flatten())
    }

    /// Tells it to end and waits for that.
    ///
    /// # Errors
    /// When it does not; it is killed then.
    pub(crate) fn stop(&mut self) -> Result<(), String> {
        let Some(mut running) = self.running.take() else { return Ok(()) };
        running.signal(Signal::TERM);
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            if !matches!(running.process.try_wait(), Ok(None)) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("the operator did not end within {GRACE:?} of SIGTERM"))
    }

    /// Ends it without notice.
    pub(crate) fn kill(&mut self) {
        self.running = None;
    }

    /// The last lines of its log.
    pub(crate) fn log_end(&self, lines: usize) -> String {
        let text = std::fs::read(&self.place.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let all: Vec<&str> = text.lines().collect();
        all.get(all.len().saturating_sub(lines)..).unwrap_or_default().join("\n")
    }

    /// Where it logs to.
    pub(crate) fn log(&self) -> &Path {
        &self.place.log
    }

    fn open_log(&self) -> io::Result<File> {
        OpenOptions::new().create(true).append(true).open(&self.place.log)
    }

    fn command(&self, variables: &Variables, environment: &dyn Fn(&mut Command)) -> io::Result<Command> {
        let mut command = Command::new(&self.place.program);
        environment(&mut command);
        let namespaces = self.spec.watch_namespace.as_deref().unwrap_or("$NS");
        command
            .arg("run")
            .args(["--metrics-bind-address=0", "--health-probe-bind-address=0"])
            .env("WATCH_NAMESPACE", variables.put_into(namespaces))
            .env("LOG_FORMAT", "text")
            .current_dir(&self.place.folder);
        if self.spec.override_values.is_empty() && self.spec.selector.is_none() {
            command
                .env("HELM_CHART", &self.spec.chart)
                .env("API_VERSION", &self.plan.api_version)
                .env("KIND", &self.plan.kind);
            if let Some(period) = &self.spec.reconcile_period {
                command.arg(format!("--reconcile-period={period}"));
            }
        } else {
            std::fs::write(&self.place.watches, self.watches().to_string())?;
            command.arg("--watches-file").arg(&self.place.watches);
        }
        for (name, value) in &self.spec.env {
            command.env(name, variables.put_into(&text_of(value)));
        }
        Ok(command)
    }

    /// A watches.yaml, as JSON.
    fn watches(&self) -> Value {
        let overrides: Map<String, Value> = self
            .spec
            .override_values
            .iter()
            .map(|(key, value)| (key.clone(), Value::String(text_of(value))))
            .collect();
        let mut entry = json!({
            "group": self.plan.group(),
            "version": self.plan.version(),
            "kind": self.plan.kind,
            "chart": self.spec.chart,
            "overrideValues": overrides,
        });
        let optional = [
            ("selector", self.spec.selector.clone()),
            ("reconcilePeriod", self.spec.reconcile_period.clone().map(Value::String)),
        ];
        if let Some(entry) = entry.as_object_mut() {
            let given = optional.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
            entry.extend(given);
        }
        json!([entry])
    }
}

impl Running {
    fn signal(&self, signal: Signal) {
        // Until the process is reaped its id cannot name another one.
        if let Some(pid) = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The leash goes first: afterwards the process's id may be given to another one.
        let _ = self.leash.kill();
        let _ = self.leash.wait();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn change(spec: &mut OperatorSpec, changes: &Changes) {
    let Changes { chart, watch_namespace, reconcile_period, env, override_values, selector } =
        changes.clone();
    if let Some(chart) = chart {
        spec.chart = chart;
    }
    if let Some(env) = env {
        spec.env = env;
    }
    if let Some(values) = override_values {
        spec.override_values = values;
    }
    spec.watch_namespace = watch_namespace.or_else(|| spec.watch_namespace.take());
    spec.reconcile_period = reconcile_period.or_else(|| spec.reconcile_period.take());
    spec.selector = selector.or_else(|| spec.selector.take());
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::case::Case;

    const HEAD: &str = "id: x\ntype: operator\napi_version: a.example.com/v1\nkind: Thing\nsteps: []\n";

    fn plan(operator: &str) -> Plan {
        let text = format!("{HEAD}operator: {operator}\n");
        Case::read(Path::new("x"), text.as_bytes()).unwrap().plan.unwrap()
    }

    /// An operator that is a shell script.
    fn with<R>(
        name: &str,
        script: &str,
        operator: &str,
        work: impl FnOnce(&mut Operator<'_>, &Path) -> R,
    ) -> R {
        let folder = std::env::temp_dir().join(format!("cases-operator-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let program = folder.join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let place = Place {
            program,
            folder: folder.clone(),
            watches: folder.join("watches.yaml"),
            log: folder.join("log"),
        };
        let plan = plan(operator);
        let result = work(&mut Operator::new(&plan, place), &folder);
        std::fs::remove_dir_all(folder).unwrap();
        result
    }

    fn start(operator: &mut Operator<'_>, changes: Value) {
        let mut variables = Variables::default();
        variables.set("NS", "ns");
        let changes = serde_json::from_value(changes).unwrap();
        operator.start(&changes, &variables, &|_| {}).unwrap();
    }

    fn wait_for_log(operator: &Operator<'_>, text: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !operator.log_end(100).contains(text) {
            assert!(Instant::now() < deadline, "{}", operator.log_end(100));
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_plain_operator_is_told_by_its_environment() {
        let script = r#"echo "$HELM_CHART $API_VERSION $KIND $WATCH_NAMESPACE $EXTRA $*""#;
        let operator = "{chart: c, reconcile_period: 5s, watch_namespace: '$NS,$NS-b', env: {EXTRA: 1}}";
        with("plain", script, operator, |operator, _| {
            start(operator, json!({}));
            wait_for_log(operator, "c a.example.com/v1 Thing ns,ns-b 1 run --metrics");
            wait_for_log(operator, "--reconcile-period=5s");
        });
    }

    #[test]
    fn what_only_a_watches_file_can_say_is_in_one() {
        let operator = "{chart: c, selector: {matchLabels: {a: b}}, override_values: {x: $X, on_top: true}}";
        let text = with("watches", "exec sleep 60", operator, |operator, folder| {
            start(operator, json!({"chart": "d"}));
            std::fs::read_to_string(folder.join("watches.yaml")).unwrap()
        });
        let watches: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(watches[0]["group"], "a.example.com");
        assert_eq!(watches[0]["chart"], "d");
        assert_eq!(watches[0]["overrideValues"], json!({"x": "$X", "on_top": "true"}));
        assert_eq!(watches[0]["selector"], json!({"matchLabels": {"a": "b"}}));
    }

    #[test]
    fn an_operator_may_end_in_order_or_be_killed() {
        let script = "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
        with("ends", script, "{}", |operator, _| {
            start(operator, json!({}));
            wait_for_log(operator, "ready");
            assert_eq!(operator.status(), None);
            operator.stop().unwrap();
            assert!(operator.log_end(2).contains("bye"));
            start(operator, json!({}));
            operator.kill();
            assert_eq!(operator.log_end(100).matches("bye").count(), 1);
        });
    }
}
