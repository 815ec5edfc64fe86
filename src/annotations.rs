//! The annotations that mean something to the operator, all in one place: what users write on a custom resource, and what
//! charts write on their objects.

use crate::cluster::instances::Instance;

/// helm-operator's: the resource waits until every object of its release is gone.
pub(crate) const UNINSTALL_WAIT: &str = "helm.sdk.operatorframework.io/uninstall-wait";
/// helm-operator's: how often a settled resource is looked at again, as Go writes durations.
pub(crate) const RECONCILE_PERIOD: &str = "helm.sdk.operatorframework.io/reconcile-period";
/// Whether a failed upgrade goes back to the last good release; overrides the kind's setting.
pub(crate) const ROLLBACK: &str = "chartwright.io/rollback-on-failure";
/// Whether objects that nobody or another Helm release manages are taken over.
pub(crate) const ADOPT: &str = "chartwright.io/adopt";
/// Kinds, separated by commas, whose objects may be made anew when a field that cannot be changed has changed.
pub(crate) const RECREATE: &str = "chartwright.io/recreate";
/// What becomes of fields that an object's type does not know: `refuse` or `drop`; overrides the kind's setting.
pub(crate) const UNKNOWN_FIELDS: &str = "chartwright.io/unknown-fields";
/// How long the release may take to get ready before it counts as stalled, as Go writes durations.
pub(crate) const READY_DEADLINE: &str = "chartwright.io/ready-deadline";
/// What becomes of the release when the resource is deleted: `orphan` leaves all of it as a release of Helm's, `force` lets
/// nothing hold the resource up.
pub(crate) const DELETION_POLICY: &str = "chartwright.io/deletion-policy";
/// How long a deletion may take before the resource goes whatever is left, as Go writes durations.
pub(crate) const DELETION_DEADLINE: &str = "chartwright.io/deletion-deadline";
/// On an object of a chart: JSON pointers, separated by commas, of fields that are left as they are.
pub(crate) const IGNORE: &str = "chartwright.io/ignore";

/// helm-operator-plugins': no hooks around an install.
pub(crate) const INSTALL_DISABLE_HOOKS: &str = "helm.sdk.operatorframework.io/install-disable-hooks";
/// helm-operator-plugins': no hooks around upgrades.
pub(crate) const UPGRADE_DISABLE_HOOKS: &str = "helm.sdk.operatorframework.io/upgrade-disable-hooks";
/// helm-operator-plugins': no hooks around the deletion.
pub(crate) const UNINSTALL_DISABLE_HOOKS: &str = "helm.sdk.operatorframework.io/uninstall-disable-hooks";
/// helm-operator-plugins': what the record of an install says.
pub(crate) const INSTALL_DESCRIPTION: &str = "helm.sdk.operatorframework.io/install-description";
/// helm-operator-plugins': what the record of an upgrade says.
pub(crate) const UPGRADE_DESCRIPTION: &str = "helm.sdk.operatorframework.io/upgrade-description";
/// Nothing is done about the resource while this is true, except when it is deleted.
pub(crate) const PAUSED: &str = "chartwright.io/paused";
/// Whenever its text changes, everything is looked at and applied again at once.
pub(crate) const RECONCILE_NOW: &str = "chartwright.io/reconcile-now";
/// Whenever its text changes, the release's test hooks are run.
pub(crate) const TEST: &str = "chartwright.io/test";
/// On a hook, or on a resource for all its hooks: how long one may take, as Go writes durations.
pub(crate) const HOOK_DEADLINE: &str = "chartwright.io/hook-deadline";
/// Written on a hook's objects: which run of it they were made for.
pub(crate) const HOOK_RUN: &str = "chartwright.io/hook-run";
/// Whether every revision of a release gets random values of its own (`fresh`) or all the same (`stable`); overrides the
/// kind's setting.
pub(crate) const RANDOM_VALUES: &str = "chartwright.io/random-values";
/// While this is true nothing new is applied: the status tells what would be.
pub(crate) const PLAN: &str = "chartwright.io/plan";
/// The version of the chart that the release is made of, where the operator has several.
pub(crate) const CHART_VERSION: &str = "chartwright.io/chart-version";
/// Keeps a release at the chart it was made of.
pub(crate) const HOLD: &str = "chartwright.io/hold";

/// What users may say by an annotation.
enum Says {
    /// True or false.
    Switch,
    /// One of some words.
    Word(&'static [&'static str]),
    /// How long, as Go writes it.
    Duration,
    /// Anything.
    Text,
}

