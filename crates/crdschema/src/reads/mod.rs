//! What a chart's templates read from its values, and what they do with it.
//!
//! Templates are looked at, not run: `.Values.a.b`, `with` and `range` around `.b`, and variables are followed; values
//! handed to other templates are not.

mod functions;
mod syntax;
mod uses;

use std::collections::BTreeMap;

use functions::{Outcome, function};
use syntax::{Base, Operand, Piece, Pipeline, pieces};
pub(crate) use uses::Uses;

/// The key that stands for every item of a list and every key of a map.
pub(crate) const EACH: &str = "*";

/// Paths longer than this are no one's values.
const LONGEST_PATH: usize = 32;
/// No chart reads this many values; a made one could.
const MOST_READS: usize = 100_000;

/// The uses of a value, and of those inside it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    pub(crate) uses: Uses,
    pub(crate) below: BTreeMap<String, Reads>,
}

/// Reads templates one after the other.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    reads: Reads,
    count: usize,
}

impl Reader {
    /// Reads a template.
    pub(crate) fn template(&mut self, text: &[u8]) {
        // Most files under templates/ of the largest charts hold text alone.
        if !text.windows(6).any(|window| window == b"Values") {
            return;
        }
        let mut walk = Walk { reader: self, scopes: vec![Scope::new(Abstract::Root)], before: b"" };
        for piece in pieces(text) {
            walk.piece(&piece);
        }
    }

    /// Returns what was read below `.Values`.
    pub(crate) fn finish(self) -> Reads {
        self.reads
    }

    fn note(&mut self, path: &[String], uses: Uses) {
        if path.len() > LONGEST_PATH {
            return;
        }
        let mut reads = &mut self.reads;
        for key in path {
            if key != EACH {
                reads.uses |= Uses::KEYS;
            }
            if !reads.below.contains_key(key) {
                if self.count >= MOST_READS {
                    return;
                }
                self.count += 1;
            }
            reads = reads.below.entry(key.clone()).or_default();
        }
        reads.uses |= uses;
    }
}

/// What is known of a value without running the template.
#[derive(Clone, Debug)]
enum Abstract {
    /// What templates are called with.
    Root,
    /// One of these values.
    Values(Vec<Vec<String>>),
    /// The name of the kind of one of these.
    KindOf(Vec<Vec<String>>),
    /// Anything else.
    Opaque,
}

impl Abstract {
    fn field(&self, name: &str) -> Self {
        match self {
            Abstract::Root if name == "Values" => Abstract::Values(vec![Vec::new()]),
            Abstract::Values(paths) => Abstract::Values(
                paths.iter().map(|path| path.iter().cloned().chain([name.to_owned()]).collect()).collect(),
            ),
            _ => Abstract::Opaque,
        }
    }

    fn paths(&self) -> &[Vec<String>] {
        match self {
            Abstract::Values(paths) => paths,
            _ => &[],
        }
    }

    fn one_of(all: impl IntoIterator<Item = Self>) -> Self {
        let paths: Vec<_> = all.into_iter().flat_map(|value| value.paths().to_vec()).collect();
        if paths.is_empty() { Abstract::Opaque } else { Abstract::Values(paths) }
    }
}

/// A block under way.
struct Scope {
    dot: Abstract,
    /// Later ones hide earlier ones.
    variables: Vec<(String, Abstract)>,
}

impl Scope {
    fn new(dot: Abstract) -> Self {
        Self { dot, variables: Vec::new() }
    }
}

/// An argument of a call.
struct Argument<'p> {
    value: Abstract,
    literal: Option<&'p Base>,
}

struct Walk<'r, 't> {
    reader: &'r mut Reader,
    scopes: Vec<Scope>,
    /// The text before the action.
    before: &'t [u8],
}

