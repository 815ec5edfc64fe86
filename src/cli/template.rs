//! `chartwright template`: what `helm template` prints, from values or from a custom resource.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use gostd::value::Frozen;
use gostd::{Map, Value};
use helm::output::{OutputError, Part, TemplateOutput, as_rendered};
use helm::{
    Capabilities, Chart, CompiledChart, Host, KubeVersion, Release, RenderInput, RenderOptions, Rendered,
};

use super::flags::go_flag;
use super::ignored::IgnoredArgs;
use super::resource::{ResourceFile, unusable};
use super::values::ValuesArgs;
use super::{CliError, hint, print};
use crate::convert::from_json;
use crate::limits::RenderLimits;

/// Flags of `chartwright template`; names, defaults and meaning are those of `helm template`.
#[derive(Args, Debug)]
#[command(disable_version_flag = true, args_override_self = true, mut_args = go_flag)]
pub(crate) struct TemplateArgs {
    /// Name of the release, then the chart: a directory or a .tgz archive; without a name it is `release-name`, or that of
    /// the resource given by --cr
    #[arg(value_name = "[NAME] CHART", num_args = 1..=2, required = true)]
    name_and_chart: Vec<String>,
    #[command(flatten)]
    values: ValuesArgs,
    /// A custom resource whose spec is the values, under what -f and --set give
    #[arg(long, value_name = "FILE")]
    cr: Option<PathBuf>,
    /// Namespace of the release [default: that of the resource given by --cr, else default]
    #[arg(long, short, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// Print the files of crds/ too
    #[arg(long)]
    include_crds: bool,
    /// Render an upgrade in place of an install
    #[arg(long)]
    is_upgrade: bool,
    /// Kubernetes version for .Capabilities
    #[arg(long, value_name = "VERSION")]
    kube_version: Option<String>,
    /// Kubernetes version for .Capabilities as a server reports it, provider suffix included
    #[arg(long, value_name = "VERSION", conflicts_with = "kube_version")]
    server_version: Option<String>,
    /// More API versions for .Capabilities
    #[arg(long, short, value_name = "VERSIONS", value_delimiter = ',')]
    api_versions: Vec<String>,
    /// Print only what these templates render
    #[arg(long, short, value_name = "TEMPLATE")]
    show_only: Vec<String>,
    /// Leave hooks out
    #[arg(long)]
    no_hooks: bool,
    /// Leave test hooks out
    #[arg(long)]
    skip_tests: bool,
    /// Do not check values against values.schema.json
    #[arg(long)]
    skip_schema_validation: bool,
    /// Render the notes of subcharts too
    #[arg(long)]
    render_subchart_notes: bool,
    /// Let templates resolve host names
    #[arg(long)]
    enable_dns: bool,
    /// Write files below this folder instead of printing
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// With --output-dir: put the release's name between
    #[arg(long)]
    release_name: bool,
    /// Make up a name for the release
    #[arg(long, short)]
    generate_name: bool,
    /// A template for the release's name
    #[arg(long, value_name = "TEMPLATE")]
    name_template: Option<String>,
    /// Not built: pipe chartwright's output through the program instead
    #[arg(long, value_name = "PROGRAM", hide = true)]
    post_renderer: Option<String>,
    /// Not built either
    #[arg(long, value_name = "ARGUMENT", hide = true, allow_hyphen_values = true)]
    post_renderer_args: Vec<String>,
    /// Print what was rendered even where it is not YAML
    #[arg(long)]
    debug: bool,
    #[command(flatten)]
    limits: RenderLimits,
    #[command(flatten)]
    ignored: IgnoredArgs,
    /// Not built: nothing is asked of a cluster here
    #[arg(long, hide = true)]
    validate: bool,
}

/// Bytes that go to standard output at once; larger documents go there by themselves.
const PRINTED_AT_ONCE: usize = 64 << 10;

