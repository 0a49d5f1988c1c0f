//! All mailboxes of one message type, and which of their actors are ready.
//!
//! Mailboxes stand in chunks of 64, so growth copies nothing. A chunk belongs to
//! one actor table (its *owner*), which keeps its actors under the same slot
//! numbers. The oldest message of a mailbox is stored inline; the rest waits in a
//! spill queue, which exists only while it is needed.
//!
//! ```text
//!            reserve             push_ready, pop_ready
//!   free ───────────────▶ spawned ───────────────▶ first turn
//!    ▲      (Starting)                                │  ▲
//!    │                     push_ready (more to do)    ▼  │ pop_ready
//!    │                     ┌───────────────────────── running ───▶ idle (Idle)
//!    │                     └──▶ linked ──────────────▶  │  (Ready)   │
//!    │                            ▲                     │            │
//!    │                            └──── deliver, wake ──┼────────────┘
//!    └────────── retire, settle, release ◀──────────────┘
//! ```
//!
//! Invariants: `first` is empty only if the spill queue is; a mailbox that is linked,
//! running or being spawned is not `Idle`, so it is never linked twice; `link` is the
//! next ready mailbox or the next free one, never both.
//!
//! Mailboxes are reached by pointer, since the running actor's is looked at many
//! times per turn: looking it up each time, with bounds checks, made a hop three
//! times as many instructions. A slot that comes from outside, in an address, is
//! always checked.
//!
//! Cost: deliver, take, reserve and release are constant (growth amortized).
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::ptr::NonNull;

use crate::address::{Address, Place, SendError};
use crate::run_queue::RunQueue;
use crate::table::AnyActors;

/// Mailboxes per chunk: small enough that a type with one actor wastes little,
/// large enough that allocating a chunk costs each of its actors about a nanosecond.
pub(crate) const CHUNK: usize = 64;
const SHIFT: u32 = CHUNK.trailing_zeros();
const MASK: u32 = CHUNK as u32 - 1;
const NONE: u32 = u32::MAX;

/// A spill queue that has become empty keeps room for so many messages: mailboxes
/// that overflow often should not allocate each time, nor one flood stay for good.
const SPILL_KEPT: usize = 64;

/// What becomes of a mailbox's actor next; see the picture above.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
enum State {
    /// It waits. The only state in which a message or a wake links its mailbox.
    Idle,
    /// It is linked, or running.
    Ready,
    /// It is being spawned, or linked and not started yet; or its slot is free.
    Starting,
}

/// Memory could not grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory;

pub(crate) struct Mailbox<M> {
    first: Option<M>,
    generation: NonZeroU32,
    link: u32,
    spill: u32,
    state: State,
}

/// Points to a mailbox of a table, for as long as the table lives.
pub(crate) type MailboxPointer<M> = NonNull<Mailbox<M>>;

/// Room for 64 mailboxes on the heap, which never moves.
struct Chunk<M> {
    mailboxes: NonNull<[Mailbox<M>; CHUNK]>,
    owner: OwnerPointer,
}

/// Points to an owner of a mailbox table, for as long as that table lives.
pub(crate) type OwnerPointer = NonNull<Owner>;

/// What one actor table has among these mailboxes.
pub(crate) struct Owner {
    /// The actor table itself; dangling until it is made.
    pub(crate) table: NonNull<dyn AnyActors>,
    /// The next one in the run queue.
    pub(crate) next: Option<OwnerPointer>,
    ready_head: u32,
    ready_tail: u32,
    free: u32,
    /// The next never used slot, and how many follow it in its chunk.
    fresh: u32,
    fresh_left: u32,
    /// In the run queue, or running.
    active: bool,
}

pub(crate) struct MailboxTable<M> {
    place: Place,
    chunks: Vec<Chunk<M>>,
    owners: Vec<OwnerPointer>,
    spills: Vec<VecDeque<M>>,
    free_spills: Vec<u32>,
    longest: usize,
}

