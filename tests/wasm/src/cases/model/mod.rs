//! Random programs, checked against a simple model as they run.
//!
//! A program is a list of choices: whoever makes them up (a seed here, a property
//! test natively) decides everything. Its actors are of six types, with three types of
//! message, in both styles. Each message carries a script that its receiver acts out:
//! it sends, spawns, stops, panics, yields or waits at a gate. The model (`World`) is
//! told of each act and says what must come of it:
//!
//! - every mailbox is a plain queue, so who receives what, and in which order, is known;
//! - an actor starts once, before its messages, and lives until it stops or panics;
//! - a send succeeds if and only if its receiver lives;
//! - nobody who is ready waits for more than two turns of anybody else;
//! - nobody is left with work when the system says that it is idle;
//! - every actor and message is dropped exactly once;
//! - all counters are what the model counted.

pub(crate) mod actors;
pub(crate) mod world;

use std::task::Waker;
use std::time::Duration;

use ringspawn::{ActorId, ExitReason, Left};

use super::super::{System, has_one_order};

use actors::{Anyone, send, spawn};
use world::{State, World};

/// Messages that a program may send in all.
const MOST_SENDS: u32 = 2000;
const MOST_ACTORS: usize = 100;
const TURN_BUDGETS: [u32; 5] = [32, 1, 2, 7, 64];

/// Makes up a program, choice by choice; zeros, the plainest choice, when it ends.
pub(crate) struct Choices<I>(pub(crate) I);

impl<I: Iterator<Item = u32>> Choices<I> {
    /// Below `count`.
    pub(super) fn below(&mut self, count: u32) -> u32 {
        self.0.next().unwrap_or(0) % count
    }
}

/// What a message tells its receiver to do.
#[derive(Clone)]
pub(crate) enum Act {
    Send {
        to: u32,
        script: Vec<Act>,
    },
    /// Sends so many messages to itself, one after the other is received.
    Loop(u32),
    Spawn(u32),
    /// Spawns and sends at once.
    SpawnAndSend(u32, Vec<Act>),
    Stop,
    Panic,
    /// Async actors: be polled again.
    Yield,
    /// Async actors: wait for the host.
    Wait,
    /// The drop of the actor shall panic.
    ArmActor,
}

impl Act {
    pub(super) fn script<I: Iterator<Item = u32>>(
        choices: &mut Choices<I>,
        depth: u32,
    ) -> Vec<Self> {
        let count = choices.below(5);
        (0..count).map(|_| Self::any(choices, depth)).collect()
    }

    fn any<I: Iterator<Item = u32>>(choices: &mut Choices<I>, depth: u32) -> Self {
        let inner = |choices: &mut Choices<I>| match depth {
            0 => Vec::new(),
            _ => Self::script(choices, depth - 1),
        };
        match choices.below(30) {
            0..10 => Self::Send {
                to: choices.below(u32::MAX),
                script: inner(choices),
            },
            10..13 => Self::Loop(choices.below(200)),
            13..16 => Self::Spawn(choices.below(6)),
            16..21 => Self::SpawnAndSend(choices.below(6), inner(choices)),
            21..24 => Self::Stop,
            24 => Self::Panic,
            25..27 => Self::Yield,
            27..29 => Self::Wait,
            _ => Self::ArmActor,
        }
    }
}

/// Runs a program; the first thing that is wrong, if any is.
pub(crate) fn check(choices: impl Iterator<Item = u32>) -> Result<(), String> {
    let mut choices = Choices(choices);
    let mut system = System::new();
    let world = World::default();
    {
        let mut state = world.state();
        state.sends_left = MOST_SENDS;
        state.largest_turn_budget = 32;
        state.is_loose = !has_one_order();
    }
    let operations = 1 + choices.below(150);
    for _ in 0..operations {
        operate(&mut system, &world, &mut choices)?;
    }
    // Everything comes to rest, and then to its end, however often it waits before.
    for round in 0..MOST_SENDS {
        open_gate(&world);
        while slice(&mut system, &world, 1 + u64::from(choices.below(300)))? == Left::More {}
        let alive = system.counters().alive();
        if alive == 0 || choices.below(30) == 1 {
            break;
        }
        if round + 1 == MOST_SENDS {
            return Err(format!("{alive} actors did not stop"));
        }
        if round == 0 {
            continue;
        }
        let count = world.state().actors.len();
        world.state().sends_left = MOST_SENDS;
        for actor in 0..count {
            if world.state().actors[actor].alive {
                send(&mut system, &world, World::HOST, actor, vec![Act::Stop], 0);
            }
        }
    }
    world.state().defused = true;
    drop(system);
    for waker in std::mem::take(&mut world.state().old_wakers) {
        waker.wake();
    }
    let state = world.state();
    if state.letters != state.letters_dropped {
        let (made, dropped) = (state.letters, state.letters_dropped);
        return Err(format!("{made} messages were made, {dropped} dropped"));
    }
    let kept = state.actors.iter().position(|actor| !actor.dropped);
    kept.map_or(Ok(()), |name| Err(format!("actor {name} was not dropped")))
}

