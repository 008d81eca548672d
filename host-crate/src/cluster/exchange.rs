//! The dataflow between workers, on timely dataflow: in each round every worker gives one block of bytes for every other and gets one from
//! each. The round is the timestamp, and timely's progress tracking says when all blocks of a round have arrived.

use super::{stream::PeerStream, watch::Watch};
use crate::{Error, Result};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{
    any::Any,
    cell::RefCell,
    fmt,
    io::ErrorKind,
    mem::ManuallyDrop,
    net::TcpStream,
    rc::Rc,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};
use timely::{
    WorkerConfig,
    communication::{
        Allocator, AllocatorBuilder, Hooks, WorkerGuards,
        allocator::{ProcessBuilder, thread::ThreadBuilder, zero_copy::initialize::initialize_networking_from_sockets},
        initialize_from,
    },
    container::CapacityContainerBuilder,
    dataflow::{
        ProbeHandle,
        channels::pact::Exchange as ByReceiver,
        operators::{
            Operator as _, Probe as _,
            vec::input::{Handle as InputHandle, Input as _},
        },
    },
    worker::Worker,
};

/// A block is sent in pieces of this many bytes, so that none needs a large buffer of its own and the first is on its way while the
/// others are being made.
const PIECE: usize = if cfg!(test) { 64 } else { 1 << 20 };
/// How many pieces are handed over before timely may send them on.
const PIECES_AT_A_TIME: usize = 16;
/// How long a worker sleeps at most before it looks whether another has ended.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);
/// How long the connections may take to close when all is done.
const LONGEST_CLOSING: Duration = Duration::from_secs(5);

/// A part of a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Piece {
    to: u32,
    from: u32,
    /// Where it belongs in the block.
    offset: u64,
    /// How long the block is.
    length: u64,
    bytes: Bytes,
}

/// Bytes that are copied as a whole, not one by one.
#[derive(Clone, Debug)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }
        }

        deserializer.deserialize_byte_buf(Visitor)
    }
}

/// What one round took on one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundReport {
    /// The bytes of the blocks that this worker gave to others.
    pub bytes: u64,
    /// From the call until all blocks were there: sending, and waiting for the slowest.
    pub time: Duration,
}

/// The dataflow between this worker and the others. Timely's own worker has a thread to itself.
pub struct Exchange {
    process: usize,
    workers: usize,
    watch: Watch,
    /// What each round has taken so far.
    pub rounds: Vec<RoundReport>,
    sent: Arc<AtomicU64>,
    /// The blocks of each round, to the thread.
    outgoing: Sender<Vec<Vec<u8>>>,
    /// The blocks that the others gave, from the thread.
    incoming: Receiver<Vec<Vec<u8>>>,
    /// Never dropped but by `close`: it waits for threads that may never end.
    guards: ManuallyDrop<WorkerGuards<()>>,
}

impl Exchange {
    /// Builds the dataflow over connections to the other workers, by their numbers; one alone has none.
    ///
    /// # Errors
    /// When the system starts no threads.
    pub fn new(process: usize, links: Vec<Option<TcpStream>>, watch: Watch) -> Result<Self> {
        let (workers, sent) = (links.len(), Arc::new(AtomicU64::new(0)));
        let (builder, others) = allocator(process, links, &watch, &sent)?;
        let (outgoing, to_send) = mpsc::channel();
        let (received, incoming) = mpsc::channel();
        let ends = Mutex::new(Some((to_send, received)));
        let of_thread = watch.clone();
        let run = move |allocator: Allocator| {
            // There is one thread, so that this is called once.
            let ends = ends.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some((to_send, received)) = ends {
                Dataflow::new(allocator, of_thread.clone()).run(&to_send, &received);
            }
        };
        let failed = |reason| Error::Device(format!("timely dataflow does not start: {reason}"));
        let guards = ManuallyDrop::new(initialize_from(vec![builder], others, run).map_err(failed)?);
        Ok(Self { process, workers, watch, rounds: Vec::new(), sent, outgoing, incoming, guards })
    }

