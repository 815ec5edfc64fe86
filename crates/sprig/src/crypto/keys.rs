//! Private keys: making, reading and writing them (`genPrivateKey` and the keys of certificates).

use chacha20::ChaCha20Rng;
use p256::elliptic_curve::Generate;
use rsa::pkcs1::{DecodeRsaPrivateKey, EncodeRsaPrivateKey};
use rsa::pkcs8::{DecodePrivateKey, EncodePrivateKey, PrivateKeyInfoRef};
use sec1::{EcParameters, EcPrivateKey};
use x509_cert::der::asn1::{Any, AnyRef, ObjectIdentifier, UintRef};
use x509_cert::der::{Decode, Encode, Tagged};

use super::pem;

/// A private key of a kind that certificates are made with, or one that Go can read but not sign with.
pub(super) enum PrivateKey {
    Rsa(Box<rsa::PrivateKey>),
    P256(p256::SecretKey),
    P384(p384::SecretKey),
    P521(p521::SecretKey),
    Ed25519(Box<ed25519_dalek::SigningKey>),
    /// DSA and X25519 keys: their certificates fail.
    Other,
}

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
const X25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.110");
const CURVE_P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const CURVE_P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
const CURVE_P521: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.35");

/// Makes an RSA key.
pub(super) fn generate_rsa(rng: &mut ChaCha20Rng, bits: usize) -> Result<PrivateKey, String> {
    let key = rsa::PrivateKey::new(rng, bits);
    key.map(|key| PrivateKey::Rsa(Box::new(key))).map_err(|error| error.to_string())
}

/// Makes a key on the curve P-256.
pub(super) fn generate_ecdsa(rng: &mut ChaCha20Rng) -> PrivateKey {
    PrivateKey::P256(p256::SecretKey::generate_from_rng(rng))
}

/// Makes an Ed25519 key.
pub(super) fn generate_ed25519(seed: [u8; 32]) -> PrivateKey {
    PrivateKey::Ed25519(Box::new(ed25519_dalek::SigningKey::from_bytes(&seed)))
}

/// Makes a DSA key and writes it as sprig does: version, P, Q, G, Y and X in a sequence.
pub(super) fn generate_dsa_pem(rng: &mut ChaCha20Rng) -> Result<String, String> {
    let components = dsa::Components::try_generate_from_rng_with_key_size(rng, dsa::KeySize::DSA_2048_256);
    let components = match components {
        Ok(components) => components,
        Err(never) => match never {},
    };
    let key = dsa::SigningKey::try_generate_from_rng_with_components(rng, components);
    let key = match key {
        Ok(key) => key,
        Err(never) => match never {},
    };
    let public = key.verifying_key();
    let shared = public.components();
    let numbers = [&**shared.p(), &**shared.q(), &**shared.g(), &**public.y(), &**key.x()];
    let bytes = numbers.map(|number| number.to_be_bytes());
    let mut sequence = vec![Any::encode_from(&0u8)];
    sequence
        .extend(bytes.iter().map(|bytes| UintRef::new(bytes).and_then(|number| Any::encode_from(&number))));
    let sequence = sequence.into_iter().collect::<Result<Vec<_>, _>>().and_then(|sequence| sequence.to_der());
    Ok(pem::encode("DSA PRIVATE KEY", &sequence.map_err(|error| error.to_string())?))
}

impl PrivateKey {
    /// Writes the key as sprig does: PKCS#1 for RSA, SEC 1 for ECDSA, PKCS#8 for Ed25519.
    pub(super) fn to_pem(&self) -> Result<String, String> {
        let (label, der) = match self {
            PrivateKey::Rsa(key) => {
                ("RSA PRIVATE KEY", key.to_pkcs1_der().map_err(text)?.as_bytes().to_vec())
            }
            PrivateKey::P256(key) => ("EC PRIVATE KEY", key.to_sec1_der().map_err(text)?.to_vec()),
            PrivateKey::P384(key) => ("EC PRIVATE KEY", key.to_sec1_der().map_err(text)?.to_vec()),
            PrivateKey::P521(key) => ("EC PRIVATE KEY", key.to_sec1_der().map_err(text)?.to_vec()),
            PrivateKey::Ed25519(key) => {
                // Without the public key, as Go writes it.
                let bytes =
                    ed25519_dalek::pkcs8::KeypairBytes { secret_key: key.to_bytes(), public_key: None };
                ("PRIVATE KEY", bytes.to_pkcs8_der().map_err(text)?.as_bytes().to_vec())
            }
            PrivateKey::Other => return Err("this kind of key cannot be written".to_owned()),
        };
        Ok(pem::encode(label, &der))
    }

