//! Combining user values with charts' defaults (Helm's `chartutil/coalesce.go`).

use std::collections::HashSet;

use gostd::value::TooDeep;
use gostd::{GoStr, Map, Value, fmt};

use crate::Error;
use crate::tree::{NodeId, Tree};

/// The table that every subchart gets a copy of.
const GLOBAL: &str = "global";

/// Whether null in the winning side deletes what it stands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// Null deletes (`CoalesceValues`).
    Delete,
    /// Null stays (`MergeValues`).
    Keep,
}

/// Combines a chart's defaults, and its subcharts', into `dest`, which wins and is changed. Maps of `dest` are shared
/// with the result; defaults are copied.
pub(crate) fn coalesce(
    tree: &Tree<'_>,
    chart: NodeId,
    dest: &Map,
    nulls: Nulls,
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    Coalescer { tree, warnings }.chart(chart, dest, "", nulls)
}

/// Merges `src` into `dst`, which wins; both are changed (`chartutil.MergeTables`).
pub(crate) fn merge_tables(dst: &Map, src: &Map, warnings: &mut Vec<String>) {
    tables(dst, src, "", Nulls::Keep, warnings);
}

struct Coalescer<'t, 'c> {
    tree: &'t Tree<'c>,
    warnings: &'t mut Vec<String>,
}

impl Coalescer<'_, '_> {
    fn chart(&mut self, id: NodeId, dest: &Map, prefix: &str, nulls: Nulls) -> Result<(), Error> {
        self.defaults(id, dest, prefix, nulls)?;
        let tree = self.tree;
        let node = tree.node(id);
        if node.children.is_empty() {
            return Ok(());
        }
        let prefix = join(prefix, node.name);
        for child in &node.children {
            let name = tree.node(*child).name;
            let table = match dest.get(name) {
                Some(Value::Map(table)) => table,
                Some(other) => {
                    let shown = gostd::value::lossy(&fmt::sprintf(b"%t", &[other]));
                    return Err(Error::TypeMismatch { path: name.to_owned(), shown });
                }
                None => {
                    let table = Map::new();
                    put(dest, name, Value::Map(table.clone()));
                    table
                }
            };
            self.globals(&table, dest, &prefix);
            self.chart(*child, &table, &prefix, nulls)?;
        }
        Ok(())
    }

    fn defaults(&mut self, id: NodeId, dest: &Map, prefix: &str, nulls: Nulls) -> Result<(), Error> {
        let node = self.tree.node(id);
        let prefix = join(prefix, node.name);
        let defaults = node.defaults.copy().map_err(too_deep)?;
        for (key, default) in defaults.snapshot() {
            match dest.get_by(&key) {
                None => put(dest, key, default),
                Some(Value::Nil) if nulls == Nulls::Delete => {
                    dest.remove(&key);
                }
                Some(Value::Map(table)) => match default {
                    Value::Map(default) => {
                        let is_child = node.children.iter().any(|child| key == *self.tree.node(*child).name);
                        let nulls = if is_child { Nulls::Keep } else { nulls };
                        tables(&table, &default, &join(&prefix, &key.to_lossy()), nulls, self.warnings);
                    }
                    Value::Nil => {}
                    _ => {
                        self.warnings.push(format!("warning: skipped value for {prefix}.{key}: Not a table."))
                    }
                },
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Gives a subchart its parent's globals; the parent wins.
    fn globals(&mut self, dest: &Map, src: &Map, prefix: &str) {
        let Some(dest_globals) = globals_of(dest) else {
            let text = format!("warning: skipping globals because destination {GLOBAL} is not a table.");
            return self.warnings.push(text);
        };
        let Some(src_globals) = globals_of(src) else {
            let text = format!("warning: skipping globals because source {GLOBAL} is not a table.");
            return self.warnings.push(text);
        };
        for (key, value) in src_globals.snapshot() {
            match (value, dest_globals.get_by(&key)) {
                (Value::Map(table), existing) => {
                    self.global_table(&dest_globals, key, &table, existing, prefix)
                }
                (_, Some(Value::Map(_))) => self.warnings.push(format!("key {key} is table. Skipping")),
                (value, _) => put(&dest_globals, key, value),
            }
        }
        put(dest, GLOBAL, Value::Map(dest_globals));
    }

    fn global_table(&mut self, dest: &Map, key: GoStr, table: &Map, existing: Option<Value>, prefix: &str) {
        // A shallow copy: inner maps stay shared with the parent, which templates that use `set` can see.
        let copy: Map = table.snapshot().into_iter().collect();
        match existing {
            None => {}
            Some(Value::Map(existing)) => {
                tables(&copy, &existing, &join(prefix, &key.to_lossy()), Nulls::Keep, self.warnings);
            }
            Some(_) => {
                let quoted = gostd::strconv::quote(&key);
                return self
                    .warnings
                    .push(format!("Conflict: cannot merge map onto non-map for {quoted}. Skipping."));
            }
        }
        put(dest, key, Value::Map(copy));
    }
}

/// Returns the table of globals, an empty one if there is none, `None` if something else stands there.
fn globals_of(values: &Map) -> Option<Map> {
    match values.get(GLOBAL) {
        None => Some(Map::new()),
        Some(Value::Map(map)) => Some(map),
        Some(_) => None,
    }
}

/// Merges `src` into `dst`, which wins (`coalesceTablesFullKey`).
fn tables(dst: &Map, src: &Map, prefix: &str, nulls: Nulls, warnings: &mut Vec<String>) {
    if src.is_nil() || dst.is_nil() {
        return;
    }
    let defaults = src.snapshot();
    let set_by_default: HashSet<&GoStr> =
        defaults.iter().filter(|(_, value)| !value.is_nil()).map(|(key, _)| key).collect();
    for (key, value) in dst.snapshot() {
        if value.is_nil() {
            put(src, key, Value::Nil);
        }
    }
    for (key, value) in src.snapshot() {
        match (dst.get_by(&key), value) {
            (Some(Value::Nil), _) if nulls == Nulls::Delete && set_by_default.contains(&key) => {
                dst.remove(&key);
            }
            (None, value) => put(dst, key, value),
            (Some(Value::Map(table)), Value::Map(default)) => {
                tables(&table, &default, &join(prefix, &key.to_lossy()), nulls, warnings);
            }
            (Some(_), Value::Map(default)) => warnings.push(format!(
                "warning: cannot overwrite table with non table for {} ({})",
                join(prefix, &key.to_lossy()),
                shown(Value::Map(default))
            )),
            (Some(Value::Map(_)), value) if !value.is_nil() => warnings.push(format!(
                "warning: destination for {} is a table. Ignoring non-table value ({})",
                join(prefix, &key.to_lossy()),
                shown(value)
            )),
            _ => {}
        }
    }
}

fn shown(value: Value) -> String {
    gostd::value::lossy(&fmt::format_v(&value))
}

/// None of the maps that are combined is nil: they come from the YAML reader or from [`Map::new`].
fn put(map: &Map, key: impl Into<GoStr>, value: Value) {
    let _ = map.insert(key, value);
}

fn join(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}

fn too_deep(error: TooDeep) -> Error {
    Error::Values(error.to_string())
}
