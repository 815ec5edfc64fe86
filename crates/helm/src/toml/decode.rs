//! Reading TOML into maps.

use std::collections::{BTreeMap, HashMap, HashSet};

use gostd::strconv::{Cause, parse_float, parse_int, quote};
use gostd::time::{Time, Zone};
use gostd::value::{Elem, ListType};
use gostd::{GoStr, List, Map, Value};
use sprig::times::GoTime;

use super::lexer::{Item, Kind, Lexer};
use super::write_path;

/// Arrays and inline tables may nest this deep.
const DEEPEST: usize = 100;

/// `[]map[string]interface {}`: what an array of tables is read as.
static TABLES: ListType = ListType {
    name: "[]map[string]interface {}",
    elem: Elem::Named("map[string]interface {}"),
    methods: &[],
};

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The text is not TOML.
    #[error("toml: line {line}{}: {message}", last_key(.key))]
    Syntax {
        /// What is wrong.
        message: String,
        /// Where, from 1.
        line: i64,
        /// The key that was read last.
        key: Vec<u8>,
    },
    /// The library panics.
    #[error("BUG: {0}\n\n")]
    Bug(String),
}

fn last_key(key: &[u8]) -> String {
    if key.is_empty() { String::new() } else { format!(" (last key {})", quote(key)) }
}

/// Reads a TOML text. Dates and times without a zone are as many seconds east of UTC as `offset` says.
pub(crate) fn decode(text: &[u8], local: &Zone, offset: i64) -> Result<Map, DecodeError> {
    let text = match text {
        [0xFF, 0xFE, rest @ ..] | [0xFE, 0xFF, rest @ ..] | [0xEF, 0xBB, 0xBF, rest @ ..] => rest,
        text => text,
    };
    if text.iter().take(6).any(|byte| *byte == 0) {
        let message =
            "files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8".to_owned();
        return Err(DecodeError::Syntax { message, line: 1, key: Vec::new() });
    }
    let mut parser = Parser::new(text, local, offset);
    loop {
        let item = parser.next()?;
        if item.kind == Kind::Eof {
            return Ok(parser.into_map());
        }
        parser.top_level(&item)?;
    }
}

type Path = Vec<GoStr>;
type Outcome<T> = Result<T, DecodeError>;

/// A table while it is being filled.
type Table = BTreeMap<GoStr, Entry>;

#[derive(Clone)]
enum Entry {
    Value(Value),
    /// The number of a table.
    Table(usize),
    /// The numbers of the tables of an array.
    Tables(Vec<usize>),
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    local: &'t Zone,
    offset: i64,
    /// The tables read so far; the first is the document.
    tables: Vec<Table>,
    /// The keys of the table being filled.
    context: Path,
    current_key: GoStr,
    /// The line of the key that was read last.
    line: i64,
    /// Keys that hold arrays.
    arrays: HashMap<Vec<u8>, bool>,
    /// Tables that exist only because something is inside them.
    implicit: HashSet<Vec<u8>>,
    depth: usize,
}

fn path_text(path: &[GoStr]) -> Vec<u8> {
    let mut out = Vec::new();
    write_path(&mut out, path);
    out
}

fn joined(path: &[GoStr], key: &GoStr) -> Path {
    let mut path = path.to_vec();
    path.push(key.clone());
    path
}

impl<'t> Parser<'t> {
    fn new(text: &'t [u8], local: &'t Zone, offset: i64) -> Self {
        Self {
            lexer: Lexer::new(text),
            local,
            offset,
            tables: vec![Table::new()],
            context: Vec::new(),
            current_key: GoStr::default(),
            line: 1,
            arrays: HashMap::new(),
            implicit: HashSet::new(),
            depth: 0,
        }
    }

    fn next(&mut self) -> Outcome<Item> {
        let item = self.lexer.next_item();
        match item.kind {
            Kind::Error => Err(self.error_at(item.line, gostd::value::lossy(&item.text))),
            _ => Ok(item),
        }
    }

