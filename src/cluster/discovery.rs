//! What kinds the cluster serves: two requests, kept, and asked again when a kind is missed.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::{StreamExt as _, pin_mut};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, ObjectMeta, PartialObjectMeta};
use kube::client::{APIGroupDiscoveryList, APIResourceDiscovery};
use kube::discovery::{Discovery as Slow, Scope, verbs};
use kube::runtime::watcher::{self, Event};
use kube::{Api, Client};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::error::explain;
use super::paced::paced;
use crate::reconcile::identity::{ApiKind, Digest, Kinds};

/// Misses closer together than this are answered from memory: a chart with an unknown kind must not cost requests.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(5);

/// When the cluster is asked after a definition has changed: those that come in a row are one change, and a server takes
/// a while until it tells of a new kind.
const LOOKS: &[Duration] = &[Duration::from_millis(500), Duration::from_secs(4)];

fn soon() -> VecDeque<Instant> {
    LOOKS.iter().map(|pause| Instant::now() + *pause).collect()
}

/// Name, uid and generation of a definition.
type Definition = (String, Option<String>, Option<i64>);

fn definition(meta: ObjectMeta) -> Definition {
    (meta.name.unwrap_or_default(), meta.uid, meta.generation)
}

/// Definitions per page of a list.
const PAGE: u32 = 100;

