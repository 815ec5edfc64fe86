//! What the API server's refusals mean to a user.

use std::error::Error as _;

use crate::discretion::brief;

/// Puts an error into one sentence: the server's own words, without the objects it repeats in them, and for a missing
/// permission the rule to add.
pub(crate) fn explain(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) if status.is_forbidden() => match missing_rule(&status.message) {
            Some(rule) => format!("{}; the operator's role lacks the rule {rule}", status.message),
            None => brief(&status.message),
        },
        kube::Error::Api(status) if !status.message.is_empty() => brief(&status.message),
        kube::Error::Api(status) => format!("the API server answered {} {}", status.code, status.reason),
        kube::Error::SerdeError(error) => format!("the API server's answer is not understood: {error}"),
        other => {
            // The outermost words of a transport error say nothing; the innermost say what happened.
            let mut text = other.to_string();
            let mut source = other.source();
            while let Some(inner) = source {
                text = inner.to_string();
                source = inner.source();
            }
            format!("cannot reach the API server: {text}")
        }
    }
}

/// Makes a rule of `User "u" cannot VERB resource "RESOURCE" in API group "GROUP" …`.
fn missing_rule(message: &str) -> Option<String> {
    let (_, rest) = message.split_once(" cannot ")?;
    let (verb, rest) = rest.split_once(" resource ")?;
    let mut quoted = rest.split('"').skip(1).step_by(2);
    let (resource, group) = (quoted.next()?, quoted.next()?);
    Some(format!(r#"{{apiGroups: ["{group}"], resources: ["{resource}"], verbs: ["{verb}"]}}"#))
}

/// Reports whether trying again without any change may help: the server was busy, gone, did not know us for a moment (a
/// token is made anew), or somebody was faster.
pub(crate) fn is_transient(error: &kube::Error) -> bool {
    match error {
        kube::Error::Api(status) => matches!(status.code, 401 | 408 | 409 | 429 | 500..=599),
        _ => true,
    }
}

/// What the server answered a watch, or why it could not be asked; `None` if the watch was merely interrupted.
pub(super) fn refusal(error: &kube::runtime::watcher::Error) -> Option<&kube::Error> {
    use kube::runtime::watcher::Error;
    match error {
        Error::InitialListFailed(cause) | Error::WatchStartFailed(cause) | Error::WatchFailed(cause) => {
            Some(cause)
        }
        _ => None,
    }
}

/// Reports whether the operator may not do that.
pub(crate) fn is_forbidden(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 403)
}

/// Reports whether the object asked for is not there.
pub(crate) fn is_not_found(error: &kube::Error) -> bool {
    // By the code: a kind that is gone is answered in plain text.
    matches!(error, kube::Error::Api(status) if status.code == 404)
}

/// Reports whether something of that name is there already, or changed meanwhile.
pub(crate) fn is_conflict(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 409)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube::core::Status;

    #[test]
    fn a_missing_permission_names_the_rule() {
        let message = "deployments.apps \"web\" is forbidden: User \"system:serviceaccount:ns:op\" cannot patch resource \
                       \"deployments\" in API group \"apps\" in the namespace \"ns\"";
        let error = kube::Error::Api(Status::failure(message, "Forbidden").with_code(403).boxed());
        let text = explain(&error);
        assert!(text.starts_with(message), "{text}");
        assert!(
            text.ends_with(r#"{apiGroups: ["apps"], resources: ["deployments"], verbs: ["patch"]}"#),
            "{text}"
        );
    }

    #[test]
    fn refusals_are_final_and_trouble_is_not() {
        let api = |code| kube::Error::Api(Status::failure("m", "r").with_code(code).boxed());
        assert!(!is_transient(&api(422)));
        assert!(!is_transient(&api(403)));
        assert!(is_transient(&api(503)));
        assert!(is_transient(&api(401)));
        assert!(is_conflict(&api(409)));
    }
}
