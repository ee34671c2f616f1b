//! Errors: why bytes were refused, or why a value cannot be written.
//!
//! Every function of this crate returns [`FormatError`], or the error of one format, which converts to it. The types
//! are defined here, below all modules that return them. The module of each format re-exports its own.
//!
//! | file | defines |
//! |---|---|
//! | `mod` | the error of the whole crate |
//! | `frame`, `bcolz`, `numpy` | the error of one format |
//! | `part` | the structures that errors name |
//! | `zarr` | errors of Zarr |
//! | `text` | syntax errors of JSON and of Python literals |

mod bcolz;
mod frame;
mod numpy;
mod part;
mod text;
mod zarr;

pub use self::bcolz::BcolzError;
pub use self::frame::FrameError;
pub use self::numpy::NumpyError;
pub use self::part::Part;
pub use self::text::TextProblem;
pub use self::zarr::ZarrError;

use crate::checksum::{Checksum, Digest};
use crate::format_version::Version;
use blosc_core::{ErrorKind, Location, OutOfMemory, OverLimit, Report};
use std::error::Error;
use std::fmt;

/// Why bytes were refused, or why a value cannot be written. Carries the location, and the found and expected numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// The slice ends before `part` does.
    Truncated {
        /// The structure that was being read.
        part: Part,
        /// Length of the part in bytes, from its own start.
        needed: u64,
        /// Bytes that were given.
        found: u64,
    },
    /// The first four bytes are not `blpk`.
    MagicMissing {
        /// The bytes found.
        found: [u8; 4],
    },
    /// The bloscpack format version is not 1, 2 or 3.
    UnsupportedVersion {
        /// The version byte.
        found: u8,
    },
    /// A file of bloscpack 0.1.0-rc1 or -rc2, which had no version byte: `blpk`, the number of chunks, chunks.
    PreRelease {
        /// The number of chunks it says it holds.
        nchunks: u32,
    },
    /// A number is out of its range.
    OutOfRange {
        /// The structure that the field belongs to.
        part: Part,
        /// Where the field is, counted from the start of the structure.
        offset: u64,
        /// The format's name for the field.
        field: &'static str,
        /// The value found.
        value: i64,
        /// The least value allowed.
        min: i64,
        /// The greatest value allowed.
        max: i64,
    },
    /// Bits that the format reserves are not zero.
    Reserved {
        /// Where the field is, counted from the start of the header.
        offset: u64,
        /// The format's name for the field.
        field: &'static str,
        /// The value found.
        value: u64,
    },
    /// `last_chunk` is larger than `chunk_size`.
    LastChunkTooLarge {
        /// The header's last chunk size.
        last_chunk: u32,
        /// The header's chunk size.
        chunk_size: u32,
    },
    /// `nchunks + max_app_chunks` does not fit the format's 63 bits, or the offsets would exceed the largest file.
    TooManyChunks {
        /// Chunks in use.
        nchunks: u64,
        /// Chunks that may be appended.
        max_app_chunks: u64,
    },
    /// The header has offsets, or room to append, but an unknown number of chunks.
    UnknownChunkCount {
        /// The header's `max_app_chunks`.
        max_app_chunks: u64,
    },
    /// A field is set that the header's format version cannot express.
    NotInVersion {
        /// The format version of the header.
        version: Version,
        /// The field that is set.
        field: &'static str,
    },
    /// The metadata is in a format other than `JSON`.
    UnknownMetadataFormat {
        /// The metadata header's `magic_format`.
        found: [u8; 8],
    },
    /// Stored and computed digest differ.
    DigestMismatch(Box<DigestMismatch>),
    /// The metadata does not fit the space that was preallocated for it.
    MetadataSectionTooSmall {
        /// Bytes of the encoded metadata.
        needed: u64,
        /// Bytes preallocated, `max_meta_size`.
        room: u64,
    },
    /// A rewrite cannot change the length of the metadata's digest, because the data after it cannot move.
    ChecksumLengthMismatch {
        /// The checksum in the file.
        stored: Checksum,
        /// The checksum that was requested.
        requested: Checksum,
    },
    /// More bytes than the format or the argument of a call allows.
    LimitExceeded {
        /// The part that is too long.
        part: Part,
        /// The maximum number of bytes.
        limit: u64,
    },
    /// More than the caller's [`Limits`](blosc_core::Limits) allow.
    Limit(OverLimit),
    /// The system refused memory.
    OutOfMemory(OutOfMemory),
    /// A zlib stream is damaged or incomplete.
    Zlib {
        /// Number of input bytes decoded before the error.
        offset: u64,
    },
    /// JSON or a Python literal is malformed.
    Text {
        /// The part that the text belongs to.
        part: Part,
        /// Byte offset in it.
        offset: u64,
        /// The syntax error.
        problem: TextProblem,
    },
    /// The bytes do not describe a supported NumPy array.
    Numpy(NumpyError),
    /// The bytes are not a valid Blosc2 frame, or the requested change is not possible.
    Frame(FrameError),
    /// A file of a bcolz directory is invalid.
    Bcolz(Box<BcolzError>),
    /// Zarr metadata, a shard index or a zip archive is invalid.
    Zarr(Box<ZarrError>),
}

