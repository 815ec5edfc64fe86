//! Running templates: which there are, what they see, and what their errors say (Helm's `pkg/engine`).

mod errors;
mod files;
mod functions;
mod glob;
mod objects;

use std::collections::BTreeMap;
use std::sync::Arc;

use gostd::value::{Entries, Scope};
use gostd::{GoStr, Map, Value};
use gotemplate::{Limits, MissingKey, Options, Session, Set};

use crate::compiled::{RenderInput, RenderOptions};
use crate::tree::{NodeId, Tree};
use crate::values::table;
use crate::{Error, Release};
pub use functions::function_names;
use functions::{FUNCTIONS, RenderState, SET_NAME};
use objects::VALUES;

/// A file to be parsed, and rendered unless it is a partial.
#[derive(Debug)]
pub(crate) struct Template {
    text: GoStr,
    /// The folder of the chart's templates.
    base_path: Arc<str>,
    /// What its dot is. The files of a chart share one.
    context: Map,
}

/// The templates of a render by full path.
pub(crate) type Templates = BTreeMap<String, Template>;

/// Collects the templates of all charts of the tree with what they see; `values` are the root's.
pub(crate) fn templates(tree: &Tree<'_>, values: &Map, input: &RenderInput<'_>) -> Templates {
    let shared =
        Shared { release: release(&input.release), capabilities: objects::capabilities(input.capabilities) };
    let mut templates = Templates::new();
    add_chart(tree, Tree::ROOT, values.clone(), &shared, &mut templates);
    templates
}

/// What the contexts of all charts hold alike.
struct Shared {
    release: Value,
    capabilities: Value,
}

fn release(release: &Release) -> Value {
    let entries = [
        ("Name", Value::from(release.name.as_str())),
        ("Namespace", Value::from(release.namespace.as_str())),
        ("IsUpgrade", Value::Bool(release.is_upgrade)),
        ("IsInstall", Value::Bool(!release.is_upgrade)),
        ("Revision", Value::Int(release.revision)),
        ("Service", Value::from("Helm")),
    ];
    Value::map(entries.into_iter().map(|(key, value)| (GoStr::from(key), value)).collect())
}

/// Adds the templates of a chart and of its subcharts; returns the chart's context.
fn add_chart(tree: &Tree<'_>, id: NodeId, values: Map, shared: &Shared, templates: &mut Templates) -> Map {
    let node = tree.node(id);
    let subcharts = Map::new();
    let entries = [
        ("Chart", objects::chart(tree, id)),
        ("Files", files::files(&node.chart.files)),
        ("Release", shared.release.clone()),
        ("Capabilities", shared.capabilities.clone()),
        ("Values", Value::Map(values.retyped(&VALUES))),
        ("Subcharts", Value::Map(subcharts.clone())),
    ];
    let context =
        Map::of(&gostd::value::ANY_MAP, entries.map(|(key, value)| (GoStr::from(key), value)).into());
    for child in &node.children {
        let name = tree.node(*child).name;
        // A dot in the name leads nowhere, as in Helm.
        let values = table(&context, format!("Values.{name}")).unwrap_or_default();
        let inner = add_chart(tree, *child, values, shared, templates);
        let _ = subcharts.insert(name, Value::Map(inner)); // Never nil: made above.
    }
    let path = tree.full_path(id);
    let base_path: Arc<str> = format!("{path}/templates").into();
    let is_library = node.chart.metadata.is_library();
    for file in &node.chart.templates {
        if is_library && !is_partial(&file.name) {
            continue;
        }
        let template =
            Template { text: file.data.clone(), base_path: base_path.clone(), context: context.clone() };
        templates.insert(gostd::path::join([path.as_str(), file.name.as_str()]), template);
    }
    context
}

/// Partials are parsed but not rendered.
fn is_partial(path: &str) -> bool {
    path.rsplit('/').next().unwrap_or(path).starts_with('_')
}

/// Returns the paths in the order of parsing and rendering: deeper ones first, and within a depth from last to first.
fn ordered(templates: &Templates) -> Vec<&String> {
    let mut paths: Vec<&String> = templates.keys().collect();
    paths.sort_by_cached_key(|path| std::cmp::Reverse((path.matches('/').count(), *path)));
    paths
}

