//! Base64 as Go's `StdEncoding`.

const SYMBOLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes with padding.
pub(crate) fn encode(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let symbol = SYMBOLS.get((bits >> (18 - 6 * place) & 63) as usize);
            out.push(if place <= group.len() { symbol.copied().unwrap_or(b'=') } else { b'=' });
        }
    }
    out
}

/// Decodes with padding: line breaks are skipped, everything else must be right.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut symbols = text.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n'));
    loop {
        let mut group = [0u8; 4];
        let mut filled = 0;
        for place in &mut group {
            let Some(symbol) = symbols.next() else { break };
            *place = symbol;
            filled += 1;
        }
        if filled == 0 {
            return Some(out);
        }
        let significant = match group {
            [_, _, b'=', b'='] => 2,
            [_, _, _, b'='] => 3,
            _ => 4,
        };
        if filled < 4 {
            return None;
        }
        let mut bits: u32 = 0;
        for (index, symbol) in group.into_iter().enumerate() {
            let value = if index < significant { value_of(symbol)? } else { 0 };
            bits = bits << 6 | value;
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        out.extend(bytes.into_iter().take(significant - 1));
        if significant < 4 {
            return symbols.next().is_none().then_some(out);
        }
    }
}

fn value_of(symbol: u8) -> Option<u32> {
    Some(u32::from(match symbol {
        b'A'..=b'Z' => symbol - b'A',
        b'a'..=b'z' => symbol - b'a' + 26,
        b'0'..=b'9' => symbol - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_every_length() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..bytes.len() {
            let encoded = encode(&bytes[..length]);
            assert_eq!(decode(&encoded).as_deref(), Some(&bytes[..length]));
        }
        assert_eq!(encode(b"any carnal pleas"), b"YW55IGNhcm5hbCBwbGVhcw==");
    }

    #[test]
    fn takes_line_breaks_and_refuses_the_rest() {
        assert_eq!(decode(b"YW\r\n5j\n").as_deref(), Some(&b"anc"[..]));
        for text in ["YQ", "YQ=", "YQ=a", "Y===", "YQ==YQ==", "YW5j YW5j", "=", "-_-_"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }
}
