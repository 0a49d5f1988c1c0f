//! The workloads' own checks hold.

use ringspawn::workload::{Config, Contender, Report};

fn run(config: Config, contender: Contender, budget: u64) -> Report {
    let mut workload = config.build(contender).expect("sizes in range");
    while workload.phase().is_some() {
        workload.slice(budget).expect("enough memory");
    }
    workload.report()
}

fn ring(actors: u64, laps: u64, tokens: u64) -> Config {
    Config::Ring {
        actors,
        laps,
        tokens,
    }
}

fn all_pass(configs: &[Config], budgets: &[u64]) {
    for &contender in Contender::ALL {
        for config in configs {
            for budget in budgets {
                let report = run(*config, contender, *budget);
                assert!(
                    report.ok(),
                    "{contender:?} {config:?} {budget}: {report:#?}"
                );
                assert!(report.failures.is_empty());
            }
        }
    }
}

pub(crate) fn rings_of_one_and_two_work() {
    let configs = [
        ring(1, 1000, 1),
        ring(2, 1000, 1),
        ring(2, 7, 2),
        ring(1, 0, 1),
    ];
    all_pass(&configs, &[1, u64::MAX]);
}

pub(crate) fn rings_of_many_shapes_pass_their_checks() {
    let configs = [ring(3, 4, 1), ring(100, 100, 7), ring(64, 10, 64)];
    all_pass(&configs, &[7, u64::MAX]);
}

pub(crate) fn spawn_runs_pass_their_checks() {
    let configs = [1, 2, 63, 64, 65, 5000].map(|actors| Config::Spawn { actors });
    all_pass(&configs, &[300, u64::MAX]);
}

pub(crate) fn sizes_out_of_range_are_refused_in_words() {
    let refused = |config: Config| config.check().unwrap_err().to_string();
    let range = "actors is 0; it must be from 1 to 100000000";
    assert_eq!(refused(ring(0, 1, 1)), range);
    assert_eq!(refused(Config::Spawn { actors: 0 }), range);
    assert_eq!(
        refused(ring(3, 1, 4)),
        "tokens is 4; it must be from 1 to 3"
    );
    assert!(refused(ring(100_000_000, 1_000_000_000, 1)).contains("at most 9007199254740991"));
    assert!(Contender::from_name("actors").is_err());
}