/// Parsed templates, with what they were parsed from.
#[derive(Debug)]
pub(crate) struct Parsed {
    sources: Vec<(String, GoStr)>,
    set: Result<Set, Error>,
}

impl Parsed {
    /// Parses all templates. An error is kept until they are to be rendered.
    pub(crate) fn new(templates: &Templates) -> Self {
        let sources = ordered(templates).into_iter().filter_map(|path| {
            let template = templates.get(path)?;
            Some((path.clone(), template.text.clone()))
        });
        let sources: Vec<(String, GoStr)> = sources.collect();
        let set = parse(&sources);
        Self { sources, set }
    }

    /// Reports whether these are the very same texts under the same paths.
    pub(crate) fn is_of(&self, templates: &Templates) -> bool {
        let same = |(path, text): &(String, GoStr)| {
            templates
                .get(path)
                .is_some_and(|template| std::ptr::eq(template.text.as_bytes(), text.as_bytes()))
        };
        self.sources.len() == templates.len() && self.sources.iter().all(same)
    }

    /// Returns the first error of parsing.
    pub(crate) fn error(&self) -> Option<&Error> {
        self.set.as_ref().err()
    }
}

fn parse(sources: &[(String, GoStr)]) -> Result<Set, Error> {
    let mut set = Set::new(SET_NAME, FUNCTIONS.clone());
    for (path, text) in sources {
        set.parse(path.as_str(), text.clone()).map_err(|error| errors::of_parsing(path, error))?;
    }
    Ok(set)
}

/// Renders all templates that are no partials, and returns their texts by path, and what that took.
pub(crate) fn render(
    parsed: &Parsed,
    templates: &Templates,
    input: &RenderInput<'_>,
) -> Result<(Vec<(String, Vec<u8>)>, gotemplate::Usage), Error> {
    let set = parsed.set.as_ref().map_err(Clone::clone)?;
    let RenderOptions { stack, steps, output, .. } = input.options;
    let limits = Limits { stack, steps, output, ..Limits::default() };
    let mut session = Session::new(input.host, Options { missing_key: MissingKey::Zero, limits });
    session.extension::<RenderState>().enable_dns = input.options.enable_dns;
    let mut rendered = Vec::with_capacity(templates.len());
    for (path, _) in parsed.sources.iter().filter(|(path, _)| !is_partial(path)) {
        let Some(template) = templates.get(path) else { continue };
        let entries: Entries = [
            (GoStr::from("Name"), Value::from(path.as_str())),
            (GoStr::from("BasePath"), Value::from(&*template.base_path)),
        ]
        .into();
        let about = Value::Map(Map::of(&VALUES, entries));
        let _ = template.context.insert("Template", about); // Never nil: made by add_chart.
        let dot = Value::Map(template.context.retyped(&VALUES));
        let output = session.execute(set, path.as_bytes(), dot).map_err(errors::of_execution)?;
        rendered.push((path.clone(), functions::without_no_value(output)));
    }
    rendered.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok((rendered, session.usage()))
}

/// Opens a scope in which values of a render live; at its end, cycles that templates have made are broken.
pub(crate) fn scope() -> Scope {
    Scope::enter()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `funcMap` of Helm's engine/funcs.go with sprig 3.3.0 and the functions of text/template, without `env` and
    /// `expandenv`.
    const NAMES: &str = include_str!("../../tests/data/function-names.txt");

    #[test]
    fn functions_are_those_of_helm() {
        let mut names: Vec<&str> = FUNCTIONS.names().collect();
        names.sort_unstable();
        assert_eq!(names, NAMES.lines().collect::<Vec<_>>());
    }

    #[test]
    fn deeper_paths_come_first() {
        let context = Map::new();
        let template = || Template { text: GoStr::default(), base_path: "".into(), context: context.clone() };
        let templates: Templates =
            ["a/t/x", "a/t/b", "a/charts/s/t/_h", "a/t/u/v"].map(|path| (path.to_owned(), template())).into();
        assert_eq!(ordered(&templates), ["a/charts/s/t/_h", "a/t/u/v", "a/t/x", "a/t/b"]);
    }
}
