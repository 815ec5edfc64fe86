//! Leader election: of several replicas the one that holds a Lease works, as client-go's do it.
//!
//! Clocks of other machines are not trusted: a Lease has run out when it was seen unchanged for as long as it holds. Who
//! cannot renew it stops working well before others may take it.

use std::time::Duration;

use kube::Client;
use tokio::time::Instant;

use crate::cluster::leases::{Claim, Lease, LeaseError, Leases};
use crate::cluster::tenure::{Tenure, since_boot};
use crate::settings::LeaderElection;

/// How long the Lease holds without a renewal.
const HOLDS: Duration = Duration::from_secs(15);
/// How often its holder renews it.
const RENEWAL: Duration = Duration::from_secs(5);
/// Without a renewal for this long its holder gives up; the rest of the time is for what it has under way.
const DEADLINE: Duration = Duration::from_secs(10);
/// How often it is tried to write the Lease when somebody else was faster.
const ATTEMPTS: usize = 2;
/// How often others look at it, and the holder tries again after a failure.
const LOOK: Duration = Duration::from_secs(2);

/// A replica that works only while it holds the Lease.
pub(crate) struct Candidate {
    leases: Leases,
    /// Namespace and name of the Lease.
    place: String,
    identity: String,
    /// Lasts for [`DEADLINE`] from each renewal.
    tenure: Tenure,
}

/// The Lease as this replica last saw it.
struct Seen {
    lease: Lease,
    /// When it last was seen to change.
    since: Instant,
}

/// What a candidate may do about a Lease.
#[derive(Debug, PartialEq, Eq)]
enum Chance {
    /// Write this into it.
    Take(Claim),
    /// Somebody else holds it.
    Held(String),
}

impl Candidate {
    /// Makes one that keeps a tenure up to date.
    pub(crate) fn new(client: Client, election: &LeaderElection, tenure: Tenure) -> Self {
        Self {
            leases: Leases::new(client, &election.namespace, &election.id),
            place: format!("{}/{}", election.namespace, election.id),
            identity: identity(),
            tenure,
        }
    }

