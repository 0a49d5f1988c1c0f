//! Workers that look for something to do, and those that have gone to sleep over it.
//!
//! No wake-up is lost: who has queued something looks for sleepers afterwards, and who
//! goes to sleep looks for something queued after it was counted as asleep; a fence on
//! either side sees to it that at least one of them sees the other. While somebody is
//! looking already nobody is woken, and the last one who stops looking, having found
//! something, wakes the next.
//!
//! Cost: with nobody asleep, a fence and a load or two.

use std::time::Duration;

use super::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, fence};

#[derive(Default)]
pub(crate) struct Sleepers {
    asleep: AtomicUsize,
    looking: AtomicUsize,
    /// Sleepers who were called and haven't got up yet.
    called: Mutex<usize>,
    bell: Condvar,
}

impl Sleepers {
    /// Counts the caller as looking for something to do.
    pub(crate) fn begin_to_look(&self) {
        self.looking.fetch_add(1, Ordering::SeqCst);
    }

    /// The caller has found something; says whether nobody is looking any more.
    pub(crate) fn end_to_look(&self) -> bool {
        let was_last = self.looking.fetch_sub(1, Ordering::SeqCst) == 1;
        // So that the caller's next look sees what whoever counted on it has queued: pairs
        // with the one in `wake_one`.
        fence(Ordering::SeqCst);
        was_last
    }

    /// Wakes one sleeper, unless somebody is looking. To be called after something was queued.
    #[inline]
    pub(crate) fn wake_one(&self) {
        // Pairs with the one in `sleep`.
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::Relaxed) > 0 && self.looking.load(Ordering::Relaxed) == 0 {
            self.call(1);
        }
    }

    /// Wakes all sleepers: there will be nothing more to do.
    pub(crate) fn wake_all(&self) {
        self.call(usize::MAX);
    }

    #[cold]
    fn call(&self, most: usize) {
        let mut called = self.lock();
        // Relaxed: it changes only under the lock.
        let asleep = self.asleep.load(Ordering::Relaxed);
        let more = most.min(asleep - *called);
        *called += more;
        // On their behalf, so that nobody else is woken while they get up.
        self.looking.fetch_add(more, Ordering::SeqCst);
        match more {
            0 => {}
            1 => self.bell.notify_one(),
            _ => self.bell.notify_all(),
        }
    }

    /// Sleeps until woken or for the given time, unless `may_sleep` says no. The caller was
    /// looking, and is so again afterwards.
    pub(crate) fn sleep(&self, longest: Duration, may_sleep: impl FnOnce() -> bool) -> bool {
        let mut called = self.lock();
        self.asleep.fetch_add(1, Ordering::SeqCst);
        self.looking.fetch_sub(1, Ordering::SeqCst);
        // Pairs with the one in `wake_one`.
        fence(Ordering::SeqCst);
        let sleeps = may_sleep();
        if sleeps && *called == 0 {
            let woken = self.bell.wait_timeout(called, longest);
            called = woken.unwrap_or_else(|poison| poison.into_inner()).0;
        }
        self.asleep.fetch_sub(1, Ordering::SeqCst);
        if *called > 0 {
            *called -= 1;
        } else {
            self.looking.fetch_add(1, Ordering::SeqCst);
        }
        sleeps
    }

    /// Whether somebody looks for something to do or has gone to sleep over it.
    pub(crate) fn is_anybody_idle(&self) -> bool {
        self.looking.load(Ordering::Relaxed) > 0 || self.asleep.load(Ordering::Relaxed) > 0
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        // Nothing panics while the lock is held.
        self.called
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }
}
