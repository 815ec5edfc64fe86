//! What the command says where it cannot work. Needs nothing that must be built first.
#![allow(clippy::unwrap_used)] // Also in the functions that tests share.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Output},
};

/// A directory that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("devcluster-failures-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.0.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Runs the command with an empty cache and a PATH that begins with `folder`.
fn run(folder: &Folder, rest_of_path: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_devcluster"))
        .args(arguments)
        .env_clear()
        .env("HOME", &folder.0)
        .env("XDG_CACHE_HOME", folder.0.join("cache"))
        .env("PATH", format!("{}:{rest_of_path}", folder.0.display()))
        .output()
        .unwrap()
}

fn complaint(output: &Output) -> String {
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_path_of_something_not_built_says_how_to_build_it() {
    let folder = Folder::new("path");
    let told = complaint(&run(&folder, "", &["path", "helm4"]));
    assert!(told.starts_with("devcluster: not built yet: helm4"), "{told}");
    assert!(told.contains("devcluster build --with helm4"), "{told}");
}

#[test]
fn a_compilers_failure_is_quoted_with_advice() {
    let folder = Folder::new("compiler");
    let go = r#"[ "$1" = version ] && { echo go version go1.99.0 x/y; exit; }
echo internal/abi >&2
echo 'write x.a: no space left on device' >&2
exit 1"#;
    folder.program("go", go);
    let told = complaint(&run(&folder, "/usr/bin:/bin", &["build"]));
    assert!(told.contains("building kube-apiserver failed (exit status 1)"), "{told}");
    assert!(told.contains("  write x.a: no space left on device"), "{told}");
    assert!(!told.contains("  internal/abi"), "{told}");
    assert!(told.contains("what to do: the disk is full"), "{told}");
}

#[test]
fn the_module_is_built_as_pinned_whatever_the_users_settings() {
    let folder = Folder::new("settings");
    let go = r#"[ "$1" = version ] && { echo go version go1.99.0 x/y; exit; }
echo "saw $CGO_ENABLED $GOFLAGS [$GOOS] $PWD $(head -n 1 go.mod)" >&2
exit 1"#;
    folder.program("go", go);
    let told = complaint(&run(&folder, "/usr/bin:/bin", &["build"]));
    assert!(told.contains("saw 0 -mod=readonly [] "), "{told}");
    assert!(told.contains("/go/kubernetes module chartwright.dev/devcluster/kubernetes"), "{told}");
}

#[test]
fn nothing_to_build_with_lists_what_was_tried() {
    let folder = Folder::new("nothing");
    folder.program("python3", "echo 'No module named venv' >&2; exit 1");
    let told = complaint(&run(&folder, "", &["build"]));
    assert!(told.contains("nothing to build the control plane with: it needs Go 1.26 or newer"), "{told}");
    assert!(told.contains("  there is no `go` on PATH"), "{told}");
    assert!(told.contains("No module named venv"), "{told}");
    assert!(told.contains("what to do: install Go"), "{told}");
}

#[test]
fn an_assets_folder_that_lacks_the_control_plane_is_refused() {
    let folder = Folder::new("assets");
    let output = Command::new(env!("CARGO_BIN_EXE_devcluster"))
        .args(["up", "--state"])
        .arg(folder.0.join("state"))
        .env_clear()
        .env("HOME", &folder.0)
        .env("KUBEBUILDER_ASSETS", &folder.0)
        .output()
        .unwrap();
    let told = complaint(&output);
    assert!(told.starts_with("devcluster: KUBEBUILDER_ASSETS names "), "{told}");
    assert!(told.contains("has no program"), "{told}");
}

#[test]
fn without_a_home_the_cache_has_no_place() {
    let output = Command::new(env!("CARGO_BIN_EXE_devcluster")).arg("build").env_clear().output().unwrap();
    let told = complaint(&output);
    assert!(told.starts_with("devcluster: no place for the cache: set XDG_CACHE_HOME"), "{told}");
}

#[test]
fn an_unknown_part_is_answered_with_the_known_ones() {
    let folder = Folder::new("unknown");
    let told = complaint(&run(&folder, "", &["path", "kubelet"]));
    assert!(told.contains("kube-controller-manager"), "{told}");
}

#[test]
fn there_is_nothing_to_stop_where_nothing_was_started() {
    let folder = Folder::new("down");
    for command in ["down", "env"] {
        let told = complaint(&run(&folder, "", &[command]));
        assert!(told.contains("no cluster was started there"), "{told}");
        assert!(told.contains("what to do: "), "{told}");
    }
}
