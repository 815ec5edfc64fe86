//! Operators against a floor: the same custom resources on the same control plane.

mod audit;
mod client;
mod contestant;
mod floor;
mod http;
mod objects;
mod report;
mod session;
mod told;
mod usage;
mod world;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use kube::api::ApiResource;

use crate::error::BenchError;
use crate::{machine, progress};
use contestant::{Contestant, Setup};
use floor::Floor;
use objects::Starter;
use session::{Plan, Session};
use world::World;

/// Flags of `bench operator`.
#[derive(Args, Debug)]
pub(crate) struct OperatorArgs {
    /// chartwright, as it is shipped
    #[arg(long, value_name = "FILE")]
    chartwright: PathBuf,
    /// Another operator to measure in the same run: a helm-operator, or what has its command line
    #[arg(long, value_name = "FILE")]
    operator: Option<PathBuf>,
    /// The chart that the resources are releases of
    #[arg(long, value_name = "DIR", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/charts/starter"))]
    chart: PathBuf,
    /// How many resources are made at once, each number in a measurement of its own
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,10,50,100,1000")]
    sizes: Vec<usize>,
    /// Those numbers at which rest, changes, restarts and passes without work are measured too
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "50,1000")]
    details: Vec<usize>,
    /// The numbers for the other operator
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "50")]
    operator_sizes: Vec<usize>,
    /// How often each number of resources is made, each time with the floor before it; medians are told [default: 3, and
    /// 11 for up to 100 resources, whose single rounds scatter]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// How many resources an operator works on at a time, and how many releases the floor
    #[arg(long, value_name = "N", default_value_t = 4)]
    concurrency: u16,
    /// For how many seconds a settled operator is looked at
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    rest: u64,
    /// Run Kubernetes' own controllers and simulated nodes too: objects then come to life, at the cost of the same machine
    #[arg(long)]
    controllers: bool,
    /// A document in which to replace the part between the markers of this measurement
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

impl OperatorArgs {
    /// How often a number of resources is made. What takes parts of a second is measured more often: within a round each
    /// pause of the servers for memory or disk counts.
    fn rounds(&self, count: usize) -> usize {
        self.rounds.unwrap_or(if count <= 100 { 11 } else { 3 }).max(1)
    }
}

/// All measurements of one number of resources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    pub(crate) floors: Vec<Floor>,
    pub(crate) sessions: Vec<Session>,
}

/// All measurements of one operator, by number of resources.
#[derive(Clone, Debug)]
pub(crate) struct Results {
    pub(crate) contestant: Contestant,
    /// The binary's bytes, and those of it compressed.
    pub(crate) size: (u64, u64),
    pub(crate) by_size: BTreeMap<usize, Rounds>,
}

/// Measures and returns the report.
pub(crate) fn run(args: &OperatorArgs) -> Result<String, BenchError> {
    let chart = std::path::absolute(&args.chart).map_err(BenchError::input(&args.chart))?;
    let bench = Bench { starter: Starter::load(&chart)?, machine: machine::describe(), chart, args };
    let users = [floor::USER, Contestant::Chartwright.user(), Contestant::HelmOperator.user()];
    let mut world = World::start(&users, args.controllers)?;
    let ours = bench.measure(&mut world, Contestant::Chartwright, &args.chartwright, &args.sizes)?;
    // It comes second, for it takes the CRD for granted.
    let theirs = match &args.operator {
        Some(binary) => {
            Some(bench.measure(&mut world, Contestant::HelmOperator, binary, &args.operator_sizes)?)
        }
        None => None,
    };
    let report = report::report(args, &bench.machine, &ours, theirs.as_ref());
    if let Some(document) = &args.write {
        crate::section::write(document, "operator", &report)?;
    }
    Ok(report)
}

struct Bench<'a> {
    args: &'a OperatorArgs,
    chart: PathBuf,
    starter: Starter,
    machine: String,
}

impl Bench<'_> {
    fn measure(
        &self,
        world: &mut World,
        contestant: Contestant,
        binary: &Path,
        sizes: &[usize],
    ) -> Result<Results, BenchError> {
        let binary = std::path::absolute(binary).map_err(BenchError::input(binary))?;
        let size = session::sizes(&binary)?;
        let directory = world.cluster.state_directory().join("logs");
        let setup = Setup {
            contestant,
            binary,
            chart: self.chart.clone(),
            kubeconfig: world.kubeconfig(contestant.user())?,
            directory,
            concurrency: self.args.concurrency,
        };
        let mut by_size: BTreeMap<usize, Rounds> = BTreeMap::new();
        for count in sizes {
            for round in 0..self.args.rounds(*count) {
                progress(&format!("{}: {count} resources, round {}", contestant.name(), round + 1));
                let (floor, session) = self.round(world, &setup, *count, round)?;
                progress(&report::line(&floor, &session));
                let rounds = by_size.entry(*count).or_default();
                rounds.floors.push(floor);
                rounds.sessions.push(session);
            }
        }
        Ok(Results { contestant, size, by_size })
    }

    /// The floor, and then the operator with as many resources.
    fn round(
        &self,
        world: &mut World,
        setup: &Setup,
        count: usize,
        round: usize,
    ) -> Result<(Floor, Session), BenchError> {
        let names: Vec<String> = (0..count).map(|number| format!("starter-{number}")).collect();
        let objects = self.starter.objects("starter", "none")?;
        let kinds: Vec<ApiResource> = objects.iter().map(objects::kind_of).collect();

        let place = format!("{}-{count}-{round}", setup.contestant.name());
        let namespace = format!("floor-{place}");
        let uid = world.make_namespace(&namespace)?;
        let there = (&*namespace, &*uid);
        let floor = floor::measure(world, &self.starter, there, &names, self.args.concurrency.into())?;
        world.delete_objects(&namespace, &kinds)?;
        world.await_no_pods(&namespace, Duration::from_secs(600))?;
        sleep(Duration::from_secs(2));

        world.make_namespace(&place)?;
        let first = round == 0 && self.args.details.contains(&count);
        let plan = Plan {
            settled: first.then(|| Duration::from_secs(self.args.rest)),
            // A helm-operator has no passes without work, and writes at every start.
            restart: first && setup.contestant == Contestant::Chartwright,
        };
        let session = session::run(world, setup, &place, &names, &kinds, plan)?;
        sleep(Duration::from_secs(2));
        Ok((floor, session))
    }
}
