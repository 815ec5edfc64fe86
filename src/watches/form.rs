//! The form of a watches file: which keys there are and what each holds, so that a slip is told by its line and in words of
//! YAML.

use goyaml::{Document, Node, NodeKind, Source};
use serde_json::{Map, Value};

use crate::words::nearest;

/// What a value is to be.
enum Form {
    Text,
    Flag,
    Count,
    /// A count that is not 0.
    Positive,
    /// A text such as `1m30s`, which is looked at later.
    Duration,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A mapping with keys of the user's own.
    Mapping,
    List(&'static Form),
    /// A mapping with these keys.
    Keys(&'static Keys),
    /// Looked at later, or not at all.
    Any,
}

struct Keys {
    keys: &'static [Key],
    /// Whether other keys are refused; otherwise they are ignored, as operator-sdk ignores them.
    closed: bool,
}

struct Key {
    name: &'static str,
    form: Form,
    needed: bool,
}

const fn key(name: &'static str, form: Form) -> Key {
    Key { name, form, needed: false }
}

const fn needed(name: &'static str, form: Form) -> Key {
    Key { name, form, needed: true }
}

/// An entry.
static ENTRY: Keys = Keys {
    keys: &[
        key("group", Form::Text),
        needed("version", Form::Text),
        needed("kind", Form::Text),
        needed("chart", Form::Text),
        key("plural", Form::Text),
        key("scope", Form::Word(&["Namespaced", "Cluster"])),
        key("crd", Form::Word(&["managed", "check", "none"])),
        key("schema", Form::Word(&["auto", "strict", "open"])),
        key("replicasPath", Form::Text),
        key("shortNames", Form::List(&Form::Text)),
        key("categories", Form::List(&Form::Text)),
        key("columns", Form::List(&Form::Keys(&COLUMN))),
        key("acceptBreakingChanges", Form::Flag),
        key("skipSchemaValidation", Form::Flag),
        key("crds", Form::Word(&["create", "createReplace", "skip"])),
        key("watchDependentResources", Form::Flag),
        // Its own words say more: values with parts go elsewhere.
        key("overrideValues", Form::Mapping),
        key("values", Form::Mapping),
        key("valuesFrom", Form::List(&Form::Keys(&VALUES_FROM))),
        key("selector", Form::Mapping),
        key("reconcilePeriod", Form::Duration),
        key("maxHistory", Form::Positive),
        key("recreate", Form::List(&Form::Text)),
        key("unknownFields", Form::Word(&["refuse", "drop"])),
        key("ignore", Form::List(&Form::Keys(&IGNORE))),
        key("readyDeadline", Form::Duration),
        key("deletionDeadline", Form::Duration),
        key("rollbackOnFailure", Form::Flag),
        key("releaseNamespace", Form::Text),
        key("randomValues", Form::Word(&["stable", "fresh"])),
        key("rollout", Form::Keys(&ROLLOUT)),
        // operator-sdk's: `lookup` is always answered here.
        key("dryRunOption", Form::Any),
    ],
    closed: false,
};

static COLUMN: Keys = Keys {
    keys: &[needed("name", Form::Text), needed("jsonPath", Form::Text), key("type", Form::Text)],
    closed: false,
};

static VALUES_FROM: Keys = Keys {
    keys: &[
        needed("kind", Form::Word(&["Secret", "ConfigMap"])),
        needed("name", Form::Text),
        key("namespace", Form::Text),
        key("valuesKey", Form::Text),
        key("targetPath", Form::Text),
        key("optional", Form::Flag),
    ],
    closed: true,
};

static IGNORE: Keys = Keys {
    keys: &[
        key("group", Form::Text),
        key("kind", Form::Text),
        key("name", Form::Text),
        Key { name: "paths", form: Form::List(&Form::Text), needed: true },
    ],
    closed: true,
};

static ROLLOUT: Keys =
    Keys { keys: &[key("maxUnavailable", Form::Any), key("maxFailures", Form::Count)], closed: false };

/// What is wrong with a file, and what is merely not used of it; each with its line.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) faults: Vec<String>,
    pub(super) unused: Vec<String>,
    pub(super) entries: Vec<Found>,
}

/// An entry of the file.
#[derive(Debug)]
pub(super) struct Found {
    /// Its line and number.
    pub(super) place: String,
    /// Whether a fault is in it.
    pub(super) is_faulty: bool,
}

/// Compares a watches file with its form. Keys are written as their names are from here on, where they differed in case,
/// which Go takes as well; and what is null is left out.
pub(super) fn check(text: &[u8], file: &mut Value) -> Findings {
    let source = Source::new(text);
    let document = Document::parse(&source).ok().flatten();
    let root = document.as_ref().map(Document::root);
    let mut check = Check { root, findings: Findings::default() };
    match file {
        Value::Array(entries) => {
            for (index, entry) in entries.iter_mut().enumerate() {
                let mut path = vec![Step::Index(index)];
                let faults = check.findings.faults.len();
                check.value(&Form::Keys(&ENTRY), entry, &mut path);
                let is_faulty = check.findings.faults.len() > faults;
                let found = Found { place: check.place(&path), is_faulty };
                check.findings.entries.push(found);
            }
        }
        Value::Null => *file = Value::Array(Vec::new()),
        other => {
            let fault = format!(
                "line 1: it is {}, and a list is expected: put a dash before each entry, as `- group: example.com`",
                found(other)
            );
            check.findings.faults.push(fault);
        }
    }
    check.findings
}

#[derive(Clone)]
enum Step {
    Index(usize),
    Key(String),
}

struct Check<'d, 's> {
    root: Option<Node<'d, 's>>,
    findings: Findings,
}

impl Check<'_, '_> {
    fn value(&mut self, form: &Form, value: &mut Value, path: &mut Vec<Step>) {
        match (form, value) {
            (Form::Keys(keys), Value::Object(map)) => self.mapping(keys, map, path),
            (Form::List(form), Value::Array(items)) => {
                for (index, item) in items.iter_mut().enumerate() {
                    path.push(Step::Index(index));
                    self.value(form, item, path);
                    path.pop();
                }
            }
            (Form::Any, _) | (Form::Text | Form::Duration, Value::String(_)) => {}
            (Form::Flag, Value::Bool(_)) => {}
            (Form::Mapping, Value::Object(_)) => {}
            (Form::Count, Value::Number(number)) if number.is_u64() => {}
            (Form::Positive, Value::Number(number)) if number.as_u64().is_some_and(|count| count > 0) => {}
            (Form::Word(words), Value::String(word)) if words.contains(&word.as_str()) => {}
            (form, value) => {
                let mut hint = String::new();
                if let (Form::Text, Value::Number(_) | Value::Bool(_)) = (form, &*value) {
                    hint = ": put it in quotes".into();
                } else if let (Form::Flag | Form::Count | Form::Positive, Value::String(_)) = (form, &*value)
                {
                    hint = ": write it without quotes".into();
                } else if let (Form::Word(words), Value::String(word)) = (form, &*value) {
                    let word = word.to_lowercase();
                    let meant = words.iter().find(|known| known.to_lowercase() == word).copied();
                    let meant = meant.or_else(|| nearest(&word, words.iter().copied()));
                    hint = meant.map(|meant| format!(": did you mean {meant}?")).unwrap_or_default();
                }
                let told = format!("is {}, and {} is expected{hint}", found(value), expected(form));
                self.fault(path, &told);
            }
        }
    }

