//! The async style: an actor is an `async` block that awaits its mailbox.
//!
//! Futures of one `async` block are one type, so they stand in a table like
//! handlers do and are polled where they stand. During a slice, a thread-local names
//! the system, since combinators such as `join!` pass on a waker of their own, so
//! nothing else reaches it from inside; and the system names the actor that is
//! polled. A mailbox that is used at any other time says so in a panic.
//!
//! Any future can be awaited. A poll that isn't about messages is one turn that
//! receives nothing.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::offset_of;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{self, Poll, Waker};
use std::time::Duration;

use crate::actor::{Actor, spawn_handler};
use crate::address::{ActorId, Address, SendError};
use crate::cell;
use crate::home::{Admits, Anywhere, Home, Hosts};
use crate::mailbox::MailboxPointer;
use crate::scheduler::Core;
use crate::spawn_error::SpawnError;
use crate::turn::{Body, Outcome, Polled, Turn};
use crate::wake;

thread_local! {
    /// Who is polled by the core that runs a slice on this thread; else nobody. Through
    /// a shared place for nobody, so that nobody needs no test of its own.
    static POLLED: Cell<*const Polled> = const { Cell::new(&Polled::NOBODY) };
}

/// An async actor's end of its own mailbox, and its way to send and spawn.
///
/// It is plain data, so it may move between threads with its actor. It works only
/// while its own actor runs.
///
/// # Examples
///
/// ```
/// use ringspawn::{Left, Mailbox, System};
/// use std::time::Duration;
///
/// let mut system = System::new();
/// let adder = system.spawn_async(|mut mailbox: Mailbox<u64>| async move {
///     let mut sum = 0;
///     while sum < 10 {
///         sum += mailbox.receive().await;
///     }
/// });
/// system.send(adder, 4).unwrap();
/// system.send(adder, 6).unwrap();
/// assert_eq!(system.run(Duration::ZERO, 1_000), Left::Idle);
/// assert_eq!(system.counters().stopped, 1);
/// ```
#[derive(Debug)]
pub struct Mailbox<M, H: Home = Anywhere> {
    address: Address<M>,
    home: PhantomData<H>,
}

impl<M: 'static, H: Home> Mailbox<M, H> {
    /// This actor's own address.
    pub fn address(&self) -> Address<M> {
        self.address
    }

    /// This actor's identity.
    pub fn id(&self) -> ActorId {
        self.address.id()
    }

    /// Waits for the next message.
    ///
    /// # Panics
    ///
    /// The future panics when it is polled outside this actor's turn.
    pub fn receive(&mut self) -> Receive<'_, M, H> {
        Receive { mailbox: self }
    }

    /// Puts a message into another actor's mailbox, or into this one's own, and returns.
    ///
    /// # Errors
    ///
    /// Gives the message back if no actor has this address, or no longer; the system
    /// counts it as undeliverable.
    ///
    /// # Panics
    ///
    /// Outside this actor's turn.
    #[inline(always)]
    pub fn send<N: 'static>(&self, to: Address<N>, message: N) -> Result<(), SendError<N>>
    where
        H: Admits<N>,
    {
        self.turn().send(to, message)
    }

    /// Spawns an actor in the handler style.
    ///
    /// # Panics
    ///
    /// Outside this actor's turn, and as [`System::spawn`](crate::System::spawn).
    pub fn spawn<B, J>(&self, actor: B) -> Address<B::Message>
    where
        B: Actor<J>,
        J: Home,
        H: Hosts<J> + Admits<B> + Admits<B::Message>,
    {
        self.try_spawn(actor)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Spawns an actor in the handler style, or gives it back.
    ///
    /// # Errors
    ///
    /// As [`System::try_spawn`](crate::System::try_spawn).
    ///
    /// # Panics
    ///
    /// Outside this actor's turn.
    pub fn try_spawn<B, J>(&self, actor: B) -> Result<Address<B::Message>, SpawnError<B>>
    where
        B: Actor<J>,
        J: Home,
        H: Hosts<J> + Admits<B> + Admits<B::Message>,
    {
        let core = self.turn().core_pointer();
        // SAFETY: the core is valid while its actor is polled, and nothing of it is borrowed now.
        unsafe { spawn_handler(core, actor) }
    }

    /// Spawns an actor in the async style.
    ///
    /// # Panics
    ///
    /// Outside this actor's turn, and as [`System::spawn`](crate::System::spawn).
    pub fn spawn_async<N, F, T>(&self, body: F) -> Address<N>
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
    ///
    /// # Panics
    ///
    /// Outside this actor's turn.
    pub fn try_spawn_async<N, F, T>(&self, body: F) -> Result<Address<N>, SpawnError<F>>
    where
        N: 'static,
        F: FnOnce(Mailbox<N, H>) -> T,
        T: Future<Output = ()> + 'static,
        H: Admits<N> + Admits<T>,
    {
        let core = self.turn().core_pointer();
        // SAFETY: the core is valid while its actor is polled, and nothing of it is borrowed now.
        unsafe { spawn_task(core, body) }
    }

    /// Has the next actor that is spawned begin a strand of its own, in a
    /// [`ParallelSystem`](crate::ParallelSystem); elsewhere there are none, and nothing
    /// happens. Worth it for the roots of work that should be done side by side.
    ///
    /// # Panics
    ///
    /// Outside this actor's turn.
    #[cfg(feature = "threads")]
    pub fn new_strand(&self) {
        self.turn().core().begin_strand();
    }

    /// The time that the host gave this slice.
    ///
    /// # Panics
    ///
    /// Outside this actor's turn.
    pub fn now(&self) -> Duration {
        self.turn().core().now
    }

    /// The running turn, which must be this actor's own.
    #[inline(always)]
    fn turn(&self) -> Turn<M> {
        let id = &self.address.id;
        let polled = POLLED.get();
        // SAFETY: the pointer is to the polled actor's name in a core that runs a slice,
        // or to nobody's. Nobody borrows from the core while user code, which is what
        // calls this, runs.
        if !unsafe { &*polled }.is::<M>(id.key) {
            outside_turn(id);
        }
        // SAFETY: no actor has nobody's key, so the name is one in a core, and `slice_of`
        // had a pointer to all of it. A turn of this message type is running.
        unsafe {
            let core = polled.byte_sub(offset_of!(Core, polled)).cast_mut();
            Turn::running(NonNull::new_unchecked(core.cast()))
        }
    }
}

