//! Where a call is made, told so that it stays the same while other parts of the templates change.

use std::sync::Arc;

use gostd::Value;

use crate::code::{NodeId, Template};

/// The place of a call: every execution under way, what it has written so far, and the call itself.
///
/// Nothing in it counts lines or calls, for both shift when something is inserted before.
pub struct Site<'a> {
    pub(super) outer: &'a [Step],
    pub(super) inner: Execution<'a>,
    pub(super) function: &'static str,
    pub(super) arguments: &'a [Value],
}

impl<'a> Site<'a> {
    /// Returns the executions under way, outermost first; there is at least one.
    pub fn executions(&self) -> impl Iterator<Item = Execution<'a>> {
        self.outer.iter().map(Step::execution).chain([self.inner])
    }

    /// Returns the name by which the function was called.
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// Returns the call's arguments.
    pub fn arguments(&self) -> &'a [Value] {
        self.arguments
    }
}

/// One execution, at the call that is under way in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution<'a> {
    /// The template it was started with.
    pub entry: &'a [u8],
    /// The template that makes the call: another one within `{{template}}`.
    pub template: &'a [u8],
    /// What it has written so far.
    pub written: &'a [u8],
    /// The variable, with its `$`, that the action of the call sets.
    pub variable: Option<&'a [u8]>,
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        entry: &'a Template,
        template: &'a Template,
        node: Option<NodeId>,
        written: &'a [u8],
    ) -> Self {
        let start = node.and_then(|node| template.nodes.get(node as usize)).map(|node| node.start as usize);
        let before = start.and_then(|start| template.source.text.get(..start)).unwrap_or_default();
        Self { entry: &entry.name, template: &template.name, written, variable: assigned(before) }
    }
}

/// An execution that waits for one it has started.
pub(super) struct Step {
    pub(super) entry: Arc<Template>,
    pub(super) template: Arc<Template>,
    pub(super) node: Option<NodeId>,
    pub(super) written: Vec<u8>,
}

impl Step {
    fn execution(&self) -> Execution<'_> {
        Execution::new(&self.entry, &self.template, self.node, &self.written)
    }
}

/// Finds the variable that an action sets, given the source up to somewhere in the action.
fn assigned(before: &[u8]) -> Option<&[u8]> {
    let start = before.windows(2).rposition(|pair| pair == b"{{")?;
    let action = before.get(start + 2..)?;
    let action = action.strip_prefix(b"-").unwrap_or(action).trim_ascii_start();
    let dollar = action.iter().position(|byte| *byte == b'$')?;
    let (keyword, rest) = action.split_at(dollar);
    if !matches!(keyword.trim_ascii_end(), b"" | b"if" | b"with" | b"else if" | b"else with") {
        return None;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let length = 1 + rest.iter().skip(1).take_while(|byte| is_name(byte)).count();
    let (variable, rest) = rest.split_at_checked(length)?;
    let rest = rest.trim_ascii_start();
    let is_set = rest.starts_with(b":=") || (rest.starts_with(b"=") && !rest.starts_with(b"=="));
    is_set.then_some(variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_an_action_sets_is_found() {
        for (before, variable) in [
            ("a: {{- $pass := ", Some("$pass")),
            ("{{$x=", Some("$x")),
            ("{{ if $ok := (not ", Some("$ok")),
            ("{{ $a := 1 }}{{ b ", None),
            ("{{ print $a ", None),
            ("{{ $a ", None),
            ("no action", None),
            ("{{", None),
            ("", None),
        ] {
            assert_eq!(assigned(before.as_bytes()), variable.map(str::as_bytes), "{before}");
        }
    }
}