    fn mapping(&mut self, keys: &Keys, map: &mut Map<String, Value>, path: &mut Vec<Step>) {
        let known = |name: &str| keys.keys.iter().find(|key| key.name == name);
        let given: Vec<String> = map.keys().cloned().collect();
        for name in given {
            let of_other_case =
                keys.keys.iter().find(|key| key.name.eq_ignore_ascii_case(&name) && key.name != name);
            if let Some(key) = of_other_case
                && !map.contains_key(key.name)
                && let Some(value) = map.remove(&name)
            {
                path.push(Step::Key(name));
                let mut value = value;
                if !value.is_null() {
                    self.value(&key.form, &mut value, path);
                    map.insert(key.name.to_owned(), value);
                }
                path.pop();
                continue;
            }
            if map.get(&name).is_some_and(Value::is_null) {
                map.remove(&name);
                continue;
            }
            path.push(Step::Key(name.clone()));
            match (known(&name), map.get_mut(&name)) {
                (Some(key), Some(value)) => self.value(&key.form, value, path),
                _ => self.unknown(&name, keys, path),
            }
            path.pop();
        }
        for key in keys.keys.iter().filter(|key| key.needed && !map.contains_key(key.name)) {
            self.fault(path, &format!("has no {}, which is needed", key.name));
        }
    }

    fn unknown(&mut self, name: &str, keys: &Keys, path: &[Step]) {
        let meant = match nearest(name, keys.keys.iter().map(|key| key.name)) {
            Some(meant) => format!("; did you mean {meant}?"),
            None if keys.closed => {
                let all: Vec<_> = keys.keys.iter().map(|key| key.name).collect();
                format!("; there are {}", all.join(", "))
            }
            None => String::new(),
        };
        if keys.closed {
            self.fault(path, &format!("is no key that is known here{meant}"));
        } else {
            let told = format!("{} is no key that is known here, and is ignored{meant}", self.place(path));
            self.findings.unused.push(told);
        }
    }

    fn fault(&mut self, path: &[Step], told: &str) {
        let fault = format!("{} {told}", self.place(path));
        self.findings.faults.push(fault);
    }

