//! The run ends when all is quiet, and not before.

use std::time::Duration;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use crate::activity::Activity;
use crate::inbox::Inbox;
use crate::model::{Numbers, Queue, explore};
use crate::sleepers::Sleepers;

/// Two strands that pass a number on to each other, one less each time, down to 0.
struct House {
    inboxes: [Inbox<Numbers>; 2],
    queue: Queue,
    activity: Activity,
    sleepers: Sleepers,
    passed: AtomicUsize,
}

impl House {
    fn new() -> Arc<Self> {
        let inboxes = [Inbox::held(), Inbox::held()];
        assert!(inboxes.iter().all(Inbox::rest));
        Arc::new(Self {
            inboxes,
            queue: Queue::default(),
            activity: Activity::default(),
            sleepers: Sleepers::default(),
            passed: AtomicUsize::new(0),
        })
    }

    fn put(&self, strand: usize, number: u32) {
        let put = self.inboxes[strand].put(|letters| letters.push(number));
        if put.unwrap() {
            self.activity.count_busy();
            self.queue.push(strand);
            self.sleepers.wake_one();
        }
    }

    fn visit(&self, strand: usize) {
        let inbox = &self.inboxes[strand];
        for number in inbox.take_up(Numbers::default()).0 {
            self.passed.fetch_add(1, Ordering::Relaxed);
            if number > 0 {
                self.put(1 - strand, number - 1);
            }
        }
        if !inbox.rest() {
            self.queue.push(strand);
            self.sleepers.wake_one();
        } else if self.activity.count_idle() {
            self.sleepers.wake_all();
        }
    }

    fn work(&self) {
        while !self.activity.is_quiet() {
            if let Some(strand) = self.queue.pop() {
                self.visit(strand);
                continue;
            }
            self.sleepers.begin_to_look();
            let may_sleep = || !self.activity.is_quiet() && self.queue.seems_empty();
            if !self.sleepers.sleep(Duration::MAX, may_sleep) {
                thread::yield_now();
            }
            if self.sleepers.end_to_look() && !self.queue.seems_empty() {
                self.sleepers.wake_one();
            }
        }
    }
}

#[test]
fn workers_end_when_nothing_is_on_its_way_and_not_before() {
    explore(2, || {
        let house = House::new();
        house.put(0, 2);
        let other = house.clone();
        let other = thread::spawn(move || {
            other.work();
            // Whoever ends sees all that was done.
            assert_eq!(other.passed.load(Ordering::Relaxed), 3);
        });
        house.work();
        assert_eq!(house.passed.load(Ordering::Relaxed), 3);
        other.join().unwrap();
        assert!(house.queue.pop().is_none());
        assert!(house.activity.is_quiet());
    });
}

#[test]
fn two_numbers_on_their_way_are_both_waited_for() {
    explore(2, || {
        let house = House::new();
        house.put(0, 1);
        house.put(1, 1);
        let other = house.clone();
        let other = thread::spawn(move || other.work());
        house.work();
        assert_eq!(house.passed.load(Ordering::Relaxed), 4);
        other.join().unwrap();
        assert!(house.activity.is_quiet());
    });
}
