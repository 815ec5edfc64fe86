//! Objects that are there and were not made for this release: whose they are, and whether they may be taken over.

use super::Controller;
use super::error::Error;
use super::identity::ObjectId;
use super::objects::{Object, PRIMARY_RESOURCE, PRIMARY_TYPE, RELEASE_NAME, RELEASE_NAMESPACE};
use crate::annotations::{ADOPT, is_true};
use crate::cluster::events::Severity;
use crate::cluster::instances::Instance;
use crate::cluster::objects::Marks;

impl Controller {
    /// Refuses objects that are there and belong to another release or to nobody.
    pub(super) async fn check_strangers(
        &self,
        instance: &Instance,
        strangers: &[ObjectId],
        objects: &[&Object],
    ) -> Result<(), Error> {
        let mut foreign = Vec::new();
        for object in objects.iter().filter(|object| strangers.contains(&object.id)) {
            let marks = self.writer.marks(&object.kind, &object.id).await;
            let marks = marks.map_err(Error::api(format!("read {}", object.id)))?;
            let Some(marks) = marks else { continue };
            match self.stranger(instance, &marks).await {
                None => {}
                Some(stranger) if stranger.is_adopted(instance) => {
                    self.tell_adopted(instance, &object.id, &stranger);
                }
                Some(stranger) => foreign.push(format!("{} {}", object.id, stranger.told())),
            }
        }
        if foreign.is_empty() { Ok(()) } else { Err(Error::Foreign(foreign)) }
    }

    /// Says why an object that is there is not the resource's to change; `None` if it is.
    pub(super) async fn stranger(&self, instance: &Instance, marks: &Marks) -> Option<Stranger> {
        let left_behind = self.is_left_behind(instance, marks).await;
        let (namespace, release) = (self.release_namespace(&instance.key), self.release_name(&instance.key));
        stranger(marks, instance, release, namespace, left_behind)
    }

    pub(super) fn tell_adopted(&self, instance: &Instance, id: &ObjectId, stranger: &Stranger) {
        tracing::info!(resource = %instance.key, object = %id, "Adopted an object");
        let note = format!("{id} {}; taken over", stranger.why);
        self.events.tell(instance, Severity::Normal, "Adopt", "Adopted", &note);
    }

    /// Whether the resource that an object names as its own is gone, as that of what was kept is. One that we may not
    /// look at is there.
    async fn is_left_behind(&self, instance: &Instance, marks: &Marks) -> bool {
        let Some((resource, (kind, group))) = named(marks) else { return false };
        if *resource == instance.key.to_string() {
            return false;
        }
        let served = self.discovery.current();
        let Some(kind) = served.kinds.preferred(group, kind) else { return true };
        let (namespace, name) = resource.split_once('/').unwrap_or(("", resource));
        let id = ObjectId {
            group: group.into(),
            kind: kind.resource.kind.as_str().into(),
            namespace: namespace.into(),
            name: name.into(),
        };
        matches!(self.writer.marks(kind, &id).await, Ok(None))
    }
}

/// The resource that an object's annotations name, with its kind and group.
fn named(marks: &Marks) -> Option<(&str, (&str, &str))> {
    let resource = marks.annotations.get(PRIMARY_RESOURCE)?;
    Some((resource, marks.annotations.get(PRIMARY_TYPE)?.split_once('.')?))
}

/// An object that is there and is not ours to change.
pub(super) struct Stranger {
    pub(super) why: String,
    /// Whether the user may say that we take it nevertheless.
    pub(super) adoptable: bool,
}

impl Stranger {
    /// Whether a resource says that it is taken nevertheless.
    pub(super) fn is_adopted(&self, instance: &Instance) -> bool {
        self.adoptable && is_true(instance, ADOPT)
    }

    pub(super) fn told(&self) -> String {
        if !self.adoptable {
            return self.why.clone();
        }
        format!("{}, or annotate the resource with {ADOPT}=true to take it over", self.why)
    }
}