    /// Where something is, for the user: line, entry, and keys.
    fn place(&self, path: &[Step]) -> String {
        let mut text = String::new();
        for (depth, step) in path.iter().enumerate() {
            match step {
                Step::Index(index) if depth == 0 => text.push_str(&format!("entry {}", index + 1)),
                Step::Index(index) => text.push_str(&format!("[{index}]")),
                Step::Key(key) if depth == 1 => text.push_str(&format!(": {key}")),
                Step::Key(key) => text.push_str(&format!(".{key}")),
            }
        }
        match self.root.map(|root| line(root, path)) {
            Some(line) => format!("line {line}, {text}"),
            None => text,
        }
    }
}

/// The line, from 1, of what a path leads to, or of the last on the way that is found: keys that are merged in from
/// elsewhere are not.
fn line(root: Node<'_, '_>, path: &[Step]) -> u32 {
    let (mut node, mut line) = (root, root.start().line);
    for step in path {
        let next = match (step, node.kind()) {
            (Step::Index(index), NodeKind::Sequence(_)) => {
                node.children().nth(*index).map(|item| (item.start().line, item))
            }
            (Step::Key(key), NodeKind::Mapping(_)) => node
                .entries()
                .find(|(name, _)| name.text() == key.as_bytes())
                .map(|(name, value)| (name.start().line, value)),
            _ => None,
        };
        let Some((at, next)) = next else { break };
        line = at;
        node = next.target().unwrap_or(next);
    }
    line + 1
}

fn found(value: &Value) -> String {
    match value {
        Value::Null => "empty".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {text:?}"),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "a mapping".into(),
    }
}

fn expected(form: &Form) -> String {
    match form {
        Form::Text => "a text".into(),
        Form::Flag => "true or false".into(),
        Form::Count => "a whole number".into(),
        Form::Positive => "a whole number of at least 1".into(),
        Form::Duration => "a duration in quotes, as \"30s\" or \"1m\",".into(),
        Form::Word(words) => format!("one of {}", words.join(", ")),
        Form::Mapping | Form::Keys(_) => "a mapping".into(),
        Form::List(_) => "a list".into(),
        Form::Any => "anything".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(text: &str) -> (Findings, Value) {
        let mut json = crate::convert::yaml_to_json(text.as_bytes()).unwrap();
        (check(text.as_bytes(), &mut json), json)
    }

    #[test]
    fn faults_have_lines_and_say_what_is_expected() {
        let text = "\
- group: a.example.com
  version: 1
  kind: A
  chart: x
  crd: Managd
  watchDependentResources: \"no\"
  maxHistory: ten
  reconcilePeriod: 5
  columns:
  - name: Tag
    jsonPath: [.spec.tag]
- version: v1
  kind: B
  valuesFrom: [{kind: Secret, nam: x}]
  values: [1]
- just a text
";
        let (findings, _) = look(text);
        let wanted = [
            "line 2, entry 1: version is the number 1, and a text is expected: put it in quotes",
            "line 5, entry 1: crd is the text \"Managd\", and one of managed, check, none is expected: did you mean managed?",
            "line 6, entry 1: watchDependentResources is the text \"no\", and true or false is expected: write it without quotes",
            "line 7, entry 1: maxHistory is the text \"ten\", and a whole number of at least 1 is expected: write it without quotes",
            "line 8, entry 1: reconcilePeriod is the number 5, and a duration in quotes, as \"30s\" or \"1m\", is expected",
            "line 11, entry 1: columns[0].jsonPath is a list, and a text is expected",
            "line 14, entry 2: valuesFrom[0].nam is no key that is known here; did you mean name?",
            "line 14, entry 2: valuesFrom[0] has no name, which is needed",
            "line 15, entry 2: values is a list, and a mapping is expected",
            "line 12, entry 2 has no chart, which is needed",
            "line 16, entry 3 is the text \"just a text\", and a mapping is expected",
        ];
        for wanted in wanted {
            assert!(findings.faults.iter().any(|fault| fault == wanted), "{wanted}\n{:#?}", findings.faults);
        }
        assert_eq!(findings.faults.len(), wanted.len(), "{:#?}", findings.faults);
    }

    #[test]
    fn unknown_keys_are_told_and_left() {
        let text = "- {version: v1, kind: A, chart: x,\n   maxHistroy: 3, own: {a: b}, plural: null, SCOPE: Cluster}\n";
        let (findings, json) = look(text);
        assert!(findings.faults.is_empty(), "{:?}", findings.faults);
        let told = [
            "line 2, entry 1: maxHistroy is no key that is known here, and is ignored; did you mean maxHistory?",
            "line 2, entry 1: own is no key that is known here, and is ignored",
        ];
        assert_eq!(findings.unused, told);
        assert_eq!(json[0]["scope"], "Cluster", "as Go reads it");
        assert!(json[0].get("plural").is_none() && json[0].get("own").is_some());
    }

    #[test]
    fn other_files_are_told_apart() {
        assert!(look("group: a\n").0.faults[0].contains("put a dash before each entry"));
        assert!(look("").0.faults.is_empty());
        let merged = "- &a {version: v1, kind: A, chart: x}\n- {<<: *a, kind: 5}\n";
        assert_eq!(
            look(merged).0.faults,
            ["line 2, entry 2: kind is the number 5, and a text is expected: put it in quotes"]
        );
    }
}
