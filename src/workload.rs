//! The workloads: what is measured, each with checks of its own.
//!
//! A workload is made from a frozen configuration, run in slices, phase by phase,
//! and reported as plain data. It uses only the public API of the runtime and
//! knows no clock: whoever calls times the phases from outside.

#[cfg(not(all(feature = "threads", target_family = "wasm")))]
mod floor;
mod job;
mod ring;
mod runtime;
mod skynet;
mod spawn;

use std::fmt;

#[cfg(feature = "threads")]
use crate::ParallelSystem;
#[cfg(not(all(feature = "threads", target_family = "wasm")))]
use crate::System;
use crate::{Counters, Exit};
use ring::Ring;
use runtime::Runtime;
use skynet::Skynet;
use spawn::Spawn;

/// The most actors that a workload takes; memory may allow fewer.
pub const MAX_ACTORS: u64 = 100_000_000;
/// The most laps of a ring.
pub const MAX_LAPS: u64 = 1_000_000_000;
/// The most rounds that a message of the workload `work` computes: about a second of them.
pub const MAX_ROUNDS: u64 = 1_000_000_000;
/// The most hops of a run: counts stay exact in JSON up to here.
pub const MAX_HOPS: u64 = (1 << 53) - 1;

/// A way of running a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// Actors in the handler style.
    Handler,
    /// Actors in the async style.
    Async,
    /// Both styles by turns.
    Mixed,
    /// Actors in the handler style, on many threads.
    #[cfg(feature = "threads")]
    Threads,
    /// Actors in the async style, on many threads.
    #[cfg(feature = "threads")]
    ThreadsAsync,
    /// The least that could be called the same work: no actors, no messages.
    Floor,
}

impl Contender {
    /// All that this build has, in the order in which they are shown. In WebAssembly a
    /// build for many threads has none of one thread: those have a smaller build.
    pub const ALL: &[Self] = &[
        #[cfg(not(all(feature = "threads", target_family = "wasm")))]
        Self::Handler,
        #[cfg(not(all(feature = "threads", target_family = "wasm")))]
        Self::Async,
        #[cfg(not(all(feature = "threads", target_family = "wasm")))]
        Self::Mixed,
        #[cfg(feature = "threads")]
        Self::Threads,
        #[cfg(feature = "threads")]
        Self::ThreadsAsync,
        #[cfg(not(all(feature = "threads", target_family = "wasm")))]
        Self::Floor,
    ];

    /// The name by which addresses, options and results call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Handler => "actors/handler",
            Self::Async => "actors/async",
            Self::Mixed => "actors/mixed",
            #[cfg(feature = "threads")]
            Self::Threads => "actors/threads",
            #[cfg(feature = "threads")]
            Self::ThreadsAsync => "actors/threads-async",
            Self::Floor => "floor",
        }
    }

    /// The contender of this name.
    ///
    /// # Errors
    ///
    /// Names the contenders that there are.
    pub fn from_name(name: &str) -> Result<Self, ConfigError> {
        Self::ALL
            .iter()
            .copied()
            .find(|contender| contender.name() == name)
            .ok_or_else(|| {
                let names: Vec<_> = Self::ALL.iter().map(|contender| contender.name()).collect();
                let names = names.join(", ");
                ConfigError(format!("contender is {name}; it must be one of {names}"))
            })
    }
}

/// In which style actors are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Handler,
    Async,
    /// By turns.
    #[cfg_attr(
        all(feature = "threads", target_family = "wasm"),
        expect(dead_code, reason = "no contender on threads has both styles")
    )]
    Mixed,
}

impl Style {
    /// Whether the actor of this number is one in the handler style.
    #[inline]
    pub(crate) fn is_handler(self, number: u64) -> bool {
        match self {
            Self::Handler => true,
            Self::Async => false,
            Self::Mixed => number.is_multiple_of(2),
        }
    }
}

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Config {
    /// `tokens` messages go `laps` times round a ring of `actors`.
    Ring {
        /// Actors in the ring, from 1.
        actors: u64,
        /// Laps of each token, from 0.
        laps: u64,
        /// Tokens, from 1 to `actors`.
        tokens: u64,
    },
    /// Spawn `actors` that wait, then tell each to stop.
    Spawn {
        /// Actors alive at once, from 1.
        actors: u64,
    },
    /// Sum the ordinals of the leaves of a tree of actors, ten to a node.
    Skynet {
        /// Leaves, from 1.
        leaves: u64,
    },
    /// A ring whose every message computes.
    Work {
        /// Actors in the ring, from 1.
        actors: u64,
        /// Laps of each token, from 0.
        laps: u64,
        /// Tokens, from 1 to `actors`.
        tokens: u64,
        /// Rounds that each message computes.
        rounds: u64,
    },
}

