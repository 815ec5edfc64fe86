//! Dependencies: presence, conditions, tags, aliases, imports, and what is parsed when they change.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::thread;

use common::{CHART, load, template, text, values, with_input};
use helm::output::TemplateOutput;
use helm::{CompiledChart, Error};

const SUB: (&str, &str) = ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.2.0\n");
const SHOW: &str = "who: {{ .Chart.Name }} {{ .Values.a }}\n";

/// A parent `c` with the given entries of `dependencies`.
fn parent(entries: &str) -> String {
    format!("{}dependencies:\n{entries}", CHART.1)
}

/// Returns the sources of the documents printed.
fn sources(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("# Source: ")).collect()
}

#[test]
fn missing_dependencies_are_named() {
    let chart = parent("- {name: s}\n- {name: zz}\n- {name: yy}\n");
    let error = CompiledChart::new(load(&[("Chart.yaml", &chart), SUB]).unwrap()).unwrap_err();
    assert!(matches!(&error, Error::MissingDependencies(names) if names == &["zz", "yy"]));
    assert!(error.to_string().ends_with("found in Chart.yaml, but missing in charts/ directory: zz, yy"));
}

#[test]
fn conditions_and_tags_decide() {
    let chart = parent("- {name: s, version: '*', condition: 'x.enabled,s.enabled', tags: [front, back]}\n");
    let files = [("Chart.yaml", chart.as_str()), SUB, ("charts/s/templates/a.yaml", SHOW)];
    let is_on = |user: &str| !sources(&text(&files, user)).is_empty();
    assert!(is_on(""));
    assert!(!is_on("s: {enabled: false}\n"));
    assert!(
        !is_on("x: {enabled: false}\ns: {enabled: true}\n"),
        "the first path that leads to a bool decides"
    );
    assert!(!is_on("tags: {front: false}\n"));
    assert!(is_on("tags: {front: false, back: true}\n"));
    assert!(is_on("tags: {front: false}\ns: {enabled: true}\n"), "conditions override tags");
    let options = TemplateOutput::default();
    let printed = template(&files, "s: {enabled: maybe}\ntags: {front: 1}\n", &options).unwrap();
    assert_eq!(
        printed.warnings,
        [
            "Warning: Tag 'front' for chart s returned non-bool value",
            "Warning: Condition path 's.enabled' for chart s returned non-bool value"
        ]
    );
}

#[test]
fn versions_must_fit() {
    for (range, alias) in [("^1.0.0", "one"), ("*", "one"), ("", "s"), ("2.x", "s"), ("nonsense", "s")] {
        let chart = parent(&format!("- {{name: s, version: '{range}', alias: one}}\n"));
        let source = format!("c/charts/{alias}/templates/a.yaml");
        let files = [("Chart.yaml", chart.as_str()), SUB, ("charts/s/templates/a.yaml", SHOW)];
        assert_eq!(sources(&text(&files, "")), [source], "{range}");
    }
}

#[test]
fn aliases_are_charts_of_their_own() {
    let chart = parent(
        "- {name: s, version: '*', alias: one}\n- {name: s, version: '*', alias: two}\n- {name: s, version: '*'}\n",
    );
    let files = [
        ("Chart.yaml", chart.as_str()),
        SUB,
        ("charts/s/values.yaml", "a: 1\n"),
        ("charts/s/templates/a.yaml", "{{ include \"who\" . }}"),
        ("charts/s/templates/_h.tpl", "{{ define \"who\" }}who: {{ .Chart.Name }} {{ .Values.a }}{{ end }}"),
        ("charts/s/charts/t/Chart.yaml", "apiVersion: v2\nname: t\nversion: 0.1.0\n"),
        ("charts/s/charts/t/templates/t.yaml", SHOW),
        (
            "templates/p.yaml",
            "# subs: {{ keys .Subcharts | sortAlpha }} {{ range .Chart.Dependencies }}{{ .Name }},{{ end }}\n",
        ),
    ];
    let shown = text(&files, "one: {a: 2}\ns: {a: 3}\n");
    for line in ["who: one 2", "who: two 1", "who: s 3", "subs: [one s two] one,two,s,"] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    // Subcharts of a copied chart that declares none keep the path they were loaded with, so one of three stays.
    let of_t: Vec<&str> = sources(&shown).into_iter().filter(|source| source.ends_with("t.yaml")).collect();
    assert_eq!(of_t, ["c/charts/s/charts/t/templates/t.yaml"]);
}

