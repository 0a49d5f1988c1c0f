//! Actors on many threads: what holds on one thread holds between strands too.
#![cfg(feature = "threads")]

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ringspawn::workload::{Config, Contender};
use ringspawn::{Actor, Address, Context, ExitReason, Left, Mailbox, ParallelSystem, SendError};

const WORKERS: [usize; 3] = [1, 2, 4];
/// Every actor on a strand of its own; a few on each; all on one.
const SIZES: [usize; 3] = [1, 3, 256];

fn pool(workers: usize) -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
    pool.build().expect("threads")
}

/// Runs until all is quiet, in slices of about this many messages, and checks the books.
fn run_slices(system: &mut ParallelSystem, workers: usize, budget: u64) {
    let pool = pool(workers);
    while pool.install(|| system.run(Duration::ZERO, budget)) == Left::More {
        assert_books(system);
    }
    assert_books(system);
    assert_eq!(system.queued(), 0, "quiet with messages waiting");
}

fn run(system: &mut ParallelSystem, workers: usize) {
    run_slices(system, workers, u64::MAX);
}

#[track_caller]
fn assert_books(system: &ParallelSystem) {
    let counters = system.counters();
    let accounted = counters.received + system.queued() + counters.dropped;
    assert_eq!(counters.sent, accounted, "{counters:?}");
    let pool = system.pool_counters();
    let by_workers: u64 = pool.received_per_worker.iter().sum();
    assert!(
        by_workers <= counters.received + counters.started + counters.failed,
        "{pool:?} {counters:?}"
    );
}

fn soak() -> bool {
    std::env::var_os("RINGSPAWN_SOAK").is_some()
}

/// Whole in a soak, else a tenth, and where nothing is optimised a hundredth.
fn part_of(whole: u64) -> u64 {
    if soak() {
        whole
    } else if cfg!(debug_assertions) {
        whole / 100
    } else {
        whole / 10
    }
}

/// Sends rising numbers, a few per turn.
struct Counting {
    name: usize,
    next: u64,
    last: u64,
    to: Vec<Address<(usize, u64)>>,
}

impl Actor for Counting {
    type Message = ();

    fn started(&mut self, context: &mut Context<'_, ()>) {
        self.receive((), context);
    }

    fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
        for _ in 0..7 {
            if self.next > self.last {
                return context.stop();
            }
            for to in &self.to {
                context.send(*to, (self.name, self.next)).unwrap();
            }
            self.next += 1;
        }
        let own = context.address();
        context.send(own, ()).unwrap();
    }
}

/// Checks that what it receives rises, sender by sender.
struct Rising {
    last: Vec<u64>,
    seen: Arc<AtomicU64>,
}

impl Actor for Rising {
    type Message = (usize, u64);

