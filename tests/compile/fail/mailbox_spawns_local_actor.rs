//! An async actor that may live anywhere can't spawn one that lives on a `System` only.
use ringspawn::{Actor, Context, Local, Mailbox};

struct Child;
impl Actor<Local> for Child {
    type Message = ();
    fn receive(&mut self, (): (), _: &mut Context<'_, (), Local>) {}
}

fn parent(mailbox: Mailbox<()>) {
    mailbox.spawn(Child);
}

fn main() {}
