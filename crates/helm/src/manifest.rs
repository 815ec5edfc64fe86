//! Rendered documents: where they end, what they are, when hooks run, and in which order kinds are installed.

mod kinds;
mod split;

pub use kinds::{install_rank, sort_for_install, sort_for_uninstall};
use split::only_document;
pub use split::split;

use crate::Error;
use crate::decode::{Decoder, Struct};

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
    /// `metadata.annotations`, sorted by key.
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
    /// When it is deleted; none means before the next creation.
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
    /// `test`, and `test-success` of Helm 2.
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

const HOOK: &str = "helm.sh/hook";
const HOOK_WEIGHT: &str = "helm.sh/hook-weight";
const HOOK_DELETE_POLICY: &str = "helm.sh/hook-delete-policy";
const HOOK_OUTPUT_LOG_POLICY: &str = "helm.sh/hook-output-log-policy";

const EVENTS: &[(&str, HookEvent)] = &[
    ("pre-install", HookEvent::PreInstall),
    ("post-install", HookEvent::PostInstall),
    ("pre-delete", HookEvent::PreDelete),
    ("post-delete", HookEvent::PostDelete),
    ("pre-upgrade", HookEvent::PreUpgrade),
    ("post-upgrade", HookEvent::PostUpgrade),
    ("pre-rollback", HookEvent::PreRollback),
    ("post-rollback", HookEvent::PostRollback),
    ("test", HookEvent::Test),
    ("test-success", HookEvent::Test),
];

impl HookEvent {
    /// Returns the word of the annotation and of release records.
    pub fn name(self) -> &'static str {
        EVENTS.iter().find(|(_, event)| *event == self).map_or("", |(name, _)| name)
    }

    /// Finds an event by its word.
    pub fn from_name(name: &str) -> Option<Self> {
        EVENTS.iter().find(|(known, _)| *known == name).map(|(_, event)| *event)
    }
}

impl HookDeletePolicy {
    /// Returns the word of the annotation and of release records.
    pub fn name(&self) -> &str {
        match self {
            HookDeletePolicy::BeforeHookCreation => "before-hook-creation",
            HookDeletePolicy::HookSucceeded => "hook-succeeded",
            HookDeletePolicy::HookFailed => "hook-failed",
            HookDeletePolicy::Other(word) => word,
        }
    }

    /// Finds a policy by its word.
    pub fn from_name(name: &str) -> Self {
        match name {
            "before-hook-creation" => HookDeletePolicy::BeforeHookCreation,
            "hook-succeeded" => HookDeletePolicy::HookSucceeded,
            "hook-failed" => HookDeletePolicy::HookFailed,
            other => HookDeletePolicy::Other(other.to_owned()),
        }
    }
}

/// What became of a rendered file's documents.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub(crate) manifests: Vec<Manifest>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) warnings: Vec<String>,
}

impl Sorted {
    /// Splits a rendered file and adds its documents, in order.
    pub(crate) fn add_file(&mut self, path: &str, mut text: Vec<u8>) -> Result<(), Error> {
        if gostd::path::base(path).starts_with('_') || gostd::strings::trim_space(&text).is_empty() {
            return Ok(());
        }
        if let Some(range) = only_document(&text) {
            text.truncate(range.end);
            text.drain(..range.start);
            text.shrink_to_fit();
            return self.add_document(path, text);
        }
        split(&text).try_for_each(|document| self.add_document(path, document.to_vec()))
    }

    /// Sorts by kind, keeping the order within a kind.
    pub(crate) fn finish(&mut self) {
        sort_for_install(&mut self.manifests, |manifest| &manifest.kind);
        sort_for_install(&mut self.hooks, |hook| &hook.kind);
    }

    fn add_document(&mut self, path: &str, document: Vec<u8>) -> Result<(), Error> {
        let head = Head::read(&document);
        let content = String::from_utf8(document)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let head = match head {
            Ok(head) => head,
            Err(reason) => return Err(Error::Manifest { path: path.to_owned(), reason, document: content }),
        };
        let Some(words) = head.annotation(HOOK) else {
            let Head { api_version, kind, name, annotations } = head;
            let path = path.to_owned();
            self.manifests.push(Manifest { path, content, api_version, kind, name, annotations });
            return Ok(());
        };
        match words.split(',').map(|word| HookEvent::from_name(&lowered(word))).collect::<Option<Vec<_>>>() {
            Some(events) => self.hooks.push(head.hook(path, content, events)),
            None => {
                let quoted = gostd::strconv::quote(words.as_bytes());
                self.warnings.push(format!("info: skipping unknown hook: {quoted}"));
            }
        }
        Ok(())
    }
}

/// The part of a document that says what it is (Helm's `SimpleHead`).
#[derive(Debug, Default)]
struct Head {
    api_version: String,
    kind: String,
    name: String,
    annotations: Vec<(String, String)>,
}

impl Head {
    fn read(document: &[u8]) -> Result<Self, String> {
        const HEAD: Struct = Struct {
            go_type: "releaseutil.SimpleHead",
            name: "SimpleHead",
            fields: &["apiVersion", "kind", "metadata"],
        };
        const METADATA: Struct = Struct {
            go_type: r#"struct { Name string "json:\"name\""; Annotations map[string]string "json:\"annotations\"" }"#,
            name: "",
            fields: &["name", "annotations"],
        };
        let mut head = Self::default();
        let mut decoder = Decoder::new(document);
        let value = decoder.load(document, &HEAD).map_err(|error| error.to_string())?;
        decoder.object(&value, &HEAD, |decoder, name, value| match name {
            "apiVersion" => decoder.string(value, &mut head.api_version),
            "kind" => decoder.string(value, &mut head.kind),
            _ => {
                decoder.object(value, &METADATA, |decoder, name, value| match name {
                    "name" => decoder.string(value, &mut head.name),
                    _ => decoder.string_map(value, &mut head.annotations),
                });
            }
        });
        decoder.finish()?;
        Ok(head)
    }

    fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    fn words(&self, key: &str) -> Vec<String> {
        self.annotation(key).map(|words| words.split(',').map(lowered).collect()).unwrap_or_default()
    }

    fn hook(self, path: &str, manifest: String, events: Vec<HookEvent>) -> Hook {
        let weight = self.annotation(HOOK_WEIGHT).unwrap_or_default();
        let policies = self.words(HOOK_DELETE_POLICY);
        Hook {
            weight: gostd::strconv::atoi(weight.as_bytes()).unwrap_or_default(),
            delete_policies: policies.iter().map(|word| HookDeletePolicy::from_name(word)).collect(),
            output_log_policies: self.words(HOOK_OUTPUT_LOG_POLICY),
            name: self.name,
            kind: self.kind,
            path: path.to_owned(),
            manifest,
            events,
        }
    }
}

fn lowered(word: &str) -> String {
    word.trim().to_lowercase()
}
