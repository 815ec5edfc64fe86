//! Hooks: objects that run at a moment of a release's life, in Helm's order, each with a deadline.

use std::sync::Arc;
use std::time::Duration;

use helm::{Crd, Hook, HookDeletePolicy, HookEvent};
use serde_json::Value;
use tokio::time::Instant;

use super::error::Error;
use super::identity::{ApiKind, Digest, ObjectId};
use super::objects::PRIMARY_RESOURCE;
use super::refusals::may_pass;
use super::{Controller, objects, yaml};
use crate::annotations::{HOOK_DEADLINE, HOOK_RUN};
use crate::cluster::error::{explain, is_conflict, is_transient};
use crate::cluster::instances::Instance;
use crate::cluster::objects::Marks;
use crate::cluster::pods::last_words;
use crate::policy::Deletion;
use crate::slots::aside;
use crate::watches::go_duration;

/// How long a hook may take if nobody says: Helm's default for `--timeout`.
const DEADLINE: Duration = Duration::from_secs(300);
/// How often a running hook is looked at, at most and at least.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// A hook that takes longer than this is worth a word in the status.
const WORTH_TELLING: Duration = Duration::from_millis(800);

/// Helm's name of an event.
pub(super) const fn event_name(event: HookEvent) -> &'static str {
    match event {
        HookEvent::PreInstall => "pre-install",
        HookEvent::PostInstall => "post-install",
        HookEvent::PreDelete => "pre-delete",
        HookEvent::PostDelete => "post-delete",
        HookEvent::PreUpgrade => "pre-upgrade",
        HookEvent::PostUpgrade => "post-upgrade",
        HookEvent::PreRollback => "pre-rollback",
        HookEvent::PostRollback => "post-rollback",
        HookEvent::Test => "test",
    }
}

/// Helm's name of a delete policy.
pub(super) fn policy_name(policy: &HookDeletePolicy) -> String {
    match policy {
        HookDeletePolicy::BeforeHookCreation => "before-hook-creation".into(),
        HookDeletePolicy::HookSucceeded => "hook-succeeded".into(),
        HookDeletePolicy::HookFailed => "hook-failed".into(),
        HookDeletePolicy::Other(word) => word.clone(),
    }
}

/// An object of a hook, ready to create.
struct HookObject {
    kind: Arc<ApiKind>,
    id: ObjectId,
    body: Value,
    /// How long its hook may take.
    deadline: Duration,
    /// Whether it outlives its resource (`helm.sh/resource-policy: keep`).
    keep: bool,
}

/// Which attempt at a release hooks are run for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    /// The release's revision; zero where it does not tell attempts apart.
    pub(super) revision: i64,
    /// Whether an earlier part of it may have broken off: a hook that it left at work, or done, is not run again.
    pub(super) resumes: bool,
}

impl Attempt {
    /// Hooks that are run from the start, whatever is there.
    pub(super) const FROM_THE_START: Self = Self { revision: 0, resumes: false };

    /// Tells the runs of a hook apart: by the event, the revision and what the hook is.
    fn mark(&self, event: &str, object: &HookObject) -> String {
        let body = serde_json::to_vec(&object.body).unwrap_or_default();
        format!("{event}-{}-{}", self.revision, Digest::of([body]))
    }
}

/// How a hook stands.
enum Progress {
    Running,
    Done,
    Failed(String),
}

impl Controller {
    /// Runs the hooks of an event one after another.
    ///
    /// # Errors
    /// With the first that fails or takes too long; the later ones are not run.
    pub(super) async fn run_hooks(
        &self,
        instance: &Instance,
        hooks: &[Hook],
        event: HookEvent,
        attempt: Attempt,
    ) -> Result<(), Error> {
        let mut chosen: Vec<&Hook> = hooks.iter().filter(|hook| hook.events.contains(&event)).collect();
        chosen.sort_by(|a, b| (a.weight, &a.name).cmp(&(b.weight, &b.name)));
        let name = event_name(event);
        let failed = |what: String| Error::Hook { event: name, what };
        let mut done: Vec<(&Hook, Vec<HookObject>)> = Vec::new();
        for hook in chosen {
            let objects = self.hook_objects(instance, hook).map_err(&failed)?;
            let outcome = self.run_hook(instance, hook, &objects, name, attempt).await;
            if let Err(error) = outcome {
                // A request that failed says nothing of the hook, which may be at work.
                if !error.is_passing() {
                    self.delete_hook(instance, hook, &objects, name, &HookDeletePolicy::HookFailed).await?;
                    for (hook, objects) in &done {
                        self.delete_hook(instance, hook, objects, name, &HookDeletePolicy::HookSucceeded)
                            .await?;
                    }
                }
                return Err(error);
            }
            done.push((hook, objects));
        }
        for (hook, objects) in done.iter().rev() {
            self.delete_hook(instance, hook, objects, name, &HookDeletePolicy::HookSucceeded).await?;
        }
        Ok(())
    }

