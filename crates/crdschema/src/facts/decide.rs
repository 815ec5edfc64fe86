//! Facts → fields: which types a value takes.
//!
//! A type is what the default has, and whatever else the evidence shows that Helm would take in its place: texts stand for
//! numbers and whole numbers for texts, unless the templates or Kubernetes would refuse them; templates that ask a value
//! for its kind, or write it in quotes, take several. Null is taken everywhere, since it deletes a default.

use super::known;
use super::{Facts, Looks};
use crate::Mode;
use crate::field::{Field, Others};
use crate::jsonschema::{self, Known};
use crate::reads::Uses;
use crate::types::Types;

/// Decides a field and all below it.
pub(crate) fn decide(facts: Facts, name: &str, parent: &str, mode: Mode) -> Field {
    let types = match mode {
        Mode::Strict => strict(&facts, name),
        Mode::Auto | Mode::Open => auto(&facts, name, parent),
    };
    let strict_keys = mode == Mode::Strict && facts.defaults.has(Types::MAP) && !facts.below.is_empty();
    let mut field = Field {
        types: types | Types::NULL,
        text: facts.text,
        default: facts.shown,
        in_values: facts.in_values,
        order: facts.order.unwrap_or(u32::MAX),
        others: if strict_keys { Others::Closed } else { Others::Open },
        ..Field::default()
    };
    if types.meets(Types::MAP) {
        let below = facts.below.into_iter();
        field.properties = below.map(|(key, facts)| (key.clone(), decide(facts, &key, name, mode))).collect();
    }
    if types.meets(Types::LIST) {
        field.items = facts.items.map(|items| Box::new(decide_items(*items, name, parent, mode)));
    }
    if let Some(annotation) = &facts.annotation {
        field = field.constrained(jsonschema::annotation(annotation));
    }
    // A parent's word on its subchart's values comes after the subchart's own: both bind.
    if let Some(schema) = facts.schemas.into_iter().reduce(Field::both) {
        field = field.constrained(schema);
    }
    field
}

/// Items are the user's own, and need not be like those of the default: what they are and their keys is said, but not
/// what these hold.
fn decide_items(facts: Facts, name: &str, parent: &str, mode: Mode) -> Field {
    let mode = if mode == Mode::Strict { Mode::Auto } else { mode };
    let numbers = facts.defaults.meets(Types::NUMBER);
    let mut field = decide(facts, name, parent, mode);
    field.default = None;
    if field.firm {
        return field;
    }
    if numbers {
        field.types = field.types | Types::NUMBER;
    }
    for inner in field.properties.values_mut().filter(|inner| !inner.firm) {
        inner.default = None;
        if inner.types.meets(Types::MAP | Types::LIST) {
            inner.loosen();
        }
    }
    field
}

/// Gives words to values that the chart says nothing about, where their names have a meaning of their own.
pub(crate) fn describe_by_name(field: &mut Field, name: &str) {
    for (key, field) in &mut field.properties {
        if field.text.is_none() && field.in_values {
            field.text = known::words(key, name);
            field.general_text = field.text.is_some();
        }
        describe_by_name(field, key);
    }
}

/// The types of the defaults, and nothing else.
fn strict(facts: &Facts, name: &str) -> Types {
    let mut types = facts.defaults.without(Types::NULL);
    if types == Types::NONE {
        return facts.hint.or_else(|| known::by_name(name)).unwrap_or_else(|| by_use(facts));
    }
    if types.has(Types::FRACTION) {
        types = types | Types::NUMBER;
    }
    types | facts.hint.unwrap_or_default()
}

fn auto(facts: &Facts, name: &str, parent: &str) -> Types {
    if facts.free {
        return Types::ANY;
    }
    let defaults = facts.defaults.without(Types::NULL);
    if defaults == Types::NONE {
        return without_default(facts, name);
    }
    let hint = facts.hint.map(|hint| widened(hint.without(defaults))).unwrap_or_default();
    DECISIONS
        .iter()
        .filter(|(of, _)| defaults.has(*of))
        .fold(hint, |types, (_, decide)| types | decide(facts, name, parent))
}

/// What to take for a value of these facts, its name, and that of the value around it.
type Decision = fn(&Facts, &str, &str) -> Types;

