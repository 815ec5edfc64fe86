//! `chartwright check`: what can be known to be wrong before anything runs.

use std::path::Path;

use clap::Args;
use helm::CompiledChart;

use super::kinds::{ChartArgs, Kinds, USUAL, listed};
use super::{CliError, hint, print};
use crate::annotations::CHART_VERSION;
use crate::charts;
use crate::settings::Watch;

/// Flags of `chartwright check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    of: ChartArgs,
}

/// Loads the charts, reads their schemas, parses their templates, and checks the names of the kinds they become. Of a file
/// all that is wrong is told, not the first only.
pub(crate) fn run(args: &CheckArgs) -> Result<(), CliError> {
    args.of.hint_unused();
    let file = match args.of.kinds(Path::new(USUAL)) {
        Kinds::One(served) => return print(check(&served.to_watch()?)?),
        Kinds::Listed(file) => file,
    };
    let listed = listed(file, &hint)?;
    let mut faults = listed.faults;
    let mut told = String::new();
    for entry in &listed.entries {
        match check(&entry.watch) {
            Ok(text) => told.push_str(&text),
            Err(CliError::Helm(error)) => {
                faults.push(format!("{}: chart {}: {error}", entry.place, entry.watch.chart.display()));
            }
            Err(error) => faults.push(format!("{}: {error}", entry.place)),
        }
    }
    if faults.is_empty() {
        return print(told);
    }
    Err(CliError::Usage(format!(
        "the watches file {} cannot be used:\n  {}",
        file.display(),
        faults.join("\n  ")
    )))
}

/// Says what a chart becomes.
fn check(watch: &Watch) -> Result<String, CliError> {
    let mut told = String::new();
    for (index, chart) in charts::open(&watch.chart)?.into_iter().enumerate() {
        let chart = CompiledChart::new(chart)?;
        chart.check_schemas()?;
        chart.check_templates()?;
        if index == 0 {
            // Its type: the newest version gives it.
            crate::crd::api(watch, chart.chart())?;
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
    Ok(told)
}
