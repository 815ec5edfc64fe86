//! A chart and the charts inside it → facts about all values, as the user of the outermost chart gives them.

use std::collections::BTreeMap;

use gostd::GoStr;
use gostd::value::Frozen;
use helm::Chart;
use helm::chart::Subchart;

use crate::facts::decide::schema_of;
use crate::facts::{Facts, Notes};
use crate::jsonschema::Known;
use crate::reads::{Reader, Reads, Uses};
use crate::types::Types;

const GLOBAL: &str = "global";

/// Charts nest at most this deep.
const DEEPEST_CHARTS: usize = 12;

/// What a chart tells.
pub(crate) struct Assembled {
    pub(crate) facts: Facts,
    /// The defaults of all charts together, as a user sees them.
    pub(crate) defaults: Frozen,
    /// Values files found in the charts, and the keys under which their chart's values stand.
    pub(crate) examples: Vec<(Vec<String>, Frozen)>,
}

/// Gathers what a chart tells about its values. With `elsewhere`, values may also come from outside the resource, so
/// nothing is demanded of it.
pub(crate) fn assemble(chart: &Chart, elsewhere: bool) -> Assembled {
    let defaults = coalesced(chart, 0);
    let mut assembler = Assembler { examples: Vec::new(), path: Vec::new(), elsewhere };
    let facts = assembler.chart(chart, &defaults, false);
    Assembled { facts, defaults, examples: assembler.examples }
}

struct Assembler {
    examples: Vec<(Vec<String>, Frozen)>,
    path: Vec<String>,
    elsewhere: bool,
}

impl Assembler {
    /// Gathers the facts of a chart. `optional` charts may be switched off, and then nobody checks their values.
    fn chart(&mut self, chart: &Chart, defaults: &Frozen, optional: bool) -> Facts {
        let notes = Notes::read(chart.values_text.as_bytes());
        let mut facts = Facts::of(&chart.values, &notes, &mut String::new(), 0);
        facts.defaults = Types::MAP;
        for (path, note) in &notes.extra {
            let facts = facts.at_path(path);
            facts.text = facts.text.take().or_else(|| note.text.clone());
            facts.hint = facts.hint.or(note.hint);
        }
        if self.path.len() < DEEPEST_CHARTS {
            for subchart in chart.subcharts() {
                self.subchart(&mut facts, &subchart, defaults, optional);
            }
        }
        let reads = reads(chart);
        facts.read(&reads, 0);
        if reads.uses.any(Uses::DUMPED) {
            facts.write_whole();
        }
        let known = if self.elsewhere || optional { Known::Unsure } else { Known::Default(defaults) };
        facts.schemas.extend(chart.schema.as_ref().and_then(|text| schema_of(text.as_bytes(), known)));
        let path = &self.path;
        let keys: Vec<&String> = facts.below.keys().collect();
        self.examples.extend(examples(chart, &keys).map(|example| (path.clone(), example)));
        facts
    }

    fn subchart(&mut self, facts: &mut Facts, subchart: &Subchart<'_>, defaults: &Frozen, optional: bool) {
        let Subchart { name, chart, declared } = *subchart;
        let switched = declared.is_some_and(|entry| !entry.condition.is_empty() || !entry.tags.is_empty());
        let empty = Frozen::Map(Vec::new());
        self.path.push(name.to_owned());
        let mut inner = self.chart(chart, get(defaults, name).unwrap_or(&empty), optional || switched);
        self.path.pop();
        let about = chart.metadata.description.trim();
        let about = if about.is_empty() { "another chart" } else { about.trim_end_matches('.') };
        inner.text = Some(format!("Values of the subchart {}: {about}.", chart.name()));
        // Globals are given once, at the top, and reach every chart.
        if let Some(global) = inner.below.get(GLOBAL).cloned() {
            merge(&mut facts.below, GLOBAL, Facts { schemas: Vec::new(), ..global });
        }
        inner.order = None;
        if let Some(imports) = declared.map(|entry| entry.import_values.as_slice()) {
            imports.iter().for_each(|import| import_values(facts, &inner, import));
        }
        merge(&mut facts.below, name, inner);
        if let Some(entry) = declared {
            let conditions = entry.condition.trim().split(',').filter(|path| !path.is_empty());
            let tags = entry.tags.iter().map(|tag| format!("tags.{tag}"));
            for path in conditions.map(str::to_owned).chain(tags) {
                let switch = facts.at_path(&path);
                switch.hint = switch.hint.or(Some(Types::BOOL));
                switch
                    .text
                    .get_or_insert_with(|| format!("Whether the subchart {name} is part of the release."));
            }
        }
    }
}

