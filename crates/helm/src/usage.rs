//! What a render used of what is limited.

use crate::RenderOptions;
use crate::schema;

/// What a render used, and what limits it: in [`Usage::limits`] each number is the most there may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Steps that templates took ([`RenderOptions::steps`]).
    pub steps: u64,
    /// Bytes that templates printed ([`RenderOptions::output`]).
    pub output: usize,
    /// Bytes of native stack that nested `include` and `tpl` took ([`RenderOptions::stack`]).
    pub stack: usize,
    /// Bytes of the longest text that a call of a function made.
    pub text: usize,
    /// Elements of the longest list that a call of a function made.
    pub list: usize,
    /// Parts of the largest `values.schema.json`.
    pub schema_parts: usize,
    /// Steps of the longest check of values against a schema.
    pub schema_steps: usize,
}

impl Usage {
    /// Returns the limits of a render.
    pub fn limits(options: &RenderOptions) -> Self {
        Self {
            steps: options.steps,
            output: options.output,
            stack: options.stack,
            text: sprig::LONGEST_TEXT,
            list: sprig::LONGEST_LIST,
            schema_parts: schema::MOST_PARTS,
            schema_steps: schema::MOST_STEPS,
        }
    }

    /// Adds what templates used.
    pub(crate) fn add_templates(&mut self, used: gotemplate::Usage) {
        let gotemplate::Usage { steps, output, stack, text, list, .. } = used;
        *self = Self { steps, output, stack, text, list, ..*self };
    }
}
