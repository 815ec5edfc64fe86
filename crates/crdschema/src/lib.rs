//! The typed API of a chart: a structural schema for its values, inferred from the unchanged chart.
//!
//! ```text
//! chart -> facts (values.yaml, its comments, what templates read, subcharts, values.schema.json)
//!       -> fields (types decided, examples admitted)
//!       -> schema (folded to fit, written as a CustomResourceDefinition takes it)
//! ```
//!
//! The schema refuses nothing that Helm would take: null is taken everywhere, since it deletes a default; unknown keys
//! are kept; a text may stand for a number where the templates do not mind. Where a chart has values.schema.json, Helm
//! refuses what that refuses, and so does the schema, as far as a structural schema can say it.
//!
//! Everything here is pure. Whoever applies the CustomResourceDefinition adds names, columns and the rest.

mod assemble;
mod compare;
mod condition;
mod describe;
mod facts;
mod field;
mod fold;
mod json;
mod jsonschema;
mod limits;
mod reads;
mod reference;
mod replicas;
mod report;
mod sample;
mod structural;
mod types;
mod validate;

use gostd::value::Frozen;
use helm::Chart;
use serde_json::{Value, json};

pub use compare::{Change, compare};
pub use condition::Condition;
pub use field::{Field, Others};
pub use json::to_json;
pub use limits::{Bound, Limits};
pub use reference::reference;
pub use report::Report;
pub use types::{Form, Types};
pub use validate::{Fault, validate};

/// How much of what is known the schema says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Types where they are sure, and nothing refused that Helm would take.
    #[default]
    Auto,
    /// Types exactly as the defaults have them, and no unknown keys.
    Strict,
    /// Anything goes.
    Open,
}

/// The largest schema by default, in bytes of JSON: the API server's store takes objects up to 1.5 MiB.
pub const BUDGET: usize = 900 * 1024;

/// What to infer.
#[derive(Clone, Debug)]
pub struct Options {
    /// How much the schema says.
    pub mode: Mode,
    /// The largest schema, in bytes of JSON.
    pub budget: usize,
    /// The value that holds the number of replicas, as `a.b`; found by its name if not given.
    pub replicas: Option<String>,
    /// Whether values also come from outside the resource, so that nothing may be demanded of it.
    pub elsewhere: bool,
    /// Whether the values files that come with a chart count as evidence of what it takes.
    pub examples: bool,
    /// More values that the chart is known to take.
    pub more_examples: Vec<Frozen>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::Auto,
            budget: BUDGET,
            replicas: None,
            elsewhere: false,
            examples: true,
            more_examples: Vec::new(),
        }
    }
}

/// The typed API of a chart's values.
#[derive(Clone, Debug)]
pub struct Api {
    /// The values: the resource's spec.
    pub spec: Field,
    /// The keys that lead to the number of replicas: those the options name, if the chart has such a value, or those
    /// found.
    pub replicas: Option<Vec<String>>,
    /// What was found out.
    pub report: Report,
}

impl Api {
    /// Infers the API of a chart.
    pub fn of(chart: &Chart, options: &Options) -> Self {
        let assembled = assemble::assemble(chart, options.elsewhere);
        let replicas = replicas::find(&assembled.facts, options.replicas.as_deref());
        let mut spec = facts::decide::decide(assembled.facts, "", "", options.mode);
        spec.types = Types::MAP;
        spec.default = None;
        spec.text = Some("Values of the chart, as in its values.yaml.".to_owned());
        if options.mode != Mode::Strict {
            spec.admit(&assembled.defaults);
            options.more_examples.iter().for_each(|example| spec.admit(example));
            for (path, example) in assembled.examples.iter().filter(|_| options.examples) {
                if let Some(field) = spec.at_mut(path) {
                    field.admit(example);
                }
            }
        }
        if let Some(field) = replicas.as_ref().and_then(|path| spec.at_mut(path)) {
            replicas::narrow(field);
        }
        facts::decide::describe_by_name(&mut spec, "");
        let mut report = Report::of(&spec);
        if options.mode == Mode::Open {
            spec = Field { text: spec.text, ..Field::of(Types::MAP) };
        }
        report.folded = fold::fold(&mut spec, options.budget);
        Self { spec, replicas, report }
    }

    /// Returns the structural schema of the spec.
    pub fn schema(&self) -> Value {
        structural::schema(&self.spec)
    }

    /// Returns an example of the spec: a number of replicas, where there is one, and what the chart demands.
    pub fn sample(&self) -> Value {
        sample::sample(self)
    }

    /// Returns the path that a scale subresource names, such as `.spec.replicaCount`.
    pub fn replicas_path(&self) -> Option<String> {
        self.replicas.as_ref().map(|path| format!(".spec.{}", path.join(".")))
    }
}

/// Returns a schema of the whole resource: of the spec given, with any status.
pub fn resource(spec: Value, status: Value, text: &str) -> Value {
    json!({
        "type": "object",
        "description": text,
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": spec,
            "status": status,
        },
    })
}

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
