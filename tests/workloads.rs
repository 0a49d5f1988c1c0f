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
    for contender in Contender::ALL {
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
    for contender in Contender::ALL {
        for actors in [1, 2, 63, 64, 65, 1000] {
            for budget in [1, 300, u64::MAX] {
                let report = run(Config::Spawn { actors }, contender, budget);
                assert!(report.ok(), "{contender:?} {actors} {budget}: {report:#?}");
            }
        }
    }
}
