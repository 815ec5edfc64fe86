//! The floor: a plain client that applies the same objects with the same concurrency, and does nothing else.

use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::Client;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::objects::{self, Starter};
use super::world::World;
use crate::error::BenchError;

/// The user as which the floor talks to the API server.
pub(crate) const USER: &str = "bench-floor";

/// What the floor took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Floor {
    pub(crate) wall: Duration,
    /// CPU time of the API server and its store.
    pub(crate) servers: Duration,
}

/// Applies the objects of so many releases, those of one release in order, and takes the time. Everything that can be
/// done beforehand is. `namespace` is a name and a uid.
pub(crate) fn measure(
    world: &World,
    starter: &Starter,
    (namespace, uid): (&str, &str),
    releases: &[String],
    concurrency: usize,
) -> Result<Floor, BenchError> {
    let requests = releases
        .iter()
        .map(|release| {
            let mut objects: Vec<Value> = starter.objects(release, namespace)?;
            objects.iter_mut().for_each(|object| objects::mark(object, release, namespace, uid));
            objects.iter().map(|object| objects::apply(object, namespace)).collect::<Result<Vec<_>, _>>()
        })
        .collect::<Result<Vec<_>, _>>()?;
    let client = world.client(USER)?;
    let servers = world.servers_cpu()?;
    let start = Instant::now();
    world.runtime.block_on(async {
        let releases = requests.into_iter().map(|requests| apply_in_order(client.clone(), requests));
        stream::iter(releases).buffer_unordered(concurrency).try_collect::<Vec<()>>().await
    })?;
    Ok(Floor { wall: start.elapsed(), servers: world.servers_cpu()?.saturating_sub(servers) })
}

async fn apply_in_order(client: Client, requests: Vec<http::Request<Vec<u8>>>) -> Result<(), BenchError> {
    for request in requests {
        client.request::<IgnoredAny>(request).await.map_err(BenchError::api("apply an object"))?;
    }
    Ok(())
}
