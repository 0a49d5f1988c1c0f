//! Random programs, the same for the same seed, behave as the model says.

use super::model;

/// Numbers that look random (xorshift).
fn numbers(seed: u64) -> impl Iterator<Item = u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    })
}

/// Runs so many programs, from this seed on.
pub(crate) fn random_programs_from(seed: u64, count: u64) {
    for seed in seed..seed + count {
        if let Err(problem) = model::check(numbers(seed)) {
            panic!("seed {seed}: {problem}");
        }
    }
}

pub(crate) fn random_programs_behave_as_the_model() {
    random_programs_from(1, if cfg!(debug_assertions) { 300 } else { 500 });
}
