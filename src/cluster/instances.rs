//! The custom resources of one served kind, watched and kept: a few words and the texts of spec and status each.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use futures::{StreamExt as _, pin_mut};
use kube::api::{ApiResource, DynamicObject, GetParams, ObjectMeta, Patch, PatchParams, PostParams, Request};
use kube::core::{DynamicResourceScope, Selector};
use kube::runtime::watcher as watch_kind;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client, Resource};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::error::explain;
use super::paced::paced;
use super::refused::Lack;
use super::request::{Pages, call, find};
use super::{FIELD_MANAGER, error};
use crate::lock::lock;
use crate::reconcile::identity::{Digest, InstanceKey};
use crate::settings::Extent;

/// Custom resources per page of a list.
const PAGE: u32 = 100;

/// A custom resource.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) key: InstanceKey,
    pub(crate) uid: Box<str>,
    pub(crate) resource_version: Box<str>,
    pub(crate) generation: i64,
    /// When it was made, as Unix time in seconds.
    pub(crate) created: i64,
    pub(crate) deleting: bool,
    /// When its deletion was asked for.
    pub(crate) deleted_at: Option<jiff::Timestamp>,
    pub(crate) finalizers: Vec<Box<str>>,
    /// Those with our prefixes.
    pub(crate) annotations: BTreeMap<Box<str>, Box<str>>,
    /// The text of `spec`; empty if there is none.
    pub(crate) spec: Box<str>,
    pub(crate) spec_digest: Digest,
    /// The text of `status`; empty if there is none.
    pub(crate) status: Box<str>,
}

impl Instance {
    /// One for tests.
    #[cfg(test)]
    pub(crate) fn example(namespace: &str, name: &str, uid: &str) -> Self {
        Self {
            key: InstanceKey::new(namespace, name),
            uid: uid.into(),
            resource_version: "1".into(),
            generation: 1,
            created: 0,
            deleting: false,
            deleted_at: None,
            finalizers: Vec::new(),
            annotations: BTreeMap::new(),
            spec: "".into(),
            spec_digest: Digest::default(),
            status: "".into(),
        }
    }

    /// Reads one from its JSON; `None` if it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let wire: Wire = serde_json::from_str(text).ok()?;
        Some(Arc::unwrap_or_clone(wire.instance))
    }

    /// Parses the status; null if there is none.
    pub(crate) fn status(&self) -> Value {
        serde_json::from_str(&self.status).unwrap_or(Value::Null)
    }

    /// Reports whether a change from an earlier state is one to act on: everything but the status counts, and of that
    /// whether there is one.
    fn differs(&self, before: &Instance) -> bool {
        self.uid != before.uid
            || self.generation != before.generation
            || self.deleting != before.deleting
            || self.spec_digest != before.spec_digest
            || self.annotations != before.annotations
            || self.finalizers != before.finalizers
            || (self.status.is_empty() && !before.status.is_empty())
    }
}

/// A custom resource on the wire.
#[derive(Clone, Debug)]
struct Wire {
    /// Name, namespace and version only.
    meta: ObjectMeta,
    instance: Arc<Instance>,
}

