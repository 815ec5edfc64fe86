//! Which release records and seeds there are, watched by metadata: a release's history is known without a request, and
//! what somebody deletes of it is noticed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::{StreamExt as _, pin_mut};
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ObjectMeta, PartialObjectMeta};
use kube::runtime::watcher as watch_kind;
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};

use super::error::{explain, refusal};
use super::paced::paced;
use crate::lock::lock;
use crate::reconcile::identity::group_of;
use crate::release::{Entry, Owner, State};
use crate::settings::Extent;

/// Records per page of a list.
const PAGE: u32 = 250;

/// Namespace and name of a release.
type Release = (Box<str>, Box<str>);

/// Told that others did something to a record or the seed of a release: its namespace and name.
type OnLoss = dyn Fn(&str, &str) + Send + Sync;

/// The label `owner` of seeds; that of records is `helm`.
pub(super) const SEED_OWNER: &str = "chartwright";

/// The records and seeds of all releases in the namespaces that are served.
pub(crate) struct Histories {
    client: Client,
    /// What is watched.
    extents: Vec<Extent>,
    known: Mutex<Known>,
    on_loss: Mutex<Vec<Arc<OnLoss>>>,
}

#[derive(Default)]
struct Known {
    /// For each of the watches: whether its first list is in.
    listed: Vec<bool>,
    releases: HashMap<Release, Vec<Seen>>,
    /// The uids of seeds.
    seeds: HashMap<Release, String>,
}

impl Known {
    /// Whether a namespace's records and seeds are all known.
    fn covers(&self, extents: &[Extent], namespace: &str) -> bool {
        extents.iter().zip(&self.listed).any(|(extent, listed)| *listed && extent.covers(namespace))
    }
}

/// A record as it was seen last.
struct Seen {
    entry: Entry,
    version: u64,
}

