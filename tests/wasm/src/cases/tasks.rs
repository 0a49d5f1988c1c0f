//! The async style: awaiting the mailbox, combinators, and what is refused.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{self, Poll, Wake, Waker};
use std::time::Duration;

use ringspawn::{Actor, Address, Context, Left, Mailbox};

use super::System;

use super::harness::{Log, Recorder, failures, panic_of, recorder, run, run_slices, slice};

pub(crate) fn an_async_actor_receives_in_order() {
    for slices in [1, 3, u64::MAX] {
        let mut system = System::new();
        let log = Log::new();
        let notes = log.clone();
        let actor = system.spawn_async(move |mut mailbox: Mailbox<u32>| async move {
            loop {
                notes.note(mailbox.receive().await);
            }
        });
        for number in 0..100 {
            system.send(actor, number).unwrap();
        }
        run_slices(&mut system, slices);
        assert!(log.take().into_iter().eq(0..100));
    }
}

pub(crate) fn an_async_actor_that_returns_has_stopped() {
    let mut system = System::new();
    let actor = system.spawn_async(|mut mailbox: Mailbox<u8>| async move {
        mailbox.receive().await;
    });
    run(&mut system);
    assert!(system.is_alive(actor));
    for message in 0..3 {
        system.send(actor, message).unwrap();
    }
    run(&mut system);
    assert!(!system.is_alive(actor));
    let counters = system.counters();
    assert_eq!((counters.stopped, counters.failed), (1, 0));
    assert_eq!((counters.received, counters.dropped), (1, 2));
}

pub(crate) fn the_first_poll_is_the_start() {
    let mut system = System::new();
    let log = Log::new();
    let notes = log.clone();
    system.spawn_async(move |mailbox: Mailbox<u8>| {
        notes.note("spawned");
        let id = mailbox.id();
        async move {
            notes.note("polled");
            assert_eq!(mailbox.id(), id);
            assert_eq!(mailbox.address().id(), id);
        }
    });
    assert_eq!(log.take(), ["spawned"]);
    assert_eq!(system.counters().started, 0);
    run(&mut system);
    assert_eq!(log.take(), ["polled"]);
    assert_eq!(system.counters().started, 1);
    assert!(failures(&mut system).is_empty());
}

/// Something that others open, and that may be awaited.
#[derive(Clone, Default)]
struct Gate(Arc<Mutex<(bool, Vec<Waker>)>>);

impl Gate {
    fn open(&self) {
        let mut gate = self.0.lock().unwrap();
        gate.0 = true;
        let wakers = std::mem::take(&mut gate.1);
        drop(gate);
        wakers.into_iter().for_each(Waker::wake);
    }

