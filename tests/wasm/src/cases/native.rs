//! What needs a second thread, or a library that is no part of wasm.

use std::future::poll_fn;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use ringspawn::{Left, Mailbox};

use super::System;
use super::harness::{assert_books, slice, tenth_of};
use super::model;

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
                super::programs::random_programs_from(7, 20);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

fn cases() -> u32 {
    let soak = std::env::var_os("RINGSPAWN_SOAK").is_some();
    if soak { 30_000 } else { 300 }
}

/// The same programs each time, so that nobody's work is held up by chance; others in a soak.
fn seed() -> RngSeed {
    match std::env::var_os("RINGSPAWN_SOAK") {
        Some(_) => RngSeed::Random,
        None => RngSeed::Fixed(2007),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        rng_seed: seed(),
        ..ProptestConfig::default()
    })]

    /// Programs that are made up, and made small when one goes wrong.
    #[test]
    fn any_program_behaves_as_the_model(
        choices in prop::collection::vec(any::<u32>(), 0..2000)
    ) {
        if let Err(problem) = model::check(choices.into_iter()) {
            return Err(TestCaseError::fail(problem));
        }
    }
}