impl<M> MailboxTable<M> {
    pub(crate) fn new(place: Place) -> Self {
        Self {
            place,
            chunks: Vec::new(),
            owners: Vec::new(),
            spills: Vec::new(),
            free_spills: Vec::new(),
            longest: 0,
        }
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Registers an actor table as one of the owners.
    pub(crate) fn add_owner(
        &mut self,
        table: NonNull<dyn AnyActors>,
    ) -> Result<OwnerPointer, OutOfMemory> {
        self.owners.try_reserve(1).map_err(|_| OutOfMemory)?;
        let owner = NonNull::from(Box::leak(Box::new(Owner {
            table,
            next: None,
            ready_head: NONE,
            ready_tail: NONE,
            free: NONE,
            fresh: 0,
            fresh_left: 0,
            active: false,
        })));
        self.owners.push(owner);
        Ok(owner)
    }

    /// Takes a slot for an actor that is being spawned. It can be sent to at once,
    /// and runs once it was given to [`push_ready`](Self::push_ready).
    #[inline]
    pub(crate) fn reserve(&mut self, owner: OwnerPointer) -> Result<Address<M>, OutOfMemory> {
        let own = self.owner(owner);
        let slot = own.free;
        if slot != NONE {
            let mailbox = self.at(slot);
            // SAFETY: a free slot's mailbox exists, and nothing else borrows it.
            let mailbox = unsafe { &mut *mailbox.as_ptr() };
            debug_assert!(mailbox.state == State::Starting);
            let next = std::mem::replace(&mut mailbox.link, NONE);
            let address = Address::new(slot, mailbox.generation, self.place);
            self.owner(owner).free = next;
            return Ok(address);
        }
        if own.fresh_left == 0 {
            self.add_chunk(owner)?;
        }
        let own = self.owner(owner);
        let slot = own.fresh;
        own.fresh += 1;
        own.fresh_left -= 1;
        Ok(Address::new(slot, NonZeroU32::MIN, self.place))
    }

    #[cold]
    fn add_chunk(&mut self, owner: OwnerPointer) -> Result<(), OutOfMemory> {
        let first = self.chunks.len() << SHIFT;
        // The last slot number stands for "none".
        if first + CHUNK > NONE as usize {
            return Err(OutOfMemory);
        }
        let mut mailboxes = Vec::new();
        mailboxes
            .try_reserve_exact(CHUNK)
            .map_err(|_| OutOfMemory)?;
        mailboxes.extend((0..CHUNK).map(|_| Mailbox {
            first: None,
            generation: NonZeroU32::MIN,
            link: NONE,
            spill: NONE,
            state: State::Starting,
        }));
        let Ok(mailboxes): Result<Box<[_; CHUNK]>, _> = mailboxes.into_boxed_slice().try_into()
        else {
            unreachable!("the chunk was built with its exact length")
        };
        self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
        let mailboxes = NonNull::from(Box::leak(mailboxes));
        self.chunks.push(Chunk { mailboxes, owner });
        let own = self.owner(owner);
        own.fresh = first as u32;
        own.fresh_left = CHUNK as u32;
        Ok(())
    }

    #[inline]
    fn owner(&mut self, owner: OwnerPointer) -> &mut Owner {
        // SAFETY: only pointers that `add_owner` gave out are passed here. Owners live as
        // long as their table, and the answer borrows the table.
        unsafe { &mut *owner.as_ptr() }
    }

    /// The mailbox of a slot that [`reserve`](Self::reserve) gave out.
    #[inline]
    pub(crate) fn at(&self, slot: u32) -> MailboxPointer<M> {
        debug_assert!((slot >> SHIFT) as usize <= self.chunks.len());
        // SAFETY: a slot that was given out lies in a chunk that exists, and chunks never go.
        let chunk = unsafe { self.chunks.get_unchecked((slot >> SHIFT) as usize) };
        // SAFETY: the masked number is one of the chunk's.
        unsafe {
            chunk
                .mailboxes
                .cast::<Mailbox<M>>()
                .add((slot & MASK) as usize)
        }
    }

    /// The mailbox that an address names, if its actor lives, and its owner.
    #[inline]
    fn find(&self, address: Address<M>) -> Option<(MailboxPointer<M>, OwnerPointer)> {
        if address.id.place != self.place {
            return None;
        }
        let chunk = self.chunks.get((address.id.slot >> SHIFT) as usize)?;
        // SAFETY: the masked number is one of the chunk's.
        let mailbox = unsafe {
            chunk
                .mailboxes
                .cast::<Mailbox<M>>()
                .add((address.id.slot & MASK) as usize)
        };
        // SAFETY: mailboxes exist as long as their table; nothing borrows this one.
        let current = unsafe { mailbox.as_ref() }.generation == address.id.generation;
        current.then_some((mailbox, chunk.owner))
    }

    pub(crate) fn is_current(&self, address: Address<M>) -> bool {
        self.find(address).is_some()
    }

    /// Puts a message into the mailbox and makes its actor ready if it was idle.
    // Always: left to itself the compiler calls it, which costs a fifth of a hop.
    #[inline(always)]
    pub(crate) fn deliver(
        &mut self,
        to: Address<M>,
        message: M,
        run_queue: &mut RunQueue,
    ) -> Result<(), SendError<M>> {
        let Some((mut mailbox, owner)) = self.find(to) else {
            return Err(SendError::NoActor(message));
        };
        // SAFETY: mailboxes exist as long as their table; nothing else borrows this one.
        let mailbox = unsafe { mailbox.as_mut() };
        if mailbox.first.is_some() {
            return self.spill(to.id.slot, message);
        }
        mailbox.first = Some(message);
        if mailbox.state == State::Idle {
            mailbox.state = State::Ready;
            self.link_ready(to.id.slot, owner, run_queue);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self, slot: u32, message: M) -> Result<(), SendError<M>> {
        // SAFETY: the slot was given out; nothing else borrows its mailbox.
        let mailbox = unsafe { self.at(slot).as_mut() };
        if mailbox.spill == NONE {
            mailbox.spill = match self.free_spills.pop() {
                Some(spill) => spill,
                None => {
                    if self.spills.try_reserve(1).is_err()
                        || self.free_spills.try_reserve(self.spills.len() + 1).is_err()
                    {
                        return Err(SendError::OutOfMemory(message));
                    }
                    self.spills.push(VecDeque::new());
                    self.spills.len() as u32 - 1
                }
            };
        }
        let queue = &mut self.spills[mailbox.spill as usize];
        if queue.try_reserve(1).is_err() {
            return Err(SendError::OutOfMemory(message));
        }
        queue.push_back(message);
        self.longest = self.longest.max(queue.len() + 1);
        Ok(())
    }

    /// Links a mailbox that is not idle and not linked at the end of its
    /// owner's ready list, and the owner into the run queue if it isn't there.
    #[inline]
    pub(crate) fn push_ready(&mut self, slot: u32, run_queue: &mut RunQueue) {
        let owner = self.chunks[(slot >> SHIFT) as usize].owner;
        self.link_ready(slot, owner, run_queue);
    }

    #[inline]
    fn link_ready(&mut self, slot: u32, owner: OwnerPointer, run_queue: &mut RunQueue) {
        let own = self.owner(owner);
        let tail = std::mem::replace(&mut own.ready_tail, slot);
        if tail != NONE {
            // SAFETY: a linked slot was given out; nothing borrows its mailbox.
            unsafe { self.at(tail).as_mut() }.link = slot;
            return;
        }
        own.ready_head = slot;
        if !own.active {
            own.active = true;
            // SAFETY: an owner that isn't active is not in the queue, and owners live as
            // long as the system's tables.
            unsafe { run_queue.push(owner) };
        }
    }

    /// Unlinks the first ready mailbox of an owner; it is not idle while it runs.
    #[inline]
    pub(crate) fn pop_ready(&mut self, owner: OwnerPointer) -> Option<u32> {
        let own = self.owner(owner);
        let slot = own.ready_head;
        if slot == NONE {
            return None;
        }
        if own.ready_tail == slot {
            own.ready_tail = NONE;
            own.ready_head = NONE;
        } else {
            // SAFETY: a linked slot was given out; nothing borrows its mailbox.
            let mailbox = unsafe { self.at(slot).as_mut() };
            let next = std::mem::replace(&mut mailbox.link, NONE);
            self.owner(owner).ready_head = next;
        }
        Some(slot)
    }

    /// The last ready mailbox of an owner.
    #[inline]
    pub(crate) fn last_ready(&mut self, owner: OwnerPointer) -> Option<u32> {
        let tail = self.owner(owner).ready_tail;
        (tail != NONE).then_some(tail)
    }

    /// Ends an owner's batch: queues it again if it has more to run.
    #[inline]
    pub(crate) fn end_batch(&mut self, owner: OwnerPointer, run_queue: &mut RunQueue) {
        let own = self.owner(owner);
        own.active = own.ready_head != NONE;
        if own.active {
            // SAFETY: an owner whose batch runs is not in the queue, and owners live as
            // long as the system's tables.
            unsafe { run_queue.push(owner) };
        }
    }

    /// Takes the oldest message of a mailbox of this table.
    #[inline]
    pub(crate) fn take(&mut self, mut mailbox: MailboxPointer<M>) -> Option<M> {
        // SAFETY: mailboxes exist as long as their table; nothing else borrows this one.
        let mailbox = unsafe { mailbox.as_mut() };
        let message = mailbox.first.take()?;
        if mailbox.spill != NONE {
            self.refill(mailbox);
        }
        Some(message)
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self, mailbox: &mut Mailbox<M>) {
        let queue = &mut self.spills[mailbox.spill as usize];
        mailbox.first = queue.pop_front();
        if queue.is_empty() {
            if queue.capacity() > SPILL_KEPT {
                *queue = VecDeque::new();
            }
            self.free_spills.push(mailbox.spill);
            mailbox.spill = NONE;
        }
    }

    /// Makes an idle actor ready without a message; harmless if it is ready, running or gone.
    pub(crate) fn wake(&mut self, slot: u32, generation: NonZeroU32, run_queue: &mut RunQueue) {
        // SAFETY: the slot was given out; nothing else borrows its mailbox.
        let mailbox = unsafe { self.at(slot).as_mut() };
        if mailbox.generation == generation && mailbox.state == State::Idle {
            mailbox.state = State::Ready;
            self.push_ready(slot, run_queue);
        }
    }

    /// Gives a settled slot of an ended actor back for the owner's next spawn, unless
    /// its generations are used up.
    #[inline]
    pub(crate) fn release(&mut self, slot: u32) {
        let owner = self.chunks[(slot >> SHIFT) as usize].owner;
        let free = self.owner(owner).free;
        // SAFETY: the slot was given out; nothing else borrows its mailbox.
        let mailbox = unsafe { self.at(slot).as_mut() };
        debug_assert!(mailbox.first.is_none());
        mailbox.state = State::Starting;
        mailbox.link = NONE;
        if mailbox.generation != NonZeroU32::MAX {
            mailbox.link = free;
            self.owner(owner).free = slot;
        }
    }
}

impl<M> Mailbox<M> {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    #[inline]
    pub(crate) fn generation(&self) -> NonZeroU32 {
        self.generation
    }

    /// The generation before this one was retired.
    pub(crate) fn generation_before(&self) -> NonZeroU32 {
        NonZeroU32::new(self.generation.get() - 1).unwrap_or(NonZeroU32::MIN)
    }

    /// Whether this is the actor's first turn; asked once.
    #[inline]
    pub(crate) fn take_start(&mut self) -> bool {
        let start = self.state == State::Starting;
        if start {
            self.state = State::Ready;
        }
        start
    }

    /// Ends a turn after which the actor waits.
    #[inline]
    pub(crate) fn set_idle(&mut self) {
        self.state = State::Idle;
    }

    /// Makes every address of this mailbox stale.
    #[inline]
    pub(crate) fn retire(&mut self) {
        // The highest generation is given to no actor: it marks a used up slot,
        // which `release` keeps out of the free list.
        self.generation = self.generation.saturating_add(1);
    }
}

impl<M> Drop for MailboxTable<M> {
    fn drop(&mut self) {
        for chunk in &self.chunks {
            // SAFETY: `add_chunk` leaked this box, and nobody else frees it.
            drop(unsafe { Box::from_raw(chunk.mailboxes.as_ptr()) });
        }
        for owner in &self.owners {
            // SAFETY: `add_owner` leaked this box, and nobody else frees it.
            drop(unsafe { Box::from_raw(owner.as_ptr()) });
        }
    }
}

/// What the system asks of mailboxes whose message type it doesn't know.
pub(crate) trait AnyMailboxes {
    /// Messages waiting in all mailboxes. Costs a visit to each.
    fn queued(&self) -> u64;
    /// The longest queue so far that did not fit inline; 0 if all did.
    fn longest(&self) -> usize;
    fn reserved_bytes(&self) -> usize;
}

impl<M> AnyMailboxes for MailboxTable<M> {
    fn queued(&self) -> u64 {
        let inline = self
            .chunks
            .iter()
            // SAFETY: chunks exist as long as their table; nothing borrows them mutably now.
            .flat_map(|chunk| unsafe { chunk.mailboxes.as_ref() })
            .filter(|mailbox| mailbox.first.is_some())
            .count();
        let spilled: usize = self.spills.iter().map(VecDeque::len).sum();
        (inline + spilled) as u64
    }

    fn longest(&self) -> usize {
        self.longest
    }

    fn reserved_bytes(&self) -> usize {
        let spilled: usize = self.spills.iter().map(VecDeque::capacity).sum();
        self.chunks.capacity() * size_of::<Chunk<M>>()
            + self.chunks.len() * size_of::<[Mailbox<M>; CHUNK]>()
            + self.owners.capacity() * size_of::<OwnerPointer>()
            + self.owners.len() * size_of::<Owner>()
            + self.spills.capacity() * size_of::<VecDeque<M>>()
            + self.free_spills.capacity() * size_of::<u32>()
            + spilled * size_of::<M>()
    }
}
