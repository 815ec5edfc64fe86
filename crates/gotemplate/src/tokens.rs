//! The tokens of a template, for tools that read templates without running them.

use crate::lex::{Kind, Lexer, LoopWords};

/// A token, with its text as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'t> {
    /// Text outside actions.
    Text(&'t [u8]),
    /// `{{`.
    Open,
    /// `}}`.
    Close,
    /// `if`, `range`, `end` and their like.
    Keyword(&'t [u8]),
    /// The name of a function.
    Function(&'t [u8]),
    /// `.name`, without the dot.
    Field(&'t [u8]),
    /// `$name`; a lone `$` has an empty name.
    Variable(&'t [u8]),
    /// A lone dot.
    Dot,
    /// A string of either sort, quotes included.
    String(&'t [u8]),
    /// A number or character constant.
    Number(&'t [u8]),
    /// `true` or `false`.
    Bool(bool),
    /// `nil`.
    Nil,
    /// `|`.
    Pipe,
    /// `:=`.
    Declare,
    /// `=`.
    Assign,
    /// `(`.
    LeftParen,
    /// `)`.
    RightParen,
    /// White space inside an action.
    Space,
    /// Another character, such as a comma.
    Char(&'t [u8]),
}

/// Splits a template into its tokens, comments and trim markers left out. What follows a fault is left out too.
pub fn tokens(text: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let mut lexer = Lexer::new(text, LoopWords { has_break: true, has_continue: true });
    std::iter::from_fn(move || {
        let token = lexer.next_token();
        let written = text.get(token.start..token.end).unwrap_or_default();
        Some(match token.kind {
            Kind::Eof | Kind::Error => return None,
            Kind::Text => Token::Text(written),
            Kind::LeftDelim => Token::Open,
            Kind::RightDelim => Token::Close,
            Kind::Identifier => Token::Function(written),
            Kind::Field => Token::Field(written.strip_prefix(b".").unwrap_or(written)),
            Kind::Variable => Token::Variable(written.strip_prefix(b"$").unwrap_or(written)),
            Kind::Dot => Token::Dot,
            Kind::String | Kind::RawString => Token::String(written),
            Kind::Number | Kind::Complex | Kind::CharConstant => Token::Number(written),
            Kind::Bool => Token::Bool(written == b"true"),
            Kind::Nil => Token::Nil,
            Kind::Pipe => Token::Pipe,
            Kind::Declare => Token::Declare,
            Kind::Assign => Token::Assign,
            Kind::LeftParen => Token::LeftParen,
            Kind::RightParen => Token::RightParen,
            Kind::Space => Token::Space,
            Kind::Char => Token::Char(written),
            Kind::Block
            | Kind::Break
            | Kind::Continue
            | Kind::Define
            | Kind::Else
            | Kind::End
            | Kind::If
            | Kind::Range
            | Kind::Template
            | Kind::With => Token::Keyword(written),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};

    #[test]
    fn a_template_falls_into_its_tokens() {
        let found: Vec<_> =
            tokens(b"a: {{- if $x.Values.b }}{{/* c */}}{{ f \"y\" 1 | g }}{{ end }}").collect();
        use Token::*;
        assert_eq!(
            found,
            [
                Text(b"a:"),
                Open,
                Keyword(b"if"),
                Space,
                Variable(b"x"),
                Field(b"Values"),
                Field(b"b"),
                Space,
                Close,
                Open,
                Space,
                Function(b"f"),
                Space,
                String(b"\"y\""),
                Space,
                Number(b"1"),
                Space,
                Pipe,
                Space,
                Function(b"g"),
                Space,
                Close,
                Open,
                Space,
                Keyword(b"end"),
                Space,
                Close
            ]
        );
    }

    #[test]
    fn a_fault_ends_the_tokens() {
        assert_eq!(tokens(b"{{ .a \x01 }} text").count(), 4);
    }
}
