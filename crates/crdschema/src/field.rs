//! The typed API as a tree of fields, before it is written as a schema.

use std::collections::{BTreeMap, BTreeSet};

use gostd::value::Frozen;

use crate::json::to_json;
use crate::limits::Limits;
use crate::types::{Form, Types};
use crate::validate;

/// Fields nest at most this deep; what is deeper is open.
pub(crate) const DEEPEST: usize = 48;

/// A field of the custom resource's spec: a value of the chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The types it takes.
    pub types: Types,
    /// What it is for.
    pub text: Option<String>,
    /// Whether the text is ours, from the name alone.
    pub general_text: bool,
    /// The chart's default, as readers are shown it.
    pub default: Option<String>,
    /// The keys that are known.
    pub properties: BTreeMap<String, Field>,
    /// What other keys may hold.
    pub others: Others,
    /// What items are like; `None` leaves them open.
    pub items: Option<Box<Field>>,
    /// Keys that must be there.
    pub required: BTreeSet<String>,
    /// Other limits.
    pub limits: Limits,
    /// Whether Helm itself holds values to it: it comes from values.schema.json.
    pub firm: bool,
    /// Whether the chart has a default for it (null is one).
    pub in_values: bool,
    /// Its place among its neighbours in values.yaml.
    pub order: u32,
    /// Set when what is inside was left out to save space.
    pub folded: bool,
}

/// What a map may hold besides its known keys.
#[derive(Clone, Debug, PartialEq)]
pub enum Others {
    /// Anything.
    Open,
    /// Nothing.
    Closed,
    /// Values like this.
    Each(Box<Field>),
}

impl Default for Field {
    fn default() -> Self {
        Self {
            types: Types::ANY,
            text: None,
            general_text: false,
            default: None,
            properties: BTreeMap::new(),
            others: Others::Open,
            items: None,
            required: BTreeSet::new(),
            limits: Limits::default(),
            firm: false,
            in_values: false,
            order: u32::MAX,
            folded: false,
        }
    }
}

impl Field {
    /// Makes a field of which only the types are known.
    pub fn of(types: Types) -> Self {
        Self { types, ..Self::default() }
    }

    /// Reports whether nothing is said about the values it takes.
    pub fn is_open(&self) -> bool {
        self.types.has(Types::ANY.without(Types::NULL))
            && self.limits.is_empty()
            && self.properties.is_empty()
            && self.required.is_empty()
            && self.items.is_none()
            && self.others == Others::Open
    }

    /// Reports whether it has no fields of its own.
    pub fn is_leaf(&self) -> bool {
        self.properties.is_empty()
    }

    /// Returns what the schema can say of its type.
    pub fn form(&self) -> Form {
        self.types.form()
    }

