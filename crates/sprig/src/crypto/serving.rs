//! Certificates for a server of one's own, made like those of `genCA` and `genSignedCert`.

use std::net::IpAddr;

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};

use super::keys::{self, PrivateKey};
use super::pem;
use super::x509::{Issuer, Request};

/// What a server needs to be trusted.
#[derive(Clone)]
pub struct Serving {
    /// The certificate of the authority, in PEM: what clients are given.
    pub authority: String,
    /// The server's certificate, signed by the authority, in DER.
    pub certificate: Vec<u8>,
    /// The key of the server's certificate, in DER as SEC 1 has it.
    pub key: Vec<u8>,
}

/// Makes an authority and a certificate for a server of some names and addresses. The authority's key is thrown away.
///
/// `now` is in seconds since 1970; both are valid from then for some days. The seed decides the keys: keep it secret.
///
/// # Errors
/// When a name or a time cannot be written in a certificate.
pub fn serving(
    names: &[String],
    addresses: &[IpAddr],
    now: i64,
    days: i64,
    seed: [u8; 32],
) -> Result<Serving, String> {
    let mut rng = ChaCha20Rng::from_seed(seed);
    let mut request = |common_name: &str, authority: bool| {
        let mut serial = [0; 16];
        rng.fill_bytes(&mut serial);
        let (addresses, names) = if authority { (&[][..], &[][..]) } else { (addresses, names) };
        Request {
            common_name: common_name.into(),
            addresses: addresses.to_vec(),
            names: names.to_vec(),
            now,
            days,
            serial,
            authority,
        }
    };
    let name = names.first().map_or("server", String::as_str);
    let (root, leaf) = (request(&format!("{name} authority"), true), request(name, false));
    let (root_key, leaf_key) = (keys::generate_ecdsa(&mut rng), keys::generate_ecdsa(&mut rng));
    let root = root.sign(&root_key, None, &mut rng)?;
    let certificate = leaf.sign(&leaf_key, Some((&Issuer::parse(&root)?, &root_key)), &mut rng)?;
    let PrivateKey::P256(key) = leaf_key else { return Err("the key is of another kind".to_owned()) };
    let key = key.to_sec1_der().map_err(|error| error.to_string())?.to_vec();
    Ok(Serving { authority: pem::encode("CERTIFICATE", &root), certificate, key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_one_certificate() {
        let make = |seed| {
            serving(&["a.svc".to_owned()], &["127.0.0.1".parse().unwrap()], 1_700_000_000, 90, [seed; 32])
        };
        let (one, same, other) = (make(1).unwrap(), make(1).unwrap(), make(2).unwrap());
        assert_eq!((&one.authority, &one.key), (&same.authority, &same.key));
        assert_ne!(one.key, other.key);
        let authority = pem::decode(one.authority.as_bytes()).unwrap();
        assert!(Issuer::parse(&authority.data).is_ok() && Issuer::parse(&one.certificate).is_ok());
        assert!(serving(&[], &[], -1, 90, [0; 32]).is_err());
    }
}
