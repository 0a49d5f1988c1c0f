//! The handler style: an actor is a type that receives one message at a time.
//!
//! A handler runs to completion and never waits, as in Scala's `react`. What it
//! may do in its turn is what its [`Context`] offers.
#![allow(unsafe_code)]

use std::marker::{PhantomData, PhantomPinned};
use std::ptr::NonNull;
use std::time::Duration;

use crate::address::{ActorId, Address, SendError};
use crate::cell::Cell;
use crate::home::{Admits, Anywhere, Home, Hosts};
use crate::mailbox::MailboxPointer;
use crate::scheduler::Core;
use crate::spawn_error::SpawnError;
use crate::task::{Mailbox, spawn_task};
use crate::turn::{Body, Outcome, Turn};

/// An actor in the handler style: state and a handler for one message at a time.
///
/// Its state stands inline in its type's table, and its messages inline in their
/// mailboxes: both are best kept small, with anything large in a `Box`.
///
/// # Examples
///
/// ```
/// use ringspawn::{Actor, Context, Left, System};
/// use std::time::Duration;
///
/// struct Counter(u64);
///
/// impl Actor for Counter {
///     type Message = u64;
///
///     fn receive(&mut self, message: u64, context: &mut Context<'_, u64>) {
///         self.0 += message;
///         if self.0 >= 10 {
///             context.stop();
///         }
///     }
/// }
///
/// let mut system = System::new();
/// let counter = system.spawn(Counter(0));
/// system.send(counter, 4).unwrap();
/// system.send(counter, 6).unwrap();
/// assert_eq!(system.run(Duration::ZERO, 1_000), Left::Idle);
/// assert_eq!(system.counters().stopped, 1);
/// assert!(system.send(counter, 1).is_err());
/// ```
pub trait Actor<H: Home = Anywhere>: 'static {
    /// What this actor receives.
    type Message: 'static;

    /// Runs once, as the actor's first turn, before any message.
    fn started(&mut self, context: &mut Context<'_, Self::Message, H>) {
        let _ = context;
    }

    /// Handles one message.
    fn receive(&mut self, message: Self::Message, context: &mut Context<'_, Self::Message, H>);
}

/// What a handler may do during its turn.
///
/// There is nothing in a context: a reference to one is where the turn's core is.
pub struct Context<'a, M, H: Home = Anywhere> {
    /// A context is good for one turn.
    scope: PhantomData<(&'a mut (), H)>,
    /// It stays on the thread that runs the turn.
    message: PhantomData<*mut M>,
    /// Lets others reach the core while there is a reference to a context.
    _pinned: PhantomPinned,
}

impl<M: 'static, H: Home> Context<'_, M, H> {
    #[inline]
    fn of<'a>(turn: Turn<M>) -> &'a mut Self {
        // SAFETY: a type without a size is wherever one says, and nothing can be done with
        // it that needs more than its place.
        unsafe { turn.core_pointer().cast().as_mut() }
    }

    #[inline]
    fn turn(&self) -> Turn<M> {
        // Through the place alone: a reference to nothing may not be used to reach more.
        let place = std::ptr::from_ref(self).addr();
        let core = std::ptr::with_exposed_provenance_mut(place);
        // SAFETY: every context is made by `of`, and lent to user code in a turn whose
        // messages are of type `M`, during which nothing of the core is borrowed. The
        // slice has exposed the core.
        unsafe { Turn::running(NonNull::new_unchecked(core)) }
    }

    /// This actor's own address.
    pub fn address(&self) -> Address<M> {
        self.turn().address()
    }

    /// This actor's identity.
    pub fn id(&self) -> ActorId {
        self.address().id()
    }

    /// Puts a message into another actor's mailbox, or into this one's own, and returns.
    ///
    /// # Errors
    ///
    /// Gives the message back if no actor has this address, or no longer; the system
    /// counts it as undeliverable.
    #[inline(always)]
    pub fn send<N: 'static>(&mut self, to: Address<N>, message: N) -> Result<(), SendError<N>>
    where
        H: Admits<N>,
    {
        self.turn().send(to, message)
    }

