//! Tests of what a render takes from its seed.

use std::collections::BTreeMap;
use std::time::Duration;

use helm::Chart;
use helm::chart::Memory;

use super::*;
use crate::reconcile::renderer::Renderer;
use crate::reconcile::status::{Report, Situation, condition, next, text};

const EPOCH: i64 = 1_700_000_000;
const DAY: i64 = 24 * 60 * 60;

struct Fixed(Result<Seed, String>);

impl Outside for Fixed {
    fn seed(&self) -> Result<Seed, String> {
        self.0.clone()
    }

    fn lookup(&self, _: &str, kind: &str, _: &str, _: &str) -> Result<Frozen, String> {
        Ok(Frozen::String(kind.into()))
    }
}

fn seed(drawing: Drawing) -> Seed {
    Seed { key: [1; 32], epoch: EPOCH, drawing }
}

/// Renders a chart given as files, `now` seconds after the seed was made.
fn render_at(files: &[(&str, &str)], seed: Seed, now: i64) -> Output {
    let job = Job { now: EPOCH + now, ..job(files, seed) };
    render(&job, RenderLimits::default(), &|| false).unwrap()
}

fn job(files: &[(&str, &str)], seed: Seed) -> Job {
    let chart = [("Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n")];
    let chart = Chart::load(&Memory::new(chart.iter().chain(files).copied())).unwrap();
    Job {
        chart: Arc::new(CompiledChart::new(chart).unwrap()),
        values: Frozen::Map(Vec::new()),
        release: Release { name: "r".into(), namespace: "n".into(), revision: 1, is_upgrade: false },
        capabilities: Arc::default(),
        outside: Arc::new(Fixed(Ok(seed))),
        now: EPOCH,
        skip_schema_validation: false,
    }
}

/// The lines `key: value` of all that is rendered, by file and key.
fn lines(files: &[(&str, &str)], drawing: Drawing) -> BTreeMap<String, String> {
    let output = render_at(files, seed(drawing), 0);
    let mut found = BTreeMap::new();
    for manifest in &output.rendered.manifests {
        for (key, value) in manifest.content.lines().filter_map(|line| line.split_once(": ")) {
            found.insert(format!("{} {}", manifest.path, key.trim()), value.to_owned());
        }
    }
    found
}

const HELPERS: (&str, &str) = (
    "templates/_h.tpl",
    r#"{{ define "pass" }}{{ if .given }}{{ .given }}{{ else }}{{ randAlphaNum 12 }}{{ end }}{{ end }}"#,
);

const BEFORE: &str = r#"
{{- $kept := uuidv4 -}}
kind: Secret
apiVersion: v1
metadata:
  name: a
data:
  direct: {{ randAlphaNum 12 | b64enc }}
  helped: {{ include "pass" (dict) }}
  kept: {{ $kept }}
  key: {{ genPrivateKey "ed25519" | sha256sum }}
  salted: {{ htpasswd "user" "password" }}
  text: {{ tpl "{{ randNumeric 9 }}" . }}
{{- range .Values.users }}
  {{ . }}: {{ randAlpha 12 }}
{{- end }}
"#;

/// The same with more of everything, before and in between.
const AFTER: &str = r#"
{{- $first := uuidv4 -}}
{{- $kept := uuidv4 -}}
kind: Secret
apiVersion: v1
metadata:
  name: new
data:
  direct: {{ randAlphaNum 12 | b64enc }}
---
kind: Secret
apiVersion: v1
metadata:
  name: a
  annotations:
    checksum: {{ randAlphaNum 12 }}
data:
  first: {{ $first }}
  other: {{ include "pass" (dict) }}
  text: {{ tpl "{{ randNumeric 9 }}" . }}
  another-key: {{ genPrivateKey "ed25519" | sha256sum }}
  another-salt: {{ htpasswd "user" "password" }}
{{- range .Values.users }}
  {{ . }}: {{ randAlpha 12 }}
{{- end }}
  salted: {{ htpasswd "user" "password" }}
  key: {{ genPrivateKey "ed25519" | sha256sum }}
  kept: {{ $kept }}
  helped: {{ if true }}{{ include "pass" (dict) }}{{ end }}
  direct: {{ randAlphaNum 12 | b64enc | quote }}
"#;

#[test]
fn values_outlive_changes_elsewhere_in_the_chart() {
    let path = "templates/secret.yaml";
    let before = [HELPERS, (path, BEFORE), ("values.yaml", "users: [b, c]")];
    let after = [
        HELPERS,
        ("templates/a-new-file.yaml", "a: {{ randAlphaNum 12 }}"),
        (path, AFTER),
        ("values.yaml", "users: [a, b, bb, c]"),
    ];
    let unquoted = |map: BTreeMap<String, String>| -> BTreeMap<_, _> {
        map.into_iter().map(|(key, value)| (key, value.trim_matches('"').to_owned())).collect()
    };
    let (old, new) = (unquoted(lines(&before, Drawing::ByPlace)), unquoted(lines(&after, Drawing::ByPlace)));
    for key in ["direct", "helped", "kept", "key", "salted", "text", "b", "c"] {
        let key = format!("c/{path} {key}");
        assert_eq!(old[&key], new[&key], "{key}");
    }
    let distinct: std::collections::BTreeSet<_> = new.values().collect();
    assert!(distinct.len() >= 15, "values of different places differ: {new:#?}");
    assert_eq!(lines(&before, Drawing::ByPlace), lines(&before, Drawing::ByPlace));
}

