//! The functions Helm adds to sprig's, and the set of all of them.

use std::collections::HashMap;
use std::sync::LazyLock;

use gostd::time::{Time, Zone};
use gostd::value::{ANY_MAP, Signature, Type};
use gostd::{GoStr, List, Map, Value, json};
use gotemplate::{Call, ErrorKind, FuncError, Function, FunctionSet};

use crate::toml;

/// The name of the template set, which shows in errors of `include` and `tpl`.
pub(super) const SET_NAME: &str = "gotpl";
/// How often a template may be included inside itself.
const MAX_NESTED_INCLUDES: usize = 1000;
/// What `text/template` prints for a missing value; Helm takes it out of files and of what `tpl` returns.
const NO_VALUE: &[u8] = b"<no value>";

/// All functions that templates of charts may call. sprig's `env` and `expandenv` are left out.
pub(super) static FUNCTIONS: LazyLock<FunctionSet> = LazyLock::new(|| {
    let sprig = sprig::FUNCTIONS
        .iter()
        .copied()
        .flatten()
        .filter(|function| !matches!(function.name, "env" | "expandenv"));
    FunctionSet::new(sprig.chain(HELM_FUNCTIONS))
});

/// Returns the names of all functions that templates of charts may call.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.names()
}

/// What the functions of one render share.
#[derive(Debug, Default)]
pub(super) struct RenderState {
    /// How often each template is being included at present.
    included: HashMap<GoStr, usize>,
    /// Whether `getHostByName` may ask.
    pub(super) enable_dns: bool,
}

const fn function(name: &'static str, params: &'static [Type], body: gotemplate::Body) -> Function {
    Function { name, signature: Signature::fixed(params), body }
}

const ANY: &[Type] = &[Type::Any];
const STRING: &[Type] = &[Type::String];
const STRING_ANY: &[Type] = &[Type::String, Type::Any];

static HELM_FUNCTIONS: &[Function] = &[
    function("fail", STRING, |_, args| Err(FuncError::Author(text(args).to_string()))),
    function("fromJson", STRING, |_, args| Ok(from_json(&text(args)))),
    function("fromJsonArray", STRING, |_, args| Ok(from_json_array(&text(args)))),
    function("fromToml", STRING, from_toml),
    function("fromYaml", STRING, |_, args| Ok(from_yaml(&text(args)))),
    function("fromYamlArray", STRING, |_, args| Ok(from_yaml_array(&text(args)))),
    function("getHostByName", STRING, get_host_by_name),
    function("include", STRING_ANY, include),
    function("lookup", &[Type::String; 4], |call, args| Ok(call.host().query("lookup", args)?)),
    function("required", STRING_ANY, |_, args| required(args)),
    function("toJson", ANY, |_, args| Ok(Value::string(json::marshal(&any(args), true).unwrap_or_default()))),
    function("toToml", ANY, |_, args| to_toml(&any(args))),
    function("toYaml", ANY, |_, args| Ok(Value::String(to_yaml_text(&any(args))))),
    function("toYamlPretty", ANY, |_, args| {
        Ok(Value::String(without_newline(goyaml::to_yaml_pretty(&any(args)).unwrap_or_default())))
    }),
    function("tpl", STRING_ANY, tpl),
];

fn text(args: &[Value]) -> GoStr {
    args.first().and_then(Value::as_str).cloned().unwrap_or_default()
}

fn any(args: &[Value]) -> Value {
    args.first().cloned().unwrap_or_default()
}

/// Runs a template by name and returns its text.
fn include(call: &mut Call<'_, '_>, args: &[Value]) -> Result<Value, FuncError> {
    let name = text(args);
    let nested = call.extension::<RenderState>().included.entry(name.clone()).or_default();
    if *nested > MAX_NESTED_INCLUDES {
        return Err(FuncError::Message(format!(
            "rendering template has a nested reference name: {name}: unable to execute template"
        )));
    }
    *nested += 1;
    let result = call.execute(&name, args.get(1).cloned().unwrap_or_default());
    if let Some(nested) = call.extension::<RenderState>().included.get_mut(&name) {
        *nested -= 1;
    }
    result.map(Value::String)
}

