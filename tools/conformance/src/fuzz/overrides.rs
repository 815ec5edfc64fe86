//! Real charts with random values in place of some of theirs, and random switches.

use std::fs;
use std::path::{Path, PathBuf};

use fuzzing::mutate::Dice;
use gostd::{List, Map, Value};

use super::expressions::one;
use super::words::TEXTS;
use super::{grammar, put};
use crate::args::Args;
use crate::error::Error;
use crate::unpack;

/// So many cases in a row are of one chart: loading and compiling takes time.
const IN_A_ROW: u64 = 6;

/// The charts of a corpus, small ones first, and the values files that go with them.
pub(crate) struct Corpus {
    root: PathBuf,
    charts: Vec<(String, Vec<String>)>,
    /// Their sizes in bytes, in the same order.
    sizes: Vec<u64>,
}

/// What is known of one chart.
struct Chart {
    values: Map,
    /// Paths that its templates speak of.
    spoken: Vec<Vec<String>>,
    templates: Vec<String>,
    overlay: Option<String>,
}

impl Corpus {
    pub(crate) fn load(folder: &Path, args: &Args) -> Result<Self, Error> {
        let list = folder.join("cases.tsv");
        let text = fs::read_to_string(&list).map_err(Error::read(&list))?;
        let mut charts: Vec<(String, Vec<String>)> = Vec::new();
        for row in text.lines().skip(1) {
            let mut cells = row.split('\t').skip(2);
            let (Some(chart), Some(values)) = (cells.next(), cells.next()) else { continue };
            if !args.wants(chart) {
                continue;
            }
            if charts.last().is_none_or(|(last, _)| last != chart) {
                charts.push((chart.to_owned(), Vec::new()));
            }
            if let Some((_, files)) = charts.last_mut()
                && values != "-"
            {
                files.push(values.to_owned());
            }
        }
        let root = unpack::corpus(folder, args)?;
        charts.sort_by_cached_key(|(chart, _)| size(&root.join(chart)));
        let sizes = charts.iter().map(|(chart, _)| size(&root.join(chart))).collect();
        Ok(Self { root, charts, sizes })
    }

    /// Returns the texts of some values files.
    pub(crate) fn texts(&self) -> Vec<String> {
        let files = self.charts.iter().map(|(chart, _)| self.root.join(chart).join("values.yaml"));
        files.filter_map(|file| fs::read_to_string(file).ok()).collect()
    }

    /// Returns the folder of a chart of so many bytes at most, and the text of a values file that goes with it.
    pub(super) fn small_chart(&self, dice: &mut Dice, largest: u64) -> Option<(PathBuf, Option<String>)> {
        let (path, overlays) = dice.pick(self.charts.get(..self.small(largest)).unwrap_or_default())?;
        let overlay = dice.pick(overlays).and_then(|name| fs::read_to_string(self.root.join(name)).ok());
        Some((self.root.join(path), overlay))
    }

    /// Returns how many charts have so many bytes at most.
    fn small(&self, largest: u64) -> usize {
        self.sizes.partition_point(|size| *size <= largest)
    }

    /// Makes the case of a seed.
    pub(crate) fn case(&self, seed: u64) -> Map {
        let mut of_chart = Dice::new(seed / IN_A_ROW);
        let case = Map::new();
        // The smaller a chart, the more often: most of what charts do is done by small ones too, in less time.
        let below = of_chart.below(self.charts.len()) + 1;
        let Some((path, overlays)) = self.charts.get(of_chart.below(below)) else { return case };
        let dice = &mut Dice::new(seed);
        let chart = self.chart(path, overlays, dice);
        let folder = self.root.join(path);
        put(&case, "chart", Value::string(folder.to_string_lossy().into_owned()));
        let text = |map: Map| Value::string(goyaml::to_yaml(&Value::Map(map)).unwrap_or_default());
        let changes = text(chart.changes(dice));
        match chart.overlay {
            Some(ref overlay) => {
                put(&case, "values", Value::string(overlay.as_str()));
                put(&case, "moreValues", Value::list(vec![changes]));
            }
            None => put(&case, "values", changes),
        }
        if dice.below(4) == 0 {
            put(&case, one(dice, &["set", "set", "setString", "setJSON"]), Value::list(chart.settings(dice)));
        }
        chart.switches(dice, &case);
        case
    }

