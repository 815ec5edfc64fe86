//! The least an operator must be allowed to do for a chart.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::kinds::{self, Resource};
use crate::settings::{ChartCrds, CrdPolicy, Scope, Watch};

/// RBAC rules, sorted by where they must be granted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permissions {
    /// Needed in the cluster as a whole, whatever is served.
    cluster: Vec<Value>,
    /// Needed in every namespace that is served.
    served: Vec<Value>,
    /// Needed in the operator's own namespace.
    own: Vec<Value>,
}

/// What applying an object with server-side apply, keeping it and pruning it takes.
const KEEP: &[&str] = &["create", "delete", "get", "list", "patch", "watch"];

/// What looking things up and following them takes.
const READ: &[&str] = &["get", "list", "watch"];

impl Permissions {
    /// Works out the rules for a chart: its own resource type, the release records, and the kinds that its templates
    /// can make. `rendered` are the objects it makes with default values.
    pub(crate) fn of(watch: &Watch, chart: &helm::Chart, rendered: &[Value]) -> Self {
        let sources = kinds::scan(chart);
        let mut made = sources.makes.clone();
        made.extend(rendered.iter().filter_map(|object| {
            kinds::resource(Some(object.get("apiVersion")?.as_str()?), object.get("kind")?.as_str()?)
        }));
        let (cluster, served): (BTreeSet<_>, BTreeSet<_>) =
            made.into_iter().partition(|resource| resource.cluster_scoped);

        let mut permissions = Self { cluster: own_type(watch), served: releases(watch), own: leases() };
        permissions.cluster.extend(grouped(&cluster, KEEP));
        permissions.served.extend(grouped(&served, KEEP));
        // Wherever templates look: what they look up in is not known, and the namespaces that are served are the least.
        let (cluster, served): (BTreeSet<_>, BTreeSet<_>) =
            sources.looks_up.into_iter().partition(|resource| resource.cluster_scoped);
        permissions.cluster.extend(grouped(&cluster, READ));
        permissions.served.extend(grouped(&served, READ));
        let held: BTreeSet<_> = watch.values_from.iter().map(|one| one.holder.plural()).collect();
        permissions.served.extend(held.iter().map(|held| rule(&[""], &[held], READ)));
        if sources.has_hooks {
            permissions.served.push(rule(&[""], &["pods"], &["get", "list"]));
            permissions.served.push(rule(&[""], &["pods/log"], &["get"]));
        }
        // Those of the chart's crds/ are never deleted. What is to be made cannot be limited by name.
        let verbs: &[&str] = match watch.crds {
            ChartCrds::Create => &["create", "get"],
            ChartCrds::CreateReplace => &["create", "get", "patch"],
            ChartCrds::Skip => &[],
        };
        if sources.has_crds && !verbs.is_empty() {
            let definitions = rule(&["apiextensions.k8s.io"], &["customresourcedefinitions"], verbs);
            permissions.cluster.push(definitions);
        }
        permissions.grant_what_roles_grant(rendered);
        // What has no namespace is served in the cluster as a whole, and its releases may be anywhere.
        if watch.scope == Scope::Cluster {
            permissions.cluster.append(&mut permissions.served);
        }
        permissions
    }

    /// Adds the rules of others: what goes beyond those that are there, put together with them where only the resources
    /// differ.
    pub(crate) fn add(&mut self, more: Self) {
        let lists =
            [(&mut self.cluster, more.cluster), (&mut self.served, more.served), (&mut self.own, more.own)];
        for (rules, more) in lists {
            for rule in more {
                if !rules.iter_mut().any(|known| covers(known, &rule)) {
                    rules.push(rule);
                }
            }
        }
    }

    /// Adds what the admission webhook takes: its own configuration.
    pub(crate) fn grant_webhook(&mut self, watch: &Watch) {
        const GROUP: &[&str] = &["admissionregistration.k8s.io"];
        const CONFIGURATIONS: &[&str] = &["validatingwebhookconfigurations"];
        let mut named = rule(GROUP, CONFIGURATIONS, &["delete", "get", "patch"]);
        if let Some(named) = named.as_object_mut() {
            named.insert("resourceNames".into(), json!([crate::webhook::configuration_name(watch)]));
        }
        self.cluster.extend([named, rule(GROUP, CONFIGURATIONS, &["create"])]);
    }