#[derive(Deserialize)]
struct Raw {
    metadata: RawMeta,
    #[serde(default)]
    spec: Option<Box<RawValue>>,
    #[serde(default)]
    status: Option<Box<RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RawMeta {
    name: Box<str>,
    namespace: Box<str>,
    uid: Box<str>,
    resource_version: Box<str>,
    generation: i64,
    creation_timestamp: Option<jiff::Timestamp>,
    deletion_timestamp: Option<Box<str>>,
    finalizers: Vec<Box<str>>,
    annotations: BTreeMap<Box<str>, Box<str>>,
}

/// The prefixes of annotations that mean something to us.
const PREFIXES: &[&str] = &["chartwright.io/", "helm.sdk.operatorframework.io/"];

impl<'de> Deserialize<'de> for Wire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        let text = |raw: Option<Box<RawValue>>| raw.map(|raw| Box::from(raw.get())).unwrap_or_default();
        let mut annotations = raw.metadata.annotations;
        annotations.retain(|key, _| PREFIXES.iter().any(|prefix| key.starts_with(prefix)));
        let spec: Box<str> = text(raw.spec);
        let meta = ObjectMeta {
            name: Some(raw.metadata.name.to_string()),
            namespace: Some(raw.metadata.namespace.to_string()),
            resource_version: Some(raw.metadata.resource_version.to_string()),
            ..ObjectMeta::default()
        };
        let instance = Instance {
            key: InstanceKey::new(&raw.metadata.namespace, &raw.metadata.name),
            uid: raw.metadata.uid,
            resource_version: raw.metadata.resource_version,
            generation: raw.metadata.generation,
            created: raw.metadata.creation_timestamp.map_or(0, jiff::Timestamp::as_second),
            deleting: raw.metadata.deletion_timestamp.is_some(),
            deleted_at: raw.metadata.deletion_timestamp.and_then(|text| text.parse().ok()),
            finalizers: raw.metadata.finalizers,
            annotations,
            spec_digest: Digest::of([spec.as_bytes()]),
            spec,
            status: text(raw.status),
        };
        Ok(Self { meta, instance: Arc::new(instance) })
    }
}

/// What tells one object from another of its name.
#[derive(Deserialize)]
struct Identity {
    metadata: IdentityMeta,
}

#[derive(Deserialize)]
struct IdentityMeta {
    uid: Box<str>,
}

impl Resource for Wire {
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

    fn meta(&self) -> &ObjectMeta {
        &self.meta
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.meta
    }
}

type OnChange = dyn Fn(&InstanceKey) + Send + Sync;

/// What is known of an extent's custom resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    /// Nothing yet.
    Asked,
    /// They have been listed, or the kind is not served (yet).
    Known,
    /// They may not be watched; what may not be done, in words.
    Refused(Arc<str>),
}

/// The custom resources of one served kind.
pub(crate) struct Instances {
    client: Client,
    resource: ApiResource,
    store: Mutex<HashMap<InstanceKey, Arc<Instance>>>,
    on_change: Box<OnChange>,
    /// Changes when a watch that does not work may be tried again at once.
    retries: watch::Sender<()>,
    /// Set when it has been told that statuses cannot be written.
    lacks_status: AtomicBool,
}

