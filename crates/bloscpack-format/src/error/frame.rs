//! Errors of Blosc2 frames and of changes to them.

use super::part::Part;
use blosc_core::{DecodeError, EncodeError, ErrorKind, Location, OutOfMemory, OverLimit};
use std::error::Error;
use std::fmt;

/// Why a frame was refused, or why a requested change is not possible. Numbers that are merely out of range are
/// [`FormatError::OutOfRange`](crate::FormatError::OutOfRange).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// Bytes 2 to 9 are not `b2frame` and a NUL.
    Magic {
        /// The bytes found.
        found: [u8; 8],
    },
    /// A MessagePack marker differs from the only one allowed there.
    Marker {
        /// The part of the frame.
        part: Part,
        /// Where the marker is, from the start of the part.
        offset: u64,
        /// The field that it belongs to.
        field: &'static str,
        /// The byte found.
        found: u8,
        /// The expected marker.
        expected: u8,
    },
    /// A field extends past the end of the part that contains it.
    PastEnd {
        /// The part of the frame.
        part: Part,
        /// Where the field starts, from the start of the part.
        offset: u64,
        /// The field.
        field: &'static str,
        /// Where the part ends.
        end: u64,
    },
    /// A contiguous frame where a sparse one was expected, or the other way round.
    FrameType {
        /// The `frame_type` byte.
        found: u8,
        /// The byte expected here.
        expected: u8,
    },
    /// The chunk that makes up a part of the frame cannot be read.
    Chunk {
        /// The part.
        part: Part,
        /// The error of the chunk.
        source: Box<DecodeError>,
    },
    /// A chunk cannot be encoded.
    Encode(Box<EncodeError>),
    /// The length of the index is not 8 bytes for each chunk.
    IndexLength {
        /// Uncompressed bytes of the index.
        found: u64,
        /// Uncompressed bytes that the header's sizes require. `None` if any multiple of 8 would do.
        expected: Option<u64>,
    },
    /// An entry of the index is neither a special value nor an offset in the data.
    Entry {
        /// The chunk's number.
        chunk: u64,
        /// Its entry.
        value: i64,
        /// The greatest valid offset.
        max: i64,
    },
    /// A special value in a frame with variable chunk sizes: its uncompressed size is not stored anywhere.
    NoSize {
        /// The chunk's number.
        chunk: u64,
    },
    /// A chunk that the index cannot have, or that C-Blosc2 cannot read in the frame.
    UnfitChunk {
        /// The chunk's number.
        chunk: u64,
        /// The reason.
        problem: &'static str,
    },
    /// The uncompressed size of a chunk differs from the size that its position in the frame requires.
    ChunkSize {
        /// The chunk's number.
        chunk: u64,
        /// Its `nbytes`.
        found: u64,
        /// The size that the frame requires.
        expected: u64,
    },
    /// A chunk extends past the end of the data, or of its file.
    ChunkLength {
        /// The chunk's number.
        chunk: u64,
        /// Its `cbytes`.
        cbytes: u64,
        /// Bytes available.
        room: u64,
    },
    /// The frame has no chunk of this number.
    NoSuchChunk {
        /// The number asked for.
        chunk: u64,
        /// Number of chunks in the frame.
        nchunks: u64,
    },
    /// The shape of an array makes a different number of chunks than the frame has.
    ChunkCount {
        /// Number of chunks in the frame.
        found: u64,
        /// Number of chunks by the shape.
        expected: u64,
    },
    /// A count exceeds the limit of the frame format.
    TooMany {
        /// The items that are counted.
        what: &'static str,
        /// Number found.
        found: u64,
        /// Maximum number.
        max: u64,
    },
    /// The name of a metalayer has more than 31 bytes.
    LayerName {
        /// Length of the name in bytes.
        len: usize,
    },
    /// The name of a metalayer contains a NUL, where C-Blosc2 ends it.
    LayerNul {
        /// The name.
        name: Box<str>,
    },
    /// A metalayer of this name exists already.
    LayerExists {
        /// The name.
        name: Box<str>,
    },
    /// The frame has no metalayer of this name.
    NoSuchLayer {
        /// The name.
        name: Box<str>,
    },
    /// The new content of a metalayer is longer than the old content, which it must overwrite.
    LayerTooLong {
        /// The name.
        name: Box<str>,
        /// Bytes of the new content.
        found: u64,
        /// Bytes of the old content.
        room: u64,
    },
    /// Metalayers can be added only while the frame has no chunks, because they are stored before the chunks.
    MetalayersFixed,
    /// The new order does not name each chunk once.
    NotAPermutation,
    /// The request and the array have different numbers of axes.
    Ndim {
        /// Axes of the request.
        found: usize,
        /// Axes of the array.
        expected: usize,
    },
    /// A range of indices is not within its axis.
    Slice {
        /// The axis.
        axis: usize,
        /// First index.
        start: u64,
        /// Past the last index.
        stop: u64,
        /// Length of the axis.
        len: u64,
    },
    /// The size of a shape in bytes exceeds the maximum.
    ShapeTooLarge {
        /// The name of the shape.
        field: &'static str,
        /// Maximum number of bytes.
        max: u64,
    },
    /// The length of a buffer differs from the size of the region to be copied.
    Buffer {
        /// Bytes of the buffer.
        found: u64,
        /// Bytes of the region.
        expected: u64,
    },
}

