//! Signs of life between workers. Each worker tells every other that it is alive, over a connection of its own, but only while its own
//! loop goes on; whoever has not been heard of for the timeout, or whose connection ends, is a fault, and a fault ends all workers.
//!
//! A worker that ends because of a fault, or because of an error of its own, says so before its connections close. So the others name the
//! worker that the trouble began with rather than the next one that ended because of it.

use crate::{Error, Result};
use std::{
    fmt,
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

/// The exit status after a fault.
const FAULT_STATUS: u8 = 4;
/// How long a reason can be that a worker sends to the others.
const LONGEST_REASON: usize = 4096;
/// How long an end of a connection waits for the reason, which may come over another one.
pub const GRACE: Duration = Duration::from_millis(400);

// The messages, each a byte and what follows it.
const ALIVE: u8 = 0;
const FINISHED: u8 = 1;
const FAILED: u8 = 2;

/// A worker with which a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of its process.
    pub process: usize,
    /// Where it listens.
    pub address: String,
    /// What is the matter with it, as the end of a sentence that begins with its name.
    pub reason: String,
    /// The exit status of the other workers.
    pub status: u8,
}

impl Fault {
    /// The fault as an error.
    pub fn error(self) -> Error {
        let Self { process, address, reason, status } = self;
        Error::Worker { process, address, reason, status }
    }
}

/// What is done about a fault, once. The command ends the process; a library may let [`Watch::check`] return the error.
pub type OnFault = Box<dyn Fn(&Fault) + Send + Sync>;

/// The signs of life of one worker, and those that it gets.
#[derive(Clone)]
pub struct Watch(Arc<Inner>);

struct Inner {
    process: usize,
    addresses: Vec<String>,
    timeout: Duration,
    begin: Instant,
    /// When the worker's loop last went on, in milliseconds since the beginning.
    ticked: AtomicU64,
    /// How many long pieces of work are under way that do not tick.
    long_work: AtomicUsize,
    fault: Mutex<Option<Fault>>,
    has_fault: AtomicBool,
    on_fault: OnFault,
    /// Held by the thread that deals with a fault.
    handling: Mutex<bool>,
    /// Whether this worker needs the others no more.
    finished: AtomicBool,
    /// Marks the workers that need no more of this one.
    peers_finished: Vec<AtomicBool>,
    controls: Mutex<Vec<Option<TcpStream>>>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Watch({} of {})", self.0.process, self.0.addresses.len())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// The watch of worker `process` of those at `addresses`.
    ///
    /// # Errors
    /// When the system starts no thread.
    pub fn new(process: usize, addresses: Vec<String>, timeout: Duration, on_fault: OnFault) -> Result<Self> {
        let workers = addresses.len();
        let watch = Self(Arc::new(Inner {
            process,
            addresses,
            timeout,
            begin: Instant::now(),
            ticked: AtomicU64::new(0),
            long_work: AtomicUsize::new(0),
            fault: Mutex::new(None),
            has_fault: AtomicBool::new(false),
            on_fault,
            handling: Mutex::new(false),
            finished: AtomicBool::new(false),
            peers_finished: (0..workers).map(|_| AtomicBool::new(false)).collect(),
            controls: Mutex::new((0..workers).map(|_| None).collect()),
        }));
        let sender = watch.clone();
        start("alive", move || sender.send_signs())?;
        Ok(watch)
    }

    /// How long a worker may be silent.
    pub fn timeout(&self) -> Duration {
        self.0.timeout
    }

    /// Begins to listen to a worker, over a connection on which it has proved the secret.
    ///
    /// # Errors
    /// When the connection is of no use already, or the system starts no thread.
    pub fn listen(&self, peer: usize, control: TcpStream) -> Result<()> {
        let failed = |error: io::Error| self.fault_of(peer, format!("cannot be listened to: {error}")).error();
        control.set_read_timeout(Some(self.0.timeout)).map_err(failed)?;
        control.set_write_timeout(Some(Duration::from_secs(1))).map_err(failed)?;
        let reader = control.try_clone().map_err(failed)?;
        locked(&self.0.controls)[peer] = Some(control);
        let watch = self.clone();
        start(&format!("watch-{peer}"), move || watch.read_signs(peer, reader))
    }

    /// Says that this worker's loop goes on.
    #[inline]
    pub fn tick(&self) {
        self.0.ticked.store(self.0.begin.elapsed().as_millis() as u64, Relaxed);
    }

