//! `chartwright manifests`: the files that install an operator.

use std::path::{Path, PathBuf};

use clap::Args;
use helm::{Capabilities, CompiledChart, Release, RenderInput, RenderOptions};
use serde_json::Value;

use super::kinds::{ChartArgs, Kinds, USUAL};
use super::template::SystemHost;
use super::values::ValuesArgs;
use super::{CliError, print};
use crate::charts;
use crate::convert::{to_json, yaml_to_json};
use crate::limits::RenderLimits;
use crate::manifests::{self, Deployment, Kind, Permissions};
use crate::reconcile::values::values;
use crate::settings::{Scope, Watch};

/// Flags of `chartwright manifests`.
#[derive(Args, Debug)]
pub(crate) struct ManifestsArgs {
    #[command(flatten)]
    of: ChartArgs,
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
    /// Folder to write rbac.yaml, crd.yaml, operator.yaml and cr.yaml to, or, for several kinds, crd/GROUP_PLURAL.yaml and
    /// samples/GROUP_VERSION_KIND.yaml in place of the second and last; without it all are printed
    #[arg(long, short, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Values of the sample resource [default: three replicas, where the chart counts them, and what it demands]
    #[command(flatten)]
    values: ValuesArgs,
}

/// Writes or prints the manifests.
pub(crate) fn run(args: &ManifestsArgs) -> Result<(), CliError> {
    let listed = matches!(args.of.kinds(Path::new(USUAL)), Kinds::Listed(_));
    let watches = args.of.hinted()?;
    let in_cluster = watches.iter().find(|watch| watch.scope == Scope::Cluster);
    if let Some(watch) = in_cluster.filter(|_| args.namespaced) {
        let kind = &watch.names.kind;
        let why = format!("--namespaced serves one namespace, and resources of kind {kind} are in none");
        return Err(CliError::Usage(why));
    }
    let mut permissions = Permissions::default();
    let mut kinds = Vec::with_capacity(watches.len());
    for watch in &watches {
        let api = crate::crd::api(watch, &charts::newest(&watch.chart)?)?;
        let sample_spec = sample(args, watches.len() == 1, api.sample())?;
        permissions.add(allowed(args, watch, &sample_spec)?);
        kinds.push(Kind { watch, crd: crate::crd::definition(watch, &api), sample_spec });
    }
    let files = manifests::render(&Deployment {
        kinds: &kinds,
        listed,
        permissions: &permissions,
        image: &args.image,
        namespace: &args.namespace,
        namespaced: args.namespaced,
        webhook: args.webhook,
    })
    .map_err(|(name, error)| CliError::Manifest { name, error: Box::new(error) })?;
    let Some(dir) = &args.output_dir else {
        return print(files.iter().map(|file| format!("---\n{}", file.text)).collect::<String>());
    };
    for file in &files {
        let path = dir.join(&file.name);
        let fail = |error| CliError::Write { path: path.clone(), error };
        std::fs::create_dir_all(path.parent().unwrap_or(dir)).map_err(fail)?;
        std::fs::write(&path, &file.text).map_err(fail)?;
    }
    Ok(())
}

/// The `spec` of a kind's sample.
fn sample(args: &ManifestsArgs, only: bool, made: Value) -> Result<Value, CliError> {
    if args.values.is_empty() {
        return Ok(made);
    }
    if !only {
        let why = "several kinds are listed, and values are given that cannot be of all samples: leave --set and its like \
                   out, and change the files in samples/";
        return Err(CliError::Usage(why.to_owned()));
    }
    Ok(to_json(&args.values.read()?))
}

/// What the operator must be allowed to do for a kind. Older versions of its chart may make other objects.
fn allowed(args: &ManifestsArgs, watch: &Watch, sample: &Value) -> Result<Permissions, CliError> {
    let mut permissions = Permissions::default();
    // Where the chart demands something, its defaults alone do not do.
    let empty = serde_json::json!({});
    let specs = if args.values.is_empty() { vec![&empty, sample] } else { vec![sample] };
    for chart in charts::open(&watch.chart)? {
        let chart = CompiledChart::new(chart)?;
        let mut made = Err(CliError::Usage(String::new()));
        for spec in &specs {
            made = made.or_else(|_| render(&chart, watch, spec, &args.namespace));
        }
        let made = made.map_err(|error| {
            let name = chart.chart().name();
            CliError::Usage(format!(
                "cannot render the chart {name} to see what it makes: {error}\nGive what it needs with -f or --set, or, for \
                 all resources of a kind, as `values` in a watches file"
            ))
        })?;
        permissions.add(Permissions::of(watch, chart.chart(), &made));
    }
    if args.webhook {
        permissions.grant_webhook(watch);
    }
    Ok(permissions)
}

/// Renders the chart to see which objects it makes.
fn render(
    chart: &CompiledChart,
    watch: &Watch,
    spec: &Value,
    namespace: &str,
) -> Result<Vec<Value>, CliError> {
    let values = values(&spec.to_string(), watch_values(watch), &watch.override_values);
    let values = values.map_err(|error| CliError::Usage(error.to_string()))?;
    let rendered = chart.render(&RenderInput {
        values: &values.frozen,
        release: Release {
            name: "sample".into(),
            namespace: namespace.into(),
            revision: 1,
            is_upgrade: false,
        },
        capabilities: &Capabilities::default(),
        host: &SystemHost,
        options: RenderOptions {
            skip_schema_validation: watch.skip_schema_validation,
            ..RenderLimits::default().options()
        },
    })?;
    let texts = rendered.manifests.iter().map(|manifest| manifest.content.as_bytes());
    let hooks = rendered.hooks.iter().map(|hook| hook.manifest.as_bytes());
    Ok(texts.chain(hooks).filter_map(|text| yaml_to_json(text).ok()).filter(Value::is_object).collect())
}

/// The layer of values that a watches file gives all resources of a kind.
fn watch_values(watch: &Watch) -> &[Value] {
    if watch.values.is_null() { &[] } else { std::slice::from_ref(&watch.values) }
}
