//! Webhook configurations, to admissionregistration.k8s.io/v1.

use serde_json::json;

use super::{Object, children, default};

/// Fills in v1beta1's defaults where v1 has others, and what v1 demands.
pub(super) fn configuration(object: &mut Object, _: &str) -> Result<(), String> {
    for webhook in children(object, "webhooks") {
        default(webhook, "failurePolicy", "Ignore");
        default(webhook, "matchPolicy", "Exact");
        default(webhook, "timeoutSeconds", 30);
        default(webhook, "admissionReviewVersions", json!(["v1beta1"]));
        let effects = webhook.get("sideEffects").and_then(|effects| effects.as_str());
        let allowed = match effects {
            Some("None") => "None",
            Some("Some" | "NoneOnDryRun") => "NoneOnDryRun",
            // v1 has no word for "unknown"; nearly all such webhooks only judge.
            _ => "None",
        };
        webhook.insert("sideEffects".into(), allowed.into());
    }
    Ok(())
}
