//! What a message of the workload `work` computes: rounds of one recurrence.
//!
//! x becomes a · x + c modulo 2^64, so each round waits for the one before, and what many
//! rounds come to can be told without doing them.

use std::hint::black_box;

/// Knuth's MMIX generator.
const FACTOR: u64 = 6_364_136_223_846_793_005;
const SUMMAND: u64 = 1_442_695_040_888_963_407;

/// So many rounds from this value on. Not inlined, so that all do it by the same code.
#[inline(never)]
pub(crate) fn compute(mut value: u64, rounds: u64) -> u64 {
    // Unknown to the compiler, which would else make one round of several.
    let factor = black_box(FACTOR);
    for _ in 0..rounds {
        value = value.wrapping_mul(factor).wrapping_add(SUMMAND);
    }
    value
}

/// What so many rounds come to, in as many steps as their number has bits.
pub(crate) fn after(rounds: u64, value: u64) -> u64 {
    let (mut factor, mut summand) = (FACTOR, SUMMAND);
    let (mut all_factor, mut all_summand) = (1_u64, 0_u64);
    let mut left = rounds;
    while left > 0 {
        if left % 2 == 1 {
            all_factor = all_factor.wrapping_mul(factor);
            all_summand = all_summand.wrapping_mul(factor).wrapping_add(summand);
        }
        summand = summand.wrapping_mul(factor).wrapping_add(summand);
        factor = factor.wrapping_mul(factor);
        left /= 2;
    }
    value.wrapping_mul(all_factor).wrapping_add(all_summand)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounds_come_to_is_what_doing_them_gives() {
        for rounds in (0..100).chain([1000, 12_345]) {
            for value in [0, 1, 7, u64::MAX] {
                assert_eq!(
                    after(rounds, value),
                    compute(value, rounds),
                    "{rounds} {value}"
                );
            }
        }
    }
}
