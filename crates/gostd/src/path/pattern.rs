//! Shell patterns of Go's `path.Match`.

use crate::runes::decode_rune;

/// A malformed pattern (Go `path.ErrBadPattern`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("syntax error in pattern")]
pub struct BadPattern;

/// Reports whether the whole name matches the pattern (Go `path.Match`).
///
/// `*` stands for any run of characters but slashes, `?` for one such character, `[a-z]` and `[^a-z]` for one character
/// of a class, and a backslash takes the next character as it is. A malformed pattern is an error whether or not the
/// name could match what comes before the fault.
///
/// ```
/// use gostd::path::match_pattern;
/// assert_eq!(match_pattern(b"charts/*.tgz", b"charts/a-1.0.tgz"), Ok(true));
/// assert_eq!(match_pattern(b"*", b"a/b"), Ok(false));
/// assert!(match_pattern(b"[", b"a").is_err());
/// ```
pub fn match_pattern(pattern: &[u8], name: &[u8]) -> Result<bool, BadPattern> {
    let (mut pattern, mut name) = (pattern, name);
    'pattern: while !pattern.is_empty() {
        let (star, chunk, rest) = next_chunk(pattern);
        pattern = rest;
        if star && chunk.is_empty() {
            return Ok(!name.contains(&b'/'));
        }
        // A last chunk must reach the end of the name.
        let fits = |left: &[u8]| left.is_empty() || !pattern.is_empty();
        if let Some(left) = match_chunk(chunk, name)?.filter(|left| fits(left)) {
            name = left;
            continue;
        }
        if star {
            let mut skipped = name;
            while let Some((&byte, after)) = skipped.split_first() {
                if byte == b'/' {
                    break;
                }
                skipped = after;
                if let Some(left) = match_chunk(chunk, skipped)?.filter(|left| fits(left)) {
                    name = left;
                    continue 'pattern;
                }
            }
        }
        // No match: what is left only has to be well formed.
        while !pattern.is_empty() {
            let (_, chunk, rest) = next_chunk(pattern);
            pattern = rest;
            match_chunk(chunk, b"")?;
        }
        return Ok(false);
    }
    Ok(name.is_empty())
}

/// Splits off leading stars and the text up to the next star outside a class.
fn next_chunk(pattern: &[u8]) -> (bool, &[u8], &[u8]) {
    let stars = pattern.iter().take_while(|byte| **byte == b'*').count();
    let text = pattern.get(stars..).unwrap_or_default();
    let (mut in_class, mut escaped) = (false, false);
    let end = text.iter().position(|&byte| {
        if std::mem::take(&mut escaped) {
            return false;
        }
        match byte {
            b'\\' => escaped = true,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'*' => return !in_class,
            _ => {}
        }
        false
    });
    let (chunk, rest) = text.split_at(end.unwrap_or(text.len()));
    (stars > 0, chunk, rest)
}

/// Matches a chunk without stars at the start of the name; returns what is left of the name.
/// After a mismatch the rest of the chunk is still checked for well-formedness.
fn match_chunk<'n>(chunk: &[u8], name: &'n [u8]) -> Result<Option<&'n [u8]>, BadPattern> {
    let (mut chunk, mut name, mut failed) = (chunk, name, false);
    while let Some((&first, after)) = chunk.split_first() {
        failed = failed || name.is_empty();
        let mut next = None;
        match first {
            b'[' => {
                if !failed {
                    next = Some(take_rune(&mut name));
                }
                let (rest, matched) = match_class(after, next)?;
                chunk = rest;
                failed = failed || !matched;
            }
            b'?' => {
                chunk = after;
                failed = failed || name.first() == Some(&b'/');
                if !failed {
                    take_rune(&mut name);
                }
            }
            _ => {
                let literal = if first == b'\\' { after } else { chunk };
                let (wanted, rest) = literal.split_first().ok_or(BadPattern)?;
                chunk = rest;
                match name.split_first() {
                    Some((found, left)) if !failed => {
                        failed = found != wanted;
                        name = left;
                    }
                    _ => {}
                }
            }
        }
    }
    Ok((!failed).then_some(name))
}

