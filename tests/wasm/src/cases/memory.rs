//! What is reserved, what is used again, and large numbers.

use ringspawn::{Actor, Address, Context, Mailbox};

use super::System;

use super::harness::{DropCounter, Log, recorder, run, slice, tenth_of};

/// An actor of the size of a ring's.
struct Small {
    count: u64,
    next: Option<Address<Option<Box<u64>>>>,
}

impl Actor for Small {
    type Message = Option<Box<u64>>;

    fn receive(&mut self, message: Self::Message, context: &mut Context<'_, Self::Message>) {
        self.count += 1;
        match (message, self.next) {
            (Some(message), Some(next)) => context.send(next, Some(message)).unwrap(),
            (Some(_), None) => {}
            (None, next) => {
                if let Some(next) = next {
                    context.send(next, None).unwrap();
                }
                context.stop();
            }
        }
    }
}

fn chain(system: &mut System, length: u64) -> Address<Option<Box<u64>>> {
    let mut next = None;
    for _ in 0..length {
        next = Some(system.spawn(Small { count: 0, next }));
    }
    next.expect("at least one")
}

pub(crate) fn reserved_bytes_are_what_memory_grew_by() {
    #[cfg(target_arch = "wasm32")]
    {
        let memory = || std::arch::wasm32::memory_size(0) * 65536;
        // Uses up what is free already.
        let filler = vec![0_u8; 1 << 20];
        let mut systems = Vec::new();
        for actors in [100_000, 400_000] {
            let before = memory();
            let mut system = System::new();
            chain(&mut system, actors);
            system.spawn_async(|mut mailbox: Mailbox<u8>| async move {
                mailbox.receive().await;
            });
            run(&mut system);
            let grown = (memory() - before) as f64;
            let reserved = system.reserved_bytes() as f64;
            let slack = 2.0 * 1024.0 * 1024.0;
            assert!(
                reserved <= grown + slack && grown <= reserved * 1.1 + slack,
                "reserved {reserved}, grown by {grown}"
            );
            systems.push(system);
        }
        drop(filler);
    }
    let mut system = System::new();
    assert_eq!(system.reserved_bytes(), 0);
    chain(&mut system, 1);
    let small = system.reserved_bytes();
    assert!(small < 10_000, "one actor reserves {small} bytes");
    chain(&mut system, 10_000);
    let each = system.reserved_bytes() / 10_001;
    assert!((32..=96).contains(&each), "{each} bytes per actor");
}

pub(crate) fn memory_of_ended_actors_is_used_again() {
    let mut system = System::new();
    let mut reserved = 0;
    for round in 0..20 {
        let first = chain(&mut system, 1000);
        system.send(first, Some(Box::new(1))).unwrap();
        system.send(first, None).unwrap();
        run(&mut system);
        assert_eq!(system.counters().alive(), 0);
        if round == 0 {
            reserved = system.reserved_bytes();
        }
        assert_eq!(system.reserved_bytes(), reserved, "round {round}");
    }
    // A flood doesn't stay for good.
    let (to, _) = recorder::<[u64; 8]>(&mut system);
    system.send(to, [0; 8]).unwrap();
    run(&mut system);
    let before = system.reserved_bytes();
    for _ in 0..10_000 {
        system.send(to, [0; 8]).unwrap();
    }
    assert!(system.reserved_bytes() > before + 10_000 * 64);
    run(&mut system);
    let after = system.reserved_bytes();
    assert!(after < before + 10_000, "{before} bytes became {after}");
}

pub(crate) fn millions_of_messages_to_a_slow_receiver_are_all_handled() {
    /// Ten sends for each message that the receiver handles.
    struct Fast {
        left: u64,
        next: u32,
        to: Address<u32>,
    }
    impl Actor for Fast {
        type Message = ();

        fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
            for _ in 0..10 {
                context.send(self.to, self.next).unwrap();
                self.next += 1;
            }
            self.left -= 10;
            if self.left > 0 {
                let own = context.address();
                context.send(own, ()).unwrap();
            }
        }
    }
    /// Expects all numbers in order.
    struct Slow(u32);
    impl Actor for Slow {
        type Message = u32;

        fn receive(&mut self, number: u32, _: &mut Context<'_, u32>) {
            assert_eq!(number, self.0);
            self.0 += 1;
        }
    }
    let count = tenth_of(10_000_000);
    let mut system = System::new();
    system.set_turn_budget(1);
    let to = system.spawn(Slow(0));
    let fast = system.spawn(Fast {
        left: count,
        next: 0,
        to,
    });
    system.send(fast, ()).unwrap();
    run(&mut system);
    let counters = system.counters();
    assert_eq!(counters.failed, 0);
    assert_eq!(counters.received, count + count / 10);
    assert!(counters.queue_high_water > count * 8 / 10);
}

pub(crate) fn a_million_queued_messages_drop_without_recursion() {
    let count = tenth_of(10_000_000);
    let mut system = System::new();
    let stopping = chain(&mut system, 1);
    let left = chain(&mut system, 1);
    system.send(stopping, None).unwrap();
    for number in 0..count {
        let message = (number % 10 == 0).then(|| Box::new(number));
        system.send(left, message.clone()).unwrap();
        system.send(stopping, message).unwrap();
    }
    while system.is_alive(stopping) {
        slice(&mut system, 1);
    }
    assert_eq!(system.counters().dropped, count);
    drop(system);
}

pub(crate) fn a_million_actors_drop_without_recursion() {
    let mut system = System::new();
    let first = chain(&mut system, tenth_of(10_000_000) / 4);
    system.send(first, Some(Box::new(1))).unwrap();
    drop(system);
}

pub(crate) fn a_chain_of_stops_runs_to_its_end() {
    let length = tenth_of(1_000_000);
    let mut system = System::new();
    let first = chain(&mut system, length);
    system.send(first, Some(Box::new(1))).unwrap();
    system.send(first, None).unwrap();
    run(&mut system);
    let counters = system.counters();
    assert_eq!((counters.stopped, counters.alive()), (length, 0));
    assert_eq!(counters.received, 2 * length);
}

pub(crate) fn a_queue_of_nested_messages_is_dropped_once_each() {
    let drops = Log::new();
    let mut system = System::new();
    for _ in 0..100 {
        let actor = system.spawn_async(|mut mailbox: Mailbox<DropCounter>| async move {
            mailbox.receive().await;
            std::future::pending::<()>().await;
        });
        for _ in 0..10 {
            system.send(actor, DropCounter(drops.clone())).unwrap();
        }
    }
    run(&mut system);
    assert_eq!(drops.len(), 100);
    assert_eq!(system.queued(), 900);
    drop(system);
    assert_eq!(drops.len(), 1000);
}
