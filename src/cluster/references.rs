//! Secrets and ConfigMaps that values are taken from: watched by name, kept as their texts.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use futures::future::join_all;
use futures::{StreamExt as _, pin_mut};
use kube::api::{ApiResource, DynamicObject};
use kube::runtime::watcher as watch_kind;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use serde_json::Value;
use tokio::sync::watch;

use super::error::{explain, refusal};
use super::paced::paced;
use crate::lock::lock;
use crate::settings::{Extent, Holder, ValuesFrom};

/// The texts of a Secret or ConfigMap by key; `None` for what is no text.
pub(crate) type Texts = BTreeMap<String, Option<String>>;

/// Told when something changed: in which namespace it counts, `None` for all.
type OnChange = dyn Fn(Option<&str>) + Send + Sync;

/// What values of one kind are taken from.
pub(crate) struct References {
    client: Client,
    watches: Vec<Watch>,
    store: Mutex<Store>,
    on_change: Box<OnChange>,
}

/// One watch: objects of a name.
struct Watch {
    holder: Holder,
    name: String,
    extent: Extent,
    /// Whether objects count for the resources of their namespace only.
    local: bool,
    synced: watch::Sender<bool>,
}

#[derive(Default)]
struct Store {
    objects: HashMap<(Holder, String, String), Texts>,
    /// Why a watch does not work, by its number.
    trouble: HashMap<usize, String>,
}

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The object is not there.
    Object,
    /// It cannot be watched.
    Unreadable(String),
}

impl References {
    /// Prepares the watches; `served` are the namespaces of the resources, none for all.
    pub(crate) fn new(
        client: Client,
        references: &[ValuesFrom],
        served: &[String],
        on_change: Box<OnChange>,
    ) -> Self {
        let everywhere = Extent::of(served);
        let mut seen = HashSet::new();
        let mut watches = Vec::new();
        for one in references {
            let extents = match &one.namespace {
                Some(namespace) => vec![Extent::Namespace(namespace.clone())],
                None => everywhere.clone(),
            };
            for extent in extents {
                let local = one.namespace.is_none();
                if seen.insert((one.holder, one.name.clone(), extent.clone(), local)) {
                    let synced = watch::channel(false).0;
                    watches.push(Watch { holder: one.holder, name: one.name.clone(), extent, local, synced });
                }
            }
        }
        Self { client, watches, store: Mutex::default(), on_change }
    }

