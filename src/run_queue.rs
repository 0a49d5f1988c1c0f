//! The run queue: which actor tables have ready actors, in order.
//!
//! It is linked through the tables' `Owner` records, so it never allocates, and
//! popping one finds its table without a look-up.
#![allow(unsafe_code)]

use crate::ready::OwnerPointer;

/// Actor tables in the order in which they became ready, each at most once.
pub(crate) struct RunQueue {
    head: Option<OwnerPointer>,
    /// The last one, if it isn't the first as well.
    tail: Option<OwnerPointer>,
}

impl RunQueue {
    pub(crate) fn new() -> Self {
        Self {
            head: None,
            tail: None,
        }
    }

    /// # Safety
    ///
    /// The owner must not be in the queue, must outlive it, and not be borrowed.
    #[inline]
    pub(crate) unsafe fn push(&mut self, owner: OwnerPointer) {
        let Some(head) = self.head else {
            self.head = Some(owner);
            return;
        };
        // SAFETY: `push`'s caller keeps what is in the queue valid; nobody borrows it.
        let last = match (unsafe { (*head.as_ptr()).next }, self.tail) {
            (Some(_), Some(tail)) => tail,
            _ => head,
        };
        // SAFETY: as above.
        unsafe { (*last.as_ptr()).next = Some(owner) };
        self.tail = Some(owner);
    }

    /// Puts an owner before all others.
    ///
    /// # Safety
    ///
    /// As for [`push`](Self::push).
    #[inline]
    pub(crate) unsafe fn push_first(&mut self, owner: OwnerPointer) {
        if let Some(head) = self.head {
            // SAFETY: as in `push`.
            let is_only = unsafe { (*head.as_ptr()).next }.is_none();
            if is_only {
                self.tail = Some(head);
            }
        }
        // SAFETY: the caller's promise.
        unsafe { (*owner.as_ptr()).next = self.head };
        self.head = Some(owner);
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<OwnerPointer> {
        let owner = self.head?;
        self.head = None;
        // SAFETY: as in `push`.
        let next = unsafe { &mut (*owner.as_ptr()).next };
        if next.is_some() {
            self.head = next.take();
        }
        Some(owner)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Place;
    use crate::mailbox::MailboxTable;
    use crate::table::Table;
    use crate::task::Task;
    use std::ptr::NonNull;

    #[test]
    fn owners_come_out_in_the_order_they_went_in_but_for_who_goes_first() {
        let nowhere = NonNull::<Table<Task<std::future::Ready<()>>, u8>>::dangling();
        let mut table = MailboxTable::<u8>::new(Place::new(0, 0));
        let [a, b, c] = [(); 3].map(|()| table.add_owner(nowhere).unwrap());
        let mut queue = RunQueue::new();
        for _ in 0..2 {
            // SAFETY: the owners live as long as the table, and each is pushed once.
            unsafe {
                queue.push_first(a);
                queue.push(b);
                queue.push_first(c);
            }
            assert!(!queue.is_empty());
            let order = [queue.pop(), queue.pop(), queue.pop(), queue.pop()];
            assert_eq!(order, [Some(c), Some(a), Some(b), None]);
            assert!(queue.is_empty());
        }
    }
}
