//! A chart made ready once and rendered many times.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use gostd::value::Frozen;
use gostd::{GoStr, Map, Value};
use gotemplate::Host;

use crate::engine::{self, Parsed, Templates};
use crate::manifest::Sorted;
use crate::schema::{self, Schemas};
use crate::still::Still;
use crate::tree::{NodeId, Tree};
use crate::values::coalesce::{Nulls, coalesce};
use crate::{Capabilities, Chart, Error, Hook, Manifest, Usage, dependencies};

/// Sets of templates kept parsed: one for each combination of enabled subcharts, up to this many.
const KEPT_SETS: usize = 16;
/// Native stack that templates may take unless told otherwise: most of a thread's usual 2 MiB.
const USUAL_STACK: usize = 1_500_000;
/// Some twenty seconds of work.
const USUAL_STEPS: u64 = 1_000_000_000;
const USUAL_OUTPUT: usize = 256 << 20;
pub(crate) const NOTES: &str = "NOTES.txt";

/// A chart whose templates and schemas are kept ready. Shared between threads; each
/// [`render`](CompiledChart::render) is independent of others. Clones are cheap.
#[derive(Clone)]
pub struct CompiledChart(Arc<Shared>);

struct Shared {
    chart: Chart,
    schemas: Schemas,
    /// The most recently used last.
    parsed: Mutex<Vec<Arc<Parsed>>>,
}

/// Everything a render depends on.
#[derive(Clone)]
pub struct RenderInput<'a> {
    /// The user's values, a map. Numbers of values files are float64, whole numbers of `--set` and of resources int64.
    pub values: &'a Frozen,
    /// `.Release`.
    pub release: Release,
    /// `.Capabilities`.
    pub capabilities: &'a Capabilities,
    /// Time, randomness, and the answers to `lookup` and `getHostByName`.
    pub host: &'a dyn Host,
    /// Switches; [`RenderOptions::default`] is what `helm template` does.
    pub options: RenderOptions,
}

/// `.Release`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The name.
    pub name: String,
    /// The namespace.
    pub namespace: String,
    /// The revision, from 1.
    pub revision: i64,
    /// False for an install.
    pub is_upgrade: bool,
}

/// Switches of a render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// Leaves out the check against values.schema.json.
    pub skip_schema_validation: bool,
    /// Adds the notes of subcharts.
    pub render_subchart_notes: bool,
    /// Lets `getHostByName` ask the host.
    pub enable_dns: bool,
    /// Fills [`Rendered::values`] and [`Rendered::chart_values`].
    pub keep_values: bool,
    /// Bytes of native stack that nested `include` and `tpl` may take; more is an error. The thread must have some 300 KiB
    /// more.
    pub stack: usize,
    /// Steps that the templates may take together; more is an error. A loop's round is a few steps, and functions that make
    /// large texts or lists count for more. A render's time is bounded by [`Host::interrupted`].
    pub steps: u64,
    /// Bytes that the templates may print together; what `include` returns counts where it is made and where it is printed.
    pub output: usize,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            skip_schema_validation: false,
            render_subchart_notes: false,
            enable_dns: false,
            keep_values: false,
            stack: USUAL_STACK,
            steps: USUAL_STEPS,
            output: USUAL_OUTPUT,
        }
    }
}

/// What came out of a render.
#[derive(Clone, Debug, Default)]
pub struct Rendered {
    /// The objects, in install order.
    pub manifests: Vec<Manifest>,
    /// The hooks, in install order of their kinds (not in running order).
    pub hooks: Vec<Hook>,
    /// The root chart's NOTES.txt.
    pub notes: String,
    /// The files of `crds/` of all enabled charts, of the root chart first, untouched.
    pub crds: Vec<Crd>,
    /// What Helm would log.
    pub warnings: Vec<String>,
    /// The coalesced values (if asked for).
    pub values: Option<Frozen>,
    /// The root chart's defaults after its dependencies were processed, as a release record stores them (if asked for).
    pub chart_values: Option<Frozen>,
    /// What it took.
    pub usage: Usage,
}

/// A file of `crds/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crd {
    /// The full path (`chart/crds/x.yaml`).
    pub path: String,
    /// The text, never templated.
    pub content: GoStr,
}

impl CompiledChart {
    /// Checks that the chart can be installed. Its templates are parsed when a render first needs them, since values decide
    /// which take part; [`CompiledChart::check_templates`] parses them ahead.
    ///
    /// # Errors
    /// When it is a library, or lacks a dependency that Chart.yaml lists.
    pub fn new(chart: Chart) -> Result<Self, Error> {
        let compiled = Self::without_missing(chart)?;
        compiled.check_dependencies()?;
        Ok(compiled)
    }

