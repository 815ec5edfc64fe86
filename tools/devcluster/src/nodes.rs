//! The nodes of a cluster, as objects. kwok brings them to life.

use serde_json::{Value, json};

/// A list of `count` nodes, each its own host and spread over three zones, roomy enough for any chart.
pub(crate) fn list(count: usize) -> Value {
    let items: Vec<_> = (0..count).map(node).collect();
    json!({ "apiVersion": "v1", "kind": "List", "items": items })
}

fn node(index: usize) -> Value {
    let name = format!("node-{index}");
    let zone = ["a", "b", "c"].get(index % 3);
    let room = json!({ "cpu": "32", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "250" });
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "topology.kubernetes.io/region": "devcluster",
                "topology.kubernetes.io/zone": zone,
            },
        },
        "status": { "allocatable": room, "capacity": room },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_names_and_hosts_of_their_own() {
        let list = list(4);
        let names: Vec<_> =
            list["items"].as_array().unwrap().iter().map(|node| &node["metadata"]["name"]).collect();
        assert_eq!(names, ["node-0", "node-1", "node-2", "node-3"]);
        assert_eq!(list["items"][3]["metadata"]["labels"]["kubernetes.io/hostname"], "node-3");
        assert_eq!(list["items"][3]["metadata"]["labels"]["topology.kubernetes.io/zone"], "a");
    }
}
