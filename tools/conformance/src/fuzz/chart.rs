//! Random charts with all that goes with them.

use std::fmt::Write;

use fuzzing::mutate::{Dice, altered};
use gostd::{Map, Value};

use super::expressions::one;
use super::words::{HELPERS_FILE, TEXTS};
use super::{grammar, put, templates, yaml};

/// The files of a chart and the switches it is rendered with.
pub(crate) fn case(dice: &mut Dice) -> Map {
    // Most cases should get far, some should fail anywhere.
    let wrong = one(dice, &[0, 0, 0, 0, 2, 2, 10, 60]);
    let files = Map::new();
    chart(dice, "", "c", 0, wrong, &files);
    let case = Map::new();
    if dice.below(3) == 0 {
        put(&case, "values", Value::string(yaml::values(dice, wrong)));
    }
    settings(dice, wrong, &case);
    switches(dice, &case);
    if dice.below(100) < wrong {
        damage(dice, &files);
    }
    put(&case, "files", Value::Map(files));
    case
}

fn add(files: &Map, path: String, text: impl Into<String>) {
    put(files, path, Value::string(text.into()));
}

/// Adds a chart's files below `at`.
fn chart(dice: &mut Dice, at: &str, name: &str, depth: usize, wrong: usize, files: &Map) {
    let mut metadata = metadata(dice, name, wrong);
    if depth < 2 && dice.below(3) == 0 {
        subcharts(dice, at, depth, wrong, files, &mut metadata);
    }
    add(files, format!("{at}Chart.yaml"), metadata);
    if dice.below(1000) >= wrong {
        add(files, format!("{at}values.yaml"), yaml::values(dice, wrong / 3));
    }
    add(files, format!("{at}templates/_helpers.tpl"), HELPERS_FILE);
    for index in 0..1 + dice.below(2) {
        let text = templates::template(dice, &format!("{name}-{index}"), wrong);
        let path = one(dice, &["templates/", "templates/", "templates/sub/", "templates/_"]);
        let text = if dice.below(30) == 0 { text.replace('\n', "\r\n") } else { text };
        let text = if dice.below(40) == 0 { format!("\u{feff}{text}") } else { text };
        add(files, format!("{at}{path}t{index}.yaml"), text);
    }
    if dice.below(4) == 0 {
        add(files, format!("{at}files/a.txt"), one(dice, TEXTS));
        add(files, format!("{at}files/b.yaml"), "x: 1\ny: [2]\n");
    }
    if dice.below(8) == 0 {
        let crd =
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\n";
        add(
            files,
            format!("{at}crds/x.yaml"),
            one(dice, &[crd, "---\nkind: X\n---\n# c\n", "{{ not a template }}\n"]),
        );
    }
    if dice.below(10) == 0 {
        add(files, format!("{at}templates/NOTES.txt"), "Notes of {{ .Chart.Name }} {{ .Values.s }}\n");
    }
    if dice.below(10) == 0 {
        add(
            files,
            format!("{at}.helmignore"),
            one(dice, &["files/\n", "*.txt\n", "# x\nvalues.yaml\n", "templates/t0.yaml\n", "/files\n"]),
        );
    }
    if dice.below(12) == 0 {
        add(files, format!("{at}values.schema.json"), grammar::text(dice, 'S'));
    }
}

fn metadata(dice: &mut Dice, name: &str, wrong: usize) -> String {
    let mut text = format!(
        "apiVersion: v2\nname: {name}\nversion: {}\n",
        one(dice, &["0.1.0", "1.2.3-rc.1+build", "10.0.0"])
    );
    const FIELDS: &[&str] = &[
        "appVersion: \"1.16\"",
        "appVersion: 1.10",
        "description: A chart",
        "type: application",
        "icon: https://x/y.png",
        "keywords: [a, b]",
        "home: https://x",
        "sources: [https://y]",
        "maintainers:\n- name: M\n  email: m@x.y",
        "annotations:\n  a/b: c\n  n: \"1\"",
        "kubeVersion: \">=1.20.0-0\"",
        "deprecated: true",
    ];
    const BROKEN: &[&str] = &[
        "type: library",
        "type: odd",
        "kubeVersion: \"<1.2\"",
        "appVersion: [1]",
        "annotations: {a: 1}",
        "unknown: field",
        "keywords: x",
        "name: a/b",
        "version: x.y",
        "condition: a",
    ];
    for field in FIELDS {
        if dice.below(4) == 0 && !text.contains(field.split(':').next().unwrap_or_default()) {
            let _ = writeln!(text, "{field}");
        }
    }
    if dice.below(300) < wrong {
        let _ = writeln!(text, "{}", one(dice, BROKEN));
    }
    text
}

