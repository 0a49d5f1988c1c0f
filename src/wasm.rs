//! The boundary to JavaScript: converts and forwards, decides nothing.
#![expect(unreachable_pub, reason = "JavaScript reaches what Rust can't")]

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{self, Poll, Waker};
use std::time::Duration;

use js_sys::{Array, Number, Object, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use crate::scheduler::Left;
use crate::system::System;
use crate::workload::{self, Config, Contender, Report, Workload};

thread_local! {
    /// Where the last panic of a turn happened, until the turn's end is recorded.
    static PANIC_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Whether a slice is running, whose panics belong to actors and are not printed.
    static IN_SLICE: Cell<bool> = const { Cell::new(false) };
}

/// Notes where a panic happened; prints only those outside a slice.
fn panic_hook(info: &PanicHookInfo<'_>) {
    if !IN_SLICE.get() {
        return console_error_panic_hook::hook(info);
    }
    let place = info.location().map(ToString::to_string);
    PANIC_PLACE.with(|last| *last.borrow_mut() = place);
}

/// What the last panic's place was; handed to the system.
pub(crate) fn panic_place() -> Option<String> {
    PANIC_PLACE.with(|last| last.borrow_mut().take())
}

/// Words for a panic of the runtime or the workload itself.
fn outside_turn(payload: Box<dyn std::any::Any + Send>) -> String {
    let message = crate::exit::panic_message(payload);
    let place = panic_place().unwrap_or_default();
    format!("the run broke off: {message} ({place})")
}

#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(panic_hook));
}

/// Messages per slice of a [`Host`]: well under a millisecond of small handlers, so
/// the page stays responsive between slices.
const HOST_SLICE: u64 = 10_000;

/// A system that runs on the event loop of its page or worker.
///
/// It runs whenever there is something to do, a slice at a time, and lets the event
/// loop go on between slices. So its async actors can await promises, by way of
/// [`JsFuture`](wasm_bindgen_futures::JsFuture).
///
/// # Examples
///
/// ```ignore
/// let host = Host::new(System::new());
/// host.with(|system| {
///     system.spawn_async(|_: Mailbox<(), Local>| async move {
///         let response = JsFuture::from(fetch("data.json")).await;
///     })
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Host {
    system: Rc<RefCell<System>>,
    signal: Arc<Signal>,
}

impl Host {
    /// Starts running a system. It goes on as long as there are actors or hosts of it.
    pub fn new(mut system: System) -> Self {
        let signal = Arc::new(Signal::default());
        let notify = Arc::clone(&signal);
        system.set_notify(move || notify.set());
        system.set_panic_place(panic_place);
        let host = Self {
            system: Rc::new(RefCell::new(system)),
            signal,
        };
        wasm_bindgen_futures::spawn_local(run_slices(
            Rc::downgrade(&host.system),
            Arc::clone(&host.signal),
        ));
        host.signal.set();
        host
    }

    /// Gives access to the system, to spawn and send, and has it run soon.
    ///
    /// # Panics
    ///
    /// From inside one of the system's own actors.
    pub fn with<R>(&self, work: impl FnOnce(&mut System) -> R) -> R {
        let answer = work(&mut self.system.borrow_mut());
        self.signal.set();
        answer
    }
}

async fn run_slices(system: Weak<RefCell<System>>, signal: Arc<Signal>) {
    let Ok(channel) = web_sys::MessageChannel::new() else {
        wasm_bindgen::throw_str("this place has no MessageChannel, so a system can't run here");
    };
    loop {
        Wait(&signal).await;
        // The last host is gone and took the system with it.
        let Some(system) = system.upgrade() else {
            return;
        };
        IN_SLICE.set(true);
        let left = system.borrow_mut().run(now(), HOST_SLICE);
        IN_SLICE.set(false);
        drop(system);
        if left == Left::More {
            signal.set();
            next_task(&channel).await;
        }
    }
}

