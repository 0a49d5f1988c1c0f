//! Actors of one thread may spawn, send and hold what is not `Send`.
use ringspawn::{Actor, Address, Context, Local, Mailbox, System};
use std::rc::Rc;

struct Bound(Rc<u8>);
impl Actor<Local> for Bound {
    type Message = Rc<u8>;
    fn receive(&mut self, message: Rc<u8>, context: &mut Context<'_, Rc<u8>, Local>) {
        let other = context.spawn(Bound(Rc::clone(&message)));
        let _ = context.send(other, Rc::clone(&self.0));
        context.spawn(Free);
        context.spawn_async(|mailbox: Mailbox<u8, Local>| body(mailbox, other, message));
    }
}

struct Free;
impl Actor for Free {
    type Message = u8;
    fn receive(&mut self, _: u8, context: &mut Context<'_, u8>) {
        context.spawn(Free);
        context.spawn_async(|mut mailbox: Mailbox<u8>| async move {
            mailbox.receive().await;
        });
    }
}

async fn body(mut mailbox: Mailbox<u8, Local>, other: Address<Rc<u8>>, held: Rc<u8>) {
    mailbox.receive().await;
    let _ = mailbox.send(other, held);
    mailbox.spawn(Bound(Rc::new(2)));
    mailbox.spawn(Free);
}

fn main() {
    let mut system = System::new();
    let bound = system.spawn(Bound(Rc::new(1)));
    let _ = system.send(bound, Rc::new(3));
    let held = Rc::new(4);
    system.spawn_async(move |mailbox: Mailbox<u8>| async move {
        drop((mailbox, held));
    });
}
