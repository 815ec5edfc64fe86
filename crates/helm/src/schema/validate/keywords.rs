//! The keywords that collect violations.

use std::collections::HashMap;

use gostd::{GoStr, List, Map, Value};

use super::{Check, Validator, decimal};
use crate::schema::model::{Additional, Dependency, Draft, Id, Schema};
use crate::schema::number::Decimal;
use crate::schema::problem::{Problem, Violation};

impl<'c> Validator<'c> {
    /// Checks all keywords that do not end the check at once.
    pub(super) fn keywords(&mut self, check: &mut Check<'_, 'c, '_>) {
        match check.value {
            Value::Map(map) => self.object(check, map),
            Value::List(list) => self.array(check, list),
            Value::String(text) => self.string(check, text),
            Value::Nil | Value::Bool(_) => {}
            _ => self.number(check),
        }
        if check.quiet && !check.violations.is_empty() {
            return;
        }
        if check.schema.draft >= Draft::Draft2019 {
            self.dynamic_references(check);
        }
        self.combinations(check);
        if check.schema.draft >= Draft::Draft2019 {
            self.unevaluated(check);
        }
    }

    fn object(&mut self, check: &mut Check<'_, 'c, '_>, map: &Map) {
        let keywords = &check.schema.object;
        if let Some(want) = keywords.min_properties.filter(|want| map.len() < *want) {
            self.add(check, || Problem::Count("minProperties", map.len(), want));
        }
        if let Some(want) = keywords.max_properties.filter(|want| map.len() > *want) {
            self.add(check, || Problem::Count("maxProperties", map.len(), want));
        }
        let missing = missing(map, &keywords.required);
        if !missing.is_empty() {
            self.add(check, || Problem::Required(missing));
        }
        if check.quiet && !check.violations.is_empty() {
            return;
        }
        for (property, dependency) in &keywords.dependencies {
            match dependency {
                _ if !map.contains_key(property) => {}
                Dependency::Properties(names) => self.dependent(check, map, property, names),
                Dependency::Schema(schema) => {
                    let result = self.apply_self(check, *schema, "", false);
                    check.violations.extend(result.err());
                }
            }
        }
        self.properties(check, map);
        if check.schema.draft >= Draft::Draft6 {
            self.property_names(check, map);
        }
        for (property, schema) in &keywords.dependent_schemas {
            if map.contains_key(property) {
                let result = self.apply_self(check, *schema, "", false);
                check.violations.extend(result.err());
            }
        }
        for (property, names) in &keywords.dependent_required {
            if map.contains_key(property) {
                self.dependent(check, map, property, names);
            }
        }
    }

    fn dependent(&self, check: &mut Check<'_, 'c, '_>, map: &Map, property: &str, names: &[String]) {
        let missing = missing(map, names);
        if !missing.is_empty() {
            self.add(check, || Problem::Dependency { property: property.to_owned(), missing });
        }
    }

    fn properties(&mut self, check: &mut Check<'_, 'c, '_>, map: &Map) {
        let keywords = &check.schema.object;
        let mut additional = Vec::new();
        for (name, value) in map.snapshot() {
            if check.quiet && !check.violations.is_empty() {
                return;
            }
            let text = name.to_lossy();
            let mut schemas: Vec<Id> = keywords.properties.get(text.as_ref()).copied().into_iter().collect();
            let patterns = keywords.pattern_properties.iter();
            schemas
                .extend(patterns.filter(|(pattern, _)| pattern.is_match(&name)).map(|(_, schema)| *schema));
            let mut evaluated = !schemas.is_empty();
            if let (false, Some(rule)) = (evaluated, keywords.additional) {
                evaluated = true;
                match rule {
                    Additional::Allowed(true) => {}
                    Additional::Allowed(false) => additional.push(text.to_string()),
                    Additional::Schema(schema) => schemas.push(schema),
                }
            }
            for schema in schemas {
                let result = self.apply_part(check, schema, &value, || text.to_string());
                check.violations.extend(result.err());
            }
            if evaluated {
                check.unevaluated.properties.remove(&name);
            }
        }
        if !additional.is_empty() {
            self.add(check, || Problem::AdditionalProperties(additional));
        }
    }

    fn property_names(&mut self, check: &mut Check<'_, 'c, '_>, map: &Map) {
        let Some(schema) = check.schema.object.property_names else { return };
        for name in map.keys() {
            // Names have paths of their own.
            let path = std::mem::take(&mut self.path);
            let result = self.check_root(schema, &Value::String(name.clone()));
            self.path = path;
            if let Err(causes) = result {
                let violation = self.violation(check.quiet, || Problem::PropertyNames(name.to_string()));
                check.violations.push(Violation { causes, ..violation });
            }
        }
    }

