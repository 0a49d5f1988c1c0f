//! Whole turns: on many threads a visit to a strand looks up from it now and then, which
//! may cut one, and the default is another.

use super::System;
use super::cases::fairness::{Busy, Modest};
use super::cases::harness::{Log, slice};

/// How many entries in a row are the same.
fn lengths(log: &[usize]) -> Vec<usize> {
    log.chunk_by(|a, b| a == b).map(<[usize]>::len).collect()
}

pub(crate) fn a_turn_ends_with_its_budget() {
    for budget in [1, 7, 32, 64] {
        let mut system = System::new();
        system.set_turn_budget(budget);
        let log = Log::new();
        for name in 0..3 {
            let log = log.clone();
            system.spawn(Busy::<0> { name, log });
        }
        slice(&mut system, 64 * 9);
        let seen = log.take();
        let turns = lengths(&seen);
        assert!(
            turns[..turns.len() - 1]
                .iter()
                .all(|&turn| turn == budget as usize)
        );
    }
    let mut system = System::new();
    let log = Log::new();
    for name in 0..2 {
        let log = log.clone();
        system.spawn(Busy::<0> { name, log });
    }
    slice(&mut system, 100);
    assert_eq!(lengths(&log.take())[0], 32, "the default");
}

pub(crate) fn a_turn_has_its_whole_budget_whoever_was_before() {
    let mut system = System::new();
    system.set_turn_budget(4);
    let log = Log::new();
    let modest = system.spawn(Modest::<0> {
        name: 0,
        log: log.clone(),
    });
    for _ in 0..3 {
        system.send(modest, []).unwrap();
    }
    for name in 1..3 {
        let log = log.clone();
        system.spawn(Busy::<0> { name, log });
    }
    slice(&mut system, 40);
    assert_eq!(lengths(&log.take())[..5], [3, 4, 4, 4, 4]);
}
