//! The run queue: which actor tables have ready actors, in order.

use std::collections::VecDeque;

use crate::mailbox::OutOfMemory;

/// Actor tables in the order in which they became ready. A table stands in it at
/// most once, and room for it is made when the table is, so pushing never allocates.
pub(crate) struct RunQueue {
    tables: VecDeque<u32>,
}

impl RunQueue {
    pub(crate) fn new() -> Self {
        Self {
            tables: VecDeque::new(),
        }
    }

    /// Makes room for `count` tables in all.
    pub(crate) fn reserve(&mut self, count: usize) -> Result<(), OutOfMemory> {
        self.tables
            .try_reserve(count - self.tables.len())
            .map_err(|_| OutOfMemory)
    }

    #[inline]
    pub(crate) fn push(&mut self, table: u32) {
        debug_assert!(self.tables.len() < self.tables.capacity());
        self.tables.push_back(table);
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<u32> {
        self.tables.pop_front()
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }
}
