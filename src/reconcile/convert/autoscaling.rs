//! HorizontalPodAutoscalers, to autoscaling/v2.

use serde_json::{Value, json};

use super::{Kinds, Object, child, children, rename, successor};

pub(super) fn autoscaler(object: &mut Object, from: &str) -> Result<(), String> {
    if from != "autoscaling/v2beta1" {
        return Ok(()); // v2beta2 has the fields of v2
    }
    let Some(spec) = child(object, "spec") else {
        return Ok(());
    };
    for metric in children(spec, "metrics") {
        for (key, fix) in METRICS {
            if let Some(source) = child(metric, key) {
                fix(source);
            }
        }
    }
    Ok(())
}

type MetricFix = fn(&mut Object);

const METRICS: &[(&str, MetricFix)] = &[
    ("resource", target),
    ("containerResource", target),
    ("pods", pods),
    ("object", described),
    ("external", external),
];

/// The first of the old fields that is set becomes the target.
fn target_of(source: &mut Object, fields: &[(&str, &str, &str)]) {
    let mut target = None;
    for (field, kind, key) in fields {
        if let Some(value) = source.remove(*field)
            && target.is_none()
            && !value.is_null()
        {
            target = Some(json!({"type": kind, *key: value}));
        }
    }
    if let Some(target) = target {
        source.insert("target".into(), target);
    }
}

fn target(source: &mut Object) {
    target_of(
        source,
        &[
            ("targetAverageUtilization", "Utilization", "averageUtilization"),
            ("targetAverageValue", "AverageValue", "averageValue"),
        ],
    );
}

fn metric(source: &mut Object, selector: &str) {
    let mut metric = json!({"name": source.remove("metricName")});
    if let (Some(selector), Some(metric)) = (source.remove(selector), metric.as_object_mut()) {
        metric.insert("selector".into(), selector);
    }
    source.insert("metric".into(), metric);
}

fn pods(source: &mut Object) {
    metric(source, "selector");
    target_of(source, &[("targetAverageValue", "AverageValue", "averageValue")]);
}

fn described(source: &mut Object) {
    rename(source, "target", "describedObject");
    metric(source, "selector");
    target_of(source, &[("averageValue", "AverageValue", "averageValue"), ("targetValue", "Value", "value")]);
}

fn external(source: &mut Object) {
    metric(source, "metricSelector");
    target_of(
        source,
        &[("targetAverageValue", "AverageValue", "averageValue"), ("targetValue", "Value", "value")],
    );
}

/// Names the scaled object by a version that is served.
pub(super) fn mend_target(target: &mut Value, kinds: &Kinds) {
    let text = |key: &str| target.get(key).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    if kinds.get(version, kind).is_none()
        && let Some(to) = successor(version, kind, kinds)
        && let Some(target) = target.as_object_mut()
    {
        target.insert("apiVersion".into(), to.into());
    }
}
