//! Passwords that stay, and certificates that are renewed.

use crate::plan::diff;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, says, stays};
use crate::takeover::{helm, run};

const SECRET: &str = r#"
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
data:
  password: {{ randAlphaNum 16 | b64enc }}
"#;

fn revision(namespace: &Namespace, kind: &Kind, name: &str) -> String {
    namespace.path(&kind.full(), name, "{.status.deployedRelease.revision}")
}

#[test]
#[ignore = "needs a control plane"]
fn passwords_outlive_a_new_chart_unless_they_are_to_be_fresh() {
    let chart = Chart::new("vault", &[("templates/secret.yaml", SECRET)]);
    let (kind, namespace) = (Kind::new("Vault"), Namespace::new("vault"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    for name in ["stable", "fresh"] {
        namespace.resource(&kind, name, "{}");
        namespace.ready(&kind, name);
    }
    namespace.kubectl(&["annotate", &kind.full(), "fresh", "chartwright.io/random-values=fresh"]);
    let password = |name: &str| namespace.path("secret", name, "{.data.password}");
    let before = [password("stable"), password("fresh")];
    assert!(before[0].len() > 20 && before[0] != before[1], "{before:?}");
    operator.stop();
    let more = SECRET.replace("\ndata:", "\ndata:\n  first: {{ randAlphaNum 16 | b64enc }}");
    chart.write("templates/secret.yaml", &more);
    chart.write("templates/a.yaml", &SECRET.replace("}}}", "}}-a}"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    for name in ["stable", "fresh"] {
        becomes(30, "2".to_owned(), || revision(&namespace, &kind, name));
        namespace.ready(&kind, name);
    }
    assert_eq!(password("stable"), before[0]);
    assert_ne!(password("fresh"), before[1]);
    // What is made again after a deletion by hand is what was there.
    let now = password("fresh");
    namespace.kubectl(&["delete", "secret", "fresh"]);
    becomes(30, now, || password("fresh"));
    assert_eq!(revision(&namespace, &kind, "fresh"), "2");
    // What Helm draws by hand is no password of the release.
    helm(&namespace, &["upgrade", "stable", chart.path.to_str().unwrap()]);
    becomes(30, "4".to_owned(), || revision(&namespace, &kind, "stable"));
    becomes(30, before[0].clone(), || password("stable"));
}

const CHECKED: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata:\n  color: {{ .Values.color }}\n\
                       \x20 checksum: {{ randAlphaNum 8 | sha256sum }}\n  side: {{ randInt 0 2 | quote }}\n\x20 year: {{ now | date \"2006\" | quote }}\n\x20 time: {{ now | date \"15:04:05\" | quote }}\n  {{ if .Values.more }}more: plain{{ end }}\n";

const HOOK: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-hook\n\
                    \x20 annotations: {helm.sh/hook: pre-upgrade, id: {{ randAlphaNum 8 }}}\n";

/// A number and two names.
const LOTS: &str = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: {{ .Release.Name }}, labels: {lot: a}}\n\
                    spec: {minAvailable: {{ randInt 2000 60000 }}}\n\
                    {{- range list 1 2 }}\n---\napiVersion: v1\nkind: ConfigMap\n\
                    metadata: {name: lot-{{ randAlphaNum 5 | lower }}, labels: {lot: a}}\n{{ end }}";

#[test]
#[ignore = "needs a control plane"]
fn random_values_of_a_release_of_helm_stay_until_something_changes() {
    let files = [
        ("templates/a.yaml", SECRET),
        ("templates/b.yaml", CHECKED),
        ("templates/c.yaml", LOTS),
        ("templates/hook.yaml", HOOK),
        ("values.yaml", "color: green\nmore: false\n"),
    ];
    let chart = Chart::new("drawn", &files);
    let (kind, namespace) = (Kind::new("Drawn"), Namespace::new("drawn"));
    helm(&namespace, &["install", "demo", chart.path.to_str().unwrap()]);
    let drawn = || {
        let one = |what, path| namespace.path(what, "demo", path);
        let lots = "jsonpath={range .items[*]}{.metadata.name} {.spec.minAvailable} {end}";
        [
            one("secret", "{.data.password}"),
            one("configmap", "{.data.checksum} {.data.side} {.data.time} {.data.year}"),
            namespace.kubectl(&["get", "poddisruptionbudget,configmap", "-l=lot=a", "-o", lots]),
        ]
    };
    let events =
        |reason: &str| namespace.kubectl(&["get", "events", "--field-selector", &format!("reason={reason}")]);
    let by_helm = drawn();
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    let (_, told) = diff(&chart, &kind, &namespace, "{}");
    assert!(
        told.contains("chartwright.io/owner") && !told.contains(".data") && !told.contains("would be"),
        "{told}"
    );
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    says(20, "until the resource or its chart changes", || events("RandomValuesKept"));
    assert_eq!((drawn(), revision(&namespace, &kind, "demo")), (by_helm.clone(), "1".to_owned()));

    // What somebody deletes is put back as it was, also after a restart and after a drift that nobody saw.
    let put_back = || {
        namespace.kubectl(&["delete", "secret,configmap", "demo"]);
        namespace.kubectl(&["delete", "configmap", "-l=lot=a"]);
        becomes(30, by_helm.clone(), drawn);
    };
    put_back();
    namespace.ready(&kind, "demo");
    operator.stop();
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    put_back();
    namespace.ready(&kind, "demo");
    operator.stop();
    namespace.kubectl(&["delete", "secret", "demo"]);
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(30, by_helm.clone(), drawn);
    stays(3, drawn);
    assert_eq!((drawn(), revision(&namespace, &kind, "demo")), (by_helm.clone(), "1".to_owned()));

    // Also where nobody knows any more what was said of it.
    operator.stop();
    namespace.merge_status(&kind.full(), "demo", "null");
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(30, "1".to_owned(), || revision(&namespace, &kind, "demo"));
    namespace.ready(&kind, "demo");
    assert_eq!(drawn(), by_helm);

    // No hook has run: nothing was upgraded.
    assert_eq!(namespace.path("configmap", "demo-hook", "{.metadata.name}"), "");

    // What somebody has Helm draw stays, too, as Helm leaves it.
    helm(&namespace, &["upgrade", "demo", chart.path.to_str().unwrap()]);
    let again = drawn();
    assert_ne!(again[0], by_helm[0]);
    becomes(30, "2".to_owned(), || revision(&namespace, &kind, "demo"));
    namespace.ready(&kind, "demo");
    stays(2, drawn);
    assert_eq!(drawn(), again);
    helm(&namespace, &["rollback", "demo", "1"]);
    becomes(30, "3".to_owned(), || revision(&namespace, &kind, "demo"));
    namespace.ready(&kind, "demo");
    stays(2, drawn);
    assert_eq!(drawn(), by_helm);

    // A change draws them anew, once, and says so.
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(30, "4".to_owned(), || revision(&namespace, &kind, "demo"));
    says(20, "are in revision 3 of the release", || events("RandomValuesDrawn"));
    let seed_of = |revision: u32| {
        namespace.path("secret", &format!("sh.helm.release.v1.demo.v{revision}"), "{.data.seed}")
    };
    becomes(10, "superseded".to_owned(), || {
        namespace.path("secret", "sh.helm.release.v1.demo.v3", "{.metadata.labels.status}")
    });
    assert_eq!((seed_of(1), seed_of(3)), (String::new(), String::new()), "no seed of ours made them");
    assert_ne!(seed_of(4), "");
    let now = drawn();
    assert!(now.iter().zip(&by_helm).all(|(now, by_helm)| now != by_helm), "{now:?}");
    namespace.change(&kind, "demo", r#"{"color": "blue"}"#);
    becomes(30, "5".to_owned(), || revision(&namespace, &kind, "demo"));
    assert_eq!(drawn(), now);

    // What differs by more than chance is an upgrade at once.
    helm(&namespace, &["install", "other", chart.path.to_str().unwrap(), "--set", "more=true"]);
    let password = namespace.path("secret", "other", "{.data.password}");
    namespace.resource(&kind, "other", "{}");
    becomes(30, "2".to_owned(), || revision(&namespace, &kind, "other"));
    assert_ne!(namespace.path("secret", "other", "{.data.password}"), password);

    // Records of helm-operator's belong to the resource already.
    operator.stop();
    helm(&namespace, &["install", "owned", chart.path.to_str().unwrap()]);
    let password = || namespace.path("secret", "owned", "{.data.password}");
    let by_helm = password();
    namespace.resource(&kind, "owned", "{}");
    let (api_version, uid) = (kind.api_version(), namespace.path(&kind.full(), "owned", "{.metadata.uid}"));
    let owners = format!(
        r#"{{"metadata": {{"ownerReferences": [{{"apiVersion": "{api_version}", "kind": "Drawn", "name": "owned",
        "uid": "{uid}", "controller": true, "blockOwnerDeletion": true}}]}}}}"#
    );
    namespace.merge("secret", "sh.helm.release.v1.owned.v1", &owners);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.ready(&kind, "owned");
    says(20, "owned", || namespace.kubectl(&["get", "events", "--field-selector=reason=RandomValuesKept"]));
    assert_eq!((password(), revision(&namespace, &kind, "owned")), (by_helm, "1".to_owned()));
}

