//! Documents as trees of nodes that remember where they were read.

use std::collections::HashMap;

use crate::error::{Error, Mark};
use crate::event::{CollectionStyle, Event, EventKind, Properties};
use crate::parser::Events;
use crate::resolve::{self, Scalar};
use crate::scanner::Comment;
use crate::source::Source;
use crate::token::{ScalarStyle, Text};

/// The first document of a source.
///
/// Nodes stand in one list, each before its children, so a document is built and freed without recursion.
///
/// ```
/// use goyaml::{Document, Scalar, Source};
///
/// let source = Source::new(b"# How many.\nreplicas: 3\n");
/// let document = Document::parse_with_comments(&source)?.expect("there is one");
/// let (key, value) = document.root().entries().next().expect("it has an entry");
/// assert_eq!(key.text(), b"replicas");
/// assert_eq!(value.scalar()?, Scalar::Int(3));
/// assert_eq!((value.start().line, value.start().column), (1, 10));
/// assert_eq!(document.comments()[0].text, b"# How many.");
/// # Ok::<(), goyaml::Error>(())
/// ```
#[derive(Debug)]
pub struct Document<'s> {
    nodes: Vec<NodeData<'s>>,
    comments: Vec<Comment<'s>>,
}

#[derive(Debug)]
pub(crate) struct NodeData<'s> {
    pub(crate) content: Content<'s>,
    properties: Option<Box<Properties<'s>>>,
    /// Behind the node's last descendant.
    pub(crate) next: u32,
    start: Mark,
    end: Mark,
}

#[derive(Debug)]
pub(crate) enum Content<'s> {
    Scalar { value: Text<'s>, style: ScalarStyle, implicit: bool },
    Sequence(CollectionStyle),
    Mapping(CollectionStyle),
    Alias { name: Text<'s>, target: u32 },
}

impl<'s> Document<'s> {
    /// Reads the first document; none if the source holds only comments and the like.
    pub fn parse(source: &'s Source<'_>) -> Result<Option<Self>, Error> {
        Self::read(Events::new(source), source)
    }

    /// Reads the first document and all comments up to its end.
    pub fn parse_with_comments(source: &'s Source<'_>) -> Result<Option<Self>, Error> {
        let mut events = Events::new(source);
        events.scanner.keep_comments();
        Self::read(events, source)
    }

    fn read(mut events: Events<'s>, source: &Source<'_>) -> Result<Option<Self>, Error> {
        // Large lists are dear to enlarge; manifests have a node for some 16 bytes, those with long descriptions fewer.
        const BYTES_PER_NODE: usize = 20;
        const MOST_AT_ONCE: usize = 4096;
        let nodes = Vec::with_capacity((source.text().len() / BYTES_PER_NODE).min(MOST_AT_ONCE));
        let mut builder = Builder { nodes, ..Builder::default() };
        while let Some(event) = events.next_event()? {
            match event.kind {
                EventKind::StreamEnd => return Ok(None),
                EventKind::DocumentEnd { .. } => break,
                _ => builder.add(event)?,
            }
        }
        Ok(Some(Self { nodes: builder.nodes, comments: events.scanner.take_comments() }))
    }

    /// Returns the node everything else is in.
    pub fn root(&self) -> Node<'_, 's> {
        Node { document: self, index: 0 }
    }

    /// Returns the comments, in order. Empty unless they were asked for.
    pub fn comments(&self) -> &[Comment<'s>] {
        &self.comments
    }

    pub(crate) fn node(&self, index: u32) -> Option<&NodeData<'s>> {
        self.nodes.get(index as usize)
    }
}

/// Turns events into nodes.
#[derive(Default)]
struct Builder<'s> {
    nodes: Vec<NodeData<'s>>,
    /// The collections under way.
    open: Vec<usize>,
    anchors: HashMap<Text<'s>, u32>,
}

