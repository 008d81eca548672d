//! Connects every worker with every other. Of two workers the one with the lower number calls and the other listens, so that worker 0 need
//! not be reachable. Each pair has two connections, and each side has proved the secret on both before they are used.
//!
//! A stranger who connects to the port can do no harm: what it says is read by one thread, without waiting, up to the length of a proof; only
//! so many such connections are kept, of which the oldest goes first; and each has a deadline. Workers call again until theirs.

use super::{
    handshake::{self, CallError, HELLO, Hello, Purpose},
    secret::{PROOF, Secret, random_bytes},
    watch::Watch,
};
use crate::{Error, Result};
use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    panic::resume_unwind,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

/// How many connections are kept that have proved nothing yet.
const MOST_STRANGERS: usize = 256;
/// How long a connection has to prove the secret.
const PROOF_DEADLINE: Duration = Duration::from_secs(5);
/// How many connections of strangers are each worth a line.
const LOGGED_STRANGERS: u32 = 8;
/// How often a worker calls another that closes the connection when it has heard the proof.
const REFUSALS: u32 = 3;

/// Who a worker is, and where all of them are.
#[derive(Clone, Debug)]
pub struct Place {
    /// The number of this worker.
    pub process: usize,
    /// The addresses of all workers.
    pub addresses: Vec<String>,
}

impl Place {
    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.addresses.len()
    }

    fn error(&self, process: usize, reason: String) -> Error {
        Error::Worker { process, address: self.addresses[process].clone(), reason, status: 4 }
    }
}

/// Opens the port of a worker. Worker 0 needs none.
///
/// # Errors
/// When the address is not one of this machine, or the port is taken.
pub fn listen(place: &Place) -> Result<Option<TcpListener>> {
    if place.process == 0 {
        return Ok(None);
    }
    let address = &place.addresses[place.process];
    let failed = |error| place.error(place.process, format!("cannot listen there: {error}"));
    TcpListener::bind(address).map(Some).map_err(failed)
}

/// Connects this worker with all others. The connections for data are returned, by the number of the other; those for control are given to
/// the watch.
///
/// # Errors
/// When a worker cannot be reached within the watch's timeout, or does not know the secret.
pub fn connect(
    place: &Place,
    secret: &Secret,
    listener: Option<TcpListener>,
    watch: &Watch,
) -> Result<Vec<Option<TcpStream>>> {
    let deadline = Instant::now() + watch.timeout();
    let abandoned = &AtomicBool::new(false);
    thread::scope(|scope| {
        let accepting = listener.map(|listener| {
            let acceptor = Acceptor::new(place, secret, watch, deadline);
            scope.spawn(move || {
                let accepted = acceptor.accept_all(&listener, abandoned);
                abandoned.fetch_or(accepted.is_err(), Relaxed);
                accepted
            })
        });
        let called = call_all(place, secret, watch, deadline, abandoned);
        abandoned.fetch_or(called.is_err(), Relaxed);
        let accepted = accepting.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        // Of two errors the one that came first is told: the other side has nothing to say then.
        let (mut links, accepted) = match (called, accepted.unwrap_or_else(|| Ok(Some(Vec::new())))) {
            (Ok(Some(links)), Ok(Some(accepted))) => (links, accepted),
            (Err(error), _) | (_, Err(error)) => return Err(error),
            _ => return Err(place.error(place.process, "has given up".into())),
        };
        for (process, stream) in accepted {
            links[process] = Some(stream);
        }
        Ok(links)
    })
}

/// Calls all workers with higher numbers; nothing comes of it when it was abandoned.
fn call_all(
    place: &Place,
    secret: &Secret,
    watch: &Watch,
    deadline: Instant,
    abandoned: &AtomicBool,
) -> Result<Option<Vec<Option<TcpStream>>>> {
    let mut links: Vec<Option<TcpStream>> = (0..place.workers()).map(|_| None).collect();
    for (process, link) in links.iter_mut().enumerate().skip(place.process + 1) {
        for purpose in [Purpose::Control, Purpose::Data] {
            let caller = Caller { place, to: process, purpose, secret };
            match (caller.call(watch, deadline, abandoned)?, purpose) {
                (None, _) => return Ok(None),
                (Some(control), Purpose::Control) => watch.listen(process, control)?,
                (data, Purpose::Data) => *link = data,
            }
        }
    }
    Ok(Some(links))
}

/// One who calls a worker.
struct Caller<'a> {
    place: &'a Place,
    to: usize,
    purpose: Purpose,
    secret: &'a Secret,
}