const CERTIFICATE: &str = r#"
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
data:
  password: {{ randAlphaNum 16 | b64enc }}
  certificate: {{ (genCA "authority" 30).Cert | b64enc }}
"#;

#[test]
#[ignore = "needs a control plane"]
fn certificates_are_renewed_once_when_they_are_due() {
    let chart = Chart::new("authority", &[("templates/secret.yaml", CERTIFICATE)]);
    let (kind, namespace) = (Kind::new("Authority"), Namespace::new("authority"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let read = |key: &str| namespace.path("secret", "demo", &format!("{{.data.{key}}}"));
    let before = [read("password"), read("certificate")];
    let renew_at = || namespace.path(&kind.full(), "demo", "{.status.resources.seal.renewAt}");
    let due: i64 = renew_at().parse().unwrap();
    operator.stop();

    // Twenty days later.
    const LATER: i64 = 20 * 24 * 60 * 60 + 60;
    let seed = "sh.chartwright.seed.v1.demo";
    let epoch =
        namespace.kubectl(&["get", "secret", seed, "-o", "go-template={{.data.epoch | base64decode}}"]);
    let epoch: i64 = epoch.parse().unwrap();
    assert_eq!(due - epoch, 20 * 24 * 60 * 60);
    let patch = format!(r#"{{"stringData": {{"epoch": "{}"}}}}"#, epoch - LATER);
    namespace.merge("secret", seed, &patch);
    // The record's copy is of the same time.
    let copy = format!("by-place {} {}", epoch - LATER, namespace.path("secret", seed, "{.data.key}"));
    let patch = format!(r#"{{"stringData": {{"seed": "{copy}"}}}}"#);
    namespace.merge("secret", "sh.helm.release.v1.demo.v1", &patch);
    let status = format!(r#"{{"resources": {{"seal": {{"renewAt": {}}}}}}}"#, due - LATER);
    namespace.merge_status(&kind.full(), "demo", &status);

    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(30, "2".to_owned(), || revision(&namespace, &kind, "demo"));
    namespace.ready(&kind, "demo");
    assert_eq!(read("password"), before[0]);
    assert_ne!(read("certificate"), before[1]);
    assert!(renew_at().parse::<i64>().unwrap() > due - 120, "{} after {due}", renew_at());
    says(30, "CertificatesDue", || namespace.kubectl(&["get", "events"]));
    stays(3, || revision(&namespace, &kind, "demo"));
}

#[test]
#[ignore = "needs a control plane"]
fn seed_and_record_that_were_deleted_are_written_again() {
    let more = SECRET.replace("\ndata:", "\ndata:\n  color: {{ .Values.color | b64enc }}");
    let chart = Chart::new("amnesia", &[("templates/secret.yaml", &more)]);
    let (kind, namespace) = (Kind::new("Amnesia"), Namespace::new("amnesia"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "red"}"#);
    namespace.ready(&kind, "demo");
    let password = || namespace.path("secret", "demo", "{.data.password}");
    let before = password();
    namespace.kubectl(&["delete", "secret", "--all"]);
    let all = ["demo", "sh.chartwright.seed.v1.demo", "sh.helm.release.v1.demo.v1"];
    becomes(10, all.map(str::to_owned).to_vec(), || {
        let mut names = namespace.names("secret");
        names.sort();
        names
    });
    assert_eq!(password(), before);
    says(20, "release record was deleted by somebody", || namespace.kubectl(&["get", "events"]));
    let helm = cluster().helm3().unwrap().args(["status", "demo", "-n", &namespace.name]).output().unwrap();
    let status = String::from_utf8_lossy(&helm.stdout).into_owned();
    assert!(status.contains("STATUS: deployed") && status.contains("REVISION: 1"), "{status}");
    operator.stop();

    // The record alone, while nobody looks.
    namespace.kubectl(&["delete", "secret", "sh.helm.release.v1.demo.v1"]);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/reconcile-now=1"]);
    becomes(30, 3, || namespace.names("secret").len());
    namespace.change(&kind, "demo", r#"{"color": "blue"}"#);
    becomes(30, "2".to_owned(), || revision(&namespace, &kind, "demo"));
    assert_eq!(password(), before);
}

#[test]
#[ignore = "needs a control plane"]
fn a_seed_that_was_deleted_or_damaged_while_nobody_looked_is_taken_from_the_record() {
    let more = SECRET.replace("\ndata:", "\ndata:\n  color: {{ .Values.color | b64enc }}");
    let chart = Chart::new("relapse", &[("templates/secret.yaml", &more)]);
    let (kind, namespace) = (Kind::new("Relapse"), Namespace::new("relapse"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "red"}"#);
    namespace.ready(&kind, "demo");
    let password = || namespace.path("secret", "demo", "{.data.password}");
    let before = password();
    let seed = || namespace.path("secret", "sh.chartwright.seed.v1.demo", "{.data.key}");
    let (key, mut last) = (seed(), "1");
    // Also where the record was written by a restarted operator.
    for (color, next) in [("blue", "2"), ("grey", "3")] {
        operator.stop();
        match next {
            "2" => _ = namespace.kubectl(&["delete", "secret", "sh.chartwright.seed.v1.demo"]),
            _ => namespace.merge("secret", "sh.chartwright.seed.v1.demo", r#"{"data": {"key": "AAAA"}}"#),
        }
        namespace.change(&kind, "demo", &format!(r#"{{"color": "{color}"}}"#));
        operator = Operator::start(&chart.path, &kind, &namespace);
        becomes(30, next.to_owned(), || revision(&namespace, &kind, "demo"));
        assert_eq!(password(), before, "after revision {last}");
        assert_eq!(seed(), key);
        last = next;
    }
    // Helm reads such records, and writes over them.
    operator.stop();
    for helm in [cluster().helm3().unwrap(), cluster().helm4().unwrap()] {
        let history = run(helm, &namespace, &["history", "demo"]);
        assert_eq!(history.matches("deployed").count(), 1, "{history}");
        assert_eq!(history.matches("superseded").count(), 2, "{history}");
    }
    run(cluster().helm4().unwrap(), &namespace, &["rollback", "demo", "2"]);
    assert!(run(cluster().helm3().unwrap(), &namespace, &["status", "demo"]).contains("REVISION: 4"));
    let color = || namespace.path("secret", "demo", "{.data.color}");
    assert_eq!(color(), "Ymx1ZQ==");
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    becomes(30, "Z3JleQ==".to_owned(), color);
    assert_eq!(password(), before);
}

const FATED: &str = r#"
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
data:
  password: {{ randAlphaNum 16 | b64enc }}
  color: {{ .Values.color | b64enc }}
{{- with .Values.fails }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: Bad_Name, annotations: {helm.sh/hook: {{ . }}}}
{{- end }}
"#;

#[test]
#[ignore = "needs a control plane"]
fn the_seed_of_what_runs_outlives_attempts_and_older_copies() {
    let chart = Chart::new("heirloom", &[("templates/all.yaml", FATED)]);
    let (kind, namespace) = (Kind::new("Keepsake"), Namespace::new("heirloom"));
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    let api_version = kind.api_version();
    namespace.apply(&format!(
        r#"{{"apiVersion": "{api_version}", "kind": "Keepsake", "metadata": {{"name": "demo", "annotations":
        {{"chartwright.io/random-values": "fresh"}}}}, "spec": {{"color": "green"}}}}"#
    ));
    namespace.ready(&kind, "demo");
    let password = || namespace.path("secret", "demo", "{.data.password}");
    let key = || namespace.path("secret", "sh.chartwright.seed.v1.demo", "{.data.key}");
    let before = (password(), key());
    for event in ["pre-upgrade", "post-upgrade"] {
        namespace.change(&kind, "demo", &format!(r#"{{"color": "red", "fails": "{event}"}}"#));
        let told = format!("{event} hooks failed");
        says(60, &told, || namespace.condition(&kind, "demo", "ReleaseFailed"));
        becomes(30, before.0.clone(), password);
        assert_eq!(key(), before.1, "{event}");
    }
    namespace.change(&kind, "demo", r#"{"color": "green", "fails": null}"#);
    namespace.ready(&kind, "demo");
    namespace.kubectl(&["delete", "secret", "demo"]);
    becomes(30, before.0.clone(), password);

    // A success has a seed of its own.
    namespace.change(&kind, "demo", r#"{"color": "blue"}"#);
    becomes(30, "Ymx1ZQ==".to_owned(), || namespace.path("secret", "demo", "{.data.color}"));
    becomes(30, true, || key() != before.1);
    namespace.ready(&kind, "demo");
    let now = (password(), key());
    assert_ne!(now.0, before.0);

    // Somebody puts an older copy in its place.
    operator.stop();
    let older = format!(r#"{{"data": {{"key": "{}"}}}}"#, before.1);
    namespace.merge("secret", "sh.chartwright.seed.v1.demo", &older);
    let annotation = "chartwright.io/random-values=stable";
    namespace.kubectl(&["annotate", "--overwrite", &kind.full(), "demo", annotation]);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.change(&kind, "demo", r#"{"color": "pink"}"#);
    becomes(30, "cGluaw==".to_owned(), || namespace.path("secret", "demo", "{.data.color}"));
    assert_eq!((password(), key()), now);
    says(20, "was put in its place", || {
        namespace.kubectl(&["get", "events", "--field-selector=reason=SeedPutBack"])
    });
}
