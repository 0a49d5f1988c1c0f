//! One visit to one actor: what its code can reach meanwhile.
//!
//! The state of the turn stands in the core, of which one turn runs at a time, and a
//! [`Turn`] is a pointer to it that knows the message type. Every method makes the
//! references it needs and gives them up before user code runs, so user code may come
//! back to the turn in whatever way.
#![allow(unsafe_code)]

use std::any::TypeId;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::ptr::{self, NonNull};

use crate::address::{Address, SendError};
use crate::mailbox::{Mailbox, MailboxPointer, MailboxTable};
use crate::scheduler::Core;

/// What a body did in its turn.
pub(crate) enum Outcome {
    /// It handled what there was, or waits for something else.
    Idle,
    /// It handled one message, and there is more.
    Again,
    /// Its budget is used up, and there is more.
    More,
    /// It came to its end.
    Stop,
}

/// An actor as its table runs it: one type for each style.
pub(crate) trait Body<M>: Sized + 'static {
    /// Whether the first turn is `start`, not `turn`.
    const STARTS_APART: bool;

    /// Prepares for a batch of turns of such actors.
    fn enter(turn: Turn<M>);

    /// Runs the first turn, in which the actor starts.
    ///
    /// # Safety
    ///
    /// The turn must have been begun for this actor, and nothing of the core be borrowed.
    unsafe fn start(self: Pin<&mut Self>, turn: Turn<M>) -> Outcome;

    /// Handles one message, or as many as there are and the budget allows.
    ///
    /// # Safety
    ///
    /// As for [`start`](Self::start).
    unsafe fn turn(self: Pin<&mut Self>, turn: Turn<M>) -> Outcome;
}

/// The part of the core that belongs to the turn that is running.
pub(crate) struct TurnState {
    /// The mailboxes of the running table's message type.
    own: *mut (),
    /// The mailbox of the actor whose turn it is, by which a panic finds it too; or none.
    pub(crate) running: Option<NonNull<()>>,
    /// The handler asked for its actor's end.
    pub(crate) stopping: bool,
    /// Messages that a polled actor may still take in this turn.
    pub(crate) budget: u32,
    /// A polled actor asked for a message and was told to wait.
    pub(crate) waiting: bool,
    pub(crate) polled: Polled,
}

/// The async actor that is being polled, by which a mailbox recognises its own turn.
pub(crate) struct Polled {
    /// No slot at any other time.
    pub(crate) slot: u32,
    pub(crate) generation: NonZeroU32,
    pub(crate) message_type: TypeId,
}

impl TurnState {
    pub(crate) fn new() -> Self {
        Self {
            own: ptr::null_mut(),
            running: None,
            stopping: false,
            budget: 0,
            waiting: false,
            polled: Polled {
                slot: Core::NOBODY,
                generation: NonZeroU32::MIN,
                message_type: TypeId::of::<()>(),
            },
        }
    }
}

/// The turn that is running, of an actor that receives `M`.
pub(crate) struct Turn<M> {
    core: NonNull<Core>,
    message: PhantomData<fn(M)>,
}

impl<M> Clone for Turn<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Turn<M> {}

impl<M: 'static> Turn<M> {
    /// For a batch of turns of a table with these mailboxes.
    ///
    /// # Safety
    ///
    /// Both must be valid as long as the batch runs. Whenever a method is called, no
    /// reference into the core, its mailboxes or its actor tables' lists may be in use.
    #[inline]
    pub(crate) unsafe fn enter(mut core: NonNull<Core>, own: NonNull<MailboxTable<M>>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { core.as_mut() }.turn.own = own.as_ptr().cast();
        // SAFETY: this batch's messages are of type `M`.
        unsafe { Self::running(core) }
    }

    /// # Safety
    ///
    /// As for [`enter`](Self::enter), of a batch whose messages are of type `M`.
    #[inline]
    pub(crate) unsafe fn running(core: NonNull<Core>) -> Self {
        Self {
            core,
            message: PhantomData,
        }
    }

    /// Makes this the turn of the actor of the given mailbox, which was filled.
    #[inline]
    pub(crate) fn begin(self, mailbox: MailboxPointer<M>) {
        self.state().running = Some(mailbox.cast());
    }

    /// Ends the batch.
    #[inline]
    pub(crate) fn end(self) {
        self.state().running = None;
    }

    /// The core, for what may run user code.
    #[inline]
    pub(crate) fn core_pointer(self) -> NonNull<Core> {
        self.core
    }

    /// The core, to be given up before user code runs.
    #[inline]
    pub(crate) fn core<'a>(self) -> &'a mut Core {
        // SAFETY: `enter`'s caller keeps the core valid and unborrowed. The answer is
        // used for one statement at a time, none of which runs user code.
        unsafe { &mut *self.core.as_ptr() }
    }

    #[inline]
    pub(crate) fn state<'a>(self) -> &'a mut TurnState {
        &mut self.core().turn
    }

    #[inline]
    pub(crate) fn own<'a>(self) -> &'a mut MailboxTable<M> {
        // SAFETY: as for `core`; `enter` put a table of this type here, which is an
        // allocation of its own.
        unsafe { &mut *self.state().own.cast() }
    }

    #[inline]
    fn mailbox_pointer(self) -> MailboxPointer<M> {
        // SAFETY: `begin` put a mailbox of this type here.
        unsafe { self.state().running.unwrap_unchecked() }.cast()
    }

    /// The running actor's mailbox, to be given up as `core` is.
    #[inline]
    pub(crate) fn mailbox<'a>(self) -> &'a mut Mailbox<M> {
        // SAFETY: the table keeps its mailboxes where they are; as for `core`.
        unsafe { &mut *self.mailbox_pointer().as_ptr() }
    }

    /// Takes this actor's next message and counts it.
    #[inline]
    pub(crate) fn take(self) -> Option<M> {
        let message = self.own().take(self.mailbox_pointer())?;
        self.core().counters.received += 1;
        Some(message)
    }

    pub(crate) fn address(self) -> Address<M> {
        let mailbox = self.mailbox();
        Address::new(mailbox.slot(), mailbox.generation(), self.own().place())
    }

    // Always: it is a few loads and stores, and what is rare in it is out of line.
    #[inline(always)]
    pub(crate) fn send<N: 'static>(self, to: Address<N>, message: N) -> Result<(), SendError<N>> {
        // Decided at compile time: most sends stay within one message type.
        let table = if TypeId::of::<N>() == TypeId::of::<M>() {
            NonNull::new(self.state().own.cast::<MailboxTable<N>>())
        } else {
            self.core().mailboxes.get(to.id.place.table())
        };
        self.core().deliver(table, to, message)
    }
}
