use super::*;

/// Returns the tokens of a text up to its end or first error, as `Kind(text)@line`.
fn tokens(text: &str) -> Vec<String> {
    let mut lexer = Lexer::new(text.as_bytes(), LoopWords { has_break: true, has_continue: true });
    let mut out = Vec::new();
    loop {
        let token = lexer.next_token();
        let line = token.line;
        match token.kind {
            Kind::Eof => return out,
            Kind::Error => {
                out.push(format!("Error({})@{line}", lexer.error()));
                return out;
            }
            kind => out.push(format!("{kind:?}({})@{line}", &text[token.start..token.end])),
        }
    }
}

#[test]
fn tokens_know_their_lines() {
    assert_eq!(
        tokens("a\nb{{ .x }}\n"),
        [
            "Text(a\nb)@1",
            "LeftDelim({{)@2",
            "Space( )@2",
            "Field(.x)@2",
            "Space( )@2",
            "RightDelim(}})@2",
            "Text(\n)@2"
        ]
    );
    assert_eq!(
        tokens("{{\nprint\n\"a\"}}"),
        [
            "LeftDelim({{)@1",
            "Space(\n)@1",
            "Identifier(print)@2",
            "Space(\n)@2",
            "String(\"a\")@3",
            "RightDelim(}})@3"
        ]
    );
}

#[test]
fn trimmed_space_is_in_no_token_but_counts_lines() {
    assert_eq!(
        tokens("a \n\n{{- 1 -}}\n\n b"),
        ["Text(a)@1", "LeftDelim({{)@3", "Number(1)@3", "RightDelim(}})@3", "Text(b)@5"]
    );
    assert_eq!(tokens("{{-\n1\n-}}\nb"), ["LeftDelim({{)@1", "Number(1)@2", "RightDelim(}})@3", "Text(b)@4"]);
    assert_eq!(
        tokens("{{ 1  -}}"),
        ["LeftDelim({{)@1", "Space( )@1", "Number(1)@1", "Space( )@1", "RightDelim(}})@1"]
    );
}

#[test]
fn comments_vanish() {
    assert_eq!(tokens("a {{- /* \n}} */ -}} \n b"), ["Text(a)@1", "Text(b)@3"]);
    assert_eq!(tokens("\n{{/* x"), ["Text(\n)@1", "Error(unclosed comment)@2"]);
    assert_eq!(tokens("{{/* */ }}"), ["Error(comment ends before closing delimiter)@1"]);
}

#[test]
fn numbers_are_taken_whole() {
    for number in ["1", "-1", "+1.5", ".5", "5.", "1e-3", "0x1F", "0x1p-4", "0b1", "0o7", "1_0", "2i", "."] {
        let kind = if number == "." { "Dot" } else { "Number" };
        assert_eq!(tokens(&format!("{{{{{number} }}}}"))[1], format!("{kind}({number})@1"));
    }
    assert_eq!(tokens("{{1+2i}}")[1], "Complex(1+2i)@1");
    assert_eq!(tokens("{{1x}}")[1], "Error(bad number syntax: \"1x\")@1");
    assert_eq!(tokens("{{1+2}}")[1], "Error(bad number syntax: \"1+2\")@1");
}

#[test]
fn functions_can_take_the_names_of_loop_keywords() {
    let mut lexer = Lexer::new(b"{{break continue", LoopWords { has_break: false, has_continue: true });
    let kinds: Vec<_> = (0..4).map(|_| lexer.next_token().kind).collect();
    assert_eq!(kinds, [Kind::LeftDelim, Kind::Identifier, Kind::Space, Kind::Continue]);
}

#[test]
fn after_an_error_there_are_only_errors() {
    let mut lexer = Lexer::new(b"{{\x01 }} text", LoopWords { has_break: true, has_continue: true });
    let kinds: Vec<_> = (0..5).map(|_| lexer.next_token().kind).collect();
    assert_eq!(kinds, [Kind::LeftDelim, Kind::Error, Kind::Error, Kind::Error, Kind::Error]);
}
