//! AES-256 in CBC mode, the key being the password's bytes.

use aes::Aes256;
use cbc::cipher::block_padding::{NoPadding, Pkcs7};
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use chacha20::rand_core::Rng;
use gostd::Value;
use gostd::value::Type;
use gotemplate::{Call, FuncError, Function};

use crate::args::{Args, Outcome, fixed};
use crate::encoding::{base64_encode, base64_or_error};
use crate::random;

const TEXTS: &[Type] = &[Type::String, Type::String];

pub(crate) const FUNCTIONS: &[Function] =
    &[fixed("encryptAES", TEXTS, encrypt), fixed("decryptAES", TEXTS, |_, args| decrypt(args))];

const BLOCK: usize = 16;

/// The first 32 bytes of the password, filled up with zeros.
fn key(password: &[u8]) -> [u8; 32] {
    let mut key = [0; 32];
    key.iter_mut().zip(password).for_each(|(byte, given)| *byte = *given);
    key
}

fn encrypt(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let (password, text) = (args.text(0)?, args.text(1)?);
    if text.is_empty() {
        return Ok("".into());
    }
    let mut iv = [0; BLOCK];
    random::generator(call, args).fill_bytes(&mut iv);
    let encryptor = cbc::Encryptor::<Aes256>::new(&key(password).into(), &iv.into());
    let encrypted = encryptor.encrypt_padded_vec::<Pkcs7>(text);
    Ok(Value::string(base64_encode(&[&iv[..], &encrypted].concat())))
}

/// Decrypts; the padding's last byte alone says how much is cut. Faults have the texts of Go's panics.
fn decrypt(args: &[Value]) -> Outcome {
    let (password, encoded) = (args.text(0)?, args.text(1)?);
    if encoded.is_empty() {
        return Ok("".into());
    }
    let data = base64_or_error(encoded)?;
    let Some((iv, encrypted)) = data.split_first_chunk::<BLOCK>() else {
        return Err(too_short(data.len(), encoded.len()));
    };
    let decryptor = cbc::Decryptor::<Aes256>::new(&key(password).into(), &(*iv).into());
    let mut text = decryptor
        .decrypt_padded_vec::<NoPadding>(encrypted)
        .map_err(|_| FuncError::new("crypto/cipher: input not full blocks"))?;
    let Some(padding) = text.last().map(|byte| usize::from(*byte)) else {
        return Err("runtime error: index out of range [-1]".into());
    };
    match text.len().checked_sub(padding) {
        Some(length) => text.truncate(length),
        None => {
            let end = text.len() as i64 - padding as i64;
            return Err(FuncError::new(format!("runtime error: slice bounds out of range [:{end}]")));
        }
    }
    Ok(Value::string(text))
}

/// Go cuts the first block off a buffer sized for the encoded text, newlines included.
fn too_short(length: usize, encoded: usize) -> FuncError {
    let capacity = encoded / 4 * 3;
    FuncError::new(if capacity < BLOCK {
        format!("runtime error: slice bounds out of range [:{BLOCK}] with capacity {capacity}")
    } else {
        format!("runtime error: slice bounds out of range [{BLOCK}:{length}]")
    })
}
