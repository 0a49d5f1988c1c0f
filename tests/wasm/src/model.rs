//! Random programs, checked against a simple model as they run.
//!
//! A program is a list of choices: whoever makes them up (a seed here, a property
//! test natively) decides everything. Its actors are of six types, with three types of
//! message, in both styles. Each message carries a script that its receiver acts out:
//! it sends, spawns, stops, panics, yields or waits at a gate. The model (`World`) is
//! told of each act and says what must come of it:
//!
//! - every mailbox is a plain queue, so who receives what, and in which order, is known;
//! - an actor starts once, before its messages, and lives until it stops or panics;
//! - a send succeeds if and only if its receiver lives;
//! - nobody who is ready waits for more than two turns of anybody else;
//! - nobody is left with work when the system says that it is idle;
//! - every actor and message is dropped exactly once;
//! - all counters are what the model counted.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use ringspawn::{
    Actor, Address, Anywhere, Context, ExitReason, Home, Left, Local, Mailbox, SendError, System,
};

/// Messages that a program may send in all.
const MOST_SENDS: u32 = 2000;
const MOST_ACTORS: usize = 60;
const TURN_BUDGETS: [u32; 5] = [32, 1, 2, 7, 64];

/// Makes up a program, choice by choice; zeros, the plainest choice, when it ends.
pub(crate) struct Choices<I>(pub(crate) I);

impl<I: Iterator<Item = u32>> Choices<I> {
    /// Below `count`.
    fn below(&mut self, count: u32) -> u32 {
        self.0.next().unwrap_or(0) % count
    }
}

/// What a message tells its receiver to do.
#[derive(Clone)]
enum Act {
    Send {
        to: u32,
        script: Vec<Act>,
    },
    /// Sends so many messages to itself, one after the other is received.
    Loop(u32),
    Spawn(u32),
    /// Spawns and sends at once.
    SpawnAndSend(u32, Vec<Act>),
    Stop,
    Panic,
    /// Async actors: be polled again.
    Yield,
    /// Async actors: wait for the host.
    Wait,
    /// The drop of the actor shall panic.
    ArmActor,
}

impl Act {
    fn script<I: Iterator<Item = u32>>(choices: &mut Choices<I>, depth: u32) -> Vec<Self> {
        let count = choices.below(4);
        (0..count).map(|_| Self::any(choices, depth)).collect()
    }

    fn any<I: Iterator<Item = u32>>(choices: &mut Choices<I>, depth: u32) -> Self {
        let inner = |choices: &mut Choices<I>| match depth {
            0 => Vec::new(),
            _ => Self::script(choices, depth - 1),
        };
        match choices.below(24) {
            0..7 => Self::Send {
                to: choices.below(u32::MAX),
                script: inner(choices),
            },
            7..9 => Self::Loop(choices.below(100)),
            9..12 => Self::Spawn(choices.below(6)),
            12..16 => Self::SpawnAndSend(choices.below(6), inner(choices)),
            16..18 => Self::Stop,
            18 => Self::Panic,
            19..21 => Self::Yield,
            21..23 => Self::Wait,
            _ => Self::ArmActor,
        }
    }
}

/// What every message carries.
struct Letter {
    from: usize,
    number: u32,
    script: Vec<Act>,
    loops: u32,
    /// Its drop panics unless it was received.
    bomb: bool,
    world: World,
}

impl Letter {
    fn bomb_text(from: usize, number: u32) -> String {
        format!("letter {from}.{number}")
    }
}

impl Drop for Letter {
    fn drop(&mut self) {
        let mut state = self.world.state();
        state.letters_dropped += 1;
        let explode = self.bomb && !state.defused;
        drop(state);
        if explode {
            resume_unwind(Box::new(Self::bomb_text(self.from, self.number)));
        }
    }
}

/// Three types of message: small, middling, large.
struct Small(Box<Letter>);
struct Middle(Letter);
struct Large(Letter, [u64; 40]);

/// An address of whichever type.
#[derive(Clone, Copy)]
enum Anyone {
    Small(Address<Small>),
    Middle(Address<Middle>),
    Large(Address<Large>),
}

