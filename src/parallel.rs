//! Many threads: strands of actors that workers schedule and steal.
//!
//! A *strand* is a group of neighbouring actors with tables, a run queue and an inbox of
//! its own: a small [`System`](crate::System). One worker runs it at a time, so inside it
//! a send costs what it costs in one thread, with no atomics. A send to another strand
//! goes into that one's inbox. Workers, which are the threads of the current `rayon` pool,
//! take strands from queues and steal them from each other; actors never move from one
//! strand to another.
//!
//! An actor that is spawned by an actor joins its strand until that is full, and then
//! another one, so neighbours stay together and a tree spreads over all cores by itself.
//!
//! | file | what it holds |
//! |---|---|
//! | `strand.rs` | a strand, and what all workers share |
//! | `inbox.rs` | a strand's inbox, and whether it is idle, queued or running |
//! | `letters.rs` | messages on their way between strands |
//! | `worker.rs` | a worker's loop, and one visit to a strand |
//! | `activity.rs` | whether all is quiet, and whom to tell if not |
//! | `sleepers.rs` | workers that look for something to do, or sleep |
//! | `control.rs` | words to watch and stop a run by |
#![allow(unsafe_code)]

mod activity;
mod control;
mod inbox;
mod letters;
mod sleepers;
mod strand;
mod sync;
mod worker;

use std::fmt;
use std::panic::resume_unwind;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

pub use self::control::Control;
use self::control::MOST_WORKERS;
use self::strand::{Settings, Shared, Strand};
pub(crate) use self::worker::Outside;
use self::worker::{Run, Tally};
use crate::actor::{Actor, spawn_handler};
use crate::address::{Address, SendError};
use crate::counters::Counters;
use crate::exit::Exit;
use crate::scheduler::{Core, Left};
use crate::spawn_error::{SpawnError, SpawnFailure};
use crate::task::{Mailbox, spawn_task};

/// Actors of a strand, unless set otherwise: enough that most neighbours are on one
/// strand, few enough that a few thousand actors can keep several workers busy.
const STRAND_SIZE: u64 = 256;

/// Messages that one actor may handle in a turn, unless set otherwise. Strands get their
/// messages in batches, and what is handled in one turn goes on together: with more than
/// one, the tokens of a ring gather in ever fewer mailboxes, whose queues then spill, and
/// a hop takes more than twice as long.
const TURN_BUDGET: u32 = 1;

/// Failures kept with their reasons until the host takes them; more are only counted.
const FAILURES_KEPT: usize = 64;

/// What the workers of a system have done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolCounters {
    /// Messages received by the actors that each worker ran.
    pub received_per_worker: Vec<u64>,
    /// Messages that went from one strand to another.
    pub cross_strand: u64,
    /// Strands, or batches of them, that a worker took from another one.
    pub steals: u64,
    /// How often a worker went to sleep during a run.
    pub parks: u64,
    /// The most workers that had something to do in one run.
    pub workers_used: usize,
}

/// A world of actors on many threads.
///
/// It is what [`System`](crate::System) is, but for what follows from there being many
/// threads:
///
/// - Actors, futures and messages must be `Send`.
/// - A message to an actor of another strand is accepted at once. If that actor has ended,
///   it counts as dropped and doesn't come back.
/// - In what order an actor gets messages from *different* senders may change from run to
///   run. What one sender sends to one receiver arrives in its order.
/// - Promises can't be awaited: while it runs, no worker gets back to its event loop.
///
/// # Examples
///
/// ```
/// use ringspawn::{Actor, Context, Left, ParallelSystem};
/// use std::time::Duration;
///
/// struct Fork(u32);
///
/// impl Actor for Fork {
///     type Message = ();
///
///     fn started(&mut self, context: &mut Context<'_, ()>) {
///         for _ in 0..self.0 {
///             context.spawn(Fork(self.0 - 1));
///         }
///         context.stop();
///     }
///
///     fn receive(&mut self, (): (), _: &mut Context<'_, ()>) {}
/// }
///
/// let mut system = ParallelSystem::new();
/// system.spawn(Fork(5));
/// assert_eq!(system.run(Duration::ZERO, u64::MAX), Left::Idle);
/// assert_eq!(system.counters().stopped, 326);
/// ```
pub struct ParallelSystem {
    shared: Arc<Shared>,
    settings: Settings,
    /// The strand that the next actor spawned from outside joins.
    filling: Option<Filling>,
    tally: Tally,
    workers_used: usize,
    workers: usize,
    /// Sends from outside that found no actor.
    undeliverable: u64,
}

