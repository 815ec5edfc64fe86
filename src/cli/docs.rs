//! `chartwright docs`: a reference of a chart's values, from what its custom resource type is made of.

use clap::Args;
use crdschema::{Api, Options, reference};

use super::served::ChartArgs;
use super::{CliError, print};
use crate::charts;

/// Flags of `chartwright docs`.
#[derive(Args, Debug)]
pub(crate) struct DocsArgs {
    #[command(flatten)]
    of: ChartArgs,
}

/// Prints the reference. The kind is only named: a chart alone will do.
pub(crate) fn run(args: &DocsArgs) -> Result<(), CliError> {
    let served = args.of.served();
    let chart = charts::newest(&served.chart_path()?)?;
    let shape = served.shape.to_shape()?;
    // A reference may be as long as it must.
    let options = Options { replicas: shape.replicas, budget: usize::MAX, ..Options::default() };
    let api = Api::of(&chart, &options);
    let metadata = &chart.metadata;
    let kind = served.kind.as_deref().filter(|kind| !kind.is_empty());
    let title = match kind {
        Some(kind) => format!("Values of {kind}"),
        None => format!("Values of {}", metadata.name),
    };
    let mut about = String::new();
    if !metadata.description.is_empty() {
        about.push_str(&format!("{}\n\n", metadata.description.trim()));
    }
    about.push_str(&format!(
        "What can be set under `spec`, as in the values of the chart {} {}. What is left out has the default; null takes \
         a default away.",
        metadata.name, metadata.version
    ));
    print(reference(&api, &title, &about))
}
