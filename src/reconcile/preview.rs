//! What carrying a resource out would change on the cluster, field by field, without doing it: the objects as they are
//! against the server's dry run of the new render.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use futures::{StreamExt as _, stream};
use helm::Crd;
use serde_json::Value;

use super::Controller;
use super::crds::Definition;
use super::deploy::check_name;
use super::difference::{Field, fields};
use super::error::Error;
use super::identity::ObjectId;
use super::objects::{Object, Objects};
use super::plan;
use super::refusals::NO_MORE;
use super::takeup::Standing;
use super::trial::{AT_A_TIME, Around, Taken, Verdict};
use super::values::Values;
use crate::cluster::instances::Instance;
use crate::cluster::objects::Marks;
use crate::release::{Entry, State};

/// What would become of an object.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) id: ObjectId,
    pub(crate) what: What,
    /// Not empty, except for what is refused, or what only lacks fields.
    pub(crate) fields: Vec<Field>,
    /// The paths of fields that the object's type does not know: they would be left out.
    pub(crate) left_out: BTreeSet<String>,
}

impl Change {
    fn new(id: ObjectId, what: What, fields: Vec<Field>) -> Self {
        Self { id, what, fields, left_out: BTreeSet::new() }
    }
}

/// The uid of a resource that is not there yet, for the dry runs of what it would own.
pub(crate) const NOBODY: &str = "00000000-0000-0000-0000-000000000000";

/// See [`Change`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Create,
    Change,
    Delete,
    /// It cannot be changed: it would be deleted and made anew.
    Replace,
    /// The server does not take it, and nothing at all would be done.
    Refused(String),
    /// It is somebody else's, and nothing at all would be done.
    Foreign(String),
}

impl Controller {
    /// Lists what would change, in the order in which it would be applied.
    pub(crate) async fn preview(&self, instance: &Instance) -> Result<Vec<Change>, Error> {
        check_name(&instance.key.name)?;
        self.check_pin(instance)?;
        let values = self.values(instance)?;
        let (namespace, release) = (self.release_namespace(&instance.key), self.release_name(&instance.key));
        let history = self.records.history(namespace, release).await;
        let history = history.map_err(Error::api("list the release's records"))?;
        let Planned { crds, is_install, objects, recorded, never_deployed } =
            self.next_objects(instance, &values, &history).await?;
        let definitions = self.try_definitions(instance, &crds, &objects, is_install).await?;
        if !definitions.refused.is_empty() {
            return Err(Error::Refused(definitions.refused));
        }
        let mut changes: Vec<Change> = definitions.changes.iter().filter_map(of_definition).collect();

        let all: Vec<&Object> = objects.list.iter().collect();
        let known = self.dependents.of(&instance.key).into_keys().map(|id| (id, ())).collect();
        let around = Around::new(&all, &known, definitions.kinds, never_deployed).whole();
        let mut looks = Vec::with_capacity(objects.list.len());
        for object in &objects.list {
            looks.push(self.look(instance, object, &around));
        }
        let looks: Vec<_> = stream::iter(looks).buffered(AT_A_TIME).collect().await;
        for change in looks {
            changes.extend(change?);
        }
        let observed = self.dependents.of(&instance.key).into_keys();
        for id in plan::dropped(&objects, recorded.into_iter().chain(observed)) {
            changes.extend(self.look_at_dropped(&id).await?);
        }
        Ok(changes)
    }

    /// What the next revision holds, or the one that runs if that would stay.
    async fn next_objects(
        &self,
        instance: &Instance,
        values: &Values,
        history: &[Entry],
    ) -> Result<Planned, Error> {
        let mut recorded = Vec::new();
        if let Some(last) = history.last()
            && let Some((record, chart, _)) = self.stored(instance, last.revision).await?
        {
            self.check_chart(instance, &chart)?;
            recorded = self.ids_of(instance, &record.manifest);
            if last.state == State::Deployed {
                let standing =
                    self.standing(instance, values, self.inputs(instance, values), last, &record).await?;
                if let Some(Standing { output, objects, .. }) = standing {
                    let crds = self.crds_of(instance, &output.rendered, false).to_vec();
                    return Ok(Planned { crds, is_install: false, objects, recorded, never_deployed: false });
                }
            }
        }
        let revision = plan::next_revision(history, false);
        let (output, _) = self.render(instance, values, revision.number, revision.is_install).await?;
        let is_install = revision.is_install;
        let crds = self.crds_of(instance, &output.rendered, is_install).to_vec();
        let (objects, _) = self.build(instance, &output.rendered, &crds).await?;
        let never_deployed = is_install && !history.is_empty();
        Ok(Planned { crds, is_install, objects, recorded, never_deployed })
    }

