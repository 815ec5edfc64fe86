//! Which kinds a chart makes: from what it renders, and from what its templates could render with other values.

use std::collections::BTreeSet;

use gostd::regexp::Regexp;
use helm::Chart;

/// A resource type as RBAC names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Resource {
    /// The API group; empty for the core group.
    pub(crate) group: String,
    /// The plural.
    pub(crate) plural: String,
    /// Whether it lives outside namespaces, as far as that is known.
    pub(crate) cluster_scoped: bool,
}

/// Kubernetes' own kinds: kind, group, plural, cluster-scoped.
const BUILT_IN: &[(&str, &str, &str, bool)] = &[
    ("APIService", "apiregistration.k8s.io", "apiservices", true),
    ("CSIDriver", "storage.k8s.io", "csidrivers", true),
    ("CertificateSigningRequest", "certificates.k8s.io", "certificatesigningrequests", true),
    ("ClusterRole", "rbac.authorization.k8s.io", "clusterroles", true),
    ("ClusterRoleBinding", "rbac.authorization.k8s.io", "clusterrolebindings", true),
    ("ConfigMap", "", "configmaps", false),
    ("ControllerRevision", "apps", "controllerrevisions", false),
    ("CronJob", "batch", "cronjobs", false),
    ("CustomResourceDefinition", "apiextensions.k8s.io", "customresourcedefinitions", true),
    ("DaemonSet", "apps", "daemonsets", false),
    ("Deployment", "apps", "deployments", false),
    ("EndpointSlice", "discovery.k8s.io", "endpointslices", false),
    ("Endpoints", "", "endpoints", false),
    ("FlowSchema", "flowcontrol.apiserver.k8s.io", "flowschemas", true),
    ("HorizontalPodAutoscaler", "autoscaling", "horizontalpodautoscalers", false),
    ("Ingress", "networking.k8s.io", "ingresses", false),
    ("IngressClass", "networking.k8s.io", "ingressclasses", true),
    ("Job", "batch", "jobs", false),
    ("Lease", "coordination.k8s.io", "leases", false),
    ("LimitRange", "", "limitranges", false),
    ("MutatingWebhookConfiguration", "admissionregistration.k8s.io", "mutatingwebhookconfigurations", true),
    ("Namespace", "", "namespaces", true),
    ("NetworkPolicy", "networking.k8s.io", "networkpolicies", false),
    ("PersistentVolume", "", "persistentvolumes", true),
    ("PersistentVolumeClaim", "", "persistentvolumeclaims", false),
    ("Pod", "", "pods", false),
    ("PodDisruptionBudget", "policy", "poddisruptionbudgets", false),
    ("PodTemplate", "", "podtemplates", false),
    ("PriorityClass", "scheduling.k8s.io", "priorityclasses", true),
    ("PriorityLevelConfiguration", "flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", true),
    ("ReplicaSet", "apps", "replicasets", false),
    ("ReplicationController", "", "replicationcontrollers", false),
    ("ResourceQuota", "", "resourcequotas", false),
    ("Role", "rbac.authorization.k8s.io", "roles", false),
    ("RoleBinding", "rbac.authorization.k8s.io", "rolebindings", false),
    ("RuntimeClass", "node.k8s.io", "runtimeclasses", true),
    ("Secret", "", "secrets", false),
    ("Service", "", "services", false),
    ("ServiceAccount", "", "serviceaccounts", false),
    ("StatefulSet", "apps", "statefulsets", false),
    ("StorageClass", "storage.k8s.io", "storageclasses", true),
    ("ValidatingAdmissionPolicy", "admissionregistration.k8s.io", "validatingadmissionpolicies", true),
    (
        "ValidatingAdmissionPolicyBinding",
        "admissionregistration.k8s.io",
        "validatingadmissionpolicybindings",
        true,
    ),
    (
        "ValidatingWebhookConfiguration",
        "admissionregistration.k8s.io",
        "validatingwebhookconfigurations",
        true,
    ),
    ("VolumeAttachment", "storage.k8s.io", "volumeattachments", true),
];

/// Kinds no cluster serves any more, or that only wrap other objects.
const IGNORED: &[&str] =
    &["PodSecurityPolicy", "List", "ConfigMapList", "SecretList", "RoleList", "RoleBindingList"];

