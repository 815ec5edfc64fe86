//! Compiling schema documents: references become links, keywords become fields.
//!
//! Follows github.com/santhosh-tekuri/jsonschema v6, whose messages Helm prints.

use std::collections::{BTreeMap, HashMap, VecDeque};

use gostd::regexp::Regexp;
use gostd::strconv::quote;

use super::format::Format;
use super::json::Json;
use super::location::{append, full, join, lookup, split_fragment};
use super::model::{Additional, Compiled, Dependency, Draft, DynamicRef, Id, Pattern, Schema, Types};
use super::number::Decimal;
use super::roots::{Documents, Root};

/// A schema may be made of this many parts.
pub(crate) const MOST_PARTS: usize = 100_000;

/// Whether `format` is checked in drafts that leave that open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Formats {
    /// Only up to draft 7.
    ByDraft,
    /// Always: for metaschemas.
    Always,
}

/// Compiles the document at `url`, and whatever it refers to.
pub(super) fn compile(documents: Documents, url: &str, formats: Formats) -> Result<Compiled, String> {
    let (url, fragment) = split_fragment(url)?;
    let mut compiler =
        Compiler { documents, formats, schemas: Vec::new(), places: HashMap::new(), queue: VecDeque::new() };
    let pointer = compiler.documents.root(url)?.resolve(&fragment)?;
    let start = compiler.enqueue(url, &pointer)?;
    while let Some((id, url, pointer)) = compiler.queue.pop_front() {
        compiler.compile(id, &url, &pointer)?;
    }
    let Compiler { schemas, documents, .. } = compiler;
    let nothing = Schema { boolean: Some(true), ..Schema::default() };
    Ok(Compiled { schemas, start, warnings: documents.into_warnings(), nothing })
}

struct Compiler {
    documents: Documents,
    formats: Formats,
    schemas: Vec<Schema>,
    places: HashMap<(String, String), Id>,
    queue: VecDeque<(Id, String, String)>,
}

impl Compiler {
    /// Returns the schema of a place, which is compiled later if it is new.
    fn enqueue(&mut self, url: &str, pointer: &str) -> Result<Id, String> {
        let place = (url.to_owned(), pointer.to_owned());
        if let Some(id) = self.places.get(&place) {
            return Ok(*id);
        }
        if self.schemas.len() >= MOST_PARTS {
            return Err(format!("schema has more than {MOST_PARTS} parts"));
        }
        let id = Id(self.schemas.len());
        self.schemas.push(Schema { location: full(url, pointer), ..Schema::default() });
        self.places.insert(place, id);
        self.queue.push_back((id, url.to_owned(), pointer.to_owned()));
        Ok(id)
    }

    fn compile(&mut self, id: Id, url: &str, pointer: &str) -> Result<(), String> {
        self.documents.ensure_subschema(url, pointer)?;
        let root = self.documents.root(url)?;
        let document = root.document.clone();
        let value = lookup(&document, url, pointer)?;
        let resource = root.resource(pointer);
        let location = self.schemas.get_mut(id.0).map(|schema| std::mem::take(&mut schema.location));
        let location = location.unwrap_or_default();
        let mut schema = Schema { location, draft: resource.draft, ..Schema::default() };
        schema.resource = Some(self.enqueue(url, &resource.pointer)?);
        if schema.draft >= Draft::Draft2020 && resource.pointer == pointer {
            for anchor in &resource.dynamic_anchors {
                if let Some(target) = resource.anchors.get(anchor) {
                    let target = self.enqueue(url, target)?;
                    schema.dynamic_anchors.insert(anchor.clone(), target);
                }
            }
        }
        match value {
            Json::Bool(value) => schema.boolean = Some(*value),
            Json::Object(entries) if entries.is_empty() => schema.boolean = Some(true),
            Json::Object(entries) => {
                let place = Place { url, pointer, base: &resource.id, root: &root, entries };
                self.keywords(&mut schema, &place)?;
            }
            _ => {}
        }
        if let Some(slot) = self.schemas.get_mut(id.0) {
            *slot = schema;
        }
        Ok(())
    }

