//! Everything that talks to the API server; nothing here decides.

pub(crate) mod access;
mod counted;
pub(crate) mod dependents;
pub(crate) mod discovery;
pub(crate) mod error;
pub(crate) mod events;
pub(crate) mod histories;
pub(crate) mod instances;
pub(crate) mod leases;
pub(crate) mod lookup;
pub(crate) mod lookups;
pub(crate) mod objects;
mod ownership;
pub(crate) mod pods;
pub(crate) mod records;
pub(crate) mod references;
mod request;
pub(crate) mod seeds;
pub(crate) mod seen;

use crate::observe::metrics::Requests;

/// The name under which our writes own fields.
pub(crate) const FIELD_MANAGER: &str = "chartwright";

/// Makes the client for a cluster. Requests are not repeated by it: a busy server is asked again a few times by
/// [`request::call`], and everything else is repeated by the work queue, which knows how to wait.
pub(crate) fn client(mut config: kube::Config, requests: Requests) -> Result<kube::Client, kube::Error> {
    config.default_retry = false;
    let host = config.cluster_url.authority().map(ToString::to_string).unwrap_or_default();
    let counting = counted::Counting { requests, host: host.into() };
    Ok(kube::client::ClientBuilder::try_from(config)?.with_layer(&counting).build())
}
