//! What the test programs share: a fixed host, and a way to run templates.

#![allow(dead_code, reason = "each test program uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may panic and print"
)]

pub(crate) mod oracle;
pub(crate) mod texts;
pub(crate) mod values;

use gostd::Value;
use gotemplate::{FunctionSet, Host, MissingKey, Options, Session, Set};

/// A host whose clock stands still and whose randomness counts up from a seed.
pub(crate) struct FixedHost {
    pub(crate) seed: std::cell::Cell<u64>,
}

impl FixedHost {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed: seed.into() }
    }
}

impl Host for FixedHost {
    fn now(&self) -> (i64, u32) {
        (1_790_000_000, 123_456_789)
    }

    fn random(&self, _: &gotemplate::Site<'_>, buffer: &mut [u8]) {
        for byte in buffer {
            let next = self
                .seed
                .get()
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            self.seed.set(next);
            *byte = (next >> 56) as u8;
        }
    }

    fn query(&self, function: &str, _args: &[Value]) -> Result<Value, String> {
        Err(format!("{function}: no network here"))
    }
}

/// Runs one template and returns its output or the error's text.
pub(crate) fn render(
    functions: &FunctionSet,
    name: &str,
    text: &[u8],
    data: Value,
) -> Result<Vec<u8>, String> {
    let host = FixedHost::new(1);
    let mut set = Set::new(name, functions.clone());
    set.parse(name, text).map_err(|error| error.to_string())?;
    let options = Options { missing_key: MissingKey::Zero, ..Options::default() };
    let mut session = Session::new(&host, options);
    session.execute(&set, name.as_bytes(), data).map_err(|error| error.to_string())
}

/// Renders with sprig's functions, `dump` and no data.
pub(crate) fn sprig(template: &str) -> Result<String, String> {
    let functions = FunctionSet::new(sprig::functions().chain([&values::DUMP]));
    let output = render(&functions, "t", template.as_bytes(), Value::Nil)?;
    Ok(String::from_utf8_lossy(&output).into_owned())
}
