//! Gives the wasm build of the cases a memory that ends soon enough to try it out.

/// More than any case needs but the one that takes it all; whole pages of 64 KiB.
const MOST_MEMORY: u64 = 128 << 20;
const MOST_IN_A_SOAK: u64 = 512 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RINGSPAWN_SOAK");
    let is_wasm = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32");
    // A shared memory has a limit of its own.
    if is_wasm && std::env::var_os("CARGO_FEATURE_THREADS").is_none() {
        let soak = std::env::var("RINGSPAWN_SOAK").is_ok_and(|value| !value.is_empty());
        let most = if soak { MOST_IN_A_SOAK } else { MOST_MEMORY };
        println!("cargo::rustc-link-arg-cdylib=--max-memory={most}");
    }
}
