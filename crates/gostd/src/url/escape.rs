//! Percent encoding, by the part of the URL it stands in.

use super::Cause;

/// A part of a URL; each has its own set of bytes that stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Path,
    PathSegment,
    Host,
    /// The zone of an IPv6 address.
    Zone,
    UserPassword,
    Query,
    Fragment,
}

impl Part {
    /// The bytes besides letters, digits and `-_.~` that need no escape (Go `net/url` encoding_table.go).
    const fn plain(self) -> &'static [u8] {
        match self {
            Part::Path => b"$&+,/:;=@",
            Part::PathSegment => b"$&+:=@",
            Part::Host | Part::Zone => b"!\"$&'()*+,:;<=>[]",
            Part::UserPassword => b"$&+,;=",
            Part::Query => b"",
            Part::Fragment => b"!$&()*+,/:;=?@",
        }
    }

    fn is_plain(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || self.plain().contains(&byte)
    }
}

/// Escapes all bytes that are not plain in that part.
pub(super) fn escape(text: &[u8], part: Part) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text {
        if part.is_plain(byte) {
            out.push(byte);
        } else if byte == b' ' && part == Part::Query {
            out.push(b'+');
        } else {
            out.extend([b'%', hex_digit(byte >> 4), hex_digit(byte & 15)]);
        }
    }
    out
}

/// Replaces the escapes of a text, checking what its part allows.
pub(super) fn unescape(text: &[u8], part: Part) -> Result<Vec<u8>, Cause> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'%' => {
                let (decoded, after) = unescape_one(after, part)?;
                out.push(decoded);
                rest = after;
            }
            b'+' if part == Part::Query => out.push(b' '),
            _ => {
                let host = matches!(part, Part::Host | Part::Zone);
                if host && byte.is_ascii() && !part.is_plain(byte) {
                    return Err(Cause::HostCharacter(byte));
                }
                out.push(byte);
            }
        }
    }
    Ok(out)
}

/// Decodes the two digits after a percent sign.
fn unescape_one(text: &[u8], part: Part) -> Result<(u8, &[u8]), Cause> {
    let refused = || {
        let shown = text.get(..2).unwrap_or(text);
        Cause::Escape([b"%", shown].concat())
    };
    let [high, low, rest @ ..] = text else { return Err(refused()) };
    let (Some(high), Some(low)) = (hex_value(*high), hex_value(*low)) else { return Err(refused()) };
    let byte = high << 4 | low;
    let allowed = match part {
        // Only non-ASCII bytes may be escaped in a host, and the percent sign that starts a zone.
        Part::Host => byte >= 0x80 || byte == b'%',
        // A zone must not smuggle in what could not be written plainly, except spaces, which Windows has.
        Part::Zone => byte == b'%' || byte == b' ' || Part::Host.is_plain(byte),
        _ => true,
    };
    if allowed { Ok((byte, rest)) } else { Err(refused()) }
}

/// Returns the encoding that was read, if it is a valid one of the decoded text.
pub(super) fn kept<'t>(raw: &'t [u8], decoded: &[u8], part: Part) -> Option<&'t [u8]> {
    let valid = |byte: &u8| b"!$&'()*+,;=:@[]%".contains(byte) || part.is_plain(*byte);
    let fits =
        !raw.is_empty() && raw.iter().all(valid) && unescape(raw, part).is_ok_and(|text| text == decoded);
    fits.then_some(raw)
}

fn hex_digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'A' + (value - 10) }
}

fn hex_value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
