//! The resources there are, before their type changes: which versions they use, and what a change would do to them.

use std::collections::{BTreeMap, BTreeSet};

use crdschema::{Change, Fault, validate};
use gostd::value::Frozen;
use kube::Client;
use kube::api::Request;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::requests::Resources;
use crate::cluster::error::is_forbidden;
use crate::cluster::request::Pages;
use crate::convert::from_json;
use crate::json;

/// As many resources are named for each change; the others are counted.
const NAMED: usize = 5;

#[derive(Deserialize)]
struct Item {
    metadata: Meta,
    #[serde(default)]
    spec: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    name: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    managed_fields: Vec<Writing>,
}

/// In which version somebody wrote a resource.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Writing {
    #[serde(default)]
    api_version: String,
}

/// What a look at all resources showed.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The versions in which somebody writes resources.
    pub(super) used: BTreeSet<String>,
    /// Set when not all namespaces could be looked into.
    pub(super) partial: bool,
    /// What a change does to resources that are good now.
    pub(super) hits: Hits,
}

/// Reads all resources; those that break `rules` are noted, if there are any. An operator that may not look everywhere
/// looks into the namespaces it serves.
pub(super) async fn survey(
    resources: &Resources,
    namespaces: &[String],
    group: &str,
    rules: Option<&Rules<'_>>,
) -> Result<Survey, kube::Error> {
    let (mut survey, mut seen) = (Survey::default(), false);
    let client = &resources.client;
    match look(client, resources.within(None), group, rules, &mut survey).await {
        Err(kube::Error::Api(status))
            if status.is_forbidden() && resources.namespaced && !namespaces.is_empty() =>
        {
            survey.partial = true;
        }
        Ok(()) => return Ok(survey),
        Err(error) => return Err(error),
    }
    let mut refused = None;
    for namespace in namespaces {
        match look(client, resources.within(Some(namespace)), group, rules, &mut survey).await {
            Ok(()) => seen = true,
            // Its resources are not served either.
            Err(error) if is_forbidden(&error) => refused = Some(error),
            Err(error) => return Err(error),
        }
    }
    match refused {
        Some(error) if !seen => Err(error),
        _ => Ok(survey),
    }
}

async fn look(
    client: &Client,
    resources: Request,
    group: &str,
    rules: Option<&Rules<'_>>,
    survey: &mut Survey,
) -> Result<(), kube::Error> {
    let mut pages = Pages::new(client, resources);
    while let Some(page) = pages.next::<Item>().await? {
        for Item { metadata, spec } in page {
            for entry in &metadata.managed_fields {
                if let Some((_, version)) = entry.api_version.split_once('/').filter(|(of, _)| *of == group) {
                    survey.used.insert(version.to_owned());
                }
            }
            let (Some(rules), Some(spec)) = (rules, spec) else { continue };
            let name = match &*metadata.namespace {
                "" => metadata.name,
                namespace => format!("{namespace}/{}", metadata.name),
            };
            // What nests too deeply to be read cannot be served by any chart.
            if let Ok(spec) = json::from_slice(spec.get().as_bytes()) {
                rules.judge(&name, &spec, &mut survey.hits);
            }
        }
    }
    Ok(())
}

/// The schemas of `spec` before and after, and the changes between them that may hurt.
pub(super) struct Rules<'c> {
    pub(super) old: &'c Value,
    pub(super) new: &'c Value,
    pub(super) changes: &'c [Change],
}

impl Rules<'_> {
    /// Notes what is wrong with a spec under the new schema and was not under the old one.
    fn judge(&self, name: &str, spec: &Value, hits: &mut Hits) {
        if spec.is_null() {
            return;
        }
        let before = validate(self.old, spec);
        let faults: Vec<_> =
            validate(self.new, spec).into_iter().filter(|fault| !before.contains(fault)).collect();
        if !faults.is_empty() && hits.specs.len() < MOST_SPECS {
            hits.specs.push(from_json(spec));
        }
        for fault in faults {
            hits.add(name, self.cause(&fault));
        }
    }

    /// Names the change behind a fault: the deepest at its field or around it.
    fn cause(&self, fault: &Fault) -> String {
        let path = general(&format!("spec.{}", fault.path));
        // Changes of a version that is new have its name in front.
        let at = |change: &Change| change.path.rsplit(": ").next().unwrap_or_default().to_owned();
        let covers = |change: &&Change| {
            let rest = path.strip_prefix(&at(change));
            change.breaking && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        match self.changes.iter().filter(covers).max_by_key(|change| change.path.len()) {
            Some(change) if at(change) == path => format!("{path}: {}", change.what),
            Some(change) => format!("{path}: {} of {}", change.what, at(change)),
            None => format!("{path}: {}", fault.problem),
        }
    }
}

/// Writes a path as changes name it: for every item of a list.
fn general(path: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for letter in path.chars() {
        match letter {
            '[' => inside = true,
            ']' => inside = false,
            _ if inside => continue,
            _ => {}
        }
        out.push(letter);
    }
    out.trim_end_matches('.').to_owned()
}

/// Changes with the resources that each of them hits.
#[derive(Debug, Default)]
pub(super) struct Hits {
    changes: BTreeMap<String, BTreeSet<String>>,
    resources: BTreeSet<String>,
    /// What some of the resources have in their spec.
    pub(super) specs: Vec<Frozen>,
}

/// As many specs are kept as evidence of what a chart takes.
const MOST_SPECS: usize = 500;

impl Hits {
    fn add(&mut self, resource: &str, change: String) {
        self.resources.insert(resource.to_owned());
        self.changes.entry(change).or_default().insert(resource.to_owned());
    }

    /// How many resources are hit.
    pub(super) fn len(&self) -> usize {
        self.resources.len()
    }

    /// One line for each change.
    pub(super) fn report(&self) -> String {
        let line = |(change, resources): (&String, &BTreeSet<String>)| {
            let named: Vec<_> = resources.iter().take(NAMED).map(String::as_str).collect();
            let more = match resources.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{change} — {}{more}", named.join(", "))
        };
        self.changes.iter().map(line).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_a_change_breaks_is_reported() {
        let schema = |port: &str| {
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
                "list": {"type": "array", "items": {"type": "object", "properties": {"port": {"type": port}}}},
                "size": {"type": "integer"}}})
        };
        let (old, new) = (schema("string"), schema("integer"));
        let whole = |spec: &Value| json!({"type": "object", "properties": {"spec": spec}});
        let changes = crdschema::compare(&whole(&old), &whole(&new));
        let rules = Rules { old: &old, new: &new, changes: &changes };
        let mut hits = Hits::default();
        rules.judge("a/good", &json!({"list": [{"port": null}], "size": 1}), &mut hits);
        // Wrong before as well.
        rules.judge("a/odd", &json!({"size": "x"}), &mut hits);
        for number in 0..7 {
            rules.judge(&format!("a/r{number}"), &json!({"list": [{}, {"port": "80"}]}), &mut hits);
        }
        assert_eq!(hits.len(), 7);
        assert_eq!(
            hits.report(),
            "spec.list[].port: type string becomes integer — a/r0, a/r1, a/r2, a/r3, a/r4 and 2 more"
        );
    }
}
