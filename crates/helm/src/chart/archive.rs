//! Chart archives: gzipped tar, unpacked in memory under limits.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use gostd::path;
use tar::EntryType;

use super::File;
use super::source::{LARGEST_CHART, LARGEST_FILE, Source};

/// Headers and skipped entries count too: no archive may unpack to more than this.
const LONGEST_STREAM: u64 = 2 * LARGEST_CHART;

/// A gzipped tar archive in memory. `.helmignore` does not apply.
#[derive(Clone, Copy, Debug)]
pub struct Archive<'a>(&'a [u8]);

impl<'a> Archive<'a> {
    /// Wraps the bytes of a `.tgz` file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }
}

impl Source for Archive<'_> {
    fn files(&self) -> Result<(Vec<File>, Vec<String>), String> {
        check_gzip_header(self.0)?;
        let stream = MultiGzDecoder::new(self.0).take(LONGEST_STREAM);
        let mut archive = tar::Archive::new(stream);
        let mut files = Vec::new();
        let mut remaining = LARGEST_CHART;
        for entry in archive.entries().map_err(read_text)? {
            let mut entry = match entry {
                Ok(entry) => entry,
                // The last file may lack its padding, and the archive its end.
                Err(error) if error.to_string() == "unexpected EOF during skip" => break,
                Err(error) => return Err(read_text(error)),
            };
            let raw_name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let kind = entry.header().entry_type();
            let is_directory = kind == EntryType::Directory || (kind.is_file() && raw_name.ends_with('/'));
            if is_directory || kind.is_pax_global_extensions() || kind.is_pax_local_extensions() {
                continue;
            }
            let name = inner_name(&raw_name)?;
            let data = read_entry(&mut entry, &raw_name, &mut remaining)?;
            files.push(File::new(name, &data));
        }
        if files.is_empty() {
            return Err("no files in chart archive".to_owned());
        }
        Ok((files, Vec::new()))
    }
}

fn read_entry(entry: &mut impl SizedRead, raw_name: &str, remaining: &mut u64) -> Result<Vec<u8>, String> {
    let too_large = || format!("decompressed chart is larger than the maximum file size {LARGEST_CHART}");
    let size = entry.declared_size();
    if size > *remaining {
        return Err(too_large());
    }
    if size > LARGEST_FILE {
        return Err(format!(
            "decompressed chart file {raw_name:?} is larger than the maximum file size {LARGEST_FILE}"
        ));
    }
    let mut data = Vec::new();
    entry.take(*remaining).read_to_end(&mut data).map_err(read_text)?;
    let read = data.len() as u64;
    if read < size {
        return Err("unexpected EOF".to_owned());
    }
    *remaining = remaining.saturating_sub(read);
    if *remaining == 0 {
        return Err(too_large());
    }
    Ok(data)
}

/// A reader that knows its length beforehand.
trait SizedRead: Read {
    fn declared_size(&self) -> u64;
}

impl<R: Read> SizedRead for tar::Entry<'_, R> {
    fn declared_size(&self) -> u64 {
        self.size()
    }
}

/// Drops the first path element and refuses names that would leave the chart's folder.
fn inner_name(raw: &str) -> Result<String, String> {
    let delimiter = if raw.contains('\\') { '\\' } else { '/' };
    let (first, rest) = raw.split_once(delimiter).unwrap_or((raw, ""));
    let name = rest.replace(delimiter, "/");
    if path::is_abs(name.as_str()) {
        return Err("chart illegally contains absolute paths".to_owned());
    }
    let name = path::clean(name.as_str());
    if name == "." {
        return Err(format!("chart illegally contains content outside the base directory: {raw:?}"));
    }
    if name.starts_with("..") {
        return Err("chart illegally references parent directory".to_owned());
    }
    if let [letter, b':', b'/', ..] = name.as_bytes()
        && letter.is_ascii_alphabetic()
    {
        return Err("chart contains illegally named files".to_owned());
    }
    if first == "Chart.yaml" {
        return Err("chart yaml not in base directory".to_owned());
    }
    Ok(name)
}

/// What Go's `gzip.NewReader` says of bytes that are no gzip stream.
fn check_gzip_header(bytes: &[u8]) -> Result<(), String> {
    match bytes {
        [] => Err("EOF".to_owned()),
        [0x1F, 0x8B, 8, ..] if bytes.len() >= 10 => Ok(()),
        _ if bytes.len() < 10 => Err("unexpected EOF".to_owned()),
        _ => Err("gzip: invalid header".to_owned()),
    }
}

fn read_text(error: std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "unexpected EOF".to_owned(),
        std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData => {
            format!("gzip: invalid data ({error})")
        }
        _ if error.to_string() == "failed to read entire block" => "unexpected EOF".to_owned(),
        _ => "archive/tar: invalid tar header".to_owned(),
    }
}

