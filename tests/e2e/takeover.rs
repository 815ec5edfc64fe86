//! Helm at work on releases that resources stand for.

use std::process::Command;

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, cluster, says, stays};

const HOOK: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-hook\n  annotations:\n\
                    \x20   helm.sh/hook: pre-install\ndata: {revision: {{ .Release.Revision | quote }}}\n";

/// Runs a Helm in a namespace; panics when it fails.
pub(crate) fn run(mut helm: Command, namespace: &Namespace, args: &[&str]) -> String {
    let output = helm.args(["--namespace", &namespace.name]).args(args).output().unwrap();
    assert!(output.status.success(), "helm {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs Helm 3 in a namespace; panics when it fails.
pub(crate) fn helm(namespace: &Namespace, args: &[&str]) -> String {
    run(cluster().helm3().expect("helm"), namespace, args)
}

#[test]
#[ignore = "needs a control plane"]
fn what_helm_uninstalls_is_installed_again() {
    let chart = Chart::new("undone", &[("templates/cm.yaml", CONFIG), ("templates/hook.yaml", HOOK)]);
    let (kind, namespace) = (Kind::new("Undone"), Namespace::new("undone"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(30, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    becomes(30, "2".to_owned(), || {
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}")
    });
    helm(&namespace, &["uninstall", "demo", "--keep-history"]);
    becomes(30, "3".to_owned(), || {
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}")
    });
    becomes(30, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    let hook = namespace.path("configmap", "demo-hook", "{.data.revision}");
    assert_eq!(hook, "3", "hooks of an install run again");
    let history = helm(&namespace, &["history", "demo"]);
    assert!(history.contains("uninstalled") && history.contains("deployed"), "{history}");
    stays(3, || namespace.versions("configmap,secret"));
    // And without a trace left.
    helm(&namespace, &["uninstall", "demo"]);
    becomes(30, "1".to_owned(), || namespace.path("configmap", "demo-hook", "{.data.revision}"));
    becomes(30, "1".to_owned(), || {
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}")
    });
    assert_eq!(namespace.path("configmap", "demo", "{.data.color}"), "red");
    stays(3, || namespace.versions("configmap,secret"));
    namespace.kubectl(&["delete", &kind.full(), "demo", "--timeout=30s"]);
    becomes(60, Vec::<String>::new(), || namespace.names("secret"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_port_may_change_with_the_takeover() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}}\nspec: {ports: [{port: {{ .Values.port }}}]}\n";
    let chart = Chart::new("harbour", &[("templates/service.yaml", service), ("values.yaml", "port: 80\n")]);
    let (kind, namespace) = (Kind::new("Harbour"), Namespace::new("harbour"));
    let path = chart.path.to_str().unwrap();
    helm(&namespace, &["install", "three", path]);
    run(cluster().helm4().expect("helm"), &namespace, &["install", "four", path]);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    for name in ["three", "four"] {
        let ip = namespace.path("service", name, "{.spec.clusterIP}");
        namespace.resource(&kind, name, r#"{"port": 81}"#);
        becomes(30, "81".to_owned(), || namespace.path("service", name, "{.spec.ports[*].port}"));
        namespace.ready(&kind, name);
        assert_eq!(namespace.path("service", name, "{.spec.clusterIP}"), ip, "it was not made anew");
        namespace.change(&kind, name, r#"{"port": 82}"#);
        becomes(30, "82".to_owned(), || namespace.path("service", name, "{.spec.ports[*].port}"));
    }
    namespace.resource(&kind, "three", r#"{"port": 70000}"#);
    says(30, "70000", || namespace.condition(&kind, "three", "ReleaseFailed"));
}

/// An object that Helm makes, and one that no server takes.
const HALF: &str = "{{- if .Values.half }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a-first}\n---\napiVersion: v1\n\
                    kind: ConfigMap\nmetadata: {name: Not_Good}\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn what_helm_fails_to_upgrade_is_made_good() {
    let chart = Chart::new("halfway", &[("templates/cm.yaml", CONFIG), ("templates/half.yaml", HALF)]);
    let (kind, namespace) = (Kind::new("Halfway"), Namespace::new("halfway"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    let path = chart.path.to_str().unwrap();
    let mut upgrade = cluster().helm3().expect("helm");
    upgrade.args(["upgrade", "demo", path, "--set", "color=blue,half=true", "-n", &namespace.name]);
    assert!(!upgrade.output().unwrap().status.success());
    let revision = || namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}");
    becomes(30, "3".to_owned(), revision);
    becomes(30, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    becomes(30, String::new(), || namespace.path("configmap", "a-first", "{.metadata.name}"));
    let history = helm(&namespace, &["history", "demo"]);
    assert!(history.lines().last().unwrap().contains("deployed"), "{history}");
    stays(3, || namespace.versions("configmap,secret"));
}

#[test]
#[ignore = "needs a control plane"]
fn what_helm_upgrades_goes_back_to_what_the_resource_says() {
    let chart = Chart::new("tussle", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Tussle"), Namespace::new("tussle"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    helm(&namespace, &["upgrade", "demo", chart.path.to_str().unwrap(), "--set", "color=blue"]);
    becomes(30, "3".to_owned(), || {
        namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}")
    });
    becomes(30, "green".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    becomes(30, 1, || helm(&namespace, &["history", "demo"]).matches("deployed").count());
    stays(3, || namespace.versions("configmap,secret"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_resource_over_what_helm_uninstalled_installs() {
    let chart = Chart::new("revenant", &[("templates/cm.yaml", CONFIG), ("templates/hook.yaml", HOOK)]);
    let (kind, namespace) = (Kind::new("Revenant"), Namespace::new("revenant"));
    let path = chart.path.to_str().unwrap();
    helm(&namespace, &["install", "demo", path, "--set", "color=blue"]);
    helm(&namespace, &["upgrade", "demo", path, "--set", "color=grey"]);
    helm(&namespace, &["uninstall", "demo", "--keep-history"]);
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path("configmap", "demo-hook", "{.data.revision}"), "3");
    says(20, "Installed revenant 1.0.0, revision 3", || namespace.kubectl(&["get", "events"]));
}

#[test]
#[ignore = "needs a control plane"]
fn a_release_of_helm_4_is_taken_over_under_its_revision() {
    let helm4 = cluster().helm4().expect("helm 4");
    let two = CONFIG.to_owned() + "---\n" + &CONFIG.replace("{{ .Release.Name }}", "{{ .Release.Name }}-two");
    let chart = Chart::new("heirloom", &[("templates/all.yaml", &two), ("values.yaml", "color: green\n")]);
    let (kind, namespace) = (Kind::new("Heirloom"), Namespace::new("heirloom"));
    run(helm4, &namespace, &["install", "demo", chart.path.to_str().unwrap()]);
    let before = namespace.path("configmap", "demo", "{.metadata.uid} {.data.color}");
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    assert_eq!(namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}"), "1");
    assert_eq!(namespace.path("configmap", "demo", "{.metadata.uid} {.data.color}"), before);
    assert_eq!(namespace.names("secret"), ["sh.helm.release.v1.demo.v1"]);
}

/// Texts in the last place of a document, where only its end ends them.
const ENDS: &[&str] = &[
    "|\n    hello",
    "|\n    hello\n    there",
    "|\n    hello\n    # no comment",
    "|\n    hello\n# a comment",
    "|+\n    hello",
    "|+\n    hello\n\n\n",
    "|-\n    hello",
    ">\n    hello\n    there\n\n    more",
    ">+\n    hello",
    "|2\n     hello",
    "|\r\n    hello\r\n    there\r",
    "\n    hello\n    there",
    "\"hello\\n\\\n    there\"",
    "|",
    "|+\n\n",
    "'a\n\n    b'",
];

#[test]
#[ignore = "needs a control plane"]
fn texts_end_as_helm_ends_them() {
    let object = |place: &str, more: &str, end: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {place}{more}}}\ndata:\n  text: {end}")
    };
    // In a file of its own, in one of many documents, and as a hook.
    let of_hook = ", annotations: {helm.sh/hook: 'pre-install'}";
    let (mut files, mut many, mut names) = (Vec::new(), String::new(), Vec::new());
    for (number, end) in ENDS.iter().enumerate() {
        files.push((format!("templates/a-{number}.yaml"), object(&format!("a-{number}"), "", end)));
        files.push((format!("templates/c-{number}.yaml"), object(&format!("c-{number}"), of_hook, end)));
        many += &format!("{}\n---\n", object(&format!("b-{number}"), "", end));
        names.extend(["a", "b", "c"].map(|place| format!("{place}-{number}")));
    }
    files.push(("templates/b.yaml".to_owned(), many));
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let (chart, kind, namespace) = (Chart::new("ends", &files), Kind::new("Ends"), Namespace::new("ends"));
    let texts = |namespace: &Namespace| -> Vec<_> {
        names
            .iter()
            .map(|name| (name.clone(), namespace.get("configmap", name)["data"]["text"].clone()))
            .collect()
    };
    helm(&namespace, &["install", "demo", chart.path.to_str().unwrap()]);
    let by_helm = texts(&namespace);
    assert_eq!(by_helm[0].1, "hello\n");

    // Installed by chartwright, and taken over.
    let mut operator = Operator::start(&chart.path, &kind, &namespace);
    let before = namespace.versions("configmap");
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    assert_eq!(texts(&namespace), by_helm);
    assert_eq!(namespace.path(&kind.full(), "demo", "{.status.deployedRelease.revision}"), "1");
    assert_ne!(namespace.versions("configmap"), before, "they have an owner now");
    operator.stop();
    let fresh = Namespace::new("ends-anew");
    let _operator = Operator::start(&chart.path, &kind, &fresh);
    fresh.resource(&kind, "demo", "{}");
    fresh.ready(&kind, "demo");
    assert_eq!(texts(&fresh), by_helm);
}
