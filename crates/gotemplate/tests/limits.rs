//! Nothing a template does goes on forever or exhausts memory or stack.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may panic and print"
)]

mod common;

use std::cell::Cell;

use common::Nowhere;
use gostd::Value;
use gostd::value::{Signature, Type};
use gotemplate::{
    Error, ErrorKind, Function, FunctionSet, Host, Limit, Limits, Options, Session, Set, Site, Usage,
};

static FUNCTIONS: &[Function] = &[
    Function {
        name: "include",
        signature: Signature::fixed(&[Type::String, Type::Any]),
        body: |call, args| call.execute(args[0].as_str().unwrap(), args[1].clone()).map(Value::String),
    },
    Function {
        name: "tpl",
        signature: Signature::fixed(&[Type::String, Type::Any]),
        body: |call, args| {
            let text = args[0].as_str().unwrap().clone();
            let result = call.parse_and_execute("gotpl", text, args[1].clone());
            result.map(Value::String).map_err(|error| error.to_string().into())
        },
    },
    Function {
        name: "dec",
        signature: Signature::fixed(&[Type::Int]),
        body: |_, args| Ok(Value::Int(args[0].as_int().unwrap() - 1)),
    },
    Function {
        name: "work",
        signature: Signature::fixed(&[Type::Int]),
        body: |call, args| {
            call.charge(args[0].as_int().unwrap().cast_unsigned())?;
            Ok("done".into())
        },
    },
];

fn execute(text: &str, data: Value, limits: Limits) -> Result<Vec<u8>, Error> {
    let mut set = Set::new("gotpl", FunctionSet::new(FUNCTIONS));
    set.parse("t", text)?;
    let options = Options { limits, ..Options::default() };
    Session::new(&Nowhere, options).execute(&set, b"t", data)
}

fn limit_of(result: Result<Vec<u8>, Error>) -> Limit {
    match result.expect_err("a limit is reached").innermost().kind() {
        ErrorKind::Limit(limit) => limit,
        other => panic!("{other:?} is no limit"),
    }
}

/// Runs a test on a thread with a stack of so many MiB.
fn on_stack(mebibytes: usize, test: impl FnOnce() + Send + 'static) {
    let builder = std::thread::Builder::new().stack_size(mebibytes << 20);
    builder.spawn(test).unwrap().join().unwrap();
}

const COUNT_DOWN: &str =
    r#"{{ define "r" }}{{ if . }}{{ include "r" (dec .) }}{{ end }}.{{ end }}{{ include "r" . }}"#;

#[test]
fn what_was_used_is_told() {
    on_stack(4, || {
        let mut set = Set::new("gotpl", FunctionSet::new(FUNCTIONS));
        set.parse("t", COUNT_DOWN).unwrap();
        let mut session = Session::new(&Nowhere, Options::default());
        assert_eq!(session.usage(), Usage::default());
        session.execute(&set, b"t", Value::Int(9)).unwrap();
        let few = session.usage();
        // Each of the eleven executions counts what it printed.
        assert_eq!((few.depth, few.output), (11, 10 + (1..=10).sum::<usize>()));
        assert!(few.stack > 0 && few.steps > 10, "{few:?}");
        session.execute(&set, b"t", Value::Int(3)).unwrap();
        let more = session.usage();
        assert!(more.steps > few.steps && more.output > few.output, "{more:?}");
        assert_eq!((more.depth, more.stack), (few.depth, few.stack));
    });
}

#[test]
fn a_thousand_nested_includes_fit_in_an_ordinary_main_thread() {
    on_stack(8, || {
        let limits = Limits { stack: 7 << 20, ..Limits::default() };
        assert_eq!(execute(COUNT_DOWN, Value::Int(1000), limits).unwrap().len(), 1001);
    });
}

#[test]
fn endless_includes_end_at_the_stack_limit() {
    on_stack(2, || {
        let error = execute(
            r#"{{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" . }}"#,
            Value::Nil,
            Limits::default(),
        )
        .unwrap_err();
        assert_eq!(error.innermost().kind(), ErrorKind::Limit(Limit::Stack));
        let text = error.to_string();
        assert!(
            text.starts_with(
                "template: t:1:47: executing \"t\" at <include \"r\" .>: error calling include: "
            )
        );
        assert!(text.contains("executions nest too deep"), "{text}");
        let endless_tpl = r#"{{ tpl .t . }}"#;
        let data = Value::map([("t".into(), endless_tpl.into())].into());
        let error = execute(endless_tpl, data, Limits::default()).unwrap_err();
        assert!(error.to_string().contains("executions nest too deep"));
    });
}

#[test]
fn a_long_chain_of_errors_is_written_and_freed_on_a_small_stack() {
    let (send, receive) = std::sync::mpsc::channel();
    on_stack(64, move || {
        let limits = Limits { stack: 60 << 20, depth: 10_000, ..Limits::default() };
        let text = r#"{{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" . }}"#;
        send.send(execute(text, Value::Nil, limits).unwrap_err()).unwrap();
    });
    let error = receive.recv().unwrap();
    assert_eq!(error.innermost().kind(), ErrorKind::Limit(Limit::Depth));
    assert_eq!(error.to_string().matches("error calling include").count(), 10_000);
    assert!(format!("{error:?}").len() > 10_000);
}

