//! Whether anything goes on in a system, and whether the host has to be told that
//! something came up.
//!
//! All is quiet when no strand is busy, and then nothing can come of itself: only a busy
//! strand, or somebody outside, makes another one busy. Who does so from outside while
//! the run ends is either seen by [`Activity::end_run`], or sees that it has ended.
//!
//! Cost: one atomic instruction per call.

use super::sync::{AtomicBool, AtomicUsize, Ordering, fence};

#[derive(Default)]
pub(crate) struct Activity {
    /// Strands that are not idle.
    busy: AtomicUsize,
    /// Workers run, so somebody will look at what is queued.
    running: AtomicBool,
    /// The host was told since it ran last.
    notified: AtomicBool,
}

impl Activity {
    pub(crate) fn is_quiet(&self) -> bool {
        self.busy.load(Ordering::SeqCst) == 0
    }

    /// Counts a strand that was idle; before it is put into a queue.
    pub(crate) fn count_busy(&self) {
        self.busy.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts a strand as idle, and says whether it was the last one.
    pub(crate) fn count_idle(&self) -> bool {
        self.busy.fetch_sub(1, Ordering::SeqCst) == 1
    }

    pub(crate) fn begin_run(&self) {
        self.notified.store(false, Ordering::SeqCst);
        self.running.store(true, Ordering::SeqCst);
    }

    /// Ends a run, when its workers are done, and says whether all is quiet.
    pub(crate) fn end_run(&self) -> bool {
        self.running.store(false, Ordering::SeqCst);
        // Pairs with the one in `must_notify`.
        fence(Ordering::SeqCst);
        self.is_quiet()
    }

    /// Whether who has queued something from outside must tell the host.
    pub(crate) fn must_notify(&self) -> bool {
        // Pairs with the one in `end_run`.
        fence(Ordering::SeqCst);
        !self.running.load(Ordering::SeqCst) && !self.notified.swap(true, Ordering::SeqCst)
    }
}
