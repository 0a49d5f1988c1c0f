//! Wakers: how a future that is not ours gets its actor polled again.
//!
//! Polling hands out a borrowed waker that costs nothing. Only when a future
//! clones it, because it waits for something outside the system, is a counted
//! one made. Woken actors stand in a queue that the system looks at between
//! batches; any thread may push to it.
#![allow(unsafe_code)]

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{RawWaker, RawWakerVTable, Wake, Waker};

/// Called when an actor was woken while the system was not running.
pub(crate) type Notify = Arc<dyn Fn() + Send + Sync>;

/// An async actor that is to be polled again.
#[derive(Clone, Copy)]
pub(crate) struct Woken {
    pub(crate) actor_table: u32,
    pub(crate) slot: u32,
    pub(crate) generation: NonZeroU32,
}

#[derive(Default)]
struct State {
    woken: Vec<Woken>,
    /// The system looks before it rests, so a wake now needs no notice.
    running: bool,
    notify: Option<Notify>,
}

#[derive(Default)]
pub(crate) struct WakeQueue {
    state: Mutex<State>,
}

impl WakeQueue {
    pub(crate) fn set_notify(&self, notify: Notify) {
        self.lock().notify = Some(notify);
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
        let mut state = self.lock();
        state.running = true;
        std::mem::take(&mut state.woken)
    }

    /// Lets the system rest, unless something was woken meanwhile.
    pub(crate) fn rest(&self) -> bool {
        let mut state = self.lock();
        state.running = !state.woken.is_empty();
        !state.running
    }

    /// Ends the slice; whoever is woken now is found by the next one.
    pub(crate) fn pause(&self) {
        self.lock().running = false;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held, so the state is whole even then.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the borrowed waker points to while one actor is polled.
pub(crate) struct Polled {
    pub(crate) queue: Arc<WakeQueue>,
    pub(crate) woken: Woken,
}

struct ActorWaker(Polled);

impl Wake for ActorWaker {
    fn wake(self: Arc<Self>) {
        self.0.queue.push(self.0.woken);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.queue.push(self.0.woken);
    }
}

static BORROWED: RawWakerVTable = RawWakerVTable::new(clone, wake, wake, |_| ());

/// A waker for the actor named in `polled` that owns nothing.
///
/// # Safety
///
/// `polled` must stay valid and unchanged while references to the waker exist
/// (clones don't depend on it), and the waker itself must not be moved out.
#[inline]
pub(crate) unsafe fn borrowed(polled: *const Polled) -> std::mem::ManuallyDrop<Waker> {
    // SAFETY: the functions of the table take what they are given as a `Polled`,
    // all of whose parts are `Send + Sync`, and the caller keeps it valid.
    std::mem::ManuallyDrop::new(unsafe { Waker::new(polled.cast(), &BORROWED) })
}

/// Whether this is the borrowed waker itself, not one that a combinator put in its place.
#[inline]
pub(crate) fn is_borrowed(waker: &Waker) -> bool {
    std::ptr::eq(waker.vtable(), &BORROWED)
}

unsafe fn clone(polled: *const ()) -> RawWaker {
    // SAFETY: `borrowed` put a valid `Polled` here.
    let polled = unsafe { &*polled.cast::<Polled>() };
    let waker = Waker::from(Arc::new(ActorWaker(Polled {
        queue: Arc::clone(&polled.queue),
        woken: polled.woken,
    })));
    let waker = std::mem::ManuallyDrop::new(waker);
    RawWaker::new(waker.data(), waker.vtable())
}

unsafe fn wake(polled: *const ()) {
    // SAFETY: `borrowed` put a valid `Polled` here.
    let polled = unsafe { &*polled.cast::<Polled>() };
    polled.queue.push(polled.woken);
}
