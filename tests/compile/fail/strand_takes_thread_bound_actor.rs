//! A strand takes no actor that is bound to its thread.
use std::rc::Rc;

use ringspawn::{Actor, Context, ParallelSystem};

struct Bound(Rc<()>);

impl Actor for Bound {
    type Message = ();

    fn receive(&mut self, (): (), _: &mut Context<'_, ()>) {
        drop(Rc::clone(&self.0));
    }
}

fn main() {
    let mut system = ParallelSystem::new();
    system.spawn(Bound(Rc::new(())));
    let _ = system.try_spawn(Bound(Rc::new(())));
}
