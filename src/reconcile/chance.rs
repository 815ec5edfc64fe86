//! Whether what Helm recorded differs from what is rendered now by nothing but what templates drew at random.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::identity::ObjectId;
use super::objects::{Object, Objects};

/// Renders that drew differently, and at different times, show in what chance has a part; a recorded release may have other
/// texts and numbers there, and must be the same everywhere else.
pub(super) fn differs_by_chance(one: &Objects, others: &[Objects], recorded: &Objects) -> bool {
    let renders: Vec<&Objects> = others.iter().chain([recorded]).collect();
    if renders.iter().any(|render| render.list.len() != one.list.len()) {
        return false;
    }
    let by_name: Vec<BTreeMap<&ObjectId, &Object>> = renders.iter().map(|render| by_name(render)).collect();
    // What not all of them name so has a name of chance, and is told by its place.
    let is_in_all = |id: &&ObjectId| by_name.iter().all(|names| names.contains_key(id));
    let named: BTreeSet<&ObjectId> = one.list.iter().map(|object| &object.id).filter(is_in_all).collect();
    let is_apart = |object: &&Object| !named.contains(&object.id);
    let mut apart: Vec<Vec<&Object>> =
        renders.iter().map(|render| render.list.iter().filter(is_apart).collect()).collect();
    one.list.iter().all(|object| {
        let fellows: Option<Vec<&Object>> = match named.contains(&object.id) {
            true => by_name.iter().map(|names| names.get(&object.id).copied()).collect(),
            false => apart.iter_mut().map(|list| take(list, object)).collect(),
        };
        let bodies: Vec<&Value> = fellows.iter().flatten().map(|fellow| &fellow.body).collect();
        bodies.split_last().is_some_and(|(recorded, others)| is_alike(&object.body, others, recorded))
    })
}

fn by_name(objects: &Objects) -> BTreeMap<&ObjectId, &Object> {
    objects.list.iter().map(|object| (&object.id, object)).collect()
}

/// Takes the first object out of a list that is of the same kind and template as another.
fn take<'a>(list: &mut Vec<&'a Object>, like: &Object) -> Option<&'a Object> {
    let is_like = |object: &&Object| {
        (&object.id.group, &object.id.kind, &object.source) == (&like.id.group, &like.id.kind, &like.source)
    };
    let place = list.iter().position(is_like)?;
    Some(list.remove(place))
}

fn is_alike(one: &Value, others: &[&Value], recorded: &Value) -> bool {
    match (one, recorded) {
        (Value::Object(map), Value::Object(recorded)) => {
            map.len() == recorded.len()
                && map.iter().all(|(key, one)| {
                    let others: Option<Vec<_>> = others.iter().map(|other| other.get(key)).collect();
                    others
                        .zip(recorded.get(key))
                        .is_some_and(|(others, recorded)| is_alike(one, &others, recorded))
                })
        }
        (Value::Array(list), Value::Array(recorded)) => {
            list.len() == recorded.len()
                && others.iter().all(|other| other.as_array().is_some_and(|other| other.len() == list.len()))
                && list.iter().zip(recorded).enumerate().all(|(place, (one, recorded))| {
                    let others: Option<Vec<_>> = others.iter().map(|other| other.get(place)).collect();
                    others.is_some_and(|others| is_alike(one, &others, recorded))
                })
        }
        (Value::String(_), Value::String(_)) | (Value::Number(_), Value::Number(_)) => {
            one == recorded || others.iter().any(|other| *other != one)
        }
        _ => one == recorded && others.iter().all(|other| *other == one),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_alike;

    #[test]
    fn chance_excuses_only_what_it_makes() {
        let one = json!({"data": {"password": "a", "name": "n"}, "list": ["a", "x"], "number": 1, "port": 1});
        let other =
            json!({"data": {"password": "b", "name": "n"}, "list": ["b", "x"], "number": 1, "port": 2});
        let alike =
            json!({"data": {"password": "c", "name": "n"}, "list": ["c", "x"], "number": 1, "port": 3});
        assert!(is_alike(&one, &[&other], &alike));
        assert!(!is_alike(&one, &[&one], &alike), "nothing was drawn otherwise");
        assert!(is_alike(&one, &[&one, &other, &one], &alike), "one that was drawn otherwise is enough");
        for (place, value) in [
            ("/data/name", json!("m")),
            ("/list/1", json!("y")),
            ("/number", json!(2)),
            ("/data/password", json!(3)),
            ("/port", json!("3")),
        ] {
            let mut recorded = alike.clone();
            *recorded.pointer_mut(place).unwrap() = value;
            assert!(!is_alike(&one, &[&other], &recorded), "{place}");
        }
        for changed in [
            json!({"data": {}, "list": [], "number": 1, "port": 3}),
            json!({"data": alike["data"], "list": ["c"], "number": 1, "port": 3}),
        ] {
            assert!(!is_alike(&one, &[&other], &changed), "{changed}");
        }
        let mut more = alike;
        more["more"] = json!("text");
        assert!(!is_alike(&one, &[&other], &more), "an entry too many");
    }
}
