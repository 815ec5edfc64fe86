//! Which revision comes next, and what of it has to be written: decided from plain data.

use std::collections::{BTreeMap, BTreeSet};

use helm::{Hook, HookEvent};

use super::identity::ObjectId;
use super::objects::{Object, Objects};
use super::tracked::{Dependent, Expected};
use crate::release::{self, Entry, State};

/// The revision a deploy is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Revision {
    pub(crate) number: i64,
    /// Whether templates see an install.
    pub(crate) is_install: bool,
    /// Whether a record of that number is there already and is to be written over.
    pub(crate) recorded: bool,
    /// Whether an attempt at it was begun and neither failed nor came to its end.
    pub(crate) resumes: bool,
    /// The deployed revision it follows.
    pub(crate) follows: Option<i64>,
}

/// Chooses the revision to work towards.
///
/// A record left pending (a crash) or failed (by the same attempt, which is being repeated) is taken up again under its
/// number, so that repeated attempts do not fill the history.
pub(crate) fn next_revision(history: &[Entry], repeats_failure: bool) -> Revision {
    let deployed = release::deployed(history).map(|entry| entry.revision);
    let Some(last) = history.last() else {
        return Revision { number: 1, is_install: true, recorded: false, resumes: false, follows: None };
    };
    let takes_up = last.state.is_pending() || (last.state == State::Failed && repeats_failure);
    // A release whose every attempt failed, since Helm uninstalled it if it did, is not there yet.
    let is_end = |entry: &Entry| matches!(entry.state, State::Uninstalled | State::Uninstalling);
    let mut since = history.iter().rev().take_while(|entry| !is_end(entry));
    let is_install = deployed.is_none() && since.all(|entry| entry.state != State::Superseded);
    Revision {
        number: if takes_up { last.revision } else { last.revision.saturating_add(1) },
        is_install,
        recorded: takes_up,
        resumes: last.state.is_pending(),
        follows: deployed,
    }
}

/// Which records to delete so that, with one more written, no more than `keep` remain. The deployed one always stays.
pub(crate) fn surplus(history: &[Entry], keep: usize) -> Vec<&Entry> {
    let too_many = (history.len() + 1).saturating_sub(keep.max(1));
    history.iter().filter(|entry| entry.state != State::Deployed).take(too_many).collect()
}

/// The objects that must be sent: all whose content we did not send last, and all that are not as we left them.
pub(crate) fn to_write<'a>(
    objects: &'a Objects,
    before: &[Expected],
    observed: &BTreeMap<ObjectId, Dependent>,
) -> Vec<&'a Object> {
    let sent: BTreeMap<_, _> = before.iter().map(|one| (&one.id, one)).collect();
    let untouched = |object: &Object| {
        sent.get(&object.id).is_some_and(|before| {
            before.body == Some(object.digest)
                && observed.get(&object.id).is_some_and(|now| is_as_left(before, now))
        })
    };
    objects.list.iter().filter(|object| !untouched(object)).collect()
}

/// Whether an object still is the one we applied, with all our fields as we set them.
pub(crate) fn is_as_left(expected: &Expected, now: &Dependent) -> bool {
    now.uid == expected.uid && now.fields == expected.fields
}

/// What was there before and is not rendered any more.
pub(crate) fn dropped(objects: &Objects, before: impl IntoIterator<Item = ObjectId>) -> Vec<ObjectId> {
    let rendered: BTreeSet<_> = objects.list.iter().map(|object| &object.id).collect();
    let gone: BTreeSet<_> = before.into_iter().filter(|id| !rendered.contains(id)).collect();
    gone.into_iter().collect()
}

/// Whether the custom resource must not go before we have cleaned up: something is out of reach of Kubernetes' garbage
/// collection, or hooks are to run.
pub(crate) fn needs_finalizer(objects: &Objects, hooks: &[Hook], hooks_out_of_reach: bool) -> bool {
    let out_of_reach = objects.list.iter().any(|object| !object.owned && !object.keep);
    let delete_hooks = hooks
        .iter()
        .any(|hook| hook.events.iter().any(|e| matches!(e, HookEvent::PreDelete | HookEvent::PostDelete)));
    out_of_reach || hooks_out_of_reach || delete_hooks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(revision: i64, state: State) -> Entry {
        Entry { revision, state, owner: None, uid: revision.to_string() }
    }

    #[test]
    fn revisions_follow_helms_rules() {
        use State::{Deployed, Failed, PendingInstall, PendingUpgrade, Superseded, Uninstalled};
        let of = |history: &[(i64, State)], repeats| {
            let history: Vec<_> = history.iter().map(|(revision, state)| entry(*revision, *state)).collect();
            let next = next_revision(&history, repeats);
            (next.number, next.is_install, next.recorded, next.follows)
        };
        assert_eq!(of(&[], false), (1, true, false, None));
        assert_eq!(of(&[(1, Deployed)], false), (2, false, false, Some(1)));
        assert_eq!(of(&[(1, Superseded), (2, Deployed)], false), (3, false, false, Some(2)));
        assert_eq!(of(&[(1, PendingInstall)], false), (1, true, true, None));
        assert_eq!(of(&[(1, Deployed), (2, PendingUpgrade)], false), (2, false, true, Some(1)));
        assert_eq!(of(&[(1, Failed)], true), (1, true, true, None));
        assert_eq!(of(&[(1, Failed)], false), (2, true, false, None));
        assert_eq!(of(&[(1, Deployed), (2, Failed)], true), (2, false, true, Some(1)));
        assert_eq!(of(&[(1, Deployed), (2, Failed)], false), (3, false, false, Some(1)));
        assert_eq!(of(&[(1, Superseded), (2, Uninstalled)], false), (3, true, false, None));
        assert_eq!(of(&[(1, Superseded), (2, Uninstalled), (3, Failed)], true), (3, true, true, None));
        assert_eq!(of(&[(1, Uninstalled), (2, Superseded), (3, Failed)], false), (4, false, false, None));
    }

    #[test]
    fn history_is_kept_to_its_limit() {
        let history: Vec<_> =
            (1..=10).map(|n| entry(n, if n == 1 { State::Deployed } else { State::Failed })).collect();
        let gone: Vec<_> = surplus(&history, 10).iter().map(|entry| entry.revision).collect();
        assert_eq!(gone, [2], "the deployed one stays");
        assert_eq!(surplus(&history, 11).len(), 0);
        assert_eq!(surplus(&history, 3).len(), 8);
    }
}
