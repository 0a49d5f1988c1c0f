//! What a system counts.

/// What has happened in a system so far, counted by the system itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Actors spawned.
    pub spawned: u64,
    /// Start handlers that have returned; for async actors, first polls.
    pub started: u64,
    /// Actors that have ended, for whatever reason.
    pub stopped: u64,
    /// Those among them that panicked.
    pub failed: u64,
    /// Messages accepted into a mailbox.
    pub sent: u64,
    /// Messages taken out by their actor.
    pub received: u64,
    /// Messages that were still queued when their actor ended.
    pub dropped: u64,
    /// Sends that found no actor, or no memory, and gave the message back.
    pub undeliverable: u64,
    /// The most messages that waited in one mailbox at a time.
    pub queue_high_water: u64,
}

impl Counters {
    /// Actors that have not ended.
    pub fn alive(&self) -> u64 {
        self.spawned - self.stopped
    }

    /// Adds those of another strand.
    #[cfg(feature = "threads")]
    pub(crate) fn add(&mut self, other: &Self) {
        self.spawned += other.spawned;
        self.started += other.started;
        self.stopped += other.stopped;
        self.failed += other.failed;
        self.sent += other.sent;
        self.received += other.received;
        self.dropped += other.dropped;
        self.undeliverable += other.undeliverable;
        self.queue_high_water = self.queue_high_water.max(other.queue_high_water);
    }
}
