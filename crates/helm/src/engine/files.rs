//! `.Files`: a map from path to content with methods.

use gostd::value::{Elem, Entries, MapType, Method, Signature, Type};
use gostd::{GoStr, List, Map, Value};

use super::glob::{self, Glob};
use super::objects::{receiver, text};
use crate::chart::File;

/// `engine.files`.
static FILES: MapType = MapType { name: "engine.files", elem: Elem::Bytes, methods: METHODS };

const NAMED: Signature = Signature::fixed(&[Type::String]);
const BARE: Signature = Signature::fixed(&[]);

const METHODS: &[Method] = &[
    Method { name: "AsConfig", signature: BARE, call: |files, _| Ok(flattened(files, Clone::clone)) },
    Method { name: "AsSecrets", signature: BARE, call: |files, _| Ok(flattened(files, base64)) },
    Method { name: "Get", signature: NAMED, call: |files, name| Ok(Value::String(bytes(files, name))) },
    Method { name: "GetBytes", signature: NAMED, call: |files, name| Ok(Value::Bytes(bytes(files, name))) },
    Method { name: "Glob", signature: NAMED, call: |files, pattern| glob(files, &text(pattern)) },
    Method { name: "Lines", signature: NAMED, call: |files, name| Ok(lines(&bytes(files, name))) },
];

/// Makes `.Files` of a chart's files.
pub(super) fn files(files: &[File]) -> Value {
    let entries = files.iter().map(|file| (GoStr::from(&file.name), Value::Bytes(file.data.clone())));
    Value::Map(Map::of(&FILES, entries.collect()))
}

fn bytes(files: &Value, name: &[Value]) -> GoStr {
    match receiver(files).get(text(name)) {
        Some(Value::Bytes(bytes)) => bytes,
        _ => GoStr::default(),
    }
}

/// An invalid pattern takes everything, as Helm falls back to `**`.
fn glob(files: &Value, pattern: &GoStr) -> Result<Value, String> {
    let failed = |fault: glob::Fault| fault.to_string();
    let pattern = Glob::compile(pattern).map_err(failed)?;
    let mut steps = glob::steps();
    let mut chosen = Entries::new();
    for (name, data) in receiver(files).snapshot() {
        let fits = pattern.as_ref().map_or(Ok(true), |glob| glob.matches(&name, &mut steps));
        if fits.map_err(failed)? {
            chosen.insert(name, data);
        }
    }
    Ok(Value::Map(Map::of(&FILES, chosen)))
}

fn lines(data: &GoStr) -> Value {
    if data.is_empty() {
        return Value::List(List::strings::<GoStr>([]));
    }
    let text = data.strip_suffix(b"\n").unwrap_or(data);
    Value::List(List::strings(text.split(|byte| *byte == b'\n')))
}

/// Writes base names and contents as a YAML map. Of two files with one base name, Helm takes either.
fn flattened(files: &Value, encode: fn(&GoStr) -> GoStr) -> Value {
    let files = receiver(files);
    let mut entries = Entries::new();
    for (name, data) in files.snapshot() {
        if let Value::Bytes(data) = data {
            let name = gostd::path::base(name.as_bytes());
            entries.insert(GoStr::from(name), Value::String(encode(&data)));
        }
    }
    let map = Value::Map(Map::of(&gostd::value::STRING_MAP, entries));
    Value::String(super::functions::to_yaml_text(&map))
}

fn base64(data: &GoStr) -> GoStr {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u32| LETTERS.get((bits & 63) as usize).copied().unwrap_or(b'=');
    let mut out = Vec::with_capacity(data.len().div_ceil(3) * 4);
    for chunk in data.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        out.extend([letter(bits >> 18), letter(bits >> 12)]);
        out.push(if chunk.len() > 1 { letter(bits >> 6) } else { b'=' });
        out.push(if chunk.len() > 2 { letter(bits) } else { b'=' });
    }
    GoStr::from(out)
}