impl FormatError {
    /// Returns the number of bytes, from the start of the structure, that parsing needs to continue. `None` unless the
    /// slice was too short.
    #[must_use]
    pub fn bytes_needed(&self) -> Option<u64> {
        match self {
            Self::Truncated { needed, .. } => Some(*needed),
            _ => None,
        }
    }

    /// Returns the category of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Truncated { .. } => ErrorKind::Truncated,
            Self::UnsupportedVersion { .. } | Self::PreRelease { .. } | Self::UnknownMetadataFormat { .. } => {
                ErrorKind::Unsupported
            }
            Self::MagicMissing { .. }
            | Self::OutOfRange { .. }
            | Self::Reserved { .. }
            | Self::LastChunkTooLarge { .. }
            | Self::TooManyChunks { .. }
            | Self::UnknownChunkCount { .. }
            | Self::DigestMismatch(_)
            | Self::Zlib { .. }
            | Self::Text { .. } => ErrorKind::Damaged,
            Self::NotInVersion { .. } | Self::MetadataSectionTooSmall { .. } | Self::ChecksumLengthMismatch { .. } => {
                ErrorKind::InvalidInput
            }
            Self::LimitExceeded { .. } | Self::Limit(_) => ErrorKind::Limit,
            Self::OutOfMemory(_) => ErrorKind::OutOfMemory,
            Self::Numpy(error) => error.kind(),
            Self::Frame(error) => error.kind(),
            Self::Bcolz(error) => error.kind(),
            Self::Zarr(error) => error.kind(),
        }
    }

    /// Returns the structure, the offset in it and the field.
    #[must_use]
    pub fn location(&self) -> Location {
        let in_part = |part: &Part, location: Location| match part {
            // The header starts at the start of the file.
            Part::Header => location,
            part => location.in_part(part.name()),
        };
        match self {
            Self::Truncated { part, .. } | Self::LimitExceeded { part, .. } => in_part(part, Location::default()),
            Self::MagicMissing { .. } => Location::of_field(0, "magic"),
            Self::UnsupportedVersion { .. } | Self::PreRelease { .. } => Location::of_field(4, "format_version"),
            Self::OutOfRange { part, offset, field, .. } => in_part(part, Location::of_field(*offset, field)),
            Self::Reserved { offset, field, .. } => Location::of_field(*offset, field),
            Self::LastChunkTooLarge { .. } => Location::of_field(12, "last_chunk"),
            Self::TooManyChunks { .. } | Self::UnknownChunkCount { .. } => Location::of_field(16, "nchunks"),
            Self::UnknownMetadataFormat { .. } => in_part(&Part::MetadataHeader, Location::of_field(0, "magic_format")),
            Self::DigestMismatch(mismatch) => in_part(&mismatch.part, Location::default()),
            Self::Zlib { offset } => {
                let mut location = Location::default();
                location.offset = Some(*offset);
                in_part(&Part::Metadata, location)
            }
            Self::Text { part, offset, .. } => {
                let mut location = Location::default();
                location.offset = Some(*offset);
                in_part(part, location)
            }
            Self::Frame(error) => error.location(),
            Self::Bcolz(error) => error.location(),
            Self::Zarr(error) => error.location(),
            _ => Location::default(),
        }
    }

    /// Returns the structure that the message starts with.
    #[must_use]
    pub fn part(&self) -> Option<Part> {
        match self {
            Self::Truncated { part, .. }
            | Self::LimitExceeded { part, .. }
            | Self::OutOfRange { part, .. }
            | Self::Text { part, .. } => Some(*part),
            Self::Bcolz(error) => error.part(),
            _ => None,
        }
    }

    /// Returns the message without [`part`](Self::part) and the offset in it, for callers that show both themselves.
    #[must_use]
    pub fn problem(&self) -> impl fmt::Display {
        Problem(self)
    }

    /// Returns the error with its sources, and advice if there is any, on one line.
    #[must_use]
    pub fn report(&self) -> Report<'_> {
        Report::new(self).advise(self.over_limit())
    }

    /// Returns the limit that is too low, if that is the cause.
    #[must_use]
    pub fn over_limit(&self) -> Option<&OverLimit> {
        match self {
            Self::Limit(over) => Some(over),
            Self::Frame(error) => error.over_limit(),
            _ => None,
        }
    }

    /// Returns the memory that the system refused, if that is the cause.
    #[must_use]
    pub fn out_of_memory(&self) -> Option<OutOfMemory> {
        match self {
            Self::OutOfMemory(error) | Self::Numpy(NumpyError::OutOfMemory(error)) => Some(*error),
            Self::Frame(error) => error.out_of_memory(),
            _ => None,
        }
    }
}

