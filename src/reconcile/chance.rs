//! Whether what Helm recorded differs from what is rendered now by nothing but what templates drew at random.

use serde_json::Value;

use super::identity::ObjectId;
use super::objects::{Object, Objects};

/// Two renders that drew differently, and at different times, show in what chance has a part; a recorded release may have
/// other texts and numbers there, and must be the same everywhere else.
pub(super) fn differs_by_chance(one: &Objects, other: &Objects, recorded: &Objects) -> bool {
    if one.list.len() != other.list.len() || one.list.len() != recorded.list.len() {
        return false;
    }
    // Those that have no fellow of their name in either have names of chance, and are told by their place.
    let (mut others, mut recordeds) = (named_apart(other, one), named_apart(recorded, one));
    one.list.iter().all(|object| {
        let fellows = match (find(other, &object.id), find(recorded, &object.id)) {
            (Some(other), Some(recorded)) => Some((other, recorded)),
            (None, None) => take(&mut others, object).zip(take(&mut recordeds, object)),
            _ => None,
        };
        fellows.is_some_and(|(other, recorded)| is_alike(&object.body, &other.body, &recorded.body))
    })
}

fn find<'a>(objects: &'a Objects, id: &ObjectId) -> Option<&'a Object> {
    objects.list.iter().find(|object| object.id == *id)
}

/// Those objects that have no namesake among others.
fn named_apart<'a>(objects: &'a Objects, others: &Objects) -> Vec<&'a Object> {
    objects.list.iter().filter(|object| find(others, &object.id).is_none()).collect()
}

/// Takes the first object out of a list that is of the same kind and template as another.
fn take<'a>(list: &mut Vec<&'a Object>, like: &Object) -> Option<&'a Object> {
    let is_like = |object: &&Object| {
        (&object.id.group, &object.id.kind, &object.source) == (&like.id.group, &like.id.kind, &like.source)
    };
    let place = list.iter().position(is_like)?;
    Some(list.remove(place))
}

fn is_alike(one: &Value, other: &Value, recorded: &Value) -> bool {
    match (one, other, recorded) {
        (Value::Object(one), Value::Object(other), Value::Object(recorded)) => {
            one.len() == recorded.len()
                && one.iter().all(|(key, one)| match (other.get(key), recorded.get(key)) {
                    (Some(other), Some(recorded)) => is_alike(one, other, recorded),
                    _ => false,
                })
        }
        (Value::Array(one), Value::Array(other), Value::Array(recorded)) => {
            one.len() == other.len()
                && one.len() == recorded.len()
                && one
                    .iter()
                    .zip(other)
                    .zip(recorded)
                    .all(|((one, other), recorded)| is_alike(one, other, recorded))
        }
        (Value::String(one), Value::String(other), Value::String(recorded)) => {
            one != other || one == recorded
        }
        (Value::Number(one), Value::Number(other), Value::Number(recorded)) => {
            one != other || one == recorded
        }
        (one, other, recorded) => one == other && one == recorded,
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
        assert!(is_alike(&one, &other, &alike));
        for (place, value) in [
            ("/data/name", json!("m")),
            ("/list/1", json!("y")),
            ("/number", json!(2)),
            ("/data/password", json!(3)),
            ("/port", json!("3")),
        ] {
            let mut recorded = alike.clone();
            *recorded.pointer_mut(place).unwrap() = value;
            assert!(!is_alike(&one, &other, &recorded), "{place}");
        }
        for changed in [
            json!({"data": {}, "list": [], "number": 1, "port": 3}),
            json!({"data": alike["data"], "list": ["c"], "number": 1, "port": 3}),
        ] {
            assert!(!is_alike(&one, &other, &changed), "{changed}");
        }
        let mut more = alike;
        more["more"] = json!("text");
        assert!(!is_alike(&one, &other, &more), "an entry too many");
    }
}