    fn chart(&self, path: &str, overlays: &[String], dice: &mut Dice) -> Chart {
        let folder = self.root.join(path);
        let values = fs::read(folder.join("values.yaml")).unwrap_or_default();
        let overlay = if dice.below(2) == 0 { dice.pick(overlays) } else { None };
        let mut chart = Chart {
            values: goyaml::load_map(&values).unwrap_or_default(),
            spoken: Vec::new(),
            templates: Vec::new(),
            overlay: overlay.and_then(|name| fs::read_to_string(self.root.join(name)).ok()),
        };
        chart.read_templates(&folder, "", &[]);
        chart
    }
}

/// Returns how many bytes a folder holds.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(info) if info.is_dir() => size(&entry.path()),
            Ok(info) => info.len(),
            Err(_) => 0,
        })
        .sum()
}

/// How many paths a chart's templates may speak of.
const SPOKEN: usize = 3000;

impl Chart {
    fn read_templates(&mut self, chart: &Path, at: &str, scope: &[String]) {
        let Ok(entries) = fs::read_dir(chart.join(if at.is_empty() { "templates" } else { at })) else {
            return;
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let Ok(name) = path.strip_prefix(chart) else { continue };
            let name = name.to_string_lossy().into_owned();
            if path.is_dir() {
                self.read_templates(chart, &name, scope);
            } else if let Ok(text) = fs::read_to_string(&path) {
                self.read_paths(&text, scope);
                if scope.is_empty() {
                    self.templates.push(name);
                }
            }
        }
        if at.is_empty() && scope.is_empty() {
            let subcharts = fs::read_dir(chart.join("charts")).into_iter().flatten().flatten();
            let mut subcharts: Vec<PathBuf> = subcharts.map(|entry| entry.path()).collect();
            subcharts.sort();
            for subchart in subcharts {
                let name = subchart.file_name().unwrap_or_default().to_string_lossy().into_owned();
                self.read_templates(&subchart, "", &[name]);
            }
        }
    }

    fn read_paths(&mut self, text: &str, scope: &[String]) {
        for after in text.split(".Values.").skip(1) {
            let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
            let path = after.split(|letter| !is_name(letter)).next().unwrap_or_default();
            let path = path.split('.').filter(|key| !key.is_empty()).map(str::to_owned);
            let path: Vec<String> = scope.iter().cloned().chain(path).collect();
            if path.len() > scope.len() && self.spoken.len() < SPOKEN && self.spoken.last() != Some(&path) {
                self.spoken.push(path);
            }
        }
    }

    /// Values that differ from the chart's in a few places.
    fn changes(&self, dice: &mut Dice) -> Map {
        let changes = Map::new();
        if dice.below(3) == 0 {
            switch_on(&self.values, &changes, dice);
        }
        for _ in 0..1 + dice.below(6) {
            let (path, old) = self.place(dice);
            let new = replaced(&old, dice, 2);
            set(&changes, &path, new);
        }
        changes
    }

    fn place(&self, dice: &mut Dice) -> (Vec<String>, Option<Value>) {
        if dice.below(2) == 0
            && let Some(path) = dice.pick(&self.spoken)
        {
            let mut value = Some(Value::Map(self.values.clone()));
            for key in path {
                value = value.and_then(|value| value.as_map()?.get(key.as_str()));
            }
            return (path.clone(), value);
        }
        let mut path = Vec::new();
        let mut map = self.values.clone();
        loop {
            let entries = map.snapshot();
            let Some((key, value)) = dice.pick(&entries) else { return (path, Some(Value::Map(map))) };
            path.push(gostd::value::lossy(key.as_bytes()));
            match value {
                Value::Map(deeper) if !deeper.is_empty() && dice.below(12) > 0 => map = deeper.clone(),
                value => return (path, Some(value.clone())),
            }
        }
    }

    fn settings(&self, dice: &mut Dice) -> Vec<Value> {
        let count = 1 + dice.below(2);
        let setting = |_| {
            let (path, _) = self.place(dice);
            let path: Vec<String> = path.iter().map(|key| key.replace('.', "\\.")).collect();
            let value = one(
                dice,
                &[
                    "true",
                    "false",
                    "null",
                    "1",
                    "x",
                    "\"q\"",
                    "1.5",
                    "{a,b}",
                    "",
                    "007",
                    "12345678901",
                    "[1]",
                    "a=b",
                    "{}",
                    "-1",
                ],
            );
            Value::string(format!("{}={value}", path.join(".")))
        };
        (0..count).map(setting).collect()
    }