/// Time since the page or worker began, or nothing where there is no such clock.
fn now() -> Duration {
    let performance = Reflect::get(&js_sys::global(), &"performance".into());
    let performance = performance
        .ok()
        .and_then(|it| it.dyn_into::<web_sys::Performance>().ok());
    performance.map_or(Duration::ZERO, |it| {
        Duration::from_secs_f64(it.now() / 1000.0)
    })
}

/// Lets the event loop go on: a message comes behind what waits already, and unlike a
/// timer it is not held back in a hidden page.
async fn next_task(channel: &web_sys::MessageChannel) {
    let message = Promise::new(&mut |resolve, _| {
        channel.port1().set_onmessage(Some(&resolve));
        // The ports belong to each other and are never closed.
        let _ = channel.port2().post_message(&JsValue::NULL);
    });
    let _ = wasm_bindgen_futures::JsFuture::from(message).await;
}

/// Whether there is something to run, and who waits to be told.
#[derive(Debug, Default)]
struct Signal {
    state: Mutex<(bool, Option<Waker>)>,
}

impl Signal {
    fn set(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = true;
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    }
}

/// Waits until the signal is set, and takes it back.
struct Wait<'a>(&'a Signal);

impl Future for Wait<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<()> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut state.0) {
            return Poll::Ready(());
        }
        state.1 = Some(context.waker().clone());
        Poll::Pending
    }
}

/// The pool of workers that share this memory; `initThreadPool` begins it.
#[cfg(feature = "threads")]
mod pool {
    use wasm_bindgen::prelude::*;

    use super::IN_SLICE;

    /// Makes the calling worker one of the pool, for good: it never gets back to its event
    /// loop. `receiver` is what `initThreadPool` asked its workers to be started with.
    #[wasm_bindgen(js_name = workInPool)]
    pub fn work_in_pool(receiver: usize) {
        // What panics in the pool are actors.
        IN_SLICE.set(true);
        wasm_bindgen_rayon::wbg_rayon_start_worker(receiver as *const _);
    }

    /// Threads of the pool, each of which has answered.
    #[wasm_bindgen(js_name = poolThreads)]
    pub fn pool_threads() -> usize {
        rayon::broadcast(|_| ()).len()
    }

    /// Ends every worker of the pool with a `RuntimeError` once it has nothing more to do.
    /// A trap, since nothing else gets a thread out of rayon's loop. No run may follow.
    #[wasm_bindgen(js_name = endPool)]
    pub fn end_pool() {
        rayon::spawn_broadcast(|_| std::arch::wasm32::unreachable());
    }
}

/// One execution of one workload by one contender.
#[wasm_bindgen]
pub struct Run {
    /// A run that broke off is not asked for more than its words.
    workload: AssertUnwindSafe<Box<dyn Workload>>,
}

#[wasm_bindgen]
impl Run {
    /// Checks the sizes and prepares the run; nothing is spawned yet.
    ///
    /// # Errors
    ///
    /// An `Error` that names the value and its range.
    #[wasm_bindgen(constructor)]
    pub fn new(
        contender: &str,
        #[wasm_bindgen(unchecked_param_type = "RunSizes")] sizes: &JsValue,
    ) -> Result<Run, JsError> {
        let contender = Contender::from_name(contender)?;
        let mut workload = config(sizes)?.build(contender)?;
        workload.set_panic_place(panic_place);
        Ok(Self {
            workload: AssertUnwindSafe(workload),
        })
    }

    /// Where in memory others watch and stop a run on a pool, as long as there is the run;
    /// undefined for one on one thread.
    #[cfg(feature = "threads")]
    #[wasm_bindgen(getter, unchecked_return_type = "RunControl | undefined")]
    pub fn control(&self) -> JsValue {
        let Some(system) = self.workload.parallel() else {
            return JsValue::UNDEFINED;
        };
        // The system keeps what is pointed to.
        let (counts, stop) = system.control().words();
        object([
            ("counts", (counts.addr() as f64).into()),
            ("stop", (stop.addr() as f64).into()),
        ])
    }

    /// The phase that the next slice works on; undefined when the run is over.
    #[wasm_bindgen(getter)]
    pub fn phase(&self) -> Option<String> {
        self.workload.phase().map(|phase| phase.name().to_owned())
    }

