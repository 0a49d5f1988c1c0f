//! A strand takes no async actor whose messages are bound to their thread.
use std::rc::Rc;

use ringspawn::{Mailbox, ParallelSystem};

fn main() {
    let mut system = ParallelSystem::new();
    system.spawn_async(|mut mailbox: Mailbox<Rc<()>>| async move {
        mailbox.receive().await;
    });
    let _ = system.try_spawn_async(|_: Mailbox<Rc<()>>| async {});
}
