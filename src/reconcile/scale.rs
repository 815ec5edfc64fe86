//! Which workload a resource's scale subresource speaks of, where a chart has several.

use super::Controller;
use super::identity::ObjectId;
use super::objects::{Object, Objects};
use super::replicas::{Scaled, number, rendered, scaled, with_number};
use super::values::Values;
use crate::cluster::instances::Instance;
use crate::convert::{from_json, to_json};

impl Controller {
    /// Finds the workload whose replicas the resource's spec sets.
    pub(super) async fn find_scaled(
        &self,
        instance: &Instance,
        values: &Values,
        objects: &Objects,
        revision: i64,
        is_install: bool,
    ) -> Option<ObjectId> {
        let path = self.replicas_path.as_deref()?;
        let number = || number(&values.config, &to_json(&self.chart_of(instance).chart().values), path);
        match scaled(objects, number) {
            Scaled::None => None,
            Scaled::This(object) => Some(object.id.clone()),
            Scaled::OneOf(some) => self.probe(instance, values, &some, path, revision, is_install).await,
        }
    }

    /// Renders with a number of replicas that none of the workloads has: the one that then has it is the one.
    async fn probe(
        &self,
        instance: &Instance,
        values: &Values,
        some: &[&Object],
        path: &[String],
        revision: i64,
        is_install: bool,
    ) -> Option<ObjectId> {
        let other = some.iter().filter_map(|object| rendered(object)).max()?.checked_add(1)?;
        let config = with_number(&values.config, path, other);
        let values = Values { frozen: from_json(&config), config, ..values.clone() };
        let (output, _) = self.render(instance, &values, revision, is_install).await.ok()?;
        let (changed, _) = self.build(instance, &output.rendered, &output.rendered.crds).await.ok()?;
        let has_it = |object: &&&Object| {
            changed.list.iter().any(|now| now.id == object.id && rendered(now) == Some(other))
        };
        some.iter().find(has_it).map(|object| object.id.clone())
    }
}
