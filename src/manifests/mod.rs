//! The manifests that install an operator: `templates/` filled in for a chart and a kind.

mod kinds;
mod rbac;

use handlebars::Handlebars;
use serde_json::{Value, json};

use crate::cli::webhook::service_name;
use crate::convert::json_to_yaml;
use crate::settings::Watch;

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
        "api_version": watch.api_version.to_string(),
        "kind": watch.names.kind,
        "sample_name": format!("{singular}-sample"),
        "spec": json_to_yaml(&json!({ "spec": deployment.sample_spec })),
        "crd": json_to_yaml(deployment.crd),
        "cluster_rules": json_to_yaml(&json!({ "rules": cluster })),
        "namespace_rules": json_to_yaml(&json!({ "rules": own })),
    })
}
