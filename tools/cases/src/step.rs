//! The steps of a case.

use std::path::PathBuf;
use std::time::Duration;

use fancy_regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::case::text_of;
use crate::control::Control;
use crate::expand::Variables;

/// How long a check goes on that does not say.
const WITHIN: f64 = 30.0;
/// How long a hold goes on that does not say.
const FOR: f64 = 15.0;

/// One step.
#[derive(Debug)]
pub(crate) enum Step {
    /// Must exit 0.
    Run { command: String },
    /// Must come true.
    Check { command: String, want: Want, within: Duration },
    /// Must stay as it is, or as wanted.
    Hold { command: String, want: Option<Want>, time: Duration },
    /// Its output is kept in a variable.
    Save { command: String, variable: String },
    /// Nothing happens for a while.
    Wait { time: Duration },
    /// Something is done to the operator.
    Operator(OperatorStep),
    /// Something is done to the control plane.
    Control(Control),
}

/// What is done to the operator.
#[derive(Debug, PartialEq)]
pub(crate) enum OperatorStep {
    Start(Changes),
    Stop,
    Kill,
    Restart(Changes),
}

/// What is different about the operator from now on.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    pub(crate) chart: Option<PathBuf>,
    pub(crate) watch_namespace: Option<String>,
    pub(crate) reconcile_period: Option<String>,
    pub(crate) env: Option<std::collections::BTreeMap<String, Value>>,
    pub(crate) override_values: Option<std::collections::BTreeMap<String, Value>>,
    pub(crate) selector: Option<Value>,
}

/// What an output must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Want {
    /// This text.
    Text(String),
    /// A text with a match of this pattern.
    Match(String),
    /// Anything, of a command that exits 0.
    Success,
}

/// A step as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawStep {
    run: Option<String>,
    check: Option<String>,
    hold: Option<String>,
    save: Option<String>,
    wait: Option<f64>,
    operator: Option<Value>,
    control_plane: Option<Value>,
    want: Option<Value>,
    want_match: Option<String>,
    within: Option<f64>,
    r#for: Option<f64>,
    r#as: Option<String>,
}

