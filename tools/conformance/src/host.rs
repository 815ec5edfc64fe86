//! The outside world of a render without a cluster.

use std::cell::Cell;
use std::time::{SystemTime, UNIX_EPOCH};

use gostd::{Map, Value};

/// Tells the real time, and random bytes that need not be secret.
pub(crate) struct Offline(Cell<u64>);

impl Offline {
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(Cell::new(now.as_nanos() as u64 | 1))
    }
}

impl helm::Host for Offline {
    fn now(&self) -> (i64, u32) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (now.as_secs() as i64, now.subsec_nanos())
    }

    fn random(&self, _: &helm::Site<'_>, buffer: &mut [u8]) {
        for byte in buffer {
            // xorshift64*: keys only have to look random.
            let mut state = self.0.get();
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            self.0.set(state);
            *byte = (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 56) as u8;
        }
    }

    fn query(&self, function: &str, _args: &[Value]) -> Result<Value, String> {
        match function {
            "lookup" => Ok(Value::Map(Map::new())),
            other => Err(format!("{other} needs a network")),
        }
    }
}
