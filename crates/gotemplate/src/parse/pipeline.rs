//! Pipelines: commands joined by pipes, with parentheses and declarations.

use super::{Parser, Result};
use crate::code::{Constant, NodeId, Target};
use crate::emit::{Base, Command, Span, Term};
use crate::lex::{Kind, Token};
use crate::number::Number;

/// How deep parentheses may nest (Go's `maxStackDepth`).
const DEEPEST_GROUP: usize = 10_000;

/// What a pipeline did with its value besides leaving it on the stack.
pub(super) struct Outcome {
    /// The declared or assigned variables; `None` for one that was assigned without having been declared.
    pub(super) targets: Vec<Option<Target>>,
    /// The end of its last operand.
    pub(super) end: usize,
}

/// A pipeline under way: that of an action, or of a parenthesis inside one.
struct Pipeline<'t> {
    context: &'static str,
    /// What ends it.
    closer: Kind,
    /// Where it starts: behind the parenthesis that opens it, if one does.
    start: usize,
    end: usize,
    node: Option<NodeId>,
    variables: Vec<&'t [u8]>,
    is_assignment: bool,
    /// The command under way.
    command: Option<Command<'t>>,
    /// The number of complete commands.
    commands: usize,
    /// The first command but the first that starts with what cannot be executed, counted from 1.
    not_executable: Option<usize>,
    /// Where the parenthesis stands.
    opened: usize,
}

enum State {
    /// Before a command or the end of a pipeline.
    Between,
    /// Before an operand or the end of a command.
    Operand,
    /// Behind an operand.
    Behind,
}

impl<'t> Parser<'t> {
    /// Reads a pipeline up to the action's right delimiter.
    pub(super) fn pipeline(&mut self, context: &'static str) -> Result<Outcome> {
        let mut current = self.start_pipeline(context, Kind::RightDelim, 0)?;
        let mut outer: Vec<Pipeline<'t>> = Vec::new();
        let mut state = State::Between;
        loop {
            state = match state {
                State::Between => {
                    let token = self.next_non_space();
                    if token.kind != current.closer {
                        self.start_command(&mut current, token)?;
                        State::Operand
                    } else {
                        let group = (current.opened, token.end);
                        let outcome = self.end_pipeline(&current)?;
                        let Some(around) = outer.pop() else { return Ok(outcome) };
                        current = around;
                        self.current.parens -= 1;
                        self.group(&mut current, group)?;
                        State::Behind
                    }
                }
                State::Operand => {
                    let token = self.next_non_space();
                    if token.kind == Kind::LeftParen {
                        let group = self.open_group(&mut current, token)?;
                        outer.push(std::mem::replace(&mut current, group));
                        State::Between
                    } else {
                        self.operand(&mut current, token)?;
                        State::Behind
                    }
                }
                State::Behind => self.behind_operand(&mut current)?,
            };
        }
    }