impl RawStep {
    /// Makes sense of it.
    ///
    /// # Errors
    /// When it is not exactly one of the known steps.
    pub(crate) fn into_step(self) -> Result<Step, String> {
        let want = match (&self.want, &self.want_match) {
            (Some(_), Some(_)) => return Err("it has both want and want_match".to_owned()),
            (Some(want), None) => Some(Want::Text(text_of(want).trim().to_owned())),
            (None, Some(pattern)) => {
                Regex::new(pattern).map_err(|error| format!("want_match {pattern:?}: {error}"))?;
                Some(Want::Match(pattern.clone()))
            }
            (None, None) => None,
        };
        let mut found = Vec::new();
        if let Some(command) = self.run {
            found.push(Step::Run { command });
        }
        if let Some(command) = self.check {
            let want = want.clone().unwrap_or(Want::Success);
            found.push(Step::Check { command, want, within: seconds(self.within.unwrap_or(WITHIN))? });
        }
        if let Some(command) = self.hold {
            found.push(Step::Hold { command, want, time: seconds(self.r#for.unwrap_or(FOR))? });
        }
        if let Some(command) = self.save {
            let variable = self.r#as.ok_or("save has no name: add `as`")?;
            found.push(Step::Save { command, variable });
        }
        if let Some(wait) = self.wait {
            found.push(Step::Wait { time: seconds(wait)? });
        }
        if let Some(action) = self.operator {
            found.push(Step::Operator(OperatorStep::read(&action)?));
        }
        if let Some(action) = self.control_plane {
            found.push(Step::Control(Control::read(&action)?));
        }
        match (found.pop(), found.is_empty()) {
            (Some(step), true) => Ok(step),
            _ => Err("it is not one of run, check, hold, save, wait, operator and control_plane".to_owned()),
        }
    }
}

impl OperatorStep {
    fn read(action: &Value) -> Result<OperatorStep, String> {
        let unknown = || format!("operator {action} is not one of start, stop, kill and restart");
        let (verb, changes) = match action {
            Value::String(verb) => (verb.as_str(), &Value::Null),
            Value::Object(map) => only_entry(map).ok_or_else(unknown)?,
            _ => return Err(unknown()),
        };
        let changed = || match changes {
            Value::Null => Ok(Changes::default()),
            changes => serde_json::from_value(changes.clone()).map_err(|error| error.to_string()),
        };
        match verb {
            "start" => Ok(OperatorStep::Start(changed()?)),
            "restart" => Ok(OperatorStep::Restart(changed()?)),
            "stop" if changes.is_null() => Ok(OperatorStep::Stop),
            "kill" if changes.is_null() => Ok(OperatorStep::Kill),
            _ => Err(unknown()),
        }
    }
}

fn only_entry(map: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut entries = map.iter();
    match (entries.next(), entries.next()) {
        (Some((key, value)), None) => Some((key, value)),
        _ => None,
    }
}

fn seconds(number: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(number).map_err(|_| format!("{number} is not a number of seconds"))
}

impl Step {
    /// Whether it changes what other cases use too: nodes, or the control plane.
    pub(crate) fn touches_what_is_shared(&self) -> bool {
        match self {
            Step::Run { command } => {
                command.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "nodes")
            }
            Step::Control(_) => true,
            _ => false,
        }
    }
}

impl Want {
    /// Puts variables in.
    pub(crate) fn with(&self, variables: &Variables) -> Want {
        match self {
            Want::Text(text) => Want::Text(variables.put_into(text).trim().to_owned()),
            Want::Match(pattern) => Want::Match(variables.put_into_pattern(pattern)),
            Want::Success => Want::Success,
        }
    }

    /// Whether a trimmed output is what is wanted.
    pub(crate) fn accepts(&self, output: &str, exited_zero: bool) -> bool {
        match self {
            Want::Text(text) => output == text,
            // A pattern that backtracks for ever matches nothing.
            Want::Match(pattern) => {
                Regex::new(pattern).is_ok_and(|regex| regex.is_match(output).unwrap_or(false))
            }
            Want::Success => exited_zero,
        }
    }
}

impl std::fmt::Display for Want {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Want::Text(text) => f.write_str(text),
            Want::Match(pattern) => write!(f, "a match of {pattern}"),
            Want::Success => f.write_str("exit status 0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(value: Value) -> Result<Step, String> {
        serde_json::from_value::<RawStep>(value).map_err(|error| error.to_string())?.into_step()
    }

    #[test]
    fn each_kind_of_step_is_read() {
        assert!(matches!(step(json!({"run": "x"})), Ok(Step::Run { command }) if command == "x"));
        assert!(matches!(step(json!({"wait": 2.5})), Ok(Step::Wait { time }) if time.as_millis() == 2500));
        assert!(matches!(
            step(json!({"check": "x", "want": 15, "within": 3})),
            Ok(Step::Check { want: Want::Text(text), within, .. }) if text == "15" && within.as_secs() == 3
        ));
        assert!(matches!(step(json!({"hold": "x", "for": 20})), Ok(Step::Hold { want: None, .. })));
        assert!(matches!(
            step(json!({"hold": "x", "want": "", "for": 20})),
            Ok(Step::Hold { want: Some(Want::Text(text)), .. }) if text.is_empty()
        ));
        assert!(
            matches!(step(json!({"save": "x", "as": "Y"})), Ok(Step::Save { variable, .. }) if variable == "Y")
        );
        assert!(step(json!({"save": "x"})).unwrap_err().contains("as"));
        assert!(step(json!({"run": "x", "wait": 3})).is_err());
    }

    #[test]
    fn an_operator_is_started_anew_with_another_chart() {
        let Ok(Step::Operator(OperatorStep::Restart(changes))) =
            step(json!({"operator": {"restart": {"chart": "chart-v2"}}}))
        else {
            panic!("a restart")
        };
        assert_eq!(changes.chart, Some("chart-v2".into()));
        assert!(matches!(step(json!({"operator": "kill"})), Ok(Step::Operator(OperatorStep::Kill))));
        assert!(step(json!({"operator": "dance"})).is_err());
    }

    #[test]
    fn patterns_search_and_may_look_around() {
        let want = |pattern: &str| Want::Match(pattern.to_owned());
        assert!(want("(?s)demo.*selector").accepts("a demo\nof a selector", true));
        assert!(want("^(?!.*Error)").accepts("fine", true));
        assert!(!want("^(False)?$").accepts("True", true));
        assert!(want("^(False)?$").accepts("", true));
        assert!(step(json!({"check": "x", "want_match": "("})).is_err());
    }
}