    fn error_at(&self, line: i64, message: String) -> DecodeError {
        let key = match (self.current_key.is_empty(), self.context.is_empty()) {
            (true, _) => path_text(&self.context),
            (false, true) => self.current_key.to_vec(),
            (false, false) => [path_text(&self.context), self.current_key.to_vec()].join(&b'.'),
        };
        DecodeError::Syntax { message, line, key }
    }

    /// An error about a key, reported for the line of the key that was read last.
    fn key_error(&self, before: &str, path: &[GoStr], after: &str) -> DecodeError {
        let path = gostd::value::lossy(&path_text(path));
        self.error_at(self.line, format!("{before}'{path}'{after}"))
    }

    fn top_level(&mut self, item: &Item) -> Outcome<()> {
        match item.kind {
            Kind::CommentStart => self.next().map(drop),
            Kind::TableStart => {
                let path = self.key_path(Kind::TableEnd)?;
                self.enter(&path, false)?;
                self.note_type(&GoStr::default(), false);
                Ok(())
            }
            Kind::ArrayTableStart => {
                let path = self.key_path(Kind::ArrayTableEnd)?;
                self.enter(&path, true)?;
                self.note_type(&GoStr::default(), false);
                Ok(())
            }
            Kind::KeyStart => {
                let outer = self.context.clone();
                self.key_value()?;
                self.context = outer;
                self.current_key = GoStr::default();
                Ok(())
            }
            other => Err(DecodeError::Bug(format!("Unexpected type at top level: {other:?}"))),
        }
    }

    /// Reads the parts of a key up to its end.
    fn key_path(&mut self, end: Kind) -> Outcome<Path> {
        let mut path = Vec::new();
        let mut item = self.next()?;
        self.line = item.line;
        while item.kind != end && item.kind != Kind::Eof {
            path.push(self.key_text(&item)?);
            item = self.next()?;
        }
        Ok(path)
    }

    fn key_text(&mut self, item: &Item) -> Outcome<GoStr> {
        match item.kind {
            Kind::Text => Ok(item.text.as_slice().into()),
            _ => match self.value(item, false)? {
                Value::String(text) => Ok(text),
                _ => Err(DecodeError::Bug(format!("Unexpected key type: {:?}", item.kind))),
            },
        }
    }

    /// Reads a key and its value into the current table; returns the key's path and the value.
    fn key_value(&mut self) -> Outcome<(Path, Value)> {
        let mut path = self.key_path(Kind::KeyEnd)?;
        let Some(key) = path.pop() else { return Err(DecodeError::Bug("Empty key.".to_owned())) };
        self.current_key = key.clone();
        for part in &path {
            let context = joined(&self.context, part);
            self.implicit.insert(path_text(&context));
            self.enter(&context, false)?;
        }
        let item = self.next()?;
        let value = self.value(&item, false)?;
        self.set(&key, Entry::Value(value.clone()))?;
        self.note_type(&key, matches!(item.kind, Kind::Array));
        path.push(key);
        Ok((path, value))
    }

    /// Remembers whether a key of the current table holds an array.
    fn note_type(&mut self, key: &GoStr, is_array: bool) {
        let path = if key.is_empty() { self.context.clone() } else { joined(&self.context, key) };
        self.arrays.insert(path_text(&path), is_array);
    }

    /// Makes a table, or one more table of an array, and goes into it.
    fn enter(&mut self, path: &[GoStr], array: bool) -> Outcome<()> {
        let Some((key, parents)) = path.split_last() else { return Ok(()) };
        let mut table = 0;
        let mut context = Path::new();
        for parent in parents {
            context.push(parent.clone());
            table = match self.entry(table, parent) {
                None => {
                    self.implicit.insert(path_text(&context));
                    let made = self.add_table();
                    self.put(table, parent, Entry::Table(made));
                    made
                }
                Some(Entry::Table(table)) => table,
                Some(Entry::Tables(tables)) => tables.last().copied().unwrap_or_default(),
                Some(Entry::Value(_)) => {
                    return Err(self.key_error("Key ", &context, " was already created as a hash."));
                }
            };
        }
        self.context = context;
        if array {
            let mut tables = match self.entry(table, key) {
                None => Vec::new(),
                Some(Entry::Tables(tables)) => tables,
                Some(_) => {
                    return Err(self.key_error(
                        "Key ",
                        path,
                        " was already created and cannot be used as an array.",
                    ));
                }
            };
            tables.push(self.add_table());
            self.put(table, key, Entry::Tables(tables));
        } else {
            let made = self.add_table();
            self.set(key, Entry::Table(made))?;
        }
        self.context.push(key.clone());
        Ok(())
    }

