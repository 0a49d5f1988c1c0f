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

use std::any::TypeId;
use std::cell::Cell;
use std::marker::PhantomData;
use std::pin::Pin;
use std::ptr::{self, NonNull};
use std::task::{self, Poll, Waker};
use std::time::Duration;

use crate::actor::{Actor, spawn_handler};
use crate::address::{ActorId, Address, SendError};
use crate::home::{Admits, Anywhere, Home, Hosts};
use crate::scheduler::{Core, SpawnError};
use crate::turn::{Body, Outcome, Turn};
use crate::wake;

thread_local! {
    /// The core that runs a slice on this thread, or null.
    static RUNNING: Cell<*mut Core> = const { Cell::new(ptr::null_mut()) };
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
        let core = self.turn().core_pointer();
        // SAFETY: the core is valid while its actor is polled, and nothing of it is borrowed now.
        unsafe { spawn_task(core, body) }.unwrap_or_else(|error| panic!("{error}"))
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
        let Some(core) = NonNull::new(RUNNING.get()) else {
            outside_turn(id)
        };
        // SAFETY: the pointer is set only while the core it names runs a slice, and
        // nobody borrows from it while user code, which is what calls this, runs.
        let polled = unsafe { &(*core.as_ptr()).turn.polled };
        let own = polled.slot == id.slot
            && polled.generation == id.generation
            && polled.message_type == TypeId::of::<M>();
        if !own {
            outside_turn(id);
        }
        // SAFETY: a turn of this message type is running.
        unsafe { Turn::running(core) }
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
        if turn.state().budget > 0
            && let Some(message) = turn.take()
        {
            turn.state().budget -= 1;
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
        let key = (self.address.id.place, self.address.id.slot);
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

    #[inline]
    fn enter(turn: Turn<M>) {
        turn.state().polled.message_type = TypeId::of::<M>();
    }

    unsafe fn start(self: Pin<&mut Self>, turn: Turn<M>) -> Outcome {
        // SAFETY: the caller's promise.
        unsafe { self.turn(turn) }
    }

    #[inline(always)]
    unsafe fn turn(self: Pin<&mut Self>, turn: Turn<M>) -> Outcome {
        if !turn.core().receivers.is_empty() {
            wake_receiver(turn);
        }
        let budget = turn.core().turn_budget;
        let (slot, generation) = (turn.mailbox().slot(), turn.mailbox().generation());
        let state = turn.state();
        state.budget = budget;
        state.waiting = false;
        state.polled.slot = slot;
        state.polled.generation = generation;
        // SAFETY: the future is pinned as part of the task, and never moved out of it.
        let future = unsafe { self.map_unchecked_mut(|task| &mut task.future) };
        // SAFETY: the core is valid and names this actor until the poll is over, when
        // nothing refers to the waker any more.
        let waker = unsafe { wake::borrowed(turn.core_pointer()) };
        let poll = future.poll(&mut task::Context::from_waker(&waker));
        let state = turn.state();
        // From here on no mailbox may be used, say by the drop of what ends.
        state.polled.slot = Core::NOBODY;
        let (left, waiting) = (state.budget, state.waiting);
        if left == budget {
            // A turn without a message must count for something, or a slice might never end.
            turn.core().spend_one();
        }
        match poll {
            Poll::Ready(()) => Outcome::Stop,
            // Its budget is used up, or it has sent to itself since it asked.
            Poll::Pending if waiting && !turn.mailbox().is_empty() => Outcome::More,
            Poll::Pending => Outcome::Idle,
        }
    }
}

/// Wakes the combinator, if there is one, that waits for this actor's mailbox.
#[cold]
fn wake_receiver<M: 'static>(turn: Turn<M>) {
    if turn.mailbox().is_empty() {
        return;
    }
    let key = (turn.own().place(), turn.mailbox().slot());
    let waker = turn.core().receivers.remove(&key);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Names a core in the thread-local for a slice, until dropped, also by a panic.
pub(crate) struct Running {
    outer: *mut Core,
}

impl Running {
    pub(crate) fn slice_of(core: NonNull<Core>) -> Self {
        Self {
            outer: RUNNING.replace(core.as_ptr()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(self.outer);
    }
}
