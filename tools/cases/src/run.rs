//! Runs one case.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use devcluster::{Assets, Cluster, Options, Part};

use crate::args::Args;
use crate::case::{Case, Plan};
use crate::error::Error;
use crate::expand::Variables;
use crate::folder;
use crate::operator::{Operator, Place};
use crate::report::Failure;
use crate::shell::{self, Ran};
use crate::step::{Changes, OperatorStep, Step, Want};

/// How long an operator may take until its kind is served.
const SERVED: Duration = Duration::from_secs(90);
/// How long any one command may take.
const LONGEST: Duration = Duration::from_secs(600);
/// How often a check is tried.
const EVERY: Duration = Duration::from_millis(300);
/// How often what must not change is looked at.
const HOLD_EVERY: Duration = Duration::from_millis(700);
/// How much of an operator's log a failure shows.
const LOG_LINES: usize = 15;

const CLEAN_UP: &str = include_str!("clean-up.sh");

/// What all cases use: a cluster and an operator's program.
pub(crate) struct Bench {
    cluster: Cluster,
    programs: Vec<PathBuf>,
    operator: PathBuf,
    logs: PathBuf,
    work: PathBuf,
    count: AtomicUsize,
}

impl Bench {
    /// Starts a cluster.
    pub(crate) fn start(args: &Args) -> Result<Bench, Error> {
        let operator = match &args.operator {
            Some(path) => path.clone(),
            None => std::env::current_exe()
                .map_err(Error::io("find", Path::new("this program")))?
                .with_file_name("chartwright"),
        };
        let operator = std::path::absolute(&operator).map_err(Error::io("find", &operator))?;
        if !operator.is_file() {
            return Err(Error::NoOperator(operator));
        }
        std::fs::create_dir_all(&args.logs).map_err(Error::io("make", &args.logs))?;
        let logs = std::path::absolute(&args.logs).map_err(Error::io("find", &args.logs))?;
        let programs = Assets::locate_or_build(&[Part::Kubectl, Part::Helm3])?.directories();
        let cluster = Cluster::start(Options::from_env())?;
        let work = cluster.state_directory().join("cases");
        Ok(Bench { cluster, programs, operator, logs, work, count: AtomicUsize::new(0) })
    }

    /// Runs a case, and cleans up after it.
    ///
    /// # Errors
    /// With what went wrong.
    pub(crate) fn run(&self, case: &Case) -> Result<(), Failure> {
        let plan = case.plan.as_ref().map_err(Failure::new)?;
        self.cluster.check().map_err(failed)?;
        let mut session = Session::new(self, case, plan).map_err(failed)?;
        let result = session.perform();
        let result = result.map_err(|failure| session.explain(failure));
        let cleaned = session.clean_up();
        result.and(cleaned)
    }

    /// Points a command at the cluster, with kubectl and helm on its path.
    fn equip(&self, command: &mut Command) {
        // Helm's own command knows all that isolates it from the user's settings.
        if let Ok(helm) = self.cluster.helm3() {
            for (name, value) in helm.get_envs() {
                match value {
                    Some(value) => command.env(name, value),
                    None => command.env_remove(name),
                };
            }
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = self.programs.iter().cloned().chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(all) {
            command.env("PATH", path);
        }
    }
}

fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::new(error.to_string())
}

/// A case on its way.
struct Session<'b> {
    bench: &'b Bench,
    plan: &'b Plan,
    operator: Operator<'b>,
    variables: Variables,
    namespace: String,
    /// The copy of the case's folder.
    folder: PathBuf,
    scratch: PathBuf,
}

impl<'b> Session<'b> {
    fn new(bench: &'b Bench, case: &Case, plan: &'b Plan) -> Result<Self, Error> {
        let number = bench.count.fetch_add(1, Ordering::Relaxed);
        // Short enough for names that are made of it, and new even in a cluster that is used again.
        let id: String =
            case.id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(24).collect();
        let namespace =
            format!("{}-{}-{number}", id.to_ascii_lowercase().trim_matches('-'), std::process::id());
        let scratch = bench.work.join(&namespace);
        let folder = scratch.join("case");
        folder::copy(&case.folder, &folder)?;
        let log = bench.logs.join(format!("{}.log", case.id.replace('/', "_")));
        std::fs::write(&log, "").map_err(Error::io("write", &log))?;
        let place = Place {
            program: bench.operator.clone(),
            folder: folder.clone(),
            watches: scratch.join("watches.yaml"),
            log,
        };
        let mut variables = Variables::default();
        variables.set("NS", &namespace);
        let operator = Operator::new(plan, place);
        Ok(Self { bench, plan, operator, variables, namespace, folder, scratch })
    }

