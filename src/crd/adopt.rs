//! A definition that is there already → what of it stays when ours takes its place.
//!
//! Nothing tells who wrote which part of a list, so what was found when a definition was taken over is written down in an
//! annotation: those parts stay for good, and ours come and go with the chart.

use serde_json::{Map, Value, json};

use super::evolve::{name, versions};
use crate::cluster::FIELD_MANAGER;

/// Holds what a definition had before it was ours, as JSON.
const KEPT: &str = "chartwright.io/kept";

/// What stays of a definition made by others.
#[derive(Clone, Debug, Default, PartialEq)]
struct Kept {
    short_names: Vec<Value>,
    categories: Vec<Value>,
    columns: Vec<Value>,
    versions: Vec<Value>,
    scale: Option<Value>,
}

impl Kept {
    /// Reads the annotation; of a definition that was never ours, everything stays.
    fn of(existing: &Value, version: &str) -> Self {
        let noted = existing.pointer("/metadata/annotations").and_then(|all| all.get(KEPT)?.as_str());
        if let Some(noted) = noted.and_then(|text| serde_json::from_str::<Value>(text).ok()) {
            let list = |key: &str| array(noted.get(key));
            return Self {
                short_names: list("shortNames"),
                categories: list("categories"),
                columns: list("columns"),
                versions: list("versions"),
                scale: noted.get("scale").cloned(),
            };
        }
        if is_ours(existing) {
            return Self::default();
        }
        let like = versions(existing).find(|known| name(known) == version).or_else(|| stored(existing));
        let columns = like.and_then(|known| known.get("additionalPrinterColumns"));
        Self {
            short_names: array(existing.pointer("/spec/names/shortNames")),
            categories: array(existing.pointer("/spec/names/categories")),
            columns: array(columns),
            versions: versions(existing)
                .filter(|known| name(known) != version)
                .map(|known| name(known).into())
                .collect(),
            scale: like.and_then(|known| known.pointer("/subresources/scale")).cloned(),
        }
    }

    fn note(&self) -> Option<String> {
        let all = [
            ("shortNames", &self.short_names),
            ("categories", &self.categories),
            ("columns", &self.columns),
            ("versions", &self.versions),
        ];
        let mut said: Map<_, _> = all
            .into_iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(key, list)| (key.to_owned(), json!(list)))
            .collect();
        said.extend(self.scale.clone().map(|scale| ("scale".to_owned(), scale)));
        (!said.is_empty()).then(|| Value::Object(said).to_string())
    }
}

/// The definition that the operator would put in the place of another, if all of its versions are in use.
pub(crate) fn successor(mut wanted: Value, existing: &Value, version: &str) -> Value {
    let older = older(existing, version);
    let all: Vec<_> = older.others.into_iter().chain(older.ours).collect();
    take_over(&mut wanted, existing, version, &all);
    wanted
}

/// Which versions of a definition are there for whom.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Older {
    /// Versions that must stay as they are: others made them.
    pub(super) others: Vec<String>,
    /// Versions made for earlier API versions of ours.
    pub(super) ours: Vec<String>,
}

/// Sorts the versions besides the wanted one by who made them.
pub(super) fn older(existing: &Value, wanted: &str) -> Older {
    let kept = Kept::of(existing, wanted);
    let names = versions(existing).map(name).filter(|name| *name != wanted).map(str::to_owned);
    let (others, ours) = names.partition(|name| kept.versions.iter().any(|known| known == name));
    Older { others, ours }
}

