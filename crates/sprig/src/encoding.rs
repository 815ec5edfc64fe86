//! Base64 and base32 as Go's encoding packages read and write them, positions of errors included.

use gostd::Value;
use gostd::value::Type;
use gotemplate::{Call, FuncError, Function};

use crate::args::{Args, Outcome, fixed};
use crate::limits;

const TEXT: &[Type] = &[Type::String];

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("b64enc", TEXT, |call, args| encoded(call, args, BASE64)),
    fixed("b64dec", TEXT, |_, args| decoded(args, base64_decode)),
    fixed("b32enc", TEXT, |call, args| encoded(call, args, BASE32)),
    fixed("b32dec", TEXT, |_, args| decoded(args, base32_decode)),
];

/// An alphabet of 2^n digits with padding.
#[derive(Clone, Copy)]
struct Alphabet {
    name: &'static str,
    digits: &'static [u8],
    bits: u32,
    /// Digits of a full group.
    group: usize,
}

const BASE64: Alphabet = Alphabet {
    name: "base64",
    digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    bits: 6,
    group: 4,
};

const BASE32: Alphabet =
    Alphabet { name: "base32", digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, group: 8 };

const PADDING: u8 = b'=';

/// Text that is not in the alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal {alphabet} data at input byte {at}")]
pub(crate) struct CorruptInput {
    alphabet: &'static str,
    at: usize,
}

impl Alphabet {
    fn encode(self, data: &[u8]) -> Vec<u8> {
        let group_bytes = self.group * self.bits as usize / 8;
        let mut out = Vec::with_capacity(data.len().div_ceil(group_bytes) * self.group);
        for group in data.chunks(group_bytes) {
            let (mut buffer, mut held) = (0u32, 0u32);
            for byte in group {
                buffer = buffer << 8 | u32::from(*byte);
                held += 8;
                while held >= self.bits {
                    held -= self.bits;
                    out.push(self.digit(buffer >> held));
                }
            }
            if held > 0 {
                out.push(self.digit(buffer << (self.bits - held)));
            }
            out.resize(out.len().next_multiple_of(self.group), PADDING);
        }
        out
    }

    fn digit(self, bits: u32) -> u8 {
        let at = bits as usize & (self.digits.len() - 1);
        self.digits.get(at).copied().unwrap_or(PADDING)
    }

    fn value(self, digit: u8) -> Option<u8> {
        let at = self.digits.iter().position(|known| *known == digit)?;
        u8::try_from(at).ok()
    }

    fn corrupt(self, at: usize) -> CorruptInput {
        CorruptInput { alphabet: self.name, at }
    }

    /// Appends the whole bytes that a group's digits hold; bits left over are dropped.
    fn unpack(self, digits: &[u8], out: &mut Vec<u8>) {
        let (mut buffer, mut held) = (0u32, 0u32);
        for digit in digits {
            buffer = buffer << self.bits | u32::from(*digit);
            held += self.bits;
            if held >= 8 {
                held -= 8;
                out.push((buffer >> held) as u8);
            }
        }
    }
}

fn encoded(call: &mut Call<'_, '_>, args: &[Value], alphabet: Alphabet) -> Outcome {
    let text = args.text(0)?;
    limits::text(call, text.len().checked_mul(2))?;
    Ok(Value::string(alphabet.encode(text)))
}

/// sprig gives the error's text in place of the result.
fn decoded(args: &[Value], decode: fn(&[u8]) -> Result<Vec<u8>, CorruptInput>) -> Outcome {
    Ok(match decode(args.text(0)?) {
        Ok(data) => Value::string(data),
        Err(error) => error.to_string().into(),
    })
}

/// Encodes in standard base64 with padding.
pub(crate) fn base64_encode(data: &[u8]) -> Vec<u8> {
    BASE64.encode(data)
}

fn is_newline(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Decodes standard base64 with padding; newlines are ignored, and unused bits may be set (Go
/// `base64.StdEncoding.Decode`).
pub(crate) fn base64_decode(text: &[u8]) -> Result<Vec<u8>, CorruptInput> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut group: Vec<u8> = Vec::with_capacity(4);
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        at += 1;
        if let Some(value) = BASE64.value(byte) {
            group.push(value);
            if group.len() == 4 {
                BASE64.unpack(&group, &mut out);
                group.clear();
            }
        } else if is_newline(byte) {
            continue;
        } else if byte == PADDING && group.len() >= 2 {
            check_base64_padding(text, at, group.len())?;
            BASE64.unpack(&group, &mut out);
            return Ok(out);
        } else {
            return Err(BASE64.corrupt(at - 1));
        }
    }
    if group.is_empty() { Ok(out) } else { Err(BASE64.corrupt(at - group.len())) }
}

