//! Ingresses, to networking.k8s.io/v1.

use serde_json::{Value, json};

use super::{Object, child, children, default};

pub(super) fn ingress(object: &mut Object, _: &str) -> Result<(), String> {
    let Some(spec) = child(object, "spec") else {
        return Ok(());
    };
    if let Some(old) = spec.remove("backend") {
        spec.insert("defaultBackend".into(), backend(old));
    }
    for rule in children(spec, "rules") {
        let Some(http) = child(rule, "http") else { continue };
        for path in children(http, "paths") {
            default(path, "pathType", "ImplementationSpecific");
            if let Some(old) = path.remove("backend") {
                path.insert("backend".into(), backend(old));
            }
        }
    }
    Ok(())
}

/// `{serviceName, servicePort, resource}` → `{service: {name, port}, resource}`.
fn backend(mut old: Value) -> Value {
    let Some(fields) = old.as_object_mut() else {
        return old;
    };
    let name = fields.remove("serviceName");
    let port = fields.remove("servicePort");
    if name.is_none() && port.is_none() {
        return old;
    }
    let mut service = json!({"name": name});
    if let (Some(service), Some(port)) = (service.as_object_mut(), port) {
        service.insert("port".into(), port_reference(port));
    }
    fields.insert("service".into(), service);
    old
}

/// A port was a number or a name; a number in quotes was never the name of a port.
fn port_reference(port: Value) -> Value {
    match &port {
        Value::String(text) => match text.parse::<u16>() {
            Ok(number) => json!({"number": number}),
            Err(_) => json!({"name": text}),
        },
        _ => json!({"number": port}),
    }
}
