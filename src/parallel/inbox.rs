//! A strand's inbox, and what the strand is doing.
//!
//! ```text
//!              put, nudge            take_up                rest (nothing came)
//!      Idle ──────────────▶ Queued ──────────▶ Running ─────────────────────────▶ Idle
//!       │                     ▲                 │   ▲
//!       │                     └──── requeue ────┘   │
//!       └───────────────── try_hold ────────────────┘
//! ```
//!
//! Both stand behind one lock, so a letter that comes just as the strand goes to rest is
//! either seen by `rest` or queues the strand. Whoever gets `true` from [`Inbox::put`] or
//! [`Inbox::nudge`] must queue it, and only who took it up may touch what is in it.
//!
//! Cost: one uncontended lock per call, whatever the number of letters.

use super::sync::{Mutex, MutexGuard};

/// Letters that wait for their strand.
pub(crate) trait Letters: Default {
    fn is_empty(&self) -> bool;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    Queued,
    Running,
}

struct State<L> {
    phase: Phase,
    /// There is something to do that is no letter: an actor was woken.
    nudged: bool,
    letters: L,
}

pub(crate) struct Inbox<L> {
    state: Mutex<State<L>>,
}

impl<L: Letters> Inbox<L> {
    /// Of a strand that runs, by who makes it.
    pub(crate) fn held() -> Self {
        Self {
            state: Mutex::new(State {
                phase: Phase::Running,
                nudged: false,
                letters: L::default(),
            }),
        }
    }

    /// Adds letters, and says whether the strand was idle, so that the caller must queue it.
    pub(crate) fn put<E>(&self, add: impl FnOnce(&mut L) -> Result<(), E>) -> Result<bool, E> {
        let mut state = self.lock();
        add(&mut state.letters)?;
        Ok(state.wake())
    }

    /// As [`put`](Self::put), of something to do that is no letter.
    pub(crate) fn nudge(&self) -> bool {
        let mut state = self.lock();
        state.nudged = true;
        state.wake()
    }

    /// Begins a visit: the strand was queued, and the caller may run it from now on. The
    /// letters so far are exchanged for `empty`.
    pub(crate) fn take_up(&self, empty: L) -> L {
        let mut state = self.lock();
        debug_assert!(state.phase == Phase::Queued);
        state.phase = Phase::Running;
        state.nudged = false;
        std::mem::replace(&mut state.letters, empty)
    }

    /// As [`take_up`](Self::take_up), of a strand that is idle, and so has no letters.
    pub(crate) fn try_hold(&self) -> bool {
        let mut state = self.lock();
        let idle = state.phase == Phase::Idle;
        if idle {
            state.phase = Phase::Running;
        }
        idle
    }

    /// Ends a visit after which the strand has nothing to do, unless something came
    /// meanwhile: then it is queued, and the caller must put it into a queue.
    pub(crate) fn rest(&self) -> bool {
        let mut state = self.lock();
        let rests = state.letters.is_empty() && !state.nudged;
        state.phase = if rests { Phase::Idle } else { Phase::Queued };
        rests
    }

    /// Ends a visit after which the strand has more to do; the caller must put it into a queue.
    pub(crate) fn requeue(&self) {
        self.lock().phase = Phase::Queued;
    }

    /// What waits, for who knows that nobody else is about.
    pub(crate) fn look<R>(&self, read: impl FnOnce(&L) -> R) -> R {
        read(&self.lock().letters)
    }

    fn lock(&self) -> MutexGuard<'_, State<L>> {
        // Nothing panics while the lock is held but for want of memory in `put`, which
        // leaves the state whole.
        self.state
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }
}

impl<L> State<L> {
    fn wake(&mut self) -> bool {
        let idle = self.phase == Phase::Idle;
        if idle {
            self.phase = Phase::Queued;
        }
        idle
    }
}
