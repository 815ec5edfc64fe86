//! The little we keep of an object that was applied: parsed straight from the wire, everything else skipped.

use std::borrow::Cow;

use kube::Resource;
use kube::api::{ApiResource, DynamicObject, ObjectMeta};
use kube::core::DynamicResourceScope;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::FIELD_MANAGER;
use super::ownership::is_former;
use crate::reconcile::health::Words;
use crate::reconcile::identity::{Digest, InstanceKey, group_of};

/// The served kind, as owner references name it.
#[derive(Clone, Debug)]
pub(crate) struct OwnerKind {
    pub(crate) group: Box<str>,
    pub(crate) kind: Box<str>,
    pub(crate) namespaced: bool,
}

/// An applied object as a watch or an answer shows it. With `META` only the metadata is asked for.
#[derive(Clone, Debug)]
pub(super) struct Seen<const META: bool> {
    /// Name, namespace and version only.
    meta: ObjectMeta,
    pub(super) uid: Box<str>,
    /// The custom resource that its annotations name.
    named: Option<InstanceKey>,
    controller: Option<RawOwner>,
    pub(super) generation: i64,
    pub(super) deleting: bool,
    /// Of the fields we own, and when we last wrote to them: another process of ours may have put other values there.
    /// [`Digest::default`] if there are none.
    pub(super) fields: Digest,
    /// Who else wrote to it last, if anybody did.
    pub(super) editor: Option<Box<str>>,
    /// The autoscaler's manager, if one has set its replicas.
    pub(super) scaled: Option<Box<str>>,
    /// Whether fields of it are those of a manager whose place we take.
    pub(super) former: bool,
    /// Whether it existed before we (or anybody) wrote what we see: it has a version.
    pub(super) stored: bool,
    pub(super) words: Words,
}

impl<const META: bool> Seen<META> {
    /// The custom resource it was made for.
    pub(super) fn resource(&self, owner: &OwnerKind) -> Option<InstanceKey> {
        if let Some(named) = &self.named {
            return Some(named.clone());
        }
        let controller = self.controller.as_ref()?;
        let namespace = if owner.namespaced { self.namespace() } else { "" };
        let is_of_kind = controller.kind == owner.kind && *group_of(&controller.api_version) == *owner.group;
        is_of_kind.then(|| InstanceKey::new(namespace, &controller.name))
    }

    pub(super) fn name(&self) -> &str {
        self.meta.name.as_deref().unwrap_or_default()
    }

    pub(super) fn namespace(&self) -> &str {
        self.meta.namespace.as_deref().unwrap_or_default()
    }

    /// The resource version as a number: all API servers count upwards. Zero if it is none.
    pub(super) fn version(&self) -> u64 {
        self.meta.resource_version.as_deref().and_then(|version| version.parse().ok()).unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    metadata: RawMeta,
    #[serde(default)]
    spec: Option<Box<RawValue>>,
    #[serde(default)]
    status: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RawMeta {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<Box<str>>,
    resource_version: Option<String>,
    generation: i64,
    deletion_timestamp: Option<serde::de::IgnoredAny>,
    annotations: Option<OwnAnnotations>,
    owner_references: Vec<RawOwner>,
    managed_fields: Vec<RawEntry>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OwnAnnotations {
    #[serde(rename = "operator-sdk/primary-resource")]
    resource: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RawOwner {
    api_version: Box<str>,
    kind: Box<str>,
    name: Box<str>,
    controller: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RawEntry {
    manager: Box<str>,
    operation: Box<str>,
    subresource: Box<str>,
    time: Box<str>,
    fields_v1: Option<Box<RawValue>>,
}

impl<'de, const META: bool> Deserialize<'de> for Seen<META> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        let meta = raw.metadata;
        let ours = |entry: &&RawEntry| {
            &*entry.manager == FIELD_MANAGER && &*entry.operation == "Apply" && entry.subresource.is_empty()
        };
        let own = meta.managed_fields.iter().find(ours);
        let fields = own.and_then(|entry| Some(Digest::of([entry.fields_v1.as_ref()?.get(), &entry.time])));
        let editor = meta
            .managed_fields
            .iter()
            .filter(|entry| !ours(entry) && &*entry.subresource != "status")
            .max_by(|a, b| a.time.cmp(&b.time))
            .map(|entry| entry.manager.clone());
        // An autoscaler scales through the subresource, as `kubectl scale` does; only the former's word is to last.
        let scaled = meta
            .managed_fields
            .iter()
            .find(|entry| &*entry.subresource == "scale" && !entry.manager.starts_with("kubectl"))
            .map(|entry| entry.manager.clone());
        let former =
            meta.managed_fields.iter().any(|one| is_former(&one.manager, &one.operation, &one.subresource));
        Ok(Self {
            scaled,
            former,
            stored: meta.resource_version.as_ref().is_some_and(|version| !version.is_empty()),
            meta: ObjectMeta {
                name: meta.name,
                namespace: meta.namespace,
                resource_version: meta.resource_version,
                ..ObjectMeta::default()
            },
            uid: meta.uid.unwrap_or_default(),
            named: meta.annotations.and_then(|own| InstanceKey::parse(&own.resource?)),
            controller: meta.owner_references.into_iter().find(|owner| owner.controller),
            generation: meta.generation,
            deleting: meta.deletion_timestamp.is_some(),
            fields: fields.unwrap_or_default(),
            editor,
            words: Words::pick(raw.spec.as_deref(), raw.status.as_deref()),
        })
    }
}

impl<const META: bool> Resource for Seen<META> {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(dt: &ApiResource) -> Cow<'_, str> {
        DynamicObject::kind(dt)
    }

    fn group(dt: &ApiResource) -> Cow<'_, str> {
        DynamicObject::group(dt)
    }

    fn version(dt: &ApiResource) -> Cow<'_, str> {
        DynamicObject::version(dt)
    }

