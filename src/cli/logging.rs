//! Log lines: how many, and how they look. controller-runtime's `--zap-*` flags are understood as ours.

use std::fmt;
use std::io::IsTerminal as _;

use clap::{Args, ValueEnum};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::prelude::*;

use super::CliError;
use super::flags::go_bool;

/// Flags about logs.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct LogArgs {
    /// How much is logged: error, warn, info, debug or trace, or directives such as info,kube=debug
    #[arg(long, env = "LOG_LEVEL", value_name = "LEVEL", default_value = "info")]
    log_level: String,
    /// How log lines look [default: text on a terminal, else json]
    #[arg(long, env = "LOG_FORMAT", value_name = "FORMAT")]
    log_format: Option<LogFormat>,
    /// operator-sdk's name of --log-level: debug, info, error, panic, or a number from 1 (debug) up
    #[arg(long, value_name = "LEVEL", value_parser = zap_level, help_heading = ZAP)]
    zap_log_level: Option<&'static str>,
    /// operator-sdk's name of --log-format: json or console
    #[arg(long, value_name = "FORMAT", help_heading = ZAP)]
    zap_encoder: Option<LogFormat>,
    /// Log as for development: text, debug
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
          value_parser = go_bool, help_heading = ZAP)]
    zap_devel: Option<bool>,
    /// How times are written: epoch, millis, nano, iso8601, rfc3339 or rfc3339nano
    #[arg(long, value_name = "FORMAT", ignore_case = true, help_heading = ZAP)]
    zap_time_encoding: Option<TimeFormat>,
    /// Taken for compatibility; a cause is logged with every error, and stack traces are not
    #[arg(long, value_name = "LEVEL", value_parser = zap_level, help_heading = ZAP)]
    zap_stacktrace_level: Option<&'static str>,
}

const ZAP: &str = "Logging as operator-sdk's operators have it";

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// One JSON object a line.
    Json,
    /// For people.
    #[value(alias = "console")]
    Text,
}

/// How times are written; the words are zap's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum TimeFormat {
    /// Seconds since 1970.
    Epoch,
    /// Milliseconds since 1970.
    Millis,
    /// Nanoseconds since 1970.
    Nano,
    /// With milliseconds.
    Iso8601,
    /// In seconds.
    Rfc3339,
    /// As exact as the clock is.
    #[default]
    Rfc3339nano,
}

impl TimeFormat {
    fn text(self, now: jiff::Timestamp) -> String {
        match self {
            TimeFormat::Epoch => format!("{}.{:06}", now.as_second(), now.subsec_microsecond()),
            TimeFormat::Millis => now.as_millisecond().to_string(),
            TimeFormat::Nano => now.as_nanosecond().to_string(),
            TimeFormat::Iso8601 => now.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string(),
            TimeFormat::Rfc3339 => now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            TimeFormat::Rfc3339nano => now.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string(),
        }
    }
}

impl FormatTime for TimeFormat {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        writer.write_str(&self.text(jiff::Timestamp::now()))
    }
}

/// What the flags come to.
#[derive(Debug, PartialEq, Eq)]
struct Choice<'a> {
    level: &'a str,
    format: LogFormat,
    time: TimeFormat,
}

