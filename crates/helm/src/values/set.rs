//! The grammar of `--set`, `--set-string`, `--set-json`, `--set-file` and `--set-literal` (Helm's `pkg/strvals`).

use gostd::{List, Map, Value};

use crate::Error;

/// The highest index a list may get.
const MAX_INDEX: i64 = 65_536;
/// How many dots one key may have.
const MAX_NESTING: usize = 30;
/// How many indices one key may have; Helm has no limit but its stack.
const MAX_INDICES: usize = 128;

/// Parses one `--set` argument (`a.b=1,c={x,y},d[2].e=z`) into `values`. Whole numbers become int64.
pub fn parse_set(text: &str, values: &Map) -> Result<(), Error> {
    run(text, values, Grammar::Escaped(&|text| Ok(typed(text)))).map_err(failed("--set"))
}

/// Parses one `--set-string` argument into `values`: as [`parse_set`], but every value is a string.
pub fn parse_set_string(text: &str, values: &Map) -> Result<(), Error> {
    run(text, values, Grammar::Escaped(&|text| Ok(Value::from(text)))).map_err(failed("--set-string"))
}

/// Parses one `--set-file` argument into `values`: the values are names of files, which `read` fetches.
pub fn parse_set_file(
    text: &str,
    values: &Map,
    read: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<(), Error> {
    let fetch = |name: &str| read(name).map(Value::string);
    run(text, values, Grammar::Escaped(&fetch)).map_err(failed("--set-file"))
}

/// Parses one `--set-json` argument into `values`: the values are JSON.
pub fn parse_set_json(text: &str, values: &Map) -> Result<(), Error> {
    run(text, values, Grammar::Json)
        .map_err(|_| Error::Values(format!("failed parsing --set-json data {text}")))
}

/// Parses one `--set-literal` argument into `values`: everything after the first `=` is the value, as it stands.
pub fn parse_set_literal(text: &str, values: &Map) -> Result<(), Error> {
    run(text, values, Grammar::Literal).map_err(failed("--set-literal"))
}

fn failed(option: &'static str) -> impl Fn(String) -> Error {
    move |reason| Error::Values(format!("failed parsing {option} data: {reason}"))
}

fn run(text: &str, values: &Map, grammar: Grammar<'_>) -> Result<(), String> {
    let mut parser = Parser { rest: text, grammar, indices: 0 };
    loop {
        parser.indices = 0;
        match parser.key(values, 0) {
            Ok(()) => {}
            Err(Stop::End) => return Ok(()),
            Err(Stop::Failed(reason)) => return Err(reason),
        }
    }
}

/// The type `--set` gives to a bare word.
fn typed(text: &str) -> Value {
    const WORDS: &[(&str, Value)] = &[
        ("true", Value::Bool(true)),
        ("false", Value::Bool(false)),
        ("null", Value::Nil),
        ("0", Value::Int64(0)),
    ];
    if let Some((_, value)) = WORDS.iter().find(|(word, _)| text.eq_ignore_ascii_case(word)) {
        return value.clone();
    }
    match text.parse() {
        Ok(number) if !text.starts_with('0') => Value::Int64(number),
        _ => Value::from(text),
    }
}

/// How keys end and what stands behind `=`.
#[derive(Clone, Copy)]
enum Grammar<'a> {
    /// Backslash escapes, commas between pairs, `{}` lists; the function makes a value of a word.
    Escaped(&'a dyn Fn(&str) -> Result<Value, String>),
    /// Like `Escaped`, with JSON for values.
    Json,
    /// No escapes, one pair only.
    Literal,
}

/// Why parsing stopped: the end of the text (no error), or a mistake.
enum Stop {
    End,
    Failed(String),
}

impl From<String> for Stop {
    fn from(reason: String) -> Self {
        Stop::Failed(reason)
    }
}

impl From<&str> for Stop {
    fn from(reason: &str) -> Self {
        Stop::Failed(reason.to_owned())
    }
}

struct Parser<'a> {
    rest: &'a str,
    grammar: Grammar<'a>,
    /// Indices met in the current key.
    indices: usize,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next()?;
        self.rest = letters.as_str();
        Some(letter)
    }

    /// Reads up to one of `stops` and consumes it; the second part is `None` at the end of the text.
    fn until(&mut self, stops: &[char]) -> (String, Option<char>) {
        let escapes = !matches!(self.grammar, Grammar::Literal);
        let mut text = String::new();
        while let Some(letter) = self.next() {
            match letter {
                stop if stops.contains(&stop) => return (text, Some(stop)),
                '\\' if escapes => match self.next() {
                    Some(escaped) => text.push(escaped),
                    None => return (text, None),
                },
                letter => text.push(letter),
            }
        }
        (text, None)
    }

    /// Reads one `key=value` into `data`; a key with dots or indices recurses.
    fn key(&mut self, data: &Map, nesting: usize) -> Result<(), Stop> {
        let stops: &[char] =
            if matches!(self.grammar, Grammar::Literal) { &['=', '[', '.'] } else { &['=', '[', ',', '.'] };
        let (key, stop) = self.until(stops);
        match stop {
            None if key.is_empty() => Err(Stop::End),
            None => Err(format!("key {} has no value", quoted(&key)).into()),
            Some('[') => self.indexed(data, &key, nesting),
            Some('=') => {
                let (value, stop) = self.value()?;
                put(data, &key, value);
                stop.map_or(Ok(()), Err)
            }
            Some(',') => Err(format!("key {} has no value (cannot end with ,)", quoted(&key)).into()),
            Some(_) => self.nested(data, &key, nesting + 1),
        }
    }

    fn indexed(&mut self, data: &Map, key: &str, nesting: usize) -> Result<(), Stop> {
        let index = self.index()?;
        let mut list = match data.get(key) {
            None => Vec::new(),
            Some(Value::List(list)) => list.to_vec(),
            Some(other) => return Err(not_assertable(&other, "[]interface {}").into()),
        };
        let stop = self.item(&mut list, index, nesting);
        put(data, key, Value::list(list));
        stop
    }

    fn nested(&mut self, data: &Map, key: &str, nesting: usize) -> Result<(), Stop> {
        check_nesting(nesting)?;
        let inner = match data.get(key) {
            None => Map::new(),
            Some(Value::Map(map)) => map,
            Some(other) => return Err(not_assertable(&other, "map[string]interface {}").into()),
        };
        let result = self.key(&inner, nesting);
        if inner.is_empty() {
            return result.and_then(|()| Err(format!("key map {} has no value", quoted(key)).into()));
        }
        put(data, key, Value::Map(inner));
        result
    }

    /// Reads the number of `[n]`.
    fn index(&mut self) -> Result<i64, Stop> {
        self.indices += 1;
        if self.indices > MAX_INDICES {
            return Err(format!("key has more than {MAX_INDICES} list indices").into());
        }
        let (digits, stop) = self.until(&[']']);
        if stop.is_none() {
            return Err("error parsing index: EOF".into());
        }
        gostd::strconv::atoi(digits.as_bytes())
            .map_err(|error| format!("error parsing index: {error}").into())
    }

    /// Reads what follows `[n]` and puts it into the list.
    fn item(&mut self, list: &mut Vec<Value>, index: i64, nesting: usize) -> Result<(), Stop> {
        if index < 0 {
            return Err(format!("negative {index} index not allowed").into());
        }
        let (extra, stop) = self.until(&['[', '.', '=']);
        if !extra.is_empty() {
            let runes: Vec<_> = extra.chars().map(gostd::strconv::quote_rune).collect();
            return Err(format!("unexpected data at end of array index: [{}]", runes.join(" ")).into());
        }
        let position = usize::try_from(index).unwrap_or(usize::MAX);
        let existing = list.get(position).cloned();
        match stop {
            None => Err(Stop::End),
            Some('=') => {
                let (value, stop) = self.value()?;
                set_index(list, index, value)?;
                // Helm forgets the end of the text here and meets it again at the next key.
                drop(stop);
                Ok(())
            }
            Some('[') => {
                let next = self.index()?;
                let mut inner = match existing {
                    None | Some(Value::Nil) => Vec::new(),
                    Some(Value::List(inner)) => inner.to_vec(),
                    Some(other) => return Err(not_assertable(&other, "[]interface {}").into()),
                };
                self.item(&mut inner, next, nesting)?;
                Ok(set_index(list, index, Value::list(inner))?)
            }
            Some(_) => {
                let inner = match existing {
                    Some(Value::Map(map)) => map,
                    _ => Map::new(),
                };
                if let Some(place) = list.get_mut(position) {
                    *place = Value::Map(inner.clone());
                }
                self.key(&inner, nesting)?;
                Ok(set_index(list, index, Value::Map(inner))?)
            }
        }
    }

    /// Reads what stands behind `=`. The text may end with it, which ends the whole argument.
    fn value(&mut self) -> Result<(Value, Option<Stop>), Stop> {
        match self.grammar {
            Grammar::Literal => Ok((Value::from(std::mem::take(&mut self.rest)), None)),
            Grammar::Json => Ok((self.json()?, None)),
            Grammar::Escaped(make) => {
                let Some(first) = self.rest.chars().next() else {
                    return Ok((Value::from(""), Some(Stop::End)));
                };
                if first == '{' {
                    self.next();
                    return Ok((self.list(make)?, None));
                }
                let (word, _) = self.until(&[',']);
                Ok((make(&word)?, None))
            }
        }
    }

    fn list(&mut self, make: &dyn Fn(&str) -> Result<Value, String>) -> Result<Value, Stop> {
        let mut items = Vec::new();
        loop {
            let (word, stop) = self.until(&[',', '}']);
            if stop.is_none() {
                return Err("list must terminate with '}'".into());
            }
            items.push(make(&word)?);
            if stop == Some('}') {
                self.rest = self.rest.strip_prefix(',').unwrap_or(self.rest);
                return Ok(Value::List(List::any(items)));
            }
        }
    }

    fn json(&mut self) -> Result<Value, Stop> {
        if self.at_empty_value() {
            return Ok(Value::Nil);
        }
        let (value, length) =
            gostd::json::unmarshal_prefix(self.rest.as_bytes()).map_err(|error| error.to_string())?;
        self.rest = self.rest.get(length..).unwrap_or_default();
        self.at_empty_value();
        Ok(value)
    }

    /// Skips white space; reports whether the text or the pair ends there, and consumes the comma that ends it.
    fn at_empty_value(&mut self) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(',');
        let empty = rest.is_some() || self.rest.is_empty();
        self.rest = rest.unwrap_or(self.rest);
        empty
    }
}

