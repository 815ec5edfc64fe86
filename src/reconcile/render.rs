//! Chart + values + release facts → rendered manifests.
//!
//! What templates learn from outside comes through [`Outside`]: random values and the time from the release's seed, so that
//! every render of a release gives the same, and `lookup` from the cluster, with the answers noted.
//!
//! Certificates must not end with the release still running. Each is issued anew when two thirds of its validity have
//! passed: which issue it is follows from the seed's time and the present, so nothing has to be kept of it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use gostd::Value;
use gostd::value::Frozen;
use gotemplate::Limit;
use helm::{Capabilities, CompiledChart, Host, Issue, Release, RenderInput, RenderOptions, Rendered, Site};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

use super::identity::Digest;
use super::site;
use crate::limits::RenderLimits;

/// What makes random and time functions answer the same on every render of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed {
    /// The key of all random values.
    pub(crate) key: [u8; 32],
    /// The time, in Unix seconds.
    pub(crate) epoch: i64,
    pub(crate) drawing: Drawing,
}

/// How random values come from a seed's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawing {
    /// One after the other: a call more changes the values of all calls after it. Releases that began so keep it, for
    /// their values must not change.
    InOrder,
    /// Each by the place of its call.
    ByPlace,
}

/// Answers for templates. Called on a render's thread, which may wait.
pub(crate) trait Outside: Send + Sync {
    /// The release's seed; called when the first random or time function runs.
    fn seed(&self) -> Result<Seed, String>;

    /// One object, or all of a kind if the name is empty.
    fn lookup(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Result<Frozen, String>;
}

/// One render.
pub(crate) struct Job {
    pub(crate) chart: Arc<CompiledChart>,
    pub(crate) values: Frozen,
    pub(crate) release: Release,
    pub(crate) capabilities: Arc<Capabilities>,
    pub(crate) outside: Arc<dyn Outside>,
    /// The present, in Unix seconds: it decides which certificates are due.
    pub(crate) now: i64,
    /// Whether values are not held against the chart's schemas.
    pub(crate) skip_schema_validation: bool,
}

/// What a render gave.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) rendered: Rendered,
    /// Of the manifests' and hooks' text.
    pub(crate) digest: Digest,
    /// What `lookup` was asked, in order, each once.
    pub(crate) lookups: Vec<Lookup>,
    /// When the first of the certificates that were made is to be renewed, in Unix seconds.
    pub(crate) renew_at: Option<i64>,
}

/// A question of `lookup` and the digest of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lookup {
    pub(crate) api_version: Box<str>,
    pub(crate) kind: Box<str>,
    pub(crate) namespace: Box<str>,
    pub(crate) name: Box<str>,
    pub(crate) answer: Digest,
    /// The version of the answer that the watch told when it was last asked; `None` if it told none.
    pub(crate) version: Option<Digest>,
}

/// Why a render gave nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RenderError {
    /// The chart's or the values' fault.
    #[error("{0}")]
    Chart(helm::Error),
    /// The cluster did not answer what templates asked.
    #[error("{0}")]
    Outside(String),
    /// Ours.
    #[error("the template engine failed: {0}")]
    Engine(String),
}

impl RenderError {
    /// Whether the templates had more to do than they may.
    pub(crate) fn is_exhaustion(&self) -> bool {
        let RenderError::Chart(helm::Error::Template(error)) = self else { return false };
        matches!(error.cause.reached(), Some(Limit::Steps | Limit::Interrupt))
    }
}

/// Renders on this thread, which needs a large stack, until `stop` says otherwise.
pub(super) fn render(
    job: &Job,
    limits: RenderLimits,
    stop: &dyn Fn() -> bool,
) -> Result<Output, RenderError> {
    let host = SeededHost::new(job.outside.as_ref(), job.now, stop);
    let rendered = job.chart.render(&RenderInput {
        values: &job.values,
        release: job.release.clone(),
        capabilities: &job.capabilities,
        host: &limits.timed(&host),
        options: RenderOptions { skip_schema_validation: job.skip_schema_validation, ..limits.options() },
    });
    // A failure outside makes whatever came of it worthless, and explains an error better than the template's own.
    if let Some(why) = host.failed.into_inner() {
        return Err(RenderError::Outside(why));
    }
    let rendered = rendered.map_err(RenderError::Chart)?;
    let (lookups, renew_at) = (host.lookups.into_inner(), host.renew_at.into_inner());
    Ok(Output { digest: digest(&rendered), lookups, renew_at, rendered })
}

/// Digests an answer of `lookup`.
pub(super) fn answer_digest(answer: &Frozen) -> Digest {
    Digest::of([format!("{answer:?}")])
}