    /// Returns the field at a path of keys.
    pub fn at<'f>(&'f self, path: &[impl AsRef<str>]) -> Option<&'f Field> {
        path.iter().try_fold(self, |field, key| field.properties.get(key.as_ref()))
    }

    /// Returns the field at a path of keys, to change it.
    pub(crate) fn at_mut<'f>(&'f mut self, path: &[String]) -> Option<&'f mut Field> {
        path.iter().try_fold(self, |field, key| field.properties.get_mut(key))
    }

    /// Takes everything back that could refuse a value; keys and texts stay.
    pub(crate) fn loosen(&mut self) {
        self.types = Types::ANY;
        self.limits = Limits::default();
        self.required.clear();
        self.others = Others::Open;
        self.properties.values_mut().for_each(Field::loosen);
        if let Some(items) = &mut self.items {
            items.loosen();
        }
    }

    /// Widens the field so that it takes a value that is known to be good, where Helm does not refuse it.
    pub(crate) fn admit(&mut self, value: &Frozen) {
        if !self.firm {
            self.types = self.types | Types::of(value);
            if !self.limits.is_empty() && !self.allows(value) {
                self.limits = Limits::default();
            }
        }
        match value {
            Frozen::Map(entries) => {
                let given = |key: &String| entries.iter().any(|(name, _)| name.as_bytes() == key.as_bytes());
                if !self.firm {
                    self.required.retain(given);
                }
                for (key, value) in entries {
                    let key = key.to_lossy();
                    match (self.properties.get_mut(key.as_ref()), &mut self.others) {
                        (Some(field), _) => field.admit(value),
                        (None, Others::Each(field)) => field.admit(value),
                        (None, Others::Closed) if !self.firm => self.others = Others::Open,
                        (None, _) => {}
                    }
                }
            }
            Frozen::List(items) => {
                if let Some(field) = &mut self.items {
                    items.iter().for_each(|item| field.admit(item));
                }
            }
            _ => {}
        }
    }

    fn allows(&self, value: &Frozen) -> bool {
        let mut schema = serde_json::Map::new();
        self.limits.write(self.types | Types::NULL, &mut schema);
        validate::validate(&schema.into(), &to_json(value)).is_empty()
    }

    /// Returns the field for what keeps to both descriptions.
    pub(crate) fn both(self, other: Self) -> Self {
        let common = self.types.and(other.types);
        // Where no value can fit, the first word stands and Helm will say so.
        let types = if common == Types::NONE { self.types } else { common };
        let (mut ours, mut theirs) = (self.properties, other.properties);
        let mut properties = BTreeMap::new();
        for key in ours.keys().chain(theirs.keys()).cloned().collect::<BTreeSet<_>>() {
            let field = match (ours.remove(&key), theirs.remove(&key)) {
                (Some(a), Some(b)) => Some(a.both(b)),
                (Some(field), None) => under(field, &other.others),
                (None, Some(field)) => under(field, &self.others),
                (None, None) => None,
            };
            properties.extend(field.map(|field| (key, field)));
        }
        let others = match (self.others, other.others) {
            (Others::Closed, _) | (_, Others::Closed) => Others::Closed,
            (Others::Each(a), Others::Each(b)) => Others::Each(Box::new(a.both(*b))),
            (Others::Each(each), Others::Open) | (Others::Open, Others::Each(each)) => Others::Each(each),
            (Others::Open, Others::Open) => Others::Open,
        };
        let items = match (self.items, other.items) {
            (Some(a), Some(b)) => Some(Box::new(a.both(*b))),
            (a, b) => a.or(b),
        };
        Self {
            types,
            text: self.text.or(other.text),
            general_text: false,
            default: self.default.or(other.default),
            properties,
            others,
            items,
            required: self.required.into_iter().chain(other.required).collect(),
            limits: self.limits.both(other.limits),
            firm: self.firm || other.firm,
            in_values: self.in_values || other.in_values,
            order: self.order.min(other.order),
            folded: self.folded || other.folded,
        }
    }

    /// Returns a field that takes whatever keeps to one of the descriptions.
    pub(crate) fn either(self, other: Self) -> Self {
        let limits = self.limits.either(self.types, other.limits, other.types);
        let maps = (self.types.meets(Types::MAP), other.types.meets(Types::MAP));
        let lists = (self.types.meets(Types::LIST), other.types.meets(Types::LIST));
        let (properties, others, required) = match maps {
            (_, false) => (self.properties, self.others, self.required),
            (false, true) => (other.properties, other.others, other.required),
            (true, true) => {
                let required = self.required.intersection(&other.required).cloned().collect();
                let closed = self.others == Others::Closed && other.others == Others::Closed;
                let properties =
                    either_properties(self.properties, &self.others, other.properties, &other.others);
                (properties, if closed { Others::Closed } else { Others::Open }, required)
            }
        };
        let items = match lists {
            (_, false) => self.items,
            (false, true) => other.items,
            (true, true) => self.items.zip(other.items).map(|(a, b)| Box::new(a.either(*b))),
        };
        Self {
            types: self.types | other.types,
            text: self.text.or(other.text),
            general_text: false,
            default: self.default.or(other.default),
            properties,
            others,
            items,
            required,
            limits,
            firm: self.firm || other.firm,
            in_values: self.in_values || other.in_values,
            order: self.order.min(other.order),
            folded: self.folded || other.folded,
        }
    }

    /// Lays a schema that Helm enforces over what was inferred: the schema decides what is taken, and what it leaves
    /// open stays as inferred.
    pub(crate) fn constrained(self, schema: Self) -> Self {
        if schema.is_open() {
            return Self { text: schema.text.or(self.text), ..self };
        }
        let any = Types::ANY.without(Types::NULL);
        let types = if schema.types.has(any) { self.types } else { schema.types | Types::NULL };
        let (mut inferred, mut given) = (self.properties, schema.properties);
        let mut properties = BTreeMap::new();
        for key in inferred.keys().chain(given.keys()).cloned().collect::<BTreeSet<_>>() {
            let field = match (inferred.remove(&key), given.remove(&key)) {
                (Some(field), Some(schema)) => field.constrained(schema),
                (None, Some(schema)) => Self { types: schema.types | Types::NULL, ..schema },
                (Some(field), None) => match &schema.others {
                    Others::Open => field,
                    Others::Closed => continue,
                    Others::Each(each) => field.constrained((**each).clone()),
                },
                (None, None) => continue,
            };
            properties.insert(key, field);
        }
        let items = match (self.items, schema.items) {
            (Some(items), Some(schema)) => Some(Box::new(items.constrained(*schema))),
            (items, schema) => schema.or(items),
        };
        let others = if schema.others == Others::Open { self.others } else { schema.others };
        Self {
            types,
            text: schema.text.or(self.text),
            general_text: false,
            default: self.default,
            properties,
            others,
            items,
            required: schema.required,
            limits: schema.limits,
            firm: schema.firm && (!schema.types.has(any) || self.firm),
            in_values: self.in_values,
            order: self.order,
            folded: false,
        }
    }
}

/// What becomes of a key that only one side knows, under what the other side says of keys it does not know.
fn under(field: Field, others: &Others) -> Option<Field> {
    match others {
        Others::Open => Some(field),
        Others::Closed => None,
        Others::Each(each) => Some(field.both((**each).clone())),
    }
}

fn either_properties(
    mut ours: BTreeMap<String, Field>,
    our_others: &Others,
    mut theirs: BTreeMap<String, Field>,
    their_others: &Others,
) -> BTreeMap<String, Field> {
    // A key that the other side does not know but takes may hold anything there.
    let alone = |mut field: Field, others: &Others| {
        if *others != Others::Closed {
            field.loosen();
        }
        field
    };
    let mut properties = BTreeMap::new();
    for key in ours.keys().chain(theirs.keys()).cloned().collect::<BTreeSet<_>>() {
        let field = match (ours.remove(&key), theirs.remove(&key)) {
            (Some(a), Some(b)) => a.either(b),
            (Some(field), None) => alone(field, their_others),
            (None, Some(field)) => alone(field, our_others),
            (None, None) => continue,
        };
        properties.insert(key, field);
    }
    properties
}
