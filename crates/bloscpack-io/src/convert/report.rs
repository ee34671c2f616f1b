//! The report of a conversion.

use bloscpack_format::numpy::NumpyMeta;

use crate::DroppedAttribute;

/// The result of a conversion.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConvertReport {
    /// Number of plain bytes.
    pub nbytes: u64,
    /// The array in the plain bytes, if it is known.
    pub array: Option<NumpyMeta>,
    /// Attributes and metalayers of the input that the output does not contain.
    pub dropped: Vec<DroppedAttribute>,
    /// Number of vlmetalayers, if the output is a frame. C-Blosc2 cannot change a frame with more than
    /// [`VlMetalayers::MAX_INTERCHANGE`](bloscpack_format::frame::VlMetalayers::MAX_INTERCHANGE).
    pub vlmetalayers: usize,
}