    fn add_table(&mut self) -> usize {
        self.tables.push(Table::new());
        self.tables.len() - 1
    }

    fn entry(&self, table: usize, key: &GoStr) -> Option<Entry> {
        self.tables.get(table)?.get(key).cloned()
    }

    fn put(&mut self, table: usize, key: &GoStr, entry: Entry) {
        if let Some(table) = self.tables.get_mut(table) {
            table.insert(key.clone(), entry);
        }
    }

    /// Sets an entry of the current table.
    fn set(&mut self, key: &GoStr, entry: Entry) -> Outcome<()> {
        let mut table = 0;
        for (depth, part) in self.context.iter().enumerate() {
            table = match self.entry(table, part) {
                Some(Entry::Table(table)) => table,
                Some(Entry::Tables(tables)) => tables.last().copied().unwrap_or_default(),
                _ => {
                    let path = self.context.get(..=depth).unwrap_or_default();
                    return Err(self.key_error("Key ", path, " has already been defined."));
                }
            };
        }
        let path = joined(&self.context, key);
        let text = path_text(&path);
        if self.entry(table, key).is_some() {
            let is_array = self.arrays.get(&text) == Some(&true);
            if !self.implicit.remove(&text) {
                return Err(self.key_error("Key ", &path, " has already been defined."));
            }
            if !is_array {
                return Ok(());
            }
        }
        self.put(table, key, entry);
        Ok(())
    }