/// What the model knows of an actor.
struct Record {
    address: Option<Anyone>,
    alive: bool,
    started: bool,
    queue: VecDeque<(usize, u32, bool)>,
    /// It waits for the host or its own wake, so it isn't ready whatever is queued.
    waiting: bool,
    dropped: bool,
    handled: u64,
    /// What everyone had handled when it became ready or had its last message.
    ready_since: Option<Vec<u64>>,
}

#[derive(Default)]
struct State {
    actors: Vec<Record>,
    problems: Vec<String>,
    failures: Vec<(usize, String)>,
    sent: u64,
    received: u64,
    undeliverable: u64,
    messages_dropped: u64,
    started: u64,
    stopped: u64,
    high_water: u64,
    letters: u64,
    letters_dropped: u64,
    sends_left: u32,
    largest_turn_budget: u64,
    gates: Vec<Waker>,
    gate_number: u64,
    /// Wakers of long ago, of actors that have ended or not.
    old_wakers: Vec<Waker>,
    defused: bool,
}

impl State {
    fn problem(&mut self, text: String) {
        self.problems.push(text);
    }

    fn snapshot(&self) -> Vec<u64> {
        self.actors.iter().map(|actor| actor.handled).collect()
    }

    fn is_ready(&self, actor: usize) -> bool {
        let actor = &self.actors[actor];
        actor.alive && !actor.waiting && (!actor.started || !actor.queue.is_empty())
    }

    /// An actor has its turn: nobody may have had too many meanwhile.
    fn check_wait(&mut self, actor: usize) {
        let Some(since) = self.actors[actor].ready_since.take() else {
            return;
        };
        for other in (0..self.actors.len()).filter(|other| *other != actor) {
            let before = since.get(other).copied().unwrap_or(0);
            let handled = self.actors[other].handled - before;
            if handled > 2 * self.largest_turn_budget {
                self.problem(format!(
                    "actor {other} handled {handled} messages while {actor} was ready"
                ));
            }
        }
    }

    /// Its turn comes to its end by `first`, if that is a panic.
    fn ended(&mut self, actor: usize, panic: Option<String>, armed: bool) {
        let record = &mut self.actors[actor];
        record.alive = false;
        record.ready_since = None;
        let queue = std::mem::take(&mut record.queue);
        self.stopped += 1;
        self.messages_dropped += queue.len() as u64;
        let drop_panic = armed.then(|| format!("drop of {actor}"));
        let bomb = queue.into_iter().find(|(_, _, bomb)| *bomb);
        let bomb = bomb.map(|(from, number, _)| Letter::bomb_text(from, number));
        if let Some(text) = panic.or(drop_panic).or(bomb) {
            self.failures.push((actor, text));
        }
    }
}

/// The model, shared by all actors of a program and its host.
#[derive(Clone, Default)]
struct World(Arc<Mutex<State>>);

impl World {
    const HOST: usize = usize::MAX;

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A letter and how the send of it must end.
    fn letter(&self, from: usize, to: usize, script: Vec<Act>, loops: u32) -> Option<Letter> {
        let mut state = self.state();
        state.sends_left = state.sends_left.checked_sub(1)?;
        state.letters += 1;
        let number = MOST_SENDS - state.sends_left;
        let bomb = number % 50 == 0;
        let snapshot = state.snapshot();
        let record = &mut state.actors[to];
        if record.alive {
            record.queue.push_back((from, number, bomb));
            record.ready_since.get_or_insert(snapshot);
            let length = record.queue.len() as u64;
            state.sent += 1;
            state.high_water = state.high_water.max(length);
        } else {
            state.undeliverable += 1;
        }
        drop(state);
        Some(Letter {
            from,
            number,
            script,
            loops,
            bomb,
            world: self.clone(),
        })
    }

    /// Looks at how a send ended.
    fn sent(&self, to: usize, result: Result<(), Letter>) {
        let alive = self.state().actors[to].alive;
        match result {
            Ok(()) if alive => {}
            Ok(()) => {
                let text = format!("a message to {to}, which has ended, was accepted");
                self.state().problem(text);
            }
            Err(mut letter) => {
                letter.bomb = false;
                if alive {
                    let text = format!("a message to {to}, which is alive, was refused");
                    self.state().problem(text);
                }
            }
        }
    }

