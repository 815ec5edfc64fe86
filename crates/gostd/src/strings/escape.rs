//! The escapers behind the template built-ins `html` and `js`.

use super::is_print;
use crate::runes::runes;

/// Escapes for HTML, as `template.HTMLEscape`.
pub fn html_escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 8);
    for byte in text {
        let escaped = match byte {
            0 => "\u{fffd}",
            b'"' => "&#34;",
            b'\'' => "&#39;",
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            _ => {
                out.push(*byte);
                continue;
            }
        };
        out.extend_from_slice(escaped.as_bytes());
    }
    out
}

/// Escapes for a JavaScript string, as `template.JSEscape`. A text without anything special keeps its invalid bytes.
pub fn js_escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 8);
    for (offset, rune, width) in runes(text) {
        match rune {
            '\\' | '\'' | '"' => out.extend([b'\\', rune as u8]),
            '<' | '>' | '&' | '=' | '\0'..='\x1f' => push_u(&mut out, rune),
            // DEL is not printable, yet only characters above ASCII are checked.
            _ if rune.is_ascii() || is_print(rune) => {
                out.extend(text.get(offset..offset + width).unwrap_or_default())
            }
            _ => push_u(&mut out, rune),
        }
    }
    out
}

fn push_u(out: &mut Vec<u8>, rune: char) {
    out.extend_from_slice(format!("\\u{:04X}", u32::from(rune)).as_bytes());
}
