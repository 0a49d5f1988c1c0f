//! All actors of one type, and the loop that runs those of them that are ready.
//!
//! One indirect call serves a batch of turns: the loop knows the actors' type, so
//! it calls their code directly. When other tables get something to do, a batch goes
//! on only with what is ready at that moment, so no type of actor starves another.
//!
//! Cost: a turn is constant plus the actor's own work.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ptr::NonNull;

use crate::address::{ActorId, Address, Key};
use crate::cell::Cell;
use crate::exit::contain;
use crate::mailbox::{MailboxPointer, MailboxTable, OutOfMemory};
use crate::ready::OwnerPointer;
use crate::scheduler::Core;
use crate::turn::{Body, Outcome, Turn};

type Chunk<M, B> = NonNull<[Cell<M, B>]>;

pub(crate) struct Table<B: Body<M>, M> {
    mailboxes: NonNull<MailboxTable<M>>,
    /// What it owns among these mailboxes.
    owner: OwnerPointer,
    /// The mailboxes that it owns, with its actors. In a cell, since a running actor may
    /// spawn more; nothing else borrows the list.
    chunks: UnsafeCell<Vec<Chunk<M, B>>>,
}

impl<B: Body<M>, M: 'static> Table<B, M> {
    /// # Safety
    ///
    /// The mailboxes, and their `owner` for this table, must outlive the table.
    pub(crate) unsafe fn new(mailboxes: NonNull<MailboxTable<M>>, owner: OwnerPointer) -> Self {
        Self {
            mailboxes,
            owner,
            chunks: UnsafeCell::default(),
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

    /// Takes a mailbox whose actor can be put in at once.
    ///
    /// # Safety
    ///
    /// No reference into the mailboxes may be in use.
    #[inline]
    pub(crate) unsafe fn reserve(&self) -> Result<MailboxPointer<M>, OutOfMemory> {
        // SAFETY: the caller's promise.
        let mailboxes = unsafe { self.mailboxes() };
        match mailboxes.reserve(self.owner) {
            Some(mailbox) => Ok(mailbox),
            // SAFETY: the caller's promise.
            None => unsafe { self.reserve_in_new_chunk() },
        }
    }

    /// # Safety
    ///
    /// As for [`reserve`](Self::reserve).
    #[cold]
    unsafe fn reserve_in_new_chunk(&self) -> Result<MailboxPointer<M>, OutOfMemory> {
        // SAFETY: the caller's promise.
        let mailboxes = unsafe { self.mailboxes() };
        // SAFETY: nothing else borrows the list (see `chunks`), and a table is not `Sync`.
        let chunks = unsafe { &mut *self.chunks.get() };
        chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
        let chunk = Cell::new_chunk(mailboxes.next_chunk()?, self.owner)?;
        chunks.push(chunk);
        let stride = size_of::<Cell<M, B>>();
        // SAFETY: a cell begins with its mailbox, and the chunk lives as long as this table.
        unsafe { mailboxes.add_chunk(chunk.cast(), stride, Cell::<M, B>::COUNT, self.owner) };
        mailboxes.reserve(self.owner).ok_or(OutOfMemory)
    }

    /// The address of a mailbox of this table.
    ///
    /// # Safety
    ///
    /// No reference into the mailboxes may be in use.
    #[inline]
    pub(crate) unsafe fn address(&self, mailbox: MailboxPointer<M>) -> Address<M> {
        // SAFETY: the caller's promise.
        let (place, key) = unsafe { (self.mailboxes().place(), mailbox.as_ref().key()) };
        Address::new(key, place, mailbox.addr().get())
    }

    /// Puts an actor where [`reserve`](Self::reserve) made room, and makes it ready.
    ///
    /// # Safety
    ///
    /// The mailbox must be reserved, and no reference into the mailboxes or the core in use.
    #[inline]
    pub(crate) unsafe fn fill(
        &self,
        mut mailbox: MailboxPointer<M>,
        actor: B,
        core: NonNull<Core>,
    ) {
        // SAFETY: the caller's promise; nobody has a reference to an actor that wasn't there.
        unsafe {
            Cell::<M, B>::actor(mailbox).write(actor);
            mailbox.as_mut().set_filled();
            self.push_ready(mailbox, core);
        }
    }

    /// # Safety
    ///
    /// As for [`fill`](Self::fill).
    #[inline]
    unsafe fn push_ready(&self, mailbox: MailboxPointer<M>, core: NonNull<Core>) {
        // SAFETY: the caller's promise; the core and the mailboxes are different allocations.
        unsafe {
            let run_queue = &mut (*core.as_ptr()).run_queue;
            self.mailboxes().push_ready(mailbox, run_queue);
        }
    }

    /// Gives a reserved mailbox back whose actor never came.
    ///
    /// # Safety
    ///
    /// As for [`fill`](Self::fill).
    pub(crate) unsafe fn abandon(&self, mut mailbox: MailboxPointer<M>, core: NonNull<Core>) {
        // SAFETY: the caller's promise.
        unsafe {
            mailbox.as_mut().retire();
            self.settle(mailbox, core);
            self.mailboxes().release(mailbox, self.owner);
        }
    }

    /// Drops and counts what is still queued.
    ///
    /// # Safety
    ///
    /// No reference into the mailboxes or the core may be in use.
    #[inline]
    unsafe fn settle(&self, mailbox: MailboxPointer<M>, core: NonNull<Core>) {
        // SAFETY: the caller's promise; each borrow ends before the message is dropped.
        while let Some(message) = unsafe { self.mailboxes().take(mailbox) } {
            // SAFETY: as above.
            unsafe { (*core.as_ptr()).counters.dropped += 1 };
            drop(message);
        }
    }

    /// Drops the actor in place, if it is there.
    ///
    /// # Safety
    ///
    /// No reference to the actor may be in use.
    #[inline]
    unsafe fn clear(&self, mut mailbox: MailboxPointer<M>) {
        // SAFETY: the caller's promise. Asking first means that a panic in the drop
        // leaves nothing to be dropped again.
        unsafe {
            if mailbox.as_mut().take_filled() {
                Cell::<M, B>::actor(mailbox).drop_in_place();
            }
        }
    }

    /// Ends an actor whose turn is over. `core.ending` says how far it got if a drop panics.
    ///
    /// # Safety
    ///
    /// No reference into the mailboxes, the core or to the actor may be in use.
    #[inline]
    unsafe fn end(&self, mut mailbox: MailboxPointer<M>, core: NonNull<Core>) {
        // SAFETY: the caller's promise; no borrow lasts while the actor or a message is dropped.
        unsafe {
            mailbox.as_mut().retire();
            (*core.as_ptr()).ending = true;
            (*core.as_ptr()).counters.stopped += 1;
            self.clear(mailbox);
            self.settle(mailbox, core);
            self.forget_receiver(mailbox, core);
            self.mailboxes().release(mailbox, self.owner);
            (*core.as_ptr()).ending = false;
        }
    }

    /// See [`RunBatch`](crate::ready::RunBatch). What this needs for the usual turns comes
    /// from the owner, not from the table, so that it needn't wait for where the table is.
    ///
    /// # Safety
    ///
    /// As there, and the owner must be one of a table of this type.
    pub(crate) unsafe fn run_batch(owner: OwnerPointer, core: NonNull<Core>) {
        // SAFETY: the caller keeps the core and its mailboxes valid and unborrowed, and
        // the owner with its table.
        let (turn, table) = unsafe {
            let turn = Turn::enter(core, (*owner.as_ptr()).mailboxes.cast(), owner);
            (turn, (*owner.as_ptr()).table.cast::<Self>().as_ref())
        };
        B::enter(turn);
        let mut next = turn.own().pop_ready(owner);
        // In here, between taking a message and sending the next one, what was read before
        // a call for a rare case isn't used after it: it would have to leave its register
        // on the usual way as well. So then a mailbox comes back from the turn.
        while let Some(mailbox) = next {
            turn.begin(mailbox);
            let is_usual = turn.mailbox().is_plain()
                || turn.mailbox().is_looking()
                || B::STARTS_APART && turn.mailbox().is_just_full();
            if !is_usual {
                let start = turn.enter_rare(B::MESSAGES_AT_ONCE);
                if start && B::STARTS_APART {
                    // SAFETY: the turn was begun for this actor.
                    let outcome = unsafe { B::start(turn.mailbox_pointer(), turn) };
                    turn.count_start();
                    // SAFETY: that was its turn.
                    if unsafe { table.end_turn(outcome, turn) } {
                        break;
                    }
                    next = turn.own().pop_ready(owner);
                    continue;
                }
                if start {
                    turn.expect_first_poll();
                }
                next = Some(turn.mailbox_pointer());
                continue;
            }
            // SAFETY: the turn was begun for this actor.
            let outcome = unsafe { B::turn(mailbox, turn) };
            // By far the most turns end like this, mostly while no others wait.
            if let Outcome::Idle = outcome {
                // SAFETY: nothing else borrows the mailbox.
                unsafe { (*mailbox.as_ptr()).set_idle() };
                if turn.is_batch_over() {
                    break;
                }
            } else if turn.goes_on(&outcome) {
                next = Some(turn.mailbox_pointer());
                continue;
            // SAFETY: that was its turn.
            } else if unsafe { table.end_turn(outcome, turn) } {
                break;
            }
            next = turn.own().pop_ready(owner);
        }
        turn.end();
        turn.own().end_batch(owner, &mut turn.core().run_queue);
    }

    /// Ends a turn; says whether the batch is over.
    ///
    /// # Safety
    ///
    /// The turn must be over, of an actor of this table.
    #[inline(always)]
    unsafe fn end_turn(&self, outcome: Outcome, turn: Turn<M>) -> bool {
        let (mailbox, core) = (turn.mailbox_pointer(), turn.core_pointer());
        if let Outcome::Idle = outcome {
            turn.mailbox().set_idle();
            return turn.is_batch_over();
        }
        turn.look_back();
        // Before this actor may be ready again, which belongs to the next round.
        let over = turn.is_batch_over();
        match outcome {
            // SAFETY: the turn is over, so nothing refers to the actor.
            Outcome::Stop => unsafe { self.end(mailbox, core) },
            Outcome::Idle | Outcome::Waiting => turn.mailbox().set_waiting(),
            // SAFETY: nothing is borrowed here.
            Outcome::Again | Outcome::More => unsafe { self.push_ready(mailbox, core) },
        }
        over
    }

    /// # Safety
    ///
    /// As for [`end`](Self::end).
    #[inline]
    unsafe fn forget_receiver(&self, mut mailbox: MailboxPointer<M>, core: NonNull<Core>) {
        // SAFETY: the caller's promise; the waker is dropped after the borrow.
        let waker = unsafe {
            if !mailbox.as_mut().take_watched() {
                return;
            }
            let receivers = &mut (*core.as_ptr()).receivers;
            receivers.remove(&(self.mailboxes().place(), mailbox.as_ref().key().slot))
        };
        drop(waker);
    }
}

impl<B: Body<M>, M> Drop for Table<B, M> {
    fn drop(&mut self) {
        for chunk in self.chunks.get_mut().drain(..) {
            // SAFETY: the system is going, so nothing runs and nobody sends any more.
            unsafe { Cell::free_chunk(chunk) };
        }
    }
}

/// What the system asks of actors whose type it doesn't know.
///
/// All methods are called between turns or by the running table's own batch, with
/// no reference into the core or its tables in use.
pub(crate) trait AnyActors {
    /// Cleans up after the actor of this mailbox panicked, be it while it was being
    /// ended; says who it was.
    ///
    /// # Safety
    ///
    /// `core` must be valid, with this table's mailboxes in it, and nothing in it borrowed.
    /// A batch of this table must have been unwound.
    unsafe fn fail(&self, mailbox: NonNull<()>, core: NonNull<Core>) -> ActorId;

    /// Makes an idle actor ready, if it still lives.
    ///
    /// # Safety
    ///
    /// `core` must be valid, with this table's mailboxes in it, and nothing in it borrowed.
    unsafe fn wake(&self, key: Key, core: NonNull<Core>);

    fn reserved_bytes(&self) -> usize;
}

impl<B: Body<M>, M: 'static> AnyActors for Table<B, M> {
    unsafe fn fail(&self, mailbox: NonNull<()>, core: NonNull<Core>) -> ActorId {
        let mut mailbox: MailboxPointer<M> = mailbox.cast();
        // SAFETY: the batch was unwound, so nothing refers into the core, the
        // mailboxes or the actor; each borrow ends before user code (a drop) runs.
        unsafe {
            let ended = std::mem::replace(&mut (*core.as_ptr()).ending, false);
            if !ended {
                mailbox.as_mut().retire();
                (*core.as_ptr()).counters.stopped += 1;
            }
            contain(|| self.clear(mailbox));
            // Each call ends with a drop that panicked or with nothing left.
            while !mailbox.as_ref().is_empty() {
                contain(|| self.settle(mailbox, core));
            }
            contain(|| self.forget_receiver(mailbox, core));
            let id = ActorId {
                key: mailbox.as_ref().key_before(),
                place: self.mailboxes().place(),
            };
            self.mailboxes().release(mailbox, self.owner);
            self.mailboxes().end_round(self.owner);
            self.mailboxes()
                .end_batch(self.owner, &mut (*core.as_ptr()).run_queue);
            id
        }
    }

    unsafe fn wake(&self, key: Key, core: NonNull<Core>) {
        // SAFETY: the caller's promise.
        unsafe {
            self.mailboxes().wake(key, &mut (*core.as_ptr()).run_queue);
        }
    }

    fn reserved_bytes(&self) -> usize {
        // SAFETY: nothing else borrows the list (see `chunks`).
        let chunks = unsafe { &*self.chunks.get() };
        size_of::<Self>()
            + chunks.capacity() * size_of::<Chunk<M, B>>()
            + chunks.len() * Cell::<M, B>::COUNT * size_of::<Cell<M, B>>()
    }
}