    /// A start handler, or a first poll, is returning.
    fn note_started(&self) {
        self.state().started += 1;
    }

    /// Registers an actor that is about to be spawned.
    fn new_actor(&self) -> Option<usize> {
        let mut state = self.state();
        if state.actors.len() >= MOST_ACTORS {
            return None;
        }
        let snapshot = state.snapshot();
        state.actors.push(Record {
            address: None,
            alive: true,
            started: false,
            queue: VecDeque::new(),
            waiting: false,
            dropped: false,
            handled: 0,
            ready_since: Some(snapshot),
        });
        Some(state.actors.len() - 1)
    }
}

/// What an actor is in this world; in the actor itself, whose drop it notes.
struct Me {
    name: usize,
    world: World,
    armed: bool,
    is_async: bool,
    /// Its memory must stay its own.
    ballast: [u64; 5],
}

impl Me {
    fn new(name: usize, world: &World) -> Self {
        Self {
            name,
            world: world.clone(),
            armed: false,
            is_async: false,
            ballast: [name as u64; 5],
        }
    }

    fn started(&self) {
        let mut state = self.world.state();
        state.check_wait(self.name);
        let snapshot = state.snapshot();
        let record = &mut state.actors[self.name];
        if std::mem::replace(&mut record.started, true) || !record.alive {
            let text = format!("actor {} was started again", self.name);
            return state.problem(text);
        }
        if !record.queue.is_empty() {
            record.ready_since = Some(snapshot);
        }
    }

    fn received(&self, letter: &mut Letter) {
        letter.bomb = false;
        let mut state = self.world.state();
        state.check_wait(self.name);
        state.received += 1;
        let whole = self.ballast == [self.name as u64; 5];
        let record = &mut state.actors[self.name];
        record.handled += 1;
        let expected = record.queue.pop_front();
        let waits = !record.queue.is_empty();
        let right = record.alive && record.started && !record.waiting && whole;
        let received = expected.map(|(from, number, _)| (from, number));
        if !right || received != Some((letter.from, letter.number)) {
            let text = format!(
                "actor {} received {}.{} instead of {expected:?}",
                self.name, letter.from, letter.number
            );
            state.problem(text);
        }
        if waits {
            let snapshot = state.snapshot();
            state.actors[self.name].ready_since = Some(snapshot);
        }
    }

    /// The whole end of this actor: what it leaves behind is dropped next.
    fn end(&mut self, panic: Option<String>) {
        if panic.is_some() && self.is_async {
            // It is dropped while the panic passes by: another one would abort.
            self.armed = false;
        }
        let armed = self.armed;
        self.world.state().ended(self.name, panic.clone(), armed);
        if let Some(text) = panic {
            // Without the panic hook, whose output nobody needs here.
            resume_unwind(Box::new(text));
        }
    }

    fn set_waiting(&self, waiting: bool) {
        let mut state = self.world.state();
        state.actors[self.name].waiting = waiting;
        state.actors[self.name].ready_since = None;
    }
}

impl Drop for Me {
    fn drop(&mut self) {
        let mut state = self.world.state();
        let again = std::mem::replace(&mut state.actors[self.name].dropped, true);
        if again {
            let text = format!("actor {} was dropped again", self.name);
            state.problem(text);
        }
        let explode = self.armed && !state.defused;
        drop(state);
        if explode {
            resume_unwind(Box::new(format!("drop of {}", self.name)));
        }
    }
}

