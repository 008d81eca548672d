//! Workers as threads of one process: rounds, and strangers at the port.

mod algorithms;
mod on_devices;

use super::{connect::listen, *};
use crate::Error;
use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::Arc,
    thread,
    time::Instant,
};

const TIMEOUT: Duration = Duration::from_secs(20);

/// As many places as there shall be workers, each with its open port.
fn places(workers: usize) -> Vec<(Place, Option<TcpListener>)> {
    let listeners: Vec<TcpListener> = (0..workers).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses: Vec<String> = listeners.iter().map(|it| it.local_addr().unwrap().to_string()).collect();
    let place = |process| Place { process, addresses: addresses.clone() };
    listeners.into_iter().enumerate().map(|(process, it)| (place(process), Some(it).filter(|_| process > 0))).collect()
}

/// Runs the same on so many workers at once, and returns what came of each.
pub fn on_workers<T: Send + 'static>(
    workers: usize,
    run: impl Fn(&mut Cluster) -> Result<T> + Send + Sync + 'static,
) -> Vec<Result<T>> {
    let (secret, run) = (Secret::random().unwrap(), Arc::new(run));
    let start = |(place, listener): (Place, Option<TcpListener>)| {
        let (secret, run) = (secret.clone(), run.clone());
        thread::spawn(move || {
            let mut cluster = Cluster::join(place, &secret, listener, TIMEOUT, Box::new(|_| {}), |_| Ok(()))?;
            let done = run(&mut cluster).inspect_err(|error| cluster.watch().fail(error))?;
            cluster.close()?;
            Ok(done)
        })
    };
    let threads: Vec<_> = places(workers).into_iter().map(start).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn every_block_of_every_round_arrives() {
    for workers in [1, 2, 5] {
        // Lengths around that of a piece, and none at all.
        let length = |from: usize, to: usize, round: usize| [0, 1, 63, 64, 65, 700][(from + 2 * to + 3 * round) % 6];
        let block = move |from, to, round| vec![(from * 31 + to * 7 + round) as u8; length(from, to, round)];
        let ran = on_workers(workers, move |cluster| {
            let me = cluster.process();
            for round in 0..50 {
                let blocks = (0..workers).map(|to| block(me, to, round)).collect();
                let expected: Vec<Vec<u8>> = (0..workers).map(|from| block(from, me, round)).collect();
                assert_eq!(cluster.round(blocks)?, expected);
            }
            assert_eq!(cluster.exchange().rounds.len(), 50);
            assert_eq!(cluster.sum([1, me as u64])?, [workers as u64, (0..workers as u64).sum()]);
            let gathered = cluster.gather(&[me as u32])?;
            assert_eq!(gathered.iter().flatten().count(), if me == 0 { workers } else { 1 - me.min(1) });
            Ok(cluster.exchange().bytes_on_the_wire() > 0)
        });
        assert!(ran.into_iter().all(|sent| sent.unwrap() == (workers > 1)), "{workers} workers");
    }
}

#[test]
fn an_error_of_one_worker_ends_all_with_its_reason_and_status() {
    let ran = on_workers(3, |cluster| {
        if cluster.process() == 1 {
            return Err(Error::Graph("a row is upside down".into()));
        }
        for _ in 0..1000 {
            cluster.sum([0])?;
        }
        Ok(())
    });
    for (process, ran) in ran.into_iter().enumerate().filter(|(process, _)| *process != 1) {
        let error = ran.unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("worker 1 (127.0.0.1:"), "{process}: {message}");
        assert!(message.ends_with(") has failed: a row is upside down"), "{process}: {message}");
        assert_eq!(error.exit_status(), 3);
    }
}

/// Two workers, of which the second is disturbed before the first one calls. Whatever strangers do, the two find each other.
fn despite(disturb: impl FnOnce(&str)) {
    let secret = Secret::random().unwrap();
    let [first, second]: [_; 2] = places(2).try_into().unwrap_or_else(|_| panic!("there are two"));
    let join = |(place, listener): (Place, Option<TcpListener>), secret: Secret| {
        thread::spawn(move || {
            let mut cluster = Cluster::join(place, &secret, listener, TIMEOUT, Box::new(|_| {}), |_| Ok(()))?;
            let sum = cluster.sum([1])?;
            cluster.close().map(|()| sum)
        })
    };
    let address = second.0.addresses[1].clone();
    let listening = join(second, secret.clone());
    disturb(&address);
    let calling = join(first, secret);
    assert_eq!(calling.join().unwrap().unwrap(), [2]);
    assert_eq!(listening.join().unwrap().unwrap(), [2]);
}

