//! What is not shown. The API server repeats values in its refusals, and others' words may hold them too: what is secret is
//! taken out before it gets into statuses, events and logs, which more people read than Secrets.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use crate::escapes::Unescaped;

/// What stands in the place of a secret.
const HIDDEN: &str = "<hidden>";

/// Shorter texts are no secrets, and stand everywhere.
const SHORTEST: usize = 4;

/// A quoted text within a quoted text: so many times it is looked into.
const MOST_LEVELS: usize = 4;

/// Neither are these.
const COMMON: &[&str] = &["true", "false", "null"];

/// Texts that nobody is to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Secrets {
    /// The longest first, for one may hold another.
    texts: Vec<String>,
}

impl Secrets {
    /// Everything that values say.
    pub(crate) fn of<'a>(values: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut texts = Vec::new();
        values.into_iter().for_each(|value| collect(value, &mut texts));
        texts.retain(|text| text.len() >= SHORTEST && !COMMON.contains(&text.as_str()));
        texts.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        texts.dedup();
        Self { texts }
    }

    /// What a Secret keeps, as it is and encoded.
    pub(crate) fn of_secret(object: &Value) -> Self {
        let encoded = object.get("data").and_then(Value::as_object);
        let encoded =
            encoded.into_iter().flatten().filter_map(|(_, text)| BASE64.decode(text.as_str()?).ok());
        let plain: Vec<_> =
            encoded.filter_map(|bytes| String::from_utf8(bytes).ok()).map(Value::from).collect();
        Self::of(["data", "stringData"].iter().filter_map(|key| object.get(*key)).chain(&plain))
    }

    /// A text without them, however they are written there.
    pub(crate) fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let plain =
            self.texts.iter().fold(Cow::Borrowed(text), |text, secret| match without(&text, secret) {
                Some(text) => Cow::Owned(text),
                None => text,
            });
        match self.without_escaped(&plain) {
            Some(text) => Cow::Owned(text),
            None => plain,
        }
    }

    /// A text without those that are written with escapes, perhaps of a text that has them already; `None` if none is.
    fn without_escaped(&self, text: &str) -> Option<String> {
        if self.texts.is_empty() || !text.contains('\\') {
            return None;
        }
        let mut places = Vec::new();
        let mut read = Unescaped::plain(text).read();
        for _ in 0..MOST_LEVELS {
            let Some(unescaped) = &read else { break };
            places.extend(self.texts.iter().flat_map(|secret| unescaped.find(secret)));
            read = unescaped.read();
        }
        places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
        let (mut out, mut at) = (String::new(), 0);
        for place in &places {
            if place.start >= at {
                out.push_str(text.get(at..place.start)?);
                out.push_str(HIDDEN);
            }
            at = at.max(place.end);
        }
        out.push_str(text.get(at..)?);
        (!places.is_empty()).then_some(out)
    }

    /// The same for every text in a value.
    pub(crate) fn hide_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(hidden) = self.hide(text) {
                    *text = hidden;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|one| self.hide_in(one)),
            Value::Object(map) => map.values_mut().for_each(|one| self.hide_in(one)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Adds the texts of a value as others may quote them: whole, escaped, line by line.
fn collect(value: &Value, texts: &mut Vec<String>) {
    // Values may nest deeper than a stack is.
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => {
                let text = text.trim();
                texts.push(text.to_owned());
                texts.push(text.escape_debug().to_string());
                let lines = text.lines().skip(usize::from(!text.contains('\n')));
                texts.extend(lines.map(|line| line.trim().to_owned()));
            }
            Value::Number(number) => texts.push(number.to_string()),
            Value::Array(list) => left.extend(list),
            Value::Object(map) => left.extend(map.values()),
            Value::Null | Value::Bool(_) => {}
        }
    }
}

