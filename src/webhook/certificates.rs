//! The server's certificate: made by the operator, trusted by nobody but the API server, replaced in time.

use std::net::IpAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::crypto::ring::sign::any_ecdsa_type;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivateSec1KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

/// How long a certificate is valid, in days.
const DAYS: i64 = 90;
/// When the next one takes its place.
pub(super) const ROTATE: Duration = Duration::from_secs(60 * 24 * 3600);
/// Clocks that are late by less than this find it valid.
const SKEW: i64 = 3600;

/// Names and addresses of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) names: Vec<String>,
    pub(super) addresses: Vec<IpAddr>,
}

/// A certificate with its key, and what others need to trust it.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    /// In PEM.
    pub(super) authority: String,
    key: Arc<CertifiedKey>,
}

impl Certificate {
    /// Makes one. It takes some milliseconds.
    pub(super) fn new(place: &Place) -> Result<Self, String> {
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
pub(super) struct Current(RwLock<Certificate>);

impl Current {
    pub(super) fn new(certificate: Certificate) -> Self {
        Self(RwLock::new(certificate))
    }

    pub(super) fn get(&self) -> Certificate {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, certificate: Certificate) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = certificate;
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.get().key)
    }
}
