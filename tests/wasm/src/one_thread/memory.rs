//! What an actor costs in the workloads for one thread.

use ringspawn::workload::{Config, Contender};

pub(crate) fn a_ring_actor_costs_at_most_64_bytes_or_128_when_async() {
    let limit = |contender, most: f64| {
        let config = Config::Ring {
            actors: 20_000,
            laps: 0,
            tokens: 1,
        };
        let mut workload = config.build(contender).unwrap();
        while workload.phase().is_some() {
            workload.slice(u64::MAX).unwrap();
        }
        let bytes = workload.report().bytes_per_actor.unwrap();
        assert!(bytes <= most, "{contender:?}: {bytes} bytes per actor");
    };
    // Pointers are twice as large natively.
    let wide = if cfg!(target_pointer_width = "64") {
        1.5
    } else {
        1.0
    };
    limit(Contender::Handler, 66.0 * wide);
    limit(Contender::Async, 130.0 * wide);
}
