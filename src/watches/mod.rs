//! `watches.yaml`: many kinds in one operator, in operator-sdk's format.

mod form;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

use crate::cli::template::SystemHost;
use crate::names::{ApiVersion, NameError, Names, check_resource_name};
use crate::policy::EntryPolicy;
use crate::reconcile::rollout::{Pace, Share};
use crate::settings::{
    ChartCrds, Column, CrdPolicy, DEFAULT_MAX_HISTORY, Holder, Scope, Shape, ValuesFrom, Watch,
};

/// A watches file that cannot be used.
#[derive(Debug, Error)]
pub(crate) enum WatchesError {
    /// It cannot be read.
    #[error("cannot read the watches file {path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is not YAML of the right shape.
    #[error("the watches file {path} is not understood: {reason}")]
    Shape {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// It lists nothing.
    #[error(
        "the watches file {0} lists no kind: give at least one entry with group, version, kind and chart"
    )]
    Empty(PathBuf),
    /// Entries cannot be used.
    #[error("the watches file {path} is not understood: {}", faults.join("; "))]
    Entries {
        /// The file.
        path: PathBuf,
        /// What is wrong, each with its line, entry and kind.
        faults: Vec<String>,
    },
}

/// What is wrong with an entry.
#[derive(Debug, Error)]
enum EntryError {
    /// A name Kubernetes would refuse.
    #[error(transparent)]
    Name(#[from] NameError),
    /// An override value is a template that does not render.
    #[error("overrideValues {0}: {1}")]
    Override(String, Box<helm::Error>),
    /// A kind is listed twice.
    #[error("{0} was listed before; one chart can serve a kind")]
    Twice(String),
    /// Something else, in words.
    #[error("{0}")]
    Other(String),
}

/// One entry as written; [`form`] has seen to it that each key holds what it should.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    group: String,
    version: String,
    kind: String,
    chart: PathBuf,
    #[serde(default)]
    plural: Option<String>,
    #[serde(default)]
    scope: Option<EntryScope>,
    #[serde(default)]
    crd: Option<EntryCrd>,
    #[serde(default)]
    watch_dependent_resources: Option<bool>,
    #[serde(default)]
    override_values: BTreeMap<String, serde_json::Value>,
    #[serde(default)]
    values: serde_json::Value,
    #[serde(default)]
    values_from: Vec<EntryValuesFrom>,
    #[serde(default)]
    selector: Option<serde_json::Value>,
    #[serde(default)]
    reconcile_period: Option<String>,
    #[serde(default)]
    max_history: Option<usize>,
    #[serde(flatten)]
    policy: EntryPolicy,
    #[serde(default)]
    rollback_on_failure: Option<bool>,
    #[serde(default)]
    release_namespace: Option<String>,
    #[serde(default)]
    random_values: EntryRandomValues,
    #[serde(default)]
    rollout: EntryRollout,
    #[serde(default)]
    short_names: Vec<String>,
    #[serde(default)]
    categories: Vec<String>,
    #[serde(default)]
    columns: Vec<EntryColumn>,
    #[serde(default)]
    schema: EntrySchema,
    #[serde(default)]
    replicas_path: Option<String>,
    #[serde(default)]
    accept_breaking_changes: bool,
    #[serde(default)]
    skip_schema_validation: bool,
    #[serde(default)]
    crds: ChartCrds,
}

