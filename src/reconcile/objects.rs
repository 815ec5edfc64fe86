//! Rendered manifests → the objects to apply: parsed, converted, named, owned, labelled, ordered.
//!
//! Pure: what the cluster serves comes in as [`Kinds`].

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use helm::{Chart, Crd, Manifest};
use kube::api::{ApiResource, GroupVersionKind};
use serde_json::{Map, Value, json};

use super::convert::{self, Conversion};
use super::identity::{ApiKind, Digest, InstanceKey, Kinds, ObjectId, group_of};
use super::{duplicates, order, yaml};

/// Label by whose value the server selects the objects of one served kind.
pub(crate) const OWNER_LABEL: &str = "chartwright.io/owner";
/// operator-sdk's annotations that name the custom resource of an object it cannot own, and that resource's type.
pub(crate) const PRIMARY_RESOURCE: &str = "operator-sdk/primary-resource";
pub(crate) const PRIMARY_TYPE: &str = "operator-sdk/primary-resource-type";
/// Helm's annotation that names the release of an object.
pub(crate) const RELEASE_NAME: &str = "meta.helm.sh/release-name";
/// Helm's annotation that names the namespace of that release.
pub(crate) const RELEASE_NAMESPACE: &str = "meta.helm.sh/release-namespace";
/// Helm's label of objects it manages, and its value.
pub(crate) const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "Helm");
/// operator-sdk's label that names the chart of an object.
pub(crate) const CHART_LABEL: &str = "helm.sdk.operatorframework.io/chart";
/// Annotation with which a chart keeps an object from being deleted.
pub(crate) const RESOURCE_POLICY: &str = "helm.sh/resource-policy";

/// Whose objects these will be.
#[derive(Clone, Debug)]
pub(crate) struct Owner<'a> {
    pub(crate) key: &'a InstanceKey,
    pub(crate) uid: &'a str,
    /// The custom resource's `apiVersion`.
    pub(crate) api_version: &'a str,
    pub(crate) group: &'a str,
    pub(crate) kind: &'a str,
    /// Value of [`OWNER_LABEL`].
    pub(crate) label: &'a str,
    pub(crate) release: &'a str,
    pub(crate) release_namespace: &'a str,
    pub(crate) chart: &'a str,
}

/// An object ready to apply.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) id: ObjectId,
    pub(crate) kind: Arc<ApiKind>,
    /// What is sent; whole but for what the server adds.
    pub(crate) body: Value,
    /// Of `body`.
    pub(crate) digest: Digest,
    /// The chart wants it left alone by deletions.
    pub(crate) keep: bool,
    /// Whether Kubernetes' own garbage collection removes it with the custom resource.
    pub(crate) owned: bool,
    /// Set when its kind is defined by a CRD of the same release and not served yet.
    pub(crate) kind_pending: bool,
    /// The template it came from.
    pub(crate) source: Arc<str>,
}

impl Object {
    /// Whether it is a Job that removes itself when it is done.
    pub(crate) fn is_fleeting(&self) -> bool {
        let ttl = self.body.pointer("/spec/ttlSecondsAfterFinished");
        &*self.id.kind == "Job" && &*self.id.group == "batch" && ttl.is_some_and(Value::is_number)
    }
}

/// All objects of a release, in the order they are applied, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    pub(crate) list: Vec<Object>,
    /// Which objects were brought to another API version, in words.
    pub(crate) conversions: Vec<String>,
    /// Which lists had entries more than once that may be there once, in words.
    pub(crate) duplicates: Vec<String>,
}

/// Why a rendered document cannot become an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The template.
    pub(crate) source: String,
    /// Kind and name as far as known.
    pub(crate) object: String,
    pub(crate) what: What,
}

/// See [`Problem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The text is not YAML.
    Yaml(String),
    /// The document is no object with apiVersion, kind and name.
    Incomplete(&'static str),
    /// The kind is not served, and no CRD of the release defines it.
    NoSuchKind { api_version: String, kind: String },
    /// The kind may be served, but its group is out of order.
    OutOfOrder { api_version: String, kind: String },
    /// Its API version is gone and it cannot be brought to another.
    Impossible { api_version: String, why: String },
    /// Two documents describe the same object.
    Twice { other: String },
}

