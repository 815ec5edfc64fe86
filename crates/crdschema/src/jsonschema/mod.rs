//! JSON schema → fields that take at least all it takes.
//!
//! What a structural schema cannot say (conditions, patterns of keys, dependencies, `not`) is left to Helm, which judges
//! the whole schema when it renders. What Helm judges with defaults merged in, such as `required`, is carried only where
//! the user's word alone decides.

mod references;
mod rules;

use gostd::regexp::Regexp;
use gostd::value::Frozen;
use serde_json::{Map, Number, Value};

use crate::field::{DEEPEST, Field, Others};
use crate::limits::{Bound, Limits};
use crate::types::Types;
use references::{Draft, References, Target};

/// A schema may come to this many fields once its references are followed.
const MOST_FIELDS: usize = 30_000;

/// The defaults that are merged into what the user gives before Helm judges it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known<'v> {
    /// There are none.
    Nothing,
    /// These.
    Default(&'v Frozen),
    /// Nobody can say.
    Unsure,
}

impl<'v> Known<'v> {
    fn key(self, key: &str) -> Self {
        match self {
            Known::Default(Frozen::Map(entries)) => entries
                .iter()
                .find(|(name, _)| name.as_bytes() == key.as_bytes())
                .map_or(Known::Nothing, |(_, value)| Known::Default(value)),
            Known::Default(_) => Known::Nothing,
            known => known,
        }
    }

    /// Returns the default map, empty if nothing is merged; `None` where nobody can say.
    fn map(self) -> Option<&'v [(gostd::GoStr, Frozen)]> {
        match self {
            Known::Default(Frozen::Map(entries)) => Some(entries),
            Known::Default(_) | Known::Nothing => Some(&[]),
            Known::Unsure => None,
        }
    }
}

/// Converts a chart's schema.
pub(crate) fn convert(schema: &Value, defaults: Known<'_>) -> Field {
    let mut converter =
        Converter { references: References::of(schema), active: Vec::new(), left: MOST_FIELDS, firm: true };
    converter.field(schema, defaults, 0)
}

/// Converts an annotation. Nobody enforces it, so what is known to be good may widen it.
pub(crate) fn annotation(schema: &Value) -> Field {
    let mut converter =
        Converter { references: References::of(schema), active: Vec::new(), left: MOST_FIELDS, firm: false };
    let mut field = converter.field(schema, Known::Unsure, 0);
    field.text = None;
    field
}

struct Converter<'s> {
    references: References<'s>,
    /// The references being followed, to see those that lead back to themselves.
    active: Vec<&'s Value>,
    /// How many more fields may be made.
    left: usize,
    firm: bool,
}

impl<'s> Converter<'s> {
    fn field(&mut self, schema: &'s Value, known: Known<'_>, depth: usize) -> Field {
        let open = Field { firm: self.firm, ..Field::default() };
        let Value::Object(keywords) = schema else { return open };
        if depth >= DEEPEST || self.left == 0 {
            return open;
        }
        self.left -= 1;
        let text = ["description", "title"].iter().find_map(|key| keywords.get(*key)?.as_str());
        let text = text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let referenced = keywords.get("$ref").and_then(Value::as_str);
        let referenced = referenced.map(|reference| self.reference(reference, known, depth));
        let field = match referenced {
            // Old drafts ignore whatever stands beside a reference.
            Some(field) if self.references.draft() < Draft::Newer => field,
            Some(field) => self.keywords(keywords, known, depth).both(field),
            None => self.keywords(keywords, known, depth),
        };
        Field { text: text.or(field.text), ..field }
    }