    fn lock(&self) -> MutexGuard<'_, Store> {
        lock(&self.store)
    }

    /// The texts of an object.
    pub(crate) fn texts(&self, holder: Holder, namespace: &str, name: &str) -> Result<Texts, Missing> {
        let store = self.lock();
        if let Some(texts) = store.objects.get(&(holder, namespace.to_owned(), name.to_owned())) {
            return Ok(texts.clone());
        }
        let watched =
            |watch: &Watch| watch.holder == holder && watch.name == name && watch.extent.covers(namespace);
        let trouble = self.watches.iter().enumerate().filter(|(_, one)| watched(one));
        let trouble = trouble.filter_map(|(number, _)| store.trouble.get(&number)).next();
        Err(trouble.map_or(Missing::Object, |why| Missing::Unreadable(why.clone())))
    }

    /// Waits until everything was listed once, or cannot be.
    pub(crate) async fn synced(&self) {
        for one in &self.watches {
            // The sender lives as long as we do.
            let _ = one.synced.subscribe().wait_for(|synced| *synced).await;
        }
    }

    /// Watches until dropped.
    pub(crate) async fn watch(&self) {
        join_all((0..self.watches.len()).map(|number| self.watch_one(number))).await;
    }

    async fn watch_one(&self, number: usize) {
        let Some(watch) = self.watches.get(number) else { return };
        let resource = ApiResource {
            group: String::new(),
            version: "v1".into(),
            api_version: "v1".into(),
            kind: watch.holder.kind().into(),
            plural: watch.holder.plural().into(),
        };
        let api: Api<DynamicObject> = match &watch.extent {
            Extent::Namespace(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            Extent::Everywhere => Api::all_with(self.client.clone(), &resource),
        };
        let config = watcher::Config::default().fields(&format!("metadata.name={}", watch.name));
        let events = paced(watch_kind(api, config));
        pin_mut!(events);
        let mut listed = HashSet::new();
        while let Some(event) = events.next().await {
            match event {
                Ok(Event::Init) => listed.clear(),
                Ok(Event::InitApply(object)) => {
                    listed.insert(object.metadata.namespace.clone().unwrap_or_default());
                    self.put(watch, &object);
                }
                Ok(Event::InitDone) => {
                    self.lock().trouble.remove(&number);
                    self.drop_all_but(watch, &listed);
                    watch.synced.send_replace(true);
                }
                Ok(Event::Apply(object)) => self.put(watch, &object),
                Ok(Event::Delete(object)) => {
                    self.forget(watch, object.metadata.namespace.as_deref().unwrap_or_default());
                }
                Err(error) => self.fail(number, watch, &error),
            }
        }
    }

    fn put(&self, watch: &Watch, object: &DynamicObject) {
        let namespace = object.metadata.namespace.clone().unwrap_or_default();
        let texts = texts(watch.holder, &object.data);
        let key = (watch.holder, namespace.clone(), watch.name.clone());
        let before = self.lock().objects.insert(key, texts.clone());
        if before != Some(texts) {
            self.tell(watch, &namespace);
        }
    }

    fn forget(&self, watch: &Watch, namespace: &str) {
        let key = (watch.holder, namespace.to_owned(), watch.name.clone());
        if self.lock().objects.remove(&key).is_some() {
            self.tell(watch, namespace);
        }
    }

    fn drop_all_but(&self, watch: &Watch, listed: &HashSet<String>) {
        let is_gone = |(holder, namespace, name): &&(Holder, String, String)| {
            let covered = watch.extent.covers(namespace);
            *holder == watch.holder && *name == watch.name && covered && !listed.contains(namespace)
        };
        let gone: Vec<_> = self.lock().objects.keys().filter(is_gone).map(|key| key.1.clone()).collect();
        gone.iter().for_each(|namespace| self.forget(watch, namespace));
    }

    fn fail(&self, number: usize, watch: &Watch, error: &watcher::Error) {
        let Some(cause) = refusal(error) else {
            return;
        };
        let why = explain(cause);
        let (kind, name) = (watch.holder.kind(), &watch.name);
        tracing::warn!(kind, name, error = %why, "Cannot watch what values are taken from");
        let before = self.lock().trouble.insert(number, why);
        // Whoever needs it says so; the others go on.
        watch.synced.send_replace(true);
        if before.is_none() {
            (self.on_change)(None);
        }
    }

    fn tell(&self, watch: &Watch, namespace: &str) {
        (self.on_change)(watch.local.then_some(namespace));
    }
}

fn texts(holder: Holder, object: &Value) -> Texts {
    let data = object.get("data").and_then(Value::as_object);
    let text = |value: &Value| {
        let text = value.as_str()?;
        match holder {
            Holder::ConfigMap => Some(text.to_owned()),
            Holder::Secret => String::from_utf8(BASE64.decode(text).ok()?).ok(),
        }
    };
    data.into_iter().flatten().map(|(key, value)| (key.clone(), text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_decoded_and_config_maps_are_not() {
        let object = serde_json::json!({"data": {"a": "YjogMQ==", "bin": "/w=="}});
        let secret = texts(Holder::Secret, &object);
        assert_eq!((secret["a"].as_deref(), secret["bin"].as_deref()), (Some("b: 1"), None));
        assert_eq!(texts(Holder::ConfigMap, &object)["a"].as_deref(), Some("YjogMQ=="));
        assert!(texts(Holder::Secret, &serde_json::json!({})).is_empty());
    }
}
