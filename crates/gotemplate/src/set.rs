//! Sets of templates that can call each other.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use gostd::GoStr;

use crate::code::Template;
use crate::{Error, FunctionSet};

/// Named templates that can call each other, and the functions they may use.
///
/// Clones are cheap, may cross threads, and do not see later changes of each other.
///
/// ```
/// use gotemplate::{FunctionSet, Set};
///
/// let mut set = Set::new("site", FunctionSet::default());
/// set.parse("page", r#"{{ define "name" }}World{{ end }}Hello {{ template "name" }}"#)?;
/// assert!(set.contains(b"page") && set.contains(b"name"));
/// # Ok::<(), gotemplate::Error>(())
/// ```
#[derive(Clone)]
pub struct Set(Arc<Layer>);

#[derive(Clone)]
struct Layer {
    name: GoStr,
    functions: FunctionSet,
    templates: HashMap<GoStr, Arc<Template>>,
    parent: Option<Set>,
}

impl Set {
    /// Makes an empty set. The name shows only in `no template "x" associated with template "NAME"`.
    pub fn new(name: impl Into<GoStr>, functions: FunctionSet) -> Self {
        Self(Arc::new(Layer { name: name.into(), functions, templates: HashMap::new(), parent: None }))
    }

    /// Makes a set that sees all templates of this one and adds its own, without copying.
    pub fn child(&self) -> Self {
        Self(Arc::new(Layer {
            name: self.0.name.clone(),
            functions: self.0.functions.clone(),
            templates: HashMap::new(),
            parent: Some(self.clone()),
        }))
    }

    /// Parses a file: its text becomes the template of that name, and its definitions become templates too.
    ///
    /// A template takes the place of an older one of its name, unless it holds only space and comments. Two definitions
    /// of one name within the text are an error if both hold more. After an error the set is as before.
    pub fn parse(&mut self, name: impl Into<GoStr>, text: impl Into<GoStr>) -> Result<(), Error> {
        self.parse_main(&name.into(), &text.into()).map(|_| ())
    }

    /// Parses a file and returns its own template, which may not be the one that the set holds under its name.
    pub(crate) fn parse_main(&mut self, name: &GoStr, text: &GoStr) -> Result<Option<Arc<Template>>, Error> {
        let templates = crate::parse::parse(name, text, &self.0.functions)?;
        let mut main = None;
        for template in templates {
            let template = Arc::new(template);
            if template.name == *name {
                main = Some(Arc::clone(&template));
            }
            if !template.is_empty || !self.contains(&template.name) {
                Arc::make_mut(&mut self.0).templates.insert(template.name.clone(), template);
            }
        }
        Ok(main)
    }

    /// Reports whether a template of that name is defined.
    pub fn contains(&self, name: &[u8]) -> bool {
        self.find(name).is_some()
    }

    /// Returns the names of all templates, sorted.
    pub fn names(&self) -> Vec<GoStr> {
        let mut names: Vec<_> = self.layers().flat_map(|layer| layer.templates.keys().cloned()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the functions that templates of this set may call.
    pub fn functions(&self) -> &FunctionSet {
        &self.0.functions
    }

    /// Returns the name that was given to [`Set::new`].
    pub fn name(&self) -> &GoStr {
        &self.0.name
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<&Arc<Template>> {
        self.layers().find_map(|layer| layer.templates.get(name))
    }

    fn layers(&self) -> impl Iterator<Item = &Layer> {
        std::iter::successors(Some(&*self.0), |layer| layer.parent.as_ref().map(|parent| &*parent.0))
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Set").field("name", &self.0.name).field("templates", &self.names()).finish()
    }
}
