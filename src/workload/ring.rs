//! The ring: tokens go round a circle of actors, as in the posts of 2006 to 2009.
//!
//! Each actor knows only the next one. A token is one boxed value with a text and
//! a count of its passes; whenever it has gone once round, it must be back where
//! it started, with its text whole. Actors count what they handle, and tell a
//! tally when the run is over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::workload::job::{after, compute};
use crate::workload::runtime::Runtime;
use crate::workload::{Check, Phase, Report, RunError, Style, Workload};
use crate::{Actor, Address, Context, Counters, Left, Mailbox, SendError};

/// What a token carries besides its count.
const TEXT: &str = "a message goes round a ring of actors";

enum RingMessage {
    Token(Box<Token>),
    /// Starts a token on its way; not a hop, since no actor sent it.
    Launch(Box<Token>),
    /// Closes the ring. Boxed, since it is sent once and would make every mailbox larger.
    Next(Box<Address<RingMessage>>),
    /// Goes once round when the run is over: tell the tally what you have handled.
    Report(Box<Round>),
}

struct Token {
    passes: u64,
    /// The count of passes at which something is to be done but to go on: the end of the
    /// lap, or every pass if messages compute.
    stop: u64,
    /// The count of passes at which the current lap ends.
    lap_end: u64,
    actors: u64,
    laps_left: u64,
    /// Laps that ended at home with the text whole.
    good_laps: u64,
    home: Address<RingMessage>,
    tally: Tally,
    text: String,
    /// What its messages compute, and by how many rounds each.
    value: u64,
    rounds: u64,
    number: u64,
}

impl Token {
    /// Does what is to be done at a stop; says whether the last lap is over.
    fn make_stop(&mut self, at: Address<RingMessage>) -> bool {
        self.value = compute(self.value, self.rounds);
        let is_over = self.passes == self.lap_end && self.end_lap(at);
        self.set_stop();
        is_over
    }

    fn set_stop(&mut self) {
        self.stop = if self.rounds > 0 {
            self.passes + 1
        } else {
            self.lap_end
        };
    }

    /// Ends a lap; says whether it was the last.
    fn end_lap(&mut self, at: Address<RingMessage>) -> bool {
        if at == self.home && self.text == TEXT {
            self.good_laps += 1;
        }
        self.lap_end += self.actors;
        self.laps_left -= 1;
        self.laps_left == 0
    }
}

struct Round {
    actors_left: u64,
    tally: Tally,
}

/// What ring actors of both styles do with their system.
trait Port {
    fn address(&mut self) -> Address<RingMessage>;
    fn send<M: Send + 'static>(&mut self, to: Address<M>, message: M) -> Result<(), SendError<M>>;
}

impl Port for Context<'_, RingMessage> {
    fn address(&mut self) -> Address<RingMessage> {
        Context::address(self)
    }

    #[inline(always)]
    fn send<M: Send + 'static>(&mut self, to: Address<M>, message: M) -> Result<(), SendError<M>> {
        Context::send(self, to, message)
    }
}

impl Port for Mailbox<RingMessage> {
    fn address(&mut self) -> Address<RingMessage> {
        Mailbox::address(self)
    }

    #[inline(always)]
    fn send<M: Send + 'static>(&mut self, to: Address<M>, message: M) -> Result<(), SendError<M>> {
        Mailbox::send(self, to, message)
    }
}

/// What an actor of the ring is, in either style.
struct Node {
    next: Option<Address<RingMessage>>,
    handled: u64,
}

impl Node {
    #[inline]
    fn handle(&mut self, message: RingMessage, port: &mut impl Port) {
        let RingMessage::Token(mut token) = message else {
            return self.handle_rare(message, port);
        };
        self.handled += 1;
        token.passes += 1;
        if token.passes == token.stop {
            return self.make_stop(token, port);
        }
        self.pass_on(token, port);
    }

    #[inline(always)]
    fn pass_on(&self, token: Box<Token>, port: &mut impl Port) {
        if let Some(next) = self.next {
            deliver(port, next, RingMessage::Token(token));
        }
    }

    fn pass_on_rarely(&self, token: Box<Token>, port: &mut impl Port) {
        if let Some(next) = self.next {
            deliver_rarely(port, next, RingMessage::Token(token));
        }
    }

    #[cold]
    #[inline(never)]
    fn make_stop(&self, mut token: Box<Token>, port: &mut impl Port) {
        if token.make_stop(port.address()) {
            token.tally.note_token(&token);
        } else {
            self.pass_on_rarely(token, port);
        }
    }

