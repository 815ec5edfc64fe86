//! Which subcharts take part in a render, and what they hand up (Helm's `chartutil/dependencies.go`).

use gostd::value::Frozen;
use gostd::{GoStr, Map, Value, fmt};
use sprig::semver::{Constraints, Version};

use crate::Error;
use crate::chart::Chart;
use crate::tree::{Defaults, EntryId, Imports, NodeId, Tree};
use crate::values::coalesce::{Nulls, coalesce, merge_tables};
use crate::values::{path_value, table};

/// Fails if Chart.yaml lists a dependency that is not in `charts/`. Only names count.
pub(crate) fn check_present(chart: &Chart) -> Result<(), Error> {
    let declared = chart.metadata.dependencies.iter().flatten();
    let is_missing = |name: &String| !chart.dependencies.iter().any(|loaded| loaded.name() == *name);
    let missing: Vec<String> =
        declared.map(|entry| &entry.name).filter(|name| is_missing(name)).cloned().collect();
    if missing.is_empty() { Ok(()) } else { Err(Error::MissingDependencies(missing)) }
}

/// Reports whether a version satisfies a range; anything unreadable does not.
pub(crate) fn is_compatible(range: &str, version: &str) -> bool {
    let (Ok(version), Ok(range)) = (Version::parse(version), Constraints::parse(range)) else { return false };
    range.check(&version)
}

/// Enables, disables and renames subcharts for the given user values, then imports values upwards.
pub(crate) fn process(tree: &mut Tree<'_>, values: &Map, warnings: &mut Vec<String>) -> Result<(), Error> {
    let mut processor = Processor { tree, warnings };
    processor.enable(Tree::ROOT, values, "")?;
    processor.import(Tree::ROOT)
}

struct Processor<'t, 'c> {
    tree: &'t mut Tree<'c>,
    warnings: &'t mut Vec<String>,
}

impl Processor<'_, '_> {
    /// Settles the subcharts of one chart, then of those that stay. `values` stand for the user's; `path` leads from the
    /// root's values to this chart's.
    fn enable(&mut self, id: NodeId, values: &Map, path: &str) -> Result<(), Error> {
        let Some(declared) = self.tree.node(id).declared.clone() else { return Ok(()) };
        self.match_subcharts(id, &declared);
        for entry in &declared {
            self.tree.entry_mut(*entry).enabled = true;
        }
        let combined = copy(values)?;
        coalesce(self.tree, id, &combined, Nulls::Delete, self.warnings)?;
        self.apply_tags(&declared, &combined);
        self.apply_conditions(&declared, &combined, path);
        let disabled: Vec<&str> = declared
            .iter()
            .map(|entry| self.tree.entry(*entry))
            .filter(|entry| !entry.enabled)
            .map(|entry| entry.name)
            .collect();
        let mut children = self.tree.node(id).children.clone();
        children.retain(|child| !disabled.contains(&self.tree.node(*child).name));
        let mut kept = declared.clone();
        kept.retain(|entry| !disabled.contains(&self.tree.entry(*entry).name));
        for child in &children {
            let path = format!("{path}{}.", self.tree.node(*child).name);
            self.enable(*child, &combined, &path)?;
        }
        self.tree.node_mut(id).declared = (!kept.is_empty()).then_some(kept);
        self.tree.set_children(id, children);
        Ok(())
    }

    /// Replaces the loaded subcharts by those the declarations ask for: undeclared ones stay, declared ones are copied
    /// once per entry.
    fn match_subcharts(&mut self, id: NodeId, declared: &[EntryId]) {
        let loaded = self.tree.node(id).children.clone();
        let mut children = loaded.clone();
        children.retain(|child| !declared.iter().any(|entry| self.fits(*entry, *child)));
        for entry in declared {
            let alias = self.tree.entry(*entry).declared.alias.as_str();
            if let Some(child) = loaded.iter().find(|child| self.fits(*entry, **child)) {
                let mut copy = self.tree.node(*child).clone();
                if !alias.is_empty() {
                    copy.name = alias;
                }
                children.push(self.tree.add(copy));
            }
            if !alias.is_empty() {
                self.tree.entry_mut(*entry).name = alias;
            }
        }
        self.tree.set_children(id, children);
    }