    fn receive(&mut self, (name, number): (usize, u64), _: &mut Context<'_, (usize, u64)>) {
        assert_eq!(number, self.last[name] + 1, "sender {name}");
        self.last[name] = number;
        self.seen.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn messages_from_one_sender_arrive_in_order_through_steals() {
    let last = part_of(100_000).max(1000);
    for workers in WORKERS {
        for size in SIZES {
            for turn_budget in [1, 7, 64] {
                let mut system = ParallelSystem::new();
                system.set_strand_size(size);
                system.set_turn_budget(turn_budget);
                let seen = Arc::new(AtomicU64::new(0));
                let to = (0..4)
                    .map(|_| {
                        let seen = Arc::clone(&seen);
                        system.spawn(Rising {
                            last: vec![0; 4],
                            seen,
                        })
                    })
                    .collect::<Vec<_>>();
                for name in 0..4 {
                    let to = to.clone();
                    system.spawn(Counting {
                        name,
                        next: 1,
                        last,
                        to,
                    });
                }
                run(&mut system, workers);
                let failures = system.take_failures();
                assert!(
                    failures.is_empty(),
                    "{workers} {size} {turn_budget}: {failures:?}"
                );
                assert_eq!(seen.load(Ordering::Relaxed), 16 * last);
            }
        }
    }
}

/// Sends back what it gets, one less.
struct Returning {
    peer: Option<Address<Ball>>,
}

enum Ball {
    Meet(Address<Ball>),
    Trips(u64),
}

impl Actor for Returning {
    type Message = Ball;

    fn receive(&mut self, ball: Ball, context: &mut Context<'_, Ball>) {
        match (ball, self.peer) {
            (Ball::Meet(peer), _) => self.peer = Some(peer),
            (Ball::Trips(left), Some(peer)) if left > 0 => {
                context.send(peer, Ball::Trips(left - 1)).unwrap();
            }
            (Ball::Trips(_), _) => {}
        }
    }
}

#[test]
fn ping_pong_between_strands_never_loses_a_message() {
    let trips = part_of(1_000_000).min(10_000);
    for _ in 0..part_of(200).max(20) {
        for workers in WORKERS {
            let mut system = ParallelSystem::new();
            system.set_strand_size(1);
            let a = system.spawn(Returning { peer: None });
            let b = system.spawn(Returning { peer: Some(a) });
            system.send(a, Ball::Meet(b)).unwrap();
            system.send(a, Ball::Trips(trips)).unwrap();
            run(&mut system, workers);
            assert_eq!(system.counters().received, trips + 2);
        }
    }
}

#[test]
fn a_message_to_an_ended_actor_of_another_strand_is_dropped_and_counted() {
    struct Late {
        to: Address<String>,
    }
    impl Actor for Late {
        type Message = ();
        fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
            // Nobody can know here that it has ended.
            context.send(self.to, "too late".to_owned()).unwrap();
        }
    }
    struct Ending;
    impl Actor for Ending {
        type Message = String;
        fn receive(&mut self, _: String, context: &mut Context<'_, String>) {
            context.stop();
        }
    }
    let mut system = ParallelSystem::new();
    system.set_strand_size(1);
    let ending = system.spawn(Ending);
    let late = system.spawn(Late { to: ending });
    system.send(ending, "end".to_owned()).unwrap();
    run(&mut system, 2);
    assert!(!system.is_alive(ending));
    system.send(late, ()).unwrap();
    run(&mut system, 2);
    assert_eq!(system.counters().dropped, 1);
    // From outside it comes back.
    let back = system.send(ending, "anybody?".to_owned());
    assert!(matches!(back, Err(SendError::NoActor(message)) if message == "anybody?"));
    assert_eq!(system.counters().undeliverable, 1);
}

#[test]
fn a_panic_on_any_worker_ends_that_actor_alone() {
    struct Fragile(u64);
    impl Actor for Fragile {
        type Message = u64;
        fn receive(&mut self, number: u64, _: &mut Context<'_, u64>) {
            assert!(number != self.0, "number {number} is too much");
        }
    }
    quiet_panics();
    for workers in WORKERS {
        let mut system = ParallelSystem::new();
        system.set_strand_size(5);
        let actors: Vec<_> = (0..100)
            .map(|name| system.spawn(Fragile(name % 10)))
            .collect();
        for number in 0..20 {
            for actor in &actors {
                system.send(*actor, number).unwrap();
            }
        }
        run(&mut system, workers);
        let counters = system.counters();
        assert_eq!((counters.failed, counters.stopped), (100, 100));
        assert_eq!(counters.received + counters.dropped, 2000);
        let failures = system.take_failures();
        assert_eq!(failures.len(), 64);
        assert!(failures.iter().all(|exit| matches!(
            &exit.reason,
            ExitReason::Failed { message, .. } if message.ends_with("is too much")
        )));
    }
}

#[test]
fn a_tree_grows_over_strands_and_sums_its_leaves() {
    type Body = Pin<Box<dyn Future<Output = ()> + Send>>;
    fn node(
        mut mailbox: Mailbox<u64>,
        depth: u32,
        parent: Option<Address<u64>>,
        sum: Arc<AtomicU64>,
    ) -> Body {
        Box::pin(async move {
            let me = mailbox.address();
            let children = if depth > 0 { 10 } else { 0 };
            for _ in 0..children {
                if depth == 3 {
                    mailbox.new_strand();
                }
                let sum = Arc::clone(&sum);
                mailbox.spawn_async(move |mailbox| node(mailbox, depth - 1, Some(me), sum));
            }
            let mut own = u64::from(depth == 0);
            for _ in 0..children {
                own += mailbox.receive().await;
            }
            match parent {
                Some(parent) => mailbox.send(parent, own).unwrap(),
                None => sum.store(own, Ordering::Relaxed),
            }
        })
    }
    for workers in WORKERS {
        for size in SIZES {
            let mut system = ParallelSystem::new();
            system.set_strand_size(size);
            let sum = Arc::new(AtomicU64::new(0));
            let out = Arc::clone(&sum);
            system.spawn_async(move |mailbox| node(mailbox, 3, None, out));
            run(&mut system, workers);
            assert_eq!(sum.load(Ordering::Relaxed), 1000, "{workers} {size}");
            assert_eq!(system.counters().stopped, 1111);
            // The root's children began one each.
            assert!(system.strands() >= 10, "{} strands", system.strands());
        }
    }
}

#[test]
fn a_tree_is_worked_on_in_depth_and_families_stay_together() {
    let leaves = 300_000;
    for contender in [Contender::Threads, Contender::ThreadsAsync] {
        for workers in [1, 2] {
            let (crossings, strands) = pool(workers).install(|| {
                let skynet = Config::Skynet { leaves };
                let mut workload = skynet.build(contender).unwrap();
                while workload.slice(u64::MAX).unwrap() {}
                let system = workload.parallel().unwrap();
                (system.pool_counters().cross_strand, system.strands())
            });
            assert!(crossings < leaves * 2 / 3, "{crossings} crossings");
            if workers == 1 {
                // Side by side it would take thousands.
                assert!(strands < 600, "{strands} strands");
            }
        }
    }
}

#[test]
fn a_wake_from_another_thread_is_never_lost() {
    use std::future::poll_fn;
    use std::task::{Poll, Waker};
    #[derive(Default)]
    struct Gate {
        open: bool,
        waker: Option<Waker>,
    }
    for round in 0..part_of(20_000).max(200) {
        let gate = Arc::new(Mutex::new(Gate::default()));
        let mut system = ParallelSystem::new();
        let told = Arc::new(AtomicU64::new(0));
        let notify = Arc::clone(&told);
        system.set_notify(move || {
            notify.fetch_add(1, Ordering::SeqCst);
        });
        let waiting = Arc::clone(&gate);
        system.spawn_async(move |_: Mailbox<()>| async move {
            poll_fn(|context| {
                let mut gate = waiting.lock().unwrap();
                gate.waker = Some(context.waker().clone());
                if gate.open {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            })
            .await;
        });
        let opener = std::thread::spawn(move || {
            for _ in 0..round % 50 {
                std::hint::spin_loop();
            }
            let mut gate = gate.lock().unwrap();
            gate.open = true;
            if let Some(waker) = gate.waker.take() {
                waker.wake();
            }
        });
        let first = system.run(Duration::ZERO, u64::MAX);
        opener.join().unwrap();
        // Either the run saw it, or it says that there is more, or the host is told.
        if system.counters().stopped == 0 {
            assert!(
                first == Left::More || told.load(Ordering::SeqCst) == 1,
                "round {round}"
            );
            assert_eq!(system.run(Duration::ZERO, u64::MAX), Left::Idle);
        }
        assert_eq!(system.counters().stopped, 1, "round {round}");
    }
}

#[test]
fn a_stopped_run_goes_on_where_it_was() {
    struct Busy;
    impl Actor for Busy {
        type Message = u64;
        fn receive(&mut self, left: u64, context: &mut Context<'_, u64>) {
            let own = context.address();
            if left > 0 {
                context.send(own, left - 1).unwrap();
            }
        }
    }
    let mut system = ParallelSystem::new();
    system.set_strand_size(2);
    let turns = part_of(10_000_000);
    for _ in 0..10 {
        let busy = system.spawn(Busy);
        system.send(busy, turns).unwrap();
    }
    let control = system.control();
    let watcher = std::thread::spawn(move || {
        while control.received() < 10_000 {
            std::thread::yield_now();
        }
        control.stop();
        control
    });
    assert_eq!(system.run(Duration::ZERO, u64::MAX), Left::More);
    let control = watcher.join().unwrap();
    assert!(control.is_stopped());
    assert_books(&system);
    assert!(system.counters().received < 10 * (turns + 1));
    assert_eq!(
        system.run(Duration::ZERO, u64::MAX),
        Left::More,
        "still stopped"
    );
    control.resume();
    run(&mut system, 2);
    assert_eq!(system.counters().received, 10 * (turns + 1));
}

#[test]
fn letters_that_never_arrive_are_dropped_once() {
    struct Drops(Arc<AtomicU64>);
    impl Drop for Drops {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    struct Sender {
        to: Address<(u8, Drops)>,
        drops: Arc<AtomicU64>,
    }
    impl Actor for Sender {
        type Message = ();
        fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
            for kind in 0..100 {
                let drops = Drops(Arc::clone(&self.drops));
                context.send(self.to, (kind, drops)).unwrap();
            }
        }
    }
    struct Receiver;
    impl Actor for Receiver {
        type Message = (u8, Drops);
        fn receive(&mut self, _: (u8, Drops), _: &mut Context<'_, (u8, Drops)>) {}
    }
    for budget in [1, 3, 50] {
        let drops = Arc::new(AtomicU64::new(0));
        let mut system = ParallelSystem::new();
        system.set_strand_size(1);
        let to = system.spawn(Receiver);
        let sender = system.spawn(Sender {
            to,
            drops: Arc::clone(&drops),
        });
        for _ in 0..10 {
            system.send(sender, ()).unwrap();
        }
        let pool = pool(2);
        for _ in 0..budget {
            pool.install(|| system.run(Duration::ZERO, budget));
            assert_books(&system);
        }
        let sent = system.counters().sent - 10;
        drop(system);
        assert_eq!(drops.load(Ordering::Relaxed), sent);
    }
}

/// One of a crowd that send each other messages at random, fail and end at random.
struct Crowd {
    random: u64,
    others: Arc<Mutex<Vec<Address<Hop>>>>,
    known: Vec<Address<Hop>>,
    books: Arc<AtomicU64>,
    /// Of so many messages about 600 end whoever gets them.
    messages: u64,
}

struct Hop {
    left: u32,
    /// Counts this message's end, whatever it is.
    books: Arc<AtomicU64>,
}

impl Drop for Hop {
    fn drop(&mut self) {
        self.books.fetch_add(1, Ordering::Relaxed);
    }
}

impl Crowd {
    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}

impl Actor for Crowd {
    type Message = Hop;

    fn receive(&mut self, hop: Hop, context: &mut Context<'_, Hop>) {
        if self.known.is_empty() {
            self.known = self.others.lock().unwrap().clone();
        }
        let random = self.next();
        if hop.left > 0 {
            // Now and then two for one, and now and then none, so that crowds come and go.
            for _ in 0..[1, 1, 2, 1, 0, 1][(random % 6) as usize] {
                let which = self.next() % self.known.len() as u64;
                let to = self.known[which as usize];
                let books = Arc::clone(&self.books);
                let left = hop.left - 1;
                let _ = context.send(to, Hop { left, books });
            }
        }
        match self.next() % self.messages {
            0..300 => panic!("by chance"),
            300..600 => context.stop(),
            _ => {}
        }
    }
}

/// Thousands of panics are meant, and nobody wants to read them.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or_default();
        if message != "by chance" && !message.ends_with("is too much") {
            eprintln!("{info}");
        }
    }));
}