impl LogArgs {
    fn choice(&self, terminal: bool) -> Choice<'_> {
        let development = self.zap_devel == Some(true);
        let level = match self.zap_log_level {
            Some(level) => level,
            None if development => "debug",
            None => &self.log_level,
        };
        let text = development || terminal;
        let format = self.zap_encoder.or(self.log_format);
        Choice {
            level,
            format: format.unwrap_or(if text { LogFormat::Text } else { LogFormat::Json }),
            time: self.zap_time_encoding.unwrap_or_default(),
        }
    }

    /// Starts logging to standard error.
    ///
    /// # Errors
    /// When the level is not understood.
    pub(crate) fn start(&self) -> Result<(), CliError> {
        let terminal = std::io::stderr().is_terminal();
        let Choice { level, format, time } = self.choice(terminal);
        // A word alone would be taken for the name of a module, and silence everything.
        if !level.contains(['=', ',']) && level.parse::<tracing::level_filters::LevelFilter>().is_err() {
            return Err(CliError::Usage(format!(
                "--log-level {level:?} is not understood: write error, warn, info, debug, trace, or MODULE=LEVEL"
            )));
        }
        // The watcher logs every interruption as a warning; the operator logs those that matter, with their cause.
        let targets: Targets = format!("{level},kube_runtime::watcher=error")
            .parse()
            .map_err(|error| CliError::Usage(format!("--log-level {level:?} is not understood: {error}")))?;
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            .with_target(false)
            .with_ansi(terminal)
            .with_timer(time);
        let all = tracing_subscriber::registry().with(targets);
        let started = match format {
            LogFormat::Json => all.with(lines.json().flatten_event(true).with_current_span(false)).try_init(),
            LogFormat::Text => all.with(lines).try_init(),
        };
        started.map_err(|error| CliError::Usage(format!("cannot start logging: {error}")))
    }
}

/// zap's levels are words, or numbers that grow with the detail.
fn zap_level(text: &str) -> Result<&'static str, String> {
    match text.to_ascii_lowercase().as_str() {
        "debug" | "1" => Ok("debug"),
        "info" | "0" => Ok("info"),
        "warn" | "warning" => Ok("warn"),
        "error" | "dpanic" | "panic" | "fatal" => Ok("error"),
        number if number.parse::<u8>().is_ok() => Ok("trace"),
        _ => Err("write debug, info, error, panic, or a number from 1 (debug) up".into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: LogArgs,
    }

    #[test]
    fn a_level_that_is_none_is_told() {
        let program = Program::try_parse_from(["run", "--log-level", "debgu"]).unwrap();
        let error = program.args.start().unwrap_err().to_string();
        assert!(error.contains("--log-level \"debgu\"") && error.contains("MODULE=LEVEL"), "{error}");
    }

    fn choose(args: &[&str]) -> (String, LogFormat, TimeFormat) {
        let program = Program::try_parse_from(std::iter::once(&"run").chain(args));
        let args = program.unwrap_or_else(|error| panic!("{error}")).args;
        let choice = args.choice(false);
        (choice.level.to_owned(), choice.format, choice.time)
    }

    #[test]
    fn zaps_flags_are_ours_by_other_names() {
        let level = |args: &[&str]| choose(args).0;
        assert_eq!(choose(&[]), ("info".into(), LogFormat::Json, TimeFormat::Rfc3339nano));
        assert_eq!(choose(&["--zap-devel"]), ("debug".into(), LogFormat::Text, TimeFormat::Rfc3339nano));
        assert_eq!(choose(&["--zap-devel=false"]).1, LogFormat::Json);
        assert_eq!(choose(&["--zap-encoder=console", "--zap-time-encoding=rfc3339"]).2, TimeFormat::Rfc3339);
        assert_eq!(choose(&["--zap-encoder", "console"]).1, LogFormat::Text);
        assert_eq!(level(&["--zap-log-level=error"]), "error");
        assert_eq!(level(&["--zap-devel", "--zap-log-level=info"]), "info");
        assert_eq!(level(&["--zap-log-level=5", "--zap-stacktrace-level=panic"]), "trace");
        assert_eq!(level(&["--log-level=warn"]), "warn");
        assert!(Program::try_parse_from(["run", "--zap-log-level=loud"]).is_err());
    }

    #[test]
    fn times_are_written_as_zap_writes_them() {
        let now = jiff::Timestamp::new(1_767_323_045, 123_456_789).unwrap();
        for (format, text) in [
            (TimeFormat::Epoch, "1767323045.123456"),
            (TimeFormat::Millis, "1767323045123"),
            (TimeFormat::Nano, "1767323045123456789"),
            (TimeFormat::Iso8601, "2026-01-02T03:04:05.123Z"),
            (TimeFormat::Rfc3339, "2026-01-02T03:04:05Z"),
            (TimeFormat::Rfc3339nano, "2026-01-02T03:04:05.123456Z"),
        ] {
            assert_eq!(format.text(now), text);
        }
    }
}
