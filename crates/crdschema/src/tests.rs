use helm::chart::Memory;
use serde_json::json;

use super::*;

/// The API of a chart with the given files beside Chart.yaml.
fn api_of(files: &[(&str, &str)], options: &Options) -> Api {
    let mut all = vec![("Chart.yaml", "apiVersion: v2\nname: x\nversion: 1.0.0\n")];
    all.extend(files);
    Api::of(&Chart::load(&Memory::new(all)).unwrap(), options)
}

fn schema_of(files: &[(&str, &str)]) -> Value {
    api_of(files, &Options::default()).schema()
}

fn field<'s>(schema: &'s Value, path: &str) -> &'s Value {
    path.split('.').fold(schema, |schema, key| match key {
        "[]" => &schema["items"],
        key => &schema["properties"][key],
    })
}

/// The name of the type a schema gives a value, with a mark if null is not taken.
fn kind(schema: &Value, path: &str) -> String {
    let field = field(schema, path);
    assert!(field.is_object(), "{path} is not there");
    let mut kind = match field.get("type").and_then(Value::as_str) {
        Some(kind) => kind.to_owned(),
        None if field["x-kubernetes-int-or-string"] == true => "either".to_owned(),
        None if field["maxItems"] == 0 && field["maxProperties"] == 0 => "scalar".to_owned(),
        None => "any".to_owned(),
    };
    if field["nullable"] != true {
        kind.push('!');
    }
    kind
}

