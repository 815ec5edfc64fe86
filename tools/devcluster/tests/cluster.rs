//! Starts real clusters. Ignored by default: the parts must be built, which takes a while the first time.
//!
//! `cargo test -p devcluster -- --ignored`
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // Also in the functions that tests share.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use devcluster::{Cluster, Error, Options, Part, TokenUser};

const PROGRAM: &str = env!("CARGO_BIN_EXE_devcluster");

/// Waits for a condition and fails with what it was if it does not come true.
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(40);
    while !condition() {
        assert!(Instant::now() < deadline, "not within 40 s: {what}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// The processes whose command line mentions a state directory: every part and guard of its cluster does.
fn processes_of(state: &Path) -> Vec<String> {
    let state = state.to_string_lossy();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        if command.contains(&*state) {
            found.push(format!("{} {command}", entry.file_name().to_string_lossy()));
        }
    }
    found
}

fn nothing_is_left_of(state: &Path) {
    eventually("all processes are gone", || processes_of(state).is_empty());
    eventually("the state directory is gone", || !state.exists());
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("devcluster-test-{name}-{}", std::process::id()))
}

fn get(cluster: &Cluster, arguments: &[&str]) -> String {
    cluster.run_kubectl(&[&["get"], arguments].concat()).unwrap()
}

#[test]
#[ignore = "starts a real cluster"]
fn a_cluster_runs_workloads_and_leaves_nothing_behind() {
    let started = Instant::now();
    let cluster = Cluster::start(Options::default()).unwrap();
    println!("up in {:?}", started.elapsed());
    let state = cluster.state_directory().to_owned();
    assert!(processes_of(&state).len() >= 5);
    assert_eq!(get(&cluster, &["nodes", "-o", "name"]).lines().count(), 4);
    let version = get(&cluster, &["--raw=/version"]);
    assert!(version.contains(r#""gitVersion": "v1.3"#), "{version}");

    deployments_roll_out_and_are_collected(&cluster);
    jobs_complete(&cluster);
    claims_are_bound(&cluster);
    owners_take_their_objects_with_them(&cluster);
    service_accounts_have_only_their_own_rights(&cluster);
    charts_install(&cluster);
    data_outlives_an_outage(&cluster);

    cluster.check().unwrap();
    let stopping = Instant::now();
    drop(cluster);
    println!("down in {:?}", stopping.elapsed());
    assert_eq!(processes_of(&state), [""; 0]);
    assert!(!state.exists());
}

fn deployments_roll_out_and_are_collected(cluster: &Cluster) {
    cluster.run_kubectl(&["create", "deployment", "web", "--image=example.com/web", "--replicas=3"]).unwrap();
    let ready = || get(cluster, &["deployment", "web", "-o", "jsonpath={.status.readyReplicas}"]) == "3";
    eventually("three replicas are ready", ready);
    cluster.run_kubectl(&["delete", "deployment", "web"]).unwrap();
    let pods = || get(cluster, &["pods,replicasets", "-l", "app=web", "-o", "name"]);
    eventually("replica set and pods are collected", || pods().is_empty());
}

fn jobs_complete(cluster: &Cluster) {
    cluster.run_kubectl(&["create", "job", "once", "--image=example.com/once"]).unwrap();
    eventually("the job is complete", || {
        get(cluster, &["job", "once", "-o", "jsonpath={.status.succeeded}"]) == "1"
    });
}

fn claims_are_bound(cluster: &Cluster) {
    let claim = r#"
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
"#;
    cluster.apply(claim).unwrap();
    let phase = || get(cluster, &["persistentvolumeclaim", "data", "-o", "jsonpath={.status.phase}"]);
    eventually("the claim is bound", || phase() == "Bound");
    cluster.run_kubectl(&["delete", "persistentvolumeclaim", "data", "--timeout=20s"]).unwrap();
}

fn owners_take_their_objects_with_them(cluster: &Cluster) {
    cluster.run_kubectl(&["create", "configmap", "owner"]).unwrap();
    let uid = get(cluster, &["configmap", "owner", "-o", "jsonpath={.metadata.uid}"]);
    let owned = format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: owned, ownerReferences: [\
         {{apiVersion: v1, kind: ConfigMap, name: owner, uid: {uid}}}]}}}}"
    );
    cluster.apply(&owned).unwrap();
    cluster.run_kubectl(&["delete", "configmap", "owner"]).unwrap();
    let owned = || get(cluster, &["configmap", "owned", "--ignore-not-found", "-o", "name"]);
    eventually("the owned object is collected", || owned().is_empty());
}

