//! What a program's local actors and its host can do, on one thread.

use std::rc::Rc;

use ringspawn::{Actor, Address, Context, Local, Mailbox, SendError};

use super::System;
use super::cases::model::actors::{
    Anyone, FirstPoll, Hands, Large, LargeHandler, Middle, MiddleHandler, Small, SmallHandler,
    handle, hands, large_task, middle_task,
};
use super::cases::model::world::Me;

hands! {
    Context<'_, M, Local>, [M: 'static], Local, |it: &mut Self, me| it.spawn(LocalHandler::new(me));
    Mailbox<M, Local>, [M: 'static], Local, |it: &mut Self, me| it.spawn(LocalHandler::new(me));
    System, [], Local, |it: &mut Self, me| it.spawn(LocalHandler::new(me));
}

/// Bound to its thread, and of the same message type as another.
struct LocalHandler {
    me: Me,
    _not_send: Rc<()>,
}

impl LocalHandler {
    fn new(me: Me) -> Self {
        Self {
            me,
            _not_send: Rc::new(()),
        }
    }
}

impl Actor<Local> for LocalHandler {
    type Message = Small;

    fn started(&mut self, _: &mut Context<'_, Small, Local>) {
        self.me.started();
        self.me.world.note_started();
    }

    fn receive(&mut self, mut message: Small, context: &mut Context<'_, Small, Local>) {
        if handle(context, &mut self.me, &mut message.0) {
            context.stop();
        }
    }
}
