//! What each function takes and gives: the tables of `forms.json`, by what an expression gives.
//!
//! A letter after `$` stands for another expression: `$S` text, `$I` whole number, `$F` number, `$B` truth, `$D` dict, `$L` list,
//! `$W` list of texts, `$A` anything, `$N` a small number; `$H` and `$R` for names of templates, `$K` for a key. A small letter
//! or a digit stands for a text of that letter's language, see `grammar`; `$_` for a template, `$@` for a text of any sort.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Tables of texts by name.
pub(super) type Tables = HashMap<String, Vec<String>>;

static FORMS: LazyLock<Tables> = LazyLock::new(|| tables(include_str!("forms.json")));

/// Returns the forms of a kind; `Risky` ones mostly fail, `Slow` ones take their time.
pub(super) fn of(kind: &str) -> &'static [String] {
    FORMS.get(kind).map(Vec::as_slice).unwrap_or_default()
}

/// Reads tables.
pub(super) fn tables(json: &str) -> Tables {
    let Ok(map) = gostd::json::unmarshal_object(json.as_bytes()) else { return Tables::new() };
    let texts = |value: &gostd::Value| {
        let items = value.elements().unwrap_or_default();
        items.iter().filter_map(|item| Some(gostd::value::lossy(item.as_str()?))).collect()
    };
    map.snapshot().iter().map(|(name, value)| (gostd::value::lossy(name.as_bytes()), texts(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::FORMS;

    #[test]
    fn every_function_has_a_form() {
        let words: Vec<&str> = FORMS
            .values()
            .flatten()
            .flat_map(|form| form.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
            .collect();
        let missing: Vec<&str> = helm::function_names().filter(|name| !words.contains(name)).collect();
        assert!(missing.is_empty(), "no form calls {missing:?}");
    }
}
