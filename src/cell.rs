//! Mailboxes and their actors, side by side, in chunks that never move.
//!
//! A cell is a mailbox and, right behind it, its actor, so whoever has the mailbox has
//! the actor as well, and both are in the processor's cache together. Senders know only
//! the message type: for them a chunk is mailboxes at a fixed distance.
//!
//! ```text
//!   chunk:  │ mailbox │ actor │ mailbox │ actor │ …   at most 64 cells or 4 KiB
//!             ▲ slot 0          ▲ slot 1
//! ```
//!
//! Cost: everything is constant; a chunk is one allocation.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::num::NonZeroU32;
use std::ptr::NonNull;

use crate::address::Key;
use crate::mailbox::{Mailbox, MailboxPointer, OutOfMemory, SLOTS};
use crate::ready::OwnerPointer;

/// Bytes that a chunk may have, so that a type with one large actor doesn't pay for 64.
const CHUNK_BYTES: usize = 4096;

/// The mailbox comes first, so that a pointer to it is one to the cell.
#[repr(C)]
pub(crate) struct Cell<M, B> {
    mailbox: Mailbox<M>,
    /// Initialized if the mailbox is filled.
    actor: MaybeUninit<B>,
}

impl<M, B> Cell<M, B> {
    /// Cells in a chunk: a power of two.
    pub(crate) const COUNT: usize = {
        let mut count = SLOTS;
        while count > 1 && count * size_of::<Self>() > CHUNK_BYTES {
            count /= 2;
        }
        count
    };

    /// Room for cells whose slots begin with the given number.
    pub(crate) fn new_chunk(
        first_slot: u32,
        owner: OwnerPointer,
    ) -> Result<NonNull<[Self]>, OutOfMemory> {
        let mut cells = Vec::new();
        cells
            .try_reserve_exact(Self::COUNT)
            .map_err(|_| OutOfMemory)?;
        cells.extend((first_slot..).take(Self::COUNT).map(|slot| Self {
            mailbox: Mailbox::new(
                Key {
                    slot,
                    generation: NonZeroU32::MIN,
                },
                owner,
            ),
            actor: MaybeUninit::uninit(),
        }));
        Ok(NonNull::from(Box::leak(cells.into_boxed_slice())))
    }

    /// Frees a chunk, with the actors and messages in it.
    ///
    /// # Safety
    ///
    /// The chunk must come from [`new_chunk`](Self::new_chunk), and nothing refer to it.
    pub(crate) unsafe fn free_chunk(chunk: NonNull<[Self]>) {
        // SAFETY: `new_chunk` leaked this box, and the caller gives it up.
        drop(unsafe { Box::from_raw(chunk.as_ptr()) });
    }

    /// The place of the actor that belongs to a mailbox.
    ///
    /// # Safety
    ///
    /// The mailbox must be the one of a cell of this type.
    #[inline]
    pub(crate) unsafe fn actor(mailbox: MailboxPointer<M>) -> NonNull<B> {
        let cell = mailbox.cast::<Self>();
        // SAFETY: the caller's promise.
        unsafe { NonNull::new_unchecked(&raw mut (*cell.as_ptr()).actor).cast() }
    }
}

impl<M, B> Drop for Cell<M, B> {
    fn drop(&mut self) {
        if self.mailbox.take_filled() {
            // SAFETY: the mailbox was filled, so the actor is there.
            unsafe { self.actor.assume_init_drop() };
        }
    }
}