    /// Reads the first PEM block of a text (sprig `parsePrivateKeyPEM`).
    pub(super) fn from_pem(text: &[u8]) -> Result<Self, String> {
        let block = pem::decode(text).ok_or("no PEM data in input")?;
        let label = String::from_utf8_lossy(&block.label).into_owned();
        if label == "PRIVATE KEY" {
            return Self::from_pkcs8(&block.data).map_err(|error| format!("decoding PEM as PKCS#8: {error}"));
        }
        let Some(kind) = label.strip_suffix(" PRIVATE KEY") else {
            return Err(format!("no private key data in PEM block of type {label}"));
        };
        let parsed = match kind {
            "RSA" => Self::from_pkcs1(&block.data),
            "EC" => Self::from_sec1(&block.data, None),
            "DSA" => check_dsa(&block.data).map(|()| PrivateKey::Other),
            _ => return Err(format!("invalid private key type {label}")),
        };
        parsed.map_err(|error| format!("parsing {kind} private key from PEM: {error}"))
    }

    fn from_pkcs1(der: &[u8]) -> Result<Self, String> {
        let parsed = rsa::PrivateKey::from_pkcs1_der(der).map(|key| PrivateKey::Rsa(Box::new(key)));
        parsed.map_err(|error| misread(error, der, "ParsePKCS1PrivateKey"))
    }

    fn from_pkcs8(der: &[u8]) -> Result<Self, String> {
        let info =
            PrivateKeyInfoRef::from_der(der).map_err(|error| misread(error, der, "ParsePKCS8PrivateKey"))?;
        match info.algorithm.oid {
            RSA => {
                rsa::PrivateKey::from_pkcs8_der(der).map(|key| PrivateKey::Rsa(Box::new(key))).map_err(text)
            }
            EC => {
                let curve = info.algorithm.parameters_oid().ok();
                Self::from_sec1(info.private_key.as_bytes(), curve)
            }
            ED25519 => {
                let key = ed25519_dalek::SigningKey::from_pkcs8_der(der);
                key.map(|key| PrivateKey::Ed25519(Box::new(key))).map_err(text)
            }
            X25519 => Ok(PrivateKey::Other),
            other => {
                Err(format!("x509: PKCS#8 wrapping contained private key with unknown algorithm: {other}"))
            }
        }
    }

    fn from_sec1(der: &[u8], curve: Option<ObjectIdentifier>) -> Result<Self, String> {
        let key = EcPrivateKey::from_der(der).map_err(|error| misread(error, der, "ParseECPrivateKey"))?;
        let named = key.parameters.and_then(EcParameters::named_curve);
        match curve.or(named) {
            Some(CURVE_P256) => {
                p256::SecretKey::from_slice(key.private_key).map(PrivateKey::P256).map_err(text)
            }
            Some(CURVE_P384) => {
                p384::SecretKey::from_slice(key.private_key).map(PrivateKey::P384).map_err(text)
            }
            Some(CURVE_P521) => {
                p521::SecretKey::from_slice(key.private_key).map(PrivateKey::P521).map_err(text)
            }
            _ => Err("x509: unknown elliptic curve".to_owned()),
        }
    }
}

fn text(error: impl std::fmt::Display) -> String {
    format!("x509: failed to parse private key: {error}")
}

/// Explains a key that is of another format than its label says, in Go's words.
fn misread(error: impl std::fmt::Display, der: &[u8], tried: &str) -> String {
    let other = [
        ("ParsePKCS8PrivateKey", PrivateKeyInfoRef::from_der(der).is_ok()),
        ("ParsePKCS1PrivateKey", rsa::PrivateKey::from_pkcs1_der(der).is_ok()),
        ("ParseECPrivateKey", EcPrivateKey::from_der(der).is_ok()),
    ];
    match other.iter().find(|(name, fits)| *fits && *name != tried) {
        Some((name, _)) => {
            format!("x509: failed to parse private key (use {name} instead for this key format)")
        }
        None => text(error),
    }
}

/// Checks that the data is a sequence of integers, which is all that Go asks of a DSA key.
fn check_dsa(der: &[u8]) -> Result<(), String> {
    use x509_cert::der::Tag;
    let numbers =
        Vec::<AnyRef<'_>>::from_der(der).map_err(|error| format!("asn1: structure error: {error}"))?;
    if numbers.len() >= 6 && numbers.iter().take(6).all(|number| number.tag() == Tag::Integer) {
        return Ok(());
    }
    Err("asn1: structure error: not a DSA key".to_owned())
}