/// Lets the wanted definition take over from the existing one. Of older versions of ours, those named in `serve` stay.
///
/// The wanted version becomes the one that resources are stored in, unless others convert between versions.
pub(super) fn take_over(wanted: &mut Value, existing: &Value, version: &str, serve: &[String]) {
    let kept = Kept::of(existing, version);
    if let Some(note) = kept.note() {
        set(wanted, "/metadata", "annotations", json!({ KEPT: note }));
    }
    for (pointer, key, list) in
        [("/spec/names", "shortNames", &kept.short_names), ("/spec/names", "categories", &kept.categories)]
    {
        let mut all = array(wanted.pointer(pointer).and_then(|names| names.get(key)));
        all.extend(list.iter().filter(|name| !all.contains(name)).cloned().collect::<Vec<_>>());
        if !all.is_empty() {
            set(wanted, pointer, key, all.into());
        }
    }
    // These are only spellings; people and scripts are used to the ones they have.
    for key in ["singular", "listKind"] {
        if let Some(known) =
            existing.pointer("/spec/names").and_then(|names| names.get(key)).filter(|name| *name != "")
        {
            set(wanted, "/spec/names", key, known.clone());
        }
    }
    if existing.pointer("/spec/preserveUnknownFields") == Some(&Value::Bool(true)) {
        // What it stands for is said in the schema since apiextensions.k8s.io/v1.
        set(wanted, "/spec", "preserveUnknownFields", false.into());
    }
    // How others convert between their versions stays theirs, and so does what they convert to.
    let mut converted = false;
    if let Some(conversion) = existing.pointer("/spec/conversion")
        && conversion.get("strategy").is_some_and(|strategy| strategy == "Webhook")
    {
        set(wanted, "/spec", "conversion", conversion.clone());
        converted = true;
    }
    let stays_stored = stored(existing).map(name).filter(|_| converted).unwrap_or(version);
    let rest: Vec<Value> = versions(existing)
        .filter(|known| name(known) != version && serve.iter().any(|served| served == name(known)))
        .map(|known| {
            let ours = kept.versions.iter().all(|other| other != name(known));
            second(known, ours.then_some(version), name(known) == stays_stored)
        })
        .collect();
    let Some(list) = wanted.pointer_mut("/spec/versions").and_then(Value::as_array_mut) else { return };
    if let Some(ours) = list.first_mut() {
        add_columns(ours, &kept.columns);
        keep_scale(ours, kept.scale.as_ref());
        if let Some(ours) = ours.as_object_mut() {
            ours.insert("storage".into(), (stays_stored == version).into());
        }
    }
    list.extend(rest);
}

/// An older version that stays. Users of those of ours are told of the one that came after.
fn second(known: &Value, successor: Option<&str>, is_stored: bool) -> Value {
    let mut known = known.clone();
    if let Some(entries) = known.as_object_mut() {
        entries.insert("storage".into(), is_stored.into());
        if let Some(version) = successor {
            entries.insert("deprecated".into(), true.into());
            let warning = format!("this version is served as long as resources use it: write {version}");
            entries.insert("deprecationWarning".into(), warning.into());
        }
    }
    known
}

/// Columns of others come before the last of ours, the age.
fn add_columns(version: &mut Value, kept: &[Value]) {
    let Some(columns) = version.get_mut("additionalPrinterColumns").and_then(Value::as_array_mut) else {
        return;
    };
    let title =
        |column: &Value| column.get("name").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    for column in kept {
        if !columns.iter().any(|known| title(known) == title(column)) {
            columns.insert(columns.len().saturating_sub(1), column.clone());
        }
    }
}

/// A scale subresource that others wrote stays where the chart shows no number of replicas.
fn keep_scale(version: &mut Value, scale: Option<&Value>) {
    if let (Some(scale), Some(subresources)) =
        (scale, version.get_mut("subresources").and_then(Value::as_object_mut))
    {
        subresources.entry("scale").or_insert_with(|| scale.clone());
    }
}

/// Whether a definition is one that we have written before.
fn is_ours(existing: &Value) -> bool {
    array(existing.pointer("/metadata/managedFields"))
        .iter()
        .any(|entry| entry.get("manager").is_some_and(|manager| manager == FIELD_MANAGER))
}

fn stored(crd: &Value) -> Option<&Value> {
    versions(crd).find(|version| version.get("storage") == Some(&Value::Bool(true)))
}

fn array(value: Option<&Value>) -> Vec<Value> {
    value.and_then(Value::as_array).cloned().unwrap_or_default()
}