#[cold]
#[inline(never)]
fn outside_turn(id: &ActorId) -> ! {
    panic!("the mailbox of actor {id} was used outside that actor's own turn")
}

/// The future of [`Mailbox::receive`].
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct Receive<'a, M, H: Home = Anywhere> {
    mailbox: &'a mut Mailbox<M, H>,
}

impl<M: 'static, H: Home> Future for Receive<'_, M, H> {
    type Output = M;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<M> {
        let turn = self.mailbox.turn();
        if let Some(message) = turn.take_within_budget() {
            return Poll::Ready(message);
        }
        turn.state().waiting = true;
        if !wake::is_borrowed(context.waker()) {
            self.mailbox.keep_receiver(context.waker());
        }
        Poll::Pending
    }
}

impl<M: 'static, H: Home> Mailbox<M, H> {
    /// A combinator polls only what its own waker woke, so the next message must wake it.
    #[cold]
    fn keep_receiver(&self, waker: &Waker) {
        let waker = waker.clone();
        let key = (self.address.id.place, self.address.id.key.slot);
        self.turn().mailbox().watch();
        let replaced = self.turn().core().receivers.insert(key, waker);
        drop(replaced);
    }
}

/// # Safety
///
/// The core must be valid, and nothing of it borrowed.
pub(crate) unsafe fn spawn_task<N, H, F, T>(
    core: NonNull<Core>,
    body: F,
) -> Result<Address<N>, SpawnError<F>>
where
    N: 'static,
    H: Home,
    F: FnOnce(Mailbox<N, H>) -> T,
    T: Future<Output = ()> + 'static,
{
    let make = |address, body: F| Task {
        future: body(Mailbox {
            address,
            home: PhantomData,
        }),
    };
    // SAFETY: the caller's promise.
    unsafe { Core::spawn(core, body, make) }
}

/// An async actor as its table runs it.
pub(crate) struct Task<T> {
    future: T,
}

impl<M: 'static, T: Future<Output = ()> + 'static> Body<M> for Task<T> {
    /// The first poll is a poll like others. One place that polls lets the compiler
    /// put the future's code right into the loop.
    const STARTS_APART: bool = false;
    const MESSAGES_AT_ONCE: u32 = 0;

    #[inline]
    fn enter(turn: Turn<M>) {
        turn.enter_polls();
    }

    unsafe fn start(mailbox: MailboxPointer<M>, turn: Turn<M>) -> Outcome {
        // SAFETY: the caller's promise.
        unsafe { Self::turn(mailbox, turn) }
    }

    #[inline(always)]
    unsafe fn turn(mailbox: MailboxPointer<M>, turn: Turn<M>) -> Outcome {
        turn.begin_poll();
        // SAFETY: the caller's promise. Actors are never moved, nor futures out of them.
        let future = unsafe {
            let task: &mut Self = cell::Cell::actor(mailbox).as_mut();
            Pin::new_unchecked(&mut task.future)
        };
        // SAFETY: the core is valid and names this actor until the poll is over, when
        // nothing refers to the waker any more.
        let waker = unsafe { wake::borrowed(turn.core_pointer()) };
        let poll = future.poll(&mut task::Context::from_waker(&waker));
        // From here on no mailbox may be used, say by the drop of what ends.
        turn.core().polled.end();
        let waiting = turn.state().waiting;
        match poll {
            Poll::Ready(()) => Outcome::Stop,
            Poll::Pending if waiting && turn.mailbox().is_plain() => Outcome::Idle,
            // Its budget is used up, or it has sent to itself since it asked.
            Poll::Pending if waiting && !turn.mailbox().is_empty() => Outcome::More,
            Poll::Pending => Outcome::Waiting,
        }
    }
}

/// Has a core's polled actors reach it through the thread-local for a slice, until
/// dropped, also by a panic.
pub(crate) struct Running {
    outer: *const Polled,
}

impl Running {
    /// # Safety
    ///
    /// The core must stay where it is, valid, until this is dropped.
    pub(crate) unsafe fn slice_of(core: NonNull<Core>) -> Self {
        Self {
            // SAFETY: the caller's promise.
            outer: POLLED.replace(unsafe { &raw const (*core.as_ptr()).polled }),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        POLLED.set(self.outer);
    }
}
