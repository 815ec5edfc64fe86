//! Private keys and certificates: what they hold, that Go takes them, and that the host decides them.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests may panic and print")]

mod common;

use common::FixedHost;
use common::oracle::Oracle;
use common::values::Plain;
use gostd::Value;
use gotemplate::{FunctionSet, Options, Session, Set};

fn render(seed: u64, template: &str, data: &Plain) -> Result<String, String> {
    let functions = FunctionSet::new(sprig::functions());
    let host = FixedHost::new(seed);
    let mut set = Set::new("t", functions);
    set.parse("t", template.as_bytes()).map_err(|error| error.to_string())?;
    let mut session = Session::new(&host, Options::default());
    let output = session.execute(&set, b"t", data.value()).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(output).unwrap())
}

fn texts(entries: &[(&str, &str)]) -> Plain {
    Plain::Map(
        entries
            .iter()
            .map(|(key, text)| ((*key).to_owned(), Plain::Text(text.as_bytes().to_vec())))
            .collect(),
    )
}

/// Keys of every kind Go can read, made for these tests alone.
const KEYS: &[(&str, &str)] = &[
    ("p384", include_str!("keys/p384.pem")),
    ("p521", include_str!("keys/p521.pem")),
    ("p256", include_str!("keys/p256-pkcs8.pem")),
    ("rsa", include_str!("keys/rsa2048-pkcs8.pem")),
    ("ed25519", include_str!("keys/ed25519-pkcs8.pem")),
    ("x25519", include_str!("keys/x25519-pkcs8.pem")),
];

#[test]
fn the_host_decides_what_is_random() {
    for template in [
        "{{ genPrivateKey \"ecdsa\" }}",
        "{{ genPrivateKey \"ed25519\" }}",
        "{{ $c := genSelfSignedCert \"x\" nil nil 1 }}{{ $c.Cert }}{{ $c.Key }}",
        "{{ encryptAES \"k\" \"text\" }}",
        "{{ bcrypt \"pw\" }}",
        "{{ randAlphaNum 20 }}{{ randBytes 9 }}{{ uuidv4 }}{{ shuffle \"abcdefghijkl\" }}{{ randInt 0 1000000 }}",
    ] {
        let once = render(7, template, &Plain::Nil).unwrap();
        assert_eq!(once, render(7, template, &Plain::Nil).unwrap(), "{template}");
        assert_ne!(once, render(8, template, &Plain::Nil).unwrap(), "{template}");
    }
}

#[test]
fn random_texts_keep_to_their_alphabets() {
    for (function, alphabet) in [
        ("randAlphaNum", ('0'..='9').chain('A'..='Z').chain('a'..='z').collect::<String>()),
        ("randAlpha", ('A'..='Z').chain('a'..='z').collect()),
        ("randNumeric", ('0'..='9').collect()),
        ("randAscii", (' '..='~').collect()),
    ] {
        let text = render(3, &format!("{{{{ {function} 5000 }}}}"), &Plain::Nil).unwrap();
        assert_eq!(text.len(), 5000, "{function}");
        let mut used: Vec<char> = text.chars().collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.into_iter().collect::<String>(), alphabet, "{function}");
    }
}

#[test]
fn bcrypt_hashes_can_be_checked() {
    let hash = render(1, "{{ htpasswd \"me\" \"secret\" }}", &Plain::Nil).unwrap();
    let hash = hash.strip_prefix("me:").unwrap();
    assert!(hash.starts_with("$2a$10$"), "{hash}");
    assert!(bcrypt::verify("secret", hash).unwrap());
    assert!(!bcrypt::verify("secreT", hash).unwrap());
}