/// Runs a text as a template that sees all others.
fn tpl(call: &mut Call<'_, '_>, args: &[Value]) -> Result<Value, FuncError> {
    let text = text(args);
    let data = args.get(1).cloned().unwrap_or_default();
    match call.parse_and_execute(SET_NAME, text.clone(), data) {
        Ok(output) if has_no_value(&output) => Ok(Value::string(without_no_value(output.to_vec()))),
        Ok(output) => Ok(Value::String(output)),
        Err(error) => {
            let quoted = gostd::strconv::quote(&text);
            let context = match error.kind() {
                ErrorKind::Parse => format!("cannot parse template {quoted}: "),
                _ => format!("error during tpl function execution for {quoted}: "),
            };
            Err(FuncError::Nested { context, error: Box::new(error) })
        }
    }
}

/// Takes out what missing values have left.
pub(super) fn without_no_value(text: Vec<u8>) -> Vec<u8> {
    if has_no_value(&text) { gostd::strings::replace(&text, NO_VALUE, b"", -1) } else { text }
}

fn has_no_value(text: &[u8]) -> bool {
    gostd::strings::index(text, NO_VALUE).is_some()
}

fn required(args: &[Value]) -> Result<Value, FuncError> {
    let value = args.get(1).cloned().unwrap_or_default();
    let missing = match &value {
        Value::Nil => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    if missing { Err(FuncError::Author(text(args).to_string())) } else { Ok(value) }
}

fn get_host_by_name(call: &mut Call<'_, '_>, args: &[Value]) -> Result<Value, FuncError> {
    if !call.extension::<RenderState>().enable_dns {
        return Ok(Value::from(""));
    }
    Ok(call.host().query("getHostByName", args)?)
}

/// Writes YAML without its last newline; what cannot be written is empty.
pub(super) fn to_yaml_text(value: &Value) -> GoStr {
    without_newline(goyaml::to_yaml(value).unwrap_or_default())
}

fn without_newline(mut text: Vec<u8>) -> GoStr {
    if text.last() == Some(&b'\n') {
        text.pop();
    }
    text.into()
}

fn from_yaml(text: &GoStr) -> Value {
    Value::Map(goyaml::load_map(text).unwrap_or_else(|error| error_map(&Value::Nil, error.to_string())))
}

fn from_yaml_array(text: &GoStr) -> Value {
    Value::List(goyaml::load_array(text).unwrap_or_else(|error| error_list(error.to_string())))
}

fn from_json(text: &GoStr) -> Value {
    Value::Map(json::unmarshal_object(text).unwrap_or_else(|error| {
        let partial = match &error {
            json::DecodeError::Type { partial, .. } => partial.clone(),
            json::DecodeError::Syntax(_) => Value::Nil,
        };
        error_map(&partial, error.to_string())
    }))
}

fn from_json_array(text: &GoStr) -> Value {
    Value::List(json::unmarshal_array(text).unwrap_or_else(|error| error_list(error.to_string())))
}

fn from_toml(call: &mut Call<'_, '_>, args: &[Value]) -> Result<Value, FuncError> {
    let local = Zone::load(call.host().local_zone(), &Zone::utc()).unwrap_or_default();
    let offset = Time::unix(call.host().now().0, 0, &local).zone_in_force().1;
    match toml::decode(&text(args), &local, offset) {
        Ok(map) => Ok(Value::Map(map)),
        Err(error @ toml::DecodeError::Syntax { .. }) => {
            Ok(Value::Map(error_map(&Value::Nil, error.to_string())))
        }
        Err(error @ toml::DecodeError::Bug(_)) => Err(error.to_string().into()),
    }
}

/// The map that stands for text that cannot be read: what could be read, and the error.
fn error_map(partial: &Value, error: String) -> Map {
    let entries = partial.as_map().map(Map::snapshot).unwrap_or_default().into_iter();
    let error = (GoStr::from("Error"), Value::from(error));
    Map::of(&ANY_MAP, entries.chain([error]).collect())
}

fn error_list(error: String) -> List {
    List::any(vec![Value::from(error)])
}

fn to_toml(value: &Value) -> Result<Value, FuncError> {
    match toml::encode(value) {
        Ok(text) => Ok(Value::string(text)),
        Err(toml::EncodeError::Nil) => Err(toml::EncodeError::Nil.to_string().into()),
        Err(error) => Ok(Value::from(error.to_string())),
    }
}
