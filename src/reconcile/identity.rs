//! Names of things: custom resources, the objects applied for them, the kinds the cluster serves, and digests.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use kube::api::ApiResource;
use sha2::{Digest as _, Sha256};

/// The group of an `apiVersion`; empty for the core.
pub(crate) fn group_of(api_version: &str) -> &str {
    api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

/// A custom resource of one served kind. The namespace is empty for cluster-scoped ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InstanceKey {
    pub(crate) namespace: Arc<str>,
    pub(crate) name: Arc<str>,
}

impl InstanceKey {
    pub(crate) fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// Reads what `Display` writes; this is the form of the `operator-sdk/primary-resource` annotation.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text.split_once('/') {
            Some((namespace, name)) if !name.is_empty() => Some(Self::new(namespace, name)),
            None if !text.is_empty() => Some(Self::new("", text)),
            _ => None,
        }
    }
}

impl fmt::Display for InstanceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

impl crate::queue::Key for InstanceKey {
    fn lane(&self) -> &str {
        &self.namespace
    }
}

/// An object of any kind. Its version is no part of its identity; the namespace is empty for cluster-scoped ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId {
    pub(crate) group: Arc<str>,
    pub(crate) kind: Arc<str>,
    pub(crate) namespace: Arc<str>,
    pub(crate) name: Arc<str>,
}

impl ObjectId {
    /// Whether it is a CustomResourceDefinition.
    pub(crate) fn is_definition(&self) -> bool {
        &*self.kind == "CustomResourceDefinition"
    }
}

impl fmt::Display for ObjectId {
    /// `Deployment web` or `Deployment web in namespace prod`; the group only where kinds of that name are many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)?;
        if self.namespace.is_empty() { Ok(()) } else { write!(f, " in namespace {}", self.namespace) }
    }
}

/// A kind as the cluster serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiKind {
    /// Group, version, kind and plural.
    pub(crate) resource: ApiResource,
    /// Whether its objects live in namespaces.
    pub(crate) namespaced: bool,
    /// Whether it can be listed and watched.
    pub(crate) watchable: bool,
    /// Shared by the identities of its objects.
    group: Arc<str>,
    kind: Arc<str>,
}

impl ApiKind {
    pub(crate) fn new(resource: ApiResource, namespaced: bool, watchable: bool) -> Self {
        let (group, kind) = (resource.group.as_str().into(), resource.kind.as_str().into());
        Self { resource, namespaced, watchable, group, kind }
    }

    /// Names an object of this kind; the namespace is dropped for cluster-scoped kinds.
    pub(crate) fn object(&self, namespace: &str, name: &str) -> ObjectId {
        ObjectId {
            group: self.group.clone(),
            kind: self.kind.clone(),
            namespace: if self.namespaced { namespace } else { "" }.into(),
            name: name.into(),
        }
    }

    /// Reports whether an object is of this kind, in whatever version.
    pub(crate) fn is_kind_of(&self, id: &ObjectId) -> bool {
        self.group == id.group && self.kind == id.kind
    }

    /// `apiVersion/Kind`, as the status lists it.
    pub(crate) fn text(&self) -> String {
        format!("{}/{}", self.resource.api_version, self.resource.kind)
    }
}

/// All kinds the cluster serves, as discovery told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    /// By `apiVersion` and kind.
    by_version: HashMap<(String, String), Arc<ApiKind>>,
    /// The first (preferred) version of each group and kind.
    preferred: HashMap<(String, String), Arc<ApiKind>>,
    /// `.Capabilities.APIVersions`: each `group/version` and `group/version/Kind`.
    pub(crate) api_versions: Vec<String>,
    /// Groups of which it is not known what they have, for the server they come from does not answer.
    out_of_order: BTreeSet<String>,
}

impl Kinds {
    /// Adds a kind; of several versions the one added first is preferred.
    pub(crate) fn add(&mut self, kind: ApiKind) {
        let kind = Arc::new(kind);
        let resource = &kind.resource;
        self.preferred.entry((resource.group.clone(), resource.kind.clone())).or_insert_with(|| kind.clone());
        self.by_version.insert((resource.api_version.clone(), resource.kind.clone()), kind);
    }

