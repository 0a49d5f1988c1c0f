//! Why actors end, as values.
//!
//! An actor ends normally by stopping, or fails by panicking. A failure ends that
//! actor alone and is kept with its message and, where the host knows it, its place.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::address::ActorId;

/// Why an actor ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExitReason {
    /// It stopped itself, or its `async` block came to its end.
    Normal,
    /// It panicked.
    Failed {
        /// The panic's message.
        message: String,
        /// File, line and column, if the host's panic hook noted them.
        place: Option<String>,
    },
}

impl fmt::Display for ExitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal => f.write_str("normal"),
            Self::Failed {
                message,
                place: Some(place),
            } => write!(f, "failed: {message} ({place})"),
            Self::Failed { message, .. } => write!(f, "failed: {message}"),
        }
    }
}

/// An actor's end: who and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The actor that ended.
    pub actor: ActorId,
    /// Why it ended.
    pub reason: ExitReason,
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "actor {} {}", self.actor, self.reason)
    }
}

/// A panic's message, if it has a text.
pub(crate) fn panic_message(payload: Box<dyn Any + Send>) -> String {
    let message = if let Some(text) = payload.downcast_ref::<&'static str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "panic without a text".to_owned()
    };
    contain(|| drop(payload));
    message
}

/// Runs a piece of user code, such as a `Drop`, whose panic must go no further.
pub(crate) fn contain(work: impl FnOnce()) {
    let Err(payload) = catch_unwind(AssertUnwindSafe(work)) else {
        return;
    };
    // The payload's own drop may panic too; forgetting that one's payload ends the chain.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(payload);
    }
}

/// A panic that was no actor's may have left its place, which must not be taken for the
/// next one's.
pub(crate) fn forget_place(panic_place: Option<fn() -> Option<String>>) {
    if let Some(place) = panic_place {
        place();
    }
}
