//! The built-in objects as Go types: `.Chart`, `.Capabilities`, `.Values` and their parts.

use std::rc::Rc;

use gostd::value::{ANY_MAP, Elem, Kind, ListType, MapType, Method, Object, STRING_MAP, Signature, Type};
use gostd::{GoStr, List, Map, Value};

use crate::capabilities::{Capabilities, HelmVersion, KubeVersion};
use crate::chart::{Maintainer, Metadata};
use crate::tree::{Imports, NodeId, Tree};
use crate::values::{path_value, table};

/// `chartutil.Values`: the type of `$`, `.Values` and `.Template`.
pub(super) static VALUES: MapType =
    MapType { name: "chartutil.Values", elem: Elem::Any, methods: VALUES_METHODS };

const VALUES_METHODS: &[Method] = &[
    Method { name: "AsMap", signature: Signature::fixed(&[]), call: |values, _| Ok(as_map(values)) },
    Method {
        name: "Encode",
        signature: Signature::fixed(&[Type::Named("io.Writer")]),
        call: |_, _| Err("templates have no writer to encode to".to_owned()),
    },
    Method {
        name: "PathValue",
        signature: Signature::fixed(&[Type::String]),
        call: |values, arguments| {
            path_value(&receiver(values), text(arguments)).map_err(|error| error.to_string())
        },
    },
    Method {
        name: "Table",
        signature: Signature::fixed(&[Type::String]),
        call: |values, arguments| {
            let table = table(&receiver(values), text(arguments)).map_err(|error| error.to_string())?;
            Ok(Value::Map(table.retyped(&VALUES)))
        },
    },
    Method {
        name: "YAML",
        signature: Signature::fixed(&[]),
        call: |values, _| goyaml::to_yaml(values).map(Value::string).map_err(|error| error.to_string()),
    },
];

fn as_map(values: &Value) -> Value {
    let map = receiver(values);
    Value::Map(if map.is_empty() { Map::new() } else { map.retyped(&ANY_MAP) })
}

/// Returns the map that a method of a map type was called on.
pub(super) fn receiver(value: &Value) -> Map {
    value.as_map().cloned().unwrap_or_default()
}

/// Returns the first argument of a method that takes a string.
pub(super) fn text(arguments: &[Value]) -> GoStr {
    arguments.first().and_then(Value::as_str).cloned().unwrap_or_default()
}

/// A struct or pointer whose fields are known when it is made.
#[derive(Clone, Debug)]
struct Record {
    type_name: &'static str,
    kind: Kind,
    fields: Vec<(&'static str, Value)>,
    /// The name of each field in JSON, and whether it is left out when empty; empty: as the field.
    json: &'static [(&'static str, Omit)],
    methods: &'static [Method],
    /// Whether the fields have `yaml` tags like their `json` ones.
    has_yaml_tags: bool,
}

/// Whether a field of a JSON object is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Omit {
    Never,
    WhenEmpty,
}

impl Object for Record {
    fn type_name(&self) -> &'static str {
        self.type_name
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn field(&self, name: &str) -> Option<Value> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, value)| value.clone())
    }

    fn methods(&self) -> &'static [Method] {
        self.methods
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        self.fields.clone()
    }

    fn json_fields(&self) -> Option<Vec<(&'static str, Value)>> {
        let fields = self.fields.iter().enumerate().filter_map(|(index, (field, value))| {
            let (name, omit) = self.json.get(index).copied().unwrap_or((field, Omit::Never));
            let left_out = omit == Omit::WhenEmpty && !value.is_true();
            (!left_out).then(|| (name, value.clone()))
        });
        Some(fields.collect())
    }

    fn yaml_fields(&self) -> Option<Vec<(&'static str, Value)>> {
        self.has_yaml_tags.then(|| self.json_fields()).flatten()
    }
}

/// `.Chart`: a struct that embeds the chart's metadata.
#[derive(Debug)]
struct ChartObject {
    metadata: Rc<Record>,
    is_root: bool,
}

impl Object for ChartObject {
    fn type_name(&self) -> &'static str {
        "struct { chart.Metadata; IsRoot bool }"
    }

    fn field(&self, name: &str) -> Option<Value> {
        match name {
            "IsRoot" => Some(Value::Bool(self.is_root)),
            "Metadata" => Some(Value::Object(self.metadata.clone())),
            _ => self.metadata.field(name),
        }
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![("Metadata", Value::Object(self.metadata.clone())), ("IsRoot", Value::Bool(self.is_root))]
    }

    fn json_fields(&self) -> Option<Vec<(&'static str, Value)>> {
        let mut fields = self.metadata.json_fields()?;
        fields.push(("IsRoot", Value::Bool(self.is_root)));
        Some(fields)
    }
}

