//! Which styles a string can be written in.

use crate::chars::{at, is_blankz, is_break, is_printable, width};
use crate::resolve::{Version, stays_string};

/// How a string is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The style go-yaml would like a string to have.
pub(super) fn wanted_style(text: &[u8], version: Version) -> Style {
    if text.contains(&b'\n') {
        Style::Literal
    } else if stays_string(text, version) {
        Style::Plain
    } else {
        Style::Double
    }
}

/// What go-yaml's emitter finds out about a string.
#[derive(Clone, Copy, Debug)]
pub(super) struct Analysis {
    /// There is a line break, so it cannot be a simple key.
    pub(super) multiline: bool,
    plain: bool,
    single: bool,
    literal: bool,
}

impl Analysis {
    /// Looks at a string.
    pub(super) fn of(text: &[u8], version: Version) -> Self {
        let mut found = Self {
            multiline: false,
            plain: !starts_with_indicator(text),
            single: true,
            literal: !text.is_empty(),
        };
        let (mut after_space, mut after_break, mut after_blank) = (false, false, true);
        let mut pos = 0;
        loop {
            let rest = text.get(pos..).unwrap_or_default();
            let quiet = rest.iter().position(|byte| !is_quiet(*byte)).unwrap_or(rest.len());
            if quiet > 0 {
                pos += quiet;
                (after_space, after_break, after_blank) = (false, false, false);
            }
            if pos >= text.len() {
                return found;
            }
            let byte = at(text, pos);
            let next = pos + width(byte).max(1);
            let (first, last) = (pos == 0, next >= text.len());
            match byte {
                b' ' => {
                    found.plain &= !(first || last || after_break);
                    found.single &= !after_break;
                    found.literal &= !last;
                }
                b':' => found.plain &= !(last || matches!(at(text, next), b' ' | b'\t')),
                b'#' => found.plain &= !after_blank,
                b'\t' if version == Version::V3 => (found.plain, found.single) = (false, false),
                _ if !is_printable(text, pos) => found.allow_double_only(),
                _ => {}
            }
            let breaks = is_break(text, pos);
            if breaks {
                (found.multiline, found.plain) = (true, false);
                if after_space {
                    found.allow_double_only();
                }
            }
            (after_space, after_break, after_blank) = (byte == b' ', breaks, is_blankz(text, pos));
            pos = next;
        }
    }

    fn allow_double_only(&mut self) {
        (self.plain, self.single, self.literal) = (false, false, false);
    }

    /// Returns the style for a string that should have `wanted`.
    pub(super) fn style(self, wanted: Style, simple_key: bool) -> Style {
        let wanted = if simple_key && self.multiline { Style::Double } else { wanted };
        match wanted {
            Style::Plain if self.plain => Style::Plain,
            Style::Plain | Style::Single if self.single => Style::Single,
            Style::Literal if self.literal && !simple_key => Style::Literal,
            _ => Style::Double,
        }
    }
}

/// Never decides anything, wherever it stands (the start is looked at separately).
#[inline(always)]
const fn is_quiet(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~') && !matches!(byte, b':' | b'#')
}

/// Reports whether the start alone makes a plain scalar something else.
fn starts_with_indicator(text: &[u8]) -> bool {
    text.first().is_some_and(|first| b",[]{}&*!|>'\"%@`".contains(first))
        || matches!(text, [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..])
        || matches!(text, [b'?' | b'-'] | [b'?' | b'-', b' ' | b'\t', ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(text: &str) -> Style {
        let wanted = wanted_style(text.as_bytes(), Version::V2);
        Analysis::of(text.as_bytes(), Version::V2).style(wanted, false)
    }

    #[test]
    fn styles_follow_the_contents() {
        for text in [
            "a", "a b", "-a", "?a", ":a", "a:b", "a#b", "<", "=", "<<", "50%", "a'b", "1.2.3", "é", "--x",
            "a\u{a0}",
        ] {
            assert_eq!(style(text), Style::Plain, "{text:?}");
        }
        for text in [
            " a", "a ", "-", "- a", "?", ":", "a:", "a: b", "a:\t", "a #b", "#", "'", "\"", "---", "...x",
            "&a", "@a", "\u{2028}",
        ] {
            let want = if text.contains('\t') { Style::Double } else { Style::Single };
            assert_eq!(style(text), want, "{text:?}");
        }
        for text in [
            "",
            "y",
            "1",
            "1e3",
            "null",
            "12:30",
            "2001-01-01",
            "\t",
            "\r",
            "\u{7f}",
            "😀",
            "\u{feff}",
            "a\n b ",
            "a \nb",
        ] {
            assert_eq!(style(text), Style::Double, "{text:?}");
        }
        for text in ["a\nb", "a\n", "\n", " a\nb", "a\n b", "\u{2028}\na"] {
            assert_eq!(style(text), Style::Literal, "{text:?}");
        }
    }
}
