//! What random charts are made of.

/// Texts that some function finds interesting.
pub(crate) const TEXTS: &[&str] = &[
    "",
    "a",
    "hello world",
    "Hello-World_foo.bar",
    " padded  ",
    "true",
    "false",
    "null",
    "~",
    "yes",
    "no",
    "on",
    "y",
    "0",
    "1",
    "-1",
    "007",
    "0x1F",
    "0o17",
    "0b11",
    "1e3",
    "1_000",
    "1.5",
    "-.5",
    ".inf",
    ".NaN",
    "1:30",
    "5m",
    "1h30m",
    "2024-01-02",
    "2024-01-02T15:04:05Z",
    "1.2.3",
    "v1.2",
    ">=1.2.0-0 <2",
    "~1.2 || ^3",
    "é ñ 世界 🚀",
    "a: b",
    "a #b",
    "- x",
    "{a: 1}",
    "[1, two]",
    "line1\nline2",
    "line1\n\nline2\n",
    "  indented\n text\n",
    "tab\there",
    "quote\"s",
    "it's",
    "back\\slash",
    "<a href=\"x?y=1&z=2\">",
    "http://user:pw@host:8080/p/a?q=1#f",
    "a,b,c",
    "a/b/../c.tar.gz",
    "%d %s %v",
    "{{ .Values.s }}",
    "{{ include \"c.name\" . }}",
    "{{ fail \"no\" }}",
    "key=value",
    "YWJj",
    "aGVsbG8=",
    "----",
    "!tag",
    "&anchor",
    "*alias",
    "%TAG",
    "@at",
    "`tick`",
    "|",
    ">",
    "?",
    "? x",
    ":",
    "::",
    "=",
    "<<",
    "a\u{85}b",
    "{\"a\": [1, 2.50, null]}",
    "a = 1\n[t]\nb = \"x\"\n",
    "a: 1\nb: [x, y]\n",
    "(a+)(b*)",
    "^h.*o$",
    "$1-${2}",
    "\u{feff}bom",
    "1234567890123",
    "12345678901234567890",
    "0.1",
    "1e400",
    "123456.789",
    "Mon, 02 Jan 2006 15:04:05 MST",
    "\u{1}\u{2}",
    "trailing ",
    "a\r\nb",
    "cafe\u{301}",
];

/// Whole and other numbers as templates write them.
pub(crate) const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "10",
    "42",
    "100",
    "1024",
    "-2147483648",
    "9223372036854775807",
    "0x10",
    "0b101",
    "0o17",
    "1_000",
    "'a'",
];
pub(crate) const FLOATS: &[&str] =
    &["0.0", "1.5", "-2.25", "3.0", "1e3", "1e6", "1e21", "0.1", "123456789.125", "1e-7", "0x1p4"];

/// Keys of values, by what is usually behind them.
pub(crate) const STRING_KEYS: &[&str] = &["s", "name", "t", "s2"];
pub(crate) const INT_KEYS: &[&str] = &["i", "port", "n"];
pub(crate) const FLOAT_KEYS: &[&str] = &["f", "ratio"];
pub(crate) const BOOL_KEYS: &[&str] = &["b", "enabled"];
pub(crate) const DICT_KEYS: &[&str] = &["m", "deep", "m2"];
pub(crate) const LIST_KEYS: &[&str] = &["l", "names", "objects"];
pub(crate) const TEXT_LIST_KEYS: &[&str] = &["words", "hosts"];
/// Keys within dicts.
pub(crate) const TREE_KEYS: &[&str] = &["a", "b", "c", "k", "s", "x-y", "1", "a.b/c"];
pub(crate) const OTHER_KEYS: &[&str] = &["nul", "missing", "global", "sub", "alias", "x"];

/// The templates that the helpers of a chart define.
pub(crate) const HELPERS: &[&str] = &["c.echo", "c.yaml", "c.loop"];
/// Those that need the root.
pub(crate) const ROOT_HELPERS: &[&str] = &["c.name", "c.labels"];
pub(crate) const HELPERS_FILE: &str = r#"{{/* helpers */}}
{{- define "c.name" -}}
{{ default .Chart.Name (get (.Values | default dict) "name") | toString | trunc 63 | trimSuffix "-" }}
{{- end -}}
{{ define "c.labels" }}
app: {{ .Chart.Name }}
rel: {{ .Release.Name | quote }}
{{- with .Values.m }}
extra: {{ toJson . }}
{{- end }}
{{ end }}
{{- define "c.echo" }}{{ . }}{{ end }}
{{- define "c.yaml" }}{{ toYaml . }}{{ end }}
{{- define "c.dict" -}}
{{- $root := .root -}}
{{ .key }}: {{ if typeIs "string" .value }}{{ tpl .value $root | quote }}{{ else }}{{ tpl (.value | toYaml) $root | quote }}{{ end }}
{{- end }}
{{- define "c.loop" -}}
{{- if kindIs "map" . }}{{ range $k, $v := . }}{{ $k }}:{{ include "c.loop" $v }};{{ end }}{{ else }}{{ . }}{{ end }}
{{- end -}}
"#;

pub(crate) const KINDS: &[&str] = &[
    "ConfigMap",
    "Secret",
    "Service",
    "Deployment",
    "Job",
    "Namespace",
    "ClusterRole",
    "CustomResourceDefinition",
    "Ingress",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
    "Widget",
    "APIService",
    "ValidatingWebhookConfiguration",
    "HorizontalPodAutoscaler",
    "PriorityClass",
    "NetworkPolicy",
    "ReplicaSet",
    "Pod",
];
pub(crate) const HOOKS: &[&str] = &[
    "pre-install",
    "post-install",
    "pre-upgrade",
    "post-delete",
    "test",
    "test-success",
    "test-failure",
    "pre-install,post-upgrade",
    "pre-rollback, post-rollback",
    "crd-install",
    "nonsense",
    "",
    "Pre-Install",
];
