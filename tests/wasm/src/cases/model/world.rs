//! The model: told of each act of a program's actors, it knows what must come of it.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use super::actors::Anyone;
use super::{Act, MOST_ACTORS};

/// What every message carries.
pub(crate) struct Letter {
    pub(crate) from: usize,
    pub(crate) number: u64,
    pub(crate) script: Vec<Act>,
    pub(crate) loops: u32,
    /// Its drop panics unless it was received.
    pub(crate) bomb: bool,
    pub(crate) world: World,
}

impl Letter {
    pub(crate) fn bomb_text(from: usize, number: u64) -> String {
        format!("letter {from}.{number}")
    }
}

impl Drop for Letter {
    fn drop(&mut self) {
        let mut state = self.world.state();
        state.letters_dropped += 1;
        let explode = self.bomb && !state.defused;
        drop(state);
        if explode {
            resume_unwind(Box::new(Self::bomb_text(self.from, self.number)));
        }
    }
}

/// What the model knows of an actor.
pub(crate) struct Record {
    pub(crate) address: Option<Anyone>,
    pub(crate) alive: bool,
    pub(crate) started: bool,
    pub(crate) queue: VecDeque<(usize, u64, bool)>,
    /// It waits for the host or its own wake, so it isn't ready whatever is queued.
    pub(crate) waiting: bool,
    pub(crate) dropped: bool,
    pub(crate) handled: u64,
    /// What everyone had handled when it became ready or had its last message.
    pub(crate) ready_since: Option<Moment>,
}

/// What everyone had done at some time.
pub(crate) struct Moment {
    handled: Vec<u64>,
    failed: u64,
}

#[derive(Default)]
pub(crate) struct State {
    /// Actors are on many strands: what one sender sends to one receiver stays in order,
    /// but all else happens when it happens.
    pub(crate) is_loose: bool,
    pub(crate) actors: Vec<Record>,
    pub(crate) problems: Vec<String>,
    pub(crate) failures: Vec<(usize, String)>,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) undeliverable: u64,
    pub(crate) messages_dropped: u64,
    pub(crate) started: u64,
    pub(crate) stopped: u64,
    pub(crate) failed: u64,
    pub(crate) high_water: u64,
    pub(crate) letters: u64,
    pub(crate) letters_dropped: u64,
    pub(crate) sends_left: u32,
    pub(crate) largest_turn_budget: u64,
    pub(crate) gates: Vec<Waker>,
    pub(crate) gate_number: u64,
    /// Wakers of long ago, of actors that have ended or not.
    pub(crate) old_wakers: Vec<Waker>,
    pub(crate) defused: bool,
}

impl State {
    pub(crate) fn problem(&mut self, text: String) {
        self.problems.push(text);
        // What follows is wrong anyway, and a panic within a panic would end it all.
        self.defused = true;
    }

    pub(crate) fn snapshot(&self) -> Moment {
        Moment {
            handled: self.actors.iter().map(|actor| actor.handled).collect(),
            failed: self.failed,
        }
    }

    pub(crate) fn is_ready(&self, actor: usize) -> bool {
        let actor = &self.actors[actor];
        actor.alive && !actor.waiting && (!actor.started || !actor.queue.is_empty())
    }

    /// An actor has its turn: nobody may have had too many meanwhile.
    pub(crate) fn check_wait(&mut self, actor: usize) {
        if self.is_loose {
            return;
        }
        let Some(since) = self.actors[actor].ready_since.take() else {
            return;
        };
        for other in (0..self.actors.len()).filter(|other| *other != actor) {
            let before = since.handled.get(other).copied().unwrap_or(0);
            let handled = self.actors[other].handled - before;
            // A panic breaks off the round of its type, so that others have another.
            let turns = 2 + self.failed - since.failed;
            if handled > turns * self.largest_turn_budget {
                self.problem(format!(
                    "actor {other} handled {handled} messages while {actor} was ready"
                ));
            }
        }
    }

    /// Its turn comes to its end by `first`, if that is a panic.
    pub(crate) fn ended(&mut self, actor: usize, panic: Option<String>, armed: bool) {
        let record = &mut self.actors[actor];
        record.alive = false;
        record.ready_since = None;
        let queue = std::mem::take(&mut record.queue);
        self.stopped += 1;
        self.messages_dropped += queue.len() as u64;
        let drop_panic = armed.then(|| format!("drop of {actor}"));
        let bomb = queue.into_iter().find(|(_, _, bomb)| *bomb);
        let bomb = bomb.map(|(from, number, _)| Letter::bomb_text(from, number));
        if let Some(text) = panic.or(drop_panic).or(bomb) {
            self.failed += 1;
            self.failures.push((actor, text));
        }
    }
}

/// The model, shared by all actors of a program and its host.
#[derive(Clone, Default)]
pub(crate) struct World(pub(crate) Arc<Mutex<State>>);

