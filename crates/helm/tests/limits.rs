//! Whatever a chart or its values hold, a render ends, with an error that names the bound it ran into.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::time::{Duration, Instant};

use common::{CHART, load, release, values};
use gostd::Value;
use helm::{Capabilities, CompiledChart, Error, Host, RenderInput, RenderOptions, Still};

const OPTIONS: fn() -> RenderOptions = RenderOptions::default;

/// Renders a chart of one template.
fn error(template: &str, user_values: &str, options: RenderOptions, host: &dyn Host) -> String {
    let files = [CHART, ("templates/t.yaml", template)];
    let rendered = load(&files).and_then(CompiledChart::new).and_then(|chart| {
        chart.render(&RenderInput {
            values: &values(user_values),
            release: release(),
            capabilities: &Capabilities::default(),
            host,
            options,
        })
    });
    rendered.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn each_bound_has_an_error_of_its_own() {
    let deep_text = "[".repeat(20_000) + &"]".repeat(20_000);
    let values_with_deep_text = format!("s: '{deep_text}'\n");
    let bombs = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned()
        + &('b'..='i')
            .map(|name| {
                let before = char::from_u32(u32::from(name) - 1).unwrap();
                format!("{name}: &{name} [{}]\n", vec![format!("*{before}"); 10].join(","))
            })
            .collect::<String>();
    let bombs = format!("s: |\n  {}", bombs.replace('\n', "\n  "));
    let cases: &[(&str, &str, &str, RenderOptions, &str)] = &[
        (
            "steps",
            "{{ range 1000000 }}{{ end }}",
            "",
            RenderOptions { steps: 10_000, ..OPTIONS() },
            "took more than 10000 steps",
        ),
        (
            "output",
            "{{ range 1000 }}0123456789{{ end }}",
            "",
            RenderOptions { output: 5000, ..OPTIONS() },
            "5000 bytes",
        ),
        (
            "recursion",
            r#"{{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" . }}"#,
            "",
            RenderOptions { stack: 32 << 20, ..OPTIONS() },
            "rendering template has a nested reference name: r",
        ),
        (
            "stack",
            "{{ tpl .Values.s . }}",
            "s: '{{ tpl .Values.s . }}'\n",
            OPTIONS(),
            "executions nest too deep",
        ),
        ("a long text", "{{ repeat 999999999 \"x\" }}", "", OPTIONS(), "longer than 67108864 bytes"),
        ("a long list", "{{ until 99999999 }}", "", OPTIONS(), "at most 1000000"),
        (
            "a deep document",
            "{{ fromYaml .Values.s | toJson | fail }}",
            &values_with_deep_text,
            OPTIONS(),
            "exceeded max depth of 10000",
        ),
        (
            "aliases",
            "{{ fromYaml .Values.s | toJson | fail }}",
            &bombs,
            OPTIONS(),
            "document contains excessive aliasing",
        ),
        (
            "patterns",
            "{{ mustRegexMatch \"(((a{1000}){1000}){1000})\" \"a\" }}",
            "",
            OPTIONS(),
            "invalid repeat count",
        ),
        (
            "a deep pattern",
            "{{ mustRegexMatch (print (repeat 2000 \"(\") \"a\" (repeat 2000 \")\")) \"a\" }}",
            "",
            OPTIONS(),
            "expression nests too deeply",
        ),
    ];
    std::thread::scope(|scope| {
        let check = || {
            for (what, template, user_values, options, want) in cases {
                let got = error(template, user_values, *options, &Still);
                assert!(got.contains(want), "{what}: {got:.300}");
            }
        };
        // Includes may nest a thousand times only where the stack is large.
        std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, check).unwrap();
    });
}

#[test]
fn the_host_ends_a_render_that_takes_too_long() {
    struct Clock(Instant);
    impl Host for Clock {
        fn now(&self) -> (i64, u32) {
            (0, 0)
        }
        fn random(&self, _: &helm::Site<'_>, buffer: &mut [u8]) {
            buffer.fill(7);
        }
        fn query(&self, _: &str, _: &[Value]) -> Result<Value, String> {
            Ok(Value::Nil)
        }
        fn interrupted(&self) -> bool {
            self.0.elapsed() > Duration::from_millis(50)
        }
    }
    let host = Clock(Instant::now());
    let got = error("{{ range 999999999 }}{{ end }}", "", OPTIONS(), &host);
    assert!(got.contains("its time is up"), "{got}");
}

#[test]
fn documents_of_values_have_the_same_bounds() {
    let deep = format!("s: {}{}", "[".repeat(20_000), "]".repeat(20_000));
    let options = helm::values::ValueOptions { files: vec!["f".to_owned()], ..Default::default() };
    let Err(Error::File { text, .. }) = options.merge(&|_| Ok(deep.clone().into_bytes())) else {
        panic!("it is read")
    };
    assert!(text.contains("exceeded max depth of 10000"), "{text}");
}
