//! The comments of values.yaml, each with the value it is about.

use std::collections::HashMap;

use goyaml::{Document, Node, NodeKind, Source};

use super::prose::Code;
use super::{annotation, prose};
use crate::field::DEEPEST;
use crate::reads::EACH;
use crate::types::Types;

/// What the comments say of one value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Note {
    /// The value's place in the file.
    pub(crate) order: u32,
    pub(crate) text: Option<String>,
    /// The types it names.
    pub(crate) hint: Option<Types>,
    /// The default it names, where values.yaml has none that says it.
    pub(crate) default: Option<String>,
    /// What an `@schema` comment says.
    pub(crate) annotation: Option<serde_json::Value>,
}

/// The comments of a values.yaml.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// By the keys of the path, each with a zero byte behind it.
    by_path: HashMap<String, Note>,
    /// Values that only a comment knows: their dotted path and what it says.
    pub(crate) extra: Vec<(String, Note)>,
}

/// The words that name a type in a comment.
const TYPE_WORDS: &[(&str, Types)] = &[
    ("string", Types::TEXT),
    ("str", Types::TEXT),
    ("tpl", Types::TEXT),
    ("yaml", Types::TEXT),
    ("int", Types::WHOLE),
    ("integer", Types::WHOLE),
    ("number", Types::NUMBER),
    ("float", Types::NUMBER),
    ("bool", Types::BOOL),
    ("boolean", Types::BOOL),
    ("list", Types::LIST),
    ("array", Types::LIST),
    ("object", Types::MAP),
    ("map", Types::MAP),
    ("dict", Types::MAP),
    ("any", Types::ANY),
];

/// Returns the types that a text such as `string`, `tpl/list` or `int, string` names; `None` if a word is none of them.
pub(super) fn named_types(text: &str) -> Option<Types> {
    let words = text.split(['/', ',', '|', ' ']).filter(|word| !word.is_empty() && *word != "or");
    let mut types = Types::NONE;
    for word in words {
        let word = word.to_ascii_lowercase();
        if word == "nullable" || word == "null" {
            continue;
        }
        let (_, named) = TYPE_WORDS.iter().find(|(name, _)| *name == word)?;
        types = types | *named;
    }
    (types != Types::NONE).then_some(types)
}

impl Notes {
    /// Reads the comments; none if the text is not YAML.
    pub(crate) fn read(text: &[u8]) -> Self {
        let source = Source::new(text);
        let Ok(Some(document)) = Document::parse_with_comments(&source) else { return Self::default() };
        let lines = Lines::of(source.text(), &document);
        let mut collector =
            Collector { lines: &lines, notes: HashMap::new(), by_name: lines.named(), order: 0 };
        collector.node(document.root(), &mut String::new(), 0);
        let Collector { notes, by_name, .. } = collector;
        let extra = by_name.into_iter().filter(|(_, named)| !named.used && named.extra);
        Self { by_path: notes, extra: extra.map(|(path, named)| (path, named.note)).collect() }
    }

    pub(super) fn at(&self, path: &str) -> Option<&Note> {
        self.by_path.get(path)
    }
}

/// A comment that names the value it is about.
#[derive(Debug)]
struct Named {
    note: Note,
    /// Set when values.yaml has the value.
    used: bool,
    /// Set when it is known to be left out of values.yaml.
    extra: bool,
}

/// The comments by line.
struct Lines<'t> {
    lines: Vec<Option<Line<'t>>>,
}

#[derive(Clone, Copy)]
struct Line<'t> {
    column: u32,
    /// Without the leading `#`.
    text: &'t str,
    /// Nothing stands before it.
    alone: bool,
}

impl<'t> Lines<'t> {
    fn of(text: &[u8], document: &'t Document<'_>) -> Self {
        let starts_with_hash: Vec<bool> =
            text.split(|byte| *byte == b'\n').map(|line| line.trim_ascii_start().starts_with(b"#")).collect();
        let mut lines = vec![None; starts_with_hash.len() + 1];
        for comment in document.comments() {
            let number = comment.mark.line as usize;
            let text = std::str::from_utf8(comment.text).unwrap_or_default();
            if let Some(line) = lines.get_mut(number) {
                let alone = starts_with_hash.get(number).copied().unwrap_or_default();
                *line = Some(Line { column: comment.mark.column, text: text.trim_start_matches('#'), alone });
            }
        }
        Self { lines }
    }

