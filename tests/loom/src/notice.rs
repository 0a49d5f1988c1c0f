//! Somebody outside wakes an actor while the run ends, or when none goes on.

use loom::sync::Arc;
use loom::sync::Notify;
use loom::thread;

use crate::activity::Activity;
use crate::inbox::Inbox;
use crate::model::{Numbers, Queue, explore};

struct House {
    inbox: Inbox<Numbers>,
    queue: Queue,
    activity: Activity,
    /// The host waits here until it is told.
    notice: Notify,
}

impl House {
    fn new() -> Arc<Self> {
        let inbox = Inbox::held();
        assert!(inbox.rest());
        Arc::new(Self {
            inbox,
            queue: Queue::default(),
            activity: Activity::default(),
            notice: Notify::new(),
        })
    }

    /// From outside.
    fn nudge(&self) {
        if self.inbox.nudge() {
            self.activity.count_busy();
            self.queue.push(0);
            if self.activity.must_notify() {
                self.notice.notify();
            }
        }
    }

    /// One run, with as many visits as there is cause for; says whether all is quiet.
    fn run(&self, visits: &mut usize) -> bool {
        self.activity.begin_run();
        // Nobody may be looked for by waiting here: who sees nothing ends the run.
        while let Some(_strand) = self.queue.pop() {
            self.inbox.take_up(Numbers::default());
            *visits += 1;
            if self.inbox.rest() {
                self.activity.count_idle();
            } else {
                self.queue.push(0);
            }
        }
        self.activity.end_run()
    }
}

/// The host runs when told, and again as long as all isn't quiet. If a notice were lost it
/// would wait for ever, which Loom reports.
#[test]
fn a_wake_from_outside_leads_to_a_run() {
    explore(3, || {
        let house = House::new();
        let waker = house.clone();
        let waker = thread::spawn(move || waker.nudge());
        let mut visits = 0;
        loop {
            let quiet = house.run(&mut visits);
            if visits > 0 {
                break;
            }
            if quiet {
                house.notice.wait();
            } else {
                thread::yield_now();
            }
        }
        waker.join().unwrap();
        assert_eq!(visits, 1);
    });
}

#[test]
fn two_wakes_from_outside_are_both_followed_by_a_visit() {
    explore(2, || {
        let house = House::new();
        let seen = Arc::new(loom::sync::atomic::AtomicUsize::new(0));
        let wakers = [(); 2].map(|()| {
            let (house, seen) = (house.clone(), seen.clone());
            thread::spawn(move || {
                seen.fetch_add(1, loom::sync::atomic::Ordering::Relaxed);
                house.nudge();
            })
        });
        let mut done = 0;
        while done < 2 {
            let mut visits = 0;
            let quiet = house.run(&mut visits);
            if visits > 0 {
                done = seen.load(loom::sync::atomic::Ordering::Relaxed);
            }
            if done < 2 && quiet {
                house.notice.wait();
            } else {
                thread::yield_now();
            }
        }
        for waker in wakers {
            waker.join().unwrap();
        }
    });
}