    async fn run_hook(
        &self,
        instance: &Instance,
        hook: &Hook,
        objects: &[HookObject],
        event: &'static str,
        attempt: Attempt,
    ) -> Result<(), Error> {
        let failed = |what: String| Error::Hook { event, what };
        self.still_wanted(instance)?;
        let started = Instant::now();
        let before = HookDeletePolicy::BeforeHookCreation;
        let makes_room = hook.delete_policies.is_empty() || hook.delete_policies.contains(&before);
        let mut under_way = Vec::with_capacity(objects.len());
        for object in objects {
            under_way.push(self.is_under_way(instance, object, event, attempt).await?);
            if makes_room && under_way.last() == Some(&false) {
                let one = std::slice::from_ref(object);
                self.delete_hook_objects(instance, one, event).await?;
            }
        }
        let to_make = objects.iter().zip(under_way).filter(|(_, under_way)| !under_way);
        for (object, _) in to_make {
            let body = marked(object, &attempt.mark(event, object));
            let mut created = self.writer.create(&object.kind, &object.id, &body).await;
            if created.as_ref().is_err_and(is_conflict) && self.is_left_over(instance, hook, object).await? {
                self.delete_hook_objects(instance, std::slice::from_ref(object), event).await?;
                created = self.writer.create(&object.kind, &object.id, &body).await;
            }
            match created {
                Ok(()) => {}
                // No hook's policy deletes a definition, so the next run finds it.
                Err(error) if is_conflict(&error) && object.id.is_definition() => {}
                Err(error) if is_conflict(&error) => {
                    return Err(failed(format!("{} exists already", object.id)));
                }
                Err(error) if may_pass(&error) => {
                    return Err(Error::api(format!("make the hook {}", object.id))(error));
                }
                Err(error) => return Err(failed(format!("{}: {}", object.id, explain(&error)))),
            }
        }
        self.await_definitions(objects).await?;
        for object in objects {
            self.wait_for_hook(instance, object, started, event).await?;
        }
        Ok(())
    }

    /// Waits until the cluster serves the kinds that a hook defines: what comes after it may be of them.
    async fn await_definitions(&self, objects: &[HookObject]) -> Result<(), Error> {
        let mut are_there = false;
        for object in objects {
            if object.id.is_definition() {
                self.established(&object.kind, &object.id, object.deadline).await?;
                are_there = true;
            }
        }
        if !are_there {
            return Ok(());
        }
        self.discovery.refresh().await.map_err(Error::api("learn which kinds the cluster serves"))?;
        Ok(())
    }

    /// Whether an object of a hook was made by an earlier part of the same attempt, and is at work or has done it.
    async fn is_under_way(
        &self,
        instance: &Instance,
        object: &HookObject,
        event: &'static str,
        attempt: Attempt,
    ) -> Result<bool, Error> {
        if !attempt.resumes {
            return Ok(false);
        }
        let found = self.writer.get(&object.kind, &object.id).await;
        let Some(found) = found.map_err(Error::api(format!("read the hook {}", object.id)))? else {
            return Ok(false);
        };
        let marks = Marks::of(&found);
        let is_same = marks.annotations.get(HOOK_RUN) == Some(&attempt.mark(event, object));
        let has_failed = matches!(progress(&object.id.kind, &found), Progress::Failed(_));
        Ok(is_same && !has_failed && self.is_ours(instance, &marks))
    }

    /// Whether an object that stands in a hook's way was made for it by an attempt that broke off or failed: one that
    /// its policy would have removed after a success, or that is still at work. Others stay, and Helm fails on them too.
    async fn is_left_over(
        &self,
        instance: &Instance,
        hook: &Hook,
        object: &HookObject,
    ) -> Result<bool, Error> {
        let found = self.writer.get(&object.kind, &object.id).await;
        let found = found.map_err(Error::api(format!("read the hook {}", object.id)))?;
        let Some(found) = found.filter(|found| self.is_ours(instance, &Marks::of(found))) else {
            return Ok(false);
        };
        Ok(hook.delete_policies.contains(&HookDeletePolicy::HookSucceeded) || is_at_work(&object.id, &found))
    }