    fn at(&self, number: u32) -> Option<Line<'t>> {
        self.lines.get(number as usize).copied().flatten()
    }

    /// The comments that stand directly above a line, in the same column.
    fn above(&self, line: u32, column: u32) -> Vec<&'t str> {
        let mut block = Vec::new();
        for number in (0..line).rev() {
            match self.at(number) {
                Some(line) if line.alone && line.column == column => block.push(line.text),
                _ => break,
            }
        }
        block.reverse();
        block
    }

    /// The first comment below a line that is indented deeper, which often shows what may stand there.
    fn below(&self, line: u32, column: u32) -> Option<&'t str> {
        let next = self.at(line + 1)?;
        let deeper = next.alone && next.column > column;
        let item = next.alone && next.column == column && next.text.trim_start().starts_with("- ");
        if !deeper && !item {
            return None;
        }
        let mut number = line + 1;
        while let Some(line) = self.at(number) {
            if !line.alone || line.column != next.column {
                return None;
            }
            if prose::is_code(line.text) {
                return Some(line.text);
            }
            number += 1;
        }
        None
    }

    /// The comments that name their value: `@param a.b text`, `@extra a.b text` and `a.b -- text`.
    fn named(&self) -> HashMap<String, Named> {
        let mut all = HashMap::new();
        for line in self.lines.iter().flatten() {
            let text = line.text.trim();
            let param = text.strip_prefix("@param ").map(|rest| (rest, false));
            let extra = text.strip_prefix("@extra ").map(|rest| (rest, true));
            if let Some((rest, extra)) = param.or(extra) {
                let (path, rest) =
                    rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
                all.insert(normalized(path), Named { note: param_note(rest), used: false, extra });
            } else if let Some((path, rest)) = helm_docs_start(text).filter(|(path, _)| !path.is_empty()) {
                let named = Named { note: helm_docs_note(rest, &[]), used: false, extra: false };
                all.entry(normalized(path)).or_insert(named);
            }
        }
        all
    }
}

/// Writes the index of a list item as the key that stands for all.
fn normalized(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((index, after)) = after.split_once(']') else { break };
        out.push_str(before);
        if index.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push('.');
            out.push_str(EACH);
        } else {
            out.push('.');
            out.push_str(index.trim_matches(['"', '\'']));
        }
        rest = after;
    }
    out.push_str(rest);
    out.replace(['"', '\\'], "")
}

/// Reads what follows the path of a `@param`: modifiers in brackets, then the text.
fn param_note(rest: &str) -> Note {
    let rest = rest.trim();
    let mut note = Note::default();
    let (modifiers, text) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some(split) => split,
        None => ("", rest),
    };
    for modifier in modifiers.split(',').map(str::trim).filter(|modifier| !modifier.is_empty()) {
        match modifier.strip_prefix("default:") {
            Some(default) => note.default = Some(default.trim().to_owned()),
            None => note.hint = named_types(modifier).or(note.hint),
        }
    }
    note.text = prose::cleaned(text);
    note
}

/// Finds the start of a helm-docs comment: `-- text` or `path -- text`.
fn helm_docs_start(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let (path, rest) = match text.strip_prefix("--") {
        Some(rest) => ("", rest),
        None => text.split_once(" --")?,
    };
    let is_start = rest.is_empty() || rest.starts_with(' ');
    let is_path = !path.contains(char::is_whitespace) && !path.starts_with(['@', '-']);
    (is_start && is_path).then_some((path, rest.trim()))
}

