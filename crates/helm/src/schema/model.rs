//! Compiled schemas.

use std::collections::BTreeMap;

use gostd::regexp::Regexp;

use super::format::Format;
use super::json::Json;
use super::number::Decimal;

/// A schema of a [`Compiled`] set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Id(pub(super) usize);

/// A schema and all schemas it refers to. Immutable, shared between threads.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) schemas: Vec<Schema>,
    pub(super) start: Id,
    /// What Helm logs while compiling.
    pub(super) warnings: Vec<String>,
    pub(super) nothing: Schema,
}

impl Compiled {
    pub(super) fn get(&self, id: Id) -> &Schema {
        self.schemas.get(id.0).unwrap_or(&self.nothing)
    }
}

/// The drafts, in order of age; later ones know the keywords of earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Draft {
    Draft4,
    Draft6,
    Draft7,
    Draft2019,
    #[default]
    Draft2020,
}

/// The keywords of one schema.
#[derive(Debug, Default)]
pub(super) struct Schema {
    /// The URL with the JSON pointer as fragment.
    pub(super) location: String,
    pub(super) draft: Draft,
    /// The schema that the `$id` around this one belongs to.
    pub(super) resource: Option<Id>,
    pub(super) dynamic_anchors: BTreeMap<String, Id>,
    /// `true` and `false`, also the empty schema.
    pub(super) boolean: Option<bool>,
    pub(super) reference: Option<Id>,
    pub(super) recursive_ref: Option<Id>,
    pub(super) recursive_anchor: bool,
    pub(super) dynamic_ref: Option<DynamicRef>,
    pub(super) dynamic_anchor: String,
    pub(super) types: Option<Types>,
    pub(super) enumeration: Option<Vec<Json>>,
    pub(super) constant: Option<Json>,
    pub(super) not: Option<Id>,
    pub(super) all_of: Vec<Id>,
    pub(super) any_of: Vec<Id>,
    pub(super) one_of: Vec<Id>,
    pub(super) condition: Option<Id>,
    pub(super) then: Option<Id>,
    pub(super) otherwise: Option<Id>,
    pub(super) format: Option<Format>,
    pub(super) object: ObjectKeywords,
    pub(super) array: ArrayKeywords,
    pub(super) min_length: Option<usize>,
    pub(super) max_length: Option<usize>,
    pub(super) pattern: Option<Pattern>,
    pub(super) maximum: Option<Decimal>,
    pub(super) minimum: Option<Decimal>,
    pub(super) exclusive_maximum: Option<Decimal>,
    pub(super) exclusive_minimum: Option<Decimal>,
    pub(super) multiple_of: Option<Decimal>,
}

/// Keywords for objects.
#[derive(Debug, Default)]
pub(super) struct ObjectKeywords {
    pub(super) max_properties: Option<usize>,
    pub(super) min_properties: Option<usize>,
    pub(super) required: Vec<String>,
    pub(super) property_names: Option<Id>,
    pub(super) properties: BTreeMap<String, Id>,
    pub(super) pattern_properties: Vec<(Regexp, Id)>,
    pub(super) additional: Option<Additional>,
    pub(super) dependencies: BTreeMap<String, Dependency>,
    pub(super) dependent_required: BTreeMap<String, Vec<String>>,
    pub(super) dependent_schemas: BTreeMap<String, Id>,
    pub(super) unevaluated: Option<Id>,
}

/// Keywords for arrays.
#[derive(Debug, Default)]
pub(super) struct ArrayKeywords {
    pub(super) min_items: Option<usize>,
    pub(super) max_items: Option<usize>,
    pub(super) unique: bool,
    pub(super) contains: Option<Id>,
    pub(super) min_contains: Option<usize>,
    pub(super) max_contains: Option<usize>,
    /// Schemas by position: `items` as a list before 2020-12, `prefixItems` since.
    pub(super) prefix: Vec<Id>,
    /// The schema of all other items.
    pub(super) rest: Option<Additional>,
    pub(super) unevaluated: Option<Id>,
}

/// `additionalProperties` and the like.
#[derive(Clone, Copy, Debug)]
pub(super) enum Additional {
    Allowed(bool),
    Schema(Id),
}

/// An entry of `dependencies`.
#[derive(Debug)]
pub(super) enum Dependency {
    Properties(Vec<String>),
    Schema(Id),
}

/// `$dynamicRef`.
#[derive(Clone, Debug)]
pub(super) struct DynamicRef {
    pub(super) target: Id,
    /// The anchor it names, if it names one.
    pub(super) anchor: Option<String>,
}

/// `pattern`, with its text.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) text: String,
    pub(super) regexp: Regexp,
}

/// The JSON types, in the order messages list them.
pub(super) const TYPE_NAMES: [&str; 7] =
    ["null", "boolean", "number", "integer", "string", "array", "object"];

/// A set of types: bits in the order of [`TYPE_NAMES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) fn add(&mut self, name: &str) {
        if let Some(bit) = TYPE_NAMES.iter().position(|known| *known == name) {
            self.0 |= 1 << bit;
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn contains(self, name: &str) -> bool {
        TYPE_NAMES.iter().position(|known| *known == name).is_some_and(|bit| self.0 & (1 << bit) != 0)
    }

    pub(super) fn names(self) -> Vec<&'static str> {
        TYPE_NAMES.into_iter().filter(|name| self.contains(name)).collect()
    }
}
