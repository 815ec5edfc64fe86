//! The API server's question and our answer: `AdmissionReview` of admission.k8s.io/v1.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::reconcile::judge::Verdict;
use crate::words::shorten;

/// Texts longer than this are cut: the API server hands them on to people.
const LONGEST_MESSAGE: usize = 16 * 1024;
/// The API server cuts warnings itself, and drops them all when they are too long together.
const LONGEST_WARNING: usize = 240;

/// A question.
#[derive(Deserialize)]
pub(super) struct Review {
    pub(super) request: Request,
}

/// What somebody wants to do.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) uid: String,
    pub(super) kind: Kind,
    pub(super) operation: String,
    #[serde(default)]
    pub(super) object: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) old_object: Option<Box<RawValue>>,
}

/// A kind, as reviews name it. The version is always ours: the API server converts.
#[derive(Deserialize)]
pub(super) struct Kind {
    pub(super) group: String,
    pub(super) kind: String,
}

impl Request {
    pub(super) fn is_new(&self) -> bool {
        self.operation == "CREATE"
    }
}

/// Writes the answer to a question.
pub(super) fn answer(uid: &str, verdict: &Verdict) -> Value {
    let response = match verdict {
        Verdict::Fine { warnings } => {
            let warnings: Vec<_> =
                warnings.iter().map(|text| shorten(&one_line(text), LONGEST_WARNING).into_owned()).collect();
            json!({"uid": uid, "allowed": true, "warnings": warnings})
        }
        Verdict::Refused(why) => json!({"uid": uid, "allowed": false, "status": {
            "code": 422, "reason": "Invalid", "message": shorten(why, LONGEST_MESSAGE),
        }}),
    };
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
}

/// Warnings travel in a header.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read() {
        let review: Review = serde_json::from_str(
            r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
                "uid": "u", "kind": {"group": "a.io", "version": "v1", "kind": "X"}, "operation": "CREATE",
                "object": {"spec": {"a": 1}}, "oldObject": null, "dryRun": true, "options": {}}}"#,
        )
        .unwrap();
        assert!(review.request.is_new() && review.request.old_object.is_none());
        assert_eq!(review.request.object.unwrap().get(), r#"{"spec": {"a": 1}}"#);
    }

    #[test]
    fn answers_fit_what_carries_them() {
        let fine = answer("u", &Verdict::Fine { warnings: vec![format!("a\nb{}", "ü".repeat(200))] });
        let warning = fine["response"]["warnings"][0].as_str().unwrap();
        assert!(warning.starts_with("a bü") && warning.ends_with('ü') && warning.len() <= 240, "{warning}");
        let refused = answer("u", &Verdict::Refused("port is required".into()));
        assert_eq!(refused["response"]["allowed"], false);
        assert_eq!(refused["response"]["status"]["message"], "port is required");
    }
}
