//! Memory that runs out is an error value with the count, and nothing is lost by it.
//!
//! A test binary of its own, since its allocator fails when it is told to.
#![allow(unsafe_code, reason = "an allocator can't be written without")]
#![cfg(not(target_arch = "wasm32"))]

use std::alloc::{GlobalAlloc, Layout, System as SystemAllocator};
use std::cell::Cell;
use std::ptr;
use std::time::Duration;

use ringspawn::{Actor, Address, Context, Left, Mailbox, SendError, SpawnFailure, System};

thread_local! {
    /// Bytes and allocations that this thread may still have.
    static BYTES: Cell<usize> = const { Cell::new(usize::MAX) };
    static ALLOCATIONS: Cell<usize> = const { Cell::new(usize::MAX) };
}

struct Limited;

impl Limited {
    /// Takes what is asked for off the account, if there is enough on it.
    fn grants(bytes: usize) -> bool {
        let allocations = ALLOCATIONS.get();
        let left = BYTES.get();
        if allocations == 0 || left < bytes {
            return false;
        }
        if allocations != usize::MAX {
            ALLOCATIONS.set(allocations - 1);
        }
        if left != usize::MAX {
            BYTES.set(left - bytes);
        }
        true
    }
}

// SAFETY: it is the system's allocator, but for answers of "no memory".
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match Self::grants(layout.size()) {
            // SAFETY: the caller's promise.
            true => unsafe { SystemAllocator.alloc(layout) },
            false => ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { SystemAllocator.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Runs `work` with so many bytes; without a limit again when it is done.
fn with_bytes<R>(bytes: usize, work: impl FnOnce() -> R) -> R {
    BYTES.set(bytes);
    let answer = work();
    BYTES.set(usize::MAX);
    answer
}

/// Runs `work`, whose allocations fail after so many.
fn with_allocations<R>(allocations: usize, work: impl FnOnce() -> R) -> R {
    ALLOCATIONS.set(allocations);
    let answer = work();
    ALLOCATIONS.set(usize::MAX);
    answer
}

struct Counter {
    count: u64,
    name: u64,
}

impl Actor for Counter {
    type Message = u64;

    fn receive(&mut self, message: u64, context: &mut Context<'_, u64>) {
        self.count += message;
        if message == 0 {
            context.stop();
        }
    }
}

fn counter(name: u64) -> Counter {
    Counter { count: 0, name }
}

fn assert_books(system: &System) {
    let counters = system.counters();
    assert_eq!(
        counters.sent,
        counters.received + system.queued() + counters.dropped
    );
}

#[test]
fn spawns_end_with_the_count_and_the_actor_given_back() {
    let mut system = System::new();
    let first = system.spawn(counter(0));
    let (spawned, error) = with_bytes(1 << 20, || {
        for name in 1.. {
            if let Err(error) = system.try_spawn(counter(name)) {
                return (name, error);
            }
        }
        unreachable!("memory ends");
    });
    assert!(spawned > 5000, "{spawned} actors in a MiB");
    assert_eq!(error.actor.name, spawned);
    assert_eq!(error.failure, SpawnFailure::OutOfMemory { alive: spawned });
    assert_eq!(
        error.to_string(),
        format!("out of memory after {spawned} actors")
    );
    // Those that there are go on, and make room for others.
    system.send(first, 0).unwrap();
    while system.run(Duration::ZERO, 1000) == Left::More {}
    assert_eq!(system.counters().started, spawned);
    let again = with_bytes(0, || system.try_spawn(counter(9)));
    let again = again.expect("the slot of the one that stopped");
    system.send(again, 1).unwrap();
    while system.run(Duration::ZERO, 1000) == Left::More {}
    assert_eq!(system.counters().alive(), spawned);
    assert_books(&system);
}

#[test]
fn async_spawns_end_with_the_count_and_the_closure_given_back() {
    let mut system = System::new();
    let body = |mut mailbox: Mailbox<u64>| async move {
        let ballast = [1_u64; 50];
        while mailbox.receive().await != ballast[0] {}
    };
    let (spawned, error) = with_bytes(1 << 20, || {
        for spawned in 1_u64.. {
            if let Err(error) = system.try_spawn_async(body) {
                return (spawned - 1, error);
            }
        }
        unreachable!("memory ends");
    });
    assert_eq!(error.failure, SpawnFailure::OutOfMemory { alive: spawned });
    let last = system.spawn_async(error.actor);
    system.send(last, 1).unwrap();
    while system.run(Duration::ZERO, 1000) == Left::More {}
    assert_eq!(system.counters().alive(), spawned);
}

#[test]
fn a_send_without_memory_gives_the_message_back() {
    let mut system = System::new();
    let address = system.spawn_async(|mut mailbox: Mailbox<u64>| async move {
        for number in 0.. {
            assert_eq!(mailbox.receive().await, number);
        }
    });
    let refused = with_bytes(1 << 20, || {
        (0..).find_map(|number| system.send(address, number).err())
    });
    let Some(SendError::OutOfMemory(number)) = refused else {
        panic!("{refused:?}");
    };
    assert!(number > 10_000, "{number} messages in a MiB");
    assert_eq!(
        SendError::OutOfMemory(1).to_string(),
        "out of memory for the mailbox"
    );
    let counters = system.counters();
    assert_eq!((counters.sent, counters.undeliverable), (number, 1));
    assert_eq!(counters.queue_high_water, number);
    assert_books(&system);
    while system.run(Duration::ZERO, 1000) == Left::More {}
    system.send(address, number).unwrap();
    while system.run(Duration::ZERO, 1000) == Left::More {}
    assert_eq!(system.counters().received, number + 1);
    assert_eq!(system.counters().failed, 0);
}

#[test]
fn a_spawn_inside_a_turn_is_refused_in_words() {
    /// Spawns until it can't, and says so.
    struct Parent(Address<u64>);
    impl Actor for Parent {
        type Message = ();

        fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
            let alive = with_bytes(1 << 16, || {
                loop {
                    if let Err(error) = context.try_spawn(counter(1)) {
                        break error.failure;
                    }
                }
            });
            let SpawnFailure::OutOfMemory { alive } = alive else {
                panic!("{alive:?}");
            };
            context.send(self.0, alive).unwrap();
        }
    }
    let mut system = System::new();
    let sum = system.spawn(counter(0));
    let parent = system.spawn(Parent(sum));
    system.send(parent, ()).unwrap();
    while system.run(Duration::ZERO, 1000) == Left::More {}
    let counters = system.counters();
    assert_eq!((counters.failed, counters.received), (0, 2));
    assert!(counters.alive() > 100);
    assert_eq!(counters.started, counters.spawned);
}

#[test]
fn any_single_failed_allocation_leaves_the_books_balanced() {
    for failing in 0..12 {
        let mut system = System::new();
        // Types are made known with memory: that it may run out there is not covered.
        let mut addresses = vec![system.spawn(counter(0))];
        addresses.reserve(10_000);
        let mut refused = 0;
        with_allocations(failing, || {
            for number in 0..1000 {
                match system.try_spawn(counter(number)) {
                    Ok(address) => addresses.push(address),
                    Err(_) => refused += 1,
                }
                for to in 0..3 {
                    let to = (number as usize + to) % addresses.len();
                    refused += u64::from(system.send(addresses[to], 1).is_err());
                }
            }
        });
        assert!(refused > 0);
        assert_books(&system);
        while system.run(Duration::ZERO, 100) == Left::More {
            assert_books(&system);
        }
        for address in addresses {
            system.send(address, 0).unwrap();
        }
        while system.run(Duration::ZERO, 100) == Left::More {}
        let counters = system.counters();
        assert_eq!((counters.alive(), counters.failed), (0, 0));
        assert_eq!(counters.sent, counters.received);
    }
}
