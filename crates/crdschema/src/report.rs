//! What was found out about a chart's values, in numbers.

use crate::field::Field;
use crate::types::Form;

/// How much of a chart's values is typed and described. A leaf is a value without known keys of its own; items of lists
/// do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Values that have a default.
    pub leaves: usize,
    /// Those with a type that the schema can name: boolean, integer, number, string, integer or string, array, object.
    pub typed: usize,
    /// Those of which only lists and maps are refused.
    pub scalars: usize,
    /// Those with a description.
    pub described: usize,
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
                self.scalars += usize::from(form == Form::Scalar);
                self.described += usize::from(field.text.is_some());
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
        self.scalars += other.scalars;
        self.described += other.described;
        self.extra += other.extra;
        self.extra_typed += other.extra_typed;
        self.folded.extend(other.folded.iter().cloned());
    }
}