impl Config {
    /// Checks the sizes against their ranges.
    ///
    /// # Errors
    ///
    /// Names the first value out of its range, and the range.
    pub fn check(self) -> Result<(), ConfigError> {
        match self {
            Self::Spawn { actors } => check_range("actors", actors, 1, MAX_ACTORS),
            Self::Skynet { leaves } => check_range("leaves", leaves, 1, MAX_ACTORS),
            Self::Work { rounds, .. } if rounds > MAX_ROUNDS => {
                check_range("rounds", rounds, 0, MAX_ROUNDS)
            }
            Self::Ring {
                actors,
                laps,
                tokens,
            }
            | Self::Work {
                actors,
                laps,
                tokens,
                ..
            } => {
                check_range("actors", actors, 1, MAX_ACTORS)?;
                check_range("laps", laps, 0, MAX_LAPS)?;
                check_range("tokens", tokens, 1, actors)?;
                let hops = (actors * tokens).checked_mul(laps);
                if hops.is_none_or(|hops| hops > MAX_HOPS) {
                    return Err(ConfigError(format!(
                        "actors × laps × tokens is {actors} × {laps} × {tokens}; it must be at most {MAX_HOPS}"
                    )));
                }
                Ok(())
            }
        }
    }

    /// Checks the sizes and makes the workload, with nothing spawned yet.
    ///
    /// # Errors
    ///
    /// A size out of its range.
    pub fn build(self, contender: Contender) -> Result<Box<dyn Workload>, ConfigError> {
        self.check()?;
        Ok(match contender {
            #[cfg(not(all(feature = "threads", target_family = "wasm")))]
            Contender::Handler => self.on::<System>(Style::Handler),
            #[cfg(not(all(feature = "threads", target_family = "wasm")))]
            Contender::Async => self.on::<System>(Style::Async),
            #[cfg(not(all(feature = "threads", target_family = "wasm")))]
            Contender::Mixed => self.on::<System>(Style::Mixed),
            #[cfg(feature = "threads")]
            Contender::Threads => self.on::<ParallelSystem>(Style::Handler),
            #[cfg(feature = "threads")]
            Contender::ThreadsAsync => self.on::<ParallelSystem>(Style::Async),
            #[cfg(not(all(feature = "threads", target_family = "wasm")))]
            Contender::Floor => self.without_actors(),
            #[cfg(all(feature = "threads", target_family = "wasm"))]
            _ => {
                let name = contender.name();
                return Err(ConfigError(format!("{name} is not in this build")));
            }
        })
    }

    fn on<R: Runtime>(self, style: Style) -> Box<dyn Workload> {
        match self {
            Self::Ring {
                actors,
                laps,
                tokens,
            } => Box::new(Ring::<R>::new(actors, laps, tokens, None, style)),
            Self::Work {
                actors,
                laps,
                tokens,
                rounds,
            } => Box::new(Ring::<R>::new(actors, laps, tokens, Some(rounds), style)),
            Self::Spawn { actors } => Box::new(Spawn::<R>::new(actors, style)),
            Self::Skynet { leaves } => Box::new(Skynet::<R>::new(leaves, style)),
        }
    }

    #[cfg(not(all(feature = "threads", target_family = "wasm")))]
    fn without_actors(self) -> Box<dyn Workload> {
        match self {
            Self::Ring {
                actors,
                laps,
                tokens,
            } => Box::new(floor::FloorRing::new(actors, laps, tokens, None)),
            Self::Work {
                actors,
                laps,
                tokens,
                rounds,
            } => Box::new(floor::FloorRing::new(actors, laps, tokens, Some(rounds))),
            Self::Spawn { actors } => Box::new(floor::FloorSpawn::new(actors)),
            Self::Skynet { leaves } => Box::new(floor::FloorSkynet::new(leaves)),
        }
    }
}

/// Computes so many rounds of what messages of the workload `work` compute, by the same
/// code, for who wants to know how long they take.
pub fn work_rounds(value: u64, rounds: u64) -> u64 {
    job::compute(value, rounds)
}

