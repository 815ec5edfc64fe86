//! Where everything is measured: one control plane of our own, and what the bench itself asks of it.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use devcluster::{Cluster, Options, TokenUser};
use futures::{StreamExt as _, TryStreamExt as _, pin_mut, stream};
use kube::api::{
    Api, ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
    PostParams,
};
use kube::runtime::watcher::{self, Event};
use kube::{Client, ResourceExt as _};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::audit::{self, AuditLog};
use super::told::{Told, is_deployed};
use super::{client, usage};
use crate::error::BenchError;

/// The kind that operators serve here.
pub(crate) const GROUP: &str = "bench.example.com";
pub(crate) const VERSION: &str = "v1";
pub(crate) const KIND: &str = "Starter";

/// Requests of the bench under way at a time when resources are made or deleted.
const AT_A_TIME: usize = 8;

/// How long a watch may take to begin.
const UNDER_WAY: Duration = Duration::from_millis(100);

/// One control plane and the clients of the bench.
pub(crate) struct World {
    pub(crate) cluster: Cluster,
    pub(crate) runtime: Runtime,
    /// The administrator's.
    client: Client,
    log: AuditLog,
    /// The API server and etcd.
    servers: Vec<u32>,
}

/// What a user of this name and no other presents.
fn token(user: &str) -> String {
    format!("{user}-token")
}

impl World {
    /// Starts a control plane that knows some users and notes what they ask for. With `controllers`, the built-in
    /// controllers run and simulated nodes run pods; otherwise objects just lie in the store.
    pub(crate) fn start(users: &[&str], controllers: bool) -> Result<Self, BenchError> {
        let user = |name: &&str| TokenUser {
            name: (*name).to_owned(),
            token: token(name),
            groups: vec!["system:masters".to_owned()],
        };
        let cluster = Cluster::start(Options {
            nodes: if controllers { Options::default().nodes } else { 0 },
            controllers,
            users: users.iter().map(user).collect(),
            audit_policy: Some(audit::policy(users)),
            ..Options::default()
        })?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(BenchError::input("the async runtime"))?;
        let client = runtime.block_on(connect(cluster.kubeconfig()))?;
        let log = AuditLog::new(cluster.audit_log().unwrap_or_default());
        let servers = ["kube-apiserver", "etcd"];
        let servers =
            servers.iter().filter_map(|name| usage::find(name, cluster.state_directory())).collect();
        Ok(Self { cluster, runtime, client, log, servers })
    }

    /// A kubeconfig for one of the users.
    pub(crate) fn kubeconfig(&self, user: &str) -> Result<PathBuf, BenchError> {
        Ok(self.cluster.kubeconfig_for_token(user, &token(user))?)
    }

    /// A new client for one of the users, with no connection yet.
    pub(crate) fn client(&self, user: &str) -> Result<Client, BenchError> {
        self.runtime.block_on(connect(&self.kubeconfig(user)?))
    }

    /// The audit log, read to its end.
    pub(crate) fn log(&mut self) -> Result<&AuditLog, BenchError> {
        self.log.update()?;
        Ok(&self.log)
    }

    /// The CPU time of the API server and its store so far.
    pub(crate) fn servers_cpu(&self) -> Result<Duration, BenchError> {
        self.servers.iter().map(|pid| usage::cpu(*pid)).sum()
    }