fn subcharts(dice: &mut Dice, at: &str, depth: usize, wrong: usize, files: &Map, metadata: &mut String) {
    metadata.push_str("dependencies:\n");
    for name in ["sub", "x", "lib"].iter().take(1 + dice.below(3)) {
        let _ = writeln!(
            metadata,
            "- name: {name}\n  version: {}",
            one(dice, &["\"*\"", "\">0\"", "0.1.0", "~0.1", "\">=0.0.0-0\"", "9.9.9"])
        );
        if dice.below(3) == 0 {
            let _ = writeln!(metadata, "  alias: {}", one(dice, &["alias", "m2", "al-ias"]));
        }
        if dice.below(3) == 0 {
            let _ = writeln!(
                metadata,
                "  condition: {}",
                one(dice, &["b", "enabled", "m.a", "sub.enabled", "missing,b", "s", "alias.b, enabled"])
            );
        }
        if dice.below(4) == 0 {
            let _ = writeln!(metadata, "  tags: {}", one(dice, &["[front]", "[back, front]", "[none]"]));
        }
        if dice.below(4) == 0 {
            let imports = [
                "[data]",
                "[{child: m, parent: imported}]",
                "[{child: deep, parent: .}]",
                "[{child: missing, parent: y}]",
                "[exports, data]",
            ];
            let _ = writeln!(metadata, "  import-values: {}", one(dice, &imports));
        }
        chart(dice, &format!("{at}charts/{name}/"), name, depth + 1, wrong, files);
        if *name == "lib" {
            let path = format!("{at}charts/lib/Chart.yaml");
            let text = files
                .get(&path)
                .map(|text| text.as_str().map(|text| gostd::value::lossy(text)).unwrap_or_default())
                .unwrap_or_default();
            if !text.contains("type:") {
                add(files, path, text + "type: library\n");
            }
        }
    }
}

/// `--set` and its kin.
fn settings(dice: &mut Dice, wrong: usize, case: &Map) {
    const SET: &[&str] = &[
        "s=x",
        "i=5",
        "i=007",
        "b=false",
        "m.a=1",
        "m.a.b=c",
        "m=null",
        "deep.x.y=z",
        "l[0]=first",
        "l[3]=fourth",
        "l={a,b,1}",
        "names={}",
        "objects[0].a=1",
        "a\\.b=c",
        "s=with space",
        "s=a\\,b",
        "n=null",
        "sub.s=sub",
        "global.x=1",
        "tags.front=false",
        "tags.back=true",
        "sub.enabled=true",
        "enabled=",
        "f=1.5",
        "x=9223372036854775808",
        "s=true,i=3",
        "m.l[1][2]=q",
        "b=TRUE",
        "s=0x1F",
        "s=1e3",
        "port=080",
        "alias.b=true",
        "deep=",
    ];
    const BROKEN: &[&str] = &[
        "s",
        "=x",
        "l[=x",
        "l[-1]=x",
        "l[x]=1",
        "a..b=c",
        "l={a",
        "m.a=1,",
        "[0]=x",
        "l[99999999]=x",
        "s.x=1",
        "a=b=c",
        "a[0]x=1",
        "",
        "l[0].a=1",
        ".a=1",
        "a.=1",
    ];
    const JSON: &[&str] = &[
        "m={\"a\":1,\"b\":[null,2.5]}",
        "l=[1,\"x\",{\"k\":true}]",
        "s=\"t\"",
        "i=12",
        "s=null",
        "m.a=null",
        "l[1]={\"z\":0}",
        "i=1e2",
    ];
    let lists: &[(&str, &[&str], usize)] =
        &[("set", SET, 3), ("setString", SET, 6), ("setJSON", JSON, 6), ("setLiteral", SET, 8)];
    for (key, known, rarity) in lists {
        if dice.below(*rarity) > 0 {
            continue;
        }
        let items = (0..1 + dice.below(3)).map(|_| {
            let from = if dice.below(400) < wrong { BROKEN } else { known };
            if *key != "setJSON" && dice.below(6) == 0 {
                return Value::string(grammar::text(dice, '='));
            }
            Value::string(one(dice, from))
        });
        let items = items.collect();
        put(case, *key, Value::list(items));
    }
}

fn switches(dice: &mut Dice, case: &Map) {
    if dice.below(6) == 0 {
        put(
            case,
            "kubeVersion",
            Value::string(one(
                dice,
                &[
                    "1.20",
                    "v1.33.1",
                    "1.28.0-eks-1",
                    "v1.29.16+k3s1",
                    "v1.31.2",
                    "1.40.0",
                    "v1.31.2",
                    "v2.0.0",
                ],
            )),
        );
    }
    if dice.below(8) == 0 {
        put(case, "namespace", Value::string(one(dice, &["ns", "kube-system", "other"])));
    }
    if dice.below(8) == 0 {
        put(
            case,
            "apiVersions",
            Value::list(vec![Value::string("x.io/v1"), Value::string("x.io/v1/Widget")]),
        );
    }
    if dice.below(8) == 0 {
        put(case, "isUpgrade", Value::Bool(true));
    }
    if dice.below(6) == 0 {
        put(case, "includeCRDs", Value::Bool(true));
    }
}

/// Breaks a file somewhere.
fn damage(dice: &mut Dice, files: &Map) {
    let all = files.snapshot();
    let (Some((path, text)), Some((_, other))) = (dice.pick(&all), dice.pick(&all)) else { return };
    let (Some(text), Some(other)) = (text.as_str(), other.as_str()) else { return };
    let broken = altered(text.as_bytes(), other.as_bytes(), dice);
    put(files, path.clone(), Value::string(gostd::value::lossy(&broken)));
}