    /// Adds a version of a group whose server does not answer: what it had before it still has.
    pub(crate) fn carry(&mut self, before: &Self, group: &str, api_version: &str) {
        let is_of = |text: &&String| {
            text.strip_prefix(api_version).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.api_versions.extend(before.api_versions.iter().filter(is_of).cloned());
        let kinds = before.by_version.values().filter(|kind| kind.resource.api_version == api_version);
        let mut is_known = false;
        for kind in kinds {
            is_known = true;
            self.add(ApiKind::clone(kind));
        }
        if !is_known {
            self.out_of_order.insert(group.to_owned());
        }
    }

    /// Whether a group may have kinds that are not known, for its server does not answer.
    pub(crate) fn is_out_of_order(&self, group: &str) -> bool {
        self.out_of_order.contains(group)
    }

    /// Whether there may be kinds that are not known.
    pub(crate) fn has_gaps(&self) -> bool {
        !self.out_of_order.is_empty()
    }

    /// The groups that may have them.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = &str> {
        self.out_of_order.iter().map(String::as_str)
    }

    /// Finds a kind by `apiVersion` and kind.
    pub(crate) fn get(&self, api_version: &str, kind: &str) -> Option<&Arc<ApiKind>> {
        // A tuple of owned strings cannot be looked up by borrowed ones; these are short.
        self.by_version.get(&(api_version.to_owned(), kind.to_owned()))
    }

    /// Finds a kind by what [`ApiKind::text`] writes.
    pub(crate) fn parse(&self, text: &str) -> Option<&Arc<ApiKind>> {
        let (api_version, kind) = text.rsplit_once('/')?;
        self.get(api_version, kind)
    }

    /// Finds the preferred version of a kind by group and kind.
    pub(crate) fn preferred(&self, group: &str, kind: &str) -> Option<&Arc<ApiKind>> {
        self.preferred.get(&(group.to_owned(), kind.to_owned()))
    }

    /// Reports whether a kind is there that a CustomResourceDefinition of that name, `PLURAL.GROUP`, makes.
    pub(crate) fn has_definition(&self, name: Option<&str>) -> bool {
        let Some((plural, group)) = name.and_then(|name| name.split_once('.')) else { return false };
        self.preferred.values().any(|kind| kind.resource.plural == plural && kind.resource.group == group)
    }

    /// What templates see of these kinds: each `group/version` and `group/version/Kind`.
    pub(crate) fn as_capabilities(&self) -> Vec<String> {
        let both =
            |(api_version, kind): &(String, String)| [api_version.clone(), format!("{api_version}/{kind}")];
        let mut texts: Vec<String> = self.by_version.keys().flat_map(both).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// Reports whether discovery found anything at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_version.is_empty()
    }
}

/// The first eight bytes of a SHA-256: equal digests mean equal content for all our purposes, across versions and
/// platforms.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Digest(pub(crate) u64);

impl Digest {
    /// Digests parts; the boundaries between them count.
    pub(crate) fn of<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            let part = part.as_ref();
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let full: [u8; 32] = hasher.finalize().into();
        let [a, b, c, d, e, f, g, h, ..] = full;
        Self(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }

    /// Reads what `Display` writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 16).map(Self)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instance_keys_survive_the_annotation() {
        for key in [InstanceKey::new("ns", "a"), InstanceKey::new("", "cluster-wide")] {
            assert_eq!(InstanceKey::parse(&key.to_string()), Some(key));
        }
        assert_eq!(InstanceKey::parse(""), None);
        assert_eq!(InstanceKey::parse("ns/"), None);
    }

    #[test]
    fn digests_see_boundaries_and_survive_text() {
        let digest = Digest::of(["ab", "c"]);
        assert_ne!(digest, Digest::of(["a", "bc"]));
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse("12"), None);
    }
}
