//! What a search sends, on timely dataflow.
//!
//! A thread of its own runs the dataflow: what is put in goes to the process that it is for. What one process sends to
//! another arrives in order, so that who has finished a round says so behind all else: a round is over for a process
//! when all others have said so. (The frontier of timely would tell the same, but later: it also waits to hear that
//! others have received what this process sent.) A second dataflow brings back what was taken out, so that a process
//! that is behind is not buried: what is on its way is bounded.

use crate::line::{Health, Line};
use serde::{Deserialize, Serialize};
use spinor_explore::{Exchange, Peers, Received};
use std::collections::VecDeque;
use std::fmt::{self, Debug};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{Allocator, AllocatorBuilder, ProcessBuilder};
use timely::communication::{Hooks, WorkerGuards, initialize_from};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Exchange as ByTarget;
use timely::dataflow::operators::Operator;
use timely::dataflow::{InputHandle, Stream};
use timely::worker::Worker;
use timely::{ExchangeData, WorkerConfig};

/// Words that may be on their way to one process before the sender waits.
const MAX_UNDERWAY: u64 = 1 << 19;
/// Words that are taken out before their sender is told: often enough that it does not wait, seldom enough that the threads
/// on the way are not woken for nothing.
const CONFIRMED: u64 = MAX_UNDERWAY / 4;
/// How long the dataflow sleeps when there is nothing to do.
const NAP: Duration = Duration::from_millis(100);

/// Something on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Message {
    to: u32,
    from: u32,
    round: u64,
    /// None of them: the sender has finished the round.
    #[serde(with = "crate::words")]
    words: Vec<u64>,
}

/// So many words were taken out.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Receipt {
    to: u32,
    from: u32,
    words: u64,
}

/// How timely gathers what it sends.
type Batches<D> = CapacityContainerBuilder<Vec<D>>;

/// What the search wants of the dataflow.
#[derive(Debug)]
enum Order {
    Send(Message),
    Confirm(Receipt),
    Finish,
}

/// What the search and the dataflow share.
#[derive(Debug, Default)]
struct Shared {
    orders: Mutex<Orders>,
    inbox: Mutex<Inbox>,
    arrived: Condvar,
    /// By process, words that are on their way to it, and words from it of whose receipt it does not know.
    underway: Vec<AtomicU64>,
    unconfirmed: Vec<AtomicU64>,
}

#[derive(Debug, Default)]
struct Orders {
    list: Vec<Order>,
    is_closing: bool,
}

#[derive(Debug, Default)]
struct Inbox {
    /// The round that this process is in, and whether it has finished it.
    round: u64,
    has_finished: bool,
    /// What arrived in this round, and in the next: nobody is further ahead.
    now: Arrived,
    later: Arrived,
    is_lost: bool,
}

/// What arrived in a round.
#[derive(Debug, Default)]
struct Arrived {
    messages: VecDeque<Message>,
    /// How many others have finished it.
    finished: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread of the dataflow, and those that serve connections.
struct Dataflow(WorkerGuards<()>);

impl Debug for Dataflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dataflow")
    }
}

/// The wire of a process to all others.
#[derive(Debug)]
pub struct Wire {
    index: usize,
    count: usize,
    shared: Arc<Shared>,
    health: Arc<Health>,
    dataflow: Mutex<Option<Dataflow>>,
    thread: Thread,
}

/// The processes at the other ends of connections; none where this process is.
///
/// # Errors
/// If connections cannot be used.
pub fn join(streams: Vec<Option<TcpStream>>) -> Result<(Peers, Arc<Wire>), String> {
    let count = streams.len();
    let index = streams.iter().position(Option::is_none).ok_or("a process is connected with all but itself")?;
    let health = Arc::new(Health::default());
    let line = |(peer, stream): (usize, Option<TcpStream>)| {
        stream.map(|stream| Line::new(stream, peer, health.clone())).transpose()
    };
    let lines =
        streams.into_iter().enumerate().map(line).collect::<Result<Vec<_>, _>>().map_err(|it| it.to_string())?;
    silence_panics();
    let hooks = Hooks::default();
    let inside = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
    let (builders, guard) =
        initialize_networking_from_sockets(inside, lines, index, 1, hooks).map_err(|error| error.to_string())?;
    let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
    let zeros = || (0..count).map(|_| AtomicU64::new(0)).collect();
    let shared = Arc::new(Shared { underway: zeros(), unconfirmed: zeros(), ..Shared::default() });
    let run = {
        let (shared, health) = (shared.clone(), health.clone());
        move |allocator| run(allocator, index, &shared, &health)
    };
    let dataflow = Dataflow(initialize_from(builders, Box::new(guard), run)?);
    let thread = dataflow.0.guards()[0].thread().clone();
    let wire = Arc::new(Wire { index, count, shared, health, dataflow: Mutex::new(Some(dataflow)), thread });
    Ok((wire.clone(), wire))
}

/// Threads of timely panic when a connection is lost. That is noticed elsewhere.
fn silence_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let is_of_timely = thread::current().name().is_some_and(|name| name.starts_with("timely:"));
        if !is_of_timely {
            usual(info);
        }
    }));
}

