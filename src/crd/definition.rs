//! The CustomResourceDefinition of a served kind.

use serde_json::{Value, json};

use crate::settings::Watch;

/// Makes the CustomResourceDefinition of a served kind.
pub(crate) fn definition(watch: &Watch) -> Value {
    let names = &watch.names;
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": watch.crd_name()},
        "spec": {
            "group": watch.api_version.group,
            "scope": watch.scope.name(),
            "names": {
                "kind": names.kind, "listKind": names.list_kind, "plural": names.plural, "singular": names.singular,
            },
            "versions": [{
                "name": watch.api_version.version,
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": schema(&names.kind)},
                "subresources": {"status": {}},
                "additionalPrinterColumns": columns(),
            }],
        },
    })
}

/// Any values are welcome: the chart judges them.
fn schema(kind: &str) -> Value {
    const OPEN: &str = "x-kubernetes-preserve-unknown-fields";
    json!({
        "type": "object",
        "description": format!("{kind} is a release of a Helm chart; its spec holds the chart's values."),
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {"type": "object", "description": "Values for the chart, as in its values.yaml.", OPEN: true},
            "status": {"type": "object", "description": "What the operator last saw and did.", OPEN: true},
        },
    })
}

fn columns() -> Value {
    let column = |name: &str, kind: &str, path: &str| json!({"name": name, "type": kind, "jsonPath": path});
    json!([
        column("Ready", "string", r#".status.conditions[?(@.type=="Ready")].status"#),
        column("Status", "string", ".status.phase"),
        column("Chart", "string", ".status.deployedRelease.chart.version"),
        column("App version", "string", ".status.deployedRelease.chart.appVersion"),
        column("Age", "date", ".metadata.creationTimestamp"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{ApiVersion, Names};

    #[test]
    fn a_kind_in_lower_case_gets_the_names_of_the_walk_through() {
        let names = Names::of("memcached", None).unwrap();
        let watch = Watch::new(ApiVersion::parse("anywhere.io/v1alpha1").unwrap(), names, "memcached".into());
        let crd = definition(&watch);
        assert_eq!(crd["metadata"]["name"], "memcacheds.anywhere.io");
        assert_eq!(
            crd["spec"]["names"],
            json!({"kind": "memcached", "listKind": "memcachedList", "plural": "memcacheds", "singular": "memcached"})
        );
        assert_eq!(crd["spec"]["scope"], "Namespaced");
        assert_eq!(crd["spec"]["versions"][0]["name"], "v1alpha1");
    }
}
