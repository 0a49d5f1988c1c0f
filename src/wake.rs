//! Wakers: how a future that is not ours gets its actor polled again.
//!
//! Polling hands out a borrowed waker that costs nothing. Only when a future
//! clones it, because it waits for something outside the system, is a counted
//! one made. Woken actors stand in a queue that the system looks at between
//! batches; any thread may push to it.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{RawWaker, RawWakerVTable, Wake, Waker};

use crate::address::Key;
use crate::scheduler::Core;
use crate::table::AnyActors;

/// Called when an actor was woken while the system was not running.
pub(crate) type Notify = Arc<dyn Fn() + Send + Sync>;

/// An async actor that is to be polled again.
#[derive(Clone, Copy)]
pub(crate) struct Woken {
    /// Used only by the system that owns the table, on its own thread.
    pub(crate) table: NonNull<dyn AnyActors>,
    pub(crate) key: Key,
}

// SAFETY: other threads only carry the table's pointer about.
unsafe impl Send for Woken {}
// SAFETY: as for `Send`.
unsafe impl Sync for Woken {}

#[derive(Default)]
struct State {
    woken: Vec<Woken>,
    /// The system looks before it rests, so a wake now needs no notice.
    running: bool,
    notify: Option<Notify>,
}

#[derive(Default)]
pub(crate) struct WakeQueue {
    /// A waker was made at some time. Until then nobody can push, and the system spares
    /// itself the lock. Relaxed: who polls learns of it by what ends the poll.
    used: AtomicBool,
    state: Mutex<State>,
}

impl WakeQueue {
    pub(crate) fn set_notify(&self, notify: Notify) {
        self.lock().notify = Some(notify);
    }

    /// Notes that a waker is being made, which happens in a poll.
    pub(crate) fn note_waker(&self) {
        if !self.used.swap(true, Ordering::Relaxed) {
            self.lock().running = true;
        }
    }

    fn push(&self, woken: Woken) {
        let mut state = self.lock();
        state.woken.push(woken);
        // One notice until the system runs again, however many are woken.
        let notify = match state.running || state.woken.len() > 1 {
            true => None,
            false => state.notify.clone(),
        };
        drop(state);
        if let Some(notify) = notify {
            notify();
        }
    }

    /// What was woken since the last call; from now on the system counts as running.
    pub(crate) fn drain(&self) -> Vec<Woken> {
        if !self.is_used() {
            return Vec::new();
        }
        let mut state = self.lock();
        state.running = true;
        std::mem::take(&mut state.woken)
    }

    /// Lets the system rest, unless something was woken meanwhile.
    pub(crate) fn rest(&self) -> bool {
        if !self.is_used() {
            return true;
        }
        let mut state = self.lock();
        state.running = !state.woken.is_empty();
        !state.running
    }

    /// Ends the slice; whoever is woken now is found by the next one.
    pub(crate) fn pause(&self) {
        if self.is_used() {
            self.lock().running = false;
        }
    }

    fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held, so the state is whole even then.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct ActorWaker {
    queue: Arc<WakeQueue>,
    woken: Woken,
}

impl Wake for ActorWaker {
    fn wake(self: Arc<Self>) {
        self.queue.push(self.woken);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.queue.push(self.woken);
    }
}

static BORROWED: RawWakerVTable = RawWakerVTable::new(clone, wake, wake, |_| ());

/// A waker for the actor that is being polled; it owns nothing.
///
/// # Safety
///
/// While references to the waker exist, the core must be valid and name the actor that
/// is polled. Clones don't depend on it.
#[inline]
pub(crate) unsafe fn borrowed(core: NonNull<Core>) -> ManuallyDrop<Waker> {
    // SAFETY: the functions of the table take what they are given as a core. The
    // reference that another thread may be lent must be given back before the poll is
    // over; until then nobody changes what `actor_waker` reads.
    ManuallyDrop::new(unsafe { Waker::new(core.as_ptr().cast(), &BORROWED) })
}

/// Whether this is a borrowed waker, not one that a combinator put in its place.
#[inline]
pub(crate) fn is_borrowed(waker: &Waker) -> bool {
    std::ptr::eq(waker.vtable(), &BORROWED)
}

/// # Safety
///
/// `core` must come from [`borrowed`].
unsafe fn actor_waker(core: *const ()) -> ActorWaker {
    // SAFETY: the caller's promise, and `borrowed`'s.
    let (queue, woken) = unsafe { Core::polled_actor(core.cast()) };
    ActorWaker { queue, woken }
}

unsafe fn clone(core: *const ()) -> RawWaker {
    // SAFETY: only wakers made by `borrowed` have this table.
    let waker = Waker::from(Arc::new(unsafe { actor_waker(core) }));
    let waker = ManuallyDrop::new(waker);
    RawWaker::new(waker.data(), waker.vtable())
}

unsafe fn wake(core: *const ()) {
    // SAFETY: only wakers made by `borrowed` have this table.
    let waker = unsafe { actor_waker(core) };
    waker.queue.push(waker.woken);
}
