//! What monitoring reads.

use std::net::TcpListener;

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, says};

#[test]
#[ignore = "needs a control plane"]
fn dashboards_for_helm_operator_find_their_metrics() {
    let template = format!("{{{{- if .Values.bad }}}}{{{{ fail \"no\" }}}}{{{{ end }}}}\n{CONFIG}");
    let chart = Chart::new("measured", &[("templates/cm.yaml", &template)]);
    let (kind, namespace) = (Kind::new("Measured"), Namespace::new("measured"));
    let operator = Operator::start(&chart.path, &kind, &namespace);
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    namespace.resource(&kind, "broken", r#"{"color": "green", "bad": true}"#);
    let text = says(30, r#"reason="RenderFailed"}"#, || operator.metrics("/metrics"));
    let place =
        format!(r#"namespace="{}",group="e2e.example.com",version="v1",kind="Measured""#, namespace.name);
    for name in [
        "helm_operator_build_info{commit=".to_owned(),
        format!(r#"resource_created_at_seconds{{name="demo",{place}}} "#),
        format!(r#"chartwright_release_objects_ready{{name="demo",{place}}} 1.0"#),
        r#"chartwright_resources{group="e2e.example.com",version="v1",kind="Measured"} 2.0"#.to_owned(),
        r#"controller_runtime_reconcile_total{controller="measured-controller",result="requeue_after"} "#
            .to_owned(),
        r#"controller_runtime_reconcile_errors_total{controller="measured-controller"} "#.to_owned(),
        r#"controller_runtime_reconcile_time_seconds_count{controller="measured-controller"} "#.to_owned(),
        r#"workqueue_adds_total{name="measured-controller","#.to_owned(),
        r#"workqueue_depth{name="measured-controller","#.to_owned(),
        r#"rest_client_requests_total{code="201","#.to_owned(),
    ] {
        assert!(text.contains(&name), "{name} is in\n{text}");
    }
    assert!(operator.metrics("/other").starts_with("HTTP/1.1 404"));
}

#[test]
#[ignore = "needs a control plane"]
fn an_address_in_use_is_told() {
    let chart = Chart::new("crowded", &[("templates/cm.yaml", CONFIG)]);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let mut operator = Operator::spawn(&chart.path, "e2e.example.com/v1", "Crowded", |command| {
        command.arg(format!("--metrics-bind-address=127.0.0.1:{port}"));
    });
    assert!(!operator.wait(30), "it must fail");
    let log = operator.log();
    assert!(log.contains("cannot serve metrics at 127.0.0.1:"), "{log}");
    assert!(log.contains("choose another address with --metrics-bind-address"), "{log}");
}
