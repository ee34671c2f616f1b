//! How numbers are distributed: bins of the same width.

/// How many numbers are in each of several bins of the same width.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Histogram {
    /// Where each bin starts, and where the last one ends.
    pub edges: Edges,
    /// Numbers in each bin.
    pub counts: Vec<u64>,
}

/// The edges of bins, one more than there are bins.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Edges {
    /// Every bin ends before the next one starts.
    Ints(Vec<i128>),
    /// The last bin has its upper edge.
    Floats(Vec<f64>),
}
