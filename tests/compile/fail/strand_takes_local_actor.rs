//! A strand takes no actor that lives only on a one-thread system, though it is `Send`.
use ringspawn::{Actor, Context, Local, ParallelSystem};

struct Homebody;

impl Actor<Local> for Homebody {
    type Message = ();

    fn receive(&mut self, (): (), _: &mut Context<'_, (), Local>) {}
}

fn main() {
    let mut system = ParallelSystem::new();
    system.spawn(Homebody);
    let _ = system.try_spawn(Homebody);
}
