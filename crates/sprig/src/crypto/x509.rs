//! X.509 certificates as Go's `x509.CreateCertificate` builds them from sprig's template.

use std::net::IpAddr;
use std::time::Duration;

use chacha20::ChaCha20Rng;
use gostd::GoStr;
use sha2::{Digest, Sha256};
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::builder::profile::BuilderProfile;
use x509_cert::builder::{Builder, CertificateBuilder};
use x509_cert::der::asn1::{Any, GeneralizedTime, Ia5String, ObjectIdentifier, OctetString};
use x509_cert::der::asn1::{PrintableStringRef, Utf8StringRef};
use x509_cert::der::{DateTime, Decode, Encode};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages, SubjectKeyIdentifier,
};
use x509_cert::name::{Name, RdnSequence, RelativeDistinguishedName};
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::{EncodePublicKey, SubjectPublicKeyInfoRef};
use x509_cert::time::{Time, Validity};
use x509_cert::{Certificate, SubjectPublicKeyInfo, TbsCertificate};

use super::keys::PrivateKey;

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const SUBJECT_KEY_ID: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.14");
const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
const SUBJECT_ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const AUTHORITY_KEY_ID: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.35");
const EXTENDED_KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37");
const SERVER_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
const CLIENT_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2");

/// What a certificate should say.
pub(super) struct Request {
    /// The subject's only attribute.
    pub(super) common_name: GoStr,
    /// Addresses and DNS names, all of ASCII, that the certificate is for.
    pub(super) addresses: Vec<IpAddr>,
    pub(super) names: Vec<String>,
    /// Seconds since 1970, and the days of validity from then on.
    pub(super) now: i64,
    pub(super) days: i64,
    pub(super) serial: [u8; 16],
    /// Whether the certificate may sign others.
    pub(super) authority: bool,
}

/// What is needed of the certificate that signs another.
pub(super) struct Issuer {
    name: Name,
    key_id: Vec<u8>,
    public_key: SubjectPublicKeyInfo,
}

impl Issuer {
    /// Reads a certificate.
    pub(super) fn parse(der: &[u8]) -> Result<Self, String> {
        let certificate = Certificate::from_der(der).map_err(|_| "x509: malformed certificate")?;
        let content = certificate.tbs_certificate();
        let extensions = content.extensions().map(Vec::as_slice).unwrap_or_default();
        let key_id = extensions.iter().find(|extension| extension.extn_id == SUBJECT_KEY_ID);
        let key_id = match key_id.map(|extension| OctetString::from_der(extension.extn_value.as_bytes())) {
            None => Vec::new(),
            Some(Ok(id)) => id.as_bytes().to_vec(),
            Some(Err(_)) => return Err("x509: invalid subject key identifier".to_owned()),
        };
        Ok(Self {
            name: content.subject().clone(),
            key_id,
            public_key: content.subject_public_key_info().clone(),
        })
    }
}

impl Request {
    /// Builds and signs the certificate; without an issuer it is signed by its own key.
    pub(super) fn sign(
        &self,
        key: &PrivateKey,
        issuer: Option<(&Issuer, &PrivateKey)>,
        rng: &mut ChaCha20Rng,
    ) -> Result<Vec<u8>, String> {
        let signer = issuer.map_or(key, |(_, key)| key);
        let signer_public = public_key(signer)?.ok_or(NOT_A_SIGNER)?;
        let public = public_key(key)?.ok_or("x509: unsupported public key type")?;
        if issuer.is_some_and(|(issuer, _)| issuer.public_key != signer_public) {
            return Err("x509: provided PrivateKey doesn't match parent's PublicKey".to_owned());
        }
        let subject = self.subject()?;
        let issuer = issuer.map(|(issuer, _)| issuer);
        let profile = Profile {
            extensions: self.extensions(&subject, issuer, &public)?,
            issuer: issuer.map_or(subject.clone(), |issuer| issuer.name.clone()),
            subject,
        };
        let serial = SerialNumber::new(&self.serial).map_err(text)?;
        let validity = Validity::new(self.time(0)?, self.time(self.days)?);
        let builder = CertificateBuilder::new(profile, serial, validity, public).map_err(text)?;
        sign_with(builder, signer, rng)?.to_der().map_err(text)
    }

    fn subject(&self) -> Result<Name, String> {
        let mut name = RdnSequence::default();
        if self.common_name.is_empty() {
            return Ok(Name::hazmat_from_rdn_sequence(name));
        }
        let common_name = self.common_name.to_str().ok_or("asn1: string not valid UTF-8")?;
        let value = if common_name.bytes().all(is_printable) {
            PrintableStringRef::new(common_name).and_then(|text| Any::encode_from(&text))
        } else {
            Utf8StringRef::new(common_name).and_then(|text| Any::encode_from(&text))
        };
        let mut part = RelativeDistinguishedName::default();
        let attribute = AttributeTypeAndValue { oid: COMMON_NAME, value: value.map_err(text)? };
        part.insert(attribute).map_err(text)?;
        name.push(part);
        Ok(Name::hazmat_from_rdn_sequence(name))
    }

    /// The moment some days from now. Go counts nanoseconds in 64 bits, which wrap after 292 years.
    fn time(&self, days: i64) -> Result<Time, String> {
        const DAY: i64 = 24 * 60 * 60 * 1_000_000_000;
        let seconds = self.now.saturating_add(days.wrapping_mul(DAY).div_euclid(1_000_000_000));
        let since_epoch = u64::try_from(seconds).map_err(|_| "certificates cannot be valid before 1970")?;
        let time = DateTime::from_unix_duration(Duration::from_secs(since_epoch));
        let time = time.map_err(|_| "asn1: cannot represent time as GeneralizedTime")?;
        Ok(Time::GeneralTime(GeneralizedTime::from_date_time(time)))
    }

