//! Values to YAML, in the two ways Go programs around Kubernetes write it.

mod analysis;
mod json;
mod keys;
mod tree;
mod writer;

use gostd::Value;

use crate::resolve::Version;

/// Why a value is not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// No YAML stands for values of this Go type.
    #[error("cannot marshal type: {0}")]
    UnsupportedType(&'static str),
    /// A number that JSON cannot hold.
    #[error("error marshaling into JSON: json: unsupported value: {0}")]
    UnsupportedNumber(&'static str),
    /// An object that fails to give its JSON form, for this reason.
    #[error("error marshaling into JSON: {0}")]
    Object(String),
    /// Text that go-yaml does not read back from JSON: a control character, a key that is too long.
    #[error("yaml: {0}")]
    Unreadable(&'static str),
    /// More than 10,000 levels; most likely a map that contains itself.
    #[error("value nests deeper than 10000 levels; a map may contain itself")]
    TooDeep,
}

/// Writes a value as `sigs.k8s.io/yaml.Marshal` does: it becomes JSON, go-yaml v2 reads that and writes it again.
/// The result ends in a line break.
///
/// ```
/// let value = goyaml::load(b"{b: [1000000, '1000000'], a: 'no: yes'}")?;
/// let yaml = goyaml::to_yaml(&value)?;
/// assert_eq!(yaml, b"a: 'no: yes'\nb:\n- 1000000\n- \"1000000\"\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_yaml(value: &Value) -> Result<Vec<u8>, EmitError> {
    tree::write(value, Version::V2)
}

/// Writes a value as go-yaml v3 does with an indentation of two: no folding, lists indented under their keys, numbers
/// by their Go type. The result ends in a line break.
///
/// ```
/// let value = goyaml::load(b"{b: [1000000, '1000000'], a: 'no: yes'}")?;
/// let yaml = goyaml::to_yaml_pretty(&value)?;
/// assert_eq!(yaml, b"a: 'no: yes'\nb:\n  - 1e+06\n  - \"1000000\"\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_yaml_pretty(value: &Value) -> Result<Vec<u8>, EmitError> {
    tree::write(value, Version::V3)
}