/// A text without a secret where that is no part of a longer word; `None` if it is not in there.
fn without(text: &str, secret: &str) -> Option<String> {
    let is_word = |one: Option<char>| one.is_some_and(char::is_alphanumeric);
    let (begins, ends) = (is_word(secret.chars().next()), is_word(secret.chars().next_back()));
    let (mut out, mut rest, mut before) = (String::new(), text, None);
    let mut found = false;
    while let Some((ahead, behind)) = rest.split_once(secret) {
        out.push_str(ahead);
        let part_of_word = (begins && is_word(ahead.chars().next_back().or(before)))
            || (ends && is_word(behind.chars().next()));
        out.push_str(if part_of_word { secret } else { HIDDEN });
        found |= !part_of_word;
        before = secret.chars().next_back();
        rest = behind;
    }
    out.push_str(rest);
    found.then_some(out)
}

/// The server's words about an object, without values that it has no reason to repeat, and without any for a Secret. What
/// it thinks of a number of replicas stays.
pub(crate) fn discreet(message: &str, object: &Value) -> String {
    let message = kinds_for_values(message);
    let says = |key: &str, text: &str| object.get(key).and_then(Value::as_str) == Some(text);
    if !(says("kind", "Secret") && says("apiVersion", "v1")) {
        return message;
    }
    Secrets::of_secret(object).hide(&without_field_values(&message)).into_owned()
}

/// Puts the kind of a value in the place of the value where the server was given another kind than it expects, as in
/// `.spec.x: expected string, got &value.valueUnstructured{Value:7}`.
fn kinds_for_values(message: &str) -> String {
    let mut lines = Vec::new();
    let mut in_value = false;
    for line in message.split('\n') {
        // Several errors are a list. Other lines after a value are its own.
        if in_value && !line.starts_with("  .") {
            continue;
        }
        let place =
            line.find("expected ").and_then(|at| line.get(at..)?.find(", got ").map(|more| at + more));
        let cut = place.and_then(|at| Some((line.get(..at)?, line.get(at..)?.strip_prefix(", got ")?)));
        in_value = cut.is_some();
        lines.push(match cut {
            Some((before, value)) => Cow::Owned(format!("{before}, got {}", kind_of(value))),
            None => Cow::Borrowed(line),
        });
    }
    lines.join("\n")
}

/// The kind of a value as Go prints it.
fn kind_of(printed: &str) -> &str {
    const TYPES: &[&str] = &["string", "bool", "map[string]interface {}", "[]interface {}", "<nil>"];
    if TYPES.contains(&printed) {
        return printed;
    }
    let value =
        ["&value.valueUnstructured{Value:", "&{", "{"].iter().find_map(|open| printed.strip_prefix(open));
    let value = value.map_or(printed, |value| value.strip_suffix('}').unwrap_or(value));
    match value {
        "true" | "false" => "true or false",
        "<nil>" | "interface {}(nil)" => "nothing",
        _ if value.parse::<f64>().is_ok() => "a number",
        _ if value.starts_with("map[") => "a map",
        _ if value.starts_with('[') => "a list",
        _ => "a text",
    }
}

/// Hides what follows `Invalid value: ` and the like.
fn without_field_values(message: &str) -> String {
    with_field_values(message, |_| HIDDEN.into())
}

/// The longest value that is worth reading in a refusal, in bytes.
const LONGEST_VALUE: usize = 100;

/// The server's words without the whole objects that it repeats in them: field and reason are what counts.
pub(crate) fn brief(message: &str) -> String {
    with_field_values(message, |value| match value {
        short if short.len() <= LONGEST_VALUE => short.into(),
        text if text.starts_with('"') => {
            let (begin, _) = text.split_at(text.floor_char_boundary(LONGEST_VALUE / 2));
            format!("{}...\"", begin.trim_end_matches('\\')).into()
        }
        list if list.starts_with('[') => "[...]".into(),
        _ => "{...}".into(),
    })
}