    fn reference(&mut self, reference: &str, known: Known<'_>, depth: usize) -> Field {
        let open = Field { firm: self.firm, ..Field::default() };
        match self.references.find(reference) {
            Target::Found(schema) if self.active.iter().any(|active| std::ptr::eq(*active, schema)) => {
                // A schema inside itself has no end; its outermost type can still be said.
                let types = schema.get("type").map_or(Types::ANY, named_types);
                Field { types, ..open }
            }
            Target::Found(schema) => {
                self.active.push(schema);
                let field = self.field(schema, known, depth + 1);
                self.active.pop();
                field
            }
            Target::Elsewhere => open,
        }
    }

    fn keywords(&mut self, keywords: &'s Map<String, Value>, known: Known<'_>, depth: usize) -> Field {
        let limits = limits(keywords, known, self.references.draft());
        let mut field = Field { firm: self.firm, limits, ..Field::default() };
        field.types = keywords.get("type").map_or(Types::ANY, named_types);
        if let Some(choices) = &field.limits.choices {
            let of_choices = choices.iter().fold(Types::NONE, |types, choice| types | Types::of_json(choice));
            let common = field.types.and(of_choices);
            field.types = if common == Types::NONE { field.types } else { common };
        }
        self.keys(&mut field, keywords, known, depth);
        self.items(&mut field, keywords, depth);
        for branch in schemas(keywords, "allOf") {
            let branch = self.field(branch, known, depth + 1);
            field = field.both(branch);
        }
        for alternatives in ["anyOf", "oneOf"] {
            let branches: Vec<_> = schemas(keywords, alternatives)
                .map(|branch| self.field(branch, known, depth + 1))
                .map(|branch| Field { text: None, ..branch })
                .collect();
            if let Some(any) = branches.into_iter().reduce(Field::either) {
                field = field.both(any);
            }
        }
        field
    }

    fn keys(&mut self, field: &mut Field, keywords: &'s Map<String, Value>, known: Known<'_>, depth: usize) {
        let properties = keywords.get("properties").and_then(Value::as_object);
        for (key, schema) in properties.into_iter().flatten() {
            let inner = self.field(schema, known.key(key), depth + 1);
            field.properties.insert(key.clone(), inner);
        }
        let patterns =
            keywords.get("patternProperties").and_then(Value::as_object).is_some_and(|map| !map.is_empty());
        field.others = match keywords.get("additionalProperties") {
            _ if patterns => Others::Open,
            Some(Value::Bool(false)) => Others::Closed,
            Some(schema @ Value::Object(_)) => {
                let known = match known.map() {
                    Some([]) => Known::Nothing,
                    _ => Known::Unsure,
                };
                let each = self.field(schema, known, depth + 1);
                if each.is_open() { Others::Open } else { Others::Each(Box::new(each)) }
            }
            _ => Others::Open,
        };
        // A default stands in for a key that the user leaves out.
        if let (Some(required), Some(defaults)) =
            (keywords.get("required").and_then(Value::as_array), known.map())
        {
            let given = |key: &&str| !defaults.iter().any(|(name, _)| name.as_bytes() == key.as_bytes());
            field.required =
                required.iter().filter_map(Value::as_str).filter(given).map(str::to_owned).collect();
        }
    }

    fn items(&mut self, field: &mut Field, keywords: &'s Map<String, Value>, depth: usize) {
        let items = keywords.get("items");
        let prefix: Vec<_> = match items {
            Some(Value::Array(items)) => items.iter().collect(),
            _ => schemas(keywords, "prefixItems").collect(),
        };
        let rest = match items {
            Some(Value::Array(_)) => keywords.get("additionalItems"),
            items => items,
        };
        // Nobody merges lists: an item is wholly the user's.
        let each =
            |converter: &mut Self, schema: &'s Value| converter.field(schema, Known::Nothing, depth + 1);
        let mut all: Vec<_> = prefix.iter().map(|schema| each(self, schema)).collect();
        match rest {
            Some(schema @ Value::Object(_)) => all.push(each(self, schema)),
            Some(Value::Bool(false)) => {}
            // Items behind the listed ones may be anything.
            _ if !all.is_empty() => return,
            _ => {}
        }
        let items =
            all.into_iter().reduce(Field::either).filter(|items| !items.is_open() || items.text.is_some());
        field.items = items.map(Box::new);
    }
}

