//! How much one render may take: charts are other people's programs.

use std::time::{Duration, Instant};

use clap::Args;
use gostd::Value;
use helm::{Host, Issue, RenderOptions, Site};

use crate::watches::go_duration;

/// Address space for the stack of each thread, those that render aside. Documents and values may nest 10,000 levels deep,
/// and what reads, compares and writes them recurses; what is not touched costs nothing.
pub(crate) const STACK: usize = 64 * 1024 * 1024;

/// How much of a stack nested `include` and `tpl` may take: more than 1,000 of one name need, where Helm ends them.
const NESTING: usize = STACK / 2;

/// Bounds on one render, each with an error that names it. The defaults are more than ten times what any known chart needs.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
#[command(next_help_heading = "Limits of one render")]
pub(crate) struct RenderLimits {
    /// Steps that templates may take (a round of a loop is a few)
    #[arg(long, env = "MAX_RENDER_STEPS", value_name = "N", default_value_t = RenderOptions::default().steps)]
    max_render_steps: u64,
    /// Bytes that templates may print
    #[arg(long, env = "MAX_RENDER_OUTPUT", value_name = "BYTES", default_value_t = RenderOptions::default().output)]
    max_render_output: usize,
    /// How long templates may take, as 30s or 1m
    #[arg(long, env = "MAX_RENDER_TIME", value_name = "DURATION", default_value = "2m", value_parser = go_duration)]
    max_render_time: Duration,
}

impl Default for RenderLimits {
    fn default() -> Self {
        let RenderOptions { steps, output, .. } = RenderOptions::default();
        Self { max_render_steps: steps, max_render_output: output, max_render_time: Duration::from_secs(120) }
    }
}

impl RenderLimits {
    #[cfg(test)]
    pub(crate) fn within(time: Duration, steps: u64) -> Self {
        Self { max_render_time: time, max_render_steps: steps, ..Self::default() }
    }

    /// Returns the options of a render within these bounds.
    pub(crate) fn options(self) -> RenderOptions {
        RenderOptions {
            steps: self.max_render_steps,
            output: self.max_render_output,
            stack: NESTING,
            ..RenderOptions::default()
        }
    }

    /// Lets a host stop what takes too long from now on.
    pub(crate) fn timed(self, host: &dyn Host) -> Timed<'_> {
        Timed { host, end: Instant::now().checked_add(self.max_render_time) }
    }
}

/// A host whose patience ends.
pub(crate) struct Timed<'a> {
    host: &'a dyn Host,
    /// `None` for a time too far away to say.
    end: Option<Instant>,
}

impl Host for Timed<'_> {
    fn now(&self) -> (i64, u32) {
        self.host.now()
    }

    fn random(&self, site: &Site<'_>, buffer: &mut [u8]) {
        self.host.random(site, buffer);
    }

    fn issue(&self, lifetime: i64) -> Issue {
        self.host.issue(lifetime)
    }

    fn local_zone(&self) -> &str {
        self.host.local_zone()
    }

    fn query(&self, function: &str, args: &[Value]) -> Result<Value, String> {
        self.host.query(function, args)
    }

    fn interrupted(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end) || self.host.interrupted()
    }
}
