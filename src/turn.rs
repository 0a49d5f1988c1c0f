//! One visit to one actor: what its code can reach meanwhile.
//!
//! The state of the turn stands in the core, of which one turn runs at a time, and a
//! [`Turn`] is a pointer to it that knows the message type. Every method makes the
//! references it needs and gives them up before user code runs, so user code may come
//! back to the turn in whatever way.
#![allow(unsafe_code)]

use std::any::TypeId;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use crate::address::{Address, Key, SendError};
use crate::mailbox::{Mailbox, MailboxPointer, MailboxTable};
use crate::ready::OwnerPointer;
use crate::scheduler::Core;

/// What a body did in its turn.
pub(crate) enum Outcome {
    /// It handled what there was, and its mailbox is plain and empty.
    Idle,
    /// It waits, whatever its mailbox holds.
    Waiting,
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

    /// Messages that `turn` takes without asking whether the budget allows it.
    const MESSAGES_AT_ONCE: u32;

    /// Prepares for a batch of turns of such actors.
    fn enter(turn: Turn<M>);

    /// Runs the first turn, in which the actor starts.
    ///
    /// # Safety
    ///
    /// The turn must have been begun for this mailbox, which is one of a cell of this
    /// type, and nothing of the core or of the actor be borrowed.
    unsafe fn start(mailbox: MailboxPointer<M>, turn: Turn<M>) -> Outcome;

    /// Handles one message, or as many as there are and the budget allows.
    ///
    /// # Safety
    ///
    /// As for [`start`](Self::start).
    unsafe fn turn(mailbox: MailboxPointer<M>, turn: Turn<M>) -> Outcome;
}

/// The part of the core that belongs to the turn that is running.
pub(crate) struct TurnState {
    /// The mailboxes of the running table's message type.
    own: *mut (),
    /// What the running table owns among them; none between batches.
    pub(crate) owner: Option<OwnerPointer>,
    /// The mailbox of the actor whose turn it is, by which a panic finds it too; or none.
    pub(crate) running: Option<NonNull<()>>,
    /// What follows is up to date if the running actor's mailbox says `LOOK`: messages
    /// that it took in this turn, what the slice had left when it began, and whether it
    /// is a first poll.
    taken: u32,
    first_poll: bool,
    left_before: i64,
    /// A polled actor asked for a message and was told to wait.
    pub(crate) waiting: bool,
}

/// The async actor that is being polled, by which a mailbox recognises its own turn.
pub(crate) struct Polled {
    /// No slot's at any other time.
    key: Key,
    /// The message type, by a function that gives its id.
    message_type: fn() -> TypeId,
}

impl Polled {
    pub(crate) const NOBODY: Self = Self {
        key: Key::NOBODY,
        message_type: TypeId::of::<()>,
    };

    /// Whether it is the actor that receives `M` and has this key.
    #[inline(always)]
    pub(crate) fn is<M: 'static>(&self, key: Key) -> bool {
        self.key == key && self.receives::<M>()
    }

    /// A function whose answer is another one is another function, so one comparison of
    /// pointers mostly shows that the types are the same; comparing ids takes eight
    /// instructions. The same type may have several functions, though.
    #[inline(always)]
    fn receives<M: 'static>(&self) -> bool {
        std::ptr::fn_addr_eq(self.message_type, TypeId::of::<M> as fn() -> TypeId)
            || self.message_type_is(TypeId::of::<M>())
    }

    #[cold]
    #[inline(never)]
    fn message_type_is(&self, id: TypeId) -> bool {
        (self.message_type)() == id
    }

    /// The actor of this key is polled no more.
    #[inline]
    pub(crate) fn end(&mut self) {
        self.key = Key::NOBODY;
    }

    pub(crate) fn key(&self) -> Key {
        self.key
    }
}