    /// The extensions in Go's order.
    fn extensions(
        &self,
        subject: &Name,
        issuer: Option<&Issuer>,
        public: &SubjectPublicKeyInfo,
    ) -> Result<Vec<Extension>, String> {
        let mut usage = KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment;
        if self.authority {
            usage |= KeyUsages::KeyCertSign;
        }
        let constraints = BasicConstraints { ca: self.authority, path_len_constraint: None };
        let mut extensions = vec![
            extension(KEY_USAGE, true, &KeyUsage(usage))?,
            extension(EXTENDED_KEY_USAGE, false, &ExtendedKeyUsage(vec![SERVER_AUTH, CLIENT_AUTH]))?,
            extension(BASIC_CONSTRAINTS, true, &constraints)?,
        ];
        if self.authority {
            let id = SubjectKeyIdentifier(octets(&key_id(public))?);
            extensions.push(extension(SUBJECT_KEY_ID, false, &id)?);
        }
        if let Some(issuer) = issuer.filter(|issuer| !issuer.key_id.is_empty() && issuer.name != *subject) {
            let id = AuthorityKeyIdentifier {
                key_identifier: Some(octets(&issuer.key_id)?),
                ..AuthorityKeyIdentifier::default()
            };
            extensions.push(extension(AUTHORITY_KEY_ID, false, &id)?);
        }
        let names = self.alternative_names()?;
        if !names.is_empty() {
            extensions.push(extension(SUBJECT_ALT_NAME, subject.is_empty(), &names)?);
        }
        Ok(extensions)
    }

    fn alternative_names(&self) -> Result<Vec<GeneralName>, String> {
        let names = self.names.iter().map(|name| Ia5String::new(name).map(GeneralName::DnsName));
        let addresses = self.addresses.iter().map(|address| {
            let bytes = match address {
                IpAddr::V4(address) => address.octets().to_vec(),
                IpAddr::V6(address) => address.octets().to_vec(),
            };
            OctetString::new(bytes).map(GeneralName::IpAddress)
        });
        names.chain(addresses).collect::<Result<_, _>>().map_err(text)
    }
}

/// Go's text for a key that can be read but does not sign.
const NOT_A_SIGNER: &str = "x509: certificate private key does not implement crypto.Signer";

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Go's notion of characters that need no UTF-8 string.
fn is_printable(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(&byte)
}

fn octets(bytes: &[u8]) -> Result<OctetString, String> {
    OctetString::new(bytes).map_err(text)
}

fn extension(id: ObjectIdentifier, critical: bool, value: &impl Encode) -> Result<Extension, String> {
    let value = value.to_der().and_then(OctetString::new).map_err(text)?;
    Ok(Extension { extn_id: id, critical, extn_value: value })
}

/// The leftmost 160 bits of the key's SHA-256 (RFC 7093, section 2, method 1).
fn key_id(public: &SubjectPublicKeyInfo) -> Vec<u8> {
    let digest = Sha256::digest(public.subject_public_key.raw_bytes());
    digest.iter().copied().take(20).collect()
}

fn public_key(key: &PrivateKey) -> Result<Option<SubjectPublicKeyInfo>, String> {
    fn info(key: &impl EncodePublicKey) -> Result<Option<SubjectPublicKeyInfo>, String> {
        SubjectPublicKeyInfo::from_key(key).map(Some).map_err(text)
    }
    match key {
        PrivateKey::Rsa(key) => info(key.as_public_key()),
        PrivateKey::P256(key) => info(&key.public_key()),
        PrivateKey::P384(key) => info(&key.public_key()),
        PrivateKey::P521(key) => info(&key.public_key()),
        PrivateKey::Ed25519(key) => info(&key.verifying_key()),
        PrivateKey::Other => Ok(None),
    }
}

/// Signs as Go does by default: SHA-256 with RSA; ECDSA with the hash of the curve's size; Ed25519.
fn sign_with(
    builder: CertificateBuilder<Profile>,
    key: &PrivateKey,
    rng: &mut ChaCha20Rng,
) -> Result<Certificate, String> {
    use {p256::ecdsa as p256, p384::ecdsa as p384, p521::ecdsa as p521};
    match key {
        PrivateKey::Rsa(key) => {
            let signer = rsa::pkcs1v15::SigningKey::<Sha256>::new((**key).clone());
            builder.build_with_rng::<_, rsa::pkcs1v15::Signature, _>(&signer, rng)
        }
        PrivateKey::P256(key) => builder.build::<_, p256::DerSignature>(&p256::SigningKey::from(key)),
        PrivateKey::P384(key) => builder.build::<_, p384::DerSignature>(&p384::SigningKey::from(key)),
        PrivateKey::P521(key) => builder.build::<_, p521::DerSignature>(&p521::SigningKey::from(key)),
        PrivateKey::Ed25519(key) => builder.build::<_, ed25519_dalek::Signature>(&**key),
        PrivateKey::Other => return Err(NOT_A_SIGNER.to_owned()),
    }
    .map_err(text)
}

/// Hands the builder names and extensions that are already decided.
struct Profile {
    issuer: Name,
    subject: Name,
    extensions: Vec<Extension>,
}

impl BuilderProfile for Profile {
    fn get_issuer(&self, _subject: &Name) -> Name {
        self.issuer.clone()
    }

    fn get_subject(&self) -> Name {
        self.subject.clone()
    }

    fn build_extensions(
        &self,
        _key: SubjectPublicKeyInfoRef<'_>,
        _issuer_key: SubjectPublicKeyInfoRef<'_>,
        _content: &TbsCertificate,
    ) -> x509_cert::builder::Result<Vec<Extension>> {
        Ok(self.extensions.clone())
    }
}
