//! Random templates: documents with statements and expressions in them.

use std::fmt::Write;

use fuzzing::mutate::Dice;

use super::expressions::{Expressions, Kind, one};
use super::words::{HOOKS, KINDS};

const ALL: &[Kind] =
    &[Kind::Text, Kind::Text, Kind::Other, Kind::Int, Kind::Float, Kind::Truth, Kind::Dict, Kind::List];

/// Returns a template of one to three documents.
pub(crate) fn template(dice: &mut Dice, name: &str, wrong: usize) -> String {
    let mut text = String::new();
    if dice.below(3) == 0 {
        let _ = writeln!(
            text,
            "{{{{- define \"t.{name}\" }}}}[{{{{ . | toJson }}}}]{{{{ end }}}}\n# {{{{ template \"t.{name}\" .Values.m }}}}"
        );
    }
    if dice.below(4) == 0 {
        text.push_str("{{/* a comment */}}\n");
    }
    if dice.below(8) == 0 {
        text.push_str("{{- /* trimmed */ -}}\n\n");
    }
    for index in 0..1 + dice.below(3) {
        if index > 0 {
            text.push_str(one(
                dice,
                &[
                    "---\n",
                    "\n---\n",
                    "--- \n",
                    "---\n---\n",
                    "---\n# only a comment\n---\n",
                    "{{- \"\\n---\" }}\n",
                ],
            ));
        }
        document(dice, &format!("{name}{index}"), wrong, &mut text);
    }
    text
}

fn document(dice: &mut Dice, name: &str, wrong: usize, text: &mut String) {
    let guarded = dice.below(5) == 0;
    let mut expressions = Expressions { dice, wrong, variables: Vec::new(), blocks: format!("b.{name}") };
    if guarded {
        let condition = expressions.call(Kind::Truth, 1);
        let _ = writeln!(text, "{{{{- if {condition} }}}}");
    }
    let kind = one(expressions.dice, KINDS);
    let _ = writeln!(
        text,
        "apiVersion: {}\nkind: {kind}\nmetadata:\n  name: {name}",
        one(expressions.dice, &["v1", "apps/v1", "x.io/v1"])
    );
    if expressions.dice.below(4) == 0 {
        annotations(expressions.dice, text);
    }
    text.push_str("data:\n");
    let mut number = 0;
    for _ in 0..1 + expressions.dice.below(6) {
        statement(&mut expressions, &mut number, 2, text);
    }
    if guarded {
        text.push_str(one(
            expressions.dice,
            &["{{- end }}\n", "{{ end -}}\n", "{{- else }}\n# not\n{{- end }}\n"],
        ));
    }
}

fn annotations(dice: &mut Dice, text: &mut String) {
    text.push_str("  annotations:\n");
    if dice.below(4) > 0 {
        let hook = one(dice, HOOKS);
        let _ = writeln!(
            text,
            "    helm.sh/hook: {}",
            one(dice, &["", "&x "]).to_owned() + &format!("\"{hook}\"")
        );
    }
    if dice.below(2) == 0 {
        let _ = writeln!(
            text,
            "    helm.sh/hook-weight: {}",
            one(dice, &["\"5\"", "\"-3\"", "\"x\"", "\"007\"", "'+1'", "3", "\"99999999999999999999\""])
        );
    }
    if dice.below(2) == 0 {
        let policy = one(dice, &["hook-succeeded", "before-hook-creation,hook-failed", "nonsense", "\"\""]);
        let _ = writeln!(text, "    helm.sh/hook-delete-policy: {policy}");
    }
    if dice.below(4) == 0 {
        text.push_str("    helm.sh/resource-policy: keep\n");
    }
    text.push_str("    other: x\n");
}

