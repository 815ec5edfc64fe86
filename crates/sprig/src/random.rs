//! Randomness. Everything random is drawn from a generator seeded by the host, so that one answer of the host gives one
//! result, be it a password, a key or a certificate.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use gostd::Value;
use gostd::value::Type;
use gotemplate::{Call, FuncError, Function};

use crate::args::{Args, Outcome, fixed};
use crate::encoding::base64_encode;
use crate::limits;

const INT: &[Type] = &[Type::Int];

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("randAlphaNum", INT, |call, args| characters(call, args, |byte| byte.is_ascii_alphanumeric())),
    fixed("randAlpha", INT, |call, args| characters(call, args, |byte| byte.is_ascii_alphabetic())),
    fixed("randNumeric", INT, |call, args| characters(call, args, |byte| byte.is_ascii_digit())),
    fixed("randAscii", INT, |call, args| characters(call, args, |byte| matches!(byte, b' '..=b'~'))),
    fixed("randBytes", INT, bytes),
    fixed("randInt", &[Type::Int, Type::Int], integer),
    fixed("shuffle", &[Type::String], shuffle),
    fixed("uuidv4", &[], |call, args| Ok(uuid(call, args).into())),
];

/// Makes a generator from fresh randomness of the host.
pub(crate) fn generator(call: &Call<'_, '_>, args: &[Value]) -> ChaCha20Rng {
    let mut seed = [0; 32];
    call.random(args, &mut seed);
    ChaCha20Rng::from_seed(seed)
}

/// Draws a number below `bound`, all equally likely; 0 has none below it and gives 0.
fn below(generator: &mut ChaCha20Rng, bound: u64) -> u64 {
    // Numbers from the last, incomplete run of `bound` would make small results likelier.
    let complete = u64::MAX - u64::MAX.checked_rem(bound).unwrap_or_default();
    loop {
        let number = generator.next_u64();
        if number < complete {
            return number.checked_rem(bound).unwrap_or_default();
        }
    }
}

fn characters(call: &mut Call<'_, '_>, args: &[Value], wanted: fn(&u8) -> bool) -> Outcome {
    let count = args.int(0)?;
    if count <= 0 {
        return Ok("".into());
    }
    let count = limits::random(call, count)?;
    let alphabet: Vec<u8> = (0..=u8::MAX).filter(wanted).collect();
    let mut generator = generator(call, args);
    let mut pick = || alphabet.get(below(&mut generator, alphabet.len() as u64) as usize).copied();
    Ok(Value::string((0..count).filter_map(|_| pick()).collect::<Vec<u8>>()))
}

fn bytes(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let count = args.int(0)?;
    if count < 0 {
        return Err("runtime error: makeslice: len out of range".into());
    }
    let mut bytes = vec![0; limits::random(call, count)?];
    generator(call, args).fill_bytes(&mut bytes);
    Ok(Value::string(base64_encode(&bytes)))
}

/// `randInt from to`: the upper bound is excluded.
fn integer(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let (from, to) = (args.int(0)?, args.int(1)?);
    let span = to.wrapping_sub(from);
    if span <= 0 {
        return Err(FuncError::new("invalid argument to Intn"));
    }
    let offset = below(&mut generator(call, args), span.unsigned_abs());
    Ok(Value::Int(from.wrapping_add(offset as i64)))
}

fn shuffle(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let mut runes: Vec<char> = gostd::strings::runes(args.text(0)?).map(|(_, rune, _)| rune).collect();
    let mut generator = generator(call, args);
    for last in (1..runes.len()).rev() {
        runes.swap(last, below(&mut generator, last as u64 + 1) as usize);
    }
    Ok(runes.into_iter().collect::<String>().into())
}

/// A version 4 UUID in its usual form.
fn uuid(call: &Call<'_, '_>, args: &[Value]) -> String {
    const VERSION: u128 = 0x4 << 76;
    const VARIANT: u128 = 0b10 << 62;
    let mut bytes = [0; 16];
    generator(call, args).fill_bytes(&mut bytes);
    let number = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0b11 << 62) | VERSION | VARIANT;
    let hex = format!("{number:032x}");
    let part = |range: std::ops::Range<usize>| hex.get(range).unwrap_or_default();
    [part(0..8), part(8..12), part(12..16), part(16..20), part(20..32)].join("-")
}
