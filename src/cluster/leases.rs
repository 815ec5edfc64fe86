//! The Lease by which replicas agree on who works: read, made, and changed only by who read its last state.

use std::future::Future;
use std::time::Duration;

use kube::Client;
use kube::api::{GetParams, PostParams, Request};
use serde_json::{Value, json};

use super::FIELD_MANAGER;
use super::error::{is_conflict, is_not_found};
use super::request::{call, find};
use super::tenure::OfLease;

/// A Lease is worth little if its renewal hangs: each request has this long.
const PATIENCE: Duration = Duration::from_secs(5);

/// One Lease.
#[derive(Clone)]
pub(crate) struct Leases {
    client: Client,
    namespace: String,
    name: String,
}

/// Why a Lease could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LeaseError {
    /// The API server's answer.
    #[error("{}", super::error::explain(.0))]
    Api(#[from] kube::Error),
    /// No answer.
    #[error("the API server did not answer within {PATIENCE:?}")]
    Silence,
    /// Whatever we write is too late.
    #[error("others write the Lease at the same time")]
    Contested,
}

/// A Lease as it was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lease {
    object: Value,
}

/// What a Lease says, times as Kubernetes writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Who holds it; empty if nobody does.
    pub(crate) holder: String,
    /// How long it holds without a renewal.
    pub(crate) seconds: u64,
    pub(crate) acquired: String,
    pub(crate) renewed: String,
    /// How often it changed hands.
    pub(crate) transitions: u64,
}

impl Lease {
    /// What it says.
    pub(crate) fn claim(&self) -> Claim {
        let text = |key: &str| {
            self.object
                .pointer(&format!("/spec/{key}"))
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let number = |key: &str| {
            self.object.pointer(&format!("/spec/{key}")).and_then(Value::as_u64).unwrap_or_default()
        };
        Claim {
            holder: text("holderIdentity"),
            seconds: number("leaseDurationSeconds"),
            acquired: text("acquireTime"),
            renewed: text("renewTime"),
            transitions: number("leaseTransitions"),
        }
    }
}

impl Claim {
    fn to_spec(&self) -> Value {
        json!({
            "holderIdentity": self.holder, "leaseDurationSeconds": self.seconds, "acquireTime": self.acquired,
            "renewTime": self.renewed, "leaseTransitions": self.transitions,
        })
    }
}

impl Leases {
    pub(crate) fn new(client: Client, namespace: &str, name: &str) -> Self {
        Self { client, namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// Reads the Lease; `None` if there is none.
    pub(crate) async fn read(&self) -> Result<Option<Lease>, LeaseError> {
        let request = self.at().get(&self.name, &GetParams::default()).map_err(kube::Error::BuildRequest)?;
        let found = in_time(find(&self.client, of_lease(request))).await?;
        Ok(found.map(|object| Lease { object }))
    }

    /// Writes a claim over a Lease as it was read, or into a new one. `None` if somebody was faster.
    pub(crate) async fn write(
        &self,
        before: Option<&Lease>,
        claim: &Claim,
    ) -> Result<Option<Lease>, LeaseError> {
        let parameters = PostParams { field_manager: Some(FIELD_MANAGER.into()), ..PostParams::default() };
        let request = match before {
            Some(before) => {
                let mut object = before.object.clone();
                if let Some(map) = object.as_object_mut() {
                    map.insert("spec".into(), claim.to_spec());
                }
                self.at().replace(&self.name, &parameters, object.to_string().into_bytes())
            }
            None => {
                let object = json!({
                    "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                    "metadata": {"name": self.name, "namespace": self.namespace}, "spec": claim.to_spec(),
                });
                self.at().create(&parameters, object.to_string().into_bytes())
            }
        };
        let request = of_lease(request.map_err(kube::Error::BuildRequest)?);
        match in_time(call(&self.client, request)).await {
            Ok(answer) => Ok(Some(Lease { object: answer.body })),
            Err(LeaseError::Api(error))
                if is_conflict(&error) || (before.is_some() && is_not_found(&error)) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn at(&self) -> Request {
        Request::new(format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", self.namespace))
    }
}

/// Marks a request as one about the Lease.
fn of_lease(mut request: http::Request<Vec<u8>>) -> http::Request<Vec<u8>> {
    request.extensions_mut().insert(OfLease);
    request
}

async fn in_time<T>(answer: impl Future<Output = Result<T, kube::Error>>) -> Result<T, LeaseError> {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(LeaseError::Silence),
    }
}