    #[cold]
    #[inline(never)]
    fn handle_rare(&mut self, message: RingMessage, port: &mut impl Port) {
        match message {
            RingMessage::Token(_) => unreachable!("tokens are handled above"),
            RingMessage::Launch(token) => self.pass_on_rarely(token, port),
            RingMessage::Next(next) => self.next = Some(*next),
            RingMessage::Report(mut round) => {
                round.tally.note_share(self.handled);
                round.actors_left -= 1;
                if let (Some(next), true) = (self.next, round.actors_left > 0) {
                    deliver_rarely(port, next, RingMessage::Report(round));
                }
            }
        }
    }
}

/// Sends what can't fail to arrive unless something is broken; the checks would show it.
#[inline(always)]
fn deliver<M: Send + 'static>(port: &mut impl Port, to: Address<M>, message: M) {
    drop(port.send(to, message));
}

/// The same where it is rare, so that its code is there once.
#[cold]
#[inline(never)]
fn deliver_rarely<M: Send + 'static>(port: &mut impl Port, to: Address<M>, message: M) {
    deliver(port, to, message);
}

impl Actor for Node {
    type Message = RingMessage;

    #[inline]
    fn receive(&mut self, message: RingMessage, context: &mut Context<'_, RingMessage>) {
        self.handle(message, context);
    }
}

async fn node(mut mailbox: Mailbox<RingMessage>, mut node: Node) {
    loop {
        let message = mailbox.receive().await;
        node.handle(message, &mut mailbox);
    }
}

/// What the tally has been told.
#[derive(Clone, Copy, Default)]
struct Sums {
    tokens: u64,
    passes: u64,
    good_laps: u64,
    whole_texts: u64,
    right_values: u64,
    reports: u64,
    handled: u64,
    fair_shares: u64,
}

/// What the run is told, by whichever actor has something to tell.
#[derive(Clone)]
struct Tally {
    share: u64,
    /// Rounds that each token's value has gone through when it is back.
    rounds: u64,
    sums: Arc<Mutex<Sums>>,
}

impl Tally {
    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_token(&self, token: &Token) {
        let value = after(self.rounds, token.number);
        let mut sums = self.sums();
        sums.tokens += 1;
        sums.passes += token.passes;
        sums.good_laps += token.good_laps;
        sums.whole_texts += u64::from(token.text == TEXT);
        sums.right_values += u64::from(token.value == value);
    }

    fn note_share(&self, handled: u64) {
        let mut sums = self.sums();
        sums.reports += 1;
        sums.handled += handled;
        sums.fair_shares += u64::from(handled == self.share);
    }
}

pub(crate) struct Ring<R> {
    actors: u64,
    laps: u64,
    tokens: u64,
    /// Of each message.
    rounds: u64,
    /// Whether messages compute, if only 0 rounds.
    works: bool,
    style: Style,
    phase: Option<Phase>,
    system: R,
    tally: Tally,
    spawned: u64,
    first: Option<Address<RingMessage>>,
    last: Option<Address<RingMessage>>,
    /// Where the tokens start, last token first.
    starts: Vec<Address<RingMessage>>,
    begun: bool,
    bytes_per_actor: Option<f64>,
    before_hops: Counters,
    hops: u64,
    failures: Vec<crate::Exit>,
}

impl<R: Runtime> Ring<R> {
    pub(crate) fn new(
        actors: u64,
        laps: u64,
        tokens: u64,
        work: Option<u64>,
        style: Style,
    ) -> Self {
        let rounds = work.unwrap_or(0);
        let tally = Tally {
            share: laps * tokens,
            rounds: (actors * laps).wrapping_mul(rounds),
            sums: Arc::default(),
        };
        Self {
            actors,
            laps,
            tokens,
            rounds,
            works: work.is_some(),
            style,
            phase: Some(Phase::Spawn),
            system: R::new(),
            tally,
            spawned: 0,
            first: None,
            last: None,
            starts: Vec::new(),
            begun: false,
            bytes_per_actor: None,
            before_hops: Counters::default(),
            hops: 0,
            failures: Vec::new(),
        }
    }

    /// The place in the ring, counted along it, where the given token starts.
    fn start_of(&self, token: u64) -> u64 {
        token * self.actors / self.tokens
    }

    /// Spawns the next actor before the others: it knows the one spawned before it,
    /// so places in the ring count down to 0, where the first token starts.
    fn spawn_one(&mut self) -> Result<(), RunError> {
        let node = Node {
            next: self.last,
            handled: 0,
        };
        let address = if self.style.is_handler(self.spawned) {
            self.system.try_spawn(node)
        } else {
            self.system
                .try_spawn_async(|mailbox| self::node(mailbox, node))
        }
        .map_err(|failure| RunError(failure.to_string()))?;
        self.spawned += 1;
        self.first.get_or_insert(address);
        self.last = Some(address);
        let place = self.actors - self.spawned;
        while let next = self.starts.len() as u64
            && next < self.tokens
            && self.start_of(self.tokens - 1 - next) == place
        {
            self.starts.push(address);
        }
        Ok(())
    }

