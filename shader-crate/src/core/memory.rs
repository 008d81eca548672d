//! Buffers as kernels see them. On a GPU they are slices; on a CPU, pointers with a length and a name, so that an access out
//! of bounds is caught in debug builds and threads share them without undefined behaviour.
//!
//! `get` and `set` are plain accesses: right for what no other invocation writes in the same dispatch. `load` and `store` are
//! relaxed atomics: for what another invocation may write. `load_cached` is for what another invocation may write, too, but of which an older
//! value is as right as the newest. The rest are atomic updates and return the value before.

/// Four numbers that are loaded and stored together: reals, and words.
pub use glam::{UVec4, Vec4};
#[cfg(target_arch = "spirv")]
pub use gpu::{Global, Read, Shared};
#[cfg(not(target_arch = "spirv"))]
pub use native::{Element, Global, Read, Shared};

use ::core::marker::PhantomData;
use bytemuck::Pod;
use evenkeel_types::Storage;

/// The storage of a bundle that a kernel sees: views of buffers and of workgroup arrays.
pub struct Views<'a>(PhantomData<&'a ()>);

impl<'a> Storage for Views<'a> {
    type Read<T: Pod> = Read<'a, T>;
    type Write<T: Pod> = Global<'a, T>;
    type Shared<T: Pod, const N: usize> = Shared<'a, T, N>;
    type Param<T: Pod> = T;
}

#[cfg(target_arch = "spirv")]
#[allow(missing_docs)] // Documented below, once, on the native side.
mod gpu {
    use spirv_std::{
        Number,
        arch::{
            IndexUnchecked, atomic_and, atomic_compare_exchange, atomic_exchange, atomic_f_add, atomic_i_add,
            atomic_load, atomic_or, atomic_store, atomic_u_max, atomic_u_min,
        },
        memory::{Scope, Semantics},
    };

    // All our work runs in one queue, and this scope, unlike `Device`, needs no further device feature.
    const EVERYONE: u32 = Scope::QueueFamily as u32;
    const WORKGROUP: u32 = Scope::Workgroup as u32;
    const RELAXED: u32 = Semantics::NONE.bits();