/// Puts something in the place of each value that follows `Invalid value: ` and the like.
fn with_field_values<'a>(message: &'a str, put: impl Fn(&'a str) -> Cow<'a, str>) -> String {
    const BEFORE: &[&str] = &["Invalid value: ", "Unsupported value: ", "Duplicate value: "];
    let (mut out, mut rest) = (String::new(), message);
    while let Some(at) = BEFORE.iter().filter_map(|words| Some(rest.find(words)? + words.len())).min() {
        let (before, value) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let (value, after) = value.split_at_checked(length_of_value(value)).unwrap_or((value, ""));
        out.push_str(before);
        out.push_str(&put(value));
        rest = after;
    }
    out + rest
}

/// How much of a text is the value at its beginning: quoted, or up to the words about it, which no bracket or quote holds.
fn length_of_value(text: &str) -> usize {
    if text.starts_with('"') {
        return length_of_quoted(text);
    }
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' if depth > 0 => at += length_of_quoted(text.get(at..).unwrap_or_default()).max(1) - 1,
            b'{' | b'[' | b'(' => depth += 1,
            b'}' | b']' | b')' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && bytes.get(at + 1) == Some(&b' ') => return at,
            _ => {}
        }
        at += 1;
    }
    text.find(": ").unwrap_or(text.len())
}

