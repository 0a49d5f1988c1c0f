//! What is `Send` may be spawned and sent by every path into a strand.
use std::sync::Arc;

use ringspawn::{Actor, Address, Context, Mailbox, ParallelSystem};

struct Parent(Arc<()>);

impl Actor for Parent {
    type Message = Arc<()>;

    fn receive(&mut self, message: Arc<()>, context: &mut Context<'_, Arc<()>>) {
        let child = context.spawn(Parent(Arc::clone(&self.0)));
        context.send(child, message).unwrap();
        context.spawn_async(task);
    }
}

async fn task(mut mailbox: Mailbox<Box<u8>>) {
    let message = mailbox.receive().await;
    let child = mailbox.spawn_async(end);
    mailbox.send(child, message).unwrap();
    mailbox.spawn(Parent(Arc::new(())));
}

async fn end(_: Mailbox<Box<u8>>) {}

fn is_send<T: Send>(_: &T) {}

fn main() {
    let mut system = ParallelSystem::new();
    let parent = system.spawn(Parent(Arc::new(())));
    system.send(parent, Arc::new(())).unwrap();
    let address: Address<Box<u8>> = system.spawn_async(task);
    system.send(address, Box::new(1)).unwrap();
    is_send(&address);
    is_send(&system.control());
}
