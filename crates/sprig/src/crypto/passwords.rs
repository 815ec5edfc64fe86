//! Passwords: bcrypt hashes and the Master Password derivation.

use bcrypt::Version;
use chacha20::rand_core::Rng;
use gostd::Value;
use gostd::value::Type;
use gotemplate::{Call, FuncError, Function};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::spend;
use crate::args::{Args, Outcome, fixed};
use crate::random;

const TEXT: Type = Type::String;

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("bcrypt", &[TEXT], |call, args| Ok(Value::string(bcrypt_hash(call, args, args.text(0)?)?))),
    fixed("htpasswd", &[TEXT, TEXT], htpasswd),
    fixed("derivePassword", &[Type::Uint32, TEXT, TEXT, TEXT, TEXT], derive_password),
];

/// Go's `bcrypt.DefaultCost`.
const COST: u32 = 10;
/// bcrypt looks at no more than this.
const LONGEST_PASSWORD: usize = 72;

/// Hashes a password; what cannot be hashed gives sprig's text in place of the hash.
fn bcrypt_hash(call: &mut Call<'_, '_>, args: &[Value], password: &[u8]) -> Result<String, FuncError> {
    let failed = |cause: &str| format!("failed to encrypt string with bcrypt: {cause}");
    if password.len() > LONGEST_PASSWORD {
        return Ok(failed("bcrypt: password length exceeds 72 bytes"));
    }
    spend(call, 1)?;
    let mut salt = [0; 16];
    random::generator(call, args).fill_bytes(&mut salt);
    Ok(match bcrypt::hash_with_salt(password, COST, salt) {
        Ok(hash) => hash.format_for_version(Version::TwoA),
        Err(error) => failed(&error.to_string()),
    })
}

fn htpasswd(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let (user, password) = (args.text(0)?, args.text(1)?);
    if user.contains(&b':') {
        return Ok(Value::string([b"invalid username: ", user.as_bytes()].concat()));
    }
    let hash = bcrypt_hash(call, args, password)?;
    Ok(Value::string([user.as_bytes(), b":", hash.as_bytes()].concat()))
}

/// Seeds both steps of the derivation.
const PURPOSE: &[u8] = b"com.lyndir.masterpassword";

/// Kinds of passwords and their templates, one character class per character.
const TEMPLATES: &[(&str, &[&str])] = &[
    ("maximum", &["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]),
    (
        "long",
        &[
            "CvcvnoCvcvCvcv",
            "CvcvCvcvnoCvcv",
            "CvcvCvcvCvcvno",
            "CvccnoCvcvCvcv",
            "CvccCvcvnoCvcv",
            "CvccCvcvCvcvno",
            "CvcvnoCvccCvcv",
            "CvcvCvccnoCvcv",
            "CvcvCvccCvcvno",
            "CvcvnoCvcvCvcc",
            "CvcvCvcvnoCvcc",
            "CvcvCvcvCvccno",
            "CvccnoCvccCvcv",
            "CvccCvccnoCvcv",
            "CvccCvccCvcvno",
            "CvcvnoCvccCvcc",
            "CvcvCvccnoCvcc",
            "CvcvCvccCvccno",
            "CvccnoCvcvCvcc",
            "CvccCvcvnoCvcc",
            "CvccCvcvCvccno",
        ],
    ),
    ("medium", &["CvcnoCvc", "CvcCvcno"]),
    ("short", &["Cvcn"]),
    ("basic", &["aaanaaan", "aannaaan", "aaannaaa"]),
    ("pin", &["nnnn"]),
];

/// The characters of a class.
fn class(name: u8) -> &'static [u8] {
    match name {
        b'C' => b"BCDFGHJKLMNPQRSTVWXYZ",
        b'v' => b"aeiou",
        b'c' => b"bcdfghjklmnpqrstvwxyz",
        b'a' => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
        b'n' => b"0123456789",
        b'o' => b"@&%?,=[]_:-+*$#!'^~;()/.",
        _ => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
    }
}

fn derive_password(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let (kind, password, user, site) = (args.text(1)?, args.text(2)?, args.text(3)?, args.text(4)?);
    let counter = args.int(0)? as u32;
    let Some((_, templates)) = TEMPLATES.iter().find(|(name, _)| *kind == *name) else {
        return Ok(Value::string([b"cannot find password template ", kind.as_bytes()].concat()));
    };
    spend(call, 5)?;
    let length = |text: &[u8]| (text.len() as u32).to_be_bytes();
    let salt = [PURPOSE, &length(user), user].concat();
    let key = master_key(password, &salt)?;
    let message = [PURPOSE, &length(site), site, &counter.to_be_bytes()].concat();
    let seed = site_seed(&key, &message)?;
    let pick = |from: usize, at: usize| seed.get(at).map_or(0, |byte| usize::from(*byte)).checked_rem(from);
    let template = pick(templates.len(), 0).and_then(|at| templates.get(at)).copied().unwrap_or_default();
    let characters = template.bytes().enumerate().filter_map(|(at, name)| {
        let class = class(name);
        pick(class.len(), at + 1).and_then(|chosen| class.get(chosen)).copied()
    });
    Ok(Value::string(characters.collect::<Vec<u8>>()))
}

fn master_key(password: &[u8], salt: &[u8]) -> Result<[u8; 64], FuncError> {
    let failed =
        |error: &dyn std::fmt::Display| FuncError::new(format!("failed to derive password: {error}"));
    // N is 2^15, 32768.
    let params = scrypt::Params::new(15, 8, 2).map_err(|error| failed(&error))?;
    let mut key = [0; 64];
    scrypt::scrypt(password, salt, &params, &mut key).map_err(|error| failed(&error))?;
    Ok(key)
}

fn site_seed(key: &[u8], message: &[u8]) -> Result<Vec<u8>, FuncError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|error| error.to_string())?;
    mac.update(message);
    Ok(mac.finalize().into_bytes().to_vec())
}
