//! Turns and slices end with their budgets, and nobody waits for ever.

use ringspawn::{Actor, Context, Left, Mailbox};

use super::System;

use super::harness::{Log, failures, run, run_slices, slice};

/// Sends to itself for ever and notes its name each time; `TYPE` makes tables of it.
pub(crate) struct Busy<const TYPE: usize> {
    pub(crate) name: usize,
    pub(crate) log: Log<usize>,
}

impl<const TYPE: usize> Actor for Busy<TYPE> {
    type Message = [u8; TYPE];

    fn started(&mut self, context: &mut Context<'_, [u8; TYPE]>) {
        let own = context.address();
        context.send(own, [0; TYPE]).unwrap();
    }

    fn receive(&mut self, message: [u8; TYPE], context: &mut Context<'_, [u8; TYPE]>) {
        self.log.note(self.name);
        let own = context.address();
        context.send(own, message).unwrap();
    }
}

/// Notes its name for each message.
pub(crate) struct Modest<const TYPE: usize> {
    pub(crate) name: usize,
    pub(crate) log: Log<usize>,
}

impl<const TYPE: usize> Actor for Modest<TYPE> {
    type Message = [u8; TYPE];

    fn receive(&mut self, _: [u8; TYPE], _: &mut Context<'_, [u8; TYPE]>) {
        self.log.note(self.name);
    }
}

/// A busy actor and one with ten messages, which may be of another type.
fn modest_gets_its_turns<const TYPE: usize>() {
    for budget in [1, 7, 32, 64] {
        for slices in [1, 5, 33, u64::MAX] {
            let mut system = System::new();
            system.set_turn_budget(budget);
            let log = Log::new();
            for busy in 0..2 {
                let log = log.clone();
                system.spawn(Busy::<0> { name: busy, log });
            }
            slice(&mut system, 1000);
            log.take();
            let modest = system.spawn(Modest::<TYPE> {
                name: 9,
                log: log.clone(),
            });
            for _ in 0..10 {
                system.send(modest, [0; TYPE]).unwrap();
            }
            let done = |log: &[usize]| log.iter().filter(|name| **name == 9).count() == 10;
            let mut seen = Vec::new();
            while !done(&seen) {
                assert_eq!(slice(&mut system, slices.min(10_000)), Left::More);
                seen.extend(log.take());
            }
            let last = seen.iter().rposition(|name| *name == 9).unwrap();
            let others = last + 1 - 10;
            // The end of a slice may cut a turn, to one message at least.
            let turns = match slices {
                u64::MAX => 10_usize.div_ceil(budget as usize) + 1,
                _ => 10,
            };
            // In each of its turns' rounds, each of the two had at most one of its own,
            // and perhaps one that was under way.
            let most = 2 * (turns + 1) * budget as usize;
            assert!(others <= most, "{others} > {most}: {budget}, {slices}");
        }
    }
}

pub(crate) fn a_busy_actor_starves_nobody_of_its_type() {
    modest_gets_its_turns::<0>();
}

pub(crate) fn a_busy_actor_starves_nobody_of_another_type() {
    modest_gets_its_turns::<1>();
}

pub(crate) fn busy_actors_of_one_type_share_turns_with_another_types() {
    let mut system = System::new();
    system.set_turn_budget(4);
    let log = Log::new();
    for name in 0..10 {
        let log = log.clone();
        system.spawn(Busy::<0> { name, log });
    }
    for name in 10..12 {
        let log = log.clone();
        system.spawn(Busy::<1> { name, log });
    }
    slice(&mut system, 48 * 100);
    let seen = log.take();
    for name in 0..12 {
        let count = seen.iter().filter(|it| **it == name).count();
        assert!((380..=420).contains(&count), "{name} had {count} of 400");
    }
}

/// Goes round a ring for ever.
async fn ring(mut mailbox: Mailbox<usize>, name: usize, log: Log<usize>) {
    let next = mailbox.receive().await;
    assert_eq!(next, usize::MAX);
    loop {
        let message = mailbox.receive().await;
        log.note(name);
        mailbox.send(mailbox.address(), message).unwrap();
    }
}

pub(crate) fn every_ready_actor_has_a_turn_in_each_round() {
    // Three tables of different sizes; between two turns of anyone, everyone else has
    // at most two.
    for slices in [u64::MAX, 7, 1] {
        let mut system = System::new();
        system.set_turn_budget(1);
        let log = Log::new();
        for name in 0..20 {
            let log = log.clone();
            system.spawn(Busy::<0> { name, log });
        }
        for name in 20..23 {
            let log = log.clone();
            system.spawn(Busy::<1> { name, log });
        }
        let log2 = log.clone();
        let task = system.spawn_async(move |mailbox| ring(mailbox, 23, log2));
        system.send(task, usize::MAX).unwrap();
        system.send(task, 0).unwrap();
        let mut seen = Vec::new();
        while seen.len() < 2400 {
            slice(&mut system, slices.min(2400));
            seen.extend(log.take());
        }
        assert!(failures(&mut system).is_empty());
        let seen = &seen[100..];
        for name in 0..24 {
            let turns: Vec<_> = (0..seen.len()).filter(|at| seen[*at] == name).collect();
            assert!(turns.len() > 50, "{name} had {} turns", turns.len());
            for pair in turns.windows(2) {
                let between = &seen[pair[0] + 1..pair[1]];
                for other in 0..24 {
                    let count = between.iter().filter(|it| **it == other).count();
                    assert!(
                        count <= 2,
                        "{other} had {count} turns between two of {name}, slices of {slices}"
                    );
                }
            }
        }
    }
}