impl TurnState {
    pub(crate) fn new() -> Self {
        Self {
            own: ptr::null_mut(),
            owner: None,
            running: None,
            taken: 0,
            first_poll: false,
            left_before: 0,
            waiting: false,
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
    pub(crate) unsafe fn enter(
        mut core: NonNull<Core>,
        own: NonNull<MailboxTable<M>>,
        owner: OwnerPointer,
    ) -> Self {
        // SAFETY: the caller's promise.
        let state = unsafe { &mut core.as_mut().turn };
        state.own = own.as_ptr().cast();
        state.owner = Some(owner);
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
        self.state().owner = None;
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
    pub(crate) fn mailbox_pointer(self) -> MailboxPointer<M> {
        // SAFETY: `begin` put a mailbox of this type here.
        unsafe { self.state().running.unwrap_unchecked() }.cast()
    }

    /// The running actor's mailbox, to be given up as `core` is.
    #[inline]
    pub(crate) fn mailbox<'a>(self) -> &'a mut Mailbox<M> {
        // SAFETY: the table keeps its mailboxes where they are; as for `core`.
        unsafe { &mut *self.mailbox_pointer().as_ptr() }
    }

    /// Prepares for a poll of the running actor.
    #[inline]
    pub(crate) fn begin_poll(self) {
        let key = self.mailbox().key();
        self.state().waiting = false;
        self.core().polled.key = key;
    }

    /// For the batch that begins: its polled actors receive `M`.
    #[inline]
    pub(crate) fn enter_polls(self) {
        self.core().polled.message_type = TypeId::of::<M>;
    }

    /// Takes this actor's next message, whatever its mailbox holds, and counts it.
    #[inline]
    pub(crate) fn take(self) -> Option<M> {
        let message = if self.mailbox().is_plain() {
            self.mailbox().take_only()
        } else {
            self.take_more()
        };
        self.count_received(&message);
        message
    }

    #[inline]
    pub(crate) fn count_received(self, message: &Option<M>) {
        if message.is_some() {
            self.core().count_received();
        }
    }

    /// As [`take`](Self::take), while the turn's budget lasts.
    #[inline]
    pub(crate) fn take_within_budget(self) -> Option<M> {
        let mailbox = self.mailbox();
        if !mailbox.is_plain() && (mailbox.is_empty() || !self.may_take_more()) {
            return None;
        }
        self.take()
    }

    #[inline(never)]
    pub(crate) fn take_more(self) -> Option<M> {
        self.own().take(self.mailbox_pointer())
    }

    /// Counts one more message of this turn, and says whether the budget allows it.
    #[inline(never)]
    pub(crate) fn may_take_more(self) -> bool {
        if !self.mailbox().set_look() {
            // There was nothing to look at, so it took a message.
            self.set_books(1, i64::MAX);
        }
        let core = self.core();
        core.turn.taken += 1;
        core.turn.taken <= core.turn_budget
    }

    /// Whether the running actor may handle one more message in this turn.
    pub(crate) fn goes_on(self, outcome: &Outcome) -> bool {
        matches!(outcome, Outcome::Again)
            && self.core().turn_budget > 1
            && self.may_take_more()
            && !self.core().is_spent()
    }

    fn set_books(self, taken: u32, left_before: i64) {
        let state = self.state();
        state.taken = taken;
        state.first_poll = false;
        state.left_before = left_before;
    }

    /// Prepares for a turn whose mailbox isn't plain: afterwards it is, or the end of the
    /// turn will be looked at. Says whether it is the first.
    #[inline]
    pub(crate) fn enter_rare(self, taken: u32) -> bool {
        self.mailbox().take_plain_start() || self.enter_looking(taken)
    }

    /// Has the first poll counted when it is over.
    #[inline]
    pub(crate) fn expect_first_poll(self) {
        if !self.mailbox().set_look() {
            self.set_books(0, i64::MAX);
        }
        self.state().first_poll = true;
    }

    #[inline(never)]
    fn enter_looking(self, taken: u32) -> bool {
        self.mailbox().set_look();
        self.set_books(taken, self.core().left());
        self.wake_watcher();
        self.mailbox().take_start()
    }

    /// Counts an actor's start, which is charged like a message.
    #[inline]
    pub(crate) fn count_start(self) {
        self.core().counters.started += 1;
        self.core().spend_one();
    }

    /// Counts what a turn was that isn't just a message taken from a plain mailbox.
    #[inline]
    pub(crate) fn look_back(self) {
        let mailbox = self.mailbox();
        if mailbox.is_looking() || mailbox.is_plain() && !mailbox.is_empty() {
            self.look_closer();
        }
    }

    #[inline(never)]
    fn look_closer(self) {
        let look = self.mailbox().take_look();
        let core = self.core();
        if look && core.turn.first_poll {
            return self.count_start();
        }
        let received_none = if look {
            core.left() == core.turn.left_before
        } else {
            self.mailbox().is_plain()
        };
        if received_none {
            // A turn without a message must count for something, or a slice might never end.
            core.spend_one();
        }
    }

    /// Whether the running turn, which has ended, is the last of its batch.
    #[inline]
    pub(crate) fn is_batch_over(self) -> bool {
        let others_turn = !self.core().run_queue.is_empty()
            && self
                .own()
                .is_round_over(self.mailbox_pointer(), self.owner());
        others_turn || self.core().is_spent()
    }

    #[inline]
    fn owner(self) -> OwnerPointer {
        // SAFETY: `enter` put it here.
        unsafe { self.state().owner.unwrap_unchecked() }
    }

    /// Wakes the combinator, if there is one, that waits for a message that has come.
    fn wake_watcher(self) {
        if self.mailbox().is_empty() || !self.mailbox().take_watched() {
            return;
        }
        let key = (self.own().place(), self.mailbox().key().slot);
        let waker = self.core().receivers.remove(&key);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(crate) fn address(self) -> Address<M> {
        let at = self.mailbox_pointer().addr().get();
        Address::new(self.mailbox().key(), self.own().place(), at)
    }

    // Always: it is a few loads and stores, and what is rare in it is out of line.
    #[inline(always)]
    pub(crate) fn send<N: 'static>(self, to: Address<N>, message: N) -> Result<(), SendError<N>> {
        // Decided at compile time: most sends stay within one message type.
        if TypeId::of::<N>() == TypeId::of::<M>() {
            // SAFETY: `enter` put a table for messages of type `M`, which is `N`, here.
            let table = unsafe { NonNull::new_unchecked(self.state().own.cast()) };
            return self.core().deliver(table, to, message);
        }
        self.core().look_up_and_deliver(to, message)
    }
}
