//! Checking values against compiled schemas.
//!
//! What is checked first, and what is not checked once something failed, shows in the messages; the order here is that of
//! github.com/santhosh-tekuri/jsonschema v6, with map entries in the order of their keys.

mod keywords;
mod unevaluated;

use gostd::Value;

use super::json::Json;
use super::location::escape;
use super::model::{Compiled, Draft, Id, Schema};
use super::number::Decimal;
use super::problem::{Failure, Problem, Violation};
use unevaluated::Unevaluated;

/// How much one check may do: applications of schemas, and elements of paths copied for violations.
pub(crate) const MOST_STEPS: usize = 2_000_000;
/// Bytes of native stack that schemas applied inside each other may take: half of what threads usually have.
const MOST_STACK: usize = 1 << 20;

/// Checks a value; the error lists all violations.
pub(super) fn validate(compiled: &Compiled, value: &Value) -> Result<(), Failure> {
    validate_counted(compiled, value).1
}

/// Checks a value, and returns the steps that took too.
pub(super) fn validate_counted(compiled: &Compiled, value: &Value) -> (usize, Result<(), Failure>) {
    let marker = 0_u8;
    let stack_base = std::ptr::from_ref(&marker).addr();
    let mut validator = Validator { compiled, path: Vec::new(), steps: 0, stack_base, gave_up: false };
    let result = validator.check_root(compiled.start, value);
    // Whatever was found then is not to be trusted: a schema that could not be applied may stand under `not`.
    let result = if validator.gave_up {
        Err(vec![Violation { path: Vec::new(), problem: Problem::TooMuch, causes: Vec::new() }])
    } else {
        result
    };
    let schema = || compiled.get(compiled.start).location.clone();
    (validator.steps, result.map_err(|violations| Failure { schema: schema(), violations }))
}

struct Validator<'c> {
    compiled: &'c Compiled,
    /// Where the value under check stands.
    path: Vec<String>,
    steps: usize,
    /// The address of a local variable of the outermost check.
    stack_base: usize,
    /// The check became too much.
    gave_up: bool,
}

/// The schemas being applied, innermost first.
#[derive(Clone, Copy)]
struct Scope<'s> {
    schema: Id,
    /// The keyword of the reference that led here, empty for other keywords.
    keyword: &'static str,
    /// How many values are around the one under check.
    level: usize,
    parent: Option<&'s Scope<'s>>,
}

/// One schema applied to one value.
struct Check<'v, 'c, 's> {
    schema: &'c Schema,
    value: &'v Value,
    scope: Scope<'s>,
    unevaluated: Unevaluated,
    /// Only whether the value fits is asked for, so the check may stop early.
    quiet: bool,
    violations: Vec<Violation>,
}

impl<'c> Validator<'c> {
    /// Checks a value as the root of its own paths.
    fn check_root(&mut self, schema: Id, value: &Value) -> Result<(), Vec<Violation>> {
        let scope = Scope { schema, keyword: "", level: 0, parent: None };
        let mut unevaluated = Unevaluated::of(value, self.compiled.get(schema), false);
        self.apply(scope, value, &mut unevaluated, false).map_err(|violation| match violation.problem {
            Problem::Group => violation.causes,
            _ => vec![violation],
        })
    }

    /// Applies a schema to a value. What it evaluates is taken out of `unevaluated`.
    fn apply(
        &mut self,
        scope: Scope<'_>,
        value: &Value,
        unevaluated: &mut Unevaluated,
        quiet: bool,
    ) -> Result<(), Violation> {
        if self.is_too_much() {
            return Err(self.violation(true, || Problem::TooMuch));
        }
        let schema = self.compiled.get(scope.schema);
        let mut check = Check {
            schema,
            value,
            scope,
            unevaluated: std::mem::take(unevaluated),
            quiet,
            violations: Vec::new(),
        };
        let result = self.run(&mut check);
        *unevaluated = std::mem::take(&mut check.unevaluated);
        result?;
        match check.violations.len() {
            0 => Ok(()),
            1 => check.violations.pop().map_or(Ok(()), Err),
            _ => Err(Violation { causes: check.violations, ..self.violation(quiet, || Problem::Group) }),
        }
    }