/// Checks what follows the first padding character: a second one if it is due, then nothing but newlines.
fn check_base64_padding(text: &[u8], after: usize, digits: usize) -> Result<(), CorruptInput> {
    let skip_newlines = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| is_newline(**byte)).count()
    };
    let mut at = after;
    if digits == 2 {
        at = skip_newlines(at);
        match text.get(at) {
            None => return Err(BASE64.corrupt(text.len())),
            Some(byte) if *byte != PADDING => return Err(BASE64.corrupt(at - 1)),
            Some(_) => at += 1,
        }
    }
    at = skip_newlines(at);
    if at < text.len() { Err(BASE64.corrupt(at)) } else { Ok(()) }
}

/// Decodes standard base32 with padding; newlines are dropped first, and positions count without them (Go
/// `base32.StdEncoding.DecodeString`).
fn base32_decode(text: &[u8]) -> Result<Vec<u8>, CorruptInput> {
    let text: Vec<u8> = text.iter().copied().filter(|byte| !is_newline(*byte)).collect();
    let mut out = Vec::with_capacity(text.len() / 8 * 5);
    let mut group: Vec<u8> = Vec::with_capacity(8);
    for (at, byte) in text.iter().copied().enumerate() {
        let left = text.len() - at - 1;
        if byte == PADDING && group.len() >= 2 && left < 8 {
            check_base32_padding(&text, at, group.len())?;
            BASE32.unpack(&group, &mut out);
            return Ok(out);
        }
        group.push(BASE32.value(byte).ok_or(BASE32.corrupt(at))?);
        if group.len() == 8 {
            BASE32.unpack(&group, &mut out);
            group.clear();
        }
    }
    if group.is_empty() { Ok(out) } else { Err(BASE32.corrupt(text.len() - group.len())) }
}

/// Checks that the padding which begins at `at` fills the group, and that the digits before it make whole bytes.
fn check_base32_padding(text: &[u8], at: usize, digits: usize) -> Result<(), CorruptInput> {
    let rest = text.get(at + 1..).unwrap_or_default();
    let due = 7 - digits;
    if rest.len() < due {
        return Err(BASE32.corrupt(text.len()));
    }
    if let Some(wrong) = rest.iter().take(due).position(|byte| *byte != PADDING) {
        return Err(BASE32.corrupt(at + wrong));
    }
    if matches!(digits, 1 | 3 | 6) { Err(BASE32.corrupt(at)) } else { Ok(()) }
}

/// Decodes base64 as sprig's callers want it: with the error's text.
pub(crate) fn base64_or_error(text: &[u8]) -> Result<Vec<u8>, FuncError> {
    base64_decode(text).map_err(|error| error.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::{BASE32, base32_decode, base64_decode, base64_encode};

    #[test]
    fn both_encodings_pad() {
        let table = [
            ("", "", ""),
            ("f", "Zg==", "MY======"),
            ("fo", "Zm8=", "MZXQ===="),
            ("foo", "Zm9v", "MZXW6==="),
        ];
        for (text, base64, base32) in table {
            assert_eq!(base64_encode(text.as_bytes()), base64.as_bytes());
            assert_eq!(BASE32.encode(text.as_bytes()), base32.as_bytes());
            assert_eq!(base64_decode(base64.as_bytes()).unwrap(), text.as_bytes());
            assert_eq!(base32_decode(base32.as_bytes()).unwrap(), text.as_bytes());
        }
        assert_eq!(base64_encode(b"\xff\xfe\xfd"), b"//79");
    }

    #[test]
    fn errors_tell_gos_positions() {
        let base64 = |text: &str| base64_decode(text.as_bytes()).map_err(|error| error.at);
        assert_eq!(base64("Zm\n9v\r\n"), Ok(b"foo".to_vec()));
        assert_eq!(base64("!"), Err(0));
        assert_eq!(base64("Zm9"), Err(0));
        assert_eq!(base64("Zm9vZ"), Err(4));
        assert_eq!(base64("Z==="), Err(1));
        assert_eq!(base64("Zg="), Err(3));
        assert_eq!(base64("Zg=A"), Err(2));
        assert_eq!(base64("Zg==A"), Err(4));
        assert_eq!(base64("Zm8=\nA"), Err(5));
        let base32 = |text: &str| base32_decode(text.as_bytes()).map_err(|error| error.at);
        assert_eq!(base32("my======"), Err(0));
        assert_eq!(base32("MY==="), Err(5));
        assert_eq!(base32("MY===A=="), Err(4));
        assert_eq!(base32("MYA====="), Err(3));
        assert_eq!(base32("MZXW6"), Err(0));
    }
}