impl Histories {
    /// Makes one that knows nothing; `namespaces` are those that are served, none means all.
    pub(crate) fn new(client: Client, namespaces: &[String]) -> Arc<Self> {
        let extents = Extent::of(namespaces);
        let known = Known { listed: vec![false; extents.len()], ..Known::default() };
        Arc::new(Self { client, extents, known: Mutex::new(known), on_loss: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        lock(&self.known)
    }

    /// The records of a release, oldest first; `None` if they are not watched (yet).
    pub(super) fn of(&self, namespace: &str, release: &str) -> Option<Vec<Entry>> {
        let known = self.lock();
        if !known.covers(&self.extents, namespace) {
            return None;
        }
        let seen = known.releases.get(&(namespace.into(), release.into()));
        let mut entries: Vec<_> = seen.into_iter().flatten().map(|seen| seen.entry.clone()).collect();
        entries.sort_by_key(|entry| entry.revision);
        Some(entries)
    }

    /// Whether a release's records from a revision on are known to be gone.
    pub(super) fn lacks_record(&self, namespace: &str, release: &str, revision: i64) -> bool {
        let known = self.lock();
        let records = known.releases.get(&(namespace.into(), release.into()));
        let mut later = records.into_iter().flatten().filter(|seen| seen.entry.revision >= revision);
        known.covers(&self.extents, namespace) && later.next().is_none()
    }

    /// Whether no record of a release is known to say that it runs, nor that Helm takes, or took, it away.
    pub(super) fn lacks_deployed(&self, namespace: &str, release: &str) -> bool {
        let known = self.lock();
        let records = known.releases.get(&(namespace.into(), release.into()));
        let speaks = |seen: &Seen| {
            matches!(seen.entry.state, State::Deployed | State::Uninstalling | State::Uninstalled)
        };
        known.covers(&self.extents, namespace) && !records.into_iter().flatten().any(speaks)
    }

    /// Whether a revision before one is known to count as deployed.
    pub(super) fn has_older_deployed(&self, namespace: &str, release: &str, revision: i64) -> bool {
        let known = self.lock();
        let records = known.releases.get(&(namespace.into(), release.into()));
        let mut older = records.into_iter().flatten().filter(|seen| seen.entry.revision < revision);
        known.covers(&self.extents, namespace) && older.any(|seen| seen.entry.state == State::Deployed)
    }

    /// Whether a release is known to have no seed.
    pub(super) fn lacks_seed(&self, namespace: &str, release: &str) -> bool {
        let known = self.lock();
        known.covers(&self.extents, namespace)
            && !known.seeds.contains_key(&(namespace.into(), release.into()))
    }

    /// Whether Helm is known to have gone on from a revision of ours: it took it away, or made a later one.
    pub(super) fn is_overtaken(&self, namespace: &str, release: &str, revision: i64) -> bool {
        let known = self.lock();
        let records = known.releases.get(&(namespace.into(), release.into()));
        let is_helms_word = |seen: &Seen| match seen.entry.state {
            State::Uninstalled => seen.entry.revision == revision,
            State::Deployed | State::Failed => seen.entry.revision > revision && seen.entry.owner.is_none(),
            _ => false,
        };
        known.covers(&self.extents, namespace) && records.into_iter().flatten().any(is_helms_word)
    }

    /// Whether the newest record of a release is known to be of an attempt of a resource's, later than a revision, that did
    /// not come to a good end.
    pub(super) fn is_left_open(&self, namespace: &str, release: &str, after: i64, uid: &str) -> bool {
        let known = self.lock();
        let records = known.releases.get(&(namespace.into(), release.into()));
        let newest = records.into_iter().flatten().map(|seen| &seen.entry).max_by_key(|entry| entry.revision);
        known.covers(&self.extents, namespace)
            && newest.is_some_and(|newest| newest.revision > after && newest.is_open_attempt_of(uid))
    }

    /// Whether Helm is known to be taking away what a revision of ours made, or to be making a later one.
    pub(super) fn is_at_helms_hands(&self, namespace: &str, release: &str, revision: i64) -> bool {
        let known = self.lock();
        let records = known.releases.get(&(namespace.into(), release.into()));
        let is_at_work = |entry: &Entry| match entry.state {
            State::Uninstalling => entry.revision == revision,
            state => state.is_pending() && entry.revision > revision,
        };
        let mut helms = records.into_iter().flatten().map(|seen| &seen.entry);
        helms.any(|entry| entry.owner.is_none() && is_at_work(entry))
    }

    /// Has somebody told whenever a record or a seed is gone that we did not delete, and when Helm has written a record.
    pub(crate) fn tell_losses(&self, on_loss: Arc<OnLoss>) {
        lock(&self.on_loss).push(on_loss);
    }

    /// Enters a record or a seed as a watch shows it or a write answered it; an older state than the known one is left
    /// out.
    pub(super) fn enter(&self, meta: &ObjectMeta) {
        let mut known = self.lock();
        if let Some(release) = read_seed(meta) {
            known.seeds.insert(release, meta.uid.clone().unwrap_or_default());
            return;
        }
        let Some((release, seen)) = read(meta) else { return };
        // What Helm writes has no owner; it works in between.
        let is_helms = seen.entry.owner.is_none()
            && matches!(seen.entry.state, State::Deployed | State::Failed | State::Uninstalled)
            && known.covers(&self.extents, &release.0);
        let records = known.releases.entry(release.clone()).or_default();
        match records.iter_mut().find(|known| known.entry.revision == seen.entry.revision) {
            Some(before) if before.version >= seen.version => return,
            Some(before) => *before = seen,
            None => records.push(seen),
        }
        drop(known);
        if is_helms {
            self.tell(&release.0, &release.1);
        }
    }

    fn tell(&self, namespace: &str, release: &str) {
        let told = lock(&self.on_loss).clone();
        told.iter().for_each(|on_loss| on_loss(namespace, release));
    }

    /// Forgets a record or a seed that is gone; tells whether it was known.
    pub(super) fn forget(&self, namespace: &str, release: &str, uid: &str) -> bool {
        let key = (namespace.into(), release.into());
        let mut known = self.lock();
        if known.seeds.get(&key).is_some_and(|seed| seed == uid) {
            known.seeds.remove(&key);
            return true;
        }
        let Some(records) = known.releases.get_mut(&key) else { return false };
        let before = records.len();
        records.retain(|seen| seen.entry.uid != uid);
        let gone = records.len() < before;
        if records.is_empty() {
            known.releases.remove(&key);
        }
        gone
    }

    /// The same for what others have deleted.
    fn lose(&self, namespace: &str, release: &str, uid: &str) {
        if self.forget(namespace, release, uid) {
            self.tell(namespace, release);
        }
    }

    /// Watches until dropped.
    pub(crate) async fn follow(self: Arc<Self>) {
        let each = (0..self.extents.len()).map(|index| self.follow_one(index));
        futures::future::join_all(each).await;
    }

    async fn follow_one(&self, index: usize) {
        let Some(extent) = self.extents.get(index) else { return };
        let records: Api<PartialObjectMeta<Secret>> = match extent {
            Extent::Namespace(namespace) => Api::namespaced(self.client.clone(), namespace),
            Extent::Everywhere => Api::all(self.client.clone()),
        };
        let config =
            watcher::Config::default().labels(&format!("owner in (helm,{SEED_OWNER})")).page_size(PAGE);
        let events = paced(watch_kind(records, config));
        pin_mut!(events);
        // What was known when the list under way began and it has not shown yet.
        let mut unseen: HashMap<String, Release> = HashMap::new();
        while let Some(event) = events.next().await {
            match event {
                Ok(Event::Init) => unseen = self.all_of(extent),
                Ok(Event::InitApply(record)) => {
                    unseen.remove(record.metadata.uid.as_deref().unwrap_or_default());
                    self.enter(&record.metadata);
                }
                Ok(Event::InitDone) => {
                    for (uid, (namespace, release)) in unseen.drain() {
                        self.lose(&namespace, &release, &uid);
                    }
                    self.trust(index, true);
                }
                Ok(Event::Apply(record)) => {
                    self.trust(index, true);
                    self.enter(&record.metadata);
                }
                Ok(Event::Delete(record)) => {
                    self.trust(index, true);
                    let meta = &record.metadata;
                    let release = read_seed(meta).or_else(|| read(meta).map(|(release, _)| release));
                    if let Some((namespace, release)) = release {
                        self.lose(&namespace, &release, meta.uid.as_deref().unwrap_or_default());
                    }
                }
                Err(error) => {
                    self.trust(index, false);
                    report(&error);
                }
            }
        }
    }

    /// While a watch does not run, records are listed when they are needed. One that runs again goes on where it was, or
    /// begins with a list.
    fn trust(&self, index: usize, trusted: bool) {
        if let Some(listed) = self.lock().listed.get_mut(index) {
            *listed = trusted;
        }
    }

    fn all_of(&self, extent: &Extent) -> HashMap<String, Release> {
        let known = self.lock();
        let records = known.releases.iter().flat_map(|(release, seen)| {
            seen.iter().map(move |seen| (seen.entry.uid.clone(), release.clone()))
        });
        let seeds = known.seeds.iter().map(|(release, uid)| (uid.clone(), release.clone()));
        records.chain(seeds).filter(|(_, release)| extent.covers(&release.0)).collect()
    }
}

/// The release of a seed's metadata; `None` if it is no seed.
fn read_seed(meta: &ObjectMeta) -> Option<Release> {
    let labels = meta.labels.as_ref()?;
    let release =
        labels.get("name").filter(|_| labels.get("owner").is_some_and(|owner| owner == SEED_OWNER))?;
    Some((meta.namespace.as_deref().unwrap_or_default().into(), release.as_str().into()))
}

/// Reads a record's metadata; `None` if it is no record of Helm's.
fn read(meta: &ObjectMeta) -> Option<(Release, Seen)> {
    let labels = meta.labels.as_ref()?;
    let entry = entry(meta)?;
    let release = labels.get("name")?.as_str().into();
    let namespace = meta.namespace.as_deref().unwrap_or_default().into();
    // All API servers count versions upwards.
    let version =
        meta.resource_version.as_deref().and_then(|version| version.parse().ok()).unwrap_or_default();
    Some(((namespace, release), Seen { entry, version }))
}

/// Reads what a record's metadata tells of it.
pub(super) fn entry(meta: &ObjectMeta) -> Option<Entry> {
    let labels = meta.labels.as_ref()?;
    let mut owners = meta.owner_references.iter().flatten();
    Some(Entry {
        revision: labels.get("version")?.parse().ok()?,
        state: labels.get("status").and_then(|word| State::parse(word)).unwrap_or(State::Unknown),
        owner: owners.find(|owner| owner.controller == Some(true)).map(|owner| Owner {
            group: group_of(&owner.api_version).to_owned(),
            kind: owner.kind.clone(),
            name: owner.name.clone(),
            uid: owner.uid.clone(),
        }),
        uid: meta.uid.clone().unwrap_or_default(),
    })
}

fn report(error: &watcher::Error) {
    match refusal(error) {
        Some(cause) => tracing::warn!(error = %explain(cause), "Cannot watch release records"),
        None => tracing::debug!(%error, "Watch of release records interrupted"),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

    use super::*;

    fn meta(namespace: &str, release: &str, revision: i64, status: &str, version: u64) -> ObjectMeta {
        let pairs = [("name", release), ("owner", "helm"), ("status", status)];
        let mut labels: std::collections::BTreeMap<String, String> =
            pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        labels.insert("version".into(), revision.to_string());
        ObjectMeta {
            namespace: Some(namespace.into()),
            uid: Some(format!("{namespace}/{release}/{revision}")),
            resource_version: Some(version.to_string()),
            labels: Some(labels),
            owner_references: Some(vec![OwnerReference {
                api_version: "a.b/v1".into(),
                kind: "Web".into(),
                name: release.into(),
                uid: "owner".into(),
                controller: Some(true),
                ..OwnerReference::default()
            }]),
            ..ObjectMeta::default()
        }
    }

    /// The same as Helm writes it.
    fn helms(namespace: &str, release: &str, revision: i64, status: &str, version: u64) -> ObjectMeta {
        ObjectMeta { owner_references: None, ..meta(namespace, release, revision, status, version) }
    }

    fn histories(namespaces: &[&str]) -> Arc<Histories> {
        let namespaces: Vec<_> = namespaces.iter().map(|name| (*name).to_owned()).collect();
        Histories::new(nobody(), &namespaces)
    }

    /// A client that reaches nobody.
    fn nobody() -> Client {
        let config = kube::Config::new("http://127.0.0.1:1".parse().unwrap());
        Client::try_from(config).unwrap()
    }

    fn states(histories: &Histories, namespace: &str, release: &str) -> Option<Vec<(i64, State)>> {
        let entries = histories.of(namespace, release)?;
        Some(entries.into_iter().map(|entry| (entry.revision, entry.state)).collect())
    }

    #[tokio::test]
    async fn nothing_is_known_before_the_list_is_in() {
        let histories = histories(&[]);
        histories.enter(&meta("n", "web", 1, "deployed", 5));
        assert_eq!(states(&histories, "n", "web"), None);
        histories.lock().listed[0] = true;
        assert_eq!(states(&histories, "n", "web"), Some(vec![(1, State::Deployed)]));
        assert_eq!(states(&histories, "n", "other"), Some(Vec::new()));
        histories.trust(0, false);
        assert_eq!(states(&histories, "n", "web"), None);
    }

    #[tokio::test]
    async fn namespaces_that_are_not_watched_are_not_known() {
        let histories = histories(&["a", "b"]);
        histories.lock().listed[1] = true;
        assert_eq!(states(&histories, "a", "web"), None);
        assert_eq!(states(&histories, "b", "web"), Some(Vec::new()));
        assert_eq!(states(&histories, "c", "web"), None);
    }

    #[tokio::test]
    async fn a_later_state_stays_and_what_is_gone_goes() {
        let histories = histories(&[]);
        histories.lock().listed[0] = true;
        histories.enter(&meta("n", "web", 2, "deployed", 9));
        histories.enter(&meta("n", "web", 1, "superseded", 8));
        histories.enter(&meta("n", "web", 2, "pending-upgrade", 7));
        assert_eq!(states(&histories, "n", "web"), Some(vec![(1, State::Superseded), (2, State::Deployed)]));
        assert!(histories.has_older_deployed("n", "web", 3) && !histories.has_older_deployed("n", "web", 2));
        histories.forget("n", "web", "n/web/1");
        histories.forget("n", "web", "another");
        assert_eq!(states(&histories, "n", "web"), Some(vec![(2, State::Deployed)]));
        histories.forget("n", "web", "n/web/2");
        assert!(histories.lock().releases.is_empty());
    }

    #[tokio::test]
    async fn losses_are_told_unless_they_are_our_own_doing() {
        let histories = histories(&[]);
        histories.lock().listed[0] = true;
        let told: Arc<Mutex<Vec<String>>> = Arc::default();
        let on_loss = told.clone();
        histories.tell_losses(Arc::new(move |namespace, release| {
            lock(&on_loss).push(format!("{namespace}/{release}"))
        }));
        let seed = ObjectMeta {
            labels: Some([("owner".into(), SEED_OWNER.into()), ("name".into(), "web".into())].into()),
            uid: Some("seed".into()),
            ..meta("n", "web", 1, "", 1)
        };
        histories.enter(&seed);
        histories.enter(&meta("n", "web", 1, "superseded", 1));
        histories.enter(&meta("n", "web", 2, "deployed", 2));
        assert!(!histories.lacks_seed("n", "web") && histories.lacks_seed("n", "other"));
        assert!(!histories.lacks_record("n", "web", 2) && histories.lacks_record("n", "web", 3));
        histories.forget("n", "web", "n/web/2");
        histories.lose("n", "web", "n/web/2");
        assert!(lock(&told).is_empty());
        assert!(histories.lacks_record("n", "web", 2), "an older one does not count");
        histories.lose("n", "web", "seed");
        assert_eq!(*lock(&told), ["n/web"]);
        assert!(histories.lacks_seed("n", "web"));
        histories.trust(0, false);
        assert!(!histories.lacks_seed("n", "web") && !histories.lacks_record("n", "web", 2));
    }

    #[tokio::test]
    async fn what_helm_does_to_a_release_is_told() {
        let histories = histories(&[]);
        histories.lock().listed[0] = true;
        let told: Arc<Mutex<usize>> = Arc::default();
        let count = told.clone();
        histories.tell_losses(Arc::new(move |_, _| *lock(&count) += 1));
        histories.enter(&meta("n", "web", 1, "superseded", 1));
        histories.enter(&meta("n", "web", 2, "deployed", 2));
        assert!(*lock(&told) == 0 && !histories.is_overtaken("n", "web", 2));
        histories.enter(&helms("n", "web", 3, "pending-upgrade", 3));
        assert!(*lock(&told) == 0 && !histories.is_overtaken("n", "web", 2), "Helm is still at work");
        histories.enter(&helms("n", "web", 3, "deployed", 4));
        histories.enter(&helms("n", "web", 3, "deployed", 4));
        assert!(*lock(&told) == 1 && histories.is_overtaken("n", "web", 2));
        assert!(!histories.is_overtaken("n", "web", 3) && !histories.is_overtaken("n", "other", 2));
        histories.enter(&helms("n", "web", 3, "uninstalling", 5));
        assert!(*lock(&told) == 1 && histories.is_at_helms_hands("n", "web", 3));
        assert!(!histories.is_overtaken("n", "web", 3));
        histories.enter(&helms("n", "web", 3, "uninstalled", 6));
        assert!(*lock(&told) == 2 && histories.is_overtaken("n", "web", 3));
        histories.enter(&helms("n", "web", 4, "failed", 7));
        assert!(*lock(&told) == 3 && histories.is_overtaken("n", "web", 3));
    }
}