    /// Checks that the chart has the dependencies that Chart.yaml lists. Helm does so after it printed
    /// [`CompiledChart::warnings`].
    ///
    /// # Errors
    /// With the names of those that are missing.
    pub fn check_dependencies(&self) -> Result<(), Error> {
        dependencies::check_present(self.chart())
    }

    /// The same for a chart that may lack dependencies: what is not there is not rendered. Helm's command line refuses such
    /// a chart, its library does not.
    ///
    /// # Errors
    /// When it is a library.
    pub fn without_missing(chart: Chart) -> Result<Self, Error> {
        match chart.metadata.chart_type.as_str() {
            "" | "application" => {}
            other => return Err(Error::NotInstallable(other.to_owned())),
        }
        Ok(Self(Arc::new(Shared { chart, schemas: Schemas::default(), parsed: Mutex::default() })))
    }

    /// Returns the chart.
    pub fn chart(&self) -> &Chart {
        &self.0.chart
    }

    /// Returns the names of dependencies that Chart.yaml lists and the chart lacks.
    pub fn missing_dependencies(&self) -> Vec<String> {
        match dependencies::check_present(self.chart()) {
            Err(Error::MissingDependencies(names)) => names,
            _ => Vec::new(),
        }
    }

    /// Returns what Helm prints before it renders: what it noticed while loading, and that the chart is deprecated.
    pub fn warnings(&self) -> Vec<String> {
        let chart = self.chart();
        let deprecated = chart.metadata.deprecated.then(|| "WARNING: This chart is deprecated".to_owned());
        chart.warnings.iter().cloned().chain(deprecated).collect()
    }

    /// Renders all files that are no partials and returns their texts by path, before anything is split or sorted.
    pub fn render_files(&self, input: &RenderInput<'_>) -> Result<Vec<(String, GoStr)>, Error> {
        let _scope = engine::scope();
        let prepared = self.prepare(input, &mut Vec::new())?;
        self.check_kube_version(input.capabilities)?;
        let templates = prepared.templates(input);
        let (files, _) = engine::render(&self.parsed(&templates), &templates, input)?;
        Ok(files.into_iter().map(|(path, text)| (path, text.into())).collect())
    }

    /// Compiles the `values.schema.json` of the chart and of all its subcharts. Helm does so only when it needs them.
    ///
    /// # Errors
    /// With the path of the first that cannot be used, and why.
    pub fn check_schemas(&self) -> Result<(), Error> {
        schema::check_all(&self.0.chart, self.0.chart.name())
    }

    /// Parses the templates that take part in a render with the chart's own values.
    ///
    /// # Errors
    /// When the values cannot be put together, and with the first template that does not parse.
    pub fn check_templates(&self) -> Result<(), Error> {
        let _scope = engine::scope();
        let input = RenderInput {
            values: &Frozen::Map(Vec::new()),
            release: Release {
                name: "check".into(),
                namespace: "default".into(),
                revision: 1,
                is_upgrade: false,
            },
            capabilities: &Capabilities::default(),
            host: &Still,
            // A chart may well want values that it has no defaults for.
            options: RenderOptions { skip_schema_validation: true, ..RenderOptions::default() },
        };
        let prepared = self.prepare(&input, &mut Vec::new())?;
        self.parsed(&prepared.templates(&input)).error().cloned().map_or(Ok(()), Err)
    }

    /// Renders the chart for one release.
    pub fn render(&self, input: &RenderInput<'_>) -> Result<Rendered, Error> {
        self.render_logged(input, &mut Vec::new())
    }

