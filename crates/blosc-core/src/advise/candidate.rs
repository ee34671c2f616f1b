//! Parameters with the result of a trial.

use crate::params::CParams;

/// Parameters that were tried on a sample, and the result.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// The parameters of a chunk.
    pub params: CParams,
    /// Uncompressed size of the sample divided by its compressed size.
    pub ratio: f64,
    /// Nominal speed of compression on one thread, in MB/s of uncompressed data.
    pub compress: f64,
    /// Nominal speed of decompression, likewise.
    pub decompress: f64,
}
