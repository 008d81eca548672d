//! Several workers on one graph, on timely dataflow: each has a range of the rows, and they exchange what the others need of theirs after
//! each iteration.
//!
//! | file | question |
//! | --- | --- |
//! | [`hosts`], [`local`] | where are the workers, and who starts them? |
//! | [`secret`], `handshake`, [`connect`] | is the other one a worker of this run? |
//! | [`watch`], `stream` | is it still there? |
//! | [`exchange`] | how does a block of bytes get to each of the others? |
//! | [`share`], [`load`] | which rows does a worker have, and where does it get them? |
//! | [`run`], `blocks` | what is an algorithm on several workers? |
//! | `bfs`, `sssp`, `pagerank`, `components` | what does each of them exchange? |
//! | [`on_device`] | which device does a worker have, and how do its kernels take part? |

mod bfs;
mod blocks;
mod components;
pub mod connect;
pub mod exchange;
mod handshake;
pub mod hosts;
pub mod load;
pub mod local;
pub mod on_device;
mod pagerank;
pub mod registry;
pub mod run;
pub mod secret;
pub mod share;
mod sssp;
mod stream;
pub mod watch;

use crate::Result;
use bytemuck::Pod;
use connect::Place;
use exchange::Exchange;
use secret::Secret;
use std::{net::TcpListener, time::Duration};
use watch::{OnFault, Watch};

/// A worker that is connected with all others.
pub struct Cluster {
    exchange: Exchange,
    place: Place,
}

impl Cluster {
    /// Connects with all other workers, of whom those with lower numbers call at `listener`. What `begin` does with the watch is done
    /// before.
    ///
    /// # Errors
    /// When a worker cannot be reached within the timeout, ends meanwhile, or does not know the secret.
    pub fn join(
        place: Place,
        secret: &Secret,
        listener: Option<TcpListener>,
        timeout: Duration,
        on_fault: OnFault,
        begin: impl FnOnce(&Watch) -> Result<()>,
    ) -> Result<Self> {
        let watch = Watch::new(place.process, place.addresses.clone(), timeout, on_fault)?;
        begin(&watch)?;
        let links = watch.during(|| connect::connect(&place, secret, listener, &watch));
        let exchange = links.and_then(|links| Exchange::new(place.process, links, watch.clone()));
        let exchange = exchange.inspect_err(|error| watch.fail(error))?;
        Ok(Self { exchange, place })
    }

    /// The number of this worker.
    pub fn process(&self) -> usize {
        self.place.process
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.place.workers()
    }

    /// The address of a worker.
    pub fn address(&self, process: usize) -> &str {
        &self.place.addresses[process]
    }

    /// The signs of life of the workers.
    pub fn watch(&self) -> &Watch {
        self.exchange.watch()
    }

    /// The dataflow between the workers.
    pub fn exchange(&mut self) -> &mut Exchange {
        &mut self.exchange
    }

    /// Gives a block to each worker, and returns what each gave to this one: see [`Exchange::round`].
    ///
    /// # Errors
    /// When a worker has ended, hangs or cannot be reached.
    pub fn round(&mut self, blocks: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        self.exchange.round(blocks)
    }

    /// Gives the same values to all workers, and returns those of each.
    ///
    /// # Errors
    /// As [`Exchange::round`].
    pub fn share<T: Pod>(&mut self, values: &[T]) -> Result<Vec<Vec<T>>> {
        let blocks = vec![bytemuck::cast_slice(values).to_vec(); self.workers()];
        Ok(self.round(blocks)?.iter().map(|block| values_of(block)).collect())
    }

    /// Gives values to worker 0 alone, which gets those of each; the others get nothing.
    ///
    /// # Errors
    /// As [`Exchange::round`].
    pub fn gather<T: Pod>(&mut self, values: &[T]) -> Result<Vec<Vec<T>>> {
        let mut blocks: Vec<Vec<u8>> = (0..self.workers()).map(|_| Vec::new()).collect();
        blocks[0] = bytemuck::cast_slice(values).to_vec();
        Ok(self.round(blocks)?.iter().map(|block| values_of(block)).collect())
    }

    /// Does what may fail in the same way on every worker on worker 0 first, so that it is worker 0 that tells of it.
    ///
    /// # Errors
    /// When the work fails, or a worker has ended.
    pub fn first<T>(&mut self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.process() == 0 {
            let done = work()?;
            return self.sum([0]).map(|_| done);
        }
        self.sum([0])?;
        work()
    }

    /// The sums of the values of all workers.
    ///
    /// # Errors
    /// As [`Exchange::round`].
    pub fn sum<const N: usize>(&mut self, values: [u64; N]) -> Result<[u64; N]> {
        let mut sums = [0; N];
        for each in self.share(&values)? {
            sums.iter_mut().zip(each).for_each(|(sum, value)| *sum += value);
        }
        Ok(sums)
    }

    /// Ends when all workers have come to their end.
    ///
    /// # Errors
    /// When a worker has ended before.
    pub fn close(self) -> Result<()> {
        self.exchange.close()
    }
}

/// The values in a block of bytes.
pub fn values_of<T: Pod>(block: &[u8]) -> Vec<T> {
    let mut values = vec![T::zeroed(); block.len() / size_of::<T>()];
    let whole = size_of_val(&values[..]);
    bytemuck::cast_slice_mut(&mut values).copy_from_slice(&block[..whole]);
    values
}

#[cfg(test)]
mod tests;
