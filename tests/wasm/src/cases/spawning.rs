//! Actors start once, and can be spawned from anywhere.

use ringspawn::{Actor, Address, Context, Mailbox};

use super::System;

use super::harness::{Log, Scripted, failures, recorder, run, run_slices, to_do};

/// Notes its start and its messages.
struct Noting<const SIZE: usize> {
    log: Log<String>,
    ballast: [u64; SIZE],
}

impl<const SIZE: usize> Noting<SIZE> {
    fn new(log: &Log<String>) -> Self {
        Self {
            log: log.clone(),
            ballast: [SIZE as u64; SIZE],
        }
    }
}

impl<const SIZE: usize> Actor for Noting<SIZE> {
    type Message = u32;

    fn started(&mut self, _: &mut Context<'_, u32>) {
        self.log.note(format!("{SIZE} started"));
    }

    fn receive(&mut self, message: u32, _: &mut Context<'_, u32>) {
        assert!(self.ballast.iter().all(|word| *word == SIZE as u64));
        self.log.note(format!("{SIZE} received {message}"));
    }
}

pub(crate) fn the_start_handler_runs_once_and_before_messages() {
    for slices in [1, 2, u64::MAX] {
        let mut system = System::new();
        let log = Log::new();
        let early = system.spawn(Noting::<1>::new(&log));
        for message in 0..3 {
            system.send(early, message).unwrap();
        }
        run_slices(&mut system, slices);
        for message in 3..6 {
            system.send(early, message).unwrap();
            run_slices(&mut system, slices);
        }
        let received = (0..6).map(|message| format!("1 received {message}"));
        let expected = std::iter::once("1 started".to_owned()).chain(received);
        assert!(log.take().into_iter().eq(expected));
        assert_eq!(system.counters().started, 1);
    }
}

pub(crate) fn a_start_handler_that_sends_to_itself_gets_the_message() {
    struct Kick(Log<u8>);
    impl Actor for Kick {
        type Message = u8;

        fn started(&mut self, context: &mut Context<'_, u8>) {
            let own = context.address();
            context.send(own, 1).unwrap();
            context.send(own, 2).unwrap();
        }

        fn receive(&mut self, message: u8, _: &mut Context<'_, u8>) {
            self.0.note(message);
        }
    }
    let mut system = System::new();
    let log = Log::new();
    let kick = system.spawn(Kick(log.clone()));
    system.send(kick, 0).unwrap();
    run_slices(&mut system, 1);
    assert_eq!(log.take(), [0, 1, 2]);
}

pub(crate) fn actors_spawn_their_own_type_in_a_turn() {
    /// Spawns more of itself, enough for new chunks while it runs.
    struct Family {
        generations: u32,
        name: u64,
        log: Log<u64>,
    }
    impl Actor for Family {
        type Message = u64;

        fn receive(&mut self, message: u64, context: &mut Context<'_, u64>) {
            assert_eq!(message, self.name);
            self.log.note(self.name);
            for child in 0..10 {
                if self.generations == 0 {
                    break;
                }
                let name = self.name * 10 + child;
                let child = context.spawn(Family {
                    generations: self.generations - 1,
                    name,
                    log: self.log.clone(),
                });
                context.send(child, name).unwrap();
                // Still itself, wherever it is stored.
                assert_eq!(message, self.name);
            }
        }
    }
    let mut system = System::new();
    let log = Log::new();
    let first = system.spawn(Family {
        generations: 3,
        name: 1,
        log: log.clone(),
    });
    system.send(first, 1).unwrap();
    run_slices(&mut system, 100);
    assert!(failures(&mut system).is_empty());
    let mut names = log.take();
    names.sort_unstable();
    let expected = [1..2, 10..20, 100..200, 1000..2000];
    assert!(names.into_iter().eq(expected.into_iter().flatten()));
    assert_eq!(system.counters().started, 1111);
}

