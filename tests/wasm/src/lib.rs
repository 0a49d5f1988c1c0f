//! The runtime's conformance cases as functions that a browser or Node can call.
#![cfg(all(target_arch = "wasm32", target_os = "unknown"))]

use wasm_bindgen::prelude::*;

/// The names of the cases.
#[wasm_bindgen]
pub fn cases() -> Vec<String> {
    vec!["an_empty_system_is_idle".to_owned()]
}

/// Runs one case; throws if it fails.
///
/// # Errors
///
/// What went wrong.
#[wasm_bindgen]
pub async fn run_case(index: usize) -> Result<(), JsError> {
    let mut system = ringspawn::System::new();
    match index {
        0 if system.run(std::time::Duration::ZERO, 1) == ringspawn::Left::Idle => Ok(()),
        _ => Err(JsError::new("no such case, or not idle")),
    }
}
