//! A new chart in the operator's image: resources move to it at a pace, stay when they are told to, and go back.

use crate::main_job::CONFIG;
use crate::support::{Chart, Kind, Namespace, Operator, becomes, eventually, says, stays};
use crate::takeover::helm;

/// Its release is ready when somebody says so, and fails where its values say so.
const SERVICE: &str = r#"
{{- if .Values.bad }}{{ fail "this chart does not work" }}{{ end }}
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {type: LoadBalancer, ports: [{port: 80}]}
"#;

fn second(chart: &Chart) {
    chart.write("Chart.yaml", "apiVersion: v2\nname: fleet\nversion: 2.0.0\n");
    chart.write("templates/service.yaml", SERVICE);
}

fn first(chart: &Chart) {
    chart.write("Chart.yaml", "apiVersion: v2\nname: fleet\nversion: 1.0.0\n");
    chart.write("templates/service.yaml", "");
}

struct Fleet {
    chart: Chart,
    kind: Kind,
    namespace: Namespace,
}

impl Fleet {
    fn new(kind: &str) -> Self {
        let chart = Chart::new("fleet", &[("templates/cm.yaml", CONFIG)]);
        first(&chart);
        Self { chart, kind: Kind::new(kind), namespace: Namespace::new("fleet") }
    }

    fn start(&self, flags: &[&str]) -> Operator {
        Operator::start_with(&self.chart.path, &self.kind.api_version(), &self.kind.name, |command| {
            command.env("WATCH_NAMESPACE", &self.namespace.name).args(flags);
        })
    }

    fn make(&self, names: &[&str], spec: &str) {
        names.iter().for_each(|name| self.namespace.resource(&self.kind, name, spec));
        names.iter().for_each(|name| self.namespace.ready(&self.kind, name));
    }

    fn chart_of(&self, name: &str) -> String {
        self.namespace.path(&self.kind.full(), name, "{.status.deployedRelease.chart.version}")
    }

    /// Those that are on the second chart.
    fn moved(&self, names: &[&str]) -> Vec<String> {
        names.iter().filter(|name| self.chart_of(name) == "2.0.0").map(|name| (*name).to_owned()).collect()
    }

    fn held(&self, name: &str) -> String {
        self.namespace.condition(&self.kind, name, "Held")
    }

    fn get_ready(&self, name: &str) {
        self.namespace.merge_status(
            "service",
            name,
            r#"{"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}"#,
        );
        self.namespace.ready(&self.kind, name);
    }

    fn annotate(&self, name: &str, annotation: &str) {
        self.namespace.kubectl(&["annotate", &self.kind.full(), name, annotation]);
    }
}

const ALL: &[&str] = &["a", "b", "c"];

