//! `--name-template`: a release's name from a template.

use gostd::Value;
use gotemplate::{FunctionSet, Host, Options, Session, Set};

use crate::Error;

/// Renders a release name from a template that sees sprig's functions and no data (Helm's `TemplateName`).
///
/// # Errors
/// When the template does not parse or fails to run.
pub fn release_name_from(template: &str, host: &dyn Host) -> Result<String, Error> {
    const NAME: &str = "name-template";
    let failed = |error: gotemplate::Error| Error::Values(error.to_string());
    let mut set = Set::new(NAME, FunctionSet::new(sprig::FUNCTIONS.iter().copied().flatten()));
    set.parse(NAME, template).map_err(failed)?;
    let name =
        Session::new(host, Options::default()).execute(&set, NAME.as_bytes(), Value::Nil).map_err(failed)?;
    Ok(String::from_utf8_lossy(&name).into_owned())
}