const METADATA_JSON: &[(&str, Omit)] = &[
    ("name", Omit::WhenEmpty),
    ("home", Omit::WhenEmpty),
    ("sources", Omit::WhenEmpty),
    ("version", Omit::WhenEmpty),
    ("description", Omit::WhenEmpty),
    ("keywords", Omit::WhenEmpty),
    ("maintainers", Omit::WhenEmpty),
    ("icon", Omit::WhenEmpty),
    ("apiVersion", Omit::WhenEmpty),
    ("condition", Omit::WhenEmpty),
    ("tags", Omit::WhenEmpty),
    ("appVersion", Omit::WhenEmpty),
    ("deprecated", Omit::WhenEmpty),
    ("annotations", Omit::WhenEmpty),
    ("kubeVersion", Omit::WhenEmpty),
    ("dependencies", Omit::WhenEmpty),
    ("type", Omit::WhenEmpty),
];

const MAINTAINER_JSON: &[(&str, Omit)] =
    &[("name", Omit::WhenEmpty), ("email", Omit::WhenEmpty), ("url", Omit::WhenEmpty)];

const DEPENDENCY_JSON: &[(&str, Omit)] = &[
    ("name", Omit::Never),
    ("version", Omit::WhenEmpty),
    ("repository", Omit::Never),
    ("condition", Omit::WhenEmpty),
    ("tags", Omit::WhenEmpty),
    ("enabled", Omit::WhenEmpty),
    ("import-values", Omit::WhenEmpty),
    ("alias", Omit::WhenEmpty),
];

static MAINTAINERS: ListType =
    ListType { name: "[]*chart.Maintainer", elem: Elem::Named("*chart.Maintainer"), methods: &[] };
static DEPENDENCIES: ListType =
    ListType { name: "[]*chart.Dependency", elem: Elem::Named("*chart.Dependency"), methods: &[] };

/// Makes `.Chart` for a chart of the tree.
pub(super) fn chart(tree: &Tree<'_>, id: NodeId) -> Value {
    let node = tree.node(id);
    let metadata = Rc::new(metadata(tree, id, &node.chart.metadata));
    Value::object(ChartObject { metadata, is_root: node.parent.is_none() })
}

fn metadata(tree: &Tree<'_>, id: NodeId, metadata: &Metadata) -> Record {
    let maintainers = metadata.maintainers.iter().map(maintainer).collect();
    let fields = vec![
        ("Name", Value::from(tree.node(id).name)),
        ("Home", string(&metadata.home)),
        ("Sources", strings(&metadata.sources, metadata.empty.sources)),
        ("Version", string(&metadata.version)),
        ("Description", string(&metadata.description)),
        ("Keywords", strings(&metadata.keywords, metadata.empty.keywords)),
        ("Maintainers", list(&MAINTAINERS, maintainers, metadata.empty.maintainers)),
        ("Icon", string(&metadata.icon)),
        ("APIVersion", string(&metadata.api_version)),
        ("Condition", string(&metadata.condition)),
        ("Tags", string(&metadata.tags)),
        ("AppVersion", string(&metadata.app_version)),
        ("Deprecated", Value::Bool(metadata.deprecated)),
        ("Annotations", string_map(&metadata.annotations, metadata.empty.annotations)),
        ("KubeVersion", string(&metadata.kube_version)),
        ("Dependencies", list(&DEPENDENCIES, dependencies(tree, id), false)),
        ("Type", string(&metadata.chart_type)),
    ];
    Record {
        type_name: "chart.Metadata",
        kind: Kind::Struct,
        fields,
        json: METADATA_JSON,
        methods: &[],
        has_yaml_tags: false,
    }
}

fn maintainer(maintainer: &Maintainer) -> Value {
    let fields = vec![
        ("Name", string(&maintainer.name)),
        ("Email", string(&maintainer.email)),
        ("URL", string(&maintainer.url)),
    ];
    Value::object(Record {
        type_name: "*chart.Maintainer",
        kind: Kind::Ptr,
        fields,
        json: MAINTAINER_JSON,
        methods: &[],
        has_yaml_tags: false,
    })
}

fn dependencies(tree: &Tree<'_>, id: NodeId) -> Vec<Value> {
    let declared = tree.node(id).declared.iter().flatten();
    declared
        .map(|id| {
            let entry = tree.entry(*id);
            let declared = entry.declared;
            let imports: Vec<Value> = match &entry.imports {
                Imports::Declared => declared.import_values.iter().map(|import| import.thaw()).collect(),
                Imports::Done(pairs) => pairs.iter().map(import).collect(),
            };
            let fields = vec![
                ("Name", Value::from(entry.name)),
                ("Version", string(&declared.version)),
                ("Repository", string(&declared.repository)),
                ("Condition", string(&declared.condition)),
                ("Tags", strings(&declared.tags, false)),
                ("Enabled", Value::Bool(entry.enabled)),
                ("ImportValues", list(&gostd::value::ANY_LIST, imports, false)),
                ("Alias", string(&declared.alias)),
            ];
            Value::object(Record {
                type_name: "*chart.Dependency",
                kind: Kind::Ptr,
                fields,
                json: DEPENDENCY_JSON,
                methods: &[],
                has_yaml_tags: true,
            })
        })
        .collect()
}

