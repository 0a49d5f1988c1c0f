//! Messages arrive, in order, where they were sent, or come back.

use ringspawn::{Actor, Address, Context, Mailbox, SendError};

use super::System;

use super::harness::{Log, Scripted, failures, part_of, recorder, run, run_slices, slice, to_do};

/// A number with the name of who sent it.
type Numbered = (usize, u64);

/// Sends rising numbers in bursts, one burst per turn of its own.
struct Counting {
    name: usize,
    next: u64,
    last: u64,
    burst: u64,
    to: Address<Numbered>,
}

impl Actor for Counting {
    type Message = ();

    fn started(&mut self, context: &mut Context<'_, ()>) {
        let own = context.address();
        context.send(own, ()).unwrap();
    }

    fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
        for _ in 0..self.burst {
            if self.next > self.last {
                return context.stop();
            }
            context.send(self.to, (self.name, self.next)).unwrap();
            self.next += 1;
        }
        let own = context.address();
        context.send(own, ()).unwrap();
    }
}

async fn counting(mut mailbox: Mailbox<()>, name: usize, last: u64, to: Address<Numbered>) {
    mailbox.send(mailbox.address(), ()).unwrap();
    for number in 1..=last {
        if number % 5 == 0 {
            mailbox.receive().await;
            mailbox.send(mailbox.address(), ()).unwrap();
        }
        mailbox.send(to, (name, number)).unwrap();
    }
}

/// Four senders of two styles and three burst lengths, two receivers of both styles.
fn order_is_kept(last: u64, turn_budget: u32, slice_budget: u64) {
    let mut system = System::new();
    system.set_turn_budget(turn_budget);
    let (handler, handled) = recorder::<Numbered>(&mut system);
    let polled = Log::new();
    let log = polled.clone();
    let task = system.spawn_async(|mut mailbox: Mailbox<Numbered>| async move {
        loop {
            log.note(mailbox.receive().await);
        }
    });
    for to in [handler, task] {
        for (name, burst) in [(0, 1), (1, 7), (2, 100)] {
            system.spawn(Counting {
                name,
                next: 1,
                last,
                burst,
                to,
            });
        }
        system.spawn_async(move |mailbox| counting(mailbox, 3, last, to));
    }
    run_slices(&mut system, slice_budget);
    for log in [handled, polled] {
        let seen = log.take();
        for name in 0..4 {
            let numbers = seen.iter().filter(|(from, _)| *from == name);
            assert!(
                numbers.map(|(_, number)| *number).eq(1..=last),
                "sender {name}, turns of {turn_budget}, slices of {slice_budget}"
            );
        }
    }
}

pub(crate) fn messages_from_one_sender_arrive_in_order_whatever_the_budgets() {
    for turn_budget in [1, 7, 64] {
        order_is_kept(part_of(100_000), turn_budget, u64::MAX);
        order_is_kept(1000, turn_budget, 100);
    }
}

pub(crate) fn messages_from_one_sender_arrive_in_order_in_slices_of_every_size() {
    for turn_budget in [1, 7, 64] {
        for slice_budget in 1..=70 {
            order_is_kept(20, turn_budget, slice_budget);
        }
    }
}

pub(crate) fn a_burst_passes_through_the_spill_queue_in_order() {
    for count in [1, 2, 3, 63, 64, 65, 66, 1000, 100_000] {
        let mut system = System::new();
        let (to, seen) = recorder::<u64>(&mut system);
        for round in 0..2 {
            for number in 0..count {
                system.send(to, round * count + number).unwrap();
            }
            run(&mut system);
        }
        assert!(seen.take().into_iter().eq(0..2 * count));
    }
}

pub(crate) fn spill_queues_are_not_mixed_up_between_mailboxes() {
    let mut system = System::new();
    system.set_turn_budget(3);
    let recorders: Vec<_> = (0..100).map(|_| recorder::<u64>(&mut system)).collect();
    // Queues of different lengths, which end and begin at different times.
    for round in 0..20 {
        for (index, (to, _)) in recorders.iter().enumerate() {
            for number in 0..(index as u64 * 7 + round) % 13 {
                system
                    .send(*to, index as u64 * 1_000_000 + round * 1000 + number)
                    .unwrap();
            }
        }
        slice(&mut system, 100);
    }
    run(&mut system);
    for (index, (_, seen)) in recorders.iter().enumerate() {
        let expected = (0..20).flat_map(|round| {
            let count = (index as u64 * 7 + round) % 13;
            (0..count).map(move |number| index as u64 * 1_000_000 + round * 1000 + number)
        });
        assert!(seen.take().into_iter().eq(expected), "mailbox {index}");
    }
}

