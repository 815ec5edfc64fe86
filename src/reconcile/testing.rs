//! The chart's tests, run when the user asks: `helm test` by annotation, the result in the status.

use helm::{Hook, HookEvent};
use serde_json::{Value, json};

use super::Controller;
use super::error::Error;
use super::hooks::Attempt;
use super::status::time;
use super::uninstall::hook;
use crate::annotations::TEST;
use crate::cluster::error::explain;
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;

impl Controller {
    /// Runs the release's tests if they were asked for and not run since.
    pub(super) async fn test_if_asked(&self, instance: &Instance) -> Result<(), Error> {
        let Some(asked) = instance.annotations.get(TEST) else { return Ok(()) };
        if is_done(&instance.status(), asked) {
            return Ok(());
        }
        let record = self.last_record(instance).await?.map(|last| last.record);
        let hooks: Vec<Hook> = record.iter().flat_map(|record| &record.hooks).filter_map(hook).collect();
        let tests = hooks.iter().filter(|hook| hook.events.contains(&HookEvent::Test)).count();
        let revision = record.map(|record| record.version);
        let started = time(jiff::Timestamp::now());
        let told = |phase: &str, message: &str, completed: Option<String>| {
            json!({"test": {
                "asked": &**asked, "phase": phase, "message": message, "tests": tests, "revision": revision,
                "startedAt": started, "completedAt": completed,
            }})
        };
        self.tell_test(instance, &told("Running", "", None)).await;
        let ran = self.run_hooks(instance, &hooks, HookEvent::Test, Attempt::FROM_THE_START).await;
        let (severity, phase, message) = match ran {
            Ok(()) if tests == 0 => (Severity::Normal, "Succeeded", "the chart has no tests".to_owned()),
            Ok(()) => (Severity::Normal, "Succeeded", format!("{tests} of {tests} tests passed")),
            Err(error @ Error::Hook { .. }) => {
                let told = self.secrets(instance).hide(&error.to_string()).into_owned();
                (Severity::Warning, "Failed", told)
            }
            Err(error) => return Err(error),
        };
        let reason = if phase == "Failed" { "TestFailed" } else { "TestSucceeded" };
        tracing::info!(
            kind = %self.watch.names.kind, namespace = %instance.key.namespace, name = %instance.key.name, tests, reason,
            "Tested release"
        );
        self.events.tell(instance, severity, "Test", reason, &message);
        self.tell_test(instance, &told(phase, &message, Some(time(jiff::Timestamp::now())))).await;
        Ok(())
    }

    async fn tell_test(&self, instance: &Instance, status: &Value) {
        let Some(current) = self.instances.get(&instance.key) else { return };
        if let Err(error) = self.instances.patch_status(&current, status).await {
            tracing::warn!(resource = %instance.key, error = %explain(&error), "Cannot tell the tests' result");
        }
    }
}

/// Whether the status has the result of what is asked for.
fn is_done(status: &Value, asked: &str) -> bool {
    let text = |key: &str| status.pointer(&format!("/test/{key}")).and_then(Value::as_str);
    text("asked") == Some(asked) && text("phase") != Some("Running")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_is_answered_once() {
        let status = |phase: &str| json!({"test": {"asked": "1", "phase": phase}});
        assert!(is_done(&status("Succeeded"), "1") && is_done(&status("Failed"), "1"));
        assert!(!is_done(&status("Running"), "1"), "one that was interrupted is run again");
        assert!(!is_done(&status("Succeeded"), "2") && !is_done(&Value::Null, "1"));
    }
}
