//! `chartwright check`: what can be known to be wrong before anything runs.

use clap::Args;
use helm::CompiledChart;

use super::served::ServedArgs;
use super::{CliError, print};
use crate::annotations::CHART_VERSION;
use crate::charts;

/// Flags of `chartwright check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    served: ServedArgs,
}

/// Loads the chart, reads its schemas, parses its templates, and checks the names of the kind it becomes.
pub(crate) fn run(args: &CheckArgs) -> Result<(), CliError> {
    let watch = args.served.to_watch()?;
    let mut told = String::new();
    for chart in charts::open(&watch.chart)? {
        let chart = CompiledChart::new(chart)?;
        chart.check_schemas()?;
        chart.check_templates()?;
        let metadata = &chart.chart().metadata;
        let pin = match told.is_empty() {
            true => String::new(),
            false => format!(", for resources with the annotation {CHART_VERSION}: {}", metadata.version),
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
    print(told)
}
