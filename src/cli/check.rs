//! `chartwright check`: what can be known to be wrong before anything runs.

use std::path::Path;

use clap::Args;
use crdschema::{Api, Field, Mode, Options, Others};
use helm::CompiledChart;
use serde_json::Value;

use super::kinds::{ChartArgs, Kinds, USUAL, listed};
use super::{CliError, hint, print};
use crate::annotations::CHART_VERSION;
use crate::charts;
use crate::reconcile::values::at_path;
use crate::settings::Watch;
use crate::words::nearest;

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
            unknown_values(watch, chart.chart()).iter().for_each(|what| hint(what));
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

/// The values of a watches file that its chart does not know. Inside of a value keys may be of the user's own making, so only
/// those are told that look like a slip of the chart's.
fn unknown_values(watch: &Watch, chart: &helm::Chart) -> Vec<String> {
    let options = Options { mode: Mode::Strict, budget: usize::MAX, ..Options::default() };
    let api = Api::of(chart, &options);
    let mut found = Vec::new();
    look(&api.spec, &watch.values, "", &mut found);
    for key in watch.override_values.keys().filter(|key| !key.contains(['[', '\\'])) {
        look(&api.spec, &at_path(key, ""), "", &mut found);
    }
    let title = format!("{} of {}", chart.name(), watch.names.kind);
    found.into_iter().map(|found| format!("the chart {title} has no value {found}")).collect()
}

fn look(field: &Field, values: &Value, path: &str, found: &mut Vec<String>) {
    for (key, value) in values.as_object().into_iter().flatten() {
        let is_top = path.is_empty();
        let path = if is_top { key.clone() } else { format!("{path}.{key}") };
        if let Some(inner) = field.properties.get(key) {
            look(inner, value, &path, found);
            continue;
        }
        let meant = nearest(key, field.properties.keys().map(String::as_str));
        if field.others == Others::Closed && (meant.is_some() || (is_top && key != "global")) {
            let meant = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
            found.push(format!("{path}, which the watches file sets{meant}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{ApiVersion, Names};

    #[test]
    fn values_that_a_chart_does_not_have_are_told() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("charts/memcached");
        let chart = helm::Chart::load_path(&path).unwrap();
        let names = Names::of("Memcached", None).unwrap();
        let mut watch = Watch::new(ApiVersion::parse("a.io/v1").unwrap(), names, path);
        watch.values = serde_json::json!({
            "image": {"registry": "x", "tag": "1"}, "replicaCout": 3, "podAnnotations": {"a": "b"},
            "global": {"x": 1}, "zone": "a",
        });
        watch.override_values = [("image.tga", "1"), ("resources.limits.cpu", "1"), ("image.tag", "2")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into();
        assert_eq!(
            unknown_values(&watch, &chart),
            [
                "the chart memcached of Memcached has no value replicaCout, which the watches file sets; did you mean \
                 replicaCount?",
                "the chart memcached of Memcached has no value zone, which the watches file sets",
                "the chart memcached of Memcached has no value image.tga, which the watches file sets; did you mean tag?",
            ]
        );
    }
}
