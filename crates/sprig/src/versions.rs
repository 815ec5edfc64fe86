//! `semver` and `semverCompare`, and the value that `semver` returns.

use std::any::Any;

use gostd::value::{Kind, Method, Object, Signature, Type};
use gostd::{GoStr, Value};
use gotemplate::Function;

use crate::args::{Args, Outcome, fixed};
use crate::semver::{Constraints, Version};

const TEXT: Type = Type::String;

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("semver", &[TEXT], |_, args| {
        let version = Version::parse(args.text(0)?).map_err(|error| error.to_string())?;
        Ok(Value::object(GoVersion::new(version)))
    }),
    fixed("semverCompare", &[TEXT, TEXT], |_, args| compare(args)),
];

fn compare(args: &[Value]) -> Outcome {
    let constraint = Constraints::parse(args.text(0)?).map_err(|error| error.to_string())?;
    let version = Version::parse(args.text(1)?).map_err(|error| error.to_string())?;
    Ok(constraint.check(&version).into())
}

/// `*semver.Version`, or `semver.Version` where a method returns one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoVersion {
    version: Version,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Pointer,
    Struct,
}

impl GoVersion {
    /// Wraps a version as `semver` returns it: a `*semver.Version`.
    pub fn new(version: Version) -> Self {
        Self { version, form: Form::Pointer }
    }
}

const POINTER: &str = "*semver.Version";

impl Object for GoVersion {
    fn type_name(&self) -> &'static str {
        match self.form {
            Form::Pointer => POINTER,
            Form::Struct => "semver.Version",
        }
    }

    fn kind(&self) -> Kind {
        match self.form {
            Form::Pointer => Kind::Ptr,
            Form::Struct => Kind::Struct,
        }
    }

    fn methods(&self) -> &'static [Method] {
        match self.form {
            Form::Pointer => METHODS,
            Form::Struct => METHODS.split_at(OF_POINTERS).1,
        }
    }

    fn stringer(&self) -> Option<GoStr> {
        Some(self.version.to_string().into())
    }

    /// Seen through the verbs that do without the text, such as `%d`.
    fn fields(&self) -> Vec<(&'static str, Value)> {
        let version = &self.version;
        vec![
            ("major", Value::Uint64(version.major())),
            ("minor", Value::Uint64(version.minor())),
            ("patch", Value::Uint64(version.patch())),
            ("pre", version.prerelease().into()),
            ("metadata", version.metadata().into()),
            ("original", version.original().into()),
        ]
    }

    fn to_json(&self) -> Result<Value, String> {
        Ok(self.version.to_string().into())
    }

    fn deep_equal(&self, other: &dyn Object) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<GoVersion>() == Some(self)
    }
}

type Answer = Result<Value, String>;

fn version(value: Option<&Value>) -> Result<&Version, String> {
    let version = value.and_then(Value::downcast::<GoVersion>);
    version.map(|value| &value.version).ok_or_else(|| crate::lists::NIL_POINTER.to_owned())
}

/// What a method returns that makes another version.
fn changed(version: Result<Version, crate::semver::Error>) -> Answer {
    let version = version.map_err(|error| error.to_string())?;
    Ok(Value::object(GoVersion { version, form: Form::Struct }))
}

const fn method(name: &'static str, params: &'static [Type], call: fn(&Value, &[Value]) -> Answer) -> Method {
    Method { name, signature: Signature::fixed(params), call }
}

/// A method that takes nothing but the version.
macro_rules! of_version {
    ($name:literal, |$version:ident| $answer:expr) => {
        method($name, &[], |receiver, _| {
            let $version = version(Some(receiver))?;
            $answer
        })
    };
}

/// A method that orders the version and another.
macro_rules! comparison {
    ($name:literal, |$ordering:ident| $answer:expr) => {
        method($name, &[Type::Named(POINTER)], |receiver, args| {
            let $ordering = version(Some(receiver))?.compare(version(args.first())?);
            Ok($answer)
        })
    };
}

/// A method that sets a part from a text.
macro_rules! with_text {
    ($name:literal, $change:path) => {
        method($name, &[Type::String], |receiver, args| {
            let text = args.first().and_then(Value::as_str).ok_or("expected a string")?;
            changed($change(version(Some(receiver))?, &text.to_lossy()))
        })
    };
}

/// So many of the methods need a pointer; what a method returns is none.
const OF_POINTERS: usize = 7;

static METHODS: &[Method] = &[
    of_version!("Original", |version| Ok(version.original().into())),
    comparison!("Compare", |ordering| Value::Int(ordering as i64)),
    comparison!("Equal", |ordering| ordering.is_eq().into()),
    comparison!("LessThan", |ordering| ordering.is_lt().into()),
    comparison!("LessThanEqual", |ordering| ordering.is_le().into()),
    comparison!("GreaterThan", |ordering| ordering.is_gt().into()),
    comparison!("GreaterThanEqual", |ordering| ordering.is_ge().into()),
    of_version!("Major", |version| Ok(Value::Uint64(version.major()))),
    of_version!("Minor", |version| Ok(Value::Uint64(version.minor()))),
    of_version!("Patch", |version| Ok(Value::Uint64(version.patch()))),
    of_version!("Prerelease", |version| Ok(version.prerelease().into())),
    of_version!("Metadata", |version| Ok(version.metadata().into())),
    of_version!("String", |version| Ok(version.to_string().into())),
    of_version!("IncMajor", |version| changed(version.inc_major())),
    of_version!("IncMinor", |version| changed(version.inc_minor())),
    of_version!("IncPatch", |version| changed(version.inc_patch())),
    with_text!("SetPrerelease", Version::set_prerelease),
    with_text!("SetMetadata", Version::set_metadata),
];
