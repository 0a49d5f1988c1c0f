//! The system of one thread: what its host holds and calls.
#![allow(unsafe_code)]

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use crate::actor::{Actor, spawn_handler};
use crate::address::{Address, SendError};
use crate::counters::Counters;
use crate::exit::{Exit, forget_place};
use crate::home::Home;
use crate::scheduler::{Core, Left};
use crate::spawn_error::SpawnError;
use crate::task::{Mailbox, spawn_task};

/// A world of actors on one thread.
///
/// # Examples
///
/// ```
/// use ringspawn::{Actor, Context, Left, System};
/// use std::time::Duration;
///
/// struct Greeter;
///
/// impl Actor for Greeter {
///     type Message = &'static str;
///
///     fn receive(&mut self, name: &'static str, _: &mut Context<'_, &'static str>) {
///         println!("hello, {name}");
///     }
/// }
///
/// let mut system = System::new();
/// let greeter = system.spawn(Greeter);
/// system.send(greeter, "world").unwrap();
/// while system.run(Duration::ZERO, 1_000) == Left::More {}
/// assert_eq!(system.counters().received, 1);
/// ```
pub struct System {
    core: Core,
}

impl Default for System {
    fn default() -> Self {
        Self::new()
    }
}

impl System {
    /// A system without actors.
    pub fn new() -> Self {
        Self { core: Core::new(0) }
    }

    /// Sets how many messages an actor may handle in one turn.
    ///
    /// # Panics
    ///
    /// If `budget` is 0.
    pub fn set_turn_budget(&mut self, budget: u32) {
        assert!(budget > 0, "the turn budget is 0; it must be at least 1");
        self.core.turn_budget = budget;
    }

    /// Tells the system how to learn a panic's place: called right after a panic was
    /// caught, it gives the "file:line:column" that the host's panic hook noted.
    pub fn set_panic_place(&mut self, panic_place: fn() -> Option<String>) {
        self.core.panic_place = Some(panic_place);
    }

    /// Sets what is called when an async actor was woken while the system wasn't
    /// running, at most once before the next slice. It may be called on any thread,
    /// and should see to it that [`run`](Self::run) is called soon.
    pub fn set_notify(&mut self, notify: impl Fn() + Send + Sync + 'static) {
        self.core.set_notify(Arc::new(notify));
    }

    /// Spawns an actor in the handler style. It starts in the next slice, and can be
    /// sent to at once.
    ///
    /// # Panics
    ///
    /// When memory can't grow, or there are 4096 message types already; see
    /// [`try_spawn`](Self::try_spawn).
    #[inline]
    pub fn spawn<A: Actor<H>, H: Home>(&mut self, actor: A) -> Address<A::Message> {
        self.try_spawn(actor)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Spawns an actor in the handler style, or gives it back.
    ///
    /// # Errors
    ///
    /// When memory can't grow, or there are 4096 message types already.
    #[inline]
    pub fn try_spawn<A: Actor<H>, H: Home>(
        &mut self,
        actor: A,
    ) -> Result<Address<A::Message>, SpawnError<A>> {
        // SAFETY: the core is ours, and nothing of it is borrowed between turns.
        unsafe { spawn_handler(NonNull::from(&mut self.core), actor) }
    }

    /// Spawns an actor in the async style: `body` gets the actor's mailbox and gives
    /// its future, which is polled first in the next slice.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn).
    #[inline]
    pub fn spawn_async<M, H, F, T>(&mut self, body: F) -> Address<M>
    where
        M: 'static,
        H: Home,
        F: FnOnce(Mailbox<M, H>) -> T,
        T: Future<Output = ()> + 'static,
    {
        self.try_spawn_async(body)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Spawns an actor in the async style, or gives `body` back.
    ///
    /// # Errors
    ///
    /// As [`try_spawn`](Self::try_spawn).
    #[inline]
    pub fn try_spawn_async<M, H, F, T>(&mut self, body: F) -> Result<Address<M>, SpawnError<F>>
    where
        M: 'static,
        H: Home,
        F: FnOnce(Mailbox<M, H>) -> T,
        T: Future<Output = ()> + 'static,
    {
        // SAFETY: as in `try_spawn`.
        unsafe { spawn_task(NonNull::from(&mut self.core), body) }
    }

    /// Puts a message into an actor's mailbox.
    ///
    /// # Errors
    ///
    /// Gives the message back if no actor has this address, or no longer; the system
    /// counts it as undeliverable.
    #[inline]
    pub fn send<M: 'static>(&mut self, to: Address<M>, message: M) -> Result<(), SendError<M>> {
        self.core.look_up_and_deliver(to, message)
    }

    /// Runs ready actors for about `budget` messages, and says what is left.
    ///
    /// `now` is the host's time since whatever moment it likes; it must not go
    /// backwards. A start and a poll without a message cost one message. A panic in
    /// an actor ends that actor alone, if the build unwinds.
    pub fn run(&mut self, now: Duration, budget: u64) -> Left {
        forget_place(self.core.panic_place);
        self.core.now = now;
        self.core.grant(budget);
        let core = NonNull::from(&mut self.core);
        // SAFETY: the core is ours, and nothing of it is borrowed between turns.
        unsafe { Core::run(core) }
    }

    /// Whether an actor has this address still.
    pub fn is_alive<M: 'static>(&self, address: Address<M>) -> bool {
        self.core.is_alive(address)
    }

    /// What has happened so far. Costs a look at each message type.
    pub fn counters(&self) -> Counters {
        self.core.counters()
    }

    /// Messages waiting in all mailboxes, counted one by one.
    pub fn queued(&self) -> u64 {
        self.core.queued()
    }

    /// Bytes reserved for actors and mailboxes, whether in use or not. Costs a look
    /// at each chunk.
    pub fn reserved_bytes(&self) -> usize {
        self.core.reserved_bytes()
    }

    /// Takes the failures since the last call: the first 64 of them, with their reasons.
    pub fn take_failures(&mut self) -> Vec<Exit> {
        self.core.take_failures()
    }
}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("System")
            .field("counters", &self.counters())
            .finish_non_exhaustive()
    }
}
