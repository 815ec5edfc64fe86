//! Charts that change on disk while the operator runs: a volume that is written anew, a folder that somebody works in.
//!
//! A thread of its own looks at the files of all charts now and then, by their sizes and times only. A chart that changed, and
//! has stayed as it is since the last look, is loaded; one that lacks files it had must have stayed so for longer, for whoever
//! copies a chart takes the one before away first, and a chart without its templates is a chart all the same. If it can be used it takes the place of the one from before, as after a
//! start with it: the type is brought up to date, and resources move to it at the pace that is set. If it cannot, that is told
//! and the one from before stays in use.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs::{Metadata, read_dir};
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::charts::{ChartError, Charts};
use crate::cluster::events::Severity;
use crate::crd::{Until, api, bring_up_to_date};
use crate::kind::{Kind, controller_name};
use crate::limits::STACK;
use crate::operator::{Crew, Error};
use crate::reconcile::error::UNUSABLE;
use crate::settings::Watch;

/// The pause between two looks, and the longest where looks take long.
const PAUSE: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(30));
/// The pause is at least as many times as long as a look takes.
const PAUSE_FACTOR: u32 = 2000;
/// How long a chart that lacks files it had must stay as it is.
const REST: Duration = Duration::from_secs(20);
/// More files than any chart has, and more levels: what is beyond is not looked at.
const MOST_FILES: usize = 20_000;
const MOST_LEVELS: usize = 24;

/// How the files at a path are, by their names, sizes and times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    /// Of each file and folder a digest of its path and one of how it is, in order.
    marks: Vec<(u64, u64)>,
}

impl Fingerprint {
    /// Looks at a file, or at everything in a folder. Links count as what they lead to, for volumes of Kubernetes are changed
    /// by links.
    pub(crate) fn of(path: &Path) -> Self {
        let mut waiting = vec![(path.to_owned(), 0)];
        let mut marks = Vec::new();
        while let Some((path, level)) = waiting.pop() {
            let info = path.metadata();
            marks.push((digest(&path), mark(info.as_ref().map_err(io::Error::kind))));
            if marks.len() >= MOST_FILES || level >= MOST_LEVELS || !info.is_ok_and(|info| info.is_dir()) {
                continue;
            }
            let entries = read_dir(&path).into_iter().flatten().flatten();
            let entries = entries.filter(|entry| !is_passed_over(&entry.file_name()));
            waiting.extend(entries.map(|entry| (entry.path(), level + 1)));
        }
        // Folders are listed in no order.
        marks.sort_unstable();
        Self { marks }
    }

    /// Whether a file or folder is not here that is in another.
    fn lacks_any_of(&self, other: &Self) -> bool {
        let is_here = |path: &u64| self.marks.binary_search_by_key(path, |(path, _)| *path).is_ok();
        !other.marks.iter().all(|(path, _)| is_here(path))
    }
}

/// What version control keeps for itself changes whenever somebody asks it something; volumes of Kubernetes have their files
/// in folders whose names change, with links to them.
fn is_passed_over(name: &OsStr) -> bool {
    name == ".git" || name.as_encoded_bytes().starts_with(b"..")
}

fn mark(info: Result<&Metadata, io::ErrorKind>) -> u64 {
    digest(info.map(|info| {
        (info.is_dir(), info.len(), info.mtime(), info.mtime_nsec(), info.ctime(), info.ctime_nsec())
    }))
}