pub(crate) fn nobody_overtakes_by_more_than_two_turns() {
    // One sleeper among many busy ones of its own type, all waiting for one of another.
    let mut system = System::new();
    system.set_turn_budget(1);
    let log = Log::new();
    for name in 0..50 {
        let log = log.clone();
        system.spawn(Busy::<0> { name, log });
    }
    let sleeper = system.spawn(Modest::<0> {
        name: 50,
        log: log.clone(),
    });
    system.spawn(Busy::<1> {
        name: 51,
        log: log.clone(),
    });
    slice(&mut system, 1000);
    log.take();
    system.send(sleeper, []).unwrap();
    let mut seen = Vec::new();
    while !seen.contains(&50) {
        slice(&mut system, 1000);
        seen.extend(log.take());
    }
    let wait = seen.iter().position(|name| *name == 50).unwrap();
    let other = seen[..wait].iter().filter(|name| **name == 51).count();
    assert!(other <= 2, "the other type had {other} turns meanwhile");
}

pub(crate) fn a_slice_ends_about_where_its_budget_does() {
    let mut system = System::new();
    system.set_turn_budget(10);
    let log = Log::new();
    for name in 0..3 {
        let log = log.clone();
        system.spawn(Busy::<0> { name, log });
    }
    slice(&mut system, 10);
    for budget in [1, 5, 100, 1234] {
        log.take();
        assert_eq!(slice(&mut system, budget), Left::More);
        let done = log.len() as u64;
        assert!((budget..budget + 10).contains(&done), "{done} of {budget}");
    }
}

pub(crate) fn a_slice_without_budget_runs_nothing() {
    let mut system = System::new();
    assert_eq!(slice(&mut system, 0), Left::Idle);
    let log = Log::new();
    let modest = system.spawn(Modest::<0> {
        name: 0,
        log: log.clone(),
    });
    system.send(modest, []).unwrap();
    for _ in 0..3 {
        assert_eq!(slice(&mut system, 0), Left::More);
    }
    assert_eq!((log.len(), system.counters().started), (0, 0));
    run(&mut system);
    assert_eq!(log.len(), 1);
}

pub(crate) fn an_actor_that_spawns_for_ever_starves_nobody() {
    struct Breeder;
    impl Actor for Breeder {
        type Message = [u8; 0];

        fn started(&mut self, context: &mut Context<'_, [u8; 0]>) {
            context.spawn(Breeder);
            context.stop();
        }

        fn receive(&mut self, _: [u8; 0], _: &mut Context<'_, [u8; 0]>) {}
    }
    for type_of_modest in 0..2 {
        let mut system = System::new();
        system.spawn(Breeder);
        slice(&mut system, 1000);
        let log = Log::new();
        if type_of_modest == 0 {
            let log = log.clone();
            let modest = system.spawn(Modest::<0> { name: 0, log });
            system.send(modest, []).unwrap();
        } else {
            let log = log.clone();
            let modest = system.spawn(Modest::<1> { name: 0, log });
            system.send(modest, [0]).unwrap();
        }
        assert_eq!(slice(&mut system, 10), Left::More);
        assert_eq!(log.len(), 1);
        assert_eq!(system.counters().alive(), 2);
    }
}

pub(crate) fn the_same_program_gives_the_same_trace() {
    let trace = |slices: u64| {
        let mut system = System::new();
        system.set_turn_budget(3);
        let log = Log::new();
        for name in 0..4 {
            let log = log.clone();
            let next = system.spawn(Modest::<0> { name, log });
            let log = log_task(&mut system, name);
            for _ in 0..name * 3 {
                system.send(next, []).unwrap();
                system.send(log.0, [0]).unwrap();
            }
            system.spawn_async(move |mailbox: Mailbox<()>| async move {
                for _ in 0..10 {
                    mailbox.send(next, []).unwrap();
                    mailbox.send(log.0, [0]).unwrap();
                }
            });
        }
        run_slices(&mut system, slices);
        log.take()
    };
    let whole = trace(u64::MAX);
    assert!(!whole.is_empty());
    for slices in [u64::MAX, 1000] {
        assert_eq!(trace(slices), whole);
    }
}

fn log_task(system: &mut System, name: usize) -> (ringspawn::Address<[u8; 1]>, usize) {
    let address = system.spawn_async(move |mut mailbox: Mailbox<[u8; 1]>| async move {
        loop {
            mailbox.receive().await;
        }
    });
    (address, name)
}
