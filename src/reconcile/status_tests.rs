use super::*;

fn chart() -> helm::chart::Metadata {
    helm::chart::Metadata {
        name: "c".into(),
        version: "1.2.3".into(),
        app_version: "9".into(),
        ..Default::default()
    }
}

fn applied<'a>(chart: &'a helm::chart::Metadata, resources: Resources) -> Report<'a> {
    Report {
        generation: 4,
        situation: Situation::Applied,
        release: Some(ReleaseFacts {
            name: "web",
            revision: 1,
            is_install: true,
            chart,
            notes: "hello\n",
            manifest: None,
        }),
        revision: None,
        resources: Some(resources),
        handled: None,
        failed_chart: None,
    }
}

fn all_ready() -> Resources {
    Resources { total: 2, ready: 2, kinds: vec!["v1/Service".into()], ..Resources::default() }
}

fn conditions(status: &Value) -> Vec<String> {
    let list = status["conditions"].as_array().unwrap();
    list.iter()
        .map(|one| format!("{}={} {}", text(one, "type"), text(one, "status"), text(one, "reason")))
        .collect()
}

#[test]
fn success_reads_as_helm_operators_and_kubernetes() {
    let chart = chart();
    let status = next(&Value::Null, &applied(&chart, all_ready()), "t1");
    assert_eq!(
        conditions(&status),
        [
            "Initialized=True Initialized",
            "Deployed=True InstallSuccessful",
            "Ready=True Ready",
            "Reconciling=False Ready",
            "Stalled=False Ready"
        ]
    );
    assert_eq!(condition(&status, "Deployed").unwrap()["message"], "hello");
    assert_eq!(status["observedGeneration"], 4);
    assert_eq!(status["phase"], "Deployed");
    assert_eq!(
        status["deployedRelease"],
        json!({"name": "web", "revision": 1, "chart": {"name": "c", "version": "1.2.3", "appVersion": "9"}})
    );
}

#[test]
fn the_same_again_changes_nothing() {
    let chart = chart();
    let first = next(&Value::Null, &applied(&chart, all_ready()), "t1");
    let second = next(&first, &applied(&chart, all_ready()), "t2");
    assert_eq!(patch(&first, &second), None);
}

#[test]
fn failure_keeps_what_is_deployed_and_goes_without_a_trace() {
    let chart = chart();
    let good = next(&Value::Null, &applied(&chart, all_ready()), "t1");
    let failed = Report {
        generation: 5,
        situation: Situation::Failed {
            condition: Failing::Upgrade,
            reason: "Refused",
            message: "port 99999",
        },
        release: None,
        revision: None,
        resources: None,
        handled: None,
        failed_chart: None,
    };
    let bad = next(&good, &failed, "t2");
    assert_eq!(
        conditions(&bad),
        [
            "Initialized=True Initialized",
            "Deployed=True InstallSuccessful",
            "Ready=False Refused",
            "Reconciling=False Refused",
            "Stalled=True Refused",
            "ReleaseFailed=True UpgradeError"
        ]
    );
    assert_eq!(bad["deployedRelease"], good["deployedRelease"]);
    assert_eq!(condition(&bad, "Deployed").unwrap()["lastTransitionTime"], "t1");
    assert_eq!(condition(&bad, "Ready").unwrap()["lastTransitionTime"], "t2");
    let cured = next(&bad, &applied(&chart, all_ready()), "t3");
    assert!(condition(&cured, "ReleaseFailed").is_none());
    assert_eq!(condition(&cured, "Ready").unwrap()["lastTransitionTime"], "t3");
}

#[test]
fn a_pause_leaves_everything_else_as_it_was() {
    let chart = chart();
    let good = next(&Value::Null, &applied(&chart, all_ready()), "t1");
    let report = |situation, handled| Report {
        generation: 9,
        situation,
        release: None,
        revision: None,
        resources: None,
        handled,
        failed_chart: None,
    };
    let paused = next(&good, &report(Situation::Paused, None), "t2");
    assert_eq!((&paused["observedGeneration"], &paused["phase"]), (&json!(4), &json!("Paused")));
    assert_eq!(condition(&paused, "Paused").unwrap()["reason"], "PauseReconcileAnnotationTrue");
    assert_eq!(condition(&paused, "Ready"), condition(&good, "Ready"));
    let on = next(&paused, &report(Situation::Applied, Some("now")), "t3");
    assert!(condition(&on, "Paused").is_none());
    assert_eq!(Remembered::read(&on).handled.as_deref(), Some("now"));
}

#[test]
fn the_manifest_is_told_only_where_it_is_wanted() {
    let chart = chart();
    let mut report = applied(&chart, all_ready());
    let without = next(&Value::Null, &report, "t");
    if let Some(release) = &mut report.release {
        release.manifest = Some("kind: Secret".into());
    }
    let with = next(&without, &report, "t");
    assert_eq!(with["deployedRelease"]["manifest"], "kind: Secret");
    let off = patch(&with, &next(&with, &applied(&chart, all_ready()), "t")).unwrap();
    assert_eq!(off, json!({"deployedRelease": {"manifest": null}}));
}