fn digest(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// What became of a chart that changed.
type News = Result<Charts, ChartError>;

/// One chart that is looked after.
struct Place {
    path: PathBuf,
    /// As it was when it was loaded last.
    taken: Fingerprint,
    /// As it was at the last look, and since when.
    last: Fingerprint,
    since: Instant,
    news: UnboundedSender<News>,
}

impl Place {
    /// Looks, and loads what has changed and has come to rest.
    fn look(&mut self, now: Instant) -> Option<News> {
        let seen = Fingerprint::of(&self.path);
        if seen != self.last {
            self.last = seen;
            self.since = now;
            return None;
        }
        if seen == self.taken || (seen.lacks_any_of(&self.taken) && now.duration_since(self.since) < REST) {
            return None;
        }
        self.taken = seen;
        Some(Charts::load(&self.path))
    }
}

/// Looks after charts, each as it was when it was loaded; whoever drops what is returned ends it.
///
/// # Errors
/// When there can be no further thread.
pub(crate) fn look_after(charts: Vec<(PathBuf, Fingerprint)>) -> io::Result<Vec<UnboundedReceiver<News>>> {
    let (mut places, mut told) = (Vec::new(), Vec::new());
    for (path, taken) in charts {
        let (news, receiver) = unbounded_channel();
        places.push(Place { path, last: taken.clone(), taken, since: Instant::now(), news });
        told.push(receiver);
    }
    std::thread::Builder::new().name("charts".into()).stack_size(STACK).spawn(move || run(places))?;
    Ok(told)
}

fn run(mut places: Vec<Place>) {
    let mut pause = PAUSE.0;
    loop {
        std::thread::sleep(pause);
        let mut took = Duration::ZERO;
        for place in &mut places {
            let began = Instant::now();
            match place.look(began) {
                None => took += began.elapsed(),
                // Loading is no looking. Who does not listen any more is seen below.
                Some(news) => _ = place.news.send(news),
            }
            if place.news.is_closed() {
                return;
            }
        }
        pause = (took * PAUSE_FACTOR).clamp(PAUSE.0, PAUSE.1);
    }
}

impl Crew<'_> {
    /// Follows what becomes of a kind's chart; ends when there will be no more news.
    pub(crate) async fn follow(&self, watch: &Watch, kind: Arc<Kind>, mut news: UnboundedReceiver<News>) {
        while let Some(mut latest) = news.recv().await {
            while let Ok(later) = news.try_recv() {
                latest = later;
            }
            let result = match latest {
                Ok(charts) => self.replace(watch, &kind, charts).await,
                Err(error) => Err(error.into()),
            };
            self.shared.metrics.chart_changed(&controller_name(watch), result.is_ok());
            let Err(error) = result else { continue };
            if kind.controller().charts.why_unusable().is_none() {
                refuse(watch, &kind, &error);
                continue;
            }
            tracing::error!(kind = %watch.names.kind, %error, "The kind is still not served");
            if let Ok(charts) = Charts::unusable(&error.to_string()) {
                kind.turn_to(charts, None);
            }
        }
    }

    /// Has a kind served with other charts.
    async fn replace(&self, watch: &Watch, kind: &Kind, charts: Charts) -> Result<(), Error> {
        let before = kind.controller().charts.clone();
        if !charts.differ(&before) {
            tracing::info!(kind = %watch.names.kind, chart = charts.newest().title(), "The chart on disk is the one in use");
            return Ok(());
        }
        let typed = api(watch, charts.newest().chart()).map_err(crate::crd::RegisterError::from)?;
        let (client, namespaces) = (&self.shared.client, &self.settings.watch_namespaces);
        let registered = bring_up_to_date(client, watch, namespaces, || charts.clone(), Until::Answered);
        if let Err(error) = registered.await {
            // The chart serves those resources that it can, as after a start.
            tracing::error!(crd = %watch.crd_name(), %error, "The type stays as it is");
        }
        let (title, versions) = (charts.newest().title(), charts.versions());
        kind.turn_to(charts, typed.replicas);
        if before.why_unusable().is_some() {
            tracing::info!(kind = %watch.names.kind, chart = title, versions, "The chart was mended on disk: the kind is served");
            self.kinds.tell_mended();
        } else {
            let before = before.newest().title();
            tracing::info!(kind = %watch.names.kind, chart = title, versions, before, "The chart changed on disk");
        }
        Ok(())
    }
}

