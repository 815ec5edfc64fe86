//! `chartwright check`: what can be known to be wrong before anything runs.

use clap::Args;
use gostd::value::Frozen;
use helm::{Capabilities, Chart, CompiledChart, Release, RenderInput, RenderOptions};

use super::served::ServedArgs;
use super::template::SystemHost;
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
    chart.check_templates(&RenderInput {
        values: &Frozen::Map(Vec::new()),
        release: Release {
            name: "check".into(),
            namespace: "default".into(),
            revision: 1,
            is_upgrade: false,
        },
        capabilities: &Capabilities::default(),
        host: &SystemHost,
        // A chart may well want values that it has no defaults for.
        options: RenderOptions { skip_schema_validation: true, ..RenderOptions::default() },
    })?;
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
