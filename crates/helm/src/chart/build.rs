//! From files to a chart (Helm's `loader.LoadFiles`).

use std::collections::BTreeMap;

use gostd::GoStr;
use gostd::value::Frozen;

use super::archive::Archive;
use super::metadata::Draft;
use super::source::Source;
use super::{Chart, File};
use crate::Error;
use crate::decode::{Decoder, ListInput, Struct};
use crate::values;

/// Charts may nest this deep; deeper ones are refused, since every level takes stack here and in templates' paths.
const DEEPEST: usize = 64;
/// All files of a chart and its packed subcharts together, as a guard against archives that unpack to archives.
const LARGEST_TREE: usize = 512 * 1024 * 1024;

/// Builds a chart and its subcharts. What Helm would log is added to `warnings`, also when building fails.
pub(super) fn build(files: Vec<File>, warnings: &mut Vec<String>) -> Result<Chart, Error> {
    let mut builder = Builder { size: 0, warnings, broken: None };
    let chart = builder.chart(files, 0);
    chart.map_err(|text| match builder.broken {
        Some(File { name, data }) => Error::File { text, name, content: data },
        None => Error::Chart(text),
    })
}

struct Builder<'w> {
    size: usize,
    warnings: &'w mut Vec<String>,
    /// The file that could not be read.
    broken: Option<File>,
}

impl Builder<'_> {
    fn chart(&mut self, files: Vec<File>, depth: usize) -> Result<Chart, String> {
        if depth > DEEPEST {
            return Err(format!("charts nest deeper than {DEEPEST} levels"));
        }
        self.size += files.iter().map(|file| file.data.len()).sum::<usize>();
        if self.size > LARGEST_TREE {
            return Err(format!("chart and its packed subcharts are larger than {LARGEST_TREE} bytes"));
        }
        let mut chart = Chart::default();
        let mut draft = first_metadata(&files).inspect_err(|_| {
            self.broken = files.iter().find(|file| file.name == "Chart.yaml").cloned();
        })?;
        let mut subcharts: BTreeMap<String, Vec<File>> = BTreeMap::new();
        for file in files {
            self.place(file, &mut chart, &mut draft, &mut subcharts)?;
        }
        let draft = draft.ok_or("Chart.yaml file is missing")?;
        chart.metadata = draft.validate().map_err(|reason| format!("validation: {reason}"))?;
        for (name, files) in subcharts {
            if name.starts_with(['_', '.']) {
                continue;
            }
            let subchart = self.subchart(&name, files, &chart, depth);
            let subchart = subchart
                .map_err(|reason| format!("error unpacking subchart {name} in {}: {reason}", chart.name()))?;
            chart.dependencies.push(subchart);
        }
        Ok(chart)
    }

    /// Puts one file where it belongs.
    fn place(
        &mut self,
        file: File,
        chart: &mut Chart,
        draft: &mut Option<Draft>,
        subcharts: &mut BTreeMap<String, Vec<File>>,
    ) -> Result<(), String> {
        match file.name.as_str() {
            "Chart.yaml" => {}
            "Chart.lock" => check_lock(&file)?,
            "values.yaml" => match read_values(&file.data) {
                Ok(values) => (chart.values, chart.values_text) = (values, file.data),
                Err(text) => {
                    self.broken = Some(file);
                    return Err(format!("cannot load values.yaml: {text}"));
                }
            },
            "values.schema.json" => chart.schema = Some(file.data),
            "requirements.yaml" | "requirements.lock" => {
                let draft = draft.get_or_insert_default();
                self.place_requirements(file, chart, draft)?;
            }
            name if name.starts_with("templates/") => chart.templates.push(file),
            name => match name.strip_prefix("charts/") {
                Some(inner) if gostd::path::ext(name) != ".prov" => {
                    let folder = inner.split('/').next().unwrap_or_default().to_owned();
                    let inner = inner.to_owned();
                    subcharts.entry(folder).or_default().push(File { name: inner, data: file.data });
                }
                _ => chart.files.push(file),
            },
        }
        Ok(())
    }

    /// Helm 2 kept dependencies in files of their own.
    fn place_requirements(&mut self, file: File, chart: &mut Chart, draft: &mut Draft) -> Result<(), String> {
        let is_lock = file.name == "requirements.lock";
        if is_lock {
            check_lock(&file)?;
        }
        let is_v1 = draft.api_version() == "v1";
        if !is_v1 {
            self.warnings.push(if is_lock {
                "Warning: Dependency locking is handled in Chart.lock since apiVersion \"v2\". We recommend \
                 migrating to Chart.lock."
                    .to_owned()
            } else {
                "Warning: Dependencies are handled in Chart.yaml since apiVersion \"v2\". We recommend migrating \
                 dependencies to Chart.yaml."
                    .to_owned()
            });
        }
        if !is_lock {
            draft.decode(&file.data).map_err(|text| format!("cannot load requirements.yaml: {text}"))?;
        }
        if draft.api_version() == "v1" {
            chart.files.push(file);
        }
        Ok(())
    }

    fn subchart(
        &mut self,
        name: &str,
        files: Vec<File>,
        parent: &Chart,
        depth: usize,
    ) -> Result<Chart, String> {
        if gostd::path::ext(name) == ".tgz" {
            let archive = files.into_iter().next().unwrap_or_else(|| File::new(name, b""));
            if archive.name != name {
                return Err(format!(
                    "error unpacking subchart tar in {}: expected {name}, got {}",
                    parent.name(),
                    archive.name
                ));
            }
            let (files, warnings) = Archive::new(&archive.data).files()?;
            self.warnings.extend(warnings);
            return self.chart(files, depth + 1);
        }
        let inner = files.into_iter().filter_map(|file| {
            let (_, name) = file.name.split_once('/')?;
            Some(File { name: name.to_owned(), data: file.data })
        });
        let inner = inner.collect();
        self.chart(inner, depth + 1)
    }
}

