//! What `helm template` prints.

use crate::{Error, HookEvent, Rendered, manifest};

/// Switches of `helm template` that concern its output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateOutput {
    /// `--include-crds`.
    pub include_crds: bool,
    /// `--no-hooks`.
    pub no_hooks: bool,
    /// `--skip-tests`.
    pub skip_tests: bool,
    /// `--show-only`: patterns of template paths behind the chart's name.
    pub show_only: Vec<String>,
}

impl Rendered {
    /// Returns the text of all manifests as a release record stores it, CRDs in front if asked for.
    pub fn manifest_text(&self, include_crds: bool) -> Vec<u8> {
        let mut out = Vec::new();
        if include_crds {
            for crd in &self.crds {
                write_document(&mut out, &crd.path, &crd.content);
            }
        }
        for manifest in &self.manifests {
            write_document(&mut out, &manifest.path, manifest.content.as_bytes());
        }
        out
    }

    /// Returns what `helm template` prints.
    pub fn template_output(&self, options: &TemplateOutput) -> Result<Vec<u8>, Error> {
        let manifests = self.manifest_text(options.include_crds);
        let mut out = gostd::strings::trim_space(&manifests).to_vec();
        out.push(b'\n');
        if !options.no_hooks {
            for hook in &self.hooks {
                if !(options.skip_tests && hook.events.contains(&HookEvent::Test)) {
                    write_document(&mut out, &hook.path, hook.manifest.as_bytes());
                }
            }
        }
        if options.show_only.is_empty() { Ok(out) } else { show_only(&out, &options.show_only) }
    }
}

fn write_document(out: &mut Vec<u8>, path: &str, content: &[u8]) {
    out.extend(b"---\n# Source: ");
    out.extend(path.bytes());
    out.push(b'\n');
    out.extend(content);
    out.push(b'\n');
}

/// Splits the printed text again and keeps the documents whose template fits one of the patterns, pattern by pattern.
fn show_only(text: &[u8], patterns: &[String]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    let documents: Vec<&[u8]> = manifest::split(text).collect();
    for pattern in patterns {
        let fits = |document: &&&[u8]| {
            source_of(document)
                .is_some_and(|path| gostd::path::match_pattern(pattern.as_bytes(), path).unwrap_or(false))
        };
        let found: Vec<_> = documents.iter().filter(fits).collect();
        if found.is_empty() {
            return Err(Error::NoSuchTemplate(pattern.clone()));
        }
        for document in found {
            out.extend(b"---\n");
            out.extend(*document);
            out.push(b'\n');
        }
    }
    Ok(out)
}

/// Finds the first `# Source: CHART/PATH` and returns the path.
fn source_of(document: &[u8]) -> Option<&[u8]> {
    const MARK: &[u8] = b"# Source: ";
    let mut rest = document;
    loop {
        let start = gostd::strings::index(rest, MARK)? + MARK.len();
        rest = rest.get(start..)?;
        let line = rest.split(|byte| *byte == b'\n').next()?;
        let slash = line.iter().position(|byte| *byte == b'/');
        match slash.and_then(|slash| Some((slash, line.get(slash + 1..)?))) {
            Some((slash, path)) if slash > 0 && !path.is_empty() => return Some(path),
            _ => {}
        }
    }
}