/// Renders and prints.
pub(crate) fn run(args: &TemplateArgs) -> Result<(), CliError> {
    refuse_what_is_not_built(args)?;
    let (name, path) = match args.name_and_chart.as_slice() {
        [chart] => (None, chart),
        [name, chart, ..] => (Some(name.as_str()), chart),
        [] => return Err(CliError::Usage("no chart given".into())),
    };
    let names = [("--generate-name", args.generate_name), ("--name-template", args.name_template.is_some())];
    if let (Some(_), Some((flag, _))) = (name, names.iter().find(|(_, given)| *given)) {
        return Err(CliError::Usage(format!("cannot set {flag} and also specify a name")));
    }
    let resource = args.cr.as_deref().map(ResourceFile::read).transpose()?;
    let values = match (&resource, &args.cr) {
        (Some(resource), Some(path)) => args.values.read_over(&spec(resource, path)?)?,
        _ => args.values.read()?,
    };
    // Helm's messages name a chart that is there by its whole path.
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.into());
    refuse_addresses(path)?;
    let chart = Chart::load_path(whole).map_err(|error| not_found(path, error))?;
    let release = release(args, name, &chart, resource.as_ref())?;
    let rendered = render(args, chart, &values, &release)?;
    match args.output_dir.as_deref().filter(|dir| !dir.as_os_str().is_empty()) {
        None => {
            // Standard output alone would pass every line on by itself.
            let mut out = std::io::BufWriter::with_capacity(PRINTED_AT_ONCE, std::io::stdout().lock());
            rendered.write_output(&args.output(), &mut out).map_err(|error| match error {
                OutputError::Helm(error) => CliError::Helm(error),
                OutputError::Write(error) => CliError::Output(error),
            })?;
            out.flush().map_err(CliError::Output)
        }
        Some(dir) => write_files(args, dir, &rendered, &release.name),
    }
}

impl TemplateArgs {
    fn output(&self) -> TemplateOutput {
        TemplateOutput {
            include_crds: self.include_crds,
            no_hooks: self.no_hooks,
            skip_tests: self.skip_tests,
            show_only: self.show_only.clone(),
        }
    }
}

fn refuse_what_is_not_built(args: &TemplateArgs) -> Result<(), CliError> {
    if args.post_renderer.is_some() || !args.post_renderer_args.is_empty() {
        return Err(CliError::Usage(
            "--post-renderer is not supported: pipe the output through the program, or render with helm"
                .into(),
        ));
    }
    if args.validate {
        return Err(CliError::Usage(
            "--validate is not supported: `chartwright template` asks nothing of a cluster; pipe the output to \
             `kubectl apply --dry-run=server -f -`"
                .into(),
        ));
    }
    args.ignored.refuse_what_is_not_built()
}

/// Helm would fetch a chart by such a name.
fn refuse_addresses(path: &str) -> Result<(), CliError> {
    match ["oci://", "http://", "https://"].iter().any(|scheme| path.starts_with(scheme)) {
        false => Ok(()),
        true => Err(CliError::Usage(format!(
            "cannot fetch {path}: charts are read from disk; fetch it with `helm pull {path}` first, and give the archive"
        ))),
    }
}

fn not_found(path: &str, error: helm::Error) -> helm::Error {
    if Path::new(path).exists() {
        // What serves a kind may be a folder of versions; Helm knows no such thing.
        if crate::charts::open(Path::new(path)).is_ok() {
            hint(&format!("{path} holds versions of a chart: give one of them"));
        }
        return error;
    }
    // Helm would look for a repository of that name now; charts come from disk here.
    helm::Error::Chart(format!("path {path:?} not found"))
}

fn release(
    args: &TemplateArgs,
    name: Option<&str>,
    chart: &Chart,
    resource: Option<&ResourceFile>,
) -> Result<Release, CliError> {
    let name = match (name, &args.name_template) {
        (Some(name), _) => name.to_owned(),
        (None, Some(template)) => helm::render_text("name-template", template, &SystemHost)?,
        (None, None) if args.generate_name => format!("{}-{}", chart.name(), SystemHost.now().0),
        (None, None) => resource.map_or_else(|| "release-name".to_owned(), |resource| resource.name.clone()),
    };
    let of_resource = resource.and_then(|resource| resource.namespace.clone());
    let namespace = args.namespace.clone().or(of_resource).unwrap_or_else(|| "default".to_owned());
    Ok(Release { name, namespace, revision: 1, is_upgrade: args.is_upgrade })
}

