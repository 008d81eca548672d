//! Arithmetic on reals that a GPU has an instruction for and Rust's own functions do not become: `f32::min` has to tell numbers
//! from what is none, by branches.

/// The smaller of two numbers.
#[cfg(target_arch = "spirv")]
#[inline(always)]
pub fn smaller(a: f32, b: f32) -> f32 {
    libm::fminf(a, b)
}

/// The smaller of two numbers.
#[cfg(not(target_arch = "spirv"))]
#[inline(always)]
pub fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}
