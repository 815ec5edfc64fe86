//! What monitoring reads.

use std::net::TcpListener;
use std::sync::Arc;

use rustls::DigitallySignedStruct;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

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

/// Trusts everybody: the certificate of the metrics is made by the operator for itself.
#[derive(Debug)]
struct Trusting(rustls::crypto::CryptoProvider);

impl ServerCertVerifier for Trusting {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// The status line of the answer to a scraper that shows a token.
fn scrape(address: &str, token: &str) -> String {
    use std::io::{Read as _, Write as _};
    let provider = rustls::crypto::ring::default_provider();
    let config = rustls::ClientConfig::builder_with_provider(Arc::new(provider.clone()))
        .with_safe_default_protocol_versions()
        .expect("protocols")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Trusting(provider)))
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let mut session = rustls::ClientConnection::new(Arc::new(config), name).expect("a session");
    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    let mut tls = rustls::Stream::new(&mut session, &mut stream);
    let shown = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let request = format!("GET /metrics HTTP/1.1\r\nHost: x\r\n{shown}Connection: close\r\n\r\n");
    tls.write_all(request.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    // The other side may hang up without a word.
    let _ = tls.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
}

const READER: &str = r#"
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: guarded-metrics-reader}
rules: [{nonResourceURLs: [/metrics], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: guarded-metrics-reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: guarded-metrics-reader}
subjects: [{kind: ServiceAccount, name: reader, namespace: NAMESPACE}]
"#;

#[test]
#[ignore = "needs a control plane"]
fn metrics_are_shown_over_tls_to_who_may_read_them() {
    let chart = Chart::new("guarded", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Guarded"), Namespace::new("guarded"));
    namespace.apply(&READER.replace("NAMESPACE", &namespace.name));
    let operator = Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command.args(["--metrics-secure", "--metrics-require-rbac"]).env("WATCH_NAMESPACE", &namespace.name);
    });
    assert!(!operator.metrics("/metrics").contains("200 OK"), "not in plain text");
    let address = operator.metrics_address();
    assert_eq!(scrape(address, ""), "HTTP/1.1 401 Unauthorized");
    assert_eq!(scrape(address, "nonsense"), "HTTP/1.1 401 Unauthorized");
    let token = |account: &str| namespace.kubectl(&["create", "token", account]).trim().to_owned();
    assert_eq!(scrape(address, &token("default")), "HTTP/1.1 403 Forbidden");
    assert_eq!(scrape(address, &token("reader")), "HTTP/1.1 200 OK");
}
