//! Fields that the API server filled in by itself and that what is applied now rules out.
//!
//! Nobody owns such a field, so no apply takes it away, and the server refuses the object for it for ever. Helm does not
//! meet this: its patches name the fields that are to stay beside a new value (`$retainKeys`).

use serde_json::{Value, json};

use super::objects::Object;

/// A default and the value that rules it out.
struct Ousted {
    group: &'static str,
    kind: &'static str,
    /// The field as the server names it in its refusal.
    field: &'static str,
    /// JSON pointers: the default, and the value that rules it out.
    default: &'static str,
    by: &'static str,
}

const OUSTED: &[Ousted] = &[Ousted {
    group: "apps",
    kind: "Deployment",
    field: "spec.strategy.rollingUpdate",
    default: "/spec/strategy/rollingUpdate",
    by: "/spec/strategy/type",
}];

/// The JSON patch that makes way for an object, if it was refused for such defaults and nothing else.
pub(super) fn way(error: &kube::Error, object: &Object) -> Option<Value> {
    let kube::Error::Api(status) = error else { return None };
    let causes = status.details.as_ref().map_or(&[][..], |details| &details.causes);
    if status.code != 422 || causes.is_empty() {
        return None;
    }
    let mut operations = Vec::new();
    for cause in causes {
        let rule = OUSTED.iter().find(|rule| {
            rule.group == &*object.id.group && rule.kind == &*object.id.kind && rule.field == cause.field
        })?;
        // Who applies both has made the mistake himself.
        if object.body.pointer(rule.default).is_some_and(|value| !value.is_null()) {
            return None;
        }
        let by = object.body.pointer(rule.by)?;
        operations.push(json!({"op": "replace", "path": rule.by, "value": by}));
        operations.push(json!({"op": "remove", "path": rule.default}));
    }
    Some(operations.into())
}

/// Takes out of an object what a way that was made for it has set already.
pub(super) fn hold_back(way: &Value, body: &mut Value) {
    for path in paths(way, "replace") {
        take(body, path);
    }
}

/// Does to an object what a way does to the one that is there.
pub(super) fn make(way: &Value, body: &mut Value) {
    for operation in way.as_array().into_iter().flatten() {
        let path = operation.get("path").and_then(Value::as_str).unwrap_or_default();
        match operation.get("value") {
            Some(value) => {
                if let Some(place) = body.pointer_mut(path) {
                    *place = value.clone();
                }
            }
            None => take(body, path),
        }
    }
}

fn paths<'a>(way: &'a Value, operation: &'a str) -> impl Iterator<Item = &'a str> {
    let operations = way.as_array().into_iter().flatten();
    let chosen = operations.filter(move |one| one.get("op").is_some_and(|op| op == operation));
    chosen.filter_map(|one| one.get("path").and_then(Value::as_str))
}

fn take(body: &mut Value, path: &str) {
    let Some((parent, key)) = path.rsplit_once('/') else { return };
    if let Some(parent) = body.pointer_mut(parent).and_then(Value::as_object_mut) {
        parent.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kube::core::Status;

    use super::super::identity::{ApiKind, Digest};
    use super::*;

    fn deployment(strategy: Value) -> Object {
        let resource = kube::api::ApiResource {
            group: "apps".into(),
            version: "v1".into(),
            api_version: "apps/v1".into(),
            kind: "Deployment".into(),
            plural: "deployments".into(),
        };
        let kind = Arc::new(ApiKind::new(resource, true, true));
        Object {
            id: kind.object("n", "web"),
            kind,
            body: json!({"spec": {"strategy": strategy}}),
            digest: Digest::default(),
            keep: false,
            owned: true,
            source: "".into(),
            kind_pending: false,
        }
    }

    fn refusal(fields: &[&str]) -> kube::Error {
        let causes: Vec<_> =
            fields.iter().map(|field| json!({"field": field, "reason": "Forbidden"})).collect();
        let status = json!({"status": "Failure", "message": "", "reason": "Invalid", "code": 422, "details": {"causes": causes}});
        kube::Error::Api(serde_json::from_value::<Status>(status).unwrap().boxed())
    }

    #[test]
    fn a_default_gives_way_to_the_value_that_rules_it_out() {
        let recreate = deployment(json!({"type": "Recreate"}));
        assert_eq!(
            way(&refusal(&["spec.strategy.rollingUpdate"]), &recreate),
            Some(json!([
                {"op": "replace", "path": "/spec/strategy/type", "value": "Recreate"},
                {"op": "remove", "path": "/spec/strategy/rollingUpdate"},
            ]))
        );
    }

    #[test]
    fn a_way_can_be_made_in_what_would_be_there() {
        let mut recreate = deployment(json!({"type": "Recreate"}));
        let way = way(&refusal(&["spec.strategy.rollingUpdate"]), &recreate).unwrap();
        hold_back(&way, &mut recreate.body);
        assert_eq!(recreate.body, json!({"spec": {"strategy": {}}}));
        let mut after =
            json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}});
        make(&way, &mut after);
        assert_eq!(after, json!({"spec": {"strategy": {"type": "Recreate"}}}));
    }

    #[test]
    fn other_refusals_stand() {
        let recreate = deployment(json!({"type": "Recreate"}));
        assert_eq!(way(&refusal(&[]), &recreate), None);
        assert_eq!(way(&refusal(&["spec.strategy.rollingUpdate", "spec.selector"]), &recreate), None);
        let both = deployment(json!({"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}));
        assert_eq!(way(&refusal(&["spec.strategy.rollingUpdate"]), &both), None);
    }
}
