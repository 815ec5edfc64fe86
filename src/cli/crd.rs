//! `chartwright crd`: the resource type a chart becomes, and what it changes.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;

use super::kinds::ChartArgs;
use super::{CliError, hint, print};
use crate::charts;
use crate::convert::{json_to_yaml, yaml_to_json};
use crate::crd::{api, changes, definition, successor};
use crate::settings::Watch;

/// Beyond this size `kubectl apply` cannot keep its copy of an object in an annotation.
const LARGEST_ANNOTATION: usize = 256 * 1024;

/// Flags of `chartwright crd`.
#[derive(Args, Debug)]
pub(crate) struct CrdArgs {
    #[command(flatten)]
    of: ChartArgs,
    /// Print what changes from an earlier CustomResourceDefinition (a YAML file), or from that of an earlier chart (a
    /// folder or archive), and fail if existing resources could be hurt
    #[arg(long, value_name = "OLD")]
    diff: Option<PathBuf>,
}

/// Prints the CustomResourceDefinitions, or what changes of them.
pub(crate) fn run(args: &CrdArgs) -> Result<(), CliError> {
    let watches = args.of.hinted()?;
    let mut told = String::new();
    let (mut changed, mut breaking) = (String::new(), 0);
    for (index, watch) in watches.iter().enumerate() {
        let chart = charts::newest(&watch.chart)?;
        let api = api(watch, &chart)?;
        let crd = definition(watch, &api);
        if let Some(old) = &args.diff {
            let old = old_definition(old, watch, watches.len() == 1)?;
            let new = successor(crd, &old, &watch.api_version.version);
            let changes = changes(&old, &new);
            let of = if watches.len() == 1 { String::new() } else { format!("{}: ", watch.crd_name()) };
            changed.extend(changes.iter().map(|change| format!("{of}{change}\n")));
            let accepted = watch.shape.accept_breaking;
            breaking += changes.iter().filter(|change| change.breaking && !accepted).count();
            continue;
        }
        if !api.report.folded.is_empty() {
            hint(&format!("left open, to keep the type small: {}", api.report.folded.join(", ")));
        }
        if crd.to_string().len() > LARGEST_ANNOTATION {
            hint("too large for plain `kubectl apply`: add --server-side, or let the operator apply it");
        }
        told.push_str(if index == 0 { "" } else { "---\n" });
        told.push_str(&format!("{}\n", json_to_yaml(&crd)));
    }
    if args.diff.is_none() {
        return print(told);
    }
    print(if changed.is_empty() { "nothing changes\n" } else { &changed })?;
    match breaking {
        0 => Ok(()),
        1 => Err(CliError::Usage("1 change could hurt existing resources".to_owned())),
        count => Err(CliError::Usage(format!("{count} changes could hurt existing resources"))),
    }
}

/// Reads the definition to compare with: from a file, or, for the `only` kind, from a chart served the same way.
fn old_definition(path: &Path, watch: &Watch, only: bool) -> Result<Value, CliError> {
    let is_yaml = path
        .extension()
        .is_some_and(|extension| ["yaml", "yml", "json"].iter().any(|known| extension == *known));
    if path.is_dir() || !is_yaml {
        if !only {
            let why = format!(
                "{} can be the chart of one kind only: give a YAML file of definitions",
                path.display()
            );
            return Err(CliError::Usage(why));
        }
        let watch = Watch { chart: path.to_owned(), ..watch.clone() };
        return Ok(definition(&watch, &api(&watch, &charts::newest(path)?)?));
    }
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| CliError::Read { path: path.to_owned(), error })?;
    let mut found = Vec::new();
    for document in text.split("\n---") {
        let document = yaml_to_json(document.as_bytes());
        let document =
            document.map_err(|why| CliError::Usage(format!("{} is not YAML: {why}", path.display())))?;
        let is =
            |pointer: &str, wanted: &str| document.pointer(pointer).and_then(Value::as_str) == Some(wanted);
        if is("/kind", "CustomResourceDefinition") {
            if is("/metadata/name", &watch.crd_name()) {
                return Ok(document);
            }
            found.push(document);
        }
    }
    match found.pop() {
        // Another name is a change like others.
        Some(document) if found.is_empty() && only => Ok(document),
        _ => Err(CliError::Usage(format!(
            "{} has no CustomResourceDefinition {}",
            path.display(),
            watch.crd_name()
        ))),
    }
}