#[derive(Clone, Copy)]
struct Filling {
    number: u32,
    /// It is queued since the last run, so nobody has to queue it.
    queued: bool,
}

impl Default for ParallelSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl ParallelSystem {
    /// A system without actors.
    pub fn new() -> Self {
        Self {
            shared: Arc::default(),
            settings: Settings {
                strand_size: STRAND_SIZE,
                turn_budget: TURN_BUDGET,
                panic_place: None,
                now: Duration::ZERO,
            },
            filling: None,
            tally: Tally::default(),
            workers_used: 0,
            workers: 0,
            undeliverable: 0,
        }
    }

    /// Sets how many messages an actor may handle in one turn: 1, unless set.
    ///
    /// # Panics
    ///
    /// If `budget` is 0.
    pub fn set_turn_budget(&mut self, budget: u32) {
        assert!(budget > 0, "the turn budget is 0; it must be at least 1");
        self.settings.turn_budget = budget;
        self.for_all_cores(|core| core.turn_budget = budget);
    }

    /// Sets how many actors a strand has before others join another one: 256, unless set.
    /// Smaller strands balance better, larger ones keep more messages inside.
    ///
    /// # Panics
    ///
    /// If `actors` is 0.
    pub fn set_strand_size(&mut self, actors: usize) {
        assert!(actors > 0, "the strand size is 0; it must be at least 1");
        self.settings.strand_size = actors as u64;
    }

    /// Tells the system how to learn a panic's place: called on the thread that caught a
    /// panic, right after it, it gives the "file:line:column" that the host's panic hook
    /// noted.
    pub fn set_panic_place(&mut self, panic_place: fn() -> Option<String>) {
        self.settings.panic_place = Some(panic_place);
        self.for_all_cores(|core| core.panic_place = Some(panic_place));
    }

    /// Sets what is called when an async actor was woken while the system wasn't running,
    /// at most once before the next run. It may be called on any thread, and should see
    /// to it that [`run`](Self::run) is called soon.
    pub fn set_notify(&mut self, notify: impl Fn() + Send + Sync + 'static) {
        self.shared.set_notify(Box::new(notify));
    }

    /// The words by which others watch and stop a run.
    pub fn control(&self) -> Arc<Control> {
        Arc::clone(&self.shared.control)
    }

