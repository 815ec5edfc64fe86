//! What to do about the mistakes that charts are made with most often.

use gostd::regexp::Regexp;

use crate::words::nearest;

/// For values that break the chart's schema.
pub(super) const SCHEMA: &str = "the chart's values.schema.json says what it takes; see the paths above, or check nothing with \
     --skip-schema-validation";

/// A mistake: how its message reads, and what to tell. `$1`, `$2` are the message's groups, `$node` the failing node,
/// `$table` the node without its last name.
struct Mistake {
    message: &'static str,
    advice: &'static str,
}

const TEMPLATE_MISTAKES: &[Mistake] = &[
    Mistake {
        message: r"nil pointer evaluating interface \{\}\.(\w+)",
        advice: "nothing is set at $table, so it has no \"$1\": set it, or write ($table).$1 for \"empty if missing\"",
    },
    Mistake {
        message: r"can't evaluate field (\w+) in type interface \{\}",
        advice: "$table is no table, so it has no \"$1\": check its value, and what dot is here (inside range and with it is \
                 not the chart; $$ is)",
    },
    Mistake {
        message: r"can't evaluate field (\w+) in type (.+)",
        advice: "what \"$1\" is asked of is of type $2, not a table: check the value's type and what dot is here \
                 (inside range and with it is not the chart; $$ is)",
    },
    Mistake {
        message: r"wrong type for value; expected string; got (float64|int|int64|bool)\b",
        advice: "text is wanted and $1 is given: write (toString $node), or put the value in quotes",
    },
    Mistake {
        message: r"wrong type for value; expected (int|int64); got float64",
        advice: "numbers of values files are floating point: write (int $node)",
    },
    Mistake {
        message: r"wrong type for value; expected string; got interface \{\}",
        advice: "nothing is set at $node: give it a default, as in ($node | default \"\")",
    },
    Mistake {
        message: r"incompatible types for comparison",
        advice: "numbers of values files are floating point: compare with (int VALUE), or with a text through toString",
    },
    Mistake {
        message: r"range can't iterate over",
        advice: "range takes a list, a table or a whole number: check the value's type",
    },
    Mistake {
        message: r"no template .* associated with template",
        advice: "no file defines that name: check its spelling, and that the chart or library that defines it is in charts/",
    },
    Mistake {
        message: r"unexpected EOF",
        advice: "an {{ if }}, {{ range }}, {{ with }} or {{ define }} has no {{ end }}",
    },
    Mistake {
        message: r"bad character U\+002D '-'",
        advice: "names with a dash need index: (index .Values \"my-name\")",
    },
];

const MANIFEST_MISTAKES: &[Mistake] = &[
    Mistake {
        message: r"mapping values are not allowed|did not find expected key|did not find expected '-' indicator",
        advice: "check the indentation of what is included (toYaml X | nindent N, with N the column), and quote texts that \
                 hold a colon ({{ X | quote }})",
    },
    Mistake {
        message: r"invalid map key|did not find expected (',' or|node content)",
        advice: "a value that starts with a brace or bracket must be quoted: {{ X | quote }}",
    },
    Mistake {
        message: r"found character that cannot start any token",
        advice: "YAML is indented with spaces, never tabs; a text that starts with @, ` or % must be quoted",
    },
    Mistake {
        message: r"cannot unmarshal (number|bool) into .* of type string",
        advice: "a text is wanted: {{ X | quote }}",
    },
    Mistake {
        message: r"cannot unmarshal .* of type .*SimpleHead",
        advice: "the document is no object: it needs apiVersion, kind and metadata at its top",
    },
];

/// Finds advice for a template's error.
pub(super) fn for_template(error: &gotemplate::Error) -> Option<String> {
    let innermost = error.innermost();
    let message = match innermost.cause() {
        Some(gotemplate::FuncError::Message(text)) => text.clone(),
        _ => innermost.message().to_owned(),
    };
    if let Some(unknown) =
        groups(r#"function "(\w+)" not defined"#, &message).and_then(|found| found.into_iter().nth(1))
    {
        return Some(unknown_function(&unknown));
    }
    // What comes through a pipe is blamed on the function that takes it.
    let node = innermost.node().filter(|node| node.starts_with(['.', '$', '('])).unwrap_or("VALUE");
    advise(TEMPLATE_MISTAKES, &message, node)
}

/// Finds advice for a rendered document that is not YAML.
pub(super) fn for_manifest(reason: &str, _document: &str) -> Option<String> {
    advise(MANIFEST_MISTAKES, reason, "VALUE")
}

/// Reads the line out of a YAML error.
pub(super) fn line_of(reason: &str) -> Option<usize> {
    groups(r"line (\d+)", reason)?.get(1)?.parse().ok()
}

fn advise(mistakes: &[Mistake], message: &str, node: &str) -> Option<String> {
    mistakes.iter().find_map(|mistake| {
        let found = groups(mistake.message, message)?;
        let table =
            node.rsplit_once('.').map_or(node, |(table, _)| if table.is_empty() { "." } else { table });
        let mut advice = mistake.advice.replace("$node", node).replace("$table", table);
        for (index, group) in found.iter().enumerate().skip(1) {
            advice = advice.replace(&format!("${index}"), group);
        }
        Some(advice.replace("$$", "$"))
    })
}

/// Matches a pattern and returns its groups, the whole match first.
fn groups(pattern: &str, text: &str) -> Option<Vec<String>> {
    let regexp = Regexp::compile(pattern.as_bytes()).ok()?;
    let found = regexp.find_submatch(text.as_bytes())?;
    Some(
        found
            .into_iter()
            .map(|group| String::from_utf8_lossy(group.unwrap_or_default()).into_owned())
            .collect(),
    )
}

fn unknown_function(name: &str) -> String {
    match nearest(name, helm::function_names()) {
        Some(known) => format!("Helm has no function \"{name}\"; did you mean \"{known}\"?"),
        None => format!("Helm has no function \"{name}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_errors_name_lines() {
        assert_eq!(line_of("error converting YAML to JSON: yaml: line 12: did not find"), Some(12));
        assert_eq!(line_of("no line"), None);
    }
}
