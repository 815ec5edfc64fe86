//! Values with behaviour of their own: times, versions, certificates, built-in objects.

use std::any::Any;
use std::fmt;

use super::{GoStr, Kind, Method, Value};

/// A Go struct, pointer, or named number that templates can hold.
///
/// The defaults describe an opaque struct: no fields, no methods, equal only to itself.
pub trait Object: fmt::Debug + Any {
    /// Returns what `typeOf` and `%T` print, such as `time.Time` or `*semver.Version`.
    fn type_name(&self) -> &'static str;

    /// Returns the Go kind: `Struct`, `Ptr`, or a number kind for named numbers.
    fn kind(&self) -> Kind {
        Kind::Struct
    }

    /// Returns an exported field of that exact name, embedded structs' fields included.
    fn field(&self, _name: &str) -> Option<Value> {
        None
    }

    /// Returns the method set that templates can reach, pointer-receiver methods included.
    fn methods(&self) -> &'static [Method] {
        &[]
    }

    /// Returns what an interface holds of a struct that can be addressed where it stands: a copy without an address, and so
    /// without the methods that need one. Nothing for all others.
    fn without_address(&self) -> Option<Value> {
        None
    }

    /// Returns the text of the `Error` or `String` method, through which `fmt` prints the value.
    fn stringer(&self) -> Option<GoStr> {
        None
    }

    /// Returns the fields in declaration order, as `%v` and `%+v` print a struct.
    fn fields(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Returns the text of the `GoString` method, through which `%#v` prints the value.
    fn go_string(&self) -> Option<GoStr> {
        None
    }

    /// Returns the members `encoding/json` would write for a struct, in declaration order under their JSON names,
    /// omitted ones left out. A struct whose members are not in alphabetical order must say so here.
    fn json_fields(&self) -> Option<Vec<(&'static str, Value)>> {
        None
    }

    /// Returns the members go-yaml would write for a struct whose fields have `yaml` tags, in declaration order, omitted
    /// ones left out. Without tags it writes [`Object::fields`] under their lower-cased names.
    fn yaml_fields(&self) -> Option<Vec<(&'static str, Value)>> {
        None
    }

    /// Returns the value `encoding/json` would encode in its place, or the error it would give. Not asked where
    /// [`Object::json_fields`] gives something.
    fn to_json(&self) -> Result<Value, String> {
        let fields = self.json_fields().unwrap_or_else(|| self.fields());
        Ok(Value::map(fields.into_iter().map(|(name, value)| (GoStr::from(name), value)).collect()))
    }

    /// Returns the number behind a named integer type (`time.Month`, `time.Duration`).
    fn as_int(&self) -> Option<i64> {
        None
    }

    /// Reports `reflect.DeepEqual` with another object.
    fn deep_equal(&self, other: &dyn Object) -> bool {
        self.type_name() == other.type_name()
            && std::ptr::eq(std::ptr::from_ref(self).cast::<u8>(), std::ptr::from_ref(other).cast::<u8>())
    }
}

impl dyn Object {
    /// Returns the concrete object if it is a `T`.
    pub fn downcast_ref<T: Object>(&self) -> Option<&T> {
        let any: &dyn Any = self;
        any.downcast_ref::<T>()
    }
}
