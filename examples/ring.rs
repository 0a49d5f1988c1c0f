//! A token goes round a ring of actors: the smallest useful program.
//!
//! `cargo run --release --example ring -- 1000 1000`

use std::time::{Duration, Instant};

use ringspawn::{Actor, Address, Context, Left, System};

/// What a ring actor receives.
enum Message {
    /// Close the ring: this is the actor after you.
    Next(Address<Message>),
    /// Pass this on, with one hop less to go.
    Token { hops_left: u64 },
}

struct Node {
    next: Option<Address<Message>>,
}

impl Actor for Node {
    type Message = Message;

    fn receive(&mut self, message: Message, context: &mut Context<'_, Message>) {
        match (message, self.next) {
            (Message::Next(next), _) => self.next = Some(next),
            (Message::Token { hops_left }, Some(next)) if hops_left > 0 => {
                let hops_left = hops_left - 1;
                // The next actor lives as long as the system.
                let _ = context.send(next, Message::Token { hops_left });
            }
            (Message::Token { .. }, _) => {}
        }
    }
}

fn main() {
    let mut sizes = std::env::args().skip(1).map(|size| size.parse());
    let actors = sizes
        .next()
        .unwrap_or(Ok(1000))
        .expect("actors, a whole number");
    let laps = sizes
        .next()
        .unwrap_or(Ok(1000))
        .expect("laps, a whole number");

    let mut system = System::new();
    let last = system.spawn(Node { next: None });
    let first = (1..actors).fold(last, |next, _| system.spawn(Node { next: Some(next) }));
    system
        .send(last, Message::Next(first))
        .expect("the last actor lives");

    let hops: u64 = actors * laps;
    system
        .send(first, Message::Token { hops_left: hops })
        .expect("the first actor lives");
    let begin = Instant::now();
    while system.run(begin.elapsed(), 1_000_000) == Left::More {}
    let elapsed = begin.elapsed();

    // One message closed the ring, and the first of the others was no hop.
    assert_eq!(system.counters().received, hops + 2);
    let per_hop = Duration::as_secs_f64(&elapsed) * 1e9 / hops as f64;
    println!("{actors} actors, {laps} laps: {hops} hops in {elapsed:.2?}, {per_hop:.1} ns each");
}