impl<'s> Builder<'s> {
    fn add(&mut self, event: Event<'s>) -> Result<(), Error> {
        let (content, properties) = match event.kind {
            EventKind::Alias(name) => {
                let Some(target) = self.anchors.get(&name).copied() else {
                    return Err(Error::UnknownAnchor { name: gostd::value::lossy(&name), mark: event.start });
                };
                (Content::Alias { name, target }, None)
            }
            EventKind::Scalar { properties, value, style, implicit } => {
                (Content::Scalar { value, style, implicit }, properties)
            }
            EventKind::SequenceStart { properties, style } => (Content::Sequence(style), properties),
            EventKind::MappingStart { properties, style } => (Content::Mapping(style), properties),
            EventKind::SequenceEnd | EventKind::MappingEnd => {
                let next = self.nodes.len() as u32;
                if let Some(node) = self.open.pop().and_then(|index| self.nodes.get_mut(index)) {
                    (node.next, node.end) = (next, event.end);
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        let index = self.nodes.len();
        if let Some(anchor) = properties.as_ref().and_then(|properties| properties.anchor.as_ref()) {
            self.anchors.insert(anchor.clone(), index as u32);
        }
        if matches!(content, Content::Sequence(_) | Content::Mapping(_)) {
            self.open.push(index);
        }
        let next = index as u32 + 1;
        self.nodes.push(NodeData { content, properties, next, start: event.start, end: event.end });
        Ok(())
    }
}

impl<'s> NodeData<'s> {
    pub(crate) fn tag(&self) -> Option<&[u8]> {
        self.properties.as_ref()?.tag.as_deref()
    }

    pub(crate) fn start(&self) -> Mark {
        self.start
    }

    /// The node stands for the keys of the mapping behind it (`<<`).
    pub(crate) fn is_merge(&self) -> bool {
        match &self.content {
            Content::Scalar { value, implicit, .. } if value.as_ref() == b"<<" => {
                *implicit || self.tag() == Some(b"tag:yaml.org,2002:merge")
            }
            _ => false,
        }
    }

    /// What a scalar is read as.
    pub(crate) fn scalar(&self) -> Result<Scalar<'_>, Error> {
        let Content::Scalar { value, implicit, .. } = &self.content else { return Ok(Scalar::Null) };
        let value = Text::Borrowed(value.as_ref());
        let tag = self.tag();
        if tag.is_none() {
            return Ok(if *implicit { resolve::resolve_plain(value) } else { Scalar::String(value) });
        }
        resolve::resolve(tag, value.clone()).map_err(|error| Error::from_tag(error, &value, self.start))
    }
}

/// A node of a document.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d, 's> {
    document: &'d Document<'s>,
    index: u32,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A scalar, written so.
    Scalar(ScalarStyle),
    /// A sequence, written so.
    Sequence(CollectionStyle),
    /// A mapping, written so.
    Mapping(CollectionStyle),
    /// A reference to an anchored node.
    Alias,
}

impl<'d, 's> Node<'d, 's> {
    fn data(&self) -> Option<&'d NodeData<'s>> {
        self.document.node(self.index)
    }

    /// Returns what the node is. (A document without content is an empty plain scalar.)
    pub fn kind(&self) -> NodeKind {
        match self.data().map(|data| &data.content) {
            None => NodeKind::Scalar(ScalarStyle::Plain),
            Some(Content::Scalar { style, .. }) => NodeKind::Scalar(*style),
            Some(Content::Sequence(style)) => NodeKind::Sequence(*style),
            Some(Content::Mapping(style)) => NodeKind::Mapping(*style),
            Some(Content::Alias { .. }) => NodeKind::Alias,
        }
    }

    /// Returns the text of a scalar or the name of an alias; empty for collections.
    pub fn text(&self) -> &'d [u8] {
        match self.data().map(|data| &data.content) {
            Some(Content::Scalar { value, .. }) => value,
            Some(Content::Alias { name, .. }) => name,
            _ => b"",
        }
    }

    /// Returns what a scalar is read as; an error if it does not fit its tag. Collections and aliases read as null.
    pub fn scalar(&self) -> Result<Scalar<'d>, Error> {
        self.data().map_or(Ok(Scalar::Null), NodeData::scalar)
    }

    /// Returns the anchor's name.
    pub fn anchor(&self) -> Option<&'d [u8]> {
        self.data()?.properties.as_ref()?.anchor.as_deref()
    }

    /// Returns the full tag (`tag:yaml.org,2002:str` for `!!str`).
    pub fn tag(&self) -> Option<&'d [u8]> {
        self.data()?.tag()
    }

    /// Returns the anchored node an alias refers to.
    pub fn target(&self) -> Option<Node<'d, 's>> {
        match self.data()?.content {
            Content::Alias { target, .. } => Some(Node { document: self.document, index: target }),
            _ => None,
        }
    }

    /// Returns where the node starts: at its anchor or tag, if it has one.
    pub fn start(&self) -> Mark {
        self.data().map(|data| data.start).unwrap_or_default()
    }

    /// Returns where the node ends.
    pub fn end(&self) -> Mark {
        self.data().map(|data| data.end).unwrap_or_default()
    }

    /// Returns the items of a sequence, or the keys and values of a mapping in turn.
    pub fn children(&self) -> Children<'d, 's> {
        let end = self.data().map_or(self.index, |data| data.next);
        Children { document: self.document, next: self.index + 1, end }
    }

    /// Returns the entries of a mapping; of a sequence, its items in pairs.
    pub fn entries(&self) -> impl Iterator<Item = (Node<'d, 's>, Node<'d, 's>)> + use<'d, 's> {
        let mut children = self.children();
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }
}

/// The children of a node.
#[derive(Clone, Debug)]
pub struct Children<'d, 's> {
    document: &'d Document<'s>,
    next: u32,
    end: u32,
}

impl<'d, 's> Iterator for Children<'d, 's> {
    type Item = Node<'d, 's>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let node = Node { document: self.document, index: self.next };
        self.next = self.document.node(self.next)?.next;
        Some(node)
    }
}
