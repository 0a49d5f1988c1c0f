//! What a program's host can do, on many threads.

use ringspawn::{Address, Anywhere, Mailbox, SendError};

use super::System;
use super::cases::model::actors::{
    Anyone, FirstPoll, Hands, Large, LargeHandler, Middle, MiddleHandler, SmallHandler, hands,
    large_task, middle_task,
};
use super::cases::model::world::Me;

hands! {
    System, [], Anywhere, |it: &mut Self, me| it.spawn(SmallHandler(me));
}
