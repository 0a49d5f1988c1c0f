//! The core of a system or a strand: all tables, the run queue, and the loop.
//!
//! It knows no clock and no thread: its host runs it in slices, with the time and a
//! budget, and learns what is left. Between turns, sent = received + queued + dropped
//! and spawned = stopped + alive.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::NonNull;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use crate::address::{ActorId, Address, Place, SendError};
use crate::counters::Counters;
use crate::exit::{Exit, ExitReason, panic_message};
use crate::fold_hash::FoldHasher;
use crate::mailbox::{AnyMailboxes, MailboxTable};
#[cfg(feature = "threads")]
use crate::parallel::Outside;
use crate::registry::Registry;
use crate::run_queue::RunQueue;
use crate::spawn_error::{SpawnError, SpawnFailure};
use crate::table::{AnyActors, Table};
use crate::task::Running;
use crate::turn::{Body, Polled, TurnState};
use crate::wake::{Notify, WakeQueue, Woken};

/// Messages that one actor may handle in a turn, unless set otherwise: enough to
/// spread the cost of a turn, few enough that its neighbours hardly wait.
const TURN_BUDGET: u32 = 32;

/// Failures kept with their reasons until the host takes them; more are only counted.
const FAILURES_KEPT: usize = 64;

/// What a slice left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Left {
    /// Nothing, until something is sent, spawned or woken from outside.
    Idle,
    /// Ready actors: call again.
    More,
}

/// All of a system that turns can reach.
///
/// Declared so that actors are dropped before the mailboxes they refer to, and so that
/// who finds the polled actor's name (see `task.rs`) has found the core.
#[repr(C)]
pub(crate) struct Core {
    pub(crate) polled: Polled,
    pub(crate) actors: Registry<dyn AnyActors>,
    pub(crate) mailboxes: Registry<dyn AnyMailboxes>,
    pub(crate) run_queue: RunQueue,
    pub(crate) counters: Counters,
    /// Messages that the slice was granted, and those that it has left. What is missing
    /// was received, and is counted when the next slice begins.
    granted: i64,
    left: i64,
    pub(crate) turn_budget: u32,
    pub(crate) turn: TurnState,
    /// The running actor is being ended: its address is stale and it is counted.
    pub(crate) ending: bool,
    pub(crate) now: Duration,
    /// Wakers of combinators that wait for a mailbox, by mailbox.
    pub(crate) receivers: HashMap<(Place, u32), Waker, BuildHasherDefault<FoldHasher>>,
    wakes: Arc<WakeQueue>,
    failures: Vec<Exit>,
    pub(crate) panic_place: Option<fn() -> Option<String>>,
    strand: u32,
    /// What a strand's turns can reach beyond it, during a visit.
    #[cfg(feature = "threads")]
    pub(crate) outside: Option<NonNull<Outside<'static>>>,
}

impl Core {
    pub(crate) fn new(strand: u32) -> Self {
        Self {
            polled: Polled::NOBODY,
            actors: Registry::new(),
            mailboxes: Registry::new(),
            run_queue: RunQueue::new(),
            counters: Counters::default(),
            granted: 0,
            left: 0,
            turn_budget: TURN_BUDGET,
            turn: TurnState::new(),
            ending: false,
            now: Duration::ZERO,
            receivers: HashMap::default(),
            wakes: Arc::default(),
            failures: Vec::new(),
            panic_place: None,
            strand,
            #[cfg(feature = "threads")]
            outside: None,
        }
    }

    pub(crate) fn set_notify(&self, notify: Notify) {
        self.wakes.set_notify(notify);
    }

