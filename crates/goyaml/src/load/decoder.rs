//! Decoding nodes, with aliases followed and merge keys applied. Depth costs memory, not stack.

use std::collections::HashSet;

use crate::error::Error;
use crate::node::{Content, Document, NodeData};
use crate::resolve::Scalar;

/// Why decoding stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// The document cannot be decoded.
    Error(Error),
    /// The builder cannot hold what there is.
    Irregular,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Error(error)
    }
}

/// Makes values out of what the decoder finds.
pub(super) trait Build {
    type Value;
    type Key;
    type Map;

    /// Makes a scalar. Tagged ones may hold bytes that are no text.
    fn scalar(&mut self, scalar: Scalar<'_>, tagged: bool) -> Result<Self::Value, Stop>;
    /// Makes a key of a scalar; as there, tagged ones may hold bytes that are no text.
    fn key(&mut self, scalar: Scalar<'_>, tagged: bool) -> Result<Self::Key, Stop>;
    /// Makes a key of any value.
    fn value_as_key(&mut self, value: Self::Value, node: &NodeData<'_>) -> Result<Self::Key, Stop>;
    fn list(&mut self, items: Vec<Self::Value>) -> Result<Self::Value, Stop>;
    fn new_map(&mut self) -> Self::Map;
    /// Sets an entry; `line` is where the value stands, from 0.
    fn insert(&mut self, map: &mut Self::Map, key: Self::Key, value: Self::Value, line: u32);
    fn map(&mut self, map: Self::Map) -> Result<Self::Value, Stop>;
    /// Checks how many collections are open around a new one.
    fn check_depth(&self, depth: usize) -> Result<(), Stop>;
}

enum Frame<B: Build> {
    Sequence {
        items: Vec<B::Value>,
        next: u32,
        end: u32,
    },
    /// A mapping that fills the topmost map: its own one, or, as a merge, that of the mapping around it.
    Mapping {
        next: u32,
        end: u32,
        merges: bool,
        /// The key whose value is being decoded, and where that value starts.
        key: Option<(B::Key, u32)>,
        /// A key is being decoded that is more than a scalar.
        key_node: Option<u32>,
    },
    /// Nodes to merge, the last one first.
    MergeList(Vec<u32>),
    Alias(u32),
}

pub(super) struct Decoder<'d, 's, B: Build> {
    document: &'d Document<'s>,
    builder: B,
    frames: Vec<Frame<B>>,
    maps: Vec<B::Map>,
    decoded: u64,
    decoded_by_alias: u64,
    alias_depth: u32,
    /// The aliases being followed.
    active: HashSet<u32>,
}

impl<'d, 's, B: Build> Decoder<'d, 's, B> {
    pub(super) fn new(document: &'d Document<'s>, builder: B) -> Self {
        Self {
            document,
            builder,
            frames: Vec::new(),
            maps: Vec::new(),
            // The document is a node to go-yaml.
            decoded: 1,
            decoded_by_alias: 0,
            alias_depth: 0,
            active: HashSet::new(),
        }
    }

    pub(super) fn into_builder(self) -> B {
        self.builder
    }

    /// Decodes the whole document.
    pub(super) fn run(&mut self) -> Result<B::Value, Stop> {
        let mut value = self.visit(0)?;
        loop {
            if let Some(done) = value.take() {
                match self.frames.last_mut() {
                    None => return Ok(done),
                    Some(Frame::Alias(_)) => {
                        self.leave_alias();
                        value = Some(done);
                        continue;
                    }
                    Some(Frame::Sequence { items, .. }) => items.push(done),
                    Some(Frame::Mapping { .. }) => self.take_entry_part(done)?,
                    Some(Frame::MergeList(_)) => {}
                }
            }
            value = self.advance()?;
        }
    }

    /// Goes on with the innermost collection until a value is complete or a new collection is open.
    fn advance(&mut self) -> Result<Option<B::Value>, Stop> {
        match self.frames.last_mut() {
            None => Err(Stop::Irregular),
            Some(Frame::Sequence { items, next, end }) => {
                if *next < *end {
                    let node = *next;
                    *next = self.document.node(node).map_or(*end, |data| data.next);
                    return self.visit(node);
                }
                let items = std::mem::take(items);
                self.frames.pop();
                self.builder.list(items).map(Some)
            }
            Some(Frame::Mapping { .. }) => self.advance_mapping(),
            Some(Frame::MergeList(nodes)) => {
                match nodes.pop() {
                    Some(node) => self.merge_mapping(node)?,
                    None => _ = self.frames.pop(),
                }
                Ok(None)
            }
            Some(Frame::Alias(_)) => {
                // Only a merged mapping leaves an alias without a value.
                self.leave_alias();
                Ok(None)
            }
        }
    }

    fn advance_mapping(&mut self) -> Result<Option<B::Value>, Stop> {
        let document = self.document;
        let Some(Frame::Mapping { next, end, merges, key, key_node }) = self.frames.last_mut() else {
            return Err(Stop::Irregular);
        };
        if let Some((_, value_node)) = key {
            // The key was more than a scalar; its value is next.
            let node = *value_node;
            return self.visit(node);
        }
        if *next >= *end {
            let merges = *merges;
            self.frames.pop();
            if merges {
                return Ok(None);
            }
            return match self.maps.pop() {
                Some(map) => self.builder.map(map).map(Some),
                None => Err(Stop::Irregular),
            };
        }
        let node = *next;
        let Some(data) = document.node(node) else { return Err(Stop::Irregular) };
        let value_node = data.next;
        *next = document.node(value_node).map_or(*end, |data| data.next);
        if data.is_merge() {
            self.merge(value_node)?;
            return Ok(None);
        }
        if !matches!(data.content, Content::Scalar { .. }) {
            *key_node = Some(node);
            return self.visit(node);
        }
        self.count()?;
        let made = self.builder.key(data.scalar()?, data.tag().is_some())?;
        if let Some(Frame::Mapping { key, .. }) = self.frames.last_mut() {
            *key = Some((made, value_node));
        }
        self.visit(value_node)
    }

    /// A key or value of the innermost mapping is complete.
    fn take_entry_part(&mut self, done: B::Value) -> Result<(), Stop> {
        let Some(Frame::Mapping { key, key_node, .. }) = self.frames.last_mut() else {
            return Err(Stop::Irregular);
        };
        if let Some(node) = key_node.take() {
            let Some(data) = self.document.node(node) else { return Err(Stop::Irregular) };
            *key = Some((self.builder.value_as_key(done, data)?, data.next));
        } else if let (Some((key, value_node)), Some(map)) = (key.take(), self.maps.last_mut()) {
            let line = self.document.node(value_node).map_or(0, |data| data.start().line);
            self.builder.insert(map, key, done, line);
        }
        Ok(())
    }

    /// Starts decoding a node; returns its value if it is complete at once.
    fn visit(&mut self, node: u32) -> Result<Option<B::Value>, Stop> {
        self.count()?;
        let Some(data) = self.document.node(node) else { return Err(Stop::Irregular) };
        match &data.content {
            Content::Scalar { .. } => {
                let tagged = data.tag().is_some();
                self.builder.scalar(data.scalar()?, tagged).map(Some)
            }
            Content::Sequence(_) => {
                self.builder.check_depth(self.frames.len())?;
                self.frames.push(Frame::Sequence { items: Vec::new(), next: node + 1, end: data.next });
                Ok(None)
            }
            Content::Mapping(_) => {
                self.builder.check_depth(self.frames.len())?;
                let map = self.builder.new_map();
                self.maps.push(map);
                self.push_mapping(node, data.next, false);
                Ok(None)
            }
            Content::Alias { target, .. } => {
                self.enter_alias(node, data)?;
                self.visit_target(*target)
            }
        }
    }

    /// Aliases refer to anchored nodes, which are no aliases, so this goes one level deep.
    fn visit_target(&mut self, target: u32) -> Result<Option<B::Value>, Stop> {
        match self.document.node(target).map(|data| &data.content) {
            None | Some(Content::Alias { .. }) => Err(Stop::Irregular),
            Some(_) => self.visit(target),
        }
    }

    fn push_mapping(&mut self, node: u32, end: u32, merges: bool) {
        self.frames.push(Frame::Mapping { next: node + 1, end, merges, key: None, key_node: None });
    }

    fn enter_alias(&mut self, node: u32, data: &NodeData<'_>) -> Result<(), Stop> {
        if !self.active.insert(node) {
            let name = match &data.content {
                Content::Alias { name, .. } => gostd::value::lossy(name),
                _ => String::new(),
            };
            return Err(Error::SelfReference { name, mark: data.start() }.into());
        }
        self.alias_depth += 1;
        self.frames.push(Frame::Alias(node));
        Ok(())
    }

    fn leave_alias(&mut self) {
        if let Some(Frame::Alias(node)) = self.frames.pop() {
            self.active.remove(&node);
            self.alias_depth -= 1;
        }
    }

    /// Applies a merge key.
    fn merge(&mut self, value: u32) -> Result<(), Stop> {
        let Some(data) = self.document.node(value) else { return Err(Stop::Irregular) };
        let Content::Sequence(_) = data.content else { return self.merge_mapping(value) };
        let mut nodes = Vec::new();
        let mut next = value + 1;
        while next < data.next {
            nodes.push(next);
            next = self.document.node(next).map_or(data.next, |data| data.next);
        }
        self.frames.push(Frame::MergeList(nodes));
        Ok(())
    }

    /// Merges one mapping, perhaps through an alias.
    fn merge_mapping(&mut self, node: u32) -> Result<(), Stop> {
        let document = self.document;
        let Some(data) = document.node(node) else { return Err(Stop::Irregular) };
        let (start, end) = match data.content {
            Content::Mapping(_) => (node, data.next),
            Content::Alias { target, .. } => match document.node(target) {
                Some(NodeData { content: Content::Mapping(_), next, .. }) => {
                    self.count()?;
                    self.enter_alias(node, data)?;
                    (target, *next)
                }
                _ => return Err(Error::MergeValue { mark: data.start() }.into()),
            },
            _ => return Err(Error::MergeValue { mark: data.start() }.into()),
        };
        self.count()?;
        self.push_mapping(start, end, true);
        Ok(())
    }

    /// Counts a decoded node, and refuses documents that consist of aliases mostly.
    #[inline]
    fn count(&mut self) -> Result<(), Stop> {
        self.decoded += 1;
        if self.alias_depth > 0 {
            self.decoded_by_alias += 1;
            let share = self.decoded_by_alias as f64 / self.decoded as f64;
            if self.decoded_by_alias > 100 && self.decoded > 1000 && share > allowed_share(self.decoded) {
                return Err(Error::ExcessiveAliasing.into());
            }
        }
        Ok(())
    }
}

/// The share of decoded nodes that may come from aliases: almost all in small documents, a tenth in large ones.
fn allowed_share(decoded: u64) -> f64 {
    const SMALL: u64 = 400_000;
    const LARGE: u64 = 4_000_000;
    match decoded {
        ..=SMALL => 0.99,
        LARGE.. => 0.10,
        _ => 0.99 - 0.89 * ((decoded - SMALL) as f64 / (LARGE - SMALL) as f64),
    }
}
