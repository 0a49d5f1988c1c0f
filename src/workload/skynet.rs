//! Skynet: a tree of actors that sums the ordinals of its leaves, after Alexander Temerev's
//! benchmark of 2016.
//!
//! An actor of one leaf sends that leaf's ordinal to its parent and ends. One of more
//! spawns up to ten children, sums their answers, sends the sum to its parent and ends.

use std::sync::{Arc, Mutex, PoisonError};

use crate::workload::runtime::Runtime;
use crate::workload::{Check, Phase, Report, RunError, Style, Workload};
use crate::{Actor, Address, Context, Left, Mailbox, SendError, SpawnFailure};

const CHILDREN: u64 = 10;

enum Answer {
    Sum(u64),
    /// A spawn failed below.
    Failure(SpawnFailure),
}

/// Some leaves of the tree, one behind the other.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

impl Range {
    /// In up to ten parts of about the same size.
    pub(crate) fn split(self) -> impl Iterator<Item = Self> {
        let parts = CHILDREN.min(self.count);
        let border = move |part: u64| self.first + self.count * part / parts;
        (0..parts).map(move |part| Self {
            first: border(part),
            count: border(part + 1) - border(part),
        })
    }

    /// Actors of the tree of so many leaves.
    pub(crate) fn actors(count: u64) -> u64 {
        if count <= 1 {
            return 1;
        }
        let parts = CHILDREN.min(count);
        // There are only two sizes, one of which is larger by one.
        let (small, larger) = (count / parts, count % parts);
        let below = if larger == 0 {
            0
        } else {
            larger * Self::actors(small + 1)
        };
        1 + below + (parts - larger) * Self::actors(small)
    }
}

/// What actors of both styles do with their system.
trait Port {
    fn address(&self) -> Address<Answer>;
    fn send(&mut self, to: Address<Answer>, answer: Answer) -> Result<(), SendError<Answer>>;
    fn spawn(
        &mut self,
        leaves: Range,
        parent: Address<Answer>,
        style: Style,
    ) -> Result<(), SpawnFailure>;
}

impl Port for Context<'_, Answer> {
    fn address(&self) -> Address<Answer> {
        Context::address(self)
    }

    fn send(&mut self, to: Address<Answer>, answer: Answer) -> Result<(), SendError<Answer>> {
        Context::send(self, to, answer)
    }

    #[inline(never)]
    fn spawn(
        &mut self,
        leaves: Range,
        parent: Address<Answer>,
        style: Style,
    ) -> Result<(), SpawnFailure> {
        let spawned = if style.is_handler(leaves.first) {
            let node = Node::new(leaves, Above::Parent(parent), style);
            self.try_spawn(node).map_err(|error| error.failure)
        } else {
            self.try_spawn_async(|mailbox| node(mailbox, leaves, parent, style))
                .map_err(|error| error.failure)
        };
        spawned.map(drop)
    }
}

impl Port for Mailbox<Answer> {
    fn address(&self) -> Address<Answer> {
        Mailbox::address(self)
    }

    fn send(&mut self, to: Address<Answer>, answer: Answer) -> Result<(), SendError<Answer>> {
        Mailbox::send(self, to, answer)
    }

    #[inline(never)]
    fn spawn(
        &mut self,
        leaves: Range,
        parent: Address<Answer>,
        style: Style,
    ) -> Result<(), SpawnFailure> {
        let spawned = if style.is_handler(leaves.first) {
            let node = Node::new(leaves, Above::Parent(parent), style);
            self.try_spawn(node).map_err(|error| error.failure)
        } else {
            self.try_spawn_async(|mailbox| node(mailbox, leaves, parent, style))
                .map_err(|error| error.failure)
        };
        spawned.map(drop)
    }
}

/// Spawns the children, and says how many.
fn begin(leaves: Range, style: Style, port: &mut impl Port) -> Result<u64, SpawnFailure> {
    let own = port.address();
    for part in leaves.split() {
        port.spawn(part, own, style)?;
    }
    Ok(CHILDREN.min(leaves.count))
}

/// Answers the parent; whether it gets there shows in the sum.
#[inline(never)]
fn answer(port: &mut impl Port, parent: Address<Answer>, answer: Answer) {
    drop(port.send(parent, answer));
}

/// An actor of the tree in the handler style, or the one above the root, of no leaves.
struct Node {
    leaves: Range,
    above: Above,
    style: Style,
    answers_left: u64,
    sum: u64,
}

/// Who gets an actor's answer.
enum Above {
    Parent(Address<Answer>),
    Host(Arc<Mutex<Outcome>>),
}

impl Node {
    fn new(leaves: Range, above: Above, style: Style) -> Self {
        Self {
            leaves,
            above,
            style,
            answers_left: 1,
            sum: 0,
        }
    }

    fn answer(&self, answer: Answer, context: &mut Context<'_, Answer>) {
        match &self.above {
            Above::Parent(parent) => {
                self::answer(context, *parent, answer);
                context.stop();
            }
            Above::Host(outcome) => outcome
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .note(answer),
        }
    }
}

impl Actor for Node {
    type Message = Answer;

    fn started(&mut self, context: &mut Context<'_, Answer>) {
        match self.leaves.count {
            0 => {}
            1 => self.answer(Answer::Sum(self.leaves.first), context),
            _ => match begin(self.leaves, self.style, context) {
                Ok(children) => self.answers_left = children,
                Err(failure) => self.answer(Answer::Failure(failure), context),
            },
        }
    }

