//! Golden files: cases with the results of Go's text/template (their format: tools/oracle/gotemplate/golden.go).

use gotemplate::MissingKey;

use super::Case;

/// A case and its result.
pub(crate) struct Golden {
    pub(crate) name: String,
    pub(crate) case: Case,
    /// The output, or the error's text.
    pub(crate) want: Result<String, String>,
}

/// Reads the cases of a golden file.
pub(crate) fn read(text: &str) -> Vec<Golden> {
    let (_, cases) = text.split_once("=== ").expect("a golden file has cases");
    cases.split("\n=== ").map(read_case).collect()
}

fn read_case(section: &str) -> Golden {
    let section = section.strip_suffix('\n').unwrap_or(section);
    let (input, want) = match (section.split_once("\n+++\n"), section.split_once("\n!!!\n")) {
        (Some((input, output)), _) => (input, Ok(output.to_owned())),
        (None, Some((input, error))) => (input, Err(error.to_owned())),
        (None, None) => panic!("no result: {section}"),
    };
    let mut parts = input.split("\n--- ");
    let head = parts.next().unwrap();
    let (name, options) = head.split_once('\n').unwrap_or((head, "{}"));
    let options: serde_json::Value = serde_json::from_str(options).unwrap();
    let files = parts.map(|part| {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        (name.as_bytes().to_vec(), text.as_bytes().to_vec())
    });
    let missing_key = match options["missingkey"].as_str() {
        Some("zero") => MissingKey::Zero,
        Some("error") => MissingKey::Error,
        _ => MissingKey::Invalid,
    };
    let case = Case { files: files.collect(), data: options["data"].clone(), missing_key };
    Golden { name: name.to_owned(), case, want }
}