    /// Waits until a hook's object has done its work.
    async fn wait_for_hook(
        &self,
        instance: &Instance,
        object: &HookObject,
        started: Instant,
        event: &'static str,
    ) -> Result<(), Error> {
        let failed = |what: String| Error::Hook { event, what };
        if !matches!(&*object.id.kind, "Job" | "Pod") {
            return Ok(());
        }
        let mut pause = FIRST_PAUSE;
        let mut told = false;
        loop {
            let is_over = started.elapsed() > object.deadline;
            let stands = match self.writer.get(&object.kind, &object.id).await {
                Ok(Some(found)) => progress(&object.id.kind, &found),
                // A Job with a time to live goes by itself once it is done; Helm takes any that went as done.
                Ok(None) => Progress::Done,
                // One look that fails says nothing of the hook.
                Err(error) if is_transient(&error) && !is_over => Progress::Running,
                Err(error) => return Err(Error::api(format!("read the hook {}", object.id))(error)),
            };
            match stands {
                Progress::Done => return Ok(()),
                Progress::Failed(why) => {
                    let what = format!("{} {} failed: {why}", object.id.kind.to_lowercase(), object.id.name);
                    return Err(failed(self.with_last_words(object, what).await));
                }
                Progress::Running => {}
            }
            if self.is_forced(instance) {
                return Err(failed(format!("{} was not waited for any longer", object.id)));
            }
            if is_over {
                let deadline = object.deadline;
                let what = format!("{} did not finish within its deadline of {deadline:?}", object.id);
                return Err(failed(self.with_last_words(object, what).await));
            }
            if !told && started.elapsed() > WORTH_TELLING {
                told = true;
                self.report_working(instance, &format!("waiting for the {event} hook {}", object.id)).await;
            }
            // Until then the release from before runs.
            if event == event_name(HookEvent::PreUpgrade) {
                self.guard_in_memory(instance).await;
            }
            aside(tokio::time::sleep(pause)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            self.still_same(instance)?;
        }
    }

    /// Ends what hooks of a revision that is given up are doing, and removes what their policies would have removed at its
    /// end. Those with the mark of another revision stay.
    pub(super) async fn stop_hooks(
        &self,
        instance: &Instance,
        hooks: &[Hook],
        revision: i64,
    ) -> Result<(), Error> {
        for hook in hooks {
            // What cannot be made is not there.
            let objects = self.hook_objects(instance, hook).unwrap_or_default();
            for object in objects.iter().filter(|object| !object.id.is_definition()) {
                let found = self.writer.get(&object.kind, &object.id).await;
                let found = found.map_err(Error::api(format!("read the hook {}", object.id)))?;
                let Some(found) = found else { continue };
                let marks = Marks::of(&found);
                let run = marks.annotations.get(HOOK_RUN);
                let is_run = |event: &HookEvent| {
                    let mark = format!("{}-{revision}-", event_name(*event));
                    run.is_some_and(|run| run.starts_with(&mark))
                };
                let policies = [HookDeletePolicy::HookSucceeded, HookDeletePolicy::HookFailed];
                let goes = policies.iter().any(|policy| hook.delete_policies.contains(policy))
                    || is_at_work(&object.id, &found);
                if goes && hook.events.iter().any(is_run) && self.is_ours(instance, &marks) {
                    let uid = Some(&*marks.uid);
                    let deleted = self.writer.delete(&instance.key, &object.kind, &object.id, uid).await;
                    deleted.map_err(Error::api(format!("delete the hook {}", object.id)))?;
                    tracing::info!(resource = %instance.key, object = %object.id, "Ended a hook that is not wanted any more");
                }
            }
        }
        Ok(())
    }

    /// Adds what the hook's pod says.
    async fn with_last_words(&self, object: &HookObject, what: String) -> String {
        let id = &object.id;
        match last_words(&self.client, &id.namespace, &id.kind, &id.name).await {
            Some(words) => format!("{what}; {words}"),
            None => what,
        }
    }

    /// Adds what keeps a hook's object from going.
    async fn with_finalizers(&self, object: &HookObject, what: String) -> String {
        let found = self.writer.get(&object.kind, &object.id).await.ok().flatten();
        let finalizers = found.as_ref().and_then(|found| found.pointer("/metadata/finalizers")?.as_array());
        let named: Vec<_> = finalizers.into_iter().flatten().filter_map(Value::as_str).collect();
        if named.is_empty() { what } else { format!("{what}; its finalizers are {}", named.join(", ")) }
    }

    /// Whether the resource is to go at once, by the latest word on it.
    fn is_forced(&self, instance: &Instance) -> bool {
        let now = self.instances.get(&instance.key);
        now.is_some_and(|now| now.deleting && self.watch.policy.deletion(&now) == Deletion::Force)
    }

    /// A hook that hangs for a wrong value must not outlive the value.
    fn still_same(&self, instance: &Instance) -> Result<(), Error> {
        self.still_wanted(instance)?;
        match self.instances.get(&instance.key) {
            Some(now) if now.generation == instance.generation => Ok(()),
            _ => Err(Error::Overtaken),
        }
    }

    fn hook_objects(&self, instance: &Instance, hook: &Hook) -> Result<Vec<HookObject>, String> {
        let served = self.discovery.current();
        let document = yaml::to_json(&hook.manifest).map_err(|why| format!("{}: {why}", hook.path))?;
        let namespace = self.release_namespace(&instance.key);
        let found = objects::plain(document, namespace, &served.kinds);
        let mut found =
            found.map_err(|what| format!("{} {} ({}): {what}", hook.kind, hook.name, hook.path))?;
        for (_, id, body) in &mut found {
            self.mark_hook(instance, id, body);
        }
        let object = |(kind, id, body)| {
            let deadline = deadline(instance, &body);
            let keep = is_kept(&body);
            HookObject { kind, id, body, deadline, keep }
        };
        Ok(found.into_iter().map(object).collect())
    }

    /// Hooks are not part of the release: no label makes them watched or pruned. But they go with their resource, unless
    /// they are to be kept.
    fn mark_hook(&self, instance: &Instance, id: &ObjectId, body: &mut Value) {
        let keep = is_kept(body);
        let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) else { return };

        if is_in_reach(instance, id) && !keep {
            metadata.insert("ownerReferences".into(), Value::from(vec![self.owner_reference(instance)]));
            return;
        }
        let annotations =
            metadata.entry("annotations").or_insert_with(|| Value::Object(serde_json::Map::new()));
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert(PRIMARY_RESOURCE.into(), instance.key.to_string().into());
        }
    }

    /// The objects of hooks that Kubernetes' garbage collection will not remove with the resource, though they are to go.
    /// CRDs are left where they are, as Helm leaves them.
    pub(super) fn hooks_out_of_reach(&self, instance: &Instance, hooks: &[Hook]) -> Vec<ObjectId> {
        let objects = hooks.iter().filter_map(|hook| self.hook_objects(instance, hook).ok()).flatten();
        let kept = |object: &HookObject| object.keep || object.id.is_definition();
        objects.filter(|o| !kept(o) && !is_in_reach(instance, &o.id)).map(|object| object.id).collect()
    }

    /// Deletes a hook's objects if its policy says so.
    async fn delete_hook(
        &self,
        instance: &Instance,
        hook: &Hook,
        objects: &[HookObject],
        event: &'static str,
        policy: &HookDeletePolicy,
    ) -> Result<(), Error> {
        if !hook.delete_policies.contains(policy) {
            return Ok(());
        }
        self.delete_hook_objects(instance, objects, event).await
    }

    /// Deletes objects and waits until they are gone, each as long as its hook may take. CRDs are left, as Helm leaves them.
    async fn delete_hook_objects(
        &self,
        instance: &Instance,
        objects: &[HookObject],
        event: &'static str,
    ) -> Result<(), Error> {
        for object in objects.iter().filter(|object| !object.id.is_definition()) {
            let started = Instant::now();
            let mut pause = FIRST_PAUSE;
            loop {
                let deleted = self.writer.delete(&instance.key, &object.kind, &object.id, None).await;
                if !deleted.map_err(Error::api(format!("delete the hook {}", object.id)))? {
                    break;
                }
                if self.is_forced(instance) {
                    let what = format!("{} was not waited for any longer", object.id);
                    return Err(Error::Hook { event, what });
                }
                if started.elapsed() > object.deadline {
                    let what =
                        format!("{} was deleted and is not gone after {:?}", object.id, object.deadline);
                    return Err(Error::Hook { event, what: self.with_finalizers(object, what).await });
                }
                aside(tokio::time::sleep(pause)).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
        Ok(())
    }

    /// Makes the CRDs of the chart's `crds/` that are not there yet, before anything else of a first install.
    pub(super) async fn install_crds(&self, instance: &Instance, crds: &[Crd]) -> Result<(), Error> {
        let served = self.discovery.current();
        let mut made = Vec::new();
        for crd in crds {
            for text in objects::documents(&crd.content.to_lossy()) {
                let document =
                    yaml::to_json(&text).map_err(|why| Error::Apply(vec![format!("{}: {why}", crd.path)]))?;
                let found = objects::plain(document, self.release_namespace(&instance.key), &served.kinds);
                let found = found.map_err(|what| Error::Apply(vec![format!("{}: {what}", crd.path)]))?;
                for (kind, id, body) in found {
                    match self.writer.create(&kind, &id, &body).await {
                        Ok(()) => made.push((kind, id)),
                        Err(error) if is_conflict(&error) => {}
                        Err(error) => return Err(Error::api(format!("make {id} ({})", crd.path))(error)),
                    }
                }
            }
        }
        for (kind, id) in &made {
            if id.is_definition() {
                self.established(kind, id, DEADLINE).await?;
            }
        }
        if !made.is_empty() {
            self.discovery.refresh().await.map_err(Error::api("learn which kinds the cluster serves"))?;
        }
        Ok(())
    }
}

/// How long a hook may take, as it says itself, or the resource does for all.
fn deadline(instance: &Instance, body: &Value) -> Duration {
    let own = body.pointer("/metadata/annotations").and_then(|all| all.get(HOOK_DEADLINE));
    let all = instance.annotations.get(HOOK_DEADLINE).map(|text| &**text);
    let said = [own.and_then(Value::as_str), all];
    said.into_iter().flatten().find_map(|text| go_duration(text).ok()).unwrap_or(DEADLINE)
}

fn is_kept(body: &Value) -> bool {
    body.pointer("/metadata/annotations").and_then(Value::as_object).is_some_and(objects::says_keep)
}

/// What is sent of a hook's object: with the mark of its run.
fn marked(object: &HookObject, mark: &str) -> Value {
    let mut body = object.body.clone();
    let metadata = body.get_mut("metadata").and_then(Value::as_object_mut);
    let annotations = metadata.map(|metadata| {
        metadata.entry("annotations").or_insert_with(|| Value::Object(serde_json::Map::new()))
    });
    if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
        annotations.insert(HOOK_RUN.into(), mark.into());
    }
    body
}

