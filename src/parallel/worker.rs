//! A worker: takes up strands that are queued, runs each for a while, and looks for more.
//!
//! Every worker has a queue of its own, from whose other end the others steal when they
//! have nothing to do (Blumofe and Leiserson's work stealing). What is stolen is the
//! strand, not the actor, so the work of thousands of messages moves at once.
#![allow(unsafe_code)]

use std::any::Any;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_deque::{Steal, Stealer, Worker as Queue};

use super::letters::Letters;
use super::strand::{Settings, Shared, Strand};
use crate::address::{Address, SendError};
use crate::exit::forget_place;
use crate::mailbox::OutOfMemory;
use crate::scheduler::{Core, Left};

/// Messages of one visit to a strand: enough to make the visit's own cost small, few
/// enough that other strands get their turn.
const VISIT: u64 = 1024;

/// A visit looks up from its strand after so many messages, and then after four times as
/// many each time: its cost stays small, and so does the time until others get to help.
const FIRST_STRETCH: u64 = 16;

/// Every so many visits a worker looks at the common queue first.
const ARRIVALS_EVERY: u32 = 64;

/// A nursery that holds this part of a strand's size takes no further spawner's actors, so
/// that those it has find room beside them for their own. Otherwise strands would fill with
/// cousins, whose children all had to live, and answer from, elsewhere: in a tree of ten
/// children each, nearly every message went to another strand.
const FULL_OF_COUSINS: u64 = 16;

/// After so many visits to strands that are new the others have their turn.
const FRESH_VISITS: u32 = 16;

/// Looks around before a worker goes to sleep, about a microsecond each: waking it takes
/// some 50 µs, so it pays to look for as long.
const LOOKS: u32 = 50;

/// A strand that waits alone behind the one that runs is left to its worker for so many
/// looks: mostly its turn comes sooner, and taking it would be for nothing.
const PATIENCE: u32 = 4;

/// What a look's pause counts to.
const PAUSE: u32 = 500;

/// Sleepers look again after so long: for a strand that waits alone behind one that takes
/// its time, and for a stop, of which nobody tells them.
const NAP: Duration = Duration::from_millis(2);

/// One run of a system, as all its workers see it.
pub(crate) struct Run<'a> {
    shared: &'a Arc<Shared>,
    settings: Settings,
    desks: Vec<Desk>,
    /// What is left of the budget; none if there is no end to it.
    budget: Option<AtomicI64>,
    /// A panic that was nobody's; it ends the run.
    broken: Mutex<Option<Box<dyn Any + Send>>>,
    tally: Mutex<Tally>,
}

/// What others see of a worker.
struct Desk {
    fresh: Stealer<u32>,
    queued: Stealer<u32>,
    /// The worker's end of the queues, until it comes for them.
    queues: Mutex<Option<Queues>>,
    visits: AtomicU32,
}

impl Desk {
    fn len(&self) -> usize {
        self.fresh.len() + self.queued.len()
    }
}

/// The strands that wait for a worker. New ones go first, the newest before all: a tree
/// that is spawned is worked on in depth and stays small, while thieves take the oldest,
/// which have most before them. All others wait in line.
struct Queues {
    fresh: Queue<u32>,
    queued: Queue<u32>,
}

impl Queues {
    fn len(&self) -> usize {
        self.fresh.len() + self.queued.len()
    }

    fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.queued.is_empty()
    }
}

