//! What isn't `Send` is refused by every path to actors that may live anywhere, and
//! what may be done compiles.

#[test]
fn what_must_not_compile_does_not_and_what_may_does() {
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*.rs");
    cases.compile_fail("fail/*.rs");
}
