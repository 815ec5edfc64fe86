//! Helm without a cluster: charts, values, rendering, and the ordered list of objects that comes out.
//!
//! Everything here is a pure function of its inputs: a chart, the user's values, what the cluster can do, and a
//! [`Host`] that answers the few questions templates may ask of the outside (time, randomness, `lookup`). The behaviour,
//! error texts included, is Helm 3.22's.
//!
//! ```text
//! Chart::load_path -> CompiledChart::new (once) -> CompiledChart::render (per release, any thread) -> Rendered
//! ```

pub mod capabilities;
pub mod chart;
mod compiled;
mod decode;
mod dependencies;
mod engine;
mod error;
pub mod manifest;
pub mod output;
mod plain;
mod schema;
mod still;
mod toml;
mod tree;
mod usage;
pub mod values;

pub use capabilities::{Capabilities, HelmVersion, KubeVersion};
pub use chart::Chart;
pub use compiled::{CompiledChart, Crd, Release, RenderInput, RenderOptions, Rendered, check_release_name};
pub use engine::function_names;
pub use error::{Error, SchemaViolation, TemplateError};
pub use gotemplate::{Execution, Host, Issue, Location, Site};
pub use manifest::{Hook, HookDeletePolicy, HookEvent, Manifest};
pub use plain::render_text;
pub use still::Still;
pub use usage::Usage;

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
