//! The flags that shape the custom resource's type beyond its names.

use clap::{Args, ValueEnum};

use super::CliError;
use crate::names::check_resource_name;
use crate::settings::{Column, Shape};

/// Names, columns and schema of the type; the same flags and environment variables for every command.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ShapeArgs {
    /// Short name for kubectl, as mc; can be given several times
    #[arg(long = "short-name", env = "SHORT_NAMES", value_name = "NAME", value_delimiter = ',')]
    short_names: Vec<String>,
    /// Category that `kubectl get CATEGORY` lists the kind in, besides chartwright; can be given several times
    #[arg(long = "category", env = "CATEGORIES", value_name = "NAME", value_delimiter = ',')]
    categories: Vec<String>,
    /// Column of `kubectl get`, as Tag=.spec.image.tag; can be given several times
    #[arg(long = "column", value_name = "NAME=PATH", value_parser = column)]
    columns: Vec<Column>,
    /// The value that `kubectl scale` sets, as web.replicas [default: replicaCount, replicas or size at the top of the
    /// values, where there is one]
    #[arg(long, env = "REPLICAS_PATH", value_name = "PATH")]
    replicas_path: Option<String>,
    /// How much the type says about values: auto refuses nothing Helm would take, strict refuses unknown keys and other
    /// types than the defaults have, open takes anything [default: auto]
    #[arg(long, env = "CRD_SCHEMA", value_name = "MODE")]
    schema: Option<Mode>,
    /// Change the type even if that makes existing resources invalid
    #[arg(long, env = "ACCEPT_BREAKING_CHANGES", value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", action = clap::ArgAction::Set)]
    accept_breaking_changes: bool,
}

/// See [`crdschema::Mode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    Auto,
    Strict,
    Open,
}

impl ShapeArgs {
    /// Checks the names and returns the shape.
    ///
    /// # Errors
    /// When Kubernetes would refuse a name.
    pub(crate) fn to_shape(&self) -> Result<Shape, CliError> {
        // Variables set to nothing give a list of one empty name.
        let names = |what: &'static str, names: &[String]| -> Result<Vec<String>, CliError> {
            let given = names.iter().filter(|name| !name.is_empty());
            given.map(|name| Ok(check_resource_name(what, name).map(|()| name.clone())?)).collect()
        };
        Ok(Shape {
            short_names: names("short name", &self.short_names)?,
            categories: names("category", &self.categories)?,
            columns: self.columns.clone(),
            schema: match self.schema {
                None | Some(Mode::Auto) => crdschema::Mode::Auto,
                Some(Mode::Strict) => crdschema::Mode::Strict,
                Some(Mode::Open) => crdschema::Mode::Open,
            },
            replicas: self.replicas_path.clone().filter(|path| !path.is_empty()),
            accept_breaking: self.accept_breaking_changes,
        })
    }
}

fn column(text: &str) -> Result<Column, String> {
    let (name, path) = text.split_once('=').ok_or("write NAME=PATH, for example Tag=.spec.image.tag")?;
    Column::new(name, path, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let shape =
            |name: &str| ShapeArgs { short_names: vec![name.into()], ..ShapeArgs::default() }.to_shape();
        assert_eq!(shape("mc").unwrap().short_names, ["mc"]);
        assert!(shape("").unwrap().short_names.is_empty());
        let error = shape("MC").unwrap_err().to_string();
        assert!(error.contains("short name \"MC\""), "{error}");
    }

    #[test]
    fn columns_have_a_name_and_a_path() {
        assert_eq!(column("Tag=.spec.image.tag"), Column::new("Tag", ".spec.image.tag", None));
        assert!(column("Tag").unwrap_err().contains("NAME=PATH"));
        assert!(column("Tag=spec.tag").unwrap_err().contains("starts with a dot"));
    }
}
