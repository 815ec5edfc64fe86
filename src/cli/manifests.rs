//! `chartwright manifests`: the files that install an operator.

use std::path::PathBuf;

use clap::Args;
use gostd::value::Frozen;
use helm::{Capabilities, CompiledChart, Release, RenderInput, RenderOptions};
use serde_json::Value;

use super::served::ServedArgs;
use super::template::SystemHost;
use super::values::ValuesArgs;
use super::{CliError, print};
use crate::charts;
use crate::convert::{to_json, yaml_to_json};
use crate::manifests::{self, Deployment, Permissions};

/// Flags of `chartwright manifests`.
#[derive(Args, Debug)]
pub(crate) struct ManifestsArgs {
    #[command(flatten)]
    served: ServedArgs,
    /// Image of the operator
    #[arg(long, value_name = "IMAGE", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    image: String,
    /// Namespace the operator runs in
    #[arg(long, short, value_name = "NAMESPACE", default_value = "default")]
    namespace: String,
    /// Serve only the operator's own namespace
    #[arg(long)]
    namespaced: bool,
    /// Let the operator judge resources before they are stored, with an admission webhook
    #[arg(long)]
    webhook: bool,
    /// Folder to write rbac.yaml, crd.yaml, operator.yaml and cr.yaml to; without it all are printed
    #[arg(long, short, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Values of the sample resource [default: three replicas, where the chart counts them, and what it demands]
    #[command(flatten)]
    values: ValuesArgs,
}

/// Writes or prints the manifests.
pub(crate) fn run(args: &ManifestsArgs) -> Result<(), CliError> {
    let watch = args.served.to_watch()?;
    let given = args.values.read()?;
    let mut permissions = Permissions::default();
    // Older versions may make other kinds.
    for chart in charts::open(&watch.chart)? {
        let chart = CompiledChart::new(chart)?;
        let rendered = render(&chart, &given, &args.namespace)?;
        permissions.add(Permissions::of(&watch, chart.chart(), &rendered));
    }
    if args.webhook {
        permissions.grant_webhook(&watch);
    }
    let api = crate::crd::api(&watch, &charts::newest(&watch.chart)?)?;
    let sample_spec = if args.values.is_empty() { api.sample() } else { to_json(&given) };
    let files = manifests::render(&Deployment {
        watch: &watch,
        permissions: &permissions,
        image: &args.image,
        namespace: &args.namespace,
        namespaced: args.namespaced,
        webhook: args.webhook,
        sample_spec: &sample_spec,
        crd: &crate::crd::definition(&watch, &api),
    })
    .map_err(|(name, error)| CliError::Manifest { name, error: Box::new(error) })?;
    let Some(dir) = &args.output_dir else {
        return print(files.iter().map(|file| format!("---\n{}", file.text)).collect::<String>());
    };
    let write = |path: PathBuf, text: &str| {
        std::fs::write(&path, text).map_err(|error| CliError::Write { path: path.clone(), error })
    };
    std::fs::create_dir_all(dir).map_err(|error| CliError::Write { path: dir.clone(), error })?;
    files.iter().try_for_each(|file| write(dir.join(file.name), &file.text))
}

/// Renders the chart to see which objects it makes.
fn render(chart: &CompiledChart, values: &Frozen, namespace: &str) -> Result<Vec<Value>, CliError> {
    let rendered = chart.render(&RenderInput {
        values,
        release: Release {
            name: "sample".into(),
            namespace: namespace.into(),
            revision: 1,
            is_upgrade: false,
        },
        capabilities: &Capabilities::default(),
        host: &SystemHost,
        options: RenderOptions::default(),
    })?;
    let texts = rendered.manifests.iter().map(|manifest| manifest.content.as_bytes());
    let hooks = rendered.hooks.iter().map(|hook| hook.manifest.as_bytes());
    Ok(texts.chain(hooks).filter_map(|text| yaml_to_json(text).ok()).filter(Value::is_object).collect())
}
