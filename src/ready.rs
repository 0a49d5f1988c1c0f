//! Which mailboxes of an actor table are ready, in order.
//!
//! An actor table owns some of the mailboxes of its message type. Those whose actors are
//! ready are linked through the mailboxes; mostly there is one of them or none, so the
//! last is only kept if it isn't the first as well.
//!
//! When other tables wait, a batch goes on to the end of its *round*: what was ready when
//! they began to wait.
//!
//! Cost: everything is constant.
#![allow(unsafe_code)]

use std::ptr::NonNull;

use crate::mailbox::{MailboxPointer, MailboxTable};
use crate::run_queue::RunQueue;
use crate::scheduler::Core;
use crate::table::AnyActors;

/// Points to an owner of a mailbox table, for as long as that table lives.
pub(crate) type OwnerPointer = NonNull<Owner>;

/// Runs a batch of an actor table: until the ready list is empty, the slice's budget is
/// used up, or every actor that was ready when other tables became so has had its turn.
///
/// # Safety
///
/// The core must be valid, with this owner's tables in it, and nothing in it borrowed.
pub(crate) type RunBatch = unsafe fn(OwnerPointer, NonNull<Core>);

/// What one actor table has among these mailboxes. Its pointers are to mailboxes.
pub(crate) struct Owner {
    /// The actor table itself; dangling until it is made.
    pub(crate) table: NonNull<dyn AnyActors>,
    /// Runs a batch of it: here, so that the way to it is short.
    pub(crate) run: RunBatch,
    /// The mailboxes of its message type.
    pub(crate) mailboxes: NonNull<()>,
    /// The next one in the run queue.
    pub(crate) next: Option<OwnerPointer>,
    ready_head: Option<NonNull<()>>,
    /// The last one, if it isn't the first as well. Mostly there is only one.
    ready_tail: Option<NonNull<()>>,
    /// The last of the round that is under way while others wait, or that the end of a
    /// slice broke off; it is ready.
    round_end: Option<NonNull<()>>,
    pub(crate) free: Option<NonNull<()>>,
    /// The next never used slot, and how many follow it in its chunk.
    pub(crate) fresh: u32,
    pub(crate) fresh_left: u32,
    /// In the run queue, or running.
    active: bool,
}

impl Owner {
    pub(crate) fn new(table: NonNull<dyn AnyActors>) -> Self {
        Self {
            table,
            run: |_, _| {},
            mailboxes: NonNull::dangling(),
            next: None,
            ready_head: None,
            ready_tail: None,
            round_end: None,
            free: None,
            fresh: 0,
            fresh_left: 0,
            active: false,
        }
    }
}

impl<M> MailboxTable<M> {
    #[inline]
    pub(crate) fn owner<'a>(&mut self, owner: OwnerPointer) -> &'a mut Owner {
        // SAFETY: only pointers that `add_owner` gave out are passed here. Owners live as
        // long as their table, and no two of these borrows are used at a time.
        unsafe { &mut *owner.as_ptr() }
    }

    /// Links a busy mailbox that is not linked at the end of its owner's ready list, and
    /// the owner into the run queue if it isn't there.
    #[inline]
    pub(crate) fn push_ready(&mut self, mailbox: MailboxPointer<M>, run_queue: &mut RunQueue) {
        // SAFETY: mailboxes exist as long as their table; nothing borrows this one.
        let owner = unsafe { mailbox.as_ref() }.owner();
        self.link(mailbox, owner);
        let own = self.owner(owner);
        if !own.active {
            own.active = true;
            // SAFETY: an owner that isn't active is not in the queue, and owners live as
            // long as the system's tables.
            unsafe { run_queue.push(owner) };
        }
    }

    /// Links a busy mailbox that is not linked at the end of its owner's ready list.
    #[inline]
    pub(crate) fn link(&mut self, mailbox: MailboxPointer<M>, owner: OwnerPointer) {
        let own = self.owner(owner);
        if let Some(head) = own.ready_head {
            let last = self.last_of(own, head.cast());
            // SAFETY: a linked mailbox exists; nothing borrows it.
            unsafe { *(*last.as_ptr()).link() = Some(mailbox) };
            own.ready_tail = Some(mailbox.cast());
        } else {
            own.ready_head = Some(mailbox.cast());
        }
    }

    /// The last mailbox of a list that has a first.
    #[inline]
    fn last_of(&self, own: &Owner, head: MailboxPointer<M>) -> MailboxPointer<M> {
        // SAFETY: a linked mailbox exists; nothing borrows it.
        match (*unsafe { (*head.as_ptr()).link() }, own.ready_tail) {
            (Some(_), Some(tail)) => tail.cast(),
            _ => head,
        }
    }

    /// Unlinks the first ready mailbox of an owner; it is not idle while it runs.
    #[inline]
    pub(crate) fn pop_ready(&mut self, owner: OwnerPointer) -> Option<MailboxPointer<M>> {
        let own = self.owner(owner);
        let head: MailboxPointer<M> = own.ready_head?.cast();
        // SAFETY: a linked mailbox exists; nothing borrows it.
        let link = unsafe { (*head.as_ptr()).link() };
        own.ready_head = None;
        if let Some(next) = *link {
            *link = None;
            own.ready_head = Some(next.cast());
        }
        Some(head)
    }

    /// While others wait: whether the owner's round ends with this mailbox's turn. A round
    /// is what is ready when others begin to wait, or when a batch begins while they do.
    #[inline]
    pub(crate) fn is_round_over(
        &mut self,
        mailbox: MailboxPointer<M>,
        owner: OwnerPointer,
    ) -> bool {
        let own = self.owner(owner);
        if own.round_end.is_none() {
            let Some(head) = own.ready_head else {
                return true;
            };
            own.round_end = Some(self.last_of(own, head.cast()).cast());
        } else if own.round_end == Some(mailbox.cast()) {
            own.round_end = None;
            return true;
        }
        false
    }

    /// Forgets the round of an owner, whose batch was broken off.
    pub(crate) fn end_round(&mut self, owner: OwnerPointer) {
        self.owner(owner).round_end = None;
    }

    /// Ends an owner's batch: queues it again if it has more to run, before all others
    /// if the slice broke off its round.
    #[inline]
    pub(crate) fn end_batch(&mut self, owner: OwnerPointer, run_queue: &mut RunQueue) {
        let own = self.owner(owner);
        own.active = own.ready_head.is_some();
        match (own.active, own.round_end) {
            (false, _) => {}
            // SAFETY: an owner whose batch runs is not in the queue, and owners live as
            // long as the system's tables.
            (true, None) => unsafe { run_queue.push(owner) },
            // SAFETY: as above.
            (true, Some(_)) => unsafe { run_queue.push_first(owner) },
        }
    }
}