fn service_accounts_have_only_their_own_rights(cluster: &Cluster) {
    for arguments in [
        &["create", "serviceaccount", "reader"][..],
        &["create", "role", "reader", "--verb=get,list", "--resource=configmaps"],
        &["create", "rolebinding", "reader", "--role=reader", "--serviceaccount=default:reader"],
    ] {
        cluster.run_kubectl(arguments).unwrap();
    }
    let kubeconfig = cluster.kubeconfig_for_service_account("default", "reader").unwrap();
    let may = |arguments: &[&str]| {
        let mut command = cluster.kubectl();
        command.env("KUBECONFIG", &kubeconfig).args(arguments).output().unwrap()
    };
    assert!(may(&["get", "configmaps"]).status.success());
    let refused = may(&["get", "secrets"]);
    assert!(!refused.status.success());
    let complaint = String::from_utf8_lossy(&refused.stderr);
    assert!(complaint.contains(r#"User "system:serviceaccount:default:reader" cannot list"#), "{complaint}");
}

fn charts_install(cluster: &Cluster) {
    let Ok(mut helm) = cluster.helm3() else {
        println!("helm3 is not built, so no chart is installed");
        return;
    };
    let chart = cluster.state_directory().join("chart");
    assert!(helm.arg("create").arg(&chart).output().unwrap().status.success());
    let mut install = cluster.helm3().unwrap();
    let output = install.args(["install", "one", "--wait", "--timeout=40s"]).arg(&chart).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(cluster.helm3().unwrap().args(["uninstall", "one", "--wait"]).status().unwrap().success());
}

fn data_outlives_an_outage(cluster: &Cluster) {
    let server = cluster.server_url().to_owned();
    cluster.run_kubectl(&["create", "configmap", "survivor"]).unwrap();
    cluster.stop_apiserver().unwrap();
    let error = cluster.run_kubectl(&["get", "configmaps"]).unwrap_err().to_string();
    assert!(error.contains("the API server does not answer"), "{error}");
    cluster.check().unwrap();
    cluster.start_apiserver().unwrap();
    assert_eq!(cluster.server_url(), server);
    assert_eq!(get(cluster, &["configmap", "survivor", "-o", "name"]).trim(), "configmap/survivor");
    // The controllers find their way back by themselves.
    jobs_complete_again(cluster);
}

fn jobs_complete_again(cluster: &Cluster) {
    cluster.run_kubectl(&["create", "job", "again", "--image=example.com/once"]).unwrap();
    eventually("the job is complete", || {
        get(cluster, &["job", "again", "-o", "jsonpath={.status.succeeded}"]) == "1"
    });
    cluster.check().unwrap();
}

#[test]
#[ignore = "starts a real cluster"]
fn a_part_that_dies_is_named_and_its_log_is_kept() {
    let cluster = Cluster::start(Options { nodes: 0, ..Options::default() }).unwrap();
    let state = cluster.state_directory().to_owned();
    cluster.kill_part(Part::KubeScheduler).unwrap();
    eventually("the death is noticed", || cluster.check().is_err());
    let error = cluster.check().unwrap_err();
    let Error::PartDied { part, ref log, .. } = error else { panic!("{error}") };
    assert_eq!(part, Part::KubeScheduler);
    let text = error.to_string();
    assert!(text.starts_with("kube-scheduler ended by itself (signal 9)\nlast lines of "), "{text}");
    assert!(text.contains("what to do: it was killed from outside"), "{text}");
    let log = log.clone();
    cluster.start_part(Part::KubeScheduler).unwrap();
    cluster.check().unwrap();
    drop(cluster);
    assert_eq!(processes_of(&state), [""; 0]);
    assert!(log.exists() && !state.join("etcd").exists());
    fs::remove_dir_all(state).unwrap();
}

#[test]
#[ignore = "starts a real cluster"]
fn a_bare_api_server_knows_users_by_token_and_can_be_attached_to() {
    let user = TokenUser { name: "dev".into(), token: "dev-token".into(), groups: vec!["devs".into()] };
    let policy = "{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata, users: [dev]}]}";
    let audit_policy = Some(policy.to_owned());
    let bare =
        Options { nodes: 0, controllers: false, users: vec![user], audit_policy, ..Options::default() };
    let cluster = Cluster::start(bare).unwrap();
    let kubeconfig = cluster.kubeconfig_for_token("dev", "dev-token").unwrap();
    let whoami = cluster.kubectl().env("KUBECONFIG", &kubeconfig).args(["auth", "whoami"]).output().unwrap();
    let whoami = String::from_utf8_lossy(&whoami.stdout);
    assert!(whoami.contains("dev") && whoami.contains("devs"), "{whoami}");
    let audited = fs::read_to_string(cluster.audit_log().unwrap()).unwrap();
    assert!(
        audited.contains("selfsubjectreviews") && !audited.contains(r#""username":"admin""#),
        "{audited}"
    );

    let given = Options { kubeconfig: Some(cluster.kubeconfig().to_owned()), ..Options::default() };
    let attached = Cluster::start(given).unwrap();
    assert!(attached.is_existing());
    assert_eq!(attached.server_url(), cluster.server_url());
    attached.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: seen}}").unwrap();
    let dev = attached.kubeconfig_for_token("dev", "dev-token").unwrap();
    assert!(attached.kubectl().env("KUBECONFIG", &dev).args(["auth", "whoami"]).status().unwrap().success());
    assert!(matches!(attached.stop_apiserver(), Err(Error::NotOurs { .. })));
    drop(attached);
    assert_eq!(get(&cluster, &["configmap", "seen", "-o", "name"]).trim(), "configmap/seen");
}

#[test]
#[ignore = "starts a real cluster"]
fn a_port_in_use_is_told_before_anything_starts() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error =
        Cluster::start(Options { api_port: Some(port), ..Options::default() }).unwrap_err().to_string();
    assert!(error.starts_with(&format!("port {port} for kube-apiserver is already in use")), "{error}");
}