    /// Makes a namespace; returns its uid.
    pub(crate) fn make_namespace(&self, name: &str) -> Result<String, BenchError> {
        let namespaces: Api<DynamicObject> = Api::all_with(self.client.clone(), &core("Namespace"));
        let namespace = object(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}))?;
        let made = self.runtime.block_on(namespaces.create(&PostParams::default(), &namespace));
        let made = made.map_err(BenchError::api("make a namespace"))?;
        Ok(made.metadata.uid.unwrap_or_default())
    }

    /// Makes custom resources as fast as the API server takes them, and waits until an operator has reported that each
    /// is deployed. Returns how long that took, from the first request on.
    pub(crate) fn make_and_await(
        &self,
        namespace: &str,
        names: &[String],
        at_most: Duration,
    ) -> Result<Duration, BenchError> {
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &served());
        let told: Api<Told> = Api::namespaced_with(self.client.clone(), namespace, &served());
        self.runtime.block_on(async {
            let (watching, begun) = oneshot::channel();
            let watch = await_deployed(told.clone(), names.len(), watching);
            let make = async {
                // An error means that the watch has failed, which its own result tells.
                let _ = begun.await;
                let start = Instant::now();
                let requests = names.iter().map(|name| make(&api, namespace, name));
                stream::iter(requests).buffer_unordered(AT_A_TIME).try_collect::<Vec<()>>().await?;
                Ok::<_, BenchError>(start)
            };
            let both = async { tokio::try_join!(make, watch) };
            match tokio::time::timeout(at_most, both).await {
                Ok(done) => done.map(|(start, end)| end.saturating_duration_since(start)),
                Err(_) => Err(BenchError::Late {
                    what: "the report of every resource",
                    at_most,
                    seen: seen(&told).await,
                }),
            }
        })
    }

    /// Changes the replicas of one resource; returns how long it took until its Deployment had them, and until its status
    /// said so (if its operator says).
    pub(crate) fn change_and_await(
        &self,
        namespace: &str,
        name: &str,
        replicas: i64,
        at_most: Duration,
    ) -> Result<(Duration, Option<Duration>), BenchError> {
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &served());
        let gvk = GroupVersionKind::gvk("apps", "v1", "Deployment");
        let deployments: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), namespace, &ApiResource::from_gvk(&gvk));
        let labels = format!("app.kubernetes.io/instance={name}");
        let has_them = move |object: &DynamicObject| {
            object.data.pointer("/spec/replicas").and_then(Value::as_i64) == Some(replicas)
        };
        let one = format!("metadata.name={name}");
        self.runtime.block_on(async {
            let before = api.get(name).await.map_err(BenchError::api("read a resource"))?;
            let tells = before.data.pointer("/status/observedGeneration").is_some();
            let generation = before.metadata.generation.unwrap_or_default();
            let (applied_watching, applied_begun) = oneshot::channel();
            let (reported_watching, reported_begun) = oneshot::channel();
            let applied =
                first(deployments, watcher::Config::default().labels(&labels), has_them, applied_watching);
            let reported = first(
                Api::<Told>::namespaced_with(self.client.clone(), namespace, &served()),
                watcher::Config::default().fields(&one),
                move |told| !tells || (is_deployed(told) && told.metadata.generation > Some(generation)),
                reported_watching,
            );
            let change = async {
                let _ = applied_begun.await;
                let _ = reported_begun.await;
                // The lists are in, and the watches that follow them are on their way.
                tokio::time::sleep(UNDER_WAY).await;
                let patch = json!({"spec": {"replicaCount": replicas}});
                let start = Instant::now();
                let changed = api.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await;
                changed.map_err(BenchError::api("change a resource"))?;
                Ok::<_, BenchError>(start)
            };
            let all = async { tokio::try_join!(change, applied, reported) };
            let done = tokio::time::timeout(at_most, all).await.map_err(|_| BenchError::Late {
                what: "the effect of a change",
                at_most,
                seen: "nothing".to_owned(),
            })?;
            done.map(|(start, applied, reported)| {
                let since = |at: Instant| at.saturating_duration_since(start);
                (since(applied), tells.then(|| since(reported)))
            })
        })
    }

    /// How many objects of a kind a namespace has that carry a label.
    pub(crate) fn count(
        &self,
        namespace: &str,
        kind: &ApiResource,
        labels: &str,
    ) -> Result<usize, BenchError> {
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, kind);
        let list = self.runtime.block_on(api.list_metadata(&ListParams::default().labels(labels)));
        Ok(list.map_err(BenchError::api("count objects"))?.items.len())
    }

    /// Deletes the custom resources of a namespace and waits until they are gone.
    pub(crate) fn delete_resources(&self, namespace: &str, at_most: Duration) -> Result<(), BenchError> {
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &served());
        self.runtime.block_on(async {
            let all = ListParams::default();
            let deleted = api.delete_collection(&DeleteParams::background(), &all).await;
            deleted.map_err(BenchError::api("delete resources"))?;
            await_none(&api, "the end of all resources", at_most).await
        })
    }

    /// Waits until a namespace has no pods: those of one measurement would cost the next one time.
    pub(crate) fn await_no_pods(&self, namespace: &str, at_most: Duration) -> Result<(), BenchError> {
        let pods: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &core("Pod"));
        self.runtime.block_on(await_none(&pods, "the end of all pods", at_most))
    }

    /// Deletes all objects of some kinds in a namespace: without controllers nobody else does.
    pub(crate) fn delete_objects(&self, namespace: &str, kinds: &[ApiResource]) -> Result<(), BenchError> {
        self.runtime.block_on(async {
            for kind in kinds {
                let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, kind);
                let deleted =
                    api.delete_collection(&DeleteParams::background(), &ListParams::default()).await;
                deleted.map_err(BenchError::api("delete objects"))?;
            }
            Ok(())
        })
    }
}

