//! What was found out about a chart's values, in numbers.

use crate::field::Field;
use crate::types::{Form, Types};

/// How much of a chart's values is typed and described. A leaf is a value without known keys of its own; items of lists
/// do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Values that have a default.
    pub leaves: usize,
    /// Those with a type that the schema can name: boolean, integer, number, string, integer or string, array, object.
    pub typed: usize,
    /// Those with a type that it cannot name, but which refuses something: lists and maps, or one of the two.
    pub mixed: usize,
    /// Those that the chart describes.
    pub described: usize,
    /// Those that are described by what their name means in Kubernetes.
    pub described_by_name: usize,
    /// Values without a default: known from templates, comments or a schema.
    pub extra: usize,
    /// Those of them with a type.
    pub extra_typed: usize,
    /// The fields whose content was left out to save space.
    pub folded: Vec<String>,
}

impl Report {
    pub(crate) fn of(spec: &Field) -> Self {
        let mut report = Self::default();
        report.count(spec);
        report
    }

    fn count(&mut self, field: &Field) {
        for field in field.properties.values() {
            if !field.is_leaf() {
                self.count(field);
                continue;
            }
            let form = field.form();
            let typed = usize::from(!matches!(form, Form::Any | Form::Scalar));
            if field.in_values {
                self.leaves += 1;
                self.typed += typed;
                self.mixed += usize::from(typed == 0 && !field.types.has(Types::LIST | Types::MAP));
                self.described += usize::from(field.text.is_some() && !field.general_text);
                self.described_by_name += usize::from(field.general_text);
            } else {
                self.extra += 1;
                self.extra_typed += typed;
            }
        }
    }

    /// Adds the numbers of another chart.
    pub fn add(&mut self, other: &Self) {
        self.leaves += other.leaves;
        self.typed += other.typed;
        self.mixed += other.mixed;
        self.described += other.described;
        self.described_by_name += other.described_by_name;
        self.extra += other.extra;
        self.extra_typed += other.extra_typed;
        self.folded.extend(other.folded.iter().cloned());
    }
}
