//! Templates as actions: just enough of text/template's grammar to see what becomes of a value.

use gostd::strconv::unquote;
use gostd::value::lossy;
use gotemplate::Token;

/// Pipelines nest at most this deep; what is deeper is not looked at.
const DEEPEST: usize = 50;

/// A piece of a template.
#[derive(Debug)]
pub(super) enum Piece<'t> {
    Text(&'t [u8]),
    Print(Pipeline),
    If(Pipeline),
    With(Pipeline),
    Range(Pipeline),
    /// `else`, with the condition behind it.
    Else(Option<Box<Piece<'t>>>),
    End,
    /// `define`: what follows up to its end is called with a dot that is not known.
    Define,
    /// `template` and `block`: a call with a value.
    Call(Pipeline, bool),
}

/// Commands, each of which gets the value of the one before as its last argument.
#[derive(Debug, Default)]
pub(super) struct Pipeline {
    /// Variables the value is given to.
    pub(super) variables: Vec<String>,
    pub(super) commands: Vec<Vec<Operand>>,
}

/// A value, and the fields taken from it.
#[derive(Debug)]
pub(super) struct Operand {
    pub(super) base: Base,
    pub(super) fields: Vec<String>,
}

#[derive(Debug)]
pub(super) enum Base {
    Dot,
    Variable(String),
    Function(String),
    Group(Pipeline),
    Text(String),
    Number,
    Bool,
    Nil,
}

/// Splits a template into pieces. What follows a fault is left out.
pub(super) fn pieces(text: &[u8]) -> Vec<Piece<'_>> {
    let mut tokens = gotemplate::tokens(text);
    let mut pieces = Vec::new();
    while let Some(token) = tokens.next() {
        match token {
            Token::Text(text) => pieces.push(Piece::Text(text)),
            Token::Open => {
                let action: Vec<_> = tokens.by_ref().take_while(|token| *token != Token::Close).collect();
                pieces.extend(piece(&action));
            }
            _ => {}
        }
    }
    pieces
}

fn piece<'t>(action: &[Token<'_>]) -> Option<Piece<'t>> {
    let action = trimmed(action);
    let Some((Token::Keyword(word), rest)) = action.split_first() else {
        return Some(Piece::Print(pipeline(action)));
    };
    match *word {
        b"if" => Some(Piece::If(pipeline(rest))),
        b"with" => Some(Piece::With(pipeline(rest))),
        b"range" => Some(Piece::Range(pipeline(rest))),
        b"end" => Some(Piece::End),
        b"else" => Some(Piece::Else(if trimmed(rest).is_empty() { None } else { piece(rest).map(Box::new) })),
        b"define" => Some(Piece::Define),
        // The name comes first.
        b"template" => Some(Piece::Call(pipeline(trimmed(rest).get(1..).unwrap_or_default()), false)),
        b"block" => Some(Piece::Call(pipeline(trimmed(rest).get(1..).unwrap_or_default()), true)),
        _ => None,
    }
}

fn trimmed<'a, 't>(mut tokens: &'a [Token<'t>]) -> &'a [Token<'t>] {
    while let [Token::Space, rest @ ..] = tokens {
        tokens = rest;
    }
    tokens
}

fn pipeline(tokens: &[Token<'_>]) -> Pipeline {
    Parser { tokens, depth: 0 }.pipeline()
}

struct Parser<'a, 't> {
    tokens: &'a [Token<'t>],
    depth: usize,
}

impl<'t> Parser<'_, 't> {
    fn next(&mut self) -> Option<Token<'t>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(*first)
    }

    /// Reads up to the end, or to a right parenthesis, which is taken.
    fn pipeline(&mut self) -> Pipeline {
        let mut pipeline = Pipeline::default();
        let mut command: Vec<Operand> = Vec::new();
        // Set between an operand and the fields written right behind it.
        let mut joined = false;
        self.depth += 1;
        while let Some(token) = self.next() {
            let base = match token {
                Token::RightParen => break,
                Token::Space => {
                    joined = false;
                    continue;
                }
                Token::Field(name) => {
                    if let (true, Some(last)) = (joined, command.last_mut()) {
                        last.fields.push(lossy(name));
                    } else {
                        command.push(Operand { base: Base::Dot, fields: vec![lossy(name)] });
                    }
                    joined = true;
                    continue;
                }
                Token::Pipe => {
                    pipeline.commands.push(std::mem::take(&mut command));
                    joined = false;
                    continue;
                }
                Token::Declare | Token::Assign => {
                    for operand in command.drain(..) {
                        if let Base::Variable(name) = operand.base {
                            pipeline.variables.push(name);
                        }
                    }
                    joined = false;
                    continue;
                }
                Token::LeftParen if self.depth >= DEEPEST => break,
                Token::LeftParen => Base::Group(self.pipeline()),
                Token::Variable(name) => Base::Variable(lossy(name)),
                Token::Function(name) => Base::Function(lossy(name)),
                Token::Dot => Base::Dot,
                Token::String(text) => Base::Text(unquote(text).map(|text| lossy(&text)).unwrap_or_default()),
                Token::Number(_) => Base::Number,
                Token::Bool(_) => Base::Bool,
                Token::Nil => Base::Nil,
                Token::Text(_) | Token::Open | Token::Close | Token::Keyword(_) | Token::Char(_) => continue,
            };
            command.push(Operand { base, fields: Vec::new() });
            joined = true;
        }
        self.depth -= 1;
        if !command.is_empty() {
            pipeline.commands.push(command);
        }
        pipeline
    }
}
