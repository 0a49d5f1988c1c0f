//! A strand takes no future that is bound to its thread.
use std::rc::Rc;

use ringspawn::{Mailbox, ParallelSystem};

fn main() {
    let mut system = ParallelSystem::new();
    system.spawn_async(|mut mailbox: Mailbox<u8>| async move {
        let bound = Rc::new(());
        mailbox.receive().await;
        drop(bound);
    });
}