    fn switches(&self, dice: &mut Dice, case: &Map) {
        put(
            case,
            "kubeVersion",
            Value::string(one(
                dice,
                &["v1.36.3", "v1.36.3", "1.31", "1.24.0", "v1.28.5-gke.1", "1.19", "1.16.0", "v1.33.1+k3s1"],
            )),
        );
        if dice.below(2) == 0 {
            put(
                case,
                "namespace",
                Value::string(one(
                    dice,
                    &["ns1", "kube-system", "a-rather-long-name-of-a-namespace-that-gets-cut"],
                )),
            );
        }
        if dice.below(4) == 0 {
            let known = &[
                "monitoring.coreos.com/v1",
                "cert-manager.io/v1",
                "networking.k8s.io/v1/Ingress",
                "policy/v1beta1",
                "route.openshift.io/v1",
                "security.openshift.io/v1",
                "gateway.networking.k8s.io/v1",
                "monitoring.coreos.com/v1/ServiceMonitor",
                "autoscaling/v2beta2",
                "batch/v1beta1",
            ];
            let versions = (0..1 + dice.below(3)).map(|_| Value::string(one(dice, known))).collect();
            put(case, "apiVersions", Value::list(versions));
        }
        for (key, rarity) in [("isUpgrade", 4), ("includeCRDs", 4), ("skipTests", 5), ("noHooks", 8)] {
            if dice.below(rarity) == 0 {
                put(case, key, Value::Bool(true));
            }
        }
        if dice.below(8) == 0
            && let Some(template) = dice.pick(&self.templates)
        {
            let globs = ["templates/*.yaml", "templates/*/*", "templates/[a-m]*", "templates/none.yaml"];
            let pattern = if dice.below(3) == 0 { one(dice, &globs) } else { template };
            put(case, "showOnly", Value::list(vec![Value::string(pattern)]));
        }
    }
}

/// Turns on some of what is off.
fn switch_on(values: &Map, changes: &Map, dice: &mut Dice) {
    for (key, value) in values.snapshot() {
        match value {
            Value::Bool(false) if dice.below(3) == 0 => put(changes, key, Value::Bool(true)),
            Value::Map(deeper) => {
                let below = Map::new();
                switch_on(&deeper, &below, dice);
                if !below.is_empty() {
                    put(changes, key, Value::Map(below));
                }
            }
            _ => {}
        }
    }
}

fn set(changes: &Map, path: &[String], value: Value) {
    let Some((last, before)) = path.split_last() else { return };
    let mut map = changes.clone();
    for key in before {
        let deeper = match map.get(key.as_str()) {
            Some(Value::Map(deeper)) => deeper,
            _ => {
                let deeper = Map::new();
                put(&map, key.as_str(), Value::Map(deeper.clone()));
                deeper
            }
        };
        map = deeper;
    }
    put(&map, last.as_str(), value);
}

/// Texts that charts know.
const KNOWN: &[&str] = &[
    "ClusterIP",
    "NodePort",
    "LoadBalancer",
    "Always",
    "IfNotPresent",
    "Never",
    "Recreate",
    "RollingUpdate",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "standalone",
    "replication",
    "nginx",
    "default",
    "-",
    "soft",
    "hard",
    "debug",
    "10Gi",
    "100m",
    "500Mi",
    "true",
    "false",
    "a.example.com",
    "v1.2.3",
    "latest",
    "sha256:abc",
    "x",
    "/path/",
    "http://x:80/y",
    "None",
    "ReadWriteOnce",
    "a-very-long-name-that-is-longer-than-sixty-three-characters-for-sure-yes",
    "UPPER_case",
    "{{ .Release.Name }}-x",
    "{{ .Values.nameOverride }}",
    "{{ include \"x\" . }}",
    "{{ .Release.Namespace | quote }}",
    "a: b",
    "1.28",
    "postgresql",
    "password",
];