/// Tells that a chart on disk cannot be used; what runs is left alone.
fn refuse(watch: &Watch, kind: &Kind, error: &Error) {
    let controller = kind.controller();
    let chart = controller.charts.newest().title();
    tracing::error!(kind = %watch.names.kind, %error, in_use = chart, "The chart on disk cannot be used");
    let note = format!("the chart changed on disk and cannot be used; {chart} stays in use: {error}");
    for instance in controller.instances.all() {
        controller.events.tell(&instance, Severity::Warning, "Reload", UNUSABLE, &note);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder with a chart; it goes when dropped.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder =
                std::env::temp_dir().join(format!("chartwright-reload-{name}-{}", std::process::id()));
            fs::create_dir_all(folder.join("one/templates")).unwrap();
            let folder = Self(folder);
            folder.write("one/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
            folder
        }

        fn write(&self, file: &str, text: &str) {
            fs::write(self.0.join(file), text).unwrap();
        }

        fn place(&self) -> Place {
            let path = self.0.join("one");
            let taken = Fingerprint::of(&path);
            Place { path, last: taken.clone(), taken, since: Instant::now(), news: unbounded_channel().0 }
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_change_is_seen_and_a_look_is_none() {
        let folder = Folder::new("seen");
        let look = || Fingerprint::of(&folder.0);
        let mut before = look();
        assert_eq!(before, look());
        let mut changes = |what: &str, now: Fingerprint| {
            assert_ne!(before, now, "{what}");
            before = now;
        };
        folder.write("one/templates/cm.yaml", "a: b");
        changes("a new file", look());
        folder.write("one/templates/cm.yaml", "a: c");
        changes("as many bytes", look());
        fs::rename(folder.0.join("one/templates/cm.yaml"), folder.0.join("one/templates/other.yaml"))
            .unwrap();
        changes("another name", look());
        // As the volumes of Kubernetes are changed.
        fs::rename(folder.0.join("one"), folder.0.join("two")).unwrap();
        std::os::unix::fs::symlink("two", folder.0.join("one")).unwrap();
        changes("a link", look());
        // A folder within itself.
        std::os::unix::fs::symlink("..", folder.0.join("two/up")).unwrap();
        changes("a loop", look());
        fs::remove_dir_all(&folder.0).unwrap();
        changes("nothing there", look());
        let folder = Folder::new("seen");
        let before = Fingerprint::of(&folder.0);
        fs::create_dir(folder.0.join(".git")).unwrap();
        fs::write(folder.0.join(".git/index"), "x").unwrap();
        let with_git = Fingerprint::of(&folder.0);
        fs::write(folder.0.join(".git/index"), "xyz").unwrap();
        assert_ne!(before, with_git, "the folder has changed");
        assert_eq!(Fingerprint::of(&folder.0), with_git);
    }

    #[test]
    fn a_chart_is_loaded_once_when_it_has_come_to_rest() {
        let folder = Folder::new("rest");
        let mut place = folder.place();
        assert!(place.look(Instant::now()).is_none(), "nothing has changed");
        folder.write("one/templates/cm.yaml", "{{ nosuch }}");
        assert!(place.look(Instant::now()).is_none(), "it may still be written");
        folder.write("one/templates/cm.yaml", "{{ if }}");
        assert!(place.look(Instant::now()).is_none(), "it was");
        let why = place.look(Instant::now()).unwrap().err().unwrap().to_string();
        assert!(why.contains("templates/cm.yaml:1"), "{why}");
        assert!(place.look(Instant::now()).is_none(), "told once");
        folder.write("one/templates/cm.yaml", "a: b");
        assert!(place.look(Instant::now()).is_none());
        assert!(place.look(Instant::now()).unwrap().is_ok());
        assert!(place.look(Instant::now()).is_none());
    }

    #[test]
    fn a_chart_that_lacks_files_it_had_rests_for_longer() {
        let folder = Folder::new("copy");
        folder.write("one/templates/cm.yaml", "a: b");
        let mut place = folder.place();
        fs::remove_dir_all(folder.0.join("one/templates")).unwrap();
        let began = Instant::now();
        let mut looks = |after: Duration| place.look(began + after).is_some();
        assert!(!looks(Duration::ZERO) && !looks(REST / 2), "the rest may still come");
        fs::create_dir_all(folder.0.join("one/templates")).unwrap();
        folder.write("one/templates/cm.yaml", "a: c");
        assert!(!looks(REST / 2) && looks(REST / 2), "it has come");
        fs::remove_file(folder.0.join("one/templates/cm.yaml")).unwrap();
        assert!(!looks(REST) && !looks(REST + REST / 2) && looks(REST * 2), "it has gone for good");
        // The copy has got as far as other files, and more of them than there were.
        fs::remove_dir_all(folder.0.join("one/templates")).unwrap();
        for name in ["a", "b", "c"] {
            folder.write(&format!("one/{name}.yaml"), "a: b");
        }
        assert!(
            !looks(REST * 3) && !looks(REST * 3 + REST / 2) && looks(REST * 4),
            "the rest may still come"
        );
    }

    #[test]
    fn a_volume_that_is_written_anew_lacks_nothing() {
        let folder = Folder::new("volume");
        let turn_to = |name: &str, text: &str| {
            fs::create_dir(folder.0.join(name)).unwrap();
            folder.write(&format!("{name}/Chart.yaml"), text);
            let _ = fs::remove_file(folder.0.join("..data"));
            std::os::unix::fs::symlink(name, folder.0.join("..data")).unwrap();
        };
        turn_to("..1", "name: web");
        std::os::unix::fs::symlink("..data/Chart.yaml", folder.0.join("Chart.yaml")).unwrap();
        let before = Fingerprint::of(&folder.0);
        turn_to("..2", "name: other");
        fs::remove_dir_all(folder.0.join("..1")).unwrap();
        let now = Fingerprint::of(&folder.0);
        assert!(now != before && !now.lacks_any_of(&before));
        fs::remove_file(folder.0.join("Chart.yaml")).unwrap();
        assert!(Fingerprint::of(&folder.0).lacks_any_of(&now));
    }
}
