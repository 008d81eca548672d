//! What a strategy needs of a device, said before anything is allocated.

use super::DeviceInfo;
use crate::{Error, Result};
use std::fmt;

/// The buffers that a strategy will allocate.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct MemoryPlan {
    /// Name and bytes of each buffer.
    pub buffers: Vec<(String, u64)>,
    /// How the graph is kept, where not all of it is on the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<String>,
}

impl MemoryPlan {
    /// A plan with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer of `len` elements of `T`.
    pub fn with<T>(mut self, name: &str, len: usize) -> Self {
        self.buffers.push((name.to_owned(), len as u64 * size_of::<T>() as u64));
        self
    }

    /// Adds all buffers of another plan.
    pub fn and(mut self, other: Self) -> Self {
        self.buffers.extend(other.buffers);
        self.layout = self.layout.or(other.layout);
        self
    }

    /// All buffers together.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(|(_, bytes)| bytes).sum()
    }

    pub(super) fn check(&self, info: &DeviceInfo) -> Result<()> {
        for (name, bytes) in &self.buffers {
            check_buffer(name, *bytes, info)?;
        }
        if self.bytes() > info.available() {
            let (needed, available) = (Bytes(self.bytes()), info.available_said());
            return Err(Error::Memory(format!("{needed} of device memory needed, {available}: {self}")));
        }
        Ok(())
    }
}

impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The buffers of partitions are one, or the line would be long.
        let mut buffers: Vec<(&str, &str, u64, u32)> = Vec::new();
        for (name, bytes) in &self.buffers {
            let (name, kind) =
                name.split_once(" of partition ").map_or((&**name, "buffers"), |it| (it.0, "partitions"));
            match buffers.iter_mut().find(|it| (it.0, it.1) == (name, kind)) {
                Some((.., sum, count)) => (*sum, *count) = (*sum + bytes, *count + 1),
                None => buffers.push((name, kind, *bytes, 1)),
            }
        }
        let said = |(name, kind, bytes, count): (&str, &str, u64, u32)| match count {
            1 => format!("{name} {}", Bytes(bytes)),
            _ => format!("{name} {} in {count} {kind}", Bytes(bytes)),
        };
        f.write_str(&buffers.into_iter().map(said).collect::<Vec<_>>().join(", "))?;
        self.layout.iter().try_for_each(|layout| write!(f, "; {layout}"))
    }
}

/// Refuses a buffer that the device could not bind, before anything is allocated.
pub(super) fn check_buffer(name: &str, bytes: u64, info: &DeviceInfo) -> Result<()> {
    let DeviceInfo { name: device, max_buffer, .. } = info;
    if bytes > *max_buffer {
        let most = format!("{device} binds at most {max_buffer} bytes in one buffer");
        return Err(Error::Memory(format!("buffer '{name}' needs {bytes} bytes, but {most}")));
    }
    Ok(())
}

/// A number of bytes as a person reads it.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
        let unit = (self.0.max(1).ilog2() / 10).min(4);
        match unit {
            0 => write!(f, "{} B", self.0),
            _ => write!(f, "{:.1} {}", self.0 as f64 / (1u64 << (10 * unit)) as f64, UNITS[unit as usize]),
        }
    }
}