fn digest(rendered: &Rendered) -> Digest {
    let manifests = rendered.manifests.iter().flat_map(|manifest| [&manifest.path, &manifest.content]);
    let hooks = rendered.hooks.iter().flat_map(|hook| [&hook.path, &hook.manifest]);
    Digest::of(manifests.chain(hooks).map(String::as_bytes))
}

struct SeededHost<'a> {
    outside: &'a dyn Outside,
    now: i64,
    stop: &'a dyn Fn() -> bool,
    seed: Cell<Option<Seed>>,
    stream: RefCell<Option<ChaCha20Rng>>,
    /// How often each place has drawn.
    drawn: RefCell<HashMap<[u8; 32], u64>>,
    renew_at: Cell<Option<i64>>,
    lookups: RefCell<Vec<Lookup>>,
    failed: RefCell<Option<String>>,
}

impl<'a> SeededHost<'a> {
    fn new(outside: &'a dyn Outside, now: i64, stop: &'a dyn Fn() -> bool) -> Self {
        Self {
            outside,
            now,
            stop,
            seed: Cell::new(None),
            stream: RefCell::new(None),
            drawn: RefCell::default(),
            renew_at: Cell::new(None),
            lookups: RefCell::default(),
            failed: RefCell::default(),
        }
    }

    fn seed(&self) -> Seed {
        if let Some(seed) = self.seed.get() {
            return seed;
        }
        let seed = self.outside.seed().unwrap_or_else(|why| {
            self.failed.borrow_mut().get_or_insert(why);
            Seed { key: [0; 32], epoch: 0, drawing: Drawing::ByPlace }
        });
        self.seed.set(Some(seed));
        seed
    }

    fn draw(&self, key: [u8; 32], place: [u8; 32], buffer: &mut [u8]) {
        let mut drawn = self.drawn.borrow_mut();
        let times = drawn.entry(place).or_default();
        let mut hasher = Sha256::new();
        hasher.update(key);
        hasher.update(place);
        let mut stream = ChaCha20Rng::from_seed(hasher.finalize().into());
        stream.set_stream(*times);
        *times += 1;
        stream.fill_bytes(buffer);
    }
}

impl Host for SeededHost<'_> {
    fn now(&self) -> (i64, u32) {
        (self.seed().epoch, 0)
    }

    fn random(&self, site: &Site<'_>, buffer: &mut [u8]) {
        let seed = self.seed();
        match seed.drawing {
            Drawing::InOrder => {
                let mut stream = self.stream.borrow_mut();
                stream.get_or_insert_with(|| ChaCha20Rng::from_seed(seed.key)).fill_bytes(buffer);
            }
            Drawing::ByPlace => self.draw(seed.key, site::name(site), buffer),
        }
    }

    fn issue(&self, lifetime: i64) -> Issue {
        let begin = self.seed().epoch;
        // In this order, for a lifetime may be as long as numbers go.
        let turn_length = lifetime / 3 * 2;
        if turn_length <= 0 {
            return Issue { at: begin, turn: 0 };
        }
        let turn = self.now.saturating_sub(begin).max(0) / turn_length;
        let at = begin.saturating_add(turn.saturating_mul(turn_length));
        let end = at.saturating_add(turn_length);
        self.renew_at.set(Some(self.renew_at.get().map_or(end, |earlier| earlier.min(end))));
        Issue { at, turn: turn.unsigned_abs() }
    }

    fn interrupted(&self) -> bool {
        (self.stop)()
    }

    fn query(&self, function: &str, args: &[Value]) -> Result<Value, String> {
        if function != "lookup" {
            // Name resolution would make a render depend on the network; Helm answers with nothing by default too.
            return Ok(Value::string(""));
        }
        let text = |index: usize| {
            args.get(index)
                .and_then(Value::as_str)
                .map(|text| text.to_lossy().into_owned())
                .unwrap_or_default()
        };
        let (api_version, kind, namespace, name) = (text(0), text(1), text(2), text(3));
        let answer = self.outside.lookup(&api_version, &kind, &namespace, &name).inspect_err(|why| {
            self.failed.borrow_mut().get_or_insert_with(|| format!("lookup of {kind} {name}: {why}"));
        })?;
        let lookup = Lookup {
            api_version: api_version.into(),
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
            answer: answer_digest(&answer),
            version: None,
        };
        let mut lookups = self.lookups.borrow_mut();
        if !lookups.contains(&lookup) {
            lookups.push(lookup);
        }
        Ok(answer.thaw())
    }
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
