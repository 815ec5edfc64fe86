//! `chartwright docs`: a reference of a chart's values, from what its custom resource type is made of.

use std::path::Path;

use clap::Args;
use crdschema::{Api, Options, reference};

use super::kinds::{ChartArgs, Kinds, USUAL};
use super::{CliError, print};
use crate::charts;

/// Flags of `chartwright docs`.
#[derive(Args, Debug)]
pub(crate) struct DocsArgs {
    #[command(flatten)]
    of: ChartArgs,
}

/// Prints the references, one after the other. The kind is only named: a chart alone will do.
pub(crate) fn run(args: &DocsArgs) -> Result<(), CliError> {
    if let Kinds::One(served) = args.of.kinds(Path::new(USUAL)) {
        args.of.hint_unused();
        let replicas = served.shape.to_shape()?.replicas;
        let kind = served.kind.as_deref().filter(|kind| !kind.is_empty());
        return print(of_chart(&served.chart_path()?, replicas, kind)?);
    }
    let watches = args.of.hinted()?.into_iter();
    let texts = watches.map(|watch| of_chart(&watch.chart, watch.shape.replicas, Some(&watch.names.kind)));
    print(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

fn of_chart(path: &Path, replicas: Option<String>, kind: Option<&str>) -> Result<String, CliError> {
    let chart = charts::newest(path)?;
    // A reference may be as long as it must.
    let options = Options { replicas, budget: usize::MAX, ..Options::default() };
    let api = Api::of(&chart, &options);
    let metadata = &chart.metadata;
    let title = format!("Values of {}", kind.unwrap_or(&metadata.name));
    let mut about = String::new();
    if !metadata.description.is_empty() {
        about.push_str(&format!("{}\n\n", metadata.description.trim()));
    }
    about.push_str(&format!(
        "What can be set under `spec`, as in the values of the chart {} {}. What is left out has the default; null takes \
         a default away.",
        metadata.name, metadata.version
    ));
    Ok(reference(&api, &title, &about))
}