impl Caller<'_> {
    /// Calls until the worker answers, or until that is abandoned.
    fn call(&self, watch: &Watch, deadline: Instant, abandoned: &AtomicBool) -> Result<Option<TcpStream>> {
        let &Self { place, to, .. } = self;
        let (mut refusals, mut pause) = (0, Duration::from_millis(5));
        while !abandoned.load(Relaxed) {
            watch.check()?;
            let reason = match self.call_once(deadline) {
                Ok(stream) => return Ok(Some(stream)),
                Err(CallError::Impostor) => return Err(place.error(to, "does not know the secret".into())),
                Err(CallError::Refused) => {
                    refusals += 1;
                    "closes the connection: it seems to know another secret, or other hosts".to_owned()
                }
                Err(CallError::Io(error)) => format!("cannot be reached: {error}"),
            };
            if refusals == REFUSALS || Instant::now() + pause > deadline {
                return Err(place.error(to, reason));
            }
            thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(200));
        }
        Ok(None)
    }

    fn call_once(&self, deadline: Instant) -> Result<TcpStream, CallError> {
        let &Self { place, to, purpose, secret } = self;
        let left = deadline.saturating_duration_since(Instant::now()).clamp(Duration::from_millis(10), PROOF_DEADLINE);
        let mut failed = io::Error::from(io::ErrorKind::NotFound);
        for address in place.addresses[to].to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, left) {
                Ok(mut stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(left))?;
                    stream.set_write_timeout(Some(left))?;
                    let random = random_bytes().map_err(|error| io::Error::other(error.to_string()))?;
                    let workers = place.workers() as u32;
                    handshake::call(
                        &mut stream,
                        secret,
                        Hello { purpose, from: place.process as u32, to: to as u32, workers, random },
                    )?;
                    stream.set_read_timeout(None)?;
                    stream.set_write_timeout(None)?;
                    return Ok(stream);
                }
                Err(error) => failed = error,
            }
        }
        Err(failed.into())
    }
}

/// A connection that has proved nothing yet.
struct Stranger {
    stream: TcpStream,
    address: SocketAddr,
    deadline: Instant,
    /// What it has said so far: a greeting, then a proof.
    said: Vec<u8>,
    /// The greeting, and what was drawn for the proof, once it was sent.
    challenged: Option<([u8; HELLO], Hello, [u8; PROOF])>,
}

/// What came of a stranger.
enum Heard {
    /// More has to come.
    Waiting,
    /// It is a worker.
    Worker(Hello),
    /// It is none, for this reason.
    Stranger(&'static str),
}

struct Acceptor<'a> {
    place: &'a Place,
    secret: &'a Secret,
    watch: &'a Watch,
    deadline: Instant,
    strangers: VecDeque<Stranger>,
    /// How many connections turned out to be of no worker.
    refused: u32,
    /// For each worker that calls this one, whether its control connection is there, and its connection for data.
    callers: Vec<(bool, Option<TcpStream>)>,
}

impl<'a> Acceptor<'a> {
    fn new(place: &'a Place, secret: &'a Secret, watch: &'a Watch, deadline: Instant) -> Self {
        let callers = (0..place.process).map(|_| (false, None)).collect();
        Self { place, secret, watch, deadline, strangers: VecDeque::new(), refused: 0, callers }
    }

    /// Waits until all workers with lower numbers have called.
    fn accept_all(mut self, listener: &TcpListener, abandoned: &AtomicBool) -> Result<Option<Vec<(usize, TcpStream)>>> {
        let failed = |error| self.place.error(self.place.process, format!("cannot listen: {error}"));
        listener.set_nonblocking(true).map_err(failed)?;
        while let Some(missing) = self.callers.iter().position(|(control, data)| !control || data.is_none()) {
            self.watch.check()?;
            if abandoned.load(Relaxed) {
                return Ok(None);
            }
            if Instant::now() > self.deadline {
                let strangers = match self.refused {
                    0 => String::new(),
                    count => format!(" ({count} connections were closed that did not prove the secret)"),
                };
                return Err(self.place.error(missing, format!("has not called{strangers}")));
            }
            let accepted = self.accept_some(listener);
            if !self.hear_all()? && !accepted {
                thread::sleep(Duration::from_millis(1));
            }
        }
        if self.refused > LOGGED_STRANGERS {
            tracing::warn!("{} connections in all were closed that did not prove the secret", self.refused);
        }
        Ok(Some(
            self.callers.into_iter().enumerate().filter_map(|(process, (_, data))| Some((process, data?))).collect(),
        ))
    }

