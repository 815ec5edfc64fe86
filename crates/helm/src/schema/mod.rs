//! values.schema.json: what a chart demands of its values.
//!
//! The validator is our own, since Helm's messages show in which order the library it uses checks keywords, where it stops,
//! and that it matches patterns with Go's regular expressions.

mod compile;
mod format;
mod json;
mod location;
mod meta;
mod model;
mod number;
mod problem;
mod roots;
mod validate;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gostd::{GoStr, Map, Value};

use crate::tree::{NodeId, Tree};
use crate::{Chart, Error, SchemaViolation, Usage};
pub(crate) use compile::MOST_PARTS;
use compile::{Formats, compile};
use json::Json;
use model::Compiled;
use problem::Violation;
use roots::Documents;
pub(crate) use validate::MOST_STEPS;

/// The name under which Helm compiles a chart's schema.
const URL: &str = "file:///values.schema.json";

/// The compiled schemas of a chart and its subcharts, by the schema's text.
#[derive(Debug, Default)]
pub(crate) struct Schemas(Mutex<HashMap<GoStr, Arc<Result<Compiled, String>>>>);

impl Schemas {
    /// Returns the compiled schema.
    fn get(&self, text: &GoStr) -> Arc<Result<Compiled, String>> {
        let mut schemas = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        schemas.entry(text.clone()).or_insert_with(|| Arc::new(compile_chart_schema(text))).clone()
    }

    /// Checks the values of a chart and of its subcharts, each against its own schema.
    pub(crate) fn check(
        &self,
        tree: &Tree<'_>,
        chart: NodeId,
        values: &Map,
        warnings: &mut Vec<String>,
        usage: &mut Usage,
    ) -> Result<(), Error> {
        let mut report =
            Report { schemas: self, warnings, usage, text: String::new(), violations: Vec::new() };
        report.chart(tree, chart, values, "");
        let Report { text, violations, .. } = report;
        if text.is_empty() { Ok(()) } else { Err(Error::Schema { text, violations }) }
    }
}

/// Compiles the schemas of a chart and of its subcharts, whether or not they are enabled.
pub(crate) fn check_all(chart: &Chart, path: &str) -> Result<(), Error> {
    if let Some(schema) = &chart.schema {
        compile_chart_schema(schema)
            .map_err(|reason| Error::Chart(format!("{path}/values.schema.json cannot be used: {reason}")))?;
    }
    chart
        .dependencies
        .iter()
        .try_for_each(|chart| check_all(chart, &format!("{path}/charts/{}", chart.name())))
}

fn compile_chart_schema(text: &GoStr) -> Result<Compiled, String> {
    let document = Json::parse(text)?;
    compile(Documents::with(URL, document), URL, Formats::ByDraft)
}

struct Report<'r> {
    schemas: &'r Schemas,
    warnings: &'r mut Vec<String>,
    usage: &'r mut Usage,
    text: String,
    violations: Vec<SchemaViolation>,
}

impl Report<'_> {
    /// Adds what is wrong with the values of a chart at a path of the root's values (`/sub`).
    fn chart(&mut self, tree: &Tree<'_>, id: NodeId, values: &Map, path: &str) {
        let node = tree.node(id);
        if let Some(schema) = &node.chart.schema {
            self.schema(schema, node.name, values, path);
        }
        for child in &node.children {
            let name = tree.node(*child).name;
            match values.get(name) {
                None | Some(Value::Nil) => {}
                Some(Value::Map(table)) => {
                    let path = location::append(path, name);
                    self.chart(tree, *child, &table, &path);
                }
                Some(other) => {
                    let message = format!(
                        "invalid type for values: expected object (map), got {}",
                        if other.is_nil() { "<nil>" } else { other.type_name() }
                    );
                    self.text.push_str(&format!("{name}:\n{message}\n"));
                    let path = location::append(path, name);
                    self.violations.push(SchemaViolation { chart: name.to_owned(), path, message });
                }
            }
        }
    }

    fn schema(&mut self, text: &GoStr, chart: &str, values: &Map, path: &str) {
        let schema = self.schemas.get(text);
        let compiled = match schema.as_ref() {
            Ok(compiled) => compiled,
            Err(reason) => {
                self.text.push_str(&format!("{chart}:\n{reason}"));
                let message = format!("values.schema.json cannot be used: {reason}");
                self.violations.push(SchemaViolation {
                    chart: chart.to_owned(),
                    path: path.to_owned(),
                    message,
                });
                return;
            }
        };
        self.warnings.extend(compiled.warnings.iter().cloned());
        let (steps, result) = validate::validate_counted(compiled, &Value::Map(values.clone()));
        self.usage.schema_steps = self.usage.schema_steps.max(steps);
        self.usage.schema_parts = self.usage.schema_parts.max(compiled.schemas.len());
        if let Err(failure) = result {
            let lines = failure.lines();
            self.text.push_str(&format!("{chart}:{lines}\n"));
            for violation in &failure.violations {
                self.violation(chart, path, violation);
            }
        }
    }

    /// Lists the innermost causes, which say what to change.
    fn violation(&mut self, chart: &str, base: &str, violation: &Violation) {
        if violation.causes.is_empty() {
            let path =
                violation.path.iter().fold(base.to_owned(), |path, token| location::append(&path, token));
            let message = violation.problem.to_string();
            self.violations.push(SchemaViolation { chart: chart.to_owned(), path, message });
        }
        for cause in &violation.causes {
            self.violation(chart, base, cause);
        }
    }
}
