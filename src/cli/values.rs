//! The flags that carry values: files and `--set` with its kin, in Helm's order.

use clap::Args;
use gostd::value::Frozen;
use helm::values::{ValueOptions, merge_maps};

/// Values as every command that renders takes them.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ValuesArgs {
    /// A YAML file of values; later files win
    #[arg(long = "values", short = 'f', value_name = "FILE,...")]
    files: Vec<String>,
    /// JSON values, as key1=jsonval1,key2=jsonval2 or a whole JSON object
    #[arg(long, value_name = "ASSIGNMENTS")]
    set_json: Vec<String>,
    /// Values, as key1=val1,key2=val2
    #[arg(long, value_name = "ASSIGNMENTS")]
    set: Vec<String>,
    /// Values that stay text, as key1=val1,key2=val2
    #[arg(long, value_name = "ASSIGNMENTS")]
    set_string: Vec<String>,
    /// Values read from files, as key1=path1,key2=path2
    #[arg(long, value_name = "ASSIGNMENTS")]
    set_file: Vec<String>,
    /// One value taken to the letter, as key=value
    #[arg(long, value_name = "ASSIGNMENT")]
    set_literal: Vec<String>,
}

impl ValuesArgs {
    /// Reports whether no value was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty()
            && [&self.set_json, &self.set, &self.set_string, &self.set_file, &self.set_literal]
                .iter()
                .all(|list| list.is_empty())
    }

    /// Combines all of them in Helm's order: files, `--set-json`, `--set`, `--set-string`, `--set-file`,
    /// `--set-literal`.
    ///
    /// # Errors
    /// When a file cannot be read or is no map, or an assignment is not understood.
    pub(crate) fn read(&self) -> Result<Frozen, helm::Error> {
        let given = self.files.iter().filter(|files| !files.is_empty());
        let options = ValueOptions {
            // Scripts give an empty flag for none.
            files: given.flat_map(|files| files.split(',').map(str::to_owned)).collect(),
            json: self.set_json.clone(),
            set: self.set.clone(),
            set_string: self.set_string.clone(),
            set_file: self.set_file.clone(),
            set_literal: self.set_literal.clone(),
        };
        options.merge(&read)
    }

    /// As [`ValuesArgs::read`], laid over values that are there already.
    ///
    /// # Errors
    /// As [`ValuesArgs::read`].
    pub(crate) fn read_over(&self, base: &Frozen) -> Result<Frozen, helm::Error> {
        let given = self.read()?;
        if self.is_empty() {
            return Ok(base.clone());
        }
        Ok(Frozen::from(&merge_maps(&base.thaw_map(), &given.thaw_map()).into()))
    }
}

/// Reads a values file; `-` is standard input. The error text is Go's, as Helm prints it.
fn read(path: &str) -> Result<Vec<u8>, String> {
    use std::io::ErrorKind;
    if path.trim() == "-" {
        let mut text = Vec::new();
        let read = std::io::Read::read_to_end(&mut std::io::stdin().lock(), &mut text);
        return read.map(|_| text).map_err(|error| format!("read /dev/stdin: {error}"));
    }
    std::fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("open {path}: no such file or directory"),
        ErrorKind::PermissionDenied => format!("open {path}: permission denied"),
        ErrorKind::IsADirectory => format!("read {path}: is a directory"),
        _ => format!("read {path}: {error}"),
    })
}