/// Whether the other side closes the connection within some time.
fn is_closed(mut stream: &TcpStream) -> bool {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut rest = Vec::new();
    !matches!(stream.read_to_end(&mut rest), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
}

#[test]
fn garbage_is_closed() {
    despite(|address| {
        for garbage in [&b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(20)[..], &[0; 500], &[255; 60]] {
            let mut stream = TcpStream::connect(address).unwrap();
            let _ = stream.write_all(garbage);
            assert!(is_closed(&stream));
        }
    });
}

#[test]
fn silence_and_halves_of_greetings_keep_nobody_waiting() {
    let mut kept = Vec::new();
    despite(|address| {
        for said in [&b""[..], b"EKPEERS1", &[7; 52]] {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(said).unwrap();
            kept.push(stream);
        }
        // One that closes its half alone.
        let half = TcpStream::connect(address).unwrap();
        half.shutdown(std::net::Shutdown::Write).unwrap();
        kept.push(half);
    });
}

#[test]
fn a_flood_of_connections_keeps_nobody_waiting() {
    let mut kept = Vec::new();
    let begin = Instant::now();
    despite(|address| kept.extend((0..700).filter_map(|_| TcpStream::connect(address).ok())));
    assert!(kept.len() > 600 && begin.elapsed() < TIMEOUT, "{} connections in {:?}", kept.len(), begin.elapsed());
}

#[test]
fn who_does_not_know_the_secret_is_closed() {
    despite(|address| {
        use handshake::{CallError, Hello, Purpose, call};
        let hello = Hello { purpose: Purpose::Control, from: 0, to: 1, workers: 2, random: [9; 32] };
        let mut stream = TcpStream::connect(address).unwrap();
        let called = call(&mut stream, &Secret::random().unwrap(), hello);
        assert!(matches!(called, Err(CallError::Refused)), "{called:?}");
    });
}

#[test]
fn who_knows_the_secret_but_has_other_hosts_is_closed() {
    let secret = Secret::random().unwrap();
    let [mut first, second]: [_; 2] = places(2).try_into().unwrap_or_else(|_| panic!("there are two"));
    first.0.addresses.push("127.0.0.1:9".into());
    let listening = {
        let secret = secret.clone();
        thread::spawn(move || {
            let timeout = Duration::from_secs(2);
            Cluster::join(second.0, &secret, second.1, timeout, Box::new(|_| {}), |_| Ok(())).map(drop)
        })
    };
    let called = Cluster::join(first.0, &secret, None, TIMEOUT, Box::new(|_| {}), |_| Ok(())).map(drop);
    let error = called.unwrap_err().to_string();
    assert!(error.contains("closes the connection: it seems to know another secret, or other hosts"), "{error}");
    let error = listening.join().unwrap().unwrap_err().to_string();
    assert!(error.contains("has not called (3 connections were closed"), "{error}");
}

#[test]
fn a_worker_that_is_not_there_is_named() {
    let (place, _) = places(2).into_iter().next().unwrap();
    let begin = Instant::now();
    let timeout = Duration::from_secs(1);
    let joined = Cluster::join(place, &Secret::random().unwrap(), None, timeout, Box::new(|_| {}), |_| Ok(()));
    let error = joined.map(drop).unwrap_err();
    assert!(error.to_string().contains(") cannot be reached: "), "{error}");
    assert!(error.to_string().starts_with("worker 1 (127.0.0.1:") && error.exit_status() == 4, "{error}");
    assert!(begin.elapsed() < Duration::from_secs(4));
}

#[test]
fn an_address_of_another_machine_cannot_be_listened_at() {
    let place = Place { process: 1, addresses: vec!["127.0.0.1:1".into(), "203.0.113.7:2".into()] };
    let error = listen(&place).unwrap_err().to_string();
    assert!(error.starts_with("worker 1 (203.0.113.7:2) cannot listen there: "), "{error}");
}
