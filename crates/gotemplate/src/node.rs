//! The text of a node in errors: its tokens, normally spaced (parse/node.go `String`).

use gostd::strconv::{quote, unquote};
use gostd::value::lossy;

use crate::code::{Form, Node, Source};
use crate::lex::{Kind, Lexer};

/// Returns a node's text as Go prints it between `<` and `>`.
pub(crate) fn text(source: &Source, node: Node) -> String {
    let span = source.text.get(node.start as usize..node.end as usize).unwrap_or_default();
    match node.form {
        Form::Expression => normalize(span),
        Form::Template => {
            let name = Lexer::within_action(span).next_token();
            let (name, pipeline) = span.split_at_checked(name.end).unwrap_or_default();
            let name = quote(&unquote(name).unwrap_or_default());
            let pipeline = normalize(pipeline);
            let gap = if pipeline.is_empty() { "" } else { " " };
            format!("{{{{template {name}{gap}{pipeline}}}}}")
        }
    }
}

/// Writes an expression with single spaces between its operands and around its pipes.
pub(crate) fn normalize(expression: &[u8]) -> String {
    let mut lexer = Lexer::within_action(expression);
    let mut out = Vec::with_capacity(expression.len());
    // What goes before the next operand. It is not written at the end, nor before a closing parenthesis.
    let mut gap: &[u8] = b"";
    loop {
        let token = lexer.next_token();
        let opens_group = matches!(out.last(), None | Some(b'(')) && gap.is_empty();
        match token.kind {
            Kind::Eof | Kind::Error => return lossy(&out),
            Kind::Space if gap.is_empty() && !opens_group => gap = b" ",
            Kind::Space => {}
            Kind::Pipe => gap = b" | ",
            Kind::Declare => gap = b" := ",
            Kind::Assign => gap = b" = ",
            Kind::Char => gap = b", ",
            Kind::RightParen => {
                gap = b"";
                out.push(b')');
            }
            _ => {
                out.extend_from_slice(gap);
                gap = b"";
                out.extend_from_slice(expression.get(token.start..token.end).unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn space_is_normal_whatever_was_written() {
        let cases = [
            ("  .a.b  ", ".a.b"),
            ("f   1\n\t\"x  y\"", "f 1 \"x  y\""),
            ("(  a|b  )", "(a | b)"),
            ("a  |b|   c |", "a | b | c"),
            ("$x:=1", "$x := 1"),
            ("$i,$e  :=  .l", "$i, $e := .l"),
            ("$x  =  (f ( g 1 ) ).A.B", "$x = (f (g 1)).A.B"),
            ("f `a\nb` 'x' 1+2i nil true $ . $v.F", "f `a\nb` 'x' 1+2i nil true $ . $v.F"),
            ("f \"(\" )", "f \"(\""),
        ];
        for (text, want) in cases {
            assert_eq!(normalize(text.as_bytes()), want);
        }
    }
}
