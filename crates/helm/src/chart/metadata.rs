//! Chart.yaml: its fields, how they are decoded, and what makes them valid.

use gostd::Value;
use gostd::value::Frozen;

use crate::decode::{Decoder, ListInput, Struct};

/// The content of Chart.yaml.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// `name`.
    pub name: String,
    /// `home`.
    pub home: String,
    /// `sources`.
    pub sources: Vec<String>,
    /// `version`.
    pub version: String,
    /// `description`.
    pub description: String,
    /// `keywords`.
    pub keywords: Vec<String>,
    /// `maintainers`.
    pub maintainers: Vec<Maintainer>,
    /// `icon`.
    pub icon: String,
    /// `apiVersion`; `v1` when Chart.yaml has none.
    pub api_version: String,
    /// `condition`.
    pub condition: String,
    /// `tags`.
    pub tags: String,
    /// `appVersion`.
    pub app_version: String,
    /// `deprecated`.
    pub deprecated: bool,
    /// `annotations`, sorted by key.
    pub annotations: Vec<(String, String)>,
    /// `kubeVersion`.
    pub kube_version: String,
    /// `dependencies`; `None` when the key is missing or null, which is not the same as an empty list.
    pub dependencies: Option<Vec<Dependency>>,
    /// `type`.
    pub chart_type: String,
    /// Which lists and maps stand in Chart.yaml although they are empty: templates can tell `[]` from nothing.
    pub empty: EmptyFields,
}

/// Fields of Chart.yaml that are there and empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmptyFields {
    /// `sources: []`.
    pub sources: bool,
    /// `keywords: []`.
    pub keywords: bool,
    /// `maintainers: []`.
    pub maintainers: bool,
    /// `annotations: {}`.
    pub annotations: bool,
}

/// An entry of `maintainers`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Maintainer {
    /// `name`.
    pub name: String,
    /// `email`.
    pub email: String,
    /// `url`.
    pub url: String,
}

/// An entry of `dependencies`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dependency {
    /// `name`.
    pub name: String,
    /// `version`, a range.
    pub version: String,
    /// `repository`.
    pub repository: String,
    /// `condition`.
    pub condition: String,
    /// `tags`.
    pub tags: Vec<String>,
    /// `enabled`; rendering sets it.
    pub enabled: bool,
    /// `import-values`.
    pub import_values: Vec<Frozen>,
    /// `alias`.
    pub alias: String,
}

const METADATA: Struct = Struct {
    go_type: "chart.Metadata",
    name: "Metadata",
    fields: &[
        "name",
        "home",
        "sources",
        "version",
        "description",
        "keywords",
        "maintainers",
        "icon",
        "apiVersion",
        "condition",
        "tags",
        "appVersion",
        "deprecated",
        "annotations",
        "kubeVersion",
        "dependencies",
        "type",
    ],
};
const MAINTAINER: Struct =
    Struct { go_type: "chart.Maintainer", name: "Maintainer", fields: &["name", "email", "url"] };
const DEPENDENCY: Struct = Struct {
    go_type: "chart.Dependency",
    name: "Dependency",
    fields: &["name", "version", "repository", "condition", "tags", "enabled", "import-values", "alias"],
};

/// Metadata while files are still being read into it: list entries can be null.
#[derive(Debug, Default)]
pub(super) struct Draft {
    metadata: Metadata,
    maintainers: Vec<Option<Maintainer>>,
    dependencies: Option<Vec<Option<Dependency>>>,
}

