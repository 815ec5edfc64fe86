//! The lines of a plainly written text, and scalars that are made of several.

use super::inline::{
    BlockHeader, PlainEnd, count_spaces, is_blank, plain_part, quoted_part, trim_end, trim_start,
};
use crate::token::Text;

/// A text that is read line by line.
pub(super) struct Lines<'t> {
    text: &'t [u8],
    pos: usize,
    has_tabs: bool,
}

/// A line that says something.
pub(super) struct Line<'t> {
    pub(super) column: usize,
    /// From its first character on.
    pub(super) text: &'t [u8],
}

impl<'t> Lines<'t> {
    /// Takes a text that has no other line breaks than LF, and nothing that the scanner would refuse or pass over.
    pub(super) fn new(text: &'t [u8]) -> Option<Self> {
        let is_odd = |byte: &u8| (*byte < b' ' && *byte != b'\n' && *byte != b'\t') || *byte == 0x7f;
        // Without a way out of the loop, as that lets many bytes be looked at together.
        let odd = text.iter().fold(false, |odd, byte| odd | is_odd(byte));
        let fits = u32::try_from(text.len()).is_ok();
        let is_usual = !odd && fits && (text.is_ascii() || str::from_utf8(text).is_ok_and(is_usual));
        is_usual.then(|| Self { text, pos: 0, has_tabs: text.contains(&b'\t') })
    }

    /// Returns the next line and where the one behind it starts.
    fn peek(&self) -> Option<(&'t [u8], usize)> {
        let rest = self.text.get(self.pos..).filter(|rest| !rest.is_empty())?;
        match rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => Some((rest.get(..end)?, self.pos + end + 1)),
            None => Some((rest, self.text.len())),
        }
    }

    /// Returns the next line that is neither empty nor a comment; `None` if it is not one to be read here.
    pub(super) fn next_content(&mut self) -> Option<Option<Line<'t>>> {
        while let Some((line, next)) = self.peek() {
            self.pos = next;
            let column = count_spaces(line);
            let text = line.get(column..)?;
            if text.is_empty() || text.starts_with(b"#") {
                continue;
            }
            return (!is_odd(line, self.has_tabs)).then_some(Some(Line { column, text }));
        }
        Some(None)
    }
}

/// Reports whether a text has no characters that mean more than themselves.
fn is_usual(text: &str) -> bool {
    text.chars().all(|letter| {
        !matches!(
            letter,
            '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
    })
}

/// Adds to a plain scalar in a collection at that column the lines that it goes on in.
pub(super) fn go_on<'t>(
    lines: &mut Lines<'t>,
    first: &'t [u8],
    column: usize,
    keeps_text: bool,
) -> Option<Text<'t>> {
    let mut text = Text::Borrowed(first);
    let mut empty = 0;
    loop {
        let rest = lines.text.get(lines.pos..)?;
        let spaces = count_spaces(rest);
        match rest.get(spaces) {
            Some(b'\n') => {
                empty += 1;
                lines.pos += spaces + 1;
                continue;
            }
            Some(first) if spaces > column && *first != b'#' => {}
            _ => return Some(text),
        }
        let Line { text: line, .. } = lines.next_content()??;
        let (part, end) = plain_part(line)?;
        if keeps_text {
            join(text.to_mut(), empty, part);
        }
        match end {
            PlainEnd::Line => empty = 0,
            PlainEnd::Comment => return Some(text),
            PlainEnd::Colon => return None,
        }
    }
}

/// Adds to a quoted scalar the lines up to the one with its closing quote, behind which nothing may follow.
pub(super) fn close<'t>(
    lines: &mut Lines<'t>,
    first: Text<'t>,
    quote: u8,
    keeps_text: bool,
) -> Option<Text<'t>> {
    let mut text = trim_end(&first).to_vec();
    let mut empty = 0;
    loop {
        let (line, next) = lines.peek()?;
        let content = trim_start(line);
        if is_odd(line, lines.has_tabs) {
            return None;
        }
        lines.pos = next;
        if content.is_empty() {
            empty += 1;
            continue;
        }
        let (part, rest) = quoted_part(content, quote)?;
        if keeps_text {
            join(&mut text, empty, if rest.is_some() { &part } else { trim_end(&part) });
        }
        if let Some(rest) = rest {
            return is_blank(rest).then_some(Text::Owned(text));
        }
        empty = 0;
    }
}

/// Adds a line to a scalar: its break is a space, and of several, those of empty lines, the first says nothing.
fn join(text: &mut Vec<u8>, empty: usize, line: &[u8]) {
    text.resize(text.len() + empty.max(1), if empty == 0 { b' ' } else { b'\n' });
    text.extend_from_slice(line);
}

/// Reports whether a line ends the document, or has tabs, which mean something else in many places.
fn is_odd(line: &[u8], has_tabs: bool) -> bool {
    line.starts_with(b"---") || line.starts_with(b"...") || (has_tabs && line.contains(&b'\t'))
}

/// Reads the lines of a block scalar in a collection at that column.
pub(super) fn read(
    lines: &mut Lines<'_>,
    header: BlockHeader,
    column: usize,
    keeps_text: bool,
) -> Option<Vec<u8>> {
    let mut text = BlockText { literal: header.literal, ..BlockText::default() };
    let mut indent = header.indent.map(|indent| column + indent);
    while let Some((line, next)) = lines.peek() {
        let ends = lines.text.get(next - 1) == Some(&b'\n');
        let spaces = count_spaces(line);
        let is_empty = spaces == line.len();
        if is_empty && indent.map_or(spaces == 0, |indent| spaces <= indent) {
            text.breaks += usize::from(ends);
            lines.pos = next;
            continue;
        }
        if indent.is_none() && is_empty {
            // It would decide on the indentation.
            return None;
        }
        if line.get(spaces) == Some(&b'\t') && indent.is_none_or(|indent| spaces < indent) {
            return None;
        }
        if spaces <= column || indent.is_some_and(|indent| spaces < indent) {
            break;
        }
        let content = line.get(*indent.get_or_insert(spaces)..)?;
        if keeps_text {
            text.add(content);
        }
        (text.own_break, text.breaks) = (ends, 0);
        lines.pos = next;
    }
    if header.clips && text.own_break {
        text.out.push(b'\n');
    }
    if header.keeps {
        text.out.resize(text.out.len() + text.breaks, b'\n');
    }
    Some(text.out)
}

/// The text of a block scalar under way.
#[derive(Default)]
struct BlockText {
    literal: bool,
    out: Vec<u8>,
    /// The last line with content ends with a line break.
    own_break: bool,
    /// The line breaks of empty lines behind it.
    breaks: usize,
    /// It starts with more spaces than the first.
    is_indented: bool,
}

impl BlockText {
    fn add(&mut self, line: &[u8]) {
        let is_indented = matches!(line.first(), Some(b' ' | b'\t'));
        let folds = !self.literal && !self.is_indented && !is_indented;
        if self.own_break && !folds {
            self.out.push(b'\n');
        } else if self.own_break && self.breaks == 0 {
            self.out.push(b' ');
        }
        self.out.resize(self.out.len() + self.breaks, b'\n');
        self.out.extend_from_slice(line);
        self.is_indented = is_indented;
    }
}
