//! What `helm template` prints.

use std::io::{self, Write};

use gostd::GoStr;

use crate::compiled::NOTES;
use crate::{Error, Hook, HookEvent, Rendered, manifest};

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

/// What stands before a document's path.
const HEAD: &[u8] = b"---\n# Source: ";

/// A piece of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// What it is.
    pub part: Part,
    /// The path of the template or file it comes from, the chart's name first.
    pub path: &'a str,
    /// The text.
    pub content: &'a [u8],
}

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A file of `crds/`.
    Crd,
    /// An object.
    Manifest,
    /// A hook.
    Hook,
}

/// Why an output could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// There is nothing to show.
    #[error(transparent)]
    Helm(#[from] Error),
    /// The writer failed.
    #[error("cannot write what was rendered: {0}")]
    Write(#[from] io::Error),
}

impl<'a> Document<'a> {
    /// Writes the document as Helm prints it.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.parts().iter().try_for_each(|part| out.write_all(part))
    }

    fn parts(&self) -> [&'a [u8]; 5] {
        [HEAD, self.path.as_bytes(), b"\n", self.content, b"\n"]
    }
}

impl Rendered {
    /// Returns the text of all manifests as a release record stores it, CRDs in front if asked for.
    pub fn manifest_text(&self, include_crds: bool) -> Vec<u8> {
        let parts = self.crds_and_manifests(include_crds).flat_map(|document| document.parts());
        parts.collect::<Vec<_>>().concat()
    }

    /// Returns what `helm template` prints or writes, piece by piece, whatever it is asked to show.
    pub fn documents(&self, options: &TemplateOutput) -> impl Iterator<Item = Document<'_>> {
        self.crds_and_manifests(options.include_crds).chain(self.shown_hooks(options))
    }

    /// Returns what `helm template` prints.
    pub fn template_output(&self, options: &TemplateOutput) -> Result<Vec<u8>, Error> {
        let all = self.printed(options).concat();
        if options.show_only.is_empty() { Ok(all) } else { show_only(&all, &options.show_only) }
    }

    /// Writes what `helm template` prints. Charts print megabytes, of which no copy is made here.
    pub fn write_output(&self, options: &TemplateOutput, out: &mut dyn Write) -> Result<(), OutputError> {
        if options.show_only.is_empty() {
            self.printed(options).iter().try_for_each(|part| out.write_all(part))?;
        } else {
            out.write_all(&self.template_output(options)?)?;
        }
        Ok(())
    }

    /// Returns the pieces that are printed when everything is shown.
    fn printed(&self, options: &TemplateOutput) -> Vec<&[u8]> {
        let documents = self.crds_and_manifests(options.include_crds);
        let mut parts: Vec<&[u8]> = documents.flat_map(|document| document.parts()).collect();
        // What stands behind the last object is trimmed; in front there are dashes.
        while let Some(last) = parts.pop() {
            let length = gostd::strings::trim_space_right(last).len();
            if length > 0 {
                parts.extend(last.get(..length));
                break;
            }
        }
        parts.push(b"\n");
        parts.extend(self.shown_hooks(options).flat_map(|hook| hook.parts()));
        parts
    }

    fn crds_and_manifests(&self, include_crds: bool) -> impl Iterator<Item = Document<'_>> {
        let crds = self.crds.iter().filter(move |_| include_crds);
        let crds = crds.map(|crd| Document { part: Part::Crd, path: &crd.path, content: &crd.content });
        crds.chain(self.manifests.iter().map(|manifest| Document {
            part: Part::Manifest,
            path: &manifest.path,
            content: manifest.content.as_bytes(),
        }))
    }

    fn shown_hooks(&self, options: &TemplateOutput) -> impl Iterator<Item = Document<'_>> {
        let TemplateOutput { no_hooks, skip_tests, .. } = *options;
        let is_left_out = move |hook: &Hook| no_hooks || skip_tests && hook.events.contains(&HookEvent::Test);
        let shown = move |hook: &&Hook| !is_left_out(hook);
        self.hooks.iter().filter(shown).map(|hook| Document {
            part: Part::Hook,
            path: &hook.path,
            content: hook.manifest.as_bytes(),
        })
    }
}

/// Returns what `helm template --debug` prints of a chart whose files are not all YAML: the files as they were rendered, by
/// path. Notes and blank files are left out.
///
/// # Errors
/// When a pattern of `--show-only` fits nothing.
pub fn as_rendered(files: &[(String, GoStr)], options: &TemplateOutput) -> Result<Vec<u8>, Error> {
    let mut shown: Vec<_> = files
        .iter()
        .filter(|(path, text)| !path.ends_with(NOTES) && !gostd::strings::trim_space(text).is_empty())
        .collect();
    shown.sort_unstable_by_key(|(path, _)| path);
    let mut out = Vec::new();
    for (path, text) in shown {
        out.extend(Document { part: Part::Manifest, path, content: text }.parts().concat());
    }
    out.truncate(gostd::strings::trim_space(&out).len());
    out.push(b'\n');
    if options.show_only.is_empty() { Ok(out) } else { show_only(&out, &options.show_only) }
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
