//! URLs, fragments and JSON pointers of schemas.

use gostd::url::{Url, path_escape, path_unescape};

use super::json::Json;

/// Appends a token to a JSON pointer.
pub(super) fn append(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", escape(token))
}

/// Quotes a token for a JSON pointer.
pub(super) fn escape(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

fn unescape(token: &str) -> Option<String> {
    let mut out = String::new();
    let mut letters = token.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '~' => out.push(match letters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            }),
            letter => out.push(letter),
        }
    }
    Some(out)
}

/// Follows a JSON pointer; errors name the place as `URL#POINTER`.
pub(super) fn lookup<'j>(document: &'j Json, url: &str, pointer: &str) -> Result<&'j Json, String> {
    let mut value = document;
    for token in pointer.split('/').skip(1) {
        let place = || gostd::strconv::quote(full(url, pointer).as_bytes());
        let token = unescape(token).ok_or_else(|| format!("invalid json-pointer {}", place()))?;
        let next = match value {
            Json::Object(entries) => entries.get(&token),
            Json::Array(items) => token.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => None,
        };
        value = next.ok_or_else(|| format!("json-pointer in {} not found", place()))?;
    }
    Ok(value)
}

/// Puts URL and fragment together; the fragment is encoded.
pub(super) fn full(url: &str, fragment: &str) -> String {
    let tokens: Vec<String> =
        fragment.split('/').map(|token| gostd::value::lossy(&path_escape(token.as_bytes()))).collect();
    format!("{url}#{}", tokens.join("/"))
}

/// Splits a reference into URL and decoded fragment.
pub(super) fn split_fragment(reference: &str) -> Result<(&str, String), String> {
    let (url, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    match path_unescape(fragment.as_bytes()) {
        Ok(fragment) => Ok((url, gostd::value::lossy(&fragment))),
        Err(cause) => {
            Err(format!("error in parsing {}: {cause}", gostd::strconv::quote(reference.as_bytes())))
        }
    }
}

/// Resolves a reference against a base (Go `URL.ResolveReference`): the URL and the decoded fragment.
pub(super) fn join(base: &str, reference: &str) -> Result<(String, String), String> {
    let parse = |text: &str| {
        Url::parse(text.as_bytes())
            .map_err(|error| format!("error in parsing {}: {error}", gostd::strconv::quote(text.as_bytes())))
    };
    let base = parse(base)?;
    let (reference, fragment) = split_fragment(reference)?;
    let resolved = resolve(&base, parse(reference)?);
    Ok((gostd::value::lossy(&resolved.to_bytes()), fragment))
}

fn resolve(base: &Url, mut reference: Url) -> Url {
    if !reference.scheme.is_empty() {
        reference.path = resolved_path(&reference.path, b"");
        reference.raw_path.clear();
        return reference;
    }
    reference.scheme.clone_from(&base.scheme);
    if !base.opaque.is_empty() && reference.host.is_empty() {
        reference.opaque.clone_from(&base.opaque);
        return reference;
    }
    if !reference.host.is_empty() || reference.user.is_some() {
        reference.path = resolved_path(&reference.path, b"");
        reference.raw_path.clear();
        return reference;
    }
    reference.host.clone_from(&base.host);
    reference.user.clone_from(&base.user);
    if reference.path.is_empty() && !reference.force_query && reference.raw_query.is_empty() {
        reference.raw_query.clone_from(&base.raw_query);
    }
    reference.path = resolved_path(&base.path, &reference.path);
    reference.raw_path.clear();
    reference
}

/// Resolves a path against a base path and removes dot segments.
fn resolved_path(base: &[u8], reference: &[u8]) -> Vec<u8> {
    let full: Vec<u8> = match reference.first() {
        None => base.to_vec(),
        Some(b'/') => reference.to_vec(),
        Some(_) => {
            let folder = base.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
            [base.get(..folder).unwrap_or_default(), reference].concat()
        }
    };
    if full.is_empty() {
        return full;
    }
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut ends_in_folder = false;
    for part in full.split(|byte| *byte == b'/') {
        ends_in_folder = matches!(part, b"." | b"..");
        match part {
            b"." => {}
            b".." => _ = kept.pop(),
            part => kept.push(part),
        }
    }
    let mut path = kept.join(&b'/');
    if path.first() != Some(&b'/') {
        path.insert(0, b'/');
    }
    if ends_in_folder && path.last() != Some(&b'/') {
        path.push(b'/');
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(base: &str, reference: &str) -> String {
        let (url, fragment) = join(base, reference).unwrap();
        format!("{url} {fragment}")
    }

    #[test]
    fn references_resolve() {
        let base = "file:///values.schema.json";
        assert_eq!(joined(base, "#/definitions/a%20b"), "file:///values.schema.json /definitions/a b");
        assert_eq!(joined(base, "other.json"), "file:///other.json ");
        assert_eq!(joined("http://x.org/a/b", "../c#d"), "http://x.org/c d");
        assert_eq!(joined(base, "https://x.org/y"), "https://x.org/y ");
        assert_eq!(joined("urn:a:b", "#x"), "urn:a:b x");
    }

    #[test]
    fn pointers_are_followed() {
        let document = Json::parse(br#"{"a/b": [{"~": 1}]}"#).unwrap();
        assert_eq!(lookup(&document, "u", "/a~1b/0/~0").unwrap(), &Json::Number("1".to_owned()));
        assert_eq!(lookup(&document, "u", "/x y").unwrap_err(), r##"json-pointer in "u#/x%20y" not found"##);
    }
}
