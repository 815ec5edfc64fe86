//! Sets of JSON types, and what a structural schema makes of them.

use std::ops::BitOr;

use gostd::value::Frozen;
use serde_json::Value;

/// A set of the types a value may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types(u8);

impl Types {
    /// No type at all.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// `true` and `false`.
    pub const BOOL: Self = Self(1 << 1);
    /// Numbers without a fraction that fit 64 bits, as the API server sees them.
    pub const WHOLE: Self = Self(1 << 2);
    /// All other numbers.
    pub const FRACTION: Self = Self(1 << 3);
    /// Strings.
    pub const TEXT: Self = Self(1 << 4);
    /// Arrays.
    pub const LIST: Self = Self(1 << 5);
    /// Objects.
    pub const MAP: Self = Self(1 << 6);
    /// Numbers of any kind.
    pub const NUMBER: Self = Self(Self::WHOLE.0 | Self::FRACTION.0);
    /// What a text or a whole number may be given for.
    pub const TEXT_OR_WHOLE: Self = Self(Self::WHOLE.0 | Self::TEXT.0);
    /// Everything but arrays and objects; null included.
    pub const SCALAR: Self = Self(Self::NULL.0 | Self::BOOL.0 | Self::NUMBER.0 | Self::TEXT.0);
    /// Everything.
    pub const ANY: Self = Self((1 << 7) - 1);

    /// Returns the type of a value.
    pub fn of(value: &Frozen) -> Self {
        match value {
            Frozen::Nil => Self::NULL,
            Frozen::Bool(_) => Self::BOOL,
            Frozen::Int64(_) => Self::WHOLE,
            Frozen::Float64(number) if is_whole(*number) => Self::WHOLE,
            Frozen::Float64(_) => Self::FRACTION,
            Frozen::String(_) => Self::TEXT,
            Frozen::List(_) => Self::LIST,
            Frozen::Map(_) => Self::MAP,
        }
    }

    /// Returns the type of a JSON value.
    pub fn of_json(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOL,
            Value::Number(number) if number.is_i64() => Self::WHOLE,
            Value::Number(number) if number.as_f64().is_some_and(is_whole) => Self::WHOLE,
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::TEXT,
            Value::Array(_) => Self::LIST,
            Value::Object(_) => Self::MAP,
        }
    }

    /// Reports whether all of `other` is in this set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Reports whether some of `other` is in this set.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns what is in both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns what is in this set and not in the other.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns what a structural schema can say of the set, null aside.
    pub fn form(self) -> Form {
        let rest = self.without(Self::NULL);
        match rest {
            Self::BOOL => Form::Boolean,
            Self::WHOLE => Form::Integer,
            Self::FRACTION | Self::NUMBER => Form::Number,
            Self::TEXT => Form::String,
            Self::TEXT_OR_WHOLE => Form::IntOrString,
            Self::LIST => Form::Array,
            Self::MAP => Form::Object,
            Self::NONE => Form::Any,
            _ if Self::SCALAR.has(rest) => Form::Scalar,
            _ => Form::Any,
        }
    }
}

impl BitOr for Types {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Reports whether the API server takes a number for an integer.
fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < 9_223_372_036_854_775_808.0
}

/// The ways a structural schema can say which values a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `type: boolean`.
    Boolean,
    /// `type: integer`.
    Integer,
    /// `type: number`.
    Number,
    /// `type: string`.
    String,
    /// `x-kubernetes-int-or-string`.
    IntOrString,
    /// `type: array`.
    Array,
    /// `type: object`.
    Object,
    /// Any string, number or boolean: there is no type for it, but lists and maps can be kept out.
    Scalar,
    /// Nothing can be said.
    Any,
}

impl Form {
    /// Returns the name readers of a reference know.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Boolean => "boolean",
            Form::Integer => "integer",
            Form::Number => "number",
            Form::String => "string",
            Form::IntOrString => "integer or string",
            Form::Array => "array",
            Form::Object => "object",
            Form::Scalar => "string, number or boolean",
            Form::Any => "any",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_the_tightest_that_takes_all() {
        let all = [
            (Types::BOOL, Form::Boolean),
            (Types::WHOLE | Types::NULL, Form::Integer),
            (Types::NUMBER, Form::Number),
            (Types::TEXT, Form::String),
            (Types::TEXT_OR_WHOLE | Types::NULL, Form::IntOrString),
            (Types::TEXT | Types::NUMBER, Form::Scalar),
            (Types::BOOL | Types::TEXT, Form::Scalar),
            (Types::LIST, Form::Array),
            (Types::MAP | Types::NULL, Form::Object),
            (Types::MAP | Types::TEXT, Form::Any),
            (Types::NULL, Form::Any),
            (Types::ANY, Form::Any),
        ];
        for (types, form) in all {
            assert_eq!(types.form(), form, "{types:?}");
        }
    }

    #[test]
    fn whole_numbers_are_what_the_api_server_takes_for_integers() {
        assert_eq!(Types::of(&Frozen::Float64(1e10)), Types::WHOLE);
        assert_eq!(Types::of(&Frozen::Float64(1e19)), Types::FRACTION);
        assert_eq!(Types::of(&Frozen::Float64(0.5)), Types::FRACTION);
        assert_eq!(Types::of_json(&serde_json::json!(3)), Types::WHOLE);
        assert_eq!(Types::of_json(&serde_json::json!(18446744073709551615u64)), Types::FRACTION);
    }
}
