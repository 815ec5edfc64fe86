//! The flags that say which kind is served by which chart.

use std::path::PathBuf;

use clap::Args;

use super::CliError;
use super::shape::ShapeArgs;
use crate::names::{ApiVersion, Names};
use crate::settings::{ChartCrds, Scope, Watch};

/// The chart and the kind it becomes; the same flags and environment variables for every command.
#[derive(Args, Clone, Debug)]
pub(crate) struct ServedArgs {
    /// The chart: a folder, a .tgz archive, or a folder that holds several versions of one chart
    #[arg(long, env = "HELM_CHART", value_name = "PATH")]
    pub(crate) chart: Option<PathBuf>,
    /// Group and version of the custom resource, for example anywhere.io/v1alpha1
    #[arg(long, env = "API_VERSION", value_name = "GROUP/VERSION")]
    pub(crate) api_version: Option<String>,
    /// Kind of the custom resource, for example Memcached
    #[arg(long, env = "KIND", value_name = "KIND")]
    pub(crate) kind: Option<String>,
    /// Plural of the kind, in lower case; formed by the rules of English if not given
    #[arg(long, env = "PLURAL", value_name = "NAME")]
    pub(crate) plural: Option<String>,
    /// Where the custom resource lives: Namespaced or Cluster
    #[arg(long, env = "SCOPE", value_name = "SCOPE", default_value = "Namespaced", value_parser = scope)]
    pub(crate) scope: Scope,
    #[command(flatten)]
    pub(crate) shape: ShapeArgs,
    /// Do not hold values against the chart's values.schema.json
    #[arg(long, env = "SKIP_SCHEMA_VALIDATION", value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", action = clap::ArgAction::Set)]
    pub(crate) skip_schema_validation: bool,
    /// What becomes of the definitions in the chart's crds/: create makes those that are not there at an install, as Helm
    /// does, createReplace brings them up to date with each new chart too, skip leaves them to somebody else
    #[arg(long, env = "CHART_CRDS", value_name = "POLICY", default_value = "create")]
    pub(crate) crds: ChartCrds,
    /// Whether the command takes the chart as an argument too.
    #[arg(skip)]
    pub(crate) by_argument: bool,
}

impl ServedArgs {
    /// Reports whether nothing was said about a kind.
    pub(crate) fn is_empty(&self) -> bool {
        // An image built without arguments sets the variables to nothing.
        let unset = |text: &Option<String>| text.as_ref().is_none_or(String::is_empty);
        self.chart.as_ref().is_none_or(|path| path.as_os_str().is_empty())
            && unset(&self.api_version)
            && unset(&self.kind)
    }

    /// Checks the names and returns the watch they describe.
    ///
    /// # Errors
    /// When one of the three is missing, or is a name that Kubernetes would refuse.
    pub(crate) fn to_watch(&self) -> Result<Watch, CliError> {
        let chart = self.chart_path()?;
        let names = (given(self.api_version.as_deref()), given(self.kind.as_deref()));
        let (Some(api_version), Some(kind)) = names else {
            let missing = [
                names.0.is_none().then_some(
                    "no API version given: set --api-version or API_VERSION, for example anywhere.io/v1alpha1",
                ),
                names.1.is_none().then_some("no kind given: set --kind or KIND, for example Memcached"),
            ];
            let missing: Vec<_> = missing.into_iter().flatten().collect();
            return Err(CliError::Usage(missing.join("; ")));
        };
        let names = Names::of(kind, given(self.plural.as_deref()))?;
        let mut watch = Watch::new(ApiVersion::parse(api_version)?, names, chart);
        watch.scope = self.scope;
        watch.shape = self.shape.to_shape()?;
        watch.skip_schema_validation = self.skip_schema_validation;
        watch.crds = self.crds;
        Ok(watch)
    }

    /// Returns the chart.
    ///
    /// # Errors
    /// When none is given.
    pub(crate) fn chart_path(&self) -> Result<PathBuf, CliError> {
        let chart = self.chart.clone().filter(|path| !path.as_os_str().is_empty());
        chart.ok_or_else(|| {
            let nothing = if self.is_empty() { ", and there is no watches.yaml in this folder" } else { "" };
            let argument = if self.by_argument { "give one as an argument, or " } else { "" };
            CliError::Usage(format!(
                "no chart given{nothing}: {argument}set --chart or HELM_CHART, for example charts/memcached; several kinds \
                 are listed in a file, by --watches-file or HELM_CHART_WATCHES"
            ))
        })
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn scope(text: &str) -> Result<Scope, String> {
    match text {
        "Namespaced" => Ok(Scope::Namespaced),
        "Cluster" => Ok(Scope::Cluster),
        _ => Err("write Namespaced or Cluster".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(chart: &str, api_version: &str, kind: &str) -> ServedArgs {
        ServedArgs {
            chart: Some(chart.into()),
            api_version: Some(api_version.into()),
            kind: Some(kind.into()),
            plural: None,
            scope: Scope::Namespaced,
            shape: ShapeArgs::default(),
            skip_schema_validation: false,
            crds: ChartCrds::default(),
            by_argument: false,
        }
    }

    #[test]
    fn empty_variables_count_as_unset() {
        assert!(args("", "", "").is_empty());
        assert!(!args("x", "", "").is_empty());
        let error = args("x", "", "K").to_watch().unwrap_err().to_string();
        assert_eq!(
            error,
            "no API version given: set --api-version or API_VERSION, for example anywhere.io/v1alpha1"
        );
    }

    #[test]
    fn a_lower_case_kind_is_taken_as_it_is() {
        let watch = args("memcached", "anywhere.io/v1alpha1", "memcached").to_watch().unwrap();
        assert_eq!(watch.crd_name(), "memcacheds.anywhere.io");
        assert_eq!(watch.names.list_kind, "memcachedList");
    }
}