    /// Works on the phase for about `budget` units, and says whether it has more to do.
    ///
    /// # Errors
    ///
    /// An `Error` in words when the run can't go on.
    pub fn slice(&mut self, budget: f64) -> Result<bool, JsError> {
        IN_SLICE.set(true);
        let more = catch_unwind(AssertUnwindSafe(|| self.workload.slice(budget as u64)));
        IN_SLICE.set(false);
        match more {
            Ok(more) => Ok(more?),
            Err(payload) => Err(JsError::new(&outside_turn(payload))),
        }
    }

    /// Units of the phase done so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.workload.progress().0 as f64
    }

    /// Units of the phase in all.
    #[wasm_bindgen(getter)]
    pub fn total(&self) -> f64 {
        self.workload.progress().1 as f64
    }

    /// What came out, as a plain object.
    #[wasm_bindgen(unchecked_return_type = "RunReport")]
    pub fn report(&self) -> JsValue {
        let report = report_object(&self.workload.report());
        #[cfg(feature = "threads")]
        let pool = self.workload.parallel().map_or(JsValue::NULL, pool_object);
        #[cfg(not(feature = "threads"))]
        let pool = JsValue::NULL;
        // Setting a property of a new plain object can't fail.
        let _ = Reflect::set(&report, &"pool".into(), &pool);
        report
    }
}

/// Bytes of linear memory now.
#[wasm_bindgen(js_name = memoryBytes)]
pub fn memory_bytes() -> f64 {
    std::arch::wasm32::memory_size(0) as f64 * 65536.0
}

/// Bytes that one actor of such a run needs, of a tree each leaf.
///
/// # Errors
///
/// An `Error` that names an unknown workload or contender.
#[wasm_bindgen(js_name = bytesPerActorEstimate)]
pub fn bytes_per_actor_estimate(workload: &str, contender: &str) -> Result<f64, JsError> {
    let contender = Contender::from_name(contender)?;
    let one = |_: &str| Ok(1);
    Ok(workload::bytes_per_actor(
        config_of(workload, one)?,
        contender,
    ))
}

/// Computes so many rounds of what messages of the workload `work` compute, to be timed.
///
/// # Errors
///
/// An `Error` that names a number of rounds out of range.
#[wasm_bindgen(js_name = workRounds)]
pub fn work_rounds(rounds: f64) -> Result<u64, JsError> {
    Ok(workload::work_rounds(1, whole("rounds", rounds)?))
}

/// The sizes of a plain object.
fn config(sizes: &JsValue) -> Result<Config, JsError> {
    let property = |name: &str| Reflect::get(sizes, &name.into()).unwrap_or(JsValue::UNDEFINED);
    let workload = property("name").as_string().unwrap_or_default();
    config_of(&workload, |name| {
        whole(name, property(name).as_f64().unwrap_or(f64::NAN))
    })
}

fn config_of(
    workload: &str,
    size: impl Fn(&str) -> Result<u64, JsError>,
) -> Result<Config, JsError> {
    match workload {
        "ring" => Ok(Config::Ring {
            actors: size("actors")?,
            laps: size("laps")?,
            tokens: size("tokens")?,
        }),
        "spawn" => Ok(Config::Spawn {
            actors: size("actors")?,
        }),
        "skynet" => Ok(Config::Skynet {
            leaves: size("leaves")?,
        }),
        "work" => Ok(Config::Work {
            actors: size("actors")?,
            laps: size("laps")?,
            tokens: size("tokens")?,
            rounds: size("rounds")?,
        }),
        _ => Err(JsError::new(&format!(
            "workload is {workload}; it must be ring, spawn, skynet or work"
        ))),
    }
}

fn whole(name: &str, value: f64) -> Result<u64, JsError> {
    const MOST: u64 = workload::MAX_HOPS;
    if value.fract() == 0.0 && (0.0..=MOST as f64).contains(&value) {
        return Ok(value as u64);
    }
    // JavaScript writes the number: Rust's way of doing it is an eighth of the package.
    let value = Number::from(value)
        .to_string_with_radix(10)
        .map_or_else(|_| String::new(), String::from);
    Err(JsError::new(&format!(
        "{name} is {value}; it must be a whole number from 0 to {MOST}"
    )))
}