const DECISIONS: [(Types, Decision); 6] = [
    (Types::BOOL, flag),
    (Types::WHOLE, whole),
    (Types::FRACTION, fraction),
    (Types::TEXT, text),
    (Types::LIST, list),
    (Types::MAP, map),
];

fn flag(facts: &Facts, _: &str, _: &str) -> Types {
    let uses = facts.uses;
    if uses.any(Uses::KIND_MAP | Uses::KIND_LIST | Uses::KEYS | Uses::RANGE) {
        Types::ANY
    } else if uses.any(Uses::TEXT | Uses::KIND_TEXT | Uses::EQ_TEXT | Uses::OR_TEXT)
        || (uses.any(Uses::QUOTED) && !uses.any(Uses::TRUTH))
    {
        // Only written: "true" does as well. Where its truth counts too, "false" would not.
        Types::SCALAR
    } else {
        Types::BOOL
    }
}

fn whole(facts: &Facts, name: &str, parent: &str) -> Types {
    if facts.uses.any(Uses::KIND_MAP | Uses::KIND_LIST) {
        Types::ANY
    } else if known::is_fraction(name, parent) || known::is_version(name) {
        Types::TEXT | Types::NUMBER
    } else if known::is_count(name) && !facts.uses.any(Uses::QUOTED | Uses::KIND_TEXT | Uses::TEXT) {
        Types::WHOLE
    } else if facts.uses.any(Uses::QUOTED)
        && !facts.uses.any(Uses::CAST)
        && !known::is_indivisible(name, parent)
    {
        // Only written, in quotes: nothing says that a part of one makes no sense.
        Types::TEXT | Types::NUMBER
    } else {
        Types::TEXT_OR_WHOLE
    }
}

fn fraction(facts: &Facts, _: &str, _: &str) -> Types {
    if facts.uses.any(Uses::KIND_MAP | Uses::KIND_LIST) { Types::ANY } else { Types::TEXT | Types::NUMBER }
}

fn text(facts: &Facts, name: &str, parent: &str) -> Types {
    let (uses, Looks { empty, bare, wordy }) = (facts.uses, facts.looks);
    let table = Uses::KIND_MAP | Uses::KIND_LIST | Uses::KEYED | Uses::LIST | Uses::RANGE | Uses::KEYS;
    if uses.any(table) || (empty && uses.any(Uses::DUMPED)) {
        Types::ANY
    } else if uses.any(Uses::KIND_BOOL | Uses::EQ_BOOL) {
        Types::SCALAR
    } else if uses.any(Uses::TEXT) || known::is_word(name, parent) {
        Types::TEXT
    } else if bare {
        Types::SCALAR
    } else if known::is_fraction(name, parent) {
        Types::TEXT | Types::NUMBER
    } else if wordy {
        Types::TEXT
    } else {
        Types::TEXT_OR_WHOLE
    }
}

fn list(facts: &Facts, name: &str, _: &str) -> Types {
    let other = Uses::KIND_TEXT | Uses::TEXT | Uses::KIND_MAP | Uses::KEYED;
    // A list that is written as it is may be one of YAML in a text, unless Kubernetes is to have a list.
    let is_known = known::by_name(name) == Some(Types::LIST);
    // An empty list stands for "none" even where Kubernetes is to have a map.
    if facts.items.is_none() && known::is_map(name) && !facts.uses.any(Uses::LIST) {
        return Types::LIST | Types::MAP;
    }
    let written = facts.items.is_none() && facts.uses.any(Uses::PRINTED) && !is_known;
    if facts.uses.any(other) || written {
        Types::ANY
    } else if facts.uses.any(Uses::QUOTED) && !facts.uses.any(Uses::RANGE | Uses::DUMPED | Uses::LIST) {
        // Whatever joins the items of a list takes a text for a list of one.
        Types::LIST | Types::TEXT
    } else {
        Types::LIST
    }
}