/// Returns a value for the place of another: mostly of the same kind.
fn replaced(old: &Option<Value>, dice: &mut Dice, depth: usize) -> Value {
    if dice.below(7) == 0 {
        return any(dice, depth);
    }
    match old {
        Some(Value::Bool(old)) => Value::Bool(!old),
        Some(Value::String(_)) => text(dice),
        Some(Value::Float64(_) | Value::Int64(_)) => number(dice),
        Some(Value::List(list)) => replaced_list(&list.to_vec(), dice, depth),
        Some(Value::Map(map)) => replaced_map(map, dice, depth),
        _ => any(dice, depth),
    }
}

fn replaced_list(items: &[Value], dice: &mut Dice, depth: usize) -> Value {
    let Some(item) = dice.pick(items) else { return list(dice, depth) };
    match dice.below(4) {
        0 => Value::list(Vec::new()),
        1 => Value::List(List::any(vec![item.clone(), item.clone()])),
        2 => Value::List(List::any(vec![item.clone(), replaced(&Some(item.clone()), dice, depth)])),
        _ => list(dice, depth),
    }
}

fn replaced_map(old: &Map, dice: &mut Dice, depth: usize) -> Value {
    let entries = old.snapshot();
    let map = Map::new();
    match dice.pick(&entries) {
        Some((key, value)) if depth > 0 && dice.below(3) > 0 => {
            put(&map, key.clone(), replaced(&Some(value.clone()), dice, depth - 1))
        }
        Some((key, _)) if dice.below(2) == 0 => put(&map, key.clone(), Value::Nil),
        _ => {
            for _ in 0..dice.below(3) {
                put(&map, key(dice), any(dice, depth.saturating_sub(1)));
            }
        }
    }
    Value::Map(map)
}

fn key(dice: &mut Dice) -> String {
    one(
        dice,
        &[
            "enabled",
            "name",
            "a",
            "key",
            "app.kubernetes.io/name",
            "x.y/z",
            "1",
            "true",
            "labels",
            "annotations",
            "cpu",
            "limits",
            "host",
            "é",
            "A_B",
            "tls.crt",
            "config.yaml",
        ],
    )
    .to_owned()
}

fn text(dice: &mut Dice) -> Value {
    Value::string(match dice.below(4) {
        0 => one(dice, TEXTS).to_owned(),
        1 => grammar::text(dice, '@'),
        _ => one(dice, KNOWN).to_owned(),
    })
}

fn number(dice: &mut Dice) -> Value {
    const NUMBERS: &[f64] = &[
        0.0,
        1.0,
        2.0,
        3.0,
        -1.0,
        80.0,
        8080.0,
        30080.0,
        0.5,
        1e6,
        1e9,
        1_234_567.0,
        12_345_678_901.0,
        1e21,
        9_007_199_254_740_993.0,
        1.25,
    ];
    match dice.below(6) {
        0 => Value::string(one(dice, &["80", "1", "0", "http", "50%", "8080"])),
        _ => Value::Float64(one(dice, NUMBERS)),
    }
}

fn list(dice: &mut Dice, depth: usize) -> Value {
    let item = |dice: &mut Dice| match dice.below(6) {
        0 | 1 => text(dice),
        2 if depth > 0 => any(dice, depth - 1),
        _ => {
            let map = Map::new();
            for (key, rarity) in [
                ("name", 1),
                ("value", 2),
                ("host", 3),
                ("key", 4),
                ("port", 4),
                ("mountPath", 5),
                ("hosts", 6),
                ("paths", 6),
            ] {
                if dice.below(rarity) == 0 {
                    let value = match key {
                        "port" => number(dice),
                        "hosts" => Value::list(vec![text(dice)]),
                        "paths" => Value::list(vec![Value::string("/"), text(dice)]),
                        _ => text(dice),
                    };
                    put(&map, key, value);
                }
            }
            Value::Map(map)
        }
    };
    let items = (0..dice.below(4)).map(|_| item(dice)).collect();
    Value::List(List::any(items))
}

fn any(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 6 } else { 9 }) {
        0 => Value::Nil,
        1 => Value::Bool(dice.below(2) == 0),
        2 => number(dice),
        3..=5 => text(dice),
        6 => list(dice, depth - 1),
        _ => {
            let map = Map::new();
            for _ in 0..dice.below(4) {
                put(&map, key(dice), any(dice, depth - 1));
            }
            Value::Map(map)
        }
    }
}
