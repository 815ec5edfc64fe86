//! Charts from folders, archives and memory, and what makes them invalid.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use common::{CHART, load, text};
use flate2::Compression;
use flate2::write::GzEncoder;
use gostd::value::Frozen;
use helm::Chart;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("helm-test-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, data: &[u8]) -> &Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, data).unwrap();
        self
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn packed(folder: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, data) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, Path::new(folder).join(name), *data).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

fn names(files: &[helm::chart::File]) -> Vec<&str> {
    files.iter().map(|file| file.name.as_str()).collect()
}

fn message(files: &[(&str, &str)]) -> String {
    load(files).map_or_else(|error| error.to_string(), |_| "valid".to_owned())
}

#[test]
fn folders_are_walked_in_order() {
    let folder = Folder::new("walk");
    folder
        .write("Chart.yaml", format!("\u{feff}{}", CHART.1).as_bytes())
        .write("values.yaml", "\u{feff}a: 1\n".as_bytes())
        .write("values.schema.json", b"{}")
        .write("a/z", b"1")
        .write("a-b", b"2")
        .write("skipped/x", b"3")
        .write("templates/b.yaml", b"")
        .write("templates/a/c.yaml", b"")
        .write("templates/.hidden", b"")
        .write("crds/x.yaml", b"crd")
        .write(".helmignore", b"skipped/\n");
    let chart = Chart::load_path(&folder.0).unwrap();
    assert_eq!(names(&chart.files), [".helmignore", "a/z", "a-b", "crds/x.yaml"]);
    assert_eq!(names(&chart.templates), ["templates/a/c.yaml", "templates/b.yaml"]);
    assert_eq!(chart.values, Frozen::Map(vec![("a".into(), Frozen::Float64(1.0))]));
    assert_eq!(chart.values_text, "a: 1\n");
    assert_eq!(chart.crds().count(), 1);
    assert!(chart.schema.is_some());
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_other_things_are_not_files() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    let folder = Folder::new("links");
    folder.write("chart/Chart.yaml", CHART.1.as_bytes()).write("outside/templates/a.yaml", b"a: 1");
    let chart = folder.0.join("chart");
    symlink("../outside/templates", chart.join("templates")).unwrap();
    symlink("../outside/templates/a.yaml", chart.join("linked.yaml")).unwrap();
    let loaded = Chart::load_dir(&chart).unwrap();
    assert_eq!(names(&loaded.templates), ["templates/a.yaml"]);
    assert_eq!(names(&loaded.files), ["linked.yaml"]);
    assert_eq!(loaded.warnings.len(), 2);
    assert!(loaded.warnings.iter().all(|text| text.starts_with("found symbolic link in path: ")));

    symlink(".", chart.join("loop")).unwrap();
    let error = Chart::load_dir(&chart).unwrap_err().to_string();
    assert!(error.starts_with("error evaluating symlink ") || error.contains("too many"), "{error}");
    fs::remove_file(chart.join("loop")).unwrap();

    let _socket = UnixListener::bind(chart.join("socket")).unwrap();
    let error = Chart::load_dir(&chart).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot load irregular file ") && error.ends_with("has file mode type bits set"),
        "{error}"
    );
}

