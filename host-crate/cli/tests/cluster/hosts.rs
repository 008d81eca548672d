//! Workers that are started one by one with a file of hosts and a secret, as on several machines.

use super::{ended, evenkeel, inside, printed, refused, started, stderr, stdout};
use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    process::Child,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

const SOON: Duration = Duration::from_secs(10);

/// A file of hosts on this machine with ports that are free, and a secret.
struct Hosts {
    folder: TempDir,
    addresses: Vec<String>,
}

impl Hosts {
    fn new(workers: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listeners: Vec<_> = (0..workers).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let addresses: Vec<String> = listeners.iter().map(|it| it.local_addr().unwrap().to_string()).collect();
        fs::write(folder.path().join("hosts"), addresses.join("\n") + "\n").unwrap();
        let hosts = Self { folder, addresses };
        hosts.secret("secret", "correct horse battery staple\n", 0o600);
        hosts
    }

    fn secret(&self, name: &str, text: &str, mode: u32) {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    }

    /// The arguments of a worker.
    fn arguments(&self, process: usize, secret: &str, more: &[&str]) -> Vec<String> {
        let hosts = ["--hosts", &inside(&self.folder, "hosts"), "--secret-file", &inside(&self.folder, secret)]
            .map(str::to_owned);
        let process = ["--process".to_owned(), process.to_string()];
        hosts.into_iter().chain(process).chain(more.iter().map(|word| (*word).to_owned())).collect()
    }

    fn start(&self, process: usize, more: &[&str]) -> Child {
        let arguments = self.arguments(process, "secret", more);
        started(&[&["bfs", "rmat:scale=8"][..], &arguments.iter().map(String::as_str).collect::<Vec<_>>()].concat())
    }
}

/// The answer of one worker.
fn expected() -> String {
    printed(&["bfs", "rmat:scale=8", "-q", "-o", "-", "--device", "cpu"])
}

#[test]
fn workers_in_any_order_write_what_one_does() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let hosts = Hosts::new(3);
        let mut workers: Vec<(usize, Child)> = Vec::new();
        for process in order {
            let output: &[&str] = if process == 0 { &["-q", "-o", "-"] } else { &["-q"] };
            workers.push((process, hosts.start(process, output)));
            thread::sleep(Duration::from_millis(100));
        }
        for (process, worker) in workers {
            let output = ended(worker, SOON);
            assert!(output.status.success(), "{order:?}: {}", stderr(&output));
            assert_eq!(stdout(&output), if process == 0 { expected() } else { String::new() }, "{order:?}");
        }
    }
}

/// Connects to a worker that is starting.
fn connect(address: &str) -> TcpStream {
    let deadline = Instant::now() + SOON;
    loop {
        match TcpStream::connect(address) {
            Ok(stream) => return stream,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn strangers_on_the_port_are_closed_and_logged_and_harm_nothing() {
    let hosts = Hosts::new(2);
    let listening = hosts.start(1, &[]);
    let mut garbage = connect(&hosts.addresses[1]);
    garbage.write_all(&b"GET / HTTP/1.1\r\n\r\n".repeat(10)).unwrap();
    garbage.set_read_timeout(Some(SOON)).unwrap();
    let mut answer = Vec::new();
    let _ = garbage.read_to_end(&mut answer);
    assert!(answer.is_empty(), "a stranger learns nothing");
    let silent = connect(&hosts.addresses[1]);
    let flood: Vec<TcpStream> = (0..300).filter_map(|_| TcpStream::connect(&hosts.addresses[1]).ok()).collect();
    let first = ended(hosts.start(0, &["-q", "-o", "-"]), SOON);
    assert_eq!((first.status.code(), stdout(&first)), (Some(0), expected()), "{}", stderr(&first));
    let second = ended(listening, SOON);
    assert!(second.status.success());
    let message = stderr(&second);
    assert!(
        message.contains("warning: a connection from 127.0.0.1:") && message.contains("does not speak like a worker"),
        "{message}"
    );
    drop((silent, flood));
}

#[test]
fn another_secret_is_refused_by_both() {
    let hosts = Hosts::new(2);
    hosts.secret("other", "another secret of some length\n", 0o600);
    let listening = hosts.start(1, &["--timeout", "2"]);
    let arguments = hosts.arguments(0, "other", &["--timeout", "5"]);
    let words: Vec<&str> = ["bfs", "rmat:scale=8"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
    let message = refused(&words, 4);
    let address = &hosts.addresses[1];
    assert!(message.contains(&format!("worker 1 ({address}) closes the connection")), "{message}");
    let output = ended(listening, SOON);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{message}");
    assert!(message.contains("it does not know the secret"), "{message}");
    assert!(message.contains(&format!("worker 0 ({}) has not called", hosts.addresses[0])), "{message}");
}

#[cfg(unix)]
#[test]
fn a_secret_that_others_can_read_is_refused() {
    let hosts = Hosts::new(2);
    for (text, mode, reason) in [
        ("correct horse battery staple", 0o644, "others than its owner may read"),
        ("correct horse battery staple", 0o660, "others than its owner may read"),
        ("", 0o600, "there is no secret in it"),
        ("short", 0o600, "can be guessed"),
    ] {
        hosts.secret("bad", text, mode);
        let arguments = hosts.arguments(0, "bad", &[]);
        let words: Vec<&str> =
            ["bfs", "rmat:scale=8"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        let message = refused(&words, 3);
        assert!(message.contains(reason), "{message}");
    }
}

#[test]
fn a_host_that_cannot_be_reached_is_named() {
    let hosts = Hosts::new(3);
    let begin = Instant::now();
    let workers = [0, 1].map(|process| hosts.start(process, &["--timeout", "2"]));
    for worker in workers {
        let output = ended(worker, Duration::from_secs(2) + SOON);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(4), "{message}");
        assert!(message.contains(&format!("worker 2 ({}) cannot be reached", hosts.addresses[2])), "{message}");
    }
    assert!(begin.elapsed() < Duration::from_secs(2) + SOON);
}

#[test]
fn workers_that_were_started_differently_are_refused() {
    let hosts = Hosts::new(2);
    let other = hosts.start(1, &["--max-depth", "1"]);
    let output = ended(hosts.start(0, &[]), SOON);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("was started with another graph, other options or another version"), "{message}");
    assert_eq!(ended(other, SOON).status.code(), Some(2));
}

#[test]
fn options_that_belong_together_are_asked_for() {
    let hosts = Hosts::new(2);
    let file = inside(&hosts.folder, "hosts");
    let secret = inside(&hosts.folder, "secret");
    for words in [
        &["--hosts", &file][..],
        &["--hosts", &file, "--process", "0"],
        &["--process", "0"],
        &["--secret-file", &secret],
        &["--hosts", &file, "--process", "0", "--secret-file", &secret, "--workers", "2"],
        &["--hosts", &file, "--process", "2", "--secret-file", &secret],
        &["--workers", "0"],
    ] {
        let output = evenkeel(&[&["bfs", "rmat:scale=5"], words].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", stderr(&output));
    }
}