/// Writes one statement; lines of data are `indent` deep.
fn statement(expressions: &mut Expressions<'_>, number: &mut usize, indent: usize, text: &mut String) {
    *number += 1;
    let space = " ".repeat(indent);
    let form = expressions.dice.below(if indent > 4 { 9 } else { 16 });
    let key = format!("k{number}");
    match form {
        0..=3 => {
            let value = scalar(expressions);
            let shown = one(
                expressions.dice,
                &[
                    "quote",
                    "toJson",
                    "toString | quote",
                    "squote",
                    "toYaml | indent 2 | quote",
                    "toJson | toString | b64enc",
                ],
            );
            let _ = writeln!(text, "{space}{key}: {{{{ {value} | {shown} }}}}");
        }
        4 => {
            let value = scalar(expressions);
            let _ = writeln!(text, "{space}{key}: {{{{ {value} }}}}");
        }
        5..=7 => {
            let kind = one(expressions.dice, &[Kind::Dict, Kind::Dict, Kind::List]);
            let value = expressions.call(kind, 2);
            let shown = one(
                expressions.dice,
                &["toYaml", "toYaml", "toYamlPretty", "toPrettyJson", "toToml", "toJson"],
            );
            let _ = writeln!(
                text,
                "{space}{key}:\n{space}  {{{{- {value} | {shown} | nindent {} }}}}",
                indent + 2
            );
        }
        8 => {
            let value = expressions.anything(2);
            let name = format!("$v{number}");
            let _ = writeln!(text, "{space}{{{{- {name} := {value} }}}}");
            expressions.variables.push(name);
        }
        9 => {
            let condition = expressions.anything(2);
            let other = expressions.anything(1);
            let _ = writeln!(text, "{space}{{{{- if {condition} }}}}");
            inside(expressions, number, indent, text);
            let _ = writeln!(text, "{space}{{{{- else if {other} }}}}");
            inside(expressions, number, indent, text);
            let _ = writeln!(text, "{space}{{{{- end }}}}");
        }
        10 | 11 => {
            let kind = one(expressions.dice, &[Kind::List, Kind::Dict, Kind::Int]);
            let (variables, over) = match kind {
                Kind::Int => (format!("$e{number}"), expressions.dice.below(5).to_string()),
                _ => (format!("$i{number}, $e{number}"), expressions.call(kind, 2)),
            };
            let _ = writeln!(text, "{space}{{{{- range {variables} := {over} }}}}");
            let _ = writeln!(
                text,
                "{space}{key}-{{{{ $e{number} | toJson | sha1sum }}}}: {{{{ $e{number} | toJson }}}}"
            );
            if expressions.dice.below(3) == 0 {
                let word = one(expressions.dice, &["break", "continue"]);
                let condition = expressions.call(Kind::Truth, 1);
                let _ = writeln!(text, "{space}{{{{- if {condition} }}}}{{{{ {word} }}}}{{{{ end }}}}");
            }
            let _ = writeln!(text, "{space}{{{{- else }}}}\n{space}{key}: none\n{space}{{{{- end }}}}");
        }
        12 | 13 => {
            let value = expressions.anything(2);
            let _ = writeln!(
                text,
                "{space}{{{{- with {value} }}}}\n{space}{key}: {{{{ . | toJson | quote }}}}\n{space}{{{{- end }}}}"
            );
        }
        14 => {
            let value = expressions.anything(1);
            let _ = writeln!(text, "{space}{key}: {{{{- template \"c.echo\" {value} }}}}");
        }
        _ => {
            let value = expressions.anything(1);
            let _ = writeln!(
                text,
                "{space}{key}: |-\n{space}  {{{{- block \"{}\" {value} }}}}\n{space}  {{{{ . | toJson }}}}{{{{ end }}}}",
                expressions.block_name(),
            );
        }
    }
}

fn scalar(expressions: &mut Expressions<'_>) -> String {
    let kind = one(expressions.dice, ALL);
    expressions.call(kind, 2)
}

fn inside(expressions: &mut Expressions<'_>, number: &mut usize, indent: usize, text: &mut String) {
    let scope = expressions.variables.len();
    statement(expressions, number, indent + 2, text);
    expressions.variables.truncate(scope);
}
