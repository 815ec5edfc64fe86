//! PEM blocks as Go's encoding/pem reads and writes them.

use gostd::strings;

use crate::encoding::{base64_decode, base64_encode};

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";
const LINE_LENGTH: usize = 64;

/// A block: its label and its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The words after `BEGIN`.
    pub(crate) label: Vec<u8>,
    /// The decoded content.
    pub(crate) data: Vec<u8>,
}

/// Writes a block, ended by a newline.
pub(crate) fn encode(label: &str, data: &[u8]) -> String {
    let mut out = format!("-----BEGIN {label}-----\n");
    for line in base64_encode(data).chunks(LINE_LENGTH) {
        out.extend(line.iter().copied().map(char::from));
        out.push('\n');
    }
    out.push_str(&format!("-----END {label}-----\n"));
    out
}

/// Finds the first sound block in a text that may hold anything else.
pub(crate) fn decode(text: &[u8]) -> Option<Block> {
    let mut rest = text;
    loop {
        // The first END line, and the last BEGIN line before it: so BEGIN lines without an end are skipped.
        let end = strings::index(rest, END)?;
        let (before, from_end) = rest.split_at_checked(end)?;
        let after = from_end.get(END.len()..)?;
        if let Some(block) = strings::last_index(before, BEGIN).and_then(|at| read_block(before, at, after)) {
            return Some(block);
        }
        rest = after;
    }
}

/// Reads the block whose BEGIN stands at `begin` and whose text ends where `before` does; `after` follows the END mark.
fn read_block(before: &[u8], begin: usize, after: &[u8]) -> Option<Block> {
    let (earlier, from_begin) = before.split_at_checked(begin)?;
    if earlier.last().is_some_and(|byte| *byte != b'\n') {
        return None;
    }
    let (first_line, mut body) = split_line(from_begin.get(BEGIN.len()..)?);
    let label = first_line.strip_suffix(DASHES)?;
    // Headers, such as `Proc-Type: 4,ENCRYPTED`, are passed over.
    while strings::index(split_line(body).0, b":").is_some() {
        body = split_line(body).1;
    }
    let (last_line, _) = split_line(after.strip_prefix(label)?.strip_prefix(DASHES)?);
    if !last_line.is_empty() {
        return None;
    }
    let encoded: Vec<u8> = body.iter().copied().filter(|byte| !matches!(byte, b' ' | b'\t')).collect();
    Some(Block { label: label.to_vec(), data: base64_decode(&encoded).ok()? })
}

/// Cuts off a line, without its end and trailing blanks.
fn split_line(text: &[u8]) -> (&[u8], &[u8]) {
    let (line, rest) = match text.iter().position(|byte| *byte == b'\n') {
        None => (text, &[][..]),
        Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default()),
    };
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    (strings::trim_right(line, b" \t"), rest)
}

#[cfg(test)]
mod tests {
    use super::{Block, decode, encode};

    #[test]
    fn what_was_written_can_be_read() {
        let data: Vec<u8> = (0..100).collect();
        let text = encode("EC PRIVATE KEY", &data);
        assert!(text.starts_with("-----BEGIN EC PRIVATE KEY-----\nAAECAwQF"));
        assert!(text.ends_with("-----END EC PRIVATE KEY-----\n"));
        assert_eq!(decode(text.as_bytes()), Some(Block { label: b"EC PRIVATE KEY".to_vec(), data }));
    }

    #[test]
    fn blocks_are_found_among_other_text() {
        let block = "-----BEGIN A-----\nK: v\n\nYQ==\n-----END A-----";
        let found = Some(Block { label: b"A".to_vec(), data: b"a".to_vec() });
        for text in [
            block.to_owned(),
            format!("junk\n{block}\njunk"),
            format!("-----BEGIN B-----\nnever ends\n{block}"),
            format!("-----BEGIN B-----\n!!\n-----END B-----\n{block}"),
            block.replace('\n', "\r\n"),
        ] {
            assert_eq!(decode(text.as_bytes()), found, "{text}");
        }
    }

    #[test]
    fn broken_blocks_are_none() {
        for text in ["", "YQ==", "-----BEGIN A-----\nYQ==\n", "-----BEGIN A-----\nYQ==\n-----END B-----"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }
}
