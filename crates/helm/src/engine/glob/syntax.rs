//! Reads patterns.

use gostd::strings::decode_rune;

/// Braces may nest this deep.
const DEEPEST: usize = 100;

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// One after the other.
    Pattern(Vec<Node>),
    AnyOf(Vec<Node>),
    Any,
    Super,
    Single,
    Nothing,
    List {
        letters: Vec<char>,
        not: bool,
    },
    Range {
        low: char,
        high: char,
        not: bool,
    },
    Text(String),
}

impl Node {
    /// Returns how many parts it has, itself included.
    pub(super) fn parts(&self) -> usize {
        match self {
            Node::Pattern(nodes) | Node::AnyOf(nodes) => 1 + nodes.iter().map(Self::parts).sum::<usize>(),
            _ => 1,
        }
    }

    /// Returns how many parts stand in a row at most.
    pub(super) fn longest_row(&self) -> usize {
        match self {
            Node::Pattern(nodes) => {
                nodes.iter().map(Self::longest_row).max().unwrap_or_default().max(nodes.len())
            }
            Node::AnyOf(nodes) => nodes.iter().map(Self::longest_row).max().unwrap_or_default(),
            _ => 1,
        }
    }
}

/// Parses a pattern; `None` if it is not valid.
pub(super) fn parse(pattern: &[u8]) -> Option<Node> {
    let mut letters = Vec::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        let (letter, width) = decode_rune(rest);
        if letter == char::REPLACEMENT_CHARACTER {
            // The library cannot tell it from broken UTF-8.
            return None;
        }
        letters.push(letter);
        rest = rest.get(width..).unwrap_or_default();
    }
    let mut parser = Parser { letters, place: 0, depth: 0 };
    parser.sequence().map(Node::Pattern)
}

struct Parser {
    letters: Vec<char>,
    place: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.place).copied()
    }

    /// Takes a character; none at the end and for NUL, which ends what is being read.
    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.place += 1;
        Some(letter).filter(|letter| *letter != '\0')
    }

    fn next_if_eq(&mut self, letter: char) -> bool {
        let is_there = self.peek() == Some(letter);
        self.place += usize::from(is_there);
        is_there
    }

    /// Parses up to the end, or inside braces up to a comma or closing brace, which is left.
    fn sequence(&mut self) -> Option<Vec<Node>> {
        let mut nodes = Vec::new();
        while let Some(letter) = self.peek() {
            if self.depth > 0 && matches!(letter, ',' | '}') {
                break;
            }
            match letter {
                '\0' => {
                    self.place = self.letters.len();
                    break;
                }
                '?' => {
                    self.place += 1;
                    nodes.push(Node::Single);
                }
                '*' => {
                    self.place += 1;
                    nodes.push(if self.next_if_eq('*') { Node::Super } else { Node::Any });
                }
                '[' => {
                    self.place += 1;
                    nodes.push(self.range()?);
                }
                '{' => {
                    self.place += 1;
                    nodes.push(self.alternatives()?);
                }
                _ => {
                    let text = self.text(if self.depth > 0 { "?*[{}," } else { "?*[{" });
                    if !text.is_empty() {
                        nodes.push(Node::Text(text.into_iter().collect()));
                    }
                }
            }
        }
        Some(nodes)
    }

    /// Reads up to one of the letters, which is left.
    fn text(&mut self, breakers: &str) -> Vec<char> {
        let mut text = Vec::new();
        while let Some(letter) = self.next() {
            if breakers.contains(letter) {
                self.place -= 1;
                break;
            }
            match letter {
                '\\' => match self.next() {
                    Some(letter) => text.push(letter),
                    None => break,
                },
                letter => text.push(letter),
            }
        }
        text
    }

    /// Parses `{a,b}` behind the opening brace; the closing one may be missing.
    fn alternatives(&mut self) -> Option<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut nodes = vec![Node::Pattern(self.sequence()?)];
        while self.next_if_eq(',') {
            nodes.push(Node::Pattern(self.sequence()?));
        }
        self.next_if_eq('}');
        self.depth -= 1;
        Some(Node::AnyOf(nodes))
    }

    /// Parses `[...]` behind the opening bracket.
    fn range(&mut self) -> Option<Node> {
        let not = self.next_if_eq('!');
        let low = self.next()?;
        let node = if self.next_if_eq('-') {
            let high = self.next().filter(|high| *high >= low)?;
            Node::Range { low, high, not }
        } else {
            self.place -= 1;
            let letters = self.text("]");
            if letters.is_empty() {
                return None;
            }
            Node::List { letters, not }
        };
        (self.next() == Some(']')).then_some(node)
    }
}
