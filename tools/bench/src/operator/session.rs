//! One operator with so many resources, from its start to its end: every figure there is of it.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use kube::api::ApiResource;

use super::audit::Requests;
use super::contestant::{Running, Setup};
use super::usage::Memory;
use super::world::{World, core};
use crate::error::BenchError;
use crate::stats::median;

/// An operator that has asked for nothing for so long has settled.
const QUIET: Duration = Duration::from_secs(3);
/// Some never do.
const QUIET_AT_MOST: Duration = Duration::from_secs(60);
/// How long a step may take at most, for each resource, and besides.
const PATIENCE_EACH: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(120);
/// How often one resource is changed.
const CHANGES: i64 = 20;
/// In the measurement of passes without work: how often each resource has one, and for how long.
const PASS_PERIOD: Duration = Duration::from_secs(1);
const PASS_TIME: Duration = Duration::from_secs(20);

/// What else is measured once the resources are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Everything that needs settled resources; `None` for nothing.
    pub(crate) settled: Option<Duration>,
    /// A restart, and passes without work.
    pub(crate) restart: bool,
}

/// From so many resources made to all applied, recorded and reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Creation {
    pub(crate) wall: Duration,
    /// Until it had settled, events and all.
    pub(crate) cpu: Duration,
    pub(crate) servers: Duration,
    pub(crate) requests: Requests,
    /// Before any resource was there.
    pub(crate) empty: Memory,
    /// Once settled.
    pub(crate) full: Memory,
}

/// A while in which nothing happens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Idle {
    pub(crate) time: Duration,
    pub(crate) cpu: Duration,
    pub(crate) requests: Requests,
    /// Passes made, and how long one took on the average, if the operator tells.
    pub(crate) passes: Option<(f64, Duration)>,
    pub(crate) memory: Memory,
}

/// Changes of one resource.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Until the objects had them.
    pub(crate) applied: Duration,
    /// Until the status said so.
    pub(crate) reported: Option<Duration>,
    /// Requests for one.
    pub(crate) requests: f64,
}

/// A start with settled resources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Restart {
    /// Until the readiness probe succeeded.
    pub(crate) ready: Duration,
    /// Until the API server had received the last request to watch something.
    pub(crate) watching: Duration,
    pub(crate) cpu: Duration,
    pub(crate) requests: Requests,
    /// What was written, by verb and resource.
    pub(crate) writes: Vec<String>,
    pub(crate) memory: Memory,
}

/// Everything of one session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    pub(crate) creation: Creation,
    pub(crate) idle: Option<Idle>,
    pub(crate) changes: Option<Changes>,
    pub(crate) restart: Option<Restart>,
    /// Passes without work, by CPU time; the number of passes made.
    pub(crate) passes: Option<(Idle, f64)>,
}

/// A session under way.
struct Stage<'a> {
    world: &'a mut World,
    setup: &'a Setup,
    namespace: &'a str,
    names: &'a [String],
}

/// Runs a session. `kinds` are the kinds of the chart's objects, one object of each for a resource.
pub(crate) fn run(
    world: &mut World,
    setup: &Setup,
    namespace: &str,
    names: &[String],
    kinds: &[ApiResource],
    plan: Plan,
) -> Result<Session, BenchError> {
    let mut stage = Stage { world, setup, namespace, names };
    let mut session = Session::default();
    let mut running = setup.start(None)?;
    stage.settle(running.since)?;
    session.creation = stage.create(&running)?;
    stage.verify(kinds)?;
    if let Some(time) = plan.settled {
        session.idle = Some(stage.idle(&running, time)?);
        session.changes = Some(stage.change()?);
    }
    if plan.restart {
        stage.settle(Timestamp::now())?;
        running.stop()?;
        sleep(Duration::from_secs(1));
        running = setup.start(None)?;
        session.restart = Some(stage.started(&running)?);
        running.stop()?;
        running = setup.start(Some(PASS_PERIOD))?;
        stage.settle(running.since)?;
        let idle = stage.idle(&running, PASS_TIME)?;
        let asked_for = names.len() as f64 * PASS_TIME.as_secs_f64() / PASS_PERIOD.as_secs_f64();
        let passes = idle.passes.map_or(asked_for, |(passes, _)| passes);
        session.passes = Some((idle, passes));
    }
    stage.clean_up(kinds)?;
    running.stop()?;
    Ok(session)
}

