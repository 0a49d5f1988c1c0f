//! An async actor that may live anywhere can't send an `Rc`.
use ringspawn::{Address, Mailbox};
use std::rc::Rc;

fn parent(mailbox: Mailbox<()>, to: Address<Rc<u8>>) {
    let _ = mailbox.send(to, Rc::new(1));
}

fn main() {}
