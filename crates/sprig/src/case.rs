//! Case styles: `snakecase`, `kebabcase` and `camelcase` as xstrings 1.5.0 finds words, and `shuffle`.

use gostd::Value;
use gostd::strings::{
    decode_rune, is_letter, is_number, is_punct, is_space, is_upper, lower, push_rune, upper,
};
use gostd::value::Type;
use gotemplate::Function;

use crate::args::{Args, fixed};

const TEXT: &[Type] = &[Type::String];

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("snakecase", TEXT, |_, args| Ok(Value::string(lower_words(args.text(0)?, b'_')))),
    fixed("kebabcase", TEXT, |_, args| Ok(Value::string(lower_words(args.text(0)?, b'-')))),
    fixed("camelcase", TEXT, |_, args| Ok(Value::string(pascal_case(args.text(0)?)))),
];

/// The kinds of runs that a text is split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    /// The end of the text, or nothing but invalid bytes to its end.
    Invalid,
    Number,
    Upper,
    Alphabet,
    Connector,
    Punctuation,
    Other,
}

fn is_connector(rune: char) -> bool {
    rune == '-' || rune == '_' || is_space(rune)
}

/// Reports a letter of an alphabet, that is none of the Chinese characters.
fn is_alphabet(rune: char) -> bool {
    is_letter(rune)
        && !matches!(rune, '\u{3400}'..='\u{4d85}' | '\u{4e00}'..='\u{9fcc}' | '\u{20000}'..='\u{2b81d}')
}

/// Walks over the characters of a text. Invalid bytes (and U+FFFD itself) count as part of what follows them, and at
/// the end of the text as one more of the character before.
struct Walker<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Walker<'a> {
    /// Returns the next character and the position behind it.
    fn peek(&self, before: char) -> (char, usize) {
        let mut at = self.at;
        while let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) {
            let (rune, width) = decode_rune(rest);
            at += width;
            if rune != char::REPLACEMENT_CHARACTER {
                return (rune, at);
            }
        }
        (before, at)
    }

    fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Goes on while characters fit; returns the character at which it stopped and the position before the last one
    /// that fitted, if any did.
    fn take_while(&mut self, first: char, fits: impl Fn(char) -> bool) -> (char, Option<usize>) {
        let (mut rune, mut last) = (first, None);
        while !self.at_end() {
            let (next, behind) = self.peek(rune);
            rune = next;
            if !fits(rune) {
                break;
            }
            last = Some(self.at);
            self.at = behind;
        }
        (rune, last)
    }

    /// Returns the next run and moves behind it.
    fn next_run(&mut self) -> (Run, &'a [u8]) {
        let start = self.at;
        let run = self.find_run();
        (run, self.text.get(start..self.at).unwrap_or_default())
    }

    fn find_run(&mut self) -> Run {
        let (first, behind) = self.peek(char::REPLACEMENT_CHARACTER);
        self.at = behind;
        let small = |rune| is_alphabet(rune) && !is_upper(rune);
        match first {
            char::REPLACEMENT_CHARACTER => Run::Invalid,
            first if is_connector(first) => {
                self.take_while(first, is_connector);
                Run::Connector
            }
            first if is_punct(first) => {
                self.take_while(first, is_punct);
                Run::Punctuation
            }
            first if is_upper(first) => {
                self.find_upper_run(first);
                Run::Upper
            }
            first if is_alphabet(first) => {
                self.take_while(first, small);
                Run::Alphabet
            }
            first if is_number(first) => {
                self.take_while(first, is_number);
                Run::Number
            }
            first => {
                let known =
                    |rune| is_connector(rune) || is_alphabet(rune) || is_number(rune) || is_punct(rune);
                self.take_while(first, |rune| !known(rune));
                Run::Other
            }
        }
    }

    /// `First`, `HTTP`, or the `HTTP` of `HTTPServer`: the last upper-case letter before a small one begins a new word.
    fn find_upper_run(&mut self, first: char) {
        if self.at_end() {
            return;
        }
        let (second, behind) = self.peek(first);
        if is_upper(second) {
            let second_at = self.at;
            self.at = behind;
            let (stopped, last) = self.take_while(second, is_upper);
            if !self.at_end() && is_alphabet(stopped) {
                self.at = last.unwrap_or(second_at);
            }
        } else if is_alphabet(second) {
            self.at = behind;
            self.take_while(second, |rune| is_alphabet(rune) && !is_upper(rune));
        }
    }
}

/// Lowers all words and joins them (xstrings `camelCaseToLowerCase`).
fn lower_words(text: &[u8], connector: u8) -> Vec<u8> {
    let mut words =
        Words { walker: Walker { text, at: 0 }, out: Vec::with_capacity(text.len() + 8), connector };
    let (mut run, mut word) = words.walker.next_run();
    while !words.walker.at_end() {
        if run != Run::Connector {
            words.push(run, word);
        }
        let next = words.walker.next_run();
        (run, word) = match run {
            Run::Number => words.after_number(next),
            Run::Connector => {
                words.push(run, word);
                next
            }
            Run::Punctuation => next,
            _ => words.after_word(next),
        };
    }
    words.push(run, word);
    words.out
}

