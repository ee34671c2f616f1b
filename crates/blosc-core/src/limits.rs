//! What a decoder may spend on input that somebody else wrote.

/// Bounds for decoding chunks from untrusted sources.
///
/// A decoder allocates at most the plain size of a chunk plus three blocks, and only after the header's numbers were
/// found consistent with the bytes that are really there. `Limits` lowers the bound further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Largest plain size (`nbytes`) of a chunk that is decoded; of a block, where only some are. Default: what the
    /// format can express, 2 GiB − 1.
    pub max_nbytes: usize,
}

impl Limits {
    /// The defaults: everything that the format can express.
    pub const fn new() -> Self {
        Limits { max_nbytes: i32::MAX as usize }
    }

    /// Refuses chunks with more than `max_nbytes` plain bytes.
    pub const fn max_nbytes(mut self, max_nbytes: usize) -> Self {
        self.max_nbytes = max_nbytes;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::new()
    }
}
