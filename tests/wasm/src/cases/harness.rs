//! What the cases share: running to the end, checking the books, noting panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ringspawn::{Actor, Address, Context, ExitReason, Left};

use super::System;

/// A case that isn't idle after so many slices never will be.
const MOST_SLICES: u32 = 10_000_000;

/// The message of the panic that `work` ends with.
pub(crate) fn panic_of(work: impl FnOnce()) -> String {
    let caught = catch_unwind(AssertUnwindSafe(work));
    let payload = caught.expect_err("it should have panicked");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => (*payload.downcast::<&str>().expect("a text")).to_owned(),
    }
}

/// A count of 10,000,000 or so: whole in a soak, else a tenth.
pub(crate) fn tenth_of(whole: u64) -> u64 {
    let soak = if cfg!(target_arch = "wasm32") {
        option_env!("RINGSPAWN_SOAK").is_some_and(|value| !value.is_empty())
    } else {
        std::env::var_os("RINGSPAWN_SOAK").is_some()
    };
    if soak { whole } else { whole / 10 }
}

/// As [`tenth_of`], of what takes minutes: a hundredth where nothing is optimised, and
/// whole only natively.
pub(crate) fn part_of(whole: u64) -> u64 {
    if cfg!(target_arch = "wasm32") {
        whole / 10
    } else if tenth_of(whole) == whole {
        whole
    } else if cfg!(debug_assertions) {
        whole / 100
    } else {
        whole / 10
    }
}

/// Runs one slice.
pub(crate) fn slice(system: &mut System, budget: u64) -> Left {
    system.run(Duration::ZERO, budget)
}

/// Runs slices until nothing is left, and checks the books after each.
pub(crate) fn run_slices(system: &mut System, budget: u64) -> u32 {
    for slices in 1..MOST_SLICES {
        let left = slice(system, budget);
        assert_books(system);
        if left == Left::Idle {
            return slices;
        }
    }
    panic!("still not idle after {MOST_SLICES} slices");
}

/// Runs until nothing is left, and checks the books.
pub(crate) fn run(system: &mut System) {
    run_slices(system, u64::MAX);
}

/// What must hold between turns: nothing is lost, nobody is counted twice.
#[track_caller]
pub(crate) fn assert_books(system: &System) {
    let counters = system.counters();
    assert_eq!(
        counters.sent,
        counters.received + system.queued() + counters.dropped,
        "sent = received + queued + dropped: {counters:?}"
    );
    assert!(
        counters.stopped + counters.alive() == counters.spawned
            && counters.started <= counters.spawned
            && counters.failed <= counters.stopped,
        "spawned = stopped + alive: {counters:?}"
    );
}

/// The messages of the failures so far, taken.
pub(crate) fn failures(system: &mut System) -> Vec<String> {
    let failures = system.take_failures().into_iter();
    failures
        .map(|exit| match exit.reason {
            ExitReason::Failed { message, .. } => message,
            other => panic!("a failure with the reason {other}"),
        })
        .collect()
}

/// What actors note, for the case to look at.
pub(crate) struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Log<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Log<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    fn entries(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note(&self, entry: T) {
        self.entries().push(entry);
    }

    pub(crate) fn len(&self) -> usize {
        self.entries().len()
    }

    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.entries())
    }
}

/// Notes what it receives.
pub(crate) struct Recorder<M>(pub(crate) Log<M>);

impl<M: Send + 'static> Actor for Recorder<M> {
    type Message = M;

    fn receive(&mut self, message: M, _: &mut Context<'_, M>) {
        self.0.note(message);
    }
}

/// Spawns a recorder; gives its address and what it notes.
pub(crate) fn recorder<M: Send + 'static>(system: &mut System) -> (Address<M>, Log<M>) {
    let log = Log::new();
    (system.spawn(Recorder(log.clone())), log)
}

/// What a scripted actor is told to do.
pub(crate) type Deed<S> = Box<dyn FnOnce(&mut S, &mut Context<'_, Do<S>>) + Send>;

/// The message of a [`Scripted`] actor: what to do with its state.
pub(crate) struct Do<S>(pub(crate) Deed<S>);

/// An actor that does what its messages say.
pub(crate) struct Scripted<S>(pub(crate) S);

impl<S: Send + 'static> Actor for Scripted<S> {
    type Message = Do<S>;

    fn receive(&mut self, deed: Do<S>, context: &mut Context<'_, Do<S>>) {
        (deed.0)(&mut self.0, context);
    }
}

/// A deed as a message.
pub(crate) fn to_do<S>(
    deed: impl FnOnce(&mut S, &mut Context<'_, Do<S>>) + Send + 'static,
) -> Do<S> {
    Do(Box::new(deed))
}

/// Panics when dropped, unless a panic is passing by already.
pub(crate) struct DropBomb(pub(crate) &'static str);

impl Drop for DropBomb {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            panic!("{}", self.0);
        }
    }
}

/// Counts how many of it are dropped.
#[derive(Clone)]
pub(crate) struct DropCounter(pub(crate) Log<()>);

impl Drop for DropCounter {
    fn drop(&mut self) {
        self.0.note(());
    }
}
