//! The floor: the least that could be called the same work.
//!
//! A hop is a call through a function pointer that the cell keeps, and the step to
//! the next cell: no message, no queue, no check. An actor is one heap allocation,
//! one call and one free.

use std::hint::black_box;

use crate::workload::job::{after, compute};
use crate::workload::skynet::Range;
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
        Config::Ring { .. } | Config::Work { .. } => cell,
        // The allocator's own word or two, and the pointer that is kept.
        Config::Spawn { .. } | Config::Skynet { .. } => cell + 3.0 * size_of::<usize>() as f64,
    }
}

pub(crate) struct FloorRing {
    actors: u64,
    laps: u64,
    tokens: u64,
    /// Rounds of each hop, if hops compute.
    work: Option<u64>,
    value: u64,
    right_values: u64,
    phase: Option<Phase>,
    cells: Vec<Cell>,
    /// The token that is going round, where it is, and its count.
    token: u64,
    at: u32,
    count: u64,
    counts: u64,
}

impl FloorRing {
    pub(crate) fn new(actors: u64, laps: u64, tokens: u64, work: Option<u64>) -> Self {
        Self {
            actors,
            laps,
            tokens,
            work,
            value: 0,
            right_values: 0,
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
                self.value = self.token;
            }
            let hops = left.min(goal - self.count);
            left -= hops;
            (self.at, self.count) = match self.work {
                None => go_round(&mut self.cells, self.at, self.count, hops),
                Some(rounds) => {
                    let (cells, value) = (&mut self.cells, &mut self.value);
                    go_round_working(cells, self.at, self.count, hops, value, rounds)
                }
            };
            if self.count == goal {
                let value = after(goal.wrapping_mul(self.work.unwrap_or(0)), self.token);
                self.right_values += u64::from(self.value == value);
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

/// The same with work in each hop.
#[inline(never)]
fn go_round_working(
    cells: &mut [Cell],
    mut at: u32,
    mut count: u64,
    hops: u64,
    value: &mut u64,
    rounds: u64,
) -> (u32, u64) {
    for _ in 0..hops {
        let cell = &mut cells[at as usize];
        count = (cell.function)(&mut cell.count, count);
        *value = compute(*value, rounds);
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
            Some(Phase::Stop | Phase::SpawnStop | Phase::Leaf) | None => Ok(false),
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
        let mut report = Report {
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
        };
        if self.work.is_some() {
            let tokens = if self.laps > 0 { self.tokens } else { 0 };
            let check = Check::new("computed values", tokens, self.right_values);
            report.checks.push(check);
        }
        report
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
            Some(Phase::Spawn | Phase::Hop | Phase::Stop | Phase::Leaf) | None => Ok(false),
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

/// A tree without actors: one heap allocation, one call and one free for each node.
pub(crate) struct FloorSkynet {
    leaves: u64,
    phase: Option<Phase>,
    /// Nodes that were not called yet.
    #[expect(clippy::vec_box, reason = "an allocation for each is what is measured")]
    nodes: Vec<Box<FloorNode>>,
    leaves_summed: u64,
    sum: u64,
    called: u64,
}

struct FloorNode {
    leaves: Range,
    function: fn(Range, &mut u64) -> bool,
}

/// Adds the ordinal of a leaf; or says that there are leaves below.
fn visit(leaves: Range, sum: &mut u64) -> bool {
    if leaves.count == 1 {
        *sum += leaves.first;
    }
    leaves.count > 1
}

fn node(leaves: Range) -> Box<FloorNode> {
    Box::new(FloorNode {
        leaves,
        function: black_box(visit),
    })
}

impl FloorSkynet {
    pub(crate) fn new(leaves: u64) -> Self {
        let root = node(Range {
            first: 0,
            count: leaves,
        });
        Self {
            leaves,
            phase: Some(Phase::Leaf),
            nodes: vec![root],
            leaves_summed: 0,
            sum: 0,
            called: 0,
        }
    }

    fn grow(&mut self, budget: u64) -> bool {
        for _ in 0..budget {
            let Some(node) = self.nodes.pop() else {
                self.phase = Some(Phase::Check);
                return false;
            };
            self.called += 1;
            if (node.function)(node.leaves, &mut self.sum) {
                self.nodes.extend(node.leaves.split().map(self::node));
            } else {
                self.leaves_summed += 1;
            }
        }
        true
    }
}

impl Workload for FloorSkynet {
    fn phase(&self) -> Option<Phase> {
        self.phase
    }

    fn slice(&mut self, budget: u64) -> Result<bool, RunError> {
        if self.phase == Some(Phase::Leaf) {
            return Ok(self.grow(budget));
        }
        self.phase = None;
        Ok(false)
    }

    fn progress(&self) -> (u64, u64) {
        (self.leaves_summed, self.leaves)
    }

    fn report(&self) -> Report {
        let leaves = self.leaves;
        Report {
            checks: vec![
                Check::new("sum of the leaves", leaves * (leaves - 1) / 2, self.sum),
                Check::new("nodes called", Range::actors(leaves), self.called),
            ],
            units: vec![(Phase::Leaf, leaves)],
            bytes_per_actor: None,
            counters: None,
            failures: Vec::new(),
        }
    }
}