/// What workers did.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) crossings: u64,
    pub(crate) steals: u64,
    pub(crate) parks: u64,
    /// Workers that visited a strand.
    pub(crate) used: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.crossings += other.crossings;
        self.steals += other.steals;
        self.parks += other.parks;
        self.used += other.used;
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(
        shared: &'a Arc<Shared>,
        settings: Settings,
        workers: usize,
        budget: u64,
    ) -> Self {
        let desk = || {
            let queues = Queues {
                fresh: Queue::new_lifo(),
                queued: Queue::new_fifo(),
            };
            Desk {
                fresh: queues.fresh.stealer(),
                queued: queues.queued.stealer(),
                queues: Mutex::new(Some(queues)),
                visits: AtomicU32::new(0),
            }
        };
        Self {
            shared,
            settings,
            desks: std::iter::repeat_with(desk).take(workers).collect(),
            budget: i64::try_from(budget).ok().map(AtomicI64::new),
            broken: Mutex::new(None),
            tally: Mutex::default(),
        }
    }

    /// Works as the worker of this number until the run is over.
    pub(crate) fn work(&self, number: usize) {
        let Some(desk) = self.desks.get(number) else {
            return;
        };
        let queues = desk.queues.lock().ok().and_then(|mut queues| queues.take());
        let Some(queues) = queues else {
            return;
        };
        forget_place(self.settings.panic_place);
        let mut worker = Worker {
            run: self,
            number,
            queues,
            fresh_visits: 0,
            spare: Letters::default(),
            watched: vec![Watched::default(); self.desks.len()],
            tally: Tally::default(),
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| worker.work())) {
            *self.broken.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic);
            self.shared.sleepers.wake_all();
        }
        // For the next run, which has other workers.
        let Queues { fresh, queued } = &worker.queues;
        while let Some(number) = queued.pop().or_else(|| fresh.pop()) {
            self.shared.arrivals.push(number);
        }
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(worker.tally);
    }

    /// What came of it, when all workers are done.
    pub(crate) fn finish(self) -> Result<Tally, Box<dyn Any + Send>> {
        let panic = self
            .broken
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let tally = self
            .tally
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        panic.map_or(Ok(tally), Err)
    }

    fn is_over(&self) -> bool {
        self.shared.activity.is_quiet()
            || self.control_says_stop()
            || self.is_spent()
            || self.is_broken()
    }

    fn control_says_stop(&self) -> bool {
        self.shared.control.is_stopped()
    }

    fn is_spent(&self) -> bool {
        let left = self
            .budget
            .as_ref()
            .map(|left| left.load(Ordering::Relaxed));
        left.is_some_and(|left| left <= 0)
    }

    fn is_broken(&self) -> bool {
        self.broken.lock().map_or(true, |broken| broken.is_some())
    }

    /// Takes from the budget what a visit may use.
    fn claim(&self, messages: u64) -> u64 {
        let Some(budget) = &self.budget else {
            return messages;
        };
        let share = |left: i64| messages.min(left.max(0) as u64);
        let take = |left| Some(left - share(left) as i64);
        let before = budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        before.map_or(0, share)
    }

    /// Gives back what a visit claimed and didn't use, so that claims add up to the budget.
    fn give_back(&self, claimed: u64, used: u64) {
        if let Some(budget) = &self.budget {
            budget.fetch_add(claimed as i64 - used as i64, Ordering::Relaxed);
        }
    }

    /// Whether somebody who is about to sleep would find something.
    fn has_work(&self) -> bool {
        !self.shared.arrivals.is_empty() || self.desks.iter().any(|desk| desk.len() > 1)
    }
}

/// What a thief knows of another worker.
#[derive(Clone, Copy, Default)]
struct Watched {
    visits: u32,
    /// Looks since it began that visit.
    looks: u32,
}

struct Worker<'a> {
    run: &'a Run<'a>,
    number: usize,
    queues: Queues,
    /// Visits to new strands since the last one to another.
    fresh_visits: u32,
    /// An empty buffer, for what the next visit sends. It goes from a visit's letters to
    /// the next visit's outbox, so that idle strands keep none.
    spare: Letters,
    watched: Vec<Watched>,
    tally: Tally,
}

impl<'a> Worker<'a> {
    fn work(&mut self) {
        while let Some(strand) = self.next() {
            self.visit(strand);
        }
    }

