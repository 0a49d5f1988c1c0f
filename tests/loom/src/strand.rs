//! A strand's inbox: nothing is lost, nobody runs it beside another, and letters of one
//! sender arrive in order.

use std::sync::Mutex;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use crate::inbox::Inbox;
use crate::model::{Numbers, Queue, explore};

/// One strand, whose number is 0, and the queue it waits in.
struct House {
    inbox: Inbox<Numbers>,
    /// Stands for its core: Loom says if two workers get at it at once.
    core: UnsafeCell<()>,
    /// What its actors have received; no part of the model.
    received: Mutex<Vec<u32>>,
    queue: Queue,
}

impl House {
    /// With an idle strand.
    fn new() -> Arc<Self> {
        let inbox = Inbox::held();
        assert!(inbox.rest());
        Arc::new(Self {
            inbox,
            core: UnsafeCell::default(),
            received: Mutex::default(),
            queue: Queue::default(),
        })
    }

    fn put(&self, number: u32) {
        if self.inbox.put(|letters| letters.push(number)).unwrap() {
            self.queue.push(0);
        }
    }

    fn nudge(&self) {
        if self.inbox.nudge() {
            self.queue.push(0);
        }
    }

    /// A visit, if the strand is in the queue, that goes on for another one if told so.
    fn visit(&self, has_more: bool) -> bool {
        if self.queue.pop().is_none() {
            return false;
        }
        let letters = self.inbox.take_up(Numbers::default());
        self.receive(letters.0);
        if has_more {
            self.inbox.requeue();
            self.queue.push(0);
        } else if !self.inbox.rest() {
            self.queue.push(0);
        }
        true
    }

    /// By who has the strand.
    fn receive(&self, numbers: Vec<u32>) {
        let alone = self.core.get_mut();
        self.received.lock().unwrap().extend(numbers);
        drop(alone);
    }

    /// What has arrived, when everybody but the caller is done.
    fn drain(&self) -> Vec<u32> {
        while self.visit(false) {}
        assert!(self.inbox.look(|letters| letters.0.is_empty()));
        assert!(self.inbox.try_hold(), "it isn't idle at the end");
        self.received.lock().unwrap().clone()
    }
}

fn sorted(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers
}

#[test]
fn a_letter_that_comes_as_the_strand_goes_to_rest_is_not_lost() {
    explore(3, || {
        let house = House::new();
        let poster = house.clone();
        let poster = thread::spawn(move || {
            poster.put(1);
            poster.put(2);
        });
        house.put(3);
        house.visit(false);
        house.visit(false);
        poster.join().unwrap();
        assert_eq!(sorted(house.drain()), [1, 2, 3]);
    });
}

#[test]
fn a_strand_is_never_with_two_workers() {
    explore(2, || {
        let house = House::new();
        house.put(1);
        let others: Vec<_> = [2, 3]
            .map(|number| {
                let house = house.clone();
                thread::spawn(move || {
                    house.put(number);
                    house.visit(number == 2);
                })
            })
            .into();
        house.visit(false);
        for other in others {
            other.join().unwrap();
        }
        assert_eq!(sorted(house.drain()), [1, 2, 3]);
    });
}

/// What the visitor looks at before it rests is what a waker has changed before its nudge.
#[test]
fn what_a_waker_has_changed_is_seen_by_a_visit() {
    explore(3, || {
        let house = House::new();
        let woken = Arc::new(AtomicUsize::new(0));
        let waker = thread::spawn({
            let (house, woken) = (house.clone(), woken.clone());
            move || {
                woken.store(1, Ordering::Relaxed);
                house.nudge();
            }
        });
        house.put(1);
        let mut has_seen = false;
        let mut visit = || {
            if house.queue.pop().is_none() {
                return false;
            }
            house.inbox.take_up(Numbers::default());
            has_seen |= woken.load(Ordering::Relaxed) == 1;
            if !house.inbox.rest() {
                house.queue.push(0);
            }
            true
        };
        visit();
        waker.join().unwrap();
        while visit() {}
        assert!(has_seen, "the waker's change is never seen");
    });
}

#[test]
fn letters_of_one_sender_arrive_in_order_through_visits_of_two_workers() {
    explore(2, || {
        let house = House::new();
        let sender = house.clone();
        let sender = thread::spawn(move || {
            for number in 1..=3 {
                sender.put(number);
            }
        });
        let worker = house.clone();
        let worker = thread::spawn(move || {
            worker.visit(false);
            worker.visit(false);
        });
        house.visit(false);
        sender.join().unwrap();
        worker.join().unwrap();
        assert_eq!(house.drain(), [1, 2, 3]);
    });
}

/// A spawner takes an idle strand for its nursery while letters come for it.
#[test]
fn who_holds_an_idle_strand_has_it_alone() {
    explore(3, || {
        let house = House::new();
        let sender = house.clone();
        let sender = thread::spawn(move || {
            sender.put(1);
            sender.visit(false);
        });
        if house.inbox.try_hold() {
            house.receive(vec![2]);
            house.inbox.requeue();
            house.queue.push(0);
        } else {
            house.put(2);
        }
        sender.join().unwrap();
        assert_eq!(sorted(house.drain()), [1, 2]);
    });
}