    /// Does work that may take longer than the timeout without a tick: reading a graph, say. The others are told meanwhile that this
    /// worker is alive.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.long_work.fetch_add(1, Relaxed);
        let done = work();
        self.tick();
        self.0.long_work.fetch_sub(1, Relaxed);
        done
    }

    /// The first fault, as an error, if there is one.
    pub fn check(&self) -> Result<()> {
        match self.has_fault() {
            false => Ok(()),
            true => {
                self.handle();
                let fault = locked(&self.0.fault).clone();
                fault.map_or(Ok(()), |fault| Err(fault.error()))
            }
        }
    }

    /// Whether there is a fault.
    pub fn has_fault(&self) -> bool {
        self.0.has_fault.load(Relaxed)
    }

    /// Whether this worker needs the others no more.
    pub fn is_finished(&self) -> bool {
        self.0.finished.load(Relaxed)
    }

    /// A worker has ended, hangs, or cannot be reached: the others are told, and this one ends. Only the first fault counts, and none
    /// after this worker has finished.
    pub fn raise(&self, peer: usize, reason: impl Into<String>) {
        self.raise_fault(self.fault_of(peer, reason.into()));
    }

    /// Tells the others that this worker ends because of an error: its own, or what it has found out about another.
    pub fn fail(&self, error: &Error) {
        // The others have been told of a fault.
        if self.has_fault() || self.is_finished() {
            return;
        }
        self.0.finished.store(true, Relaxed);
        let status = error.exit_status();
        self.tell_all(&failure(&match error {
            Error::Worker { process, reason, .. } => Fault { status, ..self.fault_of(*process, reason.clone()) },
            _ => Fault { status, ..self.fault_of(self.0.process, format!("has failed: {error}")) },
        }));
    }

    /// Tells the others that this worker needs them no more, so that none of them can be a fault.
    pub fn finish(&self) {
        self.0.finished.store(true, Relaxed);
        self.tell_all(&[FINISHED]);
    }

    fn fault_of(&self, process: usize, reason: String) -> Fault {
        let address = self.0.addresses.get(process).cloned().unwrap_or_default();
        Fault { process, address, reason, status: FAULT_STATUS }
    }

    fn raise_fault(&self, fault: Fault) {
        if self.is_finished() {
            return;
        }
        {
            let mut first = locked(&self.0.fault);
            if first.is_some() {
                return;
            }
            *first = Some(fault.clone());
        }
        self.tell_all(&failure(&fault));
        self.0.has_fault.store(true, Relaxed);
        self.handle();
    }

    /// Deals with the fault, once. Another thread waits for that, for ever where it ends the process.
    fn handle(&self) {
        let mut is_handled = locked(&self.0.handling);
        if !*is_handled && let Some(fault) = locked(&self.0.fault).clone() {
            (self.0.on_fault)(&fault);
            *is_handled = true;
        }
    }

    fn tell_all(&self, message: &[u8]) {
        for control in locked(&self.0.controls).iter_mut().flatten() {
            // One that cannot be told any more is no news to the others.
            let _ = control.write_all(message);
        }
    }

    /// How often a sign of life is sent: several in each timeout, and at least one a second.
    fn interval(&self) -> Duration {
        (self.0.timeout / 5).clamp(Duration::from_millis(20), Duration::from_secs(1))
    }

    fn is_alive(&self) -> bool {
        let ticked = Duration::from_millis(self.0.ticked.load(Relaxed));
        self.0.long_work.load(Relaxed) > 0 || self.0.begin.elapsed().saturating_sub(ticked) < self.0.timeout
    }

    fn send_signs(&self) {
        while !self.is_finished() && !self.has_fault() {
            if self.is_alive() {
                self.tell_all(&[ALIVE]);
            }
            thread::sleep(self.interval());
        }
    }

    /// Reads what a worker says until it ends.
    fn read_signs(&self, peer: usize, mut control: TcpStream) {
        loop {
            let ended = match read_sign(&mut control) {
                Ok(Sign::Alive) => continue,
                Ok(Sign::Finished) => {
                    self.0.peers_finished[peer].store(true, Relaxed);
                    continue;
                }
                Ok(Sign::Failed(status, process, reason)) => {
                    self.raise_fault(Fault { status, ..self.fault_of(process, reason) });
                    return;
                }
                Err(error) => error,
            };
            let is_silent = matches!(ended.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
            // One that has finished may do what it likes.
            if self.0.peers_finished[peer].load(Relaxed) {
                return;
            }
            if is_silent {
                let seconds = self.0.timeout.as_secs_f64();
                self.raise(
                    peer,
                    format!("has not been heard of for {seconds} s: it hangs, or its machine or the network is down"),
                );
            } else {
                self.raise(peer, "has ended");
            }
            return;
        }
    }

    /// Closes the connections, so that the threads of this watch end.
    pub fn close(&self) {
        self.0.finished.store(true, Relaxed);
        for control in locked(&self.0.controls).iter_mut().filter_map(Option::take) {
            let _ = control.shutdown(Shutdown::Both);
        }
    }
}

