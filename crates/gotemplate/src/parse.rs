//! Reads a file of templates and compiles it in one pass (parse/parse.go).
//!
//! Nothing here recurses: blocks, definitions and parentheses under way are kept in lists, so that no text can exhaust
//! the native stack. Messages and line numbers are those of Go's parser, whose one quirk shapes much of this code: the
//! line of an error is that of the token read last *by the definition that complains*.

mod block;
mod pipeline;

use std::sync::Arc;

use gostd::GoStr;
use gostd::strconv::{quote, unquote};
use gostd::value::lossy;

use self::block::Block;
use crate::code::{Source, Template};
use crate::emit::Emitter;
use crate::error::Error;
use crate::func::FunctionSet;
use crate::lex::{Kind, Lexer, Token};

/// A file's length limit, so that positions fit in 32 bits.
const LONGEST_TEXT: usize = u32::MAX as usize / 2;

/// Parses a file. The result holds the definitions in it and, unless a definition took its name, the file's own text
/// as template `name`.
pub(crate) fn parse(name: &GoStr, text: &GoStr, functions: &FunctionSet) -> Result<Vec<Template>, Error> {
    if text.len() > LONGEST_TEXT {
        return Err(Error::parse(name, text, 1, format!("text is longer than {LONGEST_TEXT} bytes")));
    }
    let source = Source { name: name.clone(), text: text.clone() };
    Parser::new(Arc::new(source), text, functions).file()
}

struct Parser<'t> {
    source: Arc<Source>,
    text: &'t [u8],
    functions: &'t FunctionSet,
    lexer: Lexer<'t>,
    /// Tokens read ahead, the next one last.
    ahead: Vec<Token>,
    /// The file and the definitions open inside it, innermost last, but for the one under way.
    outer: Vec<Definition<'t>>,
    current: Definition<'t>,
    finished: Vec<Template>,
}

/// A template under way.
struct Definition<'t> {
    name: GoStr,
    opener: Opener,
    emitter: Emitter<'t>,
    blocks: Vec<Block>,
    /// The line of the last token that was read for it.
    line: usize,
    /// The line of the action under way, if one is.
    action_line: Option<usize>,
    /// Open parentheses.
    parens: usize,
}

/// What a template's text is delimited by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opener {
    File,
    Define,
    Block,
}

type Result<T, E = Error> = std::result::Result<T, E>;

impl<'t> Definition<'t> {
    fn new(name: GoStr, opener: Opener, text: &'t [u8]) -> Self {
        let emitter = Emitter::new(text);
        Self { name, opener, emitter, blocks: Vec::new(), line: 0, action_line: None, parens: 0 }
    }
}

impl<'t> Parser<'t> {
    fn new(source: Arc<Source>, text: &'t [u8], functions: &'t FunctionSet) -> Self {
        Self {
            lexer: Lexer::new(text, functions.loop_words()),
            current: Definition::new(source.name.clone(), Opener::File, text),
            source,
            text,
            functions,
            ahead: Vec::new(),
            outer: Vec::new(),
            finished: Vec::new(),
        }
    }

    /// Reads the whole file.
    fn file(mut self) -> Result<Vec<Template>> {
        loop {
            let is_top = self.current.opener == Opener::File && self.current.blocks.is_empty();
            match self.peek_non_space().kind {
                Kind::Eof if is_top => break,
                Kind::Eof => return Err(self.error("unexpected EOF")),
                Kind::LeftDelim if is_top => {
                    let delim = self.next();
                    let token = self.next_non_space();
                    if token.kind == Kind::Define {
                        self.open_definition()?;
                        continue;
                    }
                    self.ahead.extend([token, delim]);
                }
                _ => {}
            }
            self.text_or_action()?;
        }
        self.finish_current()?;
        Ok(self.finished)
    }

    fn text_or_action(&mut self) -> Result<()> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Text => {
                self.current.emitter.text(self.token_text(token), token.start);
                Ok(())
            }
            Kind::LeftDelim => {
                self.current.action_line = Some(token.line);
                self.action()
            }
            _ => Err(self.unexpected(token, "input")),
        }
    }

    /// Adds the template under way to the finished ones.
    fn finish_current(&mut self) -> Result<()> {
        let name = &self.current.name;
        let is_empty = self.current.emitter.is_empty();
        match self.finished.iter().position(|template| template.name == *name) {
            Some(at) if self.finished.get(at).is_some_and(|template| template.is_empty) => {
                self.finished.swap_remove(at);
            }
            Some(_) if is_empty => return Ok(()),
            Some(_) => {
                return Err(self.error(format!("template: multiple definition of template {}", quote(name))));
            }
            None => {}
        }
        let emitter = std::mem::replace(&mut self.current.emitter, Emitter::new(self.text));
        self.finished.push(emitter.finish(name.clone(), Arc::clone(&self.source)));
        Ok(())
    }

    fn token_text(&self, token: Token) -> &'t [u8] {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    fn next(&mut self) -> Token {
        if let Some(token) = self.ahead.pop() {
            return token;
        }
        let token = self.lexer.next_token();
        self.current.line = token.line;
        token
    }

    fn peek(&mut self) -> Token {
        let token = self.next();
        self.ahead.push(token);
        token
    }

    fn next_non_space(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    fn peek_non_space(&mut self) -> Token {
        let token = self.next_non_space();
        self.ahead.push(token);
        token
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Result<Token> {
        let token = self.next_non_space();
        if token.kind == kind { Ok(token) } else { Err(self.unexpected(token, context)) }
    }

    /// Makes an error at the line of the token read last.
    fn error(&self, message: impl Into<String>) -> Error {
        Error::parse(&self.source.name, &self.source.text, self.current.line, message.into())
    }

    fn unexpected(&self, token: Token, context: &str) -> Error {
        if token.kind != Kind::Error {
            return self.error(format!("unexpected {} in {context}", self.describe(token)));
        }
        let message = self.lexer.error();
        let Some(line) = self.current.action_line.filter(|line| *line != token.line) else {
            return self.error(message);
        };
        // "in action" would repeat the last word of "unclosed action".
        let link = if message.ends_with(" action") { "" } else { " in action" };
        let name = lossy(&self.source.name);
        self.error(format!("{message}{link} started at {name}:{line}"))
    }

    /// Returns a token as error texts show it.
    fn describe(&self, token: Token) -> String {
        const LONGEST: usize = 10;
        let text = self.token_text(token);
        match token.kind {
            Kind::Eof => "EOF".to_owned(),
            kind if kind.is_keyword() => format!("<{}>", lossy(text)),
            _ if text.len() > LONGEST => {
                let runes = gostd::strings::runes(text).take(LONGEST);
                let end = runes.last().map_or(0, |(at, _, width)| at + width);
                format!("{}...", quote(text.get(..end).unwrap_or_default()))
            }
            _ => quote(text),
        }
    }

    /// Reads the value of a string token.
    fn unquote(&self, token: Token) -> Result<GoStr> {
        match unquote(self.token_text(token)) {
            Ok(text) => Ok(text.into()),
            Err(error) => Err(self.error(error.to_string())),
        }
    }

    /// Reads the name of a template, which must be a string literal.
    fn template_name(&mut self, context: &str) -> Result<(Token, GoStr)> {
        let token = self.next_non_space();
        match token.kind {
            Kind::String | Kind::RawString => Ok((token, self.unquote(token)?)),
            _ => Err(self.unexpected(token, context)),
        }
    }
}
