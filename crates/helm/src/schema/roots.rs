//! Schema documents: where they come from, and which ids and anchors stand where in them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use gostd::strconv::quote;
use gostd::url::Url;

use super::json::Json;
use super::location::{append, full, join, lookup, split_fragment};
use super::meta;
use super::model::Draft;

/// The documents of one compilation, by URL.
#[derive(Debug, Default)]
pub(super) struct Documents {
    given: HashMap<String, Rc<Json>>,
    roots: HashMap<String, Rc<Root>>,
    warnings: Vec<String>,
}

/// A document with its resources.
#[derive(Clone, Debug)]
pub(super) struct Root {
    url: String,
    pub(super) document: Rc<Json>,
    /// By JSON pointer; the document itself is one, at the empty pointer.
    resources: BTreeMap<String, Resource>,
    main: Resource,
    processed: HashSet<String>,
}

/// A part of a document with an id of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Resource {
    pub(super) pointer: String,
    pub(super) id: String,
    pub(super) draft: Draft,
    /// Anchors and the pointers they stand for.
    pub(super) anchors: BTreeMap<String, String>,
    pub(super) dynamic_anchors: Vec<String>,
}

/// Where a keyword holds schemas.
#[derive(Clone, Copy)]
enum Holds {
    One,
    Items,
    OneOrItems,
    Properties,
}

/// The keywords that hold schemas, by the draft that brought them.
const SUBSCHEMAS: &[(Draft, &str, Holds)] = &[
    (Draft::Draft4, "definitions", Holds::Properties),
    (Draft::Draft4, "not", Holds::One),
    (Draft::Draft4, "allOf", Holds::Items),
    (Draft::Draft4, "anyOf", Holds::Items),
    (Draft::Draft4, "oneOf", Holds::Items),
    (Draft::Draft4, "properties", Holds::Properties),
    (Draft::Draft4, "additionalProperties", Holds::One),
    (Draft::Draft4, "patternProperties", Holds::Properties),
    (Draft::Draft4, "items", Holds::OneOrItems),
    (Draft::Draft4, "additionalItems", Holds::One),
    (Draft::Draft4, "dependencies", Holds::Properties),
    (Draft::Draft6, "propertyNames", Holds::One),
    (Draft::Draft6, "contains", Holds::One),
    (Draft::Draft7, "if", Holds::One),
    (Draft::Draft7, "then", Holds::One),
    (Draft::Draft7, "else", Holds::One),
    (Draft::Draft2019, "$defs", Holds::Properties),
    (Draft::Draft2019, "dependentSchemas", Holds::Properties),
    (Draft::Draft2019, "unevaluatedProperties", Holds::One),
    (Draft::Draft2019, "unevaluatedItems", Holds::One),
    (Draft::Draft2019, "contentSchema", Holds::One),
    (Draft::Draft2020, "prefixItems", Holds::Items),
];

impl Documents {
    /// Starts with one document.
    pub(super) fn with(url: &str, document: Json) -> Self {
        Self { given: [(url.to_owned(), Rc::new(document))].into(), ..Self::default() }
    }

    pub(super) fn into_warnings(self) -> Vec<String> {
        self.warnings
    }

    /// Returns a document, loaded and checked when first asked for.
    pub(super) fn root(&mut self, url: &str) -> Result<Rc<Root>, String> {
        if let Some(root) = self.roots.get(url) {
            return Ok(root.clone());
        }
        let document = self.load(url)?;
        let mut root = Root {
            url: url.to_owned(),
            document: document.clone(),
            resources: BTreeMap::new(),
            main: Resource { id: url.to_owned(), ..Resource::default() },
            processed: HashSet::new(),
        };
        self.collect(&mut root, &document, url, "", Draft::default())?;
        if !meta::is_official(url) {
            root.check(&document, "")?;
        }
        let root = Rc::new(root);
        self.roots.insert(url.to_owned(), root.clone());
        Ok(root)
    }