    /// Spawns an actor in the handler style. It can be sent to at once and starts in
    /// a turn of its own.
    ///
    /// # Panics
    ///
    /// As [`System::spawn`](crate::System::spawn), which ends this actor.
    #[inline]
    pub fn spawn<B, J>(&mut self, actor: B) -> Address<B::Message>
    where
        B: Actor<J>,
        J: Home,
        H: Hosts<J> + Admits<B> + Admits<B::Message>,
    {
        self.try_spawn(actor)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Spawns an actor, or gives it back.
    ///
    /// # Errors
    ///
    /// As [`System::try_spawn`](crate::System::try_spawn).
    #[inline]
    pub fn try_spawn<B, J>(&mut self, actor: B) -> Result<Address<B::Message>, SpawnError<B>>
    where
        B: Actor<J>,
        J: Home,
        H: Hosts<J> + Admits<B> + Admits<B::Message>,
    {
        // SAFETY: the core is valid during a turn, and nothing of it is borrowed now.
        unsafe { spawn_handler(self.turn().core_pointer(), actor) }
    }

    /// Spawns an actor in the async style.
    ///
    /// # Panics
    ///
    /// As [`System::spawn`](crate::System::spawn), which ends this actor.
    pub fn spawn_async<N, F, T>(&mut self, body: F) -> Address<N>
    where
        N: 'static,
        F: FnOnce(Mailbox<N, H>) -> T,
        T: Future<Output = ()> + 'static,
        H: Admits<N> + Admits<T>,
    {
        self.try_spawn_async(body)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Spawns an actor in the async style, or gives `body` back.
    ///
    /// # Errors
    ///
    /// As [`System::try_spawn`](crate::System::try_spawn).
    pub fn try_spawn_async<N, F, T>(&mut self, body: F) -> Result<Address<N>, SpawnError<F>>
    where
        N: 'static,
        F: FnOnce(Mailbox<N, H>) -> T,
        T: Future<Output = ()> + 'static,
        H: Admits<N> + Admits<T>,
    {
        // SAFETY: the core is valid during a turn, and nothing of it is borrowed now.
        unsafe { spawn_task(self.turn().core_pointer(), body) }
    }

    /// Has the next actor that is spawned begin a strand of its own, in a
    /// [`ParallelSystem`](crate::ParallelSystem); elsewhere there are none, and nothing
    /// happens. Worth it for the roots of work that should be done side by side.
    #[cfg(feature = "threads")]
    pub fn new_strand(&mut self) {
        self.turn().core().begin_strand();
    }

    /// Ends this actor when its handler returns. What is queued then is dropped and counted.
    #[inline]
    pub fn stop(&mut self) {
        self.turn().mailbox().ask_stop();
    }

    /// The time that the host gave this slice.
    pub fn now(&self) -> Duration {
        self.turn().core().now
    }
}

/// # Safety
///
/// The core must be valid, and nothing of it borrowed.
#[inline]
pub(crate) unsafe fn spawn_handler<A: Actor<H>, H: Home>(
    core: NonNull<Core>,
    actor: A,
) -> Result<Address<A::Message>, SpawnError<A>> {
    let make = |_, actor| Handler {
        actor,
        home: PhantomData,
    };
    // SAFETY: the caller's promise.
    unsafe { Core::spawn(core, actor, make) }
}

/// A handler actor as its table runs it.
pub(crate) struct Handler<A, H> {
    actor: A,
    home: PhantomData<H>,
}

impl<A: Actor<H>, H: Home> Body<A::Message> for Handler<A, H> {
    const STARTS_APART: bool = true;
    const MESSAGES_AT_ONCE: u32 = 1;

    #[inline]
    fn enter(_: Turn<A::Message>) {}

    #[inline]
    unsafe fn start(mailbox: MailboxPointer<A::Message>, turn: Turn<A::Message>) -> Outcome {
        // SAFETY: the caller's promise.
        let handler: &mut Self = unsafe { Cell::actor(mailbox).as_mut() };
        handler.actor.started(Context::of(turn));
        match after_handler(mailbox) {
            // In a turn of its own.
            Outcome::Again => Outcome::More,
            outcome => outcome,
        }
    }

    #[inline(always)]
    unsafe fn turn(mailbox: MailboxPointer<A::Message>, turn: Turn<A::Message>) -> Outcome {
        // The mailbox comes back from the turn after a call: see `Table::run`.
        let (message, mailbox) = if turn.mailbox().is_plain() {
            (turn.mailbox().take_only(), mailbox)
        } else {
            (turn.take_more(), turn.mailbox_pointer())
        };
        turn.count_received(&message);
        if let Some(message) = message {
            // SAFETY: the caller's promise.
            let handler: &mut Self = unsafe { Cell::actor(mailbox).as_mut() };
            handler.actor.receive(message, Context::of(turn));
        }
        after_handler(mailbox)
    }
}

#[inline(always)]
fn after_handler<M>(mailbox: MailboxPointer<M>) -> Outcome {
    // SAFETY: the table keeps its mailboxes; nobody borrows the running one between calls.
    let mailbox = unsafe { mailbox.as_ref() };
    if mailbox.is_plain() {
        Outcome::Idle
    } else if mailbox.is_stopping() {
        Outcome::Stop
    } else if mailbox.is_empty() {
        Outcome::Waiting
    } else {
        Outcome::Again
    }
}