impl What {
    /// Whether the cluster may take the document later, as it is.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, What::NoSuchKind { .. } | What::OutOfOrder { .. })
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): ", self.object, self.source)?;
        match &self.what {
            What::Yaml(why) => write!(f, "YAML parse error: {why}"),
            What::Incomplete(missing) => write!(f, "{missing}"),
            What::NoSuchKind { api_version, kind } => {
                write!(
                    f,
                    "the cluster serves no {kind} of {api_version}: install its CustomResourceDefinition first"
                )
            }
            What::OutOfOrder { api_version, kind } => {
                write!(
                    f,
                    "cannot learn whether the cluster serves {kind}: the API server of {api_version} does not answer"
                )
            }
            What::Impossible { api_version, why } => {
                write!(f, "{api_version} is not served any more and {why}")
            }
            What::Twice { other } => write!(f, "the same object is also rendered by {other}"),
        }
    }
}

/// Makes the objects of a release. `crds` are made before them: their kinds count as served soon.
///
/// # Errors
/// With every problem there is, not only the first.
pub(crate) fn build(
    manifests: &[Manifest],
    crds: &[Crd],
    owner: &Owner<'_>,
    kinds: &Kinds,
) -> Result<Objects, Vec<Problem>> {
    let (objects, problems) = collect(manifests, crds, owner, kinds);
    if problems.is_empty() { Ok(objects) } else { Err(problems) }
}

/// Makes the objects of a release that runs already, but for those of kinds that are not served now: these come second.
///
/// # Errors
/// With every other problem there is.
pub(crate) fn build_reachable(
    manifests: &[Manifest],
    owner: &Owner<'_>,
    kinds: &Kinds,
) -> Result<(Objects, Vec<Problem>), Vec<Problem>> {
    let (objects, problems) = collect(manifests, &[], owner, kinds);
    if problems.iter().all(|problem| problem.what.may_pass()) {
        Ok((objects, problems))
    } else {
        Err(problems)
    }
}

/// What can be made of documents, and what is wrong with the others.
fn collect(
    manifests: &[Manifest],
    crds: &[Crd],
    owner: &Owner<'_>,
    kinds: &Kinds,
) -> (Objects, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut documents = Vec::new();
    for manifest in manifests {
        let source: Arc<str> = manifest.path.as_str().into();
        match yaml::to_json(&manifest.content) {
            Ok(document) => flatten(document, &source, &mut documents, &mut problems),
            Err(why) => problems.push(Problem {
                source: manifest.path.clone(),
                object: title(&manifest.kind, &manifest.name),
                what: What::Yaml(why),
            }),
        }
    }
    let mut own_kinds = kinds_of_crds(&documents);
    for crd in crds {
        kinds_of_file(&crd.content.to_lossy(), &mut own_kinds);
    }
    let mut objects = Objects::default();
    let mut seen: HashSet<ObjectId> = HashSet::new();
    for document in documents {
        let source = document.source.clone();
        match object(document, owner, kinds, &own_kinds, &mut objects.conversions) {
            Ok(object) if seen.contains(&object.id) => {
                let first = objects.list.iter().find(|other| other.id == object.id);
                let other = first.map(|other| other.source.to_string()).unwrap_or_default();
                problems.push(problem(&object.source, object.id.to_string(), What::Twice { other }));
            }
            Ok(object) => {
                seen.insert(object.id.clone());
                objects.list.push(object);
            }
            Err((name, what)) => problems.push(problem(&source, name, what)),
        }
    }
    objects.list.sort_by(|a, b| order::rank(&a.id.kind).cmp(&order::rank(&b.id.kind)));
    objects.duplicates = duplicates::mend(&mut objects.list);
    (objects, problems)
}

fn problem(source: &str, object: String, what: What) -> Problem {
    Problem { source: source.to_owned(), object, what }
}

fn title(kind: &str, name: &str) -> String {
    match (kind, name) {
        ("", _) => "a document".to_owned(),
        (kind, "") => format!("a {kind}"),
        _ => format!("{kind} {name}"),
    }
}

pub(super) struct Document {
    pub(super) fields: Map<String, Value>,
    source: Arc<str>,
}

