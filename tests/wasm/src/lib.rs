//! The runtime's conformance cases, one suite for both schedulers, native builds and wasm.
//!
//! Each case is a plain function that asserts. One list makes a native `#[test]` of
//! each, and in wasm an entry of `cases()`, for whoever has a browser or Node. The wasm
//! is built twice: for one thread and, with the feature `threads`, for many.

#![cfg(any(test, target_arch = "wasm32"))]

mod panics;

/// A case of either scheduler.
#[derive(Clone, Copy)]
struct Case {
    /// What it holds for.
    run: fn(),
    /// Whether all its actors must be on one strand.
    #[cfg_attr(
        not(feature = "threads"),
        expect(dead_code, reason = "there are no strands")
    )]
    in_one_strand: bool,
}

/// Makes tests of cases: natively a `#[test]` of each, in wasm a list of all. In both the
/// `run` of the module around runs them.
macro_rules! cases {
    ($($module:ident: $($case:ident $([$why:literal])?)*;)*) => {
        /// Every case with its name.
        #[cfg(target_arch = "wasm32")]
        pub(crate) const CASES: &[(&str, $crate::Case)] = &[
            $($((
                concat!(stringify!($module), "::", stringify!($case)),
                cases!(@ $module::$case $([$why])?),
            ),)*)*
        ];

        #[cfg(test)]
        mod native_tests {
            $(mod $module {
                use super::super::$module;

                $(#[test]
                fn $case() {
                    $crate::panics::note_panics();
                    super::super::run(cases!(@ $module::$case $([$why])?));
                })*
            })*
        }
    };
    (@ $module:ident::$case:ident) => {
        $crate::Case { run: $module::$case, in_one_strand: false }
    };
    (@ $module:ident::$case:ident [$why:literal]) => {
        $crate::Case { run: $module::$case, in_one_strand: true }
    };
}

#[cfg(feature = "threads")]
mod many_threads;
// In wasm each build has one.
#[cfg(not(all(feature = "threads", target_arch = "wasm32")))]
mod one_thread;

#[cfg(target_arch = "wasm32")]
mod boundary;