    fn start_pipeline(&mut self, context: &'static str, closer: Kind, opened: usize) -> Result<Pipeline<'t>> {
        let start = self.peek_non_space().start;
        let mut pipeline = Pipeline {
            context,
            closer,
            start,
            end: start,
            node: None,
            variables: Vec::new(),
            is_assignment: false,
            command: None,
            commands: 0,
            not_executable: None,
            opened,
        };
        while self.declaration(&mut pipeline)? {}
        Ok(pipeline)
    }

    /// Reads `$v :=`, `$v =` or `$v,` if the pipeline has one next. Returns whether another may follow.
    fn declaration(&mut self, pipeline: &mut Pipeline<'t>) -> Result<bool> {
        if self.peek_non_space().kind != Kind::Variable {
            return Ok(false);
        }
        let variable = self.next();
        let name = self.token_text(variable);
        let adjacent = self.peek();
        let next = self.peek_non_space();
        match next.kind {
            Kind::Assign | Kind::Declare => pipeline.is_assignment = next.kind == Kind::Assign,
            Kind::Char if self.token_text(next) == b"," => {}
            _ => {
                // The variable is an operand; so that it is read as one, the space behind it is put back too.
                if adjacent.kind == Kind::Space {
                    self.ahead.push(adjacent);
                }
                self.ahead.push(variable);
                return Ok(false);
            }
        }
        self.next_non_space();
        pipeline.variables.push(name);
        self.current.emitter.scope.know(name);
        if next.kind != Kind::Char {
            return Ok(false);
        }
        if pipeline.context != "range" || pipeline.variables.len() > 1 {
            return Err(self.error(format!("too many declarations in {}", pipeline.context)));
        }
        match self.peek_non_space().kind {
            Kind::Variable | Kind::RightDelim | Kind::RightParen => Ok(true),
            _ => Err(self.error("range can only initialize variables")),
        }
    }

    fn end_pipeline(&mut self, pipeline: &Pipeline<'t>) -> Result<Outcome> {
        if pipeline.commands == 0 {
            return Err(self.error(format!("missing value for {}", pipeline.context)));
        }
        if let Some(stage) = pipeline.not_executable {
            return Err(self.error(format!("non executable command in pipeline stage {stage}")));
        }
        let emitter = &mut self.current.emitter;
        if let Some(node) = pipeline.node {
            emitter.end_node(node, pipeline.end);
        }
        let targets = pipeline.variables.iter().map(|name| {
            if pipeline.is_assignment { emitter.assign(name) } else { Some(emitter.declare(name)) }
        });
        Ok(Outcome { targets: targets.collect(), end: pipeline.end })
    }

    fn start_command(&mut self, pipeline: &mut Pipeline<'t>, token: Token) -> Result<()> {
        use Kind::*;
        let starts_operand = matches!(
            token.kind,
            Bool | CharConstant
                | Complex
                | Dot
                | Field
                | Identifier
                | Number
                | Nil
                | RawString
                | String
                | Variable
                | LeftParen
        );
        if !starts_operand {
            return Err(self.unexpected(token, pipeline.context));
        }
        self.ahead.push(token);
        let here = self.current.emitter.here();
        pipeline.command = Some(Command::new(here, token.start, pipeline.commands > 0));
        Ok(())
    }

    fn behind_operand(&mut self, pipeline: &mut Pipeline<'t>) -> Result<State> {
        let token = self.next();
        match token.kind {
            Kind::Space => return Ok(State::Operand),
            Kind::RightDelim | Kind::RightParen => self.ahead.push(token),
            Kind::Pipe => {}
            _ => return Err(self.unexpected(token, "operand")),
        }
        if let Some(command) = pipeline.command.take() {
            self.current.emitter.finish_command(command);
        }
        pipeline.commands += 1;
        Ok(State::Between)
    }

    fn open_group(&mut self, pipeline: &mut Pipeline<'t>, token: Token) -> Result<Pipeline<'t>> {
        if self.current.parens >= DEEPEST_GROUP {
            return Err(self.error("max expression depth exceeded"));
        }
        self.current.parens += 1;
        if let Some(command) = &mut pipeline.command {
            self.current.emitter.before_operand(command);
        }
        self.start_pipeline("parenthesized pipeline", Kind::RightParen, token.start)
    }

    /// Takes a parenthesis that was just closed as an operand.
    fn group(&mut self, pipeline: &mut Pipeline<'t>, (start, end): (usize, usize)) -> Result<()> {
        let span = Span { start, end, position: start };
        let (fields, span) = self.fields(span);
        let term = if fields.is_empty() {
            Term::Group(self.group_node(pipeline))
        } else {
            Term::Fields(Base::Group, fields)
        };
        self.add_operand(pipeline, &term, span);
        Ok(())
    }

    /// Returns the node at which a leading parenthesis of the pipeline refuses arguments: the pipeline itself.
    fn group_node(&mut self, pipeline: &mut Pipeline<'t>) -> Option<NodeId> {
        let is_first = pipeline.commands == 0 && pipeline.command.as_ref().is_some_and(Command::is_new);
        if is_first {
            let span = Span { start: pipeline.start, end: pipeline.start, position: pipeline.start };
            pipeline.node = Some(self.current.emitter.node(span));
        }
        pipeline.node.filter(|_| is_first)
    }

    fn add_operand(&mut self, pipeline: &mut Pipeline<'t>, term: &Term<'t>, span: Span) {
        pipeline.end = span.end;
        let Some(command) = &mut pipeline.command else { return };
        let cannot_start = matches!(term, Term::Literal(_) | Term::Dot) && command.is_new();
        if cannot_start && pipeline.commands > 0 {
            pipeline.not_executable.get_or_insert(pipeline.commands + 1);
        }
        self.current.emitter.operand(command, term, span);
    }

    /// Reads an operand other than a parenthesis, if `token` starts one; else puts the token back.
    fn operand(&mut self, pipeline: &mut Pipeline<'t>, token: Token) -> Result<()> {
        let text = self.token_text(token);
        let Some(term) = self.term(token, text)? else {
            self.ahead.push(token);
            return Ok(());
        };
        let span = Span { start: token.start, end: token.end, position: token.start };
        let (fields, whole) = self.fields(span);
        let term = match term {
            Term::Literal(_) | Term::Dot if !fields.is_empty() => {
                let term = gostd::strconv::quote(text);
                return Err(self.error(format!("unexpected . after term {term}")));
            }
            Term::Variable(name) if !fields.is_empty() => Term::Fields(Base::Variable(name), fields),
            Term::Function(callee) if !fields.is_empty() => {
                Term::Fields(Base::Function(callee, span), fields)
            }
            Term::Fields(base, mut first) => {
                first.extend(fields);
                Term::Fields(base, first)
            }
            term => term,
        };
        if let Some(command) = &mut pipeline.command {
            self.current.emitter.before_operand(command);
        }
        self.add_operand(pipeline, &term, whole);
        Ok(())
    }

    /// Reads the fields behind a term whose span is given. Returns their names and the span of the whole chain, which
    /// errors locate at its second name.
    fn fields(&mut self, term: Span) -> (Vec<&'t [u8]>, Span) {
        let mut names = Vec::new();
        let mut span = term;
        while self.peek().kind == Kind::Field {
            let token = self.next();
            if names.is_empty() {
                span.position = token.start;
            }
            span.end = token.end;
            names.push(self.field_name(token));
        }
        (names, span)
    }

    fn field_name(&self, token: Token) -> &'t [u8] {
        self.token_text(token).get(1..).unwrap_or_default()
    }

    /// Reads a token as an operand, if it is one.
    fn term(&self, token: Token, text: &'t [u8]) -> Result<Option<Term<'t>>> {
        Ok(Some(match token.kind {
            Kind::Identifier => {
                match std::str::from_utf8(text).ok().and_then(|name| self.functions.get(name)) {
                    Some(callee) => Term::Function(callee),
                    None => {
                        let name = gostd::strconv::quote(text);
                        return Err(self.error(format!("function {name} not defined")));
                    }
                }
            }
            Kind::Dot => Term::Dot,
            Kind::Nil => Term::Literal(Constant::Nil),
            Kind::Variable if self.current.emitter.scope.is_known(text) => Term::Variable(text),
            Kind::Variable => {
                let name = gostd::strconv::quote(text);
                return Err(self.error(format!("undefined variable {name}")));
            }
            Kind::Field => Term::Fields(Base::Dot, vec![self.field_name(token)]),
            Kind::Bool => Term::Literal(Constant::Bool(text == b"true")),
            Kind::CharConstant | Kind::Complex | Kind::Number => {
                let number = Number::parse(text, token.kind).map_err(|message| self.error(message))?;
                Term::Literal(Constant::Number(Box::new(number)))
            }
            Kind::String | Kind::RawString => Term::Literal(Constant::String(self.unquote(token)?)),
            _ => return Ok(None),
        }))
    }
}
