//! The number of replicas that a scale subresource sets.

use crate::facts::Facts;
use crate::field::Field;
use crate::limits::Bound;
use crate::reads::Uses;
use crate::types::Types;

/// Names at the top of the values that stand for the number of replicas, the surest first.
const NAMES: &[&str] = &["replicaCount", "replicas"];

/// A name that may stand for other sizes: only what templates write as `replicas:` counts.
const SIZE: &str = "size";

/// Finds the number of replicas: the value the author names, if there is one, or that at the top whose name tells.
pub(crate) fn find(facts: &Facts, named: Option<&str>) -> Option<Vec<String>> {
    if let Some(path) = named {
        let path: Vec<String> = path.trim_start_matches('.').split('.').map(str::to_owned).collect();
        let known = path.iter().try_fold(facts, |facts, key| facts.below.get(key));
        return known.map(|_| path);
    }
    let is_number = |facts: &Facts| {
        facts.defaults.without(Types::NULL) == Types::WHOLE
            || (facts.defaults.without(Types::NULL) == Types::NONE && facts.uses.any(Uses::REPLICAS))
    };
    let top = |name: &str| facts.below.get(name).filter(|facts| is_number(facts));
    let name = NAMES.iter().find(|name| top(name).is_some()).copied();
    let size = || top(SIZE).filter(|facts| facts.uses.any(Uses::REPLICAS)).map(|_| SIZE);
    name.or_else(size).map(|name| vec![name.to_owned()])
}

/// Makes a field one that the scale subresource can read and write.
pub(crate) fn narrow(field: &mut Field) {
    field.types = Types::WHOLE | Types::NULL;
    let minimum = field.limits.minimum.take();
    field.limits.minimum = minimum.or(Some(Bound { at: 0.into(), exclusive: false }));
    field.limits.patterns.clear();
}
