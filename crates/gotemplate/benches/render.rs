//! Times parsing and executing a template of the usual size: `cargo bench -p gotemplate`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "a measuring program")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use gostd::value::{Frozen, Signature, Type};
use gostd::{GoStr, Value};
use gotemplate::{Function, FunctionSet, Host, MissingKey, Options, Session, Set};

struct Nowhere;

impl Host for Nowhere {
    fn now(&self) -> (i64, u32) {
        (0, 0)
    }

    fn random(&self, _: &gotemplate::Site<'_>, _buffer: &mut [u8]) {}

    fn query(&self, _function: &str, _args: &[Value]) -> Result<Value, String> {
        Ok(Value::Nil)
    }
}

static FUNCTIONS: &[Function] = &[
    Function {
        name: "include",
        signature: Signature::fixed(&[Type::String, Type::Any]),
        body: |call, args| call.execute(args[0].as_str().unwrap(), args[1].clone()).map(Value::String),
    },
    Function {
        name: "default",
        signature: Signature::fixed(&[Type::Any, Type::Any]),
        body: |_, args| Ok(args[usize::from(args[1].is_true())].clone()),
    },
    Function {
        name: "quote",
        signature: Signature::fixed(&[Type::Any]),
        body: |_, args| Ok(Value::string(gostd::strconv::quote(&gostd::fmt::format_v(&args[0])))),
    },
    Function {
        name: "nindent",
        signature: Signature::fixed(&[Type::Int, Type::String]),
        body: |_, args| {
            let pad = " ".repeat(args[0].as_int().unwrap().try_into().unwrap());
            let text = args[1].as_str().unwrap().to_lossy();
            Ok(text.lines().map(|line| format!("\n{pad}{line}")).collect::<String>().into())
        },
    },
];

const HELPERS: &str = r#"
{{- define "app.name" -}}{{ .Values.nameOverride | default .Chart.Name }}{{- end -}}
{{- define "app.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride }}
{{- else }}{{ printf "%s-%s" .Release.Name (include "app.name" .) }}{{ end -}}
{{- end -}}
{{- define "app.selector" -}}
app.kubernetes.io/name: {{ include "app.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "app.labels" -}}
{{ include "app.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
"#;

const DEPLOYMENT: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "app.fullname" . }}
  labels:
    {{- include "app.labels" . | nindent 4 }}
spec:
  {{- if not .Values.autoscaling.enabled }}
  replicas: {{ .Values.replicaCount }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "app.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "app.selector" . | nindent 8 }}
    spec:
      {{- with .Values.nodeSelector }}
      nodeSelector:
        {{- range $key, $value := . }}
        {{ $key }}: {{ $value | quote }}
        {{- end }}
      {{- end }}
      containers:
        - name: {{ .Chart.Name }}
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          {{- if .Values.env }}
          env:
            {{- range .Values.env }}
            - name: {{ .name }}
              value: {{ .value | quote }}
            {{- end }}
          {{- end }}
          ports:
            {{- range $name, $port := .Values.ports }}
            - name: {{ $name }}
              containerPort: {{ $port }}
              protocol: TCP
            {{- end }}
          {{- if and .Values.resources (or .Values.resources.limits .Values.resources.requests) }}
          resources:
            limits:
              cpu: {{ .Values.resources.limits.cpu }}
              memory: {{ .Values.resources.limits.memory }}
          {{- end }}
"#;

fn map<const N: usize>(entries: [(&str, Frozen); N]) -> Frozen {
    let mut entries: Vec<_> = entries.into_iter().map(|(key, value)| (GoStr::from(key), value)).collect();
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    Frozen::Map(entries)
}

fn text(text: &str) -> Frozen {
    Frozen::String(text.into())
}

fn data() -> Frozen {
    let env = (0..8).map(|at| map([("name", text(&format!("NAME_{at}"))), ("value", text("some value"))]));
    let values = map([
        ("nameOverride", Frozen::Nil),
        ("autoscaling", map([("enabled", Frozen::Bool(false))])),
        ("replicaCount", Frozen::Float64(3.0)),
        ("nodeSelector", map([("kubernetes.io/os", text("linux")), ("disk", text("ssd"))])),
        ("image", map([("repository", text("nginx")), ("pullPolicy", text("IfNotPresent"))])),
        ("env", Frozen::List(env.collect())),
        ("ports", map([("http", Frozen::Float64(80.0)), ("metrics", Frozen::Float64(9090.0))])),
        ("resources", map([("limits", map([("cpu", text("1")), ("memory", text("128Mi"))]))])),
    ]);
    map([
        ("Values", values),
        ("Chart", map([("Name", text("app")), ("AppVersion", text("1.2.3"))])),
        ("Release", map([("Name", text("release")), ("Service", text("Helm"))])),
    ])
}

fn parsed() -> Set {
    let mut set = Set::new("gotpl", FunctionSet::new(FUNCTIONS));
    set.parse("_helpers.tpl", HELPERS).unwrap();
    set.parse("deployment.yaml", DEPLOYMENT).unwrap();
    set
}

/// Runs for about a second and prints the fastest tenth's mean.
fn time(name: &str, mut run: impl FnMut()) {
    let end = Instant::now() + Duration::from_secs(1);
    let mut times = Vec::new();
    while Instant::now() < end {
        let start = Instant::now();
        run();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let best = &times[..times.len().div_ceil(10)];
    let mean = best.iter().sum::<Duration>() / u32::try_from(best.len()).unwrap();
    println!("{name:<40} {mean:>12.2?}");
}

fn main() {
    let frozen = data();
    let set = parsed();
    let execute = |data: Value| {
        let options = Options { missing_key: MissingKey::Zero, ..Options::default() };
        Session::new(&Nowhere, options).execute(&set, b"deployment.yaml", data).unwrap()
    };
    let output = execute(frozen.thaw());
    println!("{} bytes of templates, {} bytes of output", HELPERS.len() + DEPLOYMENT.len(), output.len());
    time("parse and compile", || drop(black_box(parsed())));
    let values = frozen.thaw();
    time("execute", || drop(black_box(execute(values.clone()))));
    time("thaw values and execute", || drop(black_box(execute(frozen.thaw()))));
}