#[test]
fn imports_lose_against_everything() {
    let chart =
        parent("- {name: s, version: '*', import-values: [data, {child: a.b, parent: imported}, nothing]}\n");
    let files = [
        ("Chart.yaml", chart.as_str()),
        ("values.yaml", "own: parent\n"),
        SUB,
        ("charts/s/values.yaml", "exports: {data: {own: child, new: child}}\na: {b: {c: 1}}\n"),
        ("templates/a.yaml", "v: {{ omit .Values \"s\" | toJson }}\n"),
    ];
    let printed = template(&files, "new: user\n", &TemplateOutput::default()).unwrap();
    assert!(
        printed.text.contains(r#"v: {"imported":{"c":1},"new":"user","own":"parent"}"#),
        "{}",
        printed.text
    );
    assert!(
        printed
            .warnings
            .contains(&r#"Warning: ImportValues missing table: "nothing" is not a table"#.to_owned())
    );
}

#[test]
fn library_charts_give_partials_only() {
    let library = "apiVersion: v2\nname: s\nversion: 0.1.0\ntype: library\n";
    let files = [
        CHART,
        ("charts/s/Chart.yaml", library),
        ("charts/s/templates/_h.tpl", "{{ define \"x\" }}from library{{ end }}"),
        ("charts/s/templates/broken.yaml", "{{ nonsense }"),
        ("templates/a.yaml", "x: {{ include \"x\" . }}\n"),
    ];
    assert!(text(&files, "").contains("x: from library"));
    let root = load(&[("Chart.yaml", library)]).unwrap();
    assert_eq!(CompiledChart::new(root).unwrap_err().to_string(), "library charts are not installable");
}

#[test]
fn templates_follow_what_is_enabled() {
    let chart = parent("- {name: s, version: '*', condition: s.enabled}\n");
    let files = [
        ("Chart.yaml", chart.as_str()),
        SUB,
        // What a disabled subchart defines is not there, and what it gets wrong does not matter.
        ("charts/s/templates/_h.tpl", "{{ define \"x\" }}sub{{ end }}"),
        ("charts/s/templates/b.yaml", "{{ if }}"),
        ("templates/a.yaml", "x: {{ include \"x\" . }}\n"),
    ];
    let compiled = CompiledChart::new(load(&files).unwrap()).unwrap();
    for _ in 0..2 {
        let off = with_input(&values("s: {enabled: false}\n"), |input| {
            compiled.render(input).unwrap_err().to_string()
        });
        assert!(off.ends_with(
            "error calling include: template: no template \"x\" associated with template \"gotpl\""
        ));
        let on = with_input(&values(""), |input| compiled.render(input).unwrap_err().to_string());
        assert_eq!(on, "parse error at (c/charts/s/templates/b.yaml:1): missing value for if");
    }
}

#[test]
fn one_chart_serves_many_threads() {
    let chart = parent("- {name: s, version: '*', condition: s.enabled}\n");
    let files = [
        ("Chart.yaml", chart.as_str()),
        SUB,
        ("charts/s/templates/a.yaml", SHOW),
        (
            "templates/a.yaml",
            "{{ $_ := set .Values \"count\" (add1 .Values.count) }}n: {{ .Values.count }}\n",
        ),
    ];
    let compiled = CompiledChart::new(load(&files).unwrap()).unwrap();
    thread::scope(|scope| {
        for number in 0..8 {
            let compiled = compiled.clone();
            scope.spawn(move || {
                for _ in 0..20 {
                    let on = number % 2 == 0;
                    let values = values(&format!("count: {number}\ns: {{enabled: {on}}}\n"));
                    let rendered = with_input(&values, |input| compiled.render(input)).unwrap();
                    assert_eq!(rendered.manifests.len(), if on { 2 } else { 1 });
                    assert_eq!(rendered.manifests.last().unwrap().content, format!("n: {}", number + 1));
                }
            });
        }
    });
}