#[test]
fn the_books_of_a_crowd_balance_whatever_happens() {
    let messages = if soak() {
        10_000_000
    } else {
        part_of(10_000_000)
    };
    for workers in [2, 3, 8] {
        for seed in [1, 2] {
            println!("{workers} workers, seed {seed}");
            let mut system = ParallelSystem::new();
            system.set_strand_size(37);
            let books = Arc::new(AtomicU64::new(0));
            let others = Arc::new(Mutex::new(Vec::new()));
            let crowd: Vec<_> = (0..1000_u64)
                .map(|name| {
                    system.spawn(Crowd {
                        random: (seed * 1000 + name + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
                        others: Arc::clone(&others),
                        known: Vec::new(),
                        books: Arc::clone(&books),
                        messages,
                    })
                })
                .collect();
            *others.lock().unwrap() = crowd.clone();
            while system.counters().sent < messages {
                for to in &crowd {
                    let books = Arc::clone(&books);
                    // Who has ended gives it back, which ends it too.
                    let _ = system.send(*to, Hop { left: 500, books });
                }
                run(&mut system, workers);
            }
            let counters = system.counters();
            assert_eq!(counters.spawned, counters.stopped + counters.alive());
            assert_eq!(counters.sent, counters.received + counters.dropped);
            let all = counters.sent + counters.undeliverable;
            assert_eq!(books.load(Ordering::Relaxed), all, "{counters:?}");
            assert!(counters.failed > 0 && counters.stopped > counters.failed);
            println!("{counters:?}");
        }
    }
}
