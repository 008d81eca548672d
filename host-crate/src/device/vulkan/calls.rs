//! Which calls of Vulkan are made at once. Threads may make a device while others use theirs, but not where the validation layer watches: it
//! looks its devices up in a table without a lock, and crashes when the table is being changed (KhronosGroup/Vulkan-ValidationLayers#4391).
//! So whatever changes the table is done [`alone`], and a watched device is used through [`Calls`]. Of a layer that was switched on from
//! outside nothing is known here.

use std::{
    ops::Deref,
    sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

static CALLS: RwLock<()> = RwLock::new(());

/// Held while an instance or a device is made or destroyed, or devices are listed. The thread must have no [`Calls`].
pub(super) fn alone() -> RwLockWriteGuard<'static, ()> {
    CALLS.write().unwrap_or_else(PoisonError::into_inner)
}

/// Something that calls Vulkan and, where the validation layer watches, the right to do so for as long as this lives. A thread has one at a time: a
/// second could wait for [`alone`] in another thread, which waits for the first.
pub(super) struct Calls<'c, F> {
    functions: &'c F,
    _beside_others: Option<RwLockReadGuard<'static, ()>>,
}

impl<'c, F> Calls<'c, F> {
    pub(super) fn new(functions: &'c F, is_watched: bool) -> Self {
        let _beside_others = is_watched.then(|| CALLS.read().unwrap_or_else(PoisonError::into_inner));
        Self { functions, _beside_others }
    }
}

impl<F> Deref for Calls<'_, F> {
    type Target = F;

    fn deref(&self) -> &F {
        self.functions
    }
}