pub(crate) fn actors_spawn_other_types_in_a_turn() {
    let mut system = System::new();
    let log = Log::new();
    let parent = system.spawn(Scripted(Vec::<Address<u32>>::new()));
    for round in 0..200 {
        let log = log.clone();
        let deed = move |children: &mut Vec<Address<u32>>, context: &mut Context<'_, _>| {
            children.push(context.spawn(Noting::<1>::new(&log)));
            children.push(context.spawn(Noting::<2>::new(&log)));
            children.push(context.spawn(Noting::<64>::new(&log)));
            for child in &children[children.len() - 3..] {
                context.send(*child, round).unwrap();
            }
        };
        system.send(parent, to_do(deed)).unwrap();
    }
    run_slices(&mut system, 50);
    assert!(failures(&mut system).is_empty());
    let notes = log.take();
    for size in [1, 2, 64] {
        for round in 0..200 {
            let received = format!("{size} received {round}");
            assert_eq!(notes.iter().filter(|note| **note == received).count(), 1);
        }
    }
    assert_eq!(system.counters().spawned, 601);
}

/// Counts down through handlers and async actors by turns, and tells at the end.
struct Countdown {
    left: u32,
    tell: Address<u32>,
}

impl Actor for Countdown {
    type Message = [u8; 3];

    fn started(&mut self, context: &mut Context<'_, [u8; 3]>) {
        let (left, tell) = (self.left, self.tell);
        context.spawn_async(move |mailbox| countdown(mailbox, left - 1, tell));
        context.stop();
    }

    fn receive(&mut self, _: [u8; 3], _: &mut Context<'_, [u8; 3]>) {}
}

async fn countdown(mailbox: Mailbox<u16>, left: u32, tell: Address<u32>) {
    if left < 2 {
        mailbox.send(tell, left).unwrap();
    } else {
        mailbox.spawn(Countdown {
            left: left - 1,
            tell,
        });
    }
}

pub(crate) fn handlers_and_async_actors_spawn_each_other() {
    for slices in [1, 7, u64::MAX] {
        let mut system = System::new();
        let (tell, told) = recorder::<u32>(&mut system);
        system.spawn(Countdown { left: 100, tell });
        run_slices(&mut system, slices);
        assert_eq!(told.take(), [1]);
        let counters = system.counters();
        assert_eq!((counters.spawned, counters.stopped), (101, 99 + 1));
    }
}

pub(crate) fn a_thousand_types_live_in_one_system() {
    /// A type of actor and of message for each pair of digits.
    struct Typed<const A: usize, const B: usize>(Log<usize>);
    impl<const A: usize, const B: usize> Actor for Typed<A, B> {
        type Message = ([u8; A], [u16; B]);

        fn receive(&mut self, _: Self::Message, _: &mut Context<'_, Self::Message>) {
            self.0.note(A * 10 + B);
        }
    }
    macro_rules! spawn_all {
        ($system:ident, $log:ident, $($a:literal)*) => {
            $(spawn_all!(@ $system, $log, $a, 0 1 2 3 4 5 6 7 8 9);)*
        };
        (@ $system:ident, $log:ident, $a:literal, $($b:literal)*) => {
            $({
                let actor = $system.spawn(Typed::<$a, $b>($log.clone()));
                $system.send(actor, ([0; $a], [0; $b])).unwrap();
            })*
        };
    }
    let mut system = System::new();
    let log = Log::new();
    for _ in 0..2 {
        spawn_all!(system, log, 0 1 2 3 4 5 6 7 8 9);
    }
    run(&mut system);
    let mut seen = log.take();
    seen.sort_unstable();
    assert!(seen.into_iter().eq((0..100).flat_map(|number| [number; 2])));
}

pub(crate) fn an_actor_spawned_and_stopped_in_a_turn_is_counted() {
    let mut system = System::new();
    let parent = system.spawn(Scripted(()));
    let deed = |(): &mut (), context: &mut Context<'_, _>| {
        let child = context.spawn(Scripted(()));
        let stop = |(): &mut (), context: &mut Context<'_, _>| context.stop();
        context.send(child, to_do(stop)).unwrap();
        context.send(child, to_do(|_, _| unreachable!())).unwrap();
        context.stop();
    };
    system.send(parent, to_do(deed)).unwrap();
    run(&mut system);
    assert!(failures(&mut system).is_empty());
    let counters = system.counters();
    assert_eq!((counters.spawned, counters.started), (2, 2));
    assert_eq!((counters.stopped, counters.dropped), (2, 1));
}

