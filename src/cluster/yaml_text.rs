//! JSON that a reader of YAML reads as it is meant.
//!
//! The API server reads what is applied as YAML. YAML takes some characters, which JSON leaves as they are, for the end of a
//! line (U+0085, U+2028, U+2029: a text loses them), and refuses others (DEL, the rest of U+0080 to U+009F, U+FFFE,
//! U+FFFF). Written as escapes they mean the same to both.

/// Escapes what YAML would misread. In JSON such characters are nowhere but in texts.
pub(super) fn escaped(json: Vec<u8>) -> Vec<u8> {
    let Some(first) = (0..json.len()).find(|at| escape(json.get(*at..).unwrap_or_default()).is_some()) else {
        return json;
    };
    let mut text = Vec::with_capacity(json.len() + 16);
    let (before, mut rest) = json.split_at(first);
    text.extend_from_slice(before);
    while let Some((byte, after)) = rest.split_first() {
        match escape(rest) {
            Some((length, escape)) => {
                text.extend_from_slice(escape.as_bytes());
                rest = rest.get(length..).unwrap_or_default();
            }
            None => {
                text.push(*byte);
                rest = after;
            }
        }
    }
    text
}

/// How the character at the beginning is to be written, and how many bytes it has now; `None` if it may stay.
fn escape(text: &[u8]) -> Option<(usize, String)> {
    let (length, code) = match *text {
        [0x7f, ..] => (1, 0x7f),
        [0xc2, low @ 0x80..=0x9f, ..] => (2, u32::from(low)),
        [0xe2, 0x80, low @ 0xa8..=0xa9, ..] => (3, 0x2000 + (u32::from(low) & 0x3f)),
        [0xef, 0xbf, low @ 0xbe..=0xbf, ..] => (3, 0xffc0 + (u32::from(low) & 0x3f)),
        _ => return None,
    };
    Some((length, format!("\\u{code:04x}")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_yaml_would_misread_is_escaped_and_means_the_same() {
        let text: String = (1..0x1_0000).filter_map(char::from_u32).chain(['\u{1f600}']).collect();
        let object = json!({"data": {"a": text, "\u{2028}": "\u{7f}"}});
        let written = escaped(serde_json::to_vec(&object).unwrap());
        assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), object);
        let written = String::from_utf8(written).unwrap();
        for character in written.chars() {
            let printable = matches!(character, '\n' | '\t' | '\r' | ' '..='~' | '\u{a0}'..='\u{d7ff}'
                | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}');
            assert!(printable && !matches!(character, '\u{2028}' | '\u{2029}'), "{:x}", u32::from(character));
        }
        assert!(written.contains(r#""\u2028":"\u007f""#));
    }

    #[test]
    fn all_else_stays_as_it_is() {
        let plain = r#"{"a":"é ü \" \\ \u001b 😀 ⁉","b":[1,true,null]}"#.as_bytes().to_vec();
        assert_eq!(escaped(plain.clone()), plain);
        assert_eq!(escaped(Vec::new()), Vec::<u8>::new());
    }
}
