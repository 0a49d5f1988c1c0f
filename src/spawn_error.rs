//! Why actors could not be spawned.

use std::fmt;

use crate::address::Place;

/// Why an actor could not be spawned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpawnFailure {
    /// Memory could not grow; so many actors are alive.
    OutOfMemory {
        /// Actors alive at that moment.
        alive: u64,
    },
    /// The system has 4096 message types already.
    TooManyMessageTypes,
}

impl fmt::Display for SpawnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfMemory { alive } => write!(f, "out of memory after {alive} actors"),
            Self::TooManyMessageTypes => {
                write!(f, "a system can hold {} message types", Place::MAX_TABLES)
            }
        }
    }
}

/// An actor that could not be spawned, given back; for an async one, what would have made it.
pub struct SpawnError<A> {
    /// What was to be spawned.
    pub actor: A,
    /// Why it was not.
    pub failure: SpawnFailure,
}

impl<A> fmt::Debug for SpawnError<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpawnError")
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

impl<A> fmt::Display for SpawnError<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failure.fmt(f)
    }
}

impl<A> std::error::Error for SpawnError<A> {}