    fn spawn(&mut self, budget: u64) -> Result<bool, RunError> {
        if self.starts.capacity() == 0 && self.starts.try_reserve(self.tokens as usize).is_err() {
            return Err(RunError(format!(
                "out of memory for {} tokens",
                self.tokens
            )));
        }
        let mut left = budget;
        while left > 0 && self.spawned < self.actors {
            let batch = left.min(R::SPAWN_BATCH).min(self.actors - self.spawned);
            for _ in 0..batch {
                self.spawn_one()?;
            }
            left -= batch;
            self.system.run_batch(batch);
        }
        if self.spawned < self.actors {
            return Ok(true);
        }
        if let (Some(first), Some(last)) = (self.first.take(), self.last) {
            drop(self.system.send(first, RingMessage::Next(Box::new(last))));
        }
        if self.system.run(budget) == Left::More {
            return Ok(true);
        }
        self.bytes_per_actor =
            Some(self.system.reserved_bytes() as f64 / self.system.counters().alive() as f64);
        self.phase = Some(if self.laps > 0 {
            Phase::Hop
        } else {
            Phase::Check
        });
        Ok(false)
    }

    fn hop(&mut self, budget: u64) -> bool {
        if !self.begun {
            self.begun = true;
            self.before_hops = self.system.counters();
            self.inject_tokens();
        }
        let more = self.system.run(budget) == Left::More;
        let received = self.system.counters().received - self.before_hops.received;
        // A launch is a message, but no hop.
        self.hops = received.saturating_sub(self.tokens);
        if !more {
            self.begun = false;
            self.phase = Some(Phase::Check);
        }
        more
    }

    fn inject_tokens(&mut self) {
        while let Some(home) = self.starts.pop() {
            let number = self.starts.len() as u64;
            let mut token = Token {
                passes: 0,
                stop: 0,
                lap_end: self.actors,
                actors: self.actors,
                laps_left: self.laps,
                good_laps: 0,
                home,
                tally: self.tally.clone(),
                text: TEXT.to_owned(),
                value: number,
                rounds: self.rounds,
                number,
            };
            token.set_stop();
            drop(self.system.send(home, RingMessage::Launch(Box::new(token))));
        }
    }

    fn check(&mut self, budget: u64) -> bool {
        if !self.begun {
            self.begun = true;
            if let Some(last) = self.last {
                let round = Round {
                    actors_left: self.actors,
                    tally: self.tally.clone(),
                };
                drop(self.system.send(last, RingMessage::Report(Box::new(round))));
            }
        }
        let more = self.system.run(budget) == Left::More;
        if !more {
            self.failures.extend(self.system.take_failures());
            self.phase = None;
        }
        more
    }
}

impl<R: Runtime> Workload for Ring<R> {
    fn phase(&self) -> Option<Phase> {
        self.phase
    }

    fn slice(&mut self, budget: u64) -> Result<bool, RunError> {
        match self.phase {
            Some(Phase::Spawn) => self.spawn(budget),
            Some(Phase::Hop) => Ok(self.hop(budget)),
            Some(Phase::Check) => Ok(self.check(budget)),
            Some(Phase::Stop | Phase::SpawnStop | Phase::Leaf) | None => Ok(false),
        }
    }

    fn progress(&self) -> (u64, u64) {
        match self.phase {
            Some(Phase::Spawn) => (self.spawned, self.actors),
            Some(Phase::Hop) => (self.hops, self.actors * self.laps * self.tokens),
            _ => (self.tally.sums().reports, self.actors),
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
        let sums = *self.tally.sums();
        let counters = self.system.counters();
        let hops = self.actors * self.laps * self.tokens;
        let tokens = if self.laps > 0 { self.tokens } else { 0 };
        let mut units = vec![(Phase::Spawn, self.actors)];
        if hops > 0 {
            units.push((Phase::Hop, hops));
        }
        let mut report = Report {
            checks: vec![
                Check::new("hops", hops, self.hops),
                Check::new("handled by actors", hops, sums.handled),
                Check::new("passes of tokens", hops, sums.passes),
                Check::new(
                    "laps that ended at home",
                    self.laps * self.tokens,
                    sums.good_laps,
                ),
                Check::new("texts whole", tokens, sums.whole_texts),
                Check::new("tokens back", tokens, sums.tokens),
                Check::new("actors with their share", self.actors, sums.fair_shares),
                Check::new("started", self.actors, counters.started),
                Check::new("failed", 0, counters.failed),
                Check::new(
                    "sent = received + queued + dropped",
                    counters.sent,
                    counters.received + self.system.queued() + counters.dropped,
                ),
            ],
            units,
            bytes_per_actor: self.bytes_per_actor,
            counters: Some(counters),
            failures: self.failures.clone(),
        };
        if self.works {
            let check = Check::new("computed values", tokens, sums.right_values);
            report.checks.push(check);
        }
        report
    }
}
