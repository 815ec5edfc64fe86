//! The applied objects of one served kind, watched: one labelled watch per applied kind → what they are now → a wake-up
//! call for their custom resource when something matters.
//!
//! Only kinds whose readiness is in their status are watched whole; of all others the server sends metadata. Nothing but
//! a few words per object is kept. What an apply answers is entered at once, so a reconcile always sees its own writes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::{StreamExt as _, pin_mut};
use kube::runtime::watcher as watch_kind;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::error::{explain, is_not_found, refusal};
use super::paced::paced;
use super::refused::{Lack, Refused, WatchKey};
use super::seen::{OwnerKind, Seen};
use crate::lock::lock;
use crate::reconcile::health::{self, Health};
use crate::reconcile::identity::{ApiKind, InstanceKey, ObjectId};
use crate::reconcile::objects::OWNER_LABEL;
use crate::reconcile::replicas::Replicas;
use crate::reconcile::tracked::Dependent;

/// Objects per page of a list: a page is held parsed.
const PAGE: u32 = 100;
/// A watch that was refused after its list and shows nothing for so long works again: it is longer than any pause.
const SILENCE: Duration = Duration::from_secs(75);

/// Why a custom resource is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// An object came, went, or had fields of ours changed by somebody.
    Changed,
    /// An object got ready, or stopped being so.
    Health,
}

type OnChange = dyn Fn(&InstanceKey, Wake) + Send + Sync;

/// The watched objects of one served kind.
pub(crate) struct Dependents {
    client: Client,
    selector: String,
    /// Namespaces to watch; empty means the whole cluster in one watch.
    namespaces: Vec<String>,
    store: Arc<Mutex<Store>>,
    watches: Mutex<HashMap<WatchKey, Watch>>,
    refused: Arc<Refused>,
    owner: OwnerKind,
    on_change: Arc<OnChange>,
}

type Store = HashMap<InstanceKey, BTreeMap<ObjectId, Dependent>>;

