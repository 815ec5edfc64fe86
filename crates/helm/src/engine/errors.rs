//! How Helm words errors of templates.

use std::sync::Arc;

use crate::{Error, TemplateError};

/// An error of parsing: Helm keeps the place and what follows the last `: `.
pub(super) fn of_parsing(file: &str, error: gotemplate::Error) -> Error {
    let text = error.to_string();
    let parts: Vec<&str> = text.split(": ").collect();
    let text = match (parts.get(1), parts.last()) {
        (Some(location), Some(last)) => format!("parse error at ({location}): {last}"),
        _ => format!("parse error in ({file}): {text}"),
    };
    template_error(text, None, error)
}

/// An error of execution: the words of `fail` and `required` stand alone, others stay as Go has them.
pub(super) fn of_execution(error: gotemplate::Error) -> Error {
    let author_message = error.author_message().map(str::to_owned);
    let text = match (&author_message, error.location()) {
        (Some(message), Some(location)) => format!("execution error at ({location}): {message}"),
        _ => error.to_string(),
    };
    template_error(text, author_message, error)
}

fn template_error(text: String, author_message: Option<String>, error: gotemplate::Error) -> Error {
    let location = error.location().cloned();
    Error::Template(Box::new(TemplateError { text, location, author_message, cause: Arc::new(error) }))
}