impl<'t> Walk<'_, 't> {
    fn piece(&mut self, piece: &Piece<'t>) {
        match piece {
            Piece::Text(text) => {
                self.before = text;
                return;
            }
            Piece::Print(pipeline) => {
                let value = self.pipeline(pipeline);
                if pipeline.variables.is_empty() {
                    let replicas = self.before.trim_ascii_end().ends_with(b"replicas:");
                    let also = if replicas { Uses::REPLICAS } else { Uses::NONE };
                    self.note(&value, Uses::PRINTED | also);
                } else {
                    self.assign(&pipeline.variables, value);
                }
            }
            Piece::If(pipeline) => {
                let value = self.pipeline(pipeline);
                self.note(&value, Uses::TRUTH);
                self.open(self.dot());
                self.assign(&pipeline.variables, value);
            }
            Piece::With(pipeline) => {
                let value = self.pipeline(pipeline);
                self.note(&value, Uses::TRUTH);
                self.open(value.clone());
                self.assign(&pipeline.variables, value);
            }
            Piece::Range(pipeline) => self.range(pipeline),
            Piece::Else(next) => {
                self.close();
                match next {
                    Some(next) => self.piece(next),
                    None => self.open(self.dot()),
                }
            }
            Piece::End => self.close(),
            Piece::Define => self.open(Abstract::Root),
            Piece::Call(pipeline, opens) => {
                let value = self.pipeline(pipeline);
                self.note(&value, Uses::PASSED);
                if *opens {
                    self.open(value);
                }
            }
        }
        self.before = b"";
    }

    fn range(&mut self, pipeline: &Pipeline) {
        let value = self.pipeline(pipeline);
        let is_index = |name: &String| {
            matches!(name.as_str(), "_" | "i" | "j" | "n" | "e") || {
                let name = name.to_ascii_lowercase();
                name.contains("idx") || name.contains("index") || name.contains("count")
            }
        };
        let keyed = matches!(pipeline.variables.as_slice(), [key, _] if !is_index(key));
        self.note(&value, if keyed { Uses::RANGE | Uses::KEYED } else { Uses::RANGE });
        let each = value.field(EACH);
        self.open(each.clone());
        if let [name] | [_, name] = pipeline.variables.as_slice() {
            self.assign(std::slice::from_ref(name), each);
        }
    }

    fn open(&mut self, dot: Abstract) {
        self.scopes.push(Scope::new(dot));
    }

    fn close(&mut self) {
        // The first scope is the template's own.
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
    }

    fn dot(&self) -> Abstract {
        self.scopes.last().map_or(Abstract::Opaque, |scope| scope.dot.clone())
    }

    fn assign(&mut self, names: &[String], value: Abstract) {
        let ([name] | [_, name]) = names else { return };
        if let Some(scope) = self.scopes.last_mut() {
            scope.variables.push((name.clone(), value));
        }
    }

    fn variable(&self, name: &str) -> Abstract {
        if name.is_empty() {
            return Abstract::Root;
        }
        let variables = self.scopes.iter().rev().flat_map(|scope| scope.variables.iter().rev());
        variables
            .into_iter()
            .find(|(known, _)| known == name)
            .map_or(Abstract::Opaque, |(_, value)| value.clone())
    }

    fn note(&mut self, value: &Abstract, uses: Uses) {
        if !uses.is_none() {
            value.paths().iter().for_each(|path| self.reader.note(path, uses));
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Abstract {
        let mut piped: Option<Abstract> = None;
        for command in &pipeline.commands {
            piped = Some(self.command(command, piped));
        }
        piped.unwrap_or(Abstract::Opaque)
    }

    fn command(&mut self, command: &[Operand], piped: Option<Abstract>) -> Abstract {
        let Some((first, rest)) = command.split_first() else { return Abstract::Opaque };
        let Base::Function(name) = &first.base else { return self.operand(first) };
        let mut arguments: Vec<_> = rest
            .iter()
            .map(|operand| {
                let literal = operand.fields.is_empty().then_some(&operand.base);
                Argument { value: self.operand(operand), literal }
            })
            .collect();
        arguments.extend(piped.map(|value| Argument { value, literal: None }));
        let result = self.call(name, &arguments);
        first.fields.iter().fold(result, |value, field| value.field(field))
    }

    fn operand(&mut self, operand: &Operand) -> Abstract {
        let base = match &operand.base {
            Base::Dot => self.dot(),
            Base::Variable(name) => self.variable(name),
            Base::Group(pipeline) => self.pipeline(pipeline),
            Base::Function(_) | Base::Text(_) | Base::Number | Base::Bool | Base::Nil => Abstract::Opaque,
        };
        let value = operand.fields.iter().fold(base, |value, field| value.field(field));
        // Reading alone shows that the keys on the way are there.
        for path in value.paths().iter().filter(|path| !path.is_empty()) {
            self.reader.note(path, Uses::NONE);
        }
        value
    }

    fn call(&mut self, name: &str, arguments: &[Argument<'_>]) -> Abstract {
        let function = function(name);
        for (index, argument) in arguments.iter().enumerate() {
            let uses = function.uses.get(index).or(function.uses.last()).copied().unwrap_or_default();
            self.note(&argument.value, uses);
        }
        let values = || arguments.iter().map(|argument| argument.value.clone());
        match function.outcome {
            Outcome::Opaque => Abstract::Opaque,
            Outcome::First => values().next().unwrap_or(Abstract::Opaque),
            Outcome::Last => values().next_back().unwrap_or(Abstract::Opaque),
            Outcome::AnyOf => Abstract::one_of(values()),
            Outcome::Default => {
                if let [fallback, value] = arguments {
                    self.note(
                        &value.value,
                        literal_use(fallback, [Uses::OR_TEXT, Uses::OR_NUMBER, Uses::OR_BOOL]),
                    );
                }
                Abstract::one_of(values())
            }
            Outcome::Lookup => self.lookup(arguments),
            Outcome::KindOf => match values().next_back() {
                Some(Abstract::Values(paths)) => Abstract::KindOf(paths),
                _ => Abstract::Opaque,
            },
            Outcome::KindIs => {
                if let [Argument { literal: Some(Base::Text(kind)), .. }, value] = arguments {
                    self.note(&value.value, Uses::of_kind(kind));
                }
                Abstract::Opaque
            }
            Outcome::Equal => {
                self.equal(arguments);
                Abstract::Opaque
            }
        }
    }

    fn lookup(&mut self, arguments: &[Argument<'_>]) -> Abstract {
        let Some((first, keys)) = arguments.split_first() else { return Abstract::Opaque };
        let mut value = first.value.clone();
        for key in keys {
            value = match key.literal {
                Some(Base::Text(key)) => value.field(key),
                _ => value.field(EACH),
            };
            self.note(&value, Uses::NONE);
        }
        value
    }

    fn equal(&mut self, arguments: &[Argument<'_>]) {
        for argument in arguments {
            for other in arguments {
                match (&argument.value, other.literal) {
                    (Abstract::Values(_), Some(_)) => {
                        let uses = literal_use(other, [Uses::EQ_TEXT, Uses::EQ_NUMBER, Uses::EQ_BOOL]);
                        self.note(&argument.value, uses);
                    }
                    (Abstract::KindOf(paths), Some(Base::Text(kind))) => {
                        paths.iter().for_each(|path| self.reader.note(path, Uses::of_kind(kind)));
                    }
                    _ => {}
                }
            }
        }
    }
}

fn literal_use(argument: &Argument<'_>, [text, number, truth]: [Uses; 3]) -> Uses {
    match argument.literal {
        Some(Base::Text(_)) => text,
        Some(Base::Number) => number,
        Some(Base::Bool) => truth,
        _ => Uses::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(template: &str, path: &str) -> Uses {
        let mut reader = Reader::default();
        reader.template(template.as_bytes());
        let mut reads = &reader.reads;
        for key in path.split('.') {
            reads = reads.below.get(key).unwrap_or_else(|| panic!("{path} is not read by {template}"));
        }
        reads.uses
    }

    #[test]
    fn values_are_followed() {
        let cases = [
            ("{{ .Values.a.b }}", "a.b", Uses::PRINTED),
            ("{{ $.Values.a | quote }}", "a", Uses::QUOTED),
            ("{{ with .Values.a }}{{ .b }}{{ end }}", "a.b", Uses::PRINTED),
            ("{{ with .Values.a }}{{ else }}{{ .Values.b }}{{ end }}", "b", Uses::PRINTED),
            ("{{ range .Values.a }}{{ .b | trunc 3 }}{{ end }}", "a.*.b", Uses::TEXT),
            ("{{ range $key, $v := .Values.a }}{{ $v }}{{ end }}", "a", Uses::RANGE | Uses::KEYED),
            ("{{ range $i, $v := .Values.a }}{{ $v }}{{ end }}", "a", Uses::RANGE),
            ("{{ $x := .Values.a.b }}{{ $x.c | int }}", "a.b.c", Uses::CAST | Uses::PRINTED),
            ("{{ .Values.a | default 5 }}", "a", Uses::PRINTED | Uses::OR_NUMBER),
            ("{{ default (printf \"x\") .Values.a | trimSuffix \"-\" }}", "a", Uses::TEXT),
            ("{{ index .Values \"a-b\" \"c\" }}", "a-b.c", Uses::PRINTED),
            ("{{ toYaml (omit .Values.a \"b\") }}", "a", Uses::KEYS | Uses::DUMPED),
            ("{{ if kindIs \"string\" .Values.a }}{{ end }}", "a", Uses::KIND_TEXT),
            ("{{ if eq (typeOf .Values.a) \"[]interface {}\" }}{{ end }}", "a", Uses::KIND_LIST),
            ("{{ if eq .Values.a \"x\" }}{{ end }}", "a", Uses::EQ_TEXT),
            ("{{ define \"x\" }}{{ .Values.a | b64enc }}{{ end }}", "a", Uses::TEXT),
            ("replicas: {{ .Values.a }}", "a", Uses::PRINTED | Uses::REPLICAS),
            ("{{ include \"x\" (dict \"v\" .Values.a) }}", "a", Uses::PASSED),
            ("{{ if .Values.a }}{{ else if .Values.b }}{{ .Values.c }}{{ end }}", "b", Uses::TRUTH),
        ];
        for (template, path, wanted) in cases {
            assert_eq!(uses(template, path), wanted, "{template}");
        }
    }

    #[test]
    fn what_is_no_value_is_not_read() {
        let mut reader = Reader::default();
        reader.template(
            b"{{ range .Values.a }}{{ .Values.b }}{{ $.Chart.Values.c }}{{ end }}{{ .x.Values.d }}",
        );
        assert_eq!(reader.reads.below.keys().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn nesting_has_an_end() {
        let mut reader = Reader::default();
        let deep = format!("{{{{ {}.Values.a{} }}}}", "(".repeat(100_000), ")".repeat(100_000));
        reader.template(deep.as_bytes());
    }
}