/// Displays an error without the location that its message starts with.
struct Problem<'a>(&'a FormatError);

impl fmt::Display for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            FormatError::Truncated { needed, found, .. } => write!(f, "{found} bytes, expected {needed}"),
            FormatError::OutOfRange { field, value, min, max: i64::MAX, .. } => {
                write!(f, "{field} is {value}, expected >= {min}")
            }
            FormatError::OutOfRange { field, value, min, max, .. } => {
                write!(f, "{field} is {value}, expected {min}..={max}")
            }
            FormatError::LimitExceeded { limit, .. } => write!(f, "longer than the limit of {limit} bytes"),
            FormatError::Text { problem, .. } => problem.fmt(f),
            FormatError::Bcolz(error) => error.problem(f),
            error => error.fmt(f),
        }
    }
}

/// A mismatch between a stored digest and the digest of the bytes it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DigestMismatch {
    /// The part that the digest covers.
    pub part: Part,
    /// The checksum.
    pub checksum: Checksum,
    /// The digest in the file.
    pub stored: Digest,
    /// The computed digest of the bytes.
    pub computed: Digest,
}

impl Error for DigestMismatch {}

/// The error of one format is displayed by the outer error itself, so the source of the outer error is the inner one's
/// source.
impl Error for FormatError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Numpy(error) => error.source(),
            Self::Frame(error) => error.source(),
            Self::Bcolz(error) => error.source(),
            Self::Zarr(error) => error.source(),
            _ => None,
        }
    }
}

impl From<OutOfMemory> for FormatError {
    fn from(error: OutOfMemory) -> Self {
        FormatError::OutOfMemory(error)
    }
}

impl From<OverLimit> for FormatError {
    fn from(error: OverLimit) -> Self {
        FormatError::Limit(error)
    }
}

impl From<FrameError> for FormatError {
    fn from(error: FrameError) -> Self {
        FormatError::Frame(error)
    }
}

impl From<BcolzError> for FormatError {
    fn from(error: BcolzError) -> Self {
        FormatError::Bcolz(Box::new(error))
    }
}

impl From<ZarrError> for FormatError {
    fn from(error: ZarrError) -> Self {
        FormatError::Zarr(Box::new(error))
    }
}

