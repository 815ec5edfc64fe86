//! The descriptions that `kubectl explain` shows.

use gostd::value::Frozen;

use crate::field::Field;
use crate::json::to_json;
use crate::types::Form;
#[cfg(test)]
use crate::types::Types;

/// A default that is longer is not shown.
const LONGEST_DEFAULT: usize = 100;

/// What starts the line that names the default.
pub(crate) const DEFAULT: &str = "Default: ";

/// Returns the description: what the field is for, the chart's default, and the types where the schema cannot say them.
pub(crate) fn description(field: &Field) -> Option<String> {
    let types = match field.form() {
        Form::IntOrString => Some("text or whole number"),
        Form::Scalar => Some("text, number or boolean"),
        _ => None,
    };
    let last = match (&field.default, types) {
        (Some(default), Some(types)) => Some(format!("{DEFAULT}{default} ({types})")),
        (Some(default), None) => Some(format!("{DEFAULT}{default}")),
        (None, Some(types)) => Some(format!("{}.", capitalized(types))),
        (None, None) => None,
    };
    let folded = field.folded.then_some("See the chart's values for the fields.");
    let parts: Vec<&str> = [field.text.as_deref(), folded, last.as_deref()].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// Returns a default as it is shown; nothing for null, tables and what takes too much room.
pub(crate) fn shown(value: &Frozen) -> Option<String> {
    let table = match value {
        Frozen::Nil => true,
        Frozen::Map(entries) => !entries.is_empty(),
        // Not worth writing out to throw away.
        Frozen::List(items) => items.len() > LONGEST_DEFAULT,
        Frozen::String(text) => text.as_bytes().len() > LONGEST_DEFAULT || text.as_bytes().contains(&b'\n'),
        _ => false,
    };
    if table {
        return None;
    }
    let text = to_json(value).to_string();
    (text.len() <= LONGEST_DEFAULT).then_some(text)
}

/// Returns the default that a description names.
pub(crate) fn named_default(description: &str) -> Option<&str> {
    let line = description.lines().last()?.strip_prefix(DEFAULT)?;
    // The types in parentheses are ours.
    let types = [" (text or whole number)", " (text, number or boolean)"];
    Some(types.iter().find_map(|types| line.strip_suffix(types)).unwrap_or(line))
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_named_and_found_again() {
        let field = Field {
            text: Some("Port of the service.".into()),
            default: Some("8080".into()),
            ..Field::of(Types::TEXT_OR_WHOLE)
        };
        let text = description(&field).unwrap();
        assert_eq!(text, "Port of the service.\nDefault: 8080 (text or whole number)");
        assert_eq!(named_default(&text), Some("8080"));
        assert_eq!(named_default("Port.\nDefault: \"x\""), Some("\"x\""));
        assert_eq!(named_default("Port."), None);
        assert_eq!(description(&Field::of(Types::BOOL)), None);
    }

    #[test]
    fn long_defaults_are_not_shown() {
        let shown = |text: &str| shown(&Frozen::String(text.into()));
        assert_eq!(shown("a"), Some("\"a\"".into()));
        assert_eq!(shown("a\nb"), None);
        assert_eq!(shown(&"a".repeat(200)), None);
    }
}
