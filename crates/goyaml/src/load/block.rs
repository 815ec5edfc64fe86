//! The lines of a plainly written text, and scalars that are made of several.

use super::inline::{BlockHeader, PlainEnd, count_spaces, plain_part};
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
            let is_marker = column == 0 && (text.starts_with(b"---") || text.starts_with(b"..."));
            let is_odd = is_marker || self.has_tabs && text.contains(&b'\t');
            return (!is_odd).then_some(Some(Line { column, text }));
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
pub(super) fn go_on<'t>(lines: &mut Lines<'t>, first: &'t [u8], column: usize) -> Option<Text<'t>> {
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
        // A line break is a space, and of several the first says nothing.
        let joined = text.to_mut();
        joined.resize(joined.len() + empty.max(1), if empty == 0 { b' ' } else { b'\n' });
        joined.extend_from_slice(part);
        match end {
            PlainEnd::Line => empty = 0,
            PlainEnd::Comment => return Some(text),
            PlainEnd::Colon => return None,
        }
    }
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
