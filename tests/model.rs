//! Programs that proptest makes up, and makes small when one goes wrong, behave as the
//! model of the conformance cases says.
#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[path = "wasm/src/model/mod.rs"]
mod model;

fn cases() -> u32 {
    let soak = std::env::var_os("RINGSPAWN_SOAK").is_some();
    if soak { 30_000 } else { 300 }
}

/// The same programs each time, so that nobody's work is held up by chance; others in a soak.
fn seed() -> RngSeed {
    match std::env::var_os("RINGSPAWN_SOAK") {
        Some(_) => RngSeed::Random,
        None => RngSeed::Fixed(2007),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        rng_seed: seed(),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_program_behaves_as_the_model(
        choices in prop::collection::vec(any::<u32>(), 0..2000)
    ) {
        if let Err(problem) = model::check(choices.into_iter()) {
            return Err(TestCaseError::fail(problem));
        }
    }
}