    fn array(&mut self, check: &mut Check<'_, 'c, '_>, list: &List) {
        let keywords = &check.schema.array;
        let items = list.to_vec();
        if let Some(want) = keywords.min_items.filter(|want| items.len() < *want) {
            self.add(check, || Problem::Count("minItems", items.len(), want));
        }
        if let Some(want) = keywords.max_items.filter(|want| items.len() > *want) {
            self.add(check, || Problem::Count("maxItems", items.len(), want));
        }
        if let Some((first, second)) = keywords.unique.then(|| duplicates(&items)).flatten() {
            self.add(check, || Problem::UniqueItems(first, second));
        }
        let covered = keywords.prefix.len().min(items.len());
        for (index, (schema, item)) in keywords.prefix.iter().zip(&items).enumerate() {
            let result = self.apply_part(check, *schema, item, || index.to_string());
            check.violations.extend(result.err());
        }
        match keywords.rest {
            Some(Additional::Allowed(false)) if covered < items.len() => {
                self.add(check, || Problem::AdditionalItems(items.len() - covered));
            }
            Some(Additional::Schema(schema)) => {
                for (index, item) in items.iter().enumerate().skip(covered) {
                    let result = self.apply_part(check, schema, item, || index.to_string());
                    check.violations.extend(result.err());
                }
            }
            _ => {}
        }
        self.contains(check, &items);
    }

    fn contains(&mut self, check: &mut Check<'_, 'c, '_>, items: &[Value]) {
        let keywords = &check.schema.array;
        let Some(schema) = keywords.contains else { return };
        let (mut causes, mut matched) = (Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            match self.apply_part(check, schema, item, || index.to_string()) {
                Err(violation) => causes.push(violation),
                Ok(()) => {
                    matched.push(index);
                    if check.schema.draft >= Draft::Draft2020 {
                        check.unevaluated.items.remove(&index);
                    }
                }
            }
        }
        match keywords.min_contains {
            Some(want) if matched.len() < want => {
                let got = matched.clone();
                self.add_with(check, causes, || Problem::MinContains { got, want });
            }
            None if matched.is_empty() => self.add_with(check, causes, || Problem::Contains),
            _ => {}
        }
        if let Some(want) = keywords.max_contains.filter(|want| matched.len() > *want) {
            self.add(check, || Problem::MaxContains { got: matched, want });
        }
    }

    fn string(&mut self, check: &mut Check<'_, 'c, '_>, text: &GoStr) {
        let Schema { min_length, max_length, pattern, .. } = check.schema;
        if min_length.is_some() || max_length.is_some() {
            let length = text.to_lossy().chars().count();
            if let Some(want) = min_length.filter(|want| length < *want) {
                self.add(check, || Problem::Count("minLength", length, want));
            }
            if let Some(want) = max_length.filter(|want| length > *want) {
                self.add(check, || Problem::Count("maxLength", length, want));
            }
        }
        if let Some(pattern) = pattern
            && !pattern.regexp.is_match(text)
        {
            self.add(check, || Problem::Pattern { got: text.to_string(), want: pattern.text.clone() });
        }
    }

