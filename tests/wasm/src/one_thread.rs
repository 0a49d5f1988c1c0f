//! The cases for the scheduler of one thread, and those that are its alone.

pub(crate) use ringspawn::System;

#[path = "cases/mod.rs"]
mod cases;
mod hands;
mod memory;
#[cfg(target_arch = "wasm32")]
mod promises;
mod turns;

#[cfg(target_arch = "wasm32")]
pub(crate) use self::promises::CASES as PROMISES;
use crate::Case;

pub(crate) fn run(case: Case) {
    (case.run)();
}

/// Whether what happens, and in which order, follows from the program alone.
pub(crate) fn has_one_order() -> bool {
    true
}

cases! {
    memory:
        a_ring_actor_costs_at_most_64_bytes_or_128_when_async;
    turns:
        a_turn_ends_with_its_budget
        a_turn_has_its_whole_budget_whoever_was_before;
}

/// All that hold for this scheduler, with their names.
#[cfg(target_arch = "wasm32")]
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Case)> {
    cases::CASES.iter().chain(CASES).copied()
}
