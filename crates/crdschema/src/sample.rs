//! An example of what a user gives: a number of replicas, and whatever the chart demands.

use serde_json::{Map, Value, json};

use crate::Api;
use crate::field::Field;
use crate::types::Form;

/// What an example asks for where a chart has a number of replicas.
const REPLICAS: i64 = 3;

/// A text that stands for one of the user's.
const TEXT: &str = "example";

/// Items made for a list that must have some, at most.
const MOST_ITEMS: u64 = 16;

/// Makes an example of a chart's values.
pub(crate) fn sample(api: &Api) -> Value {
    let mut values = demanded(&api.spec);
    if let Some((last, outer)) = api.replicas.as_deref().and_then(<[String]>::split_last) {
        let inner = outer.iter().try_fold(&mut values, |map, key| {
            map.entry(key.clone()).or_insert_with(|| json!({})).as_object_mut()
        });
        let most = api
            .spec
            .at(api.replicas.as_deref().unwrap_or_default())
            .and_then(|field| field.limits.maximum.as_ref().and_then(|bound| bound.at.as_i64()));
        if let Some(inner) = inner {
            inner.insert(last.clone(), most.map_or(REPLICAS, |most| most.min(REPLICAS)).into());
        }
    }
    Value::Object(values)
}

/// The keys that must be given: Helm merges default maps, so what it demands inside them counts too.
fn demanded(field: &Field) -> Map<String, Value> {
    let mut values = Map::new();
    for (key, inner) in &field.properties {
        if field.required.contains(key) {
            values.insert(key.clone(), value(inner));
        } else if inner.in_values && inner.form() == Form::Object {
            let inside = demanded(inner);
            if !inside.is_empty() {
                values.insert(key.clone(), inside.into());
            }
        }
    }
    let unknown = field.required.iter().filter(|key| !field.properties.contains_key(*key));
    values.extend(unknown.map(|key| (key.clone(), TEXT.into())));
    values
}

fn value(field: &Field) -> Value {
    let limits = &field.limits;
    if let Some(choice) = limits.choices.iter().flatten().find(|choice| !choice.is_null()) {
        return choice.clone();
    }
    match field.form() {
        Form::Boolean => true.into(),
        Form::Integer | Form::Number => {
            let least =
                limits.minimum.as_ref().map(|bound| (bound.at.as_i64().unwrap_or(1), bound.exclusive));
            least.map_or(1, |(least, exclusive)| least.saturating_add(exclusive.into())).into()
        }
        Form::Array => {
            let count = limits.min_items.unwrap_or_default().min(MOST_ITEMS);
            let item = field.items.as_deref().map_or_else(|| json!(TEXT), value);
            (0..count).map(|_| item.clone()).collect()
        }
        Form::Object => demanded(field).into(),
        Form::String | Form::IntOrString | Form::Scalar | Form::Any => TEXT.into(),
    }
}
