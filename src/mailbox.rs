//! All mailboxes of one message type, and which of their actors are ready.
//!
//! Mailboxes stand in chunks of 64, so growth copies nothing. A chunk belongs to
//! one actor table (its *owner*), which keeps its actors under the same slot
//! numbers. The oldest message of a mailbox is stored inline; the rest waits in a
//! spill queue, which exists only while it is needed.
//!
//! ```text
//!            reserve                 push_ready          pop_ready
//!   free ──────────────▶ reserved ──────────────▶ ready ──────────────▶ running
//!    ▲                  (START, QUEUED)         (QUEUED) ◀────────────  (QUEUED)
//!    │                                             ▲       more to do     │
//!    │                                     deliver,│ wake           idle  │
//!    │                                             └──────── idle ◀───────┤
//!    └───────────────────────── retire, settle, release ◀────────────────┘
//! ```
//!
//! Invariants: `first` is empty only if the spill queue is; QUEUED says that the
//! mailbox is linked, being run or being spawned, so it is never linked twice;
//! `link` is the next ready mailbox or the next free one, never both.
//!
//! Cost: deliver, take, reserve and release are constant (growth amortized).

use std::collections::VecDeque;
use std::num::NonZeroU32;

use crate::address::{Address, Place, SendError};
use crate::run_queue::RunQueue;

/// Mailboxes per chunk: small enough that a type with one actor wastes little,
/// large enough that allocating a chunk costs each of its actors about a nanosecond.
pub(crate) const CHUNK: usize = 64;
const SHIFT: u32 = CHUNK.trailing_zeros();
const MASK: u32 = CHUNK as u32 - 1;
const NONE: u32 = u32::MAX;

/// A spill queue that has become empty keeps room for so many messages: mailboxes
/// that overflow often should not allocate each time, nor one flood stay for good.
const SPILL_KEPT: usize = 64;

const QUEUED: u32 = 1;
const START: u32 = 2;

/// Memory could not grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory;

struct Mailbox<M> {
    first: Option<M>,
    generation: NonZeroU32,
    link: u32,
    spill: u32,
    flags: u32,
}

struct Chunk<M> {
    mailboxes: Box<[Mailbox<M>; CHUNK]>,
    owner: u32,
}

/// What one actor table has among these mailboxes.
struct Owner {
    actor_table: u32,
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
    owners: Vec<Owner>,
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

    /// Registers an actor table; the answer is its number here.
    pub(crate) fn add_owner(&mut self, actor_table: u32) -> Result<u32, OutOfMemory> {
        self.owners.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.owners.push(Owner {
            actor_table,
            ready_head: NONE,
            ready_tail: NONE,
            free: NONE,
            fresh: 0,
            fresh_left: 0,
            active: false,
        });
        Ok(self.owners.len() as u32 - 1)
    }

    /// Takes a slot for an actor that is being spawned. It can be sent to at once,
    /// and runs once it was given to [`push_ready`](Self::push_ready).
    #[inline]
    pub(crate) fn reserve(&mut self, owner: u32) -> Result<Address<M>, OutOfMemory> {
        let own = &mut self.owners[owner as usize];
        let slot = if own.free != NONE {
            own.free
        } else {
            if own.fresh_left == 0 {
                self.add_chunk(owner)?;
            }
            let own = &mut self.owners[owner as usize];
            own.fresh += 1;
            own.fresh_left -= 1;
            own.fresh - 1
        };
        let place = self.place;
        let mailbox = self.mailbox(slot);
        mailbox.flags = START | QUEUED;
        let address = Address::new(slot, mailbox.generation, place);
        let next_free = std::mem::replace(&mut mailbox.link, NONE);
        let own = &mut self.owners[owner as usize];
        if own.free == slot {
            own.free = next_free;
        }
        Ok(address)
    }