fn map(facts: &Facts, name: &str, _: &str) -> Types {
    let uses = facts.uses;
    let is_empty = facts.below.is_empty();
    let optional = uses.any(Uses::TRUTH) && uses.only(Uses::TRUTH | Uses::DUMPED | Uses::PASSED);
    if uses.any(Uses::KIND_TEXT | Uses::TEXT | Uses::KIND_LIST) || (is_empty && uses.any(Uses::PRINTED)) {
        Types::ANY
    } else if is_empty && uses.any(Uses::RANGE) && !uses.any(Uses::KEYED | Uses::KEYS) {
        // Nobody asks for the keys: a list does as well.
        Types::MAP | Types::LIST
    } else if is_empty && known::is_list(name) && !uses.any(Uses::KEYED | Uses::KEYS) {
        // An empty map stands for "none" even where a list is wanted.
        Types::MAP | Types::LIST
    } else if is_empty && name == "affinity" && uses.any(Uses::PASSED) {
        // The longest of what pods have is often a template in a text, where a chart renders it as one.
        Types::MAP | Types::TEXT
    } else if !is_empty && optional && uses.any(Uses::DUMPED) {
        // Written whole if it is anything: an empty text or false takes it away.
        Types::ANY.without(Types::LIST)
    } else {
        Types::MAP
    }
}

/// The types of a value that is null or missing in values.yaml.
fn without_default(facts: &Facts, name: &str) -> Types {
    if let Some(hint) = facts.hint {
        return widened(hint);
    }
    let uses = facts.uses;
    let kinds = Uses::KIND_MAP | Uses::KIND_LIST | Uses::KIND_TEXT;
    // Of what only templates know, and only ask whether it is there, the name alone says too little.
    let only_asked = !facts.in_values && uses.only(Uses::TRUTH | Uses::PASSED);
    match known::by_name(name).filter(|_| !only_asked) {
        Some(_) if uses.any(kinds) => Types::ANY,
        Some(Types::MAP) if !uses.any(Uses::TEXT | Uses::LIST | Uses::PRINTED) => Types::MAP,
        Some(Types::LIST) if !uses.any(Uses::TEXT | Uses::KEYED | Uses::PRINTED) => Types::LIST,
        Some(Types::BOOL) if !uses.any(Uses::QUOTED | Uses::TEXT | Uses::EQ_TEXT) => Types::BOOL,
        Some(types) if !types.meets(Types::MAP | Types::LIST | Types::BOOL) && !is_table(uses) => types,
        _ => by_use(facts),
    }
}

fn is_table(uses: Uses) -> bool {
    uses.any(Uses::RANGE | Uses::KEYS | Uses::DUMPED | Uses::LIST)
}

fn by_use(facts: &Facts) -> Types {
    let uses = facts.uses;
    if uses.any(Uses::KIND_MAP | Uses::KIND_LIST | Uses::KIND_TEXT | Uses::KIND_BOOL | Uses::KIND_NUMBER) {
        return Types::ANY;
    }
    let as_text = Uses::TEXT | Uses::PRINTED | Uses::QUOTED;
    if uses.any(Uses::KEYS | Uses::KEYED) {
        return if uses.any(as_text | Uses::LIST) { Types::ANY } else { Types::MAP };
    }
    if uses.any(Uses::LIST) {
        return if uses.any(as_text) { Types::ANY } else { Types::LIST };
    }
    if is_table(uses) || uses.only(Uses::TRUTH | Uses::PASSED) {
        return Types::ANY;
    }
    if uses.any(Uses::TEXT) {
        Types::TEXT
    } else if uses.any(Uses::OR_BOOL | Uses::EQ_BOOL) {
        if uses.any(Uses::QUOTED | Uses::EQ_TEXT) { Types::SCALAR } else { Types::BOOL }
    } else if uses.any(Uses::CAST | Uses::OR_NUMBER | Uses::OR_TEXT | Uses::EQ_TEXT) {
        Types::TEXT_OR_WHOLE
    } else {
        Types::SCALAR
    }
}

/// What may be given where a comment names types.
fn widened(types: Types) -> Types {
    let mut wide = types;
    if types.meets(Types::TEXT_OR_WHOLE) {
        wide = wide | Types::TEXT_OR_WHOLE;
    }
    if types.meets(Types::FRACTION) {
        wide = wide | Types::TEXT | Types::NUMBER;
    }
    wide
}

/// Converts what a chart's values.schema.json says, given its defaults.
pub(crate) fn schema_of(text: &[u8], defaults: Known<'_>) -> Option<Field> {
    let schema: serde_json::Value = serde_json::from_slice(text).ok()?;
    Some(jsonschema::convert(&schema, defaults))
}
