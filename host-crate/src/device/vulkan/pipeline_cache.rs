//! Compiled pipelines kept between runs, in one file for each device and driver in the user's cache folder. The file is written
//! whole or not at all. What is read back goes to the driver only if it is exactly what was written for this very driver;
//! anything else is ignored, and the file is made anew.

use super::{Failed, context::Context, physical::Identity};
use crate::{Result, atomic_file::AtomicFile};
use ash::vk;
use etcetera::BaseStrategy;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The first bytes of our file; the digit is the version of this layout: these bytes, a CRC-32 of the rest, the rest.
const MAGIC: &[u8; 8] = b"ekpipes1";
const HEADER: usize = MAGIC.len() + 4;

/// The driver's own header, which Vulkan defines: its length, 1, vendor, device, and an id of the driver.
const VULKAN_HEADER: usize = 16 + vk::UUID_SIZE;

/// The driver's cache, and the file that it came from and goes back to.
pub(super) struct PipelineCache {
    pub(super) handle: vk::PipelineCache,
    context: Arc<Context>,
    path: Option<PathBuf>,
    loaded: usize,
}

/// Where caches are kept: `evenkeel` in the user's cache folder, if the user has one.
pub(super) fn folder() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.cache_dir().join("evenkeel"))
}

impl PipelineCache {
    /// The cache of this device in `folder`, or one that forgets when there is none.
    pub(super) fn new(context: &Arc<Context>, folder: Option<&Path>) -> Result<Self> {
        let identity = &context.physical.identity;
        let path = folder.map(|folder| folder.join(file_name(identity)));
        let data = path.as_deref().and_then(|path| load(path, identity)).unwrap_or_default();
        let info = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        // SAFETY: the data is empty or was written by this driver for this device, as its checksum and header say.
        let handle = unsafe { context.vk().create_pipeline_cache(&info, None) }.failed("making a pipeline cache")?;
        context.name(handle, "pipelines");
        Ok(Self { handle, context: context.clone(), path, loaded: data.len() })
    }

    /// How many bytes came from the file.
    #[cfg(test)]
    pub(super) fn loaded(&self) -> usize {
        self.loaded
    }

    fn save(&self) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        // SAFETY: the cache is alive.
        let data = unsafe { self.context.vk().get_pipeline_cache_data(self.handle) }.failed("reading the pipelines")?;
        if data.len() <= self.loaded {
            return Ok(());
        }
        let because = |source| crate::Error::Io { path: path.clone(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(because)?;
        }
        let mut file = AtomicFile::create(path)?;
        file.write_all(MAGIC).and_then(|()| file.write_all(&checksum(&data))).map_err(because)?;
        file.write_all(&data).map_err(because)?;
        file.finish()
    }
}

impl Drop for PipelineCache {
    fn drop(&mut self) {
        if let Err(error) = self.save() {
            tracing::warn!("compiled pipelines could not be kept for the next run: {error}");
        }
        // SAFETY: no pipeline is being compiled: that takes a reference to the cache.
        unsafe { self.context.vk().destroy_pipeline_cache(self.handle, None) };
    }
}

fn file_name(identity: &Identity) -> String {
    let Identity { vendor, device, driver_version, cache_uuid } = identity;
    let uuid: String = cache_uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("pipelines-{vendor:04x}-{device:04x}-{driver_version:x}-{uuid}.bin")
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
    let words =
        [VULKAN_HEADER as u32, vk::PipelineCacheHeaderVersion::ONE.as_raw() as u32, identity.vendor, identity.device];
    // The driver wrote them in the order of this machine.
    words.iter().flat_map(|word| word.to_ne_bytes()).chain(identity.cache_uuid).collect()
}

fn checksum(data: &[u8]) -> [u8; 4] {
    let mut checksum = flate2::Crc::new();
    checksum.update(data);
    checksum.sum().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity = Identity { vendor: 1, device: 2, driver_version: 3, cache_uuid: [4; vk::UUID_SIZE] };

    fn file(identity: &Identity) -> Vec<u8> {
        let mut data = vulkan_header(identity);
        data.extend(b"compiled pipelines");
        [MAGIC.as_slice(), &checksum(&data), &data].concat()
    }

    #[test]
    fn what_was_written_is_read() {
        let file = file(&IDENTITY);
        assert_eq!(checked(&file, &IDENTITY), Some(&file[HEADER..]));
    }

    #[test]
    fn a_damaged_file_is_refused_wherever_the_damage_is() {
        let whole = file(&IDENTITY);
        for position in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[position] ^= 1;
            assert_eq!(checked(&damaged, &IDENTITY), None, "byte {position}");
            assert_eq!(checked(&whole[..position], &IDENTITY), None, "cut at {position}");
        }
    }

    #[test]
    fn another_devices_pipelines_are_refused() {
        let other = Identity { cache_uuid: [5; vk::UUID_SIZE], ..IDENTITY };
        assert_eq!(checked(&file(&other), &IDENTITY), None);
        assert_ne!(file_name(&other), file_name(&IDENTITY));
    }
}
