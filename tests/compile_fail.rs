//! What isn't `Send` is refused by every path to actors that may live anywhere, and
//! what may be done compiles.
#![cfg(not(target_arch = "wasm32"))]

#[test]
fn compile_fail() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_pass/*.rs");
    cases.compile_fail("tests/compile_fail/*.rs");
}
