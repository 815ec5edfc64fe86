//! Metrics: controller-runtime's names for what controllers have in common, helm-operator's two, and our own.
//!
//! What happens is counted where it happens; how things are is read from memory when somebody asks.

use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::served::{Served, View};
use crate::lock::lock;
use crate::queue::Outcome;

/// What tells the members of a family of metrics apart.
pub(super) type Labels = Vec<(&'static str, String)>;

type Histograms = Family<Labels, Histogram, fn() -> Histogram>;

/// The media type of what [`Metrics::text`] returns.
pub(crate) const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// controller-runtime's buckets of reconciles, seconds.
const RECONCILE_BUCKETS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25,
    1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0,
    50.0, 60.0,
];
/// Its buckets of waiting and working in the queue.
const QUEUE_BUCKETS: &[f64] = &[1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1000.0];

/// All metrics of the process.
pub(crate) struct Metrics {
    registry: Mutex<Registry>,
    served: Served,
    requests: Requests,
    leading: Family<Labels, Gauge>,
    reconciles: Family<Labels, Counter>,
    errors: Family<Labels, Counter>,
    panics: Family<Labels, Counter>,
    durations: Histograms,
    active: Family<Labels, Gauge>,
    most_active: Family<Labels, Gauge>,
    failures: Family<Labels, Counter>,
    charts: Family<Labels, Counter>,
    adds: Family<Labels, Counter>,
    retries: Family<Labels, Counter>,
    waits: Histograms,
    works: Histograms,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Mutex::default(),
            served: Served::default(),
            requests: Requests::default(),
            leading: Family::default(),
            reconciles: Family::default(),
            errors: Family::default(),
            panics: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(RECONCILE_BUCKETS.iter().copied())),
            active: Family::default(),
            most_active: Family::default(),
            failures: Family::default(),
            charts: Family::default(),
            adds: Family::default(),
            retries: Family::default(),
            waits: Family::new_with_constructor(queue_histogram),
            works: Family::new_with_constructor(queue_histogram),
        };
        metrics.registry = Mutex::new(metrics.registered());
        metrics
    }
}

fn queue_histogram() -> Histogram {
    Histogram::new(QUEUE_BUCKETS.iter().copied())
}

impl Metrics {
    fn registered(&self) -> Registry {
        let build: Family<Labels, Gauge> = Family::default();
        let commit = option_env!("CHARTWRIGHT_COMMIT").unwrap_or("unknown").to_owned();
        build
            .get_or_create(&vec![("commit", commit), ("version", env!("CARGO_PKG_VERSION").to_owned())])
            .set(1);
        let mut all = Registry::default();
        // The library ends each help text with a full stop, and the names of counters with _total.
        all.register("helm_operator_build_info", "Build information of the operator", build);
        all.register("leader_election_master_status", "1 while this replica leads", self.leading.clone());
        all.register("rest_client_requests", "Requests to the API server", self.requests.0.clone());
        all.register("controller_runtime_reconcile", "Reconciles by result", self.reconciles.clone());
        all.register("controller_runtime_reconcile_errors", "Reconciles that failed", self.errors.clone());
        all.register("controller_runtime_reconcile_panics", "Reconciles that broke off", self.panics.clone());
        let help = "Seconds a reconcile took";
        all.register("controller_runtime_reconcile_time_seconds", help, self.durations.clone());
        all.register("controller_runtime_active_workers", "Reconciles under way", self.active.clone());
        let help = "Reconciles that may be under way at a time";
        all.register("controller_runtime_max_concurrent_reconciles", help, self.most_active.clone());
        let help = "Reconciles that failed, by the reason that events and conditions give";
        all.register("chartwright_reconcile_failures", help, self.failures.clone());
        let help = "Charts that changed on disk, by whether they were taken";
        all.register("chartwright_chart_changes", help, self.charts.clone());
        all.register("workqueue_adds", "Resources put into the queue", self.adds.clone());
        all.register("workqueue_retries", "Resources put back after a failure", self.retries.clone());
        let help = "Seconds a resource waits in the queue";
        all.register("workqueue_queue_duration_seconds", help, self.waits.clone());
        let help = "Seconds the work on a resource takes";
        all.register("workqueue_work_duration_seconds", help, self.works.clone());
        all.register_collector(Box::new(self.served.clone()));
        all
    }

    /// Everything in OpenMetrics' text form.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let registry = lock(&self.registry);
        // Writing to a text fails only if a metric refuses to be written.
        if let Err(error) = encode(&mut text, &registry) {
            tracing::warn!(%error, "Metrics cannot be written");
        }
        text
    }

    /// The counter of requests, for the client.
    pub(crate) fn requests(&self) -> Requests {
        self.requests.clone()
    }

    /// Says whether this replica holds the Lease.
    pub(crate) fn set_leading(&self, lease: &str, leading: bool) {
        self.leading.get_or_create(&vec![("name", lease.to_owned())]).set(leading.into());
    }

    /// Shows a kind from now on.
    pub(crate) fn show(&self, view: View) {
        self.served.add(view);
    }

    /// The metrics of a kind's controller, of which as many as given reconciles may run at a time.
    pub(crate) fn controller(&self, name: &str, most: usize) -> ControllerMetrics {
        let labels = vec![("controller", name.to_owned())];
        self.most_active.get_or_create(&labels).set(i64::try_from(most).unwrap_or(i64::MAX));
        let result = |result: &str| {
            let labels = vec![("controller", name.to_owned()), ("result", result.to_owned())];
            self.reconciles.get_or_create_owned(&labels)
        };
        ControllerMetrics {
            name: name.to_owned(),
            success: result("success"),
            requeue: result("requeue"),
            requeue_after: result("requeue_after"),
            error: result("error"),
            errors: self.errors.get_or_create_owned(&labels),
            panics: self.panics.get_or_create_owned(&labels),
            durations: self.durations.get_or_create_owned(&labels),
            active: self.active.get_or_create_owned(&labels),
            failures: self.failures.clone(),
        }
    }

    /// The chart of a kind's controller changed on disk, and was taken or cannot be used.
    pub(crate) fn chart_changed(&self, name: &str, taken: bool) {
        let result = if taken { "taken" } else { "refused" };
        self.charts
            .get_or_create(&vec![("controller", name.to_owned()), ("result", result.to_owned())])
            .inc();
    }

    /// The metrics of a kind's queue.
    pub(crate) fn queue(&self, name: &str) -> QueueMetrics {
        let labels = queue_labels(name);
        QueueMetrics {
            adds: self.adds.get_or_create_owned(&labels),
            retries: self.retries.get_or_create_owned(&labels),
            waits: self.waits.get_or_create_owned(&labels),
            works: self.works.get_or_create_owned(&labels),
        }
    }
}

