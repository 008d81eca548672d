//! Typed handles for the fields of structs in device memory. A kernel must access such a struct word by word, because other invocations
//! write some of the words at the same time; a handle says which word, of which struct.

use core::marker::PhantomData;

/// A field of type `T` of the struct `S`: a word, or an array of words. `#[derive(Fields)]` makes one for each field.
pub struct Field<S, T = u32> {
    word: u32,
    of: PhantomData<(S, T)>,
}

impl<S, T> Clone for Field<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, T> Copy for Field<S, T> {}

impl<S, T> Field<S, T> {
    /// The field at a byte offset within the struct.
    pub const fn at_byte(offset: usize) -> Self {
        Self { word: (offset / 4) as u32, of: PhantomData }
    }

    /// The number of the field's first word.
    #[inline(always)]
    pub const fn word(self) -> u32 {
        self.word
    }
}

impl<S, const N: usize> Field<S, [u32; N]> {
    /// The element at `index`.
    #[inline(always)]
    pub const fn at(self, index: u32) -> Field<S> {
        Field { word: self.word + index, of: PhantomData }
    }
}
