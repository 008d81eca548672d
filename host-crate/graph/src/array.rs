//! A read-only array that either owns its elements or refers to a mapped file, so that a binary graph opens without a copy.

use bytemuck::Pod;
use evenkeel_base::{Error, Result};
use memmap2::Mmap;
use std::{fmt, marker::PhantomData, ops::Deref, sync::Arc};

/// Elements of `T`, owned or mapped; behaves like a slice.
#[derive(Clone)]
pub struct Array<T: Pod>(Storage<T>);

#[derive(Clone)]
enum Storage<T> {
    Owned(Arc<Vec<T>>),
    Mapped { file: Arc<Mmap>, offset: usize, bytes: usize, element: PhantomData<T> },
}

impl<T: Pod> Array<T> {
    /// Refers to `bytes` bytes of a mapped file from `offset` on. Returns `None` when they lie outside the file, are
    /// misaligned for `T`, or do not hold a whole number of elements.
    pub fn mapped(file: Arc<Mmap>, offset: usize, bytes: usize) -> Option<Self> {
        let slice = file.get(offset..offset.checked_add(bytes)?)?;
        bytemuck::try_cast_slice::<u8, T>(slice).ok()?;
        Some(Self(Storage::Mapped { file, offset, bytes, element: PhantomData }))
    }
}

impl<T: Pod> From<Vec<T>> for Array<T> {
    fn from(elements: Vec<T>) -> Self {
        Self(Storage::Owned(Arc::new(elements)))
    }
}

impl<T: Pod> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Owned(elements) => elements,
            Storage::Mapped { file, offset, bytes, .. } => bytemuck::cast_slice(&file[*offset..*offset + *bytes]),
        }
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Pod + PartialEq> PartialEq for Array<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// Allocates zeros, whose pages are only mapped when they are written. Returns an error where `vec!` would abort.
#[doc(hidden)]
pub fn zeroed<T: Pod>(length: u64) -> Result<Vec<T>> {
    let bytes = length.saturating_mul(size_of::<T>() as u64);
    let refuse = || Error::Memory(format!("the graph needs another {bytes} bytes of memory, which are not available"));
    let length = usize::try_from(length).map_err(|_| refuse())?;
    Vec::<T>::new().try_reserve_exact(length).map_err(|_| refuse())?;
    Ok(vec![T::zeroed(); length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        assert!(matches!(zeroed::<u64>(1 << 59), Err(Error::Memory(_))));
        assert!(matches!(zeroed::<u64>(u64::MAX), Err(Error::Memory(_))));
    }
}
