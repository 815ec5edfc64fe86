//! Random texts of the small languages that functions read, as a grammar.

use std::sync::LazyLock;

use fuzzing::mutate::Dice;

use super::forms::{Tables, tables};

/// What each letter expands to; `§` and a letter stand for one of that letter's texts. The first of each ends the expansion.
///
/// `r` regular expressions, `w` what replaces their matches, `v` versions, `c` constraints on them, `l` layouts of dates, `d`
/// dates, `n` durations, `z` time zones, `u` addresses, `p` paths, `j` JSON, `y` YAML, `b` TOML, `e` formats of printf, `6` base64,
/// `5` base32, `_` templates, `#` heaps of their parts, `=` settings, `S` schemas of values, `D` values for them, `M` settings of those, `@` texts of all sorts, `k` scalars of YAML; most capital letters what is wrong, or nearly. The others
/// are parts of these.
static RULES: LazyLock<Tables> = LazyLock::new(|| tables(include_str!("grammar.json")));

/// How deep a text may be nested.
const DEPTH: usize = 5;

/// Returns a text of a letter's language.
pub(crate) fn text(dice: &mut Dice, letter: char) -> String {
    let mut out = String::new();
    expand(dice, letter, DEPTH, &mut out);
    out
}

fn expand(dice: &mut Dice, letter: char, depth: usize, out: &mut String) {
    let Some(texts) = RULES.get(letter.encode_utf8(&mut [0; 4])) else {
        return out.push(letter);
    };
    let form = if depth == 0 { texts.first() } else { dice.pick(texts) };
    let mut rest = form.map(String::as_str).unwrap_or_default();
    while let Some((before, after)) = rest.split_once('§') {
        out.push_str(before);
        let mut letters = after.chars();
        if let Some(letter) = letters.next() {
            expand(dice, letter, depth.saturating_sub(1), out);
        }
        rest = letters.as_str();
    }
    out.push_str(rest);
}
