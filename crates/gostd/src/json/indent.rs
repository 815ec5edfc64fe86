//! `json.MarshalIndent`.

use super::{EncodeError, marshal};
use crate::strings::LONGEST_TEXT;
use crate::value::Value;

/// Encodes with each element on a line of its own: `prefix`, then `indent` once per level. Empty containers stay
/// `{}` and `[]`; HTML is escaped if asked for.
pub fn marshal_indent(
    value: &Value,
    prefix: &[u8],
    indent: &[u8],
    escape_html: bool,
) -> Result<Vec<u8>, EncodeError> {
    let compact = marshal(value, escape_html)?;
    let mut out = Vec::with_capacity(compact.len() * 2);
    let mut depth = 0;
    let mut rest = compact.as_slice();
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'"' => {
                let (string, after) = tail.split_at(string_len(tail));
                out.push(b'"');
                out.extend_from_slice(string);
                rest = after;
                continue;
            }
            b'{' | b'[' => {
                out.push(*byte);
                if let Some((close @ (b'}' | b']'), after)) = tail.split_first() {
                    out.push(*close);
                    rest = after;
                    continue;
                }
                depth += 1;
            }
            b'}' | b']' => depth -= 1,
            b':' => {
                out.extend_from_slice(b": ");
                continue;
            }
            b',' => out.push(b','),
            _ => {
                out.push(*byte);
                continue;
            }
        }
        out.push(b'\n');
        out.extend_from_slice(prefix);
        (0..depth).for_each(|_| out.extend_from_slice(indent));
        if matches!(byte, b'}' | b']') {
            out.push(*byte);
        }
        // Deep nesting costs indentation in the square of its depth.
        if out.len() > LONGEST_TEXT {
            return Err(EncodeError::TooLong(LONGEST_TEXT));
        }
    }
    Ok(out)
}

/// Returns the length of the rest of a string after its opening quote, the closing one included.
fn string_len(text: &[u8]) -> usize {
    let mut escaped = false;
    let end = text.iter().position(|byte| {
        let closes = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        closes
    });
    end.map_or(text.len(), |end| end + 1)
}
