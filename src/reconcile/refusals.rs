//! What the API server's refusals of an object mean for its release.

use super::identity::ObjectId;
use crate::cluster::error::is_transient;

/// What there is to say of an object whose kind was there when last asked for.
pub(super) const NO_MORE: &str = "the cluster serves its kind no more";

/// Whether an object was refused only because another of the same release is not there yet, as a binding without its
/// Role or a Pod without its PriorityClass: the order of kinds sees to it that the other one comes first.
pub(super) fn awaits(message: &str, id: &ObjectId, coming: &[&ObjectId]) -> bool {
    const MISSING: &[&str] = &["not found", "was found"];
    // What is refused is named first.
    let why = message.split_once(" is forbidden: ").map_or(message, |(_, why)| why);
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(byte));
    let is_named = |name: &str| {
        why.match_indices(name).any(|(at, _)| {
            let before = at.checked_sub(1).and_then(|at| why.as_bytes().get(at));
            !is_part(before) && !is_part(why.as_bytes().get(at + name.len()))
        })
    };
    MISSING.iter().any(|words| why.contains(words))
        && coming.iter().any(|other| *other != id && is_named(&other.name))
}

/// Some judgements come as 500: fields outside the schema, quantities that are none, and what a failing webhook says. They
/// are for the user.
fn is_judgement(error: &kube::Error) -> bool {
    const JUDGEMENTS: &[&str] =
        &["failed to create typed patch object", "failed to convert new object", "webhook"];
    let judges = |message: &str| JUDGEMENTS.iter().any(|judgement| message.contains(judgement));
    matches!(error, kube::Error::Api(status) if status.code == 500 && judges(&status.message))
}

/// Whether a failure is the server's quota of patience and no judgement: the same may work in a while.
pub(super) fn may_pass(error: &kube::Error) -> bool {
    is_transient(error) && !is_judgement(error)
}

/// Whether the answer is that of no part of the API in particular.
pub(super) fn is_unserved(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 404 && status.details.is_none())
}

/// Reports whether an object was refused for a change that it does not take.
pub(super) fn is_immutable(error: &kube::Error) -> bool {
    const WORDS: &[&str] = &[
        "immutable",
        "updates to statefulset spec for fields other than",
        "may not be changed",
        "cannot change roleRef",
        "may not change fields other than",
        "cannot be changed",
        "may not change once set",
    ];
    matches!(error, kube::Error::Api(status)
        if status.code == 422 && WORDS.iter().any(|words| status.message.contains(words)))
}

/// Reports whether an object that is made under another name, to try it, was refused only for what the one it is to take the
/// place of has: its name, an address, a share of a quota.
pub(super) fn stands_in_the_way(error: &kube::Error) -> bool {
    let kube::Error::Api(status) = error else { return false };
    let causes = status.details.as_ref().map_or(&[][..], |details| &details.causes);
    match status.code {
        409 => true,
        403 => status.message.contains("exceeded quota"),
        422 if !causes.is_empty() => causes.iter().all(|cause| {
            cause.field.starts_with("metadata.name") || cause.message.contains("already allocated")
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_comes_with_the_release_is_awaited() {
        let id = |kind: &str, name: &str| ObjectId {
            group: "".into(),
            kind: kind.into(),
            namespace: "n".into(),
            name: name.into(),
        };
        let (role, binding, class, pod) =
            (id("Role", "web"), id("RoleBinding", "web"), id("PriorityClass", "high"), id("Pod", "web"));
        let coming = [&role, &binding, &class, &pod];
        let awaits = |message: &str, id: &ObjectId| super::awaits(message, id, &coming);
        assert!(awaits("roles.rbac.authorization.k8s.io \"web\" not found", &binding));
        assert!(awaits("pods \"web\" is forbidden: no PriorityClass with name high was found", &pod));
        assert!(!awaits("pods \"web\" is forbidden: no PriorityClass with name higher was found", &pod));
        assert!(!awaits("pods \"web\" is forbidden: no PriorityClass with name the-high was found", &pod));
        assert!(!awaits("pods \"web\" is forbidden: exceeded quota: high", &pod));
    }

    #[test]
    fn what_the_predecessor_has_is_free_when_it_is_gone() {
        let refusal = |code: u16, message: &str, causes: &[(&str, &str)]| {
            let causes: Vec<_> =
                causes.iter().map(|(field, message)| json!({"field": field, "message": message})).collect();
            let status = json!({"message": message, "code": code, "details": {"causes": causes}});
            kube::Error::Api(serde_json::from_value::<Status>(status).unwrap().boxed())
        };
        let named = ("metadata.name", "must be plural.group");
        let taken = ("spec.clusterIPs", "failed to allocate IP 10.0.0.9: provided IP is already allocated");
        let wrong = ("spec.ports[0].port", "must be between 1 and 65535, inclusive");
        assert!(stands_in_the_way(&refusal(422, "", &[named, taken])));
        assert!(!stands_in_the_way(&refusal(422, "", &[taken, wrong])));
        assert!(!stands_in_the_way(&refusal(422, "", &[])));
        assert!(stands_in_the_way(&refusal(403, "pods \"a\" is forbidden: exceeded quota: small", &[])));
        assert!(!stands_in_the_way(&refusal(403, "pods \"a\" is forbidden: violates PodSecurity", &[])));
    }
}
