//! The pace of a watch that does not work: longer and longer pauses, until something is seen again.

use futures::{Stream, StreamExt as _, stream};
use kube::runtime::utils::Backoff as _;
use kube::runtime::watcher::{DefaultBackoff, Error, Event};

/// Has a watch pause after errors, up to about half a minute. That a list begins is no sign that it will be answered, so it
/// does not shorten the pauses, as it does with kube's own wrapper.
pub(super) fn paced<K: Send>(
    events: impl Stream<Item = Result<Event<K>, Error>> + Send,
) -> impl Stream<Item = Result<Event<K>, Error>> + Send {
    let begin = (Box::pin(events), DefaultBackoff::default(), None);
    stream::unfold(begin, |(mut events, mut backoff, pause)| async move {
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
        let event = events.next().await?;
        let pause = match &event {
            Err(_) => backoff.next(),
            Ok(Event::Init) => None,
            Ok(_) => {
                backoff.reset();
                None
            }
        };
        Some((event, (events, backoff, pause)))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::pin_mut;
    use tokio::time::Instant;

    use super::*;

    /// The events of a watch that is refused again and again.
    fn refused() -> impl Stream<Item = Result<Event<()>, Error>> + Send {
        stream::iter(0..).map(|n| if n % 2 == 0 { Ok(Event::Init) } else { Err(Error::NoResourceVersion) })
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_that_only_begins_does_not_shorten_the_pauses() {
        let events = paced(refused());
        pin_mut!(events);
        let start = Instant::now();
        let mut tries = 0;
        while start.elapsed() < Duration::from_secs(40) {
            tries += usize::from(events.next().await.is_some_and(|event| event.is_err()));
        }
        assert!((4..=8).contains(&tries), "{tries}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_seen_shortens_them() {
        let seen = refused().take(16).chain(stream::iter([Ok(Event::InitDone)])).chain(refused());
        let events = paced(seen);
        pin_mut!(events);
        for _ in 0..19 {
            events.next().await;
        }
        let before = Instant::now();
        events.next().await;
        assert!(before.elapsed() < Duration::from_secs(3), "{:?}", before.elapsed());
    }
}