    fn value(&mut self, item: &Item, in_array: bool) -> Outcome<Value> {
        Ok(match item.kind {
            Kind::String | Kind::RawString => Value::string(item.text.as_slice()),
            Kind::StringEscaped => Value::string(self.unescaped(item, &item.text)?),
            Kind::MultilineString => {
                let text = without_escaped_newlines(without_first_newline(&item.text));
                Value::string(self.unescaped(item, &text)?)
            }
            Kind::RawMultilineString => Value::string(without_first_newline(&item.text)),
            Kind::Integer => self.integer(item)?,
            Kind::Float => self.float(item)?,
            Kind::Bool => Value::Bool(item.text == b"true"),
            Kind::Datetime => self.datetime(item)?,
            Kind::Array | Kind::InlineTableStart => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(self.error_at(item.line, format!("values nest deeper than {DEEPEST} levels")));
                }
                let value =
                    if item.kind == Kind::Array { self.array()? } else { self.inline_table(in_array)? };
                self.depth -= 1;
                value
            }
            other => return Err(DecodeError::Bug(format!("Unexpected value type: {other:?}"))),
        })
    }

    fn integer(&self, item: &Item) -> Outcome<Value> {
        let fail = |reason: &str| {
            self.error_at(item.line, format!("Invalid integer {}: {reason}", quote(&item.text)))
        };
        if !underscores_fit(&item.text) {
            return Err(fail("underscores must be surrounded by digits"));
        }
        if has_leading_zero(&item.text) {
            return Err(fail("cannot have leading zeroes"));
        }
        let text = gostd::value::lossy(&item.text);
        match parse_int(&item.text, 0, 64) {
            Ok(number) => Ok(Value::Int64(number)),
            Err(error) if error.cause == Cause::Range => {
                Err(self.error_at(item.line, format!("{text} is out of range for int64")))
            }
            Err(_) => Err(DecodeError::Bug(format!("Expected integer value, but got '{text}'."))),
        }
    }

    fn float(&self, item: &Item) -> Outcome<Value> {
        let fail =
            |reason: &str| self.error_at(item.line, format!("Invalid float {}: {reason}", quote(&item.text)));
        let mut parts = item.text.split(|byte| b".eE".contains(byte)).filter(|part| !part.is_empty());
        if !parts.clone().all(underscores_fit) {
            return Err(fail("underscores must be surrounded by digits"));
        }
        if parts.next().is_some_and(has_leading_zero) {
            return Err(fail("cannot have leading zeroes"));
        }
        if !periods_fit(&item.text) {
            return Err(fail("'.' must be followed by one or more digits"));
        }
        let text: Vec<u8> = item.text.iter().copied().filter(|byte| *byte != b'_').collect();
        if text.ends_with(b"nan") {
            return Ok(Value::Float64(if text.starts_with(b"-") { -f64::NAN } else { f64::NAN }));
        }
        match parse_float(&text, 64) {
            Ok(number) => Ok(Value::Float64(number)),
            Err(error) if error.cause == Cause::Range => {
                let text = gostd::value::lossy(&item.text);
                Err(self.error_at(item.line, format!("{text} is out of range for float64")))
            }
            Err(_) => Err(self.error_at(item.line, format!("Invalid float value: {}", quote(&item.text)))),
        }
    }

    fn datetime(&self, item: &Item) -> Outcome<Value> {
        /// Layouts, and the names of the zones of those without one.
        const LAYOUTS: &[(&[u8], Option<&str>)] = &[
            (b"2006-01-02T15:04:05.999999999Z07:00", None),
            (b"2006-01-02T15:04:05.999999999", Some("datetime-local")),
            (b"2006-01-02", Some("date-local")),
            (b"15:04:05.999999999", Some("time-local")),
            (b"2006-01-02T15:04Z07:00", None),
            (b"2006-01-02T15:04", Some("datetime-local")),
            (b"15:04", Some("time-local")),
        ];
        let normalized = item.text.iter().map(|byte| match byte {
            b'z' => b'Z',
            b't' | b' ' => b'T',
            byte => *byte,
        });
        let text: Vec<u8> = normalized.collect();
        for (layout, zone_name) in LAYOUTS {
            let fixed = zone_name.map(|name| Zone::fixed(name, self.offset));
            let zone = fixed.as_ref().unwrap_or(self.local);
            if let Ok(time) = Time::parse_in_location(layout, &text, zone) {
                if misses_leading_zero(&text, layout) {
                    break;
                }
                return Ok(Value::object(GoTime::new(time, self.local.clone())));
            }
        }
        Err(self.error_at(item.line, format!("invalid datetime: {}", quote(&text))))
    }

    fn array(&mut self) -> Outcome<Value> {
        let key = self.current_key.clone();
        self.note_type(&key, true);
        let mut items = Vec::new();
        loop {
            let item = self.next()?;
            match item.kind {
                Kind::ArrayEnd => return Ok(Value::List(List::any(items))),
                Kind::CommentStart => _ = self.next()?,
                _ => items.push(self.value(&item, true)?),
            }
        }
    }

    fn inline_table(&mut self, in_array: bool) -> Outcome<Value> {
        let top = Map::new();
        let (outer_context, outer_key) = (self.context.clone(), self.current_key.clone());
        self.context.push(self.current_key.clone());
        let context = self.context.clone();
        self.current_key = GoStr::default();
        self.implicit.insert(path_text(&context));
        self.enter(&context, in_array)?;
        loop {
            let item = self.next()?;
            match item.kind {
                Kind::InlineTableEnd => break,
                Kind::CommentStart => {
                    self.next()?;
                    continue;
                }
                _ => {}
            }
            let (mut path, value) = self.key_value()?;
            let key = path.pop().unwrap_or_default();
            let mut table = top.clone();
            for part in &path {
                table = match table.get(part) {
                    Some(Value::Map(inner)) => inner,
                    None => {
                        let inner = Map::new();
                        let _ = table.insert(part.clone(), Value::Map(inner.clone())); // Never nil: made here.
                        inner
                    }
                    Some(_) => {
                        let text = quote(&path_text(&self.context));
                        return Err(self.error_at(self.line, format!("{text} is not a table")));
                    }
                };
            }
            let _ = table.insert(key, value); // Never nil: made here.
            self.context.clone_from(&context);
        }
        self.context = outer_context;
        self.current_key = outer_key;
        Ok(Value::Map(top))
    }

    /// Replaces the escapes of a string, which the lexer has found to be complete.
    fn unescaped(&self, item: &Item, text: &[u8]) -> Outcome<Vec<u8>> {
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            if *byte != b'\\' {
                out.push(*byte);
                continue;
            }
            let Some((escape, after)) = rest.split_first() else { break };
            rest = after;
            match escape {
                b'b' => out.push(0x08),
                b't' => out.push(b'\t'),
                b'n' => out.push(b'\n'),
                b'f' => out.push(0x0C),
                b'r' => out.push(b'\r'),
                b'e' => out.push(0x1B),
                b'x' | b'u' | b'U' => {
                    let length = match escape {
                        b'x' => 2,
                        b'u' => 4,
                        _ => 8,
                    };
                    let (digits, after) = rest.split_at_checked(length).unwrap_or((rest, b""));
                    rest = after;
                    let digits = gostd::value::lossy(digits);
                    let Some(letter) = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) else {
                        let message = format!("Escaped character '\\u{digits}' is not valid UTF-8.");
                        return Err(self.error_at(item.line, message));
                    };
                    out.extend(letter.encode_utf8(&mut [0; 4]).bytes());
                }
                b' ' | b'\t' => {
                    let message = format!("invalid escape: '\\{}'", char::from(*escape));
                    return Err(self.error_at(item.line, message));
                }
                other => out.push(*other),
            }
        }
        Ok(out)
    }

    /// Makes the document's map.
    fn into_map(self) -> Map {
        // Tables come after those they are in, so the last ones are complete first.
        let mut maps: Vec<Map> = self.tables.iter().map(|_| Map::new()).collect();
        for (table, map) in self.tables.iter().zip(&maps) {
            for (key, entry) in table {
                let value = match entry {
                    Entry::Value(value) => value.clone(),
                    Entry::Table(index) => maps.get(*index).map_or(Value::Nil, |map| Value::Map(map.clone())),
                    Entry::Tables(indices) => {
                        let tables = indices.iter().filter_map(|index| maps.get(*index));
                        Value::List(List::of(&TABLES, tables.map(|map| Value::Map(map.clone())).collect()))
                    }
                };
                let _ = map.insert(key.clone(), value); // Never nil: made here.
            }
        }
        maps.swap_remove(0)
    }
}

