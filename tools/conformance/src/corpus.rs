//! Real charts with real Helm's output.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use helm::output::TemplateOutput;
use helm::values::ValueOptions;
use helm::{Capabilities, Chart, CompiledChart, KubeVersion, Release, RenderInput, RenderOptions};

use crate::args::Args;
use crate::case::{Case, Difference};
use crate::compare::{self, Shown};
use crate::error::Error;
use crate::host::Offline;
use crate::{unpack, usage};

/// A chart is loaded when its first case runs.
type Loaded = Arc<OnceLock<Result<CompiledChart, helm::Error>>>;

/// One line of cases.tsv.
struct Line {
    id: String,
    chart: String,
    values: Option<String>,
    class: Class,
}

/// What Helm makes of a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Error,
    Fixed,
    /// The output has random parts. So may have the messages: the ones kept are those of one run.
    Random,
}

/// Reads the list of cases.
pub(crate) fn load(folder: &Path, args: &Args) -> Result<Vec<Case>, Error> {
    let list = folder.join("cases.tsv");
    let text = fs::read_to_string(&list).map_err(Error::read(&list))?;
    let root: Arc<Path> = unpack::corpus(folder, args)?.into();
    let mut charts: HashMap<String, Loaded> = HashMap::new();
    let mut cases = Vec::new();
    for (number, row) in text.lines().enumerate().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [id, publisher, chart, values, class, ..] = cells.as_slice() else {
            return Err(Error::data(&list, format!("line {}: too few columns", number + 1)));
        };
        if !args.wants(id) {
            continue;
        }
        let line = Line {
            id: (*id).to_owned(),
            chart: (*chart).to_owned(),
            values: (*values != "-").then(|| (*values).to_owned()),
            class: match *class {
                "error" => Class::Error,
                "ok-nondeterministic" => Class::Random,
                _ => Class::Fixed,
            },
        };
        let loaded = charts.entry(line.chart.clone()).or_default().clone();
        let root = root.clone();
        cases.push(Case {
            suite: format!("corpus/{publisher}"),
            name: line.id.clone(),
            check: Box::new(move || check(&root, &line, &loaded)),
        });
    }
    Ok(cases)
}

fn check(root: &Path, line: &Line, loaded: &Loaded) -> Option<Difference> {
    let expected = |extension: &str| root.join("expected").join(format!("{}.{extension}", line.id));
    let read = |path: PathBuf| fs::read(path).unwrap_or_default();
    let stderr = read(expected("err"));
    let (warnings, error) = compare::split_stderr(&gostd::value::lossy(&stderr));
    let shown = render(root, line, loaded);
    let warnings = || compare::warnings(&warnings, &shown.warnings);
    let difference = match (line.class, &shown.error) {
        (Class::Error, got) => compare::errors(&error.unwrap_or_default(), got.as_deref()),
        (_, Some(error)) => Some(Difference::new("unexpected error", "(success)", error.clone())),
        (Class::Fixed, None) => compare::exact("output", &read(expected("yaml")), &shown.stdout),
        (Class::Random, None) => {
            let difference = compare::masked("output", &read(expected("masked.yaml")), &shown.stdout);
            return difference.or_else(|| if error.is_some() { None } else { warnings() });
        }
    };
    difference.or_else(warnings)
}

/// Does what `helm template rel CHART -n ns1 --include-crds --kube-version v1.36.3 [-f VALUES]` does.
fn render(root: &Path, line: &Line, loaded: &Loaded) -> Shown {
    let mut shown = Shown::default();
    match try_render(root, line, loaded, &mut shown.warnings) {
        Ok(stdout) => shown.stdout = stdout,
        Err(error) => shown.error = Some(error.to_string()),
    }
    shown
}

fn try_render(
    root: &Path,
    line: &Line,
    loaded: &Loaded,
    warnings: &mut Vec<String>,
) -> Result<Vec<u8>, helm::Error> {
    let options = ValueOptions { files: line.values.iter().cloned().collect(), ..ValueOptions::default() };
    let read = |name: &str| fs::read(root.join(name)).map_err(|error| format!("open {name}: {error}"));
    let values = options.merge(&read)?;
    let load = || CompiledChart::new(Chart::load_path(root.join(&line.chart))?);
    let compiled = loaded.get_or_init(load).as_ref().map_err(Clone::clone)?;
    warnings.extend(compiled.warnings());
    let version = KubeVersion::parse("v1.36.3").map_err(helm::Error::Values)?;
    let start = usage::thread_time();
    let rendered = compiled.render_logged(
        &RenderInput {
            values: &values,
            release: Release {
                name: "rel".to_owned(),
                namespace: "ns1".to_owned(),
                revision: 1,
                is_upgrade: false,
            },
            capabilities: &Capabilities::default().with_kube_version(version),
            host: &Offline::new(),
            options: RenderOptions { stack: 32 << 20, ..RenderOptions::default() },
        },
        warnings,
    )?;
    usage::note(&line.id, compiled.chart(), &rendered, usage::thread_time().saturating_sub(start));
    rendered.template_output(&TemplateOutput { include_crds: true, ..TemplateOutput::default() })
}