/// Says why an object that is there is not ours to change; `None` if it is. `left_behind` says that the resource it names
/// as its own is gone.
fn stranger(
    marks: &Marks,
    instance: &Instance,
    release: &str,
    namespace: &str,
    left_behind: bool,
) -> Option<Stranger> {
    let of_others = |why| Some(Stranger { why, adoptable: false });
    let annotation = |key: &str| marks.annotations.get(key).map(String::as_str).unwrap_or_default();
    if let Some(owner) = marks.owners.iter().find(|owner| owner.controller && owner.uid != *instance.uid) {
        return of_others(format!("belongs to {} {}", owner.kind, owner.name));
    }
    let resource = annotation(PRIMARY_RESOURCE);
    if !resource.is_empty() && resource != instance.key.to_string() && !left_behind {
        return of_others(format!("belongs to the resource {resource}"));
    }
    let (owner, owner_namespace) = (annotation(RELEASE_NAME), annotation(RELEASE_NAMESPACE));
    let managed = marks.labels.get("app.kubernetes.io/managed-by").is_some_and(|by| by == "Helm");
    if managed && owner == release && owner_namespace == namespace {
        return None;
    }
    let mark = format!(
        "mark it for this release with the label app.kubernetes.io/managed-by=Helm and the annotations \
         {RELEASE_NAME}={release} and {RELEASE_NAMESPACE}={namespace}"
    );
    let why = if left_behind {
        format!("was left by the resource {resource}, which is gone: {mark}")
    } else if owner.is_empty() {
        format!("exists and belongs to nobody: delete it, or {mark}")
    } else {
        format!("belongs to the Helm release {owner} in namespace {owner_namespace}: uninstall that")
    };
    Some(Stranger { why, adoptable: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::objects::OwnerMark;

    fn marks(managed: bool, release: &str, resource: &str) -> Marks {
        let mut marks = Marks::default();
        if managed {
            marks.labels.insert("app.kubernetes.io/managed-by".into(), "Helm".into());
        }
        if !release.is_empty() {
            marks.annotations.insert(RELEASE_NAME.into(), release.into());
            marks.annotations.insert(RELEASE_NAMESPACE.into(), "ns".into());
        }
        if !resource.is_empty() {
            marks.annotations.insert(PRIMARY_RESOURCE.into(), resource.into());
        }
        marks
    }

    #[test]
    fn only_marked_objects_are_taken_over() {
        let instance = Instance::example("ns", "web", "u-1");
        let stranger = |marks, left| super::stranger(&marks, &instance, "web", "ns", left);
        let judge = |marks| stranger(marks, false).map(|stranger| stranger.why);
        assert!(stranger(marks(true, "old", ""), false).unwrap().told().contains(ADOPT));
        assert!(!stranger(marks(true, "web", "ns/first"), false).unwrap().adoptable);
        assert_eq!(judge(marks(true, "web", "")), None);
        assert_eq!(judge(marks(true, "web", "ns/web")), None);
        assert_eq!(judge(marks(true, "web", "ns/first")).unwrap(), "belongs to the resource ns/first");
        assert_eq!(
            judge(marks(true, "old", "")).unwrap(),
            "belongs to the Helm release old in namespace ns: uninstall that"
        );
        assert!(judge(marks(false, "", "")).unwrap().starts_with("exists and belongs to nobody"));
        let owner = |uid: &str| OwnerMark {
            api_version: "a.b/v1".into(),
            kind: "Web".into(),
            name: "first".into(),
            uid: uid.into(),
            controller: true,
        };
        let owned = |uid: &str| Marks { owners: vec![owner(uid)], ..marks(true, "web", "") };
        assert_eq!(judge(owned("u-1")), None);
        assert_eq!(judge(owned("u-2")).unwrap(), "belongs to Web first");
    }

    #[test]
    fn what_a_resource_that_is_gone_has_left_may_be_taken() {
        let instance = Instance::example("ns", "web", "u-1");
        let stranger = |marks| super::stranger(&marks, &instance, "web", "ns", true);
        assert!(stranger(marks(true, "web", "ns/first")).is_none(), "it is marked for the release");
        let left = stranger(marks(true, "first", "ns/first")).unwrap();
        assert!(left.adoptable && left.why.starts_with("was left by the resource ns/first, which is gone"));
    }
}
