//! The host's side of a kernel: buffers with element types, and what a device must know to run it.
//!
//! `#[kernel]` makes, for each kernel, a struct that implements [`Launch`]. A device turns it into a dispatch, on a GPU by the
//! SPIR-V module of the same name, on the CPU by calling [`Kernel::invocation`].
//!
//! ```
//! # use evenkeel_kernels::{launch::Buffer, primitive::scan::ScanSums};
//! fn bind<'b>(input: &'b Buffer<u32>, sums: &'b Buffer<u32>) -> ScanSums<'b> {
//!     ScanSums { input, sums }
//! }
//! ```
//!
//! A buffer of other elements does not compile:
//!
//! ```compile_fail,E0308
//! # use evenkeel_kernels::{launch::Buffer, primitive::scan::ScanSums};
//! fn bind<'b>(input: &'b Buffer<f32>, sums: &'b Buffer<u32>) -> ScanSums<'b> {
//!     ScanSums { input, sums }
//! }
//! ```
//!
//! Nor does a buffer too few:
//!
//! ```compile_fail,E0063
//! # use evenkeel_kernels::{launch::Buffer, primitive::scan::ScanSums};
//! fn bind<'b>(input: &'b Buffer<u32>) -> ScanSums<'b> {
//!     ScanSums { input }
//! }
//! ```

use crate::lane::Lane;
pub use bytemuck::Pod;
use evenkeel_types::{LoopHeader, LoopState, Storage};
use std::{any::Any, fmt, marker::PhantomData, sync::Arc};

/// What the device that made a buffer keeps for it. Devices downcast it to their own type.
pub type RawBuffer = Arc<dyn Any + Send + Sync>;

/// Device memory for `len` elements of `T`. Cheap to clone: both are the same memory, freed with the last.
pub struct Buffer<T> {
    raw: RawBuffer,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<T: Pod> Buffer<T> {
    /// Wraps a device's memory; only devices call this.
    pub fn from_raw(raw: RawBuffer, len: usize) -> Self {
        Self { raw, len, element: PhantomData }
    }

    /// What the device keeps for it.
    pub fn raw(&self) -> &RawBuffer {
        &self.raw
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element in it.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The same memory seen as elements of another type of the same size, say as words for atomics.
    pub fn cast<U: Pod>(&self) -> Buffer<U> {
        let bytes = self.len * size_of::<T>();
        assert_eq!(bytes % size_of::<U>(), 0, "{bytes} bytes are no whole number of {}", std::any::type_name::<U>());
        Buffer::from_raw(self.raw.clone(), bytes / size_of::<U>())
    }
}

impl<S: LoopState> Buffer<S> {
    /// The header of a loop's state.
    pub fn header(&self) -> Buffer<LoopHeader> {
        Buffer::from_raw(self.raw.clone(), 1)
    }
}

/// The storage of a bundle that the host binds: device buffers.
pub struct Buffers;

impl Storage for Buffers {
    type Read<T: Pod> = Buffer<T>;
    type Write<T: Pod> = Buffer<T>;
    type Shared<T: Pod, const N: usize> = ();
    type Param<T: Pod> = ();
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Self { raw: self.raw.clone(), len: self.len, element: PhantomData }
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}>[{}]", std::any::type_name::<T>(), self.len)
    }
}

/// A kernel with its buffers bound: what a recording dispatches. Made by `#[kernel]`.
pub trait Launch {
    /// The push constants.
    type Params: Pod;

    /// The kernel's description.
    fn kernel(&self) -> &'static Kernel;

    /// The buffers in binding order.
    fn buffers(&self) -> Vec<RawBuffer>;
}

/// What a device must know of a kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name: of the function, of the SPIR-V module and of the entry point in it.
    pub name: &'static str,
    /// Invocations in a workgroup.
    pub threads: u32,
    /// The size of its push constants.
    pub params_bytes: usize,
    /// Its buffers in binding order.
    pub buffers: &'static [BufferArgument],
    /// The size of each of its workgroup arrays.
    pub shared_bytes: &'static [usize],
    /// Its SPIR-V module.
    pub spirv: &'static [u8],
    /// Runs one invocation natively.
    pub invocation: fn(&Arguments, Lane),
    /// The same with each atom counted (see [`crate::balance`]); none where a kernel is under no schedule and no operator.
    pub counted: Option<fn(&Arguments, Lane)>,
}

/// One buffer of a kernel's signature.
#[derive(Debug)]
pub struct BufferArgument {
    /// The parameter's name.
    pub name: &'static str,
    /// Its element type, as written.
    pub element: &'static str,
    /// Whether the kernel may write it.
    pub writable: bool,
}

/// Where a buffer lies, for a kernel that runs natively.
#[derive(Clone, Copy, Debug)]
pub struct BufferMemory {
    /// Its first byte, aligned to 16.
    pub pointer: *mut u8,
    /// Its size.
    pub bytes: usize,
}

/// What a native dispatch hands to each invocation.
#[derive(Debug)]
pub struct Arguments<'a> {
    /// The push constants.
    pub params: &'a [u8],
    /// The buffers in binding order.
    pub buffers: &'a [BufferMemory],
    /// The workgroup arrays, one after the other, each aligned to 16.
    pub shared: *mut u8,
}

impl Arguments<'_> {
    /// The push constants as the kernel declared them.
    #[inline(always)]
    pub fn params<P: Pod>(&self) -> &P {
        bytemuck::from_bytes(self.params)
    }

    /// Where workgroup array number `index` of `kernel` begins.
    pub fn shared(&self, kernel: &'static Kernel, index: usize) -> (&'static Kernel, *mut u8) {
        let offset: usize = kernel.shared_bytes[..index].iter().map(|bytes| bytes.next_multiple_of(16)).sum();
        // SAFETY: the device made room for all of the kernel's arrays.
        (kernel, unsafe { self.shared.add(offset) })
    }
}