    /// A buffer that no invocation of the dispatch writes.
    #[derive(Clone, Copy)]
    pub struct Read<'a, T>(&'a [T]);

    impl<'a, T: Copy> Read<'a, T> {
        #[inline(always)]
        pub fn new(slice: &'a [T]) -> Self {
            Self(slice)
        }

        #[inline(always)]
        pub fn get(&self, index: u32) -> T {
            // SAFETY: kernels index within what their parameters say; the CPU device checks it in debug builds.
            unsafe { *self.0.get_unchecked(index as usize) }
        }

        #[inline(always)]
        pub fn len(&self) -> u32 {
            self.0.len() as u32
        }
    }

    /// A buffer that invocations read and write.
    pub struct Global<'a, T>(&'a mut [T]);

    impl<'a, T: Copy> Global<'a, T> {
        #[inline(always)]
        pub fn new(slice: &'a mut [T]) -> Self {
            Self(slice)
        }

        #[inline(always)]
        pub fn get(&self, index: u32) -> T {
            // SAFETY: as for `Read::get`.
            unsafe { *self.0.get_unchecked(index as usize) }
        }

        #[inline(always)]
        pub fn set(&mut self, index: u32, value: T) {
            // SAFETY: as for `Read::get`.
            unsafe { *self.0.get_unchecked_mut(index as usize) = value }
        }

        #[inline(always)]
        pub fn len(&self) -> u32 {
            self.0.len() as u32
        }
    }

    impl<T: Number> Global<'_, T> {
        #[inline(always)]
        pub fn load_cached(&self, index: u32) -> T {
            self.get(index)
        }

        #[inline(always)]
        pub fn load(&self, index: u32) -> T {
            // SAFETY: as for `Read::get`; the pointer is to a storage buffer, where atomics are allowed.
            unsafe { atomic_load::<T, EVERYONE, RELAXED>(self.0.get_unchecked(index as usize)) }
        }

        #[inline(always)]
        pub fn store(&mut self, index: u32, value: T) {
            // SAFETY: as for `load`.
            unsafe { atomic_store::<T, EVERYONE, RELAXED>(self.0.get_unchecked_mut(index as usize), value) }
        }
    }

    macro_rules! updates {
        ($scope:ident, $at:ident) => {
            #[inline(always)]
            pub fn add(&mut self, index: u32, value: u32) -> u32 {
                // SAFETY: as for `load`.
                unsafe { atomic_i_add::<u32, $scope, RELAXED>(self.0.$at(index as usize), value) }
            }

            #[inline(always)]
            pub fn min(&mut self, index: u32, value: u32) -> u32 {
                // SAFETY: as for `load`.
                unsafe { atomic_u_min::<u32, $scope, RELAXED>(self.0.$at(index as usize), value) }
            }

            #[inline(always)]
            pub fn max(&mut self, index: u32, value: u32) -> u32 {
                // SAFETY: as for `load`.
                unsafe { atomic_u_max::<u32, $scope, RELAXED>(self.0.$at(index as usize), value) }
            }

            #[inline(always)]
            pub fn or(&mut self, index: u32, value: u32) -> u32 {
                // SAFETY: as for `load`.
                unsafe { atomic_or::<u32, $scope, RELAXED>(self.0.$at(index as usize), value) }
            }

            #[inline(always)]
            pub fn and(&mut self, index: u32, value: u32) -> u32 {
                // SAFETY: as for `load`.
                unsafe { atomic_and::<u32, $scope, RELAXED>(self.0.$at(index as usize), value) }
            }

            #[inline(always)]
            pub fn exchange(&mut self, index: u32, value: u32) -> u32 {
                // SAFETY: as for `load`.
                unsafe { atomic_exchange::<u32, $scope, RELAXED>(self.0.$at(index as usize), value) }
            }

            #[inline(always)]
            pub fn compare_exchange(&mut self, index: u32, expected: u32, value: u32) -> u32 {
                // SAFETY: as for `load`.
                unsafe {
                    atomic_compare_exchange::<u32, $scope, RELAXED, RELAXED>(
                        self.0.$at(index as usize),
                        value,
                        expected,
                    )
                }
            }
        };
    }

    impl Global<'_, u32> {
        updates!(EVERYONE, get_unchecked_mut);

        /// Adds, and orders: what the adder did before is seen by whoever adds after.
        #[inline(always)]
        pub fn add_ordered(&mut self, index: u32, value: u32) -> u32 {
            const ORDERED: u32 = Semantics::ACQUIRE_RELEASE.bits()
                | Semantics::UNIFORM_MEMORY.bits()
                | Semantics::MAKE_AVAILABLE.bits()
                | Semantics::MAKE_VISIBLE.bits();
            // SAFETY: as for `load`.
            unsafe { atomic_i_add::<u32, EVERYONE, ORDERED>(self.0.get_unchecked_mut(index as usize), value) }
        }
    }

    impl Global<'_, f32> {
        #[inline(always)]
        pub fn add(&mut self, index: u32, value: f32) -> f32 {
            // SAFETY: as for `load`.
            unsafe { atomic_f_add::<f32, EVERYONE, RELAXED>(self.0.get_unchecked_mut(index as usize), value) }
        }
    }

    /// An array that the invocations of one workgroup share. Nothing is in it when they start; a barrier orders accesses.
    pub struct Shared<'a, T, const N: usize>(&'a mut [T; N]);

    impl<'a, T: Copy, const N: usize> Shared<'a, T, N> {
        #[inline(always)]
        pub fn new(array: &'a mut [T; N]) -> Self {
            Self(array)
        }

        #[inline(always)]
        pub fn get(&self, index: u32) -> T {
            // SAFETY: as for `Read::get`.
            unsafe { *self.0.index_unchecked(index as usize) }
        }

        #[inline(always)]
        pub fn set(&mut self, index: u32, value: T) {
            // SAFETY: as for `Read::get`.
            unsafe { *self.0.index_unchecked_mut(index as usize) = value }
        }
    }

    impl<const N: usize> Shared<'_, u32, N> {
        updates!(WORKGROUP, index_unchecked_mut);

        #[inline(always)]
        pub fn load(&self, index: u32) -> u32 {
            // SAFETY: as for `Read::get`; atomics are allowed in workgroup memory.
            unsafe { atomic_load::<u32, WORKGROUP, RELAXED>(self.0.index_unchecked(index as usize)) }
        }
    }
}

#[cfg(not(target_arch = "spirv"))]
mod native {
    use super::{UVec4, Vec4};
    use crate::core::access::before_access;
    use crate::launch::{BufferMemory, Kernel};
    use bytemuck::Pod;
    use core::{
        marker::PhantomData,
        sync::atomic::{
            AtomicU32, AtomicU64,
            Ordering::{AcqRel, Relaxed},
        },
    };
    use evenkeel_types::{Offset, Remainder};

    /// What a buffer can hold where invocations write: numbers and pairs of them, which a CPU loads and stores in one piece, and
    /// fours.
    pub trait Element: Pod {
        /// # Safety
        /// `pointer` is valid and aligned.
        unsafe fn load(pointer: *mut Self) -> Self;
        /// # Safety
        /// `pointer` is valid and aligned.
        unsafe fn store(pointer: *mut Self, value: Self);
    }

