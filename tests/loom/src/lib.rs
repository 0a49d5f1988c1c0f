//! The parallel runtime's protocols in every order of events and with every stale read
//! that the memory model allows, within bounds: the very source files that the runtime
//! is made of, compiled against Loom's atomics and locks instead of the standard ones.
//!
//! Loom takes a sequentially consistent access for an acquiring or releasing one, so what
//! needs more than that has a fence.
#![cfg(test)]

#[path = "../../../src/parallel/activity.rs"]
mod activity;
#[path = "../../../src/parallel/inbox.rs"]
mod inbox;
#[path = "../../../src/parallel/sleepers.rs"]
mod sleepers;

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
    pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
}

mod model;
mod notice;
mod parking;
mod quiet;
mod strand;
