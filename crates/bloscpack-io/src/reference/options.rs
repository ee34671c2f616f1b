//! Options of references.

use crate::{Cancel, Limits};

/// Options of [`References::of`](super::References::of).
#[derive(Debug, Clone, Default)]
pub struct ReferenceOptions {
    pub(super) axis: usize,
    pub(super) new_axis: bool,
    pub(super) name: Option<String>,
    pub(super) dims: Vec<String>,
    pub(super) limits: Limits,
    pub(super) cancel: Cancel,
}

impl ReferenceOptions {
    /// Inputs are joined along the first axis. A single array is the root.
    pub fn new() -> Self {
        ReferenceOptions::default()
    }

    /// The axis along which several inputs are joined.
    #[must_use]
    pub fn axis(mut self, axis: usize) -> Self {
        self.axis = axis;
        self
    }

    /// Joins inputs along a new axis, at the place of [`axis`](Self::axis).
    #[must_use]
    pub fn new_axis(mut self, new_axis: bool) -> Self {
        self.new_axis = new_axis;
        self
    }

    /// The name of the array in a group. Columns of a table have names anyway.
    #[must_use]
    pub fn name(mut self, name: impl Into<Option<String>>) -> Self {
        self.name = name.into();
        self
    }

    /// The names of the axes, as xarray reads them: the attribute `_ARRAY_DIMENSIONS`. Chunks of zeros then also have
    /// references, because xarray takes the fill value for missing items.
    #[must_use]
    pub fn dims(mut self, dims: impl Into<Vec<String>>) -> Self {
        self.dims = dims.into();
        self
    }

    /// The limits of what is opened and read.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The switch that ends the work early with [`Error::Cancelled`](crate::Error::Cancelled).
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }
}
