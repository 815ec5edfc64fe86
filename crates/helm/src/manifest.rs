//! Rendered documents: what they are, when hooks run, and in which order kinds are installed.

/// A rendered object that is not a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The template it came from (`chart/templates/x.yaml`).
    pub path: String,
    /// The YAML text.
    pub content: String,
    /// `apiVersion`, empty if missing.
    pub api_version: String,
    /// `kind`, empty if missing (a document of only comments).
    pub kind: String,
    /// `metadata.name`, empty if missing.
    pub name: String,
    /// `metadata.annotations`.
    pub annotations: Vec<(String, String)>,
}

/// A rendered object with the annotation `helm.sh/hook`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hook {
    /// `metadata.name`.
    pub name: String,
    /// `kind`.
    pub kind: String,
    /// The template it came from.
    pub path: String,
    /// The YAML text.
    pub manifest: String,
    /// When it runs.
    pub events: Vec<HookEvent>,
    /// Hooks of one event run by ascending weight, then name.
    pub weight: i64,
    /// When it is deleted, as written (lower-cased); empty means before the next creation.
    pub delete_policies: Vec<HookDeletePolicy>,
    /// When its logs are shown, as written (lower-cased).
    pub output_log_policies: Vec<String>,
}

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HookEvent {
    /// `pre-install`.
    PreInstall,
    /// `post-install`.
    PostInstall,
    /// `pre-delete`.
    PreDelete,
    /// `post-delete`.
    PostDelete,
    /// `pre-upgrade`.
    PreUpgrade,
    /// `post-upgrade`.
    PostUpgrade,
    /// `pre-rollback`.
    PreRollback,
    /// `post-rollback`.
    PostRollback,
    /// `test` and `test-success`.
    Test,
}

/// When a hook's object is deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookDeletePolicy {
    /// `before-hook-creation`.
    BeforeHookCreation,
    /// `hook-succeeded`.
    HookSucceeded,
    /// `hook-failed`.
    HookFailed,
    /// A word Helm does not know; it never applies.
    Other(String),
}
