//! Several replicas, one of which works.

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, says, stays};

fn replica(chart: &Chart, kind: &Kind, namespace: &Namespace) -> Operator {
    Operator::start_with(&chart.path, &kind.api_version(), &kind.name, |command| {
        command
            .args(["--leader-elect", "--leader-election-namespace", &namespace.name])
            .env("OPERATOR_NAME", "two-of-a-kind")
            .env("WATCH_NAMESPACE", &namespace.name);
    })
}

fn holder(namespace: &Namespace) -> String {
    namespace.path("lease", "two-of-a-kind", "{.spec.holderIdentity}")
}

#[test]
#[ignore = "needs a control plane"]
fn one_of_several_replicas_works_and_the_next_takes_over() {
    let chart = Chart::new("pair", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Pair"), Namespace::new("pair"));
    let mut first = replica(&chart, &kind, &namespace);
    says(30, "Leading", || first.log());
    let first_holder = holder(&namespace);
    let mut second = replica(&chart, &kind, &namespace);
    says(30, "Standing by", || second.log());
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
    assert!(!second.log().contains("Serving"), "{}", second.log());

    first.kill();
    namespace.change(&kind, "demo", r#"{"color": "red"}"#);
    becomes(60, "red".to_owned(), || namespace.path("configmap", "demo", "{.data.color}"));
    assert_ne!(holder(&namespace), first_holder);

    // One that is asked to stop leaves the Lease to the next at once.
    let third = replica(&chart, &kind, &namespace);
    says(30, "Standing by", || third.log());
    second.stop();
    assert!(second.log().contains("Gave the Lease up"), "{}", second.log());
    says(20, "Leading", || third.log());
    assert_eq!(namespace.path("lease", "two-of-a-kind", "{.spec.leaseTransitions}"), "2");
}

#[test]
#[ignore = "needs a control plane"]
fn who_loses_the_lease_stops() {
    let chart = Chart::new("loser", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Loser"), Namespace::new("loser"));
    let mut operator = replica(&chart, &kind, &namespace);
    says(30, "Serving", || operator.log());
    let steal = r#"{"spec": {"holderIdentity": "thief", "leaseDurationSeconds": 3600}}"#;
    namespace.merge("lease", "two-of-a-kind", steal);
    assert!(!operator.wait(30), "it must fail, so that its pod starts again");
    assert!(operator.log().contains("thief holds it now"), "{}", operator.log());
    assert_eq!(holder(&namespace), "thief");
}

#[test]
#[ignore = "needs a control plane"]
fn a_lease_that_somebody_deletes_is_made_again() {
    let chart = Chart::new("keeper", &[("templates/cm.yaml", CONFIG)]);
    let (kind, namespace) = (Kind::new("Keeper"), Namespace::new("keeper"));
    let first = replica(&chart, &kind, &namespace);
    says(30, "Serving", || first.log());
    let first_holder = holder(&namespace);
    let second = replica(&chart, &kind, &namespace);
    says(30, "Standing by", || second.log());
    for _ in 0..2 {
        namespace.kubectl(&["delete", "lease", "two-of-a-kind"]);
        becomes(20, first_holder.clone(), || holder(&namespace));
    }
    stays(6, || holder(&namespace));
    assert!(!second.log().contains("Leading"), "{}", second.log());
    namespace.resource(&kind, "demo", r#"{"color": "green"}"#);
    namespace.ready(&kind, "demo");
}