impl Document {
    pub(super) fn text(&self, key: &str) -> &str {
        self.fields.get(key).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Takes lists apart (any `kind: …List` with items); drops documents without content.
pub(super) fn flatten(
    document: Value,
    source: &Arc<str>,
    into: &mut Vec<Document>,
    problems: &mut Vec<Problem>,
) {
    let fields = match document {
        Value::Null => return,
        Value::Object(fields) => fields,
        _ => {
            let what =
                What::Incomplete("is not an object: it must be a mapping with apiVersion, kind and metadata");
            problems.push(problem(source, title("", ""), what));
            return;
        }
    };
    let mut document = Document { fields, source: source.clone() };
    if document.text("kind").ends_with("List") && document.fields.get("items").is_some_and(Value::is_array) {
        if let Some(Value::Array(items)) = document.fields.remove("items") {
            for item in items {
                flatten(item, source, into, problems);
            }
        }
    } else if !document.fields.is_empty() {
        into.push(document);
    }
}

/// The kinds that CRDs among the documents will bring.
fn kinds_of_crds(documents: &[Document]) -> Kinds {
    let mut kinds = Kinds::default();
    for document in documents {
        if document.text("kind") == "CustomResourceDefinition" {
            kinds_of_crd(&document.fields, &mut kinds);
        }
    }
    kinds
}

/// Adds the kinds that a file of `crds/` brings. What cannot be read is told when it is to be made.
fn kinds_of_file(content: &str, kinds: &mut Kinds) {
    for text in documents(content) {
        if let Ok(Value::Object(document)) = yaml::to_json(&text)
            && document.get("kind").is_some_and(|kind| kind == "CustomResourceDefinition")
        {
            kinds_of_crd(&document, kinds);
        }
    }
}

/// The kinds that the files in `crds/` of a chart and of its subcharts bring.
pub(crate) fn kinds_of_chart(chart: &Chart) -> Kinds {
    fn add(chart: &Chart, kinds: &mut Kinds) {
        for file in chart.crds() {
            kinds_of_file(&file.data.to_lossy(), kinds);
        }
        for chart in &chart.dependencies {
            add(chart, kinds);
        }
    }
    let mut kinds = Kinds::default();
    add(chart, &mut kinds);
    kinds
}

/// Adds the kinds a CRD (of v1 or v1beta1) defines.
pub(crate) fn kinds_of_crd(crd: &Map<String, Value>, kinds: &mut Kinds) {
    let Some(spec) = crd.get("spec") else { return };
    let text = |pointer: &str| spec.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let versions = spec.get("versions").and_then(Value::as_array);
    let served = versions
        .into_iter()
        .flatten()
        .filter(|version| version.get("served").is_none_or(|served| *served != Value::Bool(false)));
    let names = served.filter_map(|version| version.get("name")).chain(spec.get("version"));
    for version in names.filter_map(Value::as_str) {
        let gvk = GroupVersionKind::gvk(text("/group"), version, text("/names/kind"));
        let resource = ApiResource::from_gvk_with_plural(&gvk, text("/names/plural"));
        kinds.add(ApiKind::new(resource, text("/scope") != "Cluster", true));
    }
}

/// Splits a text of several documents.
pub(crate) fn documents(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.lines() {
        if line == "---" || line.starts_with("--- ") {
            documents.push(String::new());
        } else if let Some(last) = documents.last_mut() {
            last.push_str(line);
            last.push('\n');
        }
    }
    documents
}

/// Makes objects that are not part of the release of a document (hooks, `crds/`): converted and given a namespace, but
/// not marked.
pub(crate) fn plain(
    document: Value,
    namespace: &str,
    kinds: &Kinds,
) -> Result<Vec<(Arc<ApiKind>, ObjectId, Value)>, String> {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    flatten(document, &"".into(), &mut found, &mut problems);
    if let Some(problem) = problems.first() {
        return Err(problem.to_string());
    }
    let mut objects = Vec::with_capacity(found.len());
    for mut document in found {
        let (api_version, kind_name) =
            (document.text("apiVersion").to_owned(), document.text("kind").to_owned());
        let mut kind = kinds.get(&api_version, &kind_name);
        if kind.is_none() {
            match convert::convert(&mut document.fields, &api_version, &kind_name, kinds) {
                Conversion::Converted(to) => kind = kinds.get(to, &kind_name),
                Conversion::Impossible(why) => {
                    return Err(format!("{api_version} is not served any more and {why}"));
                }
                Conversion::Unknown => {}
            }
        }
        let kind = kind.ok_or_else(|| format!("the cluster serves no {kind_name} of {api_version}"))?;
        let mut metadata = take_object(&mut document.fields, "metadata");
        let text = |key: &str| metadata.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let name = text("name").ok_or("has no metadata.name")?;
        let id = kind.object(text("namespace").unwrap_or(namespace), name);
        if kind.namespaced {
            metadata.insert("namespace".into(), id.namespace.as_ref().into());
        }
        document.fields.insert("metadata".into(), metadata.into());
        objects.push((kind.clone(), id, document.fields.into()));
    }
    Ok(objects)
}

/// The identities of the objects in a stored manifest. What is no object, or of a kind that is not served any more, is
/// left out: it is not there to be deleted.
pub(crate) fn ids(manifest: &str, namespace: &str, kinds: &Kinds) -> Vec<ObjectId> {
    let mut documents = Vec::new();
    for text in self::documents(manifest) {
        if let Ok(document) = yaml::to_json(&text) {
            flatten(document, &"".into(), &mut documents, &mut Vec::new());
        }
    }
    documents.iter().filter_map(|document| id(document, namespace, kinds)).collect()
}

fn id(document: &Document, namespace: &str, kinds: &Kinds) -> Option<ObjectId> {
    let metadata = document.fields.get("metadata")?;
    let text = |key: &str| metadata.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (api_version, kind_name) = (document.text("apiVersion"), document.text("kind"));
    let group = group_of(api_version);
    let kind = kinds.get(api_version, kind_name).or_else(|| kinds.preferred(group, kind_name));
    let kind = kind.or_else(|| kinds.get(convert::successor(api_version, kind_name, kinds)?, kind_name));
    let (namespace, name) = (text("namespace").unwrap_or(namespace), text("name")?);
    match kind {
        Some(kind) => Some(kind.object(namespace, name)),
        // Whether it has a namespace will be known when its group is in order again.
        None if kinds.is_out_of_order(group) => Some(ObjectId {
            group: group.into(),
            kind: kind_name.into(),
            namespace: namespace.into(),
            name: name.into(),
        }),
        None => None,
    }
}

/// Makes one object of a document.
fn object(
    mut document: Document,
    owner: &Owner<'_>,
    kinds: &Kinds,
    own_kinds: &Kinds,
    conversions: &mut Vec<String>,
) -> Result<Object, (String, What)> {
    let kind_name = document.text("kind").to_owned();
    let api_version = document.text("apiVersion").to_owned();
    let metadata = document.fields.get("metadata");
    let meta_text = |key: &str| metadata.and_then(|m| m.get(key)).and_then(Value::as_str).unwrap_or_default();
    let (name, namespace) = (meta_text("name").to_owned(), meta_text("namespace").to_owned());
    let generated = !meta_text("generateName").is_empty();
    let title = title(&kind_name, &name);
    let incomplete = |what| Err((title.clone(), What::Incomplete(what)));
    if kind_name.is_empty() || api_version.is_empty() {
        return incomplete("has no apiVersion or no kind");
    }
    if name.is_empty() {
        return incomplete(if generated {
            "has generateName and no name: an object that is to be kept current needs a name"
        } else {
            "has no metadata.name"
        });
    }

    let mut kind_pending = false;
    let mut kind = kinds.get(&api_version, &kind_name).cloned();
    if kind.is_none() {
        match convert::convert(&mut document.fields, &api_version, &kind_name, kinds) {
            Conversion::Converted(to) => {
                conversions.push(format!("{title}: {api_version} is not served any more, applied as {to}"));
                kind = kinds.get(to, &kind_name).cloned();
            }
            Conversion::Impossible(why) => return Err((title, What::Impossible { api_version, why })),
            Conversion::Unknown => {
                kind = own_kinds.get(&api_version, &kind_name).cloned();
                kind_pending = true;
            }
        }
    }
    let Some(kind) = kind else {
        let group = group_of(&api_version);
        return Err(match kinds.is_out_of_order(group) {
            true => (title, What::OutOfOrder { api_version, kind: kind_name }),
            false => (title, What::NoSuchKind { api_version, kind: kind_name }),
        });
    };
    convert::mend_references(&mut document.fields, &kind_name, kinds);
    if kind.resource.group.is_empty() && kind_name == "Secret" {
        fold_string_data(&mut document.fields);
    }

    let namespace = if namespace.is_empty() { owner.release_namespace } else { &namespace };
    let id = kind.object(namespace, &name);
    let (keep, owned) = mark(&mut document.fields, &id, &kind, owner);
    // The status is the server's; charts carry it over from generated files.
    document.fields.remove("status");
    let body = Value::Object(document.fields);
    let digest = Digest::of([body.to_string()]);
    Ok(Object { id, kind, body, digest, keep, owned, kind_pending, source: document.source })
}

/// Moves a Secret's `stringData` into `data`, as the API server does. It would not let us own what it made of it, and so
/// changes by others would not show.
fn fold_string_data(secret: &mut Map<String, Value>) {
    let Some(Value::Object(texts)) = secret.get("stringData") else { return };
    if !texts.values().all(|text| text.is_string() || text.is_null()) {
        return; // The server will say what is wrong.
    }
    let encoded: Vec<_> = texts
        .iter()
        .map(|(key, text)| (key.clone(), BASE64.encode(text.as_str().unwrap_or_default()).into()))
        .collect();
    secret.remove("stringData");
    let mut data = take_object(secret, "data");
    data.extend(encoded);
    secret.insert("data".into(), data.into());
}

/// Sets namespace, labels, annotations and owner; returns whether the object is kept, and whether it is owned.
///
/// Whether annotations say that an object outlives its release.
pub(super) fn says_keep(annotations: &Map<String, Value>) -> bool {
    let policy = annotations.get(RESOURCE_POLICY).and_then(Value::as_str).unwrap_or_default();
    policy.trim().eq_ignore_ascii_case("keep")
}

/// What an object that was copied from a cluster says of the one it was there; nothing can be applied with it.
const OF_ANOTHER: &[&str] = &["managedFields", "resourceVersion", "uid"];

/// What can be owned gets no annotations but Helm's: Deployments count every change of annotations as one of theirs, and
/// a release made by Helm is to be taken over unnoticed.
fn mark(fields: &mut Map<String, Value>, id: &ObjectId, kind: &ApiKind, owner: &Owner<'_>) -> (bool, bool) {
    let mut metadata = take_object(fields, "metadata");
    for key in OF_ANOTHER {
        metadata.remove(*key);
    }
    metadata.remove("namespace");
    if kind.namespaced {
        metadata.insert("namespace".into(), id.namespace.as_ref().into());
    }
    let mut labels = take_object(&mut metadata, "labels");
    labels.insert(MANAGED_BY.0.into(), MANAGED_BY.1.into());
    labels.insert(CHART_LABEL.into(), label_value(owner.chart).into());
    labels.insert(OWNER_LABEL.into(), owner.label.into());
    metadata.insert("labels".into(), labels.into());

    let mut annotations = take_object(&mut metadata, "annotations");
    let keep = says_keep(&annotations);
    // A namespaced owner can only own in its namespace; a cluster-scoped owner can own anything.
    let reachable =
        owner.key.namespace.is_empty() || (kind.namespaced && id.namespace == owner.key.namespace);
    let owned = reachable && !keep;
    annotations.insert(RELEASE_NAME.into(), owner.release.into());
    annotations.insert(RELEASE_NAMESPACE.into(), owner.release_namespace.into());
    metadata.remove("ownerReferences");
    if owned {
        let reference = json!([{
            "apiVersion": owner.api_version, "kind": owner.kind, "name": &*owner.key.name, "uid": owner.uid,
            "controller": true, "blockOwnerDeletion": true,
        }]);
        metadata.insert("ownerReferences".into(), reference);
    } else {
        annotations.insert(PRIMARY_RESOURCE.into(), owner.key.to_string().into());
        let of_type = format!("{}.{}", owner.kind, owner.group);
        annotations.insert(PRIMARY_TYPE.into(), of_type.into());
    }
    metadata.insert("annotations".into(), annotations.into());
    fields.insert("metadata".into(), metadata.into());
    (keep, owned)
}

/// Takes an object out, without its null entries (`annotations:` with nothing below is common); empty if there is none.
fn take_object(fields: &mut Map<String, Value>, key: &str) -> Map<String, Value> {
    match fields.remove(key) {
        Some(Value::Object(mut map)) => {
            map.retain(|_, entry| !entry.is_null());
            map
        }
        _ => Map::new(),
    }
}

/// Shortens a text to what a label may hold, keeping different texts different.
pub(crate) fn label_value(text: &str) -> String {
    if text.len() <= 63 {
        return text.to_owned();
    }
    let digest = Digest::of([text]).to_string();
    let head: String = text.chars().take(63 - digest.len() - 1).collect();
    format!("{}-{digest}", head.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()))
}

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;