/// Reads a helm-docs comment: the text behind the dashes and the lines that follow.
fn helm_docs_note(first: &str, rest: &[&str]) -> Note {
    let mut note = Note::default();
    let first = match first.strip_prefix('(').and_then(|first| first.split_once(')')) {
        Some((types, text)) if named_types(types).is_some() => {
            note.hint = named_types(types);
            text
        }
        _ => first,
    };
    let mut lines = vec![first];
    for line in rest {
        match line.trim().strip_prefix("@default --") {
            Some(default) => note.default = Some(unquoted(default.trim()).to_owned()),
            None => lines.push(line),
        }
    }
    note.text = prose::text(&lines, Code::Nothing);
    note
}

/// Takes off the backquotes around the whole of a text.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
    inner.filter(|inner| !inner.contains('`')).unwrap_or(text)
}

struct Collector<'l, 't> {
    lines: &'l Lines<'t>,
    notes: HashMap<String, Note>,
    by_name: HashMap<String, Named>,
    order: u32,
}

impl Collector<'_, '_> {
    fn node(&mut self, node: Node<'_, '_>, path: &mut String, depth: usize) {
        if depth >= DEEPEST {
            return;
        }
        match node.kind() {
            NodeKind::Mapping(_) => {
                for (key, value) in node.entries() {
                    let length = path.len();
                    path.push_str(&gostd::value::lossy(key.text()));
                    path.push('\0');
                    self.entry(key, value, path);
                    self.node(value, path, depth + 1);
                    path.truncate(length);
                }
            }
            NodeKind::Sequence(_) => {
                let length = path.len();
                path.push_str(EACH);
                path.push('\0');
                node.children().for_each(|item| self.node(item, path, depth + 1));
                path.truncate(length);
            }
            _ => {}
        }
    }

    fn entry(&mut self, key: Node<'_, '_>, value: Node<'_, '_>, path: &str) {
        let (line, column) = (key.start().line, key.start().column);
        let block = self.lines.above(line, column);
        let behind = self.lines.at(line).filter(|line| !line.alone).map(|line| line.text);
        let mut note =
            block_note(&block, behind, if is_empty(value) { Code::Either } else { Code::Neighbour });
        let dotted = path.trim_end_matches('\0').replace('\0', ".");
        if let Some(named) = self.by_name.get_mut(&dotted) {
            named.used = true;
            let said = named.note.clone();
            note.text = said.text.or(note.text);
            note.hint = said.hint.or(note.hint);
            note.default = said.default.or(note.default);
        }
        if note.hint.is_none() && is_null(value) {
            note.hint = self
                .lines
                .below(line, column)
                .map(|example| if example.trim_start().starts_with("- ") { Types::LIST } else { Types::MAP });
        }
        self.order += 1;
        note.order = self.order;
        // The items of a list share their keys' notes: the first that says something counts.
        let known = self.notes.entry(path.to_owned()).or_default();
        if *known == Note::default() || (known.text.is_none() && note.text.is_some()) {
            *known = note;
        }
    }
}

/// Reports whether a value is null or holds nothing, so that comments may show what it could hold.
fn is_empty(value: Node<'_, '_>) -> bool {
    match value.kind() {
        NodeKind::Scalar(_) => is_null(value) || value.text().is_empty(),
        NodeKind::Alias => false,
        NodeKind::Sequence(_) | NodeKind::Mapping(_) => value.children().next().is_none(),
    }
}

fn is_null(value: Node<'_, '_>) -> bool {
    matches!(value.kind(), NodeKind::Scalar(_)) && matches!(value.scalar(), Ok(goyaml::Scalar::Null))
}

/// Returns the text of a helm-docs comment for the key below it.
fn starts<'t>(line: &&'t str) -> Option<&'t str> {
    helm_docs_start(line).filter(|(path, _)| path.is_empty()).map(|(_, rest)| rest)
}