/// Values elsewhere, in Flux' words.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EntryValuesFrom {
    kind: Holder,
    name: String,
    #[serde(default)]
    namespace: Option<String>,
    #[serde(default)]
    values_key: Option<String>,
    #[serde(default)]
    target_path: Option<String>,
    #[serde(default)]
    optional: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntryColumn {
    name: String,
    json_path: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EntrySchema {
    #[default]
    Auto,
    Strict,
    Open,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct EntryRollout {
    /// A number or a text.
    max_unavailable: serde_json::Value,
    max_failures: Option<usize>,
}

impl EntryRollout {
    fn pace(&self) -> Result<Pace, String> {
        let share = match &self.max_unavailable {
            serde_json::Value::Null => None,
            serde_json::Value::String(text) => Some(Share::parse(text)?),
            other => Some(Share::parse(&other.to_string())?),
        };
        Ok(Pace { max_unavailable: share, max_failures: self.max_failures })
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EntryRandomValues {
    #[default]
    Stable,
    Fresh,
}

#[derive(Clone, Copy, Deserialize)]
enum EntryScope {
    Namespaced,
    Cluster,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EntryCrd {
    Managed,
    Check,
    None,
}

/// What a watches file lists.
#[derive(Debug)]
pub(crate) struct WatchesFile {
    path: PathBuf,
    /// The entries that can be used.
    pub(crate) entries: Vec<Listed>,
    /// What is wrong with the others, each with its line, entry and kind.
    pub(crate) faults: Vec<String>,
}

/// An entry that can be used.
#[derive(Debug)]
pub(crate) struct Listed {
    /// Where it is, as `line 4, entry 2, kind Web`.
    pub(crate) place: String,
    /// What it says.
    pub(crate) watch: Watch,
}

impl WatchesFile {
    /// Returns all entries.
    ///
    /// # Errors
    /// When one of them cannot be used.
    pub(crate) fn into_watches(self) -> Result<Vec<Watch>, WatchesError> {
        if self.faults.is_empty() {
            return Ok(self.entries.into_iter().map(|entry| entry.watch).collect());
        }
        Err(WatchesError::Entries { path: self.path, faults: self.faults })
    }
}

/// Reads a watches file. `unused` is told of keys that mean nothing here.
///
/// # Errors
/// When it cannot be read, or is not a list of entries. What is wrong with an entry is among the faults of the result.
pub(crate) fn read(path: &Path, unused: impl FnMut(&str)) -> Result<WatchesFile, WatchesError> {
    let text = std::fs::read(path).map_err(|error| WatchesError::Read { path: path.to_owned(), error })?;
    parse(&text, path, unused)
}

fn parse(text: &[u8], path: &Path, unused: impl FnMut(&str)) -> Result<WatchesFile, WatchesError> {
    let shape = |reason: String| WatchesError::Shape { path: path.to_owned(), reason };
    let mut json = crate::convert::yaml_to_json(text).map_err(shape)?;
    let findings = form::check(text, &mut json);
    findings.unused.iter().map(String::as_str).for_each(unused);
    let serde_json::Value::Array(entries) = json else { return Err(shape(findings.faults.join("; "))) };
    if entries.is_empty() {
        return Err(WatchesError::Empty(path.to_owned()));
    }
    let mut file = WatchesFile {
        path: path.to_owned(),
        entries: Vec::with_capacity(entries.len()),
        faults: findings.faults,
    };
    let mut seen = BTreeSet::new();
    for (found, entry) in findings.entries.into_iter().zip(entries) {
        if found.is_faulty {
            continue;
        }
        let kind = entry.get("kind").and_then(serde_json::Value::as_str).unwrap_or_default();
        let place = format!("{}, kind {kind}", found.place);
        let entry: Result<Entry, _> = serde_json::from_value(entry);
        let watch = entry.map_err(|error| EntryError::Other(error.to_string())).and_then(Entry::into_watch);
        let watch = watch.and_then(|watch| {
            let kind = format!("{} {}", watch.api_version, watch.names.kind);
            if seen.insert(kind.clone()) { Ok(watch) } else { Err(EntryError::Twice(kind)) }
        });
        match watch {
            Ok(watch) => file.entries.push(Listed { place, watch }),
            Err(error) => file.faults.push(format!("{place}: {error}")),
        }
    }
    Ok(file)
}

impl Entry {
    fn into_watch(self) -> Result<Watch, EntryError> {
        let api_version = ApiVersion::parse(&format!("{}/{}", self.group, self.version))?;
        let names = Names::of(&self.kind, self.plural.as_deref())?;
        let mut shape =
            shape(self.short_names, self.categories, self.columns, self.schema, self.replicas_path)?;
        shape.accept_breaking = self.accept_breaking_changes;
        let cluster_wide = matches!(self.scope, Some(EntryScope::Cluster));
        let release_namespace = self.release_namespace.filter(|name| !name.is_empty());
        let local = cluster_wide.then(|| release_namespace.clone().unwrap_or_else(|| "default".into()));
        let values_from = self.values_from.into_iter().map(|one| one.into_reference(local.as_deref()));
        let values_from = values_from.collect::<Result<_, _>>()?;
        let period = self.reconcile_period.as_deref().filter(|text| !text.is_empty());
        Ok(Watch {
            api_version,
            names,
            chart: self.chart,
            scope: if cluster_wide { Scope::Cluster } else { Scope::Namespaced },
            crd: match self.crd {
                Some(EntryCrd::Check) => CrdPolicy::Check,
                Some(EntryCrd::None) => CrdPolicy::None,
                Some(EntryCrd::Managed) | None => CrdPolicy::Managed,
            },
            shape,
            override_values: self
                .override_values
                .into_iter()
                .map(|(key, value)| Ok((key.clone(), override_text(key, value)?)))
                .collect::<Result<_, EntryError>>()?,
            values: self.values,
            values_from,
            selector: self.selector.filter(|selector| !selector.is_null()),
            watch_dependent_resources: self.watch_dependent_resources.unwrap_or(true),
            reconcile_period: period
                .map(go_period)
                .transpose()
                .map_err(|why| EntryError::Other(format!("reconcilePeriod {why}")))?,
            max_history: self.max_history.unwrap_or(DEFAULT_MAX_HISTORY),
            policy: self.policy.into_policy().map_err(EntryError::Other)?,
            rollback_on_failure: self.rollback_on_failure.unwrap_or(true),
            release_namespace,
            rollout: self
                .rollout
                .pace()
                .map_err(|why| EntryError::Other(format!("rollout.maxUnavailable {why}")))?,
            fresh_random_values: self.random_values == EntryRandomValues::Fresh,
            skip_schema_validation: self.skip_schema_validation,
            crds: self.crds,
        })
    }
}

impl EntryValuesFrom {
    /// `local` is the namespace that stands for the resource's own where resources have none.
    fn into_reference(self, local: Option<&str>) -> Result<ValuesFrom, EntryError> {
        if self.name.is_empty() {
            return Err(EntryError::Other(format!("valuesFrom needs the name of a {}", self.kind.kind())));
        }
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        Ok(ValuesFrom {
            holder: self.kind,
            name: self.name,
            namespace: given(self.namespace).or_else(|| local.map(str::to_owned)),
            key: given(self.values_key).unwrap_or_else(|| "values.yaml".into()),
            target: given(self.target_path),
            optional: self.optional,
        })
    }
}

fn shape(
    short_names: Vec<String>,
    categories: Vec<String>,
    columns: Vec<EntryColumn>,
    schema: EntrySchema,
    replicas: Option<String>,
) -> Result<Shape, EntryError> {
    for (what, names) in [("short name", &short_names), ("category", &categories)] {
        names.iter().try_for_each(|name| check_resource_name(what, name))?;
    }
    let columns = columns.into_iter().map(|column| Column::new(&column.name, &column.json_path, column.kind));
    Ok(Shape {
        short_names,
        categories,
        columns: columns.collect::<Result<_, _>>().map_err(EntryError::Other)?,
        schema: match schema {
            EntrySchema::Auto => crdschema::Mode::Auto,
            EntrySchema::Strict => crdschema::Mode::Strict,
            EntrySchema::Open => crdschema::Mode::Open,
        },
        replicas: replicas.filter(|path| !path.is_empty()),
        accept_breaking: false,
    })
}

/// The text of an override value. What YAML takes for something else when it is not quoted, Go reads as a text too.
fn override_text(key: String, value: serde_json::Value) -> Result<String, EntryError> {
    use serde_json::Value;
    let text = match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => {
            let why = format!("overrideValues {key} must be a text: values with parts go into `values`");
            return Err(EntryError::Other(why));
        }
    };
    expand(&text, variable).map_err(|error| EntryError::Override(key, Box::new(error)))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Prepares an override value: `$VAR` and `${VAR}` become the variable's value (nothing if unset), then the text is
/// rendered as a template without data.
fn expand(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, helm::Error> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let (name, left) = variable_name(after);
        match name {
            Some(name) => out.push_str(&variable(name).unwrap_or_default()),
            None => out.push('$'),
        }
        rest = left;
    }
    out.push_str(rest);
    if !out.contains("{{") {
        return Ok(out);
    }
    helm::render_text("overrideValues", &out, &SystemHost)
}

/// Splits the name of a variable off the start of a text (Go `os.Expand`).
fn variable_name(text: &str) -> (Option<&str>, &str) {
    if let Some((name, left)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) {
        return (Some(name), left);
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, left) = text.split_at(end);
    (Some(name).filter(|name| !name.is_empty()), left)
}

/// Reads a duration as Go writes it (`1m30s`).
pub(crate) fn go_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a duration: write for example 30s, 1m or 1h30m");
    let nanos = gostd::time::Duration::parse(text.as_bytes()).map_err(|_| wrong())?.nanoseconds();
    u64::try_from(nanos).ok().filter(|nanos| *nanos > 0).map(Duration::from_nanos).ok_or_else(wrong)
}

/// Reads how often something is done: a duration, or `0` for never, as controllers in Go take it.
pub(crate) fn go_period(text: &str) -> Result<Duration, String> {
    const NEVER: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
    let parsed = gostd::time::Duration::parse(text.as_bytes());
    if parsed.is_ok_and(|parsed| parsed.nanoseconds() == 0) { Ok(NEVER) } else { go_duration(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "watches.yaml";

    fn error(text: &str) -> String {
        parse(text.as_bytes(), Path::new(PATH), |_| {})
            .and_then(WatchesFile::into_watches)
            .unwrap_err()
            .to_string()
    }

    fn watches(text: &str) -> Vec<Watch> {
        parse(text.as_bytes(), Path::new(PATH), |_| {}).and_then(WatchesFile::into_watches).unwrap()
    }

    #[test]
    fn operator_sdks_fields_are_read_and_unknown_ones_ignored() {
        let text = "\
- group: charts.example.com
  version: v1alpha1
  kind: Nginx
  chart: helm-charts/nginx
  watchDependentResources: false
  reconcilePeriod: 90s
  selector: {matchLabels: {team: a}}
  overrideValues: {image.tag: \"1.2\"}
  somethingNew: 5
- {group: b.example.com, version: v1, kind: Thing, chart: x, scope: Cluster, crd: check, maxHistory: 3,
   rollbackOnFailure: false, randomValues: fresh,
   rollout: {maxUnavailable: 25%, maxFailures: 2}}
";
        let watches = watches(text);
        let [first, second] = watches.as_slice() else { panic!("two entries") };
        assert_eq!(first.crd_name(), "nginxes.charts.example.com");
        assert!(!first.watch_dependent_resources);
        assert_eq!(first.reconcile_period, Some(Duration::from_secs(90)));
        assert_eq!(first.override_values["image.tag"], "1.2");
        assert_eq!((first.crd, first.max_history), (CrdPolicy::Managed, 10));
        assert!(second.watch_dependent_resources && !second.rollback_on_failure && first.rollback_on_failure);
        let pace = Pace { max_unavailable: Some(Share::Percent(25)), max_failures: Some(2) };
        assert_eq!((first.rollout, second.rollout), (Pace::default(), pace));
        assert!(second.fresh_random_values && !first.fresh_random_values);
        assert_eq!((second.scope, second.crd, second.max_history), (Scope::Cluster, CrdPolicy::Check, 3));
    }

    #[test]
    fn override_values_see_the_environment_and_templates() {
        let variable = |name: &str| (name == "IMAGE").then(|| "registry.example.com/app:2".to_owned());
        for (text, want) in [
            ("$IMAGE", "registry.example.com/app:2"),
            ("x-${IMAGE}-y", "x-registry.example.com/app:2-y"),
            ("$UNSET.", "."),
            ("a$", "a$"),
            ("5 $ and $", "5 $ and $"),
            ("{{ \"$IMAGE\" | upper }}", "REGISTRY.EXAMPLE.COM/APP:2"),
        ] {
            assert_eq!(expand(text, variable).unwrap(), want, "{text}");
        }
        let entry =
            "- {group: a.b, version: v1, kind: A, chart: x, overrideValues: {k: '{{ fail \"no\" }}'}}";
        assert!(
            error(entry).contains("entry 1") && error(entry).contains("overrideValues k"),
            "{}",
            error(entry)
        );
    }

    #[test]
    fn values_keep_their_types_and_overrides_are_texts() {
        let text = "\
- group: a.example.com
  version: v1
  kind: A
  chart: x
  dryRunOption: server
  overrideValues: {debug: true, replicas: 3, ratio: 1.5, name: web}
  values: {debug: true, hosts: [a, b]}
  valuesFrom:
  - {kind: Secret, name: creds, valuesKey: password, targetPath: db.password}
  - {kind: ConfigMap, name: site, namespace: ops, optional: true}
- {group: a.example.com, version: v1, kind: B, chart: x, scope: Cluster, releaseNamespace: infra,
   valuesFrom: [{kind: Secret, name: creds}]}
";
        let watches = watches(text);
        let [first, second] = watches.as_slice() else { panic!("two entries") };
        let overrides: Vec<_> = first.override_values.values().map(String::as_str).collect();
        assert_eq!(overrides, ["true", "web", "1.5", "3"]);
        assert_eq!(first.values, serde_json::json!({"debug": true, "hosts": ["a", "b"]}));
        let [secret, map] = first.values_from.as_slice() else { panic!("two references") };
        assert_eq!((secret.key.as_str(), secret.target.as_deref()), ("password", Some("db.password")));
        assert_eq!((secret.namespace.as_deref(), secret.optional), (None, false));
        assert_eq!(
            (map.key.as_str(), map.namespace.as_deref(), map.optional),
            ("values.yaml", Some("ops"), true)
        );
        assert_eq!(second.values_from[0].namespace.as_deref(), Some("infra"));
        let wrong =
            |field: &str| error(&format!("- {{group: a.b, version: v1, kind: A, chart: x, {field}}}"));
        assert!(wrong("values: [1]").contains("values is a list, and a mapping is expected"));
        assert!(wrong("valuesFrom: [{kind: Pod, name: x}]").contains("Pod"));
        assert!(wrong("valuesFrom: [{kind: Secret, name: x, key: y}]").contains("key"));
        assert!(wrong("overrideValues: {a: [1]}").contains("go into `values`"));
    }

    #[test]
    fn faults_name_the_entry() {
        let entry = "- {group: a.example.com, version: v1, kind: A, chart: x}\n";
        assert!(
            error(&entry.repeat(2)).contains("entry 2") && error(&entry.repeat(2)).contains("listed before")
        );
        assert!(error("[]").contains("lists no kind"));
        assert!(error("- {version: v1, kind: A, chart: x}").contains("is empty"));
        assert!(error("- {group: a.b, kind: A, chart: x}").contains("version"));
        assert!(error("{a: 1}").contains("not understood"));
        for never in ["0", "0s"] {
            assert!(go_period(never).unwrap() > Duration::from_secs(1_000_000_000 / 4), "{never}");
        }
        assert!(go_period("-1s").is_err() && go_period("").is_err());
        let period = "- {group: a.b, version: v1, kind: A, chart: x, reconcilePeriod: often}";
        assert!(error(period).contains("write for example 30s"));
    }
}
