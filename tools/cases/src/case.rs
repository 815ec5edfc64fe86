//! What a case.yaml says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::step::{RawStep, Step};

/// A case that runs an operator.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    /// Where its files are.
    pub(crate) folder: PathBuf,
    /// What is to be done, or why that is not understood.
    pub(crate) plan: Result<Plan, String>,
}

/// An operator and what is done to it.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) operator: OperatorSpec,
    pub(crate) steps: Vec<Step>,
    /// The right result in words.
    pub(crate) says: String,
    /// Nothing else may run meanwhile: it changes what all cases share.
    pub(crate) alone: bool,
}

/// How an operator is to be run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OperatorSpec {
    /// The chart's folder, relative to the case.
    pub(crate) chart: PathBuf,
    /// Namespaces, separated by commas; variables are put in. The case's own when absent.
    pub(crate) watch_namespace: Option<String>,
    pub(crate) reconcile_period: Option<String>,
    pub(crate) env: BTreeMap<String, Value>,
    pub(crate) override_values: BTreeMap<String, Value>,
    pub(crate) selector: Option<Value>,
}

impl Default for OperatorSpec {
    fn default() -> Self {
        Self {
            chart: "chart".into(),
            watch_namespace: None,
            reconcile_period: None,
            env: BTreeMap::new(),
            override_values: BTreeMap::new(),
            selector: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    api_version: String,
    kind: String,
    #[serde(default)]
    operator: OperatorSpec,
    steps: Vec<RawStep>,
    #[serde(default)]
    needs: Option<Value>,
    #[serde(default)]
    says: String,
    // What people want to know about the case.
    #[serde(default, rename = "id")]
    _id: Value,
    #[serde(default, rename = "type")]
    _type: Value,
    #[serde(default, rename = "title")]
    _title: Value,
    #[serde(default, rename = "category")]
    _category: Value,
    #[serde(default, rename = "source")]
    _source: Value,
    #[serde(default, rename = "users_wanted")]
    _users_wanted: Value,
}

impl Case {
    /// Reads a case.yaml; `None` if it is of another type.
    pub(crate) fn read(folder: &Path, text: &[u8]) -> Option<Case> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let failed = |id: String, why: String| {
            Some(Case {
                id,
                folder: folder.to_owned(),
                plan: Err(format!("case.yaml is not understood: {why}")),
            })
        };
        let value = match read_yaml(text) {
            Ok(value) => value,
            Err(why) => return failed(name, why),
        };
        let id = value.get("id").and_then(Value::as_str).map_or(name, str::to_owned);
        match value.get("type").and_then(Value::as_str) {
            Some("operator") => {}
            Some(_) => return None,
            None => return failed(id, "it has no type".to_owned()),
        }
        let plan = serde_json::from_value::<CaseFile>(value).map_err(|error| error.to_string());
        match plan.and_then(CaseFile::into_plan) {
            Ok(plan) => Some(Case { id, folder: folder.to_owned(), plan: Ok(plan) }),
            Err(why) => failed(id, why),
        }
    }

    /// Whether two cases may run at the same time. Each kind is served by one operator at a time.
    pub(crate) fn goes_with(&self, other: &Case) -> bool {
        match (&self.plan, &other.plan) {
            (Ok(a), Ok(b)) => {
                let same_kind = a.kind.eq_ignore_ascii_case(&b.kind) && a.group() == b.group();
                !a.alone && !b.alone && !same_kind
            }
            _ => true,
        }
    }

    /// Whether nothing else may run meanwhile.
    pub(crate) fn alone(&self) -> bool {
        self.plan.as_ref().is_ok_and(|plan| plan.alone)
    }
}

impl Plan {
    /// The API group of the kind.
    pub(crate) fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// The version of the kind.
    pub(crate) fn version(&self) -> &str {
        self.api_version.split_once('/').map_or(&*self.api_version, |(_, version)| version)
    }
}

impl CaseFile {
    fn into_plan(self) -> Result<Plan, String> {
        let mut steps = Vec::with_capacity(self.steps.len());
        for (index, step) in self.steps.into_iter().enumerate() {
            steps.push(step.into_step().map_err(|why| format!("step {}: {why}", index + 1))?);
        }
        let needs = self.needs.is_some_and(|needs| !needs.is_null());
        Ok(Plan {
            alone: needs || steps.iter().any(Step::touches_what_is_shared),
            api_version: self.api_version,
            kind: self.kind,
            operator: self.operator,
            steps,
            says: self.says,
        })
    }
}

fn read_yaml(text: &[u8]) -> Result<Value, String> {
    let value = goyaml::load(text).map_err(|error| error.to_string())?;
    let json = gostd::json::marshal(&value, false).map_err(|error| error.to_string())?;
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}

/// A scalar as a text, as YAML would write it.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Case> {
        Case::read(Path::new("/cases/folder"), text.as_bytes())
    }

    fn plan(steps: &str) -> Result<Plan, String> {
        let head = "id: op-x\ntype: operator\napi_version: a.example.com/v1\nkind: Thing\nsteps:\n";
        read(&format!("{head}{steps}")).unwrap().plan
    }

    #[test]
    fn cases_of_other_types_are_not_ours() {
        assert!(read("{id: x, type: render}").is_none());
        assert_eq!(read("{id: x}").unwrap().plan.unwrap_err(), "case.yaml is not understood: it has no type");
        let broken = read("{").unwrap();
        assert_eq!(broken.id, "folder");
        assert!(broken.plan.is_err());
    }

    #[test]
    fn what_is_not_understood_is_told() {
        let why = plan("- {check: x, want: y, withing: 3}").unwrap_err();
        assert!(why.contains("withing"), "{why}");
        let why = plan("- run: x\n- want: y").unwrap_err();
        assert!(why.contains("step 2"), "{why}");
    }

    #[test]
    fn defaults_are_the_formats() {
        let plan = plan("- run: x").unwrap();
        assert_eq!(plan.operator.chart, Path::new("chart"));
        assert_eq!(plan.operator.watch_namespace, None);
        assert_eq!((plan.group(), plan.version()), ("a.example.com", "v1"));
        assert!(!plan.alone);
    }

    #[test]
    fn what_changes_shared_things_runs_alone() {
        assert!(plan("- control_plane: restart").unwrap().alone);
        assert!(plan("- run: kubectl label $(kubectl get nodes -o name | head -1) a=b").unwrap().alone);
        let kind = |kind: &str| {
            let text = format!("{{id: x, type: operator, api_version: a.b/v1, kind: {kind}, steps: []}}");
            read(&text).unwrap()
        };
        assert!(kind("One").goes_with(&kind("Two")));
        assert!(!kind("One").goes_with(&kind("one")));
    }
}