impl Draft {
    /// Decodes Chart.yaml or requirements.yaml into what is there already.
    pub(super) fn decode(&mut self, text: &[u8]) -> Result<(), String> {
        let value = goyaml::load_typed(text).map_err(|error| error.to_string())?;
        let mut decoder = Decoder::new(text);
        let Self { metadata, maintainers, dependencies } = self;
        decoder.object(&value, &METADATA, |decoder, name, value| match name {
            "name" => decoder.string(value, &mut metadata.name),
            "home" => decoder.string(value, &mut metadata.home),
            "sources" => {
                decoder.strings(value, &mut metadata.sources);
                metadata.empty.sources = is_empty(value);
            }
            "version" => decoder.string(value, &mut metadata.version),
            "description" => decoder.string(value, &mut metadata.description),
            "keywords" => {
                decoder.strings(value, &mut metadata.keywords);
                metadata.empty.keywords = is_empty(value);
            }
            "maintainers" => {
                match decoder.list(value, "[]*chart.Maintainer") {
                    ListInput::Items(items) => {
                        decode_items(decoder, &items.to_vec(), maintainers, decode_maintainer)
                    }
                    ListInput::Null => maintainers.clear(),
                    ListInput::Other => {}
                }
                metadata.empty.maintainers = is_empty(value);
            }
            "icon" => decoder.string(value, &mut metadata.icon),
            "apiVersion" => decoder.string(value, &mut metadata.api_version),
            "condition" => decoder.string(value, &mut metadata.condition),
            "tags" => decoder.string(value, &mut metadata.tags),
            "appVersion" => decoder.string(value, &mut metadata.app_version),
            "deprecated" => decoder.boolean(value, &mut metadata.deprecated),
            "annotations" => {
                decoder.string_map(value, &mut metadata.annotations);
                metadata.empty.annotations |= matches!(value, Value::Map(_));
            }
            "kubeVersion" => decoder.string(value, &mut metadata.kube_version),
            "dependencies" => match decoder.list(value, "[]*chart.Dependency") {
                ListInput::Items(items) => {
                    let dependencies = dependencies.get_or_insert_default();
                    decode_items(decoder, &items.to_vec(), dependencies, decode_dependency);
                }
                ListInput::Null => *dependencies = None,
                ListInput::Other => {}
            },
            _ => decoder.string(value, &mut metadata.chart_type),
        });
        decoder.finish()
    }

    /// Returns `apiVersion` as read so far.
    pub(super) fn api_version(&self) -> &str {
        &self.metadata.api_version
    }

    /// A chart without `apiVersion` is one of Helm 2.
    pub(super) fn default_api_version(&mut self) {
        if self.metadata.api_version.is_empty() {
            self.metadata.api_version.push_str("v1");
        }
    }

    /// Cleans the texts and checks the rules, in Helm's order (`chart.Metadata.Validate`).
    pub(super) fn validate(self) -> Result<Metadata, String> {
        let Self { mut metadata, maintainers, dependencies } = self;
        metadata.sanitize();
        metadata.check()?;
        for maintainer in maintainers {
            let mut maintainer = maintainer.ok_or("maintainers must not contain empty or null nodes")?;
            sanitize_all([&mut maintainer.name, &mut maintainer.email, &mut maintainer.url]);
            metadata.maintainers.push(maintainer);
        }
        if let Some(entries) = dependencies {
            metadata.dependencies = Some(valid_dependencies(entries)?);
        }
        Ok(metadata)
    }
}

fn is_empty(list: &Value) -> bool {
    list.as_list().is_some_and(gostd::List::is_empty)
}

fn decode_items<T: Default>(
    decoder: &mut Decoder,
    items: &[Value],
    target: &mut Vec<Option<T>>,
    decode: fn(&mut Decoder, &Value, &mut T),
) {
    target.resize_with(items.len(), || None);
    for (item, target) in items.iter().zip(target) {
        if item.is_nil() {
            *target = None;
        } else {
            decode(decoder, item, target.get_or_insert_default());
        }
    }
}

fn decode_maintainer(decoder: &mut Decoder, value: &Value, target: &mut Maintainer) {
    decoder.object(value, &MAINTAINER, |decoder, name, value| match name {
        "name" => decoder.string(value, &mut target.name),
        "email" => decoder.string(value, &mut target.email),
        _ => decoder.string(value, &mut target.url),
    });
}

