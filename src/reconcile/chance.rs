//! Whether what Helm recorded differs from what is rendered now by nothing but what templates drew at random.

use serde_json::Value;

use super::identity::ObjectId;
use super::objects::{Object, Objects};

/// Two renders that drew differently show which texts chance has a part in; a recorded release may have others there, and
/// must be the same everywhere else.
pub(super) fn differs_by_chance(one: &Objects, other: &Objects, recorded: &Objects) -> bool {
    let same_size = one.list.len() == other.list.len() && one.list.len() == recorded.list.len();
    let is_alike = |object: &Object| match (body_of(other, &object.id), body_of(recorded, &object.id)) {
        (Some(other), Some(recorded)) => is_alike(&object.body, other, recorded),
        _ => false,
    };
    same_size && one.list.iter().all(is_alike)
}

fn body_of<'a>(objects: &'a Objects, id: &ObjectId) -> Option<&'a Value> {
    objects.list.iter().find(|object| object.id == *id).map(|object| &object.body)
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
        (one, other, recorded) => one == other && one == recorded,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::is_alike;

    #[test]
    fn chance_excuses_only_what_it_makes() {
        let one = json!({"data": {"password": "a", "name": "n"}, "list": ["a", "x"], "number": 1});
        let other = json!({"data": {"password": "b", "name": "n"}, "list": ["b", "x"], "number": 1});
        let alike = json!({"data": {"password": "c", "name": "n"}, "list": ["c", "x"], "number": 1});
        assert!(is_alike(&one, &other, &alike));
        for (place, value) in [
            ("/data/name", json!("m")),
            ("/list/1", json!("y")),
            ("/number", json!(2)),
            ("/data/password", json!(3)),
        ] {
            let mut recorded = alike.clone();
            *recorded.pointer_mut(place).unwrap() = value;
            assert!(!is_alike(&one, &other, &recorded), "{place}");
        }
        for changed in [
            json!({"data": {}, "list": [], "number": 1}),
            json!({"data": alike["data"], "list": ["c"], "number": 1}),
        ] {
            assert!(!is_alike(&one, &other, &changed), "{changed}");
        }
        let mut more = alike;
        more["more"] = json!("text");
        assert!(!is_alike(&one, &other, &more), "an entry too many");
    }
}
