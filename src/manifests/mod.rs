//! The manifests that install an operator: `templates/` filled in for a chart and a kind.

mod kinds;
mod rbac;

use handlebars::Handlebars;
use serde_json::{Value, json};

use crate::cli::webhook::service_name;
use crate::convert::json_to_yaml;
use crate::names::Names;
use crate::settings::{ChartCrds, Scope, Watch};

pub(crate) use rbac::Permissions;

/// What the manifests are made for.
#[derive(Debug)]
pub(crate) struct Deployment<'a> {
    /// The served kinds; at least one.
    pub(crate) kinds: &'a [Kind<'a>],
    /// Whether a watches file in the image lists them.
    pub(crate) listed: bool,
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
}

/// A served kind.
#[derive(Debug)]
pub(crate) struct Kind<'a> {
    /// What is said of it.
    pub(crate) watch: &'a Watch,
    /// The CRD.
    pub(crate) crd: Value,
    /// The `spec` of the sample resource.
    pub(crate) sample_spec: Value,
}

/// A file of `deploy/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// The name, as `rbac.yaml`.
    pub(crate) name: String,
    /// The YAML text.
    pub(crate) text: String,
}

const RBAC: &str = include_str!("../../templates/rbac.yaml.hbs");
const CRD: &str = include_str!("../../templates/crd.yaml.hbs");
const OPERATOR: &str = include_str!("../../templates/operator.yaml.hbs");
const SAMPLE: &str = include_str!("../../templates/cr.yaml.hbs");

/// Renders all manifests, in the order in which they are applied. Of several kinds each has files of its own, named as
/// operator-sdk names them.
///
/// # Errors
/// With the name of a template that does not render.
pub(crate) fn render(
    deployment: &Deployment<'_>,
) -> Result<Vec<File>, (&'static str, handlebars::RenderError)> {
    let mut handlebars = Handlebars::new();
    handlebars.set_strict_mode(true);
    handlebars.register_escape_fn(handlebars::no_escape);
    let mut files = Vec::new();
    let mut add = |of: &'static str, template: &str, name: String, data: &Value| {
        let text = handlebars.render_template(template, data).map_err(|error| (of, error))?;
        files.push(File { name, text });
        Ok(())
    };
    let all = data(deployment);
    let kinds: Vec<_> = deployment.kinds.iter().map(|kind| (kind, data_of(kind))).collect();
    let several = kinds.len() > 1;
    let name = |usual: &str, name: String| if several { name } else { usual.to_owned() };
    add("rbac.yaml", RBAC, "rbac.yaml".into(), &all)?;
    for (Kind { watch, .. }, data) in &kinds {
        let own = format!("crd/{}_{}.yaml", watch.api_version.group, watch.names.plural);
        add("crd.yaml", CRD, name("crd.yaml", own), data)?;
    }
    add("operator.yaml", OPERATOR, "operator.yaml".into(), &all)?;
    for (Kind { watch, .. }, data) in &kinds {
        let (api, singular) = (&watch.api_version, &watch.names.singular);
        let own = format!("samples/{}_{}_{singular}.yaml", api.group, api.version);
        add("cr.yaml", SAMPLE, name("cr.yaml", own), data)?;
    }
    Ok(files)
}

fn data(deployment: &Deployment<'_>) -> Value {
    // The first kind gives the operator its name, as it does at run time.
    let first = deployment.kinds.first().map(|kind| kind.watch);
    let singular = first.map_or("chartwright", |watch| &watch.names.singular);
    let (cluster, own) = deployment.permissions.split(deployment.namespaced);
    // Where a file lists the kinds, the image's entry point names it.
    let mut args = Vec::new();
    if let Some(watch) = first.filter(|_| !deployment.listed) {
        args.push("run".to_owned());
        args.extend(flags(watch));
    }
    args.extend(deployment.webhook.then(|| "--webhook".to_owned()));
    json!({
        "name": format!("{singular}-operator"),
        "cluster_role": format!("{}-operator", first.map(Watch::crd_name).unwrap_or_default()),
        "namespace": deployment.namespace,
        "namespaced": deployment.namespaced,
        "listed": deployment.listed,
        "several": deployment.kinds.len() > 1,
        "webhook": deployment.webhook.then(|| service_name(singular)),
        "image": deployment.image,
        "args": args,
        "cluster_rules": json_to_yaml(&json!({ "rules": cluster })),
        "namespace_rules": json_to_yaml(&json!({ "rules": own })),
    })
}

fn data_of(kind: &Kind<'_>) -> Value {
    json!({
        "api_version": kind.watch.api_version.to_string(),
        "kind": kind.watch.names.kind,
        "sample_name": format!("{}-sample", kind.watch.names.singular),
        "spec": json_to_yaml(&json!({ "spec": kind.sample_spec })),
        "crd": json_to_yaml(&kind.crd),
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
    if watch.skip_schema_validation {
        add("skip-schema-validation", "true");
    }
    if watch.crds != ChartCrds::default() {
        add("crds", watch.crds.name());
    }
    // A JSON string is one of YAML's too, whatever is in it.
    flags.into_iter().map(|flag| Value::from(flag).to_string()).collect()
}