    /// Makes sure that a pointer that leads into no known keyword is known as a schema.
    pub(super) fn ensure_subschema(&mut self, url: &str, pointer: &str) -> Result<(), String> {
        let root = self.root(url)?;
        if root.processed.contains(pointer) {
            return Ok(());
        }
        let value = lookup(&root.document, url, pointer)?;
        let mut changed = Root::clone(&root);
        let base = root.resource(pointer).clone();
        self.collect(&mut changed, value, &base.id, pointer, base.draft)?;
        changed.check(value, pointer)?;
        self.roots.insert(url.to_owned(), Rc::new(changed));
        Ok(())
    }

    fn load(&mut self, url: &str) -> Result<Rc<Json>, String> {
        if let Some(document) = self.given.get(url) {
            return Ok(document.clone());
        }
        let document = match meta::document(url) {
            Some(document) => Json::parse(document.as_bytes())?,
            None => self
                .load_remote(url)
                .map_err(|reason| format!("failing loading {}: {reason}", quote(url.as_bytes())))?,
        };
        let document = Rc::new(document);
        self.given.insert(url.to_owned(), document.clone());
        Ok(document)
    }

    /// Nothing is fetched. References that Helm cannot resolve either are treated as Helm does.
    fn load_remote(&mut self, url: &str) -> Result<Json, String> {
        let scheme = url.split(':').next().unwrap_or_default();
        match scheme {
            "urn" => {
                self.warnings.push(format!(
                    "WARNING: unresolved URN reference ignored; using permissive schema: {url}"
                ));
                Ok(Json::Bool(true))
            }
            "file" => {
                // What stands between the second and the third slash is a host, as `..` in `file://../x`.
                let path = Url::parse(url.as_bytes()).map_or_else(|_| url.into(), |url| url.path);
                Err(format!("open {}: no such file or directory", gostd::value::lossy(&path)))
            }
            "http" | "https" => {
                Err("remote schemas are not fetched; put a copy under definitions of the chart's own schema, or pass \
                     the check over with --skip-schema-validation"
                    .to_owned())
            }
            _ => {
                let shown = Url::parse(url.as_bytes()).map_or_else(|_| url.into(), |url| url.to_bytes());
                Err(format!("no URLLoader registered for {}", quote(&shown)))
            }
        }
    }

    /// Finds the resources and anchors of a schema and of those inside it.
    fn collect(
        &mut self,
        root: &mut Root,
        schema: &Json,
        base: &str,
        pointer: &str,
        fallback: Draft,
    ) -> Result<(), String> {
        if root.processed.contains(pointer) {
            return Ok(());
        }
        let Json::Object(entries) = schema else {
            if pointer.is_empty() {
                root.add(Resource { id: base.to_owned(), draft: fallback, ..Resource::default() });
            }
            root.processed.insert(pointer.to_owned());
            return Ok(());
        };
        let mut draft = self.draft(root, schema, pointer, fallback)?;
        let mut id = id_of(schema, draft);
        let mut names_draft = entries.get("$schema").is_some_and(|name| name.as_str().is_some());
        if id.is_none() && !pointer.is_empty() {
            draft = fallback;
            names_draft = false;
            id = id_of(schema, draft);
        }
        let base = match id {
            Some(id) => {
                let joined = join(base, id);
                let (url, _) = joined.map_err(|_| {
                    format!("error in parsing id at {}", quote(full(&root.url, pointer).as_bytes()))
                })?;
                url
            }
            None => base.to_owned(),
        };
        if id.is_some() || pointer.is_empty() {
            root.add_new(&base, pointer, if names_draft { draft } else { fallback })?;
        }
        root.collect_anchors(schema, pointer, &base)?;
        let inner = root
            .resources
            .values()
            .find(|resource| resource.id == base)
            .map_or(fallback, |found| found.draft);
        for (_, keyword, holds) in SUBSCHEMAS.iter().filter(|(since, ..)| *since <= draft) {
            for (pointer, value) in held(entries, keyword, *holds, pointer) {
                self.collect(root, value, &base, &pointer, inner)?;
            }
        }
        root.processed.insert(pointer.to_owned());
        Ok(())
    }

