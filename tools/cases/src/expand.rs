//! Variables of a case: its namespace and what it saved.

use std::collections::BTreeMap;

/// The variables known by now. Steps have them as environment variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variables(BTreeMap<String, String>);

impl Variables {
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter()
    }

    /// Puts the values in the place of `$NAME` and `${NAME}`; names that are not known stay as they are.
    pub(crate) fn put_into(&self, text: &str) -> String {
        self.replace(text, str::to_owned)
    }

    /// The same for a pattern, in which the values stand for themselves.
    pub(crate) fn put_into_pattern(&self, pattern: &str) -> String {
        self.replace(pattern, |value| fancy_regex::escape(value).into_owned())
    }

    fn replace(&self, text: &str, write: impl Fn(&str) -> String) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            match self.variable(after) {
                Some((value, after)) => {
                    out.push_str(&write(value));
                    rest = after;
                }
                None => {
                    out.push('$');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }

    /// The value of the variable whose name a text starts with, and what follows the name.
    fn variable<'t>(&self, text: &'t str) -> Option<(&str, &'t str)> {
        let (name, rest) = match text.strip_prefix('{') {
            Some(braced) => braced.split_once('}')?,
            None => text
                .split_at(text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())),
        };
        self.0.get(name).map(|value| (value.as_str(), rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_replaced_once() {
        let mut variables = Variables::default();
        variables.set("NS", "a.b");
        variables.set("LOOP", "$NS");
        assert_eq!(variables.put_into("$NS,$NS-b,${NS}c $LOOP"), "a.b,a.b-b,a.bc $NS");
        assert_eq!(variables.put_into("^(x)?$ $OTHER ${ $"), "^(x)?$ $OTHER ${ $");
        assert_eq!(variables.put_into_pattern("^$NS$"), r"^a\.b$");
    }
}
