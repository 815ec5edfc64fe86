//! TLS for what the operator serves, with a certificate it makes itself and replaces in time.

use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::crypto::ring::sign::any_ecdsa_type;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivateSec1KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;

/// How long a certificate is valid, in days.
const DAYS: i64 = 90;
/// When the next one takes its place.
pub(crate) const ROTATE: Duration = Duration::from_secs(60 * 24 * 3600);
/// Clocks that are late by less than this find it valid.
const SKEW: i64 = 3600;

/// Names and addresses of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) names: Vec<String>,
    pub(crate) addresses: Vec<IpAddr>,
}

/// A certificate with its key, and what others need to trust it.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    /// In PEM.
    pub(crate) authority: String,
    key: Arc<CertifiedKey>,
}

impl Certificate {
    /// Makes one. It takes some milliseconds.
    pub(crate) fn new(place: &Place) -> Result<Self, String> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| format!("the system has no random numbers: {error}"))?;
        let from = jiff::Timestamp::now().as_second() - SKEW;
        let made = sprig::serving(&place.names, &place.addresses, from, DAYS, seed)?;
        let key = PrivateKeyDer::Sec1(PrivateSec1KeyDer::from(made.key));
        let key = any_ecdsa_type(&key).map_err(|error| error.to_string())?;
        let key = CertifiedKey::new(vec![CertificateDer::from(made.certificate)], key);
        Ok(Self { authority: made.authority, key: Arc::new(key) })
    }
}

/// Gives every connection the certificate of the hour.
#[derive(Debug)]
pub(crate) struct Current(RwLock<Certificate>);

impl Current {
    pub(crate) fn new(certificate: Certificate) -> Self {
        Self(RwLock::new(certificate))
    }

    pub(crate) fn get(&self) -> Certificate {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, certificate: Certificate) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = certificate;
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.get().key)
    }
}

/// Takes connections with the certificate of the hour.
///
/// # Errors
/// When the library has no cryptography.
pub(crate) fn acceptor(certificates: Arc<Current>) -> Result<TlsAcceptor, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(TlsAcceptor::from(Arc::new(config.with_no_client_auth().with_cert_resolver(certificates))))
}
