//! The patterns of `.Files.Glob` (github.com/gobwas/glob with `/` as separator).
//!
//! `*` and `?` stop at slashes, `**` does not, `[a-z]`, `[!abc]` and `{a,b}` are there, and a backslash quotes.

use std::iter::Peekable;
use std::str::Chars;

const SEPARATOR: char = '/';
/// Braces may nest this deep.
const DEEPEST: usize = 100;

/// A compiled pattern: the states of a nondeterministic automaton.
#[derive(Debug)]
pub(super) struct Glob(Vec<State>);

#[derive(Debug)]
enum State {
    /// Takes one character that fits and goes on to the next state.
    Take(Set),
    /// Goes to both states.
    Fork(usize, usize),
    /// Goes to the state.
    Go(usize),
}

#[derive(Debug)]
enum Set {
    Any,
    AnyButSeparator,
    One(char),
    List { letters: String, not: bool },
    Range { low: char, high: char, not: bool },
}

impl Set {
    fn fits(&self, letter: char) -> bool {
        match self {
            Set::Any => true,
            Set::AnyButSeparator => letter != SEPARATOR,
            Set::One(one) => *one == letter,
            Set::List { letters, not } => letters.contains(letter) != *not,
            Set::Range { low, high, not } => (*low <= letter && letter <= *high) != *not,
        }
    }
}

impl Glob {
    /// Compiles a pattern; `None` if it is not valid.
    pub(super) fn compile(pattern: &str) -> Option<Self> {
        // Characters that gobwas cannot tell from the end or from broken UTF-8.
        if pattern.contains(char::REPLACEMENT_CHARACTER) {
            return None;
        }
        let pattern = pattern.split('\0').next().unwrap_or_default();
        let mut compiler = Compiler { letters: pattern.chars().peekable(), states: Vec::new(), depth: 0 };
        compiler.sequence()?;
        Some(Self(compiler.states))
    }

    /// Reports whether the whole name fits.
    pub(super) fn matches(&self, name: &str) -> bool {
        let mut now = vec![false; self.0.len() + 1];
        self.enter(0, &mut now);
        for letter in name.chars() {
            let mut next = vec![false; self.0.len() + 1];
            for (index, state) in self.0.iter().enumerate() {
                if let State::Take(set) = state
                    && now.get(index) == Some(&true)
                    && set.fits(letter)
                {
                    self.enter(index + 1, &mut next);
                }
            }
            now = next;
        }
        now.last() == Some(&true)
    }

    /// Marks a state and all that it leads to without taking a character.
    fn enter(&self, state: usize, marks: &mut [bool]) {
        let mut work = vec![state];
        while let Some(state) = work.pop() {
            match marks.get_mut(state) {
                Some(mark) if !*mark => *mark = true,
                _ => continue,
            }
            match self.0.get(state) {
                Some(State::Fork(a, b)) => work.extend([*a, *b]),
                Some(State::Go(to)) => work.push(*to),
                _ => {}
            }
        }
    }
}

struct Compiler<'p> {
    letters: Peekable<Chars<'p>>,
    states: Vec<State>,
    depth: usize,
}

impl Compiler<'_> {
    /// Compiles up to the end, or inside braces up to a comma or closing brace, which is left.
    fn sequence(&mut self) -> Option<()> {
        while let Some(letter) = self.letters.peek().copied() {
            if self.depth > 0 && matches!(letter, ',' | '}') {
                break;
            }
            self.letters.next();
            match letter {
                '?' => self.take(Set::AnyButSeparator),
                '*' => {
                    let every = self.letters.next_if_eq(&'*').is_some();
                    self.repeat(if every { Set::Any } else { Set::AnyButSeparator });
                }
                '[' => self.range()?,
                '{' => self.alternatives()?,
                '\\' => {
                    if let Some(letter) = self.letters.next() {
                        self.take(Set::One(letter));
                    }
                }
                letter => self.take(Set::One(letter)),
            }
        }
        Some(())
    }

    fn take(&mut self, set: Set) {
        self.states.push(State::Take(set));
    }

    fn repeat(&mut self, set: Set) {
        let start = self.states.len();
        self.states.push(State::Fork(start + 1, start + 3));
        self.take(set);
        self.states.push(State::Go(start));
    }

    /// Compiles `{a,b}` behind the opening brace; the closing one may be missing.
    fn alternatives(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut exits = Vec::new();
        loop {
            let fork = self.states.len();
            self.states.push(State::Go(fork + 1));
            self.sequence()?;
            if self.letters.next() != Some(',') {
                break;
            }
            exits.push(self.states.len());
            self.states.push(State::Go(0));
            let next = self.states.len();
            if let Some(state) = self.states.get_mut(fork) {
                *state = State::Fork(fork + 1, next);
            }
        }
        let end = self.states.len();
        for exit in exits {
            if let Some(state) = self.states.get_mut(exit) {
                *state = State::Go(end);
            }
        }
        self.depth -= 1;
        Some(())
    }

    /// Compiles `[...]` behind the opening bracket.
    fn range(&mut self) -> Option<()> {
        let not = self.letters.next_if_eq(&'!').is_some();
        let first = self.letters.next()?;
        let set = if self.letters.next_if_eq(&'-').is_some() {
            let high = self.letters.next()?;
            if high < first {
                return None;
            }
            Set::Range { low: first, high, not }
        } else {
            // An empty list is refused, so a closing bracket cannot come first.
            let letters = self.list(first).filter(|_| first != ']')?;
            Set::List { letters, not }
        };
        self.take(set);
        (self.letters.next() == Some(']')).then_some(())
    }

    /// Reads the characters of a list up to its closing bracket.
    fn list(&mut self, first: char) -> Option<String> {
        let mut letters = String::new();
        let mut next = Some(first);
        while let Some(letter) = next {
            match letter {
                '\\' => letters.extend(self.letters.next()),
                letter => letters.push(letter),
            }
            next = self.letters.next_if(|letter| *letter != ']');
        }
        (!letters.is_empty()).then_some(letters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, name: &str) -> bool {
        Glob::compile(pattern).unwrap().matches(name)
    }

    #[test]
    fn stars_and_slashes() {
        assert!(fits("conf/*", "conf/a.yaml"));
        assert!(!fits("conf/*", "conf/a/b"));
        assert!(fits("conf/**", "conf/a/b"));
        assert!(fits("**.txt", "a/b.txt"));
        assert!(!fits("**/*.txt", "b.txt"));
        assert!(!fits("a?b", "a/b"));
        assert!(!fits("", "a"));
        assert!(fits("", ""));
    }

    #[test]
    fn sets_and_alternatives() {
        assert!(fits("[a-c]x", "bx"));
        assert!(fits("[!a-c]x", "dx"));
        assert!(fits("[!abc]", "/"));
        assert!(fits("{a,b/{c,d}}.y*", "b/d.yaml"));
        assert!(!fits("{a,b}", "ab"));
        assert!(fits("{a,b", "b"));
        assert!(fits("a\\*", "a*"));
        assert!(fits("a,b}", "a,b}"));
        assert!(fits("{,x}y", "y"));
    }

    #[test]
    fn broken_patterns_do_not_compile() {
        for pattern in ["[", "[a", "[]", "[z-a]", "[a-", "[a-b"] {
            assert!(Glob::compile(pattern).is_none(), "{pattern}");
        }
    }
}
