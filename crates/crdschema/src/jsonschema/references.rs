//! Finding what `$ref` refers to inside a schema document.

use std::collections::HashMap;

use serde_json::Value;

/// Documents may nest this deep; serde_json reads no deeper ones.
const DEEPEST: usize = 128;

/// The places of a document that references can name.
pub(super) struct References<'s> {
    root: &'s Value,
    /// By `$id`, and by anchor with a `#` in front.
    named: HashMap<String, &'s Value>,
    draft: Draft,
}

/// The drafts that differ in what concerns us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    /// 4 and before.
    Four,
    /// 6, which has no conditions yet.
    Six,
    /// 7.
    Seven,
    /// 2019-09 and after.
    Newer,
}

impl Draft {
    fn of(root: &Value) -> Self {
        let name = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let is = |names: &[&str]| names.iter().any(|draft| name.contains(draft));
        if is(&["draft-03", "draft-04"]) {
            Self::Four
        } else if is(&["draft-06"]) {
            Self::Six
        } else if is(&["draft-07"]) {
            Self::Seven
        } else {
            Self::Newer
        }
    }
}

/// Where a reference leads.
pub(super) enum Target<'s> {
    Found(&'s Value),
    /// Out of the document, or nowhere.
    Elsewhere,
}

impl<'s> References<'s> {
    /// Collects the names of a document's parts.
    pub(super) fn of(root: &'s Value) -> Self {
        let mut references = Self { root, named: HashMap::new(), draft: Draft::of(root) };
        references.collect(root, 0);
        references
    }

    fn collect(&mut self, value: &'s Value, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        match value {
            Value::Object(entries) => {
                for key in ["$id", "id"] {
                    if let Some(Value::String(id)) = entries.get(key) {
                        self.named.entry(id.trim_end_matches('#').to_owned()).or_insert(value);
                    }
                }
                for key in ["$anchor", "$dynamicAnchor"] {
                    if let Some(Value::String(anchor)) = entries.get(key) {
                        self.named.entry(format!("#{anchor}")).or_insert(value);
                    }
                }
                entries.values().for_each(|value| self.collect(value, depth + 1));
            }
            Value::Array(items) => items.iter().for_each(|value| self.collect(value, depth + 1)),
            _ => {}
        }
    }

    /// Returns the draft the document is written in.
    pub(super) fn draft(&self) -> Draft {
        self.draft
    }

    /// Follows a reference.
    pub(super) fn find(&self, reference: &str) -> Target<'s> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = if document.is_empty() { Some(self.root) } else { self.by_id(document) };
        let Some(base) = base else { return Target::Elsewhere };
        let fragment = unescaped(fragment);
        if fragment.is_empty() {
            return Target::Found(base);
        }
        let found = if fragment.starts_with('/') {
            base.pointer(&fragment)
        } else {
            self.named.get(&format!("#{fragment}")).copied()
        };
        found.map_or(Target::Elsewhere, Target::Found)
    }

    /// Finds a part by its id, which may be relative to that of the document.
    fn by_id(&self, id: &str) -> Option<&'s Value> {
        let exact = self.named.get(id).copied();
        exact.or_else(|| {
            let ends = |known: &String| known.rsplit('/').next() == Some(id);
            self.named.iter().find(|(known, _)| ends(known)).map(|(_, value)| *value)
        })
    }
}

/// Decodes `%20` and its kin.
fn unescaped(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let code = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        match code {
            Some(byte) => {
                out.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => out.push(*first),
        }
    }
    gostd::value::lossy(&out)
}
