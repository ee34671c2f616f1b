//! Errors: why bytes were refused, or a value cannot be written.
//!
//! Every function of this crate returns [`FormatError`], or the error of one format, which converts to it. The types are
//! defined here, below all modules that return them; each format's module re-exports its own.
//!
//! | file | defines |
//! |---|---|
//! | `mod` | the error of the whole crate |
//! | `frame`, `bcolz`, `numpy` | the error of one format |
//! | `part` | the structures that errors name |
//! | `text` | syntax errors of JSON and of Python literals |

mod bcolz;
mod frame;
mod numpy;
mod part;
mod text;

pub use self::bcolz::BcolzError;
pub use self::frame::FrameError;
pub use self::numpy::NumpyError;
pub use self::part::Part;
pub use self::text::TextProblem;

use crate::checksum::{Checksum, Digest};
use crate::format_version::Version;
use blosc_core::{ErrorKind, Location, OutOfMemory, OverLimit, Report};
use std::error::Error;
use std::fmt;

/// Why bytes were refused, or a value cannot be written. Carries the place and both numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// The slice ends before `part` does.
    Truncated {
        /// What was being read.
        part: Part,
        /// Bytes that the part takes, counted from its own start.
        needed: u64,
        /// Bytes that were given.
        found: u64,
    },
    /// The first four bytes are not `blpk`.
    MagicMissing {
        /// What they are.
        found: [u8; 4],
    },
    /// The bloscpack format version is none of 1, 2, 3.
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
        /// What it is.
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
        /// What it holds.
        value: u64,
    },
    /// `last_chunk` is larger than `chunk_size`.
    LastChunkTooLarge {
        /// The header's last chunk size.
        last_chunk: u32,
        /// The header's chunk size.
        chunk_size: u32,
    },
    /// `nchunks + max_app_chunks` does not fit the format's 63 bits, or the offsets would not fit a file.
    TooManyChunks {
        /// Chunks in use.
        nchunks: u64,
        /// Chunks that may be appended.
        max_app_chunks: u64,
    },
    /// The header wants offsets, or room to append, but does not know the number of chunks.
    UnknownChunkCount {
        /// The header's `max_app_chunks`.
        max_app_chunks: u64,
    },
    /// The header has something that its format version cannot express.
    NotInVersion {
        /// The header's version.
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
    /// The metadata does not fit the space that was set aside for it.
    MetadataSectionTooSmall {
        /// Bytes of the encoded metadata.
        needed: u64,
        /// Bytes set aside, `max_meta_size`.
        room: u64,
    },
    /// A rewrite may not change the length of the metadata's digest, for what follows it cannot move.
    ChecksumLengthMismatch {
        /// The checksum in the file.
        stored: Checksum,
        /// The checksum that was asked for.
        requested: Checksum,
    },
    /// More bytes than the format or the argument of a call allows.
    LimitExceeded {
        /// What is too long.
        part: Part,
        /// The bytes allowed.
        limit: u64,
    },
    /// More than the caller's [`Limits`](blosc_core::Limits) allow.
    Limit(OverLimit),
    /// The system refused memory.
    OutOfMemory(OutOfMemory),
    /// A zlib stream is damaged or incomplete.
    Zlib {
        /// Bytes of it that were understood.
        offset: u64,
    },
    /// JSON or a Python literal is malformed.
    Text {
        /// Which text.
        part: Part,
        /// Byte offset in it.
        offset: u64,
        /// What is wrong there.
        problem: TextProblem,
    },
    /// The bytes do not describe a NumPy array that we can hold.
    Numpy(NumpyError),
    /// The bytes are not those of a Blosc2 frame, or it cannot be changed as asked.
    Frame(FrameError),
    /// A file of a bcolz directory is not what it should be.
    Bcolz(Box<BcolzError>),
}

impl FormatError {
    /// If the slice was too short: how many bytes, from the start of the structure, it takes to get further.
    #[must_use]
    pub fn bytes_needed(&self) -> Option<u64> {
        match self {
            Self::Truncated { needed, .. } => Some(*needed),
            _ => None,
        }
    }

    /// The category of the error.
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
        }
    }

    /// The structure, the offset in it and the field.
    #[must_use]
    pub fn location(&self) -> Location {
        let in_part = |part: &Part, location: Location| match part {
            // The header starts where the file does.
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
            _ => Location::default(),
        }
    }

    /// The structure that the message starts with.
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

    /// The message without [`part`](Self::part) and the offset in it, for callers that show both themselves.
    #[must_use]
    pub fn problem(&self) -> impl fmt::Display {
        Problem(self)
    }

    /// The error with its sources, and advice if there is some, on one line.
    #[must_use]
    pub fn report(&self) -> Report<'_> {
        Report::new(self).advise(self.over_limit())
    }

    /// The limit that is too low, if that is the reason.
    #[must_use]
    pub fn over_limit(&self) -> Option<&OverLimit> {
        match self {
            Self::Limit(over) => Some(over),
            Self::Frame(error) => error.over_limit(),
            _ => None,
        }
    }

    /// The memory that the system refused, if that is the reason.
    #[must_use]
    pub fn out_of_memory(&self) -> Option<OutOfMemory> {
        match self {
            Self::OutOfMemory(error) | Self::Numpy(NumpyError::OutOfMemory(error)) => Some(*error),
            Self::Frame(error) => error.out_of_memory(),
            _ => None,
        }
    }
}

/// An error without the place that its message starts with.
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

/// A digest that is not what the bytes it covers give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DigestMismatch {
    /// What the digest covers.
    pub part: Part,
    /// The checksum.
    pub checksum: Checksum,
    /// The digest in the file.
    pub stored: Digest,
    /// The digest of the bytes.
    pub computed: Digest,
}

impl Error for DigestMismatch {}

/// An error of one format is displayed as it is, so that its source is the source of the whole.
impl Error for FormatError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Numpy(error) => error.source(),
            Self::Frame(error) => error.source(),
            Self::Bcolz(error) => error.source(),
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
            Self::Zlib { offset } => write!(f, "metadata: the zlib stream is damaged or cut after {offset} bytes"),
            Self::Numpy(error) => error.fmt(f),
            Self::Frame(error) => error.fmt(f),
            Self::Bcolz(error) => error.fmt(f),
        }
    }
}

/// `offset 16: `, with the structure's name before it unless that is the file's own header.
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
