//! Actions: control blocks and definitions, opened and closed.

use gostd::GoStr;

use super::{Definition, Opener, Parser, Result};
use crate::code::{Address, Constant, Op, Slot};
use crate::emit::{Mark, Span};
use crate::error::Error;
use crate::lex::{Kind, Token};

/// An `if`, `with` or `range` that waits for its `end`.
pub(super) struct Block {
    kind: Control,
    /// Whether it is the `else if` of the block around it, which then has no `end` of its own.
    is_chained: bool,
    is_in_else: bool,
    /// What was visible before its header.
    outside: Mark,
    /// What its header left visible.
    header: Mark,
    outer_dot: Slot,
    /// The jump taken if the condition fails.
    otherwise: Address,
    /// Jumps to its end.
    exits: Vec<Address>,
    /// Jumps to the end of the loop's round.
    continues: Vec<Address>,
    /// The loop's `Next` instruction.
    next: Address,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    If,
    With,
    Range,
}

impl Control {
    fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::If => Some(Control::If),
            Kind::With => Some(Control::With),
            Kind::Range => Some(Control::Range),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Control::If => "if",
            Control::With => "with",
            Control::Range => "range",
        }
    }
}

impl Parser<'_> {
    /// Reads an action whose left delimiter is taken.
    pub(super) fn action(&mut self) -> Result<()> {
        let token = self.next_non_space();
        match token.kind {
            // The line of these actions counts until their `end`.
            Kind::If => return self.open_control(Control::If, false),
            Kind::With => return self.open_control(Control::With, false),
            Kind::Range => return self.open_control(Control::Range, false),
            Kind::Block => return self.open_block_definition(),
            Kind::Break | Kind::Continue => self.loop_jump(token)?,
            Kind::Else => return self.else_branch(),
            Kind::End => return self.end(),
            Kind::Template => self.template()?,
            _ => {
                self.ahead.push(token);
                let outcome = self.pipeline("command")?;
                let op = if outcome.targets.is_empty() { Op::Print } else { Op::Pop };
                self.current.emitter.op(op);
            }
        }
        self.current.action_line = None;
        Ok(())
    }

    /// Reads the header of a block and writes its test.
    fn open_control(&mut self, kind: Control, is_chained: bool) -> Result<()> {
        let outside = self.current.emitter.scope.mark();
        let outer_dot = self.current.emitter.dot;
        let outcome = self.pipeline(kind.name())?;
        let emitter = &mut self.current.emitter;
        let mut next = 0;
        let otherwise = match kind {
            Control::If => emitter.op(Op::JumpUnless { target: 0 }),
            Control::With => {
                let slot = emitter.scope.new_slot();
                emitter.dot = slot;
                emitter.op(Op::With { slot, otherwise: 0 })
            }
            Control::Range => {
                let (index, element) = match outcome.targets.as_slice() {
                    [] => (None, None),
                    [element] => (None, *element),
                    [index, element, ..] => (*index, *element),
                };
                let plan = emitter.plan_loop(index, element);
                let start = emitter.op(Op::Loop { plan, otherwise: 0 });
                next = emitter.op(Op::Next { plan, end: 0 });
                start
            }
        };
        let header = emitter.scope.mark();
        self.current.blocks.push(Block {
            kind,
            is_chained,
            is_in_else: false,
            outside,
            header,
            outer_dot,
            otherwise,
            exits: Vec::new(),
            continues: Vec::new(),
            next,
        });
        Ok(())
    }

    /// Reads the rest of an `else` action.
    fn else_branch(&mut self) -> Result<()> {
        let following = self.peek_non_space().kind;
        if !matches!(following, Kind::If | Kind::With) {
            self.expect(Kind::RightDelim, "else")?;
        }
        self.current.action_line = None;
        let Some(mut block) = self.current.blocks.pop() else {
            return Err(self.stray("{{else}}"));
        };
        if block.is_in_else {
            return Err(self.error("expected end; found {{else}}"));
        }
        let kind = block.kind;
        self.end_branch(&mut block, true);
        block.is_in_else = true;
        self.current.blocks.push(block);
        // An `if` that does not continue an `if` is left to be found out of place.
        if kind != Control::Range && Control::of(following) == Some(kind) {
            self.next_non_space();
            return self.open_control(kind, true);
        }
        Ok(())
    }

    /// Ends the branch under way; the next instruction is the first of the else branch, or what follows the block.
    fn end_branch(&mut self, block: &mut Block, else_follows: bool) {
        let emitter = &mut self.current.emitter;
        let stale = emitter.scope.end_branch(block.header);
        emitter.dot = block.outer_dot;
        if block.is_in_else {
            return;
        }
        if block.kind == Control::Range {
            block.continues.iter().for_each(|jump| emitter.land(*jump));
            if let Some((from, to)) = stale {
                emitter.op(Op::Forget { from, to });
            }
            emitter.op(Op::Jump { target: block.next });
            block.exits.push(block.next);
        } else if else_follows {
            let exit = emitter.op(Op::Jump { target: 0 });
            block.exits.push(exit);
        }
        emitter.land(block.otherwise);
    }

    /// Reads the rest of an `end` action and closes what it ends.
    fn end(&mut self) -> Result<()> {
        self.expect(Kind::RightDelim, "end")?;
        self.current.action_line = None;
        if self.current.blocks.is_empty() {
            return self.end_definition();
        }
        while let Some(mut block) = self.current.blocks.pop() {
            self.end_branch(&mut block, false);
            let emitter = &mut self.current.emitter;
            block.exits.iter().for_each(|jump| emitter.land(*jump));
            emitter.scope.end_block(block.outside);
            if !block.is_chained {
                break;
            }
        }
        Ok(())
    }

    /// Reads the rest of a `break` or `continue` action.
    fn loop_jump(&mut self, token: Token) -> Result<()> {
        let is_break = token.kind == Kind::Break;
        let action = if is_break { "{{break}}" } else { "{{continue}}" };
        self.expect(Kind::RightDelim, action)?;
        let Definition { blocks, emitter, .. } = &mut self.current;
        let mut ranges = blocks.iter_mut().rev().filter(|block| block.kind == Control::Range).peekable();
        // In the else part of a range, Go's break leaves that range, though it has no loop under way.
        if is_break && let Some(inner) = ranges.next_if(|block| block.is_in_else) {
            if ranges.any(|block| !block.is_in_else) {
                inner.exits.push(emitter.op(Op::Jump { target: 0 }));
                return Ok(());
            }
        } else if let Some(range) = ranges.find(|block| !block.is_in_else) {
            if is_break {
                range.exits.push(emitter.op(Op::Break { target: 0 }));
            } else {
                range.continues.push(emitter.op(Op::Jump { target: 0 }));
            }
            return Ok(());
        }
        Err(self.error(format!("{action} outside {{{{range}}}}")))
    }

    /// Reads the rest of a `template` action.
    fn template(&mut self) -> Result<()> {
        let (token, name) = self.template_name("template clause")?;
        let span = Span { start: token.start, end: token.end, position: token.start };
        let node = self.current.emitter.find_template(span, &name);
        let next = self.next_non_space();
        if next.kind == Kind::RightDelim {
            self.current.emitter.push_constant(Constant::Nil, span);
        } else {
            self.ahead.push(next);
            let outcome = self.pipeline("template clause")?;
            self.current.emitter.end_node(node, outcome.end);
        }
        self.current.emitter.op(Op::Invoke);
        Ok(())
    }

    /// Reads the header of a `block` action: a `template` action whose template follows at once.
    fn open_block_definition(&mut self) -> Result<()> {
        let (token, name) = self.template_name("block clause")?;
        let span = Span { start: token.start, end: token.end, position: token.start };
        let node = self.current.emitter.find_template(span, &name);
        let outcome = self.pipeline("block clause")?;
        self.current.emitter.end_node(node, outcome.end);
        self.current.emitter.op(Op::Invoke);
        self.enter(name, Opener::Block);
        Ok(())
    }

    /// Reads the header of a `define` action, whose keyword is taken.
    pub(super) fn open_definition(&mut self) -> Result<()> {
        self.enter(GoStr::default(), Opener::Define);
        let (_, name) = self.template_name("define clause")?;
        self.expect(Kind::RightDelim, "define clause")?;
        self.current.name = name;
        Ok(())
    }

    fn enter(&mut self, name: GoStr, opener: Opener) {
        let definition = Definition::new(name, opener, self.text);
        self.outer.push(std::mem::replace(&mut self.current, definition));
    }

    fn end_definition(&mut self) -> Result<()> {
        if self.current.opener == Opener::File {
            return Err(self.stray("{{end}}"));
        }
        self.finish_current()?;
        if let Some(outer) = self.outer.pop() {
            self.current = outer;
            // The block action that it may have been is over.
            self.current.action_line = None;
        }
        Ok(())
    }

    /// Makes the error for an `else` or `end` without a block.
    fn stray(&mut self, action: &str) -> Error {
        match self.current.opener {
            Opener::File => self.error(format!("unexpected {action}")),
            Opener::Define => self.error(format!("unexpected {action} in define clause")),
            Opener::Block => {
                // The template around it complains, at the last line that it read itself.
                if let Some(outer) = self.outer.pop() {
                    self.current = outer;
                }
                self.error(format!("unexpected {action} in block clause"))
            }
        }
    }
}
