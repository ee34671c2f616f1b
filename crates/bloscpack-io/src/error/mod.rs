//! The error type of this crate.
//!
//! | file | contents |
//! |---|---|
//! | `mod` | the error type |
//! | `construct` | its constructors, and methods of this crate that add context to an error |
//! | `data` | kind, location, limit, refused memory |
//! | `activity` | the activity that an I/O error interrupted |
//! | `reasons` | reasons as data, the sources of errors |
//! | `reference` | why Zarr cannot read an input in place |
//! | `phrases` | parts of messages |
//! | `report` | an error with its sources and advice on one line |
//! | `convert` | conversions from and to [`std::io::Error`] |

mod activity;
mod construct;
mod convert;
mod data;
mod phrases;
mod reasons;
mod reference;
mod report;
#[cfg(test)]
mod tests;

use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use blosc_core::{DecodeError, EncodeError, OutOfMemory, OverLimit};
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_format::numpy::Dtype;
use bloscpack_format::{Format, FormatError};

pub use self::activity::Activity;
use self::phrases::{counted, listed};
pub use self::reasons::{ArrayRefusal, CutRefusal, NoText, ReadBackMismatch};
pub use self::reference::ReferenceRefusal;
pub use self::report::{Advice, ErrorReport};

use crate::target::{ConvertOption, Target};

