//! Spawn: make actors that wait for one message, then tell each to stop, as in
//! Armstrong's `processes:max(N)` and the post of 2012.
//!
//! A spawn counts once the actor's start handler has returned (for the async style,
//! its first poll), a stop once the actor has ended and its mailbox is settled.

use crate::workload::runtime::Runtime;
use crate::workload::{Check, Phase, Report, RunError, Style, Workload};
use crate::{Actor, Address, Context, Counters, Exit, Left, Mailbox};

/// The workload keeps every actor's address, to tell it to stop.
pub(crate) const BYTES_PER_ADDRESS: f64 = size_of::<Address<WaiterMessage>>() as f64;

pub(crate) enum WaiterMessage {
    Stop,
}

struct Waiter;

impl Actor for Waiter {
    type Message = WaiterMessage;

    #[inline]
    fn receive(&mut self, message: WaiterMessage, context: &mut Context<'_, WaiterMessage>) {
        match message {
            WaiterMessage::Stop => context.stop(),
        }
    }
}

async fn wait(mut mailbox: Mailbox<WaiterMessage>) {
    match mailbox.receive().await {
        WaiterMessage::Stop => {}
    }
}

pub(crate) struct Spawn<R> {
    actors: u64,
    style: Style,
    phase: Option<Phase>,
    system: R,
    waiting: Vec<Address<WaiterMessage>>,
    stops_sent: u64,
    most_alive: u64,
    bytes_per_actor: Option<f64>,
    failures: Vec<Exit>,
}

impl<R: Runtime> Spawn<R> {
    pub(crate) fn new(actors: u64, style: Style) -> Self {
        Self {
            actors,
            style,
            phase: Some(Phase::Spawn),
            system: R::new(),
            waiting: Vec::new(),
            stops_sent: 0,
            most_alive: 0,
            bytes_per_actor: None,
            failures: Vec::new(),
        }
    }

    #[inline]
    fn spawn_one(&mut self) -> Result<(), RunError> {
        let address = if self.style.is_handler(self.waiting.len() as u64) {
            self.system.try_spawn(Waiter)
        } else {
            self.system.try_spawn_async(wait)
        };
        self.waiting
            .push(address.map_err(|failure| RunError(failure.to_string()))?);
        Ok(())
    }

    fn spawn(&mut self, budget: u64) -> Result<bool, RunError> {
        if self.waiting.capacity() == 0
            && self
                .waiting
                .try_reserve_exact(self.actors as usize)
                .is_err()
        {
            return Err(RunError(format!(
                "out of memory for the addresses of {} actors",
                self.actors
            )));
        }
        let mut left = budget;
        while left > 0 && (self.waiting.len() as u64) < self.actors {
            let batch = left
                .min(R::SPAWN_BATCH)
                .min(self.actors - self.waiting.len() as u64);
            for _ in 0..batch {
                self.spawn_one()?;
            }
            left -= batch;
            self.system.run_batch(batch);
        }
        if (self.waiting.len() as u64) < self.actors || self.system.run(budget) == Left::More {
            return Ok(true);
        }
        self.most_alive = self.system.counters().alive();
        self.bytes_per_actor = Some(self.system.reserved_bytes() as f64 / self.most_alive as f64);
        self.phase = Some(Phase::Stop);
        Ok(false)
    }

    fn stop(&mut self, budget: u64) -> bool {
        let mut left = budget;
        while left > 0 && self.stops_sent < self.actors {
            let batch = left.min(R::SPAWN_BATCH).min(self.actors - self.stops_sent);
            for _ in 0..batch {
                let to = self.waiting[self.stops_sent as usize];
                self.stops_sent += 1;
                // An actor that is gone already shows in the checks.
                drop(self.system.send(to, WaiterMessage::Stop));
            }
            left -= batch;
            self.system.run_batch(batch);
        }
        if self.stops_sent < self.actors || self.system.run(budget) == Left::More {
            return true;
        }
        self.phase = Some(Phase::Check);
        false
    }
}

impl<R: Runtime> Workload for Spawn<R> {
    fn phase(&self) -> Option<Phase> {
        self.phase
    }

    fn slice(&mut self, budget: u64) -> Result<bool, RunError> {
        match self.phase {
            Some(Phase::Spawn) => self.spawn(budget),
            Some(Phase::Stop) => Ok(self.stop(budget)),
            Some(Phase::Check) => {
                self.failures.extend(self.system.take_failures());
                self.phase = None;
                Ok(false)
            }
            Some(Phase::Hop | Phase::SpawnStop | Phase::Leaf) | None => Ok(false),
        }
    }

    fn progress(&self) -> (u64, u64) {
        match self.phase {
            Some(Phase::Spawn) => (self.waiting.len() as u64, self.actors),
            Some(Phase::Stop) => (self.stops_sent, self.actors),
            _ => (0, 0),
        }
    }

    fn set_panic_place(&mut self, panic_place: fn() -> Option<String>) {
        self.system.set_panic_place(panic_place);
    }

    #[cfg(feature = "threads")]
    fn parallel(&self) -> Option<&crate::ParallelSystem> {
        self.system.parallel()
    }

    fn report(&self) -> Report {
        let counters: Counters = self.system.counters();
        Report {
            checks: vec![
                Check::new("spawned", self.actors, counters.spawned),
                Check::new("started", self.actors, counters.started),
                Check::new("alive at once", self.actors, self.most_alive),
                Check::new("stopped", self.actors, counters.stopped),
                Check::new("stop messages handled", self.actors, counters.received),
                Check::new("failed", 0, counters.failed),
                Check::new("alive at the end", 0, counters.alive()),
                Check::new(
                    "sent = received + queued + dropped",
                    counters.sent,
                    counters.received + self.system.queued() + counters.dropped,
                ),
            ],
            units: vec![(Phase::Spawn, self.actors), (Phase::Stop, self.actors)],
            bytes_per_actor: self.bytes_per_actor,
            counters: Some(counters),
            failures: self.failures.clone(),
        }
    }
}