/// Reads the comments above a key and behind it.
fn block_note(block: &[&str], behind: Option<&str>, code_is: Code) -> Note {
    let (lines, mut annotation) = annotation::take(block);
    let mut tail = Vec::new();
    if let Some(behind) = behind {
        let (rest, more) = annotation::take(&[behind]);
        annotation = annotation.or(more);
        tail = rest;
    }
    let mut note = match lines.iter().rposition(|line| starts(line).is_some()) {
        Some(start) => {
            let (first, rest) = lines.split_at(start + 1);
            let first = first.last().and_then(starts).unwrap_or_default();
            helm_docs_note(first, rest)
        }
        None => match tail.first().and_then(starts) {
            Some(first) => helm_docs_note(first, &[]),
            None => Note {
                text: prose::text(&lines, code_is).or_else(|| prose::text(&tail, code_is)),
                ..Note::default()
            },
        },
    };
    if note.text.is_none() {
        note.text = annotation.as_ref().and_then(|schema| {
            let text = schema.get("description").or_else(|| schema.get("title"));
            text.and_then(serde_json::Value::as_str).and_then(prose::cleaned)
        });
    }
    note.annotation = annotation;
    note
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(text: &str, path: &str) -> Note {
        let path: String = path.split('.').map(|key| format!("{key}\0")).collect();
        Notes::read(text.as_bytes()).at(&path).cloned().unwrap_or_default()
    }

    fn text(values: &str, path: &str) -> Option<String> {
        note(values, path).text
    }

    #[test]
    fn plain_comments_stand_above_or_behind() {
        let values = "# Default values for x.\n# Declare variables to be passed into your templates.\n\
                      count: 1\n\n# Not about it\n\n# How many\n# of them\na:\n  b: 1 # Behind\n  # Above\n  c: 2\n";
        assert_eq!(text(values, "count"), None);
        assert_eq!(text(values, "a"), Some("How many of them".into()));
        assert_eq!(text(values, "a.b"), Some("Behind".into()));
        assert_eq!(text(values, "a.c"), Some("Above".into()));
    }

    #[test]
    fn comments_of_another_column_belong_to_others() {
        let values = "a: {}\n  # cpu: 1\n## About b\nb: 1\n";
        assert_eq!(text(values, "a"), None);
        assert_eq!(text(values, "b"), Some("About b".into()));
    }

    #[test]
    fn helm_docs_comments_are_understood() {
        let values = "# An example:\n# -- (int) The port\n# of it\n# @default -- `8080`, or none\n# @section -- Net\nport:\n\
                      # x.y -- Named\nx:\n  y: 1\nz: 1 # -- Behind\n";
        let port = note(values, "port");
        assert_eq!(port.text.as_deref(), Some("The port of it"));
        assert_eq!(port.hint, Some(Types::WHOLE));
        assert_eq!(port.default.as_deref(), Some("`8080`, or none"));
        assert_eq!(text(values, "x.y"), Some("Named".into()));
        assert_eq!(text(values, "z"), Some("Behind".into()));
    }

    #[test]
    fn params_name_their_value() {
        let values = "## @section Net\n## @param net.port [string,nullable] The port\n## @param hosts[0].name A name\n\
                      ## @extra net.more More\nnet:\n  port: 1\nhosts:\n  - name: a\n";
        assert_eq!(text(values, "net.port"), Some("The port".into()));
        assert_eq!(note(values, "net.port").hint, Some(Types::TEXT));
        assert_eq!(text(values, "hosts.*.name"), Some("A name".into()));
        assert_eq!(text(values, "net"), None);
        let extra = Notes::read(values.as_bytes()).extra;
        assert_eq!(extra.len(), 1);
        assert_eq!(extra[0].0, "net.more");
    }

    #[test]
    fn what_is_shown_below_a_null_tells_its_type() {
        let values = "a:\n  # For example\n  # b: 1\nc:\n# - d\n# - e\nf:\n  # Nothing to see\ng: 1\n";
        assert_eq!(note(values, "a").hint, Some(Types::MAP));
        assert_eq!(note(values, "c").hint, Some(Types::LIST));
        assert_eq!(note(values, "f").hint, None);
    }

    #[test]
    fn types_are_named_in_many_ways() {
        assert_eq!(named_types("tpl/list"), Some(Types::TEXT | Types::LIST));
        assert_eq!(named_types("int, string"), Some(Types::TEXT_OR_WHOLE));
        assert_eq!(named_types("object or null"), Some(Types::MAP));
        assert_eq!(named_types("k8s/storage/volume"), None);
    }
}