pub(crate) fn nested_spawns_in_a_spawn_closure_work() {
    let mut system = System::new();
    let log = Log::new();
    let notes = log.clone();
    system.spawn_async(move |outer: Mailbox<u8>| async move {
        for round in 0..100 {
            let mut inner = None;
            let first = outer.spawn_async(|mailbox: Mailbox<u64>| {
                // Of the same message type, and of the very table that is being filled.
                inner = Some(outer.spawn_async(|mailbox| receive_one(mailbox, notes.clone())));
                receive_one(mailbox, notes.clone())
            });
            outer.send(first, 2 * round).unwrap();
            outer.send(inner.unwrap(), 2 * round + 1).unwrap();
        }
    });
    run(&mut system);
    assert!(failures(&mut system).is_empty());
    let mut seen = log.take();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..200));
}

async fn receive_one(mut mailbox: Mailbox<u64>, log: Log<u64>) {
    log.note(mailbox.receive().await);
}

pub(crate) fn large_actors_and_actors_without_size_work() {
    #[repr(align(64))]
    struct Aligned(u8);
    struct Empty;
    impl Actor for Empty {
        type Message = ();

        fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
            context.stop();
        }
    }
    struct Straight(Aligned);
    impl Actor for Straight {
        type Message = ();

        fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
            assert_eq!(&raw const self.0 as usize % 64, 0);
            assert_eq!(self.0.0, 7);
            context.stop();
        }
    }
    let mut system = System::new();
    let log = Log::new();
    let mut actors = Vec::new();
    for _ in 0..130 {
        actors.push(system.spawn(Empty));
        actors.push(system.spawn(Straight(Aligned(7))));
        let large = system.spawn(Noting::<1500>::new(&log));
        system.send(large, 1).unwrap();
    }
    for actor in actors {
        system.send(actor, ()).unwrap();
    }
    run(&mut system);
    assert!(failures(&mut system).is_empty());
    assert_eq!(system.counters().stopped, 260);
    assert_eq!(log.len(), 260);
}

pub(crate) fn a_tree_of_spawns_sums_its_leaves() {
    enum Node {
        Sum(u64),
    }
    struct Inner {
        parent: Option<Address<Node>>,
        depth: u32,
        number: u64,
        sum: u64,
        missing: u32,
        result: Log<u64>,
    }
    impl Actor for Inner {
        type Message = Node;

        fn started(&mut self, context: &mut Context<'_, Node>) {
            if self.depth == 0 {
                let parent = self.parent.expect("a leaf has a parent");
                context.send(parent, Node::Sum(self.number)).ok().unwrap();
                return context.stop();
            }
            let own = context.address();
            for child in 0..10 {
                context.spawn(Inner {
                    parent: Some(own),
                    depth: self.depth - 1,
                    number: self.number * 10 + child,
                    sum: 0,
                    missing: 10,
                    result: self.result.clone(),
                });
            }
        }

        fn receive(&mut self, Node::Sum(sum): Node, context: &mut Context<'_, Node>) {
            self.sum += sum;
            self.missing -= 1;
            if self.missing == 0 {
                match self.parent {
                    Some(parent) => context.send(parent, Node::Sum(self.sum)).ok().unwrap(),
                    None => self.result.note(self.sum),
                }
                context.stop();
            }
        }
    }
    let mut system = System::new();
    let result = Log::new();
    system.spawn(Inner {
        parent: None,
        depth: 4,
        number: 0,
        sum: 0,
        missing: 10,
        result: result.clone(),
    });
    run_slices(&mut system, 1000);
    assert_eq!(result.take(), [10_000 * 9_999 / 2]);
    let counters = system.counters();
    assert_eq!((counters.spawned, counters.alive()), (11_111, 0));
}
