//! Certificates: `genCA`, `genSelfSignedCert`, `genSignedCert`, their forms with a given key, `buildCustomCert`, and
//! `genPrivateKey`.

use std::net::IpAddr;

use chacha20::rand_core::Rng;
use gostd::value::Type;
use gostd::{List, Value};
use gotemplate::{Call, FuncError, Function};

use super::certificate::{Certificate, TYPE_NAME};
use super::keys::{self, PrivateKey};
use super::x509::{Issuer, Request};
use super::{pem, spend};
use crate::args::{Args, Outcome, fixed};
use crate::encoding::base64_decode;
use crate::{print, random};

const TEXT: Type = Type::String;
const INT: Type = Type::Int;
const LIST: Type = Type::AnyList;
const CERT: Type = Type::Named(TYPE_NAME);

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("genPrivateKey", &[TEXT], private_key),
    fixed("buildCustomCert", &[TEXT, TEXT], |_, args| custom(args)),
    fixed("genCA", &[TEXT, INT], |call, args| {
        let key = new_key(call)?;
        authority(call, args, &key)
    }),
    fixed("genCAWithKey", &[TEXT, INT, TEXT], |call, args| {
        let key = given_key(args, 2)?;
        authority(call, args, &key)
    }),
    fixed("genSelfSignedCert", &[TEXT, LIST, LIST, INT], |call, args| {
        let key = new_key(call)?;
        self_signed(call, args, &key)
    }),
    fixed("genSelfSignedCertWithKey", &[TEXT, LIST, LIST, INT, TEXT], |call, args| {
        let key = given_key(args, 4)?;
        self_signed(call, args, &key)
    }),
    fixed("genSignedCert", &[TEXT, LIST, LIST, INT, CERT], |call, args| {
        let key = new_key(call)?;
        signed(call, args, &key)
    }),
    fixed("genSignedCertWithKey", &[TEXT, LIST, LIST, INT, CERT, TEXT], |call, args| {
        let key = given_key(args, 5)?;
        signed(call, args, &key)
    }),
];

/// Units of [`spend`] that a key takes.
const RSA_2048: u32 = 4;
const RSA_4096: u32 = 40;
const DSA: u32 = 20;
const SMALL_KEY: u32 = 1;

fn private_key(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let kind = args.text(0)?;
    let failed = |error: String| FuncError::new(format!("failed to generate private key: {error}"));
    let cost = match kind.as_bytes() {
        b"" | b"rsa" => RSA_4096,
        b"dsa" => DSA,
        _ => SMALL_KEY,
    };
    spend(call, cost)?;
    let mut rng = random::generator(call);
    let key = match kind.as_bytes() {
        b"" | b"rsa" => keys::generate_rsa(&mut rng, 4096).map_err(failed)?,
        b"dsa" => return Ok(keys::generate_dsa_pem(&mut rng).map_err(failed)?.into()),
        b"ecdsa" => keys::generate_ecdsa(&mut rng),
        b"ed25519" => {
            let mut seed = [0; 32];
            rng.fill_bytes(&mut seed);
            keys::generate_ed25519(seed)
        }
        other => return Ok(Value::string([b"Unknown type ", other].concat())),
    };
    Ok(key.to_pem().map_err(failed)?.into())
}

fn new_key(call: &mut Call<'_, '_>) -> Result<PrivateKey, FuncError> {
    spend(call, RSA_2048)?;
    keys::generate_rsa(&mut random::generator(call), 2048)
        .map_err(|error| FuncError::new(format!("error generating rsa key: {error}")))
}

fn given_key(args: &[Value], at: usize) -> Result<PrivateKey, FuncError> {
    PrivateKey::from_pem(args.text(at)?)
        .map_err(|error| FuncError::new(format!("parsing private key: {error}")))
}

/// `buildCustomCert cert key`: takes a certificate and key from outside, both PEM in base64, after a look at them.
fn custom(args: &[Value]) -> Outcome {
    let cert = base64_decode(args.text(0)?).map_err(|_| "unable to decode base64 certificate")?;
    let key = base64_decode(args.text(1)?).map_err(|_| "unable to decode base64 private key")?;
    let block = pem::decode(&cert).ok_or("unable to decode certificate")?;
    Issuer::parse(&block.data)
        .map_err(|error| format!("error parsing certificate: decodedCert.Bytes: {error}"))?;
    PrivateKey::from_pem(&key).map_err(|error| format!("error parsing private key: {error}"))?;
    Ok(Value::object(Certificate { cert: cert.into(), key: key.into() }))
}

