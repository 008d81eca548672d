//! The connection to another worker as timely dataflow gets it. Its threads panic when a connection fails; here a connection that fails is
//! a fault for [`super::watch`] instead, and the thread that noticed sleeps until the process ends.

use super::watch::{GRACE, Watch};
use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};
use timely::communication::allocator::zero_copy::stream::Stream;

/// The length of the last message of a connection: a header of timely's, all zero.
const LAST_MESSAGE: usize = 48;

/// A connection that never fails: where it would, its thread stops.
pub struct PeerStream {
    stream: TcpStream,
    watch: Watch,
    peer: usize,
    /// How many zeros were read last.
    zeros: usize,
    /// The bytes that all connections of this worker have sent.
    sent: Arc<AtomicU64>,
}

impl PeerStream {
    pub fn new(stream: TcpStream, watch: Watch, peer: usize, sent: Arc<AtomicU64>) -> Self {
        Self { stream, watch, peer, zeros: 0, sent }
    }

    /// The connection has ended before its last message. The reason may still be on its way over another connection.
    fn stop(&self) -> ! {
        thread::sleep(GRACE);
        self.watch.raise(self.peer, "has closed its connection");
        loop {
            thread::park();
        }
    }
}

impl Read for PeerStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) if self.zeros >= LAST_MESSAGE => return Ok(0),
                Ok(0) => self.stop(),
                Ok(read) => {
                    let at_end = buffer[..read].iter().rev().take_while(|byte| **byte == 0).count();
                    self.zeros = if at_end == read { self.zeros + read } else { at_end };
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // After the last message nothing more is expected, however the connection ends.
                Err(_) if self.zeros >= LAST_MESSAGE => return Ok(0),
                Err(_) => self.stop(),
            }
        }
    }
}

impl Write for PeerStream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        loop {
            match self.stream.write(buffer) {
                Ok(written) if written > 0 || buffer.is_empty() => {
                    self.sent.fetch_add(written as u64, Relaxed);
                    return Ok(written);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => self.stop(),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for PeerStream {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(Self::new(self.stream.try_clone()?, self.watch.clone(), self.peer, self.sent.clone()))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.stream.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other side may be gone already, which is no trouble at the end.
        let _ = self.stream.shutdown(how);
        Ok(())
    }
}
