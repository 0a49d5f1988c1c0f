//! An actor that may live anywhere can't spawn one that lives on a `System` only.
use ringspawn::{Actor, Context, Local};

struct Child;
impl Actor<Local> for Child {
    type Message = ();
    fn receive(&mut self, (): (), _: &mut Context<'_, (), Local>) {}
}

struct Parent;
impl Actor for Parent {
    type Message = ();
    fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
        context.spawn(Child);
    }
}

fn main() {}