struct Words<'a> {
    walker: Walker<'a>,
    out: Vec<u8>,
    connector: u8,
}

impl<'a> Words<'a> {
    /// A number takes letters and numbers that follow it into its own word, as in `2m3s`.
    fn after_number(&mut self, next: (Run, &'a [u8])) -> (Run, &'a [u8]) {
        let (mut run, mut word) = next;
        while matches!(run, Run::Alphabet | Run::Number) {
            self.push(run, word);
            (run, word) = self.walker.next_run();
        }
        if !matches!(run, Run::Invalid | Run::Punctuation | Run::Connector) {
            self.out.push(self.connector);
        }
        (run, word)
    }

    /// A number after a word belongs to it, as in `bld4_floor`, unless small letters follow it, as in `http_2xx`.
    fn after_word(&mut self, next: (Run, &'a [u8])) -> (Run, &'a [u8]) {
        let (run, word) = next;
        if run != Run::Number {
            if !matches!(run, Run::Connector | Run::Punctuation) {
                self.out.push(self.connector);
            }
            return next;
        }
        if self.walker.at_end() {
            return next;
        }
        let after = self.walker.next_run();
        if after.0 == Run::Alphabet {
            self.out.push(self.connector);
            self.push(Run::Number, word);
            return self.after_number(after);
        }
        self.push(Run::Number, word);
        if !matches!(after.0, Run::Connector | Run::Punctuation) {
            self.out.push(self.connector);
        }
        after
    }

    fn push(&mut self, run: Run, word: &[u8]) {
        if !matches!(run, Run::Upper | Run::Connector) {
            self.out.extend_from_slice(word);
            return;
        }
        for (_, rune, _) in gostd::strings::runes(word) {
            if is_connector(rune) {
                self.out.push(self.connector);
            } else {
                push_rune(&mut self.out, if is_upper(rune) { lower(rune) } else { rune });
            }
        }
    }
}

/// Drops connectors and starts words with upper-case letters (xstrings `ToPascalCase`).
fn pascal_case(text: &[u8]) -> Vec<u8> {
    let runes: Vec<char> = gostd::strings::runes(text).map(|(_, rune, _)| rune).collect();
    let leading = runes.iter().take_while(|rune| is_connector(**rune)).count();
    let (connectors, rest) = runes.split_at(leading);
    let mut out: String = connectors.iter().collect();
    let Some((first, rest)) = rest.split_first() else {
        // Nothing but connectors: xstrings writes the last one again.
        out.extend(connectors.last());
        return out.into_bytes();
    };
    let mut shouting = is_upper(*first);
    let mut current = upper(*first);
    for next in rest.iter().copied() {
        let before = std::mem::replace(&mut current, next);
        match (is_connector(before), is_connector(next)) {
            (true, true) => out.push(before),
            (true, false) => {
                shouting = is_upper(next);
                current = upper(next);
            }
            (false, _) => {
                shouting = shouting && is_upper(next);
                if shouting {
                    current = lower(next);
                }
                out.push(before);
            }
        }
    }
    out.push(current);
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::{lower_words, pascal_case};

    #[test]
    fn snake_case_splits_as_xstrings_documents() {
        let table = [
            ("FirstName", "first_name"),
            ("HTTPServer", "http_server"),
            ("NoHTTPS", "no_https"),
            ("GO_PATH", "go_path"),
            ("GO PATH", "go_path"),
            ("GO-PATH", "go_path"),
            ("http2xx", "http_2xx"),
            ("HTTP20xOK", "http_20x_ok"),
            ("Duration2m3s", "duration_2m3s"),
            ("Bld4Floor3rd", "bld4_floor_3rd"),
            ("fooBAR1", "foo_bar1"),
            (" _-_ ", "_____"),
            ("", ""),
        ];
        for (text, want) in table {
            assert_eq!(lower_words(text.as_bytes(), b'_'), want.as_bytes(), "{text}");
        }
        assert_eq!(lower_words(b"FirstName", b'-'), b"first-name");
    }

    #[test]
    fn pascal_case_treats_connectors_as_xstrings_does() {
        let table = [
            ("some_words", "SomeWords"),
            ("_complex__case_", "_Complex_Case_"),
            ("GOLANG_IS_GREAT", "GolangIsGreat"),
            ("foo.bar_baz", "Foo.barBaz"),
            ("_", "__"),
            ("__", "___"),
            ("a", "A"),
            ("", ""),
        ];
        for (text, want) in table {
            assert_eq!(pascal_case(text.as_bytes()), want.as_bytes(), "{text}");
        }
    }
}
