//! Stands in until Go regular expressions are there.

#[derive(Debug, Clone)]
pub(super) struct Regexp;
impl Regexp {
    pub(super) fn compile(_: impl AsRef<[u8]>) -> Result<Self, String> {
        Ok(Self)
    }
    pub(super) fn is_match(&self, _: &[u8]) -> bool {
        true
    }
}
