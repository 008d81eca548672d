//! Launches the contractions. A `ScratchSpace` is made of where the tiles begin, whatever a tile is.

use crate::csf::{Csf, Random};
use bytemuck::cast_slice;
use evenkeel::{
    Result,
    device::{Buffer, Device, Recording},
    engine::schedule::{Choice, ScratchSpace, TileExtent},
};
use evenkeel_kernels::memory::Vec4;
use kernels::tensor::{TensorParams, TensorTimesMatrices, TensorTimesVector};
use std::time::Duration;

/// The columns of the matrices.
pub const COLUMNS: usize = 4;

/// What the tensor is contracted with.
pub struct Dense {
    /// An element for each k.
    pub vector: Vec<f32>,
    /// A row for each j.
    pub left: Vec<[f32; COLUMNS]>,
    /// A row for each k.
    pub right: Vec<[f32; COLUMNS]>,
}

impl Dense {
    /// Draws all elements.
    pub fn random(tensor: &Csf) -> Self {
        let mut random = Random(2);
        let [_, second, third] = tensor.sizes;
        Self {
            vector: (0..third).map(|_| random.number()).collect(),
            left: (0..second).map(|_| [(); COLUMNS].map(|()| random.number())).collect(),
            right: (0..third).map(|_| [(); COLUMNS].map(|()| random.number())).collect(),
        }
    }
}

/// Both contractions, ready to run any number of times.
pub struct Contractions {
    device: Device,
    by_fiber: Buffer<f32>,
    by_slice: Buffer<Vec4>,
    recording: Recording,
}

impl Contractions {
    /// Copies everything to the device and records the kernels. What does not fit is refused before anything is allocated.
    pub fn prepare(device: &Device, tensor: &Csf, dense: &Dense, choice: Choice) -> Result<Self> {
        device.prepare(|device| Self::build(device, tensor, dense, choice))
    }

    fn build(device: &Device, tensor: &Csf, dense: &Dense, choice: Choice) -> Result<Self> {
        let (schedule, entries) = (choice.schedule, tensor.values.len());
        let begins = &device.buffer_from("fibers", &tensor.begins)?;
        let first_fibers = &device.buffer_from("slices", &tensor.first_fibers)?;
        let (second, third) = (&device.buffer_from("j", &tensor.second)?, &device.buffer_from("k", &tensor.third)?);
        let values = &device.buffer_from("values", &tensor.values)?;
        let vector = &device.buffer_from("vector", &dense.vector)?;
        let left = &device.buffer_from::<f32>("left", cast_slice(&dense.left))?.cast();
        let right = &device.buffer_from::<f32>("right", cast_slice(&dense.right))?.cast();
        let by_fiber = device.buffer("by fiber", tensor.fibers())?;
        let by_slice = device.buffer("by slice", tensor.slices())?;

        let fibers = ScratchSpace::gather(device, choice, begins, TileExtent::new(tensor.fibers(), entries))?;
        let slice_begins = device.buffer_from("slice begins", &tensor.slice_begins())?;
        let slices = ScratchSpace::gather(device, choice, &slice_begins, TileExtent::new(tensor.slices(), entries))?;
        let times_vector =
            TensorTimesVector { schedule, begins, third, values, vector, result: &by_fiber, scratch: &fibers.buffers };
        let times_matrices = TensorTimesMatrices {
            schedule,
            first_fibers,
            begins,
            second,
            third,
            values,
            left,
            right,
            result: &by_slice,
            scratch: &slices.buffers,
        };
        let params = |tiles: usize| move |schedule| TensorParams { tiles: tiles as u32, schedule };
        // SAFETY: every buffer has an element for each slice, fiber, entry, j or k, as the kernels expect, and no j or k is larger than its dimension.
        let recording = device.record(&format!("contractions, {choice}"), |recorder| unsafe {
            fibers.launch_gather(recorder, &times_vector, params(tensor.fibers()));
            slices.launch_gather(recorder, &times_matrices, params(tensor.slices()));
        })?;
        Ok(Self { device: device.clone(), by_fiber, by_slice, recording })
    }

    /// Runs the kernels, and says how long the device was busy.
    pub fn run(&mut self) -> Result<Duration> {
        self.recording.run()
    }

    /// The element for each fiber, and the row for each slice.
    pub fn results(&self) -> Result<(Vec<f32>, Vec<[f32; COLUMNS]>)> {
        let by_slice = self.device.download(&self.by_slice)?.iter().map(Vec4::to_array).collect();
        Ok((self.device.download(&self.by_fiber)?, by_slice))
    }
}