fn merge(below: &mut BTreeMap<String, Facts>, key: &str, facts: Facts) {
    let merged = match below.remove(key) {
        Some(known) => known.over(facts),
        None => facts,
    };
    below.insert(key.to_owned(), merged);
}

/// Adds what a chart imports from its subchart (`import-values`).
fn import_values(facts: &mut Facts, inner: &Facts, import: &Frozen) {
    let text = |key: &str| {
        get(import, key).and_then(|value| match value {
            Frozen::String(text) => Some(text.to_lossy().into_owned()),
            _ => None,
        })
    };
    let (child, parent) = match import {
        Frozen::String(data) => (format!("exports.{}", data.to_lossy()), ".".to_owned()),
        _ => match (text("child"), text("parent")) {
            (Some(child), Some(parent)) => (child, parent),
            _ => return,
        },
    };
    let Some(table) = child.split('.').try_fold(inner, |facts, key| facts.below.get(key)) else { return };
    let target = if parent == "." { facts } else { facts.at_path(&parent) };
    for (key, facts) in &table.below {
        merge(&mut target.below, key, facts.clone());
    }
}

/// Returns what a chart's templates read, those of the library charts it uses included: these are called with its values.
fn reads(chart: &Chart) -> Reads {
    let mut reader = Reader::default();
    let libraries = chart.dependencies.iter().filter(|subchart| subchart.metadata.is_library());
    for template in std::iter::once(chart).chain(libraries).flat_map(|chart| &chart.templates) {
        reader.template(template.data.as_bytes());
    }
    reader.finish()
}

/// Returns the values files that come with a chart: what its authors test it with shows what it takes.
fn examples(chart: &Chart, keys: &[&String]) -> impl Iterator<Item = Frozen> {
    let is_example = |name: &str| {
        let file = name.rsplit('/').next().unwrap_or_default();
        let yaml = name.ends_with(".yaml") || name.ends_with(".yml");
        let folder =
            ["ci/", "examples/", "example/", "values/"].iter().any(|folder| name.starts_with(folder));
        yaml && !name.starts_with("crds/") && (folder || file.contains("values"))
    };
    let files = chart.files.iter().filter(move |file| is_example(&file.name));
    files
        .filter_map(|file| goyaml::load_map(file.data.as_bytes()).ok())
        .filter_map(|values| {
            let frozen = Frozen::from(&gostd::Value::Map(values));
            // A file of something else shares no key with the chart's values.
            let Frozen::Map(entries) = &frozen else { return None };
            let known =
                entries.iter().any(|(key, _)| keys.iter().any(|known| known.as_bytes() == key.as_bytes()));
            known.then_some(frozen)
        })
        .collect::<Vec<_>>()
        .into_iter()
}

/// Returns the defaults of a chart with those of its subcharts under their names.
fn coalesced(chart: &Chart, depth: usize) -> Frozen {
    let mut all = match &chart.values {
        Frozen::Map(_) => chart.values.clone(),
        _ => Frozen::Map(Vec::new()),
    };
    if depth >= DEEPEST_CHARTS {
        return all;
    }
    let global = get(&all, GLOBAL).cloned();
    for subchart in chart.subcharts() {
        let mut inner = coalesced(subchart.chart, depth + 1);
        if let Some(global) = &global {
            inner = layered(&Frozen::Map(vec![(GoStr::from(GLOBAL), global.clone())]), &inner);
        }
        all = layered(&all, &Frozen::Map(vec![(GoStr::from(subchart.name), inner)]));
    }
    all
}

/// Lays maps over each other; the first wins. A null deletes, as a user's would.
fn layered(over: &Frozen, under: &Frozen) -> Frozen {
    let (Frozen::Map(over), Frozen::Map(under)) = (over, under) else { return over.clone() };
    let mut entries: BTreeMap<&GoStr, Frozen> =
        under.iter().map(|(key, value)| (key, value.clone())).collect();
    for (key, value) in over {
        let merged = match entries.get(key) {
            Some(below) => layered(value, below),
            None => value.clone(),
        };
        entries.insert(key, merged);
    }
    Frozen::Map(entries.into_iter().map(|(key, value)| (key.clone(), value)).collect())
}

fn get<'v>(value: &'v Frozen, key: &str) -> Option<&'v Frozen> {
    match value {
        Frozen::Map(entries) => {
            entries.iter().find(|(name, _)| name.as_bytes() == key.as_bytes()).map(|(_, value)| value)
        }
        _ => None,
    }
}
