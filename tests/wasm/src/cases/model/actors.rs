//! The actors of a program: six types of both styles, with three types of message. What
//! they can do with the rest of their system differs by scheduler, where it is for local ones.

use std::future::poll_fn;
use std::task::Poll;

use ringspawn::{Actor, Address, Anywhere, Context, Home, Mailbox, SendError};

use super::Act;
use super::world::{Letter, Me, World};

/// Three types of message: small, middling, large.
pub(crate) struct Small(pub(crate) Box<Letter>);
pub(crate) struct Middle(pub(crate) Letter);
pub(crate) struct Large(pub(crate) Letter, pub(crate) [u64; 40]);

/// An address of whichever type.
#[derive(Clone, Copy)]
pub(crate) enum Anyone {
    Small(Address<Small>),
    Middle(Address<Middle>),
    Large(Address<Large>),
}

/// What an actor, or the host, can do with a system.
pub(crate) trait Hands {
    fn give<M: Send + 'static>(&mut self, to: Address<M>, message: M) -> Result<(), SendError<M>>;
    fn make(&mut self, kind: u32, me: Me) -> Anyone;
}

macro_rules! hands {
    ($($hands:ty, [$($generic:tt)*], $home:ty, $local:expr;)*) => {
        $(impl<$($generic)*> Hands for $hands {
            fn give<N: Send + 'static>(
                &mut self,
                to: Address<N>,
                message: N,
            ) -> Result<(), SendError<N>> {
                self.send(to, message)
            }

            fn make(&mut self, kind: u32, me: Me) -> Anyone {
                match kind {
                    0 => Anyone::Small(self.spawn(SmallHandler(me))),
                    1 => Anyone::Small($local(self, me)),
                    2 => Anyone::Middle(self.spawn(MiddleHandler { me, stops: false })),
                    3 => Anyone::Middle(self.spawn_async(|mailbox: Mailbox<Middle, $home>| {
                        FirstPoll::new(me.world.clone(), middle_task(mailbox, me))
                    })),
                    4 => Anyone::Large(self.spawn_async(|mailbox: Mailbox<Large, $home>| {
                        FirstPoll::new(me.world.clone(), large_task(mailbox, me))
                    })),
                    _ => Anyone::Large(self.spawn(LargeHandler(me, [9; 300]))),
                }
            }
        })*
    };
}

pub(crate) use hands;

hands! {
    Context<'_, M, Anywhere>, [M: 'static], Anywhere, |it: &mut Self, me| it.spawn(SmallHandler(me));
    Mailbox<M, Anywhere>, [M: 'static], Anywhere, |it: &mut Self, me| it.spawn(SmallHandler(me));
}

/// Sends to whichever type of actor; `None` when the program has sent enough.
pub(crate) fn send(
    hands: &mut impl Hands,
    world: &World,
    from: usize,
    to: usize,
    script: Vec<Act>,
    loops: u32,
) -> Option<()> {
    let address = world.state().actors[to].address;
    // It is being spawned: nobody knows its address yet.
    let address = address?;
    let letter = world.letter(from, to, script, loops)?;
    let result = match address {
        Anyone::Small(address) => hands
            .give(address, Small(Box::new(letter)))
            .map_err(|error| *error.into_message().0),
        Anyone::Middle(address) => hands
            .give(address, Middle(letter))
            .map_err(|error| error.into_message().0),
        Anyone::Large(address) => hands
            .give(address, Large(letter, [7; 40]))
            .map_err(|error| error.into_message().0),
    };
    world.sent(to, result);
    Some(())
}

pub(crate) fn spawn(hands: &mut impl Hands, world: &World, kind: u32) -> Option<usize> {
    let name = world.new_actor()?;
    let address = hands.make(kind, Me::new(name, world));
    world.state().actors[name].address = Some(address);
    Some(name)
}

/// What a handler can't do by itself in the middle of its script.
pub(crate) enum Pause {
    Yield,
    Wait,
    Stop,
}

/// Acts out what can be done at once; `Some` when the actor must wait or end.
pub(crate) fn act(hands: &mut impl Hands, me: &mut Me, act: Act) -> Option<Pause> {
    let world = me.world.clone();
    match act {
        Act::Send { to, script } => {
            let count = world.state().actors.len();
            let to = to as usize % count;
            send(hands, &world, me.name, to, script, 0);
        }
        Act::Loop(times) => {
            send(hands, &world, me.name, me.name, Vec::new(), times);
        }
        Act::Spawn(kind) => {
            spawn(hands, &world, kind);
        }
        Act::SpawnAndSend(kind, script) => {
            if let Some(child) = spawn(hands, &world, kind) {
                send(hands, &world, me.name, child, script, 0);
                send(hands, &world, me.name, child, Vec::new(), 3);
            }
        }
        Act::ArmActor => me.armed = true,
        Act::Panic => me.end(Some(format!("actor {} panicked", me.name))),
        Act::Yield => return Some(Pause::Yield),
        Act::Wait => return Some(Pause::Wait),
        Act::Stop => return Some(Pause::Stop),
    }
    None
}