    /// The number of this worker.
    pub fn process(&self) -> usize {
        self.process
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// The signs of life of the workers.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// All bytes that this worker has sent, timely's own messages included.
    pub fn bytes_on_the_wire(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    /// Gives a block to each worker, by their numbers, and returns those that the workers gave to this one. All workers must call it as
    /// often; it ends when all have.
    ///
    /// # Errors
    /// When a worker has ended, hangs or cannot be reached.
    pub fn round(&mut self, mut blocks: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        assert_eq!(blocks.len(), self.workers, "there is a block for each worker");
        let begin = Instant::now();
        let own = std::mem::take(&mut blocks[self.process]);
        let bytes = blocks.iter().map(|block| block.len() as u64).sum();
        // A thread that is gone is found out below.
        let _ = self.outgoing.send(blocks);
        let mut arrived = loop {
            self.watch.check()?;
            self.watch.tick();
            match self.incoming.recv_timeout(LONGEST_SLEEP) {
                Ok(arrived) => break arrived,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    // It ends when there is a fault.
                    self.watch.check()?;
                    return Err(Error::Device("timely dataflow has ended unexpectedly".into()));
                }
            }
        };
        self.watch.tick();
        arrived[self.process] = own;
        self.rounds.push(RoundReport { bytes, time: begin.elapsed() });
        Ok(arrived)
    }

    /// Ends the dataflow when all workers have done all rounds. From here on no worker can be a fault any more.
    ///
    /// # Errors
    /// When a worker has ended before all had done all rounds.
    pub fn close(mut self) -> Result<()> {
        // The last round: everybody has everything when it ends.
        self.round((0..self.workers).map(|_| Vec::new()).collect())?;
        self.watch.finish();
        let Self { outgoing, incoming, guards, watch, .. } = self;
        drop(outgoing);
        // A worker that was killed meanwhile would have the threads wait for ever, and nobody needs them any more.
        let (done, closed) = mpsc::channel();
        super::watch::start("closing", move || {
            drop(ManuallyDrop::into_inner(guards));
            let _ = done.send(());
        })?;
        let _ = closed.recv_timeout(LONGEST_CLOSING);
        drop(incoming);
        watch.close();
        Ok(())
    }
}

/// The side of timely's own thread.
struct Dataflow {
    worker: Worker,
    watch: Watch,
    round: u64,
    input: InputHandle<u64, Piece>,
    probe: ProbeHandle<u64>,
    /// Pieces that have arrived, with their rounds: those of the next come while a worker is still in this one.
    received: Rc<RefCell<Vec<(u64, Piece)>>>,
}

impl Dataflow {
    fn new(allocator: Allocator, watch: Watch) -> Self {
        let mut worker = Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()));
        let received = Rc::new(RefCell::new(Vec::new()));
        let keep = received.clone();
        let (input, probe) = worker.dataflow::<u64, _, _>(move |scope| {
            let (input, pieces) = scope.new_input::<Piece>();
            // The pieces stay where they arrive; what leaves is the knowledge that a round is over.
            let arrivals = pieces.unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(
                ByReceiver::new(|piece: &Piece| piece.to.into()),
                "blocks",
                |_, _| {
                    move |arriving, _| {
                        arriving.for_each_time(|round, pieces| {
                            let round = *round.time();
                            for pieces in pieces {
                                keep.borrow_mut().extend(pieces.drain(..).map(|piece: Piece| (round, piece)));
                            }
                        });
                    }
                },
            );
            let (probe, _) = arrivals.probe();
            (input, probe)
        });
        Self { worker, watch, round: 0, input, probe, received }
    }

    /// Does a round for all blocks that come, until no more can come.
    fn run(mut self, to_send: &Receiver<Vec<Vec<u8>>>, received: &Sender<Vec<Vec<u8>>>) {
        for blocks in to_send {
            // When a worker has ended the round never does.
            let Some(arrived) = self.round(blocks) else { return self.abandon() };
            if received.send(arrived).is_err() {
                return self.abandon();
            }
        }
        let Self { input, probe, mut worker, .. } = self;
        input.close();
        let deadline = Instant::now() + LONGEST_CLOSING;
        while !probe.done() && Instant::now() < deadline {
            worker.step_or_park(Some(LONGEST_SLEEP));
        }
    }

    /// Leaves timely's parts as they are: without the other workers they cannot be taken apart in order.
    fn abandon(self) {
        std::mem::forget(self);
    }

    fn round(&mut self, blocks: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
        let workers = blocks.len();
        self.send(blocks)?;
        self.round += 1;
        self.input.advance_to(self.round);
        while self.probe.less_than(&self.round) {
            if self.watch.has_fault() {
                return None;
            }
            self.worker.step_or_park(Some(LONGEST_SLEEP));
        }
        let mut arrived: Vec<Vec<u8>> = (0..workers).map(|_| Vec::new()).collect();
        let mut received = self.received.borrow_mut();
        let of_round = received.extract_if(.., |(round, _)| *round < self.round);
        for (_, Piece { from, offset, length, bytes: Bytes(bytes), .. }) in of_round {
            let (block, offset) = (&mut arrived[from as usize], offset as usize);
            if bytes.len() as u64 == length {
                *block = bytes;
                continue;
            }
            block.resize(length as usize, 0);
            block[offset..offset + bytes.len()].copy_from_slice(&bytes);
        }
        drop(received);
        Some(arrived)
    }

    /// Hands the blocks to timely, which sends what is there whenever it may step.
    fn send(&mut self, blocks: Vec<Vec<u8>>) -> Option<()> {
        let from = self.worker.index() as u32;
        let mut count = 0;
        for (to, block) in (0..).zip(blocks) {
            for (number, bytes) in block.chunks(PIECE).enumerate() {
                let (offset, length) = ((number * PIECE) as u64, block.len() as u64);
                self.input.send(Piece { to, from, offset, length, bytes: Bytes(bytes.to_vec()) });
                count += 1;
                if count % PIECES_AT_A_TIME == 0 {
                    self.input.flush();
                    self.worker.step();
                    if self.watch.has_fault() {
                        return None;
                    }
                }
            }
        }
        Some(())
    }
}

/// What timely sends messages with: connections, or nothing where there is one worker; and what ends them.
fn allocator(
    process: usize,
    links: Vec<Option<TcpStream>>,
    watch: &Watch,
    sent: &Arc<AtomicU64>,
) -> Result<(AllocatorBuilder, Box<dyn Any + Send>)> {
    if links.len() == 1 {
        return Ok((AllocatorBuilder::Thread(ThreadBuilder), Box::new(())));
    }
    let hooks = Hooks::default();
    let within = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), hooks.spill.clone());
    let stream = |(peer, link): (usize, Option<TcpStream>)| {
        link.map(|link| PeerStream::new(link, watch.clone(), peer, sent.clone()))
    };
    let streams = links.into_iter().enumerate().map(stream).collect();
    let failed = |error| Error::Device(format!("the connections to the other workers cannot be used: {error}"));
    let (builders, guard) =
        initialize_networking_from_sockets::<PeerStream>(within, streams, process, 1, hooks).map_err(failed)?;
    let builder = builders.into_iter().next().ok_or_else(|| failed(ErrorKind::NotFound.into()))?;
    Ok((AllocatorBuilder::Tcp(builder), Box::new(guard)))
}
