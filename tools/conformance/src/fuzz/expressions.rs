//! Random expressions, by the tables of `forms`.

use fuzzing::mutate::Dice;

use super::words::{
    BOOL_KEYS, DICT_KEYS, FLOAT_KEYS, FLOATS, HELPERS, INT_KEYS, LIST_KEYS, NUMBERS, OTHER_KEYS,
    ROOT_HELPERS, STRING_KEYS, TEXT_LIST_KEYS, TEXTS, TREE_KEYS,
};
use super::{forms, grammar};

/// What an expression gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Text,
    Other,
    Int,
    Float,
    Truth,
    Dict,
    List,
    /// A list of texts.
    Texts,
}

const KINDS: &[Kind] =
    &[Kind::Text, Kind::Other, Kind::Int, Kind::Float, Kind::Truth, Kind::Dict, Kind::List, Kind::Texts];

impl Kind {
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Text => STRING_KEYS,
            Self::Other => OTHER_KEYS,
            Self::Int => INT_KEYS,
            Self::Float => FLOAT_KEYS,
            Self::Truth => BOOL_KEYS,
            Self::Dict => DICT_KEYS,
            Self::List => LIST_KEYS,
            Self::Texts => TEXT_LIST_KEYS,
        }
    }
}

/// Makes expressions.
pub(crate) struct Expressions<'a> {
    pub(crate) dice: &'a mut Dice,
    /// How many of a thousand operands are of another kind than they should be.
    pub(crate) wrong: usize,
    /// Variables in scope.
    pub(crate) variables: Vec<(String, Kind)>,
    /// A name that no other block of the file has; it grows with each block.
    pub(crate) blocks: String,
    /// In how many blocks the present statement stands.
    pub(crate) nested: usize,
}

impl Expressions<'_> {
    /// Returns a name for a new block.
    pub(crate) fn block_name(&mut self) -> String {
        self.blocks.push('x');
        self.blocks.clone()
    }

    /// Returns an expression of any kind.
    pub(crate) fn anything(&mut self, depth: usize) -> String {
        let kind = one(self.dice, KINDS);
        self.of(kind, depth)
    }

    /// Returns an operand: something in parentheses where it has to be.
    pub(crate) fn of(&mut self, kind: Kind, depth: usize) -> String {
        if self.dice.below(1000) < self.wrong {
            return self.anything(depth.saturating_sub(1));
        }
        if depth == 0 || self.dice.below(10) < 4 {
            return self.plain(kind);
        }
        let call = self.call(kind, depth - 1);
        if kind == Kind::Int {
            // Functions insist on int where others give int64 or float64.
            return format!("(int ({call}))");
        }
        match call.contains([' ', '|']) {
            true => format!("({call})"),
            false => call,
        }
    }

    /// Returns a call without parentheses around it.
    pub(crate) fn call(&mut self, kind: Kind, depth: usize) -> String {
        let is_risky = self.dice.below(1000) < 5 + self.wrong;
        let forms = if is_risky { forms::of("Risky") } else { forms::of(&format!("{kind:?}")) };
        let forms = if kind == Kind::Text && self.dice.below(2000) == 0 { forms::of("Slow") } else { forms };
        let form = self.dice.pick(forms).map(String::as_str).unwrap_or_default();
        // Some failure is as good as another, and most end the whole render.
        let form = if form.starts_with("fail ") && self.dice.below(20) > 0 { "quote $A" } else { form };
        let mut text = String::new();
        let mut rest = form;
        while let Some((before, after)) = rest.split_once('$') {
            text.push_str(before);
            let letter = after.chars().next();
            let operand = match letter {
                Some('S') => self.of(Kind::Text, depth),
                Some('I') => self.of(Kind::Int, depth),
                Some('F') => self.of(Kind::Float, depth),
                Some('B') => self.of(Kind::Truth, depth),
                Some('D') => self.of(Kind::Dict, depth),
                Some('L') => self.of(Kind::List, depth),
                Some('W') => self.of(Kind::Texts, depth),
                Some('K') => self.key(),
                Some('A') => self.anything(depth),
                Some('N') => self.dice.below(6).to_string(),
                Some('R') => one(self.dice, ROOT_HELPERS).to_owned(),
                Some('H') => one(self.dice, HELPERS).to_owned(),
                Some(letter) if letter.is_ascii_lowercase() || "_@56".contains(letter) => {
                    self.language(letter)
                }
                _ => {
                    text.push('$');
                    rest = after;
                    continue;
                }
            };
            text.push_str(&operand);
            rest = after.get(1..).unwrap_or_default();
        }
        text.push_str(rest);
        text
    }

    /// Returns a constant: a text of a letter's language, or something that only looks like it.
    fn language(&mut self, letter: char) -> String {
        const BROKEN: &[(char, char)] =
            &[('r', 'R'), ('v', 'V'), ('c', 'C'), ('u', 'U'), ('j', 'J'), ('y', 'Y'), ('b', 'B'), ('_', '-')];
        let broken = BROKEN.iter().find(|(sound, _)| *sound == letter);
        let text = match broken {
            Some((_, broken)) if self.dice.below(1000) < self.wrong => grammar::text(self.dice, *broken),
            _ => grammar::text(self.dice, letter),
        };
        quoted(&text, self.dice)
    }

    /// Returns a constant that printf reads.
    pub(crate) fn format(&mut self) -> String {
        self.language('e')
    }

    fn key(&mut self) -> String {
        match self.dice.below(8) {
            0 => self.of(Kind::Text, 0),
            _ => quoted(one(self.dice, TREE_KEYS), self.dice),
        }
    }

    fn plain(&mut self, kind: Kind) -> String {
        if !self.variables.is_empty() && self.dice.below(5) < 2 {
            let is_wrong = self.dice.below(1000) < self.wrong;
            let fitting = self.variables.iter().filter(|(_, known)| is_wrong || *known == kind);
            let fitting: Vec<String> = fitting.map(|(name, _)| name.clone()).collect();
            if let Some(variable) = self.dice.pick(&fitting) {
                return variable.clone();
            }
        }
        if self.dice.below(10) < 6 || matches!(kind, Kind::Dict | Kind::List | Kind::Texts | Kind::Other) {
            let keys = if self.dice.below(1000) < self.wrong { OTHER_KEYS } else { kind.keys() };
            let key = one(self.dice, keys);
            let root = if self.dice.below(1000) < self.wrong { ".Values" } else { "$.Values" };
            return match kind {
                Kind::Int => format!("(int {root}.{key})"),
                _ => format!("{root}.{key}"),
            };
        }
        match kind {
            Kind::Text if self.dice.below(2) == 0 => self.language('@'),
            Kind::Text => quoted(one(self.dice, TEXTS), self.dice),
            Kind::Int => one(self.dice, NUMBERS).to_owned(),
            Kind::Float => one(self.dice, FLOATS).to_owned(),
            _ => one(self.dice, &["true", "false"]).to_owned(),
        }
    }
}

/// Picks one; the tables are never empty.
pub(crate) fn one<T: Copy + Default>(dice: &mut Dice, from: &[T]) -> T {
    dice.pick(from).copied().unwrap_or_default()
}

/// Writes a text as a template's constant.
fn quoted(text: &str, dice: &mut Dice) -> String {
    if dice.below(3) == 0 && !text.contains(['`', '\r']) {
        return format!("`{text}`");
    }
    gostd::strconv::quote(text.as_bytes())
}
