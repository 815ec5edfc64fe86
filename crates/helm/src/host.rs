//! What templates may learn from outside.

use gostd::Value;

/// What templates may learn from outside; see [`RenderInput::host`](crate::RenderInput::host).
pub trait Host {
    /// Returns the present time: Unix seconds and nanoseconds.
    fn now(&self) -> (i64, u32);

    /// Fills `buffer` with random bytes.
    fn random(&self, buffer: &mut [u8]);

    /// Returns the name of the local time zone in the IANA database.
    fn local_zone(&self) -> &str {
        "UTC"
    }

    /// Answers `lookup` (apiVersion, kind, namespace, name) and `getHostByName` (name).
    fn query(&self, function: &str, args: &[Value]) -> Result<Value, String>;
}