/// Names the resource of a kind. `api_version` may be unknown for Kubernetes' own kinds.
pub(crate) fn resource(api_version: Option<&str>, kind: &str) -> Option<Resource> {
    if IGNORED.contains(&kind) {
        return None;
    }
    // A group with dots that Kubernetes does not own is a custom resource, even if a kind of that name is built in.
    let group = api_version.map(|text| text.split_once('/').map_or("", |(group, _)| group));
    let custom = group.is_some_and(|group| group.contains('.') && !group.ends_with(".k8s.io"));
    let built_in = BUILT_IN.iter().find(|(name, ..)| *name == kind && !custom);
    if let Some((_, group, plural, cluster_scoped)) = built_in {
        return Some(Resource {
            group: (*group).to_owned(),
            plural: (*plural).to_owned(),
            cluster_scoped: *cluster_scoped,
        });
    }
    let plural = crate::names::Names::of(kind, None).ok()?.plural;
    Some(Resource { group: group?.to_owned(), plural, cluster_scoped: false })
}

/// What a chart's sources name.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The kinds that templates can make.
    pub(crate) makes: BTreeSet<Resource>,
    /// The kinds that templates look up.
    pub(crate) looks_up: BTreeSet<Resource>,
    /// Whether templates hold hooks.
    pub(crate) has_hooks: bool,
    /// Whether there are files in `crds/`.
    pub(crate) has_crds: bool,
}

/// Reads the templates and CRDs of a chart and its subcharts.
pub(crate) fn scan(chart: &Chart) -> Sources {
    let mut sources = Sources::default();
    scan_into(chart, &mut sources);
    sources
}

fn scan_into(chart: &Chart, sources: &mut Sources) {
    for file in &chart.templates {
        scan_text(&file.data.to_lossy(), sources);
    }
    sources.has_crds |= chart.crds().next().is_some();
    for dependency in &chart.dependencies {
        scan_into(dependency, sources);
    }
}

fn scan_text(text: &str, sources: &mut Sources) {
    sources.has_hooks |= text.contains("helm.sh/hook\"") || text.contains("helm.sh/hook:");
    for document in text.split("\n---") {
        let field = |name: &'static str| {
            document
                .lines()
                .filter_map(move |line| line.strip_prefix(name))
                .map(|value| value.split('#').next().unwrap_or_default().trim().trim_matches(['"', '\'']))
        };
        let literal = |value: &&str| !value.is_empty() && !value.contains("{{");
        let api_version = field("apiVersion:").find(literal);
        for kind in field("kind:").filter(literal) {
            sources.makes.extend(resource(api_version, kind));
        }
    }
    sources.looks_up.extend(lookups(text));
}

fn lookups(text: &str) -> Vec<Resource> {
    let Ok(call) = Regexp::compile(br#"\blookup\s+"([^"{]*)"\s+"([A-Za-z]+)""#) else { return Vec::new() };
    let calls = call.find_all(text.as_bytes(), -1);
    let words = calls.iter().map(|call| String::from_utf8_lossy(call).into_owned());
    words
        .filter_map(|call| {
            let mut words = call.split('"').skip(1).step_by(2).map(str::to_owned);
            let (api_version, kind) = (words.next()?, words.next()?);
            resource(Some(&api_version), &kind)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_in_branches_no_default_takes() {
        let mut sources = Sources::default();
        let text = "{{- if .Values.ingress.enabled }}\napiVersion: {{ include \"x\" . }}\nkind: Ingress # web\n\
                    metadata:\n  annotations:\n    \"helm.sh/hook\": pre-install\n---\n\
                    apiVersion: example.com/v1\nkind: 'Thing'\n{{- end }}\n\
                    {{ lookup \"v1\" \"Secret\" .Release.Namespace \"x\" }}";
        scan_text(text, &mut sources);
        let names: Vec<_> = sources.makes.iter().map(|r| format!("{}.{}", r.plural, r.group)).collect();
        assert_eq!(names, ["things.example.com", "ingresses.networking.k8s.io"]);
        assert_eq!(sources.looks_up.iter().map(|r| r.plural.as_str()).collect::<Vec<_>>(), ["secrets"]);
        assert!(sources.has_hooks);
    }

    #[test]
    fn old_versions_are_served_under_their_new_group() {
        assert_eq!(resource(Some("extensions/v1beta1"), "Deployment").unwrap().group, "apps");
        assert_eq!(resource(Some("serving.knative.dev/v1"), "Service").unwrap().group, "serving.knative.dev");
        assert_eq!(resource(Some("policy/v1beta1"), "PodSecurityPolicy"), None);
        assert_eq!(resource(None, "Unknown"), None);
    }
}