    /// Counts a step; reports whether the check has to be given up.
    fn is_too_much(&mut self) -> bool {
        let marker = 0_u8;
        let here = std::ptr::from_ref(&marker).addr();
        self.steps += 1 + self.path.len() / 8;
        self.gave_up |= self.steps > MOST_STEPS || self.stack_base.abs_diff(here) > MOST_STACK;
        self.gave_up
    }

    /// The error is one that ends the check at once.
    fn run(&mut self, check: &mut Check<'_, 'c, '_>) -> Result<(), Violation> {
        let (schema, value, quiet) = (check.schema, check.value, check.quiet);
        if let Some(allowed) = schema.boolean {
            return if allowed { Ok(()) } else { Err(self.violation(quiet, || Problem::FalseSchema)) };
        }
        self.check_cycle(check)?;
        let found = type_name(value);
        if found.is_empty() {
            return Err(self.violation(quiet, || Problem::InvalidType(value.type_name())));
        }
        if let Some(types) = schema.types {
            let integral = || found == "number" && types.contains("integer") && is_integer(value);
            if !types.contains(found) && !integral() {
                return Err(self.violation(quiet, || Problem::Type { got: found, want: types.names() }));
            }
        }
        if let Some(constant) = &schema.constant
            && !equals(value, constant)
        {
            return Err(self.violation(quiet, || Problem::Const(constant.clone())));
        }
        if let Some(values) = &schema.enumeration
            && !values.iter().any(|allowed| equals(value, allowed))
        {
            return Err(self.violation(quiet, || Problem::Enum(values.clone())));
        }
        self.check_format(check)?;
        if let Some(target) = schema.reference {
            let result = self.follow(check, target, "$ref");
            if schema.draft < Draft::Draft2019 {
                return result;
            }
            check.violations.extend(result.err());
        }
        self.keywords(check);
        Ok(())
    }

    fn check_format(&self, check: &Check<'_, '_, '_>) -> Result<(), Violation> {
        let (Some(format), Some(text)) = (check.schema.format, check.value.as_str()) else { return Ok(()) };
        let text = text.to_lossy();
        format.check(&text).map_err(|reason| {
            self.violation(check.quiet, || Problem::Format {
                got: text.to_string(),
                name: format.name(),
                reason,
            })
        })
    }

    /// A schema that leads to itself without going into the value never ends.
    fn check_cycle(&self, check: &Check<'_, '_, '_>) -> Result<(), Violation> {
        let mut parent = check.scope.parent;
        while let Some(scope) = parent.filter(|scope| scope.level == check.scope.level) {
            if scope.schema == check.scope.schema {
                return Err(self.violation(check.quiet, || Problem::Cycle {
                    url: check.schema.location.clone(),
                    first: self.keyword_location(&check.scope),
                    second: self.keyword_location(scope),
                }));
            }
            parent = scope.parent;
        }
        Ok(())
    }

    fn keyword_location(&self, scope: &Scope<'_>) -> String {
        let mut parts = Vec::new();
        let mut scope = scope;
        while let Some(parent) = scope.parent {
            parts.push(if scope.keyword.is_empty() {
                let outer = &self.compiled.get(parent.schema).location;
                let inner = &self.compiled.get(scope.schema).location;
                inner.get(outer.len()..).unwrap_or_default().to_owned()
            } else {
                format!("/{}", escape(scope.keyword))
            });
            scope = parent;
        }
        parts.reverse();
        parts.concat()
    }