/// The reason why an operation failed. After any error, the outputs are unchanged.
///
/// `Display` shows one level, without its [source](StdError::source). [`Error::report`] shows all levels on one line.
/// [`Error::kind`] and [`Error::location`] are for callers that act on an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file operation failed.
    #[error("{doing} '{}'", path.display())]
    File {
        /// The operation: `opening`, `creating`, …
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Reading the input or writing the output failed.
    #[error("{doing}")]
    Io {
        /// The operation.
        doing: Activity,
        /// The error of the system.
        source: io::Error,
    },
    #[cfg(feature = "write")]
    /// The output exists and must not be replaced.
    #[error("output file '{}' exists!", .0.display())]
    OutputExists(PathBuf),
    #[cfg(feature = "write")]
    /// Input and output are the same file. Writing would destroy the input.
    #[error("input and output are the same file '{}'", .0.display())]
    SameFile(PathBuf),
    #[cfg(feature = "write")]
    /// The output is the input directory, or one is inside the other. Writing would destroy the input.
    #[error("the output '{}' and the input '{}' are the same, or one contains the other", .output.display(), .input.display())]
    InputReplaced {
        /// The directory of the input.
        input: PathBuf,
        /// The output.
        output: PathBuf,
    },
    /// The file or directory is locked: another process, or another part of this one, is changing it.
    #[error("'{}' is locked by another process or thread; try again when it has finished", .0.display())]
    Locked(PathBuf),
    #[cfg(feature = "write")]
    /// A carray cannot be created or compressed with these parameters.
    #[error("invalid parameters for a carray: {what}")]
    CarrayParams {
        /// The reason.
        what: &'static str,
    },
    /// A carray or ctable does not support this change.
    #[error("{directory}: {what}")]
    NotWritable {
        /// The directory.
        directory: String,
        /// The reason.
        what: &'static str,
    },
    /// A number of bytes is not a whole number of rows, or not the expected number of rows.
    #[error("{found} bytes are not {} of {atomsize} bytes", .rows.map_or("whole rows".into(), |rows| format!("{rows} rows")))]
    NotRows {
        /// Number of bytes.
        found: u64,
        /// Size of a row in bytes.
        atomsize: u64,
        /// Expected number of rows, if it is known.
        rows: Option<u64>,
    },
    #[cfg(feature = "write")]
    /// The number of given columns differs from that of the table.
    #[error("{found} columns, but the table has {expected}")]
    ColumnCount {
        /// Number of given columns.
        found: usize,
        /// Number of columns of the table.
        expected: usize,
    },
    /// An interrupted change of a bcolz directory cannot be completed.
    #[error("{file}: {what}")]
    Pending {
        /// The journal or another file of the change.
        file: String,
        /// The reason.
        what: &'static str,
    },
    /// The input has fewer or more bytes than its size, for example because it changed while it was being read.
    #[error("the input has {found} bytes, but its size was {expected}")]
    InputChanged {
        /// Its size when it was opened, or as the caller gave it.
        expected: u64,
        /// Number of bytes found. An input with more bytes than `expected` is not read to its end.
        found: u64,
    },
    /// The format of the input is unknown.
    #[error("not a Blosc file: it starts with b'{}'; expected a bloscpack file, frame, chunk or .npy", .found.escape_ascii())]
    Unrecognised {
        /// The first bytes of the input.
        found: Vec<u8>,
    },
    /// This operation does not support the format.
    #[error("this is {format}, which is not supported here")]
    Unsupported {
        /// The format.
        format: Format,
    },
    /// The operation exceeds the [`Limits`](crate::Limits). [`Error::over_limit`] also finds this error inside other
    /// errors, which have the location.
    #[error(transparent)]
    Limit(#[from] OverLimit),
    /// The system refused memory. [`Error::out_of_memory`] also finds this error inside other errors, which have the
    /// location.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// A bloscpack header, metadata section or offsets section is damaged.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The file is truncated.
    #[error("offset {offset}: the file is truncated: it has {found} of the {needed} bytes of {what}")]
    Truncated {
        /// Offset of the incomplete part.
        offset: u64,
        /// The incomplete part: `chunk 3`, `the offsets`, …
        what: String,
        /// Number of bytes needed.
        needed: u64,
        /// Number of bytes found.
        found: u64,
    },
    /// The size of a `.npy` file does not match its array.
    #[error("offset {offset}: the array needs {expected} bytes, but {found} are available")]
    ArrayBytes {
        /// Offset of the items.
        offset: u64,
        /// Number of bytes from there to the end of the file.
        found: u64,
        /// Size of all items in bytes.
        expected: u64,
    },
    /// A chunk is damaged.
    #[error("chunk {chunk} at offset {offset}")]
    Chunk {
        /// The number of the chunk.
        chunk: u64,
        /// Its offset in the file.
        offset: u64,
        /// The error of decoding. Offsets in it are relative to the start of the chunk.
        source: DecodeError,
    },
    /// The digest of a chunk does not match its bytes.
    #[error(transparent)]
    ChunkDigest(Box<ChunkDigestMismatch>),
    /// The uncompressed size of a chunk differs from that in the file's header.
    #[error("chunk {chunk} at offset {offset}: nbytes is {found}, expected {expected} by the file's header")]
    ChunkSize {
        /// The number of the chunk.
        chunk: u64,
        /// Its offset in the file.
        offset: u64,
        /// Its `nbytes`.
        found: u64,
        /// The header's `chunk_size` or `last_chunk`.
        expected: u64,
    },
    /// The file of a chunk of a sparse frame cannot be read.
    #[error("chunk {chunk} in file '{}'", bloscpack_format::frame::sframe::chunk_file_name(*.file))]
    ChunkFile {
        /// The number of the chunk.
        chunk: u64,
        /// The number of its file.
        file: u32,
        /// The error of the system.
        source: io::Error,
    },
    /// A frame has chunks with and without blocks of variable length. Either all or none must have them.
    #[error("chunk {chunk} and the first differ in whether their blocks have variable lengths")]
    MixedChunks {
        /// The chunk that differs from the first.
        chunk: u64,
    },
    /// The total number of plain bytes in the chunks of a frame differs from that in its header.
    #[error("the chunks have {found} plain bytes, expected {expected} by the frame's header")]
    PlainSize {
        /// The sum of their `nbytes`.
        found: u64,
        /// The header's `nbytes`.
        expected: u64,
    },
    /// More data follows the last chunk that the header counts.
    #[error("offset {offset}: {found}, expected the end of the file after {nchunks} chunks")]
    MoreData {
        /// Offset of the end of the last chunk.
        offset: u64,
        /// The kind of data that follows.
        found: &'static str,
        /// The header's `nchunks`.
        nchunks: u64,
    },
    #[cfg(feature = "write")]
    /// A damaged bloscpack file has no intact chunk.
    #[error("no chunk of this bloscpack file is intact; nothing can be recovered")]
    NoChunks,
    /// An entry of the offsets section does not match the position of its chunk.
    #[error("offset of chunk {chunk} is {found}, expected {expected}")]
    Offset {
        /// The chunk.
        chunk: u64,
        /// The entry.
        found: i64,
        /// The offset of the chunk.
        expected: u64,
    },
    #[cfg(feature = "write")]
    /// The target of a conversion does not support an option.
    #[error("the option {option} does not apply to {target}")]
    UnfitOption {
        /// The option. [`ConvertOption::targets`] lists the targets that support it.
        option: ConvertOption,
        /// The target.
        target: Target,
    },
    /// A value that the caller gave cannot be in a file of this format. In a file, it would be damage.
    #[error(transparent)]
    Argument(Box<Error>),
    /// Data cannot be compressed with these parameters.
    #[error(transparent)]
    Encode(EncodeError),
    /// A range is not within the data.
    #[error("{unit} {start}..{end} are not within 0..{len}")]
    Range {
        /// The unit: `bytes`, `items`, `chunks`, …
        unit: &'static str,
        /// Start of the range.
        start: u64,
        /// End of the range (exclusive).
        end: u64,
        /// The length of the data in this unit.
        len: u64,
    },
    #[cfg(feature = "write")]
    /// The offsets section has no room for the chunks to append.
    #[error(
        "{needed} more chunks do not fit: the offsets section has room for {room}; compress the data again instead"
    )]
    NotEnoughSpace {
        /// Number of chunks to append.
        needed: u64,
        /// The header's `max_app_chunks`.
        room: u64,
    },
    #[cfg(feature = "write")]
    /// The file has no metadata section to rewrite.
    #[error("the file has no metadata section, and none can be added to it")]
    NoMetadataFound,
    #[cfg(feature = "write")]
    /// The new metadata is the same as the old one.
    #[error("the metadata is the same as in the file; nothing to change")]
    NoChangeInMetadata,
    /// The file does not describe an array.
    #[error("not a NumPy array")]
    NotANumpyArray {
        /// An [`ArrayRefusal`], or an error of the metadata or of the array library.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The dtype of an array differs from the requested type.
    #[error("the dtype is {found}, expected {expected}")]
    ItemType {
        /// The dtype of the array.
        found: Dtype,
        /// The dtype of the requested type, in the native byte order of this machine.
        expected: Dtype,
    },
    /// The number of dimensions of an array differs from the requested one.
    #[error("the array has {found} dimensions, expected {expected}")]
    Dimensions {
        /// Number of dimensions of the array.
        found: usize,
        /// Requested number of dimensions.
        expected: usize,
    },
    /// The size of an array does not match its dtype and shape.
    #[error("{found} bytes, but its dtype and shape require {}", .expected.map_or("more than fit a file".into(), |nbytes| nbytes.to_string()))]
    ArraySize {
        /// Number of bytes found.
        found: u64,
        /// Number of bytes by dtype and shape. `None` if it is 2^64 or more.
        expected: Option<u64>,
    },
    /// An array cannot be cut into such chunks or blocks.
    #[error("{shape} does not fit")]
    ArrayCut {
        /// The name of the shape: `chunkshape` or `blockshape`.
        shape: &'static str,
        /// The reason.
        source: CutRefusal,
    },
    /// Reading back a written output gave different data. Nothing was replaced.
    #[error("verifying the output failed")]
    NotAsWritten {
        /// The error of reading back, or a [`ReadBackMismatch`].
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The parameters are not valid for a bloscpack file.
    #[error("invalid parameters for a bloscpack file: {what}")]
    PackParams {
        /// The reason.
        what: &'static str,
    },
    /// New chunks of a frame cannot be compressed as its header specifies, or a header cannot express the parameters.
    #[error("invalid compression parameters for a frame: {what}")]
    FrameParams {
        /// The reason.
        what: &'static str,
    },
    /// An error in a file of a bcolz directory.
    #[error("{file}{}", offset_in(.source))]
    InFile {
        /// The file.
        file: String,
        /// The error.
        source: Box<Error>,
    },
    /// An [`Error::Format`] inside an [`Error::InFile`] that names the same file. `InFile` shows the file and the
    /// offset, so `Display` leaves both out.
    #[error("{}", .0.problem())]
    FileFormat(FormatError),
    /// The number of rows in a chunk file of a carray is wrong.
    #[error("chunk {chunk}: {found} bytes, expected {min}..={max} in rows of {atomsize}")]
    ChunkRows {
        /// The number of the chunk.
        chunk: u64,
        /// Its `nbytes`.
        found: u64,
        /// Minimum number of bytes: those of its rows.
        min: u64,
        /// Maximum number of bytes: those of a full chunk.
        max: u64,
        /// Size of a row in bytes.
        atomsize: u64,
    },
    /// A chunk file of a carray does not contain a Blosc1 chunk.
    #[error("chunk {chunk} is of Blosc chunk version {version}, expected 1 or 2")]
    ChunkGeneration {
        /// The number of the chunk.
        chunk: u64,
        /// The version in its header.
        version: u8,
    },
    /// Chunk files of a carray are missing.
    #[error("{file}: no such file, for {} from chunk {} on", counted(.chunks.end - .chunks.start), .chunks.start)]
    MissingChunks {
        /// The first missing file.
        file: String,
        /// The missing chunks.
        chunks: std::ops::Range<u64>,
    },
    /// The number of rows of a ctable's column differs from that of the first column.
    #[error("{column}: {found} rows, but the first column has {expected}")]
    ColumnLength {
        /// The directory of the column.
        column: String,
        /// Its number of rows.
        found: u64,
        /// Number of rows of the first column.
        expected: u64,
    },
    /// Items cannot be written as text.
    #[error("it cannot be written as text")]
    NoText(#[source] NoText),
    /// Zarr cannot read an input in place.
    #[error("{input}")]
    Reference {
        /// The input.
        input: String,
        /// The reason.
        source: Box<ReferenceRefusal>,
    },
    /// An attribute cannot be stored or changed.
    #[error("attribute {name:?}")]
    Attribute {
        /// The name of the attribute.
        name: String,
        /// An [`AttributeRefusal`](crate::AttributeRefusal).
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A container has no such attribute.
    #[error("there is no attribute {name:?}, only {}", listed(.names))]
    NoSuchAttribute {
        /// The name.
        name: String,
        /// The names of the attributes that it has.
        names: Vec<String>,
    },
    /// A ctable has no such column.
    #[error("there is no column {column:?}, only {}", listed(.columns))]
    NoSuchColumn {
        /// The name.
        column: String,
        /// The names of the columns that it has.
        columns: Vec<String>,
    },
    /// A directory is neither a carray nor a ctable.
    #[error("{directory}: not a bcolz directory: it has neither __rootdirs__ nor meta/storage")]
    NotBcolz {
        /// The directory.
        directory: String,
    },
    /// An earlier change of the frame or directory failed. The data on disk is that of the last commit.
    #[error("an earlier change failed: open the container again")]
    EditFailed,
    /// The operation was cancelled.
    #[error("interrupted")]
    Cancelled,
}

/// The digest of a chunk does not match its bytes.
#[derive(Debug, thiserror::Error)]
#[error(
    "chunk {chunk} at offset {offset}: {} is {computed}, expected {stored}; the chunk is damaged",
    .checksum.name()
)]
#[non_exhaustive]
pub struct ChunkDigestMismatch {
    /// The number of the chunk.
    pub chunk: u64,
    /// Its offset in the file.
    pub offset: u64,
    /// The checksum.
    pub checksum: Checksum,
    /// The digest in the file.
    pub stored: Digest,
    /// The digest of the bytes.
    pub computed: Digest,
}

/// Returns text such as `, offset 3` for an error that leaves out its offset.
fn offset_in(source: &Error) -> String {
    match source {
        Error::FileFormat(error) => {
            error.location().offset.map_or(String::new(), |offset| format!(", offset {offset}"))
        }
        _ => String::new(),
    }
}
