//! An actor that may live anywhere can't spawn one that holds an `Rc`.
use ringspawn::{Actor, Context};
use std::rc::Rc;

struct Bound(Rc<u8>);
impl Actor for Bound {
    type Message = ();
    fn receive(&mut self, (): (), _: &mut Context<'_, ()>) {}
}

struct Parent;
impl Actor for Parent {
    type Message = ();
    fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
        context.spawn(Bound(Rc::new(1)));
    }
}

fn main() {}
