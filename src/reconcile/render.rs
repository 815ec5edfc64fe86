//! Chart + values + release facts → rendered manifests, on threads of their own.
//!
//! Rendering is synchronous and may recurse deeply, so it runs on a few threads with large stacks (untouched stack costs
//! nothing). What templates learn from outside comes through [`Outside`]: random values and the time from the release's
//! seed, so that every render of a release gives the same, and `lookup` from the cluster, with the answers noted.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use gostd::Value;
use gostd::value::Frozen;
use helm::{Capabilities, CompiledChart, Host, Release, RenderInput, RenderOptions, Rendered};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use tokio::sync::oneshot;

use super::identity::Digest;

/// Address space for a render's stack: the engine's own limits on recursion fit in it with room to spare.
const STACK: usize = 256 * 1024 * 1024;

/// What makes random and time functions answer the same on every render of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seed {
    /// The key of the random stream.
    pub(crate) key: [u8; 32],
    /// The time, in Unix seconds.
    pub(crate) epoch: i64,
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
}

/// What a render gave.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) rendered: Rendered,
    /// Of the manifests' and hooks' text.
    pub(crate) digest: Digest,
    /// What `lookup` was asked, in order, each once.
    pub(crate) lookups: Vec<Lookup>,
}

/// A question of `lookup` and the digest of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lookup {
    pub(crate) api_version: Box<str>,
    pub(crate) kind: Box<str>,
    pub(crate) namespace: Box<str>,
    pub(crate) name: Box<str>,
    pub(crate) answer: Digest,
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

type Reply = oneshot::Sender<Result<Output, RenderError>>;

/// Threads that render.
#[derive(Clone)]
pub(crate) struct Renderer {
    jobs: Sender<(Job, Reply)>,
}

impl Renderer {
    /// Starts the threads; they end when the last clone is dropped.
    pub(crate) fn start(threads: usize) -> std::io::Result<Self> {
        let (jobs, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..threads.max(1) {
            let waiting = waiting.clone();
            std::thread::Builder::new()
                .name("render".into())
                .stack_size(STACK)
                .spawn(move || work(&waiting))?;
        }
        Ok(Self { jobs })
    }

    /// Renders.
    pub(crate) async fn render(&self, job: Job) -> Result<Output, RenderError> {
        let (reply, answer) = oneshot::channel();
        let gone = || RenderError::Engine("its threads are gone".into());
        self.jobs.send((job, reply)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

fn work(waiting: &Mutex<Receiver<(Job, Reply)>>) {
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((job, reply)) = next else { return };
        let result = catch_unwind(AssertUnwindSafe(|| render(&job)))
            .unwrap_or_else(|panic| Err(RenderError::Engine(panic_text(panic.as_ref()))));
        // Nobody may be waiting any more.
        let _ = reply.send(result);
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("for an unknown reason").to_owned()
}

fn render(job: &Job) -> Result<Output, RenderError> {
    let host = SeededHost::new(job.outside.as_ref());
    let rendered = job.chart.render(&RenderInput {
        values: &job.values,
        release: job.release.clone(),
        capabilities: &job.capabilities,
        host: &host,
        options: RenderOptions::default(),
    });
    // A failure outside makes whatever came of it worthless, and explains an error better than the template's own.
    if let Some(why) = host.failed.into_inner() {
        return Err(RenderError::Outside(why));
    }
    let rendered = rendered.map_err(RenderError::Chart)?;
    Ok(Output { digest: digest(&rendered), lookups: host.lookups.into_inner(), rendered })
}

fn digest(rendered: &Rendered) -> Digest {
    let manifests = rendered.manifests.iter().flat_map(|manifest| [&manifest.path, &manifest.content]);
    let hooks = rendered.hooks.iter().flat_map(|hook| [&hook.path, &hook.manifest]);
    Digest::of(manifests.chain(hooks).map(String::as_bytes))
}

struct SeededHost<'a> {
    outside: &'a dyn Outside,
    seed: Cell<Option<Seed>>,
    stream: RefCell<Option<ChaCha20Rng>>,
    lookups: RefCell<Vec<Lookup>>,
    failed: RefCell<Option<String>>,
}

impl<'a> SeededHost<'a> {
    fn new(outside: &'a dyn Outside) -> Self {
        Self {
            outside,
            seed: Cell::new(None),
            stream: RefCell::new(None),
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
            Seed { key: [0; 32], epoch: 0 }
        });
        self.seed.set(Some(seed));
        seed
    }
}

impl Host for SeededHost<'_> {
    fn now(&self) -> (i64, u32) {
        (self.seed().epoch, 0)
    }

    fn random(&self, buffer: &mut [u8]) {
        let key = self.seed().key;
        self.stream.borrow_mut().get_or_insert_with(|| ChaCha20Rng::from_seed(key)).fill_bytes(buffer);
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
            answer: Digest::of([format!("{answer:?}")]),
        };
        let mut lookups = self.lookups.borrow_mut();
        if !lookups.contains(&lookup) {
            lookups.push(lookup);
        }
        Ok(answer.thaw())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(Result<Seed, String>);

    impl Outside for Fixed {
        fn seed(&self) -> Result<Seed, String> {
            self.0.clone()
        }

        fn lookup(&self, _: &str, kind: &str, _: &str, _: &str) -> Result<Frozen, String> {
            Ok(Frozen::String(kind.into()))
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_values() {
        let draw = |key| {
            let outside = Fixed(Ok(Seed { key: [key; 32], epoch: 7 }));
            let host = SeededHost::new(&outside);
            let mut bytes = [0; 16];
            host.random(&mut bytes);
            host.random(&mut bytes);
            assert_eq!(host.now(), (7, 0));
            bytes
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn lookups_are_noted_once() {
        let outside = Fixed(Err("unused".into()));
        let host = SeededHost::new(&outside);
        let args: Vec<_> = ["v1", "Secret", "ns", "s"].into_iter().map(Value::string).collect();
        for _ in 0..2 {
            assert_eq!(host.query("lookup", &args).unwrap().as_str().unwrap().to_lossy(), "Secret");
        }
        assert_eq!(host.lookups.borrow().len(), 1);
        assert!(host.failed.borrow().is_none());
    }

    #[test]
    fn a_seed_that_cannot_be_had_is_remembered() {
        let outside = Fixed(Err("forbidden".into()));
        let host = SeededHost::new(&outside);
        host.random(&mut [0; 4]);
        assert_eq!(host.failed.into_inner().as_deref(), Some("forbidden"));
    }
}