struct Watch {
    task: JoinHandle<()>,
    synced: watch::Receiver<bool>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Dependents {
    /// Makes a set without watches. `label` is the value of the owner label on the objects, `owner` the served kind.
    pub(crate) fn new(
        client: Client,
        label: &str,
        owner: OwnerKind,
        namespaces: Vec<String>,
        on_change: Arc<OnChange>,
    ) -> Self {
        Self {
            client,
            selector: format!("{OWNER_LABEL}={label}"),
            namespaces,
            store: Arc::default(),
            watches: Mutex::default(),
            refused: Arc::default(),
            owner,
            on_change,
        }
    }

    /// Starts watching a kind, in the namespace of an object unless everything is watched anyway; does nothing if it is
    /// watched already.
    pub(crate) fn ensure(&self, kind: &Arc<ApiKind>, namespace: &str) {
        if !kind.watchable {
            return;
        }
        let key = self.watch_key(kind, namespace);
        let mut watches = lock(&self.watches);
        // One that ended did so because its kind was gone; it is there again, or nobody would ask.
        if watches.get(&key).is_none_or(|watch| watch.task.is_finished()) {
            let watch = self.start(kind.clone(), key.clone());
            watches.insert(key, watch);
        }
    }

    /// Starts watching a kind in every namespace that is served.
    pub(crate) fn ensure_everywhere(&self, kind: &Arc<ApiKind>) {
        if kind.namespaced && !self.namespaces.is_empty() {
            for namespace in &self.namespaces {
                self.ensure(kind, namespace);
            }
        } else {
            self.ensure(kind, "");
        }
    }

    fn watch_key(&self, kind: &ApiKind, namespace: &str) -> WatchKey {
        let scope = (kind.namespaced && !self.namespaces.is_empty()).then(|| namespace.to_owned());
        (kind.resource.group.clone(), kind.resource.kind.clone(), scope)
    }

    /// What the operator's role lacks to watch a kind where an object is; `None` as long as that is not refused.
    pub(crate) fn lacks(&self, kind: &ApiKind, namespace: &str) -> Option<Lack> {
        if !self.refused.is_any() {
            return None;
        }
        self.refused.get(&self.watch_key(kind, namespace))
    }

    fn start(&self, kind: Arc<ApiKind>, key: WatchKey) -> Watch {
        let (told, synced) = watch::channel(false);
        let whole = health::needs_status(&kind.resource.group, &kind.resource.kind);
        let worker = Worker {
            kind,
            key,
            store: self.store.clone(),
            refused: self.refused.clone(),
            owner: self.owner.clone(),
            on_change: self.on_change.clone(),
            known: HashSet::new(),
            is_refused: false,
            told,
        };
        let (client, selector) = (self.client.clone(), self.selector.clone());
        let task = if whole {
            tokio::spawn(worker.run::<false>(client, selector))
        } else {
            tokio::spawn(worker.run::<true>(client, selector))
        };
        Watch { task, synced }
    }

    /// Waits until every watch has listed its objects, or is refused, but no longer than the time given; reports whether all have.
    pub(crate) async fn synced(&self, at_most: Duration) -> bool {
        let waiting: Vec<_> = lock(&self.watches).values().map(|watch| watch.synced.clone()).collect();
        let all = async {
            for mut synced in waiting {
                // An error means the watch was dropped: nothing to wait for.
                let _ = synced.wait_for(|synced| *synced).await;
            }
        };
        tokio::time::timeout(at_most, all).await.is_ok()
    }

    /// The objects of a custom resource.
    pub(crate) fn of(&self, key: &InstanceKey) -> BTreeMap<ObjectId, Dependent> {
        lock(&self.store).get(key).cloned().unwrap_or_default()
    }

    /// The version of an object that was seen last.
    pub(crate) fn version(&self, key: &InstanceKey, id: &ObjectId) -> Option<u64> {
        lock(&self.store).get(key).and_then(|objects| objects.get(id)).map(|one| one.version)
    }

    /// How many objects a custom resource has, and a number that changes with any of them (no version comes twice) and with
    /// what may be watched.
    pub(crate) fn fingerprint(&self, key: &InstanceKey) -> (usize, u64) {
        let store = lock(&self.store);
        let objects = store.get(key);
        // The answer to an apply does not say how an object is; the watch says so of the same version.
        let states = objects
            .into_iter()
            .flatten()
            .map(|(_, one)| one.version.wrapping_mul(2).wrapping_add(u64::from(one.health.is_some())));
        (objects.map_or(0, BTreeMap::len), states.fold(self.refused.changes() << 48, u64::wrapping_add))
    }

    /// The manager of the autoscaler that has set an object's replicas, if one has.
    pub(crate) fn scaler(&self, key: &InstanceKey, id: &ObjectId) -> Option<Box<str>> {
        lock(&self.store).get(key).and_then(|objects| objects.get(id)).and_then(|one| one.scaled.clone())
    }

    /// Forgets the objects of a custom resource that have removed themselves.
    pub(crate) fn forget_done(&self, key: &InstanceKey) {
        let mut store = lock(&self.store);
        if let Some(objects) = store.get_mut(key) {
            objects.retain(|_, one| !one.done);
            if objects.is_empty() {
                store.remove(key);
            }
        }
    }

    /// Enters what an apply answered.
    pub(super) fn enter(&self, key: &InstanceKey, id: &ObjectId, seen: &Seen<true>) {
        let mut store = lock(&self.store);
        let objects = store.entry(key.clone()).or_default();
        let before = objects.get(id);
        if before.is_some_and(|before| before.uid == seen.uid && before.version > seen.version()) {
            return;
        }
        let (health, replicas, fleeting) = match before {
            Some(before) if before.uid == seen.uid => {
                (before.health.clone(), before.replicas.clone(), before.fleeting)
            }
            _ => ((!health::needs_status(&id.group, &id.kind)).then_some(Health::Ready), None, false),
        };
        objects.insert(id.clone(), Dependent { fleeting, ..dependent(seen, health, replicas) });
    }

    /// Forgets an object of which the server said that it is gone.
    pub(crate) fn forget(&self, key: &InstanceKey, id: &ObjectId) {
        remove(&mut lock(&self.store), key, id);
    }
}

fn dependent<const META: bool>(
    seen: &Seen<META>,
    health: Option<Health>,
    replicas: Option<Replicas>,
) -> Dependent {
    Dependent {
        uid: seen.uid.clone(),
        version: seen.version(),
        fields: seen.fields,
        deleting: seen.deleting,
        health,
        editor: seen.editor.clone(),
        scaled: seen.scaled.clone(),
        fleeting: seen.words.is_fleeting(),
        done: false,
        replicas,
    }
}

fn remove(store: &mut Store, key: &InstanceKey, id: &ObjectId) -> Option<Dependent> {
    let objects = store.get_mut(key)?;
    let removed = objects.remove(id);
    if objects.is_empty() {
        store.remove(key);
    }
    removed
}

/// One watch.
struct Worker {
    kind: Arc<ApiKind>,
    key: WatchKey,
    store: Arc<Mutex<Store>>,
    refused: Arc<Refused>,
    owner: OwnerKind,
    on_change: Arc<OnChange>,
    /// What was known when the list under way began and it has not shown yet.
    known: HashSet<(InstanceKey, ObjectId)>,
    is_refused: bool,
    told: watch::Sender<bool>,
}

impl Worker {
    async fn run<const META: bool>(mut self, client: Client, selector: String) {
        let resource = &self.kind.resource;
        let api: Api<Seen<META>> = match self.namespace() {
            Some(namespace) => Api::namespaced_with(client, namespace, resource),
            None => Api::all_with(client, resource),
        };
        let config = watcher::Config::default().labels(&selector).page_size(PAGE);
        let events = paced(watch_kind(api, config));
        pin_mut!(events);
        // Set while it is refused to watch what may be listed: that it is not any more shows by nothing.
        let mut is_silent = false;
        loop {
            let event = if is_silent {
                tokio::time::timeout(SILENCE, events.next()).await
            } else {
                Ok(events.next().await)
            };
            is_silent = false;
            match event {
                Err(_) => self.is_granted(),
                Ok(None) => return,
                Ok(Some(Ok(event))) => {
                    if !matches!(event, Event::Init | Event::InitApply(_)) {
                        self.is_granted();
                    }
                    self.take(event);
                }
                Ok(Some(Err(error))) => {
                    if self.is_over(&error) {
                        return;
                    }
                    is_silent = self.is_refused && !matches!(error, watcher::Error::InitialListFailed(_));
                }
            }
        }
    }