fn check_nesting(nesting: usize) -> Result<(), Stop> {
    if nesting <= MAX_NESTING {
        return Ok(());
    }
    Err(format!("value name nested level is greater than maximum supported nested level of {MAX_NESTING}")
        .into())
}

/// An empty key sets nothing.
fn put(data: &Map, key: &str, value: Value) {
    if !key.is_empty() {
        let _ = data.insert(key, value); // Never nil: all maps here are made by us or by the YAML reader.
    }
}

fn set_index(list: &mut Vec<Value>, index: i64, value: Value) -> Result<(), String> {
    if index > MAX_INDEX {
        return Err(format!("index of {index} is greater than maximum supported index of {MAX_INDEX}"));
    }
    let index = usize::try_from(index).map_err(|_| format!("negative {index} index not allowed"))?;
    if list.len() <= index {
        list.resize(index + 1, Value::Nil);
    }
    if let Some(place) = list.get_mut(index) {
        *place = value;
    }
    Ok(())
}

/// Go's panic when a value has another type than the key asks for, as strvals words it.
fn not_assertable(value: &Value, wanted: &str) -> String {
    let found = if value.is_nil() { "nil" } else { value.type_name() };
    format!("unable to parse key: interface conversion: interface {{}} is {found}, not {wanted}")
}

fn quoted(text: &str) -> String {
    gostd::strconv::quote(text.as_bytes())
}