    /// Takes connections that wait, without waiting for any. Returns whether there was one.
    fn accept_some(&mut self, listener: &TcpListener) -> bool {
        let mut any = false;
        // Not all that there are: workers among those that are here are heard in between.
        for _ in 0..MOST_STRANGERS / 4 {
            let Ok((stream, address)) = listener.accept() else { break };
            any = true;
            if stream.set_nonblocking(true).is_err() || stream.set_nodelay(true).is_err() {
                continue;
            }
            let deadline = Instant::now() + PROOF_DEADLINE;
            self.strangers.push_back(Stranger { stream, address, deadline, said: Vec::new(), challenged: None });
            if self.strangers.len() > MOST_STRANGERS
                && let Some(oldest) = self.strangers.pop_front()
            {
                self.refuse(&oldest, "made room for others");
            }
        }
        any
    }

    /// Reads from all connections. Returns whether a connection was accepted.
    fn hear_all(&mut self) -> Result<bool> {
        let mut any = false;
        for _ in 0..self.strangers.len() {
            let Some(mut stranger) = self.strangers.pop_front() else { break };
            match stranger.hear(self.place, self.secret)? {
                Heard::Waiting if stranger.deadline > Instant::now() => {
                    self.strangers.push_back(stranger);
                    continue;
                }
                Heard::Waiting => self.refuse(&stranger, "did not say in time that it knows the secret"),
                Heard::Stranger(reason) => self.refuse(&stranger, reason),
                Heard::Worker(hello) => self.welcome(stranger.stream, hello)?,
            }
            any = true;
        }
        Ok(any)
    }

    fn refuse(&mut self, stranger: &Stranger, reason: &str) {
        self.refused += 1;
        if self.refused <= LOGGED_STRANGERS {
            tracing::warn!("a connection from {} was closed: it {reason}", stranger.address);
        }
    }

    /// Takes the connection of a worker, in place of an earlier one that it has given up.
    fn welcome(&mut self, stream: TcpStream, hello: Hello) -> Result<()> {
        let caller = &mut self.callers[hello.from as usize];
        let usable = stream.set_nonblocking(false).is_ok();
        match hello.purpose {
            Purpose::Data if usable => caller.1 = Some(stream),
            Purpose::Control if usable => {
                self.watch.listen(hello.from as usize, stream)?;
                caller.0 = true;
            }
            _ => {}
        }
        Ok(())
    }
}

impl Stranger {
    /// Reads what has arrived, and answers it.
    fn hear(&mut self, place: &Place, secret: &Secret) -> Result<Heard> {
        loop {
            let wanted = if self.challenged.is_some() { PROOF } else { HELLO };
            let mut bytes = [0; HELLO];
            // No byte beyond the message is read: that is for the next to read.
            let missing = wanted - self.said.len();
            match self.stream.read(&mut bytes[..missing]) {
                Ok(0) => return Ok(Heard::Stranger("ended without a proof of the secret")),
                Ok(read) => self.said.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Heard::Waiting),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Ok(Heard::Stranger("ended without a proof of the secret")),
            }
            if self.said.len() < wanted {
                continue;
            }
            let said = std::mem::take(&mut self.said);
            match self.challenged {
                None => {
                    let bytes: Option<[u8; HELLO]> = said.try_into().ok();
                    let Some((bytes, hello)) = bytes.and_then(|bytes| Some((bytes, Hello::from_bytes(&bytes)?))) else {
                        return Ok(Heard::Stranger("does not speak like a worker"));
                    };
                    let random = random_bytes()?;
                    // A few bytes always fit into an empty buffer.
                    if self.stream.write_all(&random).is_err() {
                        return Ok(Heard::Stranger("ended without a proof of the secret"));
                    }
                    self.challenged = Some((bytes, hello, random));
                }
                Some((bytes, hello, random)) => {
                    let proof: Option<[u8; PROOF]> = said.try_into().ok();
                    if !proof.is_some_and(|proof| handshake::is_caller(secret, &proof, &bytes, &random)) {
                        return Ok(Heard::Stranger("does not know the secret"));
                    }
                    let expected = (place.process as u32, place.workers() as u32);
                    if (hello.to, hello.workers) != expected || hello.from as usize >= place.process {
                        return Ok(Heard::Stranger("knows the secret, but has other hosts than this worker"));
                    }
                    let answer = handshake::listener_proof(secret, &bytes, &random);
                    return Ok(match self.stream.write_all(&answer) {
                        Ok(()) => Heard::Worker(hello),
                        Err(_) => Heard::Stranger("ended before it was answered"),
                    });
                }
            }
        }
    }
}