/// The kind that is served.
pub(crate) fn served() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, VERSION, KIND))
}

/// A kind of the core group.
pub(crate) fn core(kind: &str) -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", kind))
}

async fn connect(kubeconfig: &Path) -> Result<Client, BenchError> {
    let unusable = |error: &dyn std::fmt::Display| BenchError::Input {
        path: kubeconfig.to_owned(),
        reason: error.to_string(),
    };
    let read = kube::config::Kubeconfig::read_from(kubeconfig).map_err(|error| unusable(&error))?;
    let config = kube::Config::from_custom_kubeconfig(read, &Default::default()).await;
    client::client(config.map_err(|error| unusable(&error))?).map_err(BenchError::api("make a client"))
}

async fn await_none(
    api: &Api<DynamicObject>,
    what: &'static str,
    at_most: Duration,
) -> Result<(), BenchError> {
    let end = Instant::now() + at_most;
    loop {
        let list =
            api.list_metadata(&ListParams::default()).await.map_err(BenchError::api("list what is left"))?;
        if list.items.is_empty() {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(BenchError::Late { what, at_most, seen: format!("{} are left", list.items.len()) });
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

fn object(value: Value) -> Result<DynamicObject, BenchError> {
    serde_json::from_value(value)
        .map_err(|error| BenchError::api("make an object")(kube::Error::SerdeError(error)))
}

async fn make(api: &Api<DynamicObject>, namespace: &str, name: &str) -> Result<(), BenchError> {
    let resource = object(json!({
        "apiVersion": format!("{GROUP}/{VERSION}"), "kind": KIND,
        "metadata": {"name": name, "namespace": namespace}, "spec": {"replicaCount": 1},
    }))?;
    let made = api.create(&PostParams::default(), &resource).await;
    made.map(drop).map_err(BenchError::api("make a resource"))
}

/// Resolves when so many resources are deployed.
async fn await_deployed(
    api: Api<Told>,
    count: usize,
    watching: oneshot::Sender<()>,
) -> Result<Instant, BenchError> {
    let mut deployed = std::collections::HashSet::new();
    first(
        api,
        watcher::Config::default(),
        |resource| {
            if is_deployed(resource) {
                deployed.insert(resource.name_any());
            }
            deployed.len() >= count
        },
        watching,
    )
    .await
}

/// Watches until an object, of those seen since the watch began, is as wanted; returns when that was seen.
async fn first<K>(
    api: Api<K>,
    config: watcher::Config,
    mut wanted: impl FnMut(&K) -> bool,
    watching: oneshot::Sender<()>,
) -> Result<Instant, BenchError>
where
    K: kube::Resource + Clone + Debug + DeserializeOwned + Send + 'static,
{
    let events = watcher::watcher(api, config);
    pin_mut!(events);
    let mut watching = Some(watching);
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::InitDone) => {
                if let Some(watching) = watching.take() {
                    // Who is not waiting does not need to be told.
                    let _ = watching.send(());
                }
            }
            Ok(Event::Apply(object) | Event::InitApply(object)) if wanted(&object) => {
                return Ok(Instant::now());
            }
            Ok(_) => {}
            // The watcher tries again by itself; a pause keeps it from spinning.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
    Err(BenchError::Late { what: "the end of a watch", at_most: Duration::ZERO, seen: "its end".to_owned() })
}

/// What a user would see, for a message.
async fn seen(api: &Api<Told>) -> String {
    match api.list(&ListParams::default()).await {
        Ok(list) => {
            let (done, others): (Vec<_>, Vec<_>) = list.items.iter().partition(|told| is_deployed(told));
            let other = others.first().map(|told| format!(", another has {told:?}")).unwrap_or_default();
            format!("{} of {} are deployed{other}", done.len(), list.items.len())
        }
        Err(error) => error.to_string(),
    }
}
