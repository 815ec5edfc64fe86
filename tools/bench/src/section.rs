//! The parts of a document that are written by a program, between markers that its other parts leave alone.

use std::path::Path;

use crate::error::BenchError;

/// Replaces what stands between a document's markers of a name.
pub(crate) fn write(path: &Path, name: &str, text: &str) -> Result<(), BenchError> {
    let before = std::fs::read_to_string(path).map_err(BenchError::input(path))?;
    let after = replaced(&before, name, text).ok_or_else(|| BenchError::Input {
        path: path.to_owned(),
        reason: format!("lacks the markers {} and {}", opening(name), closing(name)),
    })?;
    std::fs::write(path, after).map_err(BenchError::input(path))
}

fn opening(name: &str) -> String {
    format!("<!-- bench {name}: begin -->")
}

fn closing(name: &str) -> String {
    format!("<!-- bench {name}: end -->")
}

fn replaced(document: &str, name: &str, text: &str) -> Option<String> {
    let (opening, closing) = (opening(name), closing(name));
    let (head, rest) = document.split_once(&opening)?;
    let (_, tail) = rest.split_once(&closing)?;
    Some(format!("{head}{opening}\n\n{}\n\n{closing}{tail}", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let document = "a\n<!-- bench x: begin -->\nold\n<!-- bench x: end -->\nb\n";
        let after = replaced(document, "x", "new\n").unwrap();
        assert_eq!(after, "a\n<!-- bench x: begin -->\n\nnew\n\n<!-- bench x: end -->\nb\n");
        assert_eq!(replaced(&after, "x", "new"), Some(after.clone()));
        assert_eq!(replaced(document, "y", "new"), None);
    }
}
