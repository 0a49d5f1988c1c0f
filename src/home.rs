//! Where an actor may live, as a type: anywhere, or only on a one-thread `System`.
//!
//! A strand can move between threads, so it must take only what is `Send`, by
//! every path: a spawn from outside, from a [`Context`](crate::Context) or from
//! an `async` block, and messages too. One `Context` type serves both because it
//! carries the actor's [`Home`] as a type parameter:
//!
//! - [`Anywhere`], the default: what the actor spawns and sends must be `Send`.
//!   Such an actor can live on a strand (if it is `Send` itself) and on a `System`.
//! - [`Local`]: the actor may spawn and send anything, JavaScript values
//!   included. It lives only on a one-thread `System`.
//!
//! The check is made by the compiler and costs nothing at run time.

use std::convert::Infallible;
use std::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// Where an actor may live: [`Anywhere`] or [`Local`].
pub trait Home: sealed::Sealed + 'static {}

/// On a one-thread `System` or on a strand; spawns and sends only what is `Send`.
#[derive(Debug)]
pub enum Anywhere {}

/// Only on a one-thread `System`; may spawn and send what is not `Send`.
#[derive(Debug)]
pub struct Local {
    /// Nothing that carries this home may leave its thread.
    _not_send: PhantomData<*const ()>,
    _never: Infallible,
}

impl sealed::Sealed for Anywhere {}
impl sealed::Sealed for Local {}
impl Home for Anywhere {}
impl Home for Local {}

/// What may be handed to other actors from this home: from [`Anywhere`] only what is `Send`.
#[diagnostic::on_unimplemented(
    message = "`{T}` is not `Send`, so an actor that may live anywhere can't hand it over",
    label = "not `Send`",
    note = "to stay on a one-thread `System`, write `impl Actor<Local> for …` or take a `Mailbox<_, Local>`"
)]
pub trait Admits<T: ?Sized>: Home {}

impl<T: ?Sized> Admits<T> for Local {}
impl<T: ?Sized + Send> Admits<T> for Anywhere {}

/// Which actors may be spawned from this home: from [`Anywhere`] only those of [`Anywhere`].
#[diagnostic::on_unimplemented(
    message = "an actor that may live anywhere can't spawn one that lives only on a one-thread `System`",
    note = "write `impl Actor<Local> for …` for the spawning actor too"
)]
pub trait Hosts<H: Home>: Home {}

impl<H: Home> Hosts<H> for Local {}
impl Hosts<Anywhere> for Anywhere {}
