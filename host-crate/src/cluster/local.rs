//! Workers on this machine: the process that was asked for several is worker 0 and starts the others, which listen on the loopback interface.
//!
//! Each gets the secret over a pipe, its standard input, and answers with its port over another, its standard output; then it gets the
//! addresses of all. The first pipe stays open for as long as worker 0 is there. A worker knows that it is one by an environment variable,
//! which holds its number and nothing else.

use super::{
    connect::Place,
    secret::Secret,
    watch::{self, GRACE, Watch},
};
use crate::{Error, Result};
use std::{
    collections::VecDeque,
    env,
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpListener,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

/// The variable that holds the number of a worker that another has started.
const NUMBER: &str = "EVENKEEL_LOCAL_WORKER";
/// How many lines of what a worker said are kept, to be shown if it ends unexpectedly.
const KEPT_LINES: usize = 20;
/// How long workers may take to end when all is done, or when one has failed.
const LONGEST_END: Duration = Duration::from_secs(5);
/// What worker 0 is called, which nobody calls.
const UNLISTED: &str = "localhost";

/// The workers that this process has started.
pub struct LocalWorkers {
    workers: Vec<Arc<LocalWorker>>,
    /// Whether their end is expected.
    ending: Arc<AtomicBool>,
}

struct LocalWorker {
    number: usize,
    child: Mutex<Child>,
    said: Mutex<VecDeque<String>>,
    // Closed when this process ends, which tells the worker.
    _input: Mutex<Option<ChildStdin>>,
}

/// The number of this worker, if another process has started it.
pub fn number() -> Option<usize> {
    env::var(NUMBER).ok()?.parse().ok().filter(|number| *number > 0)
}

fn failed(number: usize, reason: impl std::fmt::Display) -> Error {
    Error::Worker {
        process: number,
        address: "127.0.0.1".into(),
        reason: format!("cannot be started: {reason}"),
        status: 4,
    }
}

impl LocalWorkers {
    /// Starts all workers but this one, with the arguments of this process.
    ///
    /// # Errors
    /// When the system does not start a process, or one does not say where it listens.
    pub fn start(workers: usize) -> Result<(Self, Place, Secret)> {
        let secret = Secret::random()?;
        let mut started = Self { workers: Vec::new(), ending: Arc::default() };
        let mut pipes = Vec::new();
        for number in 1..workers {
            let (worker, input, output) = start_one(number, &secret)?;
            started.workers.push(worker);
            pipes.push((input, output));
        }
        let mut addresses = vec![UNLISTED.to_owned()];
        for ((_, output), number) in pipes.iter_mut().zip(1..) {
            let mut line = String::new();
            output.read_line(&mut line).map_err(|error| failed(number, error))?;
            let port: u16 = line.trim().parse().map_err(|_| started.silent(number))?;
            addresses.push(format!("127.0.0.1:{port}"));
        }
        let line = addresses.join(" ");
        for ((mut input, _), worker) in pipes.into_iter().zip(&started.workers) {
            writeln!(input, "{line}").map_err(|error| failed(worker.number, error))?;
            *locked(&worker._input) = Some(input);
        }
        Ok((started, Place { process: 0, addresses }, secret))
    }

    /// The error of a worker that has ended before it said where it listens, with what it said instead.
    fn silent(&self, number: usize) -> Error {
        let worker = &self.workers[number - 1];
        let _ = locked(&worker.child).wait();
        // The thread that reads what it said comes to its end now.
        thread::sleep(Duration::from_millis(50));
        let said: Vec<String> = locked(&worker.said).iter().cloned().collect();
        failed(number, if said.is_empty() { "it says nothing".to_owned() } else { said.join("; ") })
    }

    /// Watches the workers: one that ends is a fault.
    ///
    /// # Errors
    /// When the system starts no thread.
    pub fn watch(&self, watch: &Watch) -> Result<()> {
        let (workers, watch, ending) = (self.workers.clone(), watch.clone(), self.ending.clone());
        watch::start("workers", move || {
            while !watch.is_finished() && !ending.load(Relaxed) {
                for worker in &workers {
                    let ended = locked(&worker.child).try_wait();
                    if let Ok(Some(status)) = ended
                        && !ending.load(Relaxed)
                    {
                        // If it has a reason that it told the others, that comes first.
                        thread::sleep(GRACE);
                        if !watch.is_finished() {
                            for line in locked(&worker.said).iter() {
                                tracing::info!("worker {}: {line}", worker.number);
                            }
                        }
                        watch.raise(worker.number, format!("has ended ({status})"));
                    }
                }
                thread::sleep(Duration::from_millis(20));
            }
        })
    }

    /// What ends the workers that have not ended by themselves, in whatever state they are.
    pub fn killer(&self) -> impl Fn() + Send + Sync + 'static {
        let (workers, ending) = (self.workers.clone(), self.ending.clone());
        move || {
            ending.store(true, Relaxed);
            wait(&workers, GRACE);
            for worker in &workers {
                let mut child = locked(&worker.child);
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }

    /// Waits for the workers to end when all is done.
    pub fn finish(self) {
        self.ending.store(true, Relaxed);
        for worker in &self.workers {
            drop(locked(&worker._input).take());
        }
        wait(&self.workers, LONGEST_END);
    }
}

/// Waits until all have ended, but not longer than this.
fn wait(workers: &[Arc<LocalWorker>], longest: Duration) {
    let deadline = Instant::now() + longest;
    let is_there = |worker: &Arc<LocalWorker>| matches!(locked(&worker.child).try_wait(), Ok(None));
    while workers.iter().any(is_there) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(2));
    }
}

