//! Rings, natively: our contenders, ping-pong between two actor types, and stakker as the peer.
//!
//! `cargo bench --bench ring`. Every iteration checks its own count of hops.
#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ringspawn::workload::{Config, Contender, Phase};
use ringspawn::{Actor, Address, Context, Left, System};

const RINGS: [(u64, u64); 2] = [(503, 200), (30_000, 4)];

/// Time of the hops alone, of a run that passed its checks.
fn hops(actors: u64, laps: u64, contender: Contender) -> Duration {
    let config = Config::Ring {
        actors,
        laps,
        tokens: 1,
    };
    let mut workload = config.build(contender).expect("sizes in range");
    let mut elapsed = Duration::ZERO;
    while let Some(phase) = workload.phase() {
        let begin = Instant::now();
        while workload.slice(1_000_000).expect("enough memory") {}
        if phase == Phase::Hop {
            elapsed = begin.elapsed();
        }
    }
    assert!(workload.report().ok(), "{:?}", workload.report());
    elapsed
}

fn rings(criterion: &mut Criterion) {
    let sum = |times: u64, run: &mut dyn FnMut() -> Duration| (0..times).map(|_| run()).sum();
    for (actors, laps) in RINGS {
        let mut group = criterion.benchmark_group(format!("ring of {actors}"));
        group.throughput(Throughput::Elements(actors * laps));
        for &contender in Contender::ALL {
            group.bench_function(BenchmarkId::from_parameter(contender.name()), |bencher| {
                bencher.iter_custom(|times| sum(times, &mut || hops(actors, laps, contender)));
            });
        }
        group.bench_function("stakker", |bencher| {
            let mut ring = peer::Ring::new(actors);
            bencher.iter_custom(|times| sum(times, &mut || ring.hops(actors * laps)));
        });
        group.finish();
    }
}

/// Two actor types with a message type each, which send to each other.
struct Ping {
    pong: Option<Address<PongMessage>>,
}

enum PingMessage {
    Meet(Address<PongMessage>),
    Ping { trips_left: u64 },
}

struct Pong {
    ping: Address<PingMessage>,
}

enum PongMessage {
    Pong { trips_left: u64 },
}

impl Actor for Ping {
    type Message = PingMessage;

    fn receive(&mut self, message: PingMessage, context: &mut Context<'_, PingMessage>) {
        match (message, self.pong) {
            (PingMessage::Meet(pong), _) => self.pong = Some(pong),
            (PingMessage::Ping { trips_left }, Some(pong)) if trips_left > 0 => {
                let trips_left = trips_left - 1;
                let _ = context.send(pong, PongMessage::Pong { trips_left });
            }
            (PingMessage::Ping { .. }, _) => {}
        }
    }
}

impl Actor for Pong {
    type Message = PongMessage;

    fn receive(&mut self, message: PongMessage, context: &mut Context<'_, PongMessage>) {
        let PongMessage::Pong { trips_left } = message;
        let _ = context.send(self.ping, PingMessage::Ping { trips_left });
    }
}

fn ping_pong(criterion: &mut Criterion) {
    const TRIPS: u64 = 50_000;
    let mut group = criterion.benchmark_group("ping-pong between two types");
    group.throughput(Throughput::Elements(2 * TRIPS));
    group.bench_function("actors/handler", |bencher| {
        let mut system = System::new();
        let ping = system.spawn(Ping { pong: None });
        let pong = system.spawn(Pong { ping });
        system
            .send(ping, PingMessage::Meet(pong))
            .expect("ping lives");
        while system.run(Duration::ZERO, 1_000) == Left::More {}
        bencher.iter(|| {
            let before = system.counters().received;
            let trips_left = TRIPS;
            system
                .send(ping, PingMessage::Ping { trips_left })
                .expect("ping lives");
            while system.run(Duration::ZERO, 1_000_000) == Left::More {}
            assert_eq!(system.counters().received - before, 2 * TRIPS + 1);
        });
    });
    group.finish();
}

/// The same ring in stakker.
mod peer {
    use std::cell::Cell;
    use std::rc::Rc;
    use std::time::{Duration, Instant};

    use stakker::{ActorOwn, CX, Fwd, Stakker, actor, call, fwd_to, ret_nop};

    struct Node {
        next: Option<Fwd<Box<Token>>>,
        handled: Rc<Cell<u64>>,
    }

    struct Token {
        hops_left: u64,
    }

    impl Node {
        fn init(_: CX![], handled: Rc<Cell<u64>>) -> Option<Self> {
            Some(Self {
                next: None,
                handled,
            })
        }

        fn link(&mut self, _: CX![], next: Fwd<Box<Token>>) {
            self.next = Some(next);
        }

        fn receive(&mut self, _: CX![], mut token: Box<Token>) {
            self.handled.set(self.handled.get() + 1);
            token.hops_left -= 1;
            if let (Some(next), true) = (&self.next, token.hops_left > 0) {
                next.fwd(token);
            }
        }
    }

    pub(super) struct Ring {
        stakker: Stakker,
        nodes: Vec<ActorOwn<Node>>,
        handled: Rc<Cell<u64>>,
    }

    impl Ring {
        pub(super) fn new(actors: u64) -> Self {
            let mut stakker = Stakker::new(Instant::now());
            let handled = Rc::new(Cell::new(0));
            let s = &mut stakker;
            let nodes: Vec<_> = (0..actors)
                .map(|_| actor!(s, Node::init(Rc::clone(&handled)), ret_nop!()))
                .collect();
            for (index, node) in nodes.iter().enumerate() {
                let next = &nodes[(index + 1) % nodes.len()];
                let next = fwd_to!([next], receive() as (Box<Token>));
                call!([node], link(next));
            }
            stakker.run(Instant::now(), false);
            Self {
                stakker,
                nodes,
                handled,
            }
        }

        pub(super) fn hops(&mut self, hops: u64) -> Duration {
            let before = self.handled.get();
            let token = Box::new(Token { hops_left: hops });
            let first = &self.nodes[0];
            let begin = Instant::now();
            call!([first], receive(token));
            self.stakker.run(Instant::now(), false);
            let elapsed = begin.elapsed();
            assert_eq!(self.handled.get() - before, hops);
            elapsed
        }
    }
}

fn configured() -> Criterion {
    Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

criterion_group! {
    name = benches;
    config = configured();
    targets = rings, ping_pong
}
criterion_main!(benches);
