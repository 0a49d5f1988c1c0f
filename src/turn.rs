//! One visit to one actor: what its code can reach meanwhile.
//!
//! A turn knows the core and the mailboxes of its own message type by pointer.
//! Every method makes the references it needs and gives them up before user code
//! runs, so user code may come back to the turn in whatever way.
#![allow(unsafe_code)]

use std::any::TypeId;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::ptr::NonNull;

use crate::address::{Address, SendError};
use crate::mailbox::{Mailbox, MailboxPointer, MailboxTable};
use crate::scheduler::Core;

/// What a body did in its turn.
pub(crate) enum Outcome {
    /// It handled what there was, or waits for something else.
    Idle,
    /// Its budget is used up, and there is more.
    More,
    /// It came to its end.
    Stop,
}

/// An actor as its table runs it: one type for each style.
pub(crate) trait Body<M>: Sized + 'static {
    /// What holds for a batch of turns, until it is dropped.
    type Batch;

    /// Prepares a turn that is used for a batch.
    ///
    /// # Safety
    ///
    /// The turn must stay where it is until the answer is dropped, and be valid.
    unsafe fn enter(turn: NonNull<Turn<M>>) -> Self::Batch;

    /// Whether the first turn is `start`, not `turn`.
    const STARTS_APART: bool;

    /// Runs the first turn, in which the actor starts.
    ///
    /// # Safety
    ///
    /// The turn must be valid, begun for this actor, and not borrowed.
    unsafe fn start(self: Pin<&mut Self>, turn: NonNull<Turn<M>>) -> Outcome;

    /// Handles messages until the mailbox is empty or the budget used up.
    ///
    /// # Safety
    ///
    /// As for [`start`](Self::start).
    unsafe fn turn(self: Pin<&mut Self>, turn: NonNull<Turn<M>>) -> Outcome;
}

/// The part of a turn that doesn't depend on the message type. Only the async style
/// uses it: by it a mailbox recognises its own turn, and a waker its actor.
pub(crate) struct TurnHead {
    pub(crate) message_type: TypeId,
    /// Who is being polled; no slot between polls.
    pub(crate) slot: u32,
    pub(crate) generation: NonZeroU32,
    pub(crate) core: NonNull<Core>,
}

/// The head comes first, so that a turn of unknown message type can be recognised by it.
#[repr(C)]
pub(crate) struct Turn<M> {
    pub(crate) head: TurnHead,
    own: NonNull<MailboxTable<M>>,
    /// The running actor's mailbox.
    mailbox: MailboxPointer<M>,
    /// Messages that an async body may still take in this turn.
    pub(crate) budget: u32,
    /// The handler asked for its actor's end.
    pub(crate) stopping: bool,
}

impl<M: 'static> Turn<M> {
    /// # Safety
    ///
    /// Whenever a method is called, both pointers must be valid (and from
    /// [`begin`](Self::begin) on, the slot one of an actor of the mailboxes), and no reference
    /// into the core, its mailboxes or its actor tables' lists may be in use.
    #[inline]
    pub(crate) unsafe fn new(core: NonNull<Core>, own: NonNull<MailboxTable<M>>) -> Self {
        Self {
            head: TurnHead {
                message_type: TypeId::of::<M>(),
                slot: Core::NOBODY,
                generation: NonZeroU32::MIN,
                core,
            },
            own,
            mailbox: NonNull::dangling(),
            budget: 0,
            stopping: false,
        }
    }

    /// The core, for what must not keep the turn borrowed.
    #[inline]
    pub(crate) fn core_pointer(&self) -> NonNull<Core> {
        self.head.core
    }

    #[inline]
    pub(crate) fn core(&mut self) -> &mut Core {
        // SAFETY: `new`'s caller keeps the core valid and unborrowed; the answer
        // borrows the turn, which nobody else can reach while it is borrowed.
        unsafe { self.head.core.as_mut() }
    }

    #[inline]
    pub(crate) fn own(&mut self) -> &mut MailboxTable<M> {
        // SAFETY: as for `core`; the table is an allocation of its own.
        unsafe { self.own.as_mut() }
    }

    /// Makes this the turn of the actor in the given slot.
    #[inline]
    pub(crate) fn begin(&mut self, slot: u32) {
        self.core().running = slot;
        self.mailbox = self.own().at(slot);
    }

    /// The running actor's slot.
    #[inline]
    pub(crate) fn slot(&mut self) -> u32 {
        self.core().running
    }

    /// The running actor's mailbox.
    #[inline]
    pub(crate) fn mailbox(&mut self) -> &mut Mailbox<M> {
        // SAFETY: `begin` found it in the table, which keeps it where it is; nobody
        // else borrows it while the turn is borrowed.
        unsafe { self.mailbox.as_mut() }
    }

    /// Takes this actor's next message and counts it.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<M> {
        let mailbox = self.mailbox;
        let message = self.own().take(mailbox)?;
        self.core().counters.received += 1;
        Some(message)
    }

    pub(crate) fn address(&mut self) -> Address<M> {
        let generation = self.mailbox().generation();
        Address::new(self.slot(), generation, self.own().place())
    }

    // Always: it is a few loads and stores, and what is rare in it is out of line.
    #[inline(always)]
    pub(crate) fn send<N: 'static>(
        &mut self,
        to: Address<N>,
        message: N,
    ) -> Result<(), SendError<N>> {
        // Decided at compile time: most sends stay within one message type.
        let table = if TypeId::of::<N>() == TypeId::of::<M>() {
            Some(self.own.cast::<MailboxTable<N>>())
        } else {
            self.core().mailboxes.get(to.id.place.table())
        };
        self.core().deliver(table, to, message)
    }
}
