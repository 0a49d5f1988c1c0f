//! Addresses, mailboxes that may move, and futures that hold them are `Send`.
use ringspawn::{ActorId, Address, Anywhere, Exit, Mailbox, SendError};
use std::rc::Rc;

async fn body(mut mailbox: Mailbox<u8>, to: Address<u16>) {
    loop {
        let message = mailbox.receive().await;
        let _ = mailbox.send(to, message.into());
    }
}

fn send<T: Send>() {}
fn both<T: Send + Sync>() {}
fn send_value<T: Send>(_: T) {}

fn check(mailbox: Mailbox<u8>, to: Address<u16>) {
    send_value(body(mailbox, to));
}

fn main() {
    send::<Mailbox<u8, Anywhere>>();
    // An address is plain data, whatever it takes.
    both::<Address<u8>>();
    both::<Address<Rc<u8>>>();
    both::<ActorId>();
    both::<Exit>();
    send::<SendError<u8>>();
    let _ = check;
}