fn authority(call: &mut Call<'_, '_>, args: &[Value], key: &PrivateKey) -> Outcome {
    let request = request(call, args, None, true)?;
    finish(call, &request, key, None)
}

fn self_signed(call: &mut Call<'_, '_>, args: &[Value], key: &PrivateKey) -> Outcome {
    let request = request(call, args, Some((1, 2)), false)?;
    finish(call, &request, key, None)
}

fn signed(call: &mut Call<'_, '_>, args: &[Value], key: &PrivateKey) -> Outcome {
    let authority = args.any(4).downcast::<Certificate>().ok_or("the authority is no certificate")?;
    let block = pem::decode(&authority.cert).ok_or("unable to decode certificate")?;
    let issuer = Issuer::parse(&block.data)
        .map_err(|error| format!("error parsing certificate: decodedSignerCert.Bytes: {error}"))?;
    let issuer_key = PrivateKey::from_pem(&authority.key)
        .map_err(|error| format!("error parsing private key: {error}"))?;
    let request = request(call, args, Some((1, 2)), false)?;
    finish(call, &request, key, Some((&issuer, &issuer_key)))
}

/// Reads common name, days and, where there are any, addresses and names.
fn request(
    call: &Call<'_, '_>,
    args: &[Value],
    alternatives: Option<(usize, usize)>,
    authority: bool,
) -> Result<Request, FuncError> {
    let (addresses, names) = match alternatives {
        None => (Vec::new(), Vec::new()),
        Some((ips, dns)) => (addresses(&args.list(ips)?)?, names(&args.list(dns)?)?),
    };
    let days = args.int(if alternatives.is_some() { 3 } else { 1 })?;
    let mut serial = [0; 16];
    random::generator(call).fill_bytes(&mut serial);
    let (now, _) = call.host().now();
    Ok(Request { common_name: args.text(0)?.clone(), addresses, names, now, days, serial, authority })
}

fn addresses(ips: &List) -> Result<Vec<IpAddr>, FuncError> {
    ips.with(|ips| {
        let parsed = ips.iter().map(|ip| {
            let text = ip.as_str().ok_or_else(|| not_a_string("error parsing ip", ip))?;
            let address = text.to_str().and_then(parse_address);
            address.ok_or_else(|| FuncError::new(format!("error parsing ip: {text}")))
        });
        parsed.collect()
    })
}

/// Go's `net.ParseIP`: like Rust's, no zone, no leading zeros; an IPv4 address in IPv6 clothes counts as IPv4.
fn parse_address(text: &str) -> Option<IpAddr> {
    text.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

fn names(dns: &List) -> Result<Vec<String>, FuncError> {
    dns.with(|dns| {
        let parsed = dns.iter().map(|name| {
            let text =
                name.as_str().ok_or_else(|| not_a_string("error processing alternate dns name", name))?;
            let ascii = text.to_str().filter(|text| text.is_ascii()).map(str::to_owned);
            ascii.ok_or_else(|| {
                let quoted = gostd::strconv::quote(text);
                let cause = format!("x509: {quoted} cannot be encoded as an IA5String");
                FuncError::new(format!("error creating certificate: {cause}"))
            })
        });
        parsed.collect()
    })
}

fn not_a_string(what: &str, value: &Value) -> FuncError {
    let printed = gostd::value::lossy(&print::sprint(value));
    FuncError::new(format!("{what}: {printed} is not a string"))
}

/// Signs with the issuer's key, or with the certificate's own.
fn finish(
    call: &mut Call<'_, '_>,
    request: &Request,
    key: &PrivateKey,
    issuer: Option<(&Issuer, &PrivateKey)>,
) -> Outcome {
    spend(call, SMALL_KEY)?;
    let mut rng = random::generator(call);
    let der = request
        .sign(key, issuer, &mut rng)
        .map_err(|error| FuncError::new(format!("error creating certificate: {error}")))?;
    let cert = pem::encode("CERTIFICATE", &der);
    let key = key.to_pem().map_err(|error| format!("error pem-encoding key: {error}"))?;
    Ok(Value::object(Certificate { cert: cert.into(), key: key.into() }))
}