    macro_rules! element {
        ($($number:ty: $atomic:ty),*) => {$(
            impl Element for $number {
                #[inline(always)]
                unsafe fn load(pointer: *mut Self) -> Self {
                    // SAFETY: the caller's pointer is valid; every writer of it uses an atomic of this size too.
                    bytemuck::cast(unsafe { <$atomic>::from_ptr(pointer.cast()) }.load(Relaxed))
                }

                #[inline(always)]
                unsafe fn store(pointer: *mut Self, value: Self) {
                    // SAFETY: as for `load`.
                    unsafe { <$atomic>::from_ptr(pointer.cast()) }.store(bytemuck::cast(value), Relaxed);
                }
            }
        )*};
    }
    element!(u32: AtomicU32, i32: AtomicU32, f32: AtomicU32, u64: AtomicU64, f64: AtomicU64);
    // Pairs of words: a buffer begins at a multiple of 16 bytes, so each lies as an `AtomicU64` must.
    element!(Offset: AtomicU64, Remainder: AtomicU64);

    macro_rules! fours {
        ($($four:ty: $number:ty),*) => {$(
            /// Loaded and stored a number at a time: no invocation touches one that another writes.
            impl Element for $four {
                #[inline(always)]
                unsafe fn load(pointer: *mut Self) -> Self {
                    // SAFETY: the four numbers lie within what the caller's pointer is valid for.
                    let number = |place| unsafe { <$number>::load(pointer.cast::<$number>().add(place)) };
                    Self::from_array(core::array::from_fn(number))
                }

                #[inline(always)]
                unsafe fn store(pointer: *mut Self, value: Self) {
                    for (place, number) in value.to_array().into_iter().enumerate() {
                        // SAFETY: as for `load`.
                        unsafe { <$number>::store(pointer.cast::<$number>().add(place), number) };
                    }
                }
            }
        )*};
    }
    fours!(Vec4: f32, UVec4: u32);

