//! The reason why Zarr cannot read an input in place.

/// The reason why Zarr cannot read an input in place. Most say what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceRefusal {
    /// No input was given.
    #[error("references need at least one input")]
    NoInput,
    /// A container of bytes without dtype and shape.
    #[error("it has no dtype and shape; 'blpk convert --dtype' makes it an array")]
    NoArray,
    /// A chunk of a bloscpack file that is no box of the array.
    #[error(
        "its chunks of {items} items are no boxes of an array of shape {shape:?}; 'blpk convert' to .b2nd, or compress it \
         again with -z of whole rows"
    )]
    Chunks {
        /// Items of a chunk.
        items: u64,
        /// The shape of the array.
        shape: Vec<u64>,
    },
    /// A chunk that does not hold whole items.
    #[error("its chunks of {nbytes} bytes do not hold whole items of {itemsize} bytes; 'blpk convert' to .b2nd")]
    Items {
        /// Bytes of a chunk.
        nbytes: u64,
        /// Bytes of an item.
        itemsize: u64,
    },
    /// A chunk before the last has another size than the first.
    #[error("chunk {chunk} has {found} bytes, the first has {expected}; 'blpk convert' makes all the same size")]
    Uneven {
        /// The number of the chunk.
        chunk: u64,
        /// Its uncompressed size in bytes.
        found: u64,
        /// The uncompressed size of the first chunk in bytes.
        expected: u64,
    },
    /// A Zarr array whose axes are permuted in another order than reversed.
    #[error(
        "its axes are stored in an order that Zarr format 2 does not have; 'blpk convert' to .zarr stores them in C order"
    )]
    Transposed,
    /// A Zarr array with a codec that metadata of format 2 cannot name.
    #[error("it has a codec that Zarr format 2 cannot name; 'blpk convert' to .zarr")]
    Codec,
    /// A chunk holds more than its part of the array.
    #[error("chunk {chunk} has {found} bytes, expected {expected}; 'blpk convert' rewrites it")]
    ChunkSize {
        /// The number of the chunk.
        chunk: u64,
        /// Its uncompressed size in bytes.
        found: u64,
        /// The uncompressed size of a Zarr chunk in bytes.
        expected: u64,
    },
    /// The axis to join along does not exist.
    #[error("axis {axis} does not exist, the arrays have {ndim} axes")]
    Axis {
        /// The requested axis.
        axis: usize,
        /// Number of axes.
        ndim: usize,
    },
    /// The number of names differs from the number of axes.
    #[error("{found} names of dimensions, but the array has {expected} axes")]
    Dims {
        /// Number of names.
        found: usize,
        /// Number of axes.
        expected: usize,
    },
    /// The name of an array cannot be the name of a member of a group.
    #[error("{name:?} cannot be the name of a Zarr array: it is empty, or has a '/', or starts with '.'")]
    Name {
        /// The name.
        name: String,
    },
    /// An input differs from the first.
    #[error("its {what} is {found}, but {expected} in the first input; 'blpk convert' can change it")]
    Differs {
        /// The property: `dtype`, `shape`, `chunk shape`, …
        what: &'static str,
        /// The property of the input.
        found: String,
        /// The property of the first input.
        expected: String,
    },
    /// An input in the middle does not end with a whole chunk.
    #[error(
        "it has {found} items along axis {axis}, which is not a multiple of the chunks of {chunk}; only the last input may \
         end with a part of a chunk: 'blpk convert --chunkshape' with a divisor of {found}, for all inputs"
    )]
    PartialChunk {
        /// The axis along which the inputs are joined.
        axis: usize,
        /// Items of the input along the axis.
        found: u64,
        /// Items of a chunk along the axis.
        chunk: u64,
    },
    /// More items along an axis than Zarr can number.
    #[error("too many items along axis {axis}")]
    TooLong {
        /// The axis.
        axis: usize,
    },
    /// A path that is not UTF-8, or cannot be below the base URL.
    #[error("the path has no URL below --base: name the input by a path relative to the folder that was copied there")]
    Url,
}