    fn number(&mut self, check: &mut Check<'_, 'c, '_>) {
        let Some(number) = decimal(check.value) else { return };
        type Breaks = fn(&Decimal, &Decimal) -> bool;
        let schema = check.schema;
        let bounds: [(&'static str, &Option<Decimal>, Breaks); 5] = [
            ("minimum", &schema.minimum, |number, bound| number < bound),
            ("maximum", &schema.maximum, |number, bound| number > bound),
            ("exclusiveMinimum", &schema.exclusive_minimum, |number, bound| number <= bound),
            ("exclusiveMaximum", &schema.exclusive_maximum, |number, bound| number >= bound),
            ("multipleOf", &schema.multiple_of, |number, factor| !number.is_multiple_of(factor)),
        ];
        for (keyword, bound, breaks) in bounds {
            if let Some(bound) = bound.as_ref().filter(|bound| breaks(&number, bound)) {
                self.add(check, || Problem::Number(keyword, number.to_float(), bound.to_float()));
            }
        }
    }

    fn combinations(&mut self, check: &mut Check<'_, 'c, '_>) {
        let schema = check.schema;
        if let Some(not) = schema.not
            && self.apply_self(check, not, "", true).is_ok()
        {
            self.add(check, || Problem::Not);
        }
        if !schema.all_of.is_empty() {
            let mut causes = Vec::new();
            for part in &schema.all_of {
                causes.extend(self.apply_self(check, *part, "", false).err());
                if check.quiet && !causes.is_empty() {
                    break;
                }
            }
            if !causes.is_empty() {
                self.add_with(check, causes, || Problem::AllOf);
            }
        }
        if !schema.any_of.is_empty() {
            self.any_of(check);
        }
        if !schema.one_of.is_empty() {
            self.one_of(check);
        }
        if let Some(condition) = schema.condition {
            let branch = if self.apply_self(check, condition, "", true).is_ok() {
                schema.then
            } else {
                schema.otherwise
            };
            if let Some(branch) = branch {
                let result = self.apply_self(check, branch, "", false);
                check.violations.extend(result.err());
            }
        }
    }

    fn any_of(&mut self, check: &mut Check<'_, 'c, '_>) {
        let mut causes = Vec::new();
        let mut matched = false;
        for part in &check.schema.any_of {
            match self.apply_self(check, *part, "", false) {
                Err(violation) => causes.push(violation),
                Ok(()) => {
                    matched = true;
                    // All parts must be tried as long as somebody asks what they evaluate.
                    if check.unevaluated.is_empty() {
                        break;
                    }
                }
            }
        }
        if !matched {
            self.add_with(check, causes, || Problem::AnyOf);
        }
    }

    fn one_of(&mut self, check: &mut Check<'_, 'c, '_>) {
        let mut causes = Vec::new();
        let mut matched: Option<usize> = None;
        for (index, part) in check.schema.one_of.iter().enumerate() {
            match (self.apply_self(check, *part, "", matched.is_some()), matched) {
                (Err(violation), None) => causes.push(violation),
                (Err(_), Some(_)) => {}
                (Ok(()), None) => matched = Some(index),
                (Ok(()), Some(first)) => {
                    self.add(check, || Problem::OneOf(Some((first, index))));
                    break;
                }
            }
        }
        if matched.is_none() {
            self.add_with(check, causes, || Problem::OneOf(None));
        }
    }

    fn dynamic_references(&mut self, check: &mut Check<'_, 'c, '_>) {
        if let Some(target) = check.schema.recursive_ref {
            let target = self.recursive_target(check, target);
            let result = self.follow(check, target, "$recursiveRef");
            check.violations.extend(result.err());
        }
        if let Some(reference) = &check.schema.dynamic_ref {
            let target = self.dynamic_target(check, reference.target, reference.anchor.as_deref());
            let result = self.follow(check, target, "$dynamicRef");
            check.violations.extend(result.err());
        }
    }

    /// The outermost schema whose resource is a recursive anchor, if the target is one.
    fn recursive_target(&self, check: &Check<'_, 'c, '_>, target: Id) -> Id {
        let resource = |schema: Id| self.compiled.get(schema).resource.map(|id| self.compiled.get(id));
        let mut found = target;
        if self.compiled.get(target).recursive_anchor {
            let mut scope = Some(&check.scope);
            while let Some(current) = scope {
                if resource(current.schema).is_some_and(|resource| resource.recursive_anchor) {
                    found = current.schema;
                }
                scope = current.parent;
            }
        }
        found
    }

    /// The outermost schema with the dynamic anchor, if the target has it.
    fn dynamic_target(&self, check: &Check<'_, 'c, '_>, target: Id, anchor: Option<&str>) -> Id {
        let mut found = target;
        let Some(anchor) = anchor.filter(|anchor| self.compiled.get(target).dynamic_anchor == *anchor) else {
            return found;
        };
        let mut scope = Some(&check.scope);
        while let Some(current) = scope {
            let resource = self.compiled.get(current.schema).resource;
            if let Some(id) = resource.and_then(|id| self.compiled.get(id).dynamic_anchors.get(anchor)) {
                found = *id;
            }
            scope = current.parent;
        }
        found
    }

    fn unevaluated(&mut self, check: &mut Check<'_, 'c, '_>) {
        if let (Value::Map(map), Some(schema)) = (check.value, check.schema.object.unevaluated) {
            for name in std::mem::take(&mut check.unevaluated.properties) {
                if let Some(value) = map.get(&name) {
                    let result = self.apply_part(check, schema, &value, || name.to_string());
                    check.violations.extend(result.err());
                }
            }
        }
        if let (Value::List(list), Some(schema)) = (check.value, check.schema.array.unevaluated) {
            for index in std::mem::take(&mut check.unevaluated.items) {
                if let Some(item) = list.get(index) {
                    let result = self.apply_part(check, schema, &item, || index.to_string());
                    check.violations.extend(result.err());
                }
            }
        }
    }

    fn add_with(
        &self,
        check: &mut Check<'_, 'c, '_>,
        causes: Vec<Violation>,
        problem: impl FnOnce() -> Problem,
    ) {
        let violation = Violation { causes, ..self.violation(check.quiet, problem) };
        check.violations.push(violation);
    }
}

fn missing(map: &Map, names: &[String]) -> Vec<String> {
    names.iter().filter(|name| !map.contains_key(name)).cloned().collect()
}

/// Finds the first item that equals an earlier one, and the earlier one.
fn duplicates(items: &[Value]) -> Option<(usize, usize)> {
    let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let mut key = Vec::new();
        write_key(&mut key, item);
        if let Some(first) = seen.get(&key) {
            return Some((*first, index));
        }
        seen.insert(key, index);
    }
    None
}

/// Writes a text that is the same for equal values only.
fn write_key(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::List(list) => {
            out.push(b'[');
            list.with(|items| items.iter().for_each(|item| write_key(out, item)));
            out.push(b']');
        }
        Value::Map(map) => {
            out.push(b'{');
            for (key, value) in map.snapshot() {
                gostd::json::append_string(out, &key, false);
                write_key(out, &value);
            }
            out.push(b'}');
        }
        Value::String(text) => gostd::json::append_string(out, text, false),
        value => match decimal(value) {
            Some(number) => out.extend(format!("{number:?}").bytes()),
            None => out.extend(format!("{value:?}").bytes()),
        },
    }
}
