//! How fast a device copies from memory of the host: the bound of what is streamed.

use super::Device;
use crate::Result;
use std::time::Instant;

/// How often a piece is copied, after a first time that does not count.
const COPIES: u32 = 16;

impl Device {
    /// The bytes a second at which it copies from memory of the host, in pieces of `bytes`, or of a quarter of its memory where that is less.
    ///
    /// # Errors
    /// When the system or the device gives no memory for a piece on both sides, or the device fails.
    #[doc(hidden)]
    pub fn copy_rate(&self, bytes: u64) -> Result<f64> {
        let info = self.info();
        let words = (bytes.min(info.partition_limit()).min(info.available() / 4) / 4).max(1) as usize;
        let piece = self.host_buffer_from("a piece to copy", &vec![1u32; words])?;
        let slot = self.slot("a copied piece", words)?;
        let mut transfer = self.transfer("copying a piece", &[(&piece, &slot)])?;
        let mut copy = || transfer.start().and_then(|()| transfer.wait());
        copy()?;
        let begin = Instant::now();
        (0..COPIES).try_for_each(|_| copy())?;
        Ok(f64::from(COPIES) * 4.0 * words as f64 / begin.elapsed().as_secs_f64())
    }
}