#[test]
#[ignore = "needs a control plane"]
fn resources_move_one_by_one_to_a_new_chart_and_all_back() {
    let fleet = Fleet::new("Fleet");
    let mut operator = fleet.start(&[]);
    fleet.make(ALL, r#"{"color": "red"}"#);
    operator.stop();
    second(&fleet.chart);
    let mut operator = fleet.start(&["--rollout-max-unavailable=1"]);
    becomes(30, 1, || fleet.moved(ALL).len());
    let one = fleet.moved(ALL).remove(0);
    let others: Vec<_> = ALL.iter().copied().filter(|name| *name != one).collect();
    for name in &others {
        says(30, &format!("/{one}"), || fleet.held(name));
        assert!(fleet.held(name).starts_with("True InLine: moves to fleet 2.0.0"), "{}", fleet.held(name));
        fleet.namespace.ready(&fleet.kind, name);
    }
    // What waits is kept as it was, by its own chart.
    fleet.namespace.kubectl(&["delete", "configmap", others[0]]);
    becomes(30, "red".to_owned(), || fleet.namespace.path("configmap", others[0], "{.data.color}"));
    stays(2, || fleet.moved(ALL));
    operator.stop();
    let mut operator = fleet.start(&["--rollout-max-unavailable=1"]);
    stays(2, || fleet.moved(ALL));

    fleet.annotate(others[0], "chartwright.io/hold=true");
    says(30, "OnHold", || fleet.held(others[0]));
    fleet.get_ready(&one);
    becomes(30, vec![others[1].to_owned()], || fleet.moved(&others));
    fleet.get_ready(others[1]);
    stays(2, || fleet.moved(ALL));
    fleet.annotate(others[0], "chartwright.io/hold-");
    becomes(30, "2.0.0".to_owned(), || fleet.chart_of(others[0]));
    assert_eq!(fleet.held(others[0]), "");
    fleet.get_ready(others[0]);
    says(30, "RolloutComplete", || fleet.namespace.kubectl(&["get", "events"]));
    operator.stop();

    first(&fleet.chart);
    let _operator = fleet.start(&[]);
    for name in ALL {
        becomes(30, "1.0.0".to_owned(), || fleet.chart_of(name));
        becomes(30, String::new(), || fleet.namespace.path("service", name, "{.metadata.name}"));
        fleet.namespace.ready(&fleet.kind, name);
    }
}

#[test]
#[ignore = "needs a control plane"]
fn a_resource_on_hold_stays_also_where_its_status_was_lost() {
    let fleet = Fleet::new("Galleon");
    let mut operator = fleet.start(&[]);
    fleet.make(&["a"], r#"{"color": "red"}"#);
    fleet.annotate("a", "chartwright.io/hold=true");
    operator.stop();
    helm(&fleet.namespace, &["install", "b", fleet.chart.path.to_str().unwrap(), "--set", "color=red"]);
    let (kind, namespace) = (fleet.kind.full(), &fleet.namespace);
    namespace.merge_status(&kind, "a", "null");
    second(&fleet.chart);
    for _ in 0..2 {
        let mut operator = fleet.start(&[]);
        says(30, "OnHold", || fleet.held("a"));
        // What runs is kept meanwhile, by its own chart.
        namespace.kubectl(&["delete", "configmap", "a"]);
        becomes(30, "red".to_owned(), || namespace.path("configmap", "a", "{.data.color}"));
        stays(2, || namespace.names("service"));
        assert!(namespace.names("service").is_empty(), "{}", operator.log());
        operator.stop();
    }
    let _operator = fleet.start(&[]);
    fleet.annotate("a", "chartwright.io/hold-");
    becomes(30, "2.0.0".to_owned(), || fleet.chart_of("a"));
    // Nor does a release of Helm's move, of which there has never been a status.
    namespace.apply(&format!(
        "apiVersion: {}\nkind: {}\nmetadata: {{name: b, annotations: {{chartwright.io/hold: \"true\"}}}}\nspec: {{color: red}}\n",
        fleet.kind.api_version(),
        fleet.kind.name
    ));
    says(30, "OnHold", || fleet.held("b"));
    stays(2, || namespace.path("service", "b", "{.metadata.name}"));
    assert_eq!(namespace.path("service", "b", "{.metadata.name}"), "");
    fleet.annotate("b", "chartwright.io/hold-");
    becomes(30, "2.0.0".to_owned(), || fleet.chart_of("b"));
}

#[test]
#[ignore = "needs a control plane"]
fn a_chart_that_changes_on_disk_is_rolled_out_as_one_at_a_start() {
    let fleet = Fleet::new("Armada");
    let operator = fleet.start(&["--rollout-max-unavailable=1"]);
    fleet.make(ALL, r#"{"color": "red"}"#);
    fleet.annotate("c", "chartwright.io/hold=true");
    second(&fleet.chart);
    becomes(60, 1, || fleet.moved(ALL).len());
    let one = fleet.moved(ALL).remove(0);
    let other = if one == "a" { "b" } else { "a" };
    says(30, &format!("/{one}"), || fleet.held(other));
    says(30, "OnHold", || fleet.held("c"));
    stays(2, || fleet.moved(ALL));
    fleet.get_ready(&one);
    becomes(30, 2, || fleet.moved(ALL).len());
    fleet.get_ready(other);
    assert_eq!(fleet.chart_of("c"), "1.0.0", "{}", operator.log());
    // And back, before the last has moved.
    first(&fleet.chart);
    for name in ALL {
        becomes(60, "1.0.0".to_owned(), || fleet.chart_of(name));
        becomes(30, String::new(), || fleet.namespace.path("service", name, "{.metadata.name}"));
        fleet.namespace.ready(&fleet.kind, name);
    }
}

#[test]
#[ignore = "needs a control plane"]
fn too_many_failures_halt_a_new_chart() {
    let fleet = Fleet::new("Flotilla");
    let mut operator = fleet.start(&[]);
    fleet.make(&["bad"], r#"{"color": "red", "bad": true}"#);
    fleet.make(&["good", "wilful"], r#"{"color": "red"}"#);
    fleet.annotate("good", "chartwright.io/hold=true");
    fleet.annotate("wilful", "chartwright.io/hold=true");
    operator.stop();
    second(&fleet.chart);
    let mut operator = fleet.start(&["--rollout-max-failures=0"]);
    says(30, "this chart does not work", || fleet.namespace.condition(&fleet.kind, "bad", "Stalled"));
    fleet.annotate("good", "chartwright.io/hold-");
    let told = says(30, "RolloutHalted", || fleet.held("good"));
    assert!(told.contains("/bad"), "{told}");
    says(30, "RolloutHalted", || fleet.namespace.kubectl(&["get", "events"]));
    fleet.namespace.ready(&fleet.kind, "good");
    stays(2, || fleet.moved(&["bad", "good"]));
    // Nor is that forgotten.
    operator.stop();
    let _operator = fleet.start(&["--rollout-max-failures=0"]);
    fleet.annotate("good", "chartwright.io/reconcile-now=again");
    stays(3, || fleet.moved(&["bad", "good"]));
    says(30, "RolloutHalted", || fleet.held("good"));
    // What its user wants is done all the same.
    fleet.annotate("wilful", "chartwright.io/hold-");
    says(30, "RolloutHalted", || fleet.held("wilful"));
    fleet.namespace.change(&fleet.kind, "wilful", r#"{"color": "pink"}"#);
    becomes(30, "2.0.0".to_owned(), || fleet.chart_of("wilful"));
    becomes(30, "pink".to_owned(), || fleet.namespace.path("configmap", "wilful", "{.data.color}"));
    assert_eq!(fleet.chart_of("good"), "1.0.0");

    fleet.namespace.change(&fleet.kind, "bad", r#"{"bad": false}"#);
    becomes(30, "2.0.0".to_owned(), || fleet.chart_of("bad"));
    fleet.get_ready("bad");
    eventually(30, "the rest goes on", || match fleet.chart_of("good").as_str() {
        "2.0.0" => Ok(()),
        other => Err(format!("{other} {}", fleet.held("good"))),
    });
}

#[test]
#[ignore = "needs a control plane"]
fn what_failed_before_a_new_chart_does_not_halt_it() {
    let fleet = Fleet::new("Squadron");
    fleet.chart.write("templates/fail.yaml", "{{ if .Values.broken }}{{ fail \"not so\" }}{{ end }}");
    let pace = ["--rollout-max-unavailable=1", "--rollout-max-failures=0"];
    let mut operator = fleet.start(&pace);
    fleet.make(ALL, r#"{"color": "red"}"#);
    fleet.namespace.change(&fleet.kind, "a", r#"{"broken": true}"#);
    says(30, "not so", || fleet.namespace.condition(&fleet.kind, "a", "Stalled"));
    operator.stop();
    second(&fleet.chart);
    let mut operator = fleet.start(&pace);
    becomes(30, vec!["b".to_owned()], || fleet.moved(ALL));
    says(30, "InLine", || fleet.held("c"));
    operator.stop();
    let _operator = fleet.start(&pace);
    fleet.get_ready("b");
    becomes(30, vec!["b".to_owned(), "c".to_owned()], || fleet.moved(ALL));
    // What is mended moves.
    fleet.namespace.change(&fleet.kind, "a", r#"{"broken": false}"#);
    becomes(30, 3, || fleet.moved(ALL).len());
}

const VERSION: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n\
                       data: {version: {{ .Chart.Version }}}\n";

#[test]
#[ignore = "needs a control plane"]
fn a_resource_can_ask_for_a_version_of_the_chart() {
    let chart = Chart::new("vintage", &[]);
    for (folder, version) in [("old", "1.9.0"), ("new", "1.10.0"), ("next", "2.0.0-rc.1")] {
        let metadata = format!("apiVersion: v2\nname: vintage\nversion: {version}\n");
        chart.write(&format!("../versions/{folder}/Chart.yaml"), &metadata);
        chart.write(&format!("../versions/{folder}/templates/cm.yaml"), VERSION);
    }
    let folder = chart.path.with_file_name("versions");
    let (kind, namespace) = (Kind::new("Vintage"), Namespace::new("vintage"));
    let operator = Operator::start(&folder, &kind, &namespace);
    assert!(operator.log().contains("1.10.0, 1.9.0, 2.0.0-rc.1"), "{}", operator.log());
    let version = |name: &str| namespace.path("configmap", name, "{.data.version}");
    let pin = |version: &str| {
        let annotation = format!("chartwright.io/chart-version{version}");
        namespace.kubectl(&["annotate", "--overwrite", &kind.full(), "demo", &annotation]);
    };
    namespace.resource(&kind, "other", "{}");
    namespace.resource(&kind, "demo", "{}");
    namespace.ready(&kind, "demo");
    assert_eq!(version("demo"), "1.10.0", "the newest that is no pre-release");
    pin("=v1.9");
    becomes(30, "1.9.0".to_owned(), || version("demo"));
    let chart_of = |name: &str| namespace.path(&kind.full(), name, "{.status.deployedRelease.chart.version}");
    becomes(30, "1.9.0".to_owned(), || chart_of("demo"));
    pin("=2.0.0-rc.1");
    becomes(30, "2.0.0-rc.1".to_owned(), || version("demo"));
    namespace.ready(&kind, "demo");

    pin("=3.0.0");
    let told = says(30, "has no version 3.0.0 of chart vintage", || {
        namespace.condition(&kind, "demo", "Irreconcilable")
    });
    assert!(
        told.contains("it has 1.10.0, 1.9.0, 2.0.0-rc.1") && told.contains("follow the newest"),
        "{told}"
    );
    says(20, "ChartVersionMissing", || namespace.kubectl(&["get", "events"]));
    // What runs is kept meanwhile.
    namespace.kubectl(&["delete", "configmap", "demo"]);
    becomes(30, "2.0.0-rc.1".to_owned(), || version("demo"));
    pin("-");
    becomes(30, "1.10.0".to_owned(), || version("demo"));
    becomes(30, String::new(), || namespace.condition(&kind, "demo", "Irreconcilable"));
    namespace.ready(&kind, "demo");
    assert_eq!(version("other"), "1.10.0");
    assert_eq!(namespace.path(&kind.full(), "other", "{.status.deployedRelease.revision}"), "1");
}

#[test]
#[ignore = "needs a control plane"]
fn nobody_waits_for_what_was_not_ready_anyway_nor_with_a_change_of_his_own() {
    let fleet = Fleet::new("Convoy");
    fleet.chart.write(
        "templates/service.yaml",
        &SERVICE
            .replace("apiVersion: v1\n", "{{ if .Values.broken }}\napiVersion: v1\n")
            .replace("80}]}\n", "80}]}\n{{ end }}\n"),
    );
    let mut operator = fleet.start(&[]);
    let named = ["a-broken", "b", "c", "d"];
    fleet.namespace.resource(&fleet.kind, "a-broken", r#"{"color": "red", "broken": true}"#);
    fleet.make(&named[1..], r#"{"color": "red"}"#);
    says(30, "False ResourcesNotReady", || fleet.namespace.condition(&fleet.kind, "a-broken", "Ready"));
    operator.stop();
    second(&fleet.chart);
    let pace = ["--rollout-max-unavailable=1", "--rollout-max-failures=0"];
    let mut operator = fleet.start(&pace);
    becomes(30, "2.0.0".to_owned(), || fleet.chart_of("a-broken"));
    becomes(30, 2, || fleet.moved(&named).len());
    stays(2, || fleet.moved(&named));
    let waiting: Vec<_> = named.iter().copied().filter(|name| fleet.chart_of(name) != "2.0.0").collect();
    for name in &waiting {
        says(30, "InLine", || fleet.held(name));
    }
    fleet.namespace.change(&fleet.kind, waiting[0], r#"{"color": "pink"}"#);
    becomes(30, "pink".to_owned(), || fleet.namespace.path("configmap", waiting[0], "{.data.color}"));
    becomes(30, "2.0.0".to_owned(), || fleet.chart_of(waiting[0]));
    // Nor is that forgotten.
    operator.stop();
    let _operator = fleet.start(&pace);
    stays(2, || fleet.moved(&named));
    let first = named[1..].iter().find(|name| !waiting.contains(name)).unwrap();
    let told = says(30, "InLine", || fleet.held(waiting[1]));
    assert!(told.ends_with(&format!("/{first}")), "{told}");
    fleet.get_ready(first);
    becomes(30, "2.0.0".to_owned(), || fleet.chart_of(waiting[1]));
}
