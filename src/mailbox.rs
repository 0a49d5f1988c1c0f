//! All mailboxes of one message type, and which of their actors are ready.
//!
//! A mailbox stands in a cell beside its actor (`cell.rs`), in chunks of up to 64 slots,
//! so growth copies nothing. A chunk belongs to one actor table, its *owner*. The oldest
//! message of a mailbox is stored inline; the rest waits in a spill queue, which exists
//! only while it is needed.
//!
//! ```text
//!            reserve             push_ready, pop_ready
//!   free ───────────────▶ spawned ───────────────▶ first turn
//!    ▲      (STARTING)                                │  ▲
//!    │                     push_ready (more to do)    ▼  │ pop_ready
//!    │                     ┌───────────────────────── running ───▶ idle (IDLE)
//!    │                     └──▶ linked ──────────────▶  │  (BUSY)    │
//!    │                            ▲                     │            │
//!    │                            └──── deliver, wake ──┼────────────┘
//!    └────────── retire, settle, release ◀──────────────┘
//! ```
//!
//! Invariants: `first` is empty only if the spill queue is; a mailbox that is linked,
//! running or being spawned is `BUSY`, so it is never linked twice; `link` is the next
//! ready mailbox or the next free one, never both. In the states `IDLE` and `BUSY`, with
//! no other bit, there is nothing to look at: see [`State`].
//!
//! Mailboxes are reached by pointer, and the lists are linked by pointers: looking each
//! one up by its slot, with bounds checks, made a hop twice as many instructions. What
//! comes from outside, in an address, is always checked: see `find`.
//!
//! Cost: deliver, take, reserve and release are constant (growth amortized).
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::ptr::NonNull;

use crate::address::{Address, Key, Place, SendError};
use crate::ready::{Owner, OwnerPointer};
use crate::run_queue::RunQueue;
use crate::state::State;
use crate::table::AnyActors;

/// Slots per chunk: small enough that a type with one actor wastes little, large
/// enough that allocating a chunk costs each of its actors about a nanosecond.
pub(crate) const SLOTS: usize = 64;
const SHIFT: u32 = SLOTS.trailing_zeros();

/// No spill queue.
const NONE: u32 = u32::MAX;

/// A spill queue that has become empty keeps room for so many messages: mailboxes
/// that overflow often should not allocate each time, nor one flood stay for good.
const SPILL_KEPT: usize = 64;

/// Memory could not grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfMemory;

pub(crate) struct Mailbox<M> {
    first: Option<M>,
    /// The next ready mailbox, or the next free one.
    link: Option<MailboxPointer<M>>,
    key: Key,
    owner: OwnerPointer,
    spill: u32,
    state: State,
    /// Its actor is there.
    filled: bool,
}

/// Points to a mailbox of a table, for as long as the table lives.
pub(crate) type MailboxPointer<M> = NonNull<Mailbox<M>>;

