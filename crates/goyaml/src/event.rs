//! Events: what a document consists of, in order.

use crate::error::Mark;
use crate::token::{ScalarStyle, Text};

/// Whether a collection is written with brackets or by indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectionStyle {
    /// By indentation.
    Block,
    /// `[...]` or `{...}`.
    Flow,
}

/// The anchor and tag of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties<'a> {
    /// The name behind `&`.
    pub anchor: Option<Text<'a>>,
    /// The full tag: `tag:yaml.org,2002:str` for `!!str`, `!x` for `!x`.
    pub tag: Option<Text<'a>>,
}

/// One event with the place it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// What happened.
    pub kind: EventKind<'a>,
    /// Where it starts.
    pub start: Mark,
    /// Where it ends.
    pub end: Mark,
}

/// What an event says. Nodes carry their properties boxed, since few have any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind<'a> {
    /// The first event.
    StreamStart,
    /// The last event.
    StreamEnd,
    /// A document begins.
    DocumentStart {
        /// There is a `---`.
        explicit: bool,
    },
    /// A document ends.
    DocumentEnd {
        /// There is a `...`.
        explicit: bool,
    },
    /// `*name`.
    Alias(Text<'a>),
    /// A scalar.
    Scalar {
        /// Its anchor and tag.
        properties: Option<Box<Properties<'a>>>,
        /// Its text, with escapes and folding undone.
        value: Text<'a>,
        /// How it is written.
        style: ScalarStyle,
        /// Its type follows from its text: it is plain without a tag, or has the tag `!`.
        implicit: bool,
    },
    /// A sequence begins.
    SequenceStart {
        /// Its anchor and tag.
        properties: Option<Box<Properties<'a>>>,
        /// How it is written.
        style: CollectionStyle,
    },
    /// A sequence ends.
    SequenceEnd,
    /// A mapping begins; keys and values follow in turn.
    MappingStart {
        /// Its anchor and tag.
        properties: Option<Box<Properties<'a>>>,
        /// How it is written.
        style: CollectionStyle,
    },
    /// A mapping ends.
    MappingEnd,
}
