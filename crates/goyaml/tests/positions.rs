//! Nodes, events, comments and errors know where they come from.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use goyaml::{CollectionStyle, Document, LoadError, NodeKind, Scalar, ScalarStyle, Source, load};

const TEXT: &str = "\
# head
name: &n 'é'  # tail
list:
- 1
- !!str 2
map: {x: yes, *n : ~}
text: |
  a
  b
";

#[test]
fn nodes_have_kinds_places_and_meanings() {
    let source = Source::new(TEXT.as_bytes());
    let document = Document::parse(&source).unwrap().unwrap();
    let root = document.root();
    assert_eq!(root.kind(), NodeKind::Mapping(CollectionStyle::Block));
    let entries: Vec<_> = root.entries().collect();
    let keys: Vec<_> = entries.iter().map(|(key, _)| String::from_utf8_lossy(key.text())).collect();
    assert_eq!(keys, ["name", "list", "map", "text"]);

    let (name_key, name) = entries[0];
    assert_eq!((name_key.start().line, name_key.start().column), (1, 0));
    assert_eq!(name.kind(), NodeKind::Scalar(ScalarStyle::SingleQuoted));
    assert_eq!(name.anchor(), Some(&b"n"[..]));
    assert_eq!(name.text(), "é".as_bytes());
    // The anchor belongs to the node; columns count characters.
    assert_eq!((name.start().column, name.end().column), (6, 12));

    let items: Vec<_> = entries[1].1.children().collect();
    assert_eq!(items[0].scalar(), Ok(Scalar::Int(1)));
    assert_eq!(items[1].scalar(), Ok(Scalar::String(b"2"[..].into())));
    assert_eq!(items[1].tag(), Some(&b"tag:yaml.org,2002:str"[..]));
    assert_eq!((items[1].start().line, items[1].start().column), (4, 2));

    let map = entries[2].1;
    assert_eq!(map.kind(), NodeKind::Mapping(CollectionStyle::Flow));
    let pairs: Vec<_> = map.entries().collect();
    assert_eq!(pairs[0].1.scalar(), Ok(Scalar::Bool(true)));
    assert_eq!(pairs[1].0.kind(), NodeKind::Alias);
    assert_eq!(pairs[1].0.target().map(|node| node.text()), Some("é".as_bytes()));
    assert_eq!(pairs[1].1.scalar(), Ok(Scalar::Null));

    assert_eq!(entries[3].1.kind(), NodeKind::Scalar(ScalarStyle::Literal));
    assert_eq!(entries[3].1.text(), b"a\nb\n");
    assert!(document.comments().is_empty());
}

#[test]
fn comments_are_kept_on_request() {
    let text = "# one\na: | # two\n  # not a comment\nb: 'x # y' # three\nc: #\n  - 1\n# four\n---\n# five\n";
    let source = Source::new(text.as_bytes());
    let document = Document::parse_with_comments(&source).unwrap().unwrap();
    let comments: Vec<_> = document
        .comments()
        .iter()
        .map(|comment| (comment.mark.line, comment.mark.column, String::from_utf8_lossy(comment.text)))
        .collect();
    let want = [(0, 0, "# one"), (1, 5, "# two"), (3, 11, "# three"), (4, 3, "#"), (6, 0, "# four")];
    assert_eq!(comments, want.map(|(line, column, text)| (line, column, text.into())));
}

#[test]
fn errors_have_exact_marks() {
    for (text, line, column, message) in [
        ("a: 1\nb: [1\n", 2, 0, "yaml: line 2: did not find expected ',' or ']'"),
        ("a: 1\nb: @\n", 1, 3, "yaml: line 2: found character that cannot start any token"),
        ("a: *x\n", 0, 3, "yaml: unknown anchor 'x' referenced"),
        (
            "x: 1\na: {{ b }}\n",
            1,
            4,
            "yaml: invalid map key: map[interface {}]interface {}{\"b\":interface {}(nil)}",
        ),
        ("a: 1\n<<: 2\n", 1, 4, "yaml: map merge requires map or sequence of maps as the value"),
        ("a: 1\nb: !!int x\n", 1, 3, "yaml: cannot decode !!str `x` as a !!int"),
        ("a:\n  é: \u{1}\n", 1, 5, "yaml: control characters are not allowed"),
    ] {
        let error = load(text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("error converting YAML to JSON: {message}"));
        let mark = error.mark().unwrap();
        assert_eq!((mark.line, mark.column), (line, column), "{text:?}");
    }
    assert_eq!(load(b"a: .inf").err(), Some(LoadError::UnsupportedValue("+Inf")));
}