/// Matches a class whose opening bracket was taken; returns the pattern after it.
fn match_class(chunk: &[u8], rune: Option<u32>) -> Result<(&[u8], bool), BadPattern> {
    let (mut chunk, negated) = match chunk.strip_prefix(b"^") {
        Some(rest) => (rest, true),
        None => (chunk, false),
    };
    let mut matched = false;
    let mut ranges = 0usize;
    loop {
        if let Some(rest) = chunk.strip_prefix(b"]").filter(|_| ranges > 0) {
            return Ok((rest, matched != negated));
        }
        let low;
        (low, chunk) = class_rune(chunk)?;
        let mut high = low;
        if let Some(rest) = chunk.strip_prefix(b"-") {
            (high, chunk) = class_rune(rest)?;
        }
        matched = matched || rune.is_some_and(|rune| low <= rune && rune <= high);
        ranges += 1;
    }
}

/// Reads one possibly escaped character of a class, which must not end the pattern.
fn class_rune(chunk: &[u8]) -> Result<(u32, &[u8]), BadPattern> {
    let text = match chunk.first() {
        None | Some(b'-' | b']') => return Err(BadPattern),
        Some(b'\\') => chunk.get(1..).unwrap_or_default(),
        Some(_) => chunk,
    };
    let (rune, width) = decode_rune(text);
    let invalid = rune == char::REPLACEMENT_CHARACTER && width <= 1;
    let rest = text.get(width..).unwrap_or_default();
    if invalid || rest.is_empty() { Err(BadPattern) } else { Ok((u32::from(rune), rest)) }
}

fn take_rune(name: &mut &[u8]) -> u32 {
    let (rune, width) = decode_rune(name);
    *name = name.get(width..).unwrap_or_default();
    u32::from(rune)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_as_go_does() {
        let cases: &[(&str, &str, Result<bool, BadPattern>)] = &[
            ("abc", "abc", Ok(true)),
            ("*", "abc", Ok(true)),
            ("*c", "abc", Ok(true)),
            ("a*", "a", Ok(true)),
            ("a*", "ab/c", Ok(false)),
            ("a*/b", "abc/b", Ok(true)),
            ("a*/b", "a/c/b", Ok(false)),
            ("a*b*c*d*e*/f", "axbxcxdxe/f", Ok(true)),
            ("a*b*c*d*e*/f", "axbxcxdxexxx/fff", Ok(false)),
            ("a*b?c*x", "abxbbxdbxebxczzx", Ok(true)),
            ("a*b?c*x", "abxbbxdbxebxczzy", Ok(false)),
            ("ab[c]", "abc", Ok(true)),
            ("ab[b-d]", "abc", Ok(true)),
            ("ab[e-g]", "abc", Ok(false)),
            ("ab[^c]", "abc", Ok(false)),
            ("ab[^e-g]", "abc", Ok(true)),
            ("a\\*b", "a*b", Ok(true)),
            ("a\\*b", "ab", Ok(false)),
            ("a?b", "a☺b", Ok(true)),
            ("a[^a]b", "a☺b", Ok(true)),
            ("a???b", "a☺b", Ok(false)),
            ("[a-ζ]*", "α", Ok(true)),
            ("*[a-ζ]", "A", Ok(false)),
            ("a?b", "a/b", Ok(false)),
            ("a*b", "a/b", Ok(false)),
            ("[\\]a]", "]", Ok(true)),
            ("[\\-x]", "-", Ok(true)),
            ("[x\\-]", "z", Ok(false)),
            ("[]a]", "]", Err(BadPattern)),
            ("[-]", "-", Err(BadPattern)),
            ("[x-]", "x", Err(BadPattern)),
            ("[a-b-d]", "a", Err(BadPattern)),
            ("[a-b-c]", "a", Err(BadPattern)),
            ("[", "a", Err(BadPattern)),
            ("[^", "a", Err(BadPattern)),
            ("[^bc", "a", Err(BadPattern)),
            ("a[", "a", Err(BadPattern)),
            ("a[", "ab", Err(BadPattern)),
            ("a[", "x", Err(BadPattern)),
            ("a/b[", "x", Err(BadPattern)),
            ("a\\", "a", Err(BadPattern)),
            ("*x", "xxx", Ok(true)),
            ("", "", Ok(true)),
            ("", "a", Ok(false)),
        ];
        for (pattern, name, want) in cases {
            assert_eq!(match_pattern(pattern.as_bytes(), name.as_bytes()), *want, "{pattern} on {name}");
        }
    }
}
