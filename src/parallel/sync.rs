//! What the parallel runtime's protocols synchronize with, in one place, so that a model
//! checker can put its own in.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