#[test]
fn calls_that_look_alike_are_told_apart_by_their_order() {
    let file = |body: &'static str| [("templates/x.yaml", body)];
    let twice = lines(&file("a: {{ randAlpha 9 }} {{ randAlpha 9 }}\n"), Drawing::ByPlace);
    let (first, second) = twice["c/templates/x.yaml a"].split_once(' ').unwrap();
    assert_ne!(first, second);
    let longer = lines(&file("a: {{ randAlpha 9 }} {{ randAlpha 9 }} {{ randAlpha 9 }}\n"), Drawing::ByPlace);
    assert!(longer["c/templates/x.yaml a"].starts_with(&format!("{first} {second} ")));
}

#[test]
fn releases_that_drew_in_order_keep_their_values() {
    let chart =
        [("templates/x.yaml", "a: {{ randAlphaNum 12 }}\nb: {{ uuidv4 }}\nc: {{ now | unixEpoch }}\n")];
    let all = lines(&chart, Drawing::InOrder);
    let of = |key: &str| all[&format!("c/templates/x.yaml {key}")].as_str();
    // What the first version gave.
    assert_eq!(
        (of("a"), of("b"), of("c")),
        ("OvyceAaGgKxu", "c7cff049-0740-4d0c-a7f0-1f09a3d0a273", "1700000000")
    );
}

const CERTIFICATES: &[(&str, &str)] = &[(
    "templates/x.yaml",
    r#"
{{- $ca := genCA "ca" 300 }}
{{- $leaf := genSignedCert "leaf" nil (list "leaf.n.svc") 30 $ca -}}
ca: {{ $ca.Cert | sha256sum }}
leaf: {{ $leaf.Cert | sha256sum }}
key: {{ $leaf.Key | sha256sum }}
password: {{ randAlphaNum 20 }}
forever: {{ (genSelfSignedCert "x" nil nil 0).Cert | sha256sum }}
"#,
)];

#[test]
fn certificates_are_issued_anew_when_two_thirds_of_their_time_have_passed() {
    let at = |now: i64| {
        let output = render_at(CERTIFICATES, seed(Drawing::ByPlace), now);
        let text = output.rendered.manifests[0].content.clone();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        (lines, output.renew_at.map(|at| at - EPOCH))
    };
    let (first, renew) = at(0);
    assert_eq!(renew, Some(20 * DAY));
    assert_eq!(at(20 * DAY - 1), (first.clone(), renew), "nothing changes before it is due");
    assert_eq!(at(-DAY), (first.clone(), renew), "nor by a clock that is behind");

    let (second, renew) = at(20 * DAY);
    assert_eq!(renew, Some(40 * DAY));
    let changed = |a: &[String], b: &[String]| -> Vec<String> {
        let lines = a.iter().zip(b).filter(|(a, b)| a != b);
        lines.map(|(a, _)| a.split(':').next().unwrap().to_owned()).collect()
    };
    assert_eq!(changed(&first, &second), ["leaf", "key"]);
    let (third, renew) = at(200 * DAY);
    assert_eq!(renew, Some(220 * DAY));
    assert_eq!(changed(&second, &third), ["ca", "leaf", "key"]);
    assert_eq!(at(365 * 100 * DAY).0[3], first[3], "the password stays");
}

#[test]
fn certificates_of_releases_that_drew_in_order_are_renewed_too() {
    let render = |now: i64| render_at(CERTIFICATES, seed(Drawing::InOrder), now);
    let (old, new) = (render(0), render(20 * DAY));
    assert_ne!(old.digest, new.digest);
    assert_eq!(old.renew_at, Some(EPOCH + 20 * DAY));
    let password = |output: &Output| {
        output.rendered.manifests[0]
            .content
            .lines()
            .find(|line| line.starts_with("password"))
            .map(str::to_owned)
    };
    assert_eq!(password(&old), password(&new));
}

#[test]
fn lookups_are_noted_once() {
    let outside = Fixed(Err("unused".into()));
    let host = SeededHost::new(&outside, 0, &|| false);
    let args: Vec<_> = ["v1", "Secret", "ns", "s"].into_iter().map(Value::string).collect();
    for _ in 0..2 {
        assert_eq!(host.query("lookup", &args).unwrap().as_str().unwrap().to_lossy(), "Secret");
    }
    assert_eq!(host.lookups.borrow().len(), 1);
    assert!(host.failed.borrow().is_none());
}