    fn namespace(&self) -> Option<&str> {
        self.key.2.as_deref()
    }

    /// Notes that the watch is refused. Nobody waits for it then, and those whose objects it would show say so.
    fn is_lacking(&mut self, lack: &Lack) {
        self.is_refused = true;
        if self.refused.set(&self.key, Some(lack)) {
            tracing::warn!(
                kind = %self.kind.text(), rule = %lack.rule,
                "May not watch a kind of applied objects: they are applied again each period"
            );
            self.wake_all();
        }
        self.told.send_replace(true);
    }

    /// Notes that the watch works, if it did not.
    fn is_granted(&mut self) {
        if std::mem::take(&mut self.is_refused) && self.refused.set(&self.key, None) {
            tracing::info!(kind = %self.kind.text(), namespace = self.namespace(), "May watch a kind of applied objects now");
            self.wake_all();
        }
    }

    fn wake_all(&self) {
        let owners: HashSet<InstanceKey> = self.all_known().into_iter().map(|(key, _)| key).collect();
        owners.iter().for_each(|key| (self.on_change)(key, Wake::Health));
    }

    fn take<const META: bool>(&mut self, event: Event<Seen<META>>) {
        match event {
            Event::Init => self.known = self.all_known(),
            Event::InitApply(seen) => {
                if let Some(key) = seen.resource(&self.owner) {
                    self.known.remove(&(key, self.kind.object(seen.namespace(), seen.name())));
                }
                self.update(&seen);
            }
            Event::InitDone => {
                self.drop_unseen();
                self.told.send_replace(true);
            }
            Event::Apply(seen) => self.update(&seen),
            Event::Delete(seen) => self.delete(&seen),
        }
    }

