//! All actors of one type, and the loop that runs those of them that are ready.
//!
//! One indirect call serves a batch of turns: the loop knows the actors' type, so
//! it calls their code directly. When other tables get something to do, a batch goes
//! on only with what is ready at that moment, so no type of actor starves another.
//!
//! Cost: a turn is constant plus the actor's own work.
#![allow(unsafe_code)]

use std::ptr::NonNull;

use crate::address::{ActorId, Address};
use crate::exit::contain;
use crate::mailbox::{MailboxTable, OutOfMemory, OwnerPointer};
use crate::scheduler::Core;
use crate::slab::Slab;
use crate::turn::{Body, Outcome, Turn};

pub(crate) struct Table<B: Body<M>, M> {
    mailboxes: NonNull<MailboxTable<M>>,
    /// What it owns among these mailboxes.
    owner: OwnerPointer,
    bodies: Slab<B>,
}

impl<B: Body<M>, M: 'static> Table<B, M> {
    /// # Safety
    ///
    /// The mailboxes, and their `owner` for this table, must outlive the table.
    pub(crate) unsafe fn new(mailboxes: NonNull<MailboxTable<M>>, owner: OwnerPointer) -> Self {
        Self {
            mailboxes,
            owner,
            bodies: Slab::new(),
        }
    }

    /// # Safety
    ///
    /// No other reference into the mailboxes may be in use while the answer is.
    #[expect(clippy::mut_from_ref, reason = "the mailboxes are another allocation")]
    #[inline]
    unsafe fn mailboxes(&self) -> &mut MailboxTable<M> {
        // SAFETY: they outlive the table (`new`), and the caller vouches for the rest.
        unsafe { &mut *self.mailboxes.as_ptr() }
    }

    /// Takes a slot that can be filled at once.
    ///
    /// # Safety
    ///
    /// No reference into the mailboxes may be in use.
    #[inline]
    pub(crate) unsafe fn reserve(&self) -> Result<Address<M>, OutOfMemory> {
        // SAFETY: the caller's promise.
        let mailboxes = unsafe { self.mailboxes() };
        let address = mailboxes.reserve(self.owner)?;
        if let Err(error) = self.bodies.reserve(address.id.slot) {
            mailboxes.release(address.id.slot);
            return Err(error);
        }
        Ok(address)
    }

    /// Puts an actor where [`reserve`](Self::reserve) made room, and makes it ready.
    ///
    /// # Safety
    ///
    /// The slot must be reserved, and no reference into the mailboxes or the core in use.
    #[inline]
    pub(crate) unsafe fn fill(&self, slot: u32, body: B, core: NonNull<Core>) {
        // SAFETY: nobody has a reference to a slot that was not filled yet.
        unsafe { self.bodies.fill(slot, body) };
        // SAFETY: the caller's promise.
        unsafe {
            self.mailboxes()
                .push_ready(slot, &mut (*core.as_ptr()).run_queue)
        };
    }

    /// Gives a reserved slot back that was never filled.
    ///
    /// # Safety
    ///
    /// As for [`fill`](Self::fill).
    pub(crate) unsafe fn abandon(&self, slot: u32, core: NonNull<Core>) {
        // SAFETY: the caller's promise.
        unsafe {
            self.mailboxes().at(slot).as_mut().retire();
            self.settle(slot, core);
            self.mailboxes().release(slot);
        }
    }

    /// Drops and counts what is still queued.
    ///
    /// # Safety
    ///
    /// No reference into the mailboxes or the core may be in use.
    #[inline]
    unsafe fn settle(&self, slot: u32, core: NonNull<Core>) {
        // SAFETY: the caller's promise; each borrow ends before the message is dropped.
        while let Some(message) = unsafe { self.take(slot) } {
            // SAFETY: as above.
            unsafe { (*core.as_ptr()).counters.dropped += 1 };
            drop(message);
        }
    }

    /// # Safety
    ///
    /// No reference into the mailboxes may be in use.
    #[inline]
    unsafe fn take(&self, slot: u32) -> Option<M> {
        // SAFETY: the caller's promise.
        let mailboxes = unsafe { self.mailboxes() };
        mailboxes.take(mailboxes.at(slot))
    }

    /// Ends an actor whose turn is over. `core.ending` says how far it got if a drop panics.
    ///
    /// # Safety
    ///
    /// No reference into the mailboxes, the core or the slot's actor may be in use.
    #[inline]
    unsafe fn end(&self, slot: u32, core: NonNull<Core>) {
        // SAFETY: the caller's promise; no borrow lasts while the actor or a message is dropped.
        unsafe {
            self.mailboxes().at(slot).as_mut().retire();
            (*core.as_ptr()).ending = true;
            (*core.as_ptr()).counters.stopped += 1;
            self.bodies.clear(slot);
            self.settle(slot, core);
            self.forget_receiver(slot, core);
            self.mailboxes().release(slot);
            (*core.as_ptr()).ending = false;
        }
    }

    /// # Safety
    ///
    /// As for [`end`](Self::end).
    #[inline]
    unsafe fn forget_receiver(&self, slot: u32, core: NonNull<Core>) {
        // SAFETY: the caller's promise; the waker is dropped after the borrow.
        let waker = unsafe {
            let receivers = &mut (*core.as_ptr()).receivers;
            if receivers.is_empty() {
                return;
            }
            receivers.remove(&(self.mailboxes().place(), slot))
        };
        drop(waker);
    }
}

