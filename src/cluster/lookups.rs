//! What templates looked up, watched: one metadata watch per kind and namespace → a wake-up call for the custom resources
//! whose render asked, and a version of each answer that tells without a request whether it may have changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use futures::{StreamExt as _, pin_mut};
use kube::runtime::watcher as watch_kind;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use tokio::task::JoinHandle;

use super::paced::paced;
use super::seen::Seen;
use crate::lock::lock;
use crate::reconcile::identity::{ApiKind, Digest, InstanceKey};
use crate::reconcile::render::Lookup;

/// Objects per page of a list.
const PAGE: u32 = 500;

type OnChange = dyn Fn(&InstanceKey) + Send + Sync;

/// A kind's `apiVersion/Kind` and a namespace; none for all, and for kinds that live in none.
type Scope = (String, Option<Box<str>>);

/// The watched answers.
#[derive(Clone)]
pub(crate) struct Lookups {
    client: Client,
    scopes: Arc<Mutex<HashMap<Scope, Watched>>>,
    on_change: Arc<OnChange>,
}

struct Watched {
    /// The names each resource asked for; the empty one stands for all.
    askers: HashMap<InstanceKey, BTreeSet<Box<str>>>,
    /// The names the watch under way takes note of.
    wanted: BTreeSet<Box<str>>,
    /// The versions of those that are there, by `namespace/name`.
    versions: BTreeMap<Box<str>, u64>,
    synced: bool,
    /// Which of the watches of this scope is under way: the words of an earlier one are not heard any more.
    turn: u64,
    task: JoinHandle<()>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Whether a set of names takes in a name.
fn covers(names: &BTreeSet<Box<str>>, name: &str) -> bool {
    names.contains("") || names.contains(name)
}

impl Watched {
    /// Those who asked for any of some names, or for all.
    fn asked_for(&self, names: &BTreeSet<Box<str>>) -> Vec<InstanceKey> {
        let asked = self.askers.iter().filter(|(_, asked)| names.iter().any(|name| covers(asked, name)));
        asked.map(|(key, _)| key.clone()).collect()
    }
}

impl Lookups {
    /// Makes one that watches nothing.
    pub(crate) fn new(client: Client, on_change: Arc<OnChange>) -> Self {
        Self { client, scopes: Arc::default(), on_change }
    }

    /// Watches what a resource's render looked up, and nothing else for it any more.
    pub(crate) fn follow<'a>(
        &self,
        key: &InstanceKey,
        lookups: impl IntoIterator<Item = (&'a Lookup, &'a Arc<ApiKind>)>,
    ) {
        let mut asked: HashMap<Scope, (Arc<ApiKind>, BTreeSet<Box<str>>)> = HashMap::new();
        let can_be =
            |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.:_".contains(&byte));
        let watched = lookups.into_iter().filter(|(lookup, kind)| {
            // What no object can be called never comes.
            kind.watchable && can_be(&lookup.name) && can_be(&lookup.namespace)
        });
        for (lookup, kind) in watched {
            let place =
                asked.entry(scope_of(lookup, kind)).or_insert_with(|| (kind.clone(), BTreeSet::new()));
            place.1.insert(lookup.name.clone());
        }
        let mut scopes = lock(&self.scopes);
        scopes.retain(|scope, watched| {
            if !asked.contains_key(scope) {
                watched.askers.remove(key);
            }
            !watched.askers.is_empty()
        });
        for (scope, (kind, names)) in asked {
            let known = scopes.get(&scope).filter(|watched| !watched.task.is_finished());
            let goes_on = known.is_some_and(|known| names.iter().all(|name| covers(&known.wanted, name)));
            if goes_on {
                scopes.entry(scope).and_modify(|watched| {
                    watched.askers.insert(key.clone(), names);
                });
                continue;
            }
            // A watch with more names lists anew, and everybody asks again.
            let before = scopes.get_mut(&scope);
            let (mut askers, turn) = before
                .map(|watched| (std::mem::take(&mut watched.askers), watched.turn + 1))
                .unwrap_or_default();
            askers.insert(key.clone(), names);
            let wanted: BTreeSet<_> = askers.values().flatten().cloned().collect();
            let task = self.start(kind, scope.clone(), turn, &wanted);
            let watched = Watched { askers, wanted, versions: BTreeMap::new(), synced: false, turn, task };
            scopes.insert(scope, watched);
        }
    }

    /// Watches nothing for a resource any more.
    pub(crate) fn forget(&self, key: &InstanceKey) {
        self.follow(key, []);
    }

