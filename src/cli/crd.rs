//! `chartwright crd`: the resource type a chart becomes.

use clap::Args;
use helm::Chart;

use super::served::ServedArgs;
use super::{CliError, print};
use crate::convert::json_to_yaml;

/// Flags of `chartwright crd`.
#[derive(Args, Debug)]
pub(crate) struct CrdArgs {
    #[command(flatten)]
    served: ServedArgs,
}

/// Prints the CustomResourceDefinition.
pub(crate) fn run(args: &CrdArgs) -> Result<(), CliError> {
    let watch = args.served.to_watch()?;
    // A chart that does not load must not get a type that nothing can serve.
    Chart::load_path(&watch.chart)?;
    print(format!("{}\n", json_to_yaml(&crate::crd::definition(&watch))))
}