    /// Kubernetes lets nobody make a role that holds more than its maker has, so the operator needs what the chart's
    /// roles give; and nobody bind a role of others without being allowed to bind that one.
    fn grant_what_roles_grant(&mut self, rendered: &[Value]) {
        let text = |object: &Value, pointer: &str| {
            object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let of_chart = |kind: &str, name: &str| {
            rendered.iter().any(|one| text(one, "/kind") == kind && text(one, "/metadata/name") == name)
        };
        for object in rendered {
            let rules = object.get("rules").and_then(Value::as_array).cloned().unwrap_or_default();
            let (kind, name) = (text(object, "/roleRef/kind"), text(object, "/roleRef/name"));
            let mut bind = Vec::new();
            if !name.is_empty() && !of_chart(&kind, &name) {
                let roles = if kind == "ClusterRole" { "clusterroles" } else { "roles" };
                let mut named = rule(&["rbac.authorization.k8s.io"], &[roles], &["bind"]);
                if let Some(named) = named.as_object_mut() {
                    named.insert("resourceNames".into(), json!([name]));
                }
                bind.push(named);
            }
            match object.get("kind").and_then(Value::as_str) {
                Some("ClusterRole") => self.cluster.extend(rules),
                Some("Role") => self.served.extend(rules),
                Some("ClusterRoleBinding") => self.cluster.extend(bind),
                Some("RoleBinding") => self.served.extend(bind),
                _ => {}
            }
        }
    }

    /// Returns the rules of the ClusterRole and of the Role in the operator's namespace. With `namespaced`, only that
    /// namespace is served.
    pub(super) fn split(&self, namespaced: bool) -> (Vec<Value>, Vec<Value>) {
        let (mut cluster, mut own) = (self.cluster.clone(), self.own.clone());
        let served = if namespaced { &mut own } else { &mut cluster };
        served.extend(self.served.iter().cloned());
        cluster.dedup();
        own.dedup();
        (cluster, own)
    }
}

/// Whether a rule grants what another does, once that one's resources are added to it, which needs the same groups and
/// verbs and no names.
fn covers(known: &mut Value, other: &Value) -> bool {
    let is_plain = |rule: &Value| rule.as_object().is_some_and(|rule| rule.len() == 3);
    let agree = |field: &str| known.get(field) == other.get(field);
    if known == other {
        return true;
    }
    if !is_plain(known) || !is_plain(other) || !agree("apiGroups") || !agree("verbs") {
        return false;
    }
    let (Some(Value::Array(into)), Some(Value::Array(more))) =
        (known.get_mut("resources"), other.get("resources"))
    else {
        return false;
    };
    for one in more {
        if !into.contains(one) {
            into.push(one.clone());
        }
    }
    true
}

fn own_type(watch: &Watch) -> Vec<Value> {
    if watch.crd != CrdPolicy::Managed {
        return vec![rule(&["apiextensions.k8s.io"], &["customresourcedefinitions"], READ)];
    }
    let crd_name = watch.crd_name();
    // Its status says which versions resources are stored in.
    let definitions = &["customresourcedefinitions", "customresourcedefinitions/status"];
    let mut named = rule(&["apiextensions.k8s.io"], definitions, &["get", "patch"]);
    if let Some(named) = named.as_object_mut() {
        named.insert("resourceNames".into(), json!([crd_name]));
    }
    // The name of an object to be made is not known to the authorizer, so this cannot be limited by name. All definitions
    // are followed, for templates ask which kinds there are.
    vec![named, rule(&["apiextensions.k8s.io"], &["customresourcedefinitions"], &["create", "list", "watch"])]
}

fn releases(watch: &Watch) -> Vec<Value> {
    let group = watch.api_version.group.as_str();
    let plural = watch.names.plural.as_str();
    let (status, finalizers) = (format!("{plural}/status"), format!("{plural}/finalizers"));
    vec![
        rule(&[group], &[plural], &["get", "list", "patch", "update", "watch"]),
        rule(&[group], &[&status, &finalizers], &["get", "patch", "update"]),
        // Release records, as Helm keeps them.
        rule(&[""], &["secrets"], &["create", "delete", "get", "list", "patch", "update", "watch"]),
        rule(&["", "events.k8s.io"], &["events"], &["create", "patch"]),
    ]
}

fn leases() -> Vec<Value> {
    vec![rule(&["coordination.k8s.io"], &["leases"], &["create", "get", "patch", "update"])]
}

fn grouped(resources: &BTreeSet<Resource>, verbs: &[&str]) -> Vec<Value> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for resource in resources {
        groups.entry(&resource.group).or_default().push(&resource.plural);
    }
    groups.into_iter().map(|(group, plurals)| rule(&[group], &plurals, verbs)).collect()
}

fn rule(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Value {
    json!({ "apiGroups": groups, "resources": resources, "verbs": verbs })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::names::{ApiVersion, Names};
    use crate::settings::{Holder, ValuesFrom};

    #[test]
    fn what_values_are_taken_from_may_be_followed() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("charts/memcached");
        let chart = helm::Chart::load_path(&path).unwrap();
        let names = Names::of("Memcached", None).unwrap();
        let mut watch = Watch::new(ApiVersion::parse("a.io/v1").unwrap(), names, path);
        let rule = rule(&[""], &["configmaps"], READ);
        assert!(!Permissions::of(&watch, &chart, &[]).served.contains(&rule));
        watch.values_from.push(ValuesFrom {
            holder: Holder::ConfigMap,
            name: "site".into(),
            namespace: None,
            key: "values.yaml".into(),
            target: None,
            optional: false,
        });
        assert!(Permissions::of(&watch, &chart, &[]).served.contains(&rule));
    }

    #[test]
    fn the_definitions_of_a_chart_may_be_made_and_changed_as_far_as_that_is_asked_for() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("charts/memcached");
        let mut chart = helm::Chart::load_path(&path).unwrap();
        chart.files.push(helm::chart::File { name: "crds/a.yaml".into(), data: "kind: X".into() });
        let names = Names::of("Memcached", None).unwrap();
        let mut watch = Watch::new(ApiVersion::parse("a.io/v1").unwrap(), names, path);
        watch.crd = CrdPolicy::None;
        let mut verbs = |crds: ChartCrds| {
            watch.crds = crds;
            let rules = Permissions::of(&watch, &chart, &[]).cluster;
            let rules = rules.iter().filter(|rule| rule["resources"][0] == "customresourcedefinitions");
            rules.skip(1).map(|rule| rule["verbs"].to_string()).collect::<Vec<_>>()
        };
        assert_eq!(verbs(ChartCrds::Create), [r#"["create","get"]"#]);
        assert_eq!(verbs(ChartCrds::CreateReplace), [r#"["create","get","patch"]"#]);
        assert!(verbs(ChartCrds::Skip).is_empty());
    }
}