/// What following the definitions of kinds tells.
#[derive(Clone, Copy)]
pub(crate) enum News<'a> {
    /// The cluster serves something else than before.
    Served,
    /// The CustomResourceDefinition of this name came or changed.
    Defined(&'a str),
    /// It is gone.
    Gone(&'a str),
}

/// The kinds the cluster serves and its version.
pub(crate) struct Discovery {
    client: Client,
    current: RwLock<Arc<Served>>,
    refreshed: Mutex<Option<Instant>>,
}

/// What a cluster serves.
#[derive(Debug, Default)]
pub(crate) struct Served {
    pub(crate) kinds: Kinds,
    /// `.Capabilities`.
    pub(crate) capabilities: Arc<helm::Capabilities>,
    /// Of `capabilities`.
    pub(crate) digest: Digest,
}

impl Discovery {
    /// Makes an empty one; [`refresh`](Discovery::refresh) fills it.
    pub(crate) fn new(client: Client) -> Self {
        Self { client, current: RwLock::default(), refreshed: Mutex::new(None) }
    }

    /// What was known at the last refresh.
    pub(crate) fn current(&self) -> Arc<Served> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks the cluster again, unless it was asked a moment ago; tells whether it was asked.
    pub(crate) async fn refresh_after_miss(&self) -> Result<bool, kube::Error> {
        let refreshed = self.refreshed.lock().await;
        if refreshed.is_some_and(|at| at.elapsed() < SHORTEST_INTERVAL) {
            return Ok(false);
        }
        drop(refreshed);
        self.refresh().await?;
        Ok(true)
    }

    /// Says that what is known is known to be old: the next miss asks again at once.
    pub(crate) async fn expire(&self) {
        *self.refreshed.lock().await = None;
    }

    /// Asks the cluster again.
    pub(crate) async fn refresh(&self) -> Result<Arc<Served>, kube::Error> {
        let mut refreshed = self.refreshed.lock().await;
        let mut kinds = self.aggregated().await.unwrap_or_default();
        if kinds.is_empty() {
            // A server before 1.26, or one behind a proxy that drops the header.
            kinds = self.one_by_one().await?;
        }
        let version = self.client.apiserver_version().await?;
        let capabilities = helm::Capabilities {
            kube_version: helm::KubeVersion {
                version: version.git_version,
                major: version.major,
                minor: version.minor,
            },
            api_versions: kinds.api_versions.clone(),
            ..helm::Capabilities::default()
        };
        let version = std::iter::once(&capabilities.kube_version.version);
        let digest = Digest::of(version.chain(&capabilities.api_versions));
        let served = Arc::new(Served { kinds, capabilities: Arc::new(capabilities), digest });
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = served.clone();
        *refreshed = Some(Instant::now());
        Ok(served)
    }

    /// Follows the definitions of kinds until dropped: whenever one comes, changes or goes, the cluster is asked again.
    pub(crate) async fn follow(&self, tell: impl Fn(News<'_>)) {
        let crds: Api<PartialObjectMeta<CustomResourceDefinition>> = Api::all(self.client.clone());
        let config = watcher::Config::default().page_size(PAGE);
        let events = paced(watcher::watcher(crds, config));
        pin_mut!(events);
        let mut told = self.current().digest;
        let mut looks: VecDeque<Instant> = VecDeque::new();
        let (mut before, mut listed) = (None::<BTreeSet<Definition>>, BTreeSet::new());
        loop {
            let event = match looks.front() {
                None => Some(events.next().await),
                Some(due) => tokio::time::timeout_at(*due, events.next()).await.ok(),
            };
            match event {
                Some(None) => return,
                Some(Some(Ok(Event::Init))) => listed.clear(),
                Some(Some(Ok(Event::InitApply(crd)))) => {
                    listed.insert(definition(crd.metadata));
                }
                Some(Some(Ok(Event::InitDone))) => {
                    let kinds = &self.current().kinds;
                    let is_new = match &before {
                        None => listed.iter().any(|(name, ..)| !kinds.has_definition(Some(name))),
                        Some(before) => *before != listed,
                    };
                    for (name, ..) in before.iter().flatten() {
                        if !listed.iter().any(|(listed, ..)| listed == name) {
                            tell(News::Gone(name));
                        }
                    }
                    listed.iter().for_each(|(name, ..)| tell(News::Defined(name)));
                    before = Some(std::mem::take(&mut listed));
                    if is_new {
                        looks = soon();
                    }
                }
                Some(Some(Ok(Event::Apply(crd)))) => {
                    looks = soon();
                    tell(News::Defined(&definition(crd.metadata).0));
                }
                Some(Some(Ok(Event::Delete(crd)))) => {
                    looks = soon();
                    tell(News::Gone(&definition(crd.metadata).0));
                }
                Some(Some(Err(error))) => tracing::debug!(%error, "Cannot follow the definitions of kinds"),
                None => {
                    looks.pop_front();
                    if let Err(error) = self.refresh().await {
                        tracing::debug!(error = %explain(&error), "Cannot learn which kinds the cluster serves");
                    }
                    let now = self.current().digest;
                    if now != told {
                        told = now;
                        tell(News::Served);
                    }
                }
            }
        }
    }

    async fn aggregated(&self) -> Result<Kinds, kube::Error> {
        let core = self.client.list_core_api_versions_aggregated().await?;
        let groups = self.client.list_api_groups_aggregated().await?;
        let before = self.current();
        let mut kinds = Kinds::default();
        add_groups(&mut kinds, core, &before.kinds);
        add_groups(&mut kinds, groups, &before.kinds);
        Ok(kinds)
    }

    async fn one_by_one(&self) -> Result<Kinds, kube::Error> {
        let found = Slow::new(self.client.clone()).run().await?;
        let mut kinds = Kinds::default();
        for group in found.groups() {
            for version in group.versions() {
                let api_version = join(group.name(), version);
                kinds.api_versions.push(api_version.clone());
                for (resource, capabilities) in group.versioned_resources(version) {
                    let watchable = capabilities.supports_operation(verbs::WATCH);
                    kinds.api_versions.push(format!("{api_version}/{}", resource.kind));
                    kinds.add(ApiKind::new(resource, capabilities.scope == Scope::Namespaced, watchable));
                }
            }
        }
        Ok(kinds)
    }
}

fn join(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

/// Adds what a list names. An aggregated API whose server does not answer is listed as stale and without resources: it is
/// out of order and not gone.
fn add_groups(kinds: &mut Kinds, list: APIGroupDiscoveryList, before: &Kinds) {
    for group in list.items {
        let name = group.metadata.and_then(|meta| meta.name).unwrap_or_default();
        for version in group.versions {
            let Some(number) = version.version else { continue };
            let api_version = join(&name, &number);
            if version.freshness.as_deref() == Some("Stale") && version.resources.is_empty() {
                kinds.carry(before, &name, &api_version);
                continue;
            }
            kinds.api_versions.push(api_version.clone());
            for resource in version.resources {
                add_resource(kinds, &name, &number, &api_version, resource);
            }
        }
    }
}

fn add_resource(
    kinds: &mut Kinds,
    group: &str,
    version: &str,
    api_version: &str,
    found: APIResourceDiscovery,
) {
    let (Some(plural), Some(answer)) = (found.resource, found.response_kind) else { return };
    let Some(kind) = answer.kind else { return };
    // Some resources answer with a kind of another group (scale, token requests): they are no objects to apply.
    if answer.group.is_some_and(|answered| !answered.is_empty() && answered != group) {
        return;
    }
    kinds.api_versions.push(format!("{api_version}/{kind}"));
    let resource = ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: api_version.to_owned(),
        kind,
        plural,
    };
    let watchable = found.verbs.iter().any(|verb| verb == "watch");
    kinds.add(ApiKind::new(resource, found.scope.as_deref() == Some("Namespaced"), watchable));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(freshness: &str, resources: serde_json::Value) -> APIGroupDiscoveryList {
        serde_json::from_value(serde_json::json!({
            "apiVersion": "apidiscovery.k8s.io/v2", "kind": "APIGroupDiscoveryList", "metadata": {},
            "items": [{"metadata": {"name": "g.io"}, "versions": [
                {"version": "v1", "freshness": freshness, "resources": resources},
            ]}],
        }))
        .unwrap()
    }

    #[test]
    fn a_group_whose_server_does_not_answer_keeps_what_it_had() {
        let things = serde_json::json!([{
            "resource": "things", "scope": "Namespaced", "verbs": ["watch"],
            "responseKind": {"group": "g.io", "version": "v1", "kind": "Thing"},
        }]);
        let mut before = Kinds::default();
        add_groups(&mut before, list("Current", things), &Kinds::default());
        assert!(before.get("g.io/v1", "Thing").is_some() && !before.has_gaps());

        let mut now = Kinds::default();
        add_groups(&mut now, list("Stale", serde_json::json!([])), &before);
        assert!(now.get("g.io/v1", "Thing").is_some() && !now.has_gaps());
        assert_eq!(now.api_versions, before.api_versions);

        let mut after_restart = Kinds::default();
        add_groups(&mut after_restart, list("Stale", serde_json::json!([])), &Kinds::default());
        assert!(after_restart.is_out_of_order("g.io") && !after_restart.is_out_of_order("other.io"));
    }
}
