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
use evenkeel_types::{LoopHeader, LoopReport, LoopState, Storage};
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
    /// Wraps a device's memory.
    ///
    /// # Safety
    /// The device has allocated it for `len` elements of `T` at least.
    pub unsafe fn from_raw(raw: RawBuffer, len: usize) -> Self {
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

    /// Views the memory as elements of another type of the same size, for example as words for atomics.
    pub fn cast<U: Pod>(&self) -> Buffer<U> {
        const { assert!(size_of::<U>() > 0, "an element has a size") };
        let bytes = self.len * size_of::<T>();
        assert_eq!(bytes % size_of::<U>(), 0, "{bytes} bytes are no whole number of {}", std::any::type_name::<U>());
        // SAFETY: there are as many bytes as before.
        unsafe { Buffer::from_raw(self.raw.clone(), bytes / size_of::<U>()) }
    }
}

impl<S: LoopState> Buffer<S> {
    /// The header of a loop's state.
    pub fn header(&self) -> Buffer<LoopHeader> {
        self.prefix()
    }

    /// What the host looks at of a loop's state.
    pub fn report(&self) -> Buffer<LoopReport> {
        const { assert!(size_of::<LoopReport>() <= size_of::<S>(), "a state begins with a header") };
        // SAFETY: a state begins with a header, and that with a report.
        unsafe { Buffer::from_raw(self.raw.clone(), self.len.min(1)) }
    }

    /// The first fields of a loop's state, for a kernel of another loop whose state has no more than these.
    pub fn prefix<P: LoopState>(&self) -> Buffer<P> {
        const { assert!(size_of::<P>() <= size_of::<S>(), "a prefix is no longer than the whole") };
        // SAFETY: an element is no longer than one of the whole, of which there is one, or none.
        unsafe { Buffer::from_raw(self.raw.clone(), self.len.min(1)) }
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

/// How many workgroups a recorded dispatch has.
#[derive(Clone)]
pub enum DispatchSize {
    /// One invocation for each of so many items, or as many as the device gains from: kernels stride over the rest.
    Items(usize),
    /// As many workgroups as three words of a buffer say when the dispatch runs.
    Indirect {
        /// The buffer with the three words.
        buffer: RawBuffer,
        /// Where the words begin, in bytes.
        offset: u64,
    },
}

/// A list of steps for a device, as code of this crate writes it: the host's recorder implements it, so that a schedule can
/// record the kernels that prepare it without knowing the host.
pub trait Record {
    /// Adds a dispatch; `dispatch` on `dyn Record` is the typed form.
    ///
    /// # Safety
    /// With these parameters the kernel stays within its buffers, which it does not check in release builds.
    unsafe fn dispatch_kernel(
        &mut self,
        kernel: &'static Kernel,
        buffers: Vec<RawBuffer>,
        params: &[u8],
        size: DispatchSize,
    );

    /// Sets every element of a buffer.
    fn fill_words(&mut self, buffer: &Buffer<u32>, value: u32);
}

impl dyn Record + '_ {
    /// Adds a dispatch of a kernel whose buffers are bound.
    ///
    /// # Safety
    /// As for [`Record::dispatch_kernel`].
    pub unsafe fn dispatch<L: Launch>(&mut self, launch: &L, params: L::Params, size: DispatchSize) {
        // SAFETY: the caller promises the same.
        unsafe { self.dispatch_kernel(launch.kernel(), launch.buffers(), bytemuck::bytes_of(&params), size) };
    }
}

/// What a device must know of a kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name: of the function, of the SPIR-V module and of the entry point in it.
    pub name: &'static str,
    /// Invocations in a workgroup.
    pub threads: u32,
    /// Whether it does as much with workgroups of any other width, because it takes its part by [`Lane::grid_stride`] or a schedule. Where it has
    /// no workgroup array, the CPU device then runs it one invocation wide.
    pub any_width: bool,
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
    /// Runs one invocation natively and counts its atoms (see [`crate::balance`]); none where a kernel is under no schedule and no operator.
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
    pub(crate) pointer: *mut u8,
    pub(crate) bytes: usize,
}

impl BufferMemory {
    /// The memory of `bytes` bytes at `pointer`.
    ///
    /// # Safety
    /// The memory is initialised, begins at a multiple of 16 bytes, and stays where it is for as long as kernels use it. While they do, it is
    /// accessed by atomics alone.
    pub unsafe fn new(pointer: *mut u8, bytes: usize) -> Self {
        Self { pointer, bytes }
    }
}

/// What a native dispatch hands to each invocation.
#[derive(Debug)]
pub struct Arguments<'a> {
    params: &'a [u8],
    buffers: &'a [BufferMemory],
    shared: *mut u8,
}

impl<'a> Arguments<'a> {
    /// The arguments of a kernel: its push constants, its buffers in binding order, and memory for its workgroup arrays, one after the other,
    /// each aligned to 16.
    ///
    /// # Safety
    /// They are those that the kernel declares, the memory for its arrays is large enough and used by this workgroup alone, and with these push
    /// constants the kernel stays within its buffers, which it does not check in release builds.
    pub unsafe fn new(params: &'a [u8], buffers: &'a [BufferMemory], shared: *mut u8) -> Self {
        Self { params, buffers, shared }
    }

    /// The buffer at a binding.
    #[inline(always)]
    pub fn buffer(&self, binding: usize) -> &BufferMemory {
        &self.buffers[binding]
    }

    /// The push constants as the kernel declared them.
    #[inline(always)]
    pub fn params<P: Pod>(&self) -> &P {
        bytemuck::from_bytes(self.params)
    }

    /// Where workgroup array number `index` of `kernel` begins.
    pub fn shared(&self, kernel: &'static Kernel, index: usize) -> (&'static Kernel, *mut u8) {
        let offset: usize = kernel.shared_bytes[..index].iter().map(|bytes| bytes.next_multiple_of(16)).sum();
        // SAFETY: whoever made the arguments has provided memory for all of the kernel's arrays.
        (kernel, unsafe { self.shared.add(offset) })
    }
}