pub(crate) fn self_sends_arrive_in_order_behind_what_waits() {
    struct Echo(Log<u64>);
    impl Actor for Echo {
        type Message = u64;

        fn receive(&mut self, message: u64, context: &mut Context<'_, u64>) {
            self.0.note(message);
            if message < 100 {
                let own = context.address();
                context.send(own, message + 100).unwrap();
                context.send(own, message + 200).unwrap();
            }
        }
    }
    let mut system = System::new();
    system.set_turn_budget(2);
    let log = Log::new();
    let echo = system.spawn(Echo(log.clone()));
    for message in 0..4 {
        system.send(echo, message).unwrap();
    }
    run(&mut system);
    let expected = [0, 1, 2, 3, 100, 200, 101, 201, 102, 202, 103, 203];
    assert_eq!(log.take(), expected);
}

pub(crate) fn a_send_never_runs_the_receiver() {
    let mut system = System::new();
    let (to, seen) = recorder::<u64>(&mut system);
    let sender = system.spawn(Scripted(()));
    let log = seen.clone();
    system.send(to, 1).unwrap();
    assert_eq!(seen.len(), 0);
    slice(&mut system, 100);
    assert_eq!(seen.take(), [1]);
    let deed = move |(): &mut (), context: &mut Context<'_, _>| {
        context.send(to, 2).unwrap();
        assert_eq!(log.len(), 0);
    };
    system.send(sender, to_do(deed)).unwrap();
    run(&mut system);
    assert_eq!(seen.take(), [2]);
    assert!(failures(&mut system).is_empty());
}

enum Ball {
    Serve(Address<u64>),
    Back(u64),
}

/// One end of the ping-pong; the other end is async and receives another type.
struct Player {
    other: Option<Address<u64>>,
    left: u64,
}

impl Actor for Player {
    type Message = Ball;

    fn receive(&mut self, ball: Ball, context: &mut Context<'_, Ball>) {
        let number = match ball {
            Ball::Serve(other) => {
                self.other = Some(other);
                0
            }
            Ball::Back(number) => number,
        };
        if self.left == 0 {
            return context.stop();
        }
        self.left -= 1;
        context.send(self.other.unwrap(), number + 1).unwrap();
    }
}

pub(crate) fn ping_pong_between_two_types_never_loses_a_message() {
    let trips = part_of(1_000_000);
    for round in 0..200 {
        let mut system = System::new();
        let player = system.spawn(Player {
            other: None,
            left: trips,
        });
        let other = system.spawn_async(move |mut mailbox: Mailbox<u64>| async move {
            loop {
                let number = mailbox.receive().await;
                if mailbox.send(player, Ball::Back(number)).is_err() {
                    return;
                }
            }
        });
        system.send(player, Ball::Serve(other)).unwrap();
        run_slices(&mut system, 1 << (round % 40).max(8));
        let counters = system.counters();
        assert_eq!(counters.received, 2 * trips + 1, "round {round}");
        assert_eq!(counters.sent, counters.received);
        assert_eq!(counters.alive(), 1);
    }
}

pub(crate) fn messages_to_an_actor_just_spawned_wait_for_its_start() {
    struct Starting(Log<&'static str>);
    impl Actor for Starting {
        type Message = &'static str;

        fn started(&mut self, _: &mut Context<'_, &'static str>) {
            self.0.note("started");
        }

        fn receive(&mut self, message: &'static str, _: &mut Context<'_, &'static str>) {
            self.0.note(message);
        }
    }
    let mut system = System::new();
    let log = Log::new();
    let inner = log.clone();
    let parent = system.spawn(Scripted(()));
    let spawn = move |(): &mut (), context: &mut Context<'_, _>| {
        let child = context.spawn(Starting(inner.clone()));
        context.send(child, "one").unwrap();
        context.send(child, "two").unwrap();
        inner.note("sent");
        let log = inner.clone();
        let task = context.spawn_async(|mut mailbox: Mailbox<&'static str>| async move {
            log.note("polled");
            log.note(mailbox.receive().await);
        });
        context.send(task, "three").unwrap();
    };
    system.send(parent, to_do(spawn)).unwrap();
    let child = system.spawn(Starting(log.clone()));
    system.send(child, "zero").unwrap();
    run(&mut system);
    let notes = log.take();
    let place = |note| notes.iter().position(|it| *it == note).unwrap();
    assert_eq!(notes.iter().filter(|note| **note == "started").count(), 2);
    assert!(place("started") < place("zero"));
    assert!(place("sent") < place("one") && place("one") < place("two"));
    assert!(place("sent") < place("polled") && place("polled") < place("three"));
    assert!(failures(&mut system).is_empty());
}

pub(crate) fn a_message_that_is_not_accepted_comes_back_unharmed() {
    let mut system = System::new();
    let ended = system.spawn_async(|_: Mailbox<Box<u64>>| async {});
    run(&mut system);
    let message = Box::new(7);
    let place: *const u64 = &*message;
    let error = system.send(ended, message).unwrap_err();
    assert_eq!(error.to_string(), "no such actor");
    let SendError::NoActor(message) = error else {
        panic!("another error");
    };
    assert_eq!(place, &*message as *const u64, "the very same box");
    // The same from inside turns of both styles.
    let (to, seen) = recorder::<u64>(&mut system);
    let sender = system.spawn(Scripted(()));
    let deed = move |(): &mut (), context: &mut Context<'_, _>| {
        let message = context.send(ended, Box::new(8)).unwrap_err().into_message();
        context.send(to, *message).unwrap();
    };
    system.send(sender, to_do(deed)).unwrap();
    system.spawn_async(move |mailbox: Mailbox<()>| async move {
        let message = mailbox.send(ended, Box::new(9)).unwrap_err().into_message();
        mailbox.send(to, *message).unwrap();
    });
    run(&mut system);
    let mut seen = seen.take();
    seen.sort_unstable();
    assert_eq!(seen, [8, 9]);
    assert_eq!(system.counters().undeliverable, 3);
}