    /// Applies another schema to the same value.
    fn apply_self(
        &mut self,
        check: &mut Check<'_, 'c, '_>,
        schema: Id,
        keyword: &'static str,
        quiet: bool,
    ) -> Result<(), Violation> {
        let scope = Scope { schema, keyword, level: check.scope.level, parent: Some(&check.scope) };
        let needed = !check.unevaluated.is_empty();
        let mut unevaluated = Unevaluated::of(check.value, self.compiled.get(schema), needed);
        self.apply(scope, check.value, &mut unevaluated, check.quiet || quiet)?;
        check.unevaluated.keep(&unevaluated);
        Ok(())
    }

    /// Applies a schema to a part of the value.
    fn apply_part(
        &mut self,
        check: &Check<'_, 'c, '_>,
        schema: Id,
        part: &Value,
        token: impl FnOnce() -> String,
    ) -> Result<(), Violation> {
        let scope = Scope { schema, keyword: "", level: check.scope.level + 1, parent: Some(&check.scope) };
        let mut unevaluated = Unevaluated::of(part, self.compiled.get(schema), false);
        self.path.push(token());
        let result = self.apply(scope, part, &mut unevaluated, check.quiet);
        self.path.pop();
        result
    }

    /// Applies the schema a reference leads to.
    fn follow(
        &mut self,
        check: &mut Check<'_, 'c, '_>,
        target: Id,
        keyword: &'static str,
    ) -> Result<(), Violation> {
        self.apply_self(check, target, keyword, false).map_err(|violation| {
            let causes = match violation.problem {
                Problem::Group => violation.causes,
                _ => vec![violation],
            };
            Violation { causes, ..self.violation(check.quiet, || Problem::Reference) }
        })
    }

    fn violation(&self, quiet: bool, problem: impl FnOnce() -> Problem) -> Violation {
        if quiet || self.gave_up {
            return Violation { path: Vec::new(), problem: Problem::Unsaid, causes: Vec::new() };
        }
        Violation { path: self.path.clone(), problem: problem(), causes: Vec::new() }
    }

    fn add(&self, check: &mut Check<'_, '_, '_>, problem: impl FnOnce() -> Problem) {
        let violation = self.violation(check.quiet, problem);
        check.violations.push(violation);
    }
}

/// Returns JSON's name of a value's type, an empty text for what JSON cannot hold.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Nil => "null",
        Value::Bool(_) => "boolean",
        Value::Float64(number) if !number.is_finite() => "",
        Value::Float64(_) | Value::Int(_) | Value::Int64(_) | Value::Uint8(_) | Value::Uint64(_) => "number",
        Value::String(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
        Value::Complex(..) | Value::Bytes(_) | Value::Object(_) => "",
    }
}

fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Float64(number) => Decimal::of_float(*number),
        Value::Int(number) | Value::Int64(number) => Decimal::parse(&number.to_string()),
        Value::Uint8(number) => Decimal::parse(&number.to_string()),
        Value::Uint64(number) => Decimal::parse(&number.to_string()),
        _ => None,
    }
}

fn is_integer(value: &Value) -> bool {
    decimal(value).is_some_and(|number| number.is_integer())
}

/// Compares a value with one of a schema: numbers by what they are worth.
fn equals(value: &Value, other: &Json) -> bool {
    match (value, other) {
        (Value::Nil, Json::Null) => true,
        (Value::Bool(a), Json::Bool(b)) => a == b,
        (Value::String(a), Json::String(b)) => *a == b.as_str(),
        (Value::List(list), Json::Array(others)) => list.with(|items| {
            items.len() == others.len() && items.iter().zip(others).all(|(item, other)| equals(item, other))
        }),
        (Value::Map(map), Json::Object(others)) => {
            map.len() == others.len()
                && others.iter().all(|(key, other)| map.get(key).is_some_and(|value| equals(&value, other)))
        }
        (value, Json::Number(text)) => {
            decimal(value).is_some_and(|number| Some(number) == Decimal::parse(text))
        }
        _ => false,
    }
}
