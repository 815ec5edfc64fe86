//! The programs a development cluster is made of.

use std::{fmt, str::FromStr};

use crate::pins::{self, Module};

/// One program that is built from pinned sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The store behind the API server.
    Etcd,
    /// The API server.
    KubeApiserver,
    /// The client; also used by this crate to talk to the API server.
    Kubectl,
    /// Deployments, StatefulSets, Jobs, garbage collection and the other built-in controllers.
    KubeControllerManager,
    /// Assigns pods to nodes.
    KubeScheduler,
    /// Gives nodes, pods and volumes a life without a kubelet.
    Kwok,
    /// Helm 3.
    Helm3,
    /// Helm 4.
    Helm4,
}

impl Part {
    /// Everything that can be built.
    pub const ALL: [Part; 8] = [
        Part::Etcd,
        Part::KubeApiserver,
        Part::Kubectl,
        Part::KubeControllerManager,
        Part::KubeScheduler,
        Part::Kwok,
        Part::Helm3,
        Part::Helm4,
    ];

    /// What a whole cluster needs. The slowest to build comes first, so that the rest reuses its packages.
    pub const CLUSTER: [Part; 6] = [
        Part::KubeApiserver,
        Part::Kubectl,
        Part::KubeControllerManager,
        Part::KubeScheduler,
        Part::Etcd,
        Part::Kwok,
    ];

    /// The name on the command line and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Part::Etcd => "etcd",
            Part::KubeApiserver => "kube-apiserver",
            Part::Kubectl => "kubectl",
            Part::KubeControllerManager => "kube-controller-manager",
            Part::KubeScheduler => "kube-scheduler",
            Part::Kwok => "kwok",
            Part::Helm3 => "helm3",
            Part::Helm4 => "helm4",
        }
    }

    /// The file's name. Helm 3 is what `helm` means here.
    pub fn binary(self) -> &'static str {
        match self {
            Part::Helm3 => "helm",
            other => other.name(),
        }
    }

    /// The Go package that is the program.
    pub(crate) fn package(self) -> &'static str {
        match self {
            Part::Etcd => "go.etcd.io/etcd/server/v3",
            Part::KubeApiserver => "k8s.io/kubernetes/cmd/kube-apiserver",
            Part::Kubectl => "k8s.io/kubernetes/cmd/kubectl",
            Part::KubeControllerManager => "k8s.io/kubernetes/cmd/kube-controller-manager",
            Part::KubeScheduler => "k8s.io/kubernetes/cmd/kube-scheduler",
            Part::Kwok => "sigs.k8s.io/kwok/cmd/kwok",
            Part::Helm3 => "helm.sh/helm/v3/cmd/helm",
            Part::Helm4 => "helm.sh/helm/v4/cmd/helm",
        }
    }

    /// The module that pins the program and what it is built from.
    pub(crate) fn module(self) -> &'static Module {
        match self {
            Part::Etcd => &pins::ETCD,
            Part::KubeApiserver | Part::Kubectl | Part::KubeControllerManager | Part::KubeScheduler => {
                &pins::KUBERNETES
            }
            Part::Kwok => &pins::KWOK,
            Part::Helm3 => &pins::HELM3,
            Part::Helm4 => &pins::HELM4,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Part {
    type Err = String;

    /// Reads a part's name; a file's name will do too.
    fn from_str(name: &str) -> Result<Part, String> {
        let found = Part::ALL.into_iter().find(|part| part.name() == name || part.binary() == name);
        found.ok_or_else(|| {
            let known = Part::ALL.map(Part::name).join(", ");
            format!("no part is called {name:?}; there are {known}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for part in Part::ALL {
            assert_eq!(part.name().parse(), Ok(part));
            assert_eq!(part.binary().parse(), Ok(part));
        }
        assert!("kubelet".parse::<Part>().unwrap_err().contains("kube-scheduler"));
    }

    #[test]
    fn every_package_is_a_tool_of_its_module() {
        for part in Part::ALL {
            let tool = format!("{}\n", part.package());
            assert!(part.module().go_mod.contains(&tool), "{part}");
        }
    }
}
