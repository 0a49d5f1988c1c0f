//! Foreign futures wake their actors, once, and nobody else.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Poll, Waker};

use ringspawn::{Address, Left, Mailbox};

use super::System;

use super::harness::{Log, failures, recorder, run, slice};
use super::tasks::yield_now;

/// A waiter that keeps its waker in a log, and notes each poll.
fn waiter(system: &mut System) -> (Address<u8>, Log<Waker>, Log<()>) {
    let (wakers, polls) = (Log::new(), Log::new());
    let (kept, noted) = (wakers.clone(), polls.clone());
    let address = system.spawn_async(move |mut mailbox: Mailbox<u8>| async move {
        poll_fn(|context| {
            noted.note(());
            kept.note(context.waker().clone());
            if noted.len() > 1 {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        mailbox.receive().await;
    });
    (address, wakers, polls)
}

pub(crate) fn a_foreign_future_wakes_its_actor() {
    let mut system = System::new();
    let (address, wakers, polls) = waiter(&mut system);
    let (other, seen) = recorder::<u8>(&mut system);
    run(&mut system);
    assert_eq!(polls.len(), 1);
    // Messages alone don't end its wait, but they aren't lost either.
    wakers.take().remove(0).wake();
    system.send(other, 1).unwrap();
    run(&mut system);
    assert_eq!((polls.len(), seen.len()), (2, 1));
    system.send(address, 1).unwrap();
    run(&mut system);
    assert_eq!(system.counters().stopped, 1);
}

pub(crate) fn the_host_is_notified_at_most_once_per_slice() {
    let mut system = System::new();
    let notices = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&notices);
    system.set_notify(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let waiters: Vec<_> = (0..10).map(|_| waiter(&mut system)).collect();
    let yielding = system.spawn_async(|_: Mailbox<u8>| async {
        for _ in 0..5 {
            yield_now().await;
        }
    });
    run(&mut system);
    assert!(!system.is_alive(yielding));
    assert_eq!(notices.load(Ordering::Relaxed), 0, "the system was running");
    for (_, wakers, _) in &waiters {
        for waker in wakers.take() {
            waker.wake_by_ref();
            waker.wake();
        }
        assert_eq!(notices.load(Ordering::Relaxed), 1);
    }
    run(&mut system);
    assert!(waiters.iter().all(|(_, _, polls)| polls.len() == 2));
    assert_eq!(notices.load(Ordering::Relaxed), 1);
    // The next one after a slice is told again.
    waiters[0].1.take()[0].wake_by_ref();
    assert_eq!(notices.load(Ordering::Relaxed), 2);
    assert_eq!(slice(&mut system, 100), Left::Idle);
}

pub(crate) fn a_wake_of_an_ended_actor_is_harmless() {
    let mut system = System::new();
    let (address, wakers, _) = waiter(&mut system);
    run(&mut system);
    let kept = wakers.take();
    kept[0].wake_by_ref();
    run(&mut system);
    system.send(address, 1).unwrap();
    run(&mut system);
    assert!(!system.is_alive(address));
    for _ in 0..3 {
        kept[0].wake_by_ref();
        assert_eq!(slice(&mut system, 100), Left::Idle);
    }
    assert_eq!(system.counters().stopped, 1);
}

pub(crate) fn a_wake_of_the_slots_next_owner_is_harmless() {
    let mut system = System::new();
    let mut old: Vec<Waker> = Vec::new();
    for _ in 0..100 {
        let (address, wakers, polls) = waiter(&mut system);
        run(&mut system);
        for waker in &old {
            waker.wake_by_ref();
        }
        run(&mut system);
        assert_eq!(polls.len(), 1, "another one's waker");
        old.push(wakers.take().remove(0));
        old.last().unwrap().wake_by_ref();
        system.send(address, 1).unwrap();
        run(&mut system);
        assert!(!system.is_alive(address));
    }
    assert!(failures(&mut system).is_empty());
}

pub(crate) fn a_wake_with_an_empty_queue_is_harmless() {
    let mut system = System::new();
    let wakers = Log::new();
    let polls = Log::new();
    let (kept, noted) = (wakers.clone(), polls.clone());
    let actor = system.spawn_async(move |mut mailbox: Mailbox<u8>| async move {
        poll_fn(|context| {
            kept.note(context.waker().clone());
            Poll::Ready(())
        })
        .await;
        loop {
            noted.note(mailbox.receive().await);
        }
    });
    run(&mut system);
    let waker = wakers.take().remove(0);
    for _ in 0..10 {
        waker.wake_by_ref();
        assert_eq!(slice(&mut system, 100), Left::Idle);
    }
    system.send(actor, 1).unwrap();
    waker.wake_by_ref();
    run(&mut system);
    assert_eq!(polls.take(), [1]);
    let counters = system.counters();
    assert_eq!((counters.received, counters.stopped), (1, 0));
}

pub(crate) fn a_yielding_actor_lets_others_run() {
    for slices in [1, 10, u64::MAX] {
        let mut system = System::new();
        let log = Log::new();
        for name in 0..3 {
            let log = log.clone();
            system.spawn_async(move |_: Mailbox<u8>| async move {
                for round in 0..10 {
                    log.note((round, name));
                    yield_now().await;
                }
            });
        }
        super::harness::run_slices(&mut system, slices);
        let notes = log.take();
        assert!(notes.is_sorted_by_key(|(round, _)| *round), "{notes:?}");
        assert_eq!((notes.len(), system.counters().stopped), (30, 3));
    }
}

pub(crate) fn a_waker_outlives_its_system() {
    let mut system = System::new();
    let (_, wakers, _) = waiter(&mut system);
    run(&mut system);
    drop(system);
    let waker = wakers.take().remove(0);
    let other = waker.clone();
    waker.wake();
    other.wake_by_ref();
    drop(other);
}

pub(crate) fn wakers_of_one_actor_are_worth_one_poll() {
    let mut system = System::new();
    let polls = Log::new();
    let wakers = Log::new();
    let (noted, kept) = (polls.clone(), wakers.clone());
    system.spawn_async(move |_: Mailbox<u8>| {
        poll_fn(move |context| -> Poll<()> {
            noted.note(());
            kept.note(context.waker().clone());
            kept.note(context.waker().clone());
            Poll::Pending
        })
    });
    run(&mut system);
    for waker in wakers.take() {
        waker.wake_by_ref();
        waker.wake();
    }
    run(&mut system);
    assert_eq!(polls.len(), 2);
}

pub(crate) fn a_wake_between_slices_is_not_lost() {
    let mut system = System::new();
    let (_, wakers, polls) = waiter(&mut system);
    let busy = system.spawn_async(|mut mailbox: Mailbox<u8>| async move {
        loop {
            let message = mailbox.receive().await;
            mailbox.send(mailbox.address(), message).unwrap();
        }
    });
    system.send(busy, 1).unwrap();
    slice(&mut system, 100);
    assert_eq!(polls.len(), 1);
    wakers.take().remove(0).wake();
    assert_eq!(slice(&mut system, 100), Left::More);
    assert_eq!(polls.len(), 2);
}
