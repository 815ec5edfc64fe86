//! Making a schema small enough: the deepest parts are left open first.

use std::fmt::Write as _;

use crate::field::{Field, Others};
use crate::structural;

/// A step from a field to one inside it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Key(String),
    /// To what items are like.
    Items,
    /// To what other keys hold.
    Each,
}

type Path = Vec<Step>;

/// Folds fields until the schema takes at most `budget` bytes, and returns their paths.
pub(crate) fn fold(spec: &mut Field, budget: usize) -> Vec<String> {
    let mut folded: Vec<Path> = Vec::new();
    let mut size = bytes(spec);
    while size > budget {
        let mut found = Vec::new();
        savings(spec, deepest(spec), &mut Path::new(), &mut found);
        // The largest first, and no more of one depth than needed.
        found.sort_by(|a, b| b.cmp(a));
        let mut saved = 0;
        for (bytes, path) in found {
            if saved >= size - budget {
                break;
            }
            saved += bytes;
            if let Some(field) = at(spec, &path) {
                fold_field(field);
                folded.push(path);
            }
        }
        if saved == 0 {
            break;
        }
        size = bytes(spec);
    }
    // Whoever lies inside another folded field need not be named.
    let outermost = |path: &&Path| !folded.iter().any(|outer| *outer != **path && path.starts_with(outer));
    let mut names: Vec<String> = folded.iter().filter(outermost).map(name).collect();
    names.sort();
    names
}

fn bytes(field: &Field) -> usize {
    structural::schema(field).to_string().len()
}

fn name(path: &Path) -> String {
    let mut name = String::new();
    for step in path {
        // Writing to a string cannot fail.
        let _ = match step {
            Step::Key(key) if name.is_empty() => write!(name, "{key}"),
            Step::Key(key) => write!(name, ".{key}"),
            Step::Items => write!(name, "[]"),
            Step::Each => write!(name, ".*"),
        };
    }
    name
}

fn inner(field: &Field) -> impl Iterator<Item = (Step, &Field)> {
    let keys = field.properties.iter().map(|(key, field)| (Step::Key(key.clone()), field));
    let items = field.items.as_deref().map(|items| (Step::Items, items));
    let each = match &field.others {
        Others::Each(each) => Some((Step::Each, &**each)),
        _ => None,
    };
    keys.chain(items).chain(each)
}

fn deepest(field: &Field) -> usize {
    inner(field).map(|(_, field)| deepest(field) + 1).max().unwrap_or_default()
}

/// Lists the fields `depth - 1` steps down, with the bytes that folding each saves.
fn savings(field: &Field, depth: usize, path: &mut Path, found: &mut Vec<(usize, Path)>) {
    if depth <= 1 {
        let saved: usize = inner(field).map(|(_, field)| bytes(field)).sum();
        if saved > 0 {
            found.push((saved, path.clone()));
        }
        return;
    }
    for (step, field) in inner(field) {
        path.push(step);
        savings(field, depth - 1, path, found);
        path.pop();
    }
}

fn at<'f>(field: &'f mut Field, path: &[Step]) -> Option<&'f mut Field> {
    path.iter().try_fold(field, |field, step| match (step, &mut field.others) {
        (Step::Key(key), _) => field.properties.get_mut(key),
        (Step::Items, _) => field.items.as_deref_mut(),
        (Step::Each, Others::Each(each)) => Some(&mut **each),
        (Step::Each, _) => None,
    })
}

fn fold_field(field: &mut Field) {
    field.properties.clear();
    field.items = None;
    field.others = Others::Open;
    field.required.clear();
    field.folded = true;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Types;

    fn nested(keys: &[&str], inner: Field) -> Field {
        keys.iter().rev().fold(inner, |field, key| Field {
            properties: [((*key).to_owned(), field)].into(),
            ..Field::of(Types::MAP)
        })
    }

    #[test]
    fn the_deepest_goes_first() {
        let long = Field { text: Some("x".repeat(500)), ..Field::of(Types::TEXT) };
        let mut spec = nested(&["a", "b", "c"], long.clone());
        spec.properties.insert("d.e".into(), nested(&["f"], long));
        assert_eq!(fold(&mut spec.clone(), 2000), [""; 0]);
        assert_eq!(fold(&mut spec.clone(), 1000), ["a.b"]);
        assert_eq!(fold(&mut spec, 600), ["a.b", "d.e"]);
        assert!(spec.properties["a"].properties["b"].folded);
    }

    #[test]
    fn a_budget_nothing_fits_ends() {
        let mut spec = nested(&["a", "b"], Field::of(Types::TEXT));
        fold(&mut spec, 1);
        assert!(spec.properties.is_empty());
    }
}