    fn next(&mut self) -> Option<&'a Strand> {
        let run = self.run;
        if run.is_over() {
            return None;
        }
        let visits = run.desks[self.number].visits.load(Ordering::Relaxed);
        let arrived = if visits.is_multiple_of(ARRIVALS_EVERY) {
            self.take_arrived()
        } else {
            None
        };
        let number = arrived
            .or_else(|| self.take_own())
            .or_else(|| self.look_around())?;
        run.shared.strand(number)
    }

    fn take_own(&mut self) -> Option<u32> {
        let Queues { fresh, queued } = &self.queues;
        if self.fresh_visits < FRESH_VISITS || queued.is_empty() {
            self.fresh_visits += 1;
            if let Some(number) = fresh.pop() {
                return Some(number);
            }
        }
        self.fresh_visits = 0;
        queued.pop()
    }

    /// Looks for a strand to take, for as long as the run goes on.
    #[cold]
    fn look_around(&mut self) -> Option<u32> {
        let sleepers = &self.run.shared.sleepers;
        sleepers.begin_to_look();
        let found = self.look_until_found();
        if sleepers.end_to_look() && found.is_some() && self.run.has_work() {
            sleepers.wake_one();
        }
        found
    }

    fn look_until_found(&mut self) -> Option<u32> {
        let mut looks = 0;
        loop {
            if self.run.is_over() {
                return None;
            }
            let found = self.take_arrived().or_else(|| self.steal());
            if found.is_some() {
                return found;
            }
            looks += 1;
            if looks < LOOKS {
                pause();
                continue;
            }
            let run = self.run;
            let may_sleep = || !run.is_over() && !run.has_work();
            if run.shared.sleepers.sleep(NAP, may_sleep) {
                self.tally.parks += 1;
                // Long enough to lose patience.
                looks = LOOKS - 2 * PATIENCE;
            }
        }
    }

    fn take_arrived(&self) -> Option<u32> {
        let arrivals = &self.run.shared.arrivals;
        persist(|| arrivals.steal_batch_and_pop(&self.queues.queued))
    }

    fn steal(&mut self) -> Option<u32> {
        let run = self.run;
        for step in 1..run.desks.len() {
            let number = (self.number + step) % run.desks.len();
            let desk = &run.desks[number];
            let stolen = match desk.len() {
                0 => None,
                1 if self.is_patient_with(number) => None,
                _ => self.steal_from(desk),
            };
            if stolen.is_some() {
                self.tally.steals += 1;
                return stolen;
            }
        }
        None
    }

    /// Takes half of the new strands, or else half of the others. New ones stay new: in line
    /// with the others they would be begun side by side, and be alive at once.
    fn steal_from(&self, desk: &Desk) -> Option<u32> {
        let Queues { fresh, queued } = &self.queues;
        persist(|| desk.fresh.steal_batch_and_pop(fresh))
            .or_else(|| persist(|| desk.queued.steal_batch_and_pop(queued)))
    }

    /// Whether a worker's only waiting strand is left to it for now: until it has been at
    /// one and the same visit for a while.
    fn is_patient_with(&mut self, number: usize) -> bool {
        let visits = self.run.desks[number].visits.load(Ordering::Relaxed);
        let watched = &mut self.watched[number];
        if watched.visits != visits {
            *watched = Watched { visits, looks: 0 };
        }
        watched.looks += 1;
        watched.looks <= PATIENCE
    }

    /// Delivers what came for a strand and runs it for a while.
    fn visit(&mut self, strand: &'a Strand) {
        let visits = &self.run.desks[self.number].visits;
        let count = visits.load(Ordering::Relaxed).wrapping_add(1);
        visits.store(count, Ordering::Relaxed);
        self.tally.used = 1;
        let mut letters = strand.inbox.take_up(Letters::default());
        let mut visit = Visit {
            strand,
            rests: false,
            outside: Outside {
                run: self.run,
                queues: &self.queues,
                overflow: strand.overflow.load(Ordering::Relaxed),
                nursery: None,
                spawner: None,
                begins: false,
                outbox: std::mem::take(&mut self.spare),
                addressee: None,
                crossings: 0,
                lost: 0,
            },
        };
        // SAFETY: the strand was taken up.
        let received = unsafe { visit.run(&mut letters) };
        self.spare = letters.or_larger(std::mem::take(&mut visit.outside.outbox));
        self.tally.crossings += visit.outside.crossings;
        let control = &self.run.shared.control;
        control.add_received(self.number, received);
    }
}