/// Checks that a file is gzipped and says what it looks like if not (Helm's `ensureArchive`).
pub(super) fn ensure_archive(name: &str, bytes: &[u8]) -> Result<(), String> {
    if bytes.starts_with(b"\x1F\x8B\x08") {
        return Ok(());
    }
    if name.ends_with(".yml") || name.ends_with(".yaml") {
        return Err(format!("file '{name}' seems to be a YAML file, but expected a gzipped archive"));
    }
    let found = content_type(bytes);
    Err(format!("file '{name}' does not appear to be a gzipped archive; got '{found}'"))
}

/// The part of Go's `http.DetectContentType` that tells apart what people take for charts. Helm sniffs a buffer of 512
/// bytes, so that shorter texts end in NUL bytes and count as binary.
fn content_type(bytes: &[u8]) -> &'static str {
    const SNIFFED: usize = 512;
    const MAGIC: &[(&[u8], &str)] = &[
        (b"PK\x03\x04", "application/zip"),
        (b"%PDF-", "application/pdf"),
        (b"\x89PNG\r\n\x1A\n", "image/png"),
        (b"GIF8", "image/gif"),
        (b"\xFF\xD8\xFF", "image/jpeg"),
        (b"\xFE\xFF", "text/plain; charset=utf-16be"),
        (b"\xFF\xFE", "text/plain; charset=utf-16le"),
        (b"\xEF\xBB\xBF", "text/plain; charset=utf-8"),
        (b"Rar!\x1A\x07", "application/x-rar-compressed"),
    ];
    const HTML: &[&[u8]] = &[b"<!DOCTYPE HTML", b"<HTML", b"<HEAD", b"<BODY", b"<TITLE", b"<!--"];
    let head = bytes.get(..SNIFFED).unwrap_or(bytes);
    let text = head.trim_ascii_start();
    let is_html = |tag: &&[u8]| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    if HTML.iter().any(is_html) {
        return "text/html; charset=utf-8";
    }
    if text.starts_with(b"<?xml") {
        return "text/xml; charset=utf-8";
    }
    if let Some((_, name)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return name;
    }
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F);
    let padded = head.len() < SNIFFED;
    if padded || head.iter().any(is_binary) {
        "application/octet-stream"
    } else {
        "text/plain; charset=utf-8"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, data) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(data.len() as u64);
            header.set_mode(0o644);
            // Written directly: the builder itself refuses the evil names.
            let old = header.as_old_mut();
            old.name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            builder.append(&header, *data).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    fn names(files: &[(&str, &[u8])]) -> Result<Vec<String>, String> {
        let bytes = archive(files);
        Ok(Archive::new(&bytes).files()?.0.into_iter().map(|file| file.name).collect())
    }

    #[test]
    fn first_element_is_dropped() {
        assert_eq!(names(&[("c/Chart.yaml", b"x"), ("z/a/b", b"")]).unwrap(), ["Chart.yaml", "a/b"]);
        assert_eq!(names(&[("c\\templates\\a", b"x")]).unwrap(), ["templates/a"]);
        assert_eq!(names(&[("c/templates/", b""), ("c/a", b"")]).unwrap(), ["a"]);
    }

    #[test]
    fn evil_names_are_refused() {
        let error = |name: &str| names(&[(name, b"")]).unwrap_err();
        assert_eq!(error("c//etc/passwd"), "chart illegally contains absolute paths");
        assert_eq!(error("a"), "chart illegally contains content outside the base directory: \"a\"");
        assert_eq!(error("c/../../x"), "chart illegally references parent directory");
        assert_eq!(error("c/c:/x"), "chart contains illegally named files");
        assert_eq!(error("Chart.yaml/x"), "chart yaml not in base directory");
    }

    #[test]
    fn sizes_are_limited() {
        let big = vec![0; LARGEST_FILE as usize + 1];
        assert_eq!(
            names(&[("c/big", &big)]).unwrap_err(),
            "decompressed chart file \"c/big\" is larger than the maximum file size 5242880"
        );
        let part = vec![0; LARGEST_FILE as usize];
        let many: Vec<(&str, &[u8])> = (0..21).map(|_| ("c/part", part.as_slice())).collect();
        assert!(names(&many).unwrap_err().starts_with("decompressed chart is larger"));
    }

    #[test]
    fn other_bytes_are_named() {
        assert_eq!(names(&[]).unwrap_err(), "no files in chart archive");
        assert_eq!(Archive::new(b"0123456789").files().unwrap_err(), "gzip: invalid header");
        assert_eq!(Archive::new(b"").files().unwrap_err(), "EOF");
        let mut cut = archive(&[("c/a", &[7; 2000])]);
        cut.truncate(cut.len() / 2);
        assert_eq!(Archive::new(&cut).files().unwrap_err(), "unexpected EOF");
        let text = "x".repeat(600);
        assert!(
            ensure_archive("x", text.as_bytes()).unwrap_err().ends_with("got 'text/plain; charset=utf-8'")
        );
        let mut sink = Vec::new();
        sink.write_all(b"short").unwrap();
        assert!(ensure_archive("x", &sink).unwrap_err().ends_with("got 'application/octet-stream'"));
        assert!(ensure_archive("x.yaml", b"a: 1").unwrap_err().contains("seems to be a YAML file"));
    }
}
