//! `chartwright check`: what can be known to be wrong before anything runs.

use std::path::{Path, PathBuf};

use clap::Args;
use helm::CompiledChart;

use super::run::find_watches;
use super::served::ChartArgs;
use super::{CliError, hint, print};
use crate::annotations::CHART_VERSION;
use crate::charts;

/// Flags of `chartwright check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    of: ChartArgs,
    /// A file that lists kinds and charts, in place of --chart, --api-version and --kind
    #[arg(long, env = "HELM_CHART_WATCHES", value_name = "FILE")]
    watches_file: Option<PathBuf>,
}

/// Loads the charts, reads their schemas, parses their templates, and checks the names of the kinds they become.
pub(crate) fn run(args: &CheckArgs) -> Result<(), CliError> {
    let file = args.watches_file.as_deref();
    let mut told = String::new();
    // Nothing is found without being named: a check of nothing must not pass.
    for watch in find_watches(file, &args.of.served(), Path::new(""), |unused| hint(&unused))? {
        for (index, chart) in charts::open(&watch.chart)?.into_iter().enumerate() {
            let chart = CompiledChart::new(chart)?;
            chart.check_schemas()?;
            chart.check_templates()?;
            if index == 0 {
                // Its type: the newest version gives it.
                crate::crd::api(&watch, chart.chart())?;
            }
            let metadata = &chart.chart().metadata;
            let pin = match index {
                0 => String::new(),
                _ => format!(", for resources with the annotation {CHART_VERSION}: {}", metadata.version),
            };
            told.push_str(&format!(
                "chart {}-{} becomes {} {} ({}){pin}\n",
                metadata.name,
                metadata.version,
                watch.api_version,
                watch.names.kind,
                watch.crd_name()
            ));
        }
    }
    print(told)
}