impl Error for FrameError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Chunk { source, .. } => Some(source.as_ref()),
            // The error displays its content itself.
            Self::Encode(error) => error.source(),
            _ => None,
        }
    }
}

impl FrameError {
    /// Returns the memory that the system refused, if that is the cause.
    #[must_use]
    pub fn out_of_memory(&self) -> Option<OutOfMemory> {
        match self {
            Self::Chunk { source, .. } => source.out_of_memory(),
            Self::Encode(source) => source.out_of_memory(),
            _ => None,
        }
    }

    /// Returns the limit that is too low, if that is the cause.
    #[must_use]
    pub fn over_limit(&self) -> Option<&OverLimit> {
        match self {
            Self::Chunk { source, .. } => source.over_limit(),
            _ => None,
        }
    }

    /// Returns the category of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Chunk { source, .. } => source.kind(),
            Self::Encode(source) => source.kind(),
            Self::NoSuchChunk { .. } | Self::NoSuchLayer { .. } => ErrorKind::NotFound,
            Self::LayerExists { .. } => ErrorKind::Exists,
            Self::TooMany { .. }
            | Self::LayerName { .. }
            | Self::LayerNul { .. }
            | Self::LayerTooLong { .. }
            | Self::MetalayersFixed
            | Self::NotAPermutation
            | Self::UnfitChunk { .. }
            | Self::Ndim { .. }
            | Self::Slice { .. }
            | Self::Buffer { .. } => ErrorKind::InvalidInput,
            Self::Magic { .. }
            | Self::Marker { .. }
            | Self::PastEnd { .. }
            | Self::FrameType { .. }
            | Self::IndexLength { .. }
            | Self::Entry { .. }
            | Self::NoSize { .. }
            | Self::ChunkSize { .. }
            | Self::ChunkLength { .. }
            | Self::ChunkCount { .. }
            | Self::ShapeTooLarge { .. } => ErrorKind::Damaged,
        }
    }

    /// Returns the location of the error in the frame.
    #[must_use]
    pub fn location(&self) -> Location {
        let of_chunk = |chunk: &u64| {
            let mut location = Location::default();
            location.chunk = Some(*chunk);
            location
        };
        let in_header = |offset, field| Location::of_field(offset, field).in_part(Part::FrameHeader.name());
        match self {
            Self::Magic { .. } => in_header(2, "magic"),
            Self::Marker { part, offset, field, .. } | Self::PastEnd { part, offset, field, .. } => {
                Location::of_field(*offset, field).in_part(part.name())
            }
            Self::FrameType { .. } => in_header(26, "frame_type"),
            Self::Chunk { part, source } => source.location().in_part(part.name()),
            Self::Encode(source) => source.location(),
            Self::IndexLength { .. } => Location::default().in_part(Part::FrameIndex.name()),
            Self::Entry { chunk, .. } => of_chunk(chunk).in_part(Part::FrameIndex.name()),
            Self::NoSize { chunk }
            | Self::ChunkSize { chunk, .. }
            | Self::ChunkLength { chunk, .. }
            | Self::UnfitChunk { chunk, .. }
            | Self::NoSuchChunk { chunk, .. } => of_chunk(chunk),
            _ => Location::default(),
        }
    }
}

