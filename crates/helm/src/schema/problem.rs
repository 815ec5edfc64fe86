//! What a value does wrong, in the words Helm prints.

use std::fmt;

use super::json::Json;
use super::location::escape;
use super::number::{shown_count, shown_float};

/// A value that breaks a schema: all violations found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    /// The schema's URL.
    pub(super) schema: String,
    pub(super) violations: Vec<Violation>,
}

/// A place in a value that breaks a schema.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Violation {
    /// Keys and indices from the root of the value.
    pub(super) path: Vec<String>,
    pub(super) problem: Problem,
    pub(super) causes: Vec<Violation>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Problem {
    /// Nobody asks what it is.
    Unsaid,
    InvalidType(&'static str),
    /// Several problems of one value.
    Group,
    Reference,
    Not,
    AllOf,
    AnyOf,
    OneOf(Option<(usize, usize)>),
    FalseSchema,
    Cycle {
        url: String,
        first: String,
        second: String,
    },
    Type {
        got: &'static str,
        want: Vec<&'static str>,
    },
    Enum(Vec<Json>),
    Const(Json),
    Format {
        got: String,
        name: &'static str,
        reason: String,
    },
    /// A keyword that counts, what there is, and its bound.
    Count(&'static str, usize, usize),
    /// A keyword that compares numbers, the number, and its bound.
    Number(&'static str, f64, f64),
    AdditionalItems(usize),
    Required(Vec<String>),
    Dependency {
        property: String,
        missing: Vec<String>,
    },
    AdditionalProperties(Vec<String>),
    PropertyNames(String),
    UniqueItems(usize, usize),
    Contains,
    MinContains {
        got: Vec<usize>,
        want: usize,
    },
    MaxContains {
        got: Vec<usize>,
        want: usize,
    },
    Pattern {
        got: String,
        want: String,
    },
    /// The check was given up.
    TooMuch,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "jsonschema validation failed with {}", quote(&self.schema))?;
        f.write_str(&self.lines())
    }
}

impl Failure {
    /// Returns the violations as lines, each preceded by a newline.
    pub(super) fn lines(&self) -> String {
        let mut out = String::new();
        for violation in &self.violations {
            violation.write(&mut out, 0);
        }
        out
    }
}

impl Violation {
    fn write(&self, out: &mut String, indent: usize) {
        // A reference that leads to one problem says nothing itself.
        let silent = self.problem == Problem::Reference && self.causes.len() == 1;
        if !silent {
            let pointer: String = self.path.iter().map(|token| format!("/{}", escape(token))).collect();
            out.push('\n');
            out.push_str(&"  ".repeat(indent));
            out.push_str(&format!("- at {}: {}", quote(&pointer), self.problem));
        }
        let indent = if silent { indent } else { indent + 1 };
        for cause in &self.causes {
            cause.write(out, indent);
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unsaid | Problem::Group | Problem::Reference => f.write_str("validation failed"),
            Problem::InvalidType(name) => write!(f, "invalid jsonType {name}"),
            Problem::Not => f.write_str("'not' failed"),
            Problem::AllOf => f.write_str("'allOf' failed"),
            Problem::AnyOf => f.write_str("'anyOf' failed"),
            Problem::OneOf(None) => f.write_str("'oneOf' failed, none matched"),
            Problem::OneOf(Some((a, b))) => {
                write!(f, "'oneOf' failed, subschemas {}, {} matched", shown_count(*a), shown_count(*b))
            }
            Problem::FalseSchema => f.write_str("false schema"),
            Problem::Cycle { url, first, second } => {
                let url = gostd::strconv::quote(url.as_bytes());
                write!(f, "both {first} and {second} resolve to {url} causing reference cycle")
            }
            Problem::Type { got, want } => write!(f, "got {got}, want {}", want.join(" or ")),
            Problem::Enum(want) => match shown_all(want) {
                None => f.write_str("'enum' failed"),
                Some(shown) if want.len() == 1 => write!(f, "value must be {shown}"),
                Some(shown) => write!(f, "value must be one of {shown}"),
            },
            Problem::Const(want) => match shown(want) {
                None => f.write_str("'const' failed"),
                Some(shown) => write!(f, "value must be {shown}"),
            },
            Problem::Format { got, name, reason } => {
                write!(f, "{} is not valid {name}: {reason}", quote(got))
            }
            Problem::Count(keyword, got, want) => {
                write!(f, "{keyword}: got {}, want {}", shown_count(*got), shown_count(*want))
            }
            Problem::Number(keyword, got, want) => {
                write!(f, "{keyword}: got {}, want {}", shown_float(*got), shown_float(*want))
            }
            Problem::AdditionalItems(count) => {
                write!(f, "last {} additionalItem(s) not allowed", shown_count(*count))
            }
            Problem::Required(missing) => {
                let noun = if missing.len() == 1 { "property" } else { "properties" };
                write!(f, "missing {noun} {}", quoted_list(missing))
            }
            Problem::Dependency { property, missing } => {
                write!(f, "properties {} required, if {} exists", quoted_list(missing), quote(property))
            }
            Problem::AdditionalProperties(names) => {
                write!(f, "additional properties {} not allowed", quoted_list(names))
            }
            Problem::PropertyNames(name) => write!(f, "invalid propertyName {}", quote(name)),
            Problem::UniqueItems(a, b) => {
                write!(f, "items at {} and {} are equal", shown_count(*a), shown_count(*b))
            }
            Problem::Contains => f.write_str("no items match contains schema"),
            Problem::MinContains { got, want } if got.is_empty() => {
                let want = shown_count(*want);
                write!(f, "min {want} items required to match contains schema, but none matched")
            }
            Problem::MinContains { got, want } => write_matched(f, "min", got, *want),
            Problem::MaxContains { got, want } => write_matched(f, "max", got, *want),
            Problem::Pattern { got, want } => {
                write!(f, "{} does not match pattern {}", quote(got), quote(want))
            }
            Problem::TooMuch => f.write_str("schema and value are too large or nest too deep to check"),
        }
    }
}

fn write_matched(f: &mut fmt::Formatter<'_>, bound: &str, got: &[usize], want: usize) -> fmt::Result {
    let places: Vec<String> = got.iter().map(usize::to_string).collect();
    write!(
        f,
        "{bound} {} items required to match contains schema, but matched {} items at {}",
        shown_count(want),
        shown_count(got.len()),
        places.join(" ")
    )
}

/// Shows a scalar of a schema.
fn shown(value: &Json) -> Option<String> {
    match value {
        Json::Null => Some("<nil>".to_owned()),
        Json::Bool(value) => Some(value.to_string()),
        Json::Number(text) => Some(text.clone()),
        Json::String(text) => Some(quote(text)),
        Json::Array(_) | Json::Object(_) => None,
    }
}

fn shown_all(values: &[Json]) -> Option<String> {
    Some(values.iter().map(shown).collect::<Option<Vec<_>>>()?.join(", "))
}

/// Puts single quotes around a text that is otherwise quoted as in Go.
pub(super) fn quote(text: &str) -> String {
    let quoted = gostd::strconv::quote(text.as_bytes()).replace("\\\"", "\"").replace('\'', "\\'");
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    format!("'{inner}'")
}

fn quoted_list(texts: &[String]) -> String {
    texts.iter().map(|text| quote(text)).collect::<Vec<_>>().join(", ")
}
