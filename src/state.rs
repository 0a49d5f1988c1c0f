//! What becomes of a mailbox's actor next, as bits.

/// What senders and the actor's table must know of a mailbox, as bits.
///
/// Nearly every message finds its mailbox `IDLE` and nearly every turn finds and leaves
/// it just `BUSY`, so one comparison each tells that nothing else has to be looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct State(u8);

impl State {
    /// The actor waits, and the mailbox is empty.
    pub(crate) const IDLE: Self = Self(0);
    /// It is linked, running or being spawned. Alone: it holds at most the message that
    /// made it ready, and when that is taken, nothing.
    pub(crate) const BUSY: Self = Self(1);
    /// Something came while it was busy.
    pub(crate) const MORE: Self = Self(2);
    /// It is being spawned, or linked and not started yet; or its slot is free.
    pub(crate) const STARTING: Self = Self(4);
    /// The actor asked for its end in this turn.
    pub(crate) const STOPPING: Self = Self(8);
    /// The actor waits for something else, while messages wait in its mailbox.
    pub(crate) const HELD: Self = Self(16);
    /// A combinator's waker is kept, to be woken by a message.
    pub(crate) const WATCHED: Self = Self(32);
    /// The end of this turn must be looked at: see `Turn::enter_looking`.
    pub(crate) const LOOK: Self = Self(64);

    #[inline]
    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline]
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[inline]
    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// What of `mask` is set.
    #[inline]
    pub(crate) const fn only(self, mask: Self) -> Self {
        Self(self.0 & mask.0)
    }
}