#[test]
#[ignore = "starts a real cluster"]
fn nothing_outlives_an_owner_that_is_killed() {
    let state = temporary("killed");
    let mut owner = up(&state);
    owner.kill().unwrap();
    owner.wait().unwrap();
    nothing_is_left_of(&state);
}

#[test]
#[ignore = "starts a real cluster"]
fn an_interrupt_ends_a_cluster_in_order() {
    for signal in ["INT", "TERM", "HUP"] {
        let state = temporary(signal);
        let mut owner = up(&state);
        Command::new("kill").args([&format!("-{signal}"), &owner.id().to_string()]).status().unwrap();
        assert!(owner.wait().unwrap().success());
        assert_eq!(processes_of(&state), [""; 0]);
        assert!(!state.exists());
    }
}

#[test]
#[ignore = "starts a real cluster"]
fn an_interrupt_during_the_start_leaves_nothing() {
    let state = temporary("early");
    let mut owner = command(&state, &["up"]).stdout(Stdio::null()).spawn().unwrap();
    eventually("something runs", || processes_of(&state).len() > 3);
    Command::new("kill").args(["-INT", &owner.id().to_string()]).status().unwrap();
    owner.wait().unwrap();
    nothing_is_left_of(&state);
}

#[test]
#[ignore = "starts a real cluster"]
fn a_detached_cluster_is_used_and_stopped_by_its_directory() {
    let state = temporary("detached with 'quotes'");
    let output = command(&state, &["up", "--detach", "--nodes=1"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("devcluster down --state"), "{told}");

    let again = command(&state, &["up"]).output().unwrap();
    assert!(!again.status.success());
    let told = String::from_utf8_lossy(&again.stderr);
    assert!(told.contains("a cluster is running there"), "{told}");

    let exports = command(&state, &["env"]).output().unwrap();
    let script = format!("{}\nkubectl get nodes -o name", String::from_utf8_lossy(&exports.stdout));
    let nodes = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&nodes.stdout), "node/node-0\n");

    assert!(command(&state, &["down"]).status().unwrap().success());
    nothing_is_left_of(&state);
}

fn command(state: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).arg("--state").arg(state).env_remove("CHARTWRIGHT_KUBECONFIG");
    command
}

/// Starts a cluster in the foreground and waits until it is up.
fn up(state: &Path) -> Child {
    let mut owner = command(state, &["up", "--nodes=1"]).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(owner.stdout.take().unwrap()).lines();
    let mut told = lines.map_while(Result::ok);
    assert!(told.any(|line| line.contains("to stop it")), "it did not come up");
    owner
}
