//! The public face: sets, sessions, functions and errors.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may panic and print"
)]

mod common;

use common::Nowhere;
use common::functions::FUNCTIONS;
use gostd::Value;
use gostd::value::{Signature, Type};
use gotemplate::{Error, ErrorKind, FuncError, Function, FunctionSet, Options, Session, Set};

fn set(files: &[(&str, &str)]) -> Set {
    let mut set = Set::new("gotpl", FunctionSet::new(FUNCTIONS));
    for (name, text) in files {
        set.parse(*name, *text).unwrap();
    }
    set
}

fn execute(set: &Set, name: &str) -> Result<String, Error> {
    let data = Value::map([("s".into(), "text".into())].into());
    let mut session = Session::new(&Nowhere, Options::default());
    session.execute(set, name.as_bytes(), data).map(|output| String::from_utf8(output).unwrap())
}

#[test]
fn a_child_set_sees_and_replaces_without_changing_its_parent() {
    let parent = set(&[("a", "{{ define `x` }}old{{ end }}{{ template `x` }}")]);
    let mut child = parent.child();
    child.parse("b", "{{ define `x` }}new{{ end }}{{ template `a` . }}").unwrap();
    child.parse("c", "{{ define `a` }} {{ end }}").unwrap();
    assert_eq!(execute(&child, "b").unwrap(), "new");
    assert_eq!(execute(&parent, "a").unwrap(), "old");
    assert!(child.contains(b"b") && !parent.contains(b"b"));
    assert_eq!(child.names(), ["a", "b", "c", "x"].map(gostd::GoStr::from));
}

#[test]
fn clones_do_not_see_later_changes() {
    let mut original = set(&[("a", "1")]);
    let clone = original.clone();
    original.parse("a", "2").unwrap();
    assert_eq!(execute(&original, "a").unwrap(), "2");
    assert_eq!(execute(&clone, "a").unwrap(), "1");
}

#[test]
fn a_file_that_does_not_parse_changes_nothing() {
    let mut set = set(&[("a", "1")]);
    let error = set.parse("b", "{{ define `a` }}2{{ end }}\n{{ nosuch }}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Parse);
    assert_eq!(error.message(), "function \"nosuch\" not defined");
    let location = error.location().unwrap();
    assert_eq!((location.file.as_str(), location.line, location.column), ("b", 2, None));
    assert_eq!(error.source_line().unwrap(), "{{ nosuch }}");
    assert_eq!(error.to_string(), "template: b:2: function \"nosuch\" not defined");
    assert_eq!(set.names(), [gostd::GoStr::from("a")]);
}

#[test]
fn an_error_knows_where_it_happened_and_why() {
    let set = set(&[
        ("lib", "{{ define `inner` }}\n  {{ .s.x }}{{ end }}"),
        ("main", "a\n{{ include `inner` . | upper }}"),
    ]);
    let error = execute(&set, "main").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exec);
    assert_eq!(error.location().unwrap().to_string(), "main:2:3");
    assert_eq!((error.template(), error.node()), (Some("main"), Some("include `inner` .")));
    assert_eq!(error.message(), "error calling include");
    assert_eq!(error.author_message(), None);
    let inner = error.innermost();
    assert_eq!(inner.location().unwrap().to_string(), "lib:2:7");
    assert_eq!((inner.template(), inner.node()), (Some("inner"), Some(".s.x")));
    assert_eq!(inner.source_line().unwrap(), "  {{ .s.x }}{{ end }}");
    assert_eq!(
        error.to_string(),
        "template: main:2:3: executing \"main\" at <include `inner` .>: error calling include: \
         template: lib:2:7: executing \"inner\" at <.s.x>: can't evaluate field x in type interface {}"
    );
}

#[test]
fn an_authors_message_is_found_at_any_depth() {
    let set = set(&[
        ("lib", "{{ define `check` }}{{ fail `no, 100%` }}{{ end }}"),
        ("main", "{{ tpl `{{ include \"check\" . }}` . }}"),
    ]);
    let error = execute(&set, "main").unwrap_err();
    assert_eq!(error.author_message(), Some("no, 100%"));
    assert_eq!(error.location().unwrap().to_string(), "main:1:3");
    assert!(matches!(error.innermost().cause(), Some(FuncError::Author(_))));
}

#[test]
fn a_template_that_is_not_there_is_an_error_of_its_own() {
    let error = execute(&set(&[]), "x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoTemplate);
    assert_eq!(error.to_string(), "template: no template \"x\" associated with template \"gotpl\"");
}

#[test]
fn functions_can_replace_those_of_the_language() {
    static OWN: &[Function] = &[
        Function {
            name: "or",
            signature: Signature::variadic(&[], Type::Any),
            body: |call, args| Ok(Value::string(format!("{} of {}", call.function(), args.len()))),
        },
        Function { name: "break", signature: Signature::fixed(&[]), body: |_, _| Ok("broken".into()) },
    ];
    let mut set = Set::new("t", FunctionSet::new(OWN));
    set.parse("t", "{{ or 1 2 3 }} {{ break }}").unwrap();
    assert_eq!(execute(&set, "t").unwrap(), "or of 3 broken");
    assert!(set.functions().contains("and") && !set.functions().contains("upper"));
}

#[test]
fn extensions_last_as_long_as_the_session() {
    static COUNT: &[Function] = &[Function {
        name: "count",
        signature: Signature::fixed(&[]),
        body: |call, _| {
            let count = call.extension::<i64>();
            *count += 1;
            Ok(Value::Int(*count))
        },
    }];
    let mut set = Set::new("t", FunctionSet::new(COUNT));
    set.parse("t", "{{ count }}{{ count }}").unwrap();
    let mut session = Session::new(&Nowhere, Options::default());
    assert_eq!(session.execute(&set, b"t", Value::Nil).unwrap(), b"12");
    assert_eq!(session.execute(&set, b"t", Value::Nil).unwrap(), b"34");
    assert_eq!(*session.extension::<i64>(), 4);
    assert_eq!(*session.extension::<u8>(), 0);
}

#[test]
fn functions_reach_the_host_and_the_set() {
    static ASK: &[Function] = &[Function {
        name: "ask",
        signature: Signature::fixed(&[Type::String]),
        body: |call, args| {
            assert_eq!(call.host().now(), (0, 0));
            assert!(call.current_set().contains(b"t"));
            call.host().query(call.function(), args).map_err(FuncError::from)
        },
    }];
    let mut set = Set::new("t", FunctionSet::new(ASK));
    set.parse("t", "{{ ask `x` }}").unwrap();
    let error = execute(&set, "t").unwrap_err();
    assert!(error.to_string().ends_with("error calling ask: ask is out of reach"), "{error}");
}
