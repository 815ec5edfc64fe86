//! The value that the certificate functions return.

use std::any::Any;

use gostd::value::Object;
use gostd::{GoStr, Value};

/// `sprig.certificate`: a certificate and its key, both as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Certificate {
    /// The certificate.
    pub(super) cert: GoStr,
    /// Its private key.
    pub(super) key: GoStr,
}

/// The type's name.
pub(super) const TYPE_NAME: &str = "sprig.certificate";

impl Object for Certificate {
    fn type_name(&self) -> &'static str {
        TYPE_NAME
    }

    fn field(&self, name: &str) -> Option<Value> {
        self.fields().into_iter().find(|(field, _)| *field == name).map(|(_, value)| value)
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![("Cert", Value::String(self.cert.clone())), ("Key", Value::String(self.key.clone()))]
    }

    fn deep_equal(&self, other: &dyn Object) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Certificate>() == Some(self)
    }
}
