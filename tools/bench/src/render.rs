//! Rendering: whole processes against helm, and a compiled chart against helm's whole process.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use gostd::value::Frozen;
use helm::{Capabilities, Chart, CompiledChart, Release, RenderInput, RenderOptions, Still};

use crate::corpus::{self, Case, Corpus};
use crate::error::BenchError;
use crate::process::{Usage, measure};
use crate::stats::median;
use crate::{machine, section};

/// Flags of `bench render`.
#[derive(Args, Debug)]
pub(crate) struct RenderArgs {
    /// The reference corpus
    #[arg(long)]
    corpus: PathBuf,
    /// Folder to extract it into
    #[arg(long)]
    work: PathBuf,
    /// Real helm
    #[arg(long)]
    helm: PathBuf,
    /// chartwright, as it is shipped
    #[arg(long)]
    chartwright: PathBuf,
    /// How many of the heaviest charts are measured
    #[arg(long, default_value_t = 30)]
    charts: usize,
    /// How often each is measured
    #[arg(long, default_value_t = 10)]
    runs: usize,
    /// A document in which to replace the part between the markers of this measurement
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// What must be reached, as ratios to helm.
const MEDIAN_TIME: f64 = 0.15;
const WORST_TIME: f64 = 0.3;
const PEAK_MEMORY: f64 = 0.25;
const COMPILED_TIME: f64 = 1.0 / 30.0;

struct Row {
    id: String,
    helm: Usage,
    ours: Usage,
    compiled: Duration,
}

impl Row {
    fn time_ratio(&self) -> f64 {
        self.ours.wall.as_secs_f64() / self.helm.wall.as_secs_f64()
    }

    fn memory_ratio(&self) -> f64 {
        self.ours.peak_kib as f64 / self.helm.peak_kib.max(1) as f64
    }

