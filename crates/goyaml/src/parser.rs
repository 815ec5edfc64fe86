//! The parser: tokens to events, as a state machine (libyaml's grammar, one function per state).

use std::borrow::Cow;
use std::collections::HashMap;

use crate::error::{Mark, Stage, SyntaxError};
use crate::event::{CollectionStyle, Event, EventKind, Properties};
use crate::scanner::Scanner;
use crate::source::Source;
use crate::token::{Payload, Peeked, ScalarStyle, Text, TokenType};

type Result<T> = std::result::Result<T, SyntaxError>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    StreamStart,
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowSequenceEntryMappingKey,
    FlowSequenceEntryMappingValue,
    FlowSequenceEntryMappingEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// Where a node stands, as far as it decides which nodes are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Block,
    /// A mapping's key or value, where a sequence may stand without more indentation.
    BlockOrIndentless,
    Flow,
}

/// The events of a source, in order. Iteration ends after the first error.
#[derive(Debug)]
pub struct Events<'s> {
    pub(crate) scanner: Scanner<'s>,
    state: State,
    states: Vec<State>,
    /// Where the open collections started.
    marks: Vec<Mark>,
    /// Handles and prefixes of `%TAG` directives and the defaults.
    tag_directives: HashMap<Text<'s>, Text<'s>>,
    failed: bool,
}

impl<'s> Events<'s> {
    /// Starts reading a source.
    pub fn new(source: &'s Source<'_>) -> Self {
        Self {
            scanner: Scanner::new(source.reader()),
            state: State::StreamStart,
            states: Vec::new(),
            marks: Vec::new(),
            tag_directives: HashMap::new(),
            failed: false,
        }
    }

