//! An address takes only messages of its type.
use ringspawn::{Address, System};

fn tell(system: &mut System, to: Address<u32>) {
    let _ = system.send(to, "a text");
}

fn main() {}
