//! The charts of one render: which are there, under which names, with which defaults.
//!
//! Helm copies charts around (one copy per alias) while their subcharts keep pointing to the chart they were loaded with,
//! and copies share the entries of `dependencies`. What follows from that is visible in template names and in
//! `.Chart.Dependencies`, so this is a graph of the same shape: nodes are Helm's `*chart.Chart`, and entries of
//! `dependencies` are shared by their number.

use gostd::Map;
use gostd::value::{Frozen, TooDeep, deep_copy};

use crate::chart::{Chart, Dependency};

/// A node of a [`Tree`]. Numbers come from the tree they are used with, and nodes are never removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(usize);

/// An entry of some chart's `dependencies` in a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryId(usize);

/// The charts of one render.
#[derive(Debug)]
pub(crate) struct Tree<'c> {
    root: Node<'c>,
    others: Vec<Node<'c>>,
    entries: Vec<Entry<'c>>,
    no_entry: Entry<'c>,
}

/// One chart, or a copy of one.
#[derive(Clone, Debug)]
pub(crate) struct Node<'c> {
    /// The chart it was loaded from.
    pub(crate) chart: &'c Chart,
    /// The name, which may be an alias.
    pub(crate) name: &'c str,
    pub(crate) parent: Option<NodeId>,
    pub(crate) children: Vec<NodeId>,
    /// The entries of `dependencies`; `None` is Go's nil.
    pub(crate) declared: Option<Vec<EntryId>>,
    pub(crate) defaults: Defaults<'c>,
}

/// A chart's default values.
#[derive(Clone, Debug)]
pub(crate) enum Defaults<'c> {
    /// Those of values.yaml.
    Loaded(&'c Frozen),
    /// Those after `import-values`.
    Merged(Map),
}

/// An entry of `dependencies` while it is being processed.
#[derive(Clone, Debug)]
pub(crate) struct Entry<'c> {
    /// As Chart.yaml has it.
    pub(crate) declared: &'c Dependency,
    /// The name, replaced by the alias once it was looked at.
    pub(crate) name: &'c str,
    pub(crate) enabled: bool,
    pub(crate) imports: Imports,
}

/// The state of `import-values`.
#[derive(Clone, Debug)]
pub(crate) enum Imports {
    /// As Chart.yaml has them.
    Declared,
    /// Normalized to pairs of child and parent path; these are not imported again.
    Done(Vec<(String, String)>),
}

static NO_DEPENDENCY: Dependency = Dependency::EMPTY;

impl Defaults<'_> {
    /// Returns a copy that may be changed.
    pub(crate) fn copy(&self) -> Result<Map, TooDeep> {
        match self {
            Defaults::Loaded(values) => Ok(values.thaw_map()),
            Defaults::Merged(map) => Ok(match deep_copy(&map.clone().into())? {
                gostd::Value::Map(copy) => copy,
                _ => Map::new(),
            }),
        }
    }
}

impl<'c> Tree<'c> {
    /// Builds the tree of a chart as it was loaded.
    pub(crate) fn new(chart: &'c Chart) -> Self {
        let no_entry =
            Entry { declared: &NO_DEPENDENCY, name: "", enabled: false, imports: Imports::Declared };
        let mut tree =
            Self { root: Node::new(chart, None), others: Vec::new(), entries: Vec::new(), no_entry };
        tree.load(Self::ROOT);
        tree
    }

    /// The root chart.
    pub(crate) const ROOT: NodeId = NodeId(0);

    fn load(&mut self, id: NodeId) {
        let chart = self.node(id).chart;
        if let Some(dependencies) = &chart.metadata.dependencies {
            let first = self.entries.len();
            self.entries.extend(dependencies.iter().map(|declared| Entry {
                declared,
                name: &declared.name,
                enabled: declared.enabled,
                imports: Imports::Declared,
            }));
            self.node_mut(id).declared = Some((first..self.entries.len()).map(EntryId).collect());
        }
        for subchart in &chart.dependencies {
            let child = self.add(Node::new(subchart, Some(id)));
            self.node_mut(id).children.push(child);
            self.load(child);
        }
    }

    /// Adds a node that belongs to no chart's children yet.
    pub(crate) fn add(&mut self, node: Node<'c>) -> NodeId {
        self.others.push(node);
        NodeId(self.others.len())
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node<'c> {
        id.0.checked_sub(1).and_then(|index| self.others.get(index)).unwrap_or(&self.root)
    }

    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node<'c> {
        id.0.checked_sub(1).and_then(|index| self.others.get_mut(index)).unwrap_or(&mut self.root)
    }

    pub(crate) fn entry(&self, id: EntryId) -> &Entry<'c> {
        self.entries.get(id.0).unwrap_or(&self.no_entry)
    }

    pub(crate) fn entry_mut(&mut self, id: EntryId) -> &mut Entry<'c> {
        self.entries.get_mut(id.0).unwrap_or(&mut self.no_entry)
    }

    /// Makes `children` the subcharts of `id`, and `id` their parent.
    pub(crate) fn set_children(&mut self, id: NodeId, children: Vec<NodeId>) {
        for child in &children {
            self.node_mut(*child).parent = Some(id);
        }
        self.node_mut(id).children = children;
    }

    /// Returns the path that templates of this chart are named by (`root/charts/sub`).
    pub(crate) fn full_path(&self, id: NodeId) -> String {
        let mut names = vec![self.node(id).name];
        let mut parent = self.node(id).parent;
        while let Some(id) = parent {
            names.push(self.node(id).name);
            parent = self.node(id).parent;
        }
        names.reverse();
        names.join("/charts/")
    }
}

impl<'c> Node<'c> {
    fn new(chart: &'c Chart, parent: Option<NodeId>) -> Self {
        Self {
            chart,
            name: chart.name(),
            parent,
            children: Vec::new(),
            declared: None,
            defaults: Defaults::Loaded(&chart.values),
        }
    }
}
