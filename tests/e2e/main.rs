//! The operator as users meet it: the real binary against a real control plane.
//!
//! One cluster serves all tests; each test has a kind and a namespace of its own. Pods run without containers.

// Tests fail by panicking, and say what they measured.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

mod support;

mod anew;
mod annotations;
mod conditions;
mod crds;
mod definitions;
mod deletion;
mod drift;
mod dropin;
mod election;
mod evolution;
mod failures;
mod givenup;
mod interruptions;
mod lookups;
mod main_job;
mod meddling;
mod metrics;
mod ownership;
mod permissions;
mod plan;
mod randomness;
mod releases;
mod reload;
mod rollback;
mod rollout;
mod scaling;
mod takeover;
mod trial;
mod typed;
mod unknown;
mod values;
