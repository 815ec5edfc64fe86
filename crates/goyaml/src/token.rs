//! Tokens: what the scanner hands to the parser.

use std::borrow::Cow;

use crate::error::Mark;

/// Bytes of a scalar, anchor or tag: part of the source where it stands there in one piece.
pub type Text<'a> = Cow<'a, [u8]>;

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotes.
    Plain,
    /// `'...'`.
    SingleQuoted,
    /// `"..."`.
    DoubleQuoted,
    /// `|`.
    Literal,
    /// `>`.
    Folded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenType {
    StreamStart,
    StreamEnd,
    VersionDirective,
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar,
}

/// What a token carries besides its type.
#[derive(Debug)]
pub(crate) enum Payload<'a> {
    None,
    /// Of a `%YAML` directive.
    Version {
        major: u8,
        minor: u8,
    },
    /// Of a tag (handle, suffix) or a `%TAG` directive (handle, prefix).
    Pair(Box<(Text<'a>, Text<'a>)>),
    /// Of an alias or anchor.
    Name(Text<'a>),
    Scalar(Text<'a>, ScalarStyle),
}

#[derive(Debug)]
pub(crate) struct Token<'a> {
    pub(crate) ty: TokenType,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
    pub(crate) payload: Payload<'a>,
}

/// What the parser decides by, without taking the token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peeked {
    pub(crate) ty: TokenType,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
}