/// Chart.yaml counts wherever it stands among the files.
fn first_metadata(files: &[File]) -> Result<Option<Draft>, String> {
    let mut draft: Option<Draft> = None;
    for file in files.iter().filter(|file| file.name == "Chart.yaml") {
        let draft = draft.get_or_insert_default();
        draft.decode(&file.data).map_err(|text| format!("cannot load Chart.yaml: {text}"))?;
        draft.default_api_version();
    }
    Ok(draft)
}

fn read_values(text: &GoStr) -> Result<Frozen, String> {
    let map = goyaml::load_map(text).map_err(|error| error.to_string())?;
    values::freeze(&map)
}

/// A lock file must decode, though rendering has no use for it.
fn check_lock(file: &File) -> Result<(), String> {
    const LOCK: Struct =
        Struct { go_type: "chart.Lock", name: "Lock", fields: &["generated", "digest", "dependencies"] };
    let wrap = |text: String| format!("cannot load {}: {text}", file.name);
    let value = goyaml::load_typed(&file.data).map_err(|error| wrap(error.to_string()))?;
    let mut decoder = Decoder::new(&file.data);
    decoder.object(&value, &LOCK, |decoder, name, value| match name {
        "generated" => check_time(decoder, value),
        "digest" => decoder.string(value, &mut String::new()),
        _ => {
            if let ListInput::Items(items) = decoder.list(value, "[]*chart.Dependency") {
                super::metadata::check_dependencies(decoder, &items.to_vec());
            }
        }
    });
    decoder.finish().map_err(wrap)
}

/// A time decodes itself, from a string in RFC 3339.
fn check_time(decoder: &mut Decoder, value: &gostd::Value) {
    match value {
        gostd::Value::Nil => {}
        gostd::Value::String(text) => {
            if let Err(text) = parse_rfc3339(text) {
                decoder.failed(text);
            }
        }
        _ => decoder.failed("Time.UnmarshalJSON: input is not a JSON string".to_owned()),
    }
}

fn parse_rfc3339(text: &GoStr) -> Result<(), String> {
    let utc = gostd::time::Zone::fixed("UTC", 0);
    let parsed = gostd::time::Time::parse(b"2006-01-02T15:04:05Z07:00", text, &utc);
    parsed.map(drop).map_err(|error| error.to_string())
}
