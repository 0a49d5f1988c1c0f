//! The floor: the least that could be called the same work.
//!
//! A hop is a call through a function pointer that the cell keeps, and the step to
//! the next cell: no message, no queue, no check. An actor is one heap allocation,
//! one call and one free.

use std::hint::black_box;

use crate::workload::{Check, Config, Phase, Report, RunError, Workload};

struct Cell {
    function: fn(&mut u64, u64) -> u64,
    next: u32,
    count: u64,
}

fn pass(count: &mut u64, token: u64) -> u64 {
    *count += 1;
    token + 1
}

fn cell(next: u64) -> Cell {
    Cell {
        // The compiler must not know which function a cell calls.
        function: black_box(pass),
        next: next as u32,
        count: 0,
    }
}

pub(crate) fn bytes_per_actor(config: Config) -> f64 {
    let cell = size_of::<Cell>() as f64;
    match config {
        Config::Ring { .. } => cell,
        // The allocator's own word or two, and the pointer that is kept.
        Config::Spawn { .. } => cell + 3.0 * size_of::<usize>() as f64,
    }
}

pub(crate) struct FloorRing {
    actors: u64,
    laps: u64,
    tokens: u64,
    phase: Option<Phase>,
    cells: Vec<Cell>,
    /// The token that is going round, where it is, and its count.
    token: u64,
    at: u32,
    count: u64,
    counts: u64,
}

impl FloorRing {
    pub(crate) fn new(actors: u64, laps: u64, tokens: u64) -> Self {
        Self {
            actors,
            laps,
            tokens,
            phase: Some(Phase::Spawn),
            cells: Vec::new(),
            token: 0,
            at: 0,
            count: 0,
            counts: 0,
        }
    }

    fn build(&mut self, budget: u64) -> Result<bool, RunError> {
        if self.cells.capacity() == 0 && self.cells.try_reserve_exact(self.actors as usize).is_err()
        {
            return Err(RunError(format!("out of memory for {} cells", self.actors)));
        }
        let first = self.cells.len() as u64;
        let end = self.actors.min(first.saturating_add(budget));
        self.cells
            .extend((first..end).map(|index| cell((index + 1) % self.actors)));
        if end < self.actors {
            return Ok(true);
        }
        self.phase = Some(if self.laps > 0 {
            Phase::Hop
        } else {
            Phase::Check
        });
        Ok(false)
    }

    fn hop(&mut self, budget: u64) -> bool {
        let goal = self.actors * self.laps;
        let mut left = budget;
        while left > 0 && self.token < self.tokens {
            if self.count == 0 {
                self.at = (self.token * self.actors / self.tokens) as u32;
            }
            let hops = left.min(goal - self.count);
            left -= hops;
            (self.at, self.count) = go_round(&mut self.cells, self.at, self.count, hops);
            if self.count == goal {
                self.counts += self.count;
                self.count = 0;
                self.token += 1;
            }
        }
        if self.token < self.tokens {
            return true;
        }
        self.phase = Some(Phase::Check);
        false
    }
}

/// The loop that everything is compared with. A function of its own, so that an
/// engine that compiles in tiers enters it anew with each slice.
#[inline(never)]
fn go_round(cells: &mut [Cell], mut at: u32, mut count: u64, hops: u64) -> (u32, u64) {
    for _ in 0..hops {
        let cell = &mut cells[at as usize];
        count = (cell.function)(&mut cell.count, count);
        at = cell.next;
    }
    (at, count)
}

impl Workload for FloorRing {
    fn phase(&self) -> Option<Phase> {
        self.phase
    }

    fn slice(&mut self, budget: u64) -> Result<bool, RunError> {
        match self.phase {
            Some(Phase::Spawn) => self.build(budget),
            Some(Phase::Hop) => Ok(self.hop(budget)),
            Some(Phase::Check) => {
                self.phase = None;
                Ok(false)
            }
            Some(Phase::Stop | Phase::SpawnStop) | None => Ok(false),
        }
    }

    fn progress(&self) -> (u64, u64) {
        match self.phase {
            Some(Phase::Spawn) => (self.cells.len() as u64, self.actors),
            _ => (
                self.counts + self.count,
                self.actors * self.laps * self.tokens,
            ),
        }
    }

    fn report(&self) -> Report {
        let hops = self.actors * self.laps * self.tokens;
        let share = self.laps * self.tokens;
        let fair = self.cells.iter().filter(|cell| cell.count == share).count();
        let mut units = vec![(Phase::Spawn, self.actors)];
        if hops > 0 {
            units.push((Phase::Hop, hops));
        }
        Report {
            checks: vec![
                Check::new("hops", hops, self.counts),
                Check::new(
                    "calls of cells",
                    hops,
                    self.cells.iter().map(|cell| cell.count).sum(),
                ),
                Check::new("cells with their share", self.actors, fair as u64),
            ],
            units,
            bytes_per_actor: None,
            counters: None,
            failures: Vec::new(),
        }
    }
}

pub(crate) struct FloorSpawn {
    actors: u64,
    phase: Option<Phase>,
    /// Each cell is a heap allocation of its own: that is what is measured.
    cells: Vec<Box<[Cell]>>,
    allocated: u64,
    called: u64,
    freed: u64,
}

impl FloorSpawn {
    pub(crate) fn new(actors: u64) -> Self {
        Self {
            actors,
            phase: Some(Phase::SpawnStop),
            cells: Vec::new(),
            allocated: 0,
            called: 0,
            freed: 0,
        }
    }

    fn spawn_stop(&mut self, budget: u64) -> Result<bool, RunError> {
        if self.cells.capacity() == 0 && self.cells.try_reserve_exact(self.actors as usize).is_err()
        {
            return Err(RunError(format!("out of memory for {} cells", self.actors)));
        }
        let mut left = budget;
        while left > 0 && self.allocated < self.actors {
            let mut boxed = Vec::new();
            if boxed.try_reserve_exact(1).is_err() {
                return Err(RunError(format!(
                    "out of memory after {} cells",
                    self.allocated
                )));
            }
            boxed.push(cell(self.allocated));
            let cell = &mut boxed[0];
            self.called = (cell.function)(&mut cell.count, self.called);
            self.cells.push(boxed.into_boxed_slice());
            self.allocated += 1;
            left -= 1;
        }
        while left > 0
            && self.allocated == self.actors
            && let Some(cell) = self.cells.pop()
        {
            self.freed += cell[0].count;
            left -= 1;
        }
        if self.freed < self.actors && !(self.cells.is_empty() && self.allocated == self.actors) {
            return Ok(true);
        }
        self.phase = Some(Phase::Check);
        Ok(false)
    }
}

impl Workload for FloorSpawn {
    fn phase(&self) -> Option<Phase> {
        self.phase
    }

    fn slice(&mut self, budget: u64) -> Result<bool, RunError> {
        match self.phase {
            Some(Phase::SpawnStop) => self.spawn_stop(budget),
            Some(Phase::Check) => {
                self.phase = None;
                Ok(false)
            }
            Some(Phase::Spawn | Phase::Hop | Phase::Stop) | None => Ok(false),
        }
    }

    fn progress(&self) -> (u64, u64) {
        (self.allocated + self.freed, 2 * self.actors)
    }

    fn report(&self) -> Report {
        Report {
            checks: vec![
                Check::new("allocated", self.actors, self.allocated),
                Check::new("called", self.actors, self.called),
                Check::new("freed", self.actors, self.freed),
            ],
            units: vec![(Phase::SpawnStop, self.actors)],
            bytes_per_actor: None,
            counters: None,
            failures: Vec::new(),
        }
    }
}