#[test]
fn readiness_names_what_is_missing() {
    let chart = chart();
    let resources = Resources { ready: 1, not_ready: vec!["Deployment d: why".into()], ..all_ready() };
    let status = next(&Value::Null, &applied(&chart, resources), "t");
    let ready = condition(&status, "Ready").unwrap();
    assert_eq!(ready["message"], "1 of 2 objects are ready: Deployment d: why");
    assert_eq!(status["phase"], "Progressing");
    assert_eq!(status["resources"]["notReady"], json!(["Deployment d: why"]));
    // And a later patch takes the list away again.
    let later = next(&status, &applied(&chart, all_ready()), "t");
    assert_eq!(patch(&status, &later).unwrap()["resources"], json!({"ready": 2, "notReady": null}));
}

#[test]
fn what_was_complete_and_is_not_is_degraded() {
    let chart = chart();
    let partly = || Resources { ready: 1, not_ready: vec!["Pod p: gone".into()], ..all_ready() };
    let good = next(&Value::Null, &applied(&chart, all_ready()), "t1");
    let worse = next(&good, &applied(&chart, partly()), "t2");
    assert_eq!(worse["phase"], "Degraded");
    assert_eq!(next(&worse, &applied(&chart, partly()), "t3")["phase"], "Degraded");
    // A new revision is on its way.
    let mut report = applied(&chart, partly());
    report.revision = Some(2);
    assert_eq!(next(&worse, &report, "t4")["phase"], "Progressing");
    let hopeless = Resources { failed: true, ..partly() };
    assert_eq!(next(&good, &applied(&chart, hopeless), "t5")["phase"], "Degraded");
}

#[test]
fn a_status_is_remembered() {
    let chart = chart();
    let seal = Seal {
        inputs: Digest(1),
        chart: Digest(6),
        capabilities: Digest(4),
        rendered: Digest(2),
        objects: Digest(3),
        renew_at: Some(5),
        finalizer: true,
        looks_up: true,
        as_recorded: true,
        beside: false,
        selector: Digest(7),
    };
    let status = next(&Value::Null, &applied(&chart, Resources { seal: Some(seal), ..all_ready() }), "t");
    assert_eq!(
        Remembered::read(&status),
        Remembered {
            observed_generation: 4,
            revision: Some(1),
            is_install: true,
            applied: true,
            kinds: vec!["v1/Service".into()],
            seal: Some(seal),
            scaled: None,
            handled: None,
            failed_chart: None,
        }
    );
    assert_eq!(Remembered::read(&Value::Null), Remembered::default());
}

#[test]
fn what_is_said_of_the_release_is_known_from_what_others_made_of_it() {
    let chart = chart();
    let told = next(&Value::Null, &applied(&chart, all_ready()), "t1");
    let later = next(&told, &applied(&chart, Resources { total: 3, ..all_ready() }), "t2");
    assert_eq!(release_part(&later), release_part(&told), "how objects are is another matter");
    assert!(tells(&later, "web", 1, true));
    assert!(
        !tells(&later, "web", 2, true) && !tells(&later, "web", 1, false) && !tells(&later, "x", 1, true)
    );
    let mut forged = told.clone();
    forged["conditions"][1]["message"] = "another".into();
    assert_ne!(release_part(&forged), release_part(&told));
    forged["conditions"][1]["status"] = "False".into();
    assert!(!tells(&forged, "web", 1, true));
    for missing in ["conditions", "deployedRelease"] {
        let mut torn = told.clone();
        torn.as_object_mut().unwrap().remove(missing);
        assert!(release_part(&torn) != release_part(&told) && !tells(&torn, "web", 1, true), "{missing}");
    }
    assert!(!tells(&Value::Null, "web", 1, true));
}

#[test]
fn replicas_are_told_where_a_scale_subresource_looks() {
    let chart = chart();
    let replicas = Replicas { wanted: 3, total: 2, ready: 1, selector: "app=web".into() };
    let scaled = Some(("Deployment web".to_owned(), replicas));
    let status = next(&Value::Null, &applied(&chart, Resources { scaled, ..all_ready() }), "t");
    let told = ["replicas", "readyReplicas", "ready", "selector"].map(|key| status[key].clone());
    assert_eq!(json!(told), json!([2, 1, "1/3", "app=web"]));
    assert_eq!(Remembered::read(&status).scaled.as_deref(), Some("Deployment web"));
    let status = next(&status, &applied(&chart, all_ready()), "t");
    assert!(status.get("replicas").is_none() && status.get("ready").is_none());
}

#[test]
fn what_takes_too_long_to_get_ready_is_stalled() {
    let chart = chart();
    let overdue = Resources {
        ready: 1,
        not_ready: vec!["Deployment web: waits".into()],
        overdue: Some(Duration::from_secs(90)),
        waiting_since: Some("t0".into()),
        ..all_ready()
    };
    let status = next(&Value::Null, &applied(&chart, overdue), "t");
    assert!(conditions(&status).contains(&"Stalled=True DeadlineExceeded".to_owned()));
    let message = condition(&status, "Ready").unwrap()["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "not ready within 90s: 1 of 2 objects are ready: Deployment web: waits");
    assert_eq!(status["resources"]["waitingSince"], "t0");
}