impl Stage<'_> {
    fn user(&self) -> &'static str {
        self.setup.contestant.user()
    }

    fn patience(&self) -> Duration {
        PATIENCE + PATIENCE_EACH * u32::try_from(self.names.len()).unwrap_or(u32::MAX)
    }

    /// What the operator has asked for since a time.
    fn requests(&mut self, since: Timestamp) -> Result<Requests, BenchError> {
        let user = self.user();
        Ok(Requests::count(self.world.log()?.of(user, since)))
    }

    /// Waits until the operator asks for nothing any more; gives up on those that never rest.
    fn settle(&mut self, since: Timestamp) -> Result<(), BenchError> {
        let user = self.user();
        let began = Instant::now();
        let mut last = (0, Instant::now());
        while last.1.elapsed() < QUIET && began.elapsed() < QUIET_AT_MOST {
            sleep(Duration::from_millis(200));
            let count = self.world.log()?.of(user, since).filter(|entry| !entry.is_upkeep()).count();
            if count != last.0 {
                last = (count, Instant::now());
            }
        }
        Ok(())
    }

    fn create(&mut self, running: &Running) -> Result<Creation, BenchError> {
        let empty = running.memory()?;
        let (cpu, servers) = (running.cpu()?, self.world.servers_cpu()?);
        let since = Timestamp::now();
        let wall = self.world.make_and_await(self.namespace, self.names, self.patience())?;
        let servers = self.world.servers_cpu()?.saturating_sub(servers);
        self.settle(since)?;
        Ok(Creation {
            wall,
            cpu: running.cpu()?.saturating_sub(cpu),
            servers,
            requests: self.requests(since)?,
            empty,
            full: running.memory()?,
        })
    }

    /// Makes sure that everything was done that the figures are for.
    fn verify(&self, kinds: &[ApiResource]) -> Result<(), BenchError> {
        let labelled = kinds.iter().map(|kind| (kind.clone(), "app.kubernetes.io/managed-by=Helm"));
        let records = (core("Secret"), "owner=helm,status=deployed");
        for (kind, labels) in labelled.chain([records]) {
            let there = self.world.count(self.namespace, &kind, labels)?;
            if there != self.names.len() {
                let what = format!("there are {there} {} for {} resources", kind.plural, self.names.len());
                return Err(BenchError::Undone { who: self.setup.contestant.name(), what });
            }
        }
        Ok(())
    }

    fn idle(&mut self, running: &Running, time: Duration) -> Result<Idle, BenchError> {
        let (cpu, passes, since) = (running.cpu()?, running.passes(), Timestamp::now());
        sleep(time);
        let used = running.cpu()?.saturating_sub(cpu);
        let passes = running.passes().zip(passes).map(|((count, sum), (count_before, sum_before))| {
            let made = count - count_before;
            (made, Duration::try_from_secs_f64((sum - sum_before) / made.max(1.0)).unwrap_or_default())
        });
        Ok(Idle { time, cpu: used, requests: self.requests(since)?, passes, memory: running.memory()? })
    }

    /// Changes one resource again and again, with pauses in which everything comes to rest.
    fn change(&mut self) -> Result<Changes, BenchError> {
        let Some(name) = self.names.first() else { return Ok(Changes::default()) };
        let since = Timestamp::now();
        let (mut applied, mut reported) = (Vec::new(), Vec::new());
        for turn in 0..CHANGES {
            sleep(Duration::from_millis(700));
            let times = self.world.change_and_await(self.namespace, name, 2 - turn % 2, PATIENCE)?;
            applied.push(times.0);
            reported.extend(times.1);
        }
        self.settle(Timestamp::now())?;
        Ok(Changes {
            applied: median(&applied),
            reported: (!reported.is_empty()).then(|| median(&reported)),
            requests: self.requests(since)?.total() as f64 / CHANGES as f64,
        })
    }

    /// Looks at an operator that was started just now.
    fn started(&mut self, running: &Running) -> Result<Restart, BenchError> {
        self.settle(running.since)?;
        let user = self.user();
        let log = self.world.log()?;
        let entries = || log.of(user, running.since);
        let last = entries().filter(|entry| entry.verb == "watch").map(|entry| entry.received).max();
        let watching = last.map(|last| last.duration_since(running.since));
        let writes = Requests::count(entries().filter(|entry| entry.is_write()));
        Ok(Restart {
            ready: running.ready,
            watching: watching.and_then(|time| Duration::try_from(time).ok()).unwrap_or_default(),
            cpu: running.cpu()?,
            requests: Requests::count(entries()),
            writes: writes
                .sorts()
                .iter()
                .map(|(verb, what, tally)| format!("{verb} {what} {}", tally.count))
                .collect(),
            memory: running.memory()?,
        })
    }

    /// Leaves nothing behind that the next session would carry along.
    fn clean_up(&self, kinds: &[ApiResource]) -> Result<(), BenchError> {
        self.world.delete_resources(self.namespace, self.patience())?;
        let events = ApiResource::from_gvk(&kube::api::GroupVersionKind::gvk("events.k8s.io", "v1", "Event"));
        let others = [core("Secret"), events];
        self.world.delete_objects(self.namespace, &[kinds, &others].concat())?;
        self.world.await_no_pods(self.namespace, self.patience())
    }
}

/// The bytes of a file, and of it compressed as an image's layer is.
pub(crate) fn sizes(binary: &Path) -> Result<(u64, u64), BenchError> {
    use std::io::Write as _;
    let bytes = std::fs::read(binary).map_err(BenchError::input(binary))?;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&bytes).map_err(BenchError::input(binary))?;
    let packed = packed.finish().map_err(BenchError::input(binary))?;
    Ok((bytes.len() as u64, packed.len() as u64))
}
