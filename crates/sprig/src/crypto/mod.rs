//! Cryptography: checksums, passwords, ciphers, private keys and certificates.

mod certificate;
mod certs;
mod cipher;
mod digests;
mod keys;
mod passwords;
mod pem;
mod serving;
mod x509;

pub(crate) use certs::FUNCTIONS as CERTIFICATES;
pub(crate) use cipher::FUNCTIONS as CIPHERS;
pub(crate) use digests::FUNCTIONS as DIGESTS;
pub(crate) use passwords::FUNCTIONS as PASSWORDS;
pub use serving::{Serving, serving};

use gotemplate::{Call, FuncError};

/// What costly functions have used of a session's allowance.
#[derive(Default)]
struct Spent(u32);

/// A session's allowance, in units of about 50 milliseconds of one core. Some hundred RSA keys of 2048 bits fit in.
const ALLOWANCE: u32 = 2_000;

/// Takes units from the session's allowance, so that a loop over key generation ends in an error.
fn spend(call: &mut Call<'_, '_>, units: u32) -> Result<(), FuncError> {
    let function = call.function();
    let spent = call.extension::<Spent>();
    spent.0 = spent.0.saturating_add(units);
    if spent.0 <= ALLOWANCE {
        return Ok(());
    }
    Err(FuncError::new(format!(
        "{function}: too much cryptography in one render: keys, certificates and password hashes took over {ALLOWANCE} units"
    )))
}
