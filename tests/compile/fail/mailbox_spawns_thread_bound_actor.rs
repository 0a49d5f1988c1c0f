//! An async actor that may live anywhere can't spawn one that holds an `Rc`.
use ringspawn::{Actor, Context, Mailbox};
use std::rc::Rc;

struct Bound(Rc<u8>);
impl Actor for Bound {
    type Message = ();
    fn receive(&mut self, (): (), _: &mut Context<'_, ()>) {}
}

fn parent(mailbox: Mailbox<()>) {
    mailbox.spawn(Bound(Rc::new(1)));
}

fn main() {}
