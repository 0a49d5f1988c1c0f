//! Spawning and stopping 100,000 actors, natively: our contenders, and stakker as the peer.
//!
//! `cargo bench --bench spawn`. Every iteration checks its own counts.
#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ringspawn::workload::{Config, Contender, Phase};
use stakker::{ActorOwn, CX, Stakker, actor, call, ret_nop, stop};

const ACTORS: u64 = 100_000;

/// Time of spawning and stopping, without the set-up and the checks.
fn spawn_and_stop(contender: Contender) -> Duration {
    let config = Config::Spawn { actors: ACTORS };
    let mut workload = config.build(contender).expect("sizes in range");
    let begin = Instant::now();
    while workload.phase().is_some_and(|phase| phase != Phase::Check) {
        workload.slice(u64::MAX).expect("enough memory");
    }
    let elapsed = begin.elapsed();
    assert!(workload.report().ok(), "{:?}", workload.report());
    elapsed
}

struct Waiter;

impl Waiter {
    fn init(_: CX![]) -> Option<Self> {
        Some(Self)
    }

    fn stop(&mut self, cx: CX![]) {
        stop!(cx);
    }
}

fn stakker_spawn_and_stop() -> Duration {
    let mut stakker = Stakker::new(Instant::now());
    let mut waiting: Vec<ActorOwn<Waiter>> = Vec::with_capacity(ACTORS as usize);
    let begin = Instant::now();
    let s = &mut stakker;
    waiting.extend((0..ACTORS).map(|_| actor!(s, Waiter::init(), ret_nop!())));
    stakker.run(Instant::now(), false);
    for waiter in &waiting {
        call!([waiter], stop());
    }
    stakker.run(Instant::now(), false);
    let stopped = waiting.iter().filter(|waiter| waiter.is_zombie()).count();
    let elapsed = begin.elapsed();
    assert_eq!(stopped as u64, ACTORS);
    elapsed
}

fn spawns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spawn and stop");
    group.throughput(Throughput::Elements(ACTORS));
    let sum = |times: u64, run: &dyn Fn() -> Duration| (0..times).map(|_| run()).sum();
    for &contender in Contender::ALL {
        group.bench_function(BenchmarkId::from_parameter(contender.name()), |bencher| {
            bencher.iter_custom(|times| sum(times, &|| spawn_and_stop(contender)));
        });
    }
    group.bench_function("stakker", |bencher| {
        bencher.iter_custom(|times| sum(times, &stakker_spawn_and_stop));
    });
    group.finish();
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
    targets = spawns
}
criterion_main!(benches);
