//! Decoding straight into values.

use std::str;

use gostd::value::{Recent, lossy};
use gostd::{GoStr, Value, strconv};

use super::MAX_DEPTH;
use super::decoder::{Build, Stop};
use crate::node::NodeData;
use crate::resolve::Scalar;
use crate::token::Text;

/// Makes what JSON decoding would make; anything that is an error on the way is irregular.
pub(super) struct Values<'w> {
    numbers: Numbers,
    /// The keys of the outermost map whose entries are kept; all if there is none.
    wanted: Option<&'w dyn Fn(&[u8]) -> bool>,
    /// Maps under way.
    open: usize,
    /// The entry under way is not wanted: what is in it is looked at, but not made.
    skipping: bool,
    recent: Recent,
}

impl<'w> Values<'w> {
    pub(super) fn new(numbers: Numbers, wanted: Option<&'w dyn Fn(&[u8]) -> bool>) -> Self {
        Self { numbers, wanted, open: 0, skipping: false, recent: Recent::default() }
    }

    /// Reports whether what comes is only looked at.
    pub(super) fn is_skipping(&self) -> bool {
        self.skipping
    }

    /// Begins an entry.
    fn entry(&mut self, key: GoStr) -> GoStr {
        if let (Some(wanted), 1) = (self.wanted, self.open) {
            self.skipping = !wanted(&key);
        }
        key
    }
}

/// What becomes of numbers.
#[derive(Clone, Copy)]
pub(super) enum Numbers {
    /// All are `float64`, as JSON decoding makes them.
    Json,
    /// They keep the types go-yaml gives them.
    Typed,
}

impl Numbers {
    /// Whether infinities and not-a-number, which JSON lacks, are kept.
    pub(super) fn keeps_all(self) -> bool {
        matches!(self, Numbers::Typed)
    }

    pub(super) fn int(self, value: i64) -> Value {
        match self {
            Numbers::Json => Value::Float64(value as f64),
            Numbers::Typed => Value::Int(value),
        }
    }

    pub(super) fn uint(self, value: u64) -> Value {
        match self {
            Numbers::Json => Value::Float64(value as f64),
            Numbers::Typed => Value::Uint64(value),
        }
    }
}

impl Build for Values<'_> {
    type Value = Value;
    type Key = GoStr;
    type Map = Vec<(GoStr, Value)>;

    fn scalar(&mut self, scalar: Scalar<'_>, tagged: bool) -> Result<Value, Stop> {
        Ok(match scalar {
            Scalar::Null => Value::Nil,
            Scalar::Bool(value) => Value::Bool(value),
            Scalar::Int(value) => self.numbers.int(value),
            Scalar::Uint(value) => self.numbers.uint(value),
            Scalar::Float(value) if value.is_finite() || self.numbers.keeps_all() => Value::Float64(value),
            Scalar::Float(_) => return Err(Stop::Irregular),
            Scalar::Timestamp(_) | Scalar::String(_) if self.skipping => Value::String(GoStr::default()),
            Scalar::Timestamp(text) | Scalar::String(text) => Value::String(string(text, tagged)),
        })
    }

    fn key(&mut self, scalar: Scalar<'_>, tagged: bool) -> Result<GoStr, Stop> {
        let key = match scalar {
            Scalar::Timestamp(_) | Scalar::String(_) if self.skipping => GoStr::default(),
            // Where few entries are wanted, few keys come again.
            Scalar::String(text) if !tagged && self.wanted.is_none() => self.recent.share(&text),
            scalar => scalar_key(scalar, tagged).ok_or(Stop::Irregular)?,
        };
        Ok(self.entry(key))
    }

    fn value_as_key(&mut self, value: Value, _node: &NodeData<'_>) -> Result<GoStr, Stop> {
        match value {
            Value::String(text) => Ok(self.entry(text)),
            // An alias of a number has lost its type by now.
            _ => Err(Stop::Irregular),
        }
    }

    fn list(&mut self, items: Vec<Value>) -> Result<Value, Stop> {
        Ok(if self.skipping { Value::Nil } else { Value::list(items) })
    }

    fn new_map(&mut self) -> Self::Map {
        self.open += 1;
        Vec::new()
    }

    fn insert(&mut self, map: &mut Self::Map, key: GoStr, value: Value, _line: u32) {
        if !self.skipping {
            map.push((key, value));
        } else if self.open == 1 {
            self.skipping = false;
        }
    }

    fn map(&mut self, map: Self::Map) -> Result<Value, Stop> {
        self.open -= 1;
        // Of equal keys the last counts.
        Ok(if self.skipping { Value::Nil } else { Value::map(map.into_iter().collect()) })
    }

    fn check_depth(&self, depth: usize) -> Result<(), Stop> {
        if depth >= MAX_DEPTH { Err(Stop::Irregular) } else { Ok(()) }
    }
}

fn string(text: Text<'_>, tagged: bool) -> GoStr {
    // The source is valid UTF-8 and escapes make nothing else; only `!!binary` can hold other bytes.
    if tagged && str::from_utf8(&text).is_err() {
        return lossy(&text).into();
    }
    GoStr::from(text.as_ref())
}

/// Returns the JSON key that sigs.k8s.io/yaml makes of a key, if it makes one.
pub(super) fn scalar_key(scalar: Scalar<'_>, tagged: bool) -> Option<GoStr> {
    Some(match scalar {
        Scalar::Timestamp(text) | Scalar::String(text) => string(text, tagged),
        Scalar::Bool(true) => "true".into(),
        Scalar::Bool(false) => "false".into(),
        Scalar::Int(value) => value.to_string().into(),
        Scalar::Float(value) => float_key(value),
        Scalar::Null | Scalar::Uint(_) => return None,
    })
}

/// Numbers with a fraction are written with the precision of a `float32`.
fn float_key(value: f64) -> GoStr {
    if value.is_nan() {
        ".nan".into()
    } else if value as f32 == f32::INFINITY {
        ".inf".into()
    } else if value as f32 == f32::NEG_INFINITY {
        "-.inf".into()
    } else {
        strconv::format_float(value, b'g', -1, 32).into()
    }
}
