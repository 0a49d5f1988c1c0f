//! What the models share: how far they are explored, and a queue of strands.

use std::collections::VecDeque;

use loom::model::Builder;
use loom::sync::Mutex;
use loom::sync::atomic::{AtomicUsize, Ordering};

use crate::inbox;

/// Runs a model in every order of its threads' steps with at most so many changes of
/// thread that no thread asked for. Races of two or three changes are nearly all there
/// are; a soak explores one more.
pub(crate) fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let soak = std::env::var_os("RINGSPAWN_SOAK").is_some();
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions + usize::from(soak));
    builder.check(model);
}

/// Letters that are numbers.
#[derive(Default)]
pub(crate) struct Numbers(pub(crate) Vec<u32>);

impl inbox::Letters for Numbers {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Numbers {
    pub(crate) fn push(&mut self, number: u32) -> Result<(), ()> {
        self.0.push(number);
        Ok(())
    }
}

/// Stands for the workers' queues: whether something is in it is asked without a lock and
/// may be seen late, as with theirs.
#[derive(Default)]
pub(crate) struct Queue {
    strands: Mutex<VecDeque<usize>>,
    len: AtomicUsize,
}

impl Queue {
    pub(crate) fn push(&self, strand: usize) {
        let mut strands = self.strands.lock().unwrap();
        assert!(!strands.contains(&strand), "a strand is queued twice");
        strands.push_back(strand);
        self.len.store(strands.len(), Ordering::Relaxed);
    }

    pub(crate) fn pop(&self) -> Option<usize> {
        let mut strands = self.strands.lock().unwrap();
        let strand = strands.pop_front();
        self.len.store(strands.len(), Ordering::Relaxed);
        strand
    }

    pub(crate) fn seems_empty(&self) -> bool {
        self.len.load(Ordering::Relaxed) == 0
    }
}