impl From<EncodeError> for FrameError {
    fn from(error: EncodeError) -> Self {
        FrameError::Encode(Box::new(error))
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic { found } => {
                write!(f, "frame header, offset 2: magic is b'{}', expected b'b2frame\\x00'", found.escape_ascii())
            }
            Self::Marker { part, offset, field, found, expected } => {
                write!(f, "{part}, offset {offset}: marker of {field} is {found:#04x}, expected {expected:#04x}")
            }
            Self::PastEnd { part, offset, field, end } => {
                write!(f, "{part}, offset {offset}: {field} extends past the end at {end}")
            }
            Self::FrameType { found, expected } => {
                write!(f, "frame header, offset 26: frame_type is {found}, expected {expected} here")
            }
            Self::Chunk { part, .. } => part.fmt(f),
            Self::Encode(error) => error.fmt(f),
            Self::IndexLength { found, expected: Some(expected) } => {
                write!(f, "frame index: {found} bytes, expected {expected}")
            }
            Self::IndexLength { found, expected: None } => {
                write!(f, "frame index: {found} bytes, expected a multiple of 8")
            }
            Self::Entry { chunk, value, max } => {
                write!(f, "frame index: entry of chunk {chunk} is {value}, expected 0..={max} or a special value")
            }
            Self::NoSize { chunk } => {
                write!(f, "chunk {chunk} is a special value without a size, as chunksize is 0: its data is lost")
            }
            Self::UnfitChunk { chunk, problem } => write!(f, "chunk {chunk} cannot be in the frame: {problem}"),
            Self::ChunkSize { chunk, found, expected } => {
                write!(f, "chunk {chunk}: nbytes is {found}, expected {expected}")
            }
            Self::ChunkLength { chunk, cbytes, room } => {
                write!(f, "chunk {chunk}: cbytes is {cbytes}, but only {room} bytes are available")
            }
            Self::NoSuchChunk { chunk, nchunks } => write!(f, "there is no chunk {chunk}; there are {nchunks}"),
            Self::ChunkCount { found, expected } => {
                write!(f, "the frame has {found} chunks, expected {expected} by the shape of the array")
            }
            Self::TooMany { what, found, max } => write!(f, "{found} {what}, expected at most {max}"),
            Self::LayerName { len } => write!(f, "the name of a metalayer has {len} bytes, expected at most 31"),
            Self::LayerNul { name } => write!(f, "metalayer {name:?} has a NUL in its name"),
            Self::LayerExists { name } => write!(f, "metalayer {name:?} already exists"),
            Self::NoSuchLayer { name } => write!(f, "there is no metalayer {name:?}"),
            Self::LayerTooLong { name, found, room } => {
                write!(f, "metalayer {name:?} takes {found} bytes, but has room for {room}")
            }
            Self::MetalayersFixed => f.write_str("metalayers can be added only to a frame without chunks"),
            Self::NotAPermutation => f.write_str("the new order does not name each chunk once"),
            Self::Ndim { found, expected } => write!(f, "{found} axes, but the array has {expected}"),
            Self::Slice { axis, start, stop, len } => {
                write!(f, "axis {axis}: {start}..{stop} is not within 0..{len}")
            }
            Self::ShapeTooLarge { field, max } => write!(f, "b2nd metalayer: {field} exceeds {max} bytes"),
            Self::Buffer { found, expected } => write!(f, "the buffer has {found} bytes, expected {expected}"),
        }
    }
}