/// What the system asks of actors whose type it doesn't know.
///
/// All methods are called between turns or by the running table's own batch, with
/// no reference into the core or its tables in use.
pub(crate) trait AnyActors {
    /// Runs a batch: until the ready list is empty, the slice's budget is used up, or
    /// every actor that was ready when other tables became so has had its turn.
    ///
    /// # Safety
    ///
    /// `core` must be valid, with this table's mailboxes in it, and nothing in it borrowed.
    unsafe fn run(&self, core: NonNull<Core>);

    /// Cleans up after the actor in this slot panicked; says who it was. `clean up`
    /// includes a panic while the actor was being ended.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run), after a batch of this table was unwound.
    unsafe fn fail(&self, slot: u32, core: NonNull<Core>) -> ActorId;

    /// Makes an idle actor ready, if it still lives.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    unsafe fn wake(&self, slot: u32, generation: std::num::NonZeroU32, core: NonNull<Core>);

    fn reserved_bytes(&self) -> usize;
}

impl<B: Body<M>, M: 'static> AnyActors for Table<B, M> {
    unsafe fn run(&self, core: NonNull<Core>) {
        // SAFETY: the caller keeps the core and its mailboxes valid and unborrowed.
        let turn = unsafe { Turn::enter(core, self.mailboxes) };
        B::enter(turn);
        // Known once other tables wait: the last turn before they get theirs.
        let mut round_end = None;
        while let Some(slot) = turn.own().pop_ready(self.owner) {
            turn.begin(slot);
            // SAFETY: a ready slot was filled; one turn runs at a time, and only a turn
            // refers to an actor.
            let Some(body) = (unsafe { self.bodies.get(slot) }) else {
                unreachable!("a ready slot has an actor")
            };
            let start = turn.mailbox().take_start();
            let outcome = if start && B::STARTS_APART {
                // SAFETY: the turn was begun for this actor.
                unsafe { body.start(turn) }
            } else {
                // SAFETY: the turn was begun for this actor.
                unsafe { body.turn(turn) }
            };
            if start {
                let core = turn.core();
                core.counters.started += 1;
                core.spend_one();
            }
            match outcome {
                Outcome::Idle => turn.mailbox().set_idle(),
                // SAFETY: the core and the mailboxes are different allocations.
                Outcome::More => unsafe {
                    self.mailboxes()
                        .push_ready(slot, &mut (*core.as_ptr()).run_queue);
                },
                Outcome::Stop => {
                    // SAFETY: the turn is over, so nothing refers to the actor.
                    unsafe { self.end(slot, core) };
                }
            }
            if turn.core().is_spent() {
                break;
            }
            if !turn.core().run_queue.is_empty() {
                let last = *round_end.get_or_insert_with(|| turn.own().last_ready(self.owner));
                if last == Some(slot) || last.is_none() {
                    break;
                }
            }
        }
        turn.state().running = Core::NOBODY;
        // SAFETY: the core and the mailboxes are different allocations.
        unsafe {
            self.mailboxes()
                .end_batch(self.owner, &mut (*core.as_ptr()).run_queue)
        };
    }

    unsafe fn fail(&self, slot: u32, core: NonNull<Core>) -> ActorId {
        // SAFETY: the batch was unwound, so nothing refers into the core, the
        // mailboxes or the actor; each borrow ends before user code (a drop) runs.
        unsafe {
            let ended = std::mem::replace(&mut (*core.as_ptr()).ending, false);
            if !ended {
                self.mailboxes().at(slot).as_mut().retire();
                (*core.as_ptr()).counters.stopped += 1;
            }
            contain(|| self.bodies.clear(slot));
            // Each call ends with a drop that panicked or with nothing left.
            while !self.mailboxes().at(slot).as_ref().is_empty() {
                contain(|| self.settle(slot, core));
            }
            contain(|| self.forget_receiver(slot, core));
            let mailboxes = self.mailboxes();
            let id = ActorId {
                slot,
                generation: mailboxes.at(slot).as_ref().generation_before(),
                place: mailboxes.place(),
            };
            mailboxes.release(slot);
            mailboxes.end_batch(self.owner, &mut (*core.as_ptr()).run_queue);
            id
        }
    }

    unsafe fn wake(&self, slot: u32, generation: std::num::NonZeroU32, core: NonNull<Core>) {
        // SAFETY: the caller's promise.
        unsafe {
            self.mailboxes()
                .wake(slot, generation, &mut (*core.as_ptr()).run_queue);
        }
    }

    fn reserved_bytes(&self) -> usize {
        self.bodies.reserved_bytes() + size_of::<Self>()
    }
}