#[test]
fn types_follow_defaults_and_what_templates_make_of_them() {
    let values = "
flag: true
quotedFlag: true
count: 3
replicas: 1
share: 1
workers: 2
service: {ports: {http: 80}}
name: web
path: /metrics
tag: '1.25'
version: 1.5
annotations: {}
templated: {}
list: []
joined: []
ranged: {}
limits: {cpu: 1, memory: 1Gi}
nothing:
image: {repository: nginx}
";
    let template = "
a: {{ .Values.quotedFlag | quote }} {{ .Values.share | quote }} {{ .Values.workers | quote }}
p: {{ .Values.service.ports.http | quote }}
{{ tpl .Values.templated . }}
b: {{ .Values.name | quote }}
c: {{ .Values.image.repository | trunc 10 }}
d: {{ .Values.left.out }}
{{ range .Values.list }}{{ end }}{{ range .Values.ranged }}{{ end }}
{{ join \",\" .Values.joined }}
";
    let schema = schema_of(&[("values.yaml", values), ("templates/a.yaml", template)]);
    for (path, wanted) in [
        ("flag", "boolean"),
        ("quotedFlag", "scalar"),
        ("count", "either"),
        ("replicas", "integer"),
        ("share", "scalar"),
        ("workers", "either"),
        ("service.ports.http", "either"),
        ("name", "either"),
        ("path", "string"),
        ("tag", "scalar"),
        ("version", "scalar"),
        ("annotations", "object"),
        ("templated", "any"),
        ("list", "array"),
        ("joined", "any"),
        ("ranged", "any"),
        ("limits.cpu", "scalar"),
        ("limits.memory", "either"),
        ("nothing", "any"),
        ("image", "object"),
        ("image.repository", "string"),
        ("left.out", "scalar"),
    ] {
        assert_eq!(kind(&schema, path), wanted, "{path}");
    }
    assert_eq!(field(&schema, "count")["description"], "Default: 3 (text or whole number)");
}

#[test]
fn unknown_keys_and_nulls_are_kept_everywhere() {
    let schema = schema_of(&[("values.yaml", "a: {b: {c: 1}}\nlist: [{d: 1}]\n")]);
    let value = json!({"a": {"b": {"c": null, "x": {"y": null}}, "z": 1}, "new": [], "list": [{"d": null, "e": 1}, null]});
    assert_eq!(validate(&schema, &value), []);
    assert_eq!(validate(&schema, &json!({"a": null, "list": null})), []);
    assert_eq!(validate(&schema, &json!({"a": "nonsense"})).len(), 1);
}

#[test]
fn comments_become_descriptions() {
    let values = "
## @param image.tag The tag
image:
  tag: \"\"
# -- The port
port: 80
# Plain words
# ref: https://example.com
plain: x # behind
";
    let schema = schema_of(&[("values.yaml", values)]);
    assert_eq!(field(&schema, "image.tag")["description"], "The tag\nDefault: \"\" (text or whole number)");
    assert_eq!(field(&schema, "port")["description"], "The port\nDefault: 80 (text or whole number)");
    let plain = "Plain words ref: https://example.com\nDefault: \"x\" (text or whole number)";
    assert_eq!(field(&schema, "plain")["description"], plain);
}

#[test]
fn annotations_bind_unless_the_chart_breaks_them_itself() {
    let values = "
port: 80 # @schema type:integer;minimum:80;maximum:40000
mode: wild # @schema enum:[a, b]
";
    let schema = schema_of(&[("values.yaml", values)]);
    let port = field(&schema, "port");
    assert_eq!(
        (&port["type"], &port["minimum"], &port["maximum"]),
        (&json!("integer"), &json!(80), &json!(40000))
    );
    assert_eq!(validate(&schema, &json!({"port": 79})).len(), 1);
    assert_eq!(validate(&schema, &json!({"mode": "wild"})), []);
}

#[test]
fn what_the_charts_own_values_files_give_is_taken() {
    let files =
        [("values.yaml", "a: true\nb: {c: 1}\n"), ("ci/odd-values.yaml", "a: enabled\nb: {c: [1]}\n")];
    assert_eq!(kind(&schema_of(&files), "a"), "scalar");
    assert_eq!(kind(&schema_of(&files), "b.c"), "any");
    let blind = Options { examples: false, ..Options::default() };
    assert_eq!(kind(&api_of(&files, &blind).schema(), "a"), "boolean");
}

#[test]
fn a_values_schema_decides_and_the_rest_is_inferred() {
    let schema = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["key"],
        "properties": {"port": {"type": "integer", "minimum": 80}, "closed": {"type": "object",
        "properties": {"a": {"type": "string"}}, "additionalProperties": false}, "name": {}}}"#;
    let values = "# The port\nport: 80\nname: web\nclosed: {a: x}\n";
    let files = [("values.yaml", values), ("values.schema.json", schema)];
    let out = schema_of(&files);
    assert_eq!(kind(&out, "port"), "integer");
    assert_eq!(field(&out, "port")["description"], "The port\nDefault: 80");
    assert_eq!(kind(&out, "name"), "either");
    assert_eq!(out["required"], json!(["key"]));
    assert_eq!(validate(&out, &json!({"key": 1, "closed": {"b": 1}})).len(), 1);
    let elsewhere = Options { elsewhere: true, ..Options::default() };
    assert_eq!(api_of(&files, &elsewhere).schema().get("required"), None);
}

#[test]
fn subcharts_stand_under_their_names() {
    let files = [
        (
            "Chart.yaml",
            "apiVersion: v2\nname: x\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.x, alias: main, condition: main.on, tags: [data]}\n",
        ),
        ("values.yaml", "global: {}\nmain:\n  # Ours\n  size: 5\n"),
        ("charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\ndescription: A database.\n"),
        (
            "charts/db/values.yaml",
            "global:\n  # Where images are\n  registry: ''\n# Theirs\nsize: 1\n# Port\nport: 5432\n",
        ),
    ];
    let schema = schema_of(&files);
    let description = |path: &str| field(&schema, path)["description"].clone();
    assert_eq!(description("main"), "Values of the subchart db: A database.");
    assert_eq!(description("main.size"), "Ours\nDefault: 5 (text or whole number)");
    assert_eq!(description("main.port"), "Port\nDefault: 5432 (text or whole number)");
    assert_eq!(description("global.registry"), "Where images are\nDefault: \"\"");
    assert_eq!(kind(&schema, "main.on"), "boolean");
    assert_eq!(kind(&schema, "tags.data"), "boolean");
}

#[test]
fn one_replica_count_can_be_scaled() {
    let path = |values: &str, template: &str, named: Option<&str>| {
        let options = Options { replicas: named.map(str::to_owned), ..Options::default() };
        api_of(&[("values.yaml", values), ("templates/a.yaml", template)], &options).replicas_path()
    };
    assert_eq!(path("replicaCount: 1\n", "", None).as_deref(), Some(".spec.replicaCount"));
    assert_eq!(path("size: 1\n", "replicas: {{ .Values.size | int }}", None).as_deref(), Some(".spec.size"));
    assert_eq!(path("size: 1\n", "storage: {{ .Values.size }}", None), None);
    assert_eq!(path("replicas: {a: 1}\n", "", None), None);
    assert_eq!(path("web: {replicas: 1}\n", "", None), None);
    assert_eq!(path("web: {replicas: 1}\n", "", Some("replicas")), None);
    assert_eq!(path("web: {replicas: 1}\n", "", Some("web.replicas")).as_deref(), Some(".spec.web.replicas"));
}

#[test]
fn modes_say_more_or_less() {
    let files = [("values.yaml", "a: 1\nb: {}\nc: {d: x}\n")];
    let strict = api_of(&files, &Options { mode: Mode::Strict, ..Options::default() }).schema();
    assert_eq!(kind(&strict, "a"), "integer");
    assert_eq!(kind(&strict, "c.d"), "string");
    assert_eq!(validate(&strict, &json!({"b": {"any": 1}, "c": {"d": "y"}})), []);
    assert_eq!(validate(&strict, &json!({"x": 1, "c": {"e": 1}})).len(), 2);
    let open = api_of(&files, &Options { mode: Mode::Open, ..Options::default() });
    assert_eq!(validate(&open.schema(), &json!({"a": [], "x": {}})), []);
    assert_eq!(open.schema().get("properties"), None);
}

#[test]
fn the_reference_lists_what_the_schema_has() {
    let values = "# The port\nport: 80 # @schema type:integer;minimum:80\nimage:\n  # Which | one\n  tag: x\nhosts: [a]\n";
    let api = api_of(&[("values.yaml", values)], &Options::default());
    assert_eq!(
        reference(&api, "Values of X", "About."),
        "# Values of X\n\nAbout.\n\n## Values\n\n| Value | Type | Default | Description |\n| --- | --- | --- | --- |\n\
         | `port` | integer | `80` | The port<br>At least 80. |\n| `hosts` | array of integer or string | `[\"a\"]` |  |\n\n\
         ## `image`\n\n| Value | Type | Default | Description |\n| --- | --- | --- | --- |\n\
         | `image.tag` | integer or string | `\"x\"` | Which \\| one |\n"
    );
}

#[test]
fn an_example_has_what_is_demanded() {
    let schema = r#"{"type": "object", "required": ["mode", "port", "own"], "properties": {
        "mode": {"enum": ["a", "b"]}, "port": {"type": "integer", "exclusiveMinimum": 79}, "own": {"type": "string"},
        "inner": {"type": "object", "required": ["key", "given"], "properties": {
            "key": {"type": "array", "minItems": 1, "items": {"type": "boolean"}}}},
        "optional": {"type": "object", "required": ["never"]}}}"#;
    let values = "replicas: 1\nown: x\ninner: {given: 1}\n";
    let api = api_of(&[("values.yaml", values), ("values.schema.json", schema)], &Options::default());
    let sample = api.sample();
    assert_eq!(sample, json!({"mode": "a", "port": 80, "replicas": 3, "inner": {"key": [true]}}));
    assert_eq!(validate(&api.schema(), &sample), []);
}
