//! The command lines of a cluster's parts.

use std::path::{Path, PathBuf};

use crate::{builder, part::Part};

/// What the parts of one cluster must agree on.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The state directory.
    pub(crate) directory: PathBuf,
    /// kwok's stage files.
    pub(crate) stages: PathBuf,
    /// Where the API server listens.
    pub(crate) api_port: u16,
    /// Where etcd listens for the API server.
    pub(crate) etcd_port: u16,
    /// Where etcd would listen for other members.
    pub(crate) peer_port: u16,
    /// Whether the API server writes an audit log.
    pub(crate) audited: bool,
}

impl Layout {
    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.directory.join("kubeconfig")
    }

    /// The users that the API server knows by token.
    pub(crate) fn tokens(&self) -> PathBuf {
        self.directory.join("tokens.csv")
    }

    /// What the audit log is to hold.
    pub(crate) fn audit_policy(&self) -> PathBuf {
        self.directory.join("audit-policy.yaml")
    }

    /// The API server's audit log.
    pub(crate) fn audit_log(&self) -> PathBuf {
        self.directory.join("logs").join("audit.log")
    }

    /// The API server's certificate, followed by the one of the authority it makes up at its first start.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.directory.join("pki").join("apiserver.crt")
    }

    /// The API server's private key. It is made before the one that signs service account tokens is read, so one key
    /// can be both and none has to be made beforehand.
    fn key(&self) -> PathBuf {
        self.directory.join("pki").join("apiserver.key")
    }

    /// The port a part listens on, if any.
    pub(crate) fn port(&self, part: Part) -> Option<u16> {
        match part {
            Part::Etcd => Some(self.etcd_port),
            Part::KubeApiserver => Some(self.api_port),
            _ => None,
        }
    }

    /// The arguments of a part. Programs that are not started as servers have none.
    pub(crate) fn arguments(&self, part: Part) -> Vec<String> {
        match part {
            Part::Etcd => self.etcd(),
            Part::KubeApiserver => self.apiserver(),
            Part::KubeControllerManager => self.controller_manager(),
            Part::KubeScheduler => self.client(&["--leader-elect=false", "--secure-port=0", QPS, BURST]),
            Part::Kwok => self.kwok(),
            Part::Kubectl | Part::Helm3 | Part::Helm4 => Vec::new(),
        }
    }

    fn etcd(&self) -> Vec<String> {
        let client = format!("http://127.0.0.1:{}", self.etcd_port);
        let peer = format!("http://127.0.0.1:{}", self.peer_port);
        vec![
            option("--data-dir", &self.directory.join("etcd")),
            format!("--listen-client-urls={client}"),
            format!("--advertise-client-urls={client}"),
            format!("--listen-peer-urls={peer}"),
            format!("--initial-advertise-peer-urls={peer}"),
            format!("--initial-cluster=default={peer}"),
            // The data need not survive a power cut.
            "--unsafe-no-fsync".to_owned(),
            "--log-level=warn".to_owned(),
        ]
    }

    fn apiserver(&self) -> Vec<String> {
        let key = self.key();
        let mut arguments = vec![
            format!("--etcd-servers=http://127.0.0.1:{}", self.etcd_port),
            format!("--secure-port={}", self.api_port),
            option("--cert-dir", &self.directory.join("pki")),
            option("--service-account-key-file", &key),
            option("--service-account-signing-key-file", &key),
            option("--token-auth-file", &self.tokens()),
        ];
        arguments.extend(
            [
                "--bind-address=127.0.0.1",
                "--advertise-address=127.0.0.1",
                // An endpoint must not be a loopback address, so the `kubernetes` service gets none.
                "--endpoint-reconciler-type=none",
                "--service-account-issuer=https://kubernetes.default.svc",
                "--service-cluster-ip-range=10.96.0.0/16",
                "--authorization-mode=RBAC",
                // It would hold up pods until their namespace has a service account, for tokens nobody mounts.
                "--disable-admission-plugins=ServiceAccount",
                "--allow-privileged=true",
            ]
            .map(str::to_owned),
        );
        if self.audited {
            arguments.extend([
                option("--audit-policy-file", &self.audit_policy()),
                option("--audit-log-path", &self.audit_log()),
                // Megabytes; by default what is older than the last hundred goes to another file.
                "--audit-log-maxsize=4096".to_owned(),
            ]);
        }
        arguments
    }

    fn controller_manager(&self) -> Vec<String> {
        let mut arguments = self.client(&["--leader-elect=false", "--secure-port=0", QPS, BURST]);
        arguments.extend([
            option("--service-account-private-key-file", &self.key()),
            option("--root-ca-file", &self.certificate()),
            // By default it creates a directory under /usr.
            option("--flex-volume-plugin-dir", &self.directory.join("flexvolume")),
            // Simulated nodes do not fail, but on a busy machine their heartbeats come late.
            "--node-monitor-grace-period=15m".to_owned(),
        ]);
        arguments
    }

    fn kwok(&self) -> Vec<String> {
        let mut arguments = self.client(&["--manage-all-nodes=true", "--node-ip=10.0.0.1"]);
        arguments.extend(builder::STAGES.iter().map(|(_, file)| option("--config", &self.stages.join(file))));
        arguments
    }

    fn client(&self, others: &[&str]) -> Vec<String> {
        let kubeconfig = option("--kubeconfig", &self.kubeconfig());
        [kubeconfig].into_iter().chain(others.iter().map(|flag| (*flag).to_owned())).collect()
    }
}

/// The default of 20 requests a second is meant for clusters that others share.
const QPS: &str = "--kube-api-qps=500";
const BURST: &str = "--kube-api-burst=1000";

fn option(name: &str, path: &Path) -> String {
    format!("{name}={}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let (directory, stages) = ("/s".into(), "/c".into());
        Layout { directory, stages, api_port: 1, etcd_port: 2, peer_port: 3, audited: true }
    }

    #[test]
    fn parts_meet_at_the_same_ports() {
        let layout = layout();
        assert!(layout.arguments(Part::Etcd).contains(&"--listen-client-urls=http://127.0.0.1:2".to_owned()));
        assert!(
            layout.arguments(Part::KubeApiserver).contains(&"--etcd-servers=http://127.0.0.1:2".to_owned())
        );
        assert!(layout.arguments(Part::KubeApiserver).contains(&"--secure-port=1".to_owned()));
    }

    #[test]
    fn everything_is_kept_in_the_state_directory_and_on_the_loopback_interface() {
        for part in Part::CLUSTER {
            for argument in layout().arguments(part) {
                let paths = argument.split(['=', ',']).filter(|word| word.starts_with('/'));
                for path in paths {
                    assert!(path.starts_with("/s/") || path.starts_with("/c/"), "{part}: {argument}");
                }
                assert!(!argument.contains("0.0.0.0"), "{part}: {argument}");
            }
        }
    }

    #[test]
    fn clients_never_fall_back_to_the_users_kubeconfig() {
        for part in [Part::KubeControllerManager, Part::KubeScheduler, Part::Kwok] {
            assert!(layout().arguments(part).contains(&"--kubeconfig=/s/kubeconfig".to_owned()), "{part}");
        }
    }
}