#[test]
fn excess_ends_in_an_error() {
    for (template, limit) in [
        ("{{ repeat 99999999 \"abcdefgh\" }}", "67108864 bytes"),
        ("{{ until 1000001 }}", "1000000"),
        ("{{ seq 1 2000000 }}", "1000000"),
        ("{{ untilStep -9223372036854775808 9223372036854775807 1 }}", "1000000"),
        ("{{ indent 999999999 \"x\" }}", "67108864 bytes"),
        ("{{ wrapWith 1 (repeat 1000000 \"ab\") (repeat 1000000 \"ab\") }}", "67108864 bytes"),
        ("{{ replace \"a\" (repeat 1000000 \"ab\") (repeat 1000000 \"ab\") }}", "67108864 bytes"),
        ("{{ join (repeat 1000000 \"ab\") (until 1000) }}", "67108864 bytes"),
        ("{{ randAlphaNum 1000001 }}", "1000000"),
        ("{{ randBytes 1000001 }}", "1000000"),
        ("{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ merge $d (deepCopy $d) }}", "itself"),
        (
            "{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ $e := dict }}{{ $_ := set $e \"d\" $e }}{{ merge $d $e }}",
            "itself",
        ),
    ] {
        let error = render(1, template, &Plain::Nil).expect_err(template);
        assert!(error.contains(limit), "{template}: {error}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let key = |name: &str| texts(&[("key", KEYS.iter().find(|(known, _)| *known == name).unwrap().1)]);
    for (template, name, want) in [
        (
            "{{ genCAWithKey \"x\" 1 .key }}",
            "x25519",
            "error creating certificate: x509: certificate private key does not implement crypto.Signer",
        ),
        (
            "{{ genSelfSignedCertWithKey \"x\" nil (list \"é\") 1 .key }}",
            "p384",
            "error creating certificate: x509: \"é\" cannot be encoded as an IA5String",
        ),
        (
            "{{ genSelfSignedCertWithKey \"x\" (list \"1.2.3.04\") nil 1 .key }}",
            "p384",
            "error parsing ip: 1.2.3.04",
        ),
        (
            "{{ $a := genCAWithKey \"x\" 1 .key }}{{ $b := genPrivateKey \"ecdsa\" }}\
             {{ $ca := buildCustomCert (b64enc $a.Cert) (b64enc $b) }}{{ genSignedCertWithKey \"x\" nil nil 1 $ca $b }}",
            "p384",
            "error creating certificate: x509: provided PrivateKey doesn't match parent's PublicKey",
        ),
    ] {
        let error = render(1, template, &key(name)).expect_err(template);
        assert!(error.ends_with(want), "{error}");
    }
}

const CERTIFICATES: &[(&str, &str)] = &[
    ("authority", "{{ $c := genCAWithKey \"my-ca\" 3650 .key }}{{ $ca := dict \"Cert\" \"\" }}"),
    ("beyond 2049", "{{ $c := genCAWithKey \"a*b@é\" 40000 .key }}{{ $ca := dict \"Cert\" \"\" }}"),
    (
        "self-signed",
        "{{ $c := genSelfSignedCertWithKey \"x.y\" (list \"10.0.0.1\" \"::ffff:1.2.3.4\" \"fe80::1\") (list \"a.b\" \"*.c\") 0 .key }}\
         {{ $ca := dict \"Cert\" \"\" }}",
    ),
    (
        "nameless",
        "{{ $c := genSelfSignedCertWithKey \"\" nil (list \"a.b\") -1 .key }}{{ $ca := dict \"Cert\" \"\" }}",
    ),
    (
        "signed",
        "{{ $ca := genCAWithKey \"my-ca\" 10 .other }}{{ $c := genSignedCertWithKey \"leaf\" nil (list) 5 $ca .key }}",
    ),
    (
        "signed by a custom authority",
        "{{ $a := genCAWithKey \"the ca's\" 10 .key }}{{ $ca := buildCustomCert (b64enc $a.Cert) (b64enc $a.Key) }}\
         {{ $c := genSignedCertWithKey \"leaf\" (list \"127.0.0.1\") nil 5 $ca .other }}",
    ),
];

/// Certificates and keys are compared with those that Go makes of the same calls, by all that is not random.
#[test]
fn go_finds_nothing_to_object_to() {
    const SEPARATOR: &str = "|||";
    let Some(mut oracle) = Oracle::start() else { return };
    let mut ask = |template: &str, data: &Plain| {
        let answer = oracle.ask(&[(template, data)]).remove(0);
        answer.map(|text| String::from_utf8(text).unwrap())
    };
    for (label, key) in &KEYS[..5] {
        for (name, template) in CERTIFICATES {
            let other = KEYS[0].1;
            let keys = texts(&[("key", key), ("other", other)]);
            let show = format!(
                "{template}{{{{ $c.Cert }}}}{SEPARATOR}{{{{ $c.Key }}}}{SEPARATOR}{{{{ $ca.Cert }}}}"
            );
            let made = render(1, &show, &keys).unwrap();
            let parts: Vec<&str> = made.split(SEPARATOR).collect();
            let data = texts(&[("cert", parts[0]), ("key", parts[1]), ("ca", parts[2])]);
            let ours = ask("{{ inspect .cert .key .ca }}", &data);
            let gos = ask(&format!("{template}{{{{ inspect $c.Cert $c.Key $ca.Cert }}}}"), &keys);
            assert_eq!(ours, gos, "{name} with {label}");
            let key = ask("{{ inspectKey .key }}", &data).unwrap();
            assert!(key.ends_with("same true"), "{name} with {label}: {key}");
        }
    }
    for (kind, want) in [
        ("ecdsa", "EC PRIVATE KEY: ECDSA P-256, same true"),
        ("ed25519", "PRIVATE KEY: Ed25519, same true"),
        ("rsa", "RSA PRIVATE KEY: RSA 4096, e 65537, valid: <nil>, same true"),
        ("dsa", "DSA 0 2048 256, primes true, group true true, public true, same true"),
    ] {
        let key = render(2, &format!("{{{{ genPrivateKey \"{kind}\" }}}}"), &Plain::Nil).unwrap();
        assert_eq!(ask("{{ inspectKey .key }}", &texts(&[("key", &key)])).as_deref(), Ok(want));
    }
    // Texts that one side encrypts the other can read.
    let ours = render(3, "{{ encryptAES \"päss\" \"secret text of some length\" }}", &Plain::Nil).unwrap();
    let read = ask("{{ decryptAES \"päss\" .text }}", &texts(&[("text", &ours)]));
    assert_eq!(read.as_deref(), Ok("secret text of some length"));
}

#[test]
fn costly_functions_share_an_allowance() {
    let host = FixedHost::new(1);
    let mut set = Set::new("t", FunctionSet::new(sprig::functions()));
    set.parse("t", "{{ range until 3000 }}{{ $_ := genPrivateKey \"ed25519\" }}{{ end }}").unwrap();
    let mut session = Session::new(&host, Options::default());
    let error = session.execute(&set, b"t", Value::Nil).unwrap_err().to_string();
    assert!(error.contains("too much cryptography"), "{error}");
}
