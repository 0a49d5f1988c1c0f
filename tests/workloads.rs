//! The workloads' answers are right, for every contender and for odd sizes.

use ringspawn::workload::{Config, Contender, Report};

fn run(config: Config, contender: Contender, budget: u64) -> Report {
    let mut workload = config.build(contender).expect("sizes in range");
    while workload.phase().is_some() {
        workload.slice(budget).expect("enough memory");
    }
    workload.report()
}

#[test]
fn rings_of_all_sizes_pass_their_checks() {
    for &contender in Contender::ALL {
        for (actors, laps, tokens) in [
            (1, 1000, 1),
            (2, 7, 2),
            (3, 4, 1),
            (100, 20, 7),
            (67, 5, 67),
            (503, 3, 2),
            (1000, 0, 3),
        ] {
            for budget in [1, 7, u64::MAX] {
                let report = run(
                    Config::Ring {
                        actors,
                        laps,
                        tokens,
                    },
                    contender,
                    budget,
                );
                assert!(
                    report.ok(),
                    "{contender:?} {actors} {laps} {tokens} {budget}: {report:#?}"
                );
            }
        }
    }
}

#[test]
fn spawns_of_all_sizes_pass_their_checks() {
    for &contender in Contender::ALL {
        for actors in [1, 2, 63, 64, 65, 1000] {
            for budget in [1, 300, u64::MAX] {
                let report = run(Config::Spawn { actors }, contender, budget);
                assert!(report.ok(), "{contender:?} {actors} {budget}: {report:#?}");
            }
        }
    }
}

#[test]
fn trees_of_all_sizes_sum_their_leaves() {
    for &contender in Contender::ALL {
        for leaves in [1, 2, 9, 10, 11, 100, 101, 12_345] {
            for budget in [7, 1000, u64::MAX] {
                let report = run(Config::Skynet { leaves }, contender, budget);
                assert!(report.ok(), "{contender:?} {leaves} {budget}: {report:#?}");
                assert_eq!(report.checks[0].expected, leaves * (leaves - 1) / 2);
            }
        }
    }
}

#[test]
fn rings_that_work_compute_what_they_should() {
    for &contender in Contender::ALL {
        for (actors, laps, tokens, rounds) in
            [(1, 5, 1, 3), (7, 0, 2, 9), (100, 3, 7, 0), (300, 4, 64, 20)]
        {
            for budget in [70, u64::MAX] {
                let config = Config::Work {
                    actors,
                    laps,
                    tokens,
                    rounds,
                };
                let report = run(config, contender, budget);
                assert!(
                    report.ok(),
                    "{contender:?} {config:?} {budget}: {report:#?}"
                );
                let values = |check: &&ringspawn::workload::Check| check.name == "computed values";
                let check = report.checks.iter().find(values).expect("the check");
                assert_eq!(check.counted, if laps > 0 { tokens } else { 0 });
            }
        }
    }
}

#[test]
fn sizes_of_trees_and_of_work_out_of_range_are_refused_in_words() {
    let work = |rounds| Config::Work {
        actors: 1,
        laps: 1,
        tokens: 1,
        rounds,
    };
    for (config, words) in [
        (
            Config::Skynet { leaves: 0 },
            "leaves is 0; it must be from 1 to 100000000",
        ),
        (
            work(1_000_000_001),
            "rounds is 1000000001; it must be from 0 to 1000000000",
        ),
    ] {
        let refusal = config.check().expect_err("out of range").to_string();
        assert_eq!(refusal, words);
    }
}
