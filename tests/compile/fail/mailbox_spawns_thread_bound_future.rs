//! An async actor that may live anywhere can't spawn a future that holds an `Rc`.
use ringspawn::Mailbox;
use std::rc::Rc;

fn parent(mailbox: Mailbox<()>) {
    mailbox.spawn_async(|mut mailbox: Mailbox<u8>| async move {
        let held = Rc::new(1);
        mailbox.receive().await;
        drop(held);
    });
}

fn main() {}