    /// Finds whose an object was that names no resource any more: somebody took its marks off.
    fn former_owner(&self, id: &ObjectId, uid: &str) -> Option<InstanceKey> {
        let store = lock(&self.store);
        let mut owners =
            store.iter().filter(|(_, objects)| objects.get(id).is_some_and(|one| *one.uid == *uid));
        owners.next().map(|(key, _)| key.clone())
    }

    fn update<const META: bool>(&self, seen: &Seen<META>) {
        let id = self.kind.object(seen.namespace(), seen.name());
        let owner = seen.resource(&self.owner).or_else(|| self.former_owner(&id, &seen.uid));
        let Some(key) = &owner else { return };
        let health = if META {
            Health::Ready
        } else {
            health::assess(&id.group, &id.kind, seen.generation, &seen.words)
        };
        let replicas = if META { None } else { Replicas::of(&id.group, &id.kind, &seen.words) };
        let wake = {
            let mut store = lock(&self.store);
            let objects = store.entry(key.clone()).or_default();
            let before = objects.get(&id);
            if before.is_some_and(|before| before.uid == seen.uid && before.version > seen.version()) {
                return;
            }
            let wake = match before {
                Some(before)
                    if before.uid == seen.uid
                        && before.fields == seen.fields
                        && before.deleting == seen.deleting =>
                {
                    let same = before.health.as_ref() == Some(&health) && before.replicas == replicas;
                    (!same).then_some(Wake::Health)
                }
                _ => Some(Wake::Changed),
            };
            objects.insert(id, dependent(seen, Some(health), replicas));
            wake
        };
        if let Some(wake) = wake {
            (self.on_change)(key, wake);
        }
    }

    fn delete<const META: bool>(&self, seen: &Seen<META>) {
        let Some(key) = &seen.resource(&self.owner) else { return };
        let id = self.kind.object(seen.namespace(), seen.name());
        let wake = {
            let mut store = lock(&self.store);
            // A newer object of that name may be there already: an apply was faster than this event.
            match store.get_mut(key).and_then(|objects| objects.get_mut(&id)) {
                Some(one) if one.uid == seen.uid && seen.words.is_done() => {
                    (one.done, one.deleting) = (true, false);
                    Some(Wake::Health)
                }
                Some(one) if one.uid == seen.uid => remove(&mut store, key, &id).map(|_| Wake::Changed),
                _ => None,
            }
        };
        if let Some(wake) = wake {
            (self.on_change)(key, wake);
        }
    }

    /// All objects of this watch that are known.
    fn all_known(&self) -> HashSet<(InstanceKey, ObjectId)> {
        let watched = |id: &ObjectId| {
            self.kind.is_kind_of(id) && self.namespace().is_none_or(|one| one == &*id.namespace)
        };
        let store = lock(&self.store);
        let lasting = store.iter().flat_map(|(key, objects)| objects.iter().map(move |one| (key, one)));
        let all = lasting.filter(|(_, (_, one))| !one.done).map(|(key, (id, _))| (key, id));
        all.filter(|(_, id)| watched(id)).map(|(key, id)| (key.clone(), id.clone())).collect()
    }

    /// After a list: what was known before it and it did not show is gone.
    fn drop_unseen(&mut self) {
        for (key, id) in std::mem::take(&mut self.known) {
            remove(&mut lock(&self.store), &key, &id);
            (self.on_change)(&key, Wake::Changed);
        }
    }

    /// Reports an error; tells whether the kind itself is gone, and all its objects with it.
    fn is_over(&mut self, error: &watcher::Error) -> bool {
        let Some(cause) = refusal(error) else {
            tracing::debug!(kind = %self.kind.text(), %error, "Watch interrupted");
            return false;
        };
        if let Some(lack) = Lack::of(error, &self.kind.resource, self.namespace()) {
            self.is_lacking(&lack);
            return false;
        }
        if is_not_found(cause) {
            self.is_granted();
            self.known = self.all_known();
            self.drop_unseen();
            self.told.send_replace(true);
            tracing::info!(kind = %self.kind.text(), "A kind of applied objects is gone");
            return true;
        }
        tracing::warn!(kind = %self.kind.text(), error = %explain(cause), "Cannot watch a kind of applied objects");
        false
    }
}