fn length_of_quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TYPED: &str = "failed to create typed patch object (n/s; /v1, Kind=Secret): ";

    #[test]
    fn a_value_of_another_kind_is_named_by_its_kind() {
        let config = json!({"apiVersion": "v1", "kind": "ConfigMap"});
        for (told, want) in [
            (
                ".data.x: expected string, got &value.valueUnstructured{Value:70441893}",
                ".data.x: expected string, got a number",
            ),
            (
                ".x: expected string, got &value.valueUnstructured{Value:7.0441893e+07}",
                ".x: expected string, got a number",
            ),
            (
                ".x: expected string, got &value.valueUnstructured{Value:true}",
                ".x: expected string, got true or false",
            ),
            (".x: expected map, got &{hunter2\nand: more}", ".x: expected map, got a text"),
            (".x: expected list, got &{map[a:b]}", ".x: expected list, got a map"),
            (
                ".x: expected numeric (int or float), got string",
                ".x: expected numeric (int or float), got string",
            ),
            (
                "errors:\n  .a: expected map, got &{x\ny}\n  .b: expected string, got &value.valueUnstructured{Value:1}",
                "errors:\n  .a: expected map, got a text\n  .b: expected string, got a number",
            ),
            (
                "spec.replicas: Invalid value: -1: must be 0 or more",
                "spec.replicas: Invalid value: -1: must be 0 or more",
            ),
        ] {
            assert_eq!(discreet(&format!("{TYPED}{told}"), &config), format!("{TYPED}{want}"));
        }
    }

    #[test]
    fn nothing_of_a_secret_is_told() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "data": {"a": BASE64.encode("hunter2"), "n": 81_234}});
        for (told, want) in [
            (r#"type: Invalid value: "a \"b": 7": no"#, "type: Invalid value: <hidden>: 7\": no"),
            (
                r#"data[a]: Invalid value: "zzz": wrong; x: Unsupported value: 5"#,
                "data[a]: Invalid value: <hidden>: wrong; x: Unsupported value: <hidden>",
            ),
            ("hook said: hunter2 is weak, hunter22 not", "hook said: <hidden> is weak, hunter22 not"),
            ("cannot unmarshal 81234 and aHVudGVyMg==", "cannot unmarshal <hidden> and <hidden>"),
        ] {
            assert_eq!(discreet(told, &secret), want);
        }
    }

    #[test]
    fn whole_objects_are_not_repeated() {
        let template = format!("{{\"labels\":{{\"a: b\":\"}}{}\"}},\"spec\":null}}", "x".repeat(2000));
        let go = format!("core.PodSpec{{A:[]string{{\"x: }}\", {}}}}}", "y, ".repeat(60));
        let long = format!("\"{}\\\"\"", "z".repeat(200));
        for (told, want) in [
            (
                format!(
                    "Job.batch \"x\" is invalid: spec.template: Invalid value: {template}: field is immutable"
                ),
                "Job.batch \"x\" is invalid: spec.template: Invalid value: {...}: field is immutable"
                    .to_owned(),
            ),
            (
                format!("[a.b: Invalid value: {go}: no, c: Invalid value: {template}: field is immutable]"),
                "[a.b: Invalid value: {...}: no, c: Invalid value: {...}: field is immutable]".to_owned(),
            ),
            (
                format!("a: Invalid value: {long}: must be shorter"),
                format!("a: Invalid value: \"{}...\": must be shorter", "z".repeat(49)),
            ),
            (
                format!(
                    "a: Invalid value: [{}]: too many; b: Unsupported value: \"c: d\": supported values: e",
                    "1,".repeat(99)
                ),
                "a: Invalid value: [...]: too many; b: Unsupported value: \"c: d\": supported values: e"
                    .to_owned(),
            ),
            ("a: Invalid value: x{: no".to_owned(), "a: Invalid value: x{: no".to_owned()),
            ("a: Invalid value: -1: no".to_owned(), "a: Invalid value: -1: no".to_owned()),
        ] {
            assert_eq!(brief(&told), want);
        }
    }

    #[test]
    fn secrets_are_hidden_however_they_are_quoted() {
        let secrets = Secrets::of([
            &json!({"db": {"password": "s\"cret", "on": true, "port": 80}, "key": "first line\nsecond line"}),
        ]);
        assert_eq!(
            secrets.hide(r#"x: "s\"cret" and s"cret, true, 80"#),
            r#"x: "<hidden>" and <hidden>, true, 80"#
        );
        assert_eq!(secrets.hide("at second line."), "at <hidden>.");
        assert!(matches!(secrets.hide("nothing of it"), Cow::Borrowed(_)));
        let mut value = json!({"conditions": [{"message": "not first line\nsecond line"}]});
        secrets.hide_in(&mut value);
        assert_eq!(value, json!({"conditions": [{"message": "not <hidden>"}]}));
    }

    #[test]
    fn secrets_are_hidden_in_whatever_escapes() {
        let secrets =
            Secrets::of([&json!({"password": "Pa\"ss\\w0rd{{<x>&%é[(", "key": "first 1\nsecond\t2"})]);
        for (told, want) in [
            (r#"x: "Pa\"ss\\w0rd{{<x>&%é[(": no"#, r#"x: "<hidden>": no"#),
            (
                r#"Unsupported value: "Pa\"ss\\w0rd{{\u003cx\u003e\u0026%é[(": supported values: "a""#,
                r#"Unsupported value: "<hidden>": supported values: "a""#,
            ),
            (
                r#"parsing time "Pa\"ss\\w0rd{{<x>&%\xc3\xa9[(" as "2006""#,
                r#"parsing time "<hidden>" as "2006""#,
            ),
            (r#"ascii "Pa\"ss\\w0rd{{<x>&%\u00e9[(""#, r#"ascii "<hidden>""#),
            (r#"octal "Pa\"ss\\w0rd{{<x>&%\303\251[(""#, r#"octal "<hidden>""#),
            (r#"cut off "Pa\"ss\\w0rd{{\u003cx>&%é[("#, r#"cut off "<hidden>"#),
            (
                r#"twice: "{\"password\":\"Pa\\\"ss\\\\w0rd{{\\u003cx\\u003e\\u0026%é[(\"}" and more"#,
                r#"twice: "{\"password\":\"<hidden>\"}" and more"#,
            ),
            (r#"lines: "first 1\nsecond\t2""#, r#"lines: "<hidden>""#),
            (r#"one of them: "x\nfirst 1\ny""#, r#"one of them: "x\n<hidden>\ny""#),
            (r#"of neither: "a \"b\" \u003c c""#, r#"of neither: "a \"b\" \u003c c""#),
        ] {
            assert_eq!(secrets.hide(told), want);
        }
    }
}
