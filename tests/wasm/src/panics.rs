//! Message and place of panics, as this thread's hook noted them.

use std::cell::RefCell;
#[cfg(target_arch = "wasm32")]
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Message and place of this thread's last panic.
    static LAST_PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Installs a panic hook that notes message and place.
pub(crate) fn note_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let message = info.payload_as_str().unwrap_or("panic without a text");
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            LAST_PANIC.set(Some((message.to_owned(), place.clone())));
            if cfg!(not(target_arch = "wasm32")) {
                // Kept by the test harness, and shown when the test fails.
                println!("panic at {place}: {message}");
            }
        }));
    });
}

/// Where the last panic happened; for `set_panic_place`.
pub(crate) fn panic_place() -> Option<String> {
    LAST_PANIC.take().map(|(_, place)| place)
}

/// Message and place of the panic that ends this case, if one does.
#[cfg(target_arch = "wasm32")]
pub(crate) fn failure_of(case: impl FnOnce()) -> Option<String> {
    catch_unwind(AssertUnwindSafe(case))
        .err()
        .map(|_| last_panic())
}

/// As [`failure_of`], of a case that waits for the event loop.
#[cfg(all(target_arch = "wasm32", not(feature = "threads")))]
pub(crate) async fn failure_of_future(
    case: fn() -> std::pin::Pin<Box<dyn Future<Output = ()>>>,
) -> Option<String> {
    let mut case = case();
    std::future::poll_fn(move |context| {
        match catch_unwind(AssertUnwindSafe(|| case.as_mut().poll(context))) {
            Ok(poll) => poll.map(|()| None),
            Err(_) => std::task::Poll::Ready(Some(last_panic())),
        }
    })
    .await
}

#[cfg(target_arch = "wasm32")]
fn last_panic() -> String {
    let (message, place) = LAST_PANIC.take().unwrap_or_default();
    format!("{message} ({place})")
}
