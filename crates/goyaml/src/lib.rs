//! YAML exactly as Go's sigs.k8s.io/yaml and go-yaml read and write it.