    /// Finds the draft a schema names.
    fn draft(&mut self, root: &Root, schema: &Json, pointer: &str, fallback: Draft) -> Result<Draft, String> {
        let name_in = |schema: &Json| schema.get("$schema").and_then(Json::as_str).map(str::to_owned);
        let mut named = name_in(schema);
        let mut place = (root.url.clone(), pointer.to_owned());
        let mut seen = HashSet::new();
        loop {
            let Some(name) = named else { return Ok(fallback) };
            if let Some(draft) = meta::draft(&name) {
                return Ok(draft);
            }
            let url = name.split('#').next().unwrap_or_default().to_owned();
            if let Err(error) = gostd::url::Url::parse(url.as_bytes()) {
                let place = full(&place.0, &place.1);
                return Err(format!("invalid $schema in {}: {error}", quote(place.as_bytes())));
            }
            if place.1.is_empty() && place.0 == url {
                return Err(format!("draft {} is not supported", quote(url.as_bytes())));
            }
            if !seen.insert(url.clone()) {
                return Err(format!("cycle in resolving $schema in {}", quote(url.as_bytes())));
            }
            named = name_in(&*self.load(&url)?);
            place = (url, String::new());
        }
    }
}

/// Returns the id of a schema, without fragment.
fn id_of(schema: &Json, draft: Draft) -> Option<&str> {
    if draft < Draft::Draft2019 && schema.get("$ref").is_some() {
        return None;
    }
    let keyword = if draft == Draft::Draft4 { "id" } else { "$id" };
    let id = schema.get(keyword)?.as_str()?.split('#').next()?;
    (!id.is_empty()).then_some(id)
}

/// Returns the schemas a keyword holds, with their pointers.
fn held<'j>(
    entries: &'j BTreeMap<String, Json>,
    keyword: &str,
    holds: Holds,
    pointer: &str,
) -> Vec<(String, &'j Json)> {
    let Some(value) = entries.get(keyword) else { return Vec::new() };
    let pointer = append(pointer, keyword);
    match (holds, value) {
        (Holds::One, value) => vec![(pointer, value)],
        (Holds::Items | Holds::OneOrItems, Json::Array(items)) => items
            .iter()
            .enumerate()
            .map(|(index, item)| (append(&pointer, &index.to_string()), item))
            .collect(),
        (Holds::OneOrItems, value) => vec![(pointer, value)],
        (Holds::Properties, Json::Object(entries)) => {
            entries.iter().map(|(name, value)| (append(&pointer, name), value)).collect()
        }
        _ => Vec::new(),
    }
}

impl Root {
    fn add(&mut self, resource: Resource) {
        if resource.pointer.is_empty() {
            self.main = resource.clone();
        }
        self.resources.insert(resource.pointer.clone(), resource);
    }

    fn add_new(&mut self, id: &str, pointer: &str, draft: Draft) -> Result<(), String> {
        match self.resources.values().find(|resource| resource.id == id) {
            Some(known) if known.pointer != pointer => Err(format!(
                "duplicate id {} in {} at {} and {}",
                quote(id.as_bytes()),
                quote(self.url.as_bytes()),
                quote(pointer.as_bytes()),
                quote(known.pointer.as_bytes())
            )),
            Some(_) => Ok(()),
            None => {
                self.add(Resource {
                    pointer: pointer.to_owned(),
                    id: id.to_owned(),
                    draft,
                    ..Resource::default()
                });
                Ok(())
            }
        }
    }