/// One visit to a strand. When it ends, also by a panic, the strand rests or is queued again.
struct Visit<'a> {
    strand: &'a Strand,
    rests: bool,
    outside: Outside<'a>,
}

impl Visit<'_> {
    /// Delivers the letters and runs the strand for a while; says how many messages its
    /// actors received.
    ///
    /// # Safety
    ///
    /// The caller must have taken the strand up.
    unsafe fn run(&mut self, letters: &mut Letters) -> u64 {
        let run = self.outside.run;
        let core = self.strand.core();
        // A turn may come back to it, so it is used by pointer until the visit is over.
        let outside = (&raw mut self.outside).cast::<Outside<'static>>();
        let claimed = run.claim(VISIT);
        // SAFETY: nobody else uses the core while the strand is taken up, and each borrow
        // of it ends with its statement. The core forgets the outside when this is dropped.
        unsafe {
            let before = (*core.as_ptr()).received();
            (*core.as_ptr()).now = run.settings.now;
            (*core.as_ptr()).outside = NonNull::new(outside);
            letters.deliver(core);
            let mut spent = 0;
            let mut stretch = FIRST_STRETCH;
            while spent < claimed {
                let granted = stretch.min(claimed - spent);
                (*core.as_ptr()).grant(granted);
                let left = Core::run(core);
                // A turn may go beyond it; and starts are charged too.
                spent += (granted as i64 - (*core.as_ptr()).left()) as u64;
                if left == Left::Idle {
                    self.rests = true;
                    break;
                }
                stretch *= 4;
                if run.control_says_stop() {
                    break;
                }
                if run.shared.sleepers.is_anybody_idle() {
                    (*outside).post();
                    if !self.outside.queues.is_empty() {
                        run.shared.sleepers.wake_one();
                    }
                }
            }
            (*outside).post();
            run.give_back(claimed, spent);
            (*core.as_ptr()).received() - before
        }
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let Outside { run, queues, .. } = self.outside;
        self.outside.post();
        self.outside.release_nursery();
        let strand = self.strand;
        strand
            .overflow
            .store(self.outside.overflow, Ordering::Relaxed);
        // SAFETY: the strand is taken up, and its visit is over.
        let alive = unsafe {
            (*strand.core().as_ptr()).outside = None;
            (*strand.core().as_ptr()).counters.dropped += self.outside.lost;
            (*strand.core().as_ptr()).counters.alive()
        };
        strand.alive.store(alive, Ordering::Relaxed);
        if !self.rests {
            strand.inbox.requeue();
        } else if strand.inbox.rest() {
            if alive == 0 {
                run.shared.note_vacant(strand);
            }
            return run.shared.count_idle();
        }
        queues.queued.push(strand.number);
        if queues.len() > 1 {
            run.shared.sleepers.wake_one();
        }
    }
}

/// What a strand that is being visited can reach beyond itself.
pub(crate) struct Outside<'a> {
    run: &'a Run<'a>,
    queues: &'a Queues,
    overflow: u32,
    /// A strand that the visitor holds besides, to spawn into.
    nursery: Option<&'a Strand>,
    /// Who spawned into it last.
    spawner: Option<NonNull<()>>,
    /// The next actor begins a strand.
    begins: bool,
    /// Letters to one other strand that are still to be posted.
    outbox: Letters,
    addressee: Option<&'a Strand>,
    crossings: u64,
    /// Letters that were lost for want of memory.
    lost: u64,
}