fn schemas<'s>(keywords: &'s Map<String, Value>, name: &str) -> impl Iterator<Item = &'s Value> + use<'s> {
    keywords.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Reads `type`: a name or a list of names.
fn named_types(names: &Value) -> Types {
    let named = |name: &Value| match name.as_str() {
        Some("null") => Types::NULL,
        Some("boolean") => Types::BOOL,
        Some("integer") => Types::WHOLE,
        Some("number") => Types::NUMBER,
        Some("string") => Types::TEXT,
        Some("array") => Types::LIST,
        Some("object") => Types::MAP,
        _ => Types::NONE,
    };
    let types = match names {
        Value::Array(names) => names.iter().map(named).fold(Types::NONE, |all, one| all | one),
        name => named(name),
    };
    if types == Types::NONE { Types::ANY } else { types }
}

fn limits(keywords: &Map<String, Value>, known: Known<'_>, draft: Draft) -> Limits {
    let number = |name: &str| keywords.get(name).and_then(Value::as_number).cloned();
    let count = |name: &str| {
        let value = keywords.get(name)?;
        value.as_u64().or_else(|| {
            value.as_f64().filter(|count| *count >= 0.0 && count.fract() == 0.0).map(|count| count as u64)
        })
    };
    let bound = |name: &str, exclusive: &str| match keywords.get(exclusive) {
        // Draft 4 has a flag, later ones a number of its own.
        Some(Value::Bool(exclusive)) => number(name).map(|at| Bound { at, exclusive: *exclusive }),
        Some(Value::Number(at)) => tightest(number(name), at, exclusive),
        _ => number(name).map(|at| Bound { at, exclusive: false }),
    };
    let constant = keywords.get("const").filter(|_| draft > Draft::Four);
    let choices = match (constant, keywords.get("enum")) {
        (Some(value), _) => Some(vec![value.clone()]),
        (None, Some(Value::Array(choices))) => Some(choices.clone()),
        _ => None,
    };
    let patterns = keywords.get("pattern").and_then(Value::as_str);
    // Keys of a map are counted after defaults came in.
    let keys_are_given = matches!(known.map(), Some([]));
    Limits {
        // Maps are compared after defaults came in.
        choices: choices.filter(|choices| !choices.is_empty() && !choices.iter().any(Value::is_object)),
        minimum: bound("minimum", "exclusiveMinimum"),
        maximum: bound("maximum", "exclusiveMaximum"),
        multiple_of: number("multipleOf").filter(|step| step.as_i64().is_some_and(|step| step > 0)),
        min_length: count("minLength"),
        max_length: count("maxLength"),
        patterns: patterns
            .filter(|text| Regexp::compile(text).is_ok())
            .map(str::to_owned)
            .into_iter()
            .collect(),
        min_items: count("minItems"),
        max_items: count("maxItems"),
        min_properties: count("minProperties").filter(|_| keys_are_given),
        max_properties: count("maxProperties").filter(|_| keys_are_given),
        rules: rules::rules(keywords, known),
        conditions: if draft < Draft::Seven { Vec::new() } else { rules::conditions(keywords, known) },
    }
}

/// Picks between a bound that includes its number and one that excludes it.
fn tightest(inclusive: Option<Number>, exclusive: &Number, name: &str) -> Option<Bound> {
    let alone = Bound { at: exclusive.clone(), exclusive: true };
    let Some(inclusive) = inclusive else { return Some(alone) };
    let (a, b) = (inclusive.as_f64()?, exclusive.as_f64()?);
    let inclusive_is_tighter = if name == "exclusiveMinimum" { a > b } else { a < b };
    Some(if inclusive_is_tighter { Bound { at: inclusive, exclusive: false } } else { alone })
}

#[cfg(test)]
mod tests;