    /// Waits until the Lease is ours.
    pub(crate) async fn acquire(&self) {
        let mut seen = None;
        let mut told = String::new();
        loop {
            match self.attempt(&mut seen).await {
                Ok(None) => {
                    tracing::info!(lease = %self.place, identity = %self.identity, "Leading");
                    return;
                }
                Ok(Some(holder)) if holder != told => {
                    tracing::info!(lease = %self.place, %holder, "Standing by");
                    told = holder;
                }
                Ok(Some(_)) => {}
                Err(error) => tracing::warn!(lease = %self.place, %error, "Cannot take the Lease yet"),
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Renews the Lease until that fails for too long or somebody else has it; returns why it is lost.
    pub(crate) async fn keep(&self) -> String {
        let mut seen = None;
        let mut pause = RENEWAL;
        loop {
            tokio::time::sleep(pause).await;
            let left = self.tenure.left().unwrap_or_default();
            if left.is_zero() {
                return "it could not be renewed in time".to_owned();
            }
            let attempt = tokio::time::timeout(left, self.attempt(&mut seen));
            let why = match attempt.await {
                Ok(Ok(None)) => {
                    pause = RENEWAL;
                    continue;
                }
                Ok(Ok(Some(holder))) => return format!("{holder} holds it now"),
                Ok(Err(error)) => error.to_string(),
                Err(_) => "it could not be renewed in time".to_owned(),
            };
            if self.tenure.left().unwrap_or_default() <= LOOK {
                return why;
            }
            tracing::warn!(lease = %self.place, error = %why, "Cannot renew the Lease, trying again");
            seen = None;
            pause = LOOK;
        }
    }

    /// Gives the Lease up, so that another replica need not wait for its end.
    pub(crate) async fn release(&self) {
        let result = async {
            let Some(lease) = self.leases.read().await? else { return Ok(()) };
            let claim = lease.claim();
            if claim.holder == self.identity {
                self.leases
                    .write(Some(&lease), &Claim { holder: String::new(), seconds: 1, ..claim })
                    .await?;
            }
            Ok::<_, LeaseError>(())
        };
        match result.await {
            Ok(()) => tracing::info!(lease = %self.place, "Gave the Lease up"),
            Err(error) => {
                tracing::warn!(lease = %self.place, %error, "Cannot give the Lease up: it runs out")
            }
        }
    }

    /// Tries to take or renew the Lease; returns who else holds it. A renewal is one request. A Lease that somebody deleted
    /// is made anew.
    async fn attempt(&self, seen: &mut Option<Seen>) -> Result<Option<String>, LeaseError> {
        for _ in 0..ATTEMPTS {
            let (now, begun) = (jiff::Timestamp::now(), since_boot());
            let ours = seen.as_ref().is_some_and(|seen| seen.lease.claim().holder == self.identity);
            if !ours {
                self.look(seen).await?;
            }
            let held = seen.as_ref().map(|seen| (seen.lease.claim(), seen.since.elapsed()));
            let claim = match chance(held, &self.identity, &micro_time(now)) {
                Chance::Take(claim) => claim,
                Chance::Held(holder) => return Ok(Some(holder)),
            };
            let before = seen.as_ref().map(|seen| &seen.lease);
            if let Some(lease) = self.leases.write(before, &claim).await? {
                *seen = Some(Seen { lease, since: Instant::now() });
                self.tenure.extend(begun, DEADLINE);
                return Ok(None);
            }
            // Somebody wrote meanwhile: what they wrote decides.
            *seen = None;
        }
        Err(LeaseError::Contested)
    }

    async fn look(&self, seen: &mut Option<Seen>) -> Result<(), LeaseError> {
        match self.leases.read().await? {
            Some(lease) => {
                let since = match seen {
                    Some(before) if before.lease.claim() == lease.claim() => before.since,
                    _ => Instant::now(),
                };
                *seen = Some(Seen { lease, since });
            }
            None if seen.as_ref().is_some_and(|seen| seen.outlives_its_end(&self.identity)) => {}
            None => *seen = None,
        }
        Ok(())
    }
}

impl Seen {
    /// Whether a Lease that is gone still counts. Holders give one up by writing that nobody holds it, so somebody deleted
    /// it by hand: its holder works on, and makes it anew.
    fn outlives_its_end(&self, identity: &str) -> bool {
        let claim = self.lease.claim();
        claim.holder != identity
            && matches!(chance(Some((claim, self.since.elapsed())), identity, ""), Chance::Held(_))
    }
}

/// Decides what to do about a Lease that says something and has been seen unchanged for a while.
fn chance(held: Option<(Claim, Duration)>, identity: &str, now: &str) -> Chance {
    let fresh = Claim {
        holder: identity.to_owned(),
        seconds: HOLDS.as_secs(),
        acquired: now.to_owned(),
        renewed: now.to_owned(),
        transitions: 0,
    };
    match held {
        None => Chance::Take(fresh),
        Some((claim, _)) if claim.holder == identity => {
            Chance::Take(Claim { acquired: claim.acquired, transitions: claim.transitions, ..fresh })
        }
        Some((claim, unchanged)) if !claim.holder.is_empty() && unchanged.as_secs() < claim.seconds => {
            Chance::Held(claim.holder)
        }
        Some((claim, _)) => Chance::Take(Claim { transitions: claim.transitions.saturating_add(1), ..fresh }),
    }
}

/// A name no other replica has: the machine's (in a pod, the pod's) and some chance.
fn identity() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let mut chance = [0; 8];
    // Without random numbers the process's number has to do.
    if getrandom::fill(&mut chance).is_err() {
        chance = u64::from(std::process::id()).to_be_bytes();
    }
    format!("{}_{:016x}", host.trim(), u64::from_be_bytes(chance))
}

fn micro_time(now: jiff::Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(holder: &str) -> Claim {
        Claim {
            holder: holder.into(),
            seconds: 15,
            acquired: "then".into(),
            renewed: "later".into(),
            transitions: 3,
        }
    }

    fn taken(chance: Chance) -> Claim {
        match chance {
            Chance::Take(claim) => claim,
            Chance::Held(holder) => panic!("held by {holder}"),
        }
    }

    #[test]
    fn nobodys_lease_is_taken() {
        assert_eq!(taken(chance(None, "me", "now")).transitions, 0);
        let freed = taken(chance(Some((claim(""), Duration::ZERO)), "me", "now"));
        assert_eq!((freed.holder.as_str(), freed.acquired.as_str(), freed.transitions), ("me", "now", 4));
    }

    #[test]
    fn anothers_lease_is_left_until_it_has_run_out() {
        let after = |seconds| chance(Some((claim("other"), Duration::from_secs(seconds))), "me", "now");
        assert_eq!(after(14), Chance::Held("other".into()));
        assert_eq!(taken(after(15)).holder, "me");
    }

    #[test]
    fn a_renewal_keeps_when_it_was_acquired() {
        let renewed = taken(chance(Some((claim("me"), Duration::ZERO)), "me", "now"));
        assert_eq!(
            (renewed.acquired.as_str(), renewed.renewed.as_str(), renewed.transitions),
            ("then", "now", 3)
        );
    }

    #[test]
    fn its_holder_gives_up_before_others_take_it() {
        assert!(RENEWAL + LOOK < DEADLINE && DEADLINE + LOOK < HOLDS);
        assert_ne!(identity(), identity());
    }
}
