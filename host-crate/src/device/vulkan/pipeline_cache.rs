//! Compiled pipelines kept between runs, in one file for each device and driver in the user's cache folder. The file is written
//! whole or not at all. What is read back goes to the driver only if it is exactly what was written for this very driver;
//! anything else is ignored, and the file is made anew.

use super::{Failed, context::Context, owned::Owned};
use crate::{Result, atomic_file::AtomicFile};
use ash::vk;
use etcetera::BaseStrategy;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    ptr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// The first bytes of our file; the digit is the version of this layout: these bytes, a CRC-32 of the rest, the rest.
const MAGIC: &[u8; 8] = b"ekpipes1";
const HEADER: usize = MAGIC.len() + 4;

/// The driver's own header, which Vulkan defines: its length, 1, vendor, device, and an id of the driver.
const VULKAN_HEADER: usize = 16 + vk::UUID_SIZE;

/// What a compiled pipeline is good for: this device with this driver.
type Identity = vk::PhysicalDeviceProperties;

/// The driver's cache, and the file that it came from and goes back to.
pub(super) struct PipelineCache {
    pub(super) cache: Owned<vk::PipelineCache>,
    path: Option<PathBuf>,
    /// How many bytes the file holds.
    saved: AtomicUsize,
}

/// Where caches are kept: `evenkeel` in the user's cache folder, if the user has one.
pub(super) fn folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("evenkeel"))
}

impl PipelineCache {
    /// The cache of this device in `folder`, or one that forgets when there is none.
    pub(super) fn new(context: &Arc<Context>, folder: Option<&Path>) -> Result<Self> {
        let identity = &context.physical.properties;
        let path = folder.map(|folder| folder.join(file_name(identity)));
        let data = path.as_deref().and_then(|path| load(path, identity)).unwrap_or_default();
        let info = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        // SAFETY: the data is empty or was written by this driver for this device, as its checksum and header say.
        let make = |vk: &ash::Device| unsafe { vk.create_pipeline_cache(&info, None) };
        let cache = Owned::new(context, "pipelines", "making a pipeline cache", make)?;
        Ok(Self { cache, path, saved: AtomicUsize::new(data.len()) })
    }

    /// How many bytes came from the file.
    #[cfg(test)]
    pub(super) fn loaded(&self) -> usize {
        self.saved.load(Relaxed)
    }

    /// Writes the file anew if something was compiled that it does not hold.
    fn save(&self) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        if self.size()? <= self.saved.load(Relaxed) {
            return Ok(());
        }
        // SAFETY: the cache is alive.
        let data = unsafe { self.cache.context.vk().get_pipeline_cache_data(self.cache.handle) };
        let data = data.failed("reading the pipelines")?;
        let because = |source| crate::Error::Io { path: path.clone(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(because)?;
        }
        let mut file = AtomicFile::create(path)?;
        file.write_all(MAGIC).and_then(|()| file.write_all(&checksum(&data))).map_err(because)?;
        file.write_all(&data).map_err(because)?;
        file.finish()?;
        self.saved.store(data.len(), Relaxed);
        Ok(())
    }

    /// How many bytes the driver would give, which is quick to ask.
    fn size(&self) -> Result<usize> {
        let (vk, mut size) = (self.cache.context.vk(), 0);
        // SAFETY: the cache is alive; without a place for data only the size is written.
        let asked = unsafe {
            (vk.fp_v1_0().get_pipeline_cache_data)(vk.handle(), self.cache.handle, &mut size, ptr::null_mut())
        };
        asked.result().failed("reading the pipelines").map(|()| size)
    }

    /// Writes the file now, if need be; a warning says when that fails.
    pub(super) fn keep(&self) {
        if let Err(error) = self.save() {
            tracing::warn!("compiled pipelines could not be kept for the next run: {error}");
        }
    }
}

impl Drop for PipelineCache {
    fn drop(&mut self) {
        self.keep();
    }
}

fn file_name(properties: &Identity) -> String {
    format!("pipelines-{}.bin", identity(properties))
}

/// The device and its driver, as part of a file's name.
pub(super) fn identity(properties: &Identity) -> String {
    let &Identity { vendor_id, device_id, driver_version, pipeline_cache_uuid: uuid, .. } = properties;
    let uuid = u128::from_be_bytes(uuid);
    format!("{vendor_id:04x}-{device_id:04x}-{driver_version:x}-{uuid:032x}")
}

fn load(path: &Path, identity: &Identity) -> Option<Vec<u8>> {
    let file = fs::read(path).ok()?;
    let data = checked(&file, identity);
    if data.is_none() {
        tracing::warn!("{} is not what was written there: it is ignored and made anew", path.display());
    }
    data.map(<[u8]>::to_vec)
}

/// The driver's data in a file's bytes, if they are whole and for this device and driver.
fn checked<'f>(file: &'f [u8], identity: &Identity) -> Option<&'f [u8]> {
    let (header, data) = file.split_at_checked(HEADER)?;
    let whole = header.starts_with(MAGIC) && header.ends_with(&checksum(data));
    (whole && data.starts_with(&vulkan_header(identity))).then_some(data)
}

fn vulkan_header(identity: &Identity) -> Vec<u8> {
    let version = vk::PipelineCacheHeaderVersion::ONE.as_raw() as u32;
    // The driver wrote them in the order of this machine.
    let words = [VULKAN_HEADER as u32, version, identity.vendor_id, identity.device_id].map(u32::to_ne_bytes);
    words.into_iter().flatten().chain(identity.pipeline_cache_uuid).collect()
}

fn checksum(data: &[u8]) -> [u8; 4] {
    let mut checksum = flate2::Crc::new();
    checksum.update(data);
    checksum.sum().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(cache: u8) -> Identity {
        let pipeline_cache_uuid = [cache; vk::UUID_SIZE];
        Identity { vendor_id: 1, device_id: 2, driver_version: 3, pipeline_cache_uuid, ..Identity::default() }
    }

    fn file(identity: &Identity) -> Vec<u8> {
        let mut data = vulkan_header(identity);
        data.extend(b"compiled pipelines");
        [MAGIC.as_slice(), &checksum(&data), &data].concat()
    }

    #[test]
    fn what_was_written_is_read() {
        let file = file(&identity(4));
        assert_eq!(checked(&file, &identity(4)), Some(&file[HEADER..]));
    }

    #[test]
    fn a_damaged_file_is_refused_wherever_the_damage_is() {
        let identity = identity(4);
        let whole = file(&identity);
        for position in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[position] ^= 1;
            assert_eq!(checked(&damaged, &identity), None, "byte {position}");
            assert_eq!(checked(&whole[..position], &identity), None, "cut at {position}");
        }
    }

    #[test]
    fn another_devices_pipelines_are_refused() {
        assert_eq!(checked(&file(&identity(5)), &identity(4)), None);
        assert_ne!(file_name(&identity(5)), file_name(&identity(4)));
        assert_eq!(file_name(&identity(4)), format!("pipelines-0001-0002-3-{}.bin", "04".repeat(16)));
    }
}
