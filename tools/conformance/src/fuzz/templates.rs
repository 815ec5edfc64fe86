//! Random templates: documents with statements and expressions in them.

use std::fmt::Write;

use fuzzing::mutate::Dice;

use super::expressions::{Expressions, Kind, one};
use super::words::{HELPERS, HOOKS, KINDS};

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
    let mut expressions =
        Expressions { dice, wrong, variables: Vec::new(), blocks: format!("b.{name}"), nested: 0 };
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
    let key = format!("k{number}");
    match expressions.dice.below(if expressions.nested > 2 { 10 } else { 20 }) {
        0..=4 => line(expressions, &key, &space, text),
        5..=7 => {
            let kind = one(expressions.dice, &[Kind::Dict, Kind::Dict, Kind::List]);
            let value = expressions.call(kind, 2);
            let shown =
                one(expressions.dice, &["toYaml", "toYaml", "toYamlPretty", "toPrettyJson", "toJson"]);
            let _ = writeln!(
                text,
                "{space}{key}:\n{space}  {{{{- {value} | {shown} | nindent {} }}}}",
                indent + 2
            );
        }
        8 | 9 => assignment(expressions, *number, &space, text),
        10 | 11 => {
            let condition = expressions.call(Kind::Truth, 2);
            let other = expressions.anything(1);
            let _ = writeln!(text, "{space}{{{{- if {condition} }}}}");
            inside(expressions, number, indent, text);
            let _ = writeln!(text, "{space}{{{{- else if {other} }}}}");
            inside(expressions, number, indent, text);
            let _ = writeln!(text, "{space}{{{{- else }}}}");
            inside(expressions, number, indent, text);
            let _ = writeln!(text, "{space}{{{{- end }}}}");
        }
        12 | 13 => range(expressions, *number, &space, text),
        14 | 15 => with(expressions, number, indent, text),
        16 => {
            let value = expressions.anything(1);
            let _ =
                writeln!(text, "{space}{key}: '{{{{- template \"c.yaml\" ({value} | toJson | b64enc) }}}}'");
        }
        17 => {
            let value = expressions.anything(1);
            let name = one(expressions.dice, HELPERS);
            let shown = one(
                expressions.dice,
                &["toYaml", "quote", "toString | toJson", "trim | quote", "indent 4 | quote"],
            );
            let _ = writeln!(text, "{space}{key}: {{{{ include \"{name}\" ({value}) | {shown} }}}}");
        }
        18 => {
            let value = expressions.call(Kind::Dict, 1);
            let shown = one(expressions.dice, &["toToml", "toYaml", "toPrettyJson"]);
            let _ = writeln!(
                text,
                "{space}{key}: |\n{space}  {{{{- {value} | {shown} | nindent {} }}}}",
                indent + 2
            );
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

/// A key and a scalar.
fn line(expressions: &mut Expressions<'_>, key: &str, space: &str, text: &mut String) {
    let kind = one(expressions.dice, ALL);
    let value = expressions.call(kind, 2);
    let is_plain = matches!(kind, Kind::Int | Kind::Float | Kind::Truth) || expressions.dice.below(12) == 0;
    if is_plain {
        let _ = writeln!(text, "{space}{key}: {{{{ {value} }}}}");
        return;
    }
    let shown = one(
        expressions.dice,
        &[
            "quote",
            "quote",
            "toJson",
            "toString | quote",
            "toString | toJson",
            "toYaml | indent 2 | quote",
            "toJson | toString | b64enc",
            "toString | trunc 20 | toJson",
            "default \"none\" | quote",
            "print | squote | replace \"\\n\" \"\" | quote",
        ],
    );
    let _ = writeln!(text, "{space}{key}: {{{{ {value} | {shown} }}}}");
}

/// A new variable, a new value for one, or a change of a dict.
fn assignment(expressions: &mut Expressions<'_>, number: usize, space: &str, text: &mut String) {
    let kind = one(expressions.dice, ALL);
    if expressions.dice.below(4) == 0
        && let Some((name, kind)) = expressions.dice.pick(&expressions.variables).cloned()
    {
        let value = expressions.call(kind, 1);
        let _ = writeln!(text, "{space}{{{{- {name} = {value} }}}}");
        return;
    }
    if expressions.dice.below(4) == 0 {
        let dict = expressions.of(Kind::Dict, 0);
        let value = expressions.anything(1);
        let change = one(expressions.dice, &["set", "merge", "mergeOverwrite", "unset"]);
        let _ = match change {
            "set" => writeln!(text, "{space}{{{{- $_ := set {dict} \"a\" {value} }}}}"),
            "unset" => writeln!(text, "{space}{{{{- $_ := unset {dict} \"b\" }}}}"),
            _ => writeln!(text, "{space}{{{{- $_ := {change} {dict} (dict \"b\" {value}) }}}}"),
        };
        return;
    }
    let value = expressions.call(kind, 2);
    let name = format!("$v{number}");
    // What gives an int64 is wanted as an int.
    let value = if kind == Kind::Int { format!("int ({value})") } else { value };
    let _ = writeln!(text, "{space}{{{{- {name} := {value} }}}}");
    expressions.variables.push((name, kind));
}

fn range(expressions: &mut Expressions<'_>, number: usize, space: &str, text: &mut String) {
    let kind = one(expressions.dice, &[Kind::List, Kind::Dict, Kind::Int, Kind::Texts]);
    let (variables, over) = match kind {
        Kind::Int => (format!("$e{number}"), expressions.dice.below(5).to_string()),
        _ => (format!("$i{number}, $e{number}"), expressions.call(kind, 2)),
    };
    let scope = expressions.variables.len();
    let _ = writeln!(text, "{space}{{{{- range {variables} := {over} }}}}");
    let _ = writeln!(
        text,
        "{space}k{number}-{{{{ $e{number} | toJson | sha1sum }}}}: {{{{ $e{number} | toJson }}}}"
    );
    if kind == Kind::Texts {
        expressions.variables.push((format!("$e{number}"), Kind::Text));
        line(expressions, &format!("l{number}-{{{{ $i{number} }}}}"), space, text);
    }
    if expressions.dice.below(3) == 0 {
        let word = one(expressions.dice, &["break", "continue"]);
        let condition = expressions.call(Kind::Truth, 1);
        let _ = writeln!(text, "{space}{{{{- if {condition} }}}}{{{{ {word} }}}}{{{{ end }}}}");
        let _ = writeln!(text, "{space}m{number}-{{{{ $e{number} | toJson | adler32sum }}}}: on");
    }
    expressions.variables.truncate(scope);
    let _ = writeln!(text, "{space}{{{{- else }}}}\n{space}k{number}: none\n{space}{{{{- end }}}}");
}

fn with(expressions: &mut Expressions<'_>, number: &mut usize, indent: usize, text: &mut String) {
    let space = " ".repeat(indent);
    let key = format!("k{number}");
    let kind = one(expressions.dice, ALL);
    let value = expressions.call(kind, 2);
    let name = format!("$w{number}");
    let _ = writeln!(
        text,
        "{space}{{{{- with {name} := {value} }}}}\n{space}{key}: {{{{ . | toJson | quote }}}}"
    );
    let scope = expressions.variables.len();
    if expressions.nested < 3 {
        expressions.variables.push((name, kind));
        inside(expressions, number, indent, text);
        expressions.variables.truncate(scope);
    }
    if expressions.dice.below(3) == 0 {
        let other = expressions.anything(1);
        let _ = writeln!(text, "{space}{{{{- else with {other} }}}}\n{space}{key}: {{{{ toJson . }}}}");
    }
    if expressions.dice.below(2) == 0 {
        let _ = writeln!(text, "{space}{{{{- else }}}}\n{space}{key}: none");
    }
    let _ = writeln!(text, "{space}{{{{- end }}}}");
}

/// Writes statements in a block of another: of the same mapping.
fn inside(expressions: &mut Expressions<'_>, number: &mut usize, indent: usize, text: &mut String) {
    let scope = expressions.variables.len();
    expressions.nested += 1;
    for _ in 0..=expressions.dice.below(2) {
        statement(expressions, number, indent, text);
    }
    expressions.nested -= 1;
    expressions.variables.truncate(scope);
}
