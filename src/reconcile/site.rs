//! The place of a random call in a chart → a name for it that outlives changes elsewhere in the chart.
//!
//! A password must not change because a release got another object, a map another key or a list another entry before it.
//! So a call is known by what surrounds it, not by its position: the file, the object being written (kind and name), the
//! key it is the value of, the variable it is kept in, the named templates in between, the function and its arguments.
//! Only calls that have all of this in common are told apart by their order.

use helm::{Execution, Site};
use sha2::{Digest as _, Sha256};

/// Names the place of a call.
pub(super) fn name(site: &Site<'_>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    if let Some(file) = site.executions().next() {
        part(file.entry);
        object(file.written).into_iter().for_each(&mut part);
    }
    for Execution { template, written, variable, .. } in site.executions() {
        part(template);
        part(key(written));
        flow_key(written).into_iter().for_each(&mut part);
        part(variable.unwrap_or_default());
    }
    part(site.function().as_bytes());
    for argument in site.arguments() {
        part(&gostd::fmt::format_v(argument));
    }
    hasher.finalize().into()
}

/// Splits the unfinished line off.
fn lines(written: &[u8]) -> (&[u8], &[u8]) {
    let end = written.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    written.split_at(end)
}

/// The key whose value is being written, as far as the unfinished line tells: what stands before its first `:` or `=`.
fn key(written: &[u8]) -> &[u8] {
    let (_, line) = lines(written);
    let Some(end) = line.iter().position(|byte| matches!(byte, b':' | b'=')) else { return b"" };
    bare(line.get(..end).unwrap_or_default())
}

/// The key within a flow mapping on the unfinished line, if that is where the value is being written.
fn flow_key(written: &[u8]) -> Option<&[u8]> {
    let (_, line) = lines(written);
    let open = line.iter().position(|byte| *byte == b'{')?;
    let inner = line.get(open + 1..)?;
    let start = inner.iter().rposition(|byte| matches!(byte, b'{' | b',')).map_or(0, |at| at + 1);
    let entry = inner.get(start..)?;
    let end = entry.iter().position(|byte| *byte == b':')?;
    Some(bare(entry.get(..end)?))
}

/// The value of a key in a flow mapping whose text starts behind its brace.
fn in_flow<'t>(mapping: &'t [u8], key: &[u8]) -> Option<&'t [u8]> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    for (at, byte) in mapping.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') if depth > 0 => depth -= 1,
            (None, b',' | b'}') if depth == 0 => {
                if let found @ Some(_) = value_of(mapping.get(start..at)?, key) {
                    return found;
                }
                if *byte == b'}' {
                    return None;
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    value_of(mapping.get(start..)?, key)
}

/// The value of an entry, if it has that key.
fn value_of<'t>(entry: &'t [u8], key: &[u8]) -> Option<&'t [u8]> {
    let colon = entry.iter().position(|byte| *byte == b':')?;
    let (name, value) = entry.split_at(colon);
    (bare(name) == key).then(|| value.get(1..).unwrap_or_default().trim_ascii())
}

/// What stands behind the brace of a flow mapping.
fn flow_mapping(text: &[u8]) -> Option<&[u8]> {
    text.trim_ascii().strip_prefix(b"{")
}

/// Kind and name of the object being written, as far as its finished lines tell; of a flow mapping, as far as it goes.
fn object(written: &[u8]) -> [&[u8]; 2] {
    let (finished, unfinished) = lines(written);
    if let Some(whole) = flow_mapping(unfinished) {
        let name = in_flow(whole, b"metadata").and_then(flow_mapping).and_then(|own| in_flow(own, b"name"));
        return [in_flow(whole, b"kind"), name].map(|text| bare(text.unwrap_or_default()));
    }
    let [mut kind, mut name] = [&b""[..]; 2];
    // The indentation of what is right below `metadata`, once it is known.
    let (mut in_metadata, mut indent) = (false, None);
    for line in finished.split(|byte| *byte == b'\n') {
        if line.starts_with(b"---") {
            [kind, name] = [b"", b""];
            in_metadata = false;
        } else if let Some(value) = line.strip_prefix(b"kind:") {
            kind = bare(value);
        } else if line.first().is_some_and(|first| !matches!(first, b' ' | b'#')) {
            (in_metadata, indent) = (line.starts_with(b"metadata:"), None);
            let flow = line.strip_prefix(b"metadata:").and_then(flow_mapping);
            if let Some(value) = flow.and_then(|own| in_flow(own, b"name")) {
                name = bare(value);
            }
        } else if in_metadata && !line.trim_ascii().is_empty() {
            let content = line.trim_ascii_start();
            let depth = line.len() - content.len();
            if depth == *indent.get_or_insert(depth)
                && let Some(value) = content.strip_prefix(b"name:")
            {
                name = bare(value);
            }
        }
    }
    [kind, name]
}

/// Takes off what YAML allows around a scalar.
fn bare(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii();
    while let Some(rest) = text.strip_prefix(b"- ") {
        text = rest.trim_ascii_start();
    }
    for quote in [b"\"", b"'"] {
        text = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)).unwrap_or(text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_being_written_is_found() {
        for (written, want) in [
            ("kind: Secret\ndata:\n  pass: ", "pass"),
            ("  - \"a b\" : ", "a b"),
            ("args:\n- --password=", "--password"),
            ("url: http://x:", "url"),
            ("kind: Secret\n", ""),
            ("no key", ""),
            ("", ""),
        ] {
            assert_eq!(key(written.as_bytes()), want.as_bytes(), "{written}");
        }
    }

    #[test]
    fn the_object_being_written_is_found() {
        let two = "kind: ConfigMap\nmetadata:\n  name: a\n---\napiVersion: v1\nkind: Secret\n# c\nmetadata:\n  labels:\n    \
                   name: no\n  name: x\n";
        assert_eq!(object(two.as_bytes()), [&b"Secret"[..], b"x"]);
        let whole = "kind: \"Secret\"\nmetadata:\n  name: 'b'\ndata:\n  name: c\n  key: ";
        assert_eq!(object(whole.as_bytes()), [&b"Secret"[..], b"b"]);
        assert_eq!(object(b"kind: Secret\nmetadata:\n  name: half-"), [&b"Secret"[..], b""]);
        assert_eq!(object(b""), [&b""[..], b""]);
        let flow = "kind: ConfigMap\nmetadata: {labels: {name: no, x: [a, b]}, name: \"a\", namespace: n}\ndata: {k: ";
        assert_eq!(object(flow.as_bytes()), [&b"ConfigMap"[..], b"a"]);
        let line = "---\n{apiVersion: v1, kind: Secret, metadata: {name: 'b, c', labels: {}}, data: {k: ";
        assert_eq!(object(line.as_bytes()), [&b"Secret"[..], b"b, c"]);
        assert_eq!(object(b"kind: Secret\nmetadata: {}\n"), [&b"Secret"[..], b""]);
    }

    #[test]
    fn the_key_in_a_flow_mapping_is_found() {
        for (written, want) in [
            ("data: {a: 1, b: ", Some("b")),
            ("data: {\"a\": ", Some("a")),
            ("{kind: Secret, data: {x: 1, y: ", Some("y")),
            ("data:\n  a: ", None),
            ("data: {a: 1}\nother: ", None),
        ] {
            assert_eq!(flow_key(written.as_bytes()), want.map(str::as_bytes), "{written}");
        }
    }
}