/// Whether a resource can own an object.
fn is_in_reach(instance: &Instance, id: &ObjectId) -> bool {
    instance.key.namespace.is_empty() || id.namespace == instance.key.namespace
}

/// Whether what was found of a hook has work to do and has not done it.
fn is_at_work(id: &ObjectId, found: &Value) -> bool {
    matches!(&*id.kind, "Job" | "Pod") && matches!(progress(&id.kind, found), Progress::Running)
}

fn progress(kind: &str, object: &Value) -> Progress {
    let status = object.get("status");
    let text =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if kind == "Pod" {
        return match status.map(|status| text(status, "phase")).unwrap_or_default().as_str() {
            "Succeeded" => Progress::Done,
            "Failed" => Progress::Failed(status.map(|status| text(status, "message")).unwrap_or_default()),
            _ => Progress::Running,
        };
    }
    let conditions = status.and_then(|status| status.get("conditions")).and_then(Value::as_array);
    for condition in conditions.into_iter().flatten().filter(|one| text(one, "status") == "True") {
        match text(condition, "type").as_str() {
            "Complete" => return Progress::Done,
            "Failed" => {
                return Progress::Failed(format!(
                    "{}: {}",
                    text(condition, "reason"),
                    text(condition, "message")
                ));
            }
            _ => {}
        }
    }
    Progress::Running
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hooks_own_deadline_counts_first() {
        let mut instance = Instance::example("n", "a", "1");
        let of = |instance: &Instance, text: &str| {
            deadline(instance, &serde_json::json!({"metadata": {"annotations": {HOOK_DEADLINE: text}}}))
        };
        assert_eq!(of(&instance, "2m"), Duration::from_secs(120));
        assert_eq!(of(&instance, "soon"), DEADLINE);
        instance.annotations.insert(HOOK_DEADLINE.into(), "10s".into());
        assert_eq!(of(&instance, "2m"), Duration::from_secs(120));
        assert_eq!(deadline(&instance, &Value::Null), Duration::from_secs(10));
    }
}