#[test]
fn large_files_are_refused() {
    let folder = Folder::new("large");
    folder.write("Chart.yaml", CHART.1.as_bytes()).write("big.bin", &vec![0; 5 * 1024 * 1024 + 1]);
    let error = Chart::load_dir(&folder.0).unwrap_err().to_string();
    assert_eq!(error, r#"chart file "big.bin" is larger than the maximum file size 5242880"#);
}

#[test]
fn paths_lead_to_folders_or_archives() {
    let folder = Folder::new("paths");
    let archive = packed("anything", &[("Chart.yaml", CHART.1.as_bytes()), ("templates/a.yaml", b"a: 1")]);
    folder.write("c.tgz", &archive).write("c.yaml", b"a: 1").write("c.txt", &[b'x'; 600]);
    assert_eq!(Chart::load_path(folder.0.join("c.tgz")).unwrap().name(), "c");
    let error = |name: &str| Chart::load_path(folder.0.join(name)).unwrap_err().to_string();
    assert!(error("c.yaml").ends_with("seems to be a YAML file, but expected a gzipped archive"));
    assert!(
        error("c.txt").ends_with("does not appear to be a gzipped archive; got 'text/plain; charset=utf-8'")
    );
    assert!(error("nothing").ends_with("nothing\" not found"));
}

#[test]
fn subcharts_come_as_folders_and_archives() {
    let sub = |name: &str| format!("apiVersion: v2\nname: {name}\nversion: 0.1.0\n").into_bytes();
    let inner = packed("deep", &[("Chart.yaml", &sub("deep")), ("templates/d.yaml", b"d: 1")]);
    let outer = packed("s", &[("Chart.yaml", &sub("s")), ("charts/deep-0.1.0.tgz", &inner)]);
    let root = packed(
        "c",
        &[
            ("Chart.yaml", CHART.1.as_bytes()),
            ("charts/s-0.1.0.tgz", &outer),
            ("charts/t/Chart.yaml", &sub("t")),
            ("charts/_ignored/x", b""),
            ("charts/x.prov", b"signature"),
        ],
    );
    let chart = Chart::load_archive(&root).unwrap();
    let names_of =
        |chart: &Chart| chart.dependencies.iter().map(|sub| sub.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(names_of(&chart), ["s", "t"]);
    assert_eq!(names_of(&chart.dependencies[0]), ["deep"]);
    assert_eq!(names(&chart.files), ["charts/x.prov"]);
}

#[test]
fn bad_subcharts_are_named() {
    assert_eq!(
        message(&[CHART, ("charts/README.md", "x")]),
        "error unpacking subchart README.md in c: Chart.yaml file is missing"
    );
    assert_eq!(
        message(&[CHART, ("charts/s.tgz", "not an archive")]),
        "error unpacking subchart s.tgz in c: gzip: invalid header"
    );
    assert_eq!(
        message(&[CHART, ("charts/s/Chart.yaml", "name: s\n")]),
        "error unpacking subchart s in c: validation: chart.metadata.version is required"
    );
}

#[test]
fn archives_that_unpack_to_archives_end() {
    let mut archive = packed("c", &[("Chart.yaml", CHART.1.as_bytes())]);
    for _ in 0..80 {
        archive = packed("c", &[("Chart.yaml", CHART.1.as_bytes()), ("charts/c.tgz", &archive)]);
    }
    let error = Chart::load_archive(&archive).unwrap_err().to_string();
    assert!(error.ends_with("charts nest deeper than 64 levels"), "{error}");
}

#[test]
fn broken_archives_do_not_panic() {
    let whole = packed("c", &[("Chart.yaml", CHART.1.as_bytes()), ("a", &[1; 3000])]);
    for length in 0..whole.len() {
        let _ = Chart::load_archive(&whole[..length]);
    }
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 0x55;
        let _ = Chart::load_archive(&changed);
    }
    let mut garbage = GzEncoder::new(Vec::new(), Compression::fast());
    garbage.write_all(&[b'x'; 2048]).unwrap();
    assert!(Chart::load_archive(&garbage.finish().unwrap()).is_err());
}

#[test]
fn metadata_is_validated_in_order() {
    let with = |text: &str| message(&[("Chart.yaml", text)]);
    let cases = [
        ("version: 1.0.0\n", "validation: chart.metadata.name is required"),
        ("name: ..\nversion: 1\n", "validation: chart.metadata.name \"..\" is not allowed"),
        ("name: a/b\nversion: 1\n", "validation: chart.metadata.name \"a/b\" is invalid"),
        ("name: a\n", "validation: chart.metadata.version is required"),
        ("name: a\nversion: abc\n", "validation: chart.metadata.version \"abc\" is invalid"),
        ("name: a\nversion: 1\ntype: x\n", "validation: chart.metadata.type must be application or library"),
        (
            "name: a\nversion: 1\nmaintainers: [null]\n",
            "validation: maintainers must not contain empty or null nodes",
        ),
        (
            "name: a\nversion: 1\ndependencies: [null]\n",
            "validation: dependencies must not contain empty or null nodes",
        ),
        (
            "name: a\nversion: 1\ndependencies: [{name: s, alias: 'x y'}]\n",
            "validation: dependency \"s\" has disallowed characters in the alias",
        ),
        (
            "name: a\nversion: 1\ndependencies: [{name: s}, {name: t, alias: s}]\n",
            "validation: more than one dependency with name or alias \"s\"",
        ),
        (
            "name: [a]\nversion: 1\n",
            "cannot load Chart.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go \
             struct field Metadata.name of type string",
        ),
        (
            "name: a\nversion: 1\nmaintainers: [{name: {}}]\n",
            "cannot load Chart.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into \
             Go struct field Maintainer.maintainers.name of type string",
        ),
        ("name: a\nversion: v1.2\n", "valid"),
    ];
    for (chart, want) in cases {
        assert_eq!(with(chart), want, "{chart}");
    }
    assert_eq!(message(&[("values.yaml", "")]), "Chart.yaml file is missing");
    assert_eq!(
        message(&[CHART, ("values.yaml", "[a]")]),
        "cannot load values.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go \
         value of type map[string]interface {}"
    );
}

#[test]
fn scalars_become_strings_as_yaml_reads_them() {
    let chart = "NAME: 5\nversion: 1.10\nappVersion: 0777\ndescription: \"a\\tb\\u0007c\"\nkeywords: [true, 1.50, null]\n\
                 annotations: {a: 1e3, b: .inf, c: null}\nunknown: {x: 1}\n";
    let metadata = load(&[("Chart.yaml", chart)]).unwrap().metadata;
    assert_eq!(metadata.name, "5");
    assert_eq!(metadata.version, "1.1");
    assert_eq!(metadata.app_version, "511");
    assert_eq!(metadata.description, "a bc");
    assert_eq!(metadata.keywords, ["true", "1.5", ""]);
    let entry = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(metadata.annotations, [entry("a", "1000"), entry("b", "+Inf"), entry("c", "")]);
    assert_eq!(metadata.api_version, "v1");
}

#[test]
fn requirements_are_read_into_the_metadata() {
    let requirements = "dependencies: [{name: s, version: 1.x}]\n";
    let sub = ("charts/s/Chart.yaml", "name: s\nversion: 1.0.0\n");
    let old =
        load(&[("Chart.yaml", "name: c\nversion: 1\n"), ("requirements.yaml", requirements), sub]).unwrap();
    assert_eq!(old.metadata.dependencies.as_ref().unwrap()[0].name, "s");
    assert_eq!(names(&old.files), ["requirements.yaml"]);
    let new = load(&[CHART, ("requirements.yaml", requirements), sub]).unwrap();
    assert!(new.files.is_empty());
    assert_eq!(new.warnings.len(), 1);
}

#[test]
fn files_have_their_methods() {
    let template = "# {{ .Files.Get \"a.txt\" | quote }} {{ .Files.Lines \"a.txt\" }} {{ (.Files.Glob \"conf/*\").AsConfig \
                    | quote }} {{ (.Files.Glob \"conf/*\").AsSecrets | quote }} {{ .Files.Nope }}\n";
    let files =
        [CHART, ("a.txt", "one\ntwo\n"), ("conf/x", "k: v"), ("conf/y", ""), ("templates/a.yaml", template)];
    let want = r#"# "one\ntwo\n" [one two] "x: 'k: v'\n\"y\": \"\"" "x: azogdg==\n\"y\": \"\"" []"#;
    assert_eq!(text(&files, ""), format!("---\n# Source: c/templates/a.yaml\n{want}\n"));
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_failures_name_the_step() {
    use std::os::unix::fs::symlink;
    let top = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("links");
    let _ = std::fs::remove_dir_all(&top);
    std::fs::create_dir_all(top.join("c/templates")).unwrap();
    std::fs::create_dir_all(top.join("elsewhere/sub")).unwrap();
    std::fs::write(top.join("c/Chart.yaml"), CHART.1).unwrap();
    std::fs::write(top.join("elsewhere/sub/f.yaml"), "kind: F\n").unwrap();
    let link = |target: &str, name: &str| symlink(target, top.join("c/templates").join(name)).unwrap();
    link("../../elsewhere/./sub", "folder");
    link("folder/f.yaml", "through.yaml");
    let names = |chart: &Chart| chart.templates.iter().map(|file| file.name.clone()).collect::<Vec<_>>();
    let chart = Chart::load_path(top.join("c")).unwrap();
    assert_eq!(names(&chart), ["templates/folder/f.yaml", "templates/through.yaml"]);
    let real = std::fs::canonicalize(&top).unwrap();
    for (target, want) in [
        ("../gone", format!("lstat {}/c/gone: no such file or directory", real.display())),
        ("z", "EvalSymlinks: too many links".to_owned()),
        ("../Chart.yaml/x", "not a directory".to_owned()),
    ] {
        link(target, "z");
        let error = Chart::load_path(top.join("c")).unwrap_err().to_string();
        assert_eq!(error, format!("error evaluating symlink {}/c/templates/z: {want}", top.display()));
        std::fs::remove_file(top.join("c/templates/z")).unwrap();
    }
}