    /// Reads the keywords of all drafts up to the schema's. The order decides which of several errors is found.
    fn keywords(&mut self, schema: &mut Schema, at: &Place<'_>) -> Result<(), String> {
        self.draft4(schema, at)?;
        if schema.draft >= Draft::Draft6 {
            schema.array.contains = self.single(at, "contains")?;
            schema.object.property_names = self.single(at, "propertyNames")?;
            schema.constant = at.entries.get("const").cloned();
        }
        if schema.draft >= Draft::Draft7 {
            self.draft7(schema, at)?;
        }
        if schema.draft >= Draft::Draft2019 {
            self.draft2019(schema, at)?;
        }
        if schema.draft >= Draft::Draft2020 {
            schema.dynamic_ref = self.dynamic_reference(at)?;
            schema.dynamic_anchor = at.text("$dynamicAnchor").unwrap_or_default().to_owned();
            schema.array.prefix = self.list(at, "prefixItems")?;
            schema.array.rest = self.single(at, "items")?.map(Additional::Schema);
        }
        Ok(())
    }

    fn draft4(&mut self, schema: &mut Schema, at: &Place<'_>) -> Result<(), String> {
        schema.reference = self.reference(at, "$ref")?;
        if schema.draft < Draft::Draft2019 && schema.reference.is_some() {
            // Old drafts ignore whatever stands beside a reference.
            return Ok(());
        }
        schema.all_of = self.list(at, "allOf")?;
        schema.any_of = self.list(at, "anyOf")?;
        schema.one_of = self.list(at, "oneOf")?;
        schema.not = self.single(at, "not")?;
        let (array, object) = (&mut schema.array, &mut schema.object);
        if schema.draft < Draft::Draft2020 {
            if let Some(Json::Array(_)) = at.entries.get("items") {
                array.prefix = self.list(at, "items")?;
                array.rest = self.additional(at, "additionalItems")?;
            } else {
                array.rest = self.single(at, "items")?.map(Additional::Schema);
            }
        }
        object.properties = self.map(at, "properties")?;
        for (text, id) in self.map(at, "patternProperties")? {
            object.pattern_properties.push((at.regexp("patternProperties", &text)?, id));
        }
        object.additional = self.additional(at, "additionalProperties")?;
        for (name, value) in at.object("dependencies") {
            let dependency = match value {
                Json::Array(items) => Dependency::Properties(texts(items)),
                _ => Dependency::Schema(self.enqueue_below(at, &["dependencies", name])?),
            };
            object.dependencies.insert(name.clone(), dependency);
        }
        at.validation(schema)?;
        if self.formats == Formats::Always || schema.draft < Draft::Draft2019 {
            schema.format = at.text("format").and_then(Format::by_name);
        }
        Ok(())
    }

    fn draft7(&mut self, schema: &mut Schema, at: &Place<'_>) -> Result<(), String> {
        schema.condition = self.single(at, "if")?;
        let known = at.flag("if");
        if schema.condition.is_some() && known != Some(false) {
            schema.then = self.single(at, "then")?;
        }
        if schema.condition.is_some() && known != Some(true) {
            schema.otherwise = self.single(at, "else")?;
        }
        Ok(())
    }

    fn draft2019(&mut self, schema: &mut Schema, at: &Place<'_>) -> Result<(), String> {
        schema.recursive_ref = self.reference(at, "$recursiveRef")?;
        schema.recursive_anchor = at.flag("$recursiveAnchor") == Some(true);
        let (array, object) = (&mut schema.array, &mut schema.object);
        if array.contains.is_some() {
            array.min_contains = at.count("minContains");
            array.max_contains = at.count("maxContains");
        }
        for (name, value) in at.object("dependentRequired") {
            if let Json::Array(items) = value {
                object.dependent_required.insert(name.clone(), texts(items));
            }
        }
        object.dependent_schemas = self.map(at, "dependentSchemas")?;
        array.unevaluated = self.single(at, "unevaluatedItems")?;
        object.unevaluated = self.single(at, "unevaluatedProperties")?;
        Ok(())
    }

    fn enqueue_below(&mut self, at: &Place<'_>, tokens: &[&str]) -> Result<Id, String> {
        let pointer = tokens.iter().fold(at.pointer.to_owned(), |pointer, token| append(&pointer, token));
        self.enqueue(at.url, &pointer)
    }

    fn single(&mut self, at: &Place<'_>, keyword: &str) -> Result<Option<Id>, String> {
        at.entries.contains_key(keyword).then(|| self.enqueue_below(at, &[keyword])).transpose()
    }

    fn list(&mut self, at: &Place<'_>, keyword: &str) -> Result<Vec<Id>, String> {
        let count = at.array(keyword).map_or(0, <[Json]>::len);
        (0..count).map(|index| self.enqueue_below(at, &[keyword, &index.to_string()])).collect()
    }

    fn map(&mut self, at: &Place<'_>, keyword: &str) -> Result<BTreeMap<String, Id>, String> {
        at.object(keyword)
            .map(|(name, _)| Ok((name.clone(), self.enqueue_below(at, &[keyword, name])?)))
            .collect()
    }