/// controller-runtime names a queue as its controller, twice.
pub(super) fn queue_labels(name: &str) -> Labels {
    vec![("name", name.to_owned()), ("controller", name.to_owned())]
}

/// Counts requests to the API server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests(Family<Labels, Counter>);

impl Requests {
    /// Counts one; `code` is the answer's, or `<error>` if there was none.
    pub(crate) fn count(&self, host: &str, method: &str, code: &str) {
        let labels =
            vec![("code", code.to_owned()), ("host", host.to_owned()), ("method", method.to_owned())];
        self.0.get_or_create(&labels).inc();
    }
}

/// Counts the reconciles of one kind.
#[derive(Clone, Debug)]
pub(crate) struct ControllerMetrics {
    name: String,
    success: Counter,
    requeue: Counter,
    requeue_after: Counter,
    error: Counter,
    errors: Counter,
    panics: Counter,
    durations: Histogram,
    active: Gauge,
    failures: Family<Labels, Counter>,
}

impl ControllerMetrics {
    /// A reconcile begins.
    pub(crate) fn begin(&self) {
        self.active.inc();
    }

    /// A reconcile has ended.
    pub(crate) fn end(&self, outcome: Outcome, took: Duration) {
        self.active.dec();
        self.durations.observe(took.as_secs_f64());
        match outcome {
            Outcome::Failed => {
                self.error.inc();
                self.errors.inc();
            }
            Outcome::Settled(Some(Duration::ZERO)) => drop(self.requeue.inc()),
            Outcome::Settled(Some(_)) => drop(self.requeue_after.inc()),
            Outcome::Settled(None) | Outcome::Gone => drop(self.success.inc()),
        }
    }

    /// A reconcile broke off.
    pub(crate) fn panicked(&self) {
        self.panics.inc();
    }

    /// A reconcile failed for a reason.
    pub(crate) fn failed(&self, reason: &str) {
        let labels = vec![("controller", self.name.clone()), ("reason", reason.to_owned())];
        self.failures.get_or_create(&labels).inc();
    }
}

/// Counts what goes through a queue.
#[derive(Clone, Debug)]
pub(crate) struct QueueMetrics {
    adds: Counter,
    retries: Counter,
    waits: Histogram,
    works: Histogram,
}

impl QueueMetrics {
    /// A key came in.
    pub(crate) fn added(&self) {
        self.adds.inc();
    }

    /// A key will come again after a failure.
    pub(crate) fn retried(&self) {
        self.retries.inc();
    }

    /// A key was handed out after waiting.
    pub(crate) fn waited(&self, time: Duration) {
        self.waits.observe(time.as_secs_f64());
    }

    /// A key was given back after work.
    pub(crate) fn worked(&self, time: Duration) {
        self.works.observe(time.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_dashboards_know() {
        let metrics = Metrics::default();
        let controller = metrics.controller("web-controller", 2);
        controller.begin();
        controller.end(Outcome::Failed, Duration::from_millis(30));
        controller.failed("Refused");
        metrics.chart_changed("web-controller", false);
        metrics.queue("web-controller").added();
        metrics.requests().count("10.0.0.1:443", "GET", "200");
        metrics.set_leading("web-operator", true);
        let text = metrics.text();
        for line in [
            "# TYPE controller_runtime_reconcile counter",
            r#"controller_runtime_reconcile_total{controller="web-controller",result="error"} 1"#,
            r#"controller_runtime_reconcile_total{controller="web-controller",result="requeue_after"} 0"#,
            r#"controller_runtime_reconcile_errors_total{controller="web-controller"} 1"#,
            r#"controller_runtime_reconcile_time_seconds_bucket{le="0.05",controller="web-controller"} 1"#,
            r#"controller_runtime_max_concurrent_reconciles{controller="web-controller"} 2"#,
            r#"controller_runtime_active_workers{controller="web-controller"} 0"#,
            r#"chartwright_reconcile_failures_total{controller="web-controller",reason="Refused"} 1"#,
            r#"chartwright_chart_changes_total{controller="web-controller",result="refused"} 1"#,
            r#"workqueue_adds_total{name="web-controller",controller="web-controller"} 1"#,
            r#"rest_client_requests_total{code="200",host="10.0.0.1:443",method="GET"} 1"#,
            r#"leader_election_master_status{name="web-operator"} 1"#,
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is in\n{text}");
        }
        assert!(text.contains("helm_operator_build_info{commit=\""), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
    }
}
