//! A strand's async actors have no mailbox of a one-thread system, from which all may be sent.
use ringspawn::{Local, Mailbox, ParallelSystem};

fn main() {
    let mut system = ParallelSystem::new();
    system.spawn_async(|mut mailbox: Mailbox<u8, Local>| async move {
        mailbox.receive().await;
    });
}