    /// Returns the next event; none after the end of the stream.
    pub(crate) fn next_event(&mut self) -> Result<Option<Event<'s>>> {
        if self.scanner.is_done() || self.state == State::End {
            return Ok(None);
        }
        let event = match self.state {
            State::StreamStart => self.stream_start(),
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Place::Block),
            State::BlockSequenceFirstEntry => self.block_sequence_entry(true),
            State::BlockSequenceEntry => self.block_sequence_entry(false),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingFirstKey => self.block_mapping_key(true),
            State::BlockMappingKey => self.block_mapping_key(false),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => self.flow_sequence_entry(true),
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowSequenceEntryMappingKey => self.flow_sequence_entry_mapping_key(),
            State::FlowSequenceEntryMappingValue => self.flow_sequence_entry_mapping_value(),
            State::FlowSequenceEntryMappingEnd => self.flow_sequence_entry_mapping_end(),
            State::FlowMappingFirstKey => self.flow_mapping_key(true),
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(false),
            State::FlowMappingEmptyValue => self.flow_mapping_value(true),
            State::End => return Ok(None),
        };
        event.map(Some)
    }

    fn peek(&mut self) -> Result<Peeked> {
        self.scanner.peek()
    }

    fn take(&mut self) -> Payload<'s> {
        self.scanner.take()
    }

    /// Takes the peeked token and peeks the next one.
    fn advance(&mut self) -> Result<Peeked> {
        self.take();
        self.peek()
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    fn stream_start(&mut self) -> Result<Event<'s>> {
        let token = self.peek()?;
        self.take();
        self.state = State::ImplicitDocumentStart;
        Ok(Event { kind: EventKind::StreamStart, start: token.start, end: token.end })
    }

    fn document_start(&mut self, implicit: bool) -> Result<Event<'s>> {
        let mut token = self.peek()?;
        while !implicit && token.ty == TokenType::DocumentEnd {
            token = self.advance()?;
        }
        let starts_explicitly = matches!(
            token.ty,
            TokenType::VersionDirective | TokenType::TagDirective | TokenType::DocumentStart
        );
        if token.ty == TokenType::StreamEnd {
            self.take();
            self.state = State::End;
            return Ok(Event { kind: EventKind::StreamEnd, start: token.start, end: token.end });
        }
        if implicit && !starts_explicitly {
            self.process_directives()?;
            self.states.push(State::DocumentEnd);
            self.state = State::BlockNode;
            let kind = EventKind::DocumentStart { explicit: false };
            return Ok(Event { kind, start: token.start, end: token.end });
        }
        let start = token.start;
        let token = self.process_directives()?;
        if token.ty != TokenType::DocumentStart {
            return Err(error("did not find expected <document start>", token.start, None));
        }
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        self.take();
        Ok(Event { kind: EventKind::DocumentStart { explicit: true }, start, end: token.end })
    }

    fn document_content(&mut self) -> Result<Event<'s>> {
        let token = self.peek()?;
        match token.ty {
            TokenType::VersionDirective
            | TokenType::TagDirective
            | TokenType::DocumentStart
            | TokenType::DocumentEnd
            | TokenType::StreamEnd => {
                self.pop_state();
                Ok(empty_scalar(token.start))
            }
            _ => self.node(Place::Block),
        }
    }

    fn document_end(&mut self) -> Result<Event<'s>> {
        let token = self.peek()?;
        let explicit = token.ty == TokenType::DocumentEnd;
        let mut end = token.start;
        if explicit {
            end = token.end;
            self.take();
        }
        self.tag_directives.clear();
        self.state = State::DocumentStart;
        Ok(Event { kind: EventKind::DocumentEnd { explicit }, start: token.start, end })
    }

    /// Takes directives; returns the token behind them.
    fn process_directives(&mut self) -> Result<Peeked> {
        let mut version_seen = false;
        let mut token = self.peek()?;
        while matches!(token.ty, TokenType::VersionDirective | TokenType::TagDirective) {
            match self.take() {
                Payload::Version { .. } if version_seen => {
                    return Err(error("found duplicate %YAML directive", token.start, None));
                }
                Payload::Version { major: 1, minor: 1 } => version_seen = true,
                Payload::Version { .. } => {
                    return Err(error("found incompatible YAML document", token.start, None));
                }
                Payload::Pair(pair) => {
                    let (handle, prefix) = *pair;
                    if self.tag_directives.insert(handle, prefix).is_some() {
                        return Err(error("found duplicate %TAG directive", token.start, None));
                    }
                }
                _ => {}
            }
            token = self.peek()?;
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            let (handle, prefix) = (Cow::Borrowed(handle.as_bytes()), Cow::Borrowed(prefix.as_bytes()));
            self.tag_directives.entry(handle).or_insert(prefix);
        }
        Ok(token)
    }

    fn node(&mut self, place: Place) -> Result<Event<'s>> {
        let mut token = self.peek()?;
        if token.ty == TokenType::Alias {
            self.pop_state();
            let name = name_of(self.take());
            return Ok(Event { kind: EventKind::Alias(name), start: token.start, end: token.end });
        }
        let (start, mut end) = (token.start, token.start);
        let mut properties = None;
        if matches!(token.ty, TokenType::Anchor | TokenType::Tag) {
            (properties, token, end) = self.properties(token)?;
        }
        let (next, style, sequence) = match token.ty {
            TokenType::BlockEntry if place == Place::BlockOrIndentless => {
                (State::IndentlessSequenceEntry, CollectionStyle::Block, true)
            }
            TokenType::Scalar => return Ok(self.scalar(properties, start, token.end)),
            TokenType::FlowSequenceStart => (State::FlowSequenceFirstEntry, CollectionStyle::Flow, true),
            TokenType::FlowMappingStart => (State::FlowMappingFirstKey, CollectionStyle::Flow, false),
            TokenType::BlockSequenceStart if place != Place::Flow => {
                (State::BlockSequenceFirstEntry, CollectionStyle::Block, true)
            }
            TokenType::BlockMappingStart if place != Place::Flow => {
                (State::BlockMappingFirstKey, CollectionStyle::Block, false)
            }
            _ if properties.is_some() => {
                self.pop_state();
                let implicit = properties.as_ref().is_some_and(|properties| properties.tag.is_none());
                let (value, style) = (Cow::Borrowed(&b""[..]), ScalarStyle::Plain);
                return Ok(Event {
                    kind: EventKind::Scalar { properties, value, style, implicit },
                    start,
                    end,
                });
            }
            _ => return Err(error("did not find expected node content", token.start, Some(start))),
        };
        self.state = next;
        let kind = if sequence {
            EventKind::SequenceStart { properties, style }
        } else {
            EventKind::MappingStart { properties, style }
        };
        Ok(Event { kind, start, end: token.end })
    }

    /// Takes an anchor, a tag, or both in either order; returns the token behind them and where they end.
    fn properties(&mut self, first: Peeked) -> Result<(Option<Box<Properties<'s>>>, Peeked, Mark)> {
        let mut properties = Box::<Properties<'s>>::default();
        let mut tag = None;
        let mut token = first;
        let mut end = first.end;
        while (token.ty == TokenType::Anchor && properties.anchor.is_none())
            || (token.ty == TokenType::Tag && tag.is_none())
        {
            end = token.end;
            match self.take() {
                Payload::Pair(pair) => tag = Some((*pair, token.start)),
                payload => properties.anchor = Some(name_of(payload)),
            }
            token = self.peek()?;
        }
        if let Some(((handle, suffix), mark)) = tag {
            properties.tag = Some(self.resolve_tag(&handle, suffix, first.start, mark)?);
        }
        Ok((Some(properties), token, end))
    }

    fn resolve_tag(&self, handle: &[u8], suffix: Text<'s>, start: Mark, mark: Mark) -> Result<Text<'s>> {
        if handle.is_empty() {
            return Ok(suffix);
        }
        match self.tag_directives.get(handle) {
            Some(prefix) => Ok(Cow::Owned([prefix.as_ref(), suffix.as_ref()].concat())),
            None => Err(error("found undefined tag handle", mark, Some(start))),
        }
    }

    fn scalar(&mut self, properties: Option<Box<Properties<'s>>>, start: Mark, end: Mark) -> Event<'s> {
        self.pop_state();
        let (value, style) = match self.take() {
            Payload::Scalar(value, style) => (value, style),
            _ => (Cow::Borrowed(&b""[..]), ScalarStyle::Plain),
        };
        let implicit = match properties.as_ref().and_then(|properties| properties.tag.as_ref()) {
            None => style == ScalarStyle::Plain,
            Some(tag) => tag.as_ref() == b"!",
        };
        Event { kind: EventKind::Scalar { properties, value, style, implicit }, start, end }
    }

    /// Takes the token that starts a collection.
    fn enter_collection(&mut self, first: bool) -> Result<()> {
        if first {
            let token = self.peek()?;
            self.marks.push(token.start);
            self.take();
        }
        Ok(())
    }

    /// Takes the token that ends a collection.
    fn leave_collection(&mut self, kind: EventKind<'s>, token: Peeked) -> Event<'s> {
        self.pop_state();
        self.marks.pop();
        self.take();
        Event { kind, start: token.start, end: token.end }
    }

    fn collection_error(&mut self, problem: &'static str, token: Peeked) -> SyntaxError {
        error(problem, token.start, self.marks.pop())
    }

    fn block_sequence_entry(&mut self, first: bool) -> Result<Event<'s>> {
        self.enter_collection(first)?;
        let token = self.peek()?;
        match token.ty {
            TokenType::BlockEntry => {
                let mark = token.end;
                if matches!(self.advance()?.ty, TokenType::BlockEntry | TokenType::BlockEnd) {
                    self.state = State::BlockSequenceEntry;
                    return Ok(empty_scalar(mark));
                }
                self.states.push(State::BlockSequenceEntry);
                self.node(Place::Block)
            }
            TokenType::BlockEnd => Ok(self.leave_collection(EventKind::SequenceEnd, token)),
            _ => Err(self.collection_error("did not find expected '-' indicator", token)),
        }
    }

    fn indentless_sequence_entry(&mut self) -> Result<Event<'s>> {
        let token = self.peek()?;
        if token.ty != TokenType::BlockEntry {
            self.pop_state();
            return Ok(Event { kind: EventKind::SequenceEnd, start: token.start, end: token.start });
        }
        let next = self.advance()?.ty;
        if matches!(next, TokenType::BlockEntry | TokenType::Key | TokenType::Value | TokenType::BlockEnd) {
            self.state = State::IndentlessSequenceEntry;
            return Ok(empty_scalar(token.end));
        }
        self.states.push(State::IndentlessSequenceEntry);
        self.node(Place::Block)
    }

    fn block_mapping_key(&mut self, first: bool) -> Result<Event<'s>> {
        self.enter_collection(first)?;
        let token = self.peek()?;
        match token.ty {
            TokenType::Key => self.block_mapping_node(token.end, State::BlockMappingValue),
            TokenType::BlockEnd => Ok(self.leave_collection(EventKind::MappingEnd, token)),
            _ => Err(self.collection_error("did not find expected key", token)),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event<'s>> {
        let token = self.peek()?;
        if token.ty == TokenType::Value {
            return self.block_mapping_node(token.end, State::BlockMappingKey);
        }
        self.state = State::BlockMappingKey;
        Ok(empty_scalar(token.start))
    }

    /// Takes `?` or `:` and reads the node behind it, which may be missing.
    fn block_mapping_node(&mut self, indicator_end: Mark, then: State) -> Result<Event<'s>> {
        if matches!(self.advance()?.ty, TokenType::Key | TokenType::Value | TokenType::BlockEnd) {
            self.state = then;
            return Ok(empty_scalar(indicator_end));
        }
        self.states.push(then);
        self.node(Place::BlockOrIndentless)
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Result<Event<'s>> {
        self.enter_collection(first)?;
        let mut token = self.peek()?;
        if token.ty != TokenType::FlowSequenceEnd {
            if !first {
                if token.ty != TokenType::FlowEntry {
                    return Err(self.collection_error("did not find expected ',' or ']'", token));
                }
                token = self.advance()?;
            }
            if token.ty == TokenType::Key {
                self.state = State::FlowSequenceEntryMappingKey;
                self.take();
                let kind = EventKind::MappingStart { properties: None, style: CollectionStyle::Flow };
                return Ok(Event { kind, start: token.start, end: token.end });
            }
            if token.ty != TokenType::FlowSequenceEnd {
                self.states.push(State::FlowSequenceEntry);
                return self.node(Place::Flow);
            }
        }
        Ok(self.leave_collection(EventKind::SequenceEnd, token))
    }

    fn flow_sequence_entry_mapping_key(&mut self) -> Result<Event<'s>> {
        let token = self.peek()?;
        if !matches!(token.ty, TokenType::Value | TokenType::FlowEntry | TokenType::FlowSequenceEnd) {
            self.states.push(State::FlowSequenceEntryMappingValue);
            return self.node(Place::Flow);
        }
        // As in libyaml: the token is lost here, so `[? : x]` and `[?]` fail later on.
        self.take();
        self.state = State::FlowSequenceEntryMappingValue;
        Ok(empty_scalar(token.end))
    }

    fn flow_sequence_entry_mapping_value(&mut self) -> Result<Event<'s>> {
        let token = self.peek()?;
        if token.ty == TokenType::Value {
            let next = self.advance()?.ty;
            if !matches!(next, TokenType::FlowEntry | TokenType::FlowSequenceEnd) {
                self.states.push(State::FlowSequenceEntryMappingEnd);
                return self.node(Place::Flow);
            }
        }
        self.state = State::FlowSequenceEntryMappingEnd;
        Ok(empty_scalar(token.start))
    }

    fn flow_sequence_entry_mapping_end(&mut self) -> Result<Event<'s>> {
        let token = self.peek()?;
        self.state = State::FlowSequenceEntry;
        Ok(Event { kind: EventKind::MappingEnd, start: token.start, end: token.start })
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<Event<'s>> {
        self.enter_collection(first)?;
        let mut token = self.peek()?;
        if token.ty != TokenType::FlowMappingEnd {
            if !first {
                if token.ty != TokenType::FlowEntry {
                    return Err(self.collection_error("did not find expected ',' or '}'", token));
                }
                token = self.advance()?;
            }
            if token.ty == TokenType::Key {
                token = self.advance()?;
                if matches!(token.ty, TokenType::Value | TokenType::FlowEntry | TokenType::FlowMappingEnd) {
                    self.state = State::FlowMappingValue;
                    return Ok(empty_scalar(token.start));
                }
                self.states.push(State::FlowMappingValue);
                return self.node(Place::Flow);
            }
            if token.ty != TokenType::FlowMappingEnd {
                self.states.push(State::FlowMappingEmptyValue);
                return self.node(Place::Flow);
            }
        }
        Ok(self.leave_collection(EventKind::MappingEnd, token))
    }

    fn flow_mapping_value(&mut self, empty: bool) -> Result<Event<'s>> {
        let mut token = self.peek()?;
        if !empty && token.ty == TokenType::Value {
            token = self.advance()?;
            if !matches!(token.ty, TokenType::FlowEntry | TokenType::FlowMappingEnd) {
                self.states.push(State::FlowMappingKey);
                return self.node(Place::Flow);
            }
        }
        self.state = State::FlowMappingKey;
        Ok(empty_scalar(token.start))
    }
}

impl<'s> Iterator for Events<'s> {
    type Item = Result<Event<'s>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let event = self.next_event();
        self.failed = event.is_err();
        event.transpose()
    }
}

fn name_of(payload: Payload<'_>) -> Text<'_> {
    match payload {
        Payload::Name(name) => name,
        _ => Cow::Borrowed(b""),
    }
}

fn empty_scalar<'s>(mark: Mark) -> Event<'s> {
    let kind = EventKind::Scalar {
        properties: None,
        value: Cow::Borrowed(b""),
        style: ScalarStyle::Plain,
        implicit: true,
    };
    Event { kind, start: mark, end: mark }
}

fn error(problem: &'static str, mark: Mark, context: Option<Mark>) -> SyntaxError {
    SyntaxError { stage: Stage::Parser, problem, mark, context: context.unwrap_or_default() }
}
