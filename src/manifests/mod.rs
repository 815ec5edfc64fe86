//! The manifests that install an operator: `templates/` filled in for a chart and a kind.

mod kinds;
mod rbac;

use handlebars::Handlebars;
use serde_json::{Value, json};

use crate::cli::webhook::service_name;
use crate::convert::json_to_yaml;
use crate::names::Names;
use crate::settings::{Scope, Watch};

pub(crate) use rbac::Permissions;

/// What the manifests are made for.
#[derive(Debug)]
pub(crate) struct Deployment<'a> {
    /// The served kind.
    pub(crate) watch: &'a Watch,
    /// What the operator must be allowed to do.
    pub(crate) permissions: &'a Permissions,
    /// The operator's image.
    pub(crate) image: &'a str,
    /// The namespace it runs in.
    pub(crate) namespace: &'a str,
    /// Whether it serves that namespace only.
    pub(crate) namespaced: bool,
    /// Whether it judges resources before they are stored.
    pub(crate) webhook: bool,
    /// The `spec` of the sample resource.
    pub(crate) sample_spec: &'a Value,
    /// The CRD.
    pub(crate) crd: &'a Value,
}

/// A file of `deploy/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// The name, as `rbac.yaml`.
    pub(crate) name: &'static str,
    /// The YAML text.
    pub(crate) text: String,
}

/// The files in the order in which they are applied.
const TEMPLATES: &[(&str, &str)] = &[
    ("rbac.yaml", include_str!("../../templates/rbac.yaml.hbs")),
    ("crd.yaml", include_str!("../../templates/crd.yaml.hbs")),
    ("operator.yaml", include_str!("../../templates/operator.yaml.hbs")),
    ("cr.yaml", include_str!("../../templates/cr.yaml.hbs")),
];

/// Renders all manifests.
///
/// # Errors
/// With the name of a template that does not render.
pub(crate) fn render(
    deployment: &Deployment<'_>,
) -> Result<Vec<File>, (&'static str, handlebars::RenderError)> {
    let mut handlebars = Handlebars::new();
    handlebars.set_strict_mode(true);
    handlebars.register_escape_fn(handlebars::no_escape);
    let data = data(deployment);
    TEMPLATES
        .iter()
        .map(|(name, template)| {
            let text = handlebars.render_template(template, &data).map_err(|error| (*name, error))?;
            Ok(File { name, text })
        })
        .collect()
}

fn data(deployment: &Deployment<'_>) -> Value {
    let watch = deployment.watch;
    let (cluster, own) = deployment.permissions.split(deployment.namespaced);
    let singular = &watch.names.singular;
    json!({
        "name": format!("{singular}-operator"),
        "cluster_role": format!("{}-operator", watch.crd_name()),
        "namespace": deployment.namespace,
        "namespaced": deployment.namespaced,
        "webhook": deployment.webhook.then(|| service_name(singular)),
        "image": deployment.image,
        "flags": flags(watch),
        "api_version": watch.api_version.to_string(),
        "kind": watch.names.kind,
        "sample_name": format!("{singular}-sample"),
        "spec": json_to_yaml(&json!({ "spec": deployment.sample_spec })),
        "crd": json_to_yaml(deployment.crd),
        "cluster_rules": json_to_yaml(&json!({ "rules": cluster })),
        "namespace_rules": json_to_yaml(&json!({ "rules": own })),
    })
}

/// The flags of `run` that say of a kind what its names in the image do not, each as YAML.
fn flags(watch: &Watch) -> Vec<String> {
    let shape = &watch.shape;
    let by_rule = Names::of(&watch.names.kind, None).ok().map(|names| names.plural);
    let plural = Some(&watch.names.plural).filter(|plural| by_rule.as_ref() != Some(plural));
    let schema = match shape.schema {
        crdschema::Mode::Auto => None,
        crdschema::Mode::Strict => Some("strict"),
        crdschema::Mode::Open => Some("open"),
    };
    let mut flags = Vec::new();
    let mut add = |flag: &str, value: &str| flags.push(format!("--{flag}={value}"));
    plural.into_iter().for_each(|plural| add("plural", plural));
    if watch.scope == Scope::Cluster {
        add("scope", "Cluster");
    }
    shape.short_names.iter().for_each(|name| add("short-name", name));
    shape.categories.iter().for_each(|name| add("category", name));
    shape.columns.iter().for_each(|column| add("column", &format!("{}={}", column.name, column.path)));
    shape.replicas.iter().for_each(|path| add("replicas-path", path));
    schema.into_iter().for_each(|mode| add("schema", mode));
    if shape.accept_breaking {
        add("accept-breaking-changes", "true");
    }
    // A JSON string is one of YAML's too, whatever is in it.
    flags.into_iter().map(|flag| Value::from(flag).to_string()).collect()
}