    fn compiled_ratio(&self) -> f64 {
        self.compiled.as_secs_f64() / self.helm.wall.as_secs_f64()
    }
}

/// Measures and returns the report.
pub(crate) fn run(args: &RenderArgs) -> Result<String, BenchError> {
    let machine = machine::describe();
    let corpus = corpus::open(&args.corpus, &args.work)?;
    let rows = corpus
        .cases
        .iter()
        .take(args.charts)
        .map(|case| row(args, &corpus, case))
        .collect::<Result<Vec<_>, _>>()?;
    let small = small_chart(&corpus)?;
    let report = format!("{machine}. Medians of {} runs.\n\n{}", args.runs, report(&rows, small));
    if let Some(document) = &args.write {
        section::write(document, "rendering", &report)?;
    }
    Ok(report)
}

fn row(args: &RenderArgs, corpus: &Corpus, case: &Case) -> Result<Row, BenchError> {
    let command = |program: &PathBuf| {
        let mut command = vec![program.to_string_lossy().into_owned()];
        let words =
            ["template", "rel", &case.chart, "-n", "ns1", "--include-crds", "--kube-version", "v1.36.3"];
        command.extend(words.map(str::to_owned));
        command.extend(case.values.iter().flat_map(|values| ["-f".to_owned(), values.clone()]));
        command
    };
    let (theirs, ours) = (command(&args.helm), command(&args.chartwright));
    // Taking turns, so that whatever else the machine does meanwhile hits both alike; the first pair warms the caches.
    let mut helm_runs = Vec::new();
    let mut our_runs = Vec::new();
    for turn in 0..=args.runs {
        let pair = (measure(&corpus.dir, &theirs)?, measure(&corpus.dir, &ours)?);
        if turn > 0 {
            helm_runs.push(pair.0);
            our_runs.push(pair.1);
        }
    }
    let compiled = compiled(corpus, case, args.runs)?;
    Ok(Row { id: case.id.clone(), helm: middle(&helm_runs), ours: middle(&our_runs), compiled })
}

fn middle(runs: &[Usage]) -> Usage {
    Usage {
        wall: median(&runs.iter().map(|run| run.wall).collect::<Vec<_>>()),
        peak_kib: median(&runs.iter().map(|run| run.peak_kib).collect::<Vec<_>>()),
    }
}

/// Compiles a chart once and renders it again and again with changed values, as the operator does.
fn compiled(corpus: &Corpus, case: &Case, runs: usize) -> Result<Duration, BenchError> {
    let chart = CompiledChart::new(Chart::load_path(corpus.dir.join(&case.chart))?)?;
    let values = match &case.values {
        Some(path) => {
            let path = corpus.dir.join(path);
            let text = std::fs::read(&path)
                .map_err(|error| BenchError::Input { path: path.clone(), reason: error.to_string() })?;
            let options = helm::values::ValueOptions { files: vec!["values".into()], ..Default::default() };
            options.merge(&|_| Ok(text.clone()))?
        }
        None => Frozen::Map(Vec::new()),
    };
    let capabilities = Capabilities::default();
    let render = |values: &Frozen, skip_schema_validation: bool| {
        chart.render(&RenderInput {
            values,
            release: Release { name: "rel".into(), namespace: "ns1".into(), revision: 2, is_upgrade: true },
            capabilities: &capabilities,
            host: &Still,
            options: RenderOptions { skip_schema_validation, ..RenderOptions::default() },
        })
    };
    // A schema that allows no unknown keys leaves nothing that could be changed in every chart.
    let is_strict = matches!(render(&with_entry(&values, 0), false), Err(helm::Error::Schema { .. }));
    let mut times = Vec::new();
    for run in 0..=runs {
        let values = with_entry(&values, run);
        let start = Instant::now();
        let rendered = render(&values, is_strict)?;
        let time = start.elapsed();
        std::hint::black_box(rendered);
        if run > 0 {
            times.push(time);
        }
    }
    Ok(median(&times))
}

/// Changes the values a little, so that no run can reuse the last one's work.
fn with_entry(values: &Frozen, run: usize) -> Frozen {
    let mut entries = match values {
        Frozen::Map(entries) => entries.clone(),
        _ => Vec::new(),
    };
    let number = i64::try_from(run).unwrap_or_default();
    entries.push(("zzzBenchRun".into(), Frozen::Int64(number)));
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Frozen::Map(entries)
}

/// The median over the corpus's small charts: those with up to 8 KiB of output.
fn small_chart(corpus: &Corpus) -> Result<Duration, BenchError> {
    const SMALL: u64 = 8 * 1024;
    let small = corpus.cases.iter().filter(|case| case.weight <= SMALL && case.weight > 512).take(60);
    let times = small.map(|case| compiled(corpus, case, 10)).collect::<Result<Vec<_>, _>>()?;
    Ok(median(&times))
}

fn report(rows: &[Row], small: Duration) -> String {
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let mut text = String::from(
        "| chart | helm ms | chartwright ms | ratio | helm MiB | chartwright MiB | ratio | compiled ms | ratio |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {:.0} | {:.1} | {:.3} | {:.0} | {:.0} | {:.3} | {:.2} | 1/{:.0} |",
            row.id,
            millis(row.helm.wall),
            millis(row.ours.wall),
            row.time_ratio(),
            row.helm.peak_kib as f64 / 1024.0,
            row.ours.peak_kib as f64 / 1024.0,
            row.memory_ratio(),
            millis(row.compiled),
            1.0 / row.compiled_ratio(),
        );
    }
    let times: Vec<f64> = rows.iter().map(Row::time_ratio).collect();
    let memory: Vec<f64> = rows.iter().map(Row::memory_ratio).collect();
    let worst = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let heaviest = rows.first().map_or(0.0, Row::compiled_ratio);
    let _ = write!(
        text,
        "\n- whole process, time: median ratio {:.3} (at most {MEDIAN_TIME}), worst {:.3} (at most {WORST_TIME})\n\
         - whole process, peak memory: median ratio {:.3}, worst {:.3} (at most {PEAK_MEMORY})\n\
         - heaviest chart, compiled: ratio {:.4} (at most {COMPILED_TIME:.4})\n\
         - small charts, compiled: median {:.0} µs (at most 200)",
        median(&times),
        worst(&times),
        median(&memory),
        worst(&memory),
        heaviest,
        small.as_secs_f64() * 1e6,
    );
    text
}