    fn perform(&mut self) -> Result<(), Failure> {
        let made = self.bash("kubectl create namespace \"$NS\"", LONGEST)?;
        if !made.succeeded() {
            return Err(Failure::new("the namespace cannot be made").with("complaint", made.complaints));
        }
        self.start(&Changes::default())?;
        self.wait_until_served()?;
        for (index, step) in self.plan.steps.iter().enumerate() {
            let result = self.step(step);
            result.map_err(|failure| Failure {
                what: format!("step {} of {}: {}", index + 1, self.plan.steps.len(), failure.what),
                ..failure
            })?;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), Failure> {
        match step {
            Step::Run { command } => {
                let ran = self.bash(command, LONGEST)?;
                if ran.succeeded() {
                    Ok(())
                } else {
                    Err(describe("run did not exit 0", command, None, &ran))
                }
            }
            Step::Check { command, want, within } => {
                self.check(command, &want.with(&self.variables), *within)
            }
            Step::Hold { command, want, time } => {
                let want = want.as_ref().map(|want| want.with(&self.variables));
                self.hold(command, want, *time)
            }
            Step::Save { command, variable } => {
                let ran = self.bash(command, LONGEST)?;
                if !ran.succeeded() && ran.output.is_empty() {
                    return Err(describe("there is nothing to save", command, None, &ran));
                }
                self.variables.set(variable, &ran.output);
                Ok(())
            }
            Step::Wait { time } => {
                thread::sleep(*time);
                Ok(())
            }
            Step::Operator(action) => self.operate(action),
            Step::Control(control) => control.apply(&self.bench.cluster).map_err(failed),
        }
    }

    /// Tries until the output is as wanted: to the end of the time, and at least twice however slow the machine is.
    fn check(&mut self, command: &str, want: &Want, within: Duration) -> Result<(), Failure> {
        let deadline = Instant::now() + within;
        let mut attempts = 0;
        loop {
            let ran = self.bash(command, LONGEST)?;
            attempts += 1;
            if want.accepts(&ran.output, ran.succeeded()) && !ran.was_unheard() {
                return Ok(());
            }
            if Instant::now() > deadline && attempts > 1 {
                let what = format!("check did not come true within {within:?} ({attempts} attempts)");
                return Err(describe(&what, command, Some(want), &ran));
            }
            thread::sleep(EVERY);
        }
    }

    /// Looks on for a while; what was not heard does not count.
    fn hold(&mut self, command: &str, want: Option<Want>, time: Duration) -> Result<(), Failure> {
        let started = Instant::now();
        let mut want = want;
        loop {
            let ran = self.bash(command, LONGEST)?;
            if !ran.was_unheard() {
                let wanted = want.get_or_insert_with(|| Want::Text(ran.output.clone()));
                if !wanted.accepts(&ran.output, ran.succeeded()) {
                    let what = format!("hold was broken after {:.1?} of {time:?}", started.elapsed());
                    return Err(describe(&what, command, Some(wanted), &ran));
                }
            }
            if started.elapsed() > time {
                return Ok(());
            }
            thread::sleep(HOLD_EVERY);
        }
    }

    fn operate(&mut self, action: &OperatorStep) -> Result<(), Failure> {
        match action {
            OperatorStep::Start(changes) => self.start(changes),
            OperatorStep::Stop => self.operator.stop().map_err(Failure::new),
            OperatorStep::Kill => {
                self.operator.kill();
                Ok(())
            }
            OperatorStep::Restart(changes) => {
                self.operator.stop().map_err(Failure::new)?;
                self.start(changes)
            }
        }
    }

    fn start(&mut self, changes: &Changes) -> Result<(), Failure> {
        let bench = self.bench;
        let started = self.operator.start(changes, &self.variables, &|command| bench.equip(command));
        started.map_err(Failure::new)
    }

    /// Steps make resources of the kind at once: whoever sees to its definition, it has to be there.
    fn wait_until_served(&mut self) -> Result<(), Failure> {
        let (kind, group) = (self.plan.kind.to_ascii_lowercase(), self.plan.group());
        let command = format!("kubectl -n \"$NS\" get {kind}.{}.{group} -o name", self.plan.version());
        let deadline = Instant::now() + SERVED;
        loop {
            let ran = self.bash(&command, LONGEST)?;
            if ran.succeeded() {
                return Ok(());
            }
            if let Some(status) = self.operator.status() {
                return Err(Failure::new(format!("the operator ended at its start ({status})")));
            }
            if Instant::now() > deadline {
                let what = format!("the operator's kind is not served after {SERVED:?}");
                return Err(describe(&what, &command, None, &ran));
            }
            thread::sleep(EVERY);
        }
    }

    fn bash(&self, script: &str, limit: Duration) -> Result<Ran, Failure> {
        let mut command = Command::new("bash");
        command.args(["-c", script]).current_dir(&self.folder);
        self.bench.equip(&mut command);
        command.envs(self.variables.iter());
        let run: io::Result<Ran> = shell::run(&mut command, &self.scratch, limit);
        run.map_err(|error| Failure::new(format!("bash cannot be run: {error}")).with("command", script))
    }

    /// Adds what the operator has to say.
    fn explain(&mut self, failure: Failure) -> Failure {
        let mut failure = failure;
        if let Some(status) = self.operator.status() {
            failure = failure.with("note", format!("the operator has ended by itself ({status})"));
        }
        let heading = format!("the end of the operator's log ({})", self.operator.log().display());
        failure.with(heading, self.operator.log_end(LOG_LINES))
    }

    /// Ends the operator and takes away what the case made.
    fn clean_up(&mut self) -> Result<(), Failure> {
        let stopped = self.operator.stop().map_err(Failure::new);
        self.operator.kill();
        self.variables.set("KIND", &self.plan.kind);
        self.variables.set("GROUP", self.plan.group());
        let ran = self.bash(CLEAN_UP, Duration::from_secs(120))?;
        if !ran.succeeded() {
            let failure = Failure::new(format!("the clean-up of {} failed", self.namespace));
            return Err(failure.with("output", ran.output).with("complaint", ran.complaints));
        }
        stopped
    }
}

fn describe(what: &str, command: &str, want: Option<&Want>, ran: &Ran) -> Failure {
    let mut failure = Failure::new(what).with("command", command);
    if let Some(want) = want {
        failure = failure.with("wanted", want.to_string());
    }
    failure = failure.with("saw", ran.output.clone());
    if !ran.complaints.is_empty() {
        failure = failure.with("complaint", ran.complaints.clone());
    }
    match (ran.too_slow, ran.code) {
        (true, _) => failure.with("note", "it was ended because it took too long"),
        (false, Some(0)) => failure,
        (false, Some(code)) => failure.with("exit status", code.to_string()),
        (false, None) => failure.with("note", "a signal ended it"),
    }
}
