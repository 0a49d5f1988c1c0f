//! The cases for the scheduler of many threads.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use ringspawn::{Left, ParallelSystem};

use crate::Case;

#[path = "cases/mod.rs"]
#[cfg_attr(
    not(target_arch = "wasm32"),
    expect(clippy::duplicate_mod, reason = "the same cases for another scheduler")
)]
mod cases;
mod hands;

/// All actors of a case are on one strand, or hardly any two.
const STRAND_SIZES: [usize; 2] = [256, 2];

thread_local! {
    static STRAND_SIZE: Cell<usize> = const { Cell::new(STRAND_SIZES[0]) };
}

/// Runs a case on one strand and, if it may be, on many.
pub(crate) fn run(case: Case) {
    let sizes = if case.in_one_strand { 1 } else { 2 };
    for size in &STRAND_SIZES[..sizes] {
        STRAND_SIZE.set(*size);
        (case.run)();
    }
}

/// Whether what happens, and in which order, follows from the program alone.
pub(crate) fn has_one_order() -> bool {
    STRAND_SIZE.get() == STRAND_SIZES[0]
}

/// Runs on a pool of its own, natively; in wasm there is one for all.
pub(crate) struct System {
    system: ParallelSystem,
    #[cfg(not(target_arch = "wasm32"))]
    pool: std::rc::Rc<rayon::ThreadPool>,
}

impl System {
    pub(crate) fn new() -> Self {
        let mut system = ParallelSystem::new();
        system.set_strand_size(STRAND_SIZE.get());
        Self {
            system,
            #[cfg(not(target_arch = "wasm32"))]
            pool: pool(),
        }
    }

    pub(crate) fn run(&mut self, now: Duration, budget: u64) -> Left {
        let Self { system, .. } = self;
        #[cfg(not(target_arch = "wasm32"))]
        return self.pool.install(|| system.run(now, budget));
        #[cfg(target_arch = "wasm32")]
        return system.run(now, budget);
    }
}

impl Deref for System {
    type Target = ParallelSystem;

    fn deref(&self) -> &ParallelSystem {
        &self.system
    }
}

impl DerefMut for System {
    fn deref_mut(&mut self) -> &mut ParallelSystem {
        &mut self.system
    }
}

/// This thread's pool: tests run side by side.
#[cfg(not(target_arch = "wasm32"))]
fn pool() -> std::rc::Rc<rayon::ThreadPool> {
    use std::rc::Rc;
    thread_local! {
        static POOL: Rc<rayon::ThreadPool> = Rc::new(
            rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads"),
        );
    }
    POOL.with(Rc::clone)
}

/// All that hold for this scheduler, with their names.
#[cfg(target_arch = "wasm32")]
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Case)> {
    cases::CASES.iter().copied()
}