    fn fits(&self, entry: EntryId, child: NodeId) -> bool {
        let (entry, child) = (self.tree.entry(entry), self.tree.node(child));
        entry.name == child.name && is_compatible(&entry.declared.version, &child.chart.metadata.version)
    }

    fn apply_tags(&mut self, declared: &[EntryId], values: &Map) {
        let Ok(tags) = table(values, "tags") else { return };
        for id in declared {
            let entry = self.tree.entry(*id);
            let (mut any_true, mut any_false) = (false, false);
            for tag in &entry.declared.tags {
                match tags.get(tag) {
                    None => {}
                    Some(Value::Bool(true)) => any_true = true,
                    Some(Value::Bool(false)) => any_false = true,
                    Some(_) => self.warnings.push(format!(
                        "Warning: Tag '{tag}' for chart {} returned non-bool value",
                        entry.name
                    )),
                }
            }
            self.tree.entry_mut(*id).enabled = any_true || !any_false;
        }
    }

    fn apply_conditions(&mut self, declared: &[EntryId], values: &Map, path: &str) {
        for id in declared {
            let entry = self.tree.entry(*id);
            for condition in entry.declared.condition.trim().split(',').filter(|part| !part.is_empty()) {
                match path_value(values, format!("{path}{condition}")) {
                    Ok(Value::Bool(enabled)) => {
                        self.tree.entry_mut(*id).enabled = enabled;
                        break;
                    }
                    Ok(_) => self.warnings.push(format!(
                        "Warning: Condition path '{condition}' for chart {} returned non-bool value",
                        entry.name
                    )),
                    Err(_) => {}
                }
            }
        }
    }

    /// Imports values into all charts that still declare dependencies, the deepest first.
    fn import(&mut self, id: NodeId) -> Result<(), Error> {
        for child in self.tree.node(id).children.clone() {
            self.import(child)?;
        }
        let Some(declared) = self.tree.node(id).declared.clone() else { return Ok(()) };
        let defaults = Map::new();
        coalesce(self.tree, id, &defaults, Nulls::Keep, self.warnings)?;
        let imported = Map::new();
        for entry in declared {
            let done = self.import_entry(entry, &defaults, &imported);
            self.tree.entry_mut(entry).imports = Imports::Done(done);
        }
        // A copy, since imported tables are shared with the subcharts' own.
        let defaults = copy(&defaults)?;
        merge_tables(&defaults, &imported, self.warnings);
        self.tree.node_mut(id).defaults = Defaults::Merged(defaults);
        Ok(())
    }

    /// Imports what one entry asks for and returns its normalized form.
    fn import_entry(&mut self, id: EntryId, defaults: &Map, imported: &Map) -> Vec<(String, String)> {
        let entry = self.tree.entry(id);
        if matches!(entry.imports, Imports::Done(_)) {
            return Vec::new();
        }
        let (name, declared) = (entry.name, entry.declared);
        let mut done = Vec::new();
        for import in &declared.import_values {
            let (child, parent, chart) = match import {
                Frozen::String(data) => (format!("exports.{data}"), ".".to_owned(), String::new()),
                Frozen::Map(_) => {
                    let pair = import.thaw_map();
                    let text = |key| gostd::value::lossy(&fmt::format_v(&pair.get(key).unwrap_or_default()));
                    (text("child"), text("parent"), format!(" from chart {name}"))
                }
                _ => continue,
            };
            match table(defaults, format!("{name}.{child}")) {
                Ok(values) => merge_tables(imported, &nest(&parent, values), self.warnings),
                Err(error) => {
                    self.warnings.push(format!("Warning: ImportValues missing table{chart}: {error}"));
                }
            }
            done.push((child, parent));
        }
        done
    }
}

/// Puts a table under a dotted path; `.` is the root.
fn nest(path: &str, values: Map) -> Map {
    let values = if values.is_empty() { Map::new() } else { values };
    if path == "." {
        return values;
    }
    path.rsplit('.').fold(values, |inner, key| [(GoStr::from(key), Value::Map(inner))].into_iter().collect())
}

fn copy(values: &Map) -> Result<Map, Error> {
    match gostd::value::deep_copy(&Value::Map(values.clone())) {
        Ok(Value::Map(copy)) if !copy.is_nil() => Ok(copy),
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(Error::Values(error.to_string())),
    }
}