impl From<NumpyError> for FormatError {
    fn from(error: NumpyError) -> Self {
        match error {
            NumpyError::OutOfMemory(error) => error.into(),
            error => Self::Numpy(error),
        }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { part, .. } | Self::LimitExceeded { part, .. } => write!(f, "{part}: {}", self.problem()),
            Self::MagicMissing { found } => {
                write!(f, "offset 0: magic is b'{}', expected b'blpk'", found.escape_ascii())
            }
            Self::UnsupportedVersion { found } => write!(f, "offset 4: format_version is {found}, expected 1..=3"),
            Self::PreRelease { nchunks } => write!(
                f,
                "offset 4: a file of {nchunks} chunks from before format version 1 \
                 (bloscpack 0.1.0-rc1 and -rc2), which is not supported"
            ),
            Self::OutOfRange { part, offset, .. } | Self::Text { part, offset, .. } => {
                place(f, *part, *offset)?;
                self.problem().fmt(f)
            }
            Self::Reserved { offset, field, value } => {
                write!(f, "offset {offset}: {field} is {value:#x}, but the reserved bits must be zero")
            }
            Self::LastChunkTooLarge { last_chunk, chunk_size } => {
                write!(f, "offset 12: last_chunk is {last_chunk}, expected at most chunk_size, {chunk_size}")
            }
            Self::TooManyChunks { nchunks, max_app_chunks } => {
                write!(f, "offset 16: nchunks {nchunks} and max_app_chunks {max_app_chunks} are too many")
            }
            Self::UnknownChunkCount { max_app_chunks } => {
                write!(f, "offset 16: nchunks is -1 in a file with offsets and max_app_chunks {max_app_chunks}")
            }
            Self::NotInVersion { version, field } => {
                write!(f, "{field} cannot be written in format version {}", version.number())
            }
            Self::UnknownMetadataFormat { found } => {
                place(f, Part::MetadataHeader, 0)?;
                write!(f, "magic_format is b'{}', expected b'JSON'", found.escape_ascii())
            }
            Self::DigestMismatch(mismatch) => mismatch.fmt(f),
            Self::MetadataSectionTooSmall { needed, room } => {
                write!(f, "metadata takes {needed} bytes, but max_meta_size is {room}")
            }
            Self::ChecksumLengthMismatch { stored, requested } => write!(
                f,
                "digests of {} have {} bytes, but {} has {} in the file",
                requested.name(),
                requested.digest_size(),
                stored.name(),
                stored.digest_size()
            ),
            Self::Limit(error) => error.fmt(f),
            Self::OutOfMemory(error) => error.fmt(f),
            Self::Zlib { offset } => {
                write!(f, "metadata: the zlib stream is damaged or truncated after {offset} bytes")
            }
            Self::Numpy(error) => error.fmt(f),
            Self::Frame(error) => error.fmt(f),
            Self::Bcolz(error) => error.fmt(f),
            Self::Zarr(error) => error.fmt(f),
        }
    }
}

/// Writes `offset 16: `, with the name of the structure before it unless that is the file's own header.
fn place(f: &mut fmt::Formatter<'_>, part: Part, offset: u64) -> fmt::Result {
    match part {
        Part::Header => write!(f, "offset {offset}: "),
        part => write!(f, "{part}, offset {offset}: "),
    }
}

impl fmt::Display for DigestMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, checksum, stored, computed } = self;
        write!(f, "{part}: {} is {computed}, expected {stored}", checksum.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_place_and_both_numbers() {
        let error = FormatError::OutOfRange {
            part: Part::Header,
            offset: 16,
            field: "nchunks",
            value: -2,
            min: -1,
            max: i64::MAX,
        };
        assert_eq!(error.to_string(), "offset 16: nchunks is -2, expected >= -1");
        let error = FormatError::OutOfRange {
            part: Part::MetadataHeader,
            offset: 9,
            field: "meta_checksum",
            value: 9,
            min: 0,
            max: 8,
        };
        assert_eq!(error.to_string(), "metadata header, offset 9: meta_checksum is 9, expected 0..=8");
    }

    #[test]
    fn is_small() {
        assert!(size_of::<FormatError>() <= 56, "{}", size_of::<FormatError>());
    }
}