impl<'a> Outside<'a> {
    /// The core that the next actor spawned joins: its spawner's, if there is room.
    ///
    /// # Safety
    ///
    /// `own` must be the core of the visited strand, with nothing of it borrowed.
    #[inline]
    pub(crate) unsafe fn home_of_next(&mut self, own: NonNull<Core>) -> NonNull<Core> {
        let size = self.run.settings.strand_size;
        // SAFETY: the caller's promise; the visitor holds the nursery as well.
        unsafe {
            if !self.begins {
                if (*own.as_ptr()).counters.alive() < size {
                    return own;
                }
                let spawner = (*own.as_ptr()).turn.running;
                let is_another = std::mem::replace(&mut self.spawner, spawner) != spawner;
                let room = if is_another {
                    size / FULL_OF_COUSINS
                } else {
                    size
                };
                if let Some(nursery) = self.nursery
                    && (*nursery.core().as_ptr()).counters.alive() < room
                {
                    return nursery.core();
                }
            }
            self.next_nursery().map_or(own, Strand::core)
        }
    }

    /// Has the next actor begin a strand.
    pub(crate) fn begin_strand(&mut self) {
        self.begins = true;
    }

    #[cold]
    fn next_nursery(&mut self) -> Option<&'a Strand> {
        self.release_nursery();
        // What is gathered for a strand that becomes the nursery would be overtaken by what
        // goes straight into it; once it is posted, that strand isn't idle.
        self.post();
        let Run {
            shared, settings, ..
        } = self.run;
        let begins = std::mem::take(&mut self.begins);
        let last = shared.strand(self.overflow).filter(|_| !begins);
        let nursery = last
            .and_then(|last| shared.hold(last, settings))
            .or_else(|| shared.vacant_strand(settings))?;
        self.overflow = nursery.number;
        self.nursery = Some(nursery);
        Some(nursery)
    }

    /// Lets the nursery's actors run, on whatever worker.
    fn release_nursery(&mut self) {
        let Some(nursery) = self.nursery.take() else {
            return;
        };
        // SAFETY: the visitor holds it until here.
        let alive = unsafe { (*nursery.core().as_ptr()).counters.alive() };
        nursery.alive.store(alive, Ordering::Relaxed);
        nursery.inbox.requeue();
        self.queues.fresh.push(nursery.number);
        self.run.shared.sleepers.wake_one();
    }

    /// Sends to an actor of another strand. Nobody knows here whether it lives still.
    ///
    /// Letters to one strand are gathered, so that many take one lock.
    pub(crate) fn send<M: 'static>(
        &mut self,
        to: Address<M>,
        message: M,
    ) -> Result<(), SendError<M>> {
        let number = to.id().strand();
        if self.addressee.is_none_or(|strand| strand.number != number) {
            let Some(strand) = self.run.shared.strand(number) else {
                return Err(SendError::NoActor(message));
            };
            if self.nursery.is_some_and(|nursery| nursery.number == number) {
                // SAFETY: the visitor holds it, and its actors don't run now.
                return unsafe { (*strand.core().as_ptr()).put(to, message) };
            }
            self.post();
            self.addressee = Some(strand);
        }
        self.outbox.push(to, message)
    }

    /// Puts the letters into their addressee's inbox.
    fn post(&mut self) {
        let Some(strand) = self.addressee.take() else {
            return;
        };
        let count = self.outbox.count();
        match strand.inbox.put(|letters| letters.append(&mut self.outbox)) {
            Ok(is_to_be_queued) => {
                self.crossings += count;
                if is_to_be_queued {
                    self.run.shared.activity.count_busy();
                    self.queues.queued.push(strand.number);
                    if self.queues.len() > 1 {
                        self.run.shared.sleepers.wake_one();
                    }
                }
            }
            Err(OutOfMemory) => self.lost += count,
        }
    }

    /// Actors alive in all strands, about.
    pub(crate) fn alive(&self) -> u64 {
        self.run.shared.alive()
    }
}

/// Tries again what another worker got in the way of.
fn persist<T>(mut attempt: impl FnMut() -> Steal<T>) -> Option<T> {
    loop {
        match attempt() {
            Steal::Success(value) => return Some(value),
            Steal::Empty => return None,
            Steal::Retry => std::hint::spin_loop(),
        }
    }
}

/// WebAssembly has no instruction for it, so it counts.
fn pause() {
    for count in 0..PAUSE {
        black_box(count);
    }
}
