//! Gives the wasm build of the cases a memory that ends soon enough to try it out.

/// Far more than any case needs but the one that takes it all; whole pages of 64 KiB.
const MOST_MEMORY: u64 = 512 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo::rustc-link-arg-cdylib=--max-memory={MOST_MEMORY}");
    }
}