pub(crate) fn a_stale_address_never_reaches_the_next_owner_of_its_slot() {
    let mut system = System::new();
    let log = Log::new();
    let mut stale: Vec<Address<u64>> = Vec::new();
    for life in 0..5000 {
        let seen = log.clone();
        let actor = system.spawn_async(move |mut mailbox: Mailbox<u64>| async move {
            seen.note((life, mailbox.receive().await));
        });
        // The last one, and one of long ago.
        for old in [stale.last(), stale.get(stale.len() / 2)]
            .into_iter()
            .flatten()
        {
            assert!(!system.is_alive(*old));
            assert_eq!(system.send(*old, life), Err(SendError::NoActor(life)));
        }
        assert!(system.is_alive(actor));
        system.send(actor, life).unwrap();
        run(&mut system);
        stale.push(actor);
    }
    assert!(
        log.take()
            .into_iter()
            .all(|(life, message)| life == message)
    );
    assert_eq!(system.counters().received, 5000);
    let memory = system.reserved_bytes();
    assert!(memory < 100_000, "one slot is used again: {memory} bytes");
}

pub(crate) fn addresses_of_all_owners_of_a_slot_stay_apart() {
    let mut system = System::new();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..100 {
        for _ in 0..3 {
            let actor = system.spawn_async(|_: Mailbox<u8>| async {});
            assert!(seen.insert(actor) && !seen.insert(actor));
            assert_eq!(actor.id().to_string(), format!("{:?}", actor)[7..]);
        }
        run(&mut system);
    }
}

pub(crate) fn the_counters_tell_what_happened() {
    let mut system = System::new();
    assert_eq!(system.counters(), ringspawn::Counters::default());
    let (to, _) = recorder::<u8>(&mut system);
    let ended = system.spawn_async(|_: Mailbox<u16>| async {});
    let failing = system.spawn(Scripted(()));
    system.send(to, 1).unwrap();
    let counters = system.counters();
    assert_eq!((counters.spawned, counters.started), (3, 0));
    assert_eq!(
        (counters.sent, counters.received, system.queued()),
        (1, 0, 1)
    );
    run(&mut system);
    system.send(ended, 2).unwrap_err();
    system
        .send(failing, to_do(|_, _| panic!("broken")))
        .unwrap();
    system.send(failing, to_do(|_, _| ())).unwrap();
    run(&mut system);
    let counters = system.counters();
    assert_eq!((counters.spawned, counters.started), (3, 3));
    assert_eq!((counters.stopped, counters.failed), (2, 1));
    assert_eq!(counters.alive(), 1);
    assert_eq!((counters.sent, counters.received), (3, 2));
    assert_eq!((counters.dropped, counters.undeliverable), (1, 1));
    assert_eq!(counters.queue_high_water, 2);
}

pub(crate) fn the_high_water_mark_is_the_longest_queue() {
    let mut system = System::new();
    let (a, _) = recorder::<u8>(&mut system);
    let (b, _) = recorder::<u16>(&mut system);
    assert_eq!(system.counters().queue_high_water, 0);
    system.send(a, 0).unwrap();
    system.send(b, 0).unwrap();
    assert_eq!(system.counters().queue_high_water, 1);
    run(&mut system);
    for _ in 0..5 {
        system.send(a, 0).unwrap();
    }
    for _ in 0..3 {
        system.send(b, 0).unwrap();
    }
    assert_eq!(system.counters().queue_high_water, 5);
    run(&mut system);
    for _ in 0..4 {
        system.send(a, 0).unwrap();
    }
    assert_eq!(system.counters().queue_high_water, 5);
}

pub(crate) fn messages_of_any_size_arrive_whole() {
    fn check<M: Clone + PartialEq + Send + 'static>(messages: &[M]) {
        let mut system = System::new();
        let actors: Vec<_> = (0..70).map(|_| recorder::<M>(&mut system)).collect();
        for (actor, _) in &actors {
            for message in messages {
                system.send(*actor, message.clone()).unwrap();
            }
        }
        run(&mut system);
        assert!(actors.iter().all(|(_, seen)| seen.take() == messages));
    }
    check(&[(), (), ()]);
    check(&[true, false, true]);
    check(&[[1_u64; 100], [2; 100], [3; 100], [4; 100]]);
    check(&["one".to_owned(), String::new(), "three".to_owned()]);
    check(&[1_u128 << 100, 2, 3]);
    check(&[Some(Box::new(1)), None, Some(Box::new(3))]);
}