/// What an actor, or the host, can do with a system.
trait Hands {
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

hands! {
    Context<'_, M, Anywhere>, [M: 'static], Anywhere, |it: &mut Self, me| it.spawn(SmallHandler(me));
    Context<'_, M, Local>, [M: 'static], Local, |it: &mut Self, me| it.spawn(LocalHandler::new(me));
    Mailbox<M, Anywhere>, [M: 'static], Anywhere, |it: &mut Self, me| it.spawn(SmallHandler(me));
    Mailbox<M, Local>, [M: 'static], Local, |it: &mut Self, me| it.spawn(LocalHandler::new(me));
    System, [], Local, |it: &mut Self, me| it.spawn(LocalHandler::new(me));
}

/// Sends to whichever type of actor; `None` when the program has sent enough.
fn send(
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

fn spawn(hands: &mut impl Hands, world: &World, kind: u32) -> Option<usize> {
    let name = world.new_actor()?;
    let address = hands.make(kind, Me::new(name, world));
    world.state().actors[name].address = Some(address);
    Some(name)
}

/// What a handler can't do by itself in the middle of its script.
enum Pause {
    Yield,
    Wait,
    Stop,
}

/// Acts out what can be done at once; `Some` when the actor must wait or end.
fn act(hands: &mut impl Hands, me: &mut Me, act: Act) -> Option<Pause> {
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
fn handle(hands: &mut impl Hands, me: &mut Me, letter: &mut Letter) -> bool {
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
async fn attend<M: 'static, H: Home>(
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

async fn crate_yield() {
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
async fn gate(world: &World) {
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

struct SmallHandler(Me);

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

/// Bound to its thread, and of the same message type as another.
struct LocalHandler {
    me: Me,
    _not_send: std::rc::Rc<()>,
}

impl LocalHandler {
    fn new(me: Me) -> Self {
        Self {
            me,
            _not_send: std::rc::Rc::new(()),
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

/// Stops before it does the rest, which must make no difference.
struct MiddleHandler {
    me: Me,
    stops: bool,
}

impl Actor for MiddleHandler {
    type Message = Middle;

    fn started(&mut self, context: &mut Context<'_, Middle>) {
        self.me.started();
        // Spawns in its start handler, while there is room.
        let world = self.me.world.clone();
        if self.me.name % 4 == 0 {
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

struct LargeHandler(Me, [u64; 300]);

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
struct FirstPoll<F> {
    future: std::pin::Pin<Box<F>>,
    noted: Option<World>,
}

impl<F: Future<Output = ()>> FirstPoll<F> {
    fn new(world: World, future: F) -> Self {
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

async fn middle_task<H: Home>(mut mailbox: Mailbox<Middle, H>, mut me: Me)
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

async fn large_task<H: Home>(mut mailbox: Mailbox<Large, H>, mut me: Me)
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

/// Runs a program; the first thing that is wrong, if any is.
pub(crate) fn check(choices: impl Iterator<Item = u32>) -> Result<(), String> {
    let mut choices = Choices(choices);
    let mut system = System::new();
    let world = World::default();
    {
        let mut state = world.state();
        state.sends_left = MOST_SENDS;
        state.largest_turn_budget = 32;
    }
    let operations = 1 + choices.below(40);
    for _ in 0..operations {
        operate(&mut system, &world, &mut choices)?;
    }
    // Everything comes to rest, and then to its end.
    for round in 0..3 {
        open_gate(&world);
        while slice(&mut system, &world, 1 + u64::from(choices.below(300)))? == Left::More {}
        let count = world.state().actors.len();
        world.state().sends_left = MOST_SENDS;
        for actor in (0..count).filter(|_| round == 1) {
            if world.state().actors[actor].alive {
                send(&mut system, &world, World::HOST, actor, vec![Act::Stop], 0);
            }
        }
    }
    let alive = system.counters().alive();
    world.state().defused = true;
    if choices.below(2) == 0 && alive > 0 {
        return Err(format!("{alive} actors did not stop"));
    }
    drop(system);
    for waker in std::mem::take(&mut world.state().old_wakers) {
        waker.wake();
    }
    let state = world.state();
    if state.letters != state.letters_dropped {
        let (made, dropped) = (state.letters, state.letters_dropped);
        return Err(format!("{made} messages were made, {dropped} dropped"));
    }
    let kept = state.actors.iter().position(|actor| !actor.dropped);
    kept.map_or(Ok(()), |name| Err(format!("actor {name} was not dropped")))
}

/// One thing that the host does.
fn operate<I: Iterator<Item = u32>>(
    system: &mut System,
    world: &World,
    choices: &mut Choices<I>,
) -> Result<(), String> {
    match choices.below(12) {
        0..3 => {
            spawn(system, world, choices.below(6));
        }
        3..7 => {
            let count = world.state().actors.len() as u32;
            if count > 0 {
                let to = choices.below(count) as usize;
                let script = Act::script(choices, 3);
                send(system, world, World::HOST, to, script, choices.below(5));
            }
        }
        7..10 => {
            let budgets = [1, 3, 20, 100, 1000, u64::MAX];
            slice(system, world, budgets[choices.below(6) as usize])?;
        }
        10 => {
            let budget = TURN_BUDGETS[choices.below(5) as usize];
            let mut state = world.state();
            state.largest_turn_budget = state.largest_turn_budget.max(u64::from(budget));
            system.set_turn_budget(budget);
        }
        _ => open_gate(world),
    }
    look(system, world)
}

fn open_gate(world: &World) {
    let mut state = world.state();
    state.gate_number += 1;
    let mut wakers = std::mem::take(&mut state.gates);
    // And somebody who doesn't expect it.
    let number = state.gate_number as usize;
    if let Some(old) = state.old_wakers.get(number % 7) {
        wakers.push(old.clone());
    }
    drop(state);
    wakers.into_iter().for_each(Waker::wake);
}

fn slice(system: &mut System, world: &World, budget: u64) -> Result<Left, String> {
    let left = system.run(Duration::ZERO, budget);
    look(system, world)?;
    let state = world.state();
    if left == Left::Idle
        && let Some(forgotten) = (0..state.actors.len()).find(|actor| state.is_ready(*actor))
    {
        return Err(format!("idle, but actor {forgotten} has something to do"));
    }
    Ok(left)
}

/// Compares the system with the model.
fn look(system: &mut System, world: &World) -> Result<(), String> {
    let mut state = world.state();
    if let Some(problem) = state.problems.first() {
        return Err(problem.clone());
    }
    let counters = system.counters();
    let queued: usize = state.actors.iter().map(|actor| actor.queue.len()).sum();
    let expected_failures = std::mem::take(&mut state.failures);
    let spawned = state.actors.len() as u64;
    for (name, counted, expected) in [
        ("spawned", counters.spawned, spawned),
        ("started", counters.started, state.started),
        ("stopped", counters.stopped, state.stopped),
        ("sent", counters.sent, state.sent),
        ("received", counters.received, state.received),
        ("dropped", counters.dropped, state.messages_dropped),
        ("undeliverable", counters.undeliverable, state.undeliverable),
        ("high water", counters.queue_high_water, state.high_water),
        ("queued", system.queued(), queued as u64),
        (
            "sent, by sum,",
            counters.sent,
            counters.received + system.queued() + counters.dropped,
        ),
    ] {
        if counted != expected {
            return Err(format!("{name} is {counted}, should be {expected}"));
        }
    }
    for (name, actor) in state.actors.iter().enumerate() {
        let alive = match actor.address {
            Some(Anyone::Small(address)) => system.is_alive(address),
            Some(Anyone::Middle(address)) => system.is_alive(address),
            Some(Anyone::Large(address)) => system.is_alive(address),
            None => continue,
        };
        if alive != actor.alive || (!alive && !actor.dropped) {
            return Err(format!("actor {name} is alive: {alive}"));
        }
    }
    let failures = system.take_failures();
    let failures: Vec<_> = failures
        .into_iter()
        .map(|exit| match exit.reason {
            ExitReason::Failed { message, .. } => (exit.actor, message),
            other => (exit.actor, other.to_string()),
        })
        .collect();
    let expected: Vec<_> = expected_failures
        .into_iter()
        .filter_map(|(name, message)| {
            let id = match state.actors[name].address? {
                Anyone::Small(address) => address.id(),
                Anyone::Middle(address) => address.id(),
                Anyone::Large(address) => address.id(),
            };
            Some((id, message))
        })
        .collect();
    if failures != expected {
        return Err(format!("failures {failures:?}, should be {expected:?}"));
    }
    Ok(())
}

/// Numbers that look random (xorshift), the same for the same seed.
pub(crate) fn numbers(seed: u64) -> impl Iterator<Item = u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    })
}

/// Runs so many programs, from this seed on.
pub(crate) fn random_programs_from(seed: u64, count: u64) {
    for seed in seed..seed + count {
        if let Err(problem) = check(numbers(seed)) {
            panic!("seed {seed}: {problem}");
        }
    }
}

#[allow(dead_code, reason = "not where a property test makes the programs")]
pub(crate) fn random_programs_behave_as_the_model() {
    random_programs_from(1, if cfg!(debug_assertions) { 300 } else { 3000 });
}