    /// Spawns an actor in the handler style. It starts in the next run, and can be sent to
    /// at once.
    ///
    /// # Panics
    ///
    /// As [`System::spawn`](crate::System::spawn).
    #[inline]
    pub fn spawn<A>(&mut self, actor: A) -> Address<A::Message>
    where
        A: Actor<Message: Send> + Send,
    {
        self.try_spawn(actor)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Spawns an actor in the handler style, or gives it back.
    ///
    /// # Errors
    ///
    /// As [`System::try_spawn`](crate::System::try_spawn).
    #[inline]
    pub fn try_spawn<A>(&mut self, actor: A) -> Result<Address<A::Message>, SpawnError<A>>
    where
        A: Actor<Message: Send> + Send,
    {
        let core = self.core_to_fill();
        // SAFETY: no worker runs, so the core is ours, and nothing of it is borrowed.
        unsafe { spawn_handler(core, actor) }.map_err(|error| self.with_all_alive(error))
    }

    /// Spawns an actor in the async style: `body` gets the actor's mailbox and gives its
    /// future, which is polled first in the next run.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn).
    #[inline]
    pub fn spawn_async<M, F, T>(&mut self, body: F) -> Address<M>
    where
        M: Send + 'static,
        F: FnOnce(Mailbox<M>) -> T,
        T: Future<Output = ()> + Send + 'static,
    {
        self.try_spawn_async(body)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Spawns an actor in the async style, or gives `body` back.
    ///
    /// # Errors
    ///
    /// As [`try_spawn`](Self::try_spawn).
    #[inline]
    pub fn try_spawn_async<M, F, T>(&mut self, body: F) -> Result<Address<M>, SpawnError<F>>
    where
        M: Send + 'static,
        F: FnOnce(Mailbox<M>) -> T,
        T: Future<Output = ()> + Send + 'static,
    {
        let core = self.core_to_fill();
        // SAFETY: as in `try_spawn`.
        unsafe { spawn_task(core, body) }.map_err(|error| self.with_all_alive(error))
    }

    /// Has the next actor that is spawned from outside begin a strand, which those after
    /// it join.
    pub fn new_strand(&mut self) {
        self.filling = None;
    }

    /// Puts a message into an actor's mailbox.
    ///
    /// # Errors
    ///
    /// Gives the message back if no actor has this address, or no longer; the system
    /// counts it as undeliverable.
    pub fn send<M: Send + 'static>(
        &mut self,
        to: Address<M>,
        message: M,
    ) -> Result<(), SendError<M>> {
        let Some(strand) = self.shared.strand(to.id().strand()) else {
            self.undeliverable += 1;
            return Err(SendError::NoActor(message));
        };
        // SAFETY: no worker runs, so the core is ours.
        unsafe { strand.core().as_mut() }.look_up_and_deliver(to, message)?;
        if strand.inbox.nudge() {
            self.shared.queue(strand.number);
        }
        Ok(())
    }

    /// Runs ready actors on the threads of the current `rayon` pool, for about `budget`
    /// messages or until all is quiet, and says what is left.
    ///
    /// Without a budget, which is `u64::MAX`, it costs least. It costs some 50 µs to wake
    /// the pool. See [`System::run`](crate::System::run) for `now` and panics. It waits for
    /// every thread of the pool, so within a turn of another `ParallelSystem` it must not be
    /// called but on another pool; a [`System`](crate::System) may run there.
    pub fn run(&mut self, now: Duration, budget: u64) -> Left {
        self.settings.now = now;
        if let Some(filling) = &mut self.filling {
            filling.queued = false;
        }
        self.shared.activity.begin_run();
        let workers = rayon::current_num_threads().min(MOST_WORKERS);
        self.workers = self.workers.max(workers);
        let run = Run::new(&self.shared, self.settings, workers, budget);
        rayon::broadcast(|thread| run.work(thread.index()));
        let finished = run.finish();
        let quiet = self.shared.activity.end_run();
        match finished {
            Ok(tally) => {
                self.workers_used = self.workers_used.max(tally.used);
                self.tally.add(tally);
            }
            Err(panic) => resume_unwind(panic),
        }
        if quiet { Left::Idle } else { Left::More }
    }

    /// Whether an actor has this address still.
    pub fn is_alive<M: 'static>(&self, address: Address<M>) -> bool {
        let strand = self.shared.strand(address.id().strand());
        // SAFETY: no worker runs.
        strand.is_some_and(|strand| unsafe { strand.core().as_ref() }.is_alive(address))
    }

    /// What has happened so far in all strands. Costs a look at each message type of each.
    pub fn counters(&self) -> Counters {
        let mut sum = Counters {
            undeliverable: self.undeliverable,
            ..Counters::default()
        };
        for core in self.cores() {
            sum.add(&core.counters());
        }
        sum
    }

    /// What the workers have done so far.
    pub fn pool_counters(&self) -> PoolCounters {
        PoolCounters {
            received_per_worker: self.shared.control.received_by(self.workers),
            cross_strand: self.tally.crossings,
            steals: self.tally.steals,
            parks: self.tally.parks,
            workers_used: self.workers_used,
        }
    }