    #[inline]
    fn receive(&mut self, message: Answer, context: &mut Context<'_, Answer>) {
        let Answer::Sum(sum) = message else {
            return self.answer(message, context);
        };
        self.sum += sum;
        self.answers_left -= 1;
        if self.answers_left == 0 {
            self.answer(Answer::Sum(self.sum), context);
        }
    }
}

async fn node(mut mailbox: Mailbox<Answer>, leaves: Range, parent: Address<Answer>, style: Style) {
    if leaves.count == 1 {
        return answer(&mut mailbox, parent, Answer::Sum(leaves.first));
    }
    let children = match begin(leaves, style, &mut mailbox) {
        Ok(children) => children,
        Err(failure) => return answer(&mut mailbox, parent, Answer::Failure(failure)),
    };
    let mut sum = 0;
    for _ in 0..children {
        match mailbox.receive().await {
            Answer::Sum(part) => sum += part,
            failure => return answer(&mut mailbox, parent, failure),
        }
    }
    answer(&mut mailbox, parent, Answer::Sum(sum));
}

#[derive(Default)]
struct Outcome {
    sum: u64,
    answers: u64,
    failure: Option<SpawnFailure>,
}

impl Outcome {
    fn note(&mut self, answer: Answer) {
        self.answers += 1;
        match answer {
            Answer::Sum(sum) => self.sum = sum,
            Answer::Failure(failure) => self.failure = Some(failure),
        }
    }
}

pub(crate) struct Skynet<R> {
    leaves: u64,
    style: Style,
    phase: Option<Phase>,
    system: R,
    tally: Option<Address<Answer>>,
    outcome: Arc<Mutex<Outcome>>,
    begun: bool,
    failures: Vec<crate::Exit>,
}

impl<R: Runtime> Skynet<R> {
    pub(crate) fn new(leaves: u64, style: Style) -> Self {
        let mut system = R::new();
        let outcome = Arc::new(Mutex::new(Outcome::default()));
        let above = Above::Host(Arc::clone(&outcome));
        let nothing = Range { first: 0, count: 0 };
        let tally = system.try_spawn(Node::new(nothing, above, style));
        Self {
            leaves,
            style,
            phase: Some(Phase::Leaf),
            system,
            tally: tally.ok(),
            outcome,
            begun: false,
            failures: Vec::new(),
        }
    }

    fn begin(&mut self) -> Result<(), SpawnFailure> {
        let Some(tally) = self.tally else {
            return Err(SpawnFailure::OutOfMemory { alive: 0 });
        };
        let (style, leaves) = (
            self.style,
            Range {
                first: 0,
                count: self.leaves,
            },
        );
        if style.is_handler(0) {
            let above = Above::Parent(tally);
            self.system.try_spawn(Node::new(leaves, above, style))?;
        } else {
            let body = |mailbox| node(mailbox, leaves, tally, style);
            self.system.try_spawn_async(body)?;
        }
        Ok(())
    }

    fn grow(&mut self, budget: u64) -> Result<bool, RunError> {
        if !self.begun {
            self.begun = true;
            self.begin()
                .map_err(|failure| RunError(failure.to_string()))?;
        }
        let more = self.system.run(budget) == Left::More;
        if let Some(failure) = self.outcome().failure {
            return Err(RunError(failure.to_string()));
        }
        if !more {
            self.phase = Some(Phase::Check);
        }
        Ok(more)
    }

    fn outcome(&self) -> std::sync::MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Runtime> Workload for Skynet<R> {
    fn phase(&self) -> Option<Phase> {
        self.phase
    }

    fn slice(&mut self, budget: u64) -> Result<bool, RunError> {
        match self.phase {
            Some(Phase::Leaf) => self.grow(budget),
            Some(_) => {
                self.failures.extend(self.system.take_failures());
                self.phase = None;
                Ok(false)
            }
            None => Ok(false),
        }
    }

    /// In messages: every actor but the root answers its parent, and that the tally.
    fn progress(&self) -> (u64, u64) {
        (self.system.counters().received, Range::actors(self.leaves))
    }

    fn set_panic_place(&mut self, panic_place: fn() -> Option<String>) {
        self.system.set_panic_place(panic_place);
    }

    #[cfg(feature = "threads")]
    fn parallel(&self) -> Option<&crate::ParallelSystem> {
        self.system.parallel()
    }

    fn report(&self) -> Report {
        let counters = self.system.counters();
        let actors = Range::actors(self.leaves);
        let outcome = self.outcome();
        Report {
            checks: vec![
                Check::new(
                    "sum of the leaves",
                    self.leaves * (self.leaves - 1) / 2,
                    outcome.sum,
                ),
                Check::new("answers of the tree", 1, outcome.answers),
                // Besides the tree there is the tally.
                Check::new("started", actors + 1, counters.started),
                Check::new("stopped", actors, counters.stopped),
                Check::new("answers handled", actors, counters.received),
                Check::new("failed", 0, counters.failed),
                Check::new(
                    "sent = received + queued + dropped",
                    counters.sent,
                    counters.received + self.system.queued() + counters.dropped,
                ),
            ],
            units: vec![(Phase::Leaf, self.leaves)],
            bytes_per_actor: Some(self.system.reserved_bytes() as f64 / self.leaves as f64),
            counters: Some(counters),
            failures: self.failures.clone(),
        }
    }
}
