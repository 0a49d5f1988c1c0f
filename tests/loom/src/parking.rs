//! Workers that look for something to do and sleep when there is nothing.

use std::time::Duration;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use crate::model::{Queue, explore};
use crate::sleepers::Sleepers;

struct House {
    queue: Queue,
    sleepers: Sleepers,
    /// Strands still to be done, queued or not.
    left: AtomicUsize,
}

impl House {
    fn new(strands: usize) -> Arc<Self> {
        Arc::new(Self {
            queue: Queue::default(),
            sleepers: Sleepers::default(),
            left: AtomicUsize::new(strands),
        })
    }

    fn is_over(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }

    /// As a worker looks around, but that it doesn't spin before it sleeps. In Loom nobody
    /// wakes up by himself, so a wake-up that is lost leaves everybody asleep.
    fn look_around(&self) -> Option<usize> {
        self.sleepers.begin_to_look();
        let found = loop {
            let found = self.queue.pop();
            if found.is_some() {
                break found;
            }
            if self.is_over() {
                break None;
            }
            let may_sleep = || !self.is_over() && self.queue.seems_empty();
            if !self.sleepers.sleep(Duration::MAX, may_sleep) {
                thread::yield_now();
            }
        };
        if self.sleepers.end_to_look() && found.is_some() && !self.queue.seems_empty() {
            self.sleepers.wake_one();
        }
        found
    }

    /// Works until all is done.
    fn work(&self) {
        while self.look_around().is_some() {
            if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
                self.sleepers.wake_all();
            }
        }
    }

    fn post(&self, strand: usize) {
        self.queue.push(strand);
        self.sleepers.wake_one();
    }
}

fn worker(house: &Arc<House>) -> thread::JoinHandle<()> {
    let house = house.clone();
    thread::spawn(move || house.work())
}

#[test]
fn a_sleeper_is_woken_for_each_strand() {
    explore(3, || {
        let house = House::new(2);
        let worker = worker(&house);
        house.post(1);
        house.post(2);
        worker.join().unwrap();
        assert!(!house.sleepers.is_anybody_idle());
    });
}

#[test]
fn two_sleepers_are_woken_for_the_end() {
    explore(2, || {
        let house = House::new(2);
        let workers = [worker(&house), worker(&house)];
        house.post(1);
        house.post(2);
        for worker in workers {
            worker.join().unwrap();
        }
        assert!(!house.sleepers.is_anybody_idle());
    });
}

/// As when a budget is spent or somebody says stop.
#[test]
fn all_sleepers_are_woken_when_somebody_ends_the_run() {
    explore(2, || {
        let house = House::new(1);
        let workers = [worker(&house), worker(&house)];
        house.left.store(0, Ordering::SeqCst);
        house.sleepers.wake_all();
        for worker in workers {
            worker.join().unwrap();
        }
        assert!(!house.sleepers.is_anybody_idle());
    });
}

/// Both strands wait for each other, as two actors do that work side by side: whoever has
/// one waits in it until somebody has the other, so one worker isn't enough.
#[test]
fn what_is_queued_while_one_looks_gets_a_second_worker() {
    #[derive(Default)]
    struct Pair {
        begun: loom::sync::Mutex<usize>,
        both: loom::sync::Condvar,
    }
    impl Pair {
        fn meet(&self) {
            let mut begun = self.begun.lock().unwrap();
            *begun += 1;
            self.both.notify_all();
            while *begun < 2 {
                begun = self.both.wait(begun).unwrap();
            }
        }
    }
    explore(2, || {
        let house = House::new(2);
        let pair = Arc::new(Pair::default());
        let workers = [(); 2].map(|()| {
            let (house, pair) = (house.clone(), pair.clone());
            thread::spawn(move || {
                if house.look_around().is_some() {
                    pair.meet();
                }
            })
        });
        house.post(1);
        house.post(2);
        for worker in workers {
            worker.join().unwrap();
        }
        assert!(!house.sleepers.is_anybody_idle());
    });
}
