//! Addresses: small, copyable names of mailboxes.
//!
//! An address names a mailbox slot, the slot's generation and the place of its
//! table: the strand (the `System`) and the message type within it.
//!
//! ```text
//!   slot: u32 | generation: u32 | place: strand 20 bits, message type 12 bits | at: usize
//! ```
//!
//! Besides, it says where in memory the mailbox is, which is checked before it is used.
//!
//! A slot's generation moves on when its actor ends, so an address that has
//! outlived its actor is recognised and never reaches the slot's next owner.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;

const TABLE_BITS: u32 = 12;

/// Which strand, and which message type's mailboxes within it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place(u32);

impl Place {
    /// Message types that one system can hold; the address has 12 bits for them.
    pub(crate) const MAX_TABLES: usize = 1 << TABLE_BITS;

    /// Strands that addresses can tell apart.
    #[cfg(feature = "threads")]
    pub(crate) const MAX_STRANDS: usize = 1 << (32 - TABLE_BITS);

    pub(crate) fn new(strand: u32, table: usize) -> Self {
        debug_assert!(table < Self::MAX_TABLES && strand < 1 << (32 - TABLE_BITS));
        Self(strand << TABLE_BITS | table as u32)
    }

    pub(crate) fn table(self) -> usize {
        (self.0 & (Self::MAX_TABLES as u32 - 1)) as usize
    }

    pub(crate) fn strand(self) -> u32 {
        self.0 >> TABLE_BITS
    }
}

/// Names one actor among those that receive the same type of messages.
// In this order, so that both halves are compared at once.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Key {
    pub(crate) slot: u32,
    pub(crate) generation: NonZeroU32,
}

impl Key {
    /// No actor's: this slot is never given out.
    pub(crate) const NOBODY: Self = Self {
        slot: u32::MAX,
        generation: NonZeroU32::MIN,
    };

    #[inline]
    fn bits(self) -> u64 {
        u64::from(self.generation.get()) << 32 | u64::from(self.slot)
    }
}

impl PartialEq for Key {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.bits().hash(state);
    }
}

/// Names one actor for good; plain data, without the message type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ActorId {
    pub(crate) key: Key,
    pub(crate) place: Place,
}

impl ActorId {
    /// The number of the strand that the actor is on.
    #[cfg(feature = "threads")]
    pub(crate) fn strand(self) -> u32 {
        self.place.strand()
    }
}

impl fmt::Display for ActorId {
    /// Strand, message type, slot and generation, as in `<0.1.502.1>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<{}.{}.{}.{}>",
            self.place.strand(),
            self.place.table(),
            self.key.slot,
            self.key.generation
        )
    }
}

/// Where messages of type `M` for one actor go. `Copy`; 16 bytes in WebAssembly, 24 natively.
///
/// Keeping an address keeps nothing alive: a send to an actor that has ended
/// gives the message back.
pub struct Address<M> {
    pub(crate) id: ActorId,
    /// Where in memory its mailbox was when it was made. Only to be believed if the
    /// mailbox of the slot is there: then it is known sooner than by looking it up.
    pub(crate) at: usize,
    message: PhantomData<fn(M)>,
}

impl<M> Address<M> {
    pub(crate) fn new(key: Key, place: Place, at: usize) -> Self {
        Self {
            id: ActorId { key, place },
            at,
            message: PhantomData,
        }
    }

    /// The identity of the actor behind this address.
    pub fn id(self) -> ActorId {
        self.id
    }
}

impl<M> Clone for Address<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Address<M> {}

impl<M> PartialEq for Address<M> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<M> Eq for Address<M> {}

impl<M> Hash for Address<M> {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.id.hash(state);
    }
}

impl<M> fmt::Debug for Address<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address{}", self.id)
    }
}

/// A message that was not accepted, given back.
#[derive(PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError<M> {
    /// No actor has this address, or no longer.
    NoActor(M),
    /// The mailbox's queue could not grow.
    OutOfMemory(M),
}

impl<M> SendError<M> {
    /// The message that was not accepted.
    pub fn into_message(self) -> M {
        match self {
            Self::NoActor(message) | Self::OutOfMemory(message) => message,
        }
    }
}

impl<M> fmt::Debug for SendError<M> {
    /// Without the message, so that any error can be unwrapped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoActor(_) => "NoActor(..)",
            Self::OutOfMemory(_) => "OutOfMemory(..)",
        })
    }
}

impl<M> fmt::Display for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoActor(_) => "no such actor",
            Self::OutOfMemory(_) => "out of memory for the mailbox",
        })
    }
}

impl<M> std::error::Error for SendError<M> {}
