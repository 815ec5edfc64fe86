//! How the served kinds are, read when somebody asks: their queues, their resources, and the objects of these.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use serde::Deserialize;

use super::metrics::{Labels, queue_labels};
use crate::cluster::instances::Instance;
use crate::lock::lock;
use crate::queue::Stats;

/// How to look at one kind.
pub(crate) struct View {
    /// The controller's name.
    pub(crate) controller: String,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    /// The queue as it is now.
    pub(crate) queue: Box<dyn Fn() -> Stats + Send + Sync>,
    /// The custom resources as they are now.
    pub(crate) instances: Box<dyn Fn() -> Vec<Arc<Instance>> + Send + Sync>,
}

/// The kinds that are shown.
#[derive(Clone, Default)]
pub(super) struct Served(Arc<Mutex<Vec<View>>>);

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Served")
    }
}

/// What metrics want of a status.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Facts {
    resources: Objects,
    conditions: Vec<Condition>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Objects {
    ready: u64,
    total: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Condition {
    #[serde(rename = "type")]
    kind: String,
    status: String,
    reason: String,
}

/// The members of one family.
type Values = Vec<(Labels, f64)>;

/// The families in the order in which they are written: name and help.
const FAMILIES: &[(&str, &str)] = &[
    ("workqueue_depth", "Resources that wait in the queue"),
    ("workqueue_unfinished_work_seconds", "Seconds of the work under way, added up"),
    ("workqueue_longest_running_processor_seconds", "Seconds of the longest work under way"),
    ("resource_created_at_seconds", "When a custom resource was made, as Unix time"),
    ("chartwright_resources", "Custom resources of a kind"),
    ("chartwright_resources_ready", "Custom resources of a kind that are ready"),
    (
        "chartwright_resources_held",
        "Custom resources of a kind that keep an older release for now, by reason",
    ),
    ("chartwright_release_objects", "Objects of a custom resource's release"),
    ("chartwright_release_objects_ready", "Objects of a custom resource's release that are ready"),
];

impl Served {
    pub(super) fn add(&self, view: View) {
        lock(&self.0).push(view);
    }

    /// The values of each family, in the order of [`FAMILIES`].
    fn read(&self) -> [Values; 9] {
        let [mut depth, mut unfinished, mut longest, mut created] = <[Values; 4]>::default();
        let [mut resources, mut ready, mut held, mut objects, mut objects_ready] = <[Values; 5]>::default();
        for view in lock(&self.0).iter() {
            let stats = (view.queue)();
            let queue = || queue_labels(&view.controller);
            depth.push((queue(), stats.waiting as f64));
            unfinished.push((queue(), stats.unfinished.as_secs_f64()));
            longest.push((queue(), stats.longest.as_secs_f64()));
            let (mut all, mut well) = (0_u32, 0_u32);
            let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
            for instance in (view.instances)() {
                let facts: Facts = serde_json::from_str(&instance.status).unwrap_or_default();
                let is_ready = facts.conditions.iter().any(|one| one.kind == "Ready" && one.status == "True");
                let why = facts.conditions.iter().find(|one| one.kind == "Held" && one.status == "True");
                if let Some(why) = why {
                    *reasons.entry(why.reason.clone()).or_default() += 1;
                }
                all += 1;
                well += u32::from(is_ready);
                created.push((view.labels_of(Some(&instance)), instance.created as f64));
                if facts.resources.total > 0 {
                    objects.push((view.labels_of(Some(&instance)), facts.resources.total as f64));
                    objects_ready.push((view.labels_of(Some(&instance)), facts.resources.ready as f64));
                }
            }
            resources.push((view.labels_of(None), all.into()));
            ready.push((view.labels_of(None), well.into()));
            for (reason, count) in reasons {
                let mut labels = view.labels_of(None);
                labels.push(("reason", reason));
                held.push((labels, count.into()));
            }
        }
        [depth, unfinished, longest, created, resources, ready, held, objects, objects_ready]
    }
}

impl View {
    /// helm-operator's labels of a resource, or those of the kind.
    fn labels_of(&self, instance: Option<&Instance>) -> Labels {
        let mut labels = Vec::with_capacity(5);
        if let Some(instance) = instance {
            labels.push(("name", instance.key.name.to_string()));
            labels.push(("namespace", instance.key.namespace.to_string()));
        }
        labels.push(("group", self.group.clone()));
        labels.push(("version", self.version.clone()));
        labels.push(("kind", self.kind.clone()));
        labels
    }
}

impl Collector for Served {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        for ((name, help), values) in FAMILIES.iter().zip(self.read()) {
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            for (labels, value) in values {
                family.encode_family(&labels)?.encode_gauge(&value)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::metrics::Metrics;
    use super::*;

    #[test]
    fn resources_are_shown_as_they_are() {
        let metrics = Metrics::default();
        let status = r#"{"resources": {"ready": 2, "total": 3, "kinds": []},
            "conditions": [{"type": "Ready", "status": "True", "reason": "x"}]}"#;
        let ready =
            Instance { status: status.into(), created: 1_700_000_000, ..Instance::example("n", "a", "1") };
        let instances = vec![Arc::new(ready), Arc::new(Instance::example("n", "b", "2"))];
        metrics.show(View {
            controller: "web-controller".into(),
            group: "g.io".into(),
            version: "v1".into(),
            kind: "Web".into(),
            queue: Box::new(|| Stats {
                waiting: 4,
                unfinished: Duration::from_secs(3),
                longest: Duration::from_secs(2),
            }),
            instances: Box::new(move || instances.clone()),
        });
        let text = metrics.text();
        for line in [
            r#"resource_created_at_seconds{name="a",namespace="n",group="g.io",version="v1",kind="Web"} 1700000000.0"#,
            r#"chartwright_resources{group="g.io",version="v1",kind="Web"} 2.0"#,
            r#"chartwright_resources_ready{group="g.io",version="v1",kind="Web"} 1.0"#,
            r#"chartwright_release_objects{name="a",namespace="n",group="g.io",version="v1",kind="Web"} 3.0"#,
            r#"chartwright_release_objects_ready{name="a",namespace="n",group="g.io",version="v1",kind="Web"} 2.0"#,
            r#"workqueue_depth{name="web-controller",controller="web-controller"} 4.0"#,
            r#"workqueue_longest_running_processor_seconds{name="web-controller",controller="web-controller"} 2.0"#,
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is in\n{text}");
        }
    }
}
