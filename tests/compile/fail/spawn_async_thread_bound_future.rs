//! A handler that may live anywhere can't spawn a future that holds an `Rc`.
use ringspawn::{Actor, Context, Mailbox};
use std::rc::Rc;

struct Parent;
impl Actor for Parent {
    type Message = ();
    fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
        context.spawn_async(|mut mailbox: Mailbox<u8>| async move {
            let held = Rc::new(1);
            mailbox.receive().await;
            drop(held);
        });
    }
}

fn main() {}
