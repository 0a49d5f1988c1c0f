//! What a workload needs of the runtime that it runs on: one thread or many.

use std::time::Duration;

#[cfg(feature = "threads")]
use crate::ParallelSystem;
use crate::{Actor, Address, Counters, Exit, Left, Mailbox, SendError, SpawnFailure};

#[cfg(not(all(feature = "threads", target_family = "wasm")))]
use crate::System;

/// A runtime, by its public API alone.
pub(crate) trait Runtime: Sized + 'static {
    /// How many actors are spawned from outside before they get to start. On one thread
    /// while they are still in the processor's cache, as a host that spawns many would do
    /// it; waking a pool of workers for that would take longer than all the rest.
    const SPAWN_BATCH: u64;

    fn new() -> Self;

    fn try_spawn<A>(&mut self, actor: A) -> Result<Address<A::Message>, SpawnFailure>
    where
        A: Actor<Message: Send> + Send;

    fn try_spawn_async<M, F, T>(&mut self, body: F) -> Result<Address<M>, SpawnFailure>
    where
        M: Send + 'static,
        F: FnOnce(Mailbox<M>) -> T,
        T: Future<Output = ()> + Send + 'static;

    fn send<M: Send + 'static>(&mut self, to: Address<M>, message: M) -> Result<(), SendError<M>>;

    fn run(&mut self, budget: u64) -> Left;

    /// Runs what a batch of spawns or sends has to do.
    fn run_batch(&mut self, batch: u64);

    fn counters(&self) -> Counters;

    fn queued(&self) -> u64;

    fn reserved_bytes(&self) -> usize;

    fn take_failures(&mut self) -> Vec<Exit>;

    fn set_panic_place(&mut self, panic_place: fn() -> Option<String>);

    /// The runtime, if it is the one with many threads.
    #[cfg(feature = "threads")]
    fn parallel(&self) -> Option<&ParallelSystem>;
}

#[cfg(not(all(feature = "threads", target_family = "wasm")))]
impl Runtime for System {
    const SPAWN_BATCH: u64 = 256;

    fn new() -> Self {
        Self::new()
    }

    #[inline]
    fn try_spawn<A>(&mut self, actor: A) -> Result<Address<A::Message>, SpawnFailure>
    where
        A: Actor<Message: Send> + Send,
    {
        Self::try_spawn(self, actor).map_err(|error| error.failure)
    }

    #[inline]
    fn try_spawn_async<M, F, T>(&mut self, body: F) -> Result<Address<M>, SpawnFailure>
    where
        M: Send + 'static,
        F: FnOnce(Mailbox<M>) -> T,
        T: Future<Output = ()> + Send + 'static,
    {
        Self::try_spawn_async(self, body).map_err(|error| error.failure)
    }

    #[inline]
    fn send<M: Send + 'static>(&mut self, to: Address<M>, message: M) -> Result<(), SendError<M>> {
        Self::send(self, to, message)
    }

    fn run(&mut self, budget: u64) -> Left {
        Self::run(self, Duration::ZERO, budget)
    }

    fn run_batch(&mut self, batch: u64) {
        Self::run(self, Duration::ZERO, 2 * batch);
    }

    fn counters(&self) -> Counters {
        Self::counters(self)
    }

    fn queued(&self) -> u64 {
        Self::queued(self)
    }

    fn reserved_bytes(&self) -> usize {
        Self::reserved_bytes(self)
    }

    fn take_failures(&mut self) -> Vec<Exit> {
        Self::take_failures(self)
    }

    fn set_panic_place(&mut self, panic_place: fn() -> Option<String>) {
        Self::set_panic_place(self, panic_place);
    }

    #[cfg(feature = "threads")]
    fn parallel(&self) -> Option<&ParallelSystem> {
        None
    }
}

#[cfg(feature = "threads")]
impl Runtime for ParallelSystem {
    const SPAWN_BATCH: u64 = u64::MAX;

    fn new() -> Self {
        Self::new()
    }

    #[inline]
    fn try_spawn<A>(&mut self, actor: A) -> Result<Address<A::Message>, SpawnFailure>
    where
        A: Actor<Message: Send> + Send,
    {
        Self::try_spawn(self, actor).map_err(|error| error.failure)
    }

    #[inline]
    fn try_spawn_async<M, F, T>(&mut self, body: F) -> Result<Address<M>, SpawnFailure>
    where
        M: Send + 'static,
        F: FnOnce(Mailbox<M>) -> T,
        T: Future<Output = ()> + Send + 'static,
    {
        Self::try_spawn_async(self, body).map_err(|error| error.failure)
    }

    #[inline]
    fn send<M: Send + 'static>(&mut self, to: Address<M>, message: M) -> Result<(), SendError<M>> {
        Self::send(self, to, message)
    }

    fn run(&mut self, budget: u64) -> Left {
        Self::run(self, Duration::ZERO, budget)
    }

    /// It all runs at the end.
    fn run_batch(&mut self, _: u64) {}

    fn counters(&self) -> Counters {
        Self::counters(self)
    }

    fn queued(&self) -> u64 {
        Self::queued(self)
    }

    fn reserved_bytes(&self) -> usize {
        Self::reserved_bytes(self)
    }

    fn take_failures(&mut self) -> Vec<Exit> {
        Self::take_failures(self)
    }

    fn set_panic_place(&mut self, panic_place: fn() -> Option<String>) {
        Self::set_panic_place(self, panic_place);
    }

    fn parallel(&self) -> Option<&ParallelSystem> {
        Some(self)
    }
}
