//! The error type of this crate.
//!
//! | file | contents |
//! |---|---|
//! | `mod` | the error type |
//! | `construct` | its constructors, and what callers in this crate add to an error |
//! | `data` | kind, location, limit, refused memory |
//! | `activity` | the activity that an I/O error interrupted |
//! | `reasons` | reasons as data, which are sources of errors |
//! | `phrases` | parts of messages |
//! | `report` | an error with its sources and advice on one line |
//! | `convert` | conversions from and to [`std::io::Error`] |

mod activity;
mod construct;
mod convert;
mod data;
mod phrases;
mod reasons;
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
pub use self::report::{Advice, ErrorReport};

use crate::target::{ConvertOption, Target};

/// Why an operation failed. After any of them the outputs are as they were before.
///
/// `Display` shows one level, without its [source](StdError::source). [`Error::report`] shows all levels on one line.
/// [`Error::kind`] and [`Error::location`] are for callers that act on an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to do something with a file.
    #[error("{doing} '{}'", path.display())]
    File {
        /// What was being done: `opening`, `creating`, …
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Reading the input or writing the output failed.
    #[error("{doing}")]
    Io {
        /// What was being done.
        doing: Activity,
        /// What the system said.
        source: io::Error,
    },
    /// The output exists, and is not to be replaced.
    #[error("output file '{}' exists!", .0.display())]
    OutputExists(PathBuf),
    /// Input and output are one file; writing would destroy what is read.
    #[error("input and output are the same file '{}'", .0.display())]
    SameFile(PathBuf),
    /// The output is the directory that is read, or one is in the other; writing would destroy what is read.
    #[error("the output '{}' and the input '{}' are the same, or one is in the other", .output.display(), .input.display())]
    InputReplaced {
        /// The directory of the input.
        input: PathBuf,
        /// The output.
        output: PathBuf,
    },
    /// Another process, or another part of this one, is changing the file or directory.
    #[error("'{}' is being changed by somebody else; try again when they are done", .0.display())]
    Locked(PathBuf),
    /// A carray cannot be made, or compressed, in this way.
    #[error("a carray cannot be made or compressed so: {what}")]
    CarrayParams {
        /// Why not.
        what: &'static str,
    },
    /// A carray or ctable cannot be changed in this way.
    #[error("{directory}: {what}")]
    NotWritable {
        /// The directory.
        directory: String,
        /// Why not.
        what: &'static str,
    },
    /// A number of bytes that is no number of rows, or none of those that are to be written.
    #[error("{found} bytes are not {} of {atomsize} bytes", .rows.map_or("whole rows".into(), |rows| format!("{rows} rows")))]
    NotRows {
        /// The bytes.
        found: u64,
        /// Bytes of a row.
        atomsize: u64,
        /// How many rows they had to be, if that is known.
        rows: Option<u64>,
    },
    /// The columns of a table are given in another number than it has.
    #[error("{found} columns, but the table has {expected}")]
    ColumnCount {
        /// Columns that are given.
        found: usize,
        /// Columns of the table.
        expected: usize,
    },
    /// A change of a bcolz directory that was interrupted cannot be completed.
    #[error("{file}: {what}")]
    Pending {
        /// The file that tells of the change, or another one.
        file: String,
        /// Why not.
        what: &'static str,
    },
    /// The input became shorter while it was read.
    #[error("the input ended after {found} bytes, but had {expected} when it was opened")]
    InputChanged {
        /// Its size when it was opened.
        expected: u64,
        /// Bytes that were there.
        found: u64,
    },
    /// The bytes are of no format that is known.
    #[error("not a Blosc file: it starts with b'{}'; expected b'blpk' or a Blosc chunk", .found.escape_ascii())]
    Unrecognised {
        /// How it starts.
        found: Vec<u8>,
    },
    /// The format is known, but this operation does not exist for it.
    #[error("this is {format}, which cannot be used here")]
    Unsupported {
        /// The format.
        format: Format,
    },
    /// More than the [`Limits`](crate::Limits) allow. [`Error::over_limit`] also finds it within other errors, which say
    /// where.
    #[error(transparent)]
    Limit(#[from] OverLimit),
    /// The system refused memory. [`Error::out_of_memory`] also finds it within other errors, which say where.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    /// A bloscpack header, metadata section or offsets section is damaged.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The file ends too early.
    #[error("offset {offset}: the file ends within {what}, which takes {needed} bytes, after {found}; it is cut off")]
    Truncated {
        /// Where the thing starts.
        offset: u64,
        /// What is incomplete: `chunk 3`, `the offsets`, …
        what: String,
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// A `.npy` file has more or fewer bytes than its array takes.
    #[error("offset {offset}: the array takes {expected} bytes, but {found} are there")]
    ArrayBytes {
        /// Where the items start.
        offset: u64,
        /// Bytes from there to the end of the file.
        found: u64,
        /// Bytes of all items.
        expected: u64,
    },
    /// A chunk is damaged.
    #[error("chunk {chunk} at offset {offset}")]
    Chunk {
        /// Its number.
        chunk: u64,
        /// Where it starts in the file.
        offset: u64,
        /// What is wrong; places in it count from the start of the chunk.
        source: DecodeError,
    },
    /// A chunk's digest is not that of its bytes.
    #[error(transparent)]
    ChunkDigest(Box<ChunkDigestMismatch>),
    /// A chunk holds more or fewer bytes than the file's header says.
    #[error("chunk {chunk} at offset {offset}: nbytes is {found}, expected {expected} by the file's header")]
    ChunkSize {
        /// Its number.
        chunk: u64,
        /// Where it starts in the file.
        offset: u64,
        /// Its `nbytes`.
        found: u64,
        /// What the header's `chunk_size` or `last_chunk` says.
        expected: u64,
    },
    /// The file of a chunk of a sparse frame cannot be read.
    #[error("chunk {chunk} in file '{}'", bloscpack_format::frame::sframe::chunk_file_name(*.file))]
    ChunkFile {
        /// Its number.
        chunk: u64,
        /// The number of its file.
        file: u32,
        /// What the system said.
        source: io::Error,
    },
    /// Of the chunks of a frame, all or none have blocks of variable length.
    #[error("chunk {chunk} and the first differ in whether their blocks have variable lengths")]
    MixedChunks {
        /// The chunk that is unlike the first.
        chunk: u64,
    },
    /// The chunks of a frame together have more or fewer plain bytes than its header says.
    #[error("the chunks have {found} plain bytes, expected {expected} by the frame's header")]
    PlainSize {
        /// The sum of their `nbytes`.
        found: u64,
        /// The header's `nbytes`.
        expected: u64,
    },
    /// The chunks of the file do not end where its header says.
    #[error("offset {offset}: {found} where the file should end after {nchunks} chunks")]
    MoreData {
        /// Where the last chunk ends.
        offset: u64,
        /// What follows there.
        found: &'static str,
        /// The header's `nchunks`.
        nchunks: u64,
    },
    /// A damaged bloscpack file has no whole chunk.
    #[error("no chunk of this bloscpack file is whole; nothing can be recovered")]
    NoChunks,
    /// An entry of the offsets section does not point to its chunk.
    #[error("offset of chunk {chunk} is {found}, expected {expected}")]
    Offset {
        /// The chunk.
        chunk: u64,
        /// The entry.
        found: i64,
        /// Where the chunk is.
        expected: u64,
    },
    /// An option of a conversion that its target lacks.
    #[error("the option {option} means nothing for {target}")]
    UnfitOption {
        /// The option. [`ConvertOption::targets`] lists the targets that have it.
        option: ConvertOption,
        /// The target.
        target: Target,
    },
    /// Data could not be compressed with these parameters.
    #[error(transparent)]
    Encode(EncodeError),
    /// A range that reaches behind the end.
    #[error("{unit} {start}..{end} are not within 0..{len}")]
    Range {
        /// What is counted: `bytes`, `items`, `chunks`.
        unit: &'static str,
        /// Start of the range.
        start: u64,
        /// End of the range (exclusive).
        end: u64,
        /// How many there are.
        len: u64,
    },
    /// The offsets section has no room for the chunks that an append would add.
    #[error("{needed} more chunks do not fit: the offsets section has room for {room}; compress the data anew instead")]
    NotEnoughSpace {
        /// Chunks to be added.
        needed: u64,
        /// The header's `max_app_chunks`.
        room: u64,
    },
    /// The file has no metadata section that could be rewritten.
    #[error("the file has no metadata section, and none can be added to it")]
    NoMetadataFound,
    /// The new metadata is the old one.
    #[error("the metadata is the same as in the file; nothing to change")]
    NoChangeInMetadata,
    /// The file does not describe an array.
    #[error("not a NumPy array")]
    NotANumpyArray {
        /// An [`ArrayRefusal`], or the error of the metadata or of the array library.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The items of an array have another dtype than the caller asked for.
    #[error("the dtype is {found}, expected {expected}")]
    ItemType {
        /// The dtype of the array.
        found: Dtype,
        /// The dtype of the type that was asked for, in this machine's usual byte order.
        expected: Dtype,
    },
    /// An array has another number of dimensions than the caller asked for.
    #[error("the array has {found} dimensions, expected {expected}")]
    Dimensions {
        /// Dimensions of the array.
        found: usize,
        /// Dimensions that were asked for.
        expected: usize,
    },
    /// An array has more or fewer bytes than its dtype and shape make.
    #[error("{found} bytes, but its dtype and shape make {}", .expected.map_or("more than fit a file".into(), |nbytes| nbytes.to_string()))]
    ArraySize {
        /// Bytes that there are.
        found: u64,
        /// Bytes by dtype and shape; `None` if they are 2^64 or more.
        expected: Option<u64>,
    },
    /// An array cannot be cut into such chunks or blocks.
    #[error("{shape} does not fit")]
    ArrayCut {
        /// The name of the shape: `chunkshape` or `blockshape`.
        shape: &'static str,
        /// Why.
        source: CutRefusal,
    },
    /// An output that was read again is not what was written. Nothing was replaced.
    #[error("what was written does not read back")]
    NotAsWritten {
        /// The error of reading, or a [`ReadBackMismatch`].
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A bloscpack file cannot have such chunks.
    #[error("a bloscpack file cannot be made so: {what}")]
    PackParams {
        /// Why not.
        what: &'static str,
    },
    /// New chunks of a frame cannot be compressed as its header says, or a header cannot say how they are to be.
    #[error("the frame's compression parameters cannot be used: {what}")]
    FrameParams {
        /// Why not.
        what: &'static str,
    },
    /// Something is wrong in a file of a bcolz directory.
    #[error("{file}{}", offset_in(.source))]
    InFile {
        /// The file.
        file: String,
        /// What is wrong.
        source: Box<Error>,
    },
    /// An [`Error::Format`] within an [`Error::InFile`] that names the same file. `InFile` shows the file and the offset, so
    /// `Display` leaves both out.
    #[error("{}", .0.problem())]
    FileFormat(FormatError),
    /// A chunk file of a carray holds other rows than it has to.
    #[error("chunk {chunk}: {found} bytes, expected {min}..={max} in rows of {atomsize}")]
    ChunkRows {
        /// The chunk's number.
        chunk: u64,
        /// Its `nbytes`.
        found: u64,
        /// Bytes of the rows that are in it.
        min: u64,
        /// Bytes of a whole chunk.
        max: u64,
        /// Bytes of a row.
        atomsize: u64,
    },
    /// A chunk file of a carray holds no Blosc1 chunk.
    #[error("chunk {chunk} is of Blosc chunk version {version}, expected 1 or 2")]
    ChunkGeneration {
        /// The chunk's number.
        chunk: u64,
        /// Its version.
        version: u8,
    },
    /// Chunk files of a carray are not there.
    #[error("{file}: no such file, for {} from chunk {} on", counted(.chunks.end - .chunks.start), .chunks.start)]
    MissingChunks {
        /// The first of them.
        file: String,
        /// The chunks.
        chunks: std::ops::Range<u64>,
    },
    /// A column of a ctable is longer or shorter than the first.
    #[error("{column}: {found} rows, but the first column has {expected}")]
    ColumnLength {
        /// The directory of the column.
        column: String,
        /// Its rows.
        found: u64,
        /// Rows of the first column.
        expected: u64,
    },
    /// Items that cannot be written as text.
    #[error("it cannot be written as text")]
    NoText(#[source] NoText),
    /// An attribute cannot be stored, or not be changed.
    #[error("attribute {name:?}")]
    Attribute {
        /// Its name.
        name: String,
        /// An [`AttributeRefusal`](crate::AttributeRefusal).
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A container has no such attribute.
    #[error("there is no attribute {name:?}, only {}", listed(.names))]
    NoSuchAttribute {
        /// The name.
        name: String,
        /// The names of its attributes.
        names: Vec<String>,
    },
    /// A ctable has no such column.
    #[error("there is no column {column:?}, only {}", listed(.columns))]
    NoSuchColumn {
        /// The name.
        column: String,
        /// Those that there are.
        columns: Vec<String>,
    },
    /// A directory is neither a carray nor a ctable.
    #[error("{directory}: neither __rootdirs__ nor meta/storage is in it, so it is no directory of bcolz")]
    NotBcolz {
        /// The directory.
        directory: String,
    },
    /// An earlier change of the frame or directory failed half-way; what is on the disk is as it was at the last commit.
    #[error("an earlier change of this failed: open it again")]
    EditFailed,
    /// The operation was called off.
    #[error("interrupted")]
    Cancelled,
}

/// A chunk whose digest is not that of its bytes.
#[derive(Debug, thiserror::Error)]
#[error(
    "chunk {chunk} at offset {offset}: {} is {computed}, expected {stored}; the chunk is damaged",
    .checksum.name()
)]
#[non_exhaustive]
pub struct ChunkDigestMismatch {
    /// Its number.
    pub chunk: u64,
    /// Where it starts in the file.
    pub offset: u64,
    /// The checksum.
    pub checksum: Checksum,
    /// The digest in the file.
    pub stored: Digest,
    /// The digest of the bytes.
    pub computed: Digest,
}

/// `, offset 3` for an error that leaves out its offset.
fn offset_in(source: &Error) -> String {
    match source {
        Error::FileFormat(error) => {
            error.location().offset.map_or(String::new(), |offset| format!(", offset {offset}"))
        }
        _ => String::new(),
    }
}