    /// Renders the chart for one release. What Helm would log is added to `warnings`, also when rendering fails.
    pub fn render_logged(
        &self,
        input: &RenderInput<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Rendered, Error> {
        let first_warning = warnings.len();
        let _scope = engine::scope();
        let prepared = self.prepare(input, warnings)?;
        let (values, chart_values) = prepared.kept_values(input);
        self.check_kube_version(input.capabilities)?;
        let templates = prepared.templates(input);
        let (files, used) = engine::render(&self.parsed(&templates), &templates, input)?;
        let mut usage = prepared.usage;
        usage.add_templates(used);
        let notes_path = format!("{}/templates/{NOTES}", self.0.chart.name());
        let mut sorted = Sorted::default();
        let mut notes: Vec<String> = Vec::new();
        let mut result = Ok(());
        // Charts render megabytes: each text is kept once, and goes where it belongs.
        for (path, text) in files {
            if path.ends_with(NOTES) {
                if input.options.render_subchart_notes || path == notes_path {
                    notes.push(gostd::value::lossy(&text));
                }
            } else if result.is_ok() {
                result = sorted.add_file(&path, text);
            }
        }
        warnings.append(&mut sorted.warnings);
        result?;
        sorted.finish();
        Ok(Rendered {
            manifests: sorted.manifests,
            hooks: sorted.hooks,
            notes: notes.join("\n"),
            crds: prepared.crds(),
            warnings: warnings.get(first_warning..).unwrap_or_default().to_vec(),
            values,
            chart_values,
            usage,
        })
    }

    /// Settles which charts take part and with which values.
    fn prepare(&self, input: &RenderInput<'_>, warnings: &mut Vec<String>) -> Result<Prepared<'_>, Error> {
        let mut tree = Tree::new(&self.0.chart);
        dependencies::process(&mut tree, &input.values.thaw_map(), warnings)?;
        let values = input.values.thaw_map();
        coalesce(&tree, Tree::ROOT, &values, Nulls::Delete, warnings)?;
        let mut usage = Usage::default();
        if !input.options.skip_schema_validation {
            self.0.schemas.check(&tree, Tree::ROOT, &values, warnings, &mut usage)?;
        }
        Ok(Prepared { tree, values, usage })
    }

    fn check_kube_version(&self, capabilities: &Capabilities) -> Result<(), Error> {
        let constraint = &self.0.chart.metadata.kube_version;
        let version = &capabilities.kube_version.version;
        if constraint.is_empty() || dependencies::is_compatible(constraint, version) {
            return Ok(());
        }
        Err(Error::KubeVersion { constraint: constraint.clone(), version: version.clone() })
    }

    /// Returns the templates parsed, from before if they are the same.
    fn parsed(&self, templates: &Templates) -> Arc<Parsed> {
        if let Some(known) = self.known_set(templates) {
            return known;
        }
        // Parsed outside the lock: two threads may both do it once, and nobody waits.
        let parsed = Arc::new(Parsed::new(templates));
        let mut sets = self.0.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.len() >= KEPT_SETS {
            sets.remove(0);
        }
        sets.push(parsed.clone());
        parsed
    }

    fn known_set(&self, templates: &Templates) -> Option<Arc<Parsed>> {
        let mut sets = self.0.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let place = sets.iter().rposition(|parsed| parsed.is_of(templates))?;
        let found = sets.remove(place);
        sets.push(found.clone());
        Some(found)
    }
}

impl fmt::Debug for CompiledChart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CompiledChart").field(&self.0.chart.name()).finish()
    }
}

/// A chart that is ready to be rendered for one release.
struct Prepared<'c> {
    tree: Tree<'c>,
    /// The final values.
    values: Map,
    /// What checking them took.
    usage: Usage,
}

impl Prepared<'_> {
    fn templates(&self, input: &RenderInput<'_>) -> Templates {
        engine::templates(&self.tree, &self.values, input)
    }

    /// Freezes the values before templates change them.
    fn kept_values(&self, input: &RenderInput<'_>) -> (Option<Frozen>, Option<Frozen>) {
        if !input.options.keep_values {
            return (None, None);
        }
        let defaults = self.tree.node(Tree::ROOT).defaults.copy().map(Value::Map).unwrap_or_default();
        (Some(Frozen::from(&Value::Map(self.values.clone()))), Some(Frozen::from(&defaults)))
    }

    /// Collects the files of `crds/`, a chart's own before those of its subcharts.
    fn crds(&self) -> Vec<Crd> {
        let mut crds = Vec::new();
        let mut work: Vec<NodeId> = vec![Tree::ROOT];
        while let Some(id) = work.pop() {
            let node = self.tree.node(id);
            let path = self.tree.full_path(id);
            crds.extend(node.chart.crds().map(|file| Crd {
                path: gostd::path::join([path.as_str(), file.name.as_str()]),
                content: file.data.clone(),
            }));
            work.extend(node.children.iter().rev());
        }
        crds
    }
}

/// Checks a release name as Helm does.
pub fn check_release_name(name: &str) -> Result<(), Error> {
    const PATTERN: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
    const LONGEST: usize = 53;
    let is_label = |label: &str| {
        let inner =
            label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        inner && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
    };
    let reason = if name.is_empty() {
        "no name provided".to_owned()
    } else if name.len() > LONGEST || !name.split('.').all(is_label) {
        format!(
            "invalid release name, must match regex {PATTERN} and the length must not be longer than {LONGEST}"
        )
    } else {
        return Ok(());
    };
    Err(Error::ReleaseName { name: name.to_owned(), reason })
}
