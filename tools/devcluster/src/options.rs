//! How a cluster is to be.

use std::{env, path::PathBuf, time::Duration};

use crate::part::Part;

/// The variable that names a kubeconfig of a cluster to use instead of starting one.
pub const KUBECONFIG_VARIABLE: &str = "CHARTWRIGHT_KUBECONFIG";

/// A user whom the API server knows by a bearer token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenUser {
    /// The user's name, as RBAC sees it.
    pub name: String,
    /// The bearer token.
    pub token: String,
    /// The user's groups.
    pub groups: Vec<String>,
}

/// How a cluster is to be.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many nodes there are. With none, kwok is left out and pods stay pending.
    pub nodes: usize,
    /// Whether kube-controller-manager and kube-scheduler run. Without them objects just lie in the store.
    pub controllers: bool,
    /// A fixed port for the API server.
    pub api_port: Option<u16>,
    /// Where state and logs are; a temporary directory by default. It is removed at the end.
    pub state: Option<PathBuf>,
    /// A kubeconfig of a cluster that exists already: its current context is used and nothing is started.
    pub kubeconfig: Option<PathBuf>,
    /// Users besides the administrator.
    pub users: Vec<TokenUser>,
    /// An audit policy (the text of an `audit.k8s.io/v1` Policy): what it selects is written to [`Cluster::audit_log`].
    ///
    /// [`Cluster::audit_log`]: crate::Cluster::audit_log
    pub audit_policy: Option<String>,
    /// How long each step of the start may take.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            nodes: 4,
            controllers: true,
            api_port: None,
            state: None,
            kubeconfig: None,
            users: Vec::new(),
            audit_policy: None,
            timeout: Duration::from_secs(90),
        }
    }
}

impl Options {
    /// The defaults, with the cluster that `CHARTWRIGHT_KUBECONFIG` names if it is set.
    pub fn from_env() -> Options {
        let kubeconfig =
            env::var_os(KUBECONFIG_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        Options { kubeconfig, ..Options::default() }
    }

    /// The parts that a cluster with these options is started from.
    pub fn parts(&self) -> Vec<Part> {
        let wanted = |part: &Part| match part {
            Part::KubeControllerManager | Part::KubeScheduler => self.controllers,
            Part::Kwok => self.nodes > 0,
            _ => true,
        };
        Part::CLUSTER.into_iter().filter(wanted).collect()
    }
}

/// The API server's file of users: a line of token, name, id and groups for each.
pub(crate) fn token_file(users: &[TokenUser]) -> Result<String, &'static str> {
    let special = |text: &str| text.is_empty() || text.contains(['"', ',', '\n', '\r']);
    let mut lines = String::new();
    for TokenUser { name, token, groups } in users {
        if special(name) || special(token) || groups.iter().any(|group| special(group)) {
            return Err(
                "a user's name, token and groups must not be empty or contain quotes, commas or newlines",
            );
        }
        lines.push_str(&format!("{token},{name},{name},\"{}\"\n", groups.join(",")));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str, groups: &[&str]) -> TokenUser {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        TokenUser { name: name.into(), token: format!("{name}-token"), groups }
    }

    #[test]
    fn only_what_is_wanted_is_started() {
        let bare = Options { nodes: 0, controllers: false, ..Options::default() };
        assert_eq!(bare.parts(), [Part::KubeApiserver, Part::Kubectl, Part::Etcd]);
        assert_eq!(Options::default().parts(), Part::CLUSTER);
    }

    #[test]
    fn users_are_written_one_a_line() {
        let file = token_file(&[user("admin", &["system:masters"]), user("dev", &["a", "b"])]).unwrap();
        assert_eq!(file, "admin-token,admin,admin,\"system:masters\"\ndev-token,dev,dev,\"a,b\"\n");
    }

    #[test]
    fn a_name_cannot_smuggle_in_another_user() {
        assert!(token_file(&[user("x\ny", &[])]).is_err());
        assert!(token_file(&[user("x", &["a\",b"])]).is_err());
    }
}
