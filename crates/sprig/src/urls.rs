//! URLs, taken apart into dicts and joined from them.

use gostd::url::Url;
use gostd::value::{Entries, Type, lossy};
use gostd::{Map, Value};
use gotemplate::{FuncError, Function};

use crate::args::{Args, Outcome, fixed};
use crate::lists::NIL_POINTER;

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("urlParse", &[Type::String], |_, args| parse(args.text(0)?)),
    fixed("urlJoin", &[Type::AnyMap], |_, args| join(&args.map(0)?)),
];

fn parse(text: &[u8]) -> Outcome {
    let url = Url::parse(text).map_err(|error| format!("unable to parse url: {error}"))?;
    let userinfo = url.user.as_ref().map(|user| user.to_bytes()).unwrap_or_default();
    let parts = [
        ("scheme", url.scheme.clone()),
        ("host", url.host.clone()),
        ("hostname", url.hostname().to_vec()),
        ("path", url.path.clone()),
        ("query", url.raw_query.clone()),
        ("opaque", url.opaque.clone()),
        ("fragment", url.fragment.clone()),
        ("userinfo", userinfo),
    ];
    let entries: Entries = parts.into_iter().map(|(key, part)| (key.into(), Value::string(part))).collect();
    Ok(Value::map(entries))
}

/// Returns an entry's text, "" if there is none; nil and other types fail.
fn part(dict: &Map, key: &str) -> Result<Vec<u8>, FuncError> {
    match dict.get(key) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(text.to_vec()),
        Some(Value::Nil) => Err(NIL_POINTER.into()),
        Some(other) => Err(FuncError::new(format!(
            "unable to parse {key} key, must be of type string, but {} found",
            other.kind().name()
        ))),
    }
}

fn join(dict: &Map) -> Outcome {
    let mut url = Url {
        scheme: part(dict, "scheme")?,
        host: part(dict, "host")?,
        path: part(dict, "path")?,
        raw_query: part(dict, "query")?,
        opaque: part(dict, "opaque")?,
        fragment: part(dict, "fragment")?,
        ..Url::default()
    };
    let userinfo = part(dict, "userinfo")?;
    if !userinfo.is_empty() {
        let carrier = [b"proto://", userinfo.as_slice(), b"@host"].concat();
        url.user = Url::parse(&carrier)
            .map_err(|error| {
                format!("unable to parse userinfo in dict: {}", lossy(error.to_string().as_bytes()))
            })?
            .user;
    }
    Ok(Value::string(url.to_bytes()))
}