    /// A pointer that knows how far it reaches and whose it is.
    struct View<'a, T> {
        pointer: *mut T,
        len: u32,
        kernel: &'static str,
        name: &'static str,
        borrow: PhantomData<&'a [T]>,
    }

    impl<T> Clone for View<'_, T> {
        fn clone(&self) -> Self {
            *self
        }
    }
    impl<T> Copy for View<'_, T> {}

    impl<T> View<'_, T> {
        fn of(kernel: &'static Kernel, memory: &BufferMemory, index: usize) -> Self {
            Self {
                pointer: memory.pointer.cast(),
                len: (memory.bytes / size_of::<T>()) as u32,
                kernel: kernel.name,
                name: kernel.buffers[index].name,
                borrow: PhantomData,
            }
        }

        /// Where element `index` lies; out of bounds is caught in debug builds, the way a GPU never would.
        #[inline(always)]
        fn at(&self, index: u32) -> *mut T {
            debug_assert!(
                index < self.len,
                "kernel {} touches {}[{index}], which has {} elements",
                self.kernel,
                self.name,
                self.len
            );
            // SAFETY: a kernel's indices lie within its buffers, which the line above holds it to.
            unsafe { self.pointer.add(index as usize) }
        }
    }

    /// A buffer that no invocation of the dispatch writes.
    #[derive(Clone, Copy)]
    pub struct Read<'a, T>(View<'a, T>);

    impl<T: Pod> Read<'_, T> {
        /// The view that `kernel`'s buffer number `index` has of `memory`.
        ///
        /// # Safety
        /// The kernel stays within the buffer, which is checked in debug builds alone, and the memory outlives the view.
        pub unsafe fn view(kernel: &'static Kernel, memory: &BufferMemory, index: usize) -> Self {
            Self(View::of(kernel, memory, index))
        }

        /// The element at `index`.
        #[inline(always)]
        pub fn get(&self, index: u32) -> T {
            // SAFETY: the pointer is within the buffer, and nobody writes the buffer in this dispatch.
            unsafe { *self.0.at(index) }
        }

        /// The number of elements.
        #[allow(clippy::len_without_is_empty)]
        pub fn len(&self) -> u32 {
            self.0.len
        }
    }

    /// A buffer that invocations read and write.
    pub struct Global<'a, T>(View<'a, T>);

    impl<T: Element> Global<'_, T> {
        /// The view that `kernel`'s buffer number `index` has of `memory`.
        ///
        /// # Safety
        /// The kernel stays within the buffer, which is checked in debug builds alone, and the memory outlives the view.
        pub unsafe fn view(kernel: &'static Kernel, memory: &BufferMemory, index: usize) -> Self {
            Self(View::of(kernel, memory, index))
        }

        /// The element at `index`, which no other invocation writes in this dispatch.
        #[inline(always)]
        pub fn get(&self, index: u32) -> T {
            self.load(index)
        }

        /// Replaces the element at `index`, which no other invocation touches in this dispatch.
        #[inline(always)]
        pub fn set(&mut self, index: u32, value: T) {
            self.store(index, value);
        }

        /// The element at `index`, whoever else is at it.
        #[inline(always)]
        pub fn load(&self, index: u32) -> T {
            before_access();
            // SAFETY: the pointer is within the buffer.
            unsafe { T::load(self.0.at(index)) }
        }

        /// The element at `index`, or what it was at some time since the dispatch began: it may come from a cache that does not see what others write.
        #[inline(always)]
        pub fn load_cached(&self, index: u32) -> T {
            self.load(index)
        }

        /// Replaces the element at `index`, whoever else is at it.
        #[inline(always)]
        pub fn store(&mut self, index: u32, value: T) {
            before_access();
            // SAFETY: the pointer is within the buffer.
            unsafe { T::store(self.0.at(index), value) }
        }

        /// The number of elements.
        #[allow(clippy::len_without_is_empty)]
        pub fn len(&self) -> u32 {
            self.0.len
        }
    }

    macro_rules! updates {
        ($($name:ident: $method:ident, $text:literal;)*) => {$(
            #[doc = $text]
            #[inline(always)]
            pub fn $name(&mut self, index: u32, value: u32) -> u32 {
                self.atomic(index).$method(value, Relaxed)
            }
        )*
            /// Replaces the element if it is `expected`; the element before, either way.
            #[inline(always)]
            pub fn compare_exchange(&mut self, index: u32, expected: u32, value: u32) -> u32 {
                match self.atomic(index).compare_exchange(expected, value, Relaxed, Relaxed) {
                    Ok(before) | Err(before) => before,
                }
            }

            #[inline(always)]
            fn atomic(&self, index: u32) -> &AtomicU32 {
                before_access();
                // SAFETY: the pointer is within the array, and every access to it is atomic.
                unsafe { AtomicU32::from_ptr(self.0.at(index)) }
            }
        };
    }
    macro_rules! all_updates {
        () => {
            updates! {
                add: fetch_add, "Adds, wrapping; the element before.";
                min: fetch_min, "Keeps the smaller; the element before.";
                max: fetch_max, "Keeps the larger; the element before.";
                or: fetch_or, "Sets bits; the element before.";
                and: fetch_and, "Clears bits; the element before.";
                exchange: swap, "Replaces; the element before.";
            }
        };
    }

    impl Global<'_, u32> {
        all_updates!();

        /// Adds, wrapping; the element before. Whoever sees the sum sees what this invocation did before.
        #[inline(always)]
        pub fn add_ordered(&mut self, index: u32, value: u32) -> u32 {
            self.atomic(index).fetch_add(value, AcqRel)
        }
    }

    impl Global<'_, f32> {
        /// Adds; the element before. The order of several additions, and with it the rounding of their sum, is left open. Only devices
        /// with `float_atomics` have it.
        #[inline(always)]
        pub fn add(&mut self, index: u32, value: f32) -> f32 {
            before_access();
            // SAFETY: the pointer is within the buffer, and every access to it is atomic.
            let bits = unsafe { AtomicU32::from_ptr(self.0.at(index).cast()) };
            let mut before = bits.load(Relaxed);
            loop {
                let sum = (f32::from_bits(before) + value).to_bits();
                match bits.compare_exchange_weak(before, sum, Relaxed, Relaxed) {
                    Ok(_) => return f32::from_bits(before),
                    Err(other) => before = other,
                }
            }
        }
    }

    /// An array that the invocations of one workgroup share. Nothing is in it when they start; a barrier orders accesses.
    pub struct Shared<'a, T, const N: usize>(View<'a, T>);

    impl<T: Element, const N: usize> Shared<'_, T, N> {
        /// The view of `N` elements from `memory` on.
        ///
        /// # Safety
        /// There are as many elements, the workgroup alone uses them, and they outlive the view. Their indices are checked in debug builds alone.
        pub unsafe fn view((kernel, memory): (&'static Kernel, *mut u8), name: &'static str) -> Self {
            Self(View { pointer: memory.cast(), len: N as u32, kernel: kernel.name, name, borrow: PhantomData })
        }

        /// The element at `index`.
        #[inline(always)]
        pub fn get(&self, index: u32) -> T {
            before_access();
            // SAFETY: the pointer is within the array.
            unsafe { T::load(self.0.at(index)) }
        }

        /// Replaces the element at `index`.
        #[inline(always)]
        pub fn set(&mut self, index: u32, value: T) {
            before_access();
            // SAFETY: the pointer is within the array.
            unsafe { T::store(self.0.at(index), value) }
        }
    }

    impl<const N: usize> Shared<'_, u32, N> {
        all_updates!();

        /// The element at `index`, whoever else updates it meanwhile.
        #[inline(always)]
        pub fn load(&self, index: u32) -> u32 {
            self.get(index)
        }
    }
}
