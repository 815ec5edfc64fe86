//! Kubeconfig files. They are written as JSON, which every reader of kubeconfigs takes for the YAML that it is.

use std::path::Path;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{Error, Result};

/// What a kubeconfig says about a cluster, with the user left open.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Endpoint {
    /// The API server's address.
    pub(crate) server: String,
    /// The `cluster` entry: the address and how to trust it.
    cluster: Value,
}

impl Endpoint {
    /// A server on the loopback interface that is known by a certificate in PEM.
    pub(crate) fn local(port: u16, certificate: &[u8]) -> Endpoint {
        let server = format!("https://127.0.0.1:{port}");
        let cluster = json!({ "server": server, "certificate-authority-data": STANDARD.encode(certificate) });
        Endpoint { server, cluster }
    }

    /// The server of a kubeconfig's current context, from what `kubectl config view --raw --flatten --minify -o json`
    /// prints.
    pub(crate) fn of_current_context(path: &Path, view: &str) -> Result<Endpoint> {
        let invalid = |what: &str| {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_owned());
            Error::io("use the kubeconfig", path)(source)
        };
        let view: Value = serde_json::from_str(view).map_err(|error| invalid(&error.to_string()))?;
        let cluster = view
            .pointer("/clusters/0/cluster")
            .ok_or_else(|| invalid("its current context has no cluster"))?;
        let server = cluster.get("server").and_then(Value::as_str);
        let server = server.ok_or_else(|| invalid("its current context's cluster has no server"))?;
        Ok(Endpoint { server: server.to_owned(), cluster: cluster.clone() })
    }

    /// A whole kubeconfig for a user with a bearer token.
    pub(crate) fn with_token(&self, user: &str, token: &str) -> String {
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{ "name": "devcluster", "cluster": self.cluster }],
            "users": [{ "name": user, "user": { "token": token } }],
            "contexts": [{ "name": "devcluster", "context": { "cluster": "devcluster", "user": user } }],
            "current-context": "devcluster",
        });
        format!("{config:#}\n")
    }
}

/// A file name for a user's kubeconfig.
pub(crate) fn file_name(user: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '.' { c } else { '_' };
    format!("{}.kubeconfig", user.chars().map(safe).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kubeconfig_is_complete_in_itself() {
        let endpoint = Endpoint::local(6443, b"PEM");
        let config: Value = serde_json::from_str(&endpoint.with_token("admin", "t\"1")).unwrap();
        assert_eq!(config["clusters"][0]["cluster"]["server"], "https://127.0.0.1:6443");
        assert_eq!(config["clusters"][0]["cluster"]["certificate-authority-data"], "UEVN");
        assert_eq!(config["users"][0]["user"]["token"], "t\"1");
        assert_eq!(config["current-context"], config["contexts"][0]["name"]);
        assert_eq!(config["contexts"][0]["context"]["user"], config["users"][0]["name"]);
    }

    #[test]
    fn another_users_kubeconfig_keeps_how_the_server_is_trusted() {
        let view = json!({ "clusters": [{ "name": "c", "cluster": {
            "server": "https://example.com", "tls-server-name": "x", "insecure-skip-tls-verify": true } }] });
        let endpoint = Endpoint::of_current_context(Path::new("/k"), &view.to_string()).unwrap();
        assert_eq!(endpoint.server, "https://example.com");
        let config: Value = serde_json::from_str(&endpoint.with_token("u", "t")).unwrap();
        assert_eq!(config["clusters"][0]["cluster"], view["clusters"][0]["cluster"]);
    }

    #[test]
    fn a_kubeconfig_without_a_cluster_is_told() {
        for view in ["", "{}", r#"{"clusters":null}"#, r#"{"clusters":[{"cluster":{}}]}"#] {
            let error = Endpoint::of_current_context(Path::new("/k"), view).unwrap_err().to_string();
            assert!(error.starts_with("cannot use the kubeconfig /k: "), "{error}");
        }
    }

    #[test]
    fn file_names_stay_in_their_directory() {
        assert_eq!(file_name("system:serviceaccount:a/b"), "system_serviceaccount_a_b.kubeconfig");
    }
}