impl Instances {
    pub(crate) fn new(client: Client, resource: ApiResource, on_change: Box<OnChange>) -> Self {
        Self {
            client,
            resource,
            store: Mutex::default(),
            on_change,
            retries: watch::channel(()).0,
            lacks_status: AtomicBool::new(false),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<InstanceKey, Arc<Instance>>> {
        lock(&self.store)
    }

    /// Finds one.
    pub(crate) fn get(&self, key: &InstanceKey) -> Option<Arc<Instance>> {
        self.lock().get(key).cloned()
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<Arc<Instance>> {
        self.lock().values().cloned().collect()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Says that the kind's definition has come or changed: watches that wait after a failure do so no longer.
    pub(crate) fn retry(&self) {
        self.retries.send_replace(());
    }

    /// Watches until dropped, and keeps what is known of the extent in `listing`.
    pub(crate) async fn watch(
        &self,
        extent: &Extent,
        selector: Option<&Selector>,
        listing: watch::Sender<Listing>,
    ) {
        let api: Api<Wire> = match extent {
            Extent::Namespace(namespace) => {
                Api::namespaced_with(self.client.clone(), namespace, &self.resource)
            }
            Extent::Everywhere => Api::all_with(self.client.clone(), &self.resource),
        };
        let mut config = watcher::Config::default().page_size(PAGE);
        if let Some(selector) = selector {
            config = config.labels_from(selector);
        }
        let mut retries = self.retries.subscribe();
        let mut is_unserved = false;
        loop {
            let events = paced(watch_kind(api.clone(), config.clone()));
            pin_mut!(events);
            let mut listed = HashSet::new();
            let mut failing = false;
            loop {
                let event = tokio::select! {
                    event = events.next() => event,
                    Ok(()) = retries.changed(), if failing => break,
                };
                match event {
                    None => return,
                    Some(Ok(Event::Init)) => listed.clear(),
                    Some(Ok(Event::InitApply(wire))) => {
                        listed.insert(wire.instance.key.clone());
                        self.update(wire.instance);
                    }
                    Some(Ok(Event::InitDone)) => {
                        (failing, is_unserved) = (false, false);
                        self.drop_all_but(extent, &listed);
                        listed = HashSet::new();
                        self.tell_known(&listing);
                    }
                    Some(Ok(Event::Apply(wire))) => {
                        self.tell_known(&listing);
                        self.update(wire.instance);
                    }
                    Some(Ok(Event::Delete(wire))) => {
                        self.tell_known(&listing);
                        self.delete(&wire.instance);
                    }
                    Some(Err(error)) => {
                        failing = true;
                        if error::refusal(&error).is_some_and(error::is_not_found) {
                            self.tell_unserved(std::mem::replace(&mut is_unserved, true));
                            // There are none, and others need not wait for them.
                            listing.send_replace(Listing::Known);
                        } else if let Some(lack) = Lack::of(&error, &self.resource, extent.namespace()) {
                            self.tell_refused(&listing, &lack);
                        } else {
                            self.report(&error);
                        }
                    }
                }
            }
        }
    }

    /// Says once that an extent may not be watched; others are served all the same.
    fn tell_refused(&self, listing: &watch::Sender<Listing>, lack: &Lack) {
        let refused = Listing::Refused(lack.right.as_str().into());
        let is_news = listing.send_if_modified(|now| {
            let is_news = *now != refused;
            *now = refused;
            is_news
        });
        if is_news {
            tracing::error!(
                kind = %self.resource.kind, rule = %lack.rule,
                "May not watch custom resources: they are not served until the operator's role has the rule"
            );
        }
    }

    fn tell_known(&self, listing: &watch::Sender<Listing>) {
        let before = listing.send_replace(Listing::Known);
        if let Listing::Refused(right) = before {
            tracing::info!(kind = %self.resource.kind, right = &*right, "Has the right to watch custom resources now");
        }
    }

    fn report(&self, error: &watcher::Error) {
        let Some(cause) = error::refusal(error) else {
            tracing::debug!(kind = %self.resource.kind, %error, "Watch interrupted");
            return;
        };
        tracing::warn!(kind = %self.resource.kind, error = %explain(cause), "Cannot watch custom resources");
    }

    fn tell_unserved(&self, is_told: bool) {
        let kind = &self.resource.kind;
        if is_told {
            tracing::debug!(%kind, "The cluster still does not serve the kind");
        } else {
            tracing::warn!(
                %kind, api_version = %self.resource.api_version,
                "The cluster does not serve the kind: its resources are waited for until its CustomResourceDefinition is there"
            );
        }
    }

    fn update(&self, instance: Arc<Instance>) {
        let key = instance.key.clone();
        let before = self.lock().insert(key.clone(), instance.clone());
        if before.is_none_or(|before| instance.differs(&before)) {
            (self.on_change)(&key);
        }
    }

    fn delete(&self, instance: &Instance) {
        self.lock().remove(&instance.key);
        (self.on_change)(&instance.key);
    }

    fn drop_all_but(&self, extent: &Extent, listed: &HashSet<InstanceKey>) {
        let gone: Vec<_> = {
            let store = self.lock();
            let covered = |key: &&InstanceKey| extent.covers(&key.namespace);
            store.keys().filter(covered).filter(|key| !listed.contains(key)).cloned().collect()
        };
        for key in gone {
            self.lock().remove(&key);
            (self.on_change)(&key);
        }
    }

    /// Reads those that are meant and not seen, for they are not selected.
    pub(crate) async fn unseen(
        &self,
        extent: &Extent,
        is_meant: impl Fn(&Instance) -> bool,
    ) -> Result<Vec<Arc<Instance>>, kube::Error> {
        let request = Request::new(DynamicObject::url_path(&self.resource, extent.namespace()));
        let (mut unseen, mut pages) = (Vec::new(), Pages::new(&self.client, request));
        while let Some(page) = pages.next::<Wire>().await? {
            let others = page.into_iter().map(|wire| wire.instance);
            let others = others.filter(|one| self.get(&one.key).is_none());
            unseen.extend(others.filter(|one| is_meant(one)));
        }
        Ok(unseen)
    }

    /// Reads one that may not be selected; `None` if it is not there.
    pub(crate) async fn read(&self, key: &InstanceKey) -> Result<Option<Arc<Instance>>, kube::Error> {
        let request = self.request(key).get(&key.name, &GetParams::default());
        let found = find::<Wire>(&self.client, request.map_err(kube::Error::BuildRequest)?).await?;
        Ok(found.map(|wire| wire.instance))
    }

    /// Asks whether one is gone for good: it may merely not be selected (any more). With a `uid` another one of its name does
    /// not count, without one any does. Where the server
    /// does not know the kind, it is gone if `definition` (the CRD's name) is.
    pub(crate) async fn is_gone(
        &self,
        key: &InstanceKey,
        uid: &str,
        definition: &str,
    ) -> Result<bool, kube::Error> {
        let request = self.request(key).get_metadata(&key.name, &GetParams::default());
        match call::<Identity>(&self.client, request.map_err(kube::Error::BuildRequest)?).await {
            Ok(answer) => Ok(!uid.is_empty() && *answer.body.metadata.uid != *uid),
            Err(kube::Error::Api(status)) if status.code == 404 => {
                if status.details.as_ref().is_some_and(|details| details.name == *key.name) {
                    return Ok(true);
                }
                let crds = Request::new("/apis/apiextensions.k8s.io/v1/customresourcedefinitions");
                let request = crds.get_metadata(definition, &GetParams::default());
                let found = find::<Identity>(&self.client, request.map_err(kube::Error::BuildRequest)?).await;
                // If not, it is there, or nobody lets us know.
                Ok(matches!(found, Ok(None)))
            }
            Err(error) => Err(error),
        }
    }

    /// Changes the status by a merge patch, if the resource is still the same one.
    pub(crate) async fn patch_status(&self, instance: &Instance, status: &Value) -> Result<(), kube::Error> {
        // The first one as a whole: a fifth cheaper for the server.
        if instance.status.is_empty() {
            match self.write(instance, self.first_status(instance, status)?).await {
                // The resource has changed meanwhile, or a patch is all that is allowed.
                Err(kube::Error::Api(_)) => {}
                told => return told,
            }
        }
        let body = serde_json::json!({"metadata": {"uid": instance.uid}, "status": status});
        let parameters = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
        let request = self.request(&instance.key).patch_subresource(
            "status",
            &instance.key.name,
            &parameters,
            &Patch::Merge(body),
        );
        self.write(instance, request.map_err(kube::Error::BuildRequest)?).await
    }

    fn first_status(
        &self,
        instance: &Instance,
        status: &Value,
    ) -> Result<http::Request<Vec<u8>>, kube::Error> {
        let body = serde_json::json!({
            "apiVersion": &*self.resource.api_version, "kind": &*self.resource.kind,
            "metadata": {
                "name": &*instance.key.name, "namespace": &*instance.key.namespace, "uid": instance.uid,
                "resourceVersion": instance.resource_version,
            },
            "status": status,
        });
        let bytes = serde_json::to_vec(&body).map_err(kube::Error::SerdeError)?;
        let parameters = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
        let request =
            self.request(&instance.key).replace_subresource("status", &instance.key.name, &parameters, bytes);
        request.map_err(kube::Error::BuildRequest)
    }

    /// Sets the finalizers, if the resource has not changed meanwhile.
    pub(crate) async fn set_finalizers(
        &self,
        instance: &Instance,
        finalizers: &[Box<str>],
    ) -> Result<(), kube::Error> {
        let body = serde_json::json!({"metadata": {
            "uid": instance.uid, "resourceVersion": instance.resource_version, "finalizers": finalizers,
        }});
        let parameters = PatchParams { field_manager: Some(FIELD_MANAGER.into()), ..PatchParams::default() };
        let request = self.request(&instance.key).patch(&instance.key.name, &parameters, &Patch::Merge(body));
        self.write(instance, request.map_err(kube::Error::BuildRequest)?).await
    }

    fn request(&self, key: &InstanceKey) -> Request {
        let namespace = (!key.namespace.is_empty()).then_some(&*key.namespace);
        Request::new(DynamicObject::url_path(&self.resource, namespace))
    }

    /// Sends a change and keeps the answer, so that the next reconcile sees it.
    async fn write(&self, before: &Instance, request: http::Request<Vec<u8>>) -> Result<(), kube::Error> {
        match call::<Wire>(&self.client, request).await {
            Ok(answer) => {
                let mut store = self.lock();
                if let Some(known) = store.get_mut(&before.key)
                    && known.resource_version == before.resource_version
                {
                    *known = answer.body.instance;
                }
                Ok(())
            }
            // It is gone, or another one has its name: there is nobody to tell.
            Err(error) if error::is_not_found(&error) => {
                self.tell_lack(before).await;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Says, once, why there are no statuses where the server does not know their address although the resource is there.
    async fn tell_lack(&self, instance: &Instance) {
        if self.lacks_status.load(Ordering::Relaxed) {
            return;
        }
        let Ok(request) = self.request(&instance.key).get_metadata(&instance.key.name, &GetParams::default())
        else {
            return;
        };
        let found = call::<Identity>(&self.client, request).await;
        let is_there = found.is_ok_and(|answer| *answer.body.metadata.uid == *instance.uid);
        if is_there && !self.lacks_status.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                kind = %self.resource.kind, resource = %instance.key,
                "Cannot write statuses: the kind's CustomResourceDefinition has no status subresource (`subresources: \
                 {{status: {{}}}}`)"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::core::{ObjectList, WatchEvent};

    const OBJECT: &str = r#"{"apiVersion":"g.io/v1","kind":"Web","metadata":{"name":"w","namespace":"n","uid":"u",
        "resourceVersion":"5","generation":2,"creationTimestamp":"2026-01-02T03:04:05Z","finalizers":["f"],
        "annotations":{"kubectl.kubernetes.io/x":"big","helm.sdk.operatorframework.io/reconcile-period":"5s"},
        "managedFields":[{"manager":"kubectl"}]},"spec":{"replicaCount":3},"status":{"phase":"Ready"}}"#;

    #[test]
    fn resources_are_read_from_lists_and_watches() {
        let list = format!(r#"{{"apiVersion":"v1","kind":"List","metadata":{{}},"items":[{OBJECT}]}}"#);
        let listed: ObjectList<Wire> = serde_json::from_str(&list).unwrap();
        let event = format!(r#"{{"type":"ADDED","object":{OBJECT}}}"#);
        let WatchEvent::Added(watched) = serde_json::from_str::<WatchEvent<Wire>>(&event).unwrap() else {
            panic!()
        };
        for instance in [&listed.items[0].instance, &watched.instance] {
            assert_eq!(instance.key, InstanceKey::new("n", "w"));
            assert_eq!(&*instance.spec, r#"{"replicaCount":3}"#);
            assert_eq!(instance.status()["phase"], "Ready");
            assert_eq!(instance.annotations.len(), 1);
            assert_eq!(instance.created, 1_767_323_045);
            assert!(!instance.deleting);
        }
    }
}
