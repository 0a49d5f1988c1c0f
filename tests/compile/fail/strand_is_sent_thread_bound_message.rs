//! No message that is bound to its thread is sent to a strand.
use std::rc::Rc;

use ringspawn::{Address, Context, Mailbox, ParallelSystem};

fn from_outside(system: &mut ParallelSystem, to: Address<Rc<()>>) {
    let _ = system.send(to, Rc::new(()));
}

fn from_a_handler(context: &mut Context<'_, ()>, to: Address<Rc<()>>) {
    let _ = context.send(to, Rc::new(()));
}

fn from_a_task(mailbox: &Mailbox<()>, to: Address<Rc<()>>) {
    let _ = mailbox.send(to, Rc::new(()));
}

fn main() {}
