//! An actor runtime that stores actors and mailboxes by type.
//!
//! Many small actors, each with state and a mailbox of its own, share nothing and
//! send each other messages. Ringspawn runs them on one thread, natively or in
//! WebAssembly, and makes a message cost about as much as a few function calls:
//! actors of one type stand side by side in a table, so one indirect call runs a
//! whole batch of ready actors, whose handlers are then called directly.
//!
//! - An [`Actor`] in the *handler* style is a type that receives one message at a time.
//! - An actor in the *async* style is an `async` block that awaits its [`Mailbox`].
//! - Both run on one [`System`], are named by the same [`Address`] type, and send to
//!   each other freely.
//! - The host calls [`System::run`] in slices, with the time and a budget. The runtime
//!   itself knows no clock, thread, I/O or randomness, so a run can be repeated exactly.
//!
//! # Examples
//!
//! ```
#![doc = include_str!("../examples/ring.rs")]
//! ```
//!
//! # What is promised
//!
//! - **Order**: messages from one sender to one receiver arrive in the order in which
//!   they were sent. Nothing is promised between different senders.
//! - **Delivery**: [`send`](Context::send) never blocks and never runs the receiver.
//!   Mailboxes are unbounded. A message that can't be delivered is given back; one that
//!   is still queued when its actor ends is dropped and counted. Between turns, sent =
//!   received + queued + dropped.
//! - **Addresses** are plain data. One that has outlived its actor never reaches another.
//! - **Fairness**: an actor handles at most the turn budget of messages (32, see
//!   [`System::set_turn_budget`]) before the others that are ready get their turn.
//! - **Panics**: where the build unwinds, a panic ends the actor that panicked, alone,
//!   and is kept with its message ([`System::take_failures`]). Where it aborts, as a
//!   plain `wasm32-unknown-unknown` build does, it ends the program.
//! - **Memory** grows by small chunks and is checked: [`System::try_spawn`] says when
//!   there is no more. Freed slots are used again for actors of the same type.
//!
//! # What is not offered
//!
//! Actors on other machines, code loading, and CPU time. Not yet: bounded mailboxes,
//! ask, timers, names, links, monitors and supervisors.

#[cfg(all(
    feature = "threads",
    target_arch = "wasm32",
    not(target_feature = "atomics")
))]
compile_error!(
    "the feature `threads` needs shared memory in WebAssembly: build it with \
     RUSTFLAGS='-C target-feature=+atomics,+bulk-memory,+mutable-globals' and \
     -Zbuild-std=std,panic_unwind, as this project's xtask does"
);

mod actor;
mod address;
mod cell;
mod counters;
mod exit;
mod fold_hash;
mod home;
mod mailbox;
#[cfg(feature = "threads")]
mod parallel;
mod ready;
mod registry;
mod run_queue;
mod scheduler;
mod spawn_error;
mod state;
mod system;
mod table;
mod task;
mod turn;
mod wake;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod wasm;
pub mod workload;

pub use actor::{Actor, Context};
pub use address::{ActorId, Address, SendError};
pub use counters::Counters;
pub use exit::{Exit, ExitReason};
pub use home::{Admits, Anywhere, Home, Hosts, Local};
#[cfg(feature = "threads")]
pub use parallel::{Control, ParallelSystem, PoolCounters};
pub use scheduler::Left;
pub use spawn_error::{SpawnError, SpawnFailure};
pub use system::System;
pub use task::{Mailbox, Receive};
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub use wasm::Host;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
