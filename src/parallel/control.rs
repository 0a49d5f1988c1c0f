//! The words by which others watch and stop a run, while its workers are deaf to all else.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The most workers that a run has; more threads than that do nothing.
pub(crate) const MOST_WORKERS: usize = 64;

/// Messages received by one worker, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Count {
    received: AtomicU64,
}

/// Stops a run of a [`ParallelSystem`](super::ParallelSystem), and tells how far it is,
/// from any thread.
#[derive(Debug)]
#[repr(C)]
pub struct Control {
    counts: [Count; MOST_WORKERS],
    stop: AtomicU32,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            counts: [const {
                Count {
                    received: AtomicU64::new(0),
                }
            }; MOST_WORKERS],
            stop: AtomicU32::new(0),
        }
    }
}

impl Control {
    /// Ends the run soon, and any further one, until [`resume`](Self::resume).
    pub fn stop(&self) {
        // Relaxed: nothing else is told by it.
        self.stop.store(1, Ordering::Relaxed);
    }

    /// Allows runs again.
    pub fn resume(&self) {
        self.stop.store(0, Ordering::Relaxed);
    }

    /// Whether runs are to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
    }

    /// Messages received so far, as of each worker's last visit to a strand.
    pub fn received(&self) -> u64 {
        // Relaxed: each count is of itself.
        let received = |count: &Count| count.received.load(Ordering::Relaxed);
        self.counts.iter().map(received).sum()
    }

    /// Messages received by each of so many workers.
    pub(crate) fn received_by(&self, workers: usize) -> Vec<u64> {
        let counts = self.counts.iter().take(workers);
        counts
            .map(|count| count.received.load(Ordering::Relaxed))
            .collect()
    }

    /// By the worker itself.
    pub(crate) fn add_received(&self, worker: usize, messages: u64) {
        let count = &self.counts[worker].received;
        count.store(count.load(Ordering::Relaxed) + messages, Ordering::Relaxed);
    }

    /// Where in memory the counts begin (64 of 64 bits, 64 bytes apart), and the word that
    /// stops runs when it isn't 0 (32 bits).
    pub fn words(&self) -> (*const u64, *const u32) {
        (self.counts.as_ptr().cast(), (&raw const self.stop).cast())
    }
}
