//! What `helm template` prints.

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

impl Document<'_> {
    /// Appends the document as Helm prints it.
    pub fn write(&self, out: &mut Vec<u8>) {
        for part in [HEAD, self.path.as_bytes(), b"\n", self.content, b"\n"] {
            out.extend_from_slice(part);
        }
    }

    fn length(&self) -> usize {
        HEAD.len() + self.path.len() + self.content.len() + 2
    }
}

impl Rendered {
    /// Returns the text of all manifests as a release record stores it, CRDs in front if asked for.
    pub fn manifest_text(&self, include_crds: bool) -> Vec<u8> {
        let mut out =
            Vec::with_capacity(self.crds_and_manifests(include_crds).map(|each| each.length()).sum());
        self.crds_and_manifests(include_crds).for_each(|document| document.write(&mut out));
        out
    }

    /// Returns what `helm template` prints or writes, piece by piece, whatever it is asked to show.
    pub fn documents(&self, options: &TemplateOutput) -> impl Iterator<Item = Document<'_>> {
        self.crds_and_manifests(options.include_crds).chain(self.shown_hooks(options))
    }

    /// Returns what `helm template` prints.
    pub fn template_output(&self, options: &TemplateOutput) -> Result<Vec<u8>, Error> {
        // Charts print megabytes: there is one copy of them, of the right size from the start.
        let length: usize = self.documents(options).map(|document| document.length()).sum();
        let mut out = Vec::with_capacity(length + 1);
        self.crds_and_manifests(options.include_crds).for_each(|document| document.write(&mut out));
        // Nothing has to be trimmed in front: documents start with dashes.
        out.truncate(gostd::strings::trim_space(&out).len());
        out.push(b'\n');
        self.shown_hooks(options).for_each(|hook| hook.write(&mut out));
        if options.show_only.is_empty() { Ok(out) } else { show_only(&out, &options.show_only) }
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
        Document { part: Part::Manifest, path, content: text }.write(&mut out);
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
