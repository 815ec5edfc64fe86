//! Parts of an expression, measured against Go's limits.

use std::collections::VecDeque;

use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, Look, Repetition};

use super::syntax::ErrorCode;

/// The most levels an expression may have (Go `maxHeight`).
const MAX_HEIGHT: u32 = 1000;

/// The most instructions it may compile to in Go (`maxSize`).
const MAX_SIZE: u64 = (128 << 20) / 40;

/// The most copies of one part that nested repetitions may ask for together.
const MAX_COPIES: u64 = 1000;

/// A parsed part of an expression.
pub(super) struct Part {
    node: Node,
    shape: Shape,
    /// Levels of Go's syntax tree.
    height: u32,
    /// Instructions of Go's program, as Go estimates them.
    size: u64,
    /// The largest product of nested repeat counts.
    copies: u64,
}

/// The expression of a part. Neighbours of a sequence or choice may still become part of it.
enum Node {
    Whole(Hir),
    Sequence(VecDeque<Hir>),
    Choice(VecDeque<Hir>),
}

/// What a part is, as far as its neighbours' measures depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Literal,
    Sequence,
    Choice,
    Other,
}

/// A repetition operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    Star,
    Plus,
    Quest,
    /// `{min,max}`; without a max there is no limit.
    Counted(u32, Option<u32>),
}

impl Part {
    fn leaf(hir: Hir, shape: Shape) -> Self {
        Self { node: Node::Whole(hir), shape, height: 1, size: 1, copies: 1 }
    }

    pub(super) fn empty() -> Self {
        Self::leaf(Hir::empty(), Shape::Other)
    }

    pub(super) fn look(look: Look) -> Self {
        Self::leaf(Hir::look(look), Shape::Other)
    }

    pub(super) fn class(class: ClassUnicode) -> Self {
        Self::leaf(Hir::class(Class::Unicode(class)), Shape::Other)
    }

    /// A single character, or its class of case variants. Surrogates match nothing.
    pub(super) fn literal(rune: u32, fold: bool) -> Self {
        let Some(rune) = char::from_u32(rune) else { return Self::leaf(Hir::fail(), Shape::Literal) };
        let hir = if fold {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(rune, rune)]);
            class.case_fold_simple();
            Hir::class(Class::Unicode(class))
        } else {
            Hir::literal(rune.encode_utf8(&mut [0; 4]).as_bytes())
        };
        Self::leaf(hir, Shape::Literal)
    }

    pub(super) fn repeated(self, repeat: Repeat, greedy: bool) -> Result<Self, ErrorCode> {
        let (min, max) = match repeat {
            Repeat::Star => (0, None),
            Repeat::Plus => (1, None),
            Repeat::Quest => (0, Some(1)),
            Repeat::Counted(min, max) => (min, max),
        };
        let (low, high) = (u64::from(min), max.map(u64::from));
        let size = match (repeat, high) {
            (Repeat::Plus | Repeat::Quest, _) => 1 + self.size,
            (Repeat::Star, _) => 2 + self.size,
            (Repeat::Counted(0, _), None) => 2 + self.size,
            (Repeat::Counted(..), None) => low.saturating_mul(self.size).saturating_add(1),
            (Repeat::Counted(..), Some(high)) => {
                high.saturating_mul(self.size).saturating_add(high.saturating_sub(low))
            }
        };
        let copies = match repeat {
            // What is repeated no times has no copies, however many it asks for.
            Repeat::Counted(_, Some(0)) => 1,
            Repeat::Counted(..) => high.unwrap_or(low).max(1).saturating_mul(self.copies),
            _ => self.copies,
        };
        let height = self.height + 1;
        let sub = Box::new(self.into_hir());
        let node = Node::Whole(Hir::repetition(Repetition { min, max, greedy, sub }));
        let part = Self { node, shape: Shape::Other, height, size: size.max(1), copies }.within_limits()?;
        let counted = matches!(repeat, Repeat::Counted(..)) && high.unwrap_or(low) >= 2;
        if counted && part.copies > MAX_COPIES { Err(ErrorCode::RepeatSize) } else { Ok(part) }
    }

    pub(super) fn captured(self, index: u32) -> Result<Self, ErrorCode> {
        // Names are kept beside the engine, which does not allow a name twice.
        let (height, size, copies) = (self.height + 1, self.size.saturating_add(2), self.copies);
        let sub = Box::new(self.into_hir());
        let node = Node::Whole(Hir::capture(Capture { index, name: None, sub }));
        Self { node, shape: Shape::Other, height, size, copies }.within_limits()
    }

    pub(super) fn sequence(parts: Vec<Self>) -> Result<Self, ErrorCode> {
        Self::joined(parts, Shape::Sequence, 0)
    }

    pub(super) fn choice(parts: Vec<Self>) -> Result<Self, ErrorCode> {
        Self::joined(parts, Shape::Choice, 1)
    }

    /// Joins parts; `link` is the size of what links two of them. A part of the same shape becomes one with the whole.
    fn joined(mut parts: Vec<Self>, shape: Shape, link: u64) -> Result<Self, ErrorCode> {
        if parts.len() <= 1 {
            return Ok(parts.pop().unwrap_or_else(Self::empty));
        }
        let links = link * u64::try_from(parts.len() - 1).unwrap_or(u64::MAX);
        let size = parts.iter().fold(links, |size, part| size.saturating_add(part.size));
        let copies = parts.iter().map(|part| part.copies).max().unwrap_or(1);
        let below = parts.iter().map(|part| if part.shape == shape { part.height - 1 } else { part.height });
        let height = below.max().unwrap_or(0) + 1;
        // Neighbouring characters are one literal, and alternative ones one class.
        let literal = parts.iter().all(|part| part.shape == Shape::Literal);

        let choice = shape == Shape::Choice;
        let items = parts.into_iter().map(|part| part.into_items(choice)).fold(VecDeque::new(), append);
        let node = if choice { Node::Choice(items) } else { Node::Sequence(items) };
        let (shape, height) = if literal { (Shape::Literal, 1) } else { (shape, height) };
        Self { node, shape, height, size, copies }.within_limits()
    }

    /// The items a sequence or choice of this part has.
    fn into_items(self, choice: bool) -> VecDeque<Hir> {
        match self.node {
            Node::Choice(items) if choice => items,
            Node::Sequence(items) if !choice => items,
            _ => VecDeque::from([self.into_hir()]),
        }
    }

    fn within_limits(self) -> Result<Self, ErrorCode> {
        if self.size > MAX_SIZE {
            Err(ErrorCode::Large)
        } else if self.height > MAX_HEIGHT {
            Err(ErrorCode::NestingDepth)
        } else {
            Ok(self)
        }
    }

    pub(super) fn height(&self) -> u32 {
        self.height
    }

    pub(super) fn into_hir(self) -> Hir {
        match self.node {
            Node::Whole(hir) => hir,
            Node::Sequence(items) => Hir::concat(items.into()),
            Node::Choice(items) => Hir::alternation(items.into()),
        }
    }
}

/// Moves the shorter list to the longer, so that deep nesting does not move the same items at every level.
fn append(mut before: VecDeque<Hir>, mut after: VecDeque<Hir>) -> VecDeque<Hir> {
    if before.len() < after.len() {
        while let Some(item) = before.pop_back() {
            after.push_front(item);
        }
        return after;
    }
    before.append(&mut after);
    before
}