    /// Messages waiting in all mailboxes and inboxes, counted one by one.
    pub fn queued(&self) -> u64 {
        let inboxes = self.shared.strands();
        let on_their_way: u64 = inboxes
            .map(|it| it.inbox.look(|letters| letters.count()))
            .sum();
        on_their_way + self.cores().map(Core::queued).sum::<u64>()
    }

    /// Strands that there are, those without actors included.
    pub fn strands(&self) -> usize {
        self.shared.strands().count()
    }

    /// Bytes reserved for actors, mailboxes and strands, whether in use or not. Costs a
    /// look at each chunk.
    pub fn reserved_bytes(&self) -> usize {
        let cores: usize = self.cores().map(Core::reserved_bytes).sum();
        let inboxes = self.shared.strands();
        let letters: usize = inboxes
            .map(|it| it.inbox.look(|letters| letters.reserved_bytes()))
            .sum();
        cores + letters + self.strands() * size_of::<Strand>()
    }

    /// Takes the failures since the last call: the first 64 of each strand, and of these
    /// the first 64, with their reasons.
    pub fn take_failures(&mut self) -> Vec<Exit> {
        let mut failures = Vec::new();
        self.for_all_cores(|core| failures.append(&mut core.take_failures()));
        failures.truncate(FAILURES_KEPT);
        failures
    }

    /// The core of the strand that the next actor from outside joins, which is queued.
    #[inline]
    fn core_to_fill(&mut self) -> NonNull<Core> {
        if let Some(filling) = self.filling
            && filling.queued
            && let Some(strand) = self.shared.strand(filling.number)
            // SAFETY: no worker runs.
            && unsafe { strand.core().as_ref() }.counters.alive() < self.settings.strand_size
        {
            return strand.core();
        }
        self.next_core_to_fill()
    }

    #[cold]
    fn next_core_to_fill(&mut self) -> NonNull<Core> {
        let size = self.settings.strand_size;
        let has_room = |strand: &&Strand| {
            // SAFETY: no worker runs.
            unsafe { strand.core().as_ref() }.counters.alive() < size
        };
        let filling = self.filling.and_then(|it| self.shared.strand(it.number));
        let strand = match filling.filter(has_room) {
            Some(strand) => {
                if strand.inbox.nudge() {
                    self.shared.queue(strand.number);
                }
                strand
            }
            None => {
                let held = self.shared.vacant_strand(&self.settings);
                // With all numbers used up, strands may be larger than they should.
                let strand = held.or_else(|| self.shared.strand(0));
                let strand = strand.unwrap_or_else(|| unreachable!("there is a first strand"));
                if held.is_some() {
                    strand.inbox.requeue();
                    self.shared.arrivals.push(strand.number);
                } else if strand.inbox.nudge() {
                    self.shared.queue(strand.number);
                }
                strand
            }
        };
        self.filling = Some(Filling {
            number: strand.number,
            queued: true,
        });
        strand.core()
    }

    /// How many actors there are, instead of how many there are in one strand.
    fn with_all_alive<A>(&self, error: SpawnError<A>) -> SpawnError<A> {
        let failure = match error.failure {
            SpawnFailure::OutOfMemory { .. } => SpawnFailure::OutOfMemory {
                alive: self.cores().map(|core| core.counters.alive()).sum(),
            },
            failure => failure,
        };
        SpawnError { failure, ..error }
    }

    fn cores(&self) -> impl Iterator<Item = &Core> {
        // SAFETY: no worker runs while the system is borrowed.
        let core = |strand: &Strand| unsafe { strand.core().as_ref() };
        self.shared.strands().map(core)
    }

    fn for_all_cores(&mut self, mut work: impl FnMut(&mut Core)) {
        for strand in self.shared.strands() {
            // SAFETY: no worker runs while the system is borrowed, and we borrow one core
            // at a time.
            work(unsafe { strand.core().as_mut() });
        }
    }
}

impl fmt::Debug for ParallelSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParallelSystem")
            .field("strands", &self.strands())
            .field("counters", &self.counters())
            .finish_non_exhaustive()
    }
}