    fn plural(dt: &ApiResource) -> Cow<'_, str> {
        DynamicObject::plural(dt)
    }

    fn metadata_api() -> bool {
        META
    }

    fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.meta
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::core::WatchEvent;

    const EVENT: &str = r#"{"type":"MODIFIED","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{
        "name":"d","namespace":"n","uid":"u","resourceVersion":"17","generation":3,"deletionTimestamp":"2026-01-01T00:00:00Z",
        "annotations":{"a":"b"},"ownerReferences":[{"apiVersion":"a.b/v2","kind":"Web","name":"web","controller":true}],
        "managedFields":[
            {"manager":"chartwright","operation":"Apply","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:spec":{"f:replicas":{}}}},
            {"manager":"kubectl-edit","operation":"Update","time":"2026-01-02T00:00:00Z","fieldsV1":{"f:spec":{}}},
            {"manager":"kube-controller-manager","operation":"Update","subresource":"status","time":"2026-01-03T00:00:00Z"}]},
        "spec":{"replicas":2,"template":{}},"status":{"observedGeneration":2}}}"#;

    #[test]
    fn watch_events_are_read() {
        let WatchEvent::Modified(seen) = serde_json::from_str::<WatchEvent<Seen<false>>>(EVENT).unwrap()
        else {
            panic!()
        };
        assert_eq!((seen.name(), seen.namespace(), seen.version(), seen.generation), ("d", "n", 17, 3));
        let owner_of = |group: &str, kind: &str, namespaced| OwnerKind {
            group: group.into(),
            kind: kind.into(),
            namespaced,
        };
        let owner = |kind: &str, namespaced| owner_of("a.b", kind, namespaced);
        assert_eq!(seen.resource(&owner("Web", true)), Some(InstanceKey::new("n", "web")));
        assert_eq!(seen.resource(&owner("Web", false)), Some(InstanceKey::new("", "web")));
        assert_eq!(seen.resource(&owner("Other", true)), None);
        assert_eq!(seen.resource(&owner_of("c.d", "Web", true)), None);
        assert_eq!(seen.fields, Digest::of([r#"{"f:spec":{"f:replicas":{}}}"#, "2026-01-01T00:00:00Z"]));
        assert_eq!(seen.editor.as_deref(), Some("kubectl-edit"));
        assert!(seen.deleting && seen.stored);
    }

    #[test]
    fn an_object_without_anything_is_read() {
        let seen: Seen<true> = serde_json::from_str(r#"{"metadata":{"name":"x"},"spec":"odd"}"#).unwrap();
        assert_eq!((seen.version(), seen.fields, seen.stored), (0, Digest::default(), false));
    }
}