impl World {
    pub(crate) const HOST: usize = usize::MAX;

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A letter and how the send of it must end.
    pub(crate) fn letter(
        &self,
        from: usize,
        to: usize,
        script: Vec<Act>,
        loops: u32,
    ) -> Option<Letter> {
        let mut state = self.state();
        state.sends_left = state.sends_left.checked_sub(1)?;
        state.letters += 1;
        let number = state.letters;
        // Who has ended may get more of them, whose panics are then nobody's.
        let bomb = !state.is_loose && number.is_multiple_of(50);
        let snapshot = state.snapshot();
        let record = &mut state.actors[to];
        if record.alive {
            record.queue.push_back((from, number, bomb));
            record.ready_since.get_or_insert(snapshot);
            let length = record.queue.len() as u64;
            state.sent += 1;
            state.high_water = state.high_water.max(length);
        } else {
            state.undeliverable += 1;
        }
        drop(state);
        Some(Letter {
            from,
            number,
            script,
            loops,
            bomb,
            world: self.clone(),
        })
    }

    /// Looks at how a send ended.
    pub(crate) fn sent(&self, to: usize, result: Result<(), Letter>) {
        let (alive, is_loose) = {
            let state = self.state();
            (state.actors[to].alive, state.is_loose)
        };
        match result {
            Ok(()) if alive || is_loose => {}
            Ok(()) => {
                let text = format!("a message to {to}, which has ended, was accepted");
                self.state().problem(text);
            }
            Err(mut letter) => {
                letter.bomb = false;
                if alive {
                    let text = format!("a message to {to}, which is alive, was refused");
                    self.state().problem(text);
                }
            }
        }
    }

    /// A start handler, or a first poll, is returning.
    pub(crate) fn note_started(&self) {
        self.state().started += 1;
    }

    /// Registers an actor that is about to be spawned.
    pub(crate) fn new_actor(&self) -> Option<usize> {
        let mut state = self.state();
        if state.actors.len() >= MOST_ACTORS {
            return None;
        }
        let snapshot = state.snapshot();
        state.actors.push(Record {
            address: None,
            alive: true,
            started: false,
            queue: VecDeque::new(),
            waiting: false,
            dropped: false,
            handled: 0,
            ready_since: Some(snapshot),
        });
        Some(state.actors.len() - 1)
    }
}

/// What an actor is in this world; in the actor itself, whose drop it notes.
pub(crate) struct Me {
    pub(crate) name: usize,
    pub(crate) world: World,
    pub(crate) armed: bool,
    pub(crate) is_async: bool,
    /// Its memory must stay its own.
    pub(crate) ballast: [u64; 5],
}

impl Me {
    pub(crate) fn new(name: usize, world: &World) -> Self {
        Self {
            name,
            world: world.clone(),
            armed: false,
            is_async: false,
            ballast: [name as u64; 5],
        }
    }

    pub(crate) fn started(&self) {
        let mut state = self.world.state();
        state.check_wait(self.name);
        let snapshot = state.snapshot();
        let record = &mut state.actors[self.name];
        if std::mem::replace(&mut record.started, true) || !record.alive {
            let text = format!("actor {} was started again", self.name);
            return state.problem(text);
        }
        if !record.queue.is_empty() {
            record.ready_since = Some(snapshot);
        }
    }

    pub(crate) fn received(&self, letter: &mut Letter) {
        letter.bomb = false;
        let mut state = self.world.state();
        state.check_wait(self.name);
        state.received += 1;
        let whole = self.ballast == [self.name as u64; 5];
        let is_loose = state.is_loose;
        let record = &mut state.actors[self.name];
        record.handled += 1;
        // On many strands, the first of this sender's.
        let first = |(from, ..): &(usize, u64, bool)| !is_loose || *from == letter.from;
        let expected = record.queue.iter().position(first);
        let expected = expected.and_then(|at| record.queue.remove(at));
        let waits = !record.queue.is_empty();
        let right = record.alive && record.started && !record.waiting && whole;
        let received = expected.map(|(from, number, _)| (from, number));
        if !right || received != Some((letter.from, letter.number)) {
            let text = format!(
                "actor {} received {}.{} instead of {expected:?}",
                self.name, letter.from, letter.number
            );
            state.problem(text);
        }
        if waits {
            let snapshot = state.snapshot();
            state.actors[self.name].ready_since = Some(snapshot);
        }
    }

    /// The whole end of this actor: what it leaves behind is dropped next.
    pub(crate) fn end(&mut self, panic: Option<String>) {
        if panic.is_some() && self.is_async {
            // It is dropped while the panic passes by: another one would abort.
            self.armed = false;
        }
        let armed = self.armed;
        self.world.state().ended(self.name, panic.clone(), armed);
        if let Some(text) = panic {
            // Without the panic hook, whose output nobody needs here.
            resume_unwind(Box::new(text));
        }
    }

    pub(crate) fn set_waiting(&self, waiting: bool) {
        let mut state = self.world.state();
        state.actors[self.name].waiting = waiting;
        state.actors[self.name].ready_since = None;
    }
}

impl Drop for Me {
    fn drop(&mut self) {
        let mut state = self.world.state();
        let again = std::mem::replace(&mut state.actors[self.name].dropped, true);
        if again {
            let text = format!("actor {} was dropped again", self.name);
            state.problem(text);
        }
        let explode = self.armed && !state.defused;
        drop(state);
        if explode {
            resume_unwind(Box::new(format!("drop of {}", self.name)));
        }
    }
}