    #[cold]
    fn add_chunk(&mut self, owner: u32) -> Result<(), OutOfMemory> {
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
            flags: 0,
        }));
        let Ok(mailboxes) = mailboxes.into_boxed_slice().try_into() else {
            unreachable!("the chunk was built with its exact length")
        };
        self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.chunks.push(Chunk { mailboxes, owner });
        let own = &mut self.owners[owner as usize];
        own.fresh = first as u32;
        own.fresh_left = CHUNK as u32;
        Ok(())
    }

    /// Puts a message into the mailbox and makes its actor ready if it was idle.
    #[inline]
    pub(crate) fn deliver(
        &mut self,
        to: Address<M>,
        message: M,
        run_queue: &mut RunQueue,
    ) -> Result<(), SendError<M>> {
        if to.id.place != self.place {
            return Err(SendError::NoActor(message));
        }
        let Some(chunk) = self.chunks.get_mut((to.id.slot >> SHIFT) as usize) else {
            return Err(SendError::NoActor(message));
        };
        let mailbox = &mut chunk.mailboxes[(to.id.slot & MASK) as usize];
        if mailbox.generation != to.id.generation {
            return Err(SendError::NoActor(message));
        }
        if mailbox.first.is_some() {
            return self.spill(to.id.slot, message);
        }
        mailbox.first = Some(message);
        if mailbox.flags & QUEUED == 0 {
            mailbox.flags |= QUEUED;
            self.push_ready(to.id.slot, run_queue);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self, slot: u32, message: M) -> Result<(), SendError<M>> {
        let mut spill = self.mailbox(slot).spill;
        if spill == NONE {
            spill = match self.free_spills.pop() {
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
            self.mailbox(slot).spill = spill;
        }
        let queue = &mut self.spills[spill as usize];
        if queue.try_reserve(1).is_err() {
            return Err(SendError::OutOfMemory(message));
        }
        queue.push_back(message);
        self.longest = self.longest.max(queue.len() + 1);
        Ok(())
    }

    /// Links a mailbox that has QUEUED set and is not linked at the end of its
    /// owner's ready list, and the owner into the run queue if it isn't there.
    #[inline]
    pub(crate) fn push_ready(&mut self, slot: u32, run_queue: &mut RunQueue) {
        let owner = self.chunks[(slot >> SHIFT) as usize].owner as usize;
        let own = &mut self.owners[owner];
        let tail = std::mem::replace(&mut own.ready_tail, slot);
        if !own.active {
            own.active = true;
            run_queue.push(own.actor_table);
        }
        if tail == NONE {
            own.ready_head = slot;
        } else {
            self.mailbox(tail).link = slot;
        }
    }

    /// Unlinks the first ready mailbox of an owner; it stays QUEUED while it runs.
    #[inline]
    pub(crate) fn pop_ready(&mut self, owner: u32) -> Option<u32> {
        let slot = self.owners[owner as usize].ready_head;
        if slot == NONE {
            return None;
        }
        let own = &mut self.owners[owner as usize];
        if own.ready_tail == slot {
            own.ready_head = NONE;
            own.ready_tail = NONE;
        } else {
            let mailbox = self.mailbox(slot);
            let next = std::mem::replace(&mut mailbox.link, NONE);
            self.owners[owner as usize].ready_head = next;
        }
        Some(slot)
    }

    /// The last ready mailbox of an owner; a number no mailbox has if none is.
    #[inline]
    pub(crate) fn last_ready(&self, owner: u32) -> u32 {
        self.owners[owner as usize].ready_tail
    }

    /// Whether the owner has more to run; if not, it is no longer active.
    #[inline]
    pub(crate) fn still_active(&mut self, owner: u32) -> bool {
        let own = &mut self.owners[owner as usize];
        own.active = own.ready_head != NONE;
        own.active
    }

    /// Takes the oldest message.
    #[inline]
    pub(crate) fn take(&mut self, slot: u32) -> Option<M> {
        let mailbox = self.mailbox(slot);
        let message = mailbox.first.take();
        if mailbox.spill != NONE {
            self.refill(slot);
        }
        message
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self, slot: u32) {
        let spill = self.mailbox(slot).spill;
        let queue = &mut self.spills[spill as usize];
        let next = queue.pop_front();
        if queue.is_empty() {
            if queue.capacity() > SPILL_KEPT {
                *queue = VecDeque::new();
            }
            self.free_spills.push(spill);
            self.mailbox(slot).spill = NONE;
        }
        self.mailbox(slot).first = next;
    }

    #[inline]
    pub(crate) fn is_empty(&mut self, slot: u32) -> bool {
        self.mailbox(slot).first.is_none()
    }

    /// Whether this is the actor's first turn; asked once.
    #[inline]
    pub(crate) fn take_start(&mut self, slot: u32) -> bool {
        let mailbox = self.mailbox(slot);
        let start = mailbox.flags & START != 0;
        if start {
            mailbox.flags &= !START;
        }
        start
    }

    /// Ends a turn after which the actor waits.
    #[inline]
    pub(crate) fn set_idle(&mut self, slot: u32) {
        self.mailbox(slot).flags &= !QUEUED;
    }

    /// Makes an idle actor ready without a message; harmless if it is ready, running or gone.
    pub(crate) fn wake(&mut self, slot: u32, generation: NonZeroU32, run_queue: &mut RunQueue) {
        let mailbox = self.mailbox(slot);
        if mailbox.generation == generation && mailbox.flags & QUEUED == 0 {
            mailbox.flags |= QUEUED;
            self.push_ready(slot, run_queue);
        }
    }

    #[inline]
    pub(crate) fn generation(&mut self, slot: u32) -> NonZeroU32 {
        self.mailbox(slot).generation
    }

    /// The generation that the slot had before it was retired.
    pub(crate) fn generation_before(&mut self, slot: u32) -> NonZeroU32 {
        NonZeroU32::new(self.generation(slot).get() - 1).unwrap_or(NonZeroU32::MIN)
    }

    pub(crate) fn is_current(&self, address: Address<M>) -> bool {
        address.id.place == self.place
            && self
                .chunks
                .get((address.id.slot >> SHIFT) as usize)
                .is_some_and(|chunk| {
                    let mailbox = &chunk.mailboxes[(address.id.slot & MASK) as usize];
                    mailbox.generation == address.id.generation
                })
    }

    /// Makes every address of the slot stale. The slot's next generation, or its
    /// end: a slot whose generation would wrap is never used again.
    #[inline]
    pub(crate) fn retire(&mut self, slot: u32) {
        let mailbox = self.mailbox(slot);
        match mailbox.generation.checked_add(1) {
            // The highest generation is given to no actor: it marks a used up slot.
            Some(next) => mailbox.generation = next,
            None => unreachable!("a used up slot is never reserved"),
        }
    }

    /// Gives a settled slot of an ended actor back for the owner's next spawn.
    #[inline]
    pub(crate) fn release(&mut self, slot: u32) {
        let owner = self.chunks[(slot >> SHIFT) as usize].owner as usize;
        let free = self.owners[owner].free;
        let mailbox = self.mailbox(slot);
        debug_assert!(mailbox.first.is_none());
        mailbox.flags = 0;
        mailbox.link = NONE;
        if mailbox.generation != NonZeroU32::MAX {
            mailbox.link = free;
            self.owners[owner].free = slot;
        }
    }

    #[inline]
    fn mailbox(&mut self, slot: u32) -> &mut Mailbox<M> {
        &mut self.chunks[(slot >> SHIFT) as usize].mailboxes[(slot & MASK) as usize]
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
            .flat_map(|chunk| chunk.mailboxes.iter())
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
            + self.owners.capacity() * size_of::<Owner>()
            + self.spills.capacity() * size_of::<VecDeque<M>>()
            + self.free_spills.capacity() * size_of::<u32>()
            + spilled * size_of::<M>()
    }
}
