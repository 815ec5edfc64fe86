//! Documents, hooks, notes, errors, schemas: what comes out of a render.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use common::{CHART, load, template, text, values, with_input};
use helm::output::TemplateOutput;
use helm::{CompiledChart, Error, HookDeletePolicy, HookEvent, Rendered};

fn render(files: &[(&str, &str)]) -> Rendered {
    let compiled = CompiledChart::new(load(files).unwrap()).unwrap();
    with_input(&values(""), |input| compiled.render(input)).unwrap()
}

const HOOKS: &str = "\
kind: Job
metadata:
  name: j
  annotations:
    helm.sh/hook: post-install, PRE-upgrade
    helm.sh/hook-weight: \"-5\"
    helm.sh/hook-delete-policy: hook-succeeded, other
    helm.sh/hook-output-log-policy: hook-failed
---
kind: Pod
metadata: {name: t, annotations: {helm.sh/hook: test-success, helm.sh/hook-weight: x}}
---
kind: Pod
metadata: {name: unknown, annotations: {helm.sh/hook: crd-install}}
";

#[test]
fn hooks_are_taken_out() {
    let rendered = render(&[CHART, ("templates/h.yaml", HOOKS)]);
    assert!(rendered.manifests.is_empty());
    assert_eq!(rendered.warnings, [r#"info: skipping unknown hook: "crd-install""#]);
    let [pod, job] = rendered.hooks.as_slice() else { panic!("{:?}", rendered.hooks) };
    assert_eq!(
        (pod.kind.as_str(), pod.events.as_slice(), pod.weight),
        ("Pod", [HookEvent::Test].as_slice(), 0)
    );
    assert_eq!(job.events, [HookEvent::PostInstall, HookEvent::PreUpgrade]);
    assert_eq!(job.weight, -5);
    assert_eq!(
        job.delete_policies,
        [HookDeletePolicy::HookSucceeded, HookDeletePolicy::Other("other".to_owned())]
    );
    assert_eq!(job.output_log_policies, ["hook-failed"]);
}

#[test]
fn output_has_its_switches() {
    let files = [
        CHART,
        ("templates/h.yaml", HOOKS),
        ("templates/a.yaml", "kind: A\n---\nkind: Namespace\n"),
        ("templates/sub/b.yaml", "kind: B\n"),
        ("crds/x.yaml", "crd\n\n"),
    ];
    let print = |options: TemplateOutput| template(&files, "", &options).map(|printed| printed.text);
    let none = TemplateOutput { no_hooks: true, ..TemplateOutput::default() };
    assert_eq!(
        print(none).unwrap(),
        "---\n# Source: c/templates/a.yaml\nkind: Namespace\n---\n# Source: c/templates/a.yaml\nkind: A\n---\n# Source: \
         c/templates/sub/b.yaml\nkind: B\n"
    );
    let crds = TemplateOutput { include_crds: true, ..TemplateOutput::default() };
    assert!(
        print(crds)
            .unwrap()
            .starts_with("---\n# Source: c/crds/x.yaml\ncrd\n\n\n---\n# Source: c/templates/a.yaml\n")
    );
    let no_tests = print(TemplateOutput { skip_tests: true, ..TemplateOutput::default() }).unwrap();
    assert!(no_tests.contains("name: j") && !no_tests.contains("name: t"));
    let only = |patterns: &[&str]| TemplateOutput {
        show_only: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(),
        ..TemplateOutput::default()
    };
    assert_eq!(
        print(only(&["templates/sub/*", "templates/?.yaml"])).unwrap(),
        "---\n# Source: c/templates/sub/b.yaml\nkind: B\n---\n# Source: c/templates/a.yaml\nkind: Namespace\n---\n# \
         Source: c/templates/a.yaml\nkind: A\n---\n# Source: c/templates/h.yaml\nkind: Pod\nmetadata: {name: t, \
         annotations: {helm.sh/hook: test-success, helm.sh/hook-weight: x}}\n---\n# Source: c/templates/h.yaml\n"
            .to_owned()
            + HOOKS.split("\n---\n").next().unwrap()
            + "\n"
    );
    assert_eq!(
        print(only(&["templates/z*"])).unwrap_err().to_string(),
        "could not find template templates/z* in chart"
    );
}

#[test]
fn notes_are_kept_apart() {
    let files = [
        CHART,
        ("templates/NOTES.txt", "Hello {{ .Release.Name }}\n"),
        ("templates/moreNOTES.txt", "more"),
        ("charts/s/Chart.yaml", "name: s\nversion: 1.0.0\n"),
        ("charts/s/templates/NOTES.txt", "from s"),
    ];
    let rendered = render(&files);
    assert_eq!(rendered.notes, "Hello rel\n");
    assert!(rendered.manifests.is_empty());
}

#[test]
fn documents_that_are_no_objects_are_errors() {
    let of = |document: &str| text(&[CHART, ("templates/a.yaml", document)], "");
    let start = "YAML parse error on c/templates/a.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
    assert_eq!(of("[a]"), format!("{start} array into Go value of type releaseutil.SimpleHead"));
    assert_eq!(
        of("metadata: {annotations: {a: [b]}}"),
        format!("{start} array into Go struct field .metadata.annotations of type string")
    );
    assert_eq!(
        of("metadata: x"),
        format!(
            "{start} string into Go struct field SimpleHead.metadata of type struct {{ Name string \"json:\\\"name\\\"\"; \
             Annotations map[string]string \"json:\\\"annotations\\\"\" }}"
        )
    );
    assert!(
        of("a: b: c")
            .starts_with("YAML parse error on c/templates/a.yaml: error converting YAML to JSON: yaml: ")
    );
}

#[test]
fn errors_of_templates_keep_their_facts() {
    let error = |text: &str| {
        let files = [
            CHART,
            ("templates/_h.tpl", "{{ define \"h\" }}\n{{ fail \"no good\" }}{{ end }}"),
            ("templates/a.yaml", text),
        ];
        match template(&files, "", &TemplateOutput::default()).err() {
            Some(Error::Template(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let failed = error("x: 1\n{{ include \"h\" . }}\n");
    assert_eq!(failed.to_string(), "execution error at (c/templates/a.yaml:2:3): no good");
    assert_eq!(failed.author_message.as_deref(), Some("no good"));
    assert_eq!(failed.location.as_ref().map(|place| (place.line, place.column)), Some((2, Some(3))));
    assert_eq!(failed.cause.innermost().source_line().as_deref(), Some("{{ fail \"no good\" }}{{ end }}"));
    let parsing = error("{{ if }}");
    assert_eq!(parsing.to_string(), "parse error at (c/templates/a.yaml:1): missing value for if");
    assert_eq!(
        error("{{ required \"needed\" .Values.x }}").to_string(),
        "execution error at (c/templates/a.yaml:1:3): needed"
    );
}

#[test]
fn includes_may_nest_a_thousand_times() {
    let files = [
        CHART,
        (
            "templates/a.yaml",
            "{{ define \"down\" }}{{ if . }}{{ include \"down\" (sub . 1) }}{{ end }}{{ end }}a: {{ include \"down\" 1000 }}\n\
             {{- define \"loop\" }}{{ include \"loop\" . }}{{ end }}",
        ),
        ("templates/b.yaml", "b: {{ include \"loop\" . }}"),
    ];
    // Unoptimised code takes more stack than threads usually have.
    let check = move || {
        let compiled = CompiledChart::new(load(&files).unwrap()).unwrap();
        with_input(&values(""), |input| {
            let mut input = input.clone();
            input.options.stack = 48 << 20;
            compiled.render(&input).unwrap_err().to_string()
        })
    };
    let message = std::thread::Builder::new().stack_size(64 << 20).spawn(check).unwrap().join().unwrap();
    assert!(
        message.ends_with("rendering template has a nested reference name: loop: unable to execute template")
    );
}

#[test]
fn missing_values_leave_nothing() {
    let files = [
        CHART,
        (
            "templates/a.yaml",
            "# [{{ .Values.a }}] [{{ tpl \"{{ .Values.a }}\" . }}] [{{ include \"h\" . | quote }}] <no value>\n",
        ),
        ("templates/_h.tpl", "{{ define \"h\" }}{{ .Values.a }}{{ end }}"),
    ];
    assert_eq!(text(&files, ""), "---\n# Source: c/templates/a.yaml\n# [] [] [\"\"]\n");
}

#[test]
fn schemas_are_checked_before_all_else() {
    let schema = r#"{"properties": {"port": {"type": "integer"}, "size": {"pattern": "^[0-9]+Gi$"}}, "required": ["name"]}"#;
    let files = [
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\nkubeVersion: '>=99'\n"),
        ("values.schema.json", schema),
        ("charts/s/Chart.yaml", "name: s\nversion: 1.0.0\n"),
        ("charts/s/values.schema.json", r#"{"properties": {"a": {"type": "string"}}}"#),
    ];
    let error =
        template(&files, "port: x\nsize: 5Mi\ns: {a: 1}\n", &TemplateOutput::default()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "values don't meet the specifications of the schema(s) in the following chart(s):\nc:\n- at '': missing property \
         'name'\n- at '/port': got string, want integer\n- at '/size': '5Mi' does not match pattern '^[0-9]+Gi$'\ns:\n- at \
         '/a': got number, want string\n"
    );
    let Error::Schema { violations, .. } = error else { panic!() };
    let shown: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "/: missing property 'name'",
            "/port: got string, want integer",
            "/size: '5Mi' does not match pattern '^[0-9]+Gi$'",
            "/s/a: got number, want string"
        ]
    );
    assert_eq!(
        text(&files, "name: x\n"),
        "chart requires kubeVersion: >=99 which is incompatible with Kubernetes v1.37.0"
    );
}

#[test]
fn remote_schemas_are_not_fetched() {
    let of = |reference: &str| {
        let schema = format!(r#"{{"properties": {{"a": {{"$ref": "{reference}"}}}}}}"#);
        let files = [CHART, ("values.schema.json", schema.as_str()), ("templates/a.yaml", "a: 1")];
        text(&files, "a: 1\n")
    };
    assert!(of("https://example.org/x.json").contains("remote schemas are not fetched"));
    assert!(
        of("other.json").contains(r#"failing loading "file:///other.json": open /other.json: no such file"#)
    );
    assert!(
        of("file://../v.json").contains(r#"failing loading "file://../v.json": open /v.json: no such file"#)
    );
    assert!(of("#/nope").contains(r##"json-pointer in "file:///values.schema.json#/nope" not found"##));
    assert!(of("urn:a:b").ends_with("a: 1\n"));
    assert!(
        of("http://json-schema.org/draft-07/schema#").contains("at '/a': got number, want boolean or object")
    );
}

#[test]
fn schemas_that_never_end_are_given_up() {
    let schema = r##"{"$defs": {"x": {"anyOf": [{"items": {"$ref": "#/$defs/x"}}, {"items": {"$ref": "#/$defs/x"}, "minItems": 99}]}}, "$ref": "#/$defs/x", "properties": {"a": {"$ref": "#/$defs/x"}}}"##;
    let deep = format!("a: {}{}", "[".repeat(400), "]".repeat(400));
    let files = [CHART, ("values.schema.json", schema), ("templates/a.yaml", "a: 1")];
    assert!(text(&files, &deep).len() < 200);
    let loops = [
        CHART,
        (
            "values.schema.json",
            r##"{"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}}"##,
        ),
    ];
    assert!(text(&loops, "a: 1\n").contains("causing reference cycle"));
}

#[test]
fn release_names_are_checked() {
    for name in ["a", "a-b.c", "0", &"x".repeat(53)] {
        assert!(helm::check_release_name(name).is_ok(), "{name}");
    }
    for name in ["A", "-a", "a-", "a..b", "a_b", &"x".repeat(54)] {
        let error = helm::check_release_name(name).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("release name \"{name}\": invalid release name, must match regex ")),
            "{error}"
        );
    }
    assert_eq!(helm::check_release_name("").unwrap_err().to_string(), "release name \"\": no name provided");
}

#[test]
fn values_and_defaults_are_returned_when_asked_for() {
    let files = [
        (
            "Chart.yaml",
            "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies: [{name: s, version: '*', repository: ''}]\n",
        ),
        ("values.yaml", "a: 1\n"),
        ("charts/s/Chart.yaml", "name: s\nversion: 1.0.0\n"),
        ("charts/s/values.yaml", "b: 2\n"),
        ("templates/a.yaml", "{{ $_ := set .Values \"changed\" true }}"),
    ];
    let compiled = CompiledChart::new(load(&files).unwrap()).unwrap();
    let rendered = with_input(&values("c: 3\n"), |input| {
        let mut input = input.clone();
        input.options.keep_values = true;
        compiled.render(&input).unwrap()
    });
    let json = |values: Option<gostd::value::Frozen>| {
        String::from_utf8(gostd::json::marshal(&values.unwrap().thaw(), false).unwrap()).unwrap()
    };
    assert_eq!(json(rendered.values), r#"{"a":1,"c":3,"s":{"b":2,"global":{}}}"#);
    assert_eq!(json(rendered.chart_values), r#"{"a":1,"s":{"b":2,"global":{}}}"#);
}
