//! Validation at the door: an admission webhook that renders a resource's values before they are stored, so that
//! `kubectl apply` answers with what the chart, its schema or the API server would say later.
//!
//! It fails open: a resource that cannot be judged in time is let pass, and judged again when it is reconciled.

mod configuration;
mod review;
mod server;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::Value;
use tokio::net::TcpListener;

pub(crate) use configuration::name as configuration_name;

use crate::cluster::error::explain;
use crate::kind::Kinds;
use crate::tls::{Certificate, Current, Place, ROTATE};

/// Where questions are asked.
const PATH: &str = "/validate";
/// How long the API server waits for an answer.
const DEADLINE: Duration = Duration::from_secs(10);
/// How often the configuration is put back in place, whatever has become of it.
const KEEP: Duration = Duration::from_secs(600);
/// API servers may trust a new authority only after they have heard of it.
const HEARSAY: Duration = Duration::from_secs(30);
/// The longest pause between tries to apply the configuration.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How the webhook is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// By a URL, `https://HOST:PORT`: for operators outside the cluster.
    Url(String),
    /// By a Service on port 443.
    Service {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
}

impl At {
    fn place(&self) -> Place {
        match self {
            At::Service { namespace, name } => {
                Place { names: vec![format!("{name}.{namespace}.svc")], addresses: Vec::new() }
            }
            At::Url(url) => {
                let uri = url.parse::<http::Uri>().ok();
                let host = uri.as_ref().and_then(http::Uri::host).unwrap_or_default();
                match host.trim_matches(['[', ']']).parse() {
                    Ok(address) => Place { names: Vec::new(), addresses: vec![address] },
                    Err(_) => Place { names: vec![host.to_owned()], addresses: Vec::new() },
                }
            }
        }
    }
}

/// What the operator is told about its webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Where it listens.
    pub(crate) bind: SocketAddr,
    /// How it is reached.
    pub(crate) at: At,
}

/// A webhook that listens.
pub(crate) struct Webhook {
    client: Client,
    options: Options,
    namespaces: Vec<String>,
    kinds: Arc<Kinds>,
    certificates: Arc<Current>,
}

impl Webhook {
    /// Starts to listen and to answer.
    ///
    /// # Errors
    /// When no certificate can be made for the place where it is reached.
    pub(crate) fn start(
        listener: TcpListener,
        client: &Client,
        options: &Options,
        namespaces: &[String],
        kinds: Arc<Kinds>,
    ) -> Result<Self, String> {
        let certificate = Certificate::new(&options.at.place())?;
        let certificates = Arc::new(Current::new(certificate));
        tokio::spawn(server::serve(listener, certificates.clone(), kinds.clone()));
        Ok(Self {
            client: client.clone(),
            options: options.clone(),
            namespaces: namespaces.to_vec(),
            kinds,
            certificates,
        })
    }

    /// Tells the API server about it, keeps that true, and replaces the certificate in time. Never ends.
    pub(crate) async fn keep(&self) {
        let (mut made, mut kinds) = (Instant::now(), self.kinds.follow());
        self.apply(&self.certificates.get().authority).await;
        tracing::info!(address = %self.options.bind, "Judging resources before they are stored");
        loop {
            // A kind that has joined has to be told of.
            let _ = tokio::time::timeout(KEEP, kinds.changed()).await;
            if made.elapsed() < ROTATE {
                self.apply(&self.certificates.get().authority).await;
                continue;
            }
            match self.rotate().await {
                Ok(()) => made = Instant::now(),
                Err(error) => tracing::error!(error, "The webhook's certificate cannot be replaced"),
            }
        }
    }

    /// Replaces the certificate: both are trusted until the new one is in use.
    async fn rotate(&self) -> Result<(), String> {
        let next = Certificate::new(&self.options.at.place())?;
        self.apply(&format!("{}{}", self.certificates.get().authority, next.authority)).await;
        tokio::time::sleep(HEARSAY).await;
        let authority = next.authority.clone();
        self.certificates.set(next);
        self.apply(&authority).await;
        Ok(())
    }

    fn configurations(&self, authorities: &str) -> impl Iterator<Item = Value> {
        self.kinds.controllers().into_iter().map(move |controller| {
            configuration::configuration(&controller.watch, &self.namespaces, &self.options.at, authorities)
        })
    }

    /// Applies the configurations; tries until it is done.
    async fn apply(&self, authorities: &str) {
        for configuration in self.configurations(authorities) {
            let mut pause = Duration::from_secs(1);
            while let Err(error) = configuration::apply(&self.client, &configuration).await {
                tracing::warn!(error = explain(&error), "Cannot apply the ValidatingWebhookConfiguration");
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }

    /// Takes the configurations away, so that nobody waits for an operator that stopped.
    pub(crate) async fn remove(&self) {
        for configuration in self.configurations(&self.certificates.get().authority) {
            if let Err(error) = configuration::remove(&self.client, &configuration).await {
                tracing::warn!(error = explain(&error), "Cannot remove the ValidatingWebhookConfiguration");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_for_the_place_where_the_webhook_is_reached() {
        let place = |url: &str| At::Url(url.into()).place();
        assert_eq!(
            place("https://127.0.0.1:9443").addresses,
            ["127.0.0.1".parse::<std::net::IpAddr>().unwrap()]
        );
        assert_eq!(place("https://[::1]:9443").addresses, ["::1".parse::<std::net::IpAddr>().unwrap()]);
        assert_eq!(place("https://hooks.example.com/x").names, ["hooks.example.com"]);
        let service = At::Service { namespace: "ops".into(), name: "hook".into() };
        assert_eq!(service.place().names, ["hook.ops.svc"]);
    }
}
