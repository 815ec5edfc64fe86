//! The command line, run as a user runs it.
#![allow(clippy::expect_used, reason = "a test that cannot go on says why")]

use std::path::Path;
use std::process::{Command, Output};

const KIND: &[&str] =
    &["--chart", "charts/memcached", "--api-version", "anywhere.io/v1alpha1", "--kind", "Memcached"];

fn chartwright(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_chartwright"))
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("HELM_CHART")
        .env_remove("API_VERSION")
        .env_remove("KIND")
        .env_remove("KUBECONFIG")
        .output()
        .expect("the binary runs")
}

fn stdout(args: &[&str]) -> String {
    let output = chartwright(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn error(args: &[&str]) -> String {
    let output = chartwright(args);
    assert!(
        !output.status.success(),
        "{args:?} should fail, but printed {}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert!(output.stdout.is_empty(), "{args:?}: errors leave standard output empty");
    String::from_utf8(output.stderr).expect("text")
}

fn with<'a>(command: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    [&[command], KIND, rest].concat()
}

#[test]
fn the_deploy_folder_is_fresh() {
    let dir = tempdir("deploy");
    let out = dir.to_str().expect("a path");
    stdout(&with("manifests", &["--image", "you/memcached-operator", "--output-dir", out]));
    for name in ["rbac.yaml", "crd.yaml", "operator.yaml", "cr.yaml"] {
        let made = std::fs::read_to_string(dir.join(name)).expect("it was written");
        let kept = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name));
        assert_eq!(kept.expect("deploy/ has it"), made, "deploy/{name} is stale: run `make deploy`");
    }
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn rules_are_the_least_the_chart_needs() {
    let text = stdout(&with("manifests", &["--image", "x"]));
    assert!(!text.contains("'*'"), "no wildcard is granted");
    for resource in
        ["statefulsets", "poddisruptionbudgets", "services", "serviceaccounts", "memcacheds/status"]
    {
        assert!(text.contains(resource), "{resource} is granted");
    }
    assert!(
        !text.contains("deployments\n") && !text.contains("configmaps"),
        "what the chart cannot make is not"
    );
}

#[test]
fn one_namespace_needs_no_rules_elsewhere() {
    let text = stdout(&with("manifests", &["--image", "x", "--namespaced", "--namespace", "team-a"]));
    let cluster_role =
        text.split("---").find(|doc| doc.contains("kind: ClusterRole\n")).expect("a ClusterRole");
    assert!(cluster_role.contains("customresourcedefinitions") && !cluster_role.contains("secrets"));
    assert!(text.contains("name: WATCH_NAMESPACE"));
}

#[test]
fn what_manifests_are_made_with_the_operator_is_told_too() {
    let flags = [
        "--plural=stores",
        "--scope=Cluster",
        "--short-name=mc",
        "--column=Tag=.spec.image.tag",
        "--replicas-path=replicaCount",
        "--schema=strict",
    ];
    let given = [&["--image", "x"], &flags[..]].concat();
    let text = stdout(&with("manifests", &given));
    for flag in flags {
        assert!(
            text.contains(&format!("            - \"{flag}\"\n")),
            "{flag} is not among the arguments:\n{text}"
        );
    }
    assert!(!stdout(&with("manifests", &["--image", "x", "--plural", "memcacheds"])).contains("- \"--"));
}

#[test]
fn check_refuses_a_number_of_replicas_that_the_chart_does_not_have() {
    let told = error(&with("check", &["--replicas-path", "nope"]));
    assert!(told.contains("no value nope to scale"), "{told}");
}

#[test]
fn the_crd_has_the_kits_names() {
    let args = [
        "crd",
        "--chart",
        "charts/memcached",
        "--api-version",
        "anywhere.io/v1alpha1",
        "--kind",
        "memcached",
    ];
    let text = stdout(&args);
    for line in [
        "name: memcacheds.anywhere.io",
        "kind: memcached",
        "listKind: memcachedList",
        "plural: memcacheds",
        "singular: memcached",
        "scope: Namespaced",
        "name: v1alpha1",
    ] {
        assert!(text.contains(line), "{line} is in {text}");
    }
}

#[test]
fn a_chart_may_stand_by_itself() {
    let kind = ["--api-version", "anywhere.io/v1alpha1", "--kind", "Memcached"];
    for (command, more) in [("crd", None), ("docs", None), ("check", None), ("manifests", Some("--image=x"))]
    {
        let with = |args: &[&'static str]| [&[command], args, &kind[..], more.as_slice()].concat();
        let by_flag = stdout(&with(&["--chart", "charts/memcached"]));
        assert_eq!(stdout(&with(&["charts/memcached"])), by_flag, "{command}");
        let told = error(&with(&["charts/memcached", "--chart", "nowhere"]));
        assert!(told.contains("a chart is given twice"), "{command}: {told}");
    }
}

#[test]
fn wrong_names_say_what_to_write() {
    let chart = ["--chart", "charts/memcached"];
    let no_group =
        error(&[&["check"], &chart[..], &["--api-version", "v1alpha1", "--kind", "Memcached"]].concat());
    assert!(no_group.contains("has no group") && no_group.contains("anywhere.io/v1alpha1"), "{no_group}");
    let bad_kind =
        error(&[&["check"], &chart[..], &["--api-version", "a.io/v1", "--kind", "My-Kind"]].concat());
    assert!(bad_kind.contains("\"My-Kind\" is not a kind name"), "{bad_kind}");
    let no_kind = error(&[&["check"], &chart[..], &["--api-version", "a.io/v1"]].concat());
    assert!(no_kind.contains("set --kind or KIND"), "{no_kind}");
}

#[test]
fn a_broken_chart_fails_the_check_with_the_place() {
    let dir = tempdir("broken");
    std::fs::create_dir_all(dir.join("templates")).expect("a folder");
    std::fs::write(dir.join("Chart.yaml"), "apiVersion: v2\nname: broken\nversion: 1.0.0\n").expect("a file");
    std::fs::write(dir.join("templates/a.yaml"), "a: 1\nb: {{ .Values.x | nosuch }}\n").expect("a file");
    let path = dir.to_str().expect("a path");
    let text = error(&["check", "--chart", path, "--api-version", "a.io/v1", "--kind", "Broken"]);
    assert!(text.contains("broken/templates/a.yaml:2") && text.contains("\"nosuch\" not defined"), "{text}");
    std::fs::write(dir.join("values.schema.json"), "{").expect("a file");
    let text = error(&["check", "--chart", path, "--api-version", "a.io/v1", "--kind", "Broken"]);
    assert!(text.contains("broken/values.schema.json cannot be used: unexpected EOF"), "{text}");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn template_prints_what_the_chart_renders() {
    let text = stdout(&["template", "web", "charts/memcached", "-n", "prod", "--set", "replicaCount=3"]);
    assert!(text.starts_with("---\n# Source: memcached/templates/poddisruptionbudget.yaml\n"), "{text}");
    assert!(text.contains("replicas: 3") && text.contains("name: web-memcached"));
    let from_cr = stdout(&["template", "charts/memcached", "--cr", "deploy/cr.yaml"]);
    assert!(from_cr.contains("replicas: 3") && from_cr.contains("name: memcached-sample\n"), "{from_cr}");
}

#[test]
fn template_takes_helms_flags() {
    let plain = stdout(&["template", "web", "charts/memcached"]);
    let ignored =
        ["--wait", "--timeout=5m", "--version=1", "--dry-run", "--debug", "--kube-context=x", "--skip-crds"];
    assert_eq!(plain, stdout(&[["template", "web", "charts/memcached"].as_slice(), &ignored].concat()));
    assert!(
        error(&["template", "charts/memcached", "--dry-run=server"]).contains("asks nothing of a cluster")
    );
    assert!(error(&["template", "charts/memcached", "--post-renderer=x"]).contains("pipe the output"));
    assert!(
        error(&["template", "charts/memcached", "--post-renderer-args", "-x"]).contains("pipe the output")
    );
    let twice = stdout(&["template", "web", "charts/memcached", "--namespace=a", "-n", "b"]);
    assert_eq!(twice, stdout(&["template", "web", "charts/memcached", "-n", "b"]), "the last one counts");
    let nothing = ["--kube-version=", "--values=", "-f", ""];
    assert_eq!(plain, stdout(&[["template", "web", "charts/memcached"].as_slice(), &nothing].concat()));
    let text = error(&["template", "web", "charts/memcached", "-f", "a,"]);
    assert!(text.contains("open a: no such file"), "{text}");
    let bools = ["--wait=false", "--include-crds=true", "--skip-tests=F", "--no-hooks", "--no-hooks=0"];
    assert_eq!(plain, stdout(&[["template", "web", "charts/memcached"].as_slice(), &bools].concat()));
    let text = error(&["template", "web", "charts/memcached", "--generate-name"]);
    assert!(text.contains("cannot set --generate-name and also specify a name"), "{text}");
}

#[test]
fn template_warns_also_when_it_fails() {
    let dir = tempdir("warnings");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("a file");
    std::fs::create_dir_all(dir.join("templates")).expect("a folder");
    let metadata = "apiVersion: v2\nname: p\nversion: 0.1.0\ndeprecated: true\n";
    write("Chart.yaml", metadata);
    write("values.yaml", "a: 1\n");
    write("templates/t.yaml", "{{ fail \"no\" }}");
    let chart = dir.to_str().expect("a path");
    let text = error(&["template", chart, "--set", "a.b=1"]);
    let deprecated = text.find("WARNING: This chart is deprecated").expect("the first warning");
    let skipped = text.find("warning: skipped value for p.a: Not a table.").expect("the second warning");
    assert!(deprecated < skipped && text[skipped..].contains("no"), "{text}");
    write("Chart.yaml", &format!("{metadata}dependencies: [{{name: zz, version: '1'}}]\n"));
    let text = error(&["template", "Wrong_Name", chart]);
    assert!(text.contains("WARNING: This chart is deprecated"), "{text}");
    assert!(text.contains("missing in charts/ directory: zz"), "{text}");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn template_writes_files_as_helm_does() {
    let dir = tempdir("output");
    let out = dir.to_str().expect("a path");
    let text = stdout(&["template", "web", "charts/memcached", "--output-dir", out, "--release-name"]);
    let first = format!("wrote {out}/web/memcached/templates/serviceaccount.yaml\n");
    assert!(text.starts_with(&first) && text.ends_with("\n\n"), "{text}");
    let file = dir.join("web/memcached/templates/serviceaccount.yaml");
    let written = std::fs::read_to_string(file).expect("it was written");
    assert!(written.starts_with("---\n# Source: memcached/templates/serviceaccount.yaml\n"), "{written}");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn renders_end_at_the_limits_that_are_set() {
    let template = |limit: &str| error(&["template", "charts/memcached", limit]);
    let text = template("--max-render-steps=10");
    assert!(text.contains("the execution took more than 10 steps"), "{text}");
    let text = template("--max-render-output=10");
    assert!(text.contains("10 bytes"), "{text}");
    let text = template("--max-render-time=1ns");
    assert!(text.contains("its time is up"), "{text}");
    // There is room enough for what Helm allows.
    let dir = tempdir("nesting");
    std::fs::create_dir_all(dir.join("templates")).expect("a folder");
    std::fs::write(dir.join("Chart.yaml"), "apiVersion: v2\nname: n\nversion: 0.1.0\n").expect("a file");
    let endless = "{{ define \"r\" }}{{ tpl \"{{ include \\\"r\\\" . }}\" . }}{{ end }}{{ include \"r\" . }}";
    std::fs::write(dir.join("templates/t.yaml"), endless).expect("a file");
    let text = error(&["template", dir.to_str().expect("a path")]);
    assert!(text.contains("rendering template has a nested reference name: r"), "{text}");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn every_command_explains_itself_and_is_in_the_readme() {
    let help = stdout(&["--help"]);
    let readme =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("a README");
    for command in ["run", "template", "crd", "docs", "manifests", "check", "version"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command} is in --help");
        assert!(readme.contains(&format!("`chartwright {command}")), "{command} is in the README");
        assert!(stdout(&[command, "--help"]).contains("Usage: chartwright"), "{command} --help");
    }
}

fn tempdir(name: &str) -> std::path::PathBuf {
    let dir = std::env::temp_dir().join(format!("chartwright-cli-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a temporary folder");
    dir
}

/// helm-operator's flags, as its reference lists them.
const FLAGS: &[&str] = &[
    "--reconcile-period=1m",
    "--max-concurrent-reconciles=4",
    "--metrics-bind-address=:0",
    "--metrics-secure",
    "--metrics-require-rbac",
    "--enable-http2=false",
    "--health-probe-bind-address=localhost:0",
    "--leader-elect=T",
    "--enable-leader-election",
    "--leader-election-id=x",
    "--leader-election-namespace=ops",
    "--suppress-override-values",
    "--zap-devel=false",
    "--zap-encoder=console",
    "--zap-log-level=2",
    "--zap-stacktrace-level=error",
    "--zap-time-encoding=rfc3339nano",
    // Given twice, the last one counts.
    "--reconcile-period=2m",
];

#[test]
fn every_flag_of_helm_operator_is_taken() {
    let args = [&["run", "--kubeconfig=/nonexistent/kubeconfig"], FLAGS, KIND].concat();
    let text = error(&args);
    assert!(text.contains("cannot reach a cluster") && text.contains("/nonexistent/kubeconfig"), "{text}");
}

#[test]
fn what_helm_would_fetch_is_said_to_be_on_disk_first() {
    let oci = error(&["template", "x", "oci://charts.example.com/memcached"]);
    assert!(oci.contains("`helm pull oci://charts.example.com/memcached` first"), "{oci}");
    for (flag, advice) in [
        ("--dependency-update", "`helm dependency update CHART` first"),
        ("--repo=https://charts.example.com", "`helm pull --repo URL CHART --untar` first"),
        ("--verify", "`helm pull --verify` first"),
    ] {
        let error = error(&["template", "charts/memcached", flag]);
        assert!(error.contains(advice), "{flag}: {error}");
    }
}

#[test]
fn what_is_no_yaml_is_printed_if_asked_for() {
    let dir = tempdir("debug");
    let templates = dir.join("templates");
    std::fs::create_dir_all(&templates).expect("a folder");
    let write = |path: std::path::PathBuf, text: &str| std::fs::write(path, text).expect("it can be written");
    write(dir.join("Chart.yaml"), "apiVersion: v2\nname: d\nversion: 0.1.0\n");
    write(templates.join("bad.yaml"), "a: 1\n b: {{ .Release.Name }}\n");
    write(templates.join("good.yaml"), "kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n");
    write(templates.join("none.yaml"), "{{ if false }}x{{ end }}\n");
    write(templates.join("NOTES.txt"), "notes");
    let path = dir.to_str().expect("a path");
    let hint = "Use --debug flag";
    let plain = error(&["template", "r", path]);
    assert!(plain.contains("YAML parse error on d/templates/bad.yaml") && plain.contains(hint), "{plain}");
    let shown = chartwright(&["template", "r", path, "--debug"]);
    let good = "---\n# Source: d/templates/good.yaml\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n";
    let bad = "---\n# Source: d/templates/bad.yaml\na: 1\n b: r\n\n";
    assert_eq!(String::from_utf8_lossy(&shown.stdout), format!("{bad}{good}"));
    let told = String::from_utf8_lossy(&shown.stderr);
    assert!(!shown.status.success() && told.contains("YAML parse error") && !told.contains(hint), "{told}");
    let one = chartwright(&["template", "r", path, "--debug", "--show-only", "templates/good.yaml"]);
    assert_eq!(String::from_utf8_lossy(&one.stdout), good);
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn an_image_without_a_name_is_refused() {
    let error = error(&with("manifests", &["--image", ""]));
    assert!(error.contains("--image <IMAGE>"), "{error}");
}

#[test]
fn a_type_that_stays_is_said_to() {
    assert_eq!(stdout(&with("crd", &["--diff", "charts/memcached"])), "nothing changes\n");
}

#[test]
fn resources_that_are_none_are_refused_with_the_file() {
    let dir = tempdir("resources");
    for (text, reason) in [
        ("kind: Memcached", "it has no metadata.name"),
        ("metadata: {name: x}\nspec: [1]", "its spec is no table of values"),
        ("a: b: c", "mapping values are not allowed"),
    ] {
        let file = dir.join("cr.yaml");
        std::fs::write(&file, text).expect("it can be written");
        let path = file.to_str().expect("a path");
        let error = error(&["template", "charts/memcached", "--cr", path]);
        assert!(error.contains(path) && error.contains(reason), "{error}");
    }
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn variables_set_to_nothing_count_as_unset() {
    let help = stdout(&["run", "--help"]);
    let names: Vec<_> = help
        .split("[env: ")
        .skip(1)
        .filter_map(|rest| rest.split(['=', ']']).next())
        .filter(|name| !["HELM_CHART", "API_VERSION", "KIND"].contains(name))
        .collect();
    assert!(names.len() > 15, "{names:?}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chartwright"));
    command
        .args(with("run", &["--kubeconfig", "/nowhere/kubeconfig"]))
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    names.iter().for_each(|name| {
        command.env(name, "");
    });
    let told = String::from_utf8(command.output().expect("the binary runs").stderr).expect("text");
    assert!(told.contains("cannot reach a cluster") && told.contains("/nowhere/kubeconfig"), "{told}");
}

#[test]
fn flags_that_contradict_each_other_are_refused() {
    let run =
        |flags: &[&str]| error(&[&["run", "--kubeconfig=/nonexistent/kubeconfig"], KIND, flags].concat());
    let twice = run(&["--metrics-addr=:1", "--metrics-bind-address=:2"]);
    assert!(twice.contains("cannot be used with"), "{twice}");
    let unsafe_rbac = run(&["--metrics-require-rbac"]);
    assert!(unsafe_rbac.contains("--metrics-require-rbac needs --metrics-secure"), "{unsafe_rbac}");
    let both = run(&["--watches-file=watches.yaml"]);
    assert!(both.contains("--chart cannot be used with --watches-file"), "{both}");
    let missing = error(&["run", "--watches-file=/nonexistent/watches.yaml"]);
    assert!(missing.contains("cannot read the watches file /nonexistent/watches.yaml"), "{missing}");
}

#[test]
fn a_proxy_is_refused_and_a_kubeconfig_that_is_not_there_is_named_once() {
    let dir = tempdir("proxy");
    let config = dir.join("config");
    let text = "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}], \
                users: [{name: u, user: {}}], clusters: [{name: c, cluster: {server: \"https://api.example.com\"}}]}";
    std::fs::write(&config, text).expect("written");
    let run = |kubeconfig: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chartwright"));
        command.args(["run", "--log-level=error", "--kubeconfig"]).arg(kubeconfig).args(KIND);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env("HTTPS_PROXY", "http://proxy.example.com:3128");
        let output = command.env("NO_PROXY", "example.org").output().expect("the binary runs");
        String::from_utf8(output.stderr).expect("text")
    };
    let told = run(&config);
    assert!(told.contains("through a proxy (proxy.example.com)") && told.contains("NO_PROXY"), "{told}");
    let told = run(&dir.join("none"));
    let path = dir.join("none").display().to_string();
    assert!(told.contains(&format!("cannot read the kubeconfig {path}: No such file")), "{told}");
    assert!(!told.contains("Name a kubeconfig"), "that was done: {told}");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn versions_of_a_chart_and_a_watches_file_are_checked() {
    let dir = tempdir("versions");
    for (folder, version) in [("new", "1.10.0"), ("old", "1.9.0")] {
        let place = dir.join("charts").join(folder);
        std::fs::create_dir_all(place.join("templates")).expect("made");
        let text = format!("apiVersion: v2\nname: web\nversion: {version}\n");
        std::fs::write(place.join("Chart.yaml"), text).expect("written");
    }
    // Rules for what any of the versions makes.
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x}\n";
    std::fs::write(dir.join("charts/old/templates/job.yaml"), job).expect("written");
    let charts = dir.join("charts");
    let kind = ["--chart", charts.to_str().expect("a path"), "--api-version", "a.io/v1", "--kind", "Web"];
    let told = stdout(&[&["check"], &kind[..]].concat());
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(
        lines,
        [
            "chart web-1.10.0 becomes a.io/v1 Web (webs.a.io)",
            "chart web-1.9.0 becomes a.io/v1 Web (webs.a.io), for resources with the annotation \
             chartwright.io/chart-version: 1.9.0"
        ]
    );
    assert!(stdout(&[&["manifests", "--image", "x"], &kind[..]].concat()).contains("jobs"));
    let told = error(&["template", charts.to_str().expect("a path")]);
    assert!(told.contains("holds versions of a chart: give one") && told.contains("Chart.yaml"), "{told}");

    let watches = dir.join("watches.yaml");
    let file = watches.to_str().expect("a path");
    let entry = format!("- group: a.io\n  version: v1\n  kind: Web\n  chart: {}\n", charts.display());
    std::fs::write(&watches, format!("{entry}  maxHistroy: 3\n")).expect("written");
    let output = chartwright(&["check", "--watches-file", file]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("line 5, entry 1: maxHistroy"), "{told}");
    assert!(told.contains("did you mean maxHistory?"), "{told}");
    std::fs::write(&watches, format!("{entry}  maxHistory: many\n")).expect("written");
    let told = error(&["check", "--watches-file", file]);
    assert!(
        told.contains("maxHistory is the text \"many\", and a whole number of at least 1 is expected"),
        "{told}"
    );
    let _ = std::fs::remove_dir_all(dir);
}

/// Two kinds, the second with a chart that demands a value, which the file gives.
fn two_kinds(dir: &Path) -> String {
    let write = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    for (chart, kind) in [("web", "Deployment"), ("db", "StatefulSet")] {
        write(&format!("{chart}/Chart.yaml"), &format!("apiVersion: v2\nname: {chart}\nversion: 1.0.0\n"));
        write(&format!("{chart}/values.yaml"), "replicaCount: 1\n");
        let object = format!("apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: x}}\n");
        write(&format!("{chart}/templates/x.yaml"), &object);
    }
    write("db/templates/secret.yaml", "{{ $_ := required \"a size\" .Values.size }}\n");
    let entry = |kind: &str, more: &str| {
        let chart = dir.join(kind.to_lowercase());
        format!(
            "- {{group: {}.example.com, version: v1, kind: {kind}, chart: {}{more}}}\n",
            "a",
            chart.display()
        )
    };
    write("watches.yaml", &(entry("Web", "") + &entry("Db", ", crd: check, values: {size: 3}")));
    dir.join("watches.yaml").to_str().expect("a path").to_owned()
}

#[test]
fn kinds_of_a_watches_file_are_installed_together() {
    let dir = tempdir("several");
    let file = two_kinds(&dir);
    let out = dir.join("deploy");
    let args = ["manifests", "--watches-file", &file, "--image", "x", "--webhook", "--output-dir"];
    stdout(&[&args[..], &[out.to_str().expect("a path")]].concat());
    let read =
        |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
    let rbac = read("rbac.yaml");
    for resource in
        ["- webs\n", "- dbs\n", "- deployments\n", "- statefulsets\n", "chartwright-dbs.a.example.com"]
    {
        assert_eq!(rbac.matches(resource).count(), 1, "{resource} in one rule of\n{rbac}");
    }
    assert_eq!(rbac.matches("\nkind: ClusterRole\n").count(), 1, "{rbac}");
    let operator = read("operator.yaml");
    assert_eq!(operator.matches("kind: Deployment").count(), 1, "{operator}");
    assert!(operator.contains("          args:\n            - --webhook\n"), "{operator}");
    assert!(!operator.contains("- run"), "the image's entry point says that: {operator}");
    for (crd, sample, kind) in [
        ("crd/a.example.com_webs.yaml", "samples/a.example.com_v1_web.yaml", "kind: Web\n"),
        ("crd/a.example.com_dbs.yaml", "samples/a.example.com_v1_db.yaml", "kind: Db\n"),
    ] {
        assert!(read(crd).contains(kind) && read(crd).contains("kind: CustomResourceDefinition"), "{crd}");
        assert!(read(sample).contains(kind) && read(sample).contains("replicaCount: 3"), "{sample}");
    }
    let told = error(&["manifests", "--watches-file", &file, "--image", "x", "--set", "a=1"]);
    assert!(told.contains("cannot be of all samples"), "{told}");

    // What looks at charts takes the file as well, also where it lies and nothing else is said.
    let crds = stdout(&["crd", "--watches-file", &file]);
    assert_eq!(crds.matches("kind: CustomResourceDefinition\n").count(), 2, "{crds}");
    let old = dir.join("old.yaml");
    std::fs::write(&old, &crds).expect("written");
    let diff = ["crd", "--watches-file", &file, "--diff", old.to_str().expect("a path")];
    assert_eq!(stdout(&diff), "nothing changes\n");
    let here = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chartwright"));
        command
            .args(args)
            .current_dir(&dir)
            .envs(variables.iter().copied())
            .output()
            .expect("the binary runs")
    };
    let docs = String::from_utf8(here(&["docs"], &[]).stdout).expect("text");
    assert!(docs.contains("# Values of Web\n") && docs.contains("# Values of Db\n"), "{docs}");
    let checked = here(&["check"], &[]);
    assert_eq!(String::from_utf8_lossy(&checked.stdout).lines().count(), 2, "{checked:?}");

    // What counts is told where the environment says something else.
    let told = |args: &[&str], variables: &[(&str, &str)]| {
        String::from_utf8(here(args, variables).stderr).expect("text")
    };
    let one = [("HELM_CHART", "web"), ("API_VERSION", "a.io/v1"), ("KIND", "Web")];
    let by_file = told(&["check", "--watches-file", "watches.yaml"], &one);
    assert_eq!(by_file, "hint: --watches-file counts, and HELM_CHART, API_VERSION, KIND do not\n");
    let by_variables = told(&["check"], &one);
    assert_eq!(
        by_variables,
        "hint: HELM_CHART, API_VERSION, KIND count, and the file watches.yaml does not\n"
    );
    let flags = ["check", "--chart=web", "--api-version=a.io/v1", "--kind=Web"];
    let by_flags = told(&flags, &[("HELM_CHART_WATCHES", "nowhere.yaml")]);
    assert_eq!(by_flags, "hint: --chart counts, and HELM_CHART_WATCHES does not\n");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn all_that_is_wrong_with_a_watches_file_is_told() {
    let dir = tempdir("faults");
    std::fs::create_dir_all(dir.join("broken/templates")).expect("made");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("written");
    write("broken/Chart.yaml", "apiVersion: v2\nname: broken\nversion: 1.0.0\n");
    write("broken/templates/x.yaml", "{{ if }}");
    let names = "group: a.io, version: v1";
    write(
        "watches.yaml",
        &format!(
            "- {{{names}, kind: Gone, chart: nowhere}}\n- {{{names}, kind: Broken, chart: broken}}\n- {{{names}, kind: Many, \
             chart: x, maxHistory: 0}}\n- {{{names}, kind: Late, chart: x, readyDeadline: never}}\n- {{{names}, kind: Parts, \
             chart: x, overrideValues: {{a: [1]}}}}\n- {{{names}, kind: Gone, chart: nowhere}}\n"
        ),
    );
    let output = Command::new(env!("CARGO_BIN_EXE_chartwright"))
        .args(["check"])
        .current_dir(&dir)
        .output()
        .expect("the binary runs");
    let told = String::from_utf8(output.stderr).expect("text");
    assert!(!output.status.success() && output.stdout.is_empty(), "{told}");
    for fault in [
        "line 1, entry 1, kind Gone: chart nowhere: path \"nowhere\" not found\n",
        "line 2, entry 2, kind Broken: chart broken: parse error at (broken/templates/x.yaml:1): missing value for if\n",
        "line 3, entry 3: maxHistory is the number 0, and a whole number of at least 1 is expected\n",
        "line 4, entry 4, kind Late: readyDeadline \"never\" is not a duration",
        "line 5, entry 5, kind Parts: overrideValues a must be a text",
        "line 6, entry 6, kind Gone: a.io/v1 Gone was listed before",
    ] {
        assert!(told.contains(fault), "{fault}\n{told}");
    }
    assert!(!told.contains("--debug"), "there is no such flag: {told}");
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn a_chart_that_demands_values_says_how_manifests_get_them() {
    let dir = tempdir("demanding");
    two_kinds(&dir);
    let chart = dir.join("db");
    let chart = chart.to_str().expect("a path");
    let args = ["manifests", chart, "--api-version=a.io/v1", "--kind=Db", "--image=x"];
    let told = error(&args);
    assert!(told.contains("a size") && told.contains("Give what it needs with -f or --set"), "{told}");
    assert!(stdout(&[&args[..], &["--set", "size=3"]].concat()).contains("size: 3"));
    // What its schema demands, the sample has.
    let schema = "{\"type\": \"object\", \"required\": [\"size\"], \"properties\": {\"size\": {\"type\": \"integer\"}}}";
    std::fs::write(dir.join("db/values.schema.json"), schema).expect("written");
    assert!(stdout(&args).contains("size: "));
    let _ = std::fs::remove_dir_all(dir);
}
