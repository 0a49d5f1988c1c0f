//! What needs a second thread.

use std::future::poll_fn;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;

use ringspawn::{Left, Mailbox, System};

use crate::harness::{assert_books, slice, tenth_of};

/// A value that another thread puts in.
#[derive(Default)]
struct Promise {
    state: Mutex<(Option<u64>, Option<Waker>)>,
}

impl Promise {
    fn fulfil(&self, value: u64) {
        let mut state = self.state.lock().unwrap();
        state.0 = Some(value);
        let waker = state.1.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    async fn value(&self) -> u64 {
        poll_fn(|context| {
            let mut state = self.state.lock().unwrap();
            match state.0.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    state.1 = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

#[test]
fn futures_woken_on_another_thread_are_never_lost() {
    let mut system = System::new();
    let (notify, notified) = mpsc::channel();
    system.set_notify(move || notify.send(()).unwrap());
    let promises: Vec<_> = (0..4).map(|_| Arc::new(Promise::default())).collect();
    let count = tenth_of(100_000);
    let (answer, answers) = mpsc::channel();
    for promise in &promises {
        let (promise, answer) = (Arc::clone(promise), answer.clone());
        system.spawn_async(move |_: Mailbox<()>| async move {
            for number in 0..count {
                let value = promise.value().await;
                assert_eq!(value, number);
                answer.send(value).unwrap();
            }
        });
    }
    drop(answer);
    let other = thread::spawn(move || {
        for number in 0..count {
            for promise in &promises {
                promise.fulfil(number);
            }
            for _ in &promises {
                answers.recv().unwrap();
            }
        }
    });
    while system.counters().stopped < 4 {
        if slice(&mut system, 3) == Left::Idle && system.counters().stopped < 4 {
            // Hangs if a wake or its notice was lost.
            notified.recv().unwrap();
        }
        assert_books(&system);
    }
    other.join().unwrap();
    assert_eq!(system.counters().failed, 0);
}

#[test]
fn systems_on_several_threads_know_nothing_of_each_other() {
    let threads: Vec<_> = (0..4)
        .map(|_| {
            thread::spawn(|| {
                crate::programs::random_programs_from(7, 20);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}
