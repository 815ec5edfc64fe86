//! Checksums and hashes.

use gostd::value::Type;
use gotemplate::Function;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use crate::args::{Args, fixed};

const TEXT: &[Type] = &[Type::String];

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("sha1sum", TEXT, |_, args| Ok(hex(&Sha1::digest(args.text(0)?)).into())),
    fixed("sha256sum", TEXT, |_, args| Ok(hex(&Sha256::digest(args.text(0)?)).into())),
    fixed("sha512sum", TEXT, |_, args| Ok(hex(&Sha512::digest(args.text(0)?)).into())),
    fixed("adler32sum", TEXT, |_, args| Ok(adler2::adler32_slice(args.text(0)?).to_string().into())),
];

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}