#[test]
fn nested_templates_cost_no_stack() {
    on_stack(1, || {
        let text =
            r#"{{ define "r" }}{{ if . }}{{ template "r" (dec .) }}{{ end }}.{{ end }}{{ template "r" . }}"#;
        assert_eq!(execute(text, Value::Int(99_000), Limits::default()).unwrap().len(), 99_001);
        let error = execute(text, Value::Int(-1), Limits::default()).unwrap_err();
        assert!(error.message().starts_with("exceeded maximum template depth (100000)"), "{error}");
    });
}

#[test]
fn steps_are_limited() {
    let limits = || Limits { steps: 10_000, ..Limits::default() };
    assert_eq!(limit_of(execute("{{ range 1000000000 }}{{ end }}", Value::Nil, limits())), Limit::Steps);
    assert_eq!(
        limit_of(execute("{{ range 1000 }}{{ work 100 }}{{ end }}", Value::Nil, limits())),
        Limit::Steps
    );
    assert!(execute("{{ range 100 }}{{ work 10 }}{{ end }}", Value::Nil, limits()).is_ok());
    let error = execute("{{ range 1000000000 }}x{{ end }}", Value::Nil, limits()).unwrap_err();
    assert!(error.to_string().ends_with("the execution took more than 10000 steps"), "{error}");
}

#[test]
fn output_is_limited() {
    let limits = || Limits { output: 1000, ..Limits::default() };
    assert_eq!(limit_of(execute("{{ range 1001 }}x{{ end }}", Value::Nil, limits())), Limit::Output);
    assert_eq!(limit_of(execute("{{ range 300 }}{{ 12345 }}{{ end }}", Value::Nil, limits())), Limit::Output);
    assert!(execute("{{ range 1000 }}x{{ end }}", Value::Nil, limits()).is_ok());
    // What an include returns counts, also if nobody prints it.
    let text = r#"{{ define "a" }}0123456789{{ end }}{{ range 200 }}{{ $x := include "a" . }}{{ end }}"#;
    assert_eq!(limit_of(execute(text, Value::Nil, limits())), Limit::Output);
}

#[test]
fn the_embedding_can_interrupt() {
    struct Impatient(Cell<usize>);
    impl Host for Impatient {
        fn now(&self) -> (i64, u32) {
            Nowhere.now()
        }
        fn random(&self, site: &Site<'_>, buffer: &mut [u8]) {
            Nowhere.random(site, buffer);
        }
        fn query(&self, function: &str, args: &[Value]) -> Result<Value, String> {
            Nowhere.query(function, args)
        }
        fn interrupted(&self) -> bool {
            self.0.set(self.0.get() + 1);
            self.0.get() > 3
        }
    }
    let host = Impatient(Cell::new(0));
    let mut set = Set::new("gotpl", FunctionSet::new(FUNCTIONS));
    set.parse("t", "{{ range 1000000000 }}{{ end }}").unwrap();
    let result = Session::new(&host, Options::default()).execute(&set, b"t", Value::Nil);
    assert_eq!(limit_of(result), Limit::Interrupt);
    assert_eq!(host.0.get(), 4);
}

#[test]
fn a_session_goes_on_after_an_error() {
    let mut set = Set::new("gotpl", FunctionSet::new(FUNCTIONS));
    set.parse(
        "bad",
        r#"{{ define "d" }}{{ range 3 }}{{ print 1 (index .x.y 2) }}{{ end }}{{ end }}{{ template "d" 1 }}"#,
    )
    .unwrap();
    set.parse("good", "{{ $x := 1 }}{{ range 2 }}{{ print $x . | printf `<%s>` }}{{ end }}").unwrap();
    let mut session = Session::new(&Nowhere, Options::default());
    for _ in 0..3 {
        assert!(session.execute(&set, b"bad", Value::Nil).is_err());
        assert_eq!(session.execute(&set, b"good", Value::Nil).unwrap(), b"<1 0><1 1>");
    }
    assert!(session.steps() > 0);
}

#[test]
fn no_text_is_too_nested_to_parse() {
    on_stack(1, || {
        let mut set = Set::new("t", FunctionSet::default());
        let deep = 10_000;
        set.parse("parens", format!("{{{{ {}1{} }}}}", "(".repeat(deep), ")".repeat(deep))).unwrap();
        let error = set.parse("parens", format!("{{{{ {}1", "(".repeat(deep + 1))).unwrap_err();
        assert_eq!(error.message(), "max expression depth exceeded");
        let blocks = 100_000;
        set.parse("ifs", format!("{}x{}", "{{ if . }}".repeat(blocks), "{{ end }}".repeat(blocks))).unwrap();
        set.parse("elses", format!("{{{{ if . }}}}{}y{{{{ end }}}}", "{{ else if . }}".repeat(blocks)))
            .unwrap();
        set.parse("blocks", format!("{}z{}", "{{ block `b` . }}".repeat(blocks), "{{ end }}".repeat(blocks)))
            .unwrap_err();
        let mut session = Session::new(&Nowhere, Options::default());
        assert_eq!(session.execute(&set, b"parens", Value::Nil).unwrap(), b"1");
        assert_eq!(session.execute(&set, b"ifs", Value::Bool(true)).unwrap(), b"x");
        assert_eq!(session.execute(&set, b"elses", Value::Bool(false)).unwrap(), b"");
    });
}
