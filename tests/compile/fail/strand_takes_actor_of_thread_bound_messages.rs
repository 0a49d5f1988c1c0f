//! A strand takes no actor whose messages are bound to their thread.
use std::rc::Rc;

use ringspawn::{Actor, Context, ParallelSystem};

struct Receiver;

impl Actor for Receiver {
    type Message = Rc<()>;

    fn receive(&mut self, _: Rc<()>, _: &mut Context<'_, Rc<()>>) {}
}

fn main() {
    let mut system = ParallelSystem::new();
    system.spawn(Receiver);
    let _ = system.try_spawn(Receiver);
}
