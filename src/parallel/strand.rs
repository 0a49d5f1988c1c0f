//! One strand, and what all workers share: the strands and who waits for whom.
//!
//! A strand's core is touched only by who took it up (see `inbox.rs`), or by the host
//! while no worker runs. Strands never move and live as long as the system.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_deque::Injector;

use super::activity::Activity;
use super::control::Control;
use super::inbox::Inbox;
use super::letters::Letters;
use super::sleepers::Sleepers;
use crate::address::Place;
use crate::scheduler::Core;

/// Strand numbers that addresses have room for.
const MOST_STRANDS: usize = Place::MAX_STRANDS;

/// No strand's number.
pub(crate) const NO_STRAND: u32 = u32::MAX;

/// What the host has set, for all strands.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) strand_size: u64,
    pub(crate) turn_budget: u32,
    pub(crate) panic_place: Option<fn() -> Option<String>>,
    pub(crate) now: Duration,
}

pub(crate) struct Strand {
    pub(crate) number: u32,
    pub(crate) inbox: Inbox<Letters>,
    core: UnsafeCell<Core>,
    /// Actors alive when its last visit ended.
    pub(crate) alive: AtomicU64,
    /// Where what it spawned last beyond its size went.
    pub(crate) overflow: AtomicU32,
    /// It is in the list of vacant strands.
    listed: AtomicBool,
}

// SAFETY: the core is reached by one thread at a time: by who took the strand up, which
// the inbox's lock hands on, or by the host, who lets no worker run meanwhile. All that
// gets into it is `Send`: see `home.rs`.
unsafe impl Sync for Strand {}
// SAFETY: as for `Sync`.
unsafe impl Send for Strand {}

impl Strand {
    /// The core, for who took the strand up.
    #[inline]
    pub(crate) fn core(&self) -> NonNull<Core> {
        // SAFETY: a cell's content is somewhere.
        unsafe { NonNull::new_unchecked(self.core.get()) }
    }
}

/// What is called when an actor was woken while no worker runs.
pub(crate) type Notify = Box<dyn Fn() + Send + Sync>;

#[derive(Default)]
pub(crate) struct Shared {
    strands: boxcar::Vec<Strand>,
    /// Queued strands that no worker has taken yet.
    pub(crate) arrivals: Injector<u32>,
    /// Idle strands without actors, to be used again.
    vacant: Mutex<Vec<u32>>,
    pub(crate) activity: Activity,
    pub(crate) sleepers: Sleepers,
    pub(crate) control: Arc<Control>,
    notify: Mutex<Option<Notify>>,
}

impl Shared {
    pub(crate) fn strand(&self, number: u32) -> Option<&Strand> {
        self.strands.get(number as usize)
    }

    pub(crate) fn strands(&self) -> impl Iterator<Item = &Strand> {
        self.strands.iter().map(|(_, strand)| strand)
    }

    /// Counts a strand as idle; the last one ends the run.
    pub(crate) fn count_idle(&self) {
        if self.activity.count_idle() {
            self.sleepers.wake_all();
        }
    }

    /// Makes a strand, held by the caller and counted as busy; none if there is no number
    /// left for it.
    pub(crate) fn add_strand(self: &Arc<Self>, settings: &Settings) -> Option<&Strand> {
        if self.strands.count() >= MOST_STRANDS {
            return None;
        }
        self.activity.count_busy();
        let index = self.strands.push_with(|index| Strand {
            number: index as u32,
            inbox: Inbox::held(),
            core: UnsafeCell::new(self.new_core(index as u32, settings)),
            alive: AtomicU64::new(0),
            overflow: AtomicU32::new(NO_STRAND),
            listed: AtomicBool::new(false),
        });
        self.strands.get(index)
    }

    fn new_core(self: &Arc<Self>, number: u32, settings: &Settings) -> Core {
        let mut core = Core::new(number);
        core.turn_budget = settings.turn_budget;
        core.panic_place = settings.panic_place;
        let shared = Arc::downgrade(self);
        core.set_notify(Arc::new(move || {
            if let Some(shared) = shared.upgrade() {
                shared.nudge(number);
            }
        }));
        core
    }

    /// A vacant strand, or else a new one; held by the caller and counted as busy.
    pub(crate) fn vacant_strand(self: &Arc<Self>, settings: &Settings) -> Option<&Strand> {
        loop {
            let number = self.vacant_list().pop();
            let Some(strand) = number.and_then(|number| self.strand(number)) else {
                return self.add_strand(settings);
            };
            strand.listed.store(false, Ordering::Relaxed);
            if let Some(strand) = self.hold(strand, settings) {
                return Some(strand);
            }
        }
    }

    /// An idle strand that has room, held by the caller and counted as busy.
    pub(crate) fn hold<'a>(
        &'a self,
        strand: &'a Strand,
        settings: &Settings,
    ) -> Option<&'a Strand> {
        if strand.alive.load(Ordering::Relaxed) >= settings.strand_size || !strand.inbox.try_hold()
        {
            return None;
        }
        self.activity.count_busy();
        Some(strand)
    }

    /// Remembers an idle strand that has no actors.
    pub(crate) fn note_vacant(&self, strand: &Strand) {
        if !strand.listed.swap(true, Ordering::Relaxed) {
            self.vacant_list().push(strand.number);
        }
    }

    fn vacant_list(&self) -> std::sync::MutexGuard<'_, Vec<u32>> {
        // Nothing panics while the lock is held but for want of memory.
        self.vacant.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Actors alive in all strands, as of their last visits.
    pub(crate) fn alive(&self) -> u64 {
        let alive = |strand: &Strand| strand.alive.load(Ordering::Relaxed);
        self.strands().map(alive).sum()
    }

    /// Has a strand looked at, one of whose actors was woken, by whatever thread.
    fn nudge(&self, number: u32) {
        if self.strand(number).is_some_and(|it| it.inbox.nudge()) {
            self.queue(number);
            if self.activity.must_notify()
                && let Some(notify) = &*self.notify_slot()
            {
                notify();
            }
        }
    }

    /// Puts a strand that was idle into the common queue.
    pub(crate) fn queue(&self, number: u32) {
        self.activity.count_busy();
        self.arrivals.push(number);
        self.sleepers.wake_one();
    }

    pub(crate) fn set_notify(&self, notify: Notify) {
        *self.notify_slot() = Some(notify);
    }

    fn notify_slot(&self) -> std::sync::MutexGuard<'_, Option<Notify>> {
        self.notify.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