fn import((child, parent): &(String, String)) -> Value {
    string_map(&[("child".to_owned(), child.clone()), ("parent".to_owned(), parent.clone())], true)
}

static VERSION_SET: ListType = ListType {
    name: "chartutil.VersionSet",
    elem: Elem::String,
    methods: &[Method {
        name: "Has",
        signature: Signature::fixed(&[Type::String]),
        call: |versions, arguments| {
            let wanted = text(arguments);
            let has = |items: &[Value]| items.iter().any(|item| item.as_str() == Some(&wanted));
            Ok(Value::Bool(versions.as_list().is_some_and(|list| list.with(has))))
        },
    }],
};

/// Makes `.Capabilities`.
pub(super) fn capabilities(capabilities: &Capabilities) -> Value {
    let versions = capabilities.api_versions.iter().map(|version| Value::from(version.as_str())).collect();
    let fields = vec![
        ("KubeVersion", kube_version(&capabilities.kube_version)),
        ("APIVersions", Value::List(List::of(&VERSION_SET, versions))),
        ("HelmVersion", helm_version(&capabilities.helm_version)),
    ];
    Value::object(Record {
        type_name: "*chartutil.Capabilities",
        kind: Kind::Ptr,
        fields,
        json: &[],
        methods: CAPABILITIES_METHODS,
        has_yaml_tags: false,
    })
}

const CAPABILITIES_METHODS: &[Method] = &[Method {
    name: "Copy",
    signature: Signature::fixed(&[]),
    call: |capabilities, _| Ok(capabilities.clone()),
}];

/// `chartutil.KubeVersion`; its methods need its address, which it has as a field of `.Capabilities`.
#[derive(Debug)]
struct KubeVersionObject(Record);

const KUBE_VERSION_METHODS: &[Method] = &[
    Method {
        name: "GitVersion",
        signature: Signature::fixed(&[]),
        call: |version, _| Ok(version_field(version)),
    },
    Method {
        name: "String",
        signature: Signature::fixed(&[]),
        call: |version, _| Ok(version_field(version)),
    },
];

fn version_field(version: &Value) -> Value {
    version.downcast::<KubeVersionObject>().and_then(|version| version.field("Version")).unwrap_or_default()
}

impl Object for KubeVersionObject {
    fn type_name(&self) -> &'static str {
        self.0.type_name
    }

    fn field(&self, name: &str) -> Option<Value> {
        self.0.field(name)
    }

    fn methods(&self) -> &'static [Method] {
        KUBE_VERSION_METHODS
    }

    fn without_address(&self) -> Option<Value> {
        Some(Value::object(self.0.clone()))
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        self.0.fields()
    }

    fn json_fields(&self) -> Option<Vec<(&'static str, Value)>> {
        self.0.json_fields()
    }
}

fn kube_version(version: &KubeVersion) -> Value {
    let fields = vec![
        ("Version", string(&version.version)),
        ("Major", string(&version.major)),
        ("Minor", string(&version.minor)),
    ];
    let record = Record {
        type_name: "chartutil.KubeVersion",
        kind: Kind::Struct,
        fields,
        json: &[],
        methods: &[],
        has_yaml_tags: false,
    };
    Value::object(KubeVersionObject(record))
}

fn helm_version(version: &HelmVersion) -> Value {
    const JSON: &[(&str, Omit)] = &[
        ("version", Omit::WhenEmpty),
        ("git_commit", Omit::WhenEmpty),
        ("git_tree_state", Omit::WhenEmpty),
        ("go_version", Omit::WhenEmpty),
    ];
    let fields = vec![
        ("Version", string(&version.version)),
        ("GitCommit", string(&version.git_commit)),
        ("GitTreeState", string(&version.git_tree_state)),
        ("GoVersion", string(&version.go_version)),
    ];
    Value::object(Record {
        type_name: "version.BuildInfo",
        kind: Kind::Struct,
        fields,
        json: JSON,
        methods: &[],
        has_yaml_tags: false,
    })
}

fn string(text: &str) -> Value {
    Value::from(text)
}

/// Lists of charts are nil where Chart.yaml has nothing, though not where it has an empty list.
fn strings(texts: &[String], is_there: bool) -> Value {
    list(&gostd::value::STRING_LIST, texts.iter().map(|text| string(text)).collect(), is_there)
}

fn list(ty: &'static ListType, items: Vec<Value>, is_there: bool) -> Value {
    Value::List(if items.is_empty() && !is_there { List::nil(ty) } else { List::of(ty, items) })
}

fn string_map(entries: &[(String, String)], is_there: bool) -> Value {
    if entries.is_empty() && !is_there {
        return Value::Map(Map::nil(&STRING_MAP));
    }
    let entries = entries.iter().map(|(key, value)| (GoStr::from(key), string(value))).collect();
    Value::Map(Map::of(&STRING_MAP, entries))
}
