//! Certificates: `genCA`, `genSelfSignedCert`, `genSignedCert`, their forms with a given key, `buildCustomCert`, and
//! `genPrivateKey`.

use std::net::IpAddr;

use chacha20::ChaCha20Rng;
use chacha20::rand_core::Rng;
use gostd::value::Type;
use gostd::{List, Value};
use gotemplate::{Call, FuncError, Function, Issue};

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
    fixed("genCA", &[TEXT, INT], |call, args| Certifier::authority(call, args).with_new_key()),
    fixed("genCAWithKey", &[TEXT, INT, TEXT], |call, args| Certifier::authority(call, args).with_key(2)),
    fixed("genSelfSignedCert", &[TEXT, LIST, LIST, INT], |call, args| {
        Certifier::other(call, args).with_new_key()
    }),
    fixed("genSelfSignedCertWithKey", &[TEXT, LIST, LIST, INT, TEXT], |call, args| {
        Certifier::other(call, args).with_key(4)
    }),
    fixed("genSignedCert", &[TEXT, LIST, LIST, INT, CERT], |call, args| {
        Certifier::other(call, args).signed_by(4).with_new_key()
    }),
    fixed("genSignedCertWithKey", &[TEXT, LIST, LIST, INT, CERT, TEXT], |call, args| {
        Certifier::other(call, args).signed_by(4).with_key(5)
    }),
];

/// Units of [`spend`] that a key takes.
const RSA_2048: u32 = 4;
const RSA_4096: u32 = 40;
const DSA: u32 = 20;
const SMALL_KEY: u32 = 1;

/// Seconds.
const DAY: i64 = 24 * 60 * 60;

fn private_key(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let kind = args.text(0)?;
    let failed = |error: String| FuncError::new(format!("failed to generate private key: {error}"));
    let cost = match kind.as_bytes() {
        b"" | b"rsa" => RSA_4096,
        b"dsa" => DSA,
        _ => SMALL_KEY,
    };
    spend(call, cost)?;
    let mut rng = random::generator(call, args);
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

/// One call that makes a certificate.
struct Certifier<'a, 'c, 'h> {
    call: &'a mut Call<'c, 'h>,
    args: &'a [Value],
    /// Where the addresses and names are among the arguments; an authority has none.
    alternatives: Option<(usize, usize)>,
    /// Where the days of validity are.
    days: usize,
    /// Where the certificate that signs is.
    issuer: Option<usize>,
}

impl<'a, 'c, 'h> Certifier<'a, 'c, 'h> {
    fn authority(call: &'a mut Call<'c, 'h>, args: &'a [Value]) -> Self {
        Self { call, args, alternatives: None, days: 1, issuer: None }
    }

    fn other(call: &'a mut Call<'c, 'h>, args: &'a [Value]) -> Self {
        Self { call, args, alternatives: Some((1, 2)), days: 3, issuer: None }
    }

    fn signed_by(self, issuer: usize) -> Self {
        Self { issuer: Some(issuer), ..self }
    }

    fn with_new_key(self) -> Outcome {
        spend(self.call, RSA_2048)?;
        let issue = self.issue()?;
        let key = keys::generate_rsa(&mut self.generator(issue), 2048)
            .map_err(|error| FuncError::new(format!("error generating rsa key: {error}")))?;
        self.finish(issue, &key)
    }

    fn with_key(self, at: usize) -> Outcome {
        let key = given_key(self.args, at)?;
        let issue = self.issue()?;
        self.finish(issue, &key)
    }

    /// Asks the host when the certificate is issued.
    fn issue(&self) -> Result<Issue, FuncError> {
        Ok(self.call.host().issue(self.args.int(self.days)?.saturating_mul(DAY)))
    }

    /// A renewed certificate shares nothing with the one before.
    fn generator(&self, issue: Issue) -> ChaCha20Rng {
        let mut generator = random::generator(self.call, self.args);
        generator.set_stream(issue.turn);
        generator
    }

    /// Signs with the issuer's key, or with the certificate's own.
    fn finish(self, issue: Issue, key: &PrivateKey) -> Outcome {
        let issuer = self.issuer.map(|at| issuer(self.args, at)).transpose()?;
        let request = self.request(issue)?;
        spend(self.call, SMALL_KEY)?;
        let issuer = issuer.as_ref().map(|(issuer, key)| (issuer, key));
        let der = request
            .sign(key, issuer, &mut self.generator(issue))
            .map_err(|error| FuncError::new(format!("error creating certificate: {error}")))?;
        let cert = pem::encode("CERTIFICATE", &der);
        let key = key.to_pem().map_err(|error| format!("error pem-encoding key: {error}"))?;
        Ok(Value::object(Certificate { cert: cert.into(), key: key.into() }))
    }

    /// Reads common name, days and, where there are any, addresses and names.
    fn request(&self, issue: Issue) -> Result<Request, FuncError> {
        let (addresses, names) = match self.alternatives {
            None => (Vec::new(), Vec::new()),
            Some((ips, dns)) => (addresses(&self.args.list(ips)?)?, names(&self.args.list(dns)?)?),
        };
        let mut serial = [0; 16];
        self.generator(issue).fill_bytes(&mut serial);
        Ok(Request {
            common_name: self.args.text(0)?.clone(),
            addresses,
            names,
            now: issue.at,
            days: self.args.int(self.days)?,
            serial,
            authority: self.alternatives.is_none(),
        })
    }
}

/// Reads the certificate and key that sign another.
fn issuer(args: &[Value], at: usize) -> Result<(Issuer, PrivateKey), FuncError> {
    let authority = args.any(at).downcast::<Certificate>().ok_or("the authority is no certificate")?;
    let block = pem::decode(&authority.cert).ok_or("unable to decode certificate")?;
    let issuer = Issuer::parse(&block.data)
        .map_err(|error| format!("error parsing certificate: decodedSignerCert.Bytes: {error}"))?;
    let key = PrivateKey::from_pem(&authority.key)
        .map_err(|error| format!("error parsing private key: {error}"))?;
    Ok((issuer, key))
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