/// The thread of the dataflow.
fn run(allocator: Allocator, index: usize, shared: &Arc<Shared>, health: &Health) {
    let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
    let mut input = InputHandle::<u64, Batches<Message>>::new();
    let mut receipts = InputHandle::<u64, Batches<Receipt>>::new();
    worker.dataflow::<u64, _, _>(|scope| {
        let inbox = shared.clone();
        let arrive = move |message: Message| {
            let mut state = lock(&inbox.inbox);
            let arrived = if message.round == state.round { &mut state.now } else { &mut state.later };
            if message.words.is_empty() {
                arrived.finished += 1;
            } else {
                arrived.messages.push_back(message);
            }
            inbox.arrived.notify_all();
        };
        deliver(input.to_stream(scope), |message: &Message| u64::from(message.to), arrive);
    });
    worker.dataflow::<u64, _, _>(|scope| {
        let underway = shared.clone();
        let arrive = move |receipt: Receipt| {
            // Who is about to wait has looked before or looks after.
            let _inbox = lock(&underway.inbox);
            underway.underway[receipt.from as usize].fetch_sub(receipt.words, Relaxed);
            underway.arrived.notify_all();
        };
        deliver(receipts.to_stream(scope), |receipt: &Receipt| u64::from(receipt.to), arrive);
    });
    let mut round = 0;
    loop {
        let (orders, is_closing) = {
            let mut orders = lock(&shared.orders);
            (std::mem::take(&mut orders.list), orders.is_closing)
        };
        let is_idle = orders.is_empty();
        let (mut has_messages, mut has_receipts) = (false, false);
        for order in orders {
            has_messages |= !matches!(order, Order::Confirm(_));
            match order {
                Order::Send(message) => input.send(Message { round, ..message }),
                Order::Confirm(receipt) => {
                    has_receipts = true;
                    receipts.send(receipt);
                }
                Order::Finish => {
                    let peers = (0..shared.underway.len()).filter(|&to| to != index);
                    let end = |to: usize| Message { to: to as u32, from: index as u32, round, words: Vec::new() };
                    peers.for_each(|to| input.send(end(to)));
                    round += 1;
                }
            }
        }
        // What waits in a channel for more goes only with the end of a time, of which all others are told.
        if has_messages {
            input.advance_to(input.time() + 1);
        }
        if has_receipts {
            receipts.advance_to(receipts.time() + 1);
        }
        worker.step_or_park(Some(if is_idle { NAP } else { Duration::ZERO }));
        if health.loss().is_some() {
            lock(&shared.inbox).is_lost = true;
            shared.arrived.notify_all();
            // It would wait for somebody who is gone.
            return std::mem::forget(worker);
        }
        if is_closing && is_idle {
            break;
        }
    }
    input.close();
    receipts.close();
    health.close();
    while worker.has_dataflows() && health.loss().is_none() {
        worker.step_or_park(Some(NAP));
    }
}

/// Brings what is in a stream to the process that it is for.
fn deliver<'scope, D: ExchangeData + Serialize + for<'a> Deserialize<'a>>(
    stream: Stream<'scope, u64, Vec<D>>,
    to: impl FnMut(&D) -> u64 + 'static,
    mut arrive: impl FnMut(D) + 'static,
) {
    stream.unary::<Batches<()>, _, _, _>(ByTarget::new(to), "deliver", |_, _| {
        move |input, _output| input.for_each(|_, data| data.drain(..).for_each(&mut arrive))
    });
}

impl Wire {
    fn order(&self, order: Order) {
        lock(&self.shared.orders).list.push(order);
        self.thread.unpark();
    }

    /// Words of a process were taken out; tells it now and then.
    fn confirm(&self, from: usize, words: u64) {
        let unconfirmed = &self.shared.unconfirmed[from];
        let words = unconfirmed.fetch_add(words, Relaxed) + words;
        if words >= CONFIRMED {
            unconfirmed.fetch_sub(words, Relaxed);
            self.order(Order::Confirm(Receipt { to: from as u32, from: self.index as u32, words }));
        }
    }

    /// Why a process was lost, if one was.
    #[must_use]
    pub fn loss(&self) -> Option<String> {
        self.health.loss()
    }
}

impl Exchange for Wire {
    fn index(&self) -> usize {
        self.index
    }

    fn count(&self) -> usize {
        self.count
    }

    fn send(&self, to: usize, words: Vec<u64>) {
        self.shared.underway[to].fetch_add(words.len() as u64, Relaxed);
        // The dataflow knows the round.
        self.order(Order::Send(Message { to: to as u32, from: self.index as u32, round: 0, words }));
    }

    fn is_congested(&self) -> bool {
        self.shared.underway.iter().any(|words| words.load(Relaxed) > MAX_UNDERWAY)
    }

    fn finish(&self) {
        lock(&self.shared.inbox).has_finished = true;
        self.order(Order::Finish);
    }

    fn receive(&self, patience: Duration) -> Received {
        let mut inbox = lock(&self.shared.inbox);
        for may_wait in [true, false] {
            if inbox.is_lost {
                return Received::Lost;
            }
            if let Some(Message { from, words, .. }) = inbox.now.messages.pop_front() {
                drop(inbox);
                self.confirm(from as usize, words.len() as u64);
                return Received::Words { from: from as usize, words };
            }
            if inbox.has_finished && inbox.now.finished + 1 == self.count {
                inbox.round += 1;
                inbox.has_finished = false;
                inbox.now = std::mem::take(&mut inbox.later);
                return Received::Over;
            }
            if !may_wait || patience.is_zero() {
                break;
            }
            inbox = self.shared.arrived.wait_timeout(inbox, patience).unwrap_or_else(PoisonError::into_inner).0;
        }
        Received::Nothing
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        lock(&self.shared.orders).is_closing = true;
        self.thread.unpark();
        if self.loss().is_some() {
            // The threads that serve connections have panicked, or wait for somebody who is gone.
            std::mem::forget(lock(&self.dataflow).take());
        }
    }
}
