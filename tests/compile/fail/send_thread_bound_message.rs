//! An actor that may live anywhere can't send an `Rc`.
use ringspawn::{Actor, Address, Context};
use std::rc::Rc;

struct Sender(Address<Rc<u8>>);
impl Actor for Sender {
    type Message = ();
    fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
        let _ = context.send(self.0, Rc::new(1));
    }
}

fn main() {}
