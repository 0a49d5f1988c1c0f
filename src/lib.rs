//! An actor runtime that stores actors and mailboxes by type.
mod actor;
mod address;
mod exit;
mod fold_hash;
mod home;
mod mailbox;
mod registry;
mod run_queue;
mod scheduler;
mod slab;
mod table;
mod task;
mod turn;
mod wake;

pub use actor::{Actor, Context};
pub use address::{ActorId, Address, SendError};
pub use exit::{Exit, ExitReason};
pub use home::{Admits, Anywhere, Home, Hosts, Local};
pub use scheduler::{Counters, Left, SpawnError, SpawnFailure, System};
pub use task::{Mailbox, Receive};
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod wasm;
pub mod workload;