fn check_range(name: &str, value: u64, least: u64, most: u64) -> Result<(), ConfigError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(ConfigError(format!(
        "{name} is {value}; it must be from {least} to {most}"
    )))
}

/// A configuration that can't be run, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

/// A run that could not go on, in words: memory that ran out, say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError(pub(crate) String);

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RunError {}

/// A part of a run that is timed by itself; `Check` is not timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Spawning, until the last start handler has returned.
    Spawn,
    /// Sending the tokens round, until the last hop is handled.
    Hop,
    /// Telling each actor to stop, until the last one has.
    Stop,
    /// Spawning and stopping, where they can't be told apart.
    SpawnStop,
    /// Growing a tree and summing its leaves, until all is quiet.
    Leaf,
    /// Collecting what the checks need.
    Check,
}

impl Phase {
    /// The name by which results call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spawn => "spawn",
            Self::Hop => "hop",
            Self::Stop => "stop",
            Self::SpawnStop => "spawnStop",
            Self::Leaf => "leaf",
            Self::Check => "check",
        }
    }
}

/// One count that a run must get right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What is counted.
    pub name: &'static str,
    /// The count that the configuration asks for.
    pub expected: u64,
    /// The count that came out.
    pub counted: u64,
}

impl Check {
    pub(crate) fn new(name: &'static str, expected: u64, counted: u64) -> Self {
        Self {
            name,
            expected,
            counted,
        }
    }

    /// Whether the counts are the same.
    pub fn ok(&self) -> bool {
        self.expected == self.counted
    }
}

/// What a run found out, as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The run's checks; all must be right for its times to mean anything.
    pub checks: Vec<Check>,
    /// By how many units a phase's time is to be divided.
    pub units: Vec<(Phase, u64)>,
    /// Bytes reserved per live actor, with all of them alive, or per leaf of a tree; none
    /// for `floor`.
    pub bytes_per_actor: Option<f64>,
    /// The system's own counters; none for `floor`.
    pub counters: Option<Counters>,
    /// Actors that panicked, the first 64 of them.
    pub failures: Vec<Exit>,
}

impl Report {
    /// Whether every check is right.
    pub fn ok(&self) -> bool {
        self.checks.iter().all(Check::ok)
    }
}

/// One run of one workload by one contender.
pub trait Workload {
    /// The phase that the next slice works on; none when the run is over.
    fn phase(&self) -> Option<Phase>;

    /// Works on the phase for about `budget` units, and says whether it has more to do.
    ///
    /// # Errors
    ///
    /// When the run can't go on. It must not be called again then.
    fn slice(&mut self, budget: u64) -> Result<bool, RunError>;

    /// Units of the phase done so far, and in all.
    fn progress(&self) -> (u64, u64);

    /// Tells the run's system how to learn a panic's place, as
    /// [`System::set_panic_place`].
    fn set_panic_place(&mut self, panic_place: fn() -> Option<String>) {
        let _ = panic_place;
    }

    /// The system with many threads that the run uses, if it does.
    #[cfg(feature = "threads")]
    fn parallel(&self) -> Option<&ParallelSystem> {
        None
    }

    /// What came out. Worth reading when the run is over.
    fn report(&self) -> Report;
}

/// Bytes that each actor of a run needs (for a tree, each leaf), by trying it with a few
/// thousand.
pub fn bytes_per_actor(config: Config, contender: Contender) -> f64 {
    /// Enough to make the slack of the last chunks small.
    const ACTORS: u64 = 8192;
    match (config, contender) {
        (Config::Skynet { .. }, _) => reported_bytes(Config::Skynet { leaves: ACTORS }, contender),
        #[cfg(not(all(feature = "threads", target_family = "wasm")))]
        (_, Contender::Floor) => floor::bytes_per_actor(config),
        (Config::Spawn { .. }, _) => {
            reported_bytes(Config::Spawn { actors: ACTORS }, contender) + spawn::BYTES_PER_ADDRESS
        }
        _ => {
            let ring = Config::Ring {
                actors: ACTORS,
                laps: 0,
                tokens: 1,
            };
            reported_bytes(ring, contender)
        }
    }
}

fn reported_bytes(config: Config, contender: Contender) -> f64 {
    let report = config.build(contender).ok().and_then(|mut workload| {
        while workload.phase().is_some() {
            workload.slice(u64::MAX).ok()?;
        }
        workload.report().bytes_per_actor
    });
    report.unwrap_or(0.0)
}
