//! Where the arrays of a bundle lie. A bundle is a struct of arrays that kernels take as one argument; it is declared once, generic
//! over its storage: a kernel sees views of the arrays, the host binds device buffers.

use bytemuck::Pod;

/// How a bundle refers to its arrays.
pub trait Storage {
    /// An array that no invocation of a dispatch writes.
    type Read<T: Pod>;
    /// An array that invocations read and write.
    type Write<T: Pod>;
    /// An array in workgroup memory; nothing on the host.
    type Shared<T: Pod, const N: usize>;
    /// A field of the kernel's parameters with the same name; nothing on the host.
    type Param<T: Pod>;
}