fn render(
    args: &TemplateArgs,
    chart: Chart,
    values: &Frozen,
    release: &Release,
) -> Result<Rendered, CliError> {
    let mut capabilities = Capabilities::default();
    // Scripts give an empty flag for none.
    if let Some(version) = args.kube_version.as_ref().filter(|version| !version.is_empty()) {
        let version = KubeVersion::parse(version)
            .map_err(|reason| CliError::Usage(format!("invalid kube version '{version}': {reason}")))?;
        capabilities = capabilities.with_kube_version(version);
    }
    if let Some(version) = &args.server_version {
        let numbers = KubeVersion::parse(version)
            .map_err(|reason| CliError::Usage(format!("invalid server version '{version}': {reason}")))?;
        capabilities = capabilities.with_kube_version(KubeVersion { version: version.clone(), ..numbers });
    }
    let capabilities = capabilities.with_api_versions(args.api_versions.iter().cloned());
    let chart = CompiledChart::without_missing(chart)?;
    chart.warnings().iter().for_each(|warning| warn(warning));
    chart.check_dependencies()?;
    helm::check_release_name(&release.name)?;
    let host = args.limits.timed(&SystemHost);
    let input = RenderInput {
        values,
        release: release.clone(),
        capabilities: &capabilities,
        host: &host,
        options: RenderOptions {
            skip_schema_validation: args.skip_schema_validation,
            render_subchart_notes: args.render_subchart_notes,
            enable_dns: args.enable_dns,
            ..args.limits.options()
        },
    };
    let mut warnings = Vec::new();
    let rendered = chart.render_logged(&input, &mut warnings);
    warnings.iter().for_each(|warning| warn(warning));
    match rendered {
        Err(error) if args.debug && error.is_render_error() => {
            let is_text = matches!(error, helm::Error::Manifest { .. });
            let files = if is_text { chart.render_files(&input)? } else { Vec::new() };
            print(as_rendered(&files, &args.output())?)?;
            Err(CliError::Shown(error))
        }
        result => Ok(result?),
    }
}

/// Writes each document to the file of its template, as Helm does: documents of one template share a file, and hooks are
/// appended to a file that is there. Definitions of `crds/` are never put below the release's name.
fn write_files(args: &TemplateArgs, dir: &Path, rendered: &Rendered, name: &str) -> Result<(), CliError> {
    let below = if args.release_name { dir.join(name) } else { dir.to_owned() };
    let mut started = std::collections::BTreeSet::new();
    for document in rendered.documents(&args.output()) {
        if document.path.split('/').any(|part| part == "..") || document.path.starts_with('/') {
            let (path, dir) = (document.path, dir.display());
            return Err(CliError::Usage(format!("a template is named {path:?}, which leads out of {dir}")));
        }
        let path = if document.part == Part::Crd { dir } else { &below }.join(document.path);
        let failed = |error| CliError::Write { path: path.clone(), error };
        std::fs::create_dir_all(path.parent().unwrap_or(dir)).map_err(failed)?;
        let append = !started.insert(path.clone()) || document.part == Part::Hook;
        let file = std::fs::OpenOptions::new()
            .create(true)
            .write(true)
            .append(append)
            .truncate(!append)
            .open(&path)
            .map_err(failed)?;
        let mut file = std::io::BufWriter::new(file);
        document.write(&mut file).and_then(|()| file.flush()).map_err(failed)?;
        print(format!("wrote {}\n", path.display()))?;
    }
    match args.show_only.first() {
        // Nothing is left to be shown.
        Some(pattern) => Err(helm::Error::NoSuchTemplate(pattern.clone()).into()),
        None => print("\n"),
    }
}

fn warn(text: &str) {
    // Warnings are for people; a closed standard error is no reason to stop.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Returns the values a custom resource gives.
fn spec(file: &ResourceFile, path: &Path) -> Result<Frozen, CliError> {
    match file.json.get("spec") {
        None | Some(serde_json::Value::Null) => Ok(Frozen::Map(Vec::new())),
        Some(spec) if spec.is_object() => Ok(from_json(spec)),
        Some(_) => Err(unusable(path, "its spec is no table of values")),
    }
}

/// The outside world of a command line: the real clock and real randomness, and no cluster.
#[derive(Debug)]
pub(crate) struct SystemHost;

impl Host for SystemHost {
    fn now(&self) -> (i64, u32) {
        let elapsed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        (i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX), elapsed.subsec_nanos())
    }

    fn random(&self, _: &helm::Site<'_>, buffer: &mut [u8]) {
        // The system's source does not fail once it is seeded; what it did not fill stays as it was.
        let _ = getrandom::fill(buffer);
    }

    fn local_zone(&self) -> &str {
        static ZONE: std::sync::OnceLock<String> = std::sync::OnceLock::new();
        ZONE.get_or_init(|| {
            std::env::var("TZ").ok().filter(|zone| !zone.is_empty()).unwrap_or_else(|| "UTC".into())
        })
    }

    fn query(&self, function: &str, args: &[Value]) -> Result<Value, String> {
        match (function, args) {
            ("getHostByName", [Value::String(name)]) => Ok(Value::from(resolve(&name.to_lossy()))),
            // Without a cluster, a look-up finds nothing.
            _ => Ok(Value::Map(Map::new())),
        }
    }
}

fn resolve(name: &str) -> String {
    use std::net::ToSocketAddrs as _;
    let found = (name, 0).to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    found.map_or_else(String::new, |address| address.ip().to_string())
}
