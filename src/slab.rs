//! Actors of one type in storage that never moves.
//!
//! The slab is indexed by mailbox slot and grows by chunks, so an actor stays
//! where it was put: a future can be polled in place, and an actor can be added
//! while another one runs. Whoever calls knows from the mailbox which slots are
//! taken; an empty slot is still a valid `None`, so a mistake there is a panic.
//!
//! Cost: everything is constant; a chunk is one allocation of at most 4 KiB, or one actor.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::pin::Pin;

use crate::mailbox::{CHUNK, OutOfMemory};

type Cell<T> = UnsafeCell<Option<T>>;
type Chunks<T> = Vec<Option<Box<[Cell<T>]>>>;

/// Bytes that a chunk may have, so that a type with one large actor doesn't pay for 64.
const CHUNK_BYTES: usize = 4096;

pub(crate) struct Slab<T> {
    /// Absent where the slots belong to other actor tables of the same message type.
    /// In a cell, so that the slab can grow while its table runs an actor. Only the
    /// methods below borrow it, none of them while user code runs.
    chunks: UnsafeCell<Chunks<T>>,
    /// Dropping the slab drops actors.
    owns: PhantomData<T>,
}

impl<T> Slab<T> {
    const SHIFT: u32 = {
        let mut slots = CHUNK;
        while slots > 1 && slots * size_of::<Cell<T>>() > CHUNK_BYTES {
            slots /= 2;
        }
        slots.trailing_zeros()
    };
    const SLOTS: usize = 1 << Self::SHIFT;

    pub(crate) fn new() -> Self {
        Self {
            chunks: UnsafeCell::new(Vec::new()),
            owns: PhantomData,
        }
    }

    /// Makes sure that the slot can be filled.
    #[inline]
    pub(crate) fn reserve(&self, slot: u32) -> Result<(), OutOfMemory> {
        let chunk = (slot >> Self::SHIFT) as usize;
        // SAFETY: the slab isn't `Sync`, and no other borrow of the list is in use (see `chunks`).
        let chunks = unsafe { &mut *self.chunks.get() };
        match chunks.get(chunk) {
            Some(Some(_)) => Ok(()),
            _ => Self::add_chunk(chunks, chunk),
        }
    }

    #[cold]
    fn add_chunk(chunks: &mut Chunks<T>, chunk: usize) -> Result<(), OutOfMemory> {
        if chunk >= chunks.len() {
            let missing = chunk + 1 - chunks.len();
            chunks.try_reserve(missing).map_err(|_| OutOfMemory)?;
            chunks.resize_with(chunk + 1, || None);
        }
        let mut cells = Vec::new();
        cells
            .try_reserve_exact(Self::SLOTS)
            .map_err(|_| OutOfMemory)?;
        cells.resize_with(Self::SLOTS, || UnsafeCell::new(None));
        chunks[chunk] = Some(cells.into_boxed_slice());
        Ok(())
    }

    /// The place of a reserved slot.
    ///
    /// # Safety
    ///
    /// The slot must have been reserved.
    #[inline]
    unsafe fn cell(&self, slot: u32) -> *mut Option<T> {
        // SAFETY: no exclusive borrow of the list is in use (see `chunks`).
        let chunks = unsafe { &*self.chunks.get() };
        let number = (slot >> Self::SHIFT) as usize;
        debug_assert!(chunks.get(number).is_some_and(Option::is_some));
        // SAFETY: the slot was reserved, so its chunk is there; every chunk is built
        // with SLOTS cells, and the index is masked to below that.
        unsafe {
            let chunk = chunks.get_unchecked(number).as_ref().unwrap_unchecked();
            chunk.get_unchecked(slot as usize & (Self::SLOTS - 1)).get()
        }
    }

    /// Puts an actor into a reserved slot.
    ///
    /// # Safety
    ///
    /// The slot must have been reserved, and no reference to its actor may exist.
    #[inline]
    pub(crate) unsafe fn fill(&self, slot: u32, actor: T) {
        // SAFETY: the caller reserved the slot.
        let cell = unsafe { self.cell(slot) };
        // SAFETY: the caller holds no reference into this cell; other cells are not touched.
        debug_assert!(unsafe { (*cell).is_none() });
        // SAFETY: as above. The old value is `None`, which needs no drop.
        unsafe { cell.write(Some(actor)) };
    }

    /// The actor of a slot, if there is one.
    ///
    /// # Safety
    ///
    /// The slot must have been reserved. No other reference to its actor may exist while
    /// the answer is in use, and the slab must outlive it; the slab itself may be used and may grow meanwhile.
    #[inline]
    pub(crate) unsafe fn get<'a>(&self, slot: u32) -> Option<Pin<&'a mut T>> {
        // SAFETY: the caller vouches that this is the only reference into the cell,
        // whose chunk is neither moved nor freed before the slab is dropped.
        let actor = unsafe { (*self.cell(slot)).as_mut() }?;
        // SAFETY: cells never move, and `clear` drops the actor in place.
        Some(unsafe { Pin::new_unchecked(actor) })
    }

    /// Drops the slot's actor in place, if there is one.
    ///
    /// # Safety
    ///
    /// The slot must have been reserved, and no reference to its actor may exist.
    #[inline]
    pub(crate) unsafe fn clear(&self, slot: u32) {
        // SAFETY: the caller holds no reference into this cell. If the actor's drop
        // panics, the assignment still leaves `None` behind.
        unsafe { *self.cell(slot) = None };
    }

    pub(crate) fn reserved_bytes(&self) -> usize {
        // SAFETY: no exclusive borrow of the list is in use (see `chunks`).
        let chunks = unsafe { &*self.chunks.get() };
        chunks.capacity() * size_of::<Option<Box<[Cell<T>]>>>()
            + chunks.iter().flatten().count() * Self::SLOTS * size_of::<Cell<T>>()
    }
}