    /// Compares an object with what is there.
    async fn look(
        &self,
        instance: &Instance,
        object: &Object,
        around: &Around<'_>,
    ) -> Result<Option<Change>, Error> {
        let id = object.id.clone();
        if object.kind_pending {
            let fields = fields(&Value::Null, &object.body);
            return Ok(Some(Change::new(id, What::Create, fields)));
        }
        let now = self.writer.get(&object.kind, &id).await.map_err(Error::api(format!("read {id}")))?;
        if let Some(now) = now.as_ref().filter(|_| !around.known.contains_key(&id))
            && let Some(stranger) = self.stranger(instance, &Marks::of(now)).await
            && !stranger.is_adopted(instance)
        {
            return Ok(Some(Change::new(id, What::Foreign(stranger.told()), Vec::new())));
        }
        let mut object = object.clone();
        if now.as_ref().is_some_and(is_scaled)
            && let Some(spec) = object.body.get_mut("spec").and_then(Value::as_object_mut)
        {
            spec.remove("replicas");
        }
        let (mut after, left_out, anew) = match self.try_one(instance, &object, around).await {
            Verdict::Fine(Taken { after, left_out, anew, .. }) => (after, left_out, anew),
            // What it needs comes with the same release.
            Verdict::NotYet => (object.body.clone(), BTreeSet::new(), false),
            Verdict::NoKind => {
                return Ok(Some(Change::new(id, What::Refused(NO_MORE.to_owned()), Vec::new())));
            }
            Verdict::Refused(_, why) => return Ok(Some(Change::new(id, What::Refused(why), Vec::new()))),
            Verdict::Trouble(error) => {
                return Err(Error::Api { doing: format!("try to apply {id}"), error });
            }
        };
        let what = match &now {
            Some(_) if anew => What::Replace,
            Some(_) => What::Change,
            None => What::Create,
        };
        leave_nobody_out(&mut after);
        let fields = fields(&now.unwrap_or_default(), &after);
        let is_new = self.leaves_out_more(instance, around, &id, &left_out).await;
        let is_new = is_new.map_err(Error::api("read the release's record"))?;
        let change = Change { id, what, fields, left_out };
        Ok((is_new || !change.fields.is_empty()).then_some(change))
    }

    /// Looks whether an object that is rendered no more is still there to be deleted.
    async fn look_at_dropped(&self, id: &ObjectId) -> Result<Option<Change>, Error> {
        let served = self.discovery.current();
        let Some(kind) = served.kinds.preferred(&id.group, &id.kind) else { return Ok(None) };
        let now = self.writer.get(kind, id).await.map_err(Error::api(format!("read {id}")))?;
        let keeps = |now: &Value| {
            now.pointer("/metadata/annotations/helm.sh~1resource-policy")
                .is_some_and(|policy| policy == "keep")
        };
        let gone = now.filter(|now| !keeps(now));
        Ok(gone.map(|now| Change::new(id.clone(), What::Delete, fields(&now, &Value::Null))))
    }
}

/// See [`Controller::next_objects`].
struct Planned {
    /// Definitions that come before the objects.
    crds: Vec<Crd>,
    is_install: bool,
    objects: Objects,
    /// Objects that a record names.
    recorded: Vec<ObjectId>,
    /// Whether no install of the release has ever succeeded, though one was tried.
    never_deployed: bool,
}

/// Writes changes for people: an object a paragraph, a field a line.
pub(crate) fn text(changes: &[Change]) -> String {
    let mut out = String::new();
    for Change { id, what, fields, left_out } in changes {
        // Writing to a text does not fail.
        let _ = match what {
            What::Create => writeln!(out, "+ {id} would be made"),
            What::Change => writeln!(out, "~ {id} would change"),
            What::Delete => writeln!(out, "- {id} would be deleted"),
            What::Replace => writeln!(out, "~ {id} would be deleted and made anew, for it cannot be changed"),
            What::Refused(why) => writeln!(out, "! {id} would be refused, and nothing done at all: {why}"),
            What::Foreign(why) => writeln!(out, "! {id} {why}; as it is, nothing would be done at all"),
        };
        if *what == What::Delete {
            continue;
        }
        for field in fields {
            let path = &field.path;
            let _ = match (&field.before, &field.after) {
                (None, Some(after)) => writeln!(out, "  + {path}: {after}"),
                (Some(before), None) => writeln!(out, "  - {path}: {before}"),
                (Some(before), Some(after)) => writeln!(out, "  ~ {path}: {before} -> {after}"),
                (None, None) => Ok(()),
            };
        }
        for path in left_out {
            let _ = writeln!(out, "  ! {path}: its type knows no such field; it would be left out");
        }
    }
    out
}

/// What an apply of a definition would change, if anything.
fn of_definition(definition: &Definition) -> Option<Change> {
    let Definition { object, now, after, .. } = definition;
    let what = if now.is_null() { What::Create } else { What::Change };
    let fields = fields(now, after);
    (!fields.is_empty()).then(|| Change::new(object.id.clone(), what, fields))
}

/// Takes out the owner that is not there yet.
fn leave_nobody_out(object: &mut Value) {
    const OWNERS: &str = "ownerReferences";
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    if let Some(owners) = metadata.get_mut(OWNERS).and_then(Value::as_array_mut) {
        owners.retain(|owner| owner.get("uid").is_none_or(|uid| uid != NOBODY));
        if owners.is_empty() {
            metadata.remove(OWNERS);
        }
    }
}

/// Whether an autoscaler has set an object's replicas.
fn is_scaled(object: &Value) -> bool {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array);
    entries.into_iter().flatten().any(|entry| {
        let says = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        says("subresource") == "scale" && !says("manager").starts_with("kubectl")
    })
}