/// One thing that the host does.
fn operate<I: Iterator<Item = u32>>(
    system: &mut System,
    world: &World,
    choices: &mut Choices<I>,
) -> Result<(), String> {
    match choices.below(12) {
        0..3 => {
            spawn(system, world, choices.below(6));
        }
        3..7 => {
            let count = world.state().actors.len() as u32;
            if count > 0 {
                let to = choices.below(count) as usize;
                let script = Act::script(choices, 3);
                send(system, world, World::HOST, to, script, choices.below(5));
            }
        }
        7..10 => {
            let budgets = [1, 3, 20, 100, 1000, u64::MAX];
            slice(system, world, budgets[choices.below(6) as usize])?;
        }
        10 => {
            let budget = TURN_BUDGETS[choices.below(5) as usize];
            let mut state = world.state();
            state.largest_turn_budget = state.largest_turn_budget.max(u64::from(budget));
            system.set_turn_budget(budget);
        }
        _ => open_gate(world),
    }
    look(system, world)
}

fn open_gate(world: &World) {
    let mut state = world.state();
    state.gate_number += 1;
    let mut wakers = std::mem::take(&mut state.gates);
    // And somebody who doesn't expect it.
    let number = state.gate_number as usize;
    if let Some(old) = state.old_wakers.get(number % 7) {
        wakers.push(old.clone());
    }
    drop(state);
    wakers.into_iter().for_each(Waker::wake);
}

fn slice(system: &mut System, world: &World, budget: u64) -> Result<Left, String> {
    let left = system.run(Duration::ZERO, budget);
    look(system, world)?;
    let state = world.state();
    if left == Left::Idle
        && let Some(forgotten) = (0..state.actors.len()).find(|actor| state.is_ready(*actor))
    {
        return Err(format!("idle, but actor {forgotten} has something to do"));
    }
    Ok(left)
}

/// Compares the system with the model.
fn look(system: &mut System, world: &World) -> Result<(), String> {
    let mut state = world.state();
    if let Some(problem) = state.problems.first() {
        return Err(problem.clone());
    }
    look_at_counters(system, &state)?;
    let expected_failures = std::mem::take(&mut state.failures);
    for (name, actor) in state.actors.iter().enumerate() {
        let alive = match actor.address {
            Some(Anyone::Small(address)) => system.is_alive(address),
            Some(Anyone::Middle(address)) => system.is_alive(address),
            Some(Anyone::Large(address)) => system.is_alive(address),
            None => continue,
        };
        if alive != actor.alive || (!alive && !actor.dropped) {
            return Err(format!("actor {name} is alive: {alive}"));
        }
    }
    let failures = system.take_failures();
    let failures: Vec<_> = failures
        .into_iter()
        .map(|exit| match exit.reason {
            ExitReason::Failed { message, .. } => (exit.actor, message),
            other => (exit.actor, other.to_string()),
        })
        .collect();
    let expected: Vec<_> = expected_failures
        .into_iter()
        .filter_map(|(name, message)| {
            let id = match state.actors[name].address? {
                Anyone::Small(address) => address.id(),
                Anyone::Middle(address) => address.id(),
                Anyone::Large(address) => address.id(),
            };
            Some((id, message))
        })
        .collect();
    let is_right = if state.is_loose {
        sorted(&failures) == sorted(&expected)
    } else {
        failures == expected
    };
    if !is_right {
        return Err(format!("failures {failures:?}, should be {expected:?}"));
    }
    Ok(())
}

fn sorted(failures: &[(ActorId, String)]) -> Vec<String> {
    let mut texts: Vec<_> = failures
        .iter()
        .map(|failure| format!("{failure:?}"))
        .collect();
    texts.sort_unstable();
    texts
}

/// Compares the system's counters with the model's.
fn look_at_counters(system: &System, state: &State) -> Result<(), String> {
    let counters = system.counters();
    let mut pairs = vec![
        ("spawned", counters.spawned, state.actors.len() as u64),
        ("started", counters.started, state.started),
        ("stopped", counters.stopped, state.stopped),
        ("failed", counters.failed, state.failed),
        ("received", counters.received, state.received),
        (
            "sent or not",
            counters.sent + counters.undeliverable,
            state.letters,
        ),
        (
            "sent, by sum,",
            counters.sent,
            counters.received + system.queued() + counters.dropped,
        ),
    ];
    if !state.is_loose {
        let queued: usize = state.actors.iter().map(|actor| actor.queue.len()).sum();
        pairs.extend([
            ("sent", counters.sent, state.sent),
            ("dropped", counters.dropped, state.messages_dropped),
            ("undeliverable", counters.undeliverable, state.undeliverable),
            ("high water", counters.queue_high_water, state.high_water),
            ("queued", system.queued(), queued as u64),
        ]);
    }
    let wrong = pairs
        .iter()
        .find(|(_, counted, expected)| counted != expected);
    wrong.map_or(Ok(()), |(name, counted, expected)| {
        Err(format!("{name} is {counted}, should be {expected}"))
    })
}