fn has_leading_zero(text: &[u8]) -> bool {
    match text {
        [b'0', base, ..] => !matches!(base, b'b' | b'o' | b'x'),
        [b'-' | b'+', b'0', _, ..] => true,
        _ => false,
    }
}

fn underscores_fit(text: &[u8]) -> bool {
    let word = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-")).unwrap_or(text);
    if matches!(word, b"nan" | b"inf") {
        return true;
    }
    let mut after_digit = false;
    for byte in text {
        if *byte == b'_' && !after_digit {
            return false;
        }
        after_digit = byte.is_ascii_hexdigit();
    }
    after_digit
}

fn periods_fit(text: &[u8]) -> bool {
    let followed = text.windows(2).all(|pair| !matches!(pair, [b'.', next] if !next.is_ascii_digit()));
    followed && !text.ends_with(b".")
}

/// Go reads `2-1-1` by some layouts; TOML does not.
fn misses_leading_zero(text: &[u8], layout: &[u8]) -> bool {
    for (wanted, found) in layout.iter().zip(text) {
        match wanted {
            b'.' | b'Z' => return false,
            b'0'..=b'9' => {}
            wanted => {
                if wanted != found {
                    return true;
                }
            }
        }
    }
    false
}

fn without_first_newline(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\n").or_else(|| text.strip_prefix(b"\r\n")).unwrap_or(text)
}

/// Removes backslashes at line ends together with all white space behind them.
fn without_escaped_newlines(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        if *byte != b'\\' {
            out.push(*byte);
            rest = after;
            continue;
        }
        let spaces = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        let (space, behind) = after.split_at_checked(spaces).unwrap_or((after, b""));
        if space.contains(&b'\n') {
            rest = behind;
            continue;
        }
        // An escape: both its characters stay.
        out.push(*byte);
        if let Some((escaped, after)) = after.split_first() {
            out.push(*escaped);
            rest = after;
        } else {
            rest = after;
        }
    }
    out
}
