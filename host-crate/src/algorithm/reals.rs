//! Real numbers in single or double precision, and the buffers that hold them on a device.

use super::prelude::*;
use bytemuck::Pod;
use rayon::prelude::*;

/// The numbers that values are computed with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    #[default]
    Single,
    /// 64 bits.
    Double,
}

impl Choices for Precision {
    const CHOICES: &'static [(Self, NamedValue)] = &[
        (Self::Single, NamedValue { alias: Some("f32"), ..named("single", "32 bits") }),
        (Self::Double, NamedValue { alias: Some("f64"), ..named("double", "64 bits") }),
    ];
}

impl Precision {
    /// The size of a number.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Single => size_of::<f32>(),
            Self::Double => size_of::<f64>(),
        }
    }

    /// The higher one of those that a device has.
    pub(super) fn best(device: &DeviceInfo) -> Self {
        if device.float64 { Self::Double } else { Self::Single }
    }

    /// Refuses a device that has no such numbers.
    pub(crate) fn check(self, device: &DeviceInfo) -> Result<()> {
        if self == Self::Double && !device.float64 {
            return Err(Error::Unsupported(format!("{} has no double precision (shaderFloat64)", device.name)));
        }
        Ok(())
    }
}

/// A number that double precision holds.
pub(crate) trait Number: Pod + Into<f64> + Send {
    /// The nearest to this.
    fn of(number: f64) -> Self;

    /// Some of them on a device.
    fn reals(buffer: &Buffer<Self>) -> Reals;
}

impl Number for u32 {
    fn of(number: f64) -> Self {
        number as Self
    }

    fn reals(buffer: &Buffer<Self>) -> Reals {
        Reals::Whole(buffer.clone())
    }
}

impl Number for f32 {
    fn of(number: f64) -> Self {
        number as f32
    }

    fn reals(buffer: &Buffer<Self>) -> Reals {
        Reals::Single(buffer.clone())
    }
}

impl Number for f64 {
    fn of(number: f64) -> Self {
        number
    }

    fn reals(buffer: &Buffer<Self>) -> Reals {
        Reals::Double(buffer.clone())
    }
}

/// Numbers on a device.
pub(crate) enum Reals {
    Whole(Buffer<u32>),
    Single(Buffer<f32>),
    Double(Buffer<f64>),
}

impl Reals {
    /// Uploads the numbers nearest to these.
    pub fn upload(&self, device: &Device, numbers: &[f64]) -> Result<()> {
        fn all<T: Number>(device: &Device, buffer: &Buffer<T>, numbers: &[f64]) -> Result<()> {
            device.upload(buffer, 0, &numbers.par_iter().map(|&number| T::of(number)).collect::<Vec<T>>())
        }
        match self {
            Self::Whole(buffer) => all(device, buffer, numbers),
            Self::Single(buffer) => all(device, buffer, numbers),
            Self::Double(buffer) => device.upload(buffer, 0, numbers),
        }
    }

    /// Downloads them in double precision, which holds all kinds.
    pub fn download(&self, device: &Device) -> Result<Vec<f64>> {
        Ok(match self {
            Self::Whole(numbers) => device.download(numbers)?.into_iter().map(f64::from).collect(),
            Self::Single(numbers) => device.download(numbers)?.into_iter().map(f64::from).collect(),
            Self::Double(numbers) => device.download(numbers)?,
        })
    }
}