    pub(crate) fn is_alive<M: 'static>(&self, address: Address<M>) -> bool {
        let table: Option<NonNull<MailboxTable<M>>> = self.mailboxes.get(address.id.place.table());
        // SAFETY: the registry keeps the table valid; nothing runs while we are borrowed.
        table.is_some_and(|table| unsafe { table.as_ref() }.is_current(address))
    }

    pub(crate) fn counters(&self) -> Counters {
        let longest = self.mailboxes.iter().map(AnyMailboxes::longest).max();
        Counters {
            received: self.received(),
            // A message that didn't have to queue behind another waited alone.
            queue_high_water: (longest.unwrap_or(0) as u64).max(self.counters.sent.min(1)),
            ..self.counters
        }
    }

    pub(crate) fn queued(&self) -> u64 {
        self.mailboxes.iter().map(AnyMailboxes::queued).sum()
    }

    pub(crate) fn reserved_bytes(&self) -> usize {
        let mailboxes = self.mailboxes.iter().map(AnyMailboxes::reserved_bytes);
        let actors = self.actors.iter().map(AnyActors::reserved_bytes);
        mailboxes.chain(actors).sum()
    }

    pub(crate) fn take_failures(&mut self) -> Vec<Exit> {
        std::mem::take(&mut self.failures)
    }

    /// Begins a slice of so many messages.
    pub(crate) fn grant(&mut self, budget: u64) {
        self.counters.received = self.received();
        self.granted = i64::try_from(budget).unwrap_or(i64::MAX);
        self.left = self.granted;
    }

    /// Messages received so far.
    pub(crate) fn received(&self) -> u64 {
        self.counters.received + (self.granted - self.left) as u64
    }

    /// Counts a message as received, which is what a slice's budget is spent on.
    #[inline]
    pub(crate) fn count_received(&mut self) {
        self.left -= 1;
    }

    /// What is left of the slice's budget; it changes with each message that is received.
    #[inline]
    pub(crate) fn left(&self) -> i64 {
        self.left
    }

    /// Whether the slice's budget is used up.
    #[inline]
    pub(crate) fn is_spent(&self) -> bool {
        self.left <= 0
    }

    /// Charges one message's worth for a turn that received none.
    #[inline]
    pub(crate) fn spend_one(&mut self) {
        self.granted -= 1;
        self.left -= 1;
    }

    /// Who is being polled, as its wakers name it.
    ///
    /// # Safety
    ///
    /// The core must be valid, and polling an actor. No reference to all of it is made,
    /// so the thread that polls may use the rest.
    pub(crate) unsafe fn polled_actor(core: *const Self) -> (Arc<WakeQueue>, Woken) {
        // SAFETY: the caller's promise; nothing read here changes during a poll.
        unsafe {
            let Some(owner) = (*core).turn.owner else {
                unreachable!("a batch is running")
            };
            let woken = Woken {
                table: (*owner.as_ptr()).table,
                key: (*core).polled.key(),
            };
            (*core).wakes.note_waker();
            (Arc::clone(&(*core).wakes), woken)
        }
    }

    /// Delivers to where the address says that the mailbox is, and counts.
    #[inline(always)]
    pub(crate) fn look_up_and_deliver<M: 'static>(
        &mut self,
        to: Address<M>,
        message: M,
    ) -> Result<(), SendError<M>> {
        match self.mailboxes.get(to.id.place.table()) {
            Some(table) => self.deliver(table, to, message),
            None => self.deliver_elsewhere(to, SendError::NoActor(message)),
        }
    }

    /// Delivers to a mailbox of this table, and counts.
    #[inline(always)]
    pub(crate) fn deliver<M: 'static>(
        &mut self,
        mut table: NonNull<MailboxTable<M>>,
        to: Address<M>,
        message: M,
    ) -> Result<(), SendError<M>> {
        // SAFETY: the registry keeps its tables valid, each an allocation of its own, and
        // whoever holds the core holds no reference into one.
        let table = unsafe { table.as_mut() };
        if let Err(error) = table.deliver(to, message, self.turn.owner, &mut self.run_queue) {
            return self.deliver_elsewhere(to, error);
        }
        self.counters.sent += 1;
        Ok(())
    }

    /// Sends what couldn't be delivered here to the strand that the address names, if that
    /// is another one, and counts.
    #[cold]
    #[inline(never)]
    fn deliver_elsewhere<M: 'static>(
        &mut self,
        to: Address<M>,
        error: SendError<M>,
    ) -> Result<(), SendError<M>> {
        #[cfg(feature = "threads")]
        let error = match self.outside {
            Some(outside) if to.id.place.strand() != self.strand => {
                // SAFETY: during a visit the outside is there; it doesn't use this core.
                match unsafe { (*outside.as_ptr()).send(to, error.into_message()) } {
                    Ok(()) => {
                        self.counters.sent += 1;
                        return Ok(());
                    }
                    Err(error) => error,
                }
            }
            _ => error,
        };
        #[cfg(not(feature = "threads"))]
        let _ = to;
        self.counters.undeliverable += 1;
        Err(error)
    }

    /// Delivers what another strand sent, and counted; or counts it as dropped.
    #[cfg(feature = "threads")]
    pub(crate) fn accept<M: 'static>(
        &mut self,
        to: Address<M>,
        message: M,
    ) -> Result<(), SendError<M>> {
        let accepted = self.put(to, message);
        if accepted.is_err() {
            self.counters.dropped += 1;
        }
        accepted
    }

    /// Puts a message into a mailbox of this core, without counting.
    #[cfg(feature = "threads")]
    pub(crate) fn put<M: 'static>(
        &mut self,
        to: Address<M>,
        message: M,
    ) -> Result<(), SendError<M>> {
        let table: Option<NonNull<MailboxTable<M>>> = self.mailboxes.get(to.id.place.table());
        let Some(mut table) = table else {
            return Err(SendError::NoActor(message));
        };
        // SAFETY: as in `deliver`.
        let table = unsafe { table.as_mut() };
        table.deliver(to, message, self.turn.owner, &mut self.run_queue)
    }

    /// Reserves a mailbox, makes the actor, and puts it there, ready to start.
    ///
    /// # Safety
    ///
    /// The core must be valid and nothing of it borrowed. `make` may use the core.
    pub(crate) unsafe fn spawn<B: Body<M>, M: 'static, X>(
        core: NonNull<Self>,
        with: X,
        make: impl FnOnce(Address<M>, X) -> B,
    ) -> Result<Address<M>, SpawnError<X>> {
        // SAFETY: the caller's promise; every borrow of the core ends in its statement,
        // and the table is never moved or dropped before the core is.
        unsafe {
            #[cfg(feature = "threads")]
            let core = Self::home_of_next(core);
            let reserved = (*core.as_ptr()).table::<B, M>().and_then(|table| {
                let mailbox = table.as_ref().reserve();
                let failure = |_| SpawnFailure::OutOfMemory {
                    alive: (*core.as_ptr()).all_alive(),
                };
                Ok((table, mailbox.map_err(failure)?))
            });
            let (table, mailbox) = match reserved {
                Ok(reserved) => reserved,
                Err(failure) => {
                    return Err(SpawnError {
                        actor: with,
                        failure,
                    });
                }
            };
            let address = table.as_ref().address(mailbox);
            let abandon = OnUnwind(|| table.as_ref().abandon(mailbox, core));
            let actor = make(address, with);
            std::mem::forget(abandon);
            table.as_ref().fill(mailbox, actor, core);
            (*core.as_ptr()).counters.spawned += 1;
            Ok(address)
        }
    }

    /// Actors alive in this strand, and about how many in the others.
    fn all_alive(&self) -> u64 {
        #[cfg(feature = "threads")]
        if let Some(outside) = self.outside {
            // SAFETY: during a visit the outside is there.
            return unsafe { (*outside.as_ptr()).alive() };
        }
        self.counters.alive()
    }

    /// Has the next actor that is spawned in a turn begin a strand.
    #[cfg(feature = "threads")]
    pub(crate) fn begin_strand(&mut self) {
        if let Some(outside) = self.outside {
            // SAFETY: during a visit the outside is there.
            unsafe { (*outside.as_ptr()).begin_strand() };
        }
    }

    /// The core that the next actor joins: this one, or that of a strand with more room.
    ///
    /// # Safety
    ///
    /// The core must be valid and nothing of it borrowed.
    #[cfg(feature = "threads")]
    #[inline]
    unsafe fn home_of_next(core: NonNull<Self>) -> NonNull<Self> {
        // SAFETY: the caller's promise; during a visit the outside is there.
        unsafe {
            match (*core.as_ptr()).outside {
                Some(outside) => (*outside.as_ptr()).home_of_next(core),
                None => core,
            }
        }
    }

    /// The table for actors of type `B`, made when first needed.
    #[inline]
    fn table<B: Body<M>, M: 'static>(&mut self) -> Result<NonNull<Table<B, M>>, SpawnFailure> {
        match self.actors.find() {
            Some(table) => Ok(table),
            None => self.add_table(),
        }
    }

    #[cold]
    fn add_table<B: Body<M>, M: 'static>(&mut self) -> Result<NonNull<Table<B, M>>, SpawnFailure> {
        let alive = self.all_alive();
        let no_memory = |_| SpawnFailure::OutOfMemory { alive };
        let mut mailboxes = match self.mailboxes.find() {
            Some(mailboxes) => mailboxes,
            None => {
                let number = self.mailboxes.len();
                if number == Place::MAX_TABLES {
                    return Err(SpawnFailure::TooManyMessageTypes);
                }
                let table = MailboxTable::<M>::new(Place::new(self.strand, number));
                self.mailboxes
                    .add(Box::new(table), |table| table)
                    .map_err(no_memory)?
            }
        };
        let nowhere: NonNull<dyn AnyActors> = NonNull::<Table<B, M>>::dangling();
        // SAFETY: whoever holds the core holds no reference into its mailboxes, and
        // `Core` drops its actor tables first.
        unsafe {
            let owner = mailboxes.as_mut().add_owner(nowhere).map_err(no_memory)?;
            let table = Box::new(Table::<B, M>::new(mailboxes, owner));
            let table = self.actors.add(table, |table| table).map_err(no_memory)?;
            let own = &mut *owner.as_ptr();
            own.table = table;
            own.run = Table::<B, M>::run_batch;
            own.mailboxes = mailboxes.cast();
            Ok(table)
        }
    }

    /// # Safety
    ///
    /// The core must be valid and nothing of it borrowed.
    pub(crate) unsafe fn run(core: NonNull<Self>) -> Left {
        // For contexts, which know only its place.
        core.as_ptr().expose_provenance();
        // SAFETY: the caller's promise.
        let _running = unsafe { Running::slice_of(core) };
        loop {
            // SAFETY: the caller's promise, kept by each call: what is borrowed in one
            // is given up at its end, also by a panic.
            unsafe {
                Self::wake(core);
                let batches = catch_unwind(AssertUnwindSafe(|| Self::run_batches(core)));
                if let Err(payload) = batches {
                    let turn = &mut (*core.as_ptr()).turn;
                    let running = (turn.running.take(), turn.owner.take());
                    (*core.as_ptr()).polled.end();
                    let (Some(mailbox), Some(owner)) = running else {
                        resume_unwind(payload);
                    };
                    let table = (*owner.as_ptr()).table;
                    let actor = table.as_ref().fail(mailbox, core);
                    (*core.as_ptr()).note_failure(actor, panic_message(payload));
                } else if !(*core.as_ptr()).run_queue.is_empty() {
                    (*core.as_ptr()).wakes.pause();
                    return Left::More;
                } else if (*core.as_ptr()).wakes.rest() {
                    return Left::Idle;
                }
            }
        }
    }

    /// # Safety
    ///
    /// The core must be valid and nothing of it borrowed.
    unsafe fn run_batches(core: NonNull<Self>) {
        // SAFETY: the caller's promise; the registry keeps the table valid.
        unsafe {
            while !(*core.as_ptr()).is_spent()
                && let Some(owner) = (*core.as_ptr()).run_queue.pop()
            {
                ((*owner.as_ptr()).run)(owner, core);
            }
        }
    }

    /// Makes ready what was woken.
    ///
    /// # Safety
    ///
    /// The core must be valid and nothing of it borrowed.
    unsafe fn wake(core: NonNull<Self>) {
        // SAFETY: the caller's promise; the registry keeps the tables valid.
        unsafe {
            for woken in (*core.as_ptr()).wakes.drain() {
                woken.table.as_ref().wake(woken.key, core);
            }
        }
    }

    #[cold]
    fn note_failure(&mut self, actor: ActorId, message: String) {
        self.counters.failed += 1;
        // A panic may come before the message that led to it is counted.
        self.spend_one();
        let place = self.panic_place.and_then(|place| place());
        if self.failures.len() < FAILURES_KEPT {
            let reason = ExitReason::Failed { message, place };
            self.failures.push(Exit { actor, reason });
        }
    }
}

/// Runs its closure when dropped, that is when a panic passes by.
struct OnUnwind<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnUnwind<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
