//! What stays on its thread is not `Send`: said at compile time, by an ambiguity that
//! is an error as soon as a type is.

use ringspawn::{Context, Local, Mailbox, Receive, System};

trait AmbiguousIfSend<A> {
    fn check() {}
}

impl<T: ?Sized> AmbiguousIfSend<()> for T {}

struct IsSend;
impl<T: ?Sized + Send> AmbiguousIfSend<IsSend> for T {}

macro_rules! assert_not_send {
    ($($type:ty),* $(,)?) => {
        $(<$type as AmbiguousIfSend<_>>::check();)*
    };
}

async fn local_body(mut mailbox: Mailbox<u8, Local>) {
    mailbox.receive().await;
}

fn assert_future_not_send<F, T: AmbiguousIfSend<A>, A>(_: F)
where
    F: FnOnce(Mailbox<u8, Local>) -> T,
{
}

#[test]
fn what_stays_on_its_thread_is_not_send() {
    assert_not_send!(
        System,
        Mailbox<u8, Local>,
        Receive<'static, u8, Local>,
        Context<'static, u8>,
        Context<'static, u8, Local>,
    );
    assert_future_not_send(local_body);
}