#[test]
fn a_seed_that_cannot_be_had_is_remembered() {
    let outside = Fixed(Err("forbidden".into()));
    let host = SeededHost::new(&outside, 0, &|| false);
    host.now();
    assert_eq!(host.failed.into_inner().as_deref(), Some("forbidden"));
}

#[test]
fn what_breaks_a_render_is_told_and_breaks_no_other() {
    struct Broken;
    impl Outside for Broken {
        fn seed(&self) -> Result<Seed, String> {
            panic!("no seed today")
        }

        fn lookup(&self, _: &str, _: &str, _: &str, _: &str) -> Result<Frozen, String> {
            Ok(Frozen::Nil)
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let renderer = Renderer::new(1, RenderLimits::default());
    let render = |outside: Arc<dyn Outside>| {
        let job =
            Job { outside, ..job(&[("templates/a.yaml", "a: {{ randAlpha 3 }}\n")], seed(Drawing::ByPlace)) };
        runtime.block_on(renderer.render(job))
    };
    let error = crate::reconcile::error::Error::from(render(Arc::new(Broken)).unwrap_err());
    assert_eq!(error.to_string(), "the template engine failed: no seed today");
    assert_eq!(error.reason(), "RenderInterrupted");
    let message = error.to_string();
    let situation =
        Situation::Failed { condition: error.condition(true), reason: error.reason(), message: &message };
    let (release, revision, resources, handled) = (None, None, None, None);
    let report =
        Report { generation: 1, situation, release, revision, resources, handled, failed_chart: None };
    let status = next(&serde_json::Value::Null, &report, "t");
    for (kind, value) in [("Irreconcilable", "True"), ("Ready", "False"), ("Stalled", "True")] {
        let told = condition(&status, kind).unwrap();
        assert_eq!((text(told, "status"), text(told, "message")), (value, &*message), "{kind}");
    }
    assert!(render(Arc::new(Fixed(Ok(seed(Drawing::ByPlace))))).is_ok());
}

/// Runs out of steps in a function that another template calls.
const NESTED: &str =
    "{{ define `a` }}{{ range until 99 }}{{ $_ := until 9999 }}{{ end }}{{ end }}{{ include `a` . }}";

const ENDLESS: &str =
    "{{ range until 9999 }}{{ range until 9999 }}{{ range until 9999 }}{{ end }}{{ end }}{{ end }}";

/// Takes about two seconds: see [`Slow`].
const LONG: &str = "{{ range until 60 }}{{ range until 5000 }}{{ end }}{{ $_ := lookup \"v1\" \"Pod\" \"\" \"\" }}{{ end }}a: b\n";

struct Slow;

impl Outside for Slow {
    fn seed(&self) -> Result<Seed, String> {
        Ok(seed(Drawing::ByPlace))
    }

    fn lookup(&self, _: &str, _: &str, _: &str, _: &str) -> Result<Frozen, String> {
        std::thread::sleep(Duration::from_millis(30));
        Ok(Frozen::Nil)
    }
}

fn of_template(template: &str) -> Job {
    Job { outside: Arc::new(Slow), ..job(&[("templates/a.yaml", template)], seed(Drawing::ByPlace)) }
}

#[test]
fn too_much_to_do_is_told_from_other_faults() {
    let why = |template: &str, time: u64, steps: u64| {
        let limits = RenderLimits::within(Duration::from_millis(time), steps);
        render(&of_template(template), limits, &|| false).unwrap_err()
    };
    let all = [
        (why(ENDLESS, 50, u64::MAX), "time is up"),
        (why(ENDLESS, 60_000, 99_999), "99999 steps"),
        (why(NESTED, 60_000, 99_999), "99999 steps"),
    ];
    for (error, part) in all {
        assert!(error.is_exhaustion() && error.to_string().contains(part), "{error}");
    }
    assert!(!why("{{ fail `no` }}", 60_000, 99_999).is_exhaustion());
}

#[tokio::test]
async fn what_takes_long_holds_up_nothing_else() {
    let long = Duration::from_secs(60);
    let renderer = Renderer::new(1, RenderLimits::default());
    let begin = |template: &'static str| {
        let renderer = renderer.clone();
        tokio::spawn(async move { renderer.render(of_template(template)).await })
    };
    let endless = [begin(ENDLESS), begin(ENDLESS), begin(ENDLESS)];
    tokio::task::yield_now().await;
    let quick = tokio::time::timeout(long, renderer.render(of_template("a: b\n"))).await;
    assert_eq!(quick.unwrap().unwrap().rendered.manifests.len(), 1);
    // It has to wait for room in the slow lane, and for nothing else.
    let waits = begin(LONG);
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(!waits.is_finished() && endless.iter().all(|one| !one.is_finished()));
    // Those that nobody waits for any more make room.
    endless.iter().for_each(tokio::task::JoinHandle::abort);
    let rendered = tokio::time::timeout(long, waits).await.unwrap().unwrap();
    assert_eq!(rendered.unwrap().rendered.manifests.len(), 1);
}
