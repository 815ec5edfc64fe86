//! Turns any Helm chart into a Kubernetes operator.
fn main() {}