#[wasm_bindgen(typescript_custom_section)]
const RUN_REPORT: &str = r#"
export type RunSizes =
  | { name: 'ring'; actors: number; laps: number; tokens: number }
  | { name: 'spawn'; actors: number }
  | { name: 'skynet'; leaves: number }
  | { name: 'work'; actors: number; laps: number; tokens: number; rounds: number };

/** In bytes from the beginning of the memory. */
export interface RunControl {
  /** Of 64 counts of received messages, of 64 bits each, 64 bytes apart. */
  counts: number;
  /** Of the word that stops the run when it isn't 0. */
  stop: number;
}

export interface RunReport {
  ok: boolean;
  checks: { name: string; expected: number; counted: number; ok: boolean }[];
  /** By how many units a phase's time is to be divided. */
  units: Record<string, number>;
  /** Bytes reserved per live actor; null for floor. */
  memory: number | null;
  counters: {
    spawned: number; started: number; stopped: number; failed: number; alive: number;
    sent: number; received: number; dropped: number; undeliverable: number; highWater: number;
  } | null;
  /** Actors that panicked: who, with which message, and where. */
  failures: { actor: string; message: string; place: string | null }[];
  /** Of a run on many threads, else null. */
  pool: {
    hopsPerWorker: number[]; crossStrand: number; steals: number; parks: number; used: number;
  } | null;
}
"#;

fn report_object(report: &Report) -> JsValue {
    let checks = report.checks.iter().map(|check| {
        object([
            ("name", check.name.into()),
            ("expected", (check.expected as f64).into()),
            ("counted", (check.counted as f64).into()),
            ("ok", check.ok().into()),
        ])
    });
    let units = report
        .units
        .iter()
        .map(|(phase, units)| (phase.name(), (*units as f64).into()));
    let counters = report.counters.map_or(JsValue::NULL, |counters| {
        object(
            [
                ("spawned", counters.spawned),
                ("started", counters.started),
                ("stopped", counters.stopped),
                ("failed", counters.failed),
                ("alive", counters.alive()),
                ("sent", counters.sent),
                ("received", counters.received),
                ("dropped", counters.dropped),
                ("undeliverable", counters.undeliverable),
                ("highWater", counters.queue_high_water),
            ]
            .map(|(name, count)| (name, (count as f64).into())),
        )
    });
    let failures = report.failures.iter().map(|exit| {
        let (message, place) = match &exit.reason {
            crate::ExitReason::Failed { message, place } => (message.as_str(), place.as_deref()),
            crate::ExitReason::Normal => ("normal", None),
        };
        object([
            ("actor", exit.actor.to_string().into()),
            ("message", message.into()),
            ("place", place.map_or(JsValue::NULL, Into::into)),
        ])
    });
    object([
        ("ok", report.ok().into()),
        ("checks", checks.collect::<Array>().into()),
        ("units", object(units)),
        (
            "memory",
            report.bytes_per_actor.map_or(JsValue::NULL, Into::into),
        ),
        ("counters", counters),
        ("failures", failures.collect::<Array>().into()),
    ])
}

#[cfg(feature = "threads")]
fn pool_object(system: &crate::ParallelSystem) -> JsValue {
    let pool = system.pool_counters();
    let count = |count: u64| JsValue::from(count as f64);
    let per_worker = pool.received_per_worker.iter();
    object([
        (
            "hopsPerWorker",
            per_worker.map(|it| count(*it)).collect::<Array>().into(),
        ),
        ("crossStrand", count(pool.cross_strand)),
        ("steals", count(pool.steals)),
        ("parks", count(pool.parks)),
        ("used", count(pool.workers_used as u64)),
    ])
}

fn object(entries: impl IntoIterator<Item = (&'static str, JsValue)>) -> JsValue {
    let object = Object::new();
    for (name, value) in entries {
        // Setting a property of a new plain object can't fail.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object.into()
}