    /// Returns the resource that a pointer lies in.
    pub(super) fn resource(&self, pointer: &str) -> &Resource {
        let mut pointer = pointer;
        loop {
            if let Some(resource) = self.resources.get(pointer) {
                return resource;
            }
            match pointer.rfind('/') {
                Some(slash) => pointer = pointer.get(..slash).unwrap_or_default(),
                None => return &self.main,
            }
        }
    }

    /// Resolves a fragment of the document.
    pub(super) fn resolve(&self, fragment: &str) -> Result<String, String> {
        self.fragment_in(self.resource(""), fragment)
    }

    /// Resolves a URL with fragment, if the URL is that of the document or of a resource in it.
    pub(super) fn resolve_in(&self, url: &str, fragment: &str) -> Result<Option<String>, String> {
        let resource = if url == self.url {
            Some(self.resource(""))
        } else {
            self.resources.values().find(|resource| resource.id == url)
        };
        resource.map(|resource| self.fragment_in(resource, fragment)).transpose()
    }

    fn fragment_in(&self, resource: &Resource, fragment: &str) -> Result<String, String> {
        if fragment.is_empty() || fragment.starts_with('/') {
            return Ok(format!("{}{fragment}", resource.pointer));
        }
        resource.anchors.get(fragment).cloned().ok_or_else(|| {
            let reference = full(&resource.id, fragment);
            format!(
                "anchor in {} not found in schema {}",
                quote(reference.as_bytes()),
                quote(self.url.as_bytes())
            )
        })
    }

    fn collect_anchors(&mut self, schema: &Json, pointer: &str, base: &str) -> Result<(), String> {
        let Some(key) = self.resources.iter().find(|(_, found)| found.id == base).map(|(key, _)| key.clone())
        else {
            return Ok(());
        };
        let draft = self.resource(&key).draft;
        let text = |keyword: &str| schema.get(keyword).and_then(Json::as_str);
        let mut found: Vec<(String, bool)> = Vec::new();
        if draft < Draft::Draft2019 {
            if schema.get("$ref").is_some() {
                return Ok(());
            }
            if let Some(id) = text(if draft == Draft::Draft4 { "id" } else { "$id" }) {
                let (_, fragment) = split_fragment(id).map_err(|_| {
                    format!("error in parsing anchor at {}", quote(full(&self.url, pointer).as_bytes()))
                })?;
                if !fragment.is_empty() && !fragment.starts_with('/') {
                    found.push((fragment, false));
                }
            }
        } else {
            found.extend(text("$anchor").map(|anchor| (anchor.to_owned(), false)));
        }
        if draft >= Draft::Draft2020 {
            found.extend(text("$dynamicAnchor").map(|anchor| (anchor.to_owned(), true)));
        }
        for (anchor, dynamic) in found {
            self.add_anchor(&key, anchor, pointer, dynamic)?;
        }
        Ok(())
    }

    fn add_anchor(&mut self, key: &str, anchor: String, pointer: &str, dynamic: bool) -> Result<(), String> {
        let url = quote(self.url.as_bytes());
        let Some(resource) = self.resources.get_mut(key) else { return Ok(()) };
        match resource.anchors.get(&anchor) {
            Some(known) if known != pointer => {
                let (known, pointer) = (quote(known.as_bytes()), quote(pointer.as_bytes()));
                return Err(format!(
                    "duplicate anchor {} in {url} at {known} and {pointer}",
                    quote(anchor.as_bytes())
                ));
            }
            _ => _ = resource.anchors.insert(anchor.clone(), pointer.to_owned()),
        }
        if dynamic {
            resource.dynamic_anchors.push(anchor);
        }
        if key.is_empty() {
            self.main = resource.clone();
        }
        Ok(())
    }

    /// Checks a schema against the metaschema of its draft.
    fn check(&self, schema: &Json, pointer: &str) -> Result<(), String> {
        meta::check(self.resource(pointer).draft, schema).map_err(|text| {
            let place = full(&self.url, pointer);
            format!("{} is not valid against metaschema: {text}", quote(place.as_bytes()))
        })
    }
}
