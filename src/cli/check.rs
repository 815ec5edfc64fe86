//! `chartwright check`: what can be known to be wrong before anything runs.

use clap::Args;
use helm::{Chart, CompiledChart};

use super::served::ServedArgs;
use super::{CliError, print};

/// Flags of `chartwright check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    served: ServedArgs,
}

/// Loads the chart, reads its schemas, parses its templates, and checks the names of the kind it becomes.
pub(crate) fn run(args: &CheckArgs) -> Result<(), CliError> {
    let watch = args.served.to_watch()?;
    let chart = CompiledChart::new(Chart::load_path(&watch.chart)?)?;
    chart.check_schemas()?;
    chart.check_templates()?;
    let metadata = &chart.chart().metadata;
    print(format!(
        "chart {}-{} becomes {} {} ({})\n",
        metadata.name,
        metadata.version,
        watch.api_version,
        watch.names.kind,
        watch.crd_name()
    ))
}