    fn additional(&mut self, at: &Place<'_>, keyword: &str) -> Result<Option<Additional>, String> {
        if let Some(allowed) = at.flag(keyword) {
            return Ok(Some(Additional::Allowed(allowed)));
        }
        Ok(self.single(at, keyword)?.map(Additional::Schema))
    }

    fn reference(&mut self, at: &Place<'_>, keyword: &str) -> Result<Option<Id>, String> {
        let Some(reference) = at.text(keyword) else { return Ok(None) };
        let (url, fragment) = join(at.base, reference)?;
        if let Some(pointer) = at.root.resolve_in(&url, &fragment)? {
            return self.enqueue(at.url, &pointer).map(Some);
        }
        let pointer = self.documents.root(&url)?.resolve(&fragment)?;
        self.enqueue(&url, &pointer).map(Some)
    }

    fn dynamic_reference(&mut self, at: &Place<'_>) -> Result<Option<DynamicRef>, String> {
        let Some(target) = self.reference(at, "$dynamicRef")? else { return Ok(None) };
        let (_, fragment) = split_fragment(at.text("$dynamicRef").unwrap_or_default())?;
        let is_anchor = !fragment.is_empty() && !fragment.starts_with('/');
        Ok(Some(DynamicRef { target, anchor: is_anchor.then_some(fragment) }))
    }
}

/// An object schema and where it stands.
struct Place<'a> {
    url: &'a str,
    pointer: &'a str,
    /// The URL that references are relative to.
    base: &'a str,
    root: &'a Root,
    entries: &'a BTreeMap<String, Json>,
}

impl Place<'_> {
    fn text(&self, keyword: &str) -> Option<&str> {
        self.entries.get(keyword)?.as_str()
    }

    fn flag(&self, keyword: &str) -> Option<bool> {
        match self.entries.get(keyword)? {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    fn number(&self, keyword: &str) -> Option<Decimal> {
        match self.entries.get(keyword)? {
            Json::Number(text) => Decimal::parse(text),
            _ => None,
        }
    }

    fn count(&self, keyword: &str) -> Option<usize> {
        self.number(keyword)?.to_usize()
    }

    fn array(&self, keyword: &str) -> Option<&[Json]> {
        match self.entries.get(keyword)? {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    fn object(&self, keyword: &str) -> impl Iterator<Item = (&String, &Json)> {
        let entries = match self.entries.get(keyword) {
            Some(Json::Object(entries)) => Some(entries),
            _ => None,
        };
        entries.into_iter().flatten()
    }

    fn regexp(&self, keyword: &str, text: &str) -> Result<Regexp, String> {
        Regexp::compile(text.as_bytes()).map_err(|error| {
            let place = full(self.url, &append(self.pointer, keyword));
            format!("invalid regex {} at {}: {error}", quote(text.as_bytes()), quote(place.as_bytes()))
        })
    }

    /// Reads the keywords that hold no schemas.
    fn validation(&self, schema: &mut Schema) -> Result<(), String> {
        let mut types = Types::default();
        match self.entries.get("type") {
            Some(Json::String(name)) => types.add(name),
            Some(Json::Array(names)) => texts(names).iter().for_each(|name| types.add(name)),
            _ => {}
        }
        schema.types = (!types.is_empty()).then_some(types);
        schema.enumeration = self.array("enum").map(<[Json]>::to_vec);
        schema.multiple_of = self.number("multipleOf");
        schema.maximum = self.number("maximum");
        schema.minimum = self.number("minimum");
        schema.exclusive_maximum = match self.flag("exclusiveMaximum") {
            Some(true) => schema.maximum.take(),
            _ => self.number("exclusiveMaximum"),
        };
        schema.exclusive_minimum = match self.flag("exclusiveMinimum") {
            Some(true) => schema.minimum.take(),
            _ => self.number("exclusiveMinimum"),
        };
        let (array, object) = (&mut schema.array, &mut schema.object);
        array.min_items = self.count("minItems");
        array.max_items = self.count("maxItems");
        array.unique = self.flag("uniqueItems") == Some(true);
        object.max_properties = self.count("maxProperties");
        object.min_properties = self.count("minProperties");
        object.required = self.array("required").map(texts).unwrap_or_default();
        schema.min_length = self.count("minLength");
        schema.max_length = self.count("maxLength");
        if let Some(text) = self.text("pattern") {
            schema.pattern = Some(Pattern { text: text.to_owned(), regexp: self.regexp("pattern", text)? });
        }
        Ok(())
    }
}

/// Returns the strings of a list.
fn texts(items: &[Json]) -> Vec<String> {
    items.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}