    async fn opened(&self) {
        poll_fn(|context| {
            let mut gate = self.0.lock().unwrap();
            if gate.0 {
                return Poll::Ready(());
            }
            gate.1.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

/// Whichever of two futures is first, both polled with the actor's own waker.
async fn either<A, B>(a: impl Future<Output = A>, b: impl Future<Output = B>) -> Result<A, B> {
    let (mut a, mut b) = (pin!(a), pin!(b));
    poll_fn(|context| {
        if let Poll::Ready(a) = a.as_mut().poll(context) {
            return Poll::Ready(Ok(a));
        }
        b.as_mut().poll(context).map(Err)
    })
    .await
}

pub(crate) fn an_async_actor_can_wait_for_either_of_two() {
    let mut system = System::new();
    let gate = Gate::default();
    let log = Log::new();
    let (gate2, notes) = (gate.clone(), log.clone());
    let actor = system.spawn_async(move |mut mailbox: Mailbox<u8>| async move {
        loop {
            match either(gate2.opened(), mailbox.receive()).await {
                Ok(()) => break notes.note(100),
                Err(message) => notes.note(message),
            }
        }
        notes.note(mailbox.receive().await);
    });
    run(&mut system);
    system.send(actor, 1).unwrap();
    system.send(actor, 2).unwrap();
    run(&mut system);
    assert_eq!(log.take(), [1, 2]);
    gate.open();
    run(&mut system);
    assert_eq!(log.take(), [100]);
    system.send(actor, 3).unwrap();
    run(&mut system);
    assert_eq!(log.take(), [3]);
    assert_eq!(system.counters().stopped, 1);
}

/// Polls a future only when a waker of its own was woken, as the queues of
/// combinators for many futures do.
struct OwnWaker<F> {
    future: F,
    woken: Arc<Woken>,
}

#[derive(Default)]
struct Woken {
    flag: AtomicBool,
    outer: Mutex<Option<Waker>>,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.flag.store(true, Ordering::Relaxed);
        let outer = self.outer.lock().unwrap().take();
        if let Some(outer) = outer {
            outer.wake();
        }
    }
}

impl<F: Future + Unpin> OwnWaker<F> {
    fn new(future: F) -> Self {
        let woken = Woken {
            flag: AtomicBool::new(true),
            ..Woken::default()
        };
        Self {
            future,
            woken: Arc::new(woken),
        }
    }
}

impl<F: Future + Unpin> Future for OwnWaker<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<F::Output> {
        *self.woken.outer.lock().unwrap() = Some(context.waker().clone());
        if !self.woken.flag.swap(false, Ordering::Relaxed) {
            return Poll::Pending;
        }
        let waker = Waker::from(Arc::clone(&self.woken));
        let mut inner = task::Context::from_waker(&waker);
        Pin::new(&mut self.future).poll(&mut inner)
    }
}

pub(crate) fn a_combinator_with_wakers_of_its_own_gets_every_message() {
    for turn_budget in [1, 2, 32] {
        for slices in [1, 3, u64::MAX] {
            let mut system = System::new();
            system.set_turn_budget(turn_budget);
            let gate = Gate::default();
            let log = Log::new();
            let (gate2, notes) = (gate.clone(), log.clone());
            let actor = system.spawn_async(move |mut mailbox: Mailbox<u32>| async move {
                let receiving = Box::pin(async {
                    for _ in 0..50 {
                        notes.note(mailbox.receive().await);
                    }
                });
                let gate = Box::pin(gate2.opened());
                let (mut a, mut b) = (OwnWaker::new(receiving), OwnWaker::new(gate));
                let mut ready = (false, false);
                poll_fn(|context| {
                    ready.0 = ready.0 || Pin::new(&mut a).poll(context).is_ready();
                    ready.1 = ready.1 || Pin::new(&mut b).poll(context).is_ready();
                    if ready == (true, true) {
                        Poll::Ready(())
                    } else {
                        Poll::Pending
                    }
                })
                .await;
                drop(a);
                // And with the actor's own waker again.
                notes.note(mailbox.receive().await);
            });
            run_slices(&mut system, slices);
            for number in 0..20 {
                system.send(actor, number).unwrap();
            }
            run_slices(&mut system, slices);
            gate.open();
            run_slices(&mut system, slices);
            for number in 20..51 {
                system.send(actor, number).unwrap();
                if number % 3 == 0 {
                    run_slices(&mut system, slices);
                }
            }
            run_slices(&mut system, slices);
            assert!(log.take().into_iter().eq(0..51));
            assert_eq!(system.counters().stopped, 1);
        }
    }
}

pub(crate) fn a_combinator_survives_the_turn_budget() {
    let mut system = System::new();
    system.set_turn_budget(2);
    let log = Log::new();
    let notes = log.clone();
    let actor = system.spawn_async(move |mut mailbox: Mailbox<u32>| async move {
        loop {
            let receive = OwnWaker::new(mailbox.receive());
            notes.note(receive.await);
        }
    });
    for number in 0..1000 {
        system.send(actor, number).unwrap();
    }
    run(&mut system);
    assert!(log.take().into_iter().eq(0..1000));
}

pub(crate) fn a_receive_given_up_loses_no_message() {
    let mut system = System::new();
    let log = Log::new();
    let notes = log.clone();
    let actor = system.spawn_async(move |mut mailbox: Mailbox<u32>| async move {
        loop {
            // Polled once each, under either kind of waker, then given up.
            let once = |poll: Poll<u32>| Poll::Ready(poll);
            let mut own = OwnWaker::new(mailbox.receive());
            let polled = poll_fn(|context| once(Pin::new(&mut own).poll(context))).await;
            if let Poll::Ready(message) = polled {
                notes.note(message);
            }
            let mut receive = pin!(mailbox.receive());
            let polled = poll_fn(|context| once(receive.as_mut().poll(context))).await;
            if let Poll::Ready(message) = polled {
                notes.note(message);
            }
            notes.note(mailbox.receive().await);
        }
    });
    for number in 0..100 {
        system.send(actor, number).unwrap();
        if number % 7 == 0 {
            run(&mut system);
        }
    }
    run(&mut system);
    assert!(log.take().into_iter().eq(0..100));
}

pub(crate) fn a_message_sent_to_itself_while_it_waits_is_received() {
    // A future that gives up waiting, sends to its own mailbox and says "pending":
    // whoever waited was promised a wake by the next message.
    let mut system = System::new();
    let log = Log::new();
    let notes = log.clone();
    system.spawn_async(move |mut mailbox: Mailbox<u32>| async move {
        let mut sent = false;
        let message = poll_fn(|context| {
            let poll = pin!(mailbox.receive()).poll(context);
            if poll.is_pending() && !sent {
                sent = true;
                mailbox.send(mailbox.address(), 7).unwrap();
            }
            poll
        })
        .await;
        notes.note(message);
    });
    run(&mut system);
    assert_eq!(log.take(), [7]);
}

const OUTSIDE: &str = "was used outside that actor's own turn";

pub(crate) fn a_mailbox_used_outside_a_turn_says_so() {
    let mut system = System::new();
    let kept = Log::new();
    let keep = kept.clone();
    let actor = system.spawn_async(move |mailbox: Mailbox<u8>| async move {
        keep.note(mailbox);
        std::future::pending::<()>().await;
    });
    run(&mut system);
    let mut mailbox = kept.take().remove(0);
    assert_eq!(mailbox.address(), actor, "plain data may be read anywhere");
    let expected = format!("the mailbox of actor {} {OUTSIDE}", actor.id());
    let mut context = task::Context::from_waker(Waker::noop());
    let polled = panic_of(|| {
        let _ = pin!(mailbox.receive()).poll(&mut context);
    });
    assert_eq!(polled, expected);
    assert_eq!(panic_of(|| drop(mailbox.send(actor, 1))), expected);
    let spawned = panic_of(|| {
        mailbox.spawn_async(|_: Mailbox<()>| async {});
    });
    assert_eq!(spawned, expected);
    assert_eq!(panic_of(|| assert!(mailbox.now().is_zero())), expected);
    run(&mut system);
    assert_eq!(system.counters().spawned, 1);
}

/// An actor that gives its mailbox away and waits.
fn give_away(system: &mut System) -> Mailbox<u8> {
    let log = Log::new();
    let given = log.clone();
    system.spawn_async(move |mailbox: Mailbox<u8>| {
        given.note(mailbox);
        std::future::pending()
    });
    log.take().remove(0)
}

pub(crate) fn a_mailbox_moved_into_another_actor_says_so() {
    /// A handler that has somebody's mailbox.
    struct Thief(Mailbox<u8>);
    impl Actor for Thief {
        type Message = u8;

        fn receive(&mut self, message: u8, _: &mut Context<'_, u8>) {
            let _ = self.0.send(self.0.address(), message);
        }
    }
    let mut system = System::new();
    let stolen = give_away(&mut system);
    let handler = system.spawn(Thief(stolen));
    let mut stolen = give_away(&mut system);
    let task = system.spawn_async(|mut mailbox: Mailbox<u8>| async move {
        mailbox.receive().await;
        stolen.receive().await;
    });
    let mut stolen = give_away(&mut system);
    let other_type = system.spawn_async(|mut mailbox: Mailbox<u16>| async move {
        mailbox.receive().await;
        stolen.receive().await;
    });
    // The one it belonged to has ended, and its slot has the thief itself.
    let mut system2 = System::new();
    let body = |mut own: Mailbox<u8>, mut stolen: Option<Mailbox<u8>>, log: Log<Mailbox<u8>>| async move {
        own.receive().await;
        match &mut stolen {
            Some(stolen) => drop(stolen.receive().await),
            None => log.note(own),
        }
    };
    let log = Log::new();
    let mut previous = None;
    for life in 0..2 {
        let log2 = log.clone();
        let stolen = previous.take();
        let actor = system2.spawn_async(move |own| body(own, stolen, log2));
        system2.send(actor, life).unwrap();
        system2.send(actor, life).unwrap();
        run(&mut system2);
        previous = log.take().pop();
    }
    assert!(failures(&mut system2)[0].ends_with(OUTSIDE));

    system.send(handler, 1).unwrap();
    system.send(task, 1).unwrap();
    system.send(task, 1).unwrap();
    system.send(other_type, 1).unwrap();
    run(&mut system);
    let failures = failures(&mut system);
    assert_eq!(failures.len(), 3, "{failures:?}");
    assert!(failures.iter().all(|message| message.ends_with(OUTSIDE)));
}

pub(crate) fn a_mailbox_used_in_its_actors_drop_says_so() {
    /// Uses a mailbox as it goes.
    struct Last(Mailbox<u8>);
    impl Drop for Last {
        fn drop(&mut self) {
            let _ = self.0.send(self.0.address(), 1);
        }
    }
    impl Future for Last {
        type Output = ();

        fn poll(self: Pin<&mut Self>, _: &mut task::Context<'_>) -> Poll<()> {
            Poll::Ready(())
        }
    }
    let mut system = System::new();
    system.spawn_async(Last);
    run(&mut system);
    let failures = failures(&mut system);
    assert_eq!(failures.len(), 1);
    assert!(failures[0].ends_with(OUTSIDE), "{failures:?}");
    assert_eq!(system.counters().sent, 0);
    // Inside its own last turn it may be used.
    system.spawn_async(|mailbox: Mailbox<u8>| async move {
        let _last = Last(mailbox);
    });
    run(&mut system);
    assert!(super::harness::failures(&mut system).is_empty());
    assert_eq!(system.counters().dropped, 1);
}

pub(crate) fn systems_nest_inside_turns() {
    /// Runs a whole system of its own for each message.
    struct Outer(Address<u64>);
    impl Actor for Outer {
        type Message = u64;

        fn receive(&mut self, message: u64, context: &mut Context<'_, u64>) {
            context.send(self.0, sum_inside(message)).unwrap();
        }
    }
    fn sum_inside(message: u64) -> u64 {
        // Of one thread: a run on many waits for all workers, of which this is one.
        let mut inner = ringspawn::System::new();
        let totals = Log::new();
        let total = inner.spawn(Recorder(totals.clone()));
        let adder = inner.spawn_async(move |mut mailbox: Mailbox<u64>| async move {
            let sum = mailbox.receive().await + mailbox.receive().await;
            mailbox.send(total, sum).unwrap();
            panic!("inside");
        });
        inner.send(adder, message).unwrap();
        inner.send(adder, 1000).unwrap();
        assert_eq!(inner.run(Duration::ZERO, u64::MAX), Left::Idle);
        assert!(
            inner.take_failures()[0]
                .to_string()
                .ends_with("failed: inside")
        );
        totals.take()[0]
    }
    let mut system = System::new();
    let (total, totals) = recorder::<u64>(&mut system);
    let handler = system.spawn(Outer(total));
    let task = system.spawn_async(move |mut mailbox: Mailbox<u64>| async move {
        loop {
            let message = mailbox.receive().await;
            let sum = sum_inside(message);
            mailbox.send(total, sum).unwrap();
        }
    });
    for message in 0..3 {
        system.send(handler, message).unwrap();
        system.send(task, message + 10).unwrap();
    }
    run(&mut system);
    assert!(failures(&mut system).is_empty());
    let mut sums = totals.take();
    sums.sort_unstable();
    assert_eq!(sums, [1000, 1001, 1002, 1010, 1011, 1012]);
}

pub(crate) fn a_future_that_borrows_across_awaits_stays_in_place() {
    let mut system = System::new();
    let log = Log::new();
    let mut actors = Vec::new();
    for number in 0..200_u64 {
        let log = log.clone();
        actors.push(
            system.spawn_async(move |mut mailbox: Mailbox<u64>| async move {
                let own = [number; 20];
                let borrowed = &own;
                let place = borrowed.as_ptr() as usize;
                for _ in 0..3 {
                    let message = mailbox.receive().await;
                    assert_eq!(borrowed.as_ptr() as usize, place);
                    log.note(borrowed.iter().sum::<u64>() == 20 * message);
                    // Grows the table while the future borrows from itself.
                    mailbox.spawn_async(|_: Mailbox<u64>| async {});
                }
            }),
        );
    }
    for _ in 0..3 {
        for (number, actor) in actors.iter().enumerate() {
            system.send(*actor, number as u64).unwrap();
        }
        run_slices(&mut system, 17);
    }
    assert!(failures(&mut system).is_empty());
    let notes = log.take();
    assert_eq!(notes.len(), 600);
    assert!(notes.into_iter().all(|right| right));
}

pub(crate) fn a_busy_async_actor_starves_nobody() {
    let mut system = System::new();
    let (to, seen) = recorder::<u8>(&mut system);
    let busy = system.spawn_async(|mut mailbox: Mailbox<u8>| async move {
        loop {
            let message = mailbox.receive().await;
            mailbox.send(mailbox.address(), message).unwrap();
        }
    });
    system.send(busy, 1).unwrap();
    assert_eq!(slice(&mut system, 1000), Left::More);
    system.send(to, 1).unwrap();
    assert_eq!(slice(&mut system, 100), Left::More);
    assert_eq!(seen.take(), [1]);
    // And one that awaits nothing but itself.
    system.spawn_async(|mailbox: Mailbox<u8>| async move {
        loop {
            let _ = mailbox.address();
            yield_now().await;
        }
    });
    for _ in 0..3 {
        system.send(to, 2).unwrap();
        assert_eq!(slice(&mut system, 100), Left::More);
        assert_eq!(seen.take(), [2]);
    }
}

/// Lets others go first.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
