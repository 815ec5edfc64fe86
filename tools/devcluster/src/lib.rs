//! Builds and starts a real Kubernetes control plane for the demo and the tests.