/// Mailboxes at a fixed distance on the heap, which never move.
struct Chunk<M> {
    first: MailboxPointer<M>,
    /// From one mailbox to the next, in bytes.
    stride: u32,
    /// The bits of a slot number that tell the mailbox. Their number of mailboxes is a
    /// power of two, so whatever a slot says, it names one that exists.
    mask: u32,
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
    /// A new spill queue has room for so many messages, 128 bytes of them or a few: an
    /// actor that gathers ten answers should allocate once.
    const SPILL_FIRST: usize = {
        let count = 128
            / if size_of::<M>() > 8 {
                size_of::<M>()
            } else {
                8
            };
        if count > 4 { count } else { 4 }
    };

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
        let owner = NonNull::from(Box::leak(Box::new(Owner::new(table))));
        self.owners.push(owner);
        Ok(owner)
    }

    /// Takes a mailbox for an actor that is being spawned, or says that the owner needs
    /// another chunk. It can be sent to at once, and its actor runs once it was given
    /// to [`push_ready`](Self::push_ready).
    #[inline]
    pub(crate) fn reserve(&mut self, owner: OwnerPointer) -> Option<MailboxPointer<M>> {
        let own = self.owner(owner);
        if let Some(free) = own.free {
            let mut mailbox = free.cast::<Mailbox<M>>();
            // SAFETY: a free mailbox exists, and nothing else borrows it.
            own.free = unsafe { mailbox.as_mut() }.link.take().map(NonNull::cast);
            return Some(mailbox);
        }
        own.fresh_left = own.fresh_left.checked_sub(1)?;
        let slot = own.fresh;
        own.fresh += 1;
        Some(self.at(slot))
    }

    /// The first slot of the next chunk.
    pub(crate) fn next_chunk(&mut self) -> Result<u32, OutOfMemory> {
        self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
        // The last slot number stands for "nobody".
        u32::try_from((self.chunks.len() + 1) << SHIFT)
            .map(|end| end - SLOTS as u32)
            .map_err(|_| OutOfMemory)
    }

    /// Adds a chunk whose slots begin with what [`next_chunk`](Self::next_chunk) said.
    ///
    /// # Safety
    ///
    /// `count` must be a power of two, `first` must reach all mailboxes, and they must
    /// stay valid as long as the owner's actor table.
    pub(crate) unsafe fn add_chunk(
        &mut self,
        first: MailboxPointer<M>,
        stride: usize,
        count: usize,
        owner: OwnerPointer,
    ) {
        debug_assert!(count.is_power_of_two() && count <= SLOTS);
        // So that addresses may find their way back to it.
        first.as_ptr().expose_provenance();
        let slot = (self.chunks.len() << SHIFT) as u32;
        self.chunks.push(Chunk {
            first,
            stride: stride as u32,
            mask: count as u32 - 1,
        });
        let own = self.owner(owner);
        own.fresh = slot;
        own.fresh_left = count as u32;
    }

    #[inline]
    fn chunk(&self, slot: u32) -> &Chunk<M> {
        &self.chunks[(slot >> SHIFT) as usize]
    }

    /// The mailbox of a slot that [`reserve`](Self::reserve) gave out.
    #[inline]
    pub(crate) fn at(&self, slot: u32) -> MailboxPointer<M> {
        self.chunk(slot).mailbox(slot)
    }

    /// The mailbox that an address names, if its actor lives.
    ///
    /// What the look-up finds is only compared: the answer is what the address says, so
    /// that who uses it need not wait for the look-up, but for the processor's guess that
    /// the comparison comes out right. Waiting was a third of the time of a hop.
    #[inline]
    fn find(&self, address: Address<M>) -> Option<MailboxPointer<M>> {
        let at = address.at;
        let key = address.id.key;
        let chunk = self.chunks.get((key.slot >> SHIFT) as usize)?;
        if chunk.mailbox(key.slot).addr().get() != at {
            return None;
        }
        // A pointer to the chunk was exposed when it was added.
        let mailbox = NonNull::new(std::ptr::with_exposed_provenance_mut::<Mailbox<M>>(at))?;
        // SAFETY: mailboxes exist as long as their table; nothing borrows this one.
        let current = unsafe { mailbox.as_ref() }.key.generation == key.generation;
        current.then_some(mailbox)
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
        running: Option<OwnerPointer>,
        run_queue: &mut RunQueue,
    ) -> Result<(), SendError<M>> {
        let Some(pointer) = self.find(to) else {
            return Err(SendError::NoActor(message));
        };
        // SAFETY: mailboxes exist as long as their table; nothing else borrows this one.
        let mailbox = unsafe { &mut *pointer.as_ptr() };
        if mailbox.state != State::IDLE {
            return self.deliver_more(pointer, message, run_queue);
        }
        // An idle mailbox is empty, so nothing is to be dropped.
        std::mem::forget(mailbox.first.replace(message));
        mailbox.state = State::BUSY;
        if let Some(running) = running.filter(|&running| running == mailbox.owner) {
            // Its list is at hand, and it needs no place in the run queue.
            self.link(pointer, running);
        } else {
            self.push_ready(pointer, run_queue);
        }
        Ok(())
    }

    /// Delivers to a mailbox that isn't just idle.
    #[inline(never)]
    fn deliver_more(
        &mut self,
        mut mailbox: MailboxPointer<M>,
        message: M,
        run_queue: &mut RunQueue,
    ) -> Result<(), SendError<M>> {
        // SAFETY: mailboxes exist as long as their table; nothing else borrows this one.
        let own = unsafe { mailbox.as_mut() };
        if own.first.is_some() {
            self.spill(own, message)?;
        } else {
            own.first = Some(message);
        }
        if own.state.has(State::BUSY.with(State::HELD)) {
            own.state = own.state.with(State::MORE);
        } else {
            own.state = own.state.with(State::BUSY);
            self.push_ready(mailbox, run_queue);
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn spill(&mut self, mailbox: &mut Mailbox<M>, message: M) -> Result<(), SendError<M>> {
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
        let room = if queue.capacity() == 0 {
            Self::SPILL_FIRST
        } else {
            1
        };
        if queue.try_reserve(room).is_err() {
            return Err(SendError::OutOfMemory(message));
        }
        queue.push_back(message);
        self.longest = self.longest.max(queue.len() + 1);
        Ok(())
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
        if mailbox.first.is_none() {
            mailbox.state = mailbox.state.without(State::MORE);
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
    pub(crate) fn wake(&mut self, key: Key, run_queue: &mut RunQueue) {
        let pointer = self.at(key.slot);
        // SAFETY: mailboxes exist as long as their table; nothing else borrows this one.
        let mailbox = unsafe { &mut *pointer.as_ptr() };
        if mailbox.key == key && !mailbox.state.has(State::BUSY) {
            // More than its only message, if just for the lack of one.
            let busy = State::BUSY.with(State::MORE);
            mailbox.state = mailbox.state.without(State::HELD).with(busy);
            self.push_ready(pointer, run_queue);
        }
    }

    /// Gives the settled mailbox of an ended actor back for the owner's next spawn, unless
    /// its generations are used up.
    #[inline]
    pub(crate) fn release(&mut self, pointer: MailboxPointer<M>, owner: OwnerPointer) {
        // SAFETY: mailboxes exist as long as their table; nothing else borrows this one.
        let mailbox = unsafe { &mut *pointer.as_ptr() };
        debug_assert!(mailbox.first.is_none() && !mailbox.filled);
        mailbox.state = State::BUSY.with(State::STARTING);
        if mailbox.key.generation != NonZeroU32::MAX {
            let free = self.owner(owner).free.replace(pointer.cast());
            mailbox.link = free.map(NonNull::cast);
        }
    }
}

impl<M> Chunk<M> {
    /// The mailbox of a slot of this chunk.
    #[inline]
    fn mailbox(&self, slot: u32) -> MailboxPointer<M> {
        // SAFETY: the masked number is that of a mailbox, which `first` reaches (`add_chunk`).
        unsafe {
            self.first
                .byte_add(((slot & self.mask) * self.stride) as usize)
        }
    }
}

impl<M> Mailbox<M> {
    /// A mailbox that was never used.
    pub(crate) fn new(key: Key, owner: OwnerPointer) -> Self {
        Self {
            first: None,
            link: None,
            key,
            owner,
            spill: NONE,
            // As `release` leaves one that was used before.
            state: State::BUSY.with(State::STARTING),
            filled: false,
        }
    }

    #[inline]
    pub(crate) fn key(&self) -> Key {
        self.key
    }

    #[inline]
    pub(crate) fn owner(&self) -> OwnerPointer {
        self.owner
    }

    /// The next one in the list that this mailbox is in.
    #[inline]
    pub(crate) fn link(&mut self) -> &mut Option<MailboxPointer<M>> {
        &mut self.link
    }

    /// Notes that the actor is there.
    #[inline]
    pub(crate) fn set_filled(&mut self) {
        debug_assert!(!self.filled);
        self.filled = true;
    }

    /// Whether the actor is there; whoever asks drops it.
    #[inline]
    pub(crate) fn take_filled(&mut self) -> bool {
        std::mem::take(&mut self.filled)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The key before this mailbox was retired.
    pub(crate) fn key_before(&self) -> Key {
        let before = NonZeroU32::new(self.key.generation.get() - 1);
        Key {
            generation: before.unwrap_or(NonZeroU32::MIN),
            ..self.key
        }
    }

    /// Whether its actor's turn needs no look at anything but the first message.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.state == State::BUSY
    }

    /// Whether it holds messages of which more came while its actor was busy, and that is all.
    #[inline]
    pub(crate) fn is_just_full(&self) -> bool {
        self.state == State::BUSY.with(State::MORE) && self.first.is_some()
    }

    /// Takes the only message of a plain mailbox.
    #[inline]
    pub(crate) fn take_only(&mut self) -> Option<M> {
        debug_assert!(self.is_plain());
        self.first.take()
    }

    /// Whether this is the actor's first turn and nothing has come; asked once.
    #[inline]
    pub(crate) fn take_plain_start(&mut self) -> bool {
        let start = self.state == State::BUSY.with(State::STARTING);
        if start {
            self.state = State::BUSY;
        }
        start
    }

    /// Whether this is the actor's first turn; asked once.
    #[inline]
    pub(crate) fn take_start(&mut self) -> bool {
        let start = self.state.has(State::STARTING);
        self.state = self.state.without(State::STARTING);
        start
    }

    #[inline]
    pub(crate) fn is_looking(&self) -> bool {
        self.state.has(State::LOOK)
    }

    /// Has the end of this turn looked at; says whether that was asked already.
    #[inline]
    pub(crate) fn set_look(&mut self) -> bool {
        let before = self.state.has(State::LOOK);
        self.state = self.state.with(State::LOOK);
        before
    }

    /// Whether the end of this turn must be looked at; asked once.
    #[inline]
    pub(crate) fn take_look(&mut self) -> bool {
        let look = self.state.has(State::LOOK);
        self.state = self.state.without(State::LOOK);
        look
    }

    /// Asks for the actor's end after this turn.
    #[inline]
    pub(crate) fn ask_stop(&mut self) {
        self.state = self.state.with(State::STOPPING);
    }

    #[inline]
    pub(crate) fn is_stopping(&self) -> bool {
        self.state.has(State::STOPPING)
    }

    /// Notes that a waker is kept that a message must wake.
    pub(crate) fn watch(&mut self) {
        self.state = self.state.with(State::WATCHED);
    }

    /// Whether such a waker is kept; whoever asks removes it.
    pub(crate) fn take_watched(&mut self) -> bool {
        let watched = self.state.has(State::WATCHED);
        self.state = self.state.without(State::WATCHED);
        watched
    }

    /// Ends a turn after which the actor waits, and its plain mailbox is empty.
    #[inline]
    pub(crate) fn set_idle(&mut self) {
        debug_assert!(self.is_plain() && self.first.is_none());
        self.state = State::IDLE;
    }

    /// Ends a turn after which the actor waits, for what comes or for something else.
    pub(crate) fn set_waiting(&mut self) {
        let rest = if self.first.is_none() {
            State::IDLE
        } else {
            State::HELD
        };
        self.state = rest.with(self.state.only(State::WATCHED));
    }

    /// Makes every address of this mailbox stale.
    #[inline]
    pub(crate) fn retire(&mut self) {
        // The highest generation is given to no actor: it marks a used up slot,
        // which `release` keeps out of the free list.
        self.key.generation = self.key.generation.saturating_add(1);
    }
}

impl<M> Drop for MailboxTable<M> {
    fn drop(&mut self) {
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
            .flat_map(|chunk| (0..=chunk.mask).map(|slot| chunk.mailbox(slot)))
            // SAFETY: mailboxes exist as long as their table; nothing borrows this one.
            .filter(|mailbox| unsafe { mailbox.as_ref() }.first.is_some())
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
            + self.owners.capacity() * size_of::<OwnerPointer>()
            + self.owners.len() * size_of::<Owner>()
            + self.spills.capacity() * size_of::<VecDeque<M>>()
            + self.free_spills.capacity() * size_of::<u32>()
            + spilled * size_of::<M>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Cell;
    use crate::table::Table;
    use crate::task::Task;

    /// A table with one owner, which has one chunk.
    struct Fixture {
        table: MailboxTable<u8>,
        owner: OwnerPointer,
        chunk: NonNull<[Cell<u8, ()>]>,
    }

    impl Fixture {
        fn new() -> Self {
            let nowhere = NonNull::<Table<Task<std::future::Ready<()>>, u8>>::dangling();
            let mut table = MailboxTable::new(Place::new(0, 0));
            let owner = table.add_owner(nowhere).unwrap();
            let chunk = Cell::new_chunk(table.next_chunk().unwrap(), owner).unwrap();
            let stride = size_of::<Cell<u8, ()>>();
            // SAFETY: the chunk is of such cells, and freed with the table.
            unsafe { table.add_chunk(chunk.cast(), stride, chunk.len(), owner) };
            Self {
                table,
                owner,
                chunk,
            }
        }
    }

    impl Drop for Fixture {
        fn drop(&mut self) {
            // SAFETY: `new` made it, and nobody uses it any more.
            unsafe { Cell::free_chunk(self.chunk) };
        }
    }

    fn address(table: &MailboxTable<u8>, mailbox: MailboxPointer<u8>) -> Address<u8> {
        // SAFETY: nothing borrows it.
        let key = unsafe { mailbox.as_ref() }.key;
        Address::new(key, table.place(), mailbox.addr().get())
    }

    #[test]
    fn a_slot_whose_generations_are_used_up_is_used_no_more() {
        let mut fixture = Fixture::new();
        let (table, owner) = (&mut fixture.table, fixture.owner);
        let mut mailbox = table.reserve(owner).unwrap();
        // SAFETY: nothing borrows it.
        unsafe { mailbox.as_mut() }.key.generation = NonZeroU32::new(u32::MAX - 2).unwrap();
        let mut addresses = Vec::new();
        for _ in 0..2 {
            addresses.push(address(table, mailbox));
            assert!(table.is_current(addresses[addresses.len() - 1]));
            // SAFETY: nothing borrows it.
            unsafe { mailbox.as_mut() }.retire();
            table.release(mailbox, owner);
            let next = table.reserve(owner).unwrap();
            assert_eq!(next == mailbox, addresses.len() == 1);
        }
        assert_ne!(addresses[0], addresses[1]);
        assert!(!addresses.into_iter().any(|it| table.is_current(it)));
    }

    #[test]
    fn an_address_of_another_slot_chunk_or_memory_is_not_current() {
        let mut fixture = Fixture::new();
        let (table, owner) = (&mut fixture.table, fixture.owner);
        let mailbox = table.reserve(owner).unwrap();
        let own = address(table, mailbox);
        assert!(table.is_current(own));
        let key = own.id.key;
        let at = |slot, at| Address::new(Key { slot, ..key }, table.place(), at);
        assert!(table.is_current(at(key.slot, own.at)));
        assert!(!table.is_current(at(key.slot + 1, own.at)));
        assert!(!table.is_current(at(SLOTS as u32, own.at)));
        for other in [0, own.at + 1, own.at + size_of::<Cell<u8, ()>>()] {
            assert!(!table.is_current(at(key.slot, other)));
        }
    }

    #[test]
    fn a_mailbox_is_linked_once_however_often_it_gets_something() {
        let mut fixture = Fixture::new();
        let (table, owner) = (&mut fixture.table, fixture.owner);
        let mut run_queue = RunQueue::new();
        let mut mailbox = table.reserve(owner).unwrap();
        let own = address(table, mailbox);
        // SAFETY: nothing borrows it.
        unsafe { mailbox.as_mut() }.set_waiting();
        for message in 0..3 {
            table.deliver(own, message, None, &mut run_queue).unwrap();
            table.wake(own.id.key, &mut run_queue);
        }
        assert_eq!(run_queue.pop(), Some(owner));
        assert_eq!(run_queue.pop(), None);
        assert_eq!(table.pop_ready(owner), Some(mailbox));
        assert_eq!(table.pop_ready(owner), None);
        let messages = std::iter::from_fn(|| table.take(mailbox));
        assert!(messages.eq(0..3));
        assert_eq!((table.queued(), table.longest()), (0, 3));
    }
}
