//! Histograms: the distribution of numbers over bins of equal width.

/// The number of values in each of several bins of equal width.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Histogram {
    /// The start of each bin, and the end of the last one.
    pub edges: Edges,
    /// The number of values in each bin.
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
