//! `.helmignore` (Helm's `pkg/ignore`): close to `.gitignore`, but not the same.

use gostd::path::match_pattern;

/// The name of the rules file in a chart's top folder.
pub(super) const FILE_NAME: &str = ".helmignore";

/// Hidden files directly in `templates/` are never loaded.
const DEFAULT_RULE: &str = "templates/.?*";

/// `bufio.Scanner` refuses lines that do not fit its buffer.
const LONGEST_LINE: usize = 64 * 1024;

/// The rules of a `.helmignore`, the default rule last.
#[derive(Debug)]
pub(super) struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    pattern: String,
    negate: bool,
    directories_only: bool,
    whole_path: bool,
}

impl Rules {
    /// Parses a rules file; an empty one leaves the default rule alone.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let mut rules = Vec::new();
        for line in text.split(|byte| *byte == b'\n') {
            if line.len() >= LONGEST_LINE {
                return Err("bufio.Scanner: token too long".to_owned());
            }
            rules.extend(Rule::parse(&String::from_utf8_lossy(line))?);
        }
        rules.extend(Rule::parse(DEFAULT_RULE)?);
        Ok(Self(rules))
    }

    /// Reports whether a file or folder is left out. The first rule that matches decides, and a negated rule leaves
    /// out everything that does *not* match it.
    pub(super) fn ignores(&self, path: &str, is_directory: bool) -> bool {
        for rule in &self.0 {
            let applies = !rule.directories_only || is_directory;
            match (rule.negate, applies && rule.matches(path)) {
                (true, false) | (false, true) => return true,
                _ => {}
            }
        }
        false
    }
}

impl Rule {
    fn parse(line: &str) -> Result<Option<Self>, String> {
        let raw = line.trim();
        if raw.is_empty() || raw.starts_with('#') {
            return Ok(None);
        }
        if raw.contains("**") {
            return Err("double-star (**) syntax is not supported".to_owned());
        }
        match_pattern(raw.as_bytes(), b"abc").map_err(|error| error.to_string())?;
        let (negate, pattern) = raw.strip_prefix('!').map_or((false, raw), |rest| (true, rest));
        let (directories_only, pattern) =
            pattern.strip_suffix('/').map_or((false, pattern), |rest| (true, rest));
        let whole_path = pattern.contains('/');
        let pattern = pattern.strip_prefix('/').unwrap_or(pattern).to_owned();
        Ok(Some(Self { pattern, negate, directories_only, whole_path }))
    }

    fn matches(&self, path: &str) -> bool {
        let subject = if self.whole_path { path } else { path.rsplit('/').next().unwrap_or(path) };
        // A pattern that only fails on some inputs matches nothing there, as in Helm.
        match_pattern(self.pattern.as_bytes(), subject.as_bytes()).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(rules: &str, path: &str) -> bool {
        Rules::parse(rules.as_bytes()).unwrap().ignores(path, false)
    }

    #[test]
    fn patterns_follow_their_slashes() {
        assert!(ignored("*.txt", "a/b/c.txt"));
        assert!(!ignored("/*.txt", "a/c.txt"));
        assert!(ignored("/*.txt", "c.txt"));
        assert!(ignored("a/*.txt", "a/c.txt"));
        assert!(!ignored("a/*.txt", "b/a/c.txt"));
        assert!(ignored("\u{feff}c.txt\r\n# x\n", "c.txt"));
    }

    #[test]
    fn hidden_templates_are_always_left_out() {
        assert!(ignored("", "templates/.x.yaml"));
        assert!(!ignored("", "templates/sub/.x.yaml"));
        assert!(!ignored("", "templates/."));
    }

    #[test]
    fn directory_rules_skip_files() {
        let rules = Rules::parse(b"docs/\n").unwrap();
        assert!(rules.ignores("docs", true));
        assert!(!rules.ignores("docs", false));
    }

    #[test]
    fn negation_ignores_what_does_not_match() {
        assert!(ignored("!keep.yaml", "Chart.yaml"));
        assert!(!ignored("!keep.yaml", "keep.yaml"));
        assert!(ignored("!docs/", "docs"));
    }

    #[test]
    fn bad_rules_fail() {
        assert_eq!(Rules::parse(b"a/**").unwrap_err(), "double-star (**) syntax is not supported");
        assert_eq!(Rules::parse(b"[a-").unwrap_err(), "syntax error in pattern");
    }
}
