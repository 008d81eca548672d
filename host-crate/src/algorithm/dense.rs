//! The dense operand of a product: a vector, or a matrix row by row.

use crate::Result;
use rayon::prelude::*;
use std::sync::Arc;

/// Numbers that a sparse matrix is multiplied with. Clones share them, and a product copies them to the device only when it is
/// given other ones than in the run before.
#[derive(Clone, Debug)]
pub struct Dense<T> {
    elements: Arc<[T]>,
}

/// A dense vector.
pub type DenseVector = Dense<f64>;
/// A dense matrix, row by row.
pub type DenseMatrix = Dense<f32>;

impl<S: Copy + Into<T> + Sync, T: Send> From<&[S]> for Dense<T> {
    fn from(elements: &[S]) -> Self {
        Self { elements: elements.par_iter().map(|&element| element.into()).collect::<Vec<T>>().into() }
    }
}

impl<S: Copy + Into<T> + Sync, T: Send> From<Vec<S>> for Dense<T> {
    fn from(elements: Vec<S>) -> Self {
        elements.as_slice().into()
    }
}

impl<T> Dense<T> {
    /// Its elements, one row after the other.
    pub fn elements(&self) -> &[T] {
        &self.elements
    }

    /// Calls `load` unless these elements are loaded already: copying them for each run would cost more than the product.
    pub(super) fn load_once(&self, loaded: &mut Option<Self>, load: impl FnOnce(&[T]) -> Result<()>) -> Result<()> {
        if loaded.as_ref().is_none_or(|loaded| !Arc::ptr_eq(&loaded.elements, &self.elements)) {
            *loaded = None;
            load(&self.elements)?;
            *loaded = Some(Self { elements: self.elements.clone() });
        }
        Ok(())
    }
}