fn set(value: &mut Value, pointer: &str, key: &str, to: Value) {
    if let Some(entries) = value.pointer_mut(pointer).and_then(Value::as_object_mut) {
        entries.insert(key.to_owned(), to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(version: &str) -> Value {
        json!({"metadata": {"name": "xs.a.io"}, "spec": {
            "names": {"kind": "X", "plural": "xs", "singular": "x", "listKind": "XList", "categories": ["chartwright"]},
            "versions": [{"name": version, "served": true, "storage": true, "subresources": {"status": {}},
                "additionalPrinterColumns": [{"name": "Ready"}, {"name": "Age"}]}],
        }})
    }

    fn by_hand() -> Value {
        json!({"metadata": {"name": "xs.a.io", "managedFields": [{"manager": "kubectl-create"}]}, "spec": {
            "names": {"kind": "X", "plural": "xs", "singular": "ex", "listKind": "Xes", "shortNames": ["x1"], "categories": ["all"]},
            "preserveUnknownFields": true,
            "conversion": {"strategy": "Webhook", "webhook": {}},
            "versions": [
                {"name": "v1", "served": true, "storage": true, "additionalPrinterColumns": [{"name": "ready"}, {"name": "Port"}],
                    "subresources": {"scale": {"specReplicasPath": ".spec.n"}}},
                {"name": "v0", "served": false, "storage": false},
            ],
        }})
    }

    #[test]
    fn what_others_made_stays_and_is_remembered() {
        let mut crd = ours("v1");
        take_over(&mut crd, &by_hand(), "v1", &["v0".into()]);
        let check = |crd: &Value| {
            assert_eq!(
                crd["spec"]["names"],
                json!({"kind": "X", "plural": "xs", "singular": "ex", "listKind": "Xes",
                "shortNames": ["x1"], "categories": ["chartwright", "all"]})
            );
            assert_eq!(crd["spec"]["conversion"]["strategy"], "Webhook");
            let version = &crd["spec"]["versions"][0];
            let columns: Vec<_> =
                version["additionalPrinterColumns"].as_array().unwrap().iter().map(|c| &c["name"]).collect();
            assert_eq!(columns, ["Ready", "Port", "Age"]);
            assert_eq!(version["subresources"]["scale"]["specReplicasPath"], ".spec.n");
            assert_eq!(crd["spec"]["versions"][1], json!({"name": "v0", "served": false, "storage": false}));
            assert_eq!(version["storage"], true);
        };
        check(&crd);
        assert_eq!(crd["spec"]["preserveUnknownFields"], false);
        // The next time it is ours, with what was not.
        let mut existing = crd.clone();
        existing["metadata"]["managedFields"] = json!([{"manager": FIELD_MANAGER}]);
        let mut again = ours("v1");
        take_over(&mut again, &existing, "v1", &["v0".into()]);
        check(&again);
        assert_eq!(older(&existing, "v1"), Older { others: vec!["v0".into()], ours: vec![] });
    }

    #[test]
    fn what_was_ours_goes_with_the_chart() {
        let mut existing = ours("v1");
        existing["metadata"]["managedFields"] = json!([{"manager": FIELD_MANAGER}]);
        existing["spec"]["names"]["shortNames"] = json!(["old"]);
        let mut crd = ours("v2");
        take_over(&mut crd, &existing, "v2", &["v1".into()]);
        assert_eq!(crd["spec"]["names"].get("shortNames"), None);
        assert_eq!(crd["metadata"].get("annotations"), None);
        let versions = crd["spec"]["versions"].as_array().unwrap();
        assert_eq!((&versions[0]["name"], &versions[0]["storage"]), (&json!("v2"), &json!(true)));
        assert_eq!((&versions[1]["name"], &versions[1]["storage"]), (&json!("v1"), &json!(false)));
        assert_eq!(versions[1]["deprecated"], true);
        assert_eq!(older(&existing, "v2"), Older { others: vec![], ours: vec!["v1".into()] });
    }
}