/// What a worker says.
enum Sign {
    Alive,
    Finished,
    /// It ends: the exit status, the worker that it is about, and the reason.
    Failed(u8, usize, String),
}

fn failure(fault: &Fault) -> Vec<u8> {
    let mut reason = fault.reason.as_str();
    while reason.len() > LONGEST_REASON {
        let cut = (0..=LONGEST_REASON).rev().find(|place| reason.is_char_boundary(*place)).unwrap_or(0);
        reason = &reason[..cut];
    }
    let mut message = vec![FAILED, fault.status];
    message.extend((fault.process as u32).to_le_bytes());
    message.extend((reason.len() as u16).to_le_bytes());
    message.extend(reason.as_bytes());
    message
}

fn read_sign(control: &mut impl Read) -> io::Result<Sign> {
    let mut kind = [0];
    control.read_exact(&mut kind)?;
    match kind[0] {
        ALIVE => Ok(Sign::Alive),
        FINISHED => Ok(Sign::Finished),
        FAILED => {
            let mut head = [0; 7];
            control.read_exact(&mut head)?;
            let [status, a, b, c, d, low, high] = head;
            let length = usize::from(u16::from_le_bytes([low, high]));
            let mut reason = vec![0; length.min(LONGEST_REASON)];
            control.read_exact(&mut reason)?;
            let process = u32::from_le_bytes([a, b, c, d]) as usize;
            Ok(Sign::Failed(status.max(1), process, String::from_utf8_lossy(&reason).into_owned()))
        }
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Starts a thread that ends with the process.
pub fn start(name: &str, body: impl FnOnce() + Send + 'static) -> Result<()> {
    let failed = |error| Error::Device(format!("the system does not start a thread: {error}"));
    thread::Builder::new().name(name.into()).spawn(body).map(drop).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{net::TcpListener, sync::mpsc};

    /// Two watches that listen to each other, and the faults of the first.
    fn pair(timeout: Duration) -> (Watch, Watch, mpsc::Receiver<Fault>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ends = [TcpStream::connect(listener.local_addr().unwrap()).unwrap(), listener.accept().unwrap().0];
        let addresses = vec!["first:1".to_owned(), "second:2".to_owned()];
        let (sender, faults) = mpsc::channel();
        let on_fault: [OnFault; 2] =
            [Box::new(move |fault: &Fault| drop(sender.send(fault.clone()))), Box::new(|_: &Fault| {})];
        let mut number = 0;
        let watches = on_fault.map(|on_fault| {
            number += 1;
            Watch::new(number - 1, addresses.clone(), timeout, on_fault).unwrap()
        });
        let [first, second] = watches;
        let [one, other] = ends;
        first.listen(1, one).unwrap();
        second.listen(0, other).unwrap();
        (first, second, faults)
    }

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_connection_that_ends_is_a_fault_with_a_name() {
        let (first, second, faults) = pair(LONG);
        assert!(first.check().is_ok());
        for control in locked(&second.0.controls).iter_mut().filter_map(Option::take) {
            control.shutdown(Shutdown::Both).unwrap();
        }
        let fault = faults.recv_timeout(LONG).unwrap();
        assert_eq!((fault.process, fault.status, fault.reason.as_str()), (1, 4, "has ended"));
        assert_eq!(first.check().unwrap_err().to_string(), "worker 1 (second:2) has ended");
    }

    #[test]
    fn a_loop_that_does_not_go_on_is_a_fault_and_long_work_is_none() {
        let (first, second, faults) = pair(Duration::from_millis(300));
        let keep = first.clone();
        thread::spawn(move || {
            while !keep.is_finished() {
                keep.tick();
                thread::sleep(Duration::from_millis(20));
            }
        });
        second.during(|| assert!(faults.recv_timeout(Duration::from_millis(900)).is_err()));
        let fault = faults.recv_timeout(LONG).unwrap();
        assert_eq!(fault.process, 1);
        assert!(fault.reason.starts_with("has not been heard of for 0.3 s"), "{}", fault.reason);
        first.finish();
    }

    #[test]
    fn the_reason_of_an_error_reaches_the_others() {
        let (first, second, faults) = pair(LONG);
        second.fail(&Error::Usage("x".repeat(5000)));
        second.close();
        let fault = faults.recv_timeout(LONG).unwrap();
        assert_eq!((fault.process, fault.status, fault.reason.len()), (1, 2, LONGEST_REASON));
        assert_eq!(first.check().unwrap_err().exit_status(), 2);
    }

    #[test]
    fn who_has_finished_is_no_fault() {
        let (first, second, faults) = pair(LONG);
        second.finish();
        second.close();
        assert!(faults.recv_timeout(Duration::from_millis(300)).is_err());
        assert!(first.check().is_ok());
    }
}