/// A whole letter, in a handler; says whether the actor stops.
pub(crate) fn handle(hands: &mut impl Hands, me: &mut Me, letter: &mut Letter) -> bool {
    me.received(letter);
    if letter.loops > 0 {
        let world = me.world.clone();
        send(
            hands,
            &world,
            me.name,
            me.name,
            Vec::new(),
            letter.loops - 1,
        );
    }
    for deed in std::mem::take(&mut letter.script) {
        if let Some(Pause::Stop) = act(hands, me, deed) {
            me.end(None);
            return true;
        }
    }
    false
}

/// A whole letter, in an async actor; says whether the actor stops.
pub(crate) async fn attend<M: 'static, H: Home>(
    mailbox: &mut Mailbox<M, H>,
    me: &mut Me,
    letter: &mut Letter,
) -> bool
where
    Mailbox<M, H>: Hands,
{
    me.received(letter);
    if letter.loops > 0 {
        let world = me.world.clone();
        send(
            mailbox,
            &world,
            me.name,
            me.name,
            Vec::new(),
            letter.loops - 1,
        );
    }
    for deed in std::mem::take(&mut letter.script) {
        match act(mailbox, me, deed) {
            None => {}
            Some(Pause::Yield) => {
                me.set_waiting(true);
                crate_yield().await;
                me.set_waiting(false);
            }
            Some(Pause::Wait) => {
                me.set_waiting(true);
                gate(&me.world).await;
                me.set_waiting(false);
            }
            Some(Pause::Stop) => {
                me.end(None);
                return true;
            }
        }
    }
    false
}

pub(crate) async fn crate_yield() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Waits until the host opens the gate next.
pub(crate) async fn gate(world: &World) {
    let number = world.state().gate_number;
    poll_fn(|context| {
        let mut state = world.state();
        if state.gate_number > number {
            return Poll::Ready(());
        }
        let waker = context.waker().clone();
        state.gates.push(waker.clone());
        state.old_wakers.push(waker);
        Poll::Pending
    })
    .await;
}

pub(crate) struct SmallHandler(pub(crate) Me);

impl Actor for SmallHandler {
    type Message = Small;

    fn started(&mut self, _: &mut Context<'_, Small>) {
        self.0.started();
        self.0.world.note_started();
    }

    fn receive(&mut self, mut message: Small, context: &mut Context<'_, Small>) {
        if handle(context, &mut self.0, &mut message.0) {
            context.stop();
        }
    }
}

/// Stops before it does the rest, which must make no difference.
pub(crate) struct MiddleHandler {
    pub(crate) me: Me,
    pub(crate) stops: bool,
}

impl Actor for MiddleHandler {
    type Message = Middle;

    fn started(&mut self, context: &mut Context<'_, Middle>) {
        self.me.started();
        // Spawns in its start handler, while there is room.
        let world = self.me.world.clone();
        if self.me.name.is_multiple_of(4) {
            spawn(context, &world, (self.me.name / 4) as u32 % 6);
        }
        world.note_started();
    }

    fn receive(&mut self, mut message: Middle, context: &mut Context<'_, Middle>) {
        assert!(!self.stops);
        if handle(context, &mut self.me, &mut message.0) {
            self.stops = true;
            context.stop();
        }
    }
}

pub(crate) struct LargeHandler(pub(crate) Me, pub(crate) [u64; 300]);

impl Actor for LargeHandler {
    type Message = Large;

    fn started(&mut self, _: &mut Context<'_, Large>) {
        self.0.started();
        self.0.world.note_started();
    }

    fn receive(&mut self, mut message: Large, context: &mut Context<'_, Large>) {
        let whole = self.1 == [9; 300] && message.1 == [7; 40];
        if !whole {
            self.0
                .world
                .state()
                .problem("bytes were changed".to_owned());
        }
        if handle(context, &mut self.0, &mut message.0) {
            context.stop();
        }
    }
}

/// Notes when the first poll of a future has returned.
pub(crate) struct FirstPoll<F> {
    pub(crate) future: std::pin::Pin<Box<F>>,
    pub(crate) noted: Option<World>,
}

impl<F: Future<Output = ()>> FirstPoll<F> {
    pub(crate) fn new(world: World, future: F) -> Self {
        Self {
            future: Box::pin(future),
            noted: Some(world),
        }
    }
}

impl<F: Future<Output = ()>> Future for FirstPoll<F> {
    type Output = ();

    fn poll(mut self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> Poll<()> {
        let poll = self.future.as_mut().poll(context);
        if let Some(world) = self.noted.take() {
            world.note_started();
        }
        poll
    }
}

pub(crate) async fn middle_task<H: Home>(mut mailbox: Mailbox<Middle, H>, mut me: Me)
where
    Mailbox<Middle, H>: Hands,
{
    me.is_async = true;
    me.started();
    loop {
        let mut message = mailbox.receive().await;
        if attend(&mut mailbox, &mut me, &mut message.0).await {
            return;
        }
    }
}

pub(crate) async fn large_task<H: Home>(mut mailbox: Mailbox<Large, H>, mut me: Me)
where
    Mailbox<Large, H>: Hands,
{
    me.is_async = true;
    me.started();
    let ballast = [3_u64; 100];
    let borrowed = &ballast;
    loop {
        let mut message = mailbox.receive().await;
        if attend(&mut mailbox, &mut me, &mut message.0).await {
            break;
        }
        if borrowed.iter().sum::<u64>() != 300 {
            me.world.state().problem("bytes were changed".to_owned());
        }
    }
}
