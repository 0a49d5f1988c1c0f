//! What JavaScript calls.
#![expect(unreachable_pub, reason = "JavaScript reaches what Rust can't")]

use std::panic::AssertUnwindSafe;

use wasm_bindgen::prelude::*;

#[cfg(feature = "threads")]
use crate::many_threads::{all, run};
#[cfg(not(feature = "threads"))]
use crate::one_thread::{PROMISES, all, run};
use crate::panics;

/// The names of the cases.
#[wasm_bindgen]
pub fn cases() -> Vec<String> {
    let plain = all().map(|(name, _)| name);
    #[cfg(not(feature = "threads"))]
    let plain = plain.chain(PROMISES.iter().map(|(name, _)| *name));
    plain.map(str::to_owned).collect()
}

/// Runs one case; throws if it fails.
///
/// # Errors
///
/// The panic's message and place.
#[wasm_bindgen]
pub async fn run_case(index: usize) -> Result<(), JsError> {
    panics::note_panics();
    let failure = match all().nth(index) {
        Some((_, case)) => panics::failure_of(|| run(case)),
        None => AssertUnwindSafe(failure_of_a_promise(index - all().count())).await,
    };
    failure.map_or(Ok(()), |failure| Err(JsError::new(&failure)))
}

#[cfg(not(feature = "threads"))]
async fn failure_of_a_promise(index: usize) -> Option<String> {
    match PROMISES.get(index) {
        Some((_, case)) => panics::failure_of_future(*case).await,
        None => Some(format!("there is no such case: {index}")),
    }
}

#[cfg(feature = "threads")]
async fn failure_of_a_promise(index: usize) -> Option<String> {
    Some(format!("there is no such case: {index}"))
}