impl Drop for LocalWorkers {
    fn drop(&mut self) {
        self.killer()();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Started = (Arc<LocalWorker>, ChildStdin, BufReader<Box<dyn Read + Send>>);

fn start_one(number: usize, secret: &Secret) -> Result<Started> {
    let program = env::current_exe().map_err(|error| failed(number, error))?;
    let mut command = Command::new(program);
    command.args(env::args_os().skip(1)).env(NUMBER, number.to_string());
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(number, error))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut input), Some(output), Some(errors)) = pipes else { return Err(failed(number, "it has no pipes")) };
    writeln!(input, "{}", secret.to_hex()).map_err(|error| failed(number, error))?;
    let worker =
        Arc::new(LocalWorker { number, child: Mutex::new(child), said: Mutex::default(), _input: Mutex::new(None) });
    let keeper = worker.clone();
    watch::start(&format!("messages-{number}"), move || {
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            tracing::debug!("worker {number}: {line}");
            let mut said = locked(&keeper.said);
            said.push_back(line);
            if said.len() > KEPT_LINES {
                said.pop_front();
            }
        }
    })?;
    Ok((worker, input, BufReader::new(Box::new(output))))
}

/// The side of a worker that another process has started: gets the secret, says where it listens, and gets the addresses of all.
///
/// # Errors
/// When the other process says something else, or has ended.
pub fn join(number: usize) -> Result<(Place, Secret, TcpListener)> {
    let wrong = |reason: &str| Error::Usage(format!("{NUMBER} is for workers that another has started: {reason}"));
    let mut line = String::new();
    let mut read = || {
        line.clear();
        io::stdin().read_line(&mut line).map_err(|_| wrong("there is no standard input"))?;
        Ok::<_, Error>(line.trim().to_owned())
    };
    let secret = Secret::from_hex(&read()?).ok_or_else(|| wrong("there is no secret"))?;
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| failed(number, error))?;
    let port = listener.local_addr().map_err(|error| failed(number, error))?.port();
    let mut output = io::stdout();
    writeln!(output, "{port}").and_then(|()| output.flush()).map_err(|_| wrong("nobody reads its port"))?;
    let addresses: Vec<String> = read()?.split(' ').map(str::to_owned).collect();
    if number >= addresses.len() {
        return Err(wrong("there are no addresses"));
    }
    Ok((Place { process: number, addresses }, secret, listener))
}

/// Ends this worker when the process that has started it does.
///
/// # Errors
/// When the system starts no thread.
pub fn end_with_parent(watch: &Watch) -> Result<()> {
    let watch = watch.clone();
    watch::start("parent", move || {
        let mut rest = Vec::new();
        let _ = io::stdin().lock().read_to_end(&mut rest);
        watch.raise(0, "has ended");
    })
}
