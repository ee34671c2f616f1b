//! The report of a conversion.

use bloscpack_format::numpy::NumpyMeta;

use crate::Unkept;

/// The facts of a conversion.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConvertReport {
    /// Plain bytes.
    pub nbytes: u64,
    /// The array that they are, if it is known.
    pub array: Option<NumpyMeta>,
    /// Attributes and metalayers of the input that the output does not have.
    pub unkept: Vec<Unkept>,
    /// Vlmetalayers of an output that is a frame. C-Blosc2 cannot change one that has more than
    /// [`VlMetalayers::MAX_INTERCHANGE`](bloscpack_format::frame::VlMetalayers::MAX_INTERCHANGE).
    pub vlmetalayers: usize,
}
