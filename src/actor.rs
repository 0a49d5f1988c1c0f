//! The handler style: an actor is a type that receives one message at a time.
//!
//! A handler runs to completion and never waits, as in Scala's `react`. What it
//! may do in its turn is what its [`Context`] offers.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::pin::Pin;
use std::ptr::NonNull;
use std::time::Duration;

use crate::address::{ActorId, Address, SendError};
use crate::home::{Admits, Anywhere, Home, Hosts};
use crate::scheduler::{Core, SpawnError};
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
pub struct Context<'a, M, H: Home = Anywhere> {
    turn: Turn<M>,
    /// A context is good for one turn, on the thread that runs it.
    scope: PhantomData<(&'a mut (), H)>,
}

impl<M: 'static, H: Home> Context<'_, M, H> {
    /// This actor's own address.
    pub fn address(&mut self) -> Address<M> {
        self.turn.address()
    }

    /// This actor's identity.
    pub fn id(&mut self) -> ActorId {
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
        self.turn.send(to, message)
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
        unsafe { spawn_handler(self.turn.core_pointer(), actor) }
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
        // SAFETY: the core is valid during a turn, and nothing of it is borrowed now.
        unsafe { spawn_task(self.turn.core_pointer(), body) }
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Ends this actor when its handler returns. What is queued then is dropped and counted.
    #[inline]
    pub fn stop(&mut self) {
        self.turn.state().stopping = true;
    }

    /// The time that the host gave this slice.
    pub fn now(&mut self) -> Duration {
        self.turn.core().now
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

// Nothing in a handler depends on its place.
impl<A, H> Unpin for Handler<A, H> {}

impl<A: Actor<H>, H: Home> Body<A::Message> for Handler<A, H> {
    const STARTS_APART: bool = true;

    #[inline]
    fn enter(_: Turn<A::Message>) {}

    #[inline]
    unsafe fn start(self: Pin<&mut Self>, turn: Turn<A::Message>) -> Outcome {
        self.get_mut().actor.started(&mut Context {
            turn,
            scope: PhantomData,
        });
        if std::mem::take(&mut turn.state().stopping) {
            Outcome::Stop
        } else if turn.mailbox().is_empty() {
            Outcome::Idle
        } else {
            Outcome::More
        }
    }

    #[inline(always)]
    unsafe fn turn(self: Pin<&mut Self>, turn: Turn<A::Message>) -> Outcome {
        if let Some(message) = turn.take() {
            self.get_mut().actor.receive(
                message,
                &mut Context {
                    turn,
                    scope: PhantomData,
                },
            );
        }
        if turn.state().stopping {
            turn.state().stopping = false;
            Outcome::Stop
        } else if turn.mailbox().is_empty() {
            Outcome::Idle
        } else {
            Outcome::Again
        }
    }
}
