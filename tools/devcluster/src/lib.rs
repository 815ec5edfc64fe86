//! Builds and starts a real Kubernetes control plane for the demo and the tests.
//!
//! The parts are the real ones: kube-apiserver, etcd, kube-controller-manager and kube-scheduler, with [kwok] in the
//! place of kubelets, so that nodes become ready and pods run without containers. They are built from pinned Go
//! modules into a cache, once.
//!
//! ```no_run
//! use devcluster::{Cluster, Options};
//!
//! let cluster = Cluster::start(Options::from_env())?;
//! cluster.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: hello}}")?;
//! println!("{}", cluster.run_kubectl(&["get", "configmaps"])?);
//! // Everything ends here.
//! # Ok::<(), devcluster::Error>(())
//! ```
//!
//! [kwok]: https://kwok.sigs.k8s.io

mod advice;
mod assets;
mod builder;
mod cache;
mod client;
mod cluster;
mod disk;
mod error;
mod flags;
mod guard;
mod kubeconfig;
mod logs;
mod nodes;
mod options;
mod part;
mod pins;
mod ports;
mod progress;
mod state;
mod toolchain;

pub use advice::Advice;
pub use assets::{ASSETS_VARIABLE, Assets};
pub use cache::Cache;
pub use cluster::Cluster;
pub use error::{Error, Result};
pub use options::{KUBECONFIG_VARIABLE, Options, TokenUser};
pub use part::Part;
pub use progress::Progress;
pub use state::{Facts, find, stop};