    /// The version of an answer: as long as it is the same, so is the answer. `None` while that is not known.
    pub(crate) fn version(&self, lookup: &Lookup, kind: &ApiKind) -> Option<Digest> {
        let scopes = lock(&self.scopes);
        let watched = scopes.get(&scope_of(lookup, kind)).filter(|watched| watched.synced)?;
        if !covers(&watched.wanted, &lookup.name) {
            return None;
        }
        let asked =
            watched.versions.iter().filter(|(path, _)| lookup.name.is_empty() || last(path) == &*lookup.name);
        Some(Digest::of(asked.map(|(name, version)| format!("{name} {version}"))))
    }

    fn start(
        &self,
        kind: Arc<ApiKind>,
        scope: Scope,
        turn: u64,
        wanted: &BTreeSet<Box<str>>,
    ) -> JoinHandle<()> {
        let api: Api<Seen<true>> = match &scope.1 {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &kind.resource),
            None => Api::all_with(self.client.clone(), &kind.resource),
        };
        let mut config = watcher::Config::default().page_size(PAGE);
        if let (1, Some(name)) = (wanted.len(), wanted.first().filter(|name| !name.is_empty())) {
            config = config.fields(&format!("metadata.name={name}"));
        }
        let (scopes, on_change) = (self.scopes.clone(), self.on_change.clone());
        let worker = Worker { scope, turn, scopes, on_change, listed: BTreeMap::new() };
        tokio::spawn(worker.run(api, config))
    }
}

/// `namespace/name`: a watch may be one of all namespaces.
fn path_of(seen: &Seen<true>) -> Box<str> {
    format!("{}/{}", seen.namespace(), seen.name()).into()
}

/// The name of a path.
fn last(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

fn scope_of(lookup: &Lookup, kind: &ApiKind) -> Scope {
    let namespace = (kind.namespaced && !lookup.namespace.is_empty()).then(|| lookup.namespace.clone());
    (kind.text(), namespace)
}

/// One watch.
struct Worker {
    scope: Scope,
    turn: u64,
    scopes: Arc<Mutex<HashMap<Scope, Watched>>>,
    on_change: Arc<OnChange>,
    listed: BTreeMap<Box<str>, u64>,
}

impl Worker {
    async fn run(mut self, api: Api<Seen<true>>, config: watcher::Config) {
        let events = paced(watch_kind(api, config));
        pin_mut!(events);
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => self.take(event),
                // Until it works again each look at the resource asks the server.
                Err(error) => {
                    tracing::debug!(kind = %self.scope.0, %error, "Cannot watch what templates look up");
                }
            }
        }
    }

    fn take(&mut self, event: Event<Seen<true>>) {
        match event {
            Event::Init => self.listed.clear(),
            Event::InitApply(seen) => _ = self.listed.insert(path_of(&seen), seen.version()),
            Event::InitDone => {
                let listed = std::mem::take(&mut self.listed);
                self.change(|watched| {
                    let listed: BTreeMap<_, _> =
                        listed.into_iter().filter(|(name, _)| covers(&watched.wanted, last(name))).collect();
                    let first = !std::mem::replace(&mut watched.synced, true);
                    let before = std::mem::replace(&mut watched.versions, listed);
                    if first {
                        return watched.wanted.clone();
                    }
                    let names = before.keys().chain(watched.versions.keys());
                    let changed = names.filter(|name| before.get(*name) != watched.versions.get(*name));
                    changed.map(|name| last(name).into()).collect()
                });
            }
            Event::Apply(seen) => self.change(|watched| {
                let name = path_of(&seen);
                let wanted = covers(&watched.wanted, last(&name));
                let version = seen.version();
                let same = !wanted || watched.versions.insert(name.clone(), version) == Some(version);
                if same { BTreeSet::new() } else { [last(&name).into()].into() }
            }),
            Event::Delete(seen) => self.change(|watched| {
                let name = path_of(&seen);
                let gone = watched.versions.remove(&name).is_some();
                if gone { [last(&name).into()].into() } else { BTreeSet::new() }
            }),
        }
    }

    /// Changes what is known, and wakes those who asked for the names that changed.
    fn change(&self, change: impl FnOnce(&mut Watched) -> BTreeSet<Box<str>>) {
        let woken = match lock(&self.scopes).get_mut(&self.scope) {
            Some(watched) if watched.turn == self.turn => {
                let names = change(watched);
                watched.asked_for(&names)
            }
            _ => return,
        };
        woken.iter().for_each(|key| (self.on_change)(key));
    }
}
