//! Single templates outside charts: `--name-template`, and texts of an operator's settings.

use gostd::Value;
use gotemplate::{FunctionSet, Host, Options, Session, Set};

use crate::Error;

/// Renders a template that sees sprig's functions and no data (as Helm's `TemplateName` does); `name` stands in its errors.
///
/// # Errors
/// When the template does not parse or fails to run.
pub fn render_text(name: &str, template: &str, host: &dyn Host) -> Result<String, Error> {
    let failed = |error: gotemplate::Error| Error::Values(error.to_string());
    let mut set = Set::new(name, FunctionSet::new(sprig::functions()));
    set.parse(name, template).map_err(failed)?;
    let text =
        Session::new(host, Options::default()).execute(&set, name.as_bytes(), Value::Nil).map_err(failed)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