/// The annotations of a custom resource that mean something, but for those that are judged where they are read.
const OF_RESOURCES: &[(&str, Says)] = &[
    (UNINSTALL_WAIT, Says::Switch),
    (INSTALL_DISABLE_HOOKS, Says::Switch),
    (UPGRADE_DISABLE_HOOKS, Says::Switch),
    (UNINSTALL_DISABLE_HOOKS, Says::Switch),
    (ROLLBACK, Says::Switch),
    (ADOPT, Says::Switch),
    (PAUSED, Says::Switch),
    (PLAN, Says::Switch),
    (HOLD, Says::Switch),
    (UNKNOWN_FIELDS, Says::Word(&["refuse", "drop"])),
    (DELETION_POLICY, Says::Word(&["orphan", "force"])),
    (RANDOM_VALUES, Says::Word(&["fresh", "stable"])),
    (READY_DEADLINE, Says::Duration),
    (DELETION_DEADLINE, Says::Duration),
    (HOOK_DEADLINE, Says::Duration),
    (RECREATE, Says::Text),
    (RECONCILE_NOW, Says::Text),
    (TEST, Says::Text),
    (CHART_VERSION, Says::Text),
];

/// Annotations of ours on objects of charts, which a resource may carry as an object of another.
const OF_OBJECTS: &[&str] = &[IGNORE, HOOK_RUN];

/// What the annotations of a custom resource say in vain: names of ours that mean nothing, and texts that are none of those
/// expected. An empty text takes an annotation back.
pub(crate) fn slips(instance: &Instance) -> Vec<String> {
    instance.annotations.iter().filter_map(|(name, text)| slip(name, text.trim())).collect()
}

fn slip(name: &str, text: &str) -> Option<String> {
    let Some((_, says)) = OF_RESOURCES.iter().find(|(known, _)| *known == name) else {
        let is_ours = name.starts_with("chartwright.io/") && !OF_OBJECTS.contains(&name);
        let known = OF_RESOURCES.iter().map(|(known, _)| *known);
        return is_ours.then(|| match crate::words::nearest(name, known) {
            Some(near) => format!("annotation {name} means nothing: is {near} meant?"),
            None => format!("annotation {name} means nothing"),
        });
    };
    if text.is_empty() {
        return None;
    }
    match says {
        Says::Switch if truth(text).is_none() => {
            Some(format!("annotation {name}: {text:?} is neither true nor false, and counts for nothing"))
        }
        Says::Word(words) if !words.contains(&text) => {
            Some(format!("annotation {name}: {text:?} counts for nothing; it may be {}", words.join(" or ")))
        }
        Says::Duration => {
            crate::watches::go_duration(text).err().map(|why| format!("annotation {name}: {why}"))
        }
        _ => None,
    }
}

/// Whether an annotation of a custom resource says true; anything else is false, as in helm-operator.
pub(crate) fn is_true(instance: &Instance, annotation: &str) -> bool {
    switch(instance, annotation) == Some(true)
}

/// What an annotation of a custom resource says of a switch; `None` if it says neither true nor false.
pub(crate) fn switch(instance: &Instance, annotation: &str) -> Option<bool> {
    truth(instance.annotations.get(annotation)?.trim())
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "t" | "1" => Some(true),
        "false" | "f" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_true_are_gos() {
        let mut instance = Instance::example("n", "a", "1");
        for (text, truth) in
            [("true", true), ("True", true), ("1", true), ("yes", false), ("false", false), ("", false)]
        {
            instance.annotations.insert(UNINSTALL_WAIT.into(), text.into());
            assert_eq!(is_true(&instance, UNINSTALL_WAIT), truth, "{text:?}");
        }
        assert!(!is_true(&instance, PAUSED));
    }

    #[test]
    fn what_is_said_in_vain_is_named() {
        let mut instance = Instance::example("n", "a", "1");
        for (name, text) in [
            (PAUSED, "yes"),
            (HOLD, "True"),
            (PLAN, ""),
            (DELETION_DEADLINE, "soon"),
            (READY_DEADLINE, "5m"),
            (DELETION_POLICY, "orfan"),
            (RANDOM_VALUES, "fresh"),
            (RECREATE, "*"),
            (IGNORE, "/data"),
            ("chartwright.io/pause", "true"),
            ("chartwright.io/something-else-altogether", "x"),
            ("helm.sdk.operatorframework.io/upgrade-force", "true"),
        ] {
            instance.annotations.insert(name.into(), text.into());
        }
        assert_eq!(
            slips(&instance),
            [
                "annotation chartwright.io/deletion-deadline: \"soon\" is not a duration: write for example 30s, 1m or 1h30m",
                "annotation chartwright.io/deletion-policy: \"orfan\" counts for nothing; it may be orphan or force",
                "annotation chartwright.io/pause means nothing: is chartwright.io/paused meant?",
                "annotation chartwright.io/paused: \"yes\" is neither true nor false, and counts for nothing",
                "annotation chartwright.io/something-else-altogether means nothing",
            ]
        );
    }
}
