//! Reading documents line by line, if they are written plainly.
//!
//! Plainly means: block collections; keys that end on their line; scalars without rare escapes; words in brackets; no
//! anchors, tags and directives. That is how almost every manifest and most values files are written, and read so they
//! take a fraction of the work: there are no tokens that may turn out to be keys, no events and no nodes. Whatever else
//! there is, and everything that is or might be wrong, is left to the scanner, which then reads the text from its start.

use gostd::{GoStr, Value};

use super::block::{self, Line, Lines};
use super::decoder::Build;
use super::inline::{self, Inline, is_blank, trim_start};
use super::values::Values;
use crate::resolve::{Scalar, resolve_plain};
use crate::token::Text;

/// Deeper ones are left to the scanner.
const MOST_OPEN: usize = 100;

/// Reads a text if it is one plainly written document.
pub(super) fn read(text: &[u8], builder: Values<'_>) -> Option<Value> {
    let mut lines = Lines::new(text)?;
    let mut reader = Reader { builder, open: Vec::new(), root: None };
    while let Some(line) = lines.next_content()? {
        reader.line(line, &mut lines)?;
    }
    reader.finish()
}

/// A collection that may go on.
struct Open {
    /// Where its keys or dashes stand.
    column: usize,
    parts: Parts,
}

enum Parts {
    Map {
        entries: Vec<(GoStr, Value)>,
        /// The key that waits for its value.
        key: Option<GoStr>,
    },
    List {
        items: Vec<Value>,
        /// A dash waits for its item.
        waits: bool,
    },
}

impl Open {
    fn is_list(&self) -> bool {
        matches!(self.parts, Parts::List { .. })
    }

    fn waits(&self) -> bool {
        match &self.parts {
            Parts::Map { key, .. } => key.is_some(),
            Parts::List { waits, .. } => *waits,
        }
    }
}

struct Reader<'w> {
    builder: Values<'w>,
    /// The innermost last.
    open: Vec<Open>,
    root: Option<Value>,
}

impl Reader<'_> {
    fn line<'t>(&mut self, line: Line<'t>, lines: &mut Lines<'t>) -> Option<()> {
        let Line { column, text } = line;
        let is_item = is_item(text);
        if self.settle(column, is_item)? {
            return self.collection(column, text, lines);
        }
        match is_item {
            true => self.item(column, text, lines),
            false => {
                let (key, rest) = inline::key(text)?;
                self.entry(key, rest, lines)
            }
        }
    }

    /// Closes what ends before a line, and tells whether the line is a value that has been waited for.
    fn settle(&mut self, column: usize, is_item: bool) -> Option<bool> {
        loop {
            let Some(top) = self.open.last() else { return self.root.is_none().then_some(true) };
            if top.waits() {
                // The items of a list may stand right below the key they belong to.
                if column > top.column || (column == top.column && is_item && !top.is_list()) {
                    return Some(true);
                }
                self.put_scalar(Scalar::Null)?;
            } else if column < top.column || (column == top.column && !is_item && top.is_list()) {
                self.close()?;
            } else {
                return (column == top.column && is_item == top.is_list()).then_some(false);
            }
        }
    }

    /// Reads what may be the first line of a collection, or else a value.
    fn collection<'t>(&mut self, column: usize, text: &'t [u8], lines: &mut Lines<'t>) -> Option<()> {
        if is_item(text) {
            self.begin(column, Parts::List { items: Vec::new(), waits: false })?;
            return self.item(column, text, lines);
        }
        let Some((key, rest)) = inline::key(text) else { return self.value(text, lines) };
        let entries = self.builder.new_map();
        self.begin(column, Parts::Map { entries, key: None })?;
        self.entry(key, rest, lines)
    }

    fn begin(&mut self, column: usize, parts: Parts) -> Option<()> {
        self.open.push(Open { column, parts });
        (self.open.len() <= MOST_OPEN).then_some(())
    }

    /// Reads a line that starts with a dash. It may open other collections: `- - a: b`.
    fn item<'t>(&mut self, column: usize, text: &'t [u8], lines: &mut Lines<'t>) -> Option<()> {
        if let Some(Open { parts: Parts::List { waits, .. }, .. }) = self.open.last_mut() {
            *waits = true;
        }
        let item = trim_start(text.get(1..)?);
        if item.is_empty() || item.starts_with(b"#") {
            return Some(());
        }
        self.collection(column + text.len() - item.len(), item, lines)
    }

    fn entry<'t>(&mut self, key: Scalar<'t>, rest: &'t [u8], lines: &mut Lines<'t>) -> Option<()> {
        let made = self.builder.key(key, false).ok()?;
        if let Parts::Map { key, .. } = &mut self.open.last_mut()?.parts {
            *key = Some(made);
        }
        if is_blank(rest) { Some(()) } else { self.value(trim_start(rest), lines) }
    }

    fn value<'t>(&mut self, text: &'t [u8], lines: &mut Lines<'t>) -> Option<()> {
        let keeps_text = !self.builder.is_skipping();
        match inline::value(text)? {
            Inline::Scalar(scalar) => self.put_scalar(scalar),
            Inline::Plain(text) => {
                let text = block::go_on(lines, text, self.open.last()?.column, keeps_text)?;
                self.put_scalar(if keeps_text { resolve_plain(text) } else { Scalar::Null })
            }
            Inline::Quoted(text, quote) => {
                let text = block::close(lines, text, quote, keeps_text)?;
                self.put_scalar(Scalar::String(text))
            }
            Inline::Map(entries) => {
                let mut map = self.builder.new_map();
                for (key, value) in entries {
                    let key = self.builder.key(key, false).ok()?;
                    let value = self.builder.scalar(value, false).ok()?;
                    self.builder.insert(&mut map, key, value, 0);
                }
                let map = self.builder.map(map).ok()?;
                self.put(map)
            }
            Inline::List(items) => {
                let items = items.into_iter().map(|item| self.builder.scalar(item, false));
                let items = items.collect::<Result<Vec<_>, _>>().ok()?;
                let list = self.builder.list(items).ok()?;
                self.put(list)
            }
            Inline::Block(header) => {
                let text = block::read(lines, header, self.open.last()?.column, keeps_text)?;
                self.put_scalar(Scalar::String(Text::Owned(text)))
            }
        }
    }

    fn put_scalar(&mut self, scalar: Scalar<'_>) -> Option<()> {
        let value = self.builder.scalar(scalar, false).ok()?;
        self.put(value)
    }

    /// Hands a value to whom waits for it.
    fn put(&mut self, value: Value) -> Option<()> {
        match self.open.last_mut().map(|open| &mut open.parts) {
            Some(Parts::Map { entries, key }) => self.builder.insert(entries, key.take()?, value, 0),
            Some(Parts::List { items, waits }) => {
                *waits = false;
                items.push(value);
            }
            None => self.root = Some(value),
        }
        Some(())
    }

    /// Closes the innermost collection.
    fn close(&mut self) -> Option<()> {
        let value = match self.open.pop()?.parts {
            Parts::Map { entries, .. } => self.builder.map(entries),
            Parts::List { items, .. } => self.builder.list(items),
        };
        self.put(value.ok()?)
    }

    fn finish(mut self) -> Option<Value> {
        while let Some(top) = self.open.last() {
            if top.waits() {
                self.put_scalar(Scalar::Null)?;
            } else {
                self.close()?;
            }
        }
        self.root
    }
}

/// Reports whether a line is an item of a list.
fn is_item(text: &[u8]) -> bool {
    matches!(text, [b'-'] | [b'-', b' ', ..])
}
