//! JavaScript's promises and exceptions, in wasm only.

use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use js_sys::{JSON, Promise};
use ringspawn::{Host, Left, Local, Mailbox, System};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::cases::harness::{failures, recorder, run, slice};
use crate::panics::panic_place;

type Case = fn() -> Pin<Box<dyn Future<Output = ()>>>;

/// The cases that wait for the event loop.
pub(crate) const CASES: &[(&str, Case)] = &[
    ("promises::an_actor_awaits_a_promise", || {
        Box::pin(an_actor_awaits_a_promise())
    }),
    ("promises::a_host_runs_actors_that_await_promises", || {
        Box::pin(a_host_runs_actors_that_await_promises())
    }),
    ("promises::a_rejection_is_a_value", || {
        Box::pin(a_rejection_is_a_value())
    }),
    ("promises::an_exception_ends_its_actor_alone", || {
        Box::pin(an_exception_ends_its_actor_alone())
    }),
    ("promises::memory_that_ends_is_an_error", || {
        Box::pin(memory_that_ends_is_an_error())
    }),
];

/// What a promise comes to.
async fn resolved(promise: Promise) -> Result<JsValue, JsValue> {
    JsFuture::from(promise).await
}

/// Lets the event loop go on once.
async fn tick() {
    resolved(Promise::resolve(&JsValue::NULL)).await.unwrap();
}

async fn an_actor_awaits_a_promise() {
    let mut system = System::new();
    let notices = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&notices);
    system.set_notify(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let values: Rc<RefCell<Vec<f64>>> = Rc::default();
    let noted = Rc::clone(&values);
    let actor = system.spawn_async(move |mut mailbox: Mailbox<f64, Local>| async move {
        for _ in 0..3 {
            let message = mailbox.receive().await;
            let value = resolved(Promise::resolve(&JsValue::from(message)))
                .await
                .unwrap();
            noted.borrow_mut().push(value.as_f64().unwrap());
        }
    });
    for number in 0..3 {
        system.send(actor, f64::from(number)).unwrap();
    }
    for _ in 0..20 {
        assert_eq!(slice(&mut system, 100), Left::Idle);
        let before = notices.load(Ordering::Relaxed);
        tick().await;
        assert!(notices.load(Ordering::Relaxed) <= before + 1);
    }
    assert_eq!(*values.borrow(), [0.0, 1.0, 2.0]);
    assert_eq!(notices.load(Ordering::Relaxed), 3);
    assert_eq!(system.counters().stopped, 1);
}

async fn a_host_runs_actors_that_await_promises() {
    let host = Host::new(System::new());
    let resolve = AssertUnwindSafe(RefCell::new(None));
    let done = Promise::new(&mut |function, _| drop(resolve.replace(Some(function))));
    let resolve = resolve.take().unwrap();
    let (to, seen) = host.with(recorder::<u64>);
    host.with(|system| {
        system.spawn_async(move |mailbox: Mailbox<(), Local>| async move {
            for number in 0..10 {
                resolved(Promise::resolve(&JsValue::NULL)).await.unwrap();
                mailbox.send(to, number).unwrap();
            }
            resolve.call1(&JsValue::NULL, &"done".into()).unwrap();
        })
    });
    assert_eq!(resolved(done).await.unwrap(), "done");
    host.with(run);
    assert!(seen.take().into_iter().eq(0..10));
}

async fn a_rejection_is_a_value() {
    let mut system = System::new();
    let log = Rc::new(RefCell::new(None));
    let noted = Rc::clone(&log);
    system.spawn_async(move |_: Mailbox<(), Local>| async move {
        *noted.borrow_mut() = Some(resolved(Promise::reject(&"no".into())).await);
    });
    for _ in 0..3 {
        run(&mut system);
        tick().await;
    }
    assert_eq!(log.take(), Some(Err("no".into())));
}

async fn an_exception_ends_its_actor_alone() {
    let mut system = System::new();
    system.set_panic_place(panic_place);
    let (to, seen) = recorder::<&'static str>(&mut system);
    let failing = system.spawn_async(move |mut mailbox: Mailbox<&'static str>| async move {
        let text = mailbox.receive().await;
        // An import declared `catch`, as all must be that a turn may call.
        let error = JSON::parse(text).unwrap_err();
        mailbox.send(to, "caught").unwrap();
        let error: js_sys::Error = error.dyn_into().unwrap();
        panic!("{}", error.name());
    });
    system.send(failing, "{").unwrap();
    system.send(failing, "queued").unwrap();
    run(&mut system);
    system.send(to, "well").unwrap();
    run(&mut system);
    assert_eq!(seen.take(), ["caught", "well"]);
    let exits = system.take_failures();
    assert_eq!(exits[0].actor, failing.id());
    let text = exits[0].to_string();
    let expected = format!("failed: SyntaxError ({}:", file!());
    assert!(text.contains(&expected), "{text}");
    assert_eq!(system.counters().dropped, 1);
}

/// The module's memory has a maximum, see build.rs, so that this ends soon.
async fn memory_that_ends_is_an_error() {
    let mut system = System::new();
    let large = |mailbox: Mailbox<u64>| async move {
        let ballast = [mailbox.address(); 300];
        std::future::pending::<()>().await;
        assert_eq!(ballast[0], mailbox.address());
    };
    let mut spawned = 0_u64;
    let error = loop {
        match system.try_spawn_async(large) {
            Ok(_) => spawned += 1,
            Err(error) => break error,
        }
    };
    assert!(spawned > 1000, "{spawned} actors");
    assert_eq!(
        error.to_string(),
        format!("out of memory after {spawned} actors")
    );
    assert_eq!(system.counters().spawned, spawned);
    let limit = std::arch::wasm32::memory_size(0) as u64 * 65536;
    assert!(spawned * 3600 < limit);
    drop(system);
    // The next one has the memory again.
    let mut system = System::new();
    for _ in 0..spawned / 2 {
        system.try_spawn_async(large).unwrap();
    }
    run(&mut system);
    assert_eq!(system.counters().started, spawned / 2);
    assert!(failures(&mut system).is_empty());
}
