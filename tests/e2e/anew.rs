//! What cannot be changed as it is, and is changed nevertheless: the operator, its webhook and `chartwright diff` say the
//! same of it.

use crate::plan::diff_of;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, kubectl, says, stays};

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}}\nspec:\n\
                   \x20 {{- with .Values.strategy }}\n  strategy: {type: {{ . }}}\n  {{- end }}\n\
                   \x20 selector: {matchLabels: {app: {{ .Values.app }}}}\n  template:\n\
                   \x20   metadata: {labels: {app: {{ .Values.app }}}}\n    spec:\n\
                   \x20     containers: [{name: main, image: example/app:1, ports: [{containerPort: {{ .Values.port }}}]}]\n\
                   {{- if .Values.broken }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Bad_Name\n\
                   \x20 annotations: {\"helm.sh/hook\": post-upgrade}\n{{- end }}\n";

const VALUES: &str = "app: one\nport: 80\n";

const RECREATES: &str = r#"{"chartwright.io/recreate": "*"}"#;

#[test]
#[ignore = "needs a control plane"]
fn nothing_is_deleted_for_what_would_not_be_taken() {
    let chart = Chart::new("moulter", &[("templates/web.yaml", WEB), ("values.yaml", VALUES)]);
    let (kind, namespace) = (Kind::new("Moulter"), Namespace::new("moulter"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.kubectl(&["annotate", &kind.full(), "demo", "chartwright.io/recreate=*"]);
    namespace.ready(&kind, "demo");
    let uid = || namespace.path("deployment", "demo", "{.metadata.uid}");
    let before = uid();
    let (code, told) = diff_of(&chart, &kind, &namespace, RECREATES, "{app: two, port: 70000}");
    assert!(code == 2 && told.contains("! Deployment demo") && told.contains("containerPort"), "{told}");
    namespace.change(&kind, "demo", r#"{"app": "two", "port": 70000}"#);
    let told = says(30, "containerPort", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert!(told.contains("nothing was changed") && told.contains("Deployment demo"), "{told}");
    stays(3, uid);
    assert_eq!(uid(), before);

    let (code, told) = diff_of(&chart, &kind, &namespace, RECREATES, "{app: two, port: 81}");
    assert!(code == 1 && told.contains("~ Deployment demo"), "{told}");
    assert!(told.contains("would be deleted and made anew"), "{told}");
    assert!(told.contains("~ .spec.selector.matchLabels.app: one -> two"), "{told}");
    assert!(!told.contains(".metadata.name"), "{told}");
    let (code, told) = diff_of(&chart, &kind, &namespace, "{}", "{app: two, port: 81}");
    assert!(code == 2 && told.contains("chartwright.io/recreate"), "{told}");
    namespace.change(&kind, "demo", r#"{"port": 81}"#);
    becomes(60, "two".to_owned(), || {
        namespace.path("deployment", "demo", "{.spec.selector.matchLabels.app}")
    });
    assert_ne!(uid(), before);
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "ReleaseFailed"));
}

#[test]
#[ignore = "needs a control plane"]
fn the_way_back_leads_behind_a_default_that_gave_way() {
    let chart = Chart::new("retreat", &[("templates/web.yaml", WEB), ("values.yaml", VALUES)]);
    let (kind, namespace) = (Kind::new("Retreat"), Namespace::new("retreat"));
    let _operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    let (code, told) = diff_of(&chart, &kind, &namespace, "{}", "{strategy: Recreate}");
    assert!(code == 1 && told.contains("~ .spec.strategy.type: RollingUpdate -> Recreate"), "{told}");
    namespace.change(&kind, "demo", r#"{"strategy": "Recreate", "broken": true}"#);
    says(60, "went back to revision 1", || namespace.condition(&kind, "demo", "ReleaseFailed"));
    let strategy = || namespace.path("deployment", "demo", "{.spec.strategy.type}");
    assert_eq!(strategy(), "RollingUpdate");
    let managed = r#"{range .metadata.managedFields[?(@.manager=="chartwright")]}{.operation} {end}"#;
    let managers = || {
        namespace.kubectl(&[
            "get",
            "deployment",
            "demo",
            "--show-managed-fields",
            "-o",
            &format!("jsonpath={managed}"),
        ])
    };
    assert_eq!(managers(), "Apply ");
    namespace.change(&kind, "demo", r#"{"broken": null}"#);
    becomes(30, "Recreate".to_owned(), strategy);
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "ReleaseFailed"));
    assert_eq!(managers(), "Apply ");
}

const GUARDED: &str = "{{- if .Values.class }}\n---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n\
                       metadata: {name: {{ .Values.class }}}\nvalue: 7\n---\napiVersion: v1\nkind: Pod\n\
                       metadata: {name: {{ .Release.Name }}}\nspec:\n  priorityClassName: {{ .Values.class }}\n\
                       \x20 containers: [{name: main, image: example/app:1}]\n{{- end }}\n";

#[test]
#[ignore = "needs a control plane"]
fn the_webhook_lets_pass_what_the_operator_carries_out() {
    let templates = [("templates/web.yaml", WEB), ("templates/pod.yaml", GUARDED), ("values.yaml", VALUES)];
    let chart = Chart::new("usher", &templates);
    let (kind, namespace) = (Kind::new("Usher"), Namespace::new("usher"));
    let address = format!("127.12.{}.1:19443", std::process::id() % 250);
    let _operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.env("WATCH_NAMESPACE", &namespace.name);
        command.args(["--webhook", "--webhook-bind-address", &address]);
        command.args(["--webhook-url", &format!("https://{address}")]);
    });
    says(30, "values.ushers.e2e.example.com", || {
        kubectl(&["get", "validatingwebhookconfigurations", "-o", "jsonpath={.items[*].webhooks[*].name}"])
    });
    let resource = |annotations: &str, spec: &str| {
        let (api_version, kind) = (kind.api_version(), &kind.name);
        namespace.try_apply(&format!(
            "{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: demo, annotations: {annotations}}}, spec: {spec}}}"
        ))
    };
    let class = format!("usher-{}", std::process::id());
    resource("{}", &format!("{{class: {class}}}")).expect("a Pod and its class");
    namespace.ready(&kind, "demo");
    // API servers learn of a webhook in a moment.
    says(30, "containerPort", || resource("{}", "{port: 70000}").err().unwrap_or_default());
    namespace.ready(&kind, "demo");

    resource("{}", "{strategy: Recreate}").expect("a default gives way");
    becomes(30, "Recreate".to_owned(), || namespace.path("deployment", "demo", "{.spec.strategy.type}"));
    let told = resource("{}", "{app: two}").expect_err("it cannot be changed");
    assert!(told.contains("chartwright.io/recreate: Deployment"), "{told}");
    let told = resource(RECREATES, "{app: two, port: 70000}").expect_err("it would not be taken");
    assert!(told.contains("containerPort"), "{told}");
    resource(RECREATES, "{app: two}").expect("it is made anew");
    becomes(60, "two".to_owned(), || {
        namespace.path("deployment", "demo", "{.spec.selector.matchLabels.app}")
    });
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "ReleaseFailed"));
}