fn decode_dependency(decoder: &mut Decoder, value: &Value, target: &mut Dependency) {
    decoder.object(value, &DEPENDENCY, |decoder, name, value| match name {
        "name" => decoder.string(value, &mut target.name),
        "version" => decoder.string(value, &mut target.version),
        "repository" => decoder.string(value, &mut target.repository),
        "condition" => decoder.string(value, &mut target.condition),
        "tags" => decoder.strings(value, &mut target.tags),
        "enabled" => decoder.boolean(value, &mut target.enabled),
        "alias" => decoder.string(value, &mut target.alias),
        _ => match decoder.list(value, "[]interface {}") {
            ListInput::Items(items) => {
                decoder.check_numbers(value);
                target.import_values = items.with(|items| items.iter().map(Frozen::from).collect());
            }
            ListInput::Null => target.import_values.clear(),
            ListInput::Other => {}
        },
    });
}

/// Checks that the dependencies of a lock file decode.
pub(super) fn check_dependencies(decoder: &mut Decoder, items: &[Value]) {
    decode_items(decoder, items, &mut Vec::new(), decode_dependency);
}

impl Metadata {
    fn sanitize(&mut self) {
        sanitize_all([
            &mut self.name,
            &mut self.description,
            &mut self.home,
            &mut self.icon,
            &mut self.condition,
            &mut self.tags,
            &mut self.app_version,
            &mut self.kube_version,
        ]);
        sanitize_all(&mut self.sources);
        sanitize_all(&mut self.keywords);
    }

    fn check(&self) -> Result<(), String> {
        let name = &self.name;
        if self.api_version.is_empty() {
            return Err("chart.metadata.apiVersion is required".to_owned());
        }
        if name.is_empty() {
            return Err("chart.metadata.name is required".to_owned());
        }
        if name == "." || name == ".." {
            return Err(format!("chart.metadata.name {} is not allowed", quoted(name)));
        }
        if *name != gostd::path::base(name.as_str()) {
            return Err(format!("chart.metadata.name {} is invalid", quoted(name)));
        }
        if self.version.is_empty() {
            return Err("chart.metadata.version is required".to_owned());
        }
        if sprig::semver::Version::parse(&self.version).is_err() {
            return Err(format!("chart.metadata.version {} is invalid", quoted(&self.version)));
        }
        if !matches!(self.chart_type.as_str(), "" | "application" | "library") {
            return Err("chart.metadata.type must be application or library".to_owned());
        }
        Ok(())
    }

    /// Reports whether this is a library chart: only its partials are templates.
    pub fn is_library(&self) -> bool {
        self.chart_type.eq_ignore_ascii_case("library")
    }
}

fn valid_dependencies(entries: Vec<Option<Dependency>>) -> Result<Vec<Dependency>, String> {
    let mut dependencies: Vec<Dependency> = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut entry = entry.ok_or("dependencies must not contain empty or null nodes")?;
        let Dependency { name, version, repository, condition, tags, alias, .. } = &mut entry;
        sanitize_all([name, version, repository, condition].into_iter().chain(tags));
        if !alias.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
            return Err(format!("dependency {} has disallowed characters in the alias", quoted(&entry.name)));
        }
        let key = entry.effective_name();
        if dependencies.iter().any(|earlier| earlier.effective_name() == key) {
            return Err(format!("more than one dependency with name or alias {}", quoted(key)));
        }
        dependencies.push(entry);
    }
    Ok(dependencies)
}

impl Dependency {
    /// A dependency with nothing in it.
    pub(crate) const EMPTY: Self = Self {
        name: String::new(),
        version: String::new(),
        repository: String::new(),
        condition: String::new(),
        tags: Vec::new(),
        enabled: false,
        import_values: Vec::new(),
        alias: String::new(),
    };

    /// Returns the alias, or the name if there is none.
    pub fn effective_name(&self) -> &str {
        if self.alias.is_empty() { &self.name } else { &self.alias }
    }
}

fn quoted(text: &str) -> String {
    gostd::strconv::quote(text.as_bytes())
}

fn sanitize_all<'a>(texts: impl IntoIterator<Item = &'a mut String>) {
    for text in texts {
        let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !plain {
            *text = text.chars().filter_map(sanitized).collect();
        }
    }
}

/// White space becomes a space, what cannot be printed vanishes (Helm's `sanitizeString`).
fn sanitized(letter: char) -> Option<char> {
    if letter.is_whitespace() { Some(' ') } else { gostd::strconv::is_print(letter).then_some(letter) }
}
